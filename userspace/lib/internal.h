/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of libtopdown share and its users do not see.
 */
#ifndef TOPDOWN_INTERNAL_H
#define TOPDOWN_INTERNAL_H

#include <topdown.h>

/* Everything else is built with -fvisibility=hidden. */
#define TD_API		__attribute__((visibility("default")))

/* What the first module that had sessions knew of the structure. */
#define TD_SESSION_SIZE_MIN	272

struct topdown {
	int fd;
	struct topdown_info info;
};

int td_ioctl(const struct topdown *td, unsigned long request, void *arg);
void td_copy_sized(void *to, size_t to_size, const void *from, size_t from_size);
const unsigned char *td_map_pages(const struct topdown *td, uint64_t size, size_t least,
				  uint64_t offset);
int td_record_between(const struct topdown_record *then, const struct topdown_record *now,
		      struct topdown_figures *out);

#endif /* TOPDOWN_INTERNAL_H */
