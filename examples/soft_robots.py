#!/usr/bin/env python3
"""Figures of the soft robots among the examples, from the folders of their runs:

    soft_robots.py bubble out/bubble -o bubble_gripper.png
    soft_robots.py egg out/egg -o pneunet_egg.png
    soft_robots.py bellows out/bellows -o bellows.png
    soft_robots.py arm out/arm -o continuum_arm.png
    soft_robots.py insert out/insert -o finray_insert.png
    soft_robots.py tape out/tape -o tape_peel.png"""
import argparse
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

RENDER = pathlib.Path(__file__).resolve().parent.parent / "postproc" / "render.py"


def read(folder):
    """Columns of history.csv as lists; empty fields are not a number."""
    with open(folder / "history.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {name: [float(row[name] or "nan") for row in rows] for name in rows[0]}


def show(axes, folder, *options):
    """A rendered frame in the place of axes, without the title and scales of render.py."""
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        subprocess.run([sys.executable, RENDER, folder, "-o", file.name, *options], check=True,
                       stdout=subprocess.DEVNULL)
        picture = plt.imread(file.name)
    height, width = picture.shape[:2]
    picture = picture[int(.07 * height):, :int(.8 * width), :3]
    ink = [k for k, row in enumerate(picture) if row.min() < .9]
    axes.imshow(picture[ink[0]:ink[-1] + 1], interpolation="lanczos")
    axes.axis("off")


def legend(axes, x, y):
    """Names of the axes and of the curves."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(frameon=False, fontsize=8)


def bubble(folder, left, right):
    h = read(folder)
    show(left, folder, "--camera", "0.3,-1,0.25", "--size", "900x560")
    top = max(h["probe.top.z"])
    gap = h["plate.z"][0] - 2e-3 - top
    depth = [1e3 * (h["plate.z"][0] - z - gap) for z in h["plate.z"]]
    field = h["contact.field.field_plate.fz"]
    right.plot(depth, h["contact.bubble.plate.fz"], "o", markersize=3,
               label="membrane and air (FEM)")
    right.plot(depth, field, "-", color="C1", label="pressure field of 71 kPa")
    right.plot(depth, [f * 100 / 71 for f in field], ":", color="0.5",
               label="of 100 kPa, as in papers")
    right.set_xlim(-.5, 10)
    right.set_ylim(0, 22)
    legend(right, "depth [mm]", "force [N]")


def egg(folder, left, right):
    h = read(folder)
    show(left, folder, "--camera", "front", "--size", "800x700")
    for side, mark in (("right", "-"), ("left", "--")):
        right.semilogy(h["time"], [max(1e-3, math.dist((0, 0, 0), f)) for f in zip(
            *(h[f"contact.{side}.egg.f{a}"] for a in "xyz"))], mark, label=f"{side} finger")
    right.semilogy(h["time"], [max(1e-3, f) for f in h["contact.floor.egg.fz"]], ":", color="0.4",
                   label="floor")
    right.axhline(34, color="C3")
    right.text(.02, 37, "shell breaks", color="C3", fontsize=8)
    right.set_ylim(1e-2, 80)
    legend(right, "time [s]", "force on the egg [N]")


def bellows(folder, left, right):
    h = read(folder)
    show(left, folder, "--camera", "front", "--size", "900x480")
    move = {b: [1e3 * (z - h[b + "_plate.z"][0]) for z in h[b + "_plate.z"]]
            for b in ("free", "pulled")}
    area = ((h["chamber.pulled_air.volume"][1] - h["chamber.pulled_air.volume"][0]) /
            (1e-3 * move["pulled"][1]))
    stiffness = -h["attach.pulled.fz"][1] / move["pulled"][1]
    pressure = [1e-3 * p for p in h["chamber.free_air.pressure"]]
    right.plot(pressure, h["attach.blocked.fz"], "o", markersize=3, label="force, blocked [N]")
    right.plot(pressure, [1e3 * area * p for p in pressure], "-", color="0.6",
               label=f"p dV/dx, dV/dx = {1e6 * area:.0f} mm$^2$")
    right.plot(pressure, move["free"], "s", markersize=3, label="extension, free [mm]")
    right.plot(pressure, [1e3 * area * p / stiffness for p in pressure], "--", color="0.6",
               label=f"p dV/dx over {stiffness:.2f} N/mm")
    right.set_ylim(0, 16)
    legend(right, "pressure [kPa]", "force [N], extension [mm]")


def arm_states(h):
    """Azimuth asked for, angle of the tip, that asked for [deg]; both places of the tip [mm]."""
    for k, time in enumerate(h["time"]):
        part, turn = min(1, time), 30 * max(0, 4 * time - 4)
        bend, length = math.radians(60) * part, 200 - 8 * part
        at = {n: [1e3 * h[f"probe.{n}.{a}"][k] for a in "xyz"]
              for n in ("tip", "east", "west", "north", "south")}
        u, v = ([b - a for a, b in zip(at[m], at[n])] for m, n in (("west", "east"),
                                                                 ("south", "north")))
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        angle = math.degrees(math.acos(normal[2] / math.hypot(*normal)))
        if bend > 0:
            R, phi = length / bend, math.radians(turn)
            out = R * (1 - math.cos(bend))
            arc = [out * math.cos(phi), out * math.sin(phi), R * math.sin(bend)]
            yield turn, angle, math.degrees(bend), at["tip"], arc


def arm(folder, left, right):
    h = read(folder)
    show(left, folder, "--time", "1", "--camera", "front", "--size", "700x700")
    states = list(arm_states(h))
    fine = [math.radians(5 * k) for k in range(73)]
    R = math.hypot(*states[-1][4][:2])
    right.plot([R * math.cos(a) for a in fine], [R * math.sin(a) for a in fine], "-", color="0.6",
               label="arcs of constant curvature")
    right.plot(*zip(*(s[4][:2] for s in states)), ".", color="0.6")
    right.plot(*zip(*(s[3][:2] for s in states)), "o", markersize=4, fillstyle="none",
               label="480 bricks (H8)")
    right.set_aspect("equal")
    right.set_xlim(-110, 110)
    right.set_ylim(-110, 145)
    legend(right, "x of the tip [mm]", "y of the tip [mm]")
    off = max(math.dist(s[3], s[4]) for s in states)
    bent = max(abs(s[1] - s[2]) for s in states)
    print(f"tip off by at most {off:.2f} mm, its angle by {bent:.2f} degrees")


def insert(folder, left, right):
    h = read(folder)
    show(left, folder, "--camera", "top", "--size", "900x620")
    way = [1e3 * (x - h["plain_cylinder.x"][0]) for x in h["plain_cylinder.x"]]
    for name, text in (("stiff", "ribs of PLA"), ("plain", "ribs of TPU")):
        right.plot(way, h[f"contact.{name}_cylinder.{name}.fx"], "o-", markersize=3, label=text)
    right.set_xlim(0)
    right.set_ylim(0)
    legend(right, "displacement [mm]", "force [N]")


def peel_force(angle, strength=7.72, spacing=1e-3, width=20e-3):
    """Force of thin films at an angle [rad] for a row of spots of this strength [N]."""
    EI, low, high = 200e6 * width * 0.5e-3**3 / 12, 0, strength
    for _ in range(60):
        force = (low + high) / 2
        moment = math.sqrt(2 * EI * force * (1 - math.cos(angle)))
        is_held = moment / spacing + force * math.sin(angle) < strength
        low, high = (force, high) if is_held else (low, force)
    return force


def tape(folder, left, right):
    show(left, folder, "--time", "0.66", "--camera", "0.3,-1,0.3", "--size", "900x620")
    with open(folder / "events.csv", encoding="utf-8") as file:
        events = {row["event"]: float(row["time"]) for row in csv.DictReader(file)}
    angles = (60, 90, 120)
    right.plot(range(45, 151), [peel_force(math.radians(a)) for a in range(45, 151)], "-",
               color="0.6", label="thin film, b G/(1 - cos a)")
    seen = [0.8 / (1 - math.cos(math.radians(a))) * events[f"hold 'row_0' of 'tape_{a}' ends"]
            for a in angles]
    right.plot(angles, seen, "o", label="first row lets go")
    right.set_ylim(0)
    legend(right, "angle of the force [deg]", "force [N]")


FIGURES = {"tape": tape, "bubble": bubble, "egg": egg, "bellows": bellows, "arm": arm,
           "insert": insert}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=FIGURES)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("-o", "--output", default="soft_robot.png")
    args = parser.parse_args()
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.2), dpi=110, layout="constrained")
    FIGURES[args.figure](args.results, *axes)
    figure.savefig(args.output)


if __name__ == "__main__":
    main()
