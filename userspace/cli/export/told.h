/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why an option has no figures, which is said once and not at each scrape.
 */
#ifndef TOPDOWN_CLI_TOLD_H
#define TOPDOWN_CLI_TOLD_H

/* Room for a reason. */
#define EXPORT_REASON_SIZE	512

/**
 * struct export_told - what was said last
 * @reason: the reason; empty after a success
 */
struct export_told {
	char reason[EXPORT_REASON_SIZE];
};

void export_tell(struct export_told *told, const char *option, const char *reason);
void export_told_clear(struct export_told *told);

#endif /* TOPDOWN_CLI_TOLD_H */
