#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the slots of this machine go, as a notebook: cells begin with "# %%".

    notebook.py [SECONDS [COUNT]]      COUNT intervals of SECONDS, 1 and 5 without

Editors that know cells run it cell by cell, and "jupytext --to ipynb notebook.py" makes a
notebook of it.  It needs the package python3-topdown and the right to read whole CPUs, and
takes pandas where that is installed.
"""
# %% The machine
import sys

import topdown

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 5
try:
    device = topdown.Device()
except OSError as error:
    sys.exit(f"notebook: {error}")
print(device.info.codename, device.info.source, "level", device.info.level)

# %% Some intervals of all CPUs
spans = list(device.spans(SECONDS, count=COUNT))
for number, span in enumerate(spans):
    print(number, f"{span.seconds:.2f} s",
          *(f"{name} {ratio:.1%}" for name, ratio in span.total.ratios.items()
            if topdown.node(name).level == 1))

# %% The CPU that retires least, over all intervals
whole = {cpu: topdown.Figures.sum(span[cpu] for span in spans) for cpu in spans[-1]}
worst = min(whole, key=lambda cpu: whole[cpu].ratios.get("tma_retiring", 1.0))
ratios = whole[worst].ratios
leaves = {name: ratio for name, ratio in ratios.items()
          if topdown.node(name).level == max(topdown.node(one).level for one in ratios)}
print(f"CPU {worst}: IPC {whole[worst].ipc:.2f}, most slots are {max(leaves, key=leaves.get)}"
      if leaves else f"CPU {worst} was idle")

# %% The history: windows of the last CPU, which cost nobody anything
if device.info.features & {"map"}:
    with device.map() as view:
        for window in view.windows(max(whole)):
            print(f"CPU {window.cpu} window {window.number}:"
                  f" {window.figures.enabled_ns / 1e9:.3f} s, {window.figures.slots:,} slots")

# %% A table of all that, if pandas is there
try:
    frame = topdown.frame({"interval": number, "cpu": cpu, **figures.as_dict()}
                          for number, span in enumerate(spans) for cpu, figures in span.items())
    print(frame.pivot(index="interval", columns="cpu", values="tma_retiring").round(3))
except ImportError:
    print("pandas is not installed")

# %% This program: a session around it, and a region for each part
if device.info.features & {"session"}:
    with device.session() as session, device.regions() as regions:
        with regions.region("sort"):
            numbers = sorted(range(200_000), key=lambda number: -number)
        with regions.region("sum"):
            total = sum(numbers)
        for name, region in regions.items():
            print(f"{name}: {region.figures.slots:,} slots by {regions.backend}")
    print(f"all: {session.figures.slots:,} slots, {session.last.switches} switches")

# %% The end
device.close()
