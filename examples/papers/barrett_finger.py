"""P0 XII-C: loading, driving and break-away of a finger's worm drive with a clutch:
examples/barrett_finger.yaml, by Lagged and Similar.

P0 has the hand's own gears, all of them, and its motor; here are those of the proximal link, with
dimensions of our own, so that phases and trends are compared, not torques."""
import os
import sys

import numpy as np
from experiment import COLOUR, Experiment

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "barrett_finger.yaml")
TEETH, CELLS = 20, 24  # of the wheel; of the worm in a turn
WHEEL, CLUTCH = "contact.finger/wheel.thread.", "contact.finger/clutch.face."


def at(h, column, time):
    return h[column][np.searchsorted(h["time"], time - 1e-9)]


def spectrum(h, column):
    """Amplitudes while it turns at full speed: frequencies over that of the teeth, column's unit.

    The worm has one start: a tooth a turn."""
    t = (h["time"] > 0.09) & (h["time"] < 0.25)
    window = np.hanning(np.sum(t))
    value = window * (h[column][t] - np.mean(h[column][t]))
    return (np.fft.rfftfreq(len(window), 5e-4) * 2 * np.pi / np.mean(h["finger.worm_turn.v"][t]),
            2 / np.sum(window) * np.abs(np.fft.rfft(value)))


def main():
    e = Experiment("barrett_finger", "P0 XII-C")
    runs = {m: e.run(m, SCENE, {"contact.model": m, "output.format": "none"})
            for m in ("lagged", "similar")}
    rows = []
    for m, h in runs.items():
        press, slip = h[CLUTCH + "fx"], np.abs(h["finger.thread.v"])
        off = h["time"][(h["time"] > 0.1) & (press < 1e-6)]
        turning = (h["time"] > 0.09) & (h["time"] < 0.25)
        rows.append([m, -1e3 * at(h, "finger.motor_turn.tau", 0.05), at(h, CLUTCH + "fx", 0.05),
                     at(h, "finger.motor_turn.v", 0.05),
                     np.mean(h["finger.motor_turn.v"][turning]),
                     1e3 * np.mean(h[WHEEL + "tx"][turning]), np.max(slip[turning]),
                     h["time"][np.argmax(h["finger.wheel_turn.q"] < -1.8699)],
                     off[0] if len(off) else None, np.mean(h["contacts"]), np.max(h["contacts"]),
                     e.summary(m)["wall"]["step_mean_ms"]])
    e.table("phases", "P0: 0.6 N cm, 200 rad/s, obstacle at 0.26 s, about 1,100 contacts",
            ["model", "stall [mN m]", "clutch [N]", "motor, loaded [rad/s]", "driving [rad/s]",
             "wheel on worm [mN m]", "slip of the gear [rad/s]", "obstacle [s]", "clutch off [s]",
             "contacts, mean", "most",
             "step [ms]"], rows)
    contacts = []
    for mm in (2, 1, 0.9, 0.7):
        label = f"clutch_{mm}mm"
        e.run(label, SCENE, {"output.format": "none",
                             "robots.finger.contact.clutch.compliant.resolution": f"{mm} mm"})
        found = e.summary(label)["contacts"]
        contacts.append([mm, found["mean"], found["max"]])
    e.table("contacts", "Contacts by the clutch's mesh (P0: about 1,100, meshes not stated)",
            ["resolution [mm]", "mean", "most"], contacts)
    h = runs["lagged"]
    over, amplitude = spectrum(h, "finger.motor_turn.v")
    e.head("Lagged")
    e.check("ratio of worm and wheel", (at(h, "finger.worm_turn.q", 0.25) -
            at(h, "finger.worm_turn.q", 0.1)) / (at(h, "finger.wheel_turn.q", 0.1) -
            at(h, "finger.wheel_turn.q", 0.25)), TEETH, rtol=0.01)
    e.check("strongest frequency of the motor over the teeth's", over[np.argmax(amplitude)], 1,
            atol=over[1])
    e.holds("the motor stalls while it loads", abs(at(h, "finger.motor_turn.v", 0.05)) < 0.01)
    e.holds("the gear stays on the clutch while it drives", rows[0][6] < 0.1)
    e.holds("the clutch lets go at the obstacle", rows[0][8] is not None and rows[0][8] < 0.28)
    e.holds("the worm then locks itself", np.max(np.abs(h["finger.worm_turn.v"][-100:])) < 1e-3)
    e.holds("Similar: the wheel locks as it turns", abs(rows[1][4]) < 100,
            reason="gliding pushes each flank out by mu dt v = 48 um, against 70 um of backlash "
            "and a soft wheel; 10 GPa and 10 um of backlash take it to 118 rad/s")
    e.plot("torques", lambda a: [
        a.plot(r["time"], 1e3 * r[name + "tx"], linewidth=0.8, linestyle=style, color=COLOUR[m],
               label=f"{m}, of the {what}")
        for m, r in runs.items()
        for name, style, what in ((WHEEL, "-", "wheel"), (CLUTCH, "--", "clutch"))],
           "Torques about the worm's axis", "time [s]", "torque [mN m]")
    e.plot("spectrum", lambda a: [
        *(a.semilogy(*spectrum(r, WHEEL + "tx"), color=COLOUR[m], label=m)
          for m, r in runs.items()),
        *(a.axvline(k, color="k", alpha=0.2) for k in (1, 2, 3, 4, CELLS))],
           f"Torque on the worm, driving: teeth and {CELLS} cells a turn of its mesh",
           "frequency over that of the teeth [-]", "amplitude [N m]")
    return e.finish()


if __name__ == "__main__":
    sys.exit(main())
