"""How strong and how thick a barrier between a soft body and a rigid one should be, on
examples/soft_barrier.yaml: a ball is pressed into gel and held.

surface_energy (kappa, N/m) and range are varied.  Told are the gap, the force against that of a
stiff contact layer at the same place of the ball, and what it costs.  What a user takes from it, at
a pressure p of some 20 kPa:

1. The gap is what kappa makes it, hardly the range: 0.01 mm at 0.1 N/m, 0.06 to 0.1 at 1 N/m.
2. The force is more by what the gap adds to the depth and the radius, and 3 % because a barrier
   stands on the highest points of a mesh where a layer takes the mean: 8 % in all at 0.1 N/m, 9
   to 12 % at 1, 14 to 31 % at 10, 18 to 56 % at 100. A range of 0.5 mm bounds it, one of 2 mm
   does not.
3. Iterations are those of a layer, 1.1 to 1.7 a step, as long as the gap is above a twentieth of
   the range; at a hundredth they are 50, and four times the time: what is left between the points
   of the mesh is as large as the gap.
4. Nothing overlaps; where the gap is a hundredth of the range, by 0.04 % of it at most.
5. So: the range as large as the error in shape that is accepted, kappa = p range/20."""
import json
import os
import resource
import sys

import numpy as np
from experiment import Experiment, plt

SCENE = "examples/soft_barrier.yaml"
RADIUS, TOUCH, HELD = 20e-3, 50e-3, 0.75  # of the ball; where it touches [m]; when it is held [s]
ENERGIES = (0.1, 1.0, 10.0, 100.0)  # [N/m]
RANGES = (0.5e-3, 1e-3, 2e-3)  # [m]
HEAD = ("range [mm]", "kappa [N/m]", "gap [mm]", "force [N]", "over layer's", "gap's part",
        "overlap [mm]", "iterations", "CPU [s]")


def frame_at(folder, time):
    """Words of the contact frame at this time."""
    with open(os.path.join(folder, "vtk", "contact.vtk.series")) as file:
        frames = json.load(file)["files"]
    name = min(frames, key=lambda frame: abs(frame["time"] - time))["name"]
    with open(os.path.join(folder, "vtk", name)) as file:
        return file.read().split()


def scalars(words, name):
    n = int(words[words.index("CELL_DATA") + 1])
    at = words.index("default", words.index(name, words.index("CELL_DATA"))) + 1
    return np.array(words[at : at + n], dtype=float)


def measure(e, label, settings):
    """Force on the ball [N], mean gap by force [m], Newton iterations a step, CPU time [s],
    penetration by contacts and geometry [m], history."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    h = e.run(label, SCENE, {"time.end": "0.8 s", "output.format": "ascii", **settings})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    folder = os.path.join(e.folder, label)
    with open(os.path.join(folder, "summary.json")) as file:
        s = json.load(file)
    words = frame_at(folder, HELD)
    load = scalars(words, "area") * scalars(words, "pressure")
    gap = -np.sum(load * scalars(words, "penetration")) / np.sum(load)
    force = h["contact.block.ball.fz"][np.argmin(np.abs(h["time"] - HELD))]
    cpu = after.ru_utime - before.ru_utime
    return force, gap, s["newton"]["mean"], cpu, s["penetration_max"], h


def main():
    e = Experiment("barrier_kappa", "barriers on a soft body")
    layer, sunk, newton, cpu, _, h = measure(e, "layer", {"contact.normal_law": "hunt_crossley"})
    e.say(f"stiff layer: {layer:.3f} N, overlap {-1e3 * sunk:.3f} mm, {newton:.2f} iterations, "
          f"{cpu:.1f} s")
    # a gap adds to how deep the ball presses: force against depth of the layer
    down = h["time"] <= 0.6
    depth, pushed = TOUCH - h["ball.z"][down], h["contact.block.ball.fz"][down]
    power = np.polyfit(np.log(depth[-20:]), np.log(pushed[-20:]), 1)[0]
    held = TOUCH - h["ball.z"][np.argmin(np.abs(h["time"] - HELD))]
    rows = []
    for width in RANGES:
        for kappa in ENERGIES:
            force, gap, newton, cpu, overlap, _ = measure(
                e, f"r{1e3 * width:g}_k{kappa:g}",
                {"contact.barrier.surface_energy": kappa, "contact.barrier.range": width})
            more = gap - sunk
            part = (1 + more / held) ** power * np.sqrt(1 + more / RADIUS) - 1
            rows.append((1e3 * width, kappa, 1e3 * gap, force, force / layer - 1, part,
                         1e3 * overlap, newton, cpu))
            print(*(f"{x:.4g}" for x in rows[-1]), flush=True)
    e.table("kappa", f"held at {HELD} s", HEAD, rows)
    table = np.array(rows, dtype=float)
    worst = np.max(table[:, 6] / table[:, 0])
    e.holds(f"nothing overlaps by more than a thousandth of the range, by the contacts and by "
            f"geometry: {worst:.1e}", worst < 1e-3)
    for width in RANGES:
        gaps = table[np.isclose(table[:, 0], 1e3 * width), 2]
        e.holds(f"range {1e3 * width:g} mm: the gap grows with kappa, within the range",
                bool(np.all(np.diff(gaps) > 0) and gaps[0] > 0 and gaps[-1] < 1e3 * width))
    off = np.max(np.abs(table[:, 4] - table[:, 5]))
    e.holds(f"the force is more by what the gap adds to depth and radius, within 6 % "
            f"({100 * off:.1f} %)", off < 0.06)
    few = table[table[:, 2] > 0.05 * table[:, 0], 7]
    e.holds(f"gaps above a twentieth of the range take less than two iterations a step "
            f"({np.max(few):.2f})", np.max(few) < 2)

    figure, axes = plt.subplots(1, 3, figsize=(14, 4.3), layout="constrained")
    for width in RANGES:
        t = table[np.isclose(table[:, 0], 1e3 * width)]
        label = f"range {1e3 * width:g} mm"
        axes[0].loglog(t[:, 1], t[:, 2], "o-", label=label)
        axes[1].semilogx(t[:, 1], 100 * t[:, 4], "o-", label=label)
        axes[2].semilogx(t[:, 1], t[:, 7], "o-", label=label)
    axes[0].set(title="gap, mean by force", ylabel="gap [mm]")
    axes[1].set(title="force over that of a stiff layer", ylabel="more by [%]")
    axes[2].set(title="Newton iterations", ylabel="iterations a step")
    axes[2].axhline(newton_of(e, "layer"), color="k", ls=":", label="layer")
    for a in axes:
        a.set_xlabel("surface_energy [N/m]")
        a.grid(alpha=0.3)
        a.legend()
    figure.savefig(os.path.join(e.folder, "kappa.png"), dpi=110)
    return e.finish()


def newton_of(e, label):
    with open(os.path.join(e.folder, label, "summary.json")) as file:
        return json.load(file)["newton"]["mean"]


if __name__ == "__main__":
    sys.exit(main())
