/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown report: the table of owners.
 */
#ifndef TOPDOWN_CLI_OWNER_TABLE_H
#define TOPDOWN_CLI_OWNER_TABLE_H

#include "owner-listing.h"

void owner_table_title(const struct report_options *options, const struct owner_listing *listing);
void owner_table(const struct report_options *options, struct owner_listing *listing, uint32_t end);
const char *owner_table_meaning(const char *word);

#endif /* TOPDOWN_CLI_OWNER_TABLE_H */
