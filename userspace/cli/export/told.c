// SPDX-License-Identifier: GPL-2.0
/*
 * Why an option has no figures, which is said once and not at each scrape.
 */
#include "told.h"

#include <stdio.h>
#include <string.h>

#include "message.h"

/**
 * export_tell - say a reason, unless it was the last one that was said
 * @told: what was said last
 * @option: the option
 * @reason: the reason
 */
void export_tell(struct export_told *told, const char *option, const char *reason)
{
	if (!strcmp(told->reason, reason))
		return;
	message_error("%s: %s", option, reason);
	snprintf(told->reason, sizeof(told->reason), "%s", reason);
}

/**
 * export_told_clear - after a success: the next reason is said, whatever it is
 * @told: what was said last
 */
void export_told_clear(struct export_told *told)
{
	told->reason[0] = '\0';
}
