# SPDX-License-Identifier: GPL-2.0
"""Latency sessions: topdown.LatencySession, Device.latencies(), what the machine can sample."""
import errno
import math
import os
import unittest

import ktap
import topdown

CONSTANT = "MEM_INST_RETIRED.SPLIT_LOADS"
BIMODAL = "MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM"
NEVER = "MEM_LOAD_RETIRED.L2_HIT"


class Latencies(unittest.TestCase):
    def setUp(self):
        self.device = topdown.Device()
        self.addCleanup(self.device.close)

    def test_machine(self):
        """latencies: the events of the machine, and its refusal"""
        self.assertEqual(sorted(self.device.latency_events()), sorted([CONSTANT, BIMODAL, NEVER]))
        self.assertEqual(self.device.latency_refusal().number, 0)
        with ktap.fake(REFUSAL=2):
            self.assertEqual(self.device.latency_events(), [])
            self.assertIn("6.3", self.device.latency_refusal().text)
            with self.assertRaises(OSError) as caught:
                self.device.latencies([CONSTANT])
            self.assertEqual(caught.exception.errno, errno.EOPNOTSUPP)

    def test_figures(self):
        """latencies: mean, deviation and quantiles of events and CPUs"""
        with self.device.latencies() as session:
            then, now = session.read(), session.read()
        self.assertEqual([(one.event, one.cpu) for one in now],
                         [(CONSTANT, 0), (CONSTANT, 1), (BIMODAL, 0), (BIMODAL, 1),
                          (NEVER, 0), (NEVER, 1)])
        one = now[0].since(then[0])
        self.assertEqual((one.samples, one.events, one.mean, one.deviation, one.min, one.max),
                         (10, 10000, 7, 0, 7, 7))
        self.assertEqual((one.running_ns * 2, one.elapsed_ns), (100000000, 100000000))
        self.assertEqual((one.counted, one.lost), (11000, 0))
        both = topdown.total_latency(now[2:4])
        self.assertEqual((both.counted, both.as_dict()["counted"]), (33000, 33000))
        self.assertEqual((both.cpu, both.samples, both.mean), (None, 30, 190))
        # The middle of the bins of 100 and 400.
        self.assertEqual((both.quantile(0.5), both.quantile(0.9)), (99.5, 399.5))
        self.assertEqual(now[5].samples, 0)
        self.assertTrue(math.isnan(now[5].mean))
        self.assertEqual(both.as_dict()["p50"], 99.5)

    def test_lost(self):
        """latencies: events of periods without a sample"""
        with ktap.fake(LOST=1), self.device.latencies([CONSTANT]) as session:
            session.read()
            self.assertEqual([one.lost for one in session.read()], [500, 1000])

    def test_wrong(self):
        """latencies: unknown names, two that do not belong together, no rights, an end"""
        with self.assertRaises(FileNotFoundError):
            self.device.latencies(["NOTHING"])
        with ktap.fake(LATENCY_ERRNO=errno.EACCES), self.assertRaises(PermissionError):
            self.device.latencies([NEVER])
        session = self.device.latencies([CONSTANT.lower(), 25], cpus="0-1")
        with ktap.fake(AWAY=1):
            first, second = session.read()[:2]
        self.assertTrue(first.away)
        with self.assertRaises(OSError) as caught:
            first.since(second)
        self.assertEqual(caught.exception.errno, errno.EINVAL)
        descriptor = session.fileno()
        session.end()
        session.end()
        for call in (session.read, session.fileno):
            with self.assertRaisesRegex(ValueError, "the latency session has ended"):
                call()
        with self.assertRaises(OSError):
            os.fstat(descriptor)

    def test_unloaded(self):
        """latencies: the module topdown_latency is not loaded, or knows no event of the CPU"""
        with ktap.fake(LATENCY_UNLOADED=1):
            for call in (self.device.latencies, self.device.latency_events,
                         self.device.latency_refusal):
                with self.assertRaisesRegex(FileNotFoundError, "topdown_latency is not loaded"):
                    call()
        with ktap.fake(CPU_MODEL=143), topdown.Device() as device:
            self.assertEqual(device.latency_events(), [])
            self.assertIn("no events of this CPU model", device.latency_refusal().text)

    def test_two(self):
        """latencies: two sessions, which end by themselves, and no later than the device"""
        device = topdown.Device()
        one, other = device.latencies([NEVER, CONSTANT]), device.latencies([BIMODAL])
        self.assertEqual([reading.event for reading in one.read()],
                         [CONSTANT, CONSTANT, NEVER, NEVER])
        self.assertEqual([reading.event for reading in other.read()], [BIMODAL, BIMODAL])
        one.end()
        other.read()
        descriptor = other.fileno()
        device.close()
        with self.assertRaisesRegex(ValueError, "the device is closed"):
            other.read()
        with self.assertRaises(OSError):
            os.fstat(descriptor)
        other.end()

    def test_tasks(self):
        """latencies: of the tasks of a session"""
        with ktap.fake(FEATURES=63):
            device = topdown.Device()
        self.addCleanup(device.close)
        followed = device.session()
        with ktap.fake(FEATURES=63), device.latencies([CONSTANT], session=followed) as session:
            session.read()
            one, = session.read()
            self.assertEqual((one.cpu, one.samples, one.mean), (None, 20, 7))
            self.assertEqual((one.counted, one.lost, one.as_dict()["lost"]), (None, None, None))
            with self.assertRaisesRegex(OSError, "which has to end first") as caught:
                device.latencies([CONSTANT], session=followed)
            self.assertEqual(caught.exception.errno, errno.EBUSY)
        with self.assertRaises(ValueError):
            device.latencies([CONSTANT], cpus="0", session=followed)
        with ktap.fake(FEATURES=63), followed.view() as view, \
                self.assertRaisesRegex(OSError, "it is no session, or a view"):
            device.latencies([CONSTANT], session=view)
        with ktap.fake(LATENCY_ERRNO=errno.ENOSPC), \
                self.assertRaisesRegex(OSError, "too many latency"):
            device.latencies([CONSTANT])


if __name__ == "__main__":
    ktap.main()
