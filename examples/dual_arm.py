"""Writes dual_arm.yaml, P3 VI-E with grippers in the place of hands: two arms of seven joints open a
jar, pour 16 marbles into a bowl, close the jar and put it back.

  python3 examples/dual_arm.py > examples/dual_arm.yaml
"""
import math

HEAD = """# Two arms of seven joints with soft pads: one holds a jar of 16 marbles, the other takes its lid off;
# the first pours the marbles into a bowl and puts the jar back under the lid (P3 VI-E, whose robot
# has hands).  Each task waits for the other one's phases.  Written by examples/dual_arm.py.
#
#   supple run examples/dual_arm.yaml
supple: 1
title: Two arms open a jar, pour its marbles into a bowl and close it
time: {step: 5 ms, end: 18 s}
contact:
  defaults: {friction: 0.5, dissipation: 10, point: {stiffness: 1.0e+5}}

robots:
  right:
    urdf: seven_axis.urdf
    visuals: true
    pose: {position: [-150 mm, -300 mm, 0]}
    joints: {joint1: 52.0092 deg, joint2: 38.5874 deg, joint3: -11.9219 deg, joint4: -143.0143 deg,
             joint5: -137.6553 deg, joint6: 94.2724 deg, joint7: 51.1319 deg, left: 38 mm, right: 38 mm}
  left:
    urdf: seven_axis.urdf
    visuals: true
    pose: {position: [-150 mm, 300 mm, 0]}
    joints: {joint1: -29.1003 deg, joint2: 28.0533 deg, joint3: -8.2323 deg, joint4: -93.1466 deg,
             joint5: 4.5000 deg, joint6: 120.8763 deg, joint7: 6.3108 deg, left: 25 mm, right: 25 mm}

materials:
  rubber: {youngs_modulus: 2 MPa, poissons_ratio: 0.45, density: 1000 kg/m^3, stiffness_damping: 10 ms}
soft:
  right_left_pad: &left_pad
    mesh: &pad {box: {size: [30 mm, 12 mm, 36 mm], cells: [4, 2, 4]}}
    material: rubber
    attach: {link: right/left_jaw, region: {named: y_max}}
    pose: {position: [-15 mm, 0, 10 mm]}
    contact: {friction: 0.9}
  right_right_pad: &right_pad
    mesh: *pad
    material: rubber
    attach: {link: right/right_jaw, region: {named: y_min}}
    pose: {position: [-15 mm, -12 mm, 10 mm]}
    contact: {friction: 0.9}
  left_left_pad: {<<: *left_pad, attach: {link: left/left_jaw, region: {named: y_max}}}
  left_right_pad: {<<: *right_pad, attach: {link: left/right_jaw, region: {named: y_min}}}

rigid:
  table: {shape: {half_space: {}}, fixed: true}
"""


def wall(inradius, thickness, low, high):
    """Eight boxes around z."""
    middle, width = inradius + thickness / 2, 2 * (inradius + thickness) * math.tan(math.pi / 8)
    rows = []
    for k in range(8):
        a = k * math.pi / 4
        rows.append(
            f"      - {{shape: {{box: {{size: [{thickness} mm, {width:.2f} mm, {high - low} mm]}}}}, "
            f"pose: {{position: [{middle * math.cos(a):.3f} mm, {middle * math.sin(a):.3f} mm, "
            f"{(low + high) / 2} mm], rpy: [0, 0, {45 * k} deg]}}}}"
        )
    return "\n".join(rows)


def disc(radius, low, high):
    return (
        f"      - {{shape: {{cylinder: {{radius: {radius} mm, length: {high - low} mm}}}}, "
        f"pose: {{position: [0, 0, {(low + high) / 2} mm]}}}}"
    )


def main():
    print(HEAD, end="")
    jar = [400, -100]
    print(f"""  jar:
    shapes:
{disc(32, 0, 6)}
{wall(30, 4, 0, 132)}
    mass: 250 g
    pose: {{position: [{jar[0]} mm, {jar[1]} mm, 0]}}
    contact: {{resolution: 8 mm}}
  lid:                                        # a plug, a cap and a knob; a pressure field
    shapes:
{disc(27, -8, 0)}
{disc(36, 0, 6)}
{disc(10, 6, 40)}
    mass: 80 g
    pose: {{position: [{jar[0]} mm, {jar[1]} mm, 132 mm]}}
    contact: {{resolution: 6 mm, compliant: {{modulus: 5 MPa}}}}
  bowl:
    shapes:
{disc(97, 0, 6)}
{wall(95, 6, 0, 60)}
    mass: 400 g
    pose: {{position: [400 mm, 160 mm, 0]}}
    contact: {{resolution: 20 mm}}""")
    n = 0
    for layer in range(6):
        for k in range(3):
            if n == 16:
                break
            a = 2 * math.pi * k / 3 + layer * math.pi / 3
            x, y = jar[0] + 15 * math.cos(a), jar[1] + 15 * math.sin(a)
            print(
                f"  marble{n}: {{shape: {{sphere: {{radius: 11.5 mm}}}}, mass: 50 g, pose: {{position: "
                f"[{x:.3f} mm, {y:.3f} mm, {18 + 18 * layer:.1f} mm]}}, contact: {{friction: 0.3}}}}"
            )
            n += 1
    print("""
actuators:
  right: {robot: right, kp: [2.0e+4, 2.0e+4, 2.0e+4, 2.0e+4, 5.0e+3, 5.0e+3, 5.0e+3, 5.0e+3, 5.0e+3], kd: [400, 400, 400, 400, 100, 100, 100, 200, 200], feedforward: gravity, targets: [[0 s, 52.0092 deg, 38.5874 deg, -11.9219 deg, -143.0143 deg, -137.6553 deg, 94.2724 deg, 51.1319 deg, 38 mm, 38 mm]]}
  left: {robot: left, kp: [2.0e+4, 2.0e+4, 2.0e+4, 2.0e+4, 5.0e+3, 5.0e+3, 5.0e+3, 5.0e+3, 5.0e+3], kd: [400, 400, 400, 400, 100, 100, 100, 200, 200], feedforward: gravity, targets: [[0 s, -29.1003 deg, 28.0533 deg, -8.2323 deg, -93.1466 deg, 4.5000 deg, 120.8763 deg, 6.3108 deg, 25 mm, 25 mm]]}

tasks:
  pour:
    frame: right/hand
    tool: {position: [0, 0, 86 mm]}
    phases:
      reach: {move: {offset: [90 mm, 0, 0], path: line}, duration: 1 s}
      grip: {joints: {right/left: 26 mm, right/right: 26 mm}, effort: {right/left: 40 N, right/right: 40 N}, duration: 0.6 s}
      wait: {until: {when: {column: task.lid.phase, above: 4.5}}, timeout: 8 s}
      lift: {move: {offset: [0, 0, 190 mm], path: line}, duration: 1 s}
      carry: {move: {offset: [0, 150 mm, 0], path: line}, duration: 1 s}
      tilt: {move: {offset: [0, 0, 0], quaternion: &poured QP, path: line}, duration: 2 s}
      drain: {duration: 0.8 s}
      turn: {move: {offset: [0, 0, 0], quaternion: &upright QU, path: line}, duration: 1.2 s}
      back: {move: {offset: [0, -150 mm, 0], path: line}, duration: 1 s}
      down: {move: {offset: [0, 0, -192 mm], path: line}, duration: 1.2 s, until: {when: {column: contact.jar.table.fz, below: -1 N}}, timeout: 1.4 s}
      closed: {until: {when: {column: task.lid.phase, above: 8.5}}, timeout: 8 s}
      let_go: {joints: {right/left: 38 mm, right/right: 38 mm}, duration: 0.6 s}
      leave: {move: {offset: [-90 mm, 0, 0], path: line}, duration: 1 s}
  lid:
    frame: left/hand
    tool: {position: [0, 0, 86 mm]}
    phases:
      wait: {until: {when: {column: task.pour.phase, above: 1.5}}, timeout: 4 s}
      above: {move: {body: lid, position: [0, 0, 100 mm], path: line}, duration: 1 s}
      down: {move: {body: lid, position: [0, 0, 28 mm], path: line}, duration: 0.8 s}
      grip: {joints: {left/left: 3 mm, left/right: 3 mm}, effort: {left/left: 15 N, left/right: 15 N}, duration: 0.6 s}
      off: {move: {offset: [0, 0, 120 mm], path: line}, duration: 0.8 s}
      aside: {move: {offset: [0, 420 mm, 0], path: line}, duration: 1.2 s}
      empty: {until: {when: {column: task.pour.phase, above: 9.5}}, timeout: 16 s}
      over: {move: {body: jar, position: [0, 0, 200 mm], path: line}, duration: 1.2 s}
      close: {move: {offset: [0, 0, -60 mm], path: line}, duration: 1 s, until: {when: {column: contact.jar.lid.fz, above: 2 N}}, timeout: 1.2 s}
      let_go: {joints: {left/left: 25 mm, left/right: 25 mm}, duration: 0.6 s}
      leave: {move: {offset: [0, 0, 90 mm], path: line}, duration: 0.8 s}
output:
  every: 20 ms
  pairs: [[jar, table], [jar, lid], [jar, bowl], [bowl, table], [right_left_pad, jar], [left_left_pad, lid]]"""
    .replace("QP", quaternion(-125)).replace("QU", quaternion(0)))


def quaternion(turn):
    """Of a hand that points along x, turned about x by an angle [deg]."""
    c, s = math.cos(math.radians(turn) / 2), math.sin(math.radians(turn) / 2)
    r = math.sqrt(0.5)
    return f"[{c * r:.9f}, {s * r:.9f}, {c * r:.9f}, {s * r:.9f}]"


main()
