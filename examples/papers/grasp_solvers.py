"""A FinRay grasp by all contact solvers and friction models: what the fingers press and carry, how
fast the held cylinder creeps, what friction does against itself, what is left of the contact law,
and what it costs.  Methods that go from contact to contact take two minutes together and run with
SOLVERS=all only; SOLVERS=ncp_pgs,raisim chooses."""
import json
import os
import resource
import sys

import numpy as np
from experiment import Experiment, plt

SCENE = "examples/finray_grasp.yaml"
HELD = 4.0  # from here on the cylinder is held in the air [s]
WEIGHT = 0.1 * 9.81  # [N]
RUNS = {
    "newton, coupled": {},
    "newton, coupled, elastic stick": {"contact.stick": "elastic"},
    "newton, lagged": {"contact.model": "lagged", "contact.friction_sweeps": 2},
    "newton, similar": {"contact.model": "similar"},
    "newton, sap": {"contact.model": "sap"},
    "tamsi": {"contact.solver": "tamsi"},
    "mujoco": {"contact.solver": "mujoco"},
    "ccp_admm": {"contact.solver": "ccp_admm"},
    "ccp_pgs": {"contact.solver": "ccp_pgs"},
    "ncp_pgs": {"contact.solver": "ncp_pgs"},
    "ncp_staggered": {"contact.solver": "ncp_staggered"},
    "lcp_pgs": {"contact.solver": "lcp_pgs"},
    "lcp_staggered": {"contact.solver": "lcp_staggered"},
    "raisim": {"contact.solver": "raisim"},
}
# Each is studied as it is: what it leaves of its law is not handed over to another.
for settings in RUNS.values():
    if settings.get("contact.solver", "tamsi") != "tamsi":
        settings["contact.dual.hand_over_above"] = 0
CAP = 1000  # iterations of methods that go on impulses
HEAD = (
    "solver",
    "F_x [N]",
    "F_z [N]",
    "creep [um/s]",
    "internal [N]",
    "residual [-]",
    "missed",
    "iterations",
    "CPU [s]",
)


def cells(words, name, width):
    """Values of a field of the cells of a legacy file."""
    n = int(words[words.index("CELL_DATA") + 1])
    at = words.index(name, words.index("CELL_DATA"))
    at = at + 2 if width > 1 else words.index("default", at) + 1
    return np.array(words[at : at + width * n], dtype=float).reshape(n, width)


def internal_force(folder):
    """Friction of the last frame that carries nothing: the sum of the sizes of the patches'
    friction forces less the size of each finger's sum [N]."""
    with open(os.path.join(folder, "vtk", "contact.vtk.series")) as file:
        name = json.load(file)["files"][-1]["name"]
    with open(os.path.join(folder, "vtk", name)) as file:
        words = file.read().split()
    normal, traction = cells(words, "normal", 3), cells(words, "traction", 3)
    force = traction * cells(words, "area", 1)
    friction = force - normal * np.sum(force * normal, axis=1, keepdims=True)
    body = cells(words, "body_a", 1)[:, 0]
    carried = sum(np.linalg.norm(np.sum(friction[body == b], axis=0)) for b in set(body))
    return np.sum(np.linalg.norm(friction, axis=1)) - carried


def measure(e, name, settings):
    """A row of the table."""
    label = name.replace(", ", "_").replace(" ", "_")
    keys = {"output.every": 1, "output.format": "ascii", "contact.dual.max_iterations": CAP,
            "contact.stick": "soft", "contact.dual.hand_over_above": 0}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    h = e.run(label, SCENE, {**keys, **settings})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    folder = os.path.join(e.folder, label)
    with open(os.path.join(folder, "summary.json")) as file:
        summary = json.load(file)
    t, z = h["time"], h["cylinder.z"]
    creep = (z[-1] - np.interp(HELD, t, z)) / (t[-1] - HELD)
    finger = "contact.left_finger.cylinder."
    return (
        name,
        abs(h[finger + "fx"][-1]),
        abs(h[finger + "fz"][-1]),
        1e6 * creep,
        internal_force(folder),
        summary.get("law_residual_max", 0.0),
        int(summary.get("law_missed_steps", 0)),
        summary["newton"]["mean"],
        after.ru_utime - before.ru_utime,
    )


def main():
    e = Experiment("grasp_solvers", "all solvers on one grasp")
    wanted = os.environ.get("SOLVERS", "newton,tamsi,mujoco,ccp_admm").split(",")
    rows = []
    for name, settings in RUNS.items():
        if wanted != ["all"] and name.split(",")[0] not in wanted:
            continue
        rows.append(measure(e, name, settings))
        print(*rows[-1], flush=True)
    e.table("solvers", "held at 5 s, at most 1,000 iterations a step", HEAD, rows)
    e.head("held at the end")
    for row in rows:
        left = f"{row[5]:.1g} of its law is left" if row[5] > 1e-3 else ""
        e.check(f"{row[0]}: weight on a finger [N]", row[2], WEIGHT / 2, rtol=0.005, reason=left)
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", sharey=True)
    names = [row[0] for row in rows]
    axes[0].barh(names, [abs(row[3]) for row in rows])
    axes[0].set(xscale="log", xlabel="creep of the held cylinder [um/s]")
    axes[1].barh(names, [row[8] for row in rows], color="tab:orange")
    axes[1].set(xlabel="CPU time of 5 s [s]")
    if max(row[8] for row in rows) > 20 * min(row[8] for row in rows):
        axes[1].set_xscale("log")
    axes[0].invert_yaxis()
    for a in axes:
        a.grid(alpha=0.3)
    figure.savefig(os.path.join(e.folder, "solvers.png"), dpi=110)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
