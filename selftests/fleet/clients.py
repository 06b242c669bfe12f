#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Clients of "topdown export --listen", good and bad.

  clients.py PORT PID scrape N     N scrapes, of all kinds of requests
  clients.py PORT PID slow N       N clients that hold their connections, while a scraper works
  clients.py PORT PID fuzz N SEED  N broken requests

Afterwards the daemon answers, and has as many descriptors and as much memory as before.
"""
import gzip
import http.client
import os
import random
import socket
import sys
import time

port, pid, what, number = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
PROMETHEUS = ("application/openmetrics-text;version=1.0.0,"
              "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
# Memory that an allocator may keep for itself, and another machine's page size.
FLAT_KB = 512


def resident_kb():
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def descriptors():
    return len(os.listdir(f"/proc/{pid}/fd"))


def connect():
    return http.client.HTTPConnection("127.0.0.1", port, timeout=30)


def scrape(connection, path="/metrics", accept=None, zipped=False):
    headers = {"Accept-Encoding": "gzip" if zipped else "identity"}
    if accept:
        headers["Accept"] = accept
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, answer.status
    if answer.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    return body


def good_scrape(connection, i=0):
    body = scrape(connection, accept=PROMETHEUS if i & 1 else None, zipped=bool(i & 2))
    assert b"\ntopdown_up 1\n" in body
    assert body.endswith(b"# EOF\n") == bool(i & 1)


def scrapes():
    connection = connect()
    for i in range(number):
        # Most scrapers keep their connection; some do not.
        if i % 50 == 49:
            connection.close()
            connection = connect()
        good_scrape(connection, i)
    connection.close()


def slow_client(kind):
    client = socket.create_connection(("127.0.0.1", port))
    client.setblocking(False)
    if kind == 1:
        client.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n")
    elif kind == 2:
        # Never reads what it asks for again and again.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
    elif kind == 3:
        client.send(b"POST /metrics HTTP/1.1\r\nHost: localhost\r\n"
                    b"Content-Length: 1000000\r\n\r\nx")
    return client


def slow():
    clients = []
    longest = 0.0
    for i in range(number):
        clients.append(slow_client(i % 5))
        # One byte more of each, as slowly as it can be.
        for client in clients:
            try:
                client.send(b"X")
            except OSError:
                pass
        if i % 10 == 0:
            begin = time.monotonic()
            connection = connect()
            good_scrape(connection, i)
            connection.close()
            longest = max(longest, time.monotonic() - begin)
        if i % 7 == 0:
            clients.pop(random.randrange(len(clients))).close()
    print(f"longest scrape beside {len(clients)} slow clients: {longest * 1000:.0f} ms, "
          f"{descriptors()} descriptors")
    for client in clients:
        client.close()


def fuzzed(rng):
    seeds = [
        b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: " + PROMETHEUS.encode() + b"\r\n"
        b"Accept-Encoding: gzip;q=0.5, deflate\r\nAuthorization: Basic cHJvbTp4\r\n\r\n",
        b"HEAD / HTTP/1.0\r\n\r\n",
        b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"5\r\nhello\r\n0\r\n\r\n",
        b"GET /%00%ff?a=b&c HTTP/1.1\r\nHost: localhost\r\n"
        b"Accept: application/openmetrics-text;;;q=,,=;\r\n\r\n",
    ]
    text = bytearray(rng.choice(seeds))
    for _ in range(rng.randrange(8)):
        at = rng.randrange(len(text) + 1)
        how = rng.randrange(5)
        if how == 0 and at < len(text):
            text[at] = rng.randrange(256)
        elif how == 1:
            text[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(40)))
        elif how == 2:
            del text[at:at + rng.randrange(20)]
        elif how == 3:
            word = rng.choice([b";q=", b",", b";", b"=", b"\r\n", b"gzip", b"\0"])
            text[at:at] = word * rng.randrange(1, 300)
        else:
            text[at:at] = text[:rng.randrange(len(text) + 1)]
    return bytes(text)


def fuzz():
    rng = random.Random(int(sys.argv[5]))
    for i in range(number):
        client = socket.create_connection(("127.0.0.1", port))
        client.settimeout(0.02)
        try:
            client.sendall(fuzzed(rng))
            if i % 3:
                client.recv(65536)
        except OSError:
            pass
        client.close()


def settled(count):
    """Wait until the daemon has closed what was closed here."""
    for _ in range(300):
        if descriptors() <= count:
            return True
        time.sleep(0.1)
    return False


warm = connect()
for n in range(100):
    good_scrape(warm, n)
warm.close()
if what == "slow":
    # As much memory as connections ever need.
    slow()
time.sleep(0.5)
fds, kb = descriptors(), resident_kb()
{"scrape": scrapes, "slow": slow, "fuzz": fuzz}[what]()
assert settled(fds), f"{fds} descriptors before, {descriptors()} after"
after = connect()
good_scrape(after)
after.close()
grown = resident_kb() - kb
print(f"{what} {number}: {fds} descriptors before and after, {kb} KB before, {grown:+d} KB after")
assert what == "fuzz" or grown <= FLAT_KB, "memory grew"
