/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the rows of slots as cells, those of CPUs and those of owners.
 */
#ifndef TOPDOWN_CLI_SLOT_LINES_H
#define TOPDOWN_CLI_SLOT_LINES_H

#include "cells.h"
#include "view.h"

void top_slot_lines(struct top_frame *frame, const struct top_view *view,
		    const struct row *const *rows, unsigned int nr, uint32_t nodes);

#endif /* TOPDOWN_CLI_SLOT_LINES_H */
