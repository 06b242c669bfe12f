// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record: what a recording says of a CPU, and whether it can be recorded.
 */
#include "message.h"
#include "record.h"
#include "topology.h"

/**
 * cpu_describe - fill the entry of a CPU
 * @record: its record
 * @cpu: the entry
 */
void cpu_describe(const struct topdown_record *record, struct record_cpu *cpu)
{
	*cpu = (struct record_cpu){
		.cpu = record->cpu,
		.kind = record->kind,
		.source = record->source,
		.level = record->level,
		.slots_per_cycle = record->slots_per_cycle,
		.state = record->state,
	};
	topology_of_cpu(record->cpu, &cpu->core_id, &cpu->socket, &cpu->node);
}

/* A CPU that is offline may come. */
static bool may_have_windows(const struct topdown_record *record)
{
	switch (record->state) {
	case TOPDOWN_STATE_OFFLINE:
		return true;
	case TOPDOWN_STATE_UNSUPPORTED:
	case TOPDOWN_STATE_EXCLUDED:
		return false;
	default:
		return record->source != TOPDOWN_SOURCE_NONE && record->level;
	}
}

/**
 * cpu_check - can the CPU that -C names have windows?
 * @record: its record
 *
 * A user who names a CPU waits for its windows.
 *
 * Return: 0, or an exit code after a message.
 */
int cpu_check(const struct topdown_record *record)
{
	if (may_have_windows(record))
		return 0;
	return message_fail(EXIT_DEVICE, "-C: CPU %u is not measured: it is %s ('topdown info' and the kernel log say why)",
			    record->cpu, topdown_state_name(record->state));
}
