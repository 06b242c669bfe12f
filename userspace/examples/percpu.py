#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Where the pipeline slots of each CPU go, in one second: level 1.

Needs libtopdown.so.1 alone: functions that take or give no structure, and
struct topdown_figures.
"""
import ctypes
import os
import sys
import time
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_uint32, c_uint64, c_void_p

READ_FRESH = 1  # TOPDOWN_READ_FRESH
MAX_NODES = 16  # TOPDOWN_MAX_NODES
NR_PARENTS = 4  # TOPDOWN_NR_PARENTS


class Figures(ctypes.Structure):
    """struct topdown_figures"""
    _fields_ = [("enabled_ns", c_uint64), ("running_ns", c_uint64), ("slots", c_uint64),
                ("reserved", c_uint64 * 3), ("children_slots", c_uint64 * NR_PARENTS),
                ("node", c_uint64 * MAX_NODES), ("ratio", c_uint32 * MAX_NODES)]


def load():
    """The library, with the types of what is used here."""
    lib = ctypes.CDLL("libtopdown.so.1")
    for name, result, *arguments in (
            ("topdown_open", c_int, POINTER(c_void_p), c_char_p),
            ("topdown_close", None, c_void_p),
            ("topdown_reading_create", c_int, POINTER(c_void_p), c_void_p, c_void_p, c_uint32),
            ("topdown_reading_destroy", None, c_void_p),
            ("topdown_reading_update", c_int, c_void_p, c_uint32),
            ("topdown_reading_nr", c_uint32, c_void_p),
            # A record begins with the number of its CPU.
            ("topdown_reading_record", POINTER(c_uint32), c_void_p, c_uint32),
            ("topdown_reading_between", c_int, c_void_p, c_void_p, c_uint32, c_uint32,
             POINTER(Figures)),
            ("topdown_figures_ratio", c_double, POINTER(Figures), c_uint32),
            ("topdown_node_name", c_char_p, c_uint32),
            ("topdown_node_level", c_uint32, c_uint32)):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def need(ret):
    """All functions that can fail return a negative errno."""
    if ret < 0:
        raise OSError(-ret, os.strerror(-ret))


def reading(lib, device):
    """All CPUs, until now."""
    new = c_void_p()
    need(lib.topdown_reading_create(byref(new), device, None, 0))
    need(lib.topdown_reading_update(new, READ_FRESH))
    return new


def main():
    lib = load()
    device = c_void_p()
    need(lib.topdown_open(byref(device), None))
    then = reading(lib, device)
    time.sleep(1)
    now = reading(lib, device)
    nodes = [node for node in range(MAX_NODES) if lib.topdown_node_level(node) == 1]
    print("cpu", *(lib.topdown_node_name(node).decode() for node in nodes))
    for i in range(lib.topdown_reading_nr(now)):
        cpu, figures = lib.topdown_reading_record(now, i)[0], Figures()
        need(lib.topdown_reading_between(then, now, cpu, 1, byref(figures)))
        # "nan" is a node that this CPU does not have.
        print(cpu, *(f"{lib.topdown_figures_ratio(byref(figures), node):.3f}"
                     for node in nodes))
    lib.topdown_reading_destroy(now)
    lib.topdown_reading_destroy(then)
    lib.topdown_close(device)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"percpu: {error}")
