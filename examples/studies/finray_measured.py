#!/usr/bin/python3
"""A measured finger: friction is fitted once to the force on a cylinder with the four bars in
place; a larger cylinder without bars and the way of the pins are predicted, with bands.

usage: /usr/bin/python3 examples/studies/finray_measured.py [-o FOLDER]    (make calibration)
Needs numpy, matplotlib and yaml; the program is $SUPPLE or build/release/supple.  Leaves
finray_measured.csv, with forces and secant stiffness (force over approach), calibration.csv, with
the largest and the mean difference of each comparison, and finray_measured.png in the folder
(default: out/finray_measured).

Measured numbers: https://github.com/zeyang23/Fin-ray, PaperData/forward (curves *_rigid_forward).
The finger is driven towards a cylinder on a force sensor.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
SCENE = os.path.join(HERE, "finray_measured.yaml")
PROGRAM = os.environ.get("SUPPLE", "build/release/supple")


def measured(name):
    """Columns of a table beside this file, without the first."""
    path = os.path.join(HERE, f"finray_measured_{name}.csv")
    return np.genfromtxt(path, delimiter=",", skip_header=2, unpack=True)[1:]


# Force on the cylinder [N] each 5 mm of approach; pins in photographs at 5 mm and at 30 mm [mm].
FIRST, SECOND = measured("20mm")
(LARGE,) = measured("30mm")
PINS_5, PINS_30 = measured("pins").T.reshape(-1, 2, 2).swapaxes(0, 1)

FRICTION = np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5])  # at which curves are computed for the fit
RADIUS = {"bars": 22.5, "large": 31.5}  # as the authors take them, with the sensor's sheet [mm]
# What is not known better than this, one at a time: the start [mm], the height of the cylinder
# [mm], the angle between the strips [deg], bending stiffness by 2 % of the thickness.
UNKNOWNS = {"start": 0.5, "height": 1, "angle": 0.5, "stiffness": 0.06}


def run(folder, case, friction, start=0, height=0, angle=0, stiffness=0):
    """Rows of history.csv of one press, a row each 5 mm (the first left out)."""
    with open(SCENE, encoding="utf-8") as file:
        strips = yaml.safe_load(file)["soft"]
    depth, radius = (30, RADIUS[case]) if case == "bars" else (40, RADIUS[case])
    place = [f"{-radius - 0.5 - start:g} mm", f"{66.5 + height:g} mm", "14 mm"]
    rows = [[0] * 7, ["1 s", f"{depth} mm"] + [0] * 5]
    sets = {
        "rigid.cylinder.shape.cylinder.radius": f"{radius} mm",
        "rigid.cylinder.pose.position": json.dumps(place),
        "rigid.cylinder.motion": json.dumps(rows),
        "rigid.cylinder.contact.friction": friction,
        "soft.front.contact.friction": friction,
        "soft.back.pose.rpy": f"[0, 0, {26 + angle} deg]",
        "materials.steel.youngs_modulus": f"{1.704 * (1 + stiffness):g} GPa",
        "static.steps": depth // 5 * 2,
        "output.format": "none",
    }
    if case == "large":  # base and tip only
        for name, strip in strips.items():
            sets[f"soft.{name}.attach"] = json.dumps(strip["attach"][:2])
    name = f"{case}_{friction:g}_{start:g}_{height:g}_{angle:g}_{stiffness:g}"
    command = [PROGRAM, "static", SCENE, "-q", "-o", os.path.join(folder, name)]
    for key, value in sets.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    with open(os.path.join(folder, name, "history.csv"), encoding="utf-8") as file:
        return list(csv.DictReader(file))[2::2]


def force(rows):
    """[N]"""
    columns = ("contact.cylinder.front.fx", "contact.cylinder.front.fy")
    return np.array([math.hypot(*(float(row[c]) for c in columns)) for row in rows])


def pins(row):
    """[mm]"""
    at = [[float(row[f"probe.pin{k}.{axis}"]) for axis in "xy"] for k in range(1, 9)]
    return 1000 * np.array(at)


def fit(curves, measured):
    """Friction with the least squares of relative errors, between those that were computed."""
    fine = np.linspace(FRICTION[0], FRICTION[-1], 501)
    between = np.array([np.interp(fine, FRICTION, column) for column in curves.T])
    errors = ((between / measured[:, None] - 1) ** 2).sum(axis=0)
    return round(float(fine[errors.argmin()]), 3)


def band(folder, case, friction, low, high, middle):
    """Half width below and above [N]: what each unknown changes, and the friction of one run or the
    other, added as squares."""
    below, above = np.zeros_like(middle), np.zeros_like(middle)
    changes = [
        force(run(folder, case, friction, **{k: s * v})) - middle
        for k, v in UNKNOWNS.items()
        for s in (-1, 1)
    ]
    changes += [force(run(folder, case, f)) - middle for f in (low, high)]
    for change in changes:
        below += np.minimum(change, 0) ** 2
        above += np.maximum(change, 0) ** 2
    return np.sqrt(below), np.sqrt(above)


def worst(predicted, measured):
    """Largest relative error [%] where at least 1 N was measured."""
    errors = 100 * (predicted / measured - 1)
    return errors[measured >= 1][np.abs(errors[measured >= 1]).argmax()]


def draw(axes, measured, predicted, below, above, title):
    x = 5 * np.arange(1, len(predicted) + 1)
    axes.fill_between(
        x, predicted - below, predicted + above, color="tab:blue", alpha=0.2, label="band"
    )
    axes.plot(x, predicted, color="tab:blue", label="computed")
    for (label, values), marker in zip(measured.items(), "o^"):
        axes.plot(
            x, values, "k" + marker, fillstyle="none" if marker == "^" else "full", label=label
        )
    axes.set(
        xlabel="approach [mm]", ylabel="force [N]", title=title, xlim=(0, None), ylim=(0, None)
    )
    axes.legend(fontsize=8)


def draw_stiffness(axes, table):
    for colour, (case, forces, values, *_) in zip(("tab:blue", "tab:orange"), table):
        x = 5 * np.arange(1, len(values) + 1)
        axes.plot(x, values / x, color=colour, label=f"{case}, computed")
        axes.plot(x, forces / x, "o", color=colour, label=f"{case}, measured")
    axes.set(xlabel="approach [mm]", ylabel="force over approach [N/mm]", ylim=(0, None))
    axes.set_title("secant stiffness at the contact")
    axes.legend(fontsize=8)


def draw_pins(axes, found, shift):
    for k, (row, photo, colour) in enumerate(zip(found, (PINS_5, PINS_30), ("0.5", "tab:red"))):
        photo = photo - shift
        label = ("5 mm", "30 mm")[k]
        axes.plot(*photo.T, "o", color=colour, fillstyle="none", label=f"photograph, {label}")
        axes.plot(*row.T, "x", color=colour, label=f"computed, {label}")
    axes.set(xlabel="x [mm]", ylabel="y [mm]", title="pins of the bars, predicted", aspect="equal")
    axes.set(xlim=(-5, 150))
    axes.legend(fontsize=8, loc="center right")


def silicones():
    """Mean and largest difference [%] of stress at twice the length: the library's neo-Hookean
    laws, fitted to 0 to 30 %, beside what their sources say was measured."""
    path = os.path.join(HERE, "..", "..", "materials", "silicone.yaml")
    with open(path, encoding="utf-8") as file:
        laws = yaml.safe_load(file)["materials"].values()
    off = []
    for law in laws:
        said = re.search(r"stress at 100 % (\d+) kPa", law["source"]["youngs_modulus"])
        modulus, unit = law["youngs_modulus"].split()
        stress = float(modulus) * {"kPa": 1, "MPa": 1000}[unit] / 3 * (2 - 2**-2)
        off.append(abs(stress / float(said[1]) - 1) * 100)
    return f"{np.mean(off):.1f}", f"{max(off):.1f}"


def write(folder, name, heading, rows):
    path = os.path.join(folder, name + ".csv")
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([heading, *rows])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", default="out/finray_measured", metavar="FOLDER")
    folder = parser.parse_args().output
    os.makedirs(folder, exist_ok=True)
    curves = np.array([force(run(folder, "bars", f)) for f in FRICTION])
    mean = (FIRST + SECOND) / 2
    friction, low, high = (fit(curves, m) for m in (mean, FIRST, SECOND))
    rows = run(folder, "bars", friction)
    fitted, predicted = force(rows), force(run(folder, "large", friction))
    print(f"friction {friction} fitted to the mean of two runs (first {low}, second {high})")
    print(
        f"fitted, r 20 mm with bars: at most {worst(fitted, mean):+.1f} % off the mean of the runs;"
    )
    print(
        f"  the second run is {100 * (SECOND / FIRST - 1).min():.0f} to"
        f" {100 * (SECOND / FIRST - 1).max():.0f} % above the first"
    )
    print(f"held back, r 30 mm without bars: at most {worst(predicted, LARGE):+.1f} % off")
    found = [pins(rows[0]), pins(rows[-1])]
    off = np.concatenate([PINS_5 - found[0], PINS_30 - found[1]])
    shift = off.mean(axis=0)  # of the photographs' origin, which nobody measured
    away = np.hypot(*(off - shift).T)
    print(f"held back, pins: {away.mean():.1f} mm off in the mean, at most {away.max():.1f} mm,")
    print(f"  less a shift of the photographs by ({shift[0]:.1f}, {shift[1]:.1f}) mm")
    sides = {"fitted": band(folder, "bars", friction, low, high, fitted)}
    sides["held"] = band(folder, "large", friction, low, high, predicted)
    inside = (LARGE >= predicted - sides["held"][0]) & (LARGE <= predicted + sides["held"][1])
    print(
        f"the band holds {inside.sum()} of {inside.size} forces that were held back; it is"
        f" {100 * (sum(sides['held']) / predicted).mean() / 2:.0f} % wide to each side in the mean"
    )
    figure, axes = plt.subplots(1, 4, figsize=(18, 4.4), layout="constrained")
    runs = {"measured, second run": SECOND, "measured, first run": FIRST}
    draw(
        axes[0],
        runs,
        fitted,
        *sides["fitted"],
        f"r = 20 mm, four bars: friction {friction:.2f} fitted",
    )
    draw(axes[1], {"measured": LARGE}, predicted, *sides["held"], "r = 30 mm, no bars: predicted")
    draw_pins(axes[2], found, shift)
    table = [
        ("r20_bars_mean", mean, fitted, *sides["fitted"]),
        ("r30_no_bars", LARGE, predicted, *sides["held"]),
    ]
    draw_stiffness(axes[3], table)
    path = os.path.join(folder, "finray_measured.png")
    figure.savefig(path, dpi=80)
    print(path)
    heading = ("case", "approach_mm", "measured_N", "computed_N", "low_N", "high_N")
    rows = [
        (case, x, *(f"{v:.3f}" for v in (*row, row[0] / x, row[1] / x)))
        for case, forces, values, below, above in table
        for x, row in zip(range(5, 41, 5), zip(forces, values, values - below, values + above))
    ]
    write(folder, "finray_measured", (*heading, "measured_N_per_mm", "computed_N_per_mm"), rows)
    rows = [
        (f"{case} {what}", "fitted" if case == "r20_bars_mean" else "held back", "%",
         f"{np.abs(change).mean():.1f}", f"{np.abs(change).max():.1f}")
        for case, forces, values, *_ in table
        for what, change in (
            ("force and secant stiffness", 100 * (values / forces - 1)),
            ("stiffness between 5 mm steps", 100 * (np.diff(values) / np.diff(forces) - 1)),
        )
    ]
    rows.append(("silicones at 100 % strain", "held back", "%", *silicones()))
    rows.append(("pins", "held back", "mm", f"{away.mean():.1f}", f"{away.max():.1f}"))
    write(folder, "calibration", ("number", "role", "unit", "mean_off", "most_off"), rows)
    for row in rows:
        print("{0:42} {1:10} off by {3} {2} in the mean, {4} {2} at most".format(*row))
    return 0


main()
