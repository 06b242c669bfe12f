#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the tables of errors in the headers of the devices with the tests that a .conf names.

errnos.py [-n] TREE: findings, one a line.  -n says how many rows there are instead.
"""

import errno
import re
import sys
from pathlib import Path

# Each header with a table, and its rows.
TABLES = {
    'uapi/linux/topdown.h': 'selftests/proof/errnos.conf',
    'uapi/linux/topdown_latency.h': 'selftests/proof/errnos-latency.conf',
}
BEFORE = 'before the table'
# Words that join two statements of the table.
JOINS = {'and', 'or'}
# How a program with tests of 32 bits makes the calls.
BY_32 = re.compile(r'of_32_bits|caller_\w+\(32,|out_of_memory\(32\)')


def words(text: str) -> str:
    return ' '.join(text.split())


def sections(header: str) -> dict[str, str]:
    """The text of each errno of the table, of each system call, and of what is before."""
    comment = header[header.index('/*\n'):]
    lines = [line[3:] for line in comment[:comment.index('*/')].split('\n')]
    begin = next(i for i, line in enumerate(lines) if line.startswith('Errors, '))
    found = {BEFORE: ''}
    name = BEFORE
    for line in lines[begin:]:
        of_errno = re.match(r' {2}(E[A-Z0-9]+) +', line)
        of_call = re.match(r'(\w+\(\))[^:.;]*:', line)
        begins = of_errno or of_call
        if begins:
            name = begins[1]
            found[name] = ''
        found[name] += ' ' + (line[of_errno.end():] if of_errno else line)
    found[BEFORE] = ''.join(found[BEFORE].partition('A command that fails')[1:])
    return {name: words(text) for name, text in found.items()}


class Row:
    def __init__(self, file: str, number: int, line: str) -> None:
        self.at = f'{file}:{number}'
        fields = [field.strip() for field in line.split('|')]
        self.right = len(fields) == 5 and all(fields)
        self.errno, calls, self.statement, self.test, self.test32 = (fields + [''] * 5)[:5]
        self.calls = calls.split()


def rows(tree: Path, file: str) -> list[Row]:
    text = (tree / file).read_text()
    return [Row(file, number, line) for number, line in enumerate(text.split('\n'), 1)
            if line and not line.startswith('#')]


def section_of(row: Row, found: dict[str, str]) -> str:
    """The section that has the row's words; without any the one where they should be."""
    if row.calls[0].endswith('()'):
        return row.calls[0]
    if row.statement not in found.get(row.errno, '') and row.statement in found[BEFORE]:
        return BEFORE
    return row.errno


def check_row(row: Row, header: str, found: dict[str, str], commands: set[str]) -> str:
    name = section_of(row, found)
    text = found.get(name, '')
    if row.statement not in text:
        return f'{header} does not say so of {name}: {row.statement}'
    if row.errno not in ('all', 'any') and row.errno != name and \
            not re.search(rf'\b{row.errno}\b', text):
        return f'{header} does not name {row.errno} there'
    unknown = [call for call in row.calls
               if call not in commands and call not in found and call != 'all']
    return f'there is no {unknown[0]}' if unknown else ''


def test_missing(tree: Path, test: str, by_32: bool) -> str:
    if re.match(r'- \S', test):
        return ''
    program, _, name = test.partition(':')
    source = tree / 'selftests/guest' / f'{program}.c'
    if not source.is_file():
        return f'there is no {source.relative_to(tree)}'
    text = source.read_text()
    tests = {fixture + '.' + test for fixture, test in
             re.findall(r'^TEST_F(?:_\w+)?\((\w+), (\w+)', text, re.M)}
    tests |= set(re.findall(r'^TEST\((\w+)\)', text, re.M))
    if name not in (tests or {''}):
        return f'{program} has no test {name}'
    return f'{program} makes no call of 32 bits' if by_32 and not BY_32.search(text) else ''


def left_over(text: str, statements: list[str]) -> str:
    """What no statement has, less what joins them."""
    covered = [False] * len(text)
    for statement in statements:
        for match in re.finditer(re.escape(statement), text):
            covered[match.start():match.end()] = [True] * len(statement)
    rest = ''.join(' ' if done else char for char, done in zip(text, covered))
    return ' '.join(word for word in rest.split() if word.strip(',;:.') not in JOINS)


def findings_of(tree: Path, header: str, file: str) -> list[str]:
    text = (tree / header).read_text()
    found = sections(text)
    commands = set(re.findall(r'\bTOPDOWN_CMD_(\w+)\s*=', text))
    said = []
    statements: dict[str, list[str]] = {name: [] for name in found}
    for row in rows(tree, file):
        if not row.right:
            said.append(f'{row.at}: five fields are needed')
            continue
        wrong = [check_row(row, header, found, commands), test_missing(tree, row.test, False),
                 test_missing(tree, row.test32, True)]
        said += [f'{row.at}: {text}' for text in wrong if text]
        statements.setdefault(section_of(row, found), []).append(row.statement)
    for name, text in found.items():
        rest = left_over(text, statements[name])
        if rest:
            said.append(f'{header}: no row of {Path(file).name} has, of {name}: {rest}')
    return said


def findings(tree: Path) -> list[str]:
    """All that is wrong, also names that no table has."""
    said = []
    found: dict[str, str] = {}
    for header, file in TABLES.items():
        said += findings_of(tree, header, file)
        found |= sections((tree / header).read_text())
    for path in sorted((tree / 'uapi/linux').glob('*.h')):
        names = set(re.findall(r'\bE[A-Z0-9]+\b', path.read_text()))
        for name in sorted(names & set(errno.errorcode.values()) - set(found)):
            if name not in ' '.join(found.values()):
                said.append(f'{path.relative_to(tree)}: {name} is not in the table')
    return said


def main() -> int:
    count = sys.argv[1:2] == ['-n']
    tree = Path(sys.argv[-1])
    if not count:
        for text in findings(tree):
            print(text)
        return 0
    every = [row for file in TABLES.values() for row in rows(tree, file)]
    for bits, tests in (64, [row.test for row in every]), (32, [row.test32 for row in every]):
        told = sum(not test.startswith('- ') for test in tests)
        print(f'{bits} bits: {told} of {len(tests)} rows')
    return 0


if __name__ == '__main__':
    sys.exit(main())
