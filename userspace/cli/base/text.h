/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers as people read them.
 */
#ifndef TOPDOWN_CLI_TEXT_H
#define TOPDOWN_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The digits of 64 bits, commas and the end. */
#define GROUPED_SIZE	28

/* Room for any number: the longest double has 309 digits before its point. */
#define NUMBER_SIZE	352

size_t integer_text(char text[NUMBER_SIZE], uint64_t number);
size_t number_text(char text[NUMBER_SIZE], double number, unsigned int digits);
void change_text(char *text, size_t size, double change, const char *unit);
void percent_text(char *text, size_t size, uint32_t ratio, const char *unit);
void grouped_text(char text[GROUPED_SIZE], uint64_t number);
void rate_text(char *text, size_t size, double rate);
void middle_text(char *text, size_t room, const char *name);
const char *plural_text(uint64_t number);
void weight_text(char *text, size_t size, double weight);
void html_text(FILE *file, const char *text);
void printable_text(char *text, const char *kept);

#endif /* TOPDOWN_CLI_TEXT_H */
