#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The files for Prometheus, Grafana and systemd: they name what there is, and their thresholds
# are those of the sources.  selftests/fleet/fleet.sh tries them.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/suite.sh"

USERSPACE=$(cd "$(dirname "$0")/.." && pwd)
files=$USERSPACE/monitoring
alerts=$files/prometheus-alerts.yml

# quiet NAME COMMAND...: must succeed; its output is shown if it does not
quiet() {
	local name=$1 bad=0
	shift
	"$@" > "$TMP/log" 2>&1 || bad=1
	((!bad)) || sed 's/^/# /' "$TMP/log"
	result "$bad" "$name"
}

# Each metric, label and node that a file names, topdown export has.
{
	FAKE_FEATURES=1023 FAKE_NODES=16383 FAKE_ATOMS=2 FAKE_TICK=0 fake export -A
	cat "$USERSPACE/check/cli/golden/export-cgroups.txt"
	# The names of what is recorded here.
	sed -n 's/^ *- record: //p' "$files/prometheus-rules.yml"
} > "$TMP/metrics"
for file in prometheus-rules.yml prometheus-alerts.yml prometheus-test.yml grafana-dashboard.json; do
	grep -v '^ *#' "$files/$file" | grep -oE '\b([a-z_]+:)?topdown_[a-z0-9_]+(:[a-z0-9_]+)?' |
		sort -u | while read -r name; do
			grep -qE "^$name(\{| |$)" "$TMP/metrics" || echo "$name"
		done > "$TMP/unknown"
	result "$([[ ! -s $TMP/unknown ]]; echo $?)" "$file: metrics that there are $(paste -sd' ' "$TMP/unknown")"
	grep -oE '\b(node|parent|state|core_type|source)\\?=~?\\?"[^"\\$]+' "$files/$file" | sort -u |
		sed -E 's/\\//g; s/=~?"/ /' | while read -r label values; do
			for value in ${values//|/ }; do
				grep -qE "\b$label=\"$value\"" "$TMP/metrics" || echo "$label=$value"
			done
		done | grep -vxE 'source=(generic|fallback)|core_type=only' > "$TMP/unknown" || true
	result "$([[ ! -s $TMP/unknown ]]; echo $?)" "$file: labels that there are $(paste -sd' ' "$TMP/unknown")"
done

# thresholds_of_source LINE: NODE PERCENT of a line of cores, of nodes that are losses
thresholds_of_source() {
	sed -n "/td_thresholds td_thresholds_$1 /,/^};/p" "$USERSPACE/../kmod/common/formula-thresholds.c" |
		sed -nE 's/^\t\t\[TOPDOWN_([A-Z_]+)\]\t*= ([0-9]+),$/\L\1 \2/p' |
		grep -vE ' 100$|^(retiring|light_operations) ' | sort
}
# thresholds_of_alerts BIG-OR-ATOM
thresholds_of_alerts() {
	awk -v RS='- alert:' "/cores: $1/" "$alerts" |
		sed -nE 's/.*slots:ratio_rate5m\{node="([a-z_]+)"\} > 0\.([0-9]+)$/\1 \2/p' |
		sed -E 's/ 0/ /' | sort -u
}
if [[ -d $USERSPACE/../kmod ]]; then
	for pair in core:big atom:atom; do
		thresholds_of_source "${pair%:*}" > "$TMP/source"
		thresholds_of_alerts "${pair#*:}" > "$TMP/alerts"
		quiet "alerts have the thresholds of ${pair%:*}" diff "$TMP/source" "$TMP/alerts"
		result "$(($(lines "$TMP/source") < 8))" "which are $(lines "$TMP/source")"
	done
else
	skip 'alerts have the thresholds' 'there is no kmod directory'
fi

# Reviewers of dashboards ask for these.
cat > "$TMP/dashboard.py" << 'END'
import json, re, sys

board = json.load(open(sys.argv[1]))
bad = []
def must(good, text):
    if not good:
        bad.append(text)
variables = {v["name"]: v for v in board["templating"]["list"]}
must(variables.get("datasource", {}).get("type") == "datasource", "no variable datasource")
for name in ("job", "instance"):
    must(name in variables and variables[name]["multi"], f"no variable {name} of several values")
    must(variables[name].get("allValue") == ".*", f"{name}: All is a list of thousands of names")
for variable in variables.values():
    if variable["type"] == "query":
        must(variable["datasource"]["uid"] == "${datasource}", f"{variable['name']}: a fixed data source")
ids, places = set(), set()
for panel in board["panels"]:
    title = panel["title"]
    must(title and panel["description"], f"{title}: no title or description")
    must(panel["id"] not in ids, f"{title}: its id is taken")
    ids.add(panel["id"])
    must(panel["fieldConfig"]["defaults"].get("unit"), f"{title}: no unit")
    at = panel["gridPos"]
    must(at["x"] + at["w"] <= 24, f"{title}: wider than the screen")
    for x in range(at["x"], at["x"] + at["w"]):
        for y in range(at["y"], at["y"] + at["h"]):
            must((x, y) not in places, f"{title}: over another panel")
            places.add((x, y))
    must(panel["targets"], f"{title}: no query")
    for target in panel["targets"]:
        expr = target["expr"]
        must(target["datasource"]["uid"] == "${datasource}", f"{title}: a fixed data source")
        must(target["legendFormat"], f"{title}: no legend")
        must("{{instance}}" not in target["legendFormat"] or re.match(r"(top|bottom)k\(", expr),
             f"{title}: a line of each of thousands of machines")
        # Kinds of core differ in their children.
        for labels in re.findall(r"sum by \(([^)]*)\) \(rate\(topdown_level2", expr):
            must("core_type" in labels, f"{title}: level 2 of all kinds of core")
        for name, selector in re.findall(r"([\w:]*topdown_[\w:]+)\{([^}]*)\}", expr):
            must('job=~"$job"' in selector and 'instance=~"$instance"' in selector,
                 f"{title}: {name} without job and instance")
        must(len(re.findall(r"topdown_[\w:]+", expr)) == len(re.findall(r"topdown_[\w:]+\{", expr)),
             f"{title}: a metric without labels")
        # Of thousands of machines only what is recorded is cheap enough to be looked for.
        must("by (instance)" not in expr, f"{title}: a rate of each machine, which the rules record")
        for name in re.findall(r"topdown_\w+_total", expr):
            must(re.search(r"rate\(" + name + r"\{[^}]*\}\[\$__rate_interval\]\)", expr),
                 f"{title}: {name} is a counter outside of rate()")
print("\n".join(bad))
sys.exit(bool(bad))
END
quiet 'the dashboard is a good one' python3 "$TMP/dashboard.py" "$files/grafana-dashboard.json"
# The check can fail.
# shellcheck disable=SC2016 # Grafana expands these
for break in 's/\[\$__rate_interval\]/[5m]/' 's/job=~[^,]*, //' 's/"unit": "percentunit"/"unit": ""/' \
	's/"uid": "${datasource}"/"uid": "prometheus"/' 's/"x": 12/"x": 13/' 's/"id": 2,/"id": 1,/' \
	's/"allValue": ".*"/"allValue": null/' 's/topk(20,/(/' 's/by (core_type, parent)/by (parent)/' \
	's/topk(20, instance:topdown_busy/topk(20, sum by (instance) instance:topdown_busy/' \
	's/sum by (node) (rate(\(.*\)\[\$__rate_interval\]))/sum by (node) (\1)/'; do
	sed "$break" "$files/grafana-dashboard.json" > "$TMP/broken.json"
	result "$(! cmp -s "$TMP/broken.json" "$files/grafana-dashboard.json" &&
		! python3 "$TMP/dashboard.py" "$TMP/broken.json" > /dev/null; echo $?)" "not so with $break"
done

if command -v promtool > /dev/null; then
	for file in rules alerts; do
		quiet "promtool takes prometheus-$file.yml" promtool check rules "$files/prometheus-$file.yml"
	done
	quiet 'promtool test rules' promtool test rules "$files/prometheus-test.yml"
	FAKE_FEATURES=1023 FAKE_TICK=0 fake export > "$TMP/text"
	promtool check metrics < "$TMP/text" > "$TMP/lint" 2>&1 || true
	sed 's/^/# /' "$TMP/lint"
	result "$([[ ! -s $TMP/lint ]]; echo $?)" 'promtool has nothing to say of the metrics'
else
	skip 'promtool' 'promtool is not installed'
fi

# The unit.
port=$(sed -nE 's/^#define EXPORT_PORT_DEFAULT\s+([0-9]+)$/\1/p' "$USERSPACE/cli/export/export-options.h")
result "$(grep -qx "ListenStream=127.0.0.1:$port" "$USERSPACE/systemd/topdown-export.socket"; echo $?)" \
	"the socket is port $port of this machine"
result "$(! grep -rq '^[^#]*modprobe' "$USERSPACE/systemd"; echo $?)" 'no scrape loads the module'
for unit in export record; do
	if systemd-analyze security --help 2> /dev/null | grep -q -- --threshold; then
		quiet "systemd calls topdown-$unit.service OK at least" systemd-analyze security \
			--offline=true --threshold=20 "$USERSPACE/systemd/topdown-$unit.service"
	else
		skip "systemd calls topdown-$unit.service OK at least" 'systemd-analyze is not installed'
	fi
done
# The command of the recorder's unit, with the variables that systemd sets.
line=$(sed -n 's/^ExecStart=.usr.bin.topdown //p' "$USERSPACE/systemd/topdown-record.service")
rotate=$(sed -n 's/^Environment=ROTATE=//p' "$USERSPACE/systemd/topdown-record.service")
# shellcheck disable=SC2016 # systemd expands them
line=${line//'${ROTATE}'/$rotate} line=${line//'${STATE_DIRECTORY}'/$TMP} line=${line//'$ARGS'/}
read -ra words <<< "$line"
FAKE_FEATURES=1023 run fake "${words[0]}" "${words[@]:1}" --timeout 100
expect 'the recorder is what its unit types' 0 '' ''
result "$([[ -s $TMP/record.data ]]; echo $?)" 'the recorder writes to the directory of its unit'
finish
