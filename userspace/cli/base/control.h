/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words from outside that say when to measure, as those of perf: --control.
 */
#ifndef TOPDOWN_CLI_CONTROL_H
#define TOPDOWN_CLI_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum control_word - a word, or why there is none
 *
 * @CONTROL_NONE: nothing more was written
 * @CONTROL_ENABLE: measure from now on
 * @CONTROL_DISABLE: measure nothing from now on
 * @CONTROL_STOP: end the measurement
 * @CONTROL_PING: answer
 * @CONTROL_UNKNOWN: another word, of which a remark was printed
 */
enum control_word {
	CONTROL_NONE,
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN,
};

/**
 * struct control - where words come from
 * @words: descriptor; -1 for none
 * @acks: descriptor for answers; -1 for none
 * @line: the word so far
 * @nr: its length; that of a word without room is larger
 */
struct control {
	int words;
	int acks;
	char line[32];
	size_t nr;
};

bool control_check(const char *text);
int control_open(struct control *control, const char *text);
enum control_word control_read(struct control *control);
void control_ack(const struct control *control);
void control_refuse(const char *word, const char *why);
void control_close(struct control *control);

#endif /* TOPDOWN_CLI_CONTROL_H */
