"""Corrections of power bonds in Python, for research: slower than those in C++, and shorter to write."""

from __future__ import annotations

from typing import Any, Callable, Type, Union

import numpy as np
from numpy.typing import NDArray

from . import _ergon

Array = NDArray[np.float64]


class BondStep:
    """What happened at one receiver of efforts between two of its points (0: the previous one, 1: this one), in SI units."""

    H: float
    effort0: Array
    effort1: Array
    flow0: Array
    flow1: Array
    moved: Array
    applied: Array

    def __init__(self, values: "dict[str, Any]") -> None:
        self.__dict__.update(values)

    def __repr__(self) -> str:
        return f"BondStep(H={self.H}, effort1={self.effort1}, flow1={self.flow1})"


class Corrector:
    """Base class of corrections. `correct` returns the effort to add in the next step; what it remembers it writes into `state`
    (`state_size` numbers, 0 at the start), so that steps that are set back can be repeated."""

    state_size: int = 0

    def __init__(self, components: int, stale: bool) -> None:
        self.components = components
        self.stale = stale

    def correct(self, step: BondStep, state: Array) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no method correct(self, step, state)")


def register_corrector(name: str, corrector: Union[Type[Corrector], Callable[[int, bool], Any]], help: str = "") -> None:
    """From now on `correction = { method = NAME }` of a bond uses it, in scenarios that this process runs."""
    if not callable(corrector):
        raise TypeError(f"a class with a method correct(self, step, state) is needed, not {corrector!r}")
    _ergon.register_corrector(str(name), help or (getattr(corrector, "__doc__", None) or ""), corrector, BondStep)
