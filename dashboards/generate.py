#!/usr/bin/env python3
"""Writes the dashboards beside it from dashboards/source.

usage: generate.py [--runbook URL] [--folder FOLDER]

The dashboards link to the runbook; --runbook says where yours can be read.
"""
import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(HERE, "source"), os.path.join(HERE, "rules")]


def main():
    parser = argparse.ArgumentParser(description="Writes the dashboards from dashboards/source.")
    parser.add_argument("--runbook", metavar="URL", help="where dashboards/RUNBOOK.md can be read")
    parser.add_argument("--folder", default=HERE, help="where to write them; default: beside this script")
    arguments = parser.parse_args()
    import kit
    if arguments.runbook:
        kit.RUNBOOK = arguments.runbook
    import agent
    import before_after
    import fleet
    import target
    for name, source in (("fleet", fleet), ("target", target), ("before-after", before_after), ("agent", agent)):
        with open(os.path.join(arguments.folder, f"{name}.json"), "w", encoding="utf-8") as f:
            json.dump(source.build(), f, indent=1, ensure_ascii=False)
            f.write("\n")


if __name__ == "__main__":
    main()
