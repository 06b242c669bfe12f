#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fleet.sh runs this: guest-run.sh LOGS
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

VM=$TOP/selftests/vm
FLEET=$TOP/selftests/fleet
monitoring=$TOP/userspace/monitoring
dir=$1/guest
phase=${FLEET_PHASE:-75}

rm -rf "$dir"
mkdir -p "$dir/fleet"
for program in fleet/truth guest/workload; do
	gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -std=gnu11 -I"$TOP/selftests" \
		-I"$TOP/selftests/guest/lib" -I"$TOP/uapi" -o "$dir/fleet/${program##*/}" \
		"$TOP/selftests/$program.c" "$TOP"/selftests/guest/lib/{backdoor,device,fact,profiles}.c
done
cp "$FLEET/guest.sh" "$monitoring"/prometheus-{rules,alerts}.yml "$dir/fleet"
# The same over one minute, for phases of little more; alerts then need not wait so long.
sed 's/\[5m\]/[1m]/; s/rate5m/rate1m/' "$monitoring/prometheus-rules.yml" |
	sed 's/name: topdown/name: topdown-1m/' > "$dir/fleet/rules-1m.yml"
sed 's/rate5m/rate1m/g; s/for: .*/for: 15s/' "$monitoring/prometheus-alerts.yml" \
	> "$dir/fleet/prometheus-alerts.yml"
cat > "$dir/fleet/prometheus.yml" << 'END'
global:
  scrape_interval: 3s
  evaluation_interval: 5s
rule_files: [prometheus-rules.yml, rules-1m.yml, prometheus-alerts.yml]
scrape_configs:
  - job_name: topdown
    static_configs: [{targets: ['127.0.0.1:18673']}]
  - job_name: topdown-each
    static_configs: [{targets: ['127.0.0.1:18674']}]
END
(cd "$dir/fleet" && promtool check config prometheus.yml)
"$VM/run.sh" -k 6.12 -m spr -c 4 -t "${FLEET_LIMIT:-1500}" -M 2G -o "$dir/vm" \
	-x "$dir/fleet:/fleet" -x /usr/bin/prometheus:/usr/bin/prometheus \
	"bash /fleet/guest.sh $phase" | tr -d '\r' > "$dir/output"
mkdir "$dir/tsdb"
sed -n '/^BEGIN TSDB/,/^END TSDB/p' "$dir/output" | sed '1d;$d' | base64 -d | tar -C "$dir/tsdb" -xz
/usr/bin/python3 "$FLEET/guest-judge.py" "$dir" "$monitoring/grafana-dashboard.json"
