/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the terminal.
 */
#ifndef TOPDOWN_CLI_SCREEN_H
#define TOPDOWN_CLI_SCREEN_H

#include "frame.h"

int top_screen_open(void);
void top_screen_close(void);
void top_screen_show(const struct top_frame *frame);
void top_screen_size(unsigned int *lines, unsigned int *columns);
void top_screen_resize(void);
void top_screen_suspend(void);
bool top_screen_key(int *key);

#endif /* TOPDOWN_CLI_SCREEN_H */
