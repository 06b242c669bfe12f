/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of the page that topdown report --html writes.
 */
#ifndef TOPDOWN_CLI_PAGE_H
#define TOPDOWN_CLI_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "summary.h"

/* The most steps that a picture has: each can be reached by a key. */
#define PAGE_STEPS	120
/* Times below a picture. */
#define PAGE_TICKS	6

extern const char recording_page_head[];

void recording_page_clock(FILE *file, const struct recording *recording, uint64_t at_ns,
			  bool date);
struct owner_listing;

void recording_page_owners(FILE *file, const struct owner_listing *listing,
			   const unsigned int *node, unsigned int nr);
void recording_page_latencies(FILE *file, const struct summary *summary, uint64_t start_ns,
			      uint64_t end_ns);

#endif /* TOPDOWN_CLI_PAGE_H */
