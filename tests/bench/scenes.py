#!/usr/bin/env python3
"""Write the scenes of `make bench` that come in sizes: tests/bench/scenes.py FOLDER

fingersN.yaml: N fingers of 531 vertices side by side on one jaw, pressed 6 mm onto a bar that is fixed.
stripN.yaml: a soft strip lies on N pegs; it grows with them, 60 vertices a peg.
finger_t10.yaml: a FinRay finger of quadratic tetrahedra, 24,288 unknowns, is pressed by a cylinder.
toy.yaml: the fingers of the FinRay grasp close on a soft toy of 3,042 vertices, toy_pressed.yaml: on the rigid cylinder,
and rigid cylinders press the toy beside them.
chainN.yaml, starN.yaml: a chain of N rods, N chains of 12 on a fixed hub; humanoid.yaml: 30 joints stand on two feet.
"""
import os
import sys

FINGERS = (1, 2, 4, 8)
PEGS = (2, 4, 8, 16, 32, 64)
CHAINS = (50, 100, 200)
STARS = (2, 4, 8, 16, 32)

COMMON = """supple: 1
title: {title}

time: {{step: 10 ms, end: {end} s}}
solver: {{tolerance: 1.0e-6}}

materials:
  rubber: {{youngs_modulus: 1 MPa, poissons_ratio: 0.3, density: 1000, stiffness_damping: 10 ms, source: examples/peers}}
"""

RAKE = """
robots:
  gripper: {{urdf: {peers}/hand.urdf, pose: {{position: [0, 0, 130 mm]}}, joints: {{lift: 0, left: 21 mm, right: 1 m}}}}

rigid:
  bar: {{shape: {{cylinder: {{radius: 20 mm, length: {length:.3f}}}}}, pose: {{position: [0, 0, 70 mm], rpy: [90 deg, 0, 0]}}, fixed: true,
        contact: {{resolution: 5 mm}}}}

soft:
{fingers}

actuators:
  lift: {{joint: gripper/lift, kp: 1.0e+4, kd: 50, targets: [[0 s, 0 mm]]}}
  press: {{joint: gripper/left, kp: 1.0e+4, kd: 50, targets: [[0 s, 21 mm], [0.2 s, 14 mm]]}}
"""

FINGER = """  finger{i}:
    mesh: {{file: {peers}/finray.vtk}}
    material: rubber
    attach: {{link: gripper/left_jaw, region: {{half_space: {{normal: [0, 0, 1], offset: 4 mm}}}}}}
    pose: {{position: [0, {y:.3f}, 0], rpy: [0, 180 deg, 0]}}"""

STRIP = """
rigid:
  pegs:
    fixed: true
    shapes:
{pegs}

soft:
  strip:
    mesh: {{box: {{size: [{length:.3f}, 20 mm, 4 mm], cells: [{cells}, 4, 2], pattern: hex}}}}
    material: rubber
    pose: {{position: [0, -10 mm, 0]}}
"""
PEG = "      - {{shape: {{cylinder: {{radius: 4 mm, length: 40 mm}}}}, pose: {{position: [{x:.3f}, 0, -4 mm], rpy: [90 deg, 0, 0]}}}}"


def fingers(n, peers):
    bodies = "\n".join(FINGER.format(i=i, peers=peers, y=0.03 * (i - (n - 1) / 2)) for i in range(n))
    return COMMON.format(title=f"{n} fingers on a bar", end=0.4) + RAKE.format(peers=peers, length=0.03 * n + 0.03, fingers=bodies)


def strip(n):
    pegs = "\n".join(PEG.format(x=0.02 * (i + 0.5)) for i in range(n))
    return COMMON.format(title=f"strip on {n} pegs", end=0.3) + STRIP.format(pegs=pegs, length=0.02 * n, cells=4 * n)


GEL = "{youngs_modulus: 500 kPa, poissons_ratio: 0.4, density: 1000, stiffness_damping: 5 ms, source: tests/bench}"
TOY = """
  toy:
    mesh: {{box: {{size: [44 mm, 40 mm, 44 mm], cells: [12, 12, 17], pattern: hex}}}}
    material: gel
    pose: {{position: [-22 mm, {y} mm, 1 mm]}}
    contact: {{friction: 0.8, dissipation: 10}}
"""
PRESSES = """
  press_{side}:
    shape: {{cylinder: {{radius: 25 mm, length: 20 mm}}}}
    mass: 1 kg
    pose: {{position: [{x} mm, 300 mm, 25 mm], rpy: [90 deg, 0, 0]}}
    motion: [[0 s, 0, 0, 0, 0, 0, 0], [1 s, 0, 0, 0, 0, 0, 0], [1.5 s, {way} mm, 0, 0, 0, 0, 0]]
    contact: {{friction: 0.8, resolution: 2.5 mm}}"""

FINGER_T10 = """supple: 1
title: finger of quadratic tetrahedra

time: {step: 10 ms, end: 150 ms}
gravity: [0.5, -9.81, 0]

materials:
  tpu: {youngs_modulus: 22.7 MPa, poissons_ratio: 0.45, density: 1220, stiffness_damping: 2 ms, source: tests/bench}

rigid:
  cylinder:
    shape: {cylinder: {radius: 20 mm, length: 60 mm}}
    mass: 200 g
    pose: {position: [-20 mm, 45 mm, 10 mm]}
    motion: [[0 s, 0, 0, 0, 0, 0, 0], [50 ms, 0, 0, 0, 0, 0, 0], [1.05 s, 10 mm, 0, 0, 0, 0, 0]]
    contact: {friction: 0.5, resolution: 4 mm}

soft:
  finger:
    mesh: {finray: {height: 80 mm, base: 30 mm, tip: 6 mm, depth: 20 mm, wall: 2 mm, rib: 2 mm, ribs: 5, base_block: 4 mm,
                    tip_block: 6 mm, pattern: kuhn, cells: {wall: 1, inner: 6, cavity: 6, rib: 1, depth: 4}}, order: 2}
    material: tpu
    clamp: [{half_space: {normal: [0, 1, 0], offset: 0.1 mm}}]
    contact: {friction: 0.5, dissipation: 10}
"""


LINK = """<link name="{name}"><inertial><origin xyz="0 0 {com}"/><mass value="{mass}"/>
  <inertia ixx="{I}" iyy="{I}" izz="{J}" ixy="0" ixz="0" iyz="0"/></inertial>{collision}</link>
"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{name}"/><origin xyz="{at}"/>
  <axis xyz="{axis}"/><limit lower="-3" upper="3" effort="500" velocity="100"/></joint>
"""
FOOT = """<collision><origin xyz="0.04 0 -0.06"/><geometry><box size="0.22 0.1 0.04"/></geometry></collision>"""
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
TREE = """supple: 1
title: {name}

time: {{step: {step} ms, end: {end} s}}

robots:
  tree: {{urdf: {name}.urdf, {keys}}}
"""
STAND = """
rigid:
  floor: {{shape: {{half_space: {{}}}}, fixed: true}}

actuators:
  hold: {{robot: tree, kp: 1000, kd: 50, targets: [[0 s{zeros}]]}}
"""


def link(name, mass, length, collision=""):
    """A rod from its joint downwards."""
    I = mass * length**2 / 12 + 1e-6 * mass
    return LINK.format(name=name, com=-length / 2, mass=mass, I=I, J=I / 4, collision=collision)


def branch(name, parent, at, parts):
    """Links in a row: (axis, mass, length)."""
    text = ""
    for k, (axis, mass, length) in enumerate(parts):
        text += link(f"{name}{k}", mass, length, FOOT if "leg" in name and k + 1 == len(parts) else "")
        text += JOINT.format(name=f"{name}{k}", parent=parent, at=at, axis=AXES[axis])
        parent, at = f"{name}{k}", f"0 0 {-length}"
    return text


def star(branches, joints):
    rods = [("xy"[k % 2 if branches > 1 else 0], 1 / joints, 1 / joints) for k in range(joints)]
    return '<robot name="star">' + link("hub", 1, 0.1) + "".join(branch(f"b{b}_", "hub", "0 0 0", rods) for b in range(branches)) + "</robot>"


def humanoid():
    leg = [("z", 0.5, 0.01), ("x", 0.5, 0.01), ("y", 7, 0.4), ("y", 4, 0.4), ("y", 0.3, 0.01), ("x", 1, 0.05)]
    arm = [("y", 0.3, 0.01), ("x", 0.3, 0.01), ("z", 2, 0.3), ("y", 1.5, 0.25), ("z", 0.2, 0.01), ("y", 0.2, 0.01), ("x", 0.5, 0.1)]
    text = '<robot name="humanoid">' + link("pelvis", 10, 0.2)
    text += branch("waist", "pelvis", "0 0 0.1", [("z", 0.5, -0.01), ("y", 0.5, -0.01), ("x", 25, -0.4)])
    text += branch("neck", "waist2", "0 0 0.45", [("z", 4, -0.2)])
    for side, y in (("left", 1), ("right", -1)):
        text += branch(f"{side}_leg", "pelvis", f"0 {0.1 * y} -0.1", leg)
        text += branch(f"{side}_arm", "waist2", f"0 {0.2 * y} 0.38", arm)
    return text + "</robot>"


def trees():
    """Names -> URDF, scene."""
    out = {}
    for branches, joints, name in [(1, n, f"chain{n}") for n in CHAINS] + [(n, 12, f"star{n}") for n in STARS]:
        out[name] = star(branches, joints), TREE.format(name=name, step=1, end=0.2, keys="joints: {b0_0: 0.3 rad}")
    feet = ", ".join(f"{side}_leg5: {{resolution: 250 mm}}" for side in ("left", "right"))
    keys = f"base: free, pose: {{position: [0, 0, 1.01]}}, contact: {{{feet}}}"
    scene = TREE.format(name="humanoid", step=2, end=1, keys=keys)
    out["humanoid"] = humanoid(), scene + STAND.format(zeros=", 0" * 30)
    return out


def toy(is_held, folder, examples):
    """The grasp with the toy in the cylinder's place, or with the toy and its presses beside it."""
    with open(os.path.join(folder, examples, "finray_grasp.yaml")) as file:
        text = file.read()
    tpu = os.path.join(examples, "..", "materials", "tpu.yaml")
    text = text.replace("[../materials/tpu.yaml]", f"[{tpu}, {{gel: {GEL}}}]")
    text = text.replace("urdf: gripper.urdf", "urdf: " + os.path.join(examples, "gripper.urdf"))
    text = text.replace("\nsoft:\n", "\nsoft:" + TOY.format(y=-20 if is_held else 280))
    if is_held:
        begin, end = text.index("  cylinder:\n"), text.index("\n\n", text.index("  cylinder:\n"))
        return (text[:begin] + text[end:]).replace("cylinder]", "toy]")
    presses = "".join(PRESSES.format(side=s, x=x, way=way) for s, x, way in (("left", -47.5, 2), ("right", 47.5, -2)))
    return text.replace("\nsoft:", presses + "\nsoft:")


def main():
    folder = sys.argv[1]
    here = os.path.dirname(os.path.abspath(__file__))
    peers = os.path.relpath(os.path.join(here, "..", "..", "examples", "peers"), folder)
    scenes = {f"fingers{n}": fingers(n, peers) for n in FINGERS} | {f"strip{n}": strip(n) for n in PEGS}
    examples = os.path.relpath(os.path.join(here, "..", "..", "examples"), folder)
    os.makedirs(folder, exist_ok=True)
    scenes["finger_t10"] = FINGER_T10
    scenes |= {"toy": toy(True, folder, examples), "toy_pressed": toy(False, folder, examples)}
    for name, (urdf, scene) in trees().items():
        scenes[name] = scene
        with open(os.path.join(folder, name + ".urdf"), "w") as file:
            file.write(urdf)
    for name, text in scenes.items():
        with open(os.path.join(folder, name + ".yaml"), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
