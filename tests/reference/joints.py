#!/usr/bin/env python3
"""Reference figures of tests/golden/joints_test.cpp: all bodies and joints of a scenario in one system of equations.

    python3 tests/reference/joints.py            the scenarios of examples/, at the end of their runs
    python3 tests/reference/joints.py --halved   the same with half the steps: tells how many digits are good

Written from the equations, with nothing of the engine: positions, velocities and quaternions of all bodies are one state, joints
are springs and dampers between their points, the classical Runge-Kutta method with fixed steps integrates. Python only.
"""

import sys
from math import cos, pi, sin, sqrt

G = 9.81  # m/s2, downwards


def rk4(rates, z, t_end, h):
    n = round(t_end / h)
    h = t_end / n
    for _ in range(n):
        k1 = rates(z)
        k2 = rates([a + 0.5 * h * b for a, b in zip(z, k1)])
        k3 = rates([a + 0.5 * h * b for a, b in zip(z, k2)])
        k4 = rates([a + h * b for a, b in zip(z, k3)])
        z = [a + h / 6.0 * (p + 2.0 * (q + r) + s) for a, p, q, r, s in zip(z, k1, k2, k3, k4)]
    return z


def double_pendulum(h):
    """Upper link pinned at the origin with a torsional spring and damper, lower link free, a spring and damper between them."""
    m, length, J = 1.0, 1.0, 1.0 / 12.0
    c, d, phi0 = 500.0, 5.0, 0.9817477042468103
    k, b = 1e5, 100.0

    def rates(z):
        p1, x, y, p2, w1, vx, vy, w2 = z
        # The joint pulls the end of the upper link to the start of the lower one.
        e1, e2 = (cos(p1), sin(p1)), (cos(p2), sin(p2))
        gap = (length * e1[0] - (x - 0.5 * length * e2[0]), length * e1[1] - (y - 0.5 * length * e2[1]))
        slip = (-length * w1 * e1[1] - (vx + 0.5 * length * w2 * e2[1]),
                length * w1 * e1[0] - (vy - 0.5 * length * w2 * e2[0]))
        f = (-k * gap[0] - b * slip[0], -k * gap[1] - b * slip[1])  # on the upper link
        torque1 = (length * (e1[0] * f[1] - e1[1] * f[0]) - 0.5 * length * e1[0] * m * G
                   - c * (p1 - phi0) - d * w1)
        torque2 = 0.5 * length * (e2[0] * f[1] - e2[1] * f[0])  # −f at the start, which is at −½l
        return [w1, vx, vy, w2, torque1 / (J + m * 0.25 * length * length), -f[0] / m, -f[1] / m - G, torque2 / J]

    start = [pi / 4, 1.5 * sqrt(0.5), 0.5 * sqrt(0.5), -pi / 4, 0.0, 0.0, 0.0, 0.0]
    p1, x, y, p2 = rk4(rates, start, 2.0, h)[:4]
    return [p1, p2, x, y]


def slider_crank(h):
    """Two links pinned at (0, 0) and (1, 0); a spring holds the end of the first on the line of the second."""
    m1, l1, m2, l2, pin, k = sqrt(2.0), sqrt(2.0), 2.0, 2.0, 1.0, 1e3

    def rates(z):
        p1, p2, w1, w2 = z
        tip = (l1 * cos(p1) - pin, l1 * sin(p1))  # from the pin of the second link
        normal = (-sin(p2), cos(p2))
        pull = -k * (tip[0] * normal[0] + tip[1] * normal[1])
        f = (pull * normal[0], pull * normal[1])  # on the crank; the reaction acts at the same point
        torque1 = l1 * (cos(p1) * f[1] - sin(p1) * f[0]) - 0.5 * l1 * cos(p1) * m1 * G
        torque2 = -(tip[0] * f[1] - tip[1] * f[0]) - 0.5 * l2 * cos(p2) * m2 * G
        return [w1, w2, torque1 / (m1 * l1 * l1 / 3.0), torque2 / (m2 * l2 * l2 / 3.0)]

    return rk4(rates, [pi / 4, pi / 2, 0.0, 0.0], 2.0, h)[:2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(*vectors):
    return tuple(sum(parts) for parts in zip(*vectors))


def scaled(s, a):
    return tuple(s * x for x in a)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class Rod:
    """A rigid body; `z`: position, quaternion (real part first), velocity, angular velocity in body coordinates."""
    m = 1.0
    J = (0.08, 0.07, 0.02)

    def __init__(self, z):
        self.r, self.e, self.v, self.w = z[0:3], z[3:7], z[7:10], z[10:13]
        norm = sqrt(dot(self.e, self.e))
        e0, x, y, w = (q / norm for q in self.e)
        self.columns = ((1 - 2 * (y * y + w * w), 2 * (x * y + e0 * w), 2 * (x * w - e0 * y)),
                        (2 * (x * y - e0 * w), 1 - 2 * (x * x + w * w), 2 * (y * w + e0 * x)),
                        (2 * (x * w + e0 * y), 2 * (y * w - e0 * x), 1 - 2 * (x * x + y * y)))
        self.omega = self.to_world(self.w)
        self.force = (0.0, 0.0, -self.m * G)
        self.torque = (0.0, 0.0, 0.0)

    def to_world(self, a):
        return add(*(scaled(s, column) for s, column in zip(a, self.columns)))

    def point(self, p):
        """Arm from the centre of mass, position and velocity of a point of the body."""
        arm = self.to_world(p)
        return arm, add(self.r, arm), add(self.v, cross(self.omega, arm))

    def push(self, arm, force):
        self.force = add(self.force, force)
        self.torque = add(self.torque, cross(arm, force))

    def rates(self):
        e0, e1, e2, e3 = self.e
        w1, w2, w3 = self.w
        turn = [0.5 * (-e1 * w1 - e2 * w2 - e3 * w3), 0.5 * (e0 * w1 + e2 * w3 - e3 * w2),
                0.5 * (e0 * w2 + e3 * w1 - e1 * w3), 0.5 * (e0 * w3 + e1 * w2 - e2 * w1)]
        torque = [dot(column, self.torque) for column in self.columns]
        spin = [j * w for j, w in zip(self.J, self.w)]
        gyroscopic = cross(self.w, spin)
        return [*self.v, *turn, *scaled(1.0 / self.m, self.force),
                *((t - g) / j for t, g, j in zip(torque, gyroscopic, self.J))]


def spring(k, b, gap, slip):
    return add(scaled(-k, gap), scaled(-b, slip))


def universal_joint(h):
    """A rod hung from the origin, and a second one at its lower end by a universal joint: a spherical one, and axes x of the first
    and y of the second that are kept perpendicular."""

    def rates(z):
        upper, lower = Rod(z[:13]), Rod(z[13:])
        arm, at, moves = upper.point((0.0, 0.0, 0.5))
        upper.push(arm, spring(3e3, 20.0, at, moves))
        arm1, at1, moves1 = upper.point((0.0, 0.0, -0.5))
        arm2, at2, moves2 = lower.point((0.0, 0.0, 0.5))
        force = spring(2e4, 60.0, add(at1, scaled(-1.0, at2)), add(moves1, scaled(-1.0, moves2)))
        upper.push(arm1, force)
        lower.push(arm2, scaled(-1.0, force))
        # s = e₁·e₂ should be 0;  ṡ = (ω₁ − ω₂)·(e₁ × e₂)
        e1, e2 = upper.columns[0], lower.columns[1]
        axis = cross(e1, e2)
        rate = dot(add(upper.omega, scaled(-1.0, lower.omega)), axis)
        torque = scaled(-(200.0 * dot(e1, e2) + 2.0 * rate), axis)
        upper.torque = add(upper.torque, torque)
        lower.torque = add(lower.torque, scaled(-1.0, torque))
        return upper.rates() + lower.rates()

    angle = 1.0  # of the lower rod about x; both turn with 3 rad/s about world z
    spin = (0.0, 3.0 * sin(angle), 3.0 * cos(angle))  # in its own coordinates
    start = [0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0,
             0.0, 0.5 * sin(angle), -1.0 - 0.5 * cos(angle), cos(0.5 * angle), sin(0.5 * angle), 0.0, 0.0,
             -1.5 * sin(angle), 0.0, 0.0, *spin]
    z = rk4(rates, start, 0.4, h)
    return z[0:3] + z[13:16]


if __name__ == "__main__":
    share = 0.5 if "--halved" in sys.argv else 1.0
    for name, solve, step_s in (("double-pendulum", double_pendulum, 4e-5), ("slider-crank", slider_crank, 1e-4),
                                ("universal-joint", universal_joint, 1e-4)):
        print(name, *(repr(value) for value in solve(share * step_s)))
