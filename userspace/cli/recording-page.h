/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The begin of the page that topdown report --html writes.
 */
#ifndef TOPDOWN_CLI_RECORDING_PAGE_H
#define TOPDOWN_CLI_RECORDING_PAGE_H

extern const char recording_page_head[];

#endif /* TOPDOWN_CLI_RECORDING_PAGE_H */
