# SPDX-License-Identifier: GPL-2.0
"""The Python module with the real module: python.sh runs this in an emulated machine.

WORKLOAD is the program that runs with given shares of the slots.  CPU 0 is left to this program.
"""
import asyncio
import contextlib
import ctypes
import os
import struct
import subprocess
import tempfile
import time
import unittest

import ktap
import topdown
from topdown import abi, library

#: Two programs, each with its level 1, and heavy operations, branch mispredicts, fetch latency
#: and memory bound of these.
SHARES = {1: (.5, .1, .2, .2, .1, .05, .15, .15), 2: (.2, .05, .05, .7, .05, .04, .03, .5)}
LEVEL_1 = ("retiring", "bad_speculation", "frontend_bound", "backend_bound")
LEVEL_2 = ("heavy_operations", "branch_mispredicts", "fetch_latency", "memory_bound")


@contextlib.contextmanager
def programs():
    """Both programs, meanwhile: by CPU."""
    running = {cpu: subprocess.Popen([os.environ["WORKLOAD"], "-c", str(cpu), "-t", "10000",
                                      ",".join(map(str, shares))])
               for cpu, shares in SHARES.items()}
    time.sleep(1)
    try:
        yield running
    finally:
        for one in running.values():
            one.kill()
            one.wait()


def blocks(path):
    """Types and bytes of the blocks of a recording."""
    with open(path, "rb") as file:
        file.seek(16)
        while head := file.read(16):
            kind, size = struct.unpack("<II", head[:8])
            yield kind, file.read(size)


class Guest(unittest.TestCase):
    def check(self, figures, cpu, within=0.01):
        for name, share in zip(LEVEL_1 + LEVEL_2, SHARES[cpu]):
            self.assertAlmostEqual(figures.ratio(name), share, delta=within,
                                   msg=f"{name} of CPU {cpu}")

    def test_cpus(self):
        """the real module: ratios of CPUs are those of their programs"""
        with topdown.Device() as device, programs():
            self.assertEqual((device.info.source, device.info.level), ("perf_metrics", 2))
            span = next(device.spans(3, count=1))
            for cpu in SHARES:
                self.check(span[cpu], cpu)
                self.assertGreater(span[cpu].running, 0.99)
            self.assertEqual(span.total.slots, sum(one.slots for one in span.values()))
            self.assertEqual([one["cpu"] for one in span.as_dicts()], [None, *span])

    def test_sessions(self):
        """the real module: ratios of processes, by calls and by the map"""
        with topdown.Device() as device, programs() as running:
            sessions = {cpu: device.session(one.pid) for cpu, one in running.items()}
            time.sleep(2)
            for cpu, session in sessions.items():
                self.check(session.read().figures, cpu)
                with session.view() as copy:
                    self.check(copy.read().figures, cpu)
                with session.map() as view:
                    self.check(view.read().figures, cpu, 0.02)
            with device.session() as own:
                sum(range(100000))
            self.assertGreater(own.figures.slots, 100000)
            self.assertEqual(own.last.state, "running")

    def test_regions(self):
        """the real module: a region of this thread"""
        with topdown.Device() as device, device.regions() as regions:
            for _ in range(5):
                with regions.region("sum"):
                    sum(range(100000))
            self.assertEqual(regions["sum"].count, 5)
            self.assertGreater(regions["sum"].figures.slots, 500000)

    def test_watch(self):
        """the real module: a CPU crosses a threshold"""
        with topdown.Device() as device:
            watch = device.watch("backend_bound", 0.6, cpus=[1, 2])
            with programs():
                events = device.wait(30)
            self.assertEqual({event.cpu for event in events}, {2})
            watch.remove()

    def test_event_loop(self):
        """the real module: asyncio polls the device"""
        async def first(device):
            loop = asyncio.get_running_loop()
            seen = loop.create_future()

            def handle():
                seen.done() or seen.set_result(device.wait(0))

            loop.add_reader(device, handle)
            try:
                return await asyncio.wait_for(seen, 30)
            finally:
                loop.remove_reader(device)

        with topdown.Device() as device, device.watch("backend_bound", 0.6, cpus=[2]):
            self.assertEqual(device.wait(0), [])
            with programs():
                self.assertEqual([event.cpu for event in asyncio.run(first(device))], [2])

    def test_begin_and_end(self):
        """the real module: how long a begin and an end of a region take"""
        with topdown.Device() as device, device.regions() as regions:
            begun = time.perf_counter_ns()
            for _ in range(1000):
                with regions.region("empty"):
                    pass
            each = (time.perf_counter_ns() - begun) / 2000
            # An instruction takes 8 ns here, and less than 1 ns on a CPU of these years.
            print(f"# {each / 8:.0f} instructions, by {regions.backend}")
            self.assertLess(each / 8, 50000)

    def test_recording(self):
        """the real module: a recording has the windows of the ring, bit by bit"""
        with tempfile.NamedTemporaryFile() as path, topdown.Device() as device, programs():
            subprocess.run(["topdown", "record", "-q", "--timeout", "5s", "-o", path.name],
                           check=True)
            with device.map() as view:
                ring = {(window.cpu, window.number): window
                        for cpu in range(view.nr_cpus) for window in view.windows(cpu)}
                same = 0
                for kind, payload in blocks(path.name):
                    if kind != 5:
                        continue
                    size, nr = struct.unpack_from("<II", payload)
                    for i in range(nr):
                        entry = payload[8 + i * size:8 + (i + 1) * size]
                        cpu, number = struct.unpack_from("<I12xQ", entry)
                        if number:
                            raw = abi.Window()
                            library.call("topdown_map_read_window", view.pointer(), cpu, number,
                                         2, ctypes.byref(raw), ctypes.sizeof(raw))
                            self.assertEqual(entry[16:16 + ctypes.sizeof(raw)], bytes(raw))
                            same += 1
            print(f"# {same} windows are the same, of {len(ring)} in the ring")
            self.assertGreater(same, 8)
            seen = topdown.Recording(path.name)
            self.assertTrue(seen.whole and not seen.lost)
            self.assertEqual(same, sum(1 for piece in seen if piece.number))
            for cpu in SHARES:
                self.check(topdown.Figures.sum(piece.figures for piece in seen
                                               if piece.cpu == cpu), cpu)

    def test_example(self):
        """the real module: the example runs"""
        with programs():
            out = subprocess.run(["python3", os.environ["EXAMPLE"], "0.5", "4"], check=True,
                                 capture_output=True, text=True).stdout
        print("".join(f"# {line}\n" for line in out.splitlines()[:12]), end="")
        self.assertIn("CPU 2: IPC", out)


if __name__ == "__main__":
    ktap.main()
