#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The daemon of topdown export and its clients: whom it answers, who has to go, and how often it looks.
set -euo pipefail
# shellcheck source=userspace/check/suite.sh
. "$(dirname "$0")/../suite.sh"
# shellcheck source=userspace/check/cli/daemon.sh
. "$(dirname "$0")/daemon.sh"

export FAKE_FEATURES=1023 FAKE_TICK=0
classic='Content-Type: text/plain; version=0\.0\.4; charset=utf-8'

# All addresses: a page of a stranger in a browser here may come over the loopback all the same.
wildcards=(0.0.0.0)
[[ ! -e /proc/net/if_inet6 || $(< /proc/sys/net/ipv6/bindv6only) != 0 ]] || wildcards+=(::)
((${#wildcards[@]} == 2)) || skip 'the daemon listens at ::' 'this machine has no IPv6, or keeps it apart'
read -r own _ < <(hostname -I) || true
called=$(sed 's/#.*//' /etc/hosts | awk '/^(127\.|::1)/ { for (i = 2; i <= NF; i++) print $i }' |
	grep -vix "localhost\|$(hostname)" | head -n 1) || true
for address in "${wildcards[@]}"; do
	if serve --address "$address"; then
		# The note comes right after the one that it listens, which is what serve() waits for.
		result "$(await grep -q 'other machines can read this' "$TMP/daemon.err"; echo $?)" \
			"$address: an address that others can reach"
		loopbacks=(127.0.0.1 127.1.2.3)
		[[ $address != :: ]] || loopbacks+=(::1)
		for at in "${loopbacks[@]}"; do
			host=node17.example ask 'GET /metrics'
			answers "$address: a name over $at" 421 'Content-Type: text/plain.*'
			ask 'GET /metrics'
			answers "$address: localhost over $at" 200 "$classic"
		done
		if [[ -n $called ]]; then
			host=$called ask 'GET /metrics'
			answers "$address: a name of the loopback in /etc/hosts" 200 "$classic"
		else
			skip "$address: a name of the loopback in /etc/hosts" 'there is none but localhost'
		fi
		if [[ ${own-} == *.* ]]; then
			at=$own host=node17.example ask 'GET /metrics'
			answers "$address: others call it by any name" 200 "$classic"
		else
			skip "$address: others call it by any name" 'this machine has no other address'
		fi
		at=127.0.0.1
		stop TERM
	else
		result 1 "the daemon listens at $address"
	fi
done

# One address that takes all connections loses them, and not those of others; the scraper was first,
# and is slow.
cat > "$TMP/crowd.py" << 'END'
import socket, sys, time

port = int(sys.argv[1])

def connect(source, room=None):
    one = socket.socket()
    one.settimeout(10)
    if room:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    one.bind((source, 0))
    one.connect(("127.0.0.1", port))
    return one

def answer(one):
    text = b""
    try:
        while more := one.recv(1 << 16):
            text += more
    except OSError as error:
        print(error)
    head, _, body = text.partition(b"\r\n\r\n")
    print(head.split(b"\r\n")[0].decode(), len(body) > 1000 and body.endswith(b"\n"))

others = []
def crowd(source):
    for _ in range(40):
        try:
            others.append(connect(source))
        except OSError:
            pass
        time.sleep(0.02)

if sys.argv[2] == "others":
    scraper = connect("127.0.0.1")
    scraper.sendall(b"GET /metrics HTTP/1.1\r\n")
    crowd("127.0.0.2")
    scraper.sendall(b"Host: localhost\r\nConnection: close\r\n\r\n")
else:
    # The answer is on its way, and does not fit.
    scraper = connect("127.0.0.1", 4096)
    scraper.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    while not scraper.recv(1, socket.MSG_PEEK):
        pass
    crowd("127.0.0.1")
    scraper.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
answer(scraper)
END
for address in "${wildcards[@]}"; do
	if serve --address "$address" --connections 8; then
		run python3 "$TMP/crowd.py" "$port" others
		expect "$address: a slow scraper stays while another address makes connections" 0 \
			'^HTTP/1.1 200 OK True$' ''
		stop TERM
		result "$status" "$address: it ends well"
	else
		result 1 "the daemon listens for few at $address"
	fi
done
if FAKE_CPUS=256 serve -A --connections 8; then
	run python3 "$TMP/crowd.py" "$port" own
	expect 'idle connections of an address go before its answers' 0 '^HTTP/1.1 200 OK True$' ''
	stop TERM
else
	result 1 'the daemon listens with long answers'
fi

# A reading answers for ten times as long as it took, so whoever asks all the time costs a part of a
# CPU.  Each reading of latencies is a step of the stand-in.  On a busy machine a request may take
# longer than a reading answers, so what counts is the time that passes.
cat > "$TMP/busy.py" << 'END'
import glob, re, socket, sys, time

one = socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60)
answers = one.makefile("rb")

def ask(method):
    more = "Accept-Encoding: gzip\r\n" if method == "HEAD" else ""
    return f"{method} /metrics HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode()

def take(body=False):
    while (line := answers.readline()) != b"\r\n":
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    if body:
        return int(re.search(rb"\ntopdown_retire_latency_samples_total{.*SPLIT_LOADS.*} (\d+)", answers.read(length)).group(1))
    return None

def steps():
    one.sendall(ask("GET"))
    return take(True)

def spent():
    """Seconds of a CPU that the exporter has had."""
    return sum(int(open(name).read().split()[0]) for name in
               glob.glob(f"/proc/{sys.argv[2]}/task/*/schedstat")) / 1e9

first = steps()
time.sleep(3)
before = spent()
second = steps()
cost = spent() - before
begun = time.monotonic()
for _ in range(20):
    one.sendall(ask("HEAD") * 50)
    for _ in range(50):
        take()
elapsed = time.monotonic() - begun
readings = round((steps() - second) / (second - first))
# A cold cache may make one dearer than another.
most = 3 + 3 * elapsed / (10 * cost)
print(f"{readings} readings in {elapsed:.2f} s, {cost:.3f} s each, at most {most:.0f}")
sys.exit(readings > most)
END
if FAKE_LATENCY_CPUS=128 FAKE_CPUS=128 serve -A --latency all; then
	run python3 "$TMP/busy.py" "$port" "$daemon"
	result "$status" "1000 requests at once are few readings ($out)"
	stop TERM
else
	result 1 'the daemon listens for one that asks all the time'
fi

# At most so many, and the one that waits longest goes.
if serve --connections 4; then
	for fd in 10 11 12 13 14 15; do
		eval "exec $fd<> /dev/tcp/127.0.0.1/$port"
		sleep 0.05
	done
	# Before the time of the others is over.
	patience=5 ask 'GET /metrics'
	answers 'a scraper gets in whatever others do' 200 "$classic"
	result "$(read -rt 5 -u 10 _; echo $(($? != 1)))" 'the oldest connection was closed'
	for fd in 10 11 12 13 14 15; do eval "exec $fd>&-"; done
	stop TERM
	result "$status" 'the exporter with many clients ends well'
else
	result 1 'the daemon listens for few'
fi

finish
