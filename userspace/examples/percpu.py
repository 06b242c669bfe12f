#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the pipeline slots of each CPU go, in one second: level 1, and the largest loss."""
import sys
import time

import topdown


def main():
    nodes = [node for node in topdown.nodes() if node.level == 1]
    device = topdown.Device()
    then = device.read(fresh=True)
    time.sleep(1)
    span = device.read(fresh=True).since(then)
    print("cpu", *(node.name for node in nodes), "lost")
    for cpu, figures in span.items():
        # "nan" is a node that this CPU does not have.
        ratios = {node.name: figures.ratio(node) for node in nodes}
        lost = [name for name in ratios if name != "tma_retiring" and ratios[name] > 0]
        print(cpu, *(f"{ratio:.3f}" for ratio in ratios.values()),
              max(lost, key=lambda name: ratios[name], default="-"))


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"percpu: {error}")
