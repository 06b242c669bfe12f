#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lines of the module that were executed: cover.py [--lines] TREE DIRECTORY

Each directory below DIRECTORY has the .gcno and .gcda files of one run.  A line counts as executed
if it was in any of them.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile


def counts_of(directory):
    """Yield (file, line, count) of one run."""
    data = [str(path.resolve()) for path in directory.glob("*.gcda")]
    if not data:
        sys.exit(f"cover.py: {directory} has no data")
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["gcov", "--json-format", *data], cwd=work, check=True,
                       stdout=subprocess.DEVNULL)
        for path in pathlib.Path(work).glob("*.json.gz"):
            with gzip.open(path) as file:
                for source in json.load(file)["files"]:
                    for line in source["lines"]:
                        yield source["file"], line["line_number"], line["count"]


def ranges(numbers):
    """1 2 3 7: "1-3 7"."""
    words = []
    first = last = None
    for number in [*sorted(numbers), None]:
        if last is not None and number != last + 1:
            words.append(f"{first}-{last}" if last > first else f"{first}")
            first = None
        if first is None:
            first = number
        last = number
    return " ".join(words)


def main():
    words = [word for word in sys.argv[1:] if word != "--lines"]
    if len(words) != 2:
        sys.exit(__doc__)
    tree, work = map(pathlib.Path, words)
    own = {path.relative_to(tree).as_posix() for path in (tree / "kmod").rglob("*.[ch]")}
    executed = {}
    for directory in sorted(path for path in work.iterdir() if path.is_dir()):
        for name, line, count in counts_of(directory):
            file = name[name.rfind("kmod/"):]
            if file in own:
                lines = executed.setdefault(file.removeprefix("kmod/"), {})
                lines[line] = lines.get(line, 0) + count
    print(f"{'file':28} {'lines':>6} {'executed':>8} {'%':>6}")
    lines_sum = executed_sum = 0
    for name, lines in sorted(executed.items()):
        n = sum(count > 0 for count in lines.values())
        print(f"{name:28} {len(lines):6} {n:8} {100 * n / len(lines):6.1f}")
        if "--lines" in sys.argv and n < len(lines):
            print("   ", ranges(line for line, count in lines.items() if not count))
        lines_sum += len(lines)
        executed_sum += n
    if not lines_sum:
        sys.exit("cover.py: no line of kmod/ in the data")
    print(f"{'sum':28} {lines_sum:6} {executed_sum:8} {100 * executed_sum / lines_sum:6.1f}")


if __name__ == "__main__":
    main()
