/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the calls of the fuzzer: the program that is being executed, and what it has opened,
 * made and seen (fuzz_call.c); calls with tasks (fuzz_task.c); pages that take a while to come
 * (fuzz_slow.c).
 */
#ifndef TOPDOWN_SELFTESTS_FUZZ_CALL_H
#define TOPDOWN_SELFTESTS_FUZZ_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* fuzz_call.c: the next byte, or what the next bytes stand for. */
uint8_t take8(void);
int take_file(void);
int32_t take_task(void);
void remember_number(uint32_t number);
void remember_session(int fd);
void remember_task(int task);
/* The descriptor of the program, and arguments of its calls. */
int file_first(void);
char *arena_start(void);

/* fuzz_task.c: */
void call_many(void);
void call_task(void);
void call_thread(void);
void call_cpu(void);

/* fuzz_slow.c: a page behind userfaultfd, a copy of @from; NULL where the kernel has none. */
char *slow_begin(char *from);
/* The page is missing again. */
void call_slow(void);

/* A call that waits is interrupted after so long, and a slow page comes then. */
#define PATIENCE_US	5000

#endif /* TOPDOWN_SELFTESTS_FUZZ_CALL_H */
