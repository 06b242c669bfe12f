// SPDX-License-Identifier: GPL-2.0
/*
 * The module, its device, and the CPUs.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* As in kselftest.h, which cannot be included twice into a program. */
#define EXIT_FAIL	1
#define EXIT_SKIP	4

static const char *module_file(void)
{
	const char *file = getenv("TOPDOWN_KO");

	if (file)
		return file;
	return access("/topdown.ko", R_OK) ? NULL : "/topdown.ko";
}

static int module_probe(const char *name, const char *params)
{
	char command[512];
	int status;

	snprintf(command, sizeof(command), "modprobe %s %s 2> /dev/null", name, params);
	status = system(command);
	return status ? -ENOENT : 0;
}

static int module_insert(const char *file, const char *params)
{
	int fd, ret = 0;

	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_finit_module, fd, params, 0))
		ret = -errno;
	close(fd);
	return ret;
}

int module_load(const char *params)
{
	const char *file = module_file();

	return file ? module_insert(file, params) : module_probe("topdown", params);
}

bool module_latency_file(char *path, size_t size)
{
	const char *file = module_file();

	if (!file)
		return false;
	/* topdown.ko has topdown_latency.ko beside it. */
	snprintf(path, size, "%.*s_latency.ko", (int)strlen(file) - 3, file);
	return true;
}

int module_load_latency(void)
{
	char beside[512];

	if (!module_latency_file(beside, sizeof(beside)))
		return module_probe("topdown_latency", "");
	return module_insert(beside, "");
}

int module_unload_latency(void)
{
	if (!syscall(SYS_delete_module, "topdown_latency", O_NONBLOCK) || errno == ENOENT)
		return 0;
	return -errno;
}

int module_unload(void)
{
	int ret = module_unload_latency();

	if (ret)
		return ret;
	return syscall(SYS_delete_module, "topdown", O_NONBLOCK) ? -errno : 0;
}

bool module_loaded(void)
{
	return !access(TD_SYSFS "/total", F_OK);
}

/* The runner names its machine.  There only the refusal of "nopmu" and "amd" is an excuse. */
static bool module_may_refuse(int error)
{
	const char *machine = getenv("TOPDOWN_MACHINE");

	if (!machine)
		return error == -ENODEV || error == -ENOENT;
	return error == -ENODEV && (!strcmp(machine, "nopmu") || !strcmp(machine, "amd"));
}

int module_need(void)
{
	int ret = module_loaded() ? 0 : module_load("");

	if (!ret)
		return 0;
	if (module_may_refuse(ret)) {
		printf("1..0 # SKIP the module does not load here: %s\n", strerror(-ret));
		return EXIT_SKIP;
	}
	printf("Bail out! cannot load the module: %s\n", strerror(-ret));
	return EXIT_FAIL;
}

int module_need_latency(void)
{
	int ret = module_need();

	if (!ret)
		ret = module_load_latency();
	if (ret >= 0 || ret == -EEXIST)
		return ret > 0 ? ret : 0;
	printf("Bail out! cannot load topdown_latency: %s\n", strerror(-ret));
	return EXIT_FAIL;
}

int emulator_need(void)
{
	int ret = module_need();

	if (ret)
		return ret;
	if (!backdoor_open()) {
		printf("1..0 # SKIP this machine has no emulated PMU\n");
		return EXIT_SKIP;
	}
	return 0;
}

int device_open(void)
{
	int fd = open(TD_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int device_info(int fd, struct topdown_info *info)
{
	*info = (struct topdown_info){ .size = sizeof(*info) };
	return ioctl(fd, TOPDOWN_INFO, info) ? -errno : 0;
}

int device_read(int fd, __u32 flags, const __u64 *cpus, __u32 words,
		struct topdown_record *records, __u32 *nr)
{
	struct topdown_read read = {
		.size		= sizeof(read),
		.flags		= flags,
		.cpus		= (uintptr_t)cpus,
		.cpus_words	= words,
		.record_size	= sizeof(*records),
		.records	= (uintptr_t)records,
		.nr_records	= *nr,
	};
	int ret = ioctl(fd, TOPDOWN_READ, &read) ? -errno : 0;

	*nr = read.nr_records;
	return ret;
}

int device_read_cpu(int fd, __u32 flags, unsigned int cpu, struct topdown_record *record)
{
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	__u32 nr = 1;

	cpus[cpu / 64] = 1ULL << (cpu % 64);
	return device_read(fd, flags, cpus, TD_CPUS_MAX / 64, record, &nr);
}

/* The level 1 node of a child; nodes that are none are at NO_PARENT. */
#define NO_PARENT	0xff

static unsigned int parent_of(unsigned int node)
{
	if (node >= TOPDOWN_HEAVY_OPERATIONS && node <= TOPDOWN_CORE_BOUND)
		return (node - TOPDOWN_HEAVY_OPERATIONS) / 2;
	return node == TOPDOWN_RESOURCE_BOUND ? TOPDOWN_BACKEND_BOUND : NO_PARENT;
}

void figures_since(struct topdown_figures *now, const struct topdown_figures *then, __u64 nodes)
{
	const __u64 *earlier = (const __u64 *)then;
	__u64 *sums = (__u64 *)now;
	unsigned int i, parent;

	for (i = 0; i < offsetof(struct topdown_figures, ratio) / sizeof(*sums); i++)
		sums[i] -= earlier[i];
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		now->ratio[i] = TOPDOWN_RATIO_NONE;
		parent = parent_of(i);
		if (!now->slots || !(nodes >> i & 1) ||
		    (parent != NO_PARENT && now->children_slots[parent] != now->slots))
			continue;
		now->ratio[i] = (double)now->node[i] / now->slots * TOPDOWN_RATIO_ONE;
	}
}

void session_since(struct topdown_session *now, const struct topdown_session *then)
{
	now->out_switches -= then->out_switches;
	now->out_merged_ns -= then->out_merged_ns;
	figures_since(&now->out_figures, &then->out_figures, now->out_nodes);
}

int device_attach(int fd, __u32 flags, int pid)
{
	struct topdown_attach attach = { .size = sizeof(attach), .flags = flags, .pid = pid };
	int session = ioctl(fd, TOPDOWN_ATTACH, &attach);

	return session < 0 ? -errno : session;
}

int device_session(int session, __u32 flags, struct topdown_session *answer)
{
	*answer = (struct topdown_session){ .size = sizeof(*answer), .flags = flags };
	return ioctl(session, TOPDOWN_SESSION, answer) ? -errno : 0;
}

int device_session_kinds(int session, __u32 flags, struct topdown_session *answer,
			 struct topdown_session_kind *kind)
{
	*answer = (struct topdown_session){
		.size		= sizeof(*answer),
		.flags		= flags,
		.kinds		= (uintptr_t)kind,
		.nr_kinds	= TD_NR_KINDS,
		.kind_size	= sizeof(*kind),
	};
	return ioctl(session, TOPDOWN_SESSION, answer) ? -errno : 0;
}

int device_control(int session, enum topdown_control_action action)
{
	struct topdown_control control = { .size = sizeof(control), .action = action };
	int ret = ioctl(session, TOPDOWN_CONTROL, &control);

	return ret < 0 ? -errno : ret;
}

bool fd_send(int to, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(fd))] = { };
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	return sendmsg(to, &message, 0) == 1;
}

int fd_receive(int from)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&message))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

int file_write(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int period_set(const char *text)
{
	return file_write(TD_SYSFS "/period_ms", 0, text);
}

unsigned int cpus_online(unsigned int *cpu)
{
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");
	unsigned int first, last, n = 0;
	int c = ',';

	while (file && c == ',' && fscanf(file, "%u", &first) == 1) {
		last = first;
		c = getc(file);
		if (c == '-' && fscanf(file, "%u", &last) == 1)
			c = getc(file);
		for (; first <= last && n < TD_CPUS_MAX; first++)
			cpu[n++] = first;
	}
	if (file)
		fclose(file);
	return n;
}

int cpu_set_online(unsigned int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return file_write(path, 0, online ? "1" : "0");
}

void cpus_set_online(void)
{
	unsigned int cpu;

	/* The boot CPU has no such file, and needs none. */
	for (cpu = 1; cpu < TD_CPUS_MAX; cpu++) {
		if (cpu_set_online(cpu, true) == -ENOENT)
			break;
	}
}

void fair_server_off(void)
{
	static const char off[] =
		"cd /sys/kernel/debug/sched/fair_server 2> /dev/null || exit 0;"
		"for cpu in cpu*; do echo 0 > $cpu/runtime; done";

	if (system(off))
		fprintf(stderr, "the fair server stays on\n");
}

unsigned long cpu_calls(unsigned int cpu)
{
	unsigned long calls[2] = { 0, 0 };
	char line[4096];
	FILE *file = fopen("/proc/interrupts", "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " CAL: %lu %lu", &calls[0], &calls[1]) == 2)
			break;
	}
	if (file)
		fclose(file);
	return calls[cpu];
}

int cpu_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

void sleep_ms(unsigned int ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

double env_number(const char *name, double otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtod(text, NULL) : otherwise;
}

typedef uint64_t __attribute__((may_alias)) word;

/*
 * Word by word, so that compilers neither merge nor drop the loads, and at the
 * pace of a reader in any language.
 */
void copy_words(void *to, const void *from, size_t size)
{
	const volatile word *source = from;
	word *target = to;
	size_t i;

	for (i = 0; i < size / sizeof(*target); i++)
		target[i] = source[i];
}

/* A measuring task that waits for the load cannot say when it measured. */
int counter_take(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_HARDWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.pinned	= 1,
	};
	uint64_t count;
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	/* A pinned event that did not get its counter has nothing to read. */
	if (fd >= 0 && read(fd, &count, sizeof(count)) != sizeof(count)) {
		close(fd);
		return -1;
	}
	return fd;
}

int realtime(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	return sched_setscheduler(0, SCHED_FIFO, &param) ? -errno : 0;
}

static void spin_child(unsigned int cpu, const struct td_bd_profile *profile,
		       bool (*prepare)(void), int ready)
{
	const struct sched_param param = { };

	/* A killed test leaves no child. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The task that measures may be a real-time task; this must not be one. */
	if (sched_setscheduler(0, SCHED_OTHER, &param) || cpu_pin(cpu))
		_exit(EXIT_FAIL);
	if (profile && (!backdoor_open() || !backdoor_set_profile(profile)))
		_exit(EXIT_FAIL);
	if ((prepare && !prepare()) || write(ready, "", 1) != 1)
		_exit(EXIT_FAIL);
	for (;;)
		;
}

int spin_start_with(unsigned int cpu, const struct td_bd_profile *profile, bool (*prepare)(void))
{
	int ready[2], pid;
	char byte;

	if (pipe(ready))
		return -errno;
	pid = fork();
	if (!pid)
		spin_child(cpu, profile, prepare, ready[1]);
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -EIO;
	}
	close(ready[0]);
	return pid;
}

int spin_start(unsigned int cpu, const struct td_bd_profile *profile)
{
	return spin_start_with(cpu, profile, NULL);
}

void spin_stop(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
