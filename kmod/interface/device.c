// SPDX-License-Identifier: GPL-2.0
/*
 * The devices in /dev.
 *
 * They are no misc devices, because misc_open() calls open() with a mutex that all misc devices
 * of the machine share.  Our open() asks perf, which may wait: for RCU with PREEMPT_RT, and for
 * somebody who reads an event of the CPU into slow memory.  /dev/kvm need not wait for that.
 */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kobject.h>
#include <linux/module.h>

#include "compat.h"
#include "device.h"

/* Until udev gives them to the group. */
static char *td_device_node(td_device_const struct device *device, umode_t *mode)
{
	if (mode)
		*mode = 0660;
	return NULL;
}

/* The kernel's, as it may stay for a while after the module. */
static struct class *td_device_class;

static int td_device_add_cdev(struct td_device *device, const char *name,
			      const struct file_operations *fops)
{
	int ret;

	/* Allocated, as its last reference may go after the module. */
	device->cdev = cdev_alloc();
	if (!device->cdev)
		return -ENOMEM;
	device->cdev->ops = fops;
	device->cdev->owner = fops->owner;
	ret = kobject_set_name(&device->cdev->kobj, "%s", name);
	if (!ret)
		ret = cdev_add(device->cdev, device->number, 1);
	if (ret)
		kobject_put(&device->cdev->kobj);
	return ret;
}

/**
 * td_device_add() - offer a device
 * @device: written
 * @name: its name in /dev, and of its number in /proc/devices
 * @fops: its calls, with an owner
 *
 * Return: 0 or a negative errno.
 */
int td_device_add(struct td_device *device, const char *name,
		  const struct file_operations *fops)
{
	struct device *node;
	int ret;

	ret = alloc_chrdev_region(&device->number, 0, 1, name);
	if (ret)
		return ret;
	ret = td_device_add_cdev(device, name, fops);
	if (ret)
		goto err_number;
	node = device_create(td_device_class, NULL, device->number, NULL, "%s", name);
	if (!IS_ERR(node))
		return 0;
	ret = PTR_ERR(node);
	cdev_del(device->cdev);
err_number:
	unregister_chrdev_region(device->number, 1);
	return ret;
}
EXPORT_SYMBOL_NS_GPL(td_device_add, TD_NAMESPACE);

/**
 * td_device_remove() - undo td_device_add(); no descriptor is open any more
 * @device: the device
 */
void td_device_remove(struct td_device *device)
{
	device_destroy(td_device_class, device->number);
	cdev_del(device->cdev);
	unregister_chrdev_region(device->number, 1);
}
EXPORT_SYMBOL_NS_GPL(td_device_remove, TD_NAMESPACE);

/**
 * td_device_init() - prepare td_device_add()
 *
 * Return: 0 or a negative errno.
 */
int td_device_init(void)
{
	struct class *class = td_compat_class_create("topdown");

	if (IS_ERR(class))
		return PTR_ERR(class);
	class->devnode = td_device_node;
	td_device_class = class;
	return 0;
}

/**
 * td_device_exit() - undo td_device_init()
 */
void td_device_exit(void)
{
	class_destroy(td_device_class);
}
