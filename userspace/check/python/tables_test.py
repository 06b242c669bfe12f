# SPDX-License-Identifier: GPL-2.0
"""Rows of numpy and frames of pandas: topdown.rows(), topdown.frame()."""
import sys
import unittest
import unittest.mock

import ktap
import topdown

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with topdown.Device() as device:
            then = device.read()
            with ktap.fake(LEVEL=1):
                cls.level1 = device.read()[0].total
            cls.now = device.read()
            cls.span = cls.now.since(then)

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_rows(self):
        """tables: numpy rows have exact counts and ratios"""
        rows = topdown.rows([*self.span.values(), self.level1])
        self.assertEqual(rows.dtype, topdown.dtype())
        self.assertEqual(list(rows["slots"][:4]), [ktap.slots(cpu, 2) for cpu in range(4)])
        self.assertEqual(rows["slots"].dtype, numpy.uint64)
        self.assertEqual(list(rows["enabled_ns"][:4]), [2 * 10**9] * 4)
        for name, ratio in ktap.RATIOS.items():
            numpy.testing.assert_allclose(rows[name][:4], ratio, atol=1e-9)
        self.assertTrue(numpy.isnan(rows["tma_core_bound"][4]))
        self.assertTrue(numpy.isnan(rows["tma_resource_bound"]).all())
        numpy.testing.assert_allclose(rows["ipc"], 1.5)
        numpy.testing.assert_allclose(rows["running"], 1)
        self.assertEqual(topdown.rows([]).shape, (0,))
        # 2**63 and more is no float and no int64.
        raw = self.level1.raw
        raw.slots = 2**64 - 1
        self.assertEqual(int(topdown.rows([topdown.Figures(raw)])["slots"][0]), 2**64 - 1)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_frame(self):
        """tables: pandas frames of spans, records, windows and sessions"""
        frame = topdown.frame(self.span)
        self.assertEqual(list(frame["cpu"].dropna()), [0, 1, 2, 3])
        self.assertTrue(frame["cpu"].isna()[0])
        self.assertEqual(frame["slots"][0], sum(ktap.slots(cpu, 2) for cpu in range(4)))
        for name in [node.name for node in topdown.nodes()] + ["ipc", "running", "busy"]:
            self.assertEqual(str(frame[name].dtype), "float64", name)
        self.assertAlmostEqual(frame["tma_fetch_latency"].mean(), 0.06, places=9)
        self.assertTrue(frame["tma_smt_contention"].isna().all())
        with topdown.Device() as device, device.map() as view, device.session() as session:
            windows = topdown.frame(view.windows(1))
            self.assertEqual(windows["slots"].iloc[-1], ktap.slots(1))
            self.assertEqual(topdown.frame([session.read()])["state"][0], "running")
            self.assertEqual(topdown.frame(device.read().values()).shape[0], 4)
        self.assertEqual(topdown.frame([{"cpu": None}, {"cpu": 7}])["cpu"].iloc[1], 7)

    def test_without(self):
        """tables: all else works where there is no numpy and no pandas"""
        with unittest.mock.patch.dict(sys.modules, {"numpy": None, "pandas": None}):
            for function in (topdown.rows, topdown.frame):
                with self.assertRaises(ImportError):
                    function([])


if __name__ == "__main__":
    ktap.main()
