#!/usr/bin/env python3
"""Instructions of the solution by coupled friction over those by Lagged with two sweeps, from equal
states: runs by the two end in different piles.  Needs valgrind.

    examples/clutter.py --objects 40 -o pile.yaml
    tests/bench/states.py build/release/supple pile.yaml     # 3 s, a state every 0.2 s, five steps"""
import re
import subprocess
import sys
import tempfile

STEPS, STEP, EVERY, END = 5, 0.002, 0.2, 3
MODELS = {"coupled": ["contact.model=coupled"],
          "lagged": ["contact.model=lagged", "contact.friction_sweeps=2"]}


def keys(*values):
    return [word for value in values for word in ("--set", value)]


def count(program, run, time, model, folder):
    """Instructions of the solutions of a few steps from the state at a time [s]."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               "--toggle-collect=sup_step_solve", program, "run", "--from", run, "--at", f"{time:g}",
               *keys(f"time.end={time + STEPS * STEP:g}", *MODELS[model]), "-q", "-o",
               f"{folder}/{model}{time:g}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected *: *([0-9]+)", done.stderr).group(1))


def main(program, scene):
    total = dict.fromkeys(MODELS, 0)
    with tempfile.TemporaryDirectory() as folder:
        run = f"{folder}/run"
        checkpoints = f"output.checkpoint={{every: {EVERY} s}}"
        subprocess.run([program, "run", scene, "-q", "-o", run,
                        *keys(f"time.end={END}", checkpoints, *MODELS["coupled"])], check=False)
        for k in range(1, round(END / EVERY)):
            now = {m: count(program, run, k * EVERY, m, folder) for m in MODELS}
            for model in MODELS:
                total[model] += now[model]
            print(f"{k * EVERY:.1f} s: {now['coupled'] / now['lagged']:.2f}", flush=True)
    print(f"all: {total['coupled'] / total['lagged']:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
