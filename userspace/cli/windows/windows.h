/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Closed windows of CPUs, to be printed in the order of time.
 */
#ifndef TOPDOWN_CLI_WINDOWS_H
#define TOPDOWN_CLI_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#include "output.h"
#include "rows.h"

/**
 * struct shown - a window that will be printed. There may be millions, so it is no row yet
 * @time: when it closed, in seconds since the epoch
 * @cpu: its CPU
 * @source: enum topdown_source of the CPU
 * @level: level that its row shows
 * @after_ns: time since the window before it closed; 0 if it is not known how much of it was busy
 * @window: the window, with ratios
 */
struct shown {
	double time;
	uint64_t after_ns;
	uint32_t cpu;
	uint16_t source;
	uint16_t level;
	struct topdown_window window;
};

/**
 * struct windows - windows
 * @shown: windows
 * @nr: number of @shown
 * @room: windows that there is room for
 */
struct windows {
	struct shown *shown;
	size_t nr;
	size_t room;
};

unsigned int windows_level(const struct output *output, unsigned int asked, unsigned int most);
int windows_add(struct windows *windows, double time, uint32_t cpu, unsigned int source,
		unsigned int level, const struct topdown_window *window);
void windows_follow(struct windows *windows, uint64_t time_ns);
int windows_print(struct windows *windows, struct output *output);
void windows_free(struct windows *windows);

#endif /* TOPDOWN_CLI_WINDOWS_H */
