// SPDX-License-Identifier: GPL-2.0
/*
 * Gives the files of the command line to a target of fuzz/, once each, without a fuzzer.
 */
#include <stdio.h>

#include "fuzz/fuzz.h"

#define INPUT_MAX	(1U << 16)

int main(int argc, char **argv)
{
	static uint8_t data[INPUT_MAX];
	FILE *file;
	size_t size;
	int i;

	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "re");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		size = fread(data, 1, sizeof(data), file);
		fclose(file);
		LLVMFuzzerTestOneInput(data, size);
	}
	fprintf(stderr, "%d inputs\n", argc - 1);
	return 0;
}
