"""P1 V-C, case G03: a spatula's round handle between compliant pads slips whenever the grip
loosens: examples/spatula_gripper.yaml.

The reference is an ordinary differential equation of the spatula in its plane: two strips with the
pressure of an elastic layer, p = E/H (d - y^2/2R), cut by the pads' rectangle, and friction
regularised as the program's."""
import os
import subprocess
import sys

import numpy as np
from PIL import Image
from experiment import Experiment, plt

SCENE = "examples/spatula_gripper.yaml"
MASS, GRAVITY, MU, CREEP = 0.068, 9.81, 1.0, 1e-4
HANDLE, LENGTH, PLATE = (
    0.015,
    0.11,
    (0.09, 0.07, 0.002),
)  # radius, length; plate 100 mm before the handle's middle
MODULUS, LAYER, PAD = 0.5e6, 0.005, (0.04, 0.03)
PERIOD = ((0, 16.0), (4.5, 16.0), (4.7, 1.0), (5.8, 1.0), (6.0, 16.0))


def grip(t):
    return np.interp(t % 6, *zip(*PERIOD))


def mass_properties():
    """Centre of mass before the handle's middle, moment of inertia about it."""
    volumes = np.array([np.pi * HANDLE**2 * LENGTH, np.prod(PLATE)])
    handle, plate = MASS * volumes / volumes.sum()
    centre = 0.1 * plate / MASS
    inertia = handle * (HANDLE**2 / 4 + LENGTH**2 / 12 + centre**2) + plate * (
        (PLATE[0] ** 2 + PLATE[2] ** 2) / 12 + (0.1 - centre) ** 2
    )
    return centre, inertia


class Strip:
    """Points of one patch relative to the pads' middle and their loads; the handle points to (cos,
    -sin) of the pitch."""

    def __init__(
        self,
        pitch,
        centre,
        load,
        along=np.linspace(-1, 1, 121)[1::2],
        across=np.polynomial.legendre.leggauss(8),
    ):
        c, s = np.cos(pitch), np.sin(pitch)
        offset = centre @ (s, c)
        half = (load * LAYER * HANDLE * 1.5 / (MODULUS * PAD[0] / c)) ** (1 / 3)
        points, loads = [], []
        for y, weight in zip(*across):
            o = offset + half * y
            low, high = sorted(((-PAD[0] / 2 - o * s) / c, (PAD[0] / 2 - o * s) / c))
            if abs(s) > 1e-9:
                ends = sorted(((o * c - PAD[1] / 2) / s, (o * c + PAD[1] / 2) / s))
                low, high = max(low, ends[0]), min(high, ends[1])
            t = 0.5 * (low + high) + 0.5 * (high - low) * along
            points.append(np.stack([o * s + t * c, o * c - t * s], axis=1))
            loads.append(np.full(len(t), (high - low) * weight * (1 - y * y)))
        self.points, self.loads = np.concatenate(points), np.concatenate(loads)
        self.loads *= load / self.loads.sum()

    def force(self, centre, v):
        """(x, z) and moment about y at the spatula's centre of mass: friction of both strips and
        the weight."""
        arm = self.points - centre
        slip = np.stack([v[0] + v[2] * arm[:, 1], v[1] - v[2] * arm[:, 0]], axis=1)
        f = -2 * MU * (self.loads / np.sqrt((slip**2).sum(axis=1) + CREEP**2))[:, None] * slip
        return np.array(
            [
                f[:, 0].sum(),
                f[:, 1].sum() - MASS * GRAVITY,
                (f[:, 0] * arm[:, 1] - f[:, 1] * arm[:, 0]).sum(),
            ]
        )


def implicit_step(inertia, v, dt, force):
    """Velocities after an implicit Euler step, by Newton with a halving line search."""
    residual = lambda u: inertia * (u - v) - dt * force(u)
    size = lambda r: r @ (r / inertia)
    u = v
    for _ in range(60):
        r, h = residual(u), np.array([1e-7, 1e-7, 5e-6])
        jacobian = np.stack(
            [(residual(u + d) - residual(u - d)) / (2 * d.sum()) for d in np.diag(h)], axis=1
        )
        step, share = -np.linalg.solve(jacobian, r), 1.0
        while share > 1e-4 and size(residual(u + share * step)) > size(r):
            share /= 2
        u = u + share * step
        if abs(step[:2]).max() + 0.02 * abs(step[2]) < 1e-9:
            break
    return u


def reference(end, dt):
    """Times and pitches [deg]."""
    before, moment = mass_properties()
    inertia, v, pitch, centre = (
        np.array([MASS, MASS, moment]),
        np.zeros(3),
        0.0,
        np.array([0.016 + before, 0.0]),
    )
    rows = [(0.0, 0.0)]
    for n in range(round(end / dt)):
        strip = Strip(pitch, centre, grip((n + 0.5) * dt))
        v = implicit_step(inertia, v, dt, lambda u: strip.force(centre, u))
        centre, pitch = centre + dt * v[:2], pitch + dt * v[2]
        rows.append(((n + 1) * dt, np.degrees(pitch)))
    return np.array(rows).T


def pitch_of(h):
    return -np.degrees(2 * np.arctan2(h["spatula.qy"], h["spatula.qw"]))


def draw_history(path, runs, ode):
    figure, axes = plt.subplots(
        2, 1, figsize=(6.4, 8), sharex=True, height_ratios=(1, 2), layout="constrained"
    )
    h = runs[0][1]
    axes[0].plot(h["time"][1:], h["contact.grip/left_pad.spatula.fy"][1:], color="tab:orange")
    axes[0].set(
        ylabel="force of a pad [N]",
        title="A spatula slips between compliant pads when the grip loosens",
    )
    for dt, history in runs:
        axes[1].plot(history["time"], -pitch_of(history), label=f"Supple, dt = {1e3 * dt:g} ms")
    axes[1].plot(
        *ode, "k--", lw=1, label="strips of an elastic layer, ordinary differential equation"
    )
    axes[1].set(xlabel="time [s]", ylabel="pitch, down [deg]")
    axes[1].legend()
    for a in axes:
        a.grid(alpha=0.3)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw(folder, runs, ode):
    """History, and beside it the pressure on a pad, firm and loose."""
    parts = [os.path.join(folder, name) for name in ("history.png", "firm.png", "loose.png")]
    draw_history(parts[0], runs, ode)
    for t, path in zip((4, 5.5), parts[1:]):
        subprocess.run(
            [
                sys.executable,
                "postproc/patches.py",
                os.path.join(folder, f"dt_{runs[0][0]:g}"),
                "--body",
                "grip/left_pad",
                "--time",
                str(t),
                "-o",
                path,
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    history, *pads = [Image.open(path).convert("RGB") for path in parts]
    width = history.width + max(pad.width for pad in pads)
    whole = Image.new("RGB", (width, history.height), "white")
    whole.paste(history, (0, 0))
    for k, pad in enumerate(pads):
        whole.paste(pad, (history.width, k * history.height // 2))
    whole.quantize(255).save(os.path.join(folder, "spatula_gripper.png"), optimize=True)


def main():
    e = Experiment("spatula_gripper", "G03")
    end, times = 12, (4.5, 5.8, 10.5, 11.8)
    runs = [
        (
            dt,
            e.run(
                f"dt_{dt:g}",
                SCENE,
                {
                    "time.step": dt,
                    "time.end": end,
                    "output.every": 0.05,
                    "rigid.spatula.contact.resolution": "3 mm",
                    "contact.stick": "soft",  # the strips of the equation are rigid
                },
            ),
        )
        for dt in (5e-3, 2.5e-3)
    ]
    ode = reference(end, 5e-3)
    e.head(
        "pitch [deg], down, when a firm and a loose phase end; steps of 5 and 2.5 ms extrapolated"
    )
    for t in times:
        coarse, fine = (np.interp(t, h["time"], -pitch_of(h)) for _, h in runs)
        e.say(f"  t = {t:g} s: {coarse:.3f} at 5 ms, {fine:.3f} at 2.5 ms")
        e.check(f"t = {t:g} s", 2 * fine - coarse, np.interp(t, *ode), rtol=0.04, atol=0.02)
    e.head("held: both pads carry the weight [N]")
    h = runs[1][1]
    at = np.argmin(np.abs(h["time"] - 4))
    e.check(
        "t = 4 s",
        h["contact.grip/left_pad.spatula.fz"][at] + h["contact.grip/right_pad.spatula.fz"][at],
        MASS * GRAVITY,
        atol=1e-6,
    )
    draw(e.folder, runs, ode)
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
