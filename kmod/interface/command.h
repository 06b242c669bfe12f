/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands: the ioctls of a descriptor, as uapi/linux/topdown.h wants them.
 *
 * A table specifies what is accepted.  A command is copied in as a whole, checked and executed.
 * A command with an answer is copied back.
 */
#ifndef TOPDOWN_COMMAND_H
#define TOPDOWN_COMMAND_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <uapi/linux/topdown_latency.h>

struct cpumask;
struct file;

union td_command {
	__u32 size;
	struct topdown_info info;
	struct topdown_read read;
	struct topdown_watch watch;
	struct topdown_attach attach;
	struct topdown_session session;
	struct topdown_control control;
	struct topdown_latency_start latency_start;
	struct topdown_latency_read latency_read;
	struct topdown_owners owners;
	struct topdown_owners_read owners_read;
};

/**
 * struct td_ioctl - one command
 * @cmd: the complete command number; 0 for none
 * @size: size of the argument today
 * @min_size: size of the argument as first released
 * @answers: the argument is copied back
 * @changes: the descriptor has to be open for writing
 * @execute: executes the command, and returns an errno, 0, or a descriptor
 * @undo: undoes it if the answer could not be written
 */
struct td_ioctl {
	unsigned int cmd;
	unsigned int size;
	unsigned int min_size;
	bool answers;
	bool changes;
	int (*execute)(struct file *filp, union td_command *command);
	void (*undo)(struct file *filp, const union td_command *command);
};

#define TD_IOCTL(name, type, last, func, answer, ...)				\
	[TOPDOWN_CMD_##name] = {						\
		.cmd		= TOPDOWN_##name,				\
		.size		= sizeof(type) +				\
				  BUILD_BUG_ON_ZERO(sizeof(type) > sizeof(union td_command)), \
		.min_size	= offsetofend(type, last),			\
		.answers	= answer,					\
		.execute	= func,						\
		__VA_ARGS__							\
	}

int td_command_put(u64 array, u32 stride, unsigned int index, const void *element, size_t size);
int td_command_cpus(struct cpumask *cpus, u64 address, u32 words);
long td_command_run(const struct td_ioctl *table, unsigned int nr_commands, struct file *filp,
		    unsigned int cmd, unsigned long arg);

#endif /* TOPDOWN_COMMAND_H */
