"""Subsystems from what users of SciPy and pandas have already."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from ._subsystem import Port, Ports, Subsystem


class SolveIvp(Subsystem):
    """A right-hand side f(t, y, u) as of `scipy.integrate.solve_ivp`, integrated by it within each communication step.

        pendulum = SolveIvp(lambda t, y, u: [y[1], -9.81 * np.sin(y[0]) + u[0]], [0.1, 0.0], inputs={"torque": "N.m"},
                            outputs={"angle": "rad", "rate": "rad/s"})

    `values(t, y)` returns the outputs; by default they are the states. Inputs are held over the step.
    """

    def __init__(self, fun: Callable[..., Any], y0: Sequence[float], *, inputs: Ports = {}, outputs: Ports,
                 values: Optional[Callable[..., Any]] = None, method: str = "RK45", rtol: float = 1e-8, atol: float = 1e-10) -> None:
        self.inputs, self.outputs = dict(inputs), dict(outputs)
        self.fun, self.output_function = fun, values
        self.method, self.rtol, self.atol = method, rtol, atol
        self.y = np.array(y0, dtype=float)
        self.t = 0.0
        if values is None and len(self.outputs) != len(self.y):
            raise ValueError(f"{len(self.y)} states and {len(self.outputs)} outputs: say with values= what the outputs are")
    def save_state(self) -> Any:
        return (self.t, tuple(self.y))

    def restore_state(self, saved: Any) -> None:
        self.t, self.y = saved[0], np.array(saved[1])

    def step(self, t: float, h: float, inputs: Sequence[Any]) -> None:
        from scipy.integrate import solve_ivp

        solution = solve_ivp(self.fun, (t, t + h), self.y, method=self.method, rtol=self.rtol, atol=self.atol, args=(inputs,))
        if not solution.success:
            raise RuntimeError(f"solve_ivp: {solution.message}")
        self.y = solution.y[:, -1]
        self.t = t + h

    def values(self, t: float) -> Any:
        return tuple(self.y) if self.output_function is None else self.output_function(t, self.y)


class StateSpace(Subsystem):
    """A `scipy.signal` system (StateSpace, TransferFunction, ZerosPolesGain, or a tuple of A, B, C, D), continuous or discrete.

    A continuous one is stepped by its exact solution for inputs that are held over the step.
    """

    def __init__(self, system: Any, *, input: str = "u", output: str = "y", input_unit: str = "", output_unit: str = "",
                 x0: Optional[Sequence[float]] = None) -> None:
        from scipy import signal

        state_space = signal.StateSpace(*system) if isinstance(system, tuple) else system.to_ss()
        self.A, self.B, self.C, self.D = (np.atleast_2d(m) for m in (state_space.A, state_space.B, state_space.C, state_space.D))
        self.dt = state_space.dt
        self.inputs = {input: Port(input_unit, size=self.B.shape[1])}
        self.outputs = {output: Port(output_unit, size=self.C.shape[0])}
        self.x = np.zeros(self.A.shape[0]) if x0 is None else np.array(x0, dtype=float)
        self._exact: Any = None  # h and the two matrices of a step
        self.feedthrough = {output: [input]} if np.any(self.D) else {}

    def save_state(self) -> Any:
        return tuple(self.x)

    def restore_state(self, saved: Any) -> None:
        self.x = np.array(saved)

    def step(self, h: float, inputs: Sequence[Any]) -> None:
        if self._exact is None or self._exact[0] != h:
            self._exact = (h, *self._matrices(h))
        self.x = self._exact[1] @ self.x + self._exact[2] @ np.atleast_1d(inputs[0])

    def _matrices(self, h: float) -> Any:
        if self.dt is not None:
            if abs(h - self.dt) > 1e-9 * h:
                raise ValueError(f"a discrete system with a sample time of {self.dt} s needs that as its step size, not {h} s")
            return self.A, self.B
        from scipy.linalg import expm

        n, m = self.B.shape  # exp([[A, B], [0, 0]] h) = [[Φ, Γ], [0, I]]
        block = np.zeros((n + m, n + m))
        block[:n, :n], block[:n, n:] = self.A, self.B
        both = expm(block * h)
        return both[:n, :n], both[:n, n:]

    def values(self, inputs: Sequence[Any]) -> Any:
        y = self.C @ self.x + self.D @ np.atleast_1d(inputs[0])
        return float(y[0]) if len(y) == 1 else y


class Table(Subsystem):
    """A pandas DataFrame (or a dict of columns with "time") as source: columns are outputs, linear between the rows, held beyond them."""

    def __init__(self, table: Any, *, time: str = "time", units: Optional[Mapping[str, str]] = None) -> None:
        columns = {str(name): np.asarray(table[name], dtype=float) for name in (table.keys() if hasattr(table, "keys") else table)}
        if time in columns:
            self.times = columns.pop(time)
        elif getattr(table, "index", None) is not None and not callable(table.index):
            self.times = np.asarray(table.index, dtype=float)
        else:
            raise ValueError(f"there is no column '{time}'")
        if len(self.times) == 0 or np.any(np.diff(self.times) < 0.0):
            raise ValueError("times must be there, and must not fall")
        known: Mapping[str, str] = units if units is not None else dict(getattr(table, "attrs", {}).get("units", {}))
        self.outputs = {name: known.get(name, "") for name in columns}
        self.columns = columns

    def step(self, t: float) -> None:
        pass

    def values(self, t: float) -> Any:
        return tuple(float(np.interp(t, self.times, column)) for column in self.columns.values())

    def save_state(self) -> Any:
        return ()

    def restore_state(self, saved: Any) -> None:
        pass
