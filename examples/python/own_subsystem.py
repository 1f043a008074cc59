"""A subsystem in Python, coupled with a built-in one; the energy balance covers both."""

import ergon


class Sledge(ergon.Subsystem):
    """A mass that slides with viscous friction."""

    inputs = {"force": "N"}
    outputs = {"position": "m", "velocity": "m/s"}

    def __init__(self, m=2.0, d=0.5):
        self.m, self.d = m, d
        self.x = self.v = self.dissipated = 0.0

    def step(self, h, force):
        self.v += h * (force - self.d * self.v) / self.m
        self.x += h * self.v
        self.dissipated += h * self.d * self.v**2

    def values(self):
        return self.x, self.v

    def energy(self):
        kinetic = 0.5 * self.m * self.v**2
        return ergon.Energy(stored=kinetic, kinetic=kinetic, dissipated=self.dissipated)


system = ergon.System(stop_time=2, step_size="1e-3")
system.add("hammer", "oscillator.force_output", parameters={"m": 1.0, "k": 10.0, "kc": 100.0}, initial={"v": 10.0})
system.add("sledge", Sledge, parameters={"m": 2.0})
system.bond("spring", a={"effort": "hammer.force", "flow": "hammer.velocity_in", "displacement": "hammer.position_in"},
            b={"effort": "sledge.force", "flow": "sledge.velocity", "displacement": "sledge.position"})

result = ergon.run(system)
print(result.verdict, f"the sledge is at {result['sledge.position'][-1]:.3f} m")
print(result.energy)
