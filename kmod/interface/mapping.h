/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_MAPPING_H
#define TOPDOWN_MAPPING_H

struct vm_area_struct;

int td_mapping_check(struct vm_area_struct *vma);

#endif /* TOPDOWN_MAPPING_H */
