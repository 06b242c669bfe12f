# SPDX-License-Identifier: GPL-2.0
"""Readings of CPUs, sets of CPUs, the map: topdown.Device, Reading, Span, Map, CpuSet."""
import errno
import gc
import json
import math
import os
import subprocess
import unittest

import ktap
import topdown
from topdown import abi


class Sets(unittest.TestCase):
    def test_text(self):
        """sets: text to numbers and back"""
        self.assertEqual(topdown.CpuSet("0-3,8,200"), {0, 1, 2, 3, 8, 200})
        self.assertEqual(str(topdown.CpuSet([200, 8, 3, 1, 2])), "1-3,8,200")
        self.assertEqual(repr(topdown.CpuSet({8191})), "CpuSet('8191')")
        self.assertEqual(str(topdown.CpuSet()), "")
        self.assertEqual(str(topdown.CpuSet("0-7") - {3} & topdown.CpuSet("2-4") | {63}), "2,4,63")

    def test_wrong(self):
        """sets: what is no list is refused, with the place"""
        for text, where in (("0-", "0-"), ("", ""), ("1,,2", ",2"), ("2-1", "2-1"),
                            ("1,1", "1"), ("0-9000", "0-9000")):
            with self.assertRaises(ValueError, msg=text) as caught:
                topdown.CpuSet(text)
            self.assertIn(f"at {where!r}", str(caught.exception))
        for number in (-1, 8192):
            with self.assertRaises(ValueError):
                topdown.CpuSet([number])


class Readings(unittest.TestCase):
    def setUp(self):
        self.device = topdown.Device()
        self.addCleanup(self.device.close)

    def check(self, figures, cpu, steps=1):
        self.assertEqual(figures.slots, ktap.slots(cpu, steps))
        self.assertEqual(figures.enabled_ns, steps * 10**9)
        self.assertEqual(figures.running, 1.0)
        self.assertEqual(set(figures.ratios), set(ktap.RATIOS))
        for name, ratio in ktap.RATIOS.items():
            self.assertAlmostEqual(figures.ratios[name], ratio, places=9)
            self.assertEqual(figures.slots_of(name), round(figures.slots * ratio), name)
        self.assertAlmostEqual(figures.ipc, 1.5, places=9)

    def test_span(self):
        """readings: what each CPU and all did between two"""
        then, now = self.device.read(fresh=True), self.device.read(fresh=True)
        span = now.since(then)
        self.assertEqual(list(span), [0, 1, 2, 3])
        for cpu in span:
            self.check(span[cpu], cpu)
        self.assertEqual(span.total.slots, sum(ktap.slots(cpu) for cpu in range(4)))
        self.assertEqual(span.total, topdown.Figures.sum(span.values()))
        self.assertAlmostEqual(span.total.ratio("retiring"), 0.4, places=9)
        self.assertEqual(span.time_ns, now.time_ns - then.time_ns)
        self.assertEqual(now.cpus, topdown.CpuSet("0-3"))
        # A reading is a step.
        self.check(now[2].since(then[2]), 2)

    def test_levels(self):
        """readings: nodes of level 1 alone, and nodes that a CPU lacks"""
        then, now = self.device.read(), self.device.read()
        one = now.between(then, 1, level=1)
        self.assertEqual(set(one.ratios), {"tma_retiring", "tma_bad_speculation",
                                           "tma_frontend_bound", "tma_backend_bound"})
        self.assertTrue(math.isnan(one.ratio("core_bound")))
        self.assertIsNone(one.slots_of("core_bound"))
        self.assertFalse(one.has("core_bound"))
        self.assertIsNone(one.as_dict()["tma_core_bound"])
        self.assertEqual(one.children_slots("retiring"), one.slots)
        for wrong in ("core_bound", "smt_contention"):
            with self.assertRaises(KeyError):
                one.children_slots(wrong)
        with ktap.fake(NODES=8207):
            now = self.device.read(fresh=True)
            self.assertIn("tma_smt_contention", now[0].total.ratios)
            self.assertNotIn("tma_core_bound", now[0].total.ratios)

    def test_record(self):
        """readings: a record has the CPU's state"""
        record = self.device.read("2")[2]
        self.assertEqual((record.cpu, record.state, record.source, record.level, record.kind,
                          record.slots_per_cycle, record.nr_cpus, record.flags, record.turns),
                         (2, "ok", "perf_metrics", 2, "only", 6, 1, frozenset(), 0))
        self.assertEqual(record.nodes, frozenset(ktap.RATIOS))
        self.assertEqual(record.window.slots, ktap.slots(2))
        self.assertEqual(record.total.slots, ktap.slots(2, record.windows))
        self.assertEqual(record.time_ns, record.windows * 10**9)
        with ktap.fake(STATE=6, FLAGS=2 | 8, TURNS=3, SOURCE=77):
            record = self.device.read([1])[1]
        self.assertEqual((record.state, record.source, record.flags, record.turns),
                         ("aside", "unknown", frozenset({"scaled", "drilldown"}), 3))
        self.assertIs(record.as_dict()["drilldown"], True)

    def test_sets(self):
        """readings: of a set, and of CPUs that there cannot be"""
        reading = self.device.read("1,3", fresh=True)
        self.assertEqual(list(reading), [1, 3])
        self.assertEqual(reading.total.cpu, None)
        self.assertEqual(reading.total.nr_cpus, 2)
        with self.assertRaises(KeyError):
            reading[0]
        with self.assertRaises(OSError) as caught:
            self.device.read([])
        self.assertEqual(caught.exception.errno, errno.EINVAL)
        with self.assertRaises(FileNotFoundError):
            self.device.read("1").between(reading, 0)

    def test_errors(self):
        """readings: no rights, and two in the wrong order"""
        with ktap.fake(READ_ERRNO=errno.EACCES):
            with self.assertRaisesRegex(PermissionError, "may not see whole CPUs"):
                self.device.read()
        with ktap.fake(FEATURES=6):
            self.assertEqual(len(self.device.read(fresh=False)), 4)
            with self.assertRaisesRegex(OSError, "a flag that the module does not know"):
                self.device.read(fresh=True)
            self.assertEqual(len(next(self.device.spans(0.001, count=1, fresh=False))), 4)
        then, now = self.device.read(), self.device.read()
        with self.assertRaises(OSError) as caught:
            then.since(now)
        self.assertEqual(caught.exception.errno, errno.ERANGE)
        with self.assertRaises(OSError) as caught:
            now[0].since(then[1])
        self.assertEqual(caught.exception.errno, errno.EINVAL)

    def test_closed(self):
        """readings: they stay when the device is closed, and it cannot be used"""
        then, now = self.device.read(), self.device.read()
        span = now.since(then)
        self.device.close()
        self.device.close()
        self.assertEqual(span.total.slots, sum(ktap.slots(cpu) for cpu in range(4)))
        self.assertEqual(now[1].cpu, 1)
        for use in (lambda: now.since(then), self.device.read, self.device.fileno,
                    self.device.map, self.device.session, self.device.cancel):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()

    def test_dropped(self):
        """readings: they keep the device open that nobody else has"""
        def make():
            device = topdown.Device()
            return device.read(), device.read(), device.fileno()
        then, now, descriptor = make()
        gc.collect()
        self.assertEqual(now.since(then)[0].slots, ktap.slots(0))
        os.fstat(descriptor)
        del then, now
        gc.collect()
        with self.assertRaises(OSError):
            os.fstat(descriptor)

    def test_info(self):
        """readings: what the module and the machine can do"""
        info = self.device.info
        self.assertEqual(info.features, {
            "fresh", "total", "map", "watch", "session",
            "cycles", "busy"})
        self.assertEqual((info.flags, info.nr_cpus, info.source, info.level), (
            {"may_read"}, 4, "perf_metrics", 2))
        self.assertEqual((info.slots_per_cycle, info.period_ms, info.cpu_name, info.codename,
                          info.version, info.instance, info.load_time_ns),
                         (6, 1000, "A CPU of the test", "test-lake", "9.8.7",
                          0x1234567890abcdef, 5 * 10**9))
        self.assertEqual(info.as_dict()["version"], "9.8.7")
        with ktap.fake(FEATURES=1 << 40 | 1):
            self.assertEqual(self.device.info.features, {"fresh"})

    def test_spans(self):
        """readings: spans follow each other"""
        spans = list(self.device.spans(0.01, "0-1", count=3))
        self.assertEqual([span[1].slots for span in spans], [ktap.slots(1)] * 3)
        for span in spans:
            self.assertEqual(span.seconds, span.time_ns / 1e9)
        # One that is late makes the next one shorter.
        self.assertGreaterEqual(sum(span.seconds for span in spans), 0.03)

    def test_json_keys(self):
        """readings: the keys are those of topdown stat -j"""
        schema = json.loads(subprocess.run(
            [os.environ["TOPDOWN"], "stat", "--schema"], check=True, stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"]}).stdout)
        then, now = self.device.read(), self.device.read()
        for keys in (now.since(then).as_dicts()[0], now[0].as_dict()):
            # A later library has another node.
            names = set(keys) - {"tma_grown"}
            self.assertLessEqual(names, set(schema["properties"]))
            self.assertEqual({name for name in names if name.startswith("tma_")},
                             {name for name in schema["properties"]
                              if name.startswith("tma_") and not name.endswith("_rse")})

    def test_busy(self):
        """readings: the busy share"""
        then, now = self.device.read(), self.device.read()
        figures = now.between(then, 3)
        self.assertEqual(figures.busy_ns, 970000000)
        self.assertAlmostEqual(figures.busy(10**9), 0.97)
        self.assertTrue(math.isnan(figures.busy(0)))

    def test_sum(self):
        """readings: a sum of nothing has no node"""
        empty = topdown.Figures.sum([])
        self.assertEqual((empty.slots, empty.ratios), (0, {}))
        self.assertTrue(math.isnan(empty.running) and math.isnan(empty.ipc))
        self.assertEqual(bytes(empty.raw)[:8], bytes(8))

    def test_nodes(self):
        """readings: nodes by name and number"""
        node = topdown.node("fetch_latency")
        self.assertEqual((node.number, node.name, node.level, node.parent, str(node)),
                         (8, "tma_fetch_latency", 2, "tma_frontend_bound", "tma_fetch_latency"))
        self.assertEqual(topdown.node(8), node)
        self.assertEqual(topdown.node("tma_fetch_latency"), topdown.node(node))
        for wrong in ("tma_nothing", 15, -1):
            with self.assertRaises(KeyError):
                topdown.node(wrong)
        self.assertEqual([one.number for one in topdown.nodes()][:14], list(range(14)))


class Maps(unittest.TestCase):
    def setUp(self):
        self.device = topdown.Device()
        self.addCleanup(self.device.close)

    def test_records(self):
        """map: records and the open window"""
        with self.device.map() as view:
            self.assertEqual((view.nr_cpus, view.history), (4, 4))
            record = view.record(1)
            self.assertEqual(record.total.slots, ktap.slots(1, record.windows))
            self.assertAlmostEqual(record.total.ratio("core_bound"), 0.15, places=9)
            self.assertEqual(record.open.slots, ktap.slots(1))
            self.assertEqual([one.cpu for one in view.records()], [0, 1, 2, 3])
            with self.assertRaisesRegex(FileNotFoundError, "an impossible CPU"):
                view.record(4)
        with self.assertRaisesRegex(ValueError, "the map is closed"):
            view.record(1)

    def test_windows(self):
        """map: the history of a CPU, from a window on"""
        with self.device.map() as view:
            seen = []
            # The stand-in ends a window each 50 ms.
            while len(seen) < 8:
                last = view.record(2).windows
                kept = list(view.windows(2, after=seen[-1] if seen else 0))
                for window in kept:
                    self.assertEqual((window.cpu, window.figures.slots), (2, ktap.slots(2)))
                    self.assertEqual(window.nodes, frozenset(ktap.RATIOS))
                    self.assertAlmostEqual(window.figures.ratio("memory_bound"), 0.3, places=9)
                    self.assertGreater(window.number, last - view.history)
                seen += [window.number for window in kept]
            self.assertEqual(seen, sorted(set(seen)))
            with self.assertRaises(FileNotFoundError):
                view.window(2, view.record(2).windows + 100)
            one = list(view.windows(2, level=1))[-1].figures
            self.assertEqual(set(one.ratios), {"tma_retiring", "tma_bad_speculation",
                                               "tma_frontend_bound", "tma_backend_bound"})

    def test_reading(self):
        """map: readings without a system call"""
        with self.device.map() as view:
            then = self.device.read("0-2", map=view)
            with ktap.fake(READ_ERRNO=errno.EIO):
                while True:
                    now = self.device.read("0-2", map=view)
                    if all(now[cpu].windows > then[cpu].windows for cpu in now):
                        break
            span = now.since(then)
            for cpu in span:
                steps = now[cpu].windows - then[cpu].windows
                self.assertEqual(span[cpu].slots, ktap.slots(cpu, steps))
            self.assertIsNone(now.total)
            self.assertEqual(span.as_dicts()[0]["state"], None)
            with ktap.fake(READ_ERRNO=errno.EIO), self.assertRaises(OSError):
                self.device.read(map=view, fresh=True)
            self.assertIsNone(self.device.read(map=view, fresh=True).total)
        with self.assertRaisesRegex(ValueError, "the map is closed"):
            self.device.read(map=view)

    def test_errors(self):
        """map: no rights, an old module, a header that makes no sense"""
        with ktap.fake(MAP_ERRNO=errno.EACCES), self.assertRaises(PermissionError):
            self.device.map()
        with ktap.fake(MAP_BAD="magic"), self.assertRaisesRegex(OSError, "makes no sense"):
            self.device.map()
        with ktap.fake(FEATURES=7), topdown.Device() as old:
            with self.assertRaisesRegex(OSError, "the module is too old to have a map"):
                old.map()

    def test_outlives(self):
        """map: it outlives the device"""
        view = self.device.map()
        self.device.close()
        self.assertEqual(view.record(0).cpu, 0)
        view.close()
        view.close()


class Raw(unittest.TestCase):
    def test_copies(self):
        """figures: the structure that a program gets is a copy"""
        with topdown.Device() as device:
            figures = device.read()[0].total
        raw = figures.raw
        self.assertIsInstance(raw, abi.Figures)
        raw.slots += 1
        self.assertEqual(figures.slots, raw.slots - 1)
        self.assertEqual(len({figures, topdown.Figures(figures.raw)}), 1)


if __name__ == "__main__":
    ktap.main()
