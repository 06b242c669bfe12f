# SPDX-License-Identifier: GPL-2.0
"""Files of topdown record, by topdown-record(5): topdown.Recording.

RECORDING is one that the command has written, and RECORDING_SLOTS what the command says that it
has of all CPUs; without the command there is none.
"""
import os
import struct
import tempfile
import unittest
import zlib

import ktap
import topdown

try:
    import pandas
except ImportError:
    pandas = None

HOUR = 3600 * 10**9
BEGIN = (1000, HOUR, 2000)


def figures(slots, ns=10**9):
    """A struct topdown_figures of level 1: a quarter for each node."""
    node = [slots // 4] * 4 + [0] * 20
    ratio = [250000000] * 4 + [0xffffffff] * 20
    return struct.pack("<6Q8Q24Q24I", ns, ns, slots, 0, 0, 0, *[slots] * 4, *[0] * 4, *node,
                       *ratio)


def record(cpu, windows, time_ns):
    return struct.pack("<10I5Q", cpu, 0, 1, 1, 0, 6, 1, 0, 0, 0, 15, 0, windows, time_ns,
                       time_ns) + figures(800) + figures(400)


def window(cpu, number, time_ns, slots, flags=0):
    return struct.pack("<6I4Q", cpu, 1, 1, flags, 0, 0, number, time_ns, 15, 0) + figures(slots)


def array(*entries, grow=0):
    entries = [entry + b"\x5a" * grow for entry in entries]
    return struct.pack("<II", len(entries[0]), len(entries)) + b"".join(entries)


def info(subject=1, past=0, nr_cpus=2):
    return struct.pack("<II6Q12I72s72s64s64s48s48s", subject, past, 1023, 77, 88, *BEGIN,
                       nr_cpus, 1, 1, 1, 6, 1000, 0, 4, 6, 143, 8, 0, b"host", b"6.12",
                       b"A CPU", b"lake", b"1.0", b"1.0")


def end(windows, lost=0):
    return struct.pack("<5Q2I", 9, 9, 9, windows, lost, 0, 0)


def file(*blocks, version=1):
    """Bytes of a file with these blocks: (type, payload)."""
    start = b"tdrecord" + struct.pack("<I", version)
    out = start + struct.pack("<I", zlib.crc32(start))
    for number, (kind, payload) in enumerate(blocks, 1):
        head = struct.pack("<III", kind, len(payload), number)
        out += head + struct.pack("<I", zlib.crc32(payload, zlib.crc32(head))) + payload
    return out


CPU = struct.pack("<I3i6I", 1, 3, 0, 0, 0, 1, 1, 6, 0, 0)
EDGE = figures(100, 10**8) + record(1, 7, 5 * 10**9)
CPUS = ((1, info()), (2, b"topdown\0record\0\0"), (3, array(CPU)), (4, array(EDGE)),
        (5, array(window(1, 8, 6 * 10**9, 400), window(1, 9, 7 * 10**9, 800, flags=8))),
        (6, array(struct.pack("<2I2Q", 1, 0, 10, 3))),
        (99, b"\x5a" * 16), (5, array(window(1, 13, 11 * 10**9, 1200), window(1, 0, 1, 40))),
        (9, array(EDGE)), (10, end(3, 3)))
SAMPLE = struct.pack("<6I4Q", 0, 0, 1, 1, 0, 0, 5000, 9000, 1, 2) + figures(4000) * 3
TASKS = ((1, info(2)), (7, array(struct.pack("<I2i3I64s", 0, 42, 0, 0, 1, 0, b"sleep"))),
         (8, array(SAMPLE, SAMPLE)), (10, end(2)))


def owner(number, what, name, parent=None, level=0):
    return struct.pack("<II2Q4I128s", number, what, 100 + number, 7,
                       number if parent is None else parent, level, 0, 0, name)


def owned(*shares, grow=0):
    head = struct.pack("<6I2Q", 40 + grow, 424 + grow, len(shares), 1, 0, 500, 5000, 9000)
    return head + b"\x5a" * grow + b"".join(share + b"\x5a" * grow for share in shares)


def share(number, slots, flags=0):
    return struct.pack("<4IQ", number, flags, 1, 1, 3) + figures(slots)


OWNERS = ((1, info()), (14, owned()),
          (13, array(owner(0, 2, b""), owner(1, 1, b""), owner(2, 1, b"a", 1, 1),
                     owner(3, 1, b"b", 2, 2), owner(4, 0, b"sh"))),
          (14, owned(share(0, 40), share(3, 400), share(4, 800))),
          (13, array(owner(4, 0, b"make"))), (14, owned(share(4, 80, 1))), (10, end(0)))


class Recordings(unittest.TestCase):
    def read(self, data, **options):
        with tempfile.NamedTemporaryFile() as path:
            path.write(data)
            path.flush()
            return topdown.Recording(path.name, **options)

    def test_cpus(self):
        """recordings: windows, what was lost, and what is not known yet"""
        seen = self.read(file(*CPUS))
        self.assertTrue(seen.whole)
        self.assertEqual(seen.command, ["topdown", "record"])
        self.assertEqual(seen.lost, {1: 3})
        self.assertEqual([piece.number for piece in seen], [8, 9, 13, 0])
        # The first window was open when the recording began.
        self.assertEqual([piece.figures.slots for piece in seen], [300, 800, 1200, 40])
        self.assertEqual(seen.pieces[0].figures.enabled_ns, 9 * 10**8)
        self.assertEqual(seen.pieces[0].figures.ratios, {
            "tma_retiring": 0.25, "tma_bad_speculation": 0.25, "tma_frontend_bound": 0.25,
            "tma_backend_bound": 0.25})
        self.assertEqual((seen.pieces[1].begin_ns, seen.pieces[1].end_ns), (6 * 10**9, 7 * 10**9))
        self.assertEqual(seen.pieces[1].flags, {"drilldown"})
        self.assertEqual(seen.cpus[0]["core_id"], 3)
        self.assertEqual((seen.info["host"], seen.info["codename"], seen.info["period_ms"],
                          seen.info["subject"]), ("host", "lake", 1000, "cpus"))
        self.assertEqual(str(seen.time(1000 + 10**9)), "1970-01-01 01:00:01+00:00")

    def test_past(self):
        """recordings: with the windows from before, one that was open is whole"""
        seen = self.read(file((1, info(past=1)), *CPUS[1:]))
        self.assertEqual([piece.figures.slots for piece in seen], [400, 800, 1200, 40])
        self.assertEqual(seen.pieces[0].begin_ns, 5 * 10**9)

    def test_tasks(self):
        """recordings: samples of tasks"""
        seen = self.read(file(*TASKS))
        self.assertEqual(seen.tasks, [{"pid": 42, "tid": 0, "name": "sleep"}])
        self.assertEqual([(one["pid"], one["slots"], one["begin_ns"]) for one in seen.as_dicts()],
                         [(42, 4000, 5000)] * 2)

    def test_owners(self):
        """recordings: processes and cgroups, with their paths and last names"""
        for grow in 0, 8:
            blocks = [(14, owned(share(3, 400), grow=grow)) if payload == OWNERS[3][1] else
                      (kind, payload) for kind, payload in OWNERS] if grow else OWNERS
            seen = self.read(file(*blocks))
            self.assertEqual([(one["what"], one["name"], one["path"]) for one in seen.owners],
                             [("idle", "idle", ""), ("cgroup", "", "/"), ("cgroup", "a", "/a"),
                              ("cgroup", "b", "/a/b"), ("process", "make", "")])
            self.assertEqual([(one.owner, one.figures.slots, one.exited) for one in seen.shares],
                             [(3, 400, False), (4, 80, True)] if grow else
                             [(0, 40, False), (3, 400, False), (4, 800, False), (4, 80, True)])
        self.assertEqual((seen.owners[4]["id"], seen.owners[4]["start_ns"]), (104, 7))
        self.assertEqual((seen.shares[0].begin_ns, seen.shares[0].end_ns, seen.shares[0].switches),
                         (5000, 9000, 3))

    def test_longer(self):
        """recordings: structures of a later release are longer"""
        seen = self.read(file((1, info() + b"\x5a" * 8), (4, array(EDGE, grow=16)),
                              (5, array(window(1, 8, 6 * 10**9, 400), grow=8)), (10, end(1))))
        self.assertEqual([piece.figures.slots for piece in seen], [300])

    def test_damaged(self):
        """recordings: each byte changed, and each end cut off, is an error"""
        for whole in (file(*CPUS), file(*TASKS), file(*OWNERS)):
            for at in range(len(whole)):
                changed = bytearray(whole)
                changed[at] ^= 0x10
                with self.assertRaises(topdown.RecordingError, msg=f"byte {at}"):
                    self.read(bytes(changed))
            for size in range(len(whole)):
                with self.assertRaises(topdown.RecordingError, msg=f"{size} bytes"):
                    self.read(whole[:size])

    def test_partial(self):
        """recordings: what there is of a file that was cut off"""
        whole = file(*CPUS)
        self.assertEqual(len(self.read(whole[:-70], partial=True)), 4)
        self.assertFalse(self.read(whole[:-70], partial=True).whole)
        with self.assertRaisesRegex(topdown.RecordingError, "no recording"):
            self.read(whole[:10], partial=True)

    def test_zeros(self):
        """recordings: a file whose last sectors are zero, as after a power failure"""
        whole = file(*CPUS)
        sector = (len(whole) - 1) // 512 * 512
        for start in (sector, sector - 40):
            zeros = whole[:start].ljust(len(whole), b"\0")
            seen = self.read(zeros, partial=True)
            self.assertFalse(seen.whole)
            self.assertEqual(seen.cpus[0]["cpu"], 1)
            with self.assertRaisesRegex(topdown.RecordingError, "checksum is wrong"):
                self.read(zeros)
        # A few bytes are damage.
        with self.assertRaisesRegex(topdown.RecordingError, "checksum is wrong"):
            self.read(whole[:-60].ljust(len(whole), b"\0"), partial=True)

    def test_clock(self):
        """recordings: the time of day after a suspend of an hour"""
        at = 7 * 10**9 + 5 * 10**8
        jump = struct.pack("<3Q", at, 2 * HOUR + at, HOUR + at)
        seen = self.read(file(*CPUS[:5], (11, jump), (5, array(window(1, 10, 8 * 10**9, 800))),
                              (10, end(3))))
        self.assertEqual([str(piece.time)[11:] for piece in seen],
                         ["01:00:05.999999+00:00", "01:00:06.999999+00:00", "02:00:08+00:00"])
        self.assertEqual(seen.time(0), seen.info["begin"] - (seen.time(1000) - seen.time(0)))

    def test_impossible(self):
        """recordings: what makes no sense, with the block"""
        late = window(1, 10, 7 * 10**9, 1)
        for words, blocks in {
                "block 2 makes no sense: a window is missing": [
                    CPUS[0], (5, array(window(1, 8, 1, 1), late)), (10, end(2))],
                "block 3 makes no sense: a window is missing": [
                    CPUS[0], (5, array(late)), (10, end(2))],
                "no such CPU": [CPUS[0], (5, array(window(2, 8, 1, 1)))],
                "no such task": [TASKS[0], TASKS[2]],
                "no such owner": [CPUS[0], OWNERS[3]],
                "an owner is missing": [CPUS[0], (13, array(owner(1, 0, b"")))],
                "no such kind of owner": [CPUS[0], (13, array(owner(0, 5, b"")))],
                "parts are not as long": [CPUS[0], (14, owned(share(0, 1)) + b"\0" * 8)],
                "neither of CPUs nor of tasks": [(1, info(3))],
                "first, and once": [CPUS[0], CPUS[0]],
                "another size": [CPUS[0], (5, struct.pack("<II", 456, 2) + late)],
                "block 3 makes no sense: its clock goes back": [
                    CPUS[0], (11, struct.pack("<3Q", 9, 9, 9)), (11, struct.pack("<3Q", 9, 8, 9))],
                "after the end": [CPUS[0], (10, end(0)), CPUS[1]],
                "it has CPUs and tasks": [CPUS[0], TASKS[1], TASKS[2]],
                "block 2 makes no sense: it has CPUs": [TASKS[0], CPUS[4]],
                "its end is missing": [CPUS[0]]}.items():
            with self.assertRaisesRegex(topdown.RecordingError, words):
                self.read(file(*blocks))
        with self.assertRaisesRegex(topdown.RecordingError, "version is 2"):
            self.read(file(*CPUS, version=2))
        with self.assertRaises(FileNotFoundError):
            topdown.Recording("/none")

    def test_deep(self):
        """recordings: the paths of deep cgroups cost no more than others"""
        names = [owner(i, 1, b"x" * 127, max(i - 1, 0), 1) for i in range(2000)]
        seen = self.read(file(CPUS[0], (13, array(*names)), (10, end(0))))
        self.assertEqual(seen.owners[1]["path"], f"/{'x' * 127}/{'x' * 127}")
        self.assertEqual(len(seen.owners[-1]["path"]), 64 * 128)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_frame(self):
        """recordings: a pandas frame"""
        frame = topdown.frame(self.read(file(*CPUS)))
        self.assertEqual(list(frame["slots"]), [300, 800, 1200, 40])
        self.assertEqual(str(frame["time"].dtype), "datetime64[ns, UTC]")
        self.assertEqual(frame.set_index("time")["tma_retiring"].mean(), 0.25)
        self.assertEqual(list(topdown.frame(self.read(file(*TASKS)))["name"]), ["sleep"] * 2)

    def test_command(self):
        """recordings: what the command writes has the slots that it reports"""
        path = os.environ.get("RECORDING")
        if path:
            seen = topdown.Recording(path)
            self.assertTrue(seen.whole and seen.info["host"] and seen.command)
            total = topdown.Figures.sum(piece.figures for piece in seen)
            self.assertEqual(total.slots, int(os.environ["RECORDING_SLOTS"]))
            self.assertAlmostEqual(total.ratio("retiring"), 0.4, places=6)


if __name__ == "__main__":
    ktap.main()
