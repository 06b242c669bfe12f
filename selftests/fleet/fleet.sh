#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Use "topdown export" as a fleet does: many scrapes, slow and broken clients, the reference
# parsers, a real Prometheus in an emulated machine, and the cost of a scrape beside
# node_exporter's.  Installs what it needs.
#
#   fleet.sh [PART]...     without any: text schema clients fuzz cost guest latency beside
#
# KTAP on stdout; logs and measured figures are in the cache, in "fleet".
set -euo pipefail

# shellcheck source=selftests/vm/common.sh
. "$(dirname "$0")/../vm/common.sh"

USERSPACE=$TOP/userspace
FLEET=$TOP/selftests/fleet
LOGS=$CACHE/fleet
NODE=/dev/topdown-of-the-test
number=0
failures=0
daemon=

mkdir -p "$LOGS"
trap '[[ -z $daemon ]] || kill "$daemon" 2> /dev/null || true' EXIT

# step NAME COMMAND...: one result, with its output as comments
step() {
	local name=$1 status
	shift
	number=$((number + 1))
	# Not with ||, where errexit has no effect.
	set +e
	(set -e; "$@") > "$LOGS/$number.log" 2>&1
	status=$?
	set -e
	sed 's/^/# /' "$LOGS/$number.log" | tail -n 40
	if ((status)); then
		failures=$((failures + 1))
		echo "not ok $number $name"
	else
		echo "ok $number $name"
	fi
}

export FAKE_NODE=$NODE FAKE_FEATURES=1023

# topdown ARG...: with the stand-in for the module
topdown() { LD_PRELOAD=$USERSPACE/build/check/fake.so "$USERSPACE/topdown" "$@"; }

# serve PROGRAM ARG...: at $port, as $daemon
serve() {
	local program=$1
	shift
	port=$((20000 + RANDOM % 10000))
	# The log of the daemon before says that it listens, too.
	: > "$LOGS/daemon.log"
	LD_PRELOAD=$USERSPACE/build/check/fake.so "$program" export --listen --device "$NODE" \
		--port "$port" "$@" > "$LOGS/daemon.log" 2>&1 &
	daemon=$!
	until grep -q 'listening at' "$LOGS/daemon.log"; do
		kill -0 "$daemon"
		sleep 0.1
	done
}

# stop: the daemon has to end well, and a sanitizer to have nothing to say
stop() {
	local status=0

	kill "$daemon"
	wait "$daemon" || status=$?
	daemon=
	cat "$LOGS/daemon.log"
	((status == 0)) && ! grep -qE 'ERROR:|runtime error' "$LOGS/daemon.log"
}

texts() {
	local cpus

	for cpus in 4 256; do
		FAKE_CPUS=$cpus topdown export --device "$NODE" > "$LOGS/$cpus.prom"
		FAKE_CPUS=$cpus topdown export --device "$NODE" --openmetrics > "$LOGS/$cpus.om"
		FAKE_CPUS=$cpus topdown export --device "$NODE" -A --openmetrics > "$LOGS/$cpus-each.om"
	done
	FAKE_ATOMS=2 topdown export --device "$NODE" --openmetrics > "$LOGS/hybrid.om"
	latency_text "$LOGS/latency.om"
	latency_text "$LOGS/latency-each.om" -A
	FAKE_OPEN_ERRNO=2 topdown export --device "$NODE" --openmetrics > "$LOGS/down.om"
	[[ -z $(promtool check metrics < "$LOGS/4.prom" 2>&1) ]]
	# The interpreter that Debian's module is for.
	/usr/bin/python3 "$FLEET/openmetrics.py" "$LOGS"/*.om
}

# latency_text FILE ARG...: only a daemon has latencies
latency_text() {
	local file=$1
	shift
	FAKE_FEATURES=1023 FAKE_LOST=1 serve "$USERSPACE/topdown" --latency all "$@"
	sleep 0.1
	curl -sf -H 'Accept: application/openmetrics-text;version=1.0.0' \
		"http://127.0.0.1:$port/metrics" > "$file"
	stop
}

clients() {
	serve "$USERSPACE/topdown"
	python3 "$FLEET/clients.py" "$port" "$daemon" "$@"
	stop
}

fuzz() {
	local seed=${FLEET_SEED:-$RANDOM}

	echo "FLEET_SEED=$seed"
	echo 'prom:x' > "$LOGS/users"
	# Keep freed memory for a short time only, so that memory that is lost shows.
	export ASAN_OPTIONS=detect_leaks=1:quarantine_size_mb=4
	serve "$USERSPACE/build/check/asan/topdown" --connections 20
	python3 "$FLEET/clients.py" "$port" "$daemon" fuzz 20000 "$seed"
	stop
}

# cost CPUS ARG...: instructions of a scrape in user mode, in the mean of 20: of the answer, and
# with HTTP.  Each has a map that was written since the one before, and a connection of its own.
cost() {
	local cpus=$1 of encoding
	shift
	for of in identity gzip http; do
		encoding=${of/http/identity}
		FAKE_CPUS=$cpus FAKE_TICK=300 serve_counted "$of" "$@"
		# The first one opens the device.
		curl -sf "http://127.0.0.1:$port/metrics" > "$LOGS/scrape"
		callgrind_control -z "$daemon" > /dev/null
		sleep 0.4
		for _ in {1..20}; do
			curl -sf -H "Accept-Encoding: $encoding" "http://127.0.0.1:$port/metrics" > "$LOGS/scrape"
			sleep 0.4
		done
		stop > /dev/null
		awk -v cpus="$cpus" -v how="${*:-sum} $of" -v bytes="$(wc -c < "$LOGS/scrape")" '
			/^(summary|totals):/ { n = $2 }
			END { printf "%d CPUs, %s: %d instructions a scrape, %d bytes\n", cpus, how, n / 20, bytes
				exit !n }' "$LOGS/callgrind"
	done
}

# serve_counted OF ARG...: http counts all that the daemon does, and not the stand-in
serve_counted() {
	local only=--toggle-collect=export_answer_metrics
	[[ $1 != http ]] || only=--toggle-collect=MHD_run
	shift
	cat > "$LOGS/counted" << END
#!/bin/sh
shift
exec valgrind -q --tool=callgrind --fair-sched=yes --callgrind-out-file=$LOGS/callgrind --dump-instr=no \\
	$only $USERSPACE/topdown-export "\$@"
END
	chmod +x "$LOGS/counted"
	serve "$LOGS/counted" "$@"
}

part_text() { step "reference parsers read the text" texts; }

# schema: the dashboard is what Grafana's own types say, of the release that npm has.
schema() {
	mkdir -p "$LOGS/schema"
	cd "$LOGS/schema"
	npm install --silent --no-fund --no-audit @grafana/schema typescript
	{
		echo "import type { Dashboard } from '@grafana/schema';"
		echo 'export const board: Dashboard ='
		cat "$USERSPACE/monitoring/grafana-dashboard.json"
	} > board.ts
	npx tsc --noEmit --strict --skipLibCheck --module nodenext --moduleResolution nodenext board.ts
	# These types can say no.
	sed 's/"includeAll": true/"includeAll": 1/' board.ts > broken.ts
	! npx tsc --noEmit --strict --skipLibCheck --module nodenext --moduleResolution nodenext broken.ts
}

part_schema() { step "the dashboard has the types of @grafana/schema" schema; }

part_clients() {
	step '10,000 scrapes' clients scrape 10000
	step '200 slow clients' clients slow 200
}

part_fuzz() { step '20,000 broken requests, with sanitizers' fuzz; }

part_cost() {
	local cpus
	for cpus in 4 64 256; do
		step "cost of a scrape, $cpus CPUs" cost "$cpus"
		step "cost of a scrape, $cpus CPUs, each" cost "$cpus" --per-cpu
	done
	# The stand-in has three events, and its own work is counted too.
	FAKE_FEATURES=1023 FAKE_LATENCY_CPUS=64 step "cost of a scrape with latencies, 64 CPUs" \
		cost 64 --latency all
}

part_guest() {
	step 'Prometheus scrapes a machine' "$FLEET/guest-run.sh" "$LOGS"
}

part_latency() {
	step 'latencies of a machine' "$FLEET/latency-run.sh" "$LOGS"
}

# On 64 CPUs it takes a quarter of an hour.
part_beside() {
	local cpus

	for cpus in 4 64; do
		step "a scrape beside node_exporter's, $cpus CPUs" "$FLEET/beside.sh" "$LOGS" "$cpus"
	done
}

need gcc=gcc make=make prometheus=prometheus python3=python3 curl=curl valgrind=valgrind \
	npm=npm script=bsdutils
need_files /usr/lib/python3/dist-packages/prometheus_client=python3-prometheus-client
(($#)) || set -- text schema clients fuzz cost guest latency beside
"$USERSPACE/check/run.sh" monitoring > "$LOGS/build.log" 2>&1 ||
	{ tail -n 20 "$LOGS/build.log"; die "what is to be tried does not build, or its suite fails"; }
for part; do
	[[ $(type -t "part_$part") == function ]] || die "there is no part $part"
	"part_$part"
done
echo "1..$number"
((failures == 0))
