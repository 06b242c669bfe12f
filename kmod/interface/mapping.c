// SPDX-License-Identifier: GPL-2.0
/*
 * Mappings: what all maps have in common.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/personality.h>
#include <linux/sched.h>

#include "compat.h"
#include "mapping.h"

/**
 * td_mapping_check() - let a mapping be for reading only, for ever
 * @vma: the mapping
 *
 * Return: 0, or a negative errno as in the ABI.
 */
int td_mapping_check(struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	/* With READ_IMPLIES_EXEC the kernel adds it to all that the program reads. */
	if (vma->vm_flags & VM_EXEC && !(current->personality & READ_IMPLIES_EXEC))
		return -EPERM;
	/* VM_SHARED is cleared if the file is open for reading only. */
	if (!(vma->vm_flags & VM_MAYSHARE) || vma->vm_pgoff)
		return -EINVAL;

	/* mprotect() must not make the mapping writable or executable either. */
	vm_flags_clear(vma, VM_EXEC | VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_page_prot = vm_get_page_prot(vma->vm_flags);
	return 0;
}
