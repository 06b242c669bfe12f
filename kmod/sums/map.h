/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PAGE_H
#define TOPDOWN_PAGE_H

#include <linux/types.h>

#include "metrics.h"

struct vm_area_struct;

int td_map_init(void);
void td_map_exit(void);

u64 td_map_instance(void);
u64 td_map_load_time(void);
size_t td_map_size(void);
int td_map_mmap(struct vm_area_struct *vma);

struct topdown_map_record *td_map_write_begin(int cpu);
void td_map_write_end(int cpu);
void td_map_add_window(int cpu, const struct topdown_map_record *record);
void td_map_read(int cpu, bool open, struct topdown_record *record);

#endif /* TOPDOWN_PAGE_H */
