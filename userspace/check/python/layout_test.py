# SPDX-License-Identifier: GPL-2.0
"""topdown.abi and topdown.library are what a C compiler makes of the headers.

ABI_DUMP is the output of ../abi/abi-dump.sh.
"""
import ctypes
import os
import re
import unittest

import ktap
from topdown import abi, library

with open(os.environ["ABI_DUMP"], encoding="ascii") as dump:
    LINES = dump.read().splitlines()

TYPES = {"__u16": ctypes.c_uint16, "__s32": ctypes.c_int32,
         "__u32": ctypes.c_uint32, "uint32_t": ctypes.c_uint32, "__u64": ctypes.c_uint64,
         "__aligned_u64": ctypes.c_uint64, "unsigned int": ctypes.c_uint32,
         "uint64_t": ctypes.c_uint64, "size_t": ctypes.c_size_t, "int": ctypes.c_int,
         "double": ctypes.c_double, "_Bool": ctypes.c_bool, "void": None,
         "char": ctypes.c_char}

#: Arguments of ioctls and maps, which the library takes apart.
OTHER_STRUCTS = {"topdown_read", "topdown_attach",
                 "topdown_control", "topdown_map", "topdown_map_record", "topdown_map_window",
                 "topdown_share", "topdown_sums",
                 "topdown_session_map", "topdown_latency_start", "topdown_latency_read",
                 "topdown_latency_event",
                 "topdown_stall_raw", "topdown_stall_attr", "topdown_stall_field",
                 "topdown_stalls_map", "topdown_owners", "topdown_owners_read"}
#: topdown_watch_read() and topdown_info_get() say the same.  Raw encodings are for C.
OTHER_FUNCTIONS = {"topdown_watch_wait", "topdown_has", "topdown_latencies_start_raw",
                   "topdown_stall_decode",
                   "topdown_stall_sample", "topdown_stall_field_get", "topdown_stall_layout_name",
                   "topdown_stalls_chain", "topdown_stalls_map_next"}
#: Commands of the device, and of the library's own.
OTHER_DEFINES = {"READ_TOTAL", "READ_MAPPED", "WATCH_REMOVE", "SESSION_MAP_MAGIC"}
FAMILIES = ("FEATURE_", "INFO_", "READ_", "RECORD_", "ATTACH_", "SESSION_", "WATCH_",
            "EVENT_", "MAX_", "NR_", "RATIO_", "CPU_", "CPUS_")


def structs():
    """Name to (size, {field: (offset, size, type)})."""
    found = {}
    for line in LINES:
        whole = re.fullmatch(r"struct (\w+) (\d+)", line)
        if whole:
            found.setdefault(whole[1], [0, {}])[0] = int(whole[2])
        field = re.fullmatch(r"struct (\w+)\.(\w+) at (\d+), (\d+) of (.*)", line)
        if field:
            found.setdefault(field[1], [0, {}])[1][field[2]] = (
                int(field[3]), int(field[4]), field[5])
    return found


def numbers():
    """Name without TOPDOWN_ to value: of macros and of enumerations."""
    found = {}
    for line in LINES:
        value = re.fullmatch(r"enum[^.]*\.TOPDOWN_(\w+) (-?\d+)", line)
        macro = re.fullmatch(r"define TOPDOWN_(\w+) (.*)", line)
        if value:
            found[value[1]] = int(value[2])
        elif macro:
            found[macro[1]] = re.sub(r"\b(0x[0-9a-f]+|\d+)U?L*\b", r"\1", macro[2])
    plain = {f"TOPDOWN_{name}": value for name, value in found.items()}
    for name, value in found.items():
        if isinstance(value, str) and re.fullmatch(r"[\w\s()<|]+", value):
            for _ in range(2):
                value = re.sub(r"TOPDOWN_\w+", lambda at: str(plain.get(at[0])), value)
            if re.fullmatch(r"[\dxa-f\s()<|]+", value):
                found[name] = eval(value)
    return found


def functions():
    """Name to (result, [parameter]), as types of C."""
    found = {}
    for line in LINES:
        at = re.fullmatch(r"function (.*?)\b(topdown_\w+)\((.*)\)", line)
        if at:
            parameters = [] if at[3] == "void" else at[3].split(", ")
            found[at[2]] = (at[1].strip(), [re.match(r"(.*?)\w+$", one)[1].strip()
                                            for one in parameters])
    return found


def matches(c_type, python):
    """Whether a parameter or a result of ctypes is that of C."""
    c_type = c_type.replace("const ", "").strip()
    pointer = re.fullmatch(r"(.*?) ?(\*+)", c_type)
    if not pointer:
        return python is (abi.c_enum if c_type.startswith("enum ") else TYPES[c_type])
    if pointer[2] == "**":
        return python is ctypes.POINTER(ctypes.c_void_p) or (
            pointer[1] == "char" and python is ctypes.POINTER(ctypes.c_char_p))
    if pointer[1] == "char":
        return python is ctypes.c_char_p
    if pointer[1].startswith("struct "):
        known = abi.STRUCTS.get(pointer[1].split()[1])
        return python is (ctypes.POINTER(known) if known else ctypes.c_void_p)
    if pointer[1].startswith("enum "):
        return python is ctypes.POINTER(abi.c_enum)
    return python is ctypes.POINTER(TYPES[pointer[1]])


class Layout(unittest.TestCase):
    def test_structs(self):
        """layout: each structure has the size of C, and its fields their places and types"""
        for name, python in abi.STRUCTS.items():
            size, fields = structs()[name]
            self.assertEqual(ctypes.sizeof(python), size, name)
            self.assertEqual([field for field, _ in python._fields_], list(
                sorted(fields, key=lambda field: fields[field][0])), name)
            for field, kind in python._fields_:
                place = getattr(python, field)
                self.assertEqual((place.offset, place.size), fields[field][:2],
                                 f"{name}.{field}")
                c_type = fields[field][2]
                element = getattr(kind, "_type_", None) if hasattr(kind, "_length_") else kind
                if c_type.startswith("struct "):
                    self.assertIs(element, abi.STRUCTS[c_type.split()[1]], f"{name}.{field}")
                else:
                    self.assertIs(element, TYPES[c_type], f"{name}.{field}")

    def test_all_structs(self):
        """layout: no structure that programs see is missing"""
        self.assertEqual(set(structs()) - OTHER_STRUCTS, set(abi.STRUCTS))
        self.assertGreater(len(structs()), 15)

    def test_numbers(self):
        """layout: each number is that of C"""
        known = numbers()
        ours = {name: value for name, value in vars(abi).items()
                if name.isupper() and isinstance(value, int)}
        self.assertGreater(len(ours), 40)
        for name, value in ours.items():
            self.assertEqual(value, known.get(name), name)

    def test_all_numbers(self):
        """layout: no number that programs see is missing"""
        wanted = {name for name, value in numbers().items()
                  if name.startswith(FAMILIES) and name not in OTHER_DEFINES
                  and not re.match(r"SESSION_STATE_(RUNNING|DISABLED|EXITED|ENDED)", name)}
        self.assertGreater(len(wanted), 35)
        self.assertEqual(wanted - set(vars(abi)), set())

    def test_functions(self):
        """layout: each function has the parameters and the result of C"""
        known = functions()
        for name, (result, *parameters) in library.PROTOTYPES.items():
            self.assertIn(name, known)
            self.assertTrue(matches(known[name][0], result), f"result of {name}")
            self.assertEqual(len(parameters), len(known[name][1]), name)
            for c_type, python in zip(known[name][1], parameters):
                self.assertTrue(matches(c_type, python), f"{name}: {c_type} is no {python}")
            self.assertIsNotNone(library.function(name))

    def test_all_functions(self):
        """layout: no function of the library is missing"""
        self.assertEqual(set(functions()) - OTHER_FUNCTIONS, set(library.PROTOTYPES))


if __name__ == "__main__":
    ktap.main()
