/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PAGE_H
#define TOPDOWN_PAGE_H

#include <linux/types.h>

#include "metrics.h"

struct vm_area_struct;

int td_page_init(void);
void td_page_exit(void);

u64 td_page_instance(void);
u64 td_page_load_time(void);
size_t td_page_size(void);
int td_page_mmap(struct vm_area_struct *vma);

struct topdown_map_record *td_page_write_begin(int cpu);
void td_page_write_end(int cpu);
void td_page_add_window(int cpu, const struct topdown_record *record);
void td_page_read(int cpu, bool open, struct topdown_record *record);

#endif /* TOPDOWN_PAGE_H */
