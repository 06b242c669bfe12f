/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fuzzer's input, taken from its begin byte by byte.  What is asked for after its end is zero.
 */
#ifndef TOPDOWN_CHECK_FUZZ_H
#define TOPDOWN_CHECK_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct input {
	const uint8_t *at;
	size_t left;
};

static inline void input_take(struct input *input, void *to, size_t size)
{
	size_t there = size < input->left ? size : input->left;

	memset(to, 0, size);
	if (!there)
		return;
	memcpy(to, input->at, there);
	input->at += there;
	input->left -= there;
}

static inline uint8_t input_byte(struct input *input)
{
	uint8_t byte;

	input_take(input, &byte, sizeof(byte));
	return byte;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif /* TOPDOWN_CHECK_FUZZ_H */
