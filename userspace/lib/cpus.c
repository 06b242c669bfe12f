// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets of CPUs: CPU n is bit n % 64 of word n / 64. Their text is like 0-3,8.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TD_PRESENT	"/sys/devices/system/cpu/present"

bool td_has_cpu(const uint64_t *cpus, uint64_t cpu)
{
	return cpus[cpu / 64] >> cpu % 64 & 1;
}

unsigned int td_count_cpus(const uint64_t *cpus, unsigned int words)
{
	unsigned int i, n = 0;

	for (i = 0; i < words; i++)
		n += __builtin_popcountll(cpus[i]);
	return n;
}

/* Check a set that a caller passes. No address and no words mean all CPUs. */
int td_check_set(const uint64_t *cpus, unsigned int words)
{
	if (!cpus && !words)
		return 0;
	if (!cpus || !words)
		return -EINVAL;
	if (words > TOPDOWN_CPUS_WORDS_MAX)
		return -E2BIG;
	return td_count_cpus(cpus, words) ? 0 : -EINVAL;
}

/* Read decimal digits; NULL if there are none. A number with too many is UINT64_MAX. */
static const char *td_digits(const char *text, uint64_t *value)
{
	const char *at = text;

	for (*value = 0; *at >= '0' && *at <= '9'; at++) {
		unsigned int digit = *at - '0';

		if (*value > (UINT64_MAX - digit) / 10)
			*value = UINT64_MAX;
		else
			*value = *value * 10 + digit;
	}
	return at == text ? NULL : at;
}

/* Read one number or range. Returns the text after it, or NULL. */
static const char *td_range(const char *part, uint64_t *first, uint64_t *last)
{
	const char *at = td_digits(part, first);

	*last = *first;
	if (at && *at == '-')
		at = td_digits(at + 1, last);
	return at && (!*at || *at == ',') ? at : NULL;
}

static int td_set_range(uint64_t *cpus, unsigned int words, uint64_t first, uint64_t last)
{
	uint64_t room = (uint64_t)words * 64, cpu;

	if (first >= room || last >= room)
		return -ERANGE;
	if (last < first)
		return -EINVAL;
	for (cpu = first; cpu <= last; cpu++) {
		if (td_has_cpu(cpus, cpu))
			return -EEXIST;
	}
	for (cpu = first; cpu <= last; cpu++)
		cpus[cpu / 64] |= 1ULL << cpu % 64;
	return 0;
}

TD_API int topdown_cpus_parse(const char *text, uint64_t *cpus, unsigned int words,
			      const char **where)
{
	const char *part = text, *end;
	uint64_t first, last;
	int ret;

	memset(cpus, 0, words * sizeof(*cpus));
	for (;;) {
		end = td_range(part, &first, &last);
		ret = end ? td_set_range(cpus, words, first, last) : -EINVAL;
		if (ret && where)
			*where = part;
		if (ret || !*end)
			return ret;
		part = end + 1;
	}
}

/* Append to the text. Characters that do not fit are only counted. */
static void __attribute__((format(printf, 4, 5)))
td_append(char *text, size_t size, size_t *length, const char *format, ...)
{
	bool room = *length < size;
	va_list args;

	va_start(args, format);
	*length += vsnprintf(room ? text + *length : NULL, room ? size - *length : 0, format,
			     args);
	va_end(args);
}

TD_API size_t topdown_cpus_text(const uint64_t *cpus, unsigned int words, char *text,
				size_t size)
{
	uint64_t room = (uint64_t)words * 64, first, cpu;
	const char *comma = "";
	size_t length = 0;

	if (size)
		*text = '\0';
	for (cpu = 0; cpu < room; cpu++) {
		if (!td_has_cpu(cpus, cpu))
			continue;
		first = cpu;
		while (cpu + 1 < room && td_has_cpu(cpus, cpu + 1))
			cpu++;
		td_append(text, size, &length, "%s%llu", comma, (unsigned long long)first);
		if (cpu > first)
			td_append(text, size, &length, "-%llu", (unsigned long long)cpu);
		comma = ",";
	}
	return length;
}

/* Read the beginning of a file of the kernel; false with errno if it cannot be read. */
bool td_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return false;
	len = read(fd, text, size - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len >= 0;
}

/* The first line of such a file, without its end; false with errno if it is cut or has none. */
bool td_read_line(const char *path, char *text, size_t size)
{
	char *end;

	if (!td_read_text(path, text, size))
		return false;
	end = strchr(text, '\n');
	if (!end) {
		errno = EIO;
		return false;
	}
	*end = '\0';
	return true;
}

/*
 * The CPUs that are present. If the kernel does not say that, no CPU is known to be
 * missing, and the set is full.
 */
void td_present_cpus(uint64_t cpus[TOPDOWN_CPUS_WORDS_MAX])
{
	char text[4096];

	if (td_read_line(TD_PRESENT, text, sizeof(text)) &&
	    !topdown_cpus_parse(text, cpus, TOPDOWN_CPUS_WORDS_MAX, NULL))
		return;
	memset(cpus, 0xff, TOPDOWN_CPUS_WORDS_MAX * sizeof(*cpus));
}
