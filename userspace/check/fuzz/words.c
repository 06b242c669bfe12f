// SPDX-License-Identifier: GPL-2.0
/*
 * Command lines: the input's lines are the words.  Nothing is run, and no device is opened.
 */
#include <getopt.h>
#include <string.h>

#include "request.h"
#include "export-options.h"
#include "fuzz.h"
#include "latency.h"
#include "record.h"
#include "stat-options.h"
#include "top.h"
#include "watch.h"

#define WORDS_MAX	16
#define TEXT_MAX	512

static void parse(unsigned int command, int argc, char **argv)
{
	union {
		struct stat_options stat;
		struct top_options top;
		struct watch_options watch;
		struct latency_options latency;
		struct record_options record;
		struct export_options export;
	} options;
	bool done = false;

	memset(&options, 0, sizeof(options));
	switch (command) {
	case 0:
		stat_parse(&options.stat, argc, argv, &done);
		break;
	case 1:
		top_parse(&options.top, argc, argv, &done);
		break;
	case 2:
		watch_parse(&options.watch, argc, argv, &done);
		break;
	case 3:
		latency_parse(&options.latency, argc, argv, &done);
		break;
	case 4:
		record_parse(&options.record, argc, argv, &done);
		break;
	case 5:
		export_parse(&options.export, argc, argv, &done);
		break;
	default:
		export_request_format(argv[0]);
		export_request_gzip(argv[0]);
		export_request_is_local(argv[0]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX], name[] = "topdown", *word, *rest = text;
	char *argv[WORDS_MAX + 2] = { name };
	int argc = 1;

	if (size < 2 || size > sizeof(text))
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] % 7 == 6) {
		argv[0] = text;
	} else {
		while (argc <= WORDS_MAX && (word = strsep(&rest, "\n")))
			argv[argc++] = word;
	}
	/* 0 makes GNU getopt begin again. */
	optind = 0;
	parse(data[0] % 7, argc, argv);
	return 0;
}
