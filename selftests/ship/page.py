# SPDX-License-Identifier: GPL-2.0
"""Look at the page of topdown report --html for page.sh: areas, requests, colours, focus."""
import json
import re
import struct
import subprocess
import sys
import zlib

HEIGHT = 240.0
WIDTH = 1000.0


def area_of(path):
    """The area of a path of M, L, H and Z, by the sum over its corners."""
    total = 0.0
    for run in path.split("Z"):
        x = y = 0.0
        corners = []
        for command, values in re.findall(r"([MLH])([-0-9. ]+)", run):
            numbers = [float(value) for value in values.split()]
            x = numbers[0]
            if command != "H":
                y = numbers[1]
            corners.append((x, y))
        for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
            total += (x1 * y2 - x2 * y1) / 2
    return abs(total) / (WIDTH * HEIGHT)


def areas(page, topdown, recording):
    """Compare each area with the mean over all steps of what --steps prints."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    pictures = re.findall(r'<svg class="picture".*?</svg>', text, re.S)
    classes = {}
    for picture in pictures:
        for number, path in re.findall(r'class="area n(\d+)" d="([^"]*)"', picture):
            classes[int(number)] = area_of(path)
    names = ("retiring bad_speculation frontend_bound backend_bound heavy_operations "
             "light_operations branch_mispredicts machine_clears fetch_latency fetch_bandwidth "
             "memory_bound core_bound resource_bound smt_contention").split()
    seconds = re.search(r"in steps of ([0-9.]+) s", text)
    step = str(round(float(seconds.group(1)) * 1000)) + "ms"
    lines = subprocess.run([topdown, "report", "--steps", "-j", "-I", step, recording],
                           check=True, capture_output=True, text=True).stdout.splitlines()
    steps = [json.loads(line) for line in lines]
    bad = not pictures or not classes
    for number, area in sorted(classes.items()):
        key = "tma_" + names[number]
        want = sum(one[key] or 0 for one in steps) / len(steps)
        print(f"{key}: area {area:.5f}, figures {want:.5f}")
        bad |= abs(area - want) > 0.0002
    return bad


def requests(log, page):
    """URLs that the browser asked for, from its log of the network."""
    with open(log, encoding="utf-8") as file:
        text = file.read()
    try:
        events = json.loads(text)["events"]
    except json.JSONDecodeError:
        events = json.loads(text.rstrip().rstrip(",") + "]}")["events"]
    urls = {event.get("params", {}).get("url") for event in events} - {None}
    ours = {url for url in urls if not url.startswith("chrome")}
    print(len(events), "events, URLs:", " ".join(sorted(ours)) or "none")
    # The browser makes requests of its own, the same with an empty page.
    return any(page not in url and "google" not in url for url in ours)


def pixels(path):
    """The pixels of a PNG of 8 bits without interlace, as rows of bytes."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed, head = 8, b"", None
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
        elif kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    width, height, _, kind = head[:4]
    channels = {2: 3, 6: 4}[kind]
    raw, before, stride = zlib.decompress(packed), bytearray(width * channels), width * channels
    for row in range(height):
        start = row * (stride + 1)
        rule, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            up = before[i]
            corner = before[i - channels] if i >= channels else 0
            if rule == 1:
                line[i] = (line[i] + left) & 255
            elif rule == 2:
                line[i] = (line[i] + up) & 255
            elif rule == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif rule == 4:
                guess = left + up - corner
                near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up),
                           (abs(guess - corner), 2, corner))
                line[i] = (line[i] + near[2]) & 255
        before = line
        yield line, channels


def colours(path):
    """Is the paper light or dark? And how many colours are there?"""
    counts = {}
    for line, channels in pixels(path):
        for i in range(0, len(line), channels * 7):
            colour = bytes(line[i:i + 3])
            counts[colour] = counts.get(colour, 0) + 1
    paper = max(counts, key=counts.get)
    print("light" if sum(paper) > 384 else "dark", len(counts), "colours")
    return len(counts) < 8


def focus(page):
    """The page with the focus on a step that has slots, as the tab key would set it."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    step = '<g class="step" tabindex="0" role="img"><title>'
    at = re.search(re.escape(step) + "[^<]*retiring", text).start()
    print(text[:at] + step.replace("role", "autofocus role") + text[at + len(step):])
    return False


if __name__ == "__main__":
    sys.exit({"areas": areas, "requests": requests, "colours": colours,
              "focus": focus}[sys.argv[1]](*sys.argv[2:]))
