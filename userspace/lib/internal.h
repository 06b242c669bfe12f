/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of libtopdown share this, and its users do not see it.
 */
#ifndef TOPDOWN_INTERNAL_H
#define TOPDOWN_INTERNAL_H

#include <time.h>
#include <topdown.h>

/* Everything else is built with -fvisibility=hidden. */
#define TD_API		__attribute__((visibility("default")))

/*
 * The sizes of the structures in the first release. Callers and modules may know no more,
 * and the numbers never change.
 */
#define TD_RECORD_SIZE_MIN	880
#define TD_MAP_SIZE_MIN		64
#define TD_MAP_RECORD_SIZE_MIN	992
#define TD_MAP_WINDOW_SIZE_MIN	336
#define TD_WINDOW_SIZE_MIN	432
#define TD_EVENT_SIZE_MIN	32
#define TD_WATCH_SIZE_MIN	64
#define TD_SESSION_SIZE_MIN	496
#define TD_KIND_SIZE_MIN	440
#define TD_SESSION_MAP_SIZE_MIN	72
#define TD_SHARE_SIZE_MIN	344
#define TD_LATENCY_RECORD_SIZE_MIN	984

/* Can so many kinds be written there?  If there is no room, neither address nor size matters. */
static inline bool td_kinds_fit(const struct topdown_session_kind *kinds, unsigned int nr,
				size_t size)
{
	return !nr || (kinds && size >= TD_KIND_SIZE_MIN);
}

/* No entry at rest has this sequence number: those numbers are even. */
#define TD_SEQ_NONE		1

/*
 * Entries of a map, one after the other. The first is @offset bytes into the map; each has @size
 * bytes, and the next begins @stride bytes after it.
 */
struct td_entries {
	uint64_t offset;
	uint64_t stride;
	uint64_t nr;
	uint64_t size;
};

struct td_copy {
	void *to;
	size_t to_size;
	const void *from;
	size_t from_size;
};

/* The pages of a map. */
struct td_mapped {
	const unsigned char *base;
	size_t size;
};

/*
 * @path: of the device; NULL if it is not known
 * @cancel_fd: an eventfd that ends a wait; -1 until there is one
 * @event_size: size of a watch event of the descriptor; 0 if it is not known yet
 */
struct topdown {
	int fd;
	char *path;
	int cancel_fd;
	size_t event_size;
	struct topdown_info info;
};

int td_open_node(const char *path, const char *name);
int td_ioctl_fd(int fd, unsigned long request, void *arg);
int td_ioctl(const struct topdown *td, unsigned long request, void *arg);
uint64_t td_clock_ns(clockid_t clock);
bool td_read_text(const char *path, char *text, size_t size);
bool td_read_line(const char *path, char *text, size_t size);
bool td_has_cpu(const uint64_t *cpus, uint64_t cpu);
unsigned int td_count_cpus(const uint64_t *cpus, unsigned int words);
int td_check_set(const uint64_t *cpus, unsigned int words);
void td_present_cpus(uint64_t cpus[TOPDOWN_CPUS_WORDS_MAX]);
void td_copy_sized(void *to, size_t to_size, const void *from, size_t from_size);
int td_copy_guarded(const struct td_copy *copy, unsigned int nr, const uint32_t *seq_at);
bool td_fits(const struct td_entries *entries, uint64_t header_size, uint64_t map_size);
const unsigned char *td_map_pages(int fd, uint64_t size, size_t least);
int td_map_open(int fd, uint64_t size, size_t least, struct td_mapped *map, void *layout,
		size_t layout_size);
int td_map_changed(const struct topdown_map_view *map, uint32_t cpu, uint32_t *seq,
		   struct topdown_record *record);
bool td_figures_grew(const struct topdown_figures *then, const struct topdown_figures *now);
int td_record_between(const struct topdown_record *then, const struct topdown_record *now,
		      struct topdown_figures *out);

#endif /* TOPDOWN_INTERNAL_H */
