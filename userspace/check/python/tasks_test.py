# SPDX-License-Identifier: GPL-2.0
"""Sessions and regions: topdown.Session, SessionMap, Regions."""
import errno
import gc
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock

import ktap
import topdown
import topdown.library


class Sessions(unittest.TestCase):
    def setUp(self):
        self.device = topdown.Device()
        self.addCleanup(self.device.close)

    def test_context(self):
        """sessions: the context manager reads a last time, and closes"""
        with self.device.session(disabled=True) as session:
            session.enable()
            first = session.read()
            self.assertEqual((first.state, first.serial, first.source, first.level),
                             ("running", 1, "perf_metrics", 2))
        # Each fresh reading is a step.
        self.assertEqual(session.figures.slots, ktap.slots(0, 2))
        self.assertEqual(session.last.since(first).slots, ktap.slots(0))
        self.assertAlmostEqual(session.figures.ratio("backend_bound"), 0.45, places=9)
        self.assertEqual(session.last.switches, 14)
        with self.assertRaisesRegex(ValueError, "the session is closed"):
            session.read()

    def test_error_inside(self):
        """sessions: an exception inside goes on, and the figures are there"""
        with self.assertRaises(ZeroDivisionError):
            with self.device.session(disabled=True) as session:
                session.enable()
                raise ZeroDivisionError
        self.assertEqual(session.figures.slots, ktap.slots(0))

    def test_flags(self):
        """sessions: what is asked for reaches the module"""
        child = subprocess.Popen(["sleep", "60"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        pidfd = os.pidfd_open(child.pid)
        self.addCleanup(os.close, pidfd)
        with tempfile.NamedTemporaryFile("r") as log, ktap.fake(LOG=log.name):
            others = [self.device.session(thread=True),
                      self.device.session(child.pid, children=True)]
            session = self.device.session(child.pid, disabled=True, on_exec=True)
            for action in (session.enable, session.disable, session.close):
                action()
            self.assertEqual(log.read().splitlines(), [
                "attach 0 0x1", f"attach {child.pid} 0x2", f"attach {child.pid} 0x18",
                "control 3 0", "control 3 0x1", "close 3 0"])
        for session in others:
            session.close()
        with tempfile.NamedTemporaryFile("r") as log, ktap.fake(LOG=log.name, ATTACH_ERRNO=22):
            with self.assertRaises(OSError):
                self.device.session(pidfd, pidfd=True)
            self.assertEqual(log.read(), f"attach {pidfd} 0x4\n")

    def test_end(self):
        """sessions: what has become of a process"""
        child = subprocess.Popen(["sleep", "60"])
        session = self.device.session(child.pid)
        self.assertEqual(session.read(fresh=False).state, "running")
        child.kill()
        child.wait()
        self.assertEqual(session.read().state, "exited")
        with self.assertRaisesRegex(ProcessLookupError, "there is no such task"):
            self.device.session(child.pid)

    def test_errors(self):
        """sessions: rights, flags that exclude each other, too many"""
        with ktap.fake(OTHERS_ERRNO=errno.EACCES):
            with self.assertRaisesRegex(PermissionError, "neither CAP_PERFMON nor CAP_SYS_ADMIN"):
                self.device.session(os.getpid())
        with self.assertRaisesRegex(OSError, "flags that exclude each other"):
            self.device.session(thread=True, children=True)
        with ktap.fake(SESSIONS=0), self.assertRaises(OSError) as caught:
            self.device.session()
        self.assertEqual(caught.exception.errno, errno.ENOSPC)

    def test_view(self):
        """sessions: a view reads, and neither controls the session nor keeps it"""
        session = self.device.session(disabled=True)
        session.enable()
        with session.view() as view:
            self.assertEqual(view.read().figures.slots, ktap.slots(0))
            with self.assertRaisesRegex(OSError, "session is a view"):
                view.enable()
            with self.assertRaisesRegex(OSError, "session is a view"):
                view.view()
            session.close()
            self.assertEqual(view.read().state, "detached")
        with self.assertRaisesRegex(ValueError, "the session is closed"):
            session.read()

    def test_kinds(self):
        """sessions: P-cores and E-cores"""
        with ktap.fake(HYBRID=1):
            session = self.device.session(disabled=True)
            session.enable()
            then, now = session.read(), session.read()
            self.assertEqual(now.core.slots, ktap.slots(0))
            self.assertEqual(now.kind_since(then, "core").slots, ktap.slots(0))
            self.assertEqual(now.kind_since(then, "atom").slots, 0)
            with self.assertRaises(KeyError):
                now.kind_since(then, "mixed")
            with ktap.fake(MERGED=25, INCOMPLETE=1):
                keys = session.read().as_dict()
            self.assertEqual((keys["merged_ns"], keys["incomplete"]), (3 * 10**9 // 4, True))

    def test_map(self):
        """sessions: the map of one"""
        session = self.device.session()
        with session.map() as view:
            seen = view.read()
            # 2 CPUs with 2 steps each.
            self.assertEqual((seen.figures.slots, seen.switches, seen.merged_ns, seen.tasks),
                             (4 * ktap.slots(0), 20, 200, 1))
            self.assertEqual(seen.nodes, frozenset(ktap.RATIOS))
            self.device.close()
            self.assertEqual(view.read().serial, 1)
        with self.assertRaisesRegex(ValueError, "the map is closed"):
            view.read()
        with topdown.Device() as other, ktap.fake(SHARES_BUSY=1):
            with other.session().map() as view, self.assertRaises(BlockingIOError):
                view.read()

    def test_closed(self):
        """sessions: one goes on when the device is closed"""
        with self.device.session() as session:
            self.device.close()
            self.assertEqual(session.read().state, "running")
        self.assertEqual(session.last.serial, 1)


class Regions(unittest.TestCase):
    def setUp(self):
        self.device = topdown.Device()
        self.addCleanup(self.device.close)

    def test_module(self):
        """regions: by the module, nested, and as a decorator"""
        with self.device.regions("module") as regions:
            self.assertEqual(regions.backend, "module")
            self.assertEqual(regions.reason, "it was asked for, or is what AUTO takes")

            @regions.region("decorated")
            def decorated():
                self.assertEqual(regions["decorated"].open, 1)

            for _ in range(3):
                with regions.region("outer"):
                    decorated()
                    with regions.region("inner"):
                        pass
            self.assertEqual(list(regions), ["decorated", "outer", "inner"])
            self.assertEqual([regions[name].count for name in regions], [3, 3, 3])
            inner, outer = regions["inner"], regions["outer"]
            # Each begin and each end reads the session, which is a step.
            self.assertEqual(inner.figures.slots, ktap.slots(0, 3))
            self.assertEqual(outer.figures.slots, ktap.slots(0, 15))
            self.assertEqual((inner.calls, inner.backend, inner.source, inner.level),
                             (6, "module", "perf_metrics", 2))
            self.assertAlmostEqual(inner.figures.ratio("retiring"), 0.4, places=9)
            regions.region("inner").reset()
            self.assertEqual(regions["inner"].count, 0)
        with self.assertRaisesRegex(ValueError, "the regions are closed"):
            regions.region("inner").begin()

    def test_rdpmc(self):
        """regions: by counters in user mode"""
        with ktap.fake(PERF=2), self.device.regions("rdpmc") as regions:
            self.assertEqual(regions.backend, "rdpmc")
            for _ in range(2):
                with regions.region("fast"):
                    pass
            figures = regions["fast"].figures
            self.assertGreater(figures.slots, 0)
            self.assertEqual(figures.slots % 2550000, 0)
            # Bytes that sum to 255 look as if bad speculation had half a step of it.
            self.assertAlmostEqual(figures.ratio("retiring"), 0.2, delta=1 / 255)
        with self.assertRaisesRegex(OSError, "not possible on this machine"):
            self.device.regions("rdpmc")
        with self.assertRaises(ValueError):
            self.device.regions("magic")

    def test_wrong(self):
        """regions: the wrong order, another thread, an empty name"""
        regions = self.device.regions("module")
        outer, inner = regions.region("outer"), regions.region("inner")
        outer.begin()
        inner.begin()
        with self.assertRaisesRegex(OSError, "it is not the region entered last"):
            outer.end()
        with self.assertRaisesRegex(OSError, "it is open"):
            outer.reset()
        with self.assertRaisesRegex(OSError, "an empty name"):
            regions.region("")
        caught = []

        def other():
            try:
                outer.begin()
            except PermissionError as error:
                caught.append(str(error))
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        self.assertIn("regions do not belong to", caught[0])

    def test_error_inside(self):
        """regions: an exception inside ends the run"""
        with self.device.regions("module") as regions:
            with self.assertRaises(ZeroDivisionError), regions.region("x"):
                raise ZeroDivisionError
            self.assertEqual((regions["x"].count, regions["x"].open), (1, 0))
            self.assertEqual(regions["x"].as_dict()["region"], "x")

    def test_lifetime(self):
        """regions: closed with the device, in any order"""
        regions = self.device.regions("module")
        region = regions.region("x")
        reading = self.device.read()
        with unittest.mock.patch("topdown.library.ask", wraps=topdown.library.ask) as asked:
            self.device.close()
        self.assertEqual([call.args[0] for call in asked.call_args_list], [
            "topdown_reading_destroy", "topdown_regions_destroy", "topdown_close"])
        del reading
        gc.collect()
        with self.assertRaisesRegex(ValueError, "the device is closed"):
            region.begin()
        regions.close()
        del regions, region
        gc.collect()

    def test_dropped(self):
        """regions: another thread collects them while one waits for watch events"""
        self.device.watch_windows()
        regions = self.device.regions("module")
        ended = []

        def wait():
            try:
                self.device.wait(60)
            except OSError as error:
                ended.append(error.errno)
        waiting = threading.Thread(target=wait)
        waiting.start()
        while self.device._handle.lock.acquire(blocking=False):
            self.device._handle.lock.release()
        del regions
        gc.collect()
        self.assertEqual(ended, [])
        self.device.cancel()
        waiting.join()
        self.assertEqual(ended, [errno.ECANCELED])

    def test_process(self):
        """regions: a program that ends in the middle ends well"""
        code = ("import topdown; device = topdown.Device(); regions = device.regions('module');"
                "regions.region('x').begin(); then = device.read(); view = device.map()")
        subprocess.run([sys.executable, "-X", "dev", "-c", code], check=True)


if __name__ == "__main__":
    ktap.main()
