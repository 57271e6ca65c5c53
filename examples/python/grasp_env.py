"""A gymnasium-style environment: a FinRay gripper lifts a cylinder of random place and friction.

    python3 grasp_env.py [EPISODES]

`reset` and `step` have the signatures of gymnasium.Env without needing it.  Observation [9]: place
of the cylinder less that of the hand's start [m], its velocity [m/s], force of each finger [N],
height of the hand [m].  Action [2] in -1 .. 1: rate of closing, rate of lifting.  Reward: height of
the cylinder gained [m], less a thousandth for each newton above 5 N.
"""
import os
import sys
import time

import numpy as np

import supple

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SCENE = os.path.join(FOLDER, "finray_grasp.yaml")
CLOSE, LIFT, REST = 0.03, 0.1, 0.025  # [m/s], [m/s], height of the cylinder at rest [m]
PAIRS = ("left_finger+cylinder", "right_finger+cylinder")


class GraspEnv:
    """One simulation; `model` may be shared by many environments."""

    def __init__(self, model=None, horizon=100):
        self.sim = (model or supple.Model(SCENE)).simulator()
        self.horizon = horizon

    def reset(self, seed=None):
        """(observation, info) of a random start; the generator goes on unless a seed is given."""
        if seed is not None or not hasattr(self, "random"):
            self.random = np.random.default_rng(seed)
        mu = self.random.uniform(0.4, 1.0)
        place = [self.random.uniform(-0.01, 0.01), 0, REST]
        self.sim.reset(pose={"cylinder": place}, joints={"gripper/lift": 0.0},
                       friction={pair: mu for pair in PAIRS})
        self.target = np.zeros(2)  # close, lift [m]
        self.sim.set("target", "lift", 0.0)
        return self.observation(), {"friction": mu}

    def observation(self):
        forces = [self.sim.pair_contact[pair][2] for pair in PAIRS]
        return np.concatenate([self.sim.pose["cylinder"][:3] - [0, 0, REST],
                               self.sim.velocity["cylinder"][:3], forces,
                               self.sim.joint_position["gripper/lift"]], axis=None)

    def step(self, action):
        """(observation, reward, terminated, truncated, info)."""
        sim, rate = self.sim, np.clip(action, -1, 1) * (CLOSE, LIFT)
        self.target = np.clip(self.target + rate * sim.dt, 0, (0.03, 0.1))
        before = sim.pose["cylinder"][2]
        for drive in ("close_left", "close_right"):
            sim.set("target", drive, self.target[0], duration=sim.dt)
        sim.set("target", "lift", self.target[1], duration=sim.dt)
        try:
            sim.step()
        except supple.NotConverged as error:
            return self.observation(), -1.0, True, False, {"error": str(error)}
        seen = self.observation()
        reward = sim.pose["cylinder"][2] - before - 1e-3 * max(0, seen[6:8].max() - 5)
        return seen, reward, False, sim.steps >= self.horizon, {}


def main():
    supple.threads(1)
    env = GraspEnv()
    begin, steps = time.perf_counter(), 0
    for episode in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        seen, info = env.reset(seed=episode)
        total, over = 0.0, False
        while not over:
            held = seen[6:8].min() > 1.5
            seen, reward, ended, truncated, _ = env.step([0.2 if held else 1, 1 if held else 0])
            total, over, steps = total + reward, ended or truncated, steps + 1
        print(f"episode {episode}: friction {info['friction']:.2f}, the cylinder ends "
              f"{1e3 * seen[2]:.1f} mm higher, return {total:.4f}")
    print(f"{steps / (time.perf_counter() - begin):.0f} states a second")


if __name__ == "__main__":
    main()
