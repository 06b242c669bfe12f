# SPDX-License-Identifier: GPL-2.0
"""KTAP for tests that are classes of unittest, and what they share."""
import contextlib
import os
import sys
import unittest


class Result(unittest.TestResult):
    """Prints a line for each test, with what went wrong before it."""

    def line(self, word, test, end=""):
        name = test.shortDescription() or test.id()
        print(f"{word} {self.testsRun} {name}{end}", flush=True)

    def bad(self, test, error):
        for text in self._exc_info_to_string(error, test).splitlines():
            print(f"# {text}")
        self.line("not ok", test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line("ok", test)

    def addError(self, test, err):
        super().addError(test, err)
        self.bad(test, err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.bad(test, err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line("ok", test, f" # SKIP {reason}")


def main():
    """Run the tests of the program."""
    result = Result()
    unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]).run(result)
    print(f"1..{result.testsRun}")
    sys.exit(not result.wasSuccessful())


@contextlib.contextmanager
def fake(**settings):
    """Set variables of the stand-in for the kernel, FAKE_NAME, meanwhile."""
    names = {f"FAKE_{name}": str(value) for name, value in settings.items()}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


#: What the stand-in counts on CPU n in a step of 1 s.
def slots(cpu, steps=1):
    """Its slots."""
    return steps * 6000000000 // 100 * (100 - cpu)


#: The ratios of its nodes.
RATIOS = {"tma_retiring": 0.40, "tma_bad_speculation": 0.05, "tma_frontend_bound": 0.10,
          "tma_backend_bound": 0.45, "tma_heavy_operations": 0.10, "tma_light_operations": 0.30,
          "tma_branch_mispredicts": 0.04, "tma_machine_clears": 0.01, "tma_fetch_latency": 0.06,
          "tma_fetch_bandwidth": 0.04, "tma_memory_bound": 0.30, "tma_core_bound": 0.15}
