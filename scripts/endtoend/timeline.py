"""When what goes wrong: a seeded plan over the length of a drive."""
import random


class Timeline:
    """Seconds after departure of every fault, sorted: (second, action)."""

    # Before, the agent has hardly a fix; after, the drive is over.
    FIRST_S, LAST_S = 12.0, 6.0
    KILL_SPACING_S = 5.0
    SERVER_KILLED_S, SERVER_STOPPED_S, UNPLUGGED_S = 20.0, 12.0, 5.0

    def __init__(self, seed, duration_s, kills, faults):
        generator = random.Random(seed)
        self.steps = [(at, "agent kill") for at in self.spread(generator, duration_s, kills)]
        if faults:
            for action, length, (low, high) in (
                    ("server kill", self.SERVER_KILLED_S, (0.20, 0.35)),
                    ("unplug", self.UNPLUGGED_S, (0.45, 0.55)),
                    ("server stop", self.SERVER_STOPPED_S, (0.65, 0.80))):
                at = duration_s * generator.uniform(low, high)
                undo = {"server kill": "server start", "unplug": "replug",
                        "server stop": "server continue"}[action]
                self.steps += [(at, action), (at + length, undo)]
        self.steps.sort()

    def spread(self, generator, duration_s, count):
        """Random times, some distance from each other."""
        first, last = self.FIRST_S, duration_s - self.LAST_S
        room = last - first - self.KILL_SPACING_S * max(0, count - 1)
        if count and room <= 0:
            raise ValueError(f"{count} kills do not fit into a drive of {duration_s:.0f} s")
        offsets = sorted(generator.uniform(0, room) for _ in range(count))
        return [first + offset + self.KILL_SPACING_S * index
                for index, offset in enumerate(offsets)]
