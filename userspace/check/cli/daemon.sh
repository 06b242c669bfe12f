# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The daemon of topdown export, requests to it, and the texts that it should have.

golden=$(cd "$(dirname "${BASH_SOURCE[0]}")/golden" && pwd)
daemon=
trap '[[ -z $daemon ]] || kill "$daemon" || true; rm -rf "$TMP"' EXIT
# The header of a scrape.
# shellcheck disable=SC2034 # for suites
prometheus='Accept: application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'

# settled: the text on stdin, without what differs from run to run and release to release
settled() {
	sed -E 's/^(topdown_module_load_time_seconds) [0-9]+$/\1 LOADED/
		s/^(topdown_export_build_info\{version=")[^"]*/\1VERSION/'
}

# same_text NAME: the output of the last run
same_text() {
	settled < "$TMP/out" > "$TMP/text"
	[[ -z ${GOLDEN_UPDATE-} ]] || cp "$TMP/text" "$golden/$1"
	local bad=0
	diff "$golden/$1" "$TMP/text" > "$TMP/diff" || bad=1
	sed 's/^/# /' "$TMP/diff"
	result "$((bad || status))" "$1 is printed"
}

# serve ARG...: the daemon, at $port; without one the suite ends
serve() {
	local try

	for try in {1..20}; do
		port=$((20000 + RANDOM % 10000))
		# The last daemon listened too, and this one may be slow to begin its file.
		: > "$TMP/daemon.err"
		FAKE_NODE=$NODE LD_PRELOAD=$PRELOAD "$TOPDOWN" export --device "$NODE" --listen \
			--port "$port" "$@" > "$TMP/out" 2> "$TMP/daemon.err" &
		daemon=$!
		await grep -q 'listening at\|cannot listen' "$TMP/daemon.err" || true
		grep -q listening "$TMP/daemon.err" && return
		wait "$daemon" || true
	done
	daemon=
	result 1 "the daemon finds a free port in $try tries"
	finish
}

# serve_with NAME=VALUE ARG...: the daemon, with that in its environment
serve_with() {
	local -x "$1"
	serve "${@:2}"
}

# stop [SIGNAL]: the daemon; sets $status
stop() {
	kill "-${1-TERM}" "$daemon"
	status=0
	wait "$daemon" || status=$?
	daemon=
}

# ask LINE...: one request to $host at the address $at, with these lines after the first, and $content
# after them; its answer in $TMP/answer, in parts $TMP/head and $TMP/body
content=''
host=''
at=127.0.0.1
ask() {
	local line
	(
		: > "$TMP/answer"
		# The daemon may close the connection in the middle of this.
		trap '' PIPE
		exec 6<> "/dev/tcp/$at/$port"
		printf '%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n' "$1" "${host:-localhost:$port}" >&6
		for line in "${@:2}"; do printf '%s\r\n' "$line" >&6; done
		printf '\r\n%s' "$content" >&6
		timeout "${patience:-10}" cat <&6 > "$TMP/answer"
	) 2> "$TMP/ask.err" || true
	sed '/^\r$/,$d' "$TMP/answer" | tr -d '\r' > "$TMP/head"
	sed '1,/^\r$/d' "$TMP/answer" > "$TMP/body"
}

# answers WHAT CODE HEADER: what the last answer must have had
answers() {
	local bad=0
	grep -q "^HTTP/1.1 $2 " "$TMP/head" && grep -qixE -- "$3" "$TMP/head" || bad=1
	((!bad)) || sed 's/^/# /' "$TMP/head"
	result "$bad" "the answer to $1 is $2"
}
