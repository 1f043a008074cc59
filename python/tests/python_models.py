"""Subsystems for the tests."""

import ergon


class Mass(ergon.Subsystem):
    """A mass on a spring to the wall, by semi-implicit Euler: the arithmetic of oscillator.mass, operation by operation."""

    inputs = {"force": "N"}
    outputs = {"position": "m", "velocity": "m/s"}

    def __init__(self, m=1.0, k=0.0, x=0.0, v=0.0):
        self.m, self.k, self.x, self.v = m, k, x, v

    def step(self, h, force):
        self.v += h * ((force - self.k * self.x) / self.m)
        self.x += h * self.v

    def values(self):
        return self.x, self.v

    def energy(self):
        kinetic = 0.5 * self.m * self.v**2
        return ergon.Energy(stored=kinetic + 0.5 * self.k * self.x**2, kinetic=kinetic)


class Oscillator(ergon.Subsystem):
    """The same by formulas."""

    inputs = {"force": "N"}
    outputs = {"position": "m", "velocity": "m/s"}
    states = {"position": 0.0, "velocity": 1.0}
    substeps = 1

    def __init__(self, m=1.0, k=0.0):
        self.m, self.k = m, k

    def derivatives(self, position, velocity, force):
        return velocity, (force - self.k * position) / self.m

    def energy(self, position, velocity):
        return ergon.Energy(stored=0.5 * self.m * velocity**2 + 0.5 * self.k * position**2, kinetic=0.5 * self.m * velocity**2)


class Fails(Mass):
    def step(self, t, h, force):
        if t > 0.05:
            raise ArithmeticError("the bearing has seized")
        super().step(h, force)
