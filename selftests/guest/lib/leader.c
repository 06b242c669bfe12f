// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "leader.h"

#define RING_PAGES	256

#define CPU_TIME_MAX	"/proc/sys/kernel/perf_cpu_time_max_percent"
#define RATE_MAX	"/proc/sys/kernel/perf_event_max_sample_rate"

bool ring_open(struct ring *ring, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, (1 + RING_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ring->size = RING_PAGES * page;
	ring->others = 0;
	ring->page = at;
	return at != MAP_FAILED;
}

void ring_close(struct ring *ring)
{
	munmap(ring->page, ring->size + sysconf(_SC_PAGESIZE));
}

static void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	size_t i;

	for (i = 0; i < size; i++)
		((char *)to)[i] = data[(at + i) % ring->size];
}

uint64_t ring_drop(struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = head - ring->page->data_tail;

	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return size;
}

bool ring_next(struct ring *ring, struct leader_sample *sample)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		bool found;

		ring_copy(ring, tail, sample, sizeof(sample->header));
		found = sample->header.type == PERF_RECORD_SAMPLE &&
			sample->header.size == sizeof(*sample);
		if (found)
			ring_copy(ring, tail, sample, sizeof(*sample));
		else
			ring->others++;
		tail += sample->header.size;
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
		if (found)
			return true;
	}
	return false;
}

int leader_open(int *fd, int pid, int cpu, const struct perf_event_attr *how)
{
	struct perf_event_attr leader = *how;
	struct perf_event_attr attr = { .read_format = PERF_FORMAT_GROUP, .exclude_guest = 1 };
	unsigned int i;
	int ret;

	leader.type = PERF_TYPE_HARDWARE;
	leader.size = sizeof(leader);
	leader.config = PERF_COUNT_HW_CPU_CYCLES;
	leader.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ;
	leader.read_format = PERF_FORMAT_GROUP;
	leader.disabled = 1;
	leader.exclude_guest = 1;
	fd[0] = syscall(SYS_perf_event_open, &leader, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd[0] < 0)
		return -errno;
	for (i = 0; i < PERF_EVENTS; i++) {
		attr.config = i;
		fd[1 + i] = perf_open(&attr, pid, cpu, fd[0], 0);
		if (fd[1 + i] < 0) {
			ret = fd[1 + i];
			do {
				close(fd[i]);
			} while (i--);
			return ret;
		}
	}
	return 0;
}

int leader_read(const int *fd, uint64_t value[LEADER_VALUES])
{
	struct { uint64_t nr, value[LEADER_VALUES]; } all;
	unsigned int i;
	ssize_t n;

	for (i = 0; i < LEADER_VALUES; i++) {
		n = read(fd[i], &all, sizeof(all));
		if (n < 0)
			return -errno;
		if (n == sizeof(all) && all.nr == LEADER_VALUES) {
			copy_words(value, all.value, sizeof(all.value));
			return 0;
		}
		/* Alone, since its CPU has gone. */
		if (n != 2 * sizeof(uint64_t) || all.nr != 1)
			return -EPROTO;
		value[i] = all.value[0];
	}
	return 0;
}

void leader_close(const int *fd)
{
	unsigned int i;

	for (i = LEADER_VALUES; i > 0; i--)
		close(fd[i - 1]);
}

int rates_unlimit(void)
{
	int ret = file_write(RATE_MAX, 0, "100000");

	/* Another test may have done this before. */
	if (ret && ret != -EINVAL)
		return ret;
	return file_write(CPU_TIME_MAX, 0, "0");
}

void rates_limit(void)
{
	file_write(CPU_TIME_MAX, 0, "25");
}
