#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Read OpenMetrics with the reference parser: openmetrics.py FILE...

The sums of level 1 have to be the slots, and each counter, gauge and info what it says it is.
"""
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def look(path):
    with open(path, encoding="utf-8") as file:
        families = {family.name: family for family in text_string_to_metric_families(file.read())}
    up = families["topdown_up"].samples[0].value
    for family in families.values():
        assert family.documentation, f"{family.name} has no help"
        for sample in family.samples:
            assert sample.timestamp is None, f"{family.name} has a timestamp"
            assert "cpu" not in sample.labels or sample.labels["cpu"].isdigit(), sample
    if up and families["topdown_slots"].samples:
        assert families["topdown_slots"].type == "counter"
        assert families["topdown_slots"].unit == "slots"
        assert families["topdown_module"].type == "info"
        slots = sum(sample.value for sample in families["topdown_slots"].samples)
        parts = sum(sample.value for sample in families["topdown_level1_slots"].samples)
        assert abs(slots - parts) < 1e-6 * slots, f"{slots} slots, and {parts} in level 1"
    if "latency" in path:
        # The parser itself looks for the order of the bounds, and for a count without a bucket.
        latency = families["topdown_retire_latency_cycles"]
        assert (latency.type, latency.unit) == ("histogram", "cycles")
        counts = [sample.value for sample in latency.samples if sample.name.endswith("_count")]
        assert sum(counts) > 0
        kinds = "samples", "counted_events", "lost_events", "running_seconds", "elapsed_seconds"
        for name in kinds:
            counter = families[f"topdown_retire_latency_{name}"]
            assert counter.type == "counter"
            assert len(counts) == len(counter.samples), name
        counted = sum(s.value for s in families["topdown_retire_latency_counted_events"].samples)
        lost = sum(s.value for s in families["topdown_retire_latency_lost_events"].samples)
        assert counted >= sum(counts) + lost, f"{counted} counted, {sum(counts)} in the histograms"
    series = sum(len(family.samples) for family in families.values())
    print(f"{path}: up {up:.0f}, {len(families)} families, {series} series")
    return series


for name in sys.argv[1:]:
    look(name)
