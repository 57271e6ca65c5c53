"""Stress of a cube that is pulled and pressed by each material law: materials/laws.py [PNG].

Runs `supple static` (PATH, or the environment's SUPPLE) on one cube of six tetrahedra whose sides
are free to contract; E = 1 MPa, nu = 0.3.  The nominal stress is the reaction over the area at
rest."""
import csv
import os
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LAWS = (
    "corotational",
    "fixed_corotational",
    "saint_venant_kirchhoff",
    "neo_hookean",
    "stable_neo_hookean",
)
SCENE = """
supple: 1
time: {{step: 10 ms, end: 1 s}}
gravity: [0, 0, 0]
static: {{steps: 12}}
materials: {{law: {{model: {law}, youngs_modulus: 1 MPa, poissons_ratio: 0.3,
                  density: 1000 kg/m^3}}}}
soft:
  cube:
    mesh: {{box: {{size: [10 mm, 10 mm, 10 mm], cells: [1, 1, 1], pattern: kuhn}}}}
    material: law
    hold:
      - {{region: {{named: x_min}}, axes: [x], name: left}}
      - {{region: {{named: y_min}}, axes: [y], name: front}}
      - {{region: {{named: z_min}}, axes: [z], name: below}}
      - {{region: {{named: x_max}}, axes: [x], name: right,
         motion: [[0, 0, 0, 0, 0, 0, 0], [1 s, {way} mm, 0, 0, 0, 0, 0]]}}
output: {{format: none}}
"""


def curve(law, way, folder):
    """[(stretch, nominal stress [MPa])] from rest to a displacement of `way` mm."""
    scene = os.path.join(folder, "cube.yaml")
    with open(scene, "w") as file:
        file.write(SCENE.format(law=law, way=way))
    subprocess.run(
        [os.environ.get("SUPPLE", "supple"), "static", scene, "-q", "-o", folder],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with open(os.path.join(folder, "history.csv")) as file:
        rows = [
            (float(r["time"]), float(r["reaction.cube.right.fx"])) for r in csv.DictReader(file)
        ]
    return [(1 + way / 10 * t, force / 1e-4 / 1e6) for t, force in rows]


def main():
    figure, axes = plt.subplots(figsize=(7, 4.2))
    for law in LAWS:
        with tempfile.TemporaryDirectory() as folder:
            points = sorted(curve(law, -5, folder) + curve(law, 10, folder))
        axes.plot(*zip(*points), label=law)
    axes.set_xlabel("length over length at rest [-]")
    axes.set_ylabel("force over area at rest [MPa]")
    axes.set_title("A cube pulled and pressed, E = 1 MPa, nu = 0.3")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "laws.png", dpi=110)


if __name__ == "__main__":
    main()
