"""P4 Fig 16: time a step of all contact solvers, cold and warm, on three robots: the quadruped of
examples/solo12_stand.yaml, a humanoid of the size of Talos and a hand of the size of Allegro.

Quadruped and humanoid are pushed, a ball drops into the hand.  The last two are written here as
MJCF.  P4's times are a figure without numbers: its statements on them are checked.

    solver_times.py [FOLDER]

A folder with robots/solo12.urdf and robots/talos_reduced_box.urdf of example-robot-data,
robots/allegro_hand_right.urdf of drake_models, and their meshes below packages/, adds these three
robots of the paper."""
import os
import sys
import xml.etree.ElementTree as ET

import numpy as np
from experiment import LINE, SOLVERS, Experiment, line, plt

HERE = os.path.dirname(os.path.abspath(__file__))
ALL = {**SOLVERS, "newton coupled": {},
       "tamsi": {"contact.solver": "tamsi"}}  # its plain form fails at joints' dry friction
LINE["newton coupled"] = ("k", "-")
REPEATS = 2  # the least of so many means: others use the machine, too
TOLERANCE, CAP = 1e-6, 500
LEG = (  # name, offset, joints, half extent of its box or length of its capsule, mass [kg]
    ("hip", (0, 0.085, -0.09), "zxy", 0.38, 9.0),
    ("knee", (0, 0, -0.38), "y", 0.325, 5.0),
    ("ankle", (0, 0, -0.325), "yx", None, 2.0),
)
ARM = (
    ("shoulder", (0, 0.2, 0.32), "yxz", 0.28, 4.0),
    ("elbow", (0, 0, -0.28), "y", 0.2, 2.5),
    ("wrist", (0, 0, -0.2), "zxy", 0.1, 1.0),
)
GRASP = {f"{f}{i}": q for f, row in (("f0", (0, 0.7, 0.6, 0.6)), ("f1", (0, 0.7, 0.6, 0.6)),
                                     ("f2", (0, 0.7, 0.6, 0.6)), ("thumb", (0, 0.9, 0.6, 0.4)))
         for i, q in enumerate(row)}
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def chain(side, parts):
    """Nested bodies of a limb, y mirrored for the right side."""
    name, (x, y, z), joints, length, mass = parts[0]
    y *= side
    tag = f"{name}_{'l' if side > 0 else 'r'}"
    shape = (f'<geom type="capsule" fromto="0 0 0 0 0 {-length}" size=".04" mass="{mass}" '
             'contype="0" conaffinity="0"/>' if length else
             f'<geom type="box" pos=".02 0 -.09" size=".1 .06 .01" mass="{mass}" contype="0" '
             'conaffinity="0"/>' + "".join(
                 f'<geom type="sphere" pos="{a} {b} -.1" size=".007" mass="0.001"/>'
                 for a in (-0.08, 0.12) for b in (-0.06, 0.06)))
    hinges = "".join(f'<joint name="{tag}_{a}" type="hinge" axis="{AXES[a]}"/>' for a in joints)
    inner = chain(side, parts[1:]) if len(parts) > 1 else ""
    return f'<body name="{tag}" pos="{x} {y} {z}">{hinges}{shape}{inner}</body>\n'


def humanoid():
    """30 joints, 95 kg, four balls under each foot."""
    hidden = 'contype="0" conaffinity="0"'
    trunk = (
        '<body name="torso" pos="0 0 .1"><joint name="torso_z" type="hinge" axis="0 0 1"/>'
        '<joint name="torso_y" type="hinge" axis="0 1 0"/>'
        f'<geom type="box" pos="0 0 .2" size=".1 .17 .2" mass="31" {hidden}/>'
        '<body name="head" pos="0 0 .45"><joint name="head_z" type="hinge" axis="0 0 1"/>'
        '<joint name="head_y" type="hinge" axis="0 1 0"/>'
        f'<geom type="sphere" pos="0 0 .1" size=".1" mass="3" {hidden}/></body>'
        + chain(1, ARM) + chain(-1, ARM) + "</body>")
    return ('<mujoco model="humanoid"><worldbody><body name="base" pos="0 0 .902">'
            f'<freejoint name="root"/><geom type="box" size=".1 .12 .08" mass="14" {hidden}/>'
            + trunk + chain(1, LEG) + chain(-1, LEG) + "</body></worldbody></mujoco>\n")


def finger(tag, pos, euler):
    """Four joints: aside, then three that bend; links of 54, 38 and 27 mm, a tip of 12 mm."""
    out = (f'<body name="{tag}0" pos="{pos}" euler="{euler}"><joint name="{tag}0" type="hinge" '
           'axis="0 0 1"/><geom type="sphere" size=".01" mass=".01"/>')
    for i, (at, length) in enumerate(((0, 0.054), (0.054, 0.0384), (0.0384, 0.0267))):
        out += (f'<body name="{tag}{i + 1}" pos="{at} 0 0"><joint name="{tag}{i + 1}" type="hinge" '
                f'axis="0 -1 0"/><geom type="capsule" fromto=".01 0 0 {length} 0 0" size=".01" '
                'mass=".03"/>')
    return out + '<geom type="sphere" pos=".0267 0 0" size=".012" mass=".01"/>' + "</body>" * 4


def hand():
    """16 joints, palm up: three fingers along x, a thumb across."""
    fingers = "".join(finger(f"f{i}", f".05 {0.0454 * (i - 1)} 0", "0 0 0") for i in range(3))
    return ('<mujoco model="hand"><default><geom contype="1" conaffinity="2"/></default>'
            '<worldbody><body name="palm">'
            '<geom type="box" pos="0 0 -.01" size=".05 .06 .015" mass=".4"/>' + fingers
            + finger("thumb", "0.02 -.08 .02", "0 0 75") + "</body></worldbody></mujoco>\n")


HEAD = """supple: 1
time: {step: 1 ms, end: %g s}
contact: {stiction_tolerance: 1.0e-5, defaults: {friction: 0.9, point: {stiffness: 1.0e+6}}%s}
output: {format: none, timing: true}
"""
FLOOR = "rigid: {floor: {shape: {half_space: {}}, fixed: true}}\n"
PUSH = ("loads: {push: {body: robot/base_link, force: [[0, 0, 0, 0], [0.1, %g, %g, 0], "
        "[0.2, 0, 0, 0]]}}\n")


def mirrored(joint, start):
    """{(part, i): (angle, sign on the right side)} -> angles by name, on both sides."""
    return {joint % (part, side, i): q * (s if side == "right" else 1)
            for (part, i), (q, s) in start.items() for side in ("left", "right")}


PUBLIC = {  # file, pose, angles at the start, gains, links that overlap by construction, the rest
    "Solo-12": (
        "solo12", "base: free, pose: {position: [0, 0, 0.2396]}",
        {f"{leg}{side}_{j}": (q if leg == "F" else -q)
         for leg in "FH" for side in "LR" for j, q in (("HFE", 0.8), ("KFE", -1.6))},
        "kp: 20, kd: 0.5",
        [(f"{leg}_UPPER_LEG", "base_link") for leg in ("FL", "FR", "HL", "HR")],
        FLOOR + PUSH % (2, 8)),
    "Talos": (
        "talos_reduced_box", "base: free, pose: {position: [0, 0, 1.02228]}",
        mirrored("%s_%s_%d_joint", {
            ("arm", 1): (0.258, -1), ("arm", 2): (0.173, -1), ("arm", 4): (-0.525, 1),
            ("leg", 3): (-0.411, 1), ("leg", 4): (0.859, 1), ("leg", 5): (-0.448, 1)}),
        "kp: 3000, kd: 60",
        [("base_link", "torso_2_link")] + [(a % side, b % side) for side in ("left", "right")
                                           for a, b in (("arm_%s_7_link", "arm_%s_5_link"),
                                                        ("leg_%s_1_link", "leg_%s_3_link"))],
        FLOOR + PUSH % (100, 60)),
    "Allegro": (
        "allegro_hand_right", "pose: {position: [0.095, 0, 0], rpy: [0, -75 deg, 0]}",
        {f"joint_{4 * f + i}": q
         for f, row in enumerate(((0, 0.7, 0.6, 0.6),) * 3 + ((0.9, 0.6, 0.4, 0.4),))
         for i, q in enumerate(row)},
        "kp: 3, kd: 0.05", [("palm_link", "link_13")],
        "rigid:\n  ball: {shape: {sphere: {radius: 32 mm}}, mass: 80 g, pose: {position: "
        "[25 mm, 25 mm, 90 mm]}}\n"),
}


def public(folder, robot):
    """Scene of a public robot whose drives hold the start."""
    file, pose, start, gains, inside, rest = PUBLIC[robot]
    path = os.path.join(folder, "robots", file + ".urdf")
    names = [j.get("name") for j in ET.parse(path).getroot().findall("joint")
             if j.get("type") != "fixed"]
    pairs = ", ".join(f"{{bodies: [robot/{a}, robot/{b}], enabled: false}}" for a, b in inside)
    return HEAD % (0.6 if "ball" in rest else 0.3, f", pairs: [{pairs}]" * bool(inside)) + f"""
robots:
  robot: {{urdf: {path}, packages: [{folder}/packages], {pose},
          joints: {{{", ".join(f"{j}: {q}" for j, q in start.items())}}}}}
actuators: {{all: {{joints: [{", ".join("robot/" + j for j in names)}], {gains},
                  targets: [{[0, *(start.get(j, 0) for j in names)]}]}}}}
""" + rest


def scenes(e):
    """Robot -> its scene, a file or text."""
    with open(os.path.join(e.folder, "humanoid.xml"), "w") as file:
        file.write(humanoid())
    with open(os.path.join(e.folder, "hand.xml"), "w") as file:
        file.write(hand())
    return {
        "quadruped": os.path.join(HERE, "..", "solo12_stand.yaml"),
        "humanoid": HEAD % (0.3, "") + FLOOR + """
robots: {humanoid: {mjcf: humanoid.xml}}
actuators: {all: {robot: humanoid, kp: 3000, kd: 60, targets: [%s]}}
loads: {push: {body: humanoid/base, force: [[0, 0, 0, 0], [0.1, 100, 60, 0], [0.2, 0, 0, 0]]}}
""" % ([0] * 31),
        "hand": HEAD % (0.6, "") + """
robots: {hand: {mjcf: hand.xml, pose: {rpy: [0, 20 deg, 0]}, joints: {%s}}}
actuators: {all: {robot: hand, kp: 3, kd: 0.05, targets: [%s]}}
rigid:
  ball: {shape: {sphere: {radius: 32 mm}}, mass: 80 g, pose: {position: [30 mm, -12 mm, 90 mm]}}
""" % (", ".join(f"{j}: {q}" for j, q in GRASP.items()), [0, *GRASP.values()]),
        **{robot: public(os.path.abspath(folder), robot) for folder in sys.argv[1:2]
           for robot in PUBLIC},
    }


def iterates_on_impulses(solver):
    return ALL[solver].get("contact.solver", "tamsi") not in ("tamsi", "mujoco")


def start_of(solver, warm):
    return ("warm" if warm else "cold") if iterates_on_impulses(solver) else "velocities"


def measure(e, robot, scene, solver, warm):
    """Solution of a step with contacts [ms], iterations, contacts, residuals of the law and of
    Coulomb's."""
    keys = {"contact.dual.tolerance": TOLERANCE, "solver.tolerance": TOLERANCE,
            "contact.dual.max_iterations": CAP, "solver.certificate": "true",
            "output.format": "none", "output.timing": "true",
            "contact.dual.warm_start": str(warm).lower(), **ALL[solver]}
    label = f"{robot}_{solver.replace(' ', '_')}_{'warm' if warm else 'cold'}"
    seconds = []
    for _ in range(REPEATS):
        h = e.run(label, scene, keys)
        seconds.append(e.summary(label)["wall"]["phases"]["solve"])
    busy = h["contacts"] > 0

    def median(x):
        return np.median(x[busy])

    law = median(h["law_residual"]) if "law_residual" in h else None
    return {"ms": 1e3 * min(seconds) / np.sum(busy),
            "iterations": median(h["newton"]), "most": np.max(h["newton"]),
            "contacts": np.mean(h["contacts"][busy]), "law": law,
            "ncp": max(median(h["ncp_primal"]), median(h["ncp_complementarity"]))}


def main():
    e = Experiment("solver_times", "P4 Fig 16")
    found, rows = {}, []
    for robot, scene in scenes(e).items():
        for s in ALL:
            for warm in (False, True) if iterates_on_impulses(s) else (True,):
                f = found[robot, s, warm] = measure(e, robot, scene, s, warm)
                rows.append([robot, s, start_of(s, warm), f["ms"], f["iterations"], f["most"],
                             f["law"], f["ncp"], f["contacts"]])
                print(*rows[-1], flush=True)
    e.table("times", "Steps of 1 ms with contacts: mean time, medians of the rest, tolerance "
            f"{TOLERANCE:g}",
            ["robot", "solver", "start", "solution [ms]", "iterations", "most", "law [-]",
             "Coulomb's [-]", "contacts"], rows)
    robots = list(dict.fromkeys(key[0] for key in found))
    e.head("P4: cold, global methods cost more than sweeps; warm starts close the gap")
    for r in robots:
        sweeps, admm = found[r, "ccp_pgs", False], found[r, "ccp_admm", False]
        e.holds(f"{r}: cold, ccp_admm takes {admm['ms'] / sweeps['ms']:.2f} of "
                "ccp_pgs", admm["ms"] > sweeps["ms"],
                f"{CAP} sweeps do not meet the law in all steps: ill-conditioned"
                if sweeps["most"] >= CAP else "")
        gap = {w: found[r, "ccp_admm", w]["ms"] / found[r, "ncp_pgs", w]["ms"] for w in (0, 1)}
        e.say(f"  {r}: ccp_admm over ncp_pgs {gap[0]:.2f} cold, {gap[1]:.2f} warm")
        for s in ("ncp_pgs", "ccp_pgs", "raisim", "ccp_admm", "ncp_staggered"):
            cold, warm = (found[r, s, w]["iterations"] for w in (False, True))
            e.holds(f"{r}, {s}: {cold:g} iterations cold, {warm:g} warm", warm <= cold)
    figure, axes = plt.subplots(1, len(robots), figsize=(4.6 * len(robots), 4.6),
                                layout="constrained", sharey=True)
    for a, r in zip(axes, robots):
        for warm, shift in ((False, -0.2), (True, 0.2)):
            own = [(i, found[r, s, warm]["ms"], line(s)["color"]) for i, s in enumerate(ALL)
                   if (r, s, warm) in found]
            a.barh([i + shift for i, _, _ in own], [ms for _, ms, _ in own], 0.38,
                   color=[c for _, _, c in own], alpha=1 if warm else 0.4)
        a.set(title=f"{r}, {found[r, 'ncp_pgs', True]['contacts']:.1f} contacts", xscale="log",
              xlabel="solution of a step [ms]: light cold, full warm")
        a.grid(alpha=0.3)
    axes[0].set_yticks(range(len(ALL)), list(ALL))
    axes[0].invert_yaxis()
    figure.savefig(os.path.join(e.folder, "fig16.png"), dpi=100)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
