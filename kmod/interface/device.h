/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_DEVICE_H
#define TOPDOWN_DEVICE_H

#include <linux/fs.h>
#include <linux/types.h>

struct cdev;

/**
 * struct td_device - a character device of ours
 * @cdev: what open() finds
 * @number: its number
 */
struct td_device {
	struct cdev *cdev;
	dev_t number;
};

int td_device_add(struct td_device *device, const char *name,
		  const struct file_operations *fops);
void td_device_remove(struct td_device *device);
int td_device_init(void);
void td_device_exit(void);

#endif /* TOPDOWN_DEVICE_H */
