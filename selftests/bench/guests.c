// SPDX-License-Identifier: GPL-2.0
/*
 * How well does the kernel account for the time of a CPU in guests, which the module takes
 * off the time in which its counters ran?
 *
 *   guests MICROSECONDS regular|random SECONDS [CPU]
 *
 * A guest of KVM's and this program run on one CPU in turns, of so long each, or "random"
 * of up to twice as long.  Prints the time in the guest, which is that of the instructions
 * that it executed, and how far /proc/stat and the module are from it.  With -icount,
 * where an instruction takes the same time everywhere.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kvm.h>

#include "bench.h"

#define CODE_AT		0x1000

/* 1: dec %ecx; jnz 1b; hlt, of 16 bits. */
static const uint8_t code[] = { 0x66, 0x49, 0x75, 0xfc, 0xf4 };

static int vcpu;
static struct kvm_run *run;
static unsigned int home = HOME_CPU;

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void guest_create(void)
{
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), vm, size;
	struct kvm_userspace_memory_region region = { .guest_phys_addr = CODE_AT };
	struct kvm_sregs sregs;
	void *memory;

	if (kvm < 0)
		die("no /dev/kvm");
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (vm < 0 || memory == MAP_FAILED)
		die("no a virtual machine");
	memcpy(memory, code, sizeof(code));
	region.memory_size = 4096;
	region.userspace_addr = (uintptr_t)memory;
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		die("no its memory");
	vcpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (vcpu < 0 || run == MAP_FAILED || ioctl(vcpu, KVM_GET_SREGS, &sregs))
		die("no its CPU");
	sregs.cs.base = 0;
	sregs.cs.selector = 0;
	if (ioctl(vcpu, KVM_SET_SREGS, &sregs))
		die("no its registers");
}

/* How long that took. */
static uint64_t guest_loop(uint32_t turns)
{
	struct kvm_regs regs = { .rip = CODE_AT, .rcx = turns, .rflags = 2 };
	uint64_t from;

	if (ioctl(vcpu, KVM_SET_REGS, &regs))
		die("no its registers");
	from = now_ns();
	if (ioctl(vcpu, KVM_RUN, 0) || run->exit_reason != KVM_EXIT_HLT)
		die("left the guest for %u", run->exit_reason);
	return now_ns() - from;
}

/* Returns the time of the CPU in guests that the kernel accounts, in milliseconds. */
static double accounted_ms(void)
{
	unsigned long value[10] = { 0 };
	char line[512], want[16];
	FILE *file = fopen("/proc/stat", "re");
	unsigned int i;
	char *at;

	snprintf(want, sizeof(want), "cpu%u ", home);
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, want, strlen(want)))
			continue;
		for (at = line + strlen(want), i = 0; i < 10; i++)
			value[i] = strtoul(at, &at, 10);
	}
	if (file)
		fclose(file);
	return (value[8] + value[9]) * 1000.0 / sysconf(_SC_CLK_TCK);
}

/* A part of @most, or twice as much. */
static uint64_t length_of(uint64_t most, bool random)
{
	static unsigned int state = 4711;

	if (!random)
		return most;
	/* Numerical Recipes' generator. */
	state = state * 1664525 + 1013904223;
	return most * (state >> 16) >> 15;
}

/* How far from it, in percent. */
static double off(double seen, double truth)
{
	return 100 * (seen / truth - 1);
}

/* Without an interrupt. */
static double shortest(uint32_t turns)
{
	double ns, least = INFINITY;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		ns = guest_loop(turns);
		least = fmin(least, ns);
	}
	return least;
}

/* Two turns differ by the loop alone; the first makes the guest's tables. */
static double find_ns_of_loop(void)
{
	double ns;

	guest_loop(1000);
	ns = shortest(1000);
	return (shortest(21000) - ns) / 20000;
}

static struct topdown_record read_home(int device)
{
	struct topdown_record record;

	if (device_read_cpu(device, TOPDOWN_READ_FRESH, home, &record))
		die("no record");
	return record;
}

/* The part of the time in which the counters ran; ordinary ones have turns. */
static double running(const struct topdown_record *then, const struct topdown_record *now)
{
	return (now->total.running_ns - then->total.running_ns) /
	       (double)(now->total.enabled_ns - then->total.enabled_ns);
}

static void spin_for(uint64_t ns)
{
	uint64_t from = now_ns();

	while (now_ns() < from + ns)
		;
}

static void measure(int device, uint64_t length, bool random, double seconds)
{
	uint64_t begin, end, loops = 0, n, turns = 0;
	double ns_of_loop = find_ns_of_loop();
	struct topdown_record then, now;
	double accounted, guest, without;

	then = read_home(device);
	spin_for(1000000000);
	now = read_home(device);
	without = running(&then, &now);

	then = read_home(device);
	accounted = -accounted_ms();
	begin = now_ns();
	end = begin + seconds * 1e9;
	while (now_ns() < end) {
		n = length_of(length, random) / ns_of_loop + 1;
		guest_loop(n);
		loops += n;
		turns++;
		spin_for(length_of(length, random));
	}
	end = now_ns();
	accounted += accounted_ms();
	now = read_home(device);
	guest = loops * ns_of_loop;
	printf("%6.2f ms %-7s: %.1f%% of %.1f s in the guest, %llu turns of %.2f ns a loop; accounted %+.1f%%, taken off running %+.1f%%\n",
	       length / 1e6, random ? "random" : "regular", 100 * guest / (end - begin),
	       (end - begin) / 1e9, (unsigned long long)turns, ns_of_loop,
	       off(accounted * 1e6, guest),
	       off(1 - running(&then, &now) / without, guest / (end - begin)));
}

int main(int argc, char **argv)
{
	int device;

	if (argc != 4 && argc != 5)
		die("usage: guests MICROSECONDS regular|random SECONDS [CPU]");
	if (argc == 5)
		home = strtoul(argv[4], NULL, 10);
	device = device_open();
	if (device < 0 || cpu_pin(home))
		die("no module, or no CPU %u", home);
	guest_create();
	measure(device, strtoull(argv[1], NULL, 10) * 1000, !strcmp(argv[2], "random"),
		strtod(argv[3], NULL));
	return 0;
}
