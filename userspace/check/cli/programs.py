#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Whether a program of "topdown verify" executes what its bands are derived from.

  programs.py TOPDOWN NAME

Runs the program, steps through it from outside one instruction at a time, disassembles what it
executed, and looks at the memory that it made.  Prints what it executed, and each thing that does
not fit userspace/cli/verify/bands.c.  Exits with 1 then, and with 4 if it may not trace.
"""
import ctypes
import errno
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
from array import array
from collections import Counter

SINGLESTEP, GETREGS, GETFPREGS, SEIZE, INTERRUPT = 9, 12, 14, 0x4206, 0x4207
EXITKILL = 1 << 20
REGISTERS = ("r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags "
             "rsp ss fs_base gs_base ds es fs gs").split()
LINE = 64
MB = 1024 * 1024
MEMORY = 64 * MB
# They use no more than a quarter of what is free, and it may become less.
FREE = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 8
# From prctl(), which gives the program its name, to its loop.
WARM_UP = 1000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
problems = []


def must(good, text):
    if not good:
        problems.append(text)


class Program:
    """A program that runs, stopped in its loop."""

    def __init__(self, topdown, name):
        self.child = subprocess.Popen([topdown, "verify", "--memory", str(MEMORY // 1024),
                                       "--execute", name])
        self.pid = self.child.pid
        self.registers = array("Q", bytes(8 * len(REGISTERS)))
        self.floats = array("B", bytes(512))
        try:
            # Whatever happens to us, it goes with us.
            self.ptrace(SEIZE, EXITKILL)
        except OSError:
            self.end()
            raise
        while self.file("comm") != f"td-{name}\n":
            must_run(self.child)
            time.sleep(0.01)
        self.ptrace(INTERRUPT, 0)
        self.wait()
        self.trace(WARM_UP)

    def ptrace(self, request, data):
        if libc.ptrace(request, self.pid, None, data) < 0:
            raise OSError(ctypes.get_errno(), "ptrace")

    def wait(self):
        status = os.waitpid(self.pid, 0)[1]
        if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) != signal.SIGTRAP:
            sys.exit(f"it ends or gets a signal: wait status {status:#x}")

    def file(self, name):
        with open(f"/proc/{self.pid}/{name}", encoding="ascii") as file:
            return file.read()

    def get(self, name):
        self.ptrace(GETREGS, self.registers.buffer_info()[0])
        return self.registers[REGISTERS.index(name)]

    def step(self):
        self.ptrace(SINGLESTEP, 0)
        self.wait()
        return self.get("rip")

    def trace(self, steps):
        return [self.step() for _ in range(steps)]

    def step_to(self, addresses):
        while self.step() not in addresses:
            pass

    def float_registers(self):
        self.ptrace(GETFPREGS, self.floats.buffer_info()[0])
        return self.floats.tobytes()

    def read(self, start, size):
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:
            memory.seek(start)
            return memory.read(size)

    def mapping(self, address):
        """What is mapped there: permissions, file, and where in the file the address is."""
        for line in self.file("maps").splitlines():
            start, end, rights, offset, device, inode = re.match(
                r"(\w+)-(\w+) (\S+) (\w+) (\S+) (\d+)", line).groups()
            if int(start, 16) <= address < int(end, 16):
                return rights, (device, inode), int(offset, 16) + address - int(start, 16)
        return "----", None, None

    def end(self):
        self.child.kill()
        self.child.wait()


def must_run(child):
    if child.poll() is not None:
        sys.exit(f"it ends with status {child.returncode}")


def disassemble(program, addresses):
    """The text of each instruction executed, by its address."""
    start, size = min(addresses), max(addresses) - min(addresses) + 16
    with tempfile.NamedTemporaryFile() as file:
        file.write(program.read(start, size))
        file.flush()
        lines = subprocess.run(
            ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn",
             f"--adjust-vma={start:#x}", file.name], check=True, stdout=subprocess.PIPE,
            text=True).stdout.splitlines()
    found = {}
    for line in lines:
        match = re.match(r" *([0-9a-f]+):\t(.*)", line)
        if match:
            found[int(match[1], 16)] = " ".join(match[2].split("#")[0].split())
    return {address: found.get(address, "(bad)") for address in addresses}


def passes_of(trace):
    """The addresses of each pass of the loop, from its lowest address on."""
    head = min(trace)
    starts = [index for index, address in enumerate(trace) if address == head]
    return [trace[a:b] for a, b in zip(starts, starts[1:])]


def show(texts, steps):
    kinds = Counter(text.split()[0] for text in texts)
    print(f"{steps} steps, a pass of {len(texts)}: "
          + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))


def loop_of(program, steps):
    """A loop without branches: its addresses and texts, of one pass."""
    passes = passes_of(program.trace(steps))
    must(passes and all(one == passes[0] for one in passes), "it is no loop of one way")
    addresses = passes[0] if passes else [program.get("rip")]
    texts = disassemble(program, set(addresses))
    texts = [texts[address] for address in addresses]
    show(texts, steps)
    must(re.fullmatch(f"jmp {addresses[0]:#x}", texts[-1]), f"the last is '{texts[-1]}'")
    return addresses, texts


def cycle_of_lines(start, successor, least):
    """Follow a cycle through memory: it has each line once, and no order."""
    lines, at = [], start
    for _ in range(MEMORY // LINE + 1):
        lines.append(at // LINE)
        at = successor(at)
        if at == start or at is None:
            break
    low = min(lines)
    must(at == start, f"no cycle: after {len(lines)} lines it is elsewhere")
    must(sorted(lines) == list(range(low, low + len(lines))), "it does not have each line once")
    must(len(lines) * LINE >= min(least, FREE), f"{len(lines)} lines are too few")
    by = [b - a for a, b in zip(lines, lines[1:])]
    near = sum(abs(distance) < 64 for distance in by) / len(lines)
    same = sum(a == b for a, b in zip(by, by[1:])) / len(lines)
    must(near < 0.01, f"{near:.1%} go to the same page")
    must(same < 0.01, f"{same:.1%} go as far as the one before")
    print(f"a cycle of {len(lines)} lines, {near:.2%} of them to the same page")


class Memory:
    """All that the program has made, as it is read once."""

    def __init__(self, program, address):
        for line in program.file("maps").splitlines():
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if start <= address < end:
                self.start, self.bytes = start, program.read(start, min(end - start, 2 * MEMORY))

    def unpack(self, form, address):
        offset = address - self.start
        if not 0 <= offset < len(self.bytes) - 8:
            return None
        return struct.unpack_from(form, self.bytes, offset)


def additions(program):
    texts = loop_of(program, 2000)[1]
    adds = [text for text in texts if re.fullmatch(r"add \$0x1,%r\w+", text)]
    must(len(adds) == 64 and texts.count("nop") == 64 and len(texts) == 129,
         "not 64 additions, 64 nops and a jump")
    must(all(len(set(adds[i:i + 4])) == 4 for i in range(len(adds) - 3)),
         "additions wait for one another")
    must(all("nop" in pair for pair in zip(texts, texts[1:-1])), "additions follow each other")


def divisions(program):
    texts = loop_of(program, 2000)[1]
    chain = re.match(r"movapd (%xmm\d+),(%xmm\d+)\ndivsd %xmm(\d+),\2\nmovapd \2,%xmm\3\n",
                     "\n".join(texts))
    must(chain and texts[:-1] == texts[:3] * 16 and chain[1] != f"%xmm{chain[3]}",
         "no chain of 16 divisions, each of the last quotient")
    if not chain:
        return
    values = set()
    for _ in range(2 * len(texts)):
        program.step()
        values.add(struct.unpack_from("<d", program.float_registers(), 160 + 16 * int(chain[3]))[0])
    # A power of two, infinity or a denormal may be divided by in fewer cycles.
    must(len(values) == 2 and all(1 < value < 2 for value in values), f"operands are {values}")


def chase(program):
    texts = loop_of(program, 2000)[1]
    load = re.fullmatch(r"mov \(%(r\w+)\),%\1", texts[0])
    must(load and texts[:-1] == texts[:1] * 16, "no chain of 16 loads, each from the last one")
    if not load:
        return
    at = program.get(load[1])
    memory = Memory(program, at)

    def successor(address):
        found = memory.unpack("<Q", address)
        return found and found[0]
    cycle_of_lines(at, successor, 64 * MB)


def branches(program):
    trace = program.trace(20000)
    texts = disassemble(program, set(trace))
    whole = [texts[address] for address in sorted(texts)]
    show(whole, len(trace))
    first = re.fullmatch(r"mov (%\w+),(%\w+)", whole[0])
    state, copy = first.groups() if first else ("", "")
    xorshift = [line for shift in ("shl $0xd", "shr $0x7", "shl $0x11")
                for line in (f"mov {state},{copy}", f"{shift},{copy}", f"xor {copy},{state}")]
    must(whole[:9] == xorshift, "no xorshift at the beginning")
    bits = re.findall(r"test \$(\w+),%\w+\nje \w+\nadd \$0x1,%\w+", "\n".join(whole[9:-1]))
    must(len(whole) == 22 and len(set(bits)) == 4, "not four branches of a bit each among 22")
    must(whole[-1] == f"jmp {min(texts):#x}", f"the last is '{whole[-1]}'")
    after = dict(zip(sorted(texts), sorted(texts)[1:]))
    for at in (address for address in sorted(texts) if texts[address].startswith("je ")):
        went = [b != after.get(a) for a, b in zip(trace, trace[1:]) if a == at]
        taken = sum(went) / len(went)
        same = sum(a == b for a, b in zip(went, went[1:])) / len(went)
        print(f"{texts[at]}: {len(went)} times, {taken:.1%} taken, {same:.1%} as the time before")
        must(0.42 < taken < 0.58 and 0.42 < same < 0.58, f"'{texts[at]}' can be predicted")


def code(program):
    trace = program.trace(2000)
    memory = Memory(program, trace[0])
    pages = {address // 4096 for address in trace}
    must(len(set(trace)) == len(trace) and len(pages) > len(trace) // 4, "it comes back too early")
    for address in trace[:50]:
        text = disassemble(program, {address})[address]
        must(re.fullmatch(r"jmp 0x\w+", text), f"'{text}' is no jump")
    print(f"{len(trace)} steps to {len(set(trace))} lines of {len(pages)} pages")

    def successor(address):
        found = memory.unpack("<Bi", address)
        return address + 5 + found[1] if found and found[0] == 0xe9 else None
    must(all(successor(a) == b for a, b in zip(trace, trace[1:])), "a step is no jump to a line")
    must(trace[0] % LINE == 0, "jumps go to no beginning of a line")
    must(program.mapping(trace[0])[0] == "r-xp", "its code is mapped otherwise")
    cycle_of_lines(trace[0], successor, 16 * MB)


def microcode(program):
    addresses, texts = loop_of(program, 2000)
    must(re.fullmatch(r"fldl \S+", texts[0]) and texts[1:3] == ["fsin", "fstp %st(0)"]
         and texts[:-1] == texts[:3] * 8, "not 8 sines, each of a number loaded for it")
    sines = {address for address, text in zip(addresses, texts) if text == "fsin"}
    if not sines:
        return
    program.step_to(sines)
    mantissa, exponent = struct.unpack_from("<QH", program.float_registers(), 32)
    angle = mantissa / 2 ** 63 * 2.0 ** (exponent - 16383)
    print(f"the sine of {angle:.3f}")
    # The sine of 0 is quick.
    must(0.1 < angle < 1.5, "this is an angle of another kind")


def clears(program):
    addresses, texts = loop_of(program, 2000)
    must(texts[0] == "mov %al,(%rdi)" and texts[1:97] == ["nop"] * 96 and len(texts) == 99,
         "not a store, 96 nops, a move and a jump")
    must(texts[-2] == f"mov $0x{program.get('rax') & 255:x},%cl" and program.get("rax") & 255,
         f"'{texts[-2]}' does not have what is stored")
    written, executed = program.mapping(program.get("rdi")), program.mapping(addresses[-2] + 1)
    same = program.get("rdi") == addresses[-2] + 1
    must(written[1:] == executed[1:], "the store does not go to the operand of the move")
    must((written[0], executed[0]) == (("rwxp", "rwxp") if same else ("rw-s", "r-xs")),
         "the two are mapped otherwise")
    print(f"written to at {'the address' if same else 'another address than'} where it is executed")


def taken(program):
    addresses, texts = loop_of(program, 3000)
    must(re.fullmatch(r"add \$0x1,%\w+", texts[0]) and texts[0::2] == texts[:1] * 256
         and all(re.fullmatch(r"jmp 0x\w+", text) for text in texts[1::2]) and len(texts) == 512,
         "not 256 additions, and a jump after each")
    must(addresses[0::2] == list(range(addresses[0], addresses[0] + 256 * LINE, LINE))
         and addresses[0] % LINE == 0, "not each addition is in the next line")


def main():
    try:
        program = Program(*sys.argv[1:3])
    except OSError as error:
        # Seccomp filters and policies of security modules.
        sys.exit(4 if error.errno in (errno.EPERM, errno.ENOSYS) else f"{error}")
    try:
        globals()[sys.argv[2]](program)
    finally:
        program.end()
    for problem in problems:
        print(f"wrong: {problem}")
    sys.exit(bool(problems))


main()
