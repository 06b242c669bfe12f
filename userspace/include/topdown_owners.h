/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: owners, the slots of every process or of every cgroup at once.
 *
 * A part of topdown.h, which has the rules of all functions.  Include that one.
 */
#ifndef LIBTOPDOWN_OWNERS_H
#define LIBTOPDOWN_OWNERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* All owners of a kind, as of the last update. */
struct topdown_owners_view;

/**
 * topdown_owners_open() - let the slots of all owners be summed up, and read them
 * @view: the view, as of now; untouched on error
 * @td: handle; may be closed before the view
 * @kind: enum topdown_owners_kind
 * @depth: cgroups: deeper ones count at their ancestor of this level; 0 for none
 *
 * Return: 0; -EOPNOTSUPP if the module is too old, or the kernel lacks cgroups of perf; -EACCES
 * if this process may not see whole CPUs; or another error of the command.
 */
int topdown_owners_open(struct topdown_owners_view **view, struct topdown *td, unsigned int kind,
			unsigned int depth);

/**
 * topdown_owners_close() - undo topdown_owners_open()
 * @view: may be NULL
 */
void topdown_owners_close(struct topdown_owners_view *view);

/**
 * topdown_owners_update() - read all owners again
 * @view: the view; unchanged on error
 *
 * Return: 0; -ENOMEM; -EBADF for a copy; or an error of the command.
 */
int topdown_owners_update(struct topdown_owners_view *view);

/**
 * topdown_owners_copy() - keep a reading, to compare a later one with
 * @copy: the copy, to be closed; untouched on error.  It holds nothing on, and cannot be updated
 * @view: the view
 *
 * Return: 0 or -ENOMEM.
 */
int topdown_owners_copy(struct topdown_owners_view **copy,
			const struct topdown_owners_view *view);

/**
 * topdown_owners_nr() - the number of owners
 * @view: the view
 *
 * Return: their number, those of idle time and of others included.
 */
unsigned int topdown_owners_nr(const struct topdown_owners_view *view);

/**
 * topdown_owners_get() - an owner
 * @view: the view
 * @index: below topdown_owners_nr(); the parents of cgroups come before them
 *
 * Return: its record, valid until the next update; NULL for an index that is too large.
 */
const struct topdown_owner *topdown_owners_get(const struct topdown_owners_view *view,
					       unsigned int index);

/**
 * topdown_owners_find() - find an owner again
 * @view: the view
 * @owner: record of any view
 *
 * Return: the record of the same owner in this view, valid until the next update; NULL for none.
 */
const struct topdown_owner *topdown_owners_find(const struct topdown_owners_view *view,
						const struct topdown_owner *owner);

/**
 * topdown_owners_time() - when the last update was
 * @view: the view
 *
 * Return: nanoseconds of CLOCK_BOOTTIME, up to which the sums count.
 */
uint64_t topdown_owners_time(const struct topdown_owners_view *view);

/**
 * topdown_owners_since() - when the sums began
 * @view: the view
 *
 * Return: nanoseconds of CLOCK_BOOTTIME: when the first holder of all asked for them.
 */
uint64_t topdown_owners_since(const struct topdown_owners_view *view);

/**
 * topdown_owners_path() - the path of a cgroup
 * @view: the view
 * @owner: record of this view
 * @path: written: from the root of cgroups on, "/" for the root; cut if it is too long
 * @size: room, at least 1
 *
 * Return: length of the whole path, as snprintf(); 0 for an owner that is no cgroup.
 */
size_t topdown_owners_path(const struct topdown_owners_view *view,
			   const struct topdown_owner *owner, char *path, size_t size);

/**
 * topdown_owner_between() - what an owner had between two readings
 * @then: the earlier record; NULL if there was none, so it is all of @now
 * @now: the later record of the same owner
 * @tree: a cgroup's tree, not the cgroup alone
 * @level: highest level of nodes that get a ratio
 * @out: the figures; untouched on error
 *
 * Return: 0; -EINVAL for different owners; -ERANGE if @now is not the later one.
 */
int topdown_owner_between(const struct topdown_owner *then, const struct topdown_owner *now,
			  bool tree, unsigned int level, struct topdown_figures *out);

#ifdef __cplusplus
}
#endif

#endif /* LIBTOPDOWN_OWNERS_H */
