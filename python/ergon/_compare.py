"""Differences between runs."""

from __future__ import annotations

import fnmatch
import os
from dataclasses import dataclass
from typing import Dict, Iterable, Optional, Union

import numpy as np

from ._result import Result


@dataclass(frozen=True)
class VariableDifference:
    """The largest difference, when, and over the largest value of the reference."""

    name: str
    unit: str
    largest: float
    at: float
    relative: float


class Comparison(Dict[str, VariableDifference]):
    """`comparison["load.position"].relative`; `within` says whether all are inside of the tolerance that was given."""

    within: Optional[bool] = None

    def worst(self) -> VariableDifference:
        return max(self.values(), key=lambda d: d.relative)

    def __repr__(self) -> str:
        lines = [f"<ergon.Comparison of {len(self)} variables>"]
        lines += [f"  {d.name}: {d.largest:.3g} {d.unit} ({100 * d.relative:.2g} %) at {d.at:.4g} s" for d in self.values()]
        return "\n".join(lines)


def _result(run: Union[Result, str, "os.PathLike[str]"]) -> Result:
    return run if isinstance(run, Result) else Result(run)


def compare_results(run: Union[Result, str, "os.PathLike[str]"], reference: Union[Result, str, "os.PathLike[str]"], tolerance: Optional[float],
                    variables: Optional[Iterable[str]]) -> Comparison:
    a, b = _result(run), _result(reference)
    patterns = ["*"] if variables is None else list(variables)
    names = [n for n in a if n in b.variables and any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    if not names:
        raise ValueError("the runs have no variable in common")
    coarse, fine = (a, b) if len(a.time) <= len(b.time) else (b, a)
    comparison = Comparison()
    for name in names:
        if isinstance(a[name], list) or isinstance(b[name], list):
            continue  # texts
        times = coarse.time
        inside = (times >= fine.time[0]) & (times <= fine.time[-1])
        difference = np.abs(coarse[name][inside] - np.interp(times[inside], fine.time, fine[name]))
        place = int(np.nanargmax(difference)) if len(difference) else 0
        scale = float(np.nanmax(np.abs(b[name]))) if len(b[name]) else 0.0
        largest = float(difference[place]) if len(difference) else float("nan")
        relative = largest / scale if scale > 0.0 else (0.0 if largest == 0.0 else float("inf"))
        comparison[name] = VariableDifference(name, a.unit(name), largest, float(times[inside][place]) if len(difference) else float("nan"), relative)
    if tolerance is not None:
        comparison.within = all(d.relative <= tolerance for d in comparison.values())
    return comparison
