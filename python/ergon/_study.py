"""Parameter sweeps and convergence studies: `ergon sweep` and `ergon converge` as functions."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from . import _ergon
from ._run import Settings, SystemLike, _Scenario, _setting_lines
from ._system import toml_value


def _values(given: Any) -> str:
    if isinstance(given, str):
        return given
    return ",".join(v if isinstance(v, str) else toml_value(v) for v in given)


def _command(name: str, system: SystemLike, folder: str, options: List[str], set: Settings) -> _Scenario:
    scenario = _Scenario(system)
    arguments = [name, scenario.file, "--out", folder, "--quiet"] + options
    for line in _setting_lines(set):
        arguments += ["--set", line]
    code = _ergon.command(arguments)
    if code == 2:
        raise ValueError(f"this {name} is wrong; the reason is on standard error")
    if code == 130:
        raise KeyboardInterrupt
    if code != 0 and not (Path(folder) / ("runs.csv" if name == "sweep" else "converge.json")).is_file():
        raise RuntimeError(f"{name} failed; the reason is on standard error")
    return scenario


class Sweep:
    """The outcomes of many runs: `sweep.table` has a column per setting, outcome and measure; `to_pandas()` a DataFrame."""

    def __init__(self, folder: Union[str, "os.PathLike[str]"], keep: Any = None) -> None:
        self.folder = Path(folder)
        self._keep = keep
        self.table: Dict[str, Any] = _ergon.read_csv(str(self.folder / "runs.csv"), None)

    def __len__(self) -> int:
        return len(next(iter(self.table.values()), ()))

    def __getitem__(self, column: str) -> Any:
        return self.table[column]

    def to_pandas(self) -> Any:
        import pandas

        return pandas.DataFrame(self.table)

    def __repr__(self) -> str:
        return f"<ergon.Sweep of {len(self)} runs, {self.folder}>"


def sweep(system: SystemLike, vary: Mapping[str, Any], *, measures: Optional[Mapping[str, str]] = None, set: Settings = None,
          out: Union[str, "os.PathLike[str]", None] = None, plan: Optional[str] = None, samples: Optional[int] = None, seed: Optional[int] = None,
          jobs: Optional[int] = None, bands: Iterable[str] = (), check: Optional[str] = None) -> Sweep:
    """Runs a system many times with other settings (docs/studies.md).

        sweep = ergon.sweep("first.toml", {"right.m": [0.1, 1, 10], "right.k": "log(10, 1000, 5)"}, measures={"peak": "max(right.position)"})
        sweep.to_pandas()

    A run that fails is a row. With `out`, a sweep that was interrupted goes on when it is repeated. Subsystems in Python cannot be swept so.
    """
    keep = None if out is not None else tempfile.TemporaryDirectory(prefix="ergon-")
    folder = os.fspath(out) if out is not None else keep.name  # type: ignore[union-attr]
    options: List[str] = []
    for path, values in vary.items():
        options += ["--vary", f"{path}={_values(values)}"]
    for name, formula in (measures or {}).items():
        options += ["--measure", f"{name}={formula}"]
    for name in bands:
        options += ["--bands", name]
    for option, value in (("--plan", plan), ("--samples", samples), ("--seed", seed), ("--jobs", jobs), ("--check", check)):
        if value is not None:
            options += [option, str(value)]
    if out is None:
        options.append("--no-report")
    _command("sweep", system, folder, options, set)
    return Sweep(folder, keep)


class Convergence:
    """`convergence.json` is what the command writes; `orders` has the observed order per variable, `errors` the error bar at the given steps."""

    def __init__(self, content: Dict[str, Any]) -> None:
        self.json = content

    def _per_variable(self, key: str) -> Dict[str, Any]:
        variables = self.json["variables"]
        named = variables.items() if isinstance(variables, dict) else ((v["name"], v) for v in variables)
        return {name: v.get(key) for name, v in named}

    @property
    def orders(self) -> Dict[str, Optional[float]]:
        return self._per_variable("order")

    def __repr__(self) -> str:
        lines = [f"<ergon.Convergence of {len(self.orders)} variables>"]
        return "\n".join(lines + [f"  {name}: order {order}" for name, order in self.orders.items()])


def converge(system: SystemLike, *, levels: Optional[int] = None, accuracy: Optional[str] = None, variables: Iterable[str] = (), set: Settings = None,
             step_size: Any = None, out: Union[str, "os.PathLike[str]", None] = None) -> Convergence:
    """Runs a system at H, H/2, H/4 …: order of convergence, extrapolated values and errors per variable (docs/studies.md)."""
    keep = None if out is not None else tempfile.TemporaryDirectory(prefix="ergon-")
    folder = os.fspath(out) if out is not None else keep.name  # type: ignore[union-attr]
    options: List[str] = []
    for option, value in (("--levels", levels), ("--accuracy", accuracy), ("--step-size", step_size)):
        if value is not None:
            options += [option, str(value).replace(" ", "")]
    for name in variables:
        options += ["--variables", name]
    if out is None:
        options.append("--no-report")
    _command("converge", system, folder, options, set)
    return Convergence(json.loads((Path(folder) / "converge.json").read_text(encoding="utf-8")))
