# SPDX-License-Identifier: GPL-2.0
"""Watches and waiting for them: topdown.Watch, Device.wait(), Device.cancel()."""
import errno
import math
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import ktap
import topdown


class Watches(unittest.TestCase):
    def setUp(self):
        self.device = topdown.Device()
        self.addCleanup(self.device.close)

    def test_conditions(self):
        """watches: what is asked for reaches the module"""
        with tempfile.NamedTemporaryFile("r") as log, ktap.fake(LOG=log.name):
            self.device.watch("memory_bound", 0.2, hold_ms=500, min_slots=1 << 40)
            self.device.watch(3, 1.0, below=True)
            self.device.watch("tma_retiring", 0, back=True, total=True)
            self.device.watch_windows("0-1", min_slots=7)
            self.assertEqual(log.read().splitlines(), [
                f"watch 10 200000000 0x0 500 {1 << 40}", "watch 3 1000000000 0x1 0 0",
                "watch 0 0 0x6 0 0", "watch 4294967295 0 0x0 0 7"])

    def test_wrong(self):
        """watches: values out of range, unknown nodes, no rights"""
        for ratio in (-0.1, 1.1, math.nan):
            with self.assertRaises(ValueError):
                self.device.watch("retiring", ratio)
        with self.assertRaises(ValueError):
            self.device.watch("retiring", 0.5, hold_ms=1 << 32)
        with self.assertRaises(OSError) as caught:
            self.device.watch("retiring", 0.5, hold_ms=3600001)
        self.assertEqual(caught.exception.errno, errno.EINVAL)
        with self.assertRaises(KeyError):
            self.device.watch("nothing", 0.5)
        with ktap.fake(WATCH_ERRNO=errno.EACCES), self.assertRaises(PermissionError):
            self.device.watch("retiring", 0.5)

    def test_events(self):
        """watches: watch events"""
        with self.device.watch("retiring", 0.2) as watch:
            with ktap.fake(EVENT=3, EVENT_FLAGS=1, EVENTS=70):
                events = self.device.wait(0)
            self.assertEqual(len(events), 64)
            self.assertEqual(events[0], topdown.Event(watch.number, 3, 0.25, True, 3, 77))
            # The library asks for one, and then for the others.
            self.assertEqual(events[63].time_ns, 77 + 62)
            with ktap.fake(EVENT=0xffffffff, EVENT_NONE=1):
                event = self.device.wait()[0]
            self.assertEqual((event.cpu, event.back), (None, False))
            self.assertTrue(math.isnan(event.ratio))
        # It is removed: the stand-in has an event of a watch alone.
        with ktap.fake(EVENT=3):
            self.assertEqual(self.device.wait(0), [])
        with self.assertRaises(FileNotFoundError):
            watch.remove()

    def test_timeout(self):
        """watches: a wait ends in time, and not before"""
        self.device.watch_windows()
        for timeout in (0, 0.05, 0.3):
            begin = time.monotonic()
            self.assertEqual(self.device.wait(timeout), [])
            self.assertGreaterEqual(time.monotonic() - begin, timeout)
        with ktap.fake(READ_ERRNO=errno.EACCES), topdown.Device() as device:
            with self.assertRaises(PermissionError):
                device.wait()

    def test_cancel(self):
        """watches: another thread ends a wait"""
        self.device.watch_windows()
        timer = threading.Timer(0.1, self.device.cancel)
        timer.start()
        with self.assertRaises(OSError) as caught:
            self.device.wait()
        self.assertEqual(caught.exception.errno, errno.ECANCELED)
        timer.join()

    def test_poll(self):
        """watches: the device can be polled"""
        self.device.watch_windows()
        poll = select.poll()
        poll.register(self.device, select.POLLIN)
        self.assertEqual(poll.poll(0), [])
        with ktap.fake(EVENT=1):
            self.assertEqual(poll.poll(0), [(self.device.fileno(), select.POLLIN)])

    def test_signal(self):
        """watches: a wait goes on after a signal whose handler returns"""
        seen = []
        before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        self.device.watch_windows()
        begin = time.monotonic()
        self.assertEqual(self.device.wait(0.5), [])
        self.assertGreaterEqual(time.monotonic() - begin, 0.5)
        self.assertEqual(seen, [1])

    def test_interrupt(self):
        """watches: Ctrl-C ends a wait"""
        code = ("import topdown; device = topdown.Device(); device.watch_windows();"
                "print('waits', flush=True); device.wait()")
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=30)
        self.assertIn("KeyboardInterrupt", errors)


if __name__ == "__main__":
    ktap.main()
