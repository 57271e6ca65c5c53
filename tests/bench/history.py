#!/usr/bin/env python3
"""Instructions of whole runs against stored ones.

    python3 tests/bench/history.py build/release/supple [--rows a,b] [--renew]

Callgrind counts the instructions of the first steps of a run, with what comes before them: a number
that depends on compiler, libraries and the vectors that valgrind knows (AVX2), and not on what else
the machine does.  A change that makes a row more than 3 % slower says so in its commit and stores
its numbers (--renew).  Processor times beside an older program are those of
`SUPPLE_OLD=PROGRAM make bench T=compare`.
"""
import argparse
import os
import re
import subprocess
import sys

STORED = os.path.join(os.path.dirname(__file__), "history.txt")
MOST = 1.03
# row: scene, steps, step [ms]
ROWS = {
    "grasp": ("examples/finray_grasp.yaml", 110, 10),
    "press": ("examples/finray_press.yaml", 40, 10),
    "finray_peer": ("examples/peers/finray.yaml", 20, 10),
    "block": ("examples/peers/block1050.yaml", 10, 10),
    "torus": ("examples/peers/torus.yaml", 100, 10),
    "balls_points": ("examples/peers/balls.yaml", 40, 10),
    "balls_fields": ("examples/peers/balls_fields.yaml", 20, 10),
    "clutter40": ("build/scenes/clutter40.yaml", 100, 10),
    "clutter80": ("build/scenes/clutter80.yaml", 80, 10),
    "bottle": ("examples/bottle_shake.yaml", 40, 4),
    "trot": ("examples/solo12_trot.yaml", 100, 1),
}


def instructions(program, row):
    """Instructions a step."""
    scene, steps, step = ROWS[row]
    line = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "run", "-q",
            scene, "-o", "build/bench_history", "--threads", "1", "--set", "output.format=none",
            "--set", f"time.end={steps * step}ms"]
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode not in (0, 5) or not found:
        sys.exit(f"{row}: {done.stderr[-300:]}")
    return int(found[1]) / steps


def stored():
    """Instructions a step of each row that were stored."""
    if not os.path.exists(STORED):
        return {}
    with open(STORED, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    return {row: float(count) for row, count in lines}


def main():
    """Count, compare, store."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--rows", default=",".join(ROWS), help="default: all")
    parser.add_argument("--renew", action="store_true", help="store the instructions")
    arguments = parser.parse_args()
    counts, slower = stored(), []
    print(f"{'row':14} {'Minstr./step':>13} {'stored':>9} {'ratio':>7}")
    for row in arguments.rows.split(","):
        count, before = instructions(arguments.program, row), counts.get(row)
        line = f"{row:14} {count / 1e6:13.3f}"
        line += f" {before / 1e6:9.3f} {count / before:7.3f}" if before else f" {'-':>9} {'-':>7}"
        print(line, flush=True)
        if before and count > MOST * before:
            slower.append(row)
        counts[row] = count
    if arguments.renew:
        with open(STORED, "w", encoding="utf-8") as file:
            file.write("# instructions a step, by tests/bench/history.py --renew\n")
            file.writelines(f"{row} {counts[row]:.0f}\n" for row in ROWS if row in counts)
    elif slower:
        sys.exit(f"more than {MOST:g} times the stored instructions: {', '.join(slower)}")


if __name__ == "__main__":
    main()
