#!/usr/bin/env python3
"""Runs the unittest files of a folder and closes with one line: N passed, M failed, S skipped.

usage: unittest_runner.py FOLDER PATTERN [BUT_NOT_PATTERN]

A test counts once, however many of its parts failed; a class or file that cannot be set up counts as a failed test.
Exit code 1 when a test failed or none was found.
"""
import os
import sys
import time
import unittest
from fnmatch import fnmatch


class Result(unittest.TextTestResult):
    """Prints a line a test with its seconds, and remembers which tests failed."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.failed, self.passed, self.began = set(), 0, 0.0

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def stopTest(self, test):
        self.stream.writeln(f"    {time.monotonic() - self.began:.1f} s")
        super().stopTest(test)

    def addFailure(self, test, err):
        self.failed.add(test.id())
        super().addFailure(test, err)

    def addError(self, test, err):
        self.failed.add(test.id())
        super().addError(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.failed.add(test.id())
        super().addSubTest(test, subtest, err)

    def addUnexpectedSuccess(self, test):
        self.failed.add(test.id())
        super().addUnexpectedSuccess(test)

    def addSuccess(self, test):
        self.passed += 1
        super().addSuccess(test)

    def addExpectedFailure(self, test, err):
        self.passed += 1
        super().addExpectedFailure(test, err)


def main():
    folder, pattern, but = (sys.argv[1:] + [""])[:3]
    sys.path.insert(0, folder)
    names = sorted(name[:-3] for name in os.listdir(folder) if fnmatch(name, pattern) and not fnmatch(name, but))
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result).run(suite)
    print(f"{result.passed} passed, {len(result.failed)} failed, {len(result.skipped)} skipped")
    return 0 if result.passed and not result.failed else 1


if __name__ == "__main__":
    sys.exit(main())
