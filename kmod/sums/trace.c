// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints: their code.  window.c and session.c call them.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
