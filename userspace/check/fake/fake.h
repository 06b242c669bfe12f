/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of the stand-in for the kernel share.
 */
#ifndef TOPDOWN_CHECK_FAKE_H
#define TOPDOWN_CHECK_FAKE_H

#include <linux/topdown.h>
#include <linux/topdown_latency.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "known.h"

/* Enough for 256 CPUs with a history of 4 windows. */
#define FAKE_MAP_SIZE		(1U << 20)
#define FAKE_SESSION_MAP_SIZE	4096

/* The sizes in the first release. */
#define FAKE_RECORD_SIZE_MIN	880
#define FAKE_SESSION_SIZE_MIN	496
#define FAKE_KIND_SIZE_MIN	440
#define FAKE_OWNER_SIZE_MIN	1000

/* Fill the field that only a newer release has, in growth.sh. */
#ifdef TOPDOWN_GROWN
#define FAKE_GROWN(of)		memset((of)->grown, 0x5a, sizeof((of)->grown))
#else
#define FAKE_GROWN(of)		((void)(of))
#endif

long setting(const char *name, long otherwise);
int refuse(int error);
bool fake_is_device(int fd);
int fake_info(struct topdown_info *arg);
int fake_read(struct topdown_read *arg);
int fake_watch(struct topdown_watch *arg);
ssize_t fake_event(void *to, size_t size, bool wait);
void fake_watches_begin(void);
uint64_t now_ns(void);
unsigned int nr_cpus(void);
uint32_t fake_nodes(void);
void fill_counts(struct topdown_figures *figures, unsigned int cpu, uint64_t steps);
void fill_since(struct topdown_figures *figures, unsigned int cpu, uint64_t steps);
int fake_count_mapped(void);
bool fake_together(bool fresh, struct topdown_record *record, unsigned int cpu);
void fill_record(struct topdown_record *record, unsigned int cpu);
void *fake_map(size_t size, int protection, int flags);

bool fake_is_latency(int fd);
int fake_latency_open(int flags);
void fake_latency_closed(int fd);
int fake_latency_start(int fd, struct topdown_latency_start *arg);
int fake_latency_read(int fd, struct topdown_latency_read *arg);

bool fake_is_owners(int fd);
int fake_owners(const struct topdown_owners *arg);
int fake_owners_read(struct topdown_owners_read *arg);

void fake_sessions_begin(void);
int fake_attach(const struct topdown_attach *arg);
int fake_session_of(int fd);
bool fake_session_is_view(int fd);
void fake_session_closed(int fd);
int fake_session(int fd, struct topdown_session *arg);
int fake_control(int fd, const struct topdown_control *arg);
void fake_session_await(int fd);
bool fake_sessions_tell(bool once);
void *fake_session_map(size_t size, int fd);

bool fake_is_perf(int fd);
void fake_perf_closed(int fd);
void *fake_perf_map(size_t size);
ssize_t fake_perf_read(void *to, size_t size);

#endif /* TOPDOWN_CHECK_FAKE_H */
