// SPDX-License-Identifier: GPL-2.0
/*
 * Commands: how the ioctls of all descriptors take and give their argument.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "command.h"
#include "compat.h"

/* Find a command, or return NULL. */
static const struct td_ioctl *td_command_find(const struct td_ioctl *table,
					      unsigned int nr_commands, unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);
	const struct td_ioctl *ioctl;

	if (nr >= nr_commands)
		return NULL;
	ioctl = &table[array_index_nospec(nr, nr_commands)];
	/* The table may have gaps. */
	return ioctl->execute && ioctl->cmd == cmd ? ioctl : NULL;
}

/**
 * td_command_put() - write an element of the caller's array
 * @array: address of the array
 * @stride: bytes from one element to the next, as the caller compiled it
 * @index: which one
 * @element: the element, which is cut or padded with zeros
 * @size: its size here
 *
 * Return: 0 or -EFAULT.
 */
int td_command_put(u64 array, u32 stride, unsigned int index, const void *element, size_t size)
{
	char __user *to = u64_to_user_ptr(array + (u64)index * stride);

	size = min_t(size_t, stride, size);
	if (copy_to_user(to, element, size) || clear_user(to + size, stride - size))
		return -EFAULT;
	return 0;
}
EXPORT_SYMBOL_NS_GPL(td_command_put, TD_NAMESPACE);

/**
 * td_command_cpus() - copy a set of CPUs of the caller
 * @cpus: written: all possible CPUs if there is neither @address nor @words
 * @address: address of the set
 * @words: number of its 64-bit words
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_command_cpus(struct cpumask *cpus, u64 address, u32 words)
{
	u64 word[TOPDOWN_CPUS_WORDS_MAX];
	unsigned int cpu, i;

	if (!words && !address) {
		cpumask_copy(cpus, cpu_possible_mask);
		return 0;
	}
	if (words > TOPDOWN_CPUS_WORDS_MAX)
		return -E2BIG;
	if (copy_from_user(word, u64_to_user_ptr(address), words * sizeof(*word)))
		return -EFAULT;

	cpumask_clear(cpus);
	for (i = 0; i < words; i++) {
		for (; word[i]; word[i] &= word[i] - 1) {
			cpu = i * 64 + __ffs64(word[i]);
			if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
				return -EINVAL;
			cpumask_set_cpu(cpu, cpus);
		}
	}
	return cpumask_empty(cpus) ? -EINVAL : 0;
}
EXPORT_SYMBOL_NS_GPL(td_command_cpus, TD_NAMESPACE);

/**
 * td_command_run() - execute an ioctl
 * @table: the commands of this kind of descriptor, by their numbers
 * @nr_commands: length of @table
 * @filp: the file
 * @cmd: the command number
 * @arg: address of the argument
 *
 * Return: what the command returns, or a negative errno as in the ABI.
 */
long td_command_run(const struct td_ioctl *table, unsigned int nr_commands, struct file *filp,
		    unsigned int cmd, unsigned long arg)
{
	const struct td_ioctl *ioctl = td_command_find(table, nr_commands, cmd);
	void __user *user = (void __user *)arg;
	union td_command command = { };
	__u32 size;
	int ret;

	if (!ioctl)
		return -ENOTTY;
	if (get_user(size, (__u32 __user *)user))
		return -EFAULT;
	if (size < ioctl->min_size)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&command, ioctl->size, user, size);
	if (ret)
		return ret;
	/* Use the checked size, because the caller may have changed it in memory since. */
	command.size = size;

	if (ioctl->changes && !(filp->f_mode & FMODE_WRITE))
		return -EBADF;
	ret = ioctl->execute(filp, &command);
	if (ret && ret != -EMSGSIZE)
		return ret;
	if (!ioctl->answers || !copy_to_user(user, &command, min(size, ioctl->size)))
		return ret;
	if (ioctl->undo)
		ioctl->undo(filp, &command);
	return -EFAULT;
}
EXPORT_SYMBOL_NS_GPL(td_command_run, TD_NAMESPACE);
