#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The daemon of topdown export and its clients: whom it answers, and who has to go.
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
	serve --address "$address"
	# The note comes right after the one that it listens, which is what serve() waits for.
	result "$(await grep -q 'other machines can read this' "$TMP/daemon.err"; echo $?)" \
		"$address is said to be an address that others can reach"
	loopbacks=(127.0.0.1 127.1.2.3)
	[[ $address != :: ]] || loopbacks+=(::1)
	for at in "${loopbacks[@]}"; do
		host=node17.example ask 'GET /metrics'
		answers "a name over $at, at $address," 421 'Content-Type: text/plain.*'
		ask 'GET /metrics'
		answers "localhost over $at, at $address," 200 "$classic"
	done
	if [[ -n $called ]]; then
		host=$called ask 'GET /metrics'
		answers "a name of the loopback in /etc/hosts, at $address," 200 "$classic"
	else
		skip "the answer to a name of the loopback in /etc/hosts, at $address, is 200" 'there is none but localhost'
	fi
	if [[ ${own-} == *.* ]]; then
		at=$own host=node17.example ask 'GET /metrics'
		answers "any name at another address, at $address," 200 "$classic"
	else
		skip "the answer to any name at another address, at $address, is 200" 'this machine has no other address'
	fi
	at=127.0.0.1
	stop TERM
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
	serve --address "$address" --connections 8
	run python3 "$TMP/crowd.py" "$port" others
	expect "$address: a slow scraper stays while another address makes connections" 0 \
		'^HTTP/1.1 200 OK True$' ''
	stop TERM
	result "$status" "$address: it ends well"
done
FAKE_CPUS=256 serve -A --connections 8
run python3 "$TMP/crowd.py" "$port" own
expect 'idle connections of an address go before its answers' 0 '^HTTP/1.1 200 OK True$' ''
stop TERM

# At most so many, and the one that waits longest goes.
serve --connections 4
for fd in 10 11 12 13 14 15; do
	eval "exec $fd<> /dev/tcp/127.0.0.1/$port"
	sleep 0.05
done
# Before the time of the others is over.
patience=5 ask 'GET /metrics'
answers 'a scraper among many others' 200 "$classic"
result "$(read -rt 5 -u 10 _; echo $(($? != 1)))" 'the oldest connection was closed'
for fd in 10 11 12 13 14 15; do eval "exec $fd>&-"; done
stop TERM
result "$status" 'the exporter with many clients ends well'

# A client that asks all the time gets a part of a CPU: two seconds at first, then a quarter.
cat > "$TMP/greedy.py" << 'END'
import select, socket, sys, time

port, pid, seconds = int(sys.argv[1]), sys.argv[2], 8

def used():
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100

begin, since = used(), time.monotonic()
ones = [socket.create_connection(("127.0.0.1", port)) for _ in range(16)]
for one in ones:
    one.setblocking(False)
sent = dict.fromkeys(ones, 0)
request = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
while time.monotonic() < since + seconds:
    readable, writable, _ = select.select(ones, ones, [], 1)
    for one in readable:
        one.recv(1 << 20)
    for one in writable:
        sent[one] = (sent[one] + one.send((request * 99)[sent[one]:])) % len(request)
spent = used() - begin
print(f"# {spent:.1f} s of {time.monotonic() - since:.1f} s", file=sys.stderr)
print(spent < 2 + seconds / 4 + 0.8)
END
FAKE_CPUS=256 serve -A
run python3 "$TMP/greedy.py" "$port" "$daemon"
cat "$TMP/err"
expect 'clients that ask all the time do not have a CPU' 0 '^True$' '.*'
patience=5 ask 'GET /metrics'
answers 'another client' 200 "$classic"
stop TERM
result "$status" 'the exporter that was busy ends well'

finish
