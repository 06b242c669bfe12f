# SPDX-License-Identifier: GPL-2.0
"""topdown.errors has the words of the headers, and all of their errors.

INCLUDE is the directory of the headers.
"""
import errno
import glob
import os
import re
import unittest

import ktap
import topdown
from topdown import errors


def returns():
    """Function to what its comment says that it returns, in one line, and the one before."""
    found, before = {}, None
    for path in sorted(glob.glob(os.path.join(os.environ["INCLUDE"], "*.h"))):
        with open(path, encoding="utf-8") as header:
            text = header.read()
        for comment in re.findall(r"/\*\*\n(.*?)\*/", text, re.S):
            name = re.match(r" \* (topdown_\w+)\(\)", comment)
            after = re.search(r" \* Return: (.*)", comment, re.S)
            if name and after:
                plain = re.sub(r"\s+\*?\s*", " ", after[1]).replace("@", "")
                found[name[1]] = (plain, before)
                before = name[1]
    return found


def parts(text):
    """(errno's name, what follows it up to the next one): "-EMFILE or -ENFILE" share it."""
    pieces = re.split(r"-(E[A-Z0-9]+)\b", text)[1:]
    found = list(zip(pieces[::2], pieces[1::2]))
    for i in reversed(range(len(found) - 1)):
        if found[i][1].strip() in ("or", "and"):
            found[i] = (found[i][0], found[i + 1][1])
    return found


def says(function, name, words, seen=()):
    """Whether the comment of a function, or of one it refers to, has the words."""
    text, before = RETURNS[function]
    if any(name == one and words in rest for one, rest in parts(text)):
        return True
    others = [one for one in re.findall(r"(topdown_\w+)\(\)", text)]
    if "as above" in text:
        others.append(before)
    return any(says(one, name, words, (*seen, function)) for one in others
               if one in RETURNS and one not in seen)


RETURNS = returns()
#: Two names of one number.
NAMES = {**errno.errorcode, errno.EOPNOTSUPP: "EOPNOTSUPP"}


class Words(unittest.TestCase):
    def test_words(self):
        """errors: the words of each errno are those of the header"""
        for function, meanings in errors.MEANINGS.items():
            for number, words in meanings.items():
                self.assertTrue(says(function, NAMES[number], words),
                                f"{function}: {NAMES[number]}: {words}")

    def test_all(self):
        """errors: each errno of the header has words"""
        found = 0
        for function, meanings in errors.MEANINGS.items():
            for name, _ in parts(RETURNS[function][0]):
                if name != "ENOMEM":
                    found += 1
                    self.assertIn(getattr(errno, name), meanings, f"{function}: {name}")
        self.assertGreater(found, 60)

    def test_all_functions(self):
        """errors: each function that returns an errno is there"""
        for function, (text, _) in RETURNS.items():
            if parts(text) and function not in ("topdown_cpus_parse", "topdown_node_by_name",
                                                "topdown_watch_wait"):
                self.assertIn(function, errors.MEANINGS)

    def test_classes(self):
        """errors: Python's class for the number, with the path and the words"""
        with self.assertRaisesRegex(FileNotFoundError, "the module is not loaded.*/none"):
            topdown.Device("/none")
        with self.assertRaisesRegex(OSError, "belongs to another driver.*/dev/null") as caught:
            topdown.Device("/dev/null")
        self.assertEqual(caught.exception.errno, errno.ENODEV)
        self.assertEqual(caught.exception.filename, "/dev/null")
        with ktap.fake(OPEN_ERRNO=errno.EACCES):
            with self.assertRaisesRegex(PermissionError, "the caller may not open the device"):
                topdown.Device()
        with self.assertRaisesRegex(OSError, "fd is not open"):
            topdown.Device(987)
        # A number without words has the system's.
        self.assertEqual(str(errors.error("topdown_open", errno.ENOMEM)),
                         f"[Errno {errno.ENOMEM}] topdown_open: Cannot allocate memory")


if __name__ == "__main__":
    ktap.main()
