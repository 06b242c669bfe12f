#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Judge what Prometheus stored in the guest: guest-judge.py DIRECTORY DASHBOARD

DIRECTORY has the output of guest.sh and the store "tsdb". A Prometheus here serves the store;
nothing is computed here but differences to the truth. The results of the panels go to
DIRECTORY/panels.json, which panels.py draws.
"""
import bisect
import json
import os
import subprocess
import sys
import time
import urllib.parse
import urllib.request

directory, dashboard = sys.argv[1:3]
PORT = 19090
POINTS = 1.0
BOTTLENECKS = 'ALERTS{alertname="TopdownBottleneck", alertstate="firing", job="topdown"}'
LEVEL1 = ["retiring", "bad_speculation", "frontend_bound", "backend_bound"]
# The other child of each parent is what is left.
LEVEL2 = {"heavy_operations": (4, 0), "branch_mispredicts": (5, 1), "fetch_latency": (6, 2),
          "memory_bound": (7, 3)}
REST = {"light_operations": ("heavy_operations", 0), "machine_clears": ("branch_mispredicts", 1),
        "fetch_bandwidth": ("fetch_latency", 2), "core_bound": ("memory_bound", 3)}
failed = []


def must(good, text):
    print(("ok    " if good else "FAILED") + " " + text)
    if not good:
        failed.append(text)


truth, marks = [], {}
with open(directory + "/output", encoding="utf-8", errors="replace") as output:
    for line in output:
        words = line.split()
        if words[:1] == ["TRUTH"] and len(words) == 11:
            truth.append([float(word) for word in words[1:]])
        elif words[:1] == ["MARK"] and len(words) == 3:
            marks.setdefault(words[1], []).append(float(words[2]))


def true_counts(at):
    """The counts at a time, in proportion between two lines of the output."""
    i = min(max(bisect.bisect([row[0] for row in truth], at), 1), len(truth) - 1)
    before, after = truth[i - 1], truth[i]
    part = (at - before[0]) / (after[0] - before[0])
    return [a + (b - a) * part for a, b in zip(before, after)]


def true_ratios(begin, end):
    first, last = true_counts(begin), true_counts(end)
    parts = [b - a for a, b in zip(first, last)]
    slots, category = parts[1], parts[2:]
    ratio = {name: category[i] / slots for i, name in enumerate(LEVEL1)}
    for name, (i, _) in LEVEL2.items():
        ratio[name] = category[i] / slots
    for name, (other, parent) in REST.items():
        ratio[name] = ratio[LEVEL1[parent]] - ratio[other]
    return ratio


def ask(path, **arguments):
    url = f"http://127.0.0.1:{PORT}/api/v1/{path}?" + urllib.parse.urlencode(arguments)
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)["data"]["result"]


def query(expr, at):
    return ask("query", query=expr, time=at)


def scrapes_of(suffix, end, job):
    """The times of the first and the last scrape that the value of a rule at that time has."""
    at = query(f'timestamp(instance_node:topdown_level1_slots:{suffix}{{job="{job}"}})', end)
    seconds = {"ratio_rate1m": 60, "ratio_rate5m": 300}[suffix]
    series = query(f'topdown_slots_total{{job="{job}"}}[{seconds}s]', at[0]["value"][1])
    values = series[0]["values"]
    return values[0][0], values[-1][0]


def compare(name, suffix, end, job="topdown"):
    # A rule is evaluated every 5 s, and a scrape is every 3 s: in so long the work changes.
    begin, last = scrapes_of(suffix, end, job)
    want = true_ratios(begin, last)
    worst = ("", 0.0)
    seen = set()
    for record in (f"instance_node:topdown_level1_slots:{suffix}",
                   f"instance_core_type_node:topdown_level2_slots:{suffix}"):
        for sample in query(f'{record}{{job="{job}"}}', end):
            node = sample["metric"]["node"]
            seen.add(node)
            off = 100 * abs(float(sample["value"][1]) - want[node])
            if off >= worst[1]:
                worst = (node, off)
    must(len(seen) == 12 and worst[1] <= POINTS,
         f"{name}, {job}: {len(seen)} nodes, the worst off by {worst[1]:.3f} points ({worst[0]})"
         f" over {last - begin:.0f} s")


def firing(alert, begin, end, more=""):
    return {sample["metric"].get("node", "") for sample in
            query(f'max_over_time(ALERTS{{alertname="{alert}", alertstate="firing"{more}}}'
                  f'[{int(end - begin)}s])', end)}


def judge_phases():
    for name in ("stream", "compute", "branchy", "bigcode"):
        for begin, end in zip(marks["begin-" + name], marks["end-" + name]):
            for job in ("topdown", "topdown-each"):
                compare(f"{name}, the last minute of {end - begin:.0f} s", "ratio_rate1m",
                        end, job)
    end = marks["end-stream"][-1]
    compare("five minutes with all workloads", "ratio_rate5m", end)


def judge_alerts():
    absent, loaded = marks["absent"][0], marks["loaded"][0]
    must(query('topdown_up{job="topdown"}', loaded - 2)[0]["value"][1] == "0",
         "the module is absent: topdown_up is 0")
    must(query('up{job="topdown"}', loaded - 2)[0]["value"][1] == "1", "the daemon is there")
    must(firing("TopdownNoFigures", absent, loaded), "TopdownNoFigures fires without the module")
    must(not query('ALERTS{alertname="TopdownNoFigures"}', loaded + 30), "TopdownNoFigures clears")
    stream, compute = marks["end-stream"][0], marks["end-compute"][0]
    nodes = {sample["metric"]["node"] for sample in query(BOTTLENECKS, stream)}
    must({"backend_bound", "memory_bound"} <= nodes,
         f"TopdownBottleneck fires in stream: {sorted(nodes)}")
    branchy = marks["end-branchy"][0]
    nodes = {sample["metric"]["node"] for sample in query(BOTTLENECKS, branchy)}
    must("memory_bound" not in nodes and "branch_mispredicts" in nodes,
         f"TopdownBottleneck has cleared in branchy, where others fire: {sorted(nodes)}")
    must(compute < branchy, "in the order of the workloads")


def judge_restarts():
    restart, restarted = marks["restart"][0], marks["restarted"][0]
    reload_, reloaded, end = marks["reload"][0], marks["reloaded"][0], marks["end"][0]
    span = int(restarted + 30 - (restart - 30))
    at = restarted + 30
    resets = query(f'resets(topdown_slots_total{{job="topdown"}}[{span}s])', at)
    resets = float(resets[0]["value"][1])
    must(resets == 0, f"the daemon is started again: {resets:.0f} resets of the counter")
    missed = query(f'count_over_time(up{{job="topdown"}}[{span}s])'
                   f' - sum_over_time(up{{job="topdown"}}[{span}s])', at)
    missed, pause = float(missed[0]["value"][1]), restarted - restart
    must(missed <= 1 + pause // 3,
         f"scrapes that failed in a pause of {pause:.1f} s: {missed:.0f}")
    compare("the minute around it", "ratio_rate1m", at)
    span = int(end - (reload_ - 20))
    resets = query(f'resets(topdown_slots_total{{job="topdown"}}[{span}s])', end)
    resets = float(resets[0]["value"][1])
    must(resets == 1, f"the module is loaded again: {resets:.0f} reset of the counter")
    loads = query('count(count by (instance_id) ('
                  f'count_over_time(topdown_module_info{{job="topdown"}}[{span}s])))', end)
    must(loads[0]["value"][1] == "2", f"instance_id had {loads[0]['value'][1]} values")
    compare("the last minute after it", "ratio_rate1m", end)
    must(reload_ < reloaded, "in this order")


def judge_panels():
    with open(dashboard, encoding="utf-8") as file:
        board = json.load(file)
    begin, end = marks["begin-stream"][0], marks["end"][0]
    results = []
    for panel in board["panels"]:
        for target in panel["targets"]:
            expr = target["expr"].replace("$__rate_interval", "30s")
            expr = expr.replace("$node", "backend_bound").replace("$instance", ".*")
            expr = expr.replace("$job", "topdown-each|topdown")
            series = ask("query_range", query=expr, start=begin, end=end, step=5)
            values = sum(len(one["values"]) for one in series)
            must(values > 0 and
                 all(value[1] != "NaN" for one in series for value in one["values"]),
                 f"panel '{panel['title']}': {len(series)} series, {values} values")
            defaults = panel["fieldConfig"]["defaults"]
            results.append({"title": panel["title"], "unit": defaults["unit"],
                            "legend": target["legendFormat"], "series": series,
                            "stacked": "stacking" in defaults.get("custom", {})})
    with open(directory + "/panels.json", "w", encoding="utf-8") as file:
        json.dump(results, file)


def wait_for(server):
    for _ in range(300):
        if server.poll() is not None:
            sys.exit("Prometheus ended")
        try:
            query("vector(1)", time.time())
            return
        except OSError:
            time.sleep(0.2)
    sys.exit("Prometheus does not answer")


with open(directory + "/empty.yml", "w", encoding="utf-8") as config:
    config.write("global: {}\n")
with subprocess.Popen(["prometheus", f"--config.file={directory}/empty.yml",
                       f"--storage.tsdb.path={directory}/tsdb", "--log.level=error",
                       f"--web.listen-address=127.0.0.1:{PORT}"], env=os.environ) as prometheus:
    try:
        wait_for(prometheus)
        judge_phases()
        judge_alerts()
        judge_restarts()
        judge_panels()
    finally:
        prometheus.terminate()
print(f"{len(failed)} failed")
sys.exit(bool(failed))
