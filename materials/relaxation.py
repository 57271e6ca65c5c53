"""What viscoelastic materials do, beside closed forms: materials/relaxation.py [PNG].

Runs `supple run` (PATH, or the environment's SUPPLE) on the bar of examples/relaxation.yaml, held
after a ramp, and on the same bar, almost without mass, pulled to and fro at three frequencies."""
import csv
import math
import os
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = os.path.dirname(os.path.abspath(__file__))
SCENE = os.path.join(HERE, "..", "examples", "relaxation.yaml")
TERMS = ((0.25, 0.05), (0.15, 0.5))
RAMP, STRAIN, SIDE, LENGTH = 0.05, 0.05, 0.02, 0.1


def run(folder, *settings):
    """Rows of the history of a run."""
    command = [os.environ.get("SUPPLE", "supple"), "run", SCENE, "-q", "-o", folder]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True)
    with open(os.path.join(folder, "history.csv")) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def relaxed(t):
    """Share of the instantaneous stress that is left after the ramp."""
    end = min(t, RAMP)
    sum_ = (1 - sum(g for g, _ in TERMS)) * end / RAMP
    for g, tau in TERMS:
        sum_ += g * tau / RAMP * (math.exp(-(t - end) / tau) - math.exp(-t / tau))
    return sum_


def loop(folder, frequency):
    """Strain and stress [kPa] of the third cycle of a sine."""
    steps, cycles = 100, 3
    rows = []
    for i in range(cycles * steps + 1):
        t = i / (steps * frequency)
        x = 1e3 * STRAIN * LENGTH * math.sin(2 * math.pi * frequency * t)
        rows.append(f"[{t:.9g} s, {x:.9g} mm, 0, 0, 0, 0, 0]")
    history = run(
        folder,
        f"time.step={1 / (steps * frequency):.9g} s",
        f"time.end={cycles / frequency:.9g} s",
        "output.format=none",
        "materials.rubber.density=10 kg/m^3",
        f"soft.bar.hold.0.motion=[{', '.join(rows)}]",
    )
    last = history[-steps - 1 :]
    strain = [STRAIN * math.sin(2 * math.pi * frequency * float(r["time"])) for r in last]
    return strain, [1e-3 * float(r["reaction.bar.grip.fx"]) / SIDE**2 for r in last]


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "relaxation.png")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), constrained_layout=True)
    with tempfile.TemporaryDirectory() as folder:
        history = run(os.path.join(folder, "hold"))
        t = [float(r["time"]) for r in history]
        stress = [1e-3 * float(r["reaction.bar.grip.fx"]) / SIDE**2 for r in history]
        left.plot(t, stress, label="bar of 40 bricks, clamped")
        scale = stress[-1] / relaxed(t[-1])
        left.plot(t, [scale * relaxed(x) for x in t], "k:", label="closed form, same end")
        left.set(xlabel="time [s]", ylabel="stress [kPa]", title="pulled by 5 % in 50 ms, held")
        left.legend()
        for frequency in (0.1, 2, 50):
            path = os.path.join(folder, f"loop{frequency}")
            right.plot(*loop(path, frequency), label=f"{frequency:g} Hz")
        right.set(xlabel="strain", ylabel="stress [kPa]", title="to and fro")
        right.legend()
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(out, dpi=110)


main()
