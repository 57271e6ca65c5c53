"""P4 Figs 9, 10, 14, 15, Tables III and IV, case R08: a cube slides to rest, all contact solvers,
against Coulomb's closed form and the paper's numbers."""
import os
import sys

import numpy as np
from experiment import COULOMB, SOLVERS, SQUARE, Experiment, line

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cube_slide.yaml")
MU, V0, G, END, REST = 0.95, 3.0, 9.81, 1.25, 0.104
STOP = V0 / (MU * G)
OBLIQUE = np.radians(30)  # to the axes of the friction square
STEPS = (1e-3, 1e-2, 1e-1)
# Table III: integral consistency error [m s] at 1, 10 and 100 ms against 0.1 ms of the same solver.
STEP_ERROR = {
    "ccp_pgs": (1.6e-3, 1.7e-2, 1.6e-1),
    "raisim": (1.5e-3, 1.6e-2, 1.5e-1),
    "ncp_pgs": (1.5e-3, 1.6e-2, 1.6e-1),
}
# Table IV: the same at stopping criteria 1e-6, 1e-4 and 1e-2 against 1e-9.
CRITERIA = (1e-6, 1e-4, 1e-2)
CRITERION_ERROR = {
    "ccp_pgs": (6.7e-7, 4.3e-5, 4.8e-2),
    "raisim": (9.0e-8, 4.8e-5, 7.0e-4),
    "ncp_pgs": (6.0e-10, 9.9e-8, 5.3e-6),
}


def exact_way(t):
    t = np.minimum(t, STOP)
    return V0 * t - MU * G * t**2 / 2


def exact_energy(t):
    return np.maximum(V0 - MU * G * t, 0) ** 2 / 2


def energy(h):
    """Kinetic and potential energy [J], 0 of the cube at rest on the floor."""
    return h["energy.kinetic"] + G * (h["cube.z"] - REST)


def raisim_aside():
    """Share of a corner's normal force that RaiSim's friction pushes aside: mu^2 G_NT / G_NN, with
    the corner at (a, a, -h), G_NT = h a / I and G_NN = 1/m + 2 a^2 / I."""
    a, inertia = 0.1, 6.667e-3
    return MU**2 * REST * a / inertia / (1 + 2 * a**2 / inertia)


def square_way(angle):
    """Way [m] along and across of a slide on the friction square: each axis brakes by mu g."""
    x, y = (V0 * np.array([np.cos(angle), np.sin(angle)])) ** 2 / (2 * MU * G)
    return x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)


def consistency(h, reference):
    """int |x - x_reference| dt over the whole steps until END, of the way alone: the paper does not
    say which norm."""
    t = h["time"][h["time"] <= END + 1e-9]
    error = np.abs(h["cube.x"][: len(t)] - np.interp(t, reference["time"], reference["cube.x"]))
    return np.sum(error[1:] * np.diff(t))


def residual(h):
    return np.nanmax(h["law_residual"] if "law_residual" in h else h["momentum_error"])


def main():
    e = Experiment("cube_slide", "R08, P4 Figs 9, 10, 14, 15, Tables III, IV")

    def run(solver, label, dt, angle=0.0, **settings):
        v = V0 * np.cos(angle), V0 * np.sin(angle)
        return e.run(
            f"{solver.replace(' ', '_')}_{label}",
            SCENE,
            {
                **SOLVERS[solver],
                "time.step": dt,
                "output.every": dt,
                "output.format": "none",
                "rigid.cube.velocity": f"[{v[0]:.15g}, {v[1]:.15g}, 0]",
                "contact.dual.tolerance": 1e-6,
                "solver.tolerance": 1e-8,
                **{k.replace("__", "."): v for k, v in settings.items()},
            },
        )

    # ---- Figs 9 and 10: 1 ms, along and oblique to the square's axes
    runs = {s: run(s, "1ms", 1e-3) for s in SOLVERS}
    oblique = {s: run(s, "oblique", 1e-3, OBLIQUE) for s in SOLVERS}
    along = {s: h["cube.x"] * np.cos(OBLIQUE) + h["cube.y"] * np.sin(OBLIQUE)
             for s, h in oblique.items()}
    across = {s: h["cube.y"] * np.cos(OBLIQUE) - h["cube.x"] * np.sin(OBLIQUE)
              for s, h in oblique.items()}
    rows = []
    for s, h in runs.items():
        E = energy(h)
        rows.append((s, h["cube.x"][-1], across[s][-1], np.max(h["cube.z"]) - REST, E[100], E[200],
                     residual(h), np.mean(h["newton"][1:]), np.max(h["newton"])))
    rows.append(("Coulomb, exact", exact_way(END), 0.0, 0.0, exact_energy(0.1), exact_energy(0.2),
                 None, None, None))
    e.table("models", "Figs 9, 10: 1 ms; drift of a slide 30 deg off the axes of the square",
            ("solver", "way [m]", "drift [m]", "height [m]", "E(.1 s) [J]", "E(.2 s) [J]",
             "residual", "iterations", "most"), rows)
    e.head("Coulomb's law: closed form; a step of time moves the way by v0 dt/2")
    for s in COULOMB:
        E = energy(runs[s])
        e.check(f"{s}: way [m]", runs[s]["cube.x"][-1], exact_way(END) - V0 * 1e-3 / 2, rtol=1e-4)
        e.check(f"{s}: E(.1 s) [J]", E[100], exact_energy(0.1), rtol=1e-4)
        e.check(f"{s}: E(.2 s) [J]", E[200], exact_energy(0.2), rtol=1e-4)
        e.check(f"{s}: drift [m]", across[s][-1], 0, atol=1e-5)
    e.head("Fig 9: friction on a square deviates the cube to an axis")
    for s in SQUARE:
        way, drift = square_way(OBLIQUE)
        e.check(f"{s}: way [m]", along[s][-1], way, rtol=5e-3)
        e.check(f"{s}: drift [m]", across[s][-1], drift, rtol=5e-3)
    e.head("Fig 10: the convex relaxation throws the cube up with mu v_t, in one step")
    for s in ("newton sap", "ccp_pgs", "ccp_admm"):
        # The nearest point of the dual cone to v0 and one step of gravity's fall.
        slip = V0 - MU * (MU * V0 + G * 1e-3) / (1 + MU**2)
        e.check(f"{s}: v_x after a step [m/s]", runs[s]["cube.vx"][1], slip, rtol=5e-3)
        e.check(f"{s}: v_z after a step [m/s]", runs[s]["cube.vz"][1], MU * slip, rtol=5e-3)
    e.head("Fig 10: RaiSim's friction is turned by the coupling G_NT of each corner (P4 21)")
    brake = G * np.sqrt(MU**2 - raisim_aside() ** 2)
    E = energy(runs["raisim"])
    e.check("raisim: E(.1 s) [J]", E[100], (V0 - brake * 0.1) ** 2 / 2, rtol=1e-3)
    e.check("raisim: E(.2 s) [J]", E[200], (V0 - brake * 0.2) ** 2 / 2, rtol=1e-3)
    e.check("raisim: way [m]", runs["raisim"]["cube.x"][-1], V0**2 / 2 / brake - V0 * 1e-3 / 2,
            rtol=1e-3)

    # ---- Table III
    rows, errors = [], {}
    for s in SOLVERS:
        fine = run(s, "reference", 1e-4)
        found = [consistency(run(s, f"{1e3 * dt:g}ms", dt), fine) for dt in STEPS]
        errors[s] = found
        paper = STEP_ERROR.get(s, (None,) * 3)
        rows.append((s, *[x for pair in zip(found, paper) for x in pair]))
    e.table("table_III", "Table III: integral consistency error [m s] against 0.1 ms",
            ("solver", "1 ms", "paper", "10 ms", "paper", "100 ms", "paper"), rows)
    e.head("Table III: ours against the paper's two digits")
    for s, paper in STEP_ERROR.items():
        for dt, ours, theirs in zip(STEPS, errors[s], paper):
            reason = ""
            if s == "ccp_pgs":
                reason = ("the cube flies for 0.3 s, three steps of 100 ms: rigid it is 1.5e-3,"
                          " 2.0e-2, 2.3e-1, a point stopped at its gap 1.5e-3, 1.8e-2, 2.1e-1,"
                          " stopped once it overlaps 1.2e-3, 1.1e-2, 7e-2")
            if s == "raisim" and dt == 1e-3:
                reason = ("of the 0.1 ms reference: 1e10 N/m add 0.01/kg to G_NN = 4/kg, on which"
                          " RaiSim's friction depends")
            e.check(f"{s}, {1e3 * dt:g} ms", ours, theirs, rtol=0.05, reason=reason)
    rigid = {"contact__defaults__point__stiffness": 2e12,
             "rigid__cube__pose__position": "[0, 0, 0.1039999999975475]"}
    e.check("raisim with 1e12 N/m, 1 ms", consistency(run("raisim", "rigid", 1e-3, **rigid),
            run("raisim", "rigid_reference", 1e-4, **rigid)), 1.5e-3, rtol=0.05)

    # ---- Table IV
    def criterion(h):
        """The paper's, largest of all steps: eps_p [N s], eps_d [m/s] and eps_c [J] as they are."""
        return max(np.nanmax(h["law_" + k]) for k in ("primal", "dual", "complementarity"))

    def at_criterion(s, eps):
        """The run with the largest tolerance that meets the criterion: ours is relative to the
        slip, 3 m/s at first."""
        for k in range(2, 25):
            if (s, k) not in scanned:
                scanned[s, k] = run(s, f"scan_{k}", 1e-3, contact__dual__tolerance=10 ** (-k / 2),
                                    contact__dual__warm_start="false")
            if criterion(scanned[s, k]) <= eps:
                return scanned[s, k]
        return None

    rows, loose, scanned = [], {}, {}
    for s in SOLVERS:
        of_velocities = s == "mujoco" or s == "tamsi" or "newton" in s
        key = "solver__tolerance" if of_velocities else "contact__dual__tolerance"
        cold = {} if of_velocities else {"contact__dual__warm_start": "false"}
        fine = run(s, "tight", 1e-3, **{key: 1e-9}, **cold)
        relative, absolute = [], []
        for eps in CRITERIA:
            loose[s, eps] = run(s, f"eps_{eps:g}", 1e-3, **{key: eps}, **cold)
            relative.append(consistency(loose[s, eps], fine))
            met = None if of_velocities else at_criterion(s, eps)
            absolute.append(None if met is None else consistency(met, fine))
        errors[s] = absolute
        paper = CRITERION_ERROR.get(s, (None,) * 3)
        rows.append((s, *[x for row in zip(relative, absolute, paper) for x in row]))
    e.table("table_IV", "Table IV: integral consistency error [m s] against a criterion of 1e-9;"
            " eps of ours, relative, and of the paper's, in N s, m/s and J",
            ("solver", *[k + eps for eps in ("1e-6", "1e-4", "1e-2")
                         for k in ("relative ", "absolute ", "paper ")]), rows)

    e.head("Table IV: the order of magnitude, ours within 10 of the paper's, both by its criterion")
    for s, paper in CRITERION_ERROR.items():
        for eps, ours, theirs in zip(CRITERIA, errors[s], paper):
            reason = ""
            if s == "ncp_pgs" and eps == 1e-2:
                reason = ("from no impulses: a first sweep leaves a corner 8 mm/s off, below g dt;"
                          " cube_criterion.py has the paper's rule and warm start")
            if s == "ccp_pgs":
                reason = ("nearer than the paper's: each contact is solved exactly; its step, 3"
                          " over the trace of G_ii, leaves 1.8e-7, 3.8e-6, 1.5e-3")
            e.check(f"{s}, {eps:g}: log10", np.log10(ours), np.log10(theirs), atol=1, reason=reason)

    # ---- pictures
    t = runs["newton lagged"]["time"]

    def draw_path(a):
        a.axhline(0, color="k", linewidth=3, alpha=0.3, label="Coulomb, exact")
        for s in SOLVERS:
            a.plot(along[s], 1e3 * across[s], **line(s))

    e.plot("fig9", draw_path, "Fig 9: paths, 30 deg off the square's axes, dt = 1 ms",
           "way along the first velocity [m]", "drift [mm]")

    def draw_energy(a):
        a.plot(t, exact_energy(t), color="k", linewidth=3, alpha=0.3, label="Coulomb, exact")
        for s in SOLVERS:
            a.plot(t, energy(runs[s]), **line(s))

    e.plot("fig10_energy", draw_energy, "Fig 10: mechanical energy, dt = 1 ms", "time [s]",
           "energy [J]")
    e.plot("fig10_height",
           lambda a: [a.plot(t, 1e3 * (runs[s]["cube.z"] - REST), **line(s)) for s in SOLVERS],
           "Fig 10: height, dt = 1 ms", "time [s]", "height above rest [mm]")

    def draw_criterion(a):
        a.plot(t, exact_energy(t), color="k", linewidth=3, alpha=0.3, label="Coulomb, exact")
        for s in CRITERION_ERROR:
            for eps, style in zip(CRITERIA, ("-", "--", ":")):
                a.plot(t, energy(loose[s, eps]),
                       **line(s, linestyle=style, label=f"{s} {eps:g}"))

    e.plot("fig15", draw_criterion, "Fig 15: energy at stopping criteria, dt = 1 ms", "time [s]",
           "energy [J]")

    def draw_steps(a):
        a.plot(t, exact_energy(t), color="k", linewidth=3, alpha=0.3, label="Coulomb, exact")
        for s in STEP_ERROR:
            for dt, style in zip(STEPS, ("-", "--", ":")):
                h = run(s, f"{1e3 * dt:g}ms", dt)
                a.plot(h["time"], energy(h),
                       **line(s, linestyle=style, label=f"{s} {1e3 * dt:g} ms"))

    e.plot("fig14", draw_steps, "Fig 14: energy at three steps", "time [s]", "energy [J]")
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
