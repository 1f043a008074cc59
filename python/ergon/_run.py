"""Runs: the command `ergon run` as a function, and Simulation, which goes point by point."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import _ergon
from ._errors import RunError
from ._progress import progress_bar
from ._result import Result
from ._subsystem import resolve
from ._system import System, toml_value

from ._compare import Comparison

SystemLike = Union[str, "os.PathLike[str]", System]
Settings = Union[Mapping[str, Any], Iterable[str], None]

MAX_ACCURACY_RUNS = 4


def version() -> str:
    """The version of Ergon."""
    return str(_ergon.version())


def models() -> Dict[str, str]:
    """The native models, each with its first sentence; `ergon models NAME` on the terminal says more."""
    return dict(_ergon.models())


def _setting_lines(settings: Settings) -> List[str]:
    if settings is None:
        return []
    if isinstance(settings, Mapping):
        return [f"{name}={value if isinstance(value, str) else toml_value(value)}" for name, value in settings.items()]
    if isinstance(settings, str):
        raise TypeError("'set' must be a dict such as {\"load.m\": 0.1}, or a list of texts such as [\"load.m=0.1\"]")
    return [str(line) for line in settings]


def _overrides(set: Settings, **given: Any) -> Any:
    overrides = _ergon.Overrides()
    overrides.settings = _setting_lines(set)
    for name, value in given.items():
        if value is None:
            continue
        if name in ("start_time", "stop_time", "step_size", "accuracy", "check", "events"):
            value = str(value).replace(" ", "") if name == "accuracy" else str(value)
        if name in ("plugins", "trusted"):
            value = [os.fspath(v) for v in value]
        setattr(overrides, name, value)
    return overrides


class _Scenario:
    """A file of a scenario: that of the user, or one of a system that lives as long as the run."""

    def __init__(self, system: SystemLike) -> None:
        self.folder: Optional["tempfile.TemporaryDirectory[str]"] = None
        if isinstance(system, System):
            self.folder = tempfile.TemporaryDirectory(prefix="ergon-")
            self.file = os.path.join(self.folder.name, "system.toml")
            Path(self.file).write_text(system._text(portable=False), encoding="utf-8")
        else:
            self.file = os.fspath(system)
            if not isinstance(self.file, str):
                raise TypeError(f"a file name or an ergon.System is needed, not {system!r}")


def _raise_if_failed(simulation: Any, result: Optional[Result]) -> None:
    failure: Optional[Tuple[str, float, str, float]] = simulation.failure
    if failure is None or simulation.status != "failed":
        return
    subsystem, time, reason, reached = failure
    if reason.endswith("KeyboardInterrupt"):
        raise KeyboardInterrupt
    raise RunError(f"'{subsystem}' failed at t = {time} s: {reason}. Results up to t = {reached} s are in the attribute `result`.",
                   subsystem, time, reason, result)


def run(system: SystemLike, *, set: Settings = None, out: Union[str, "os.PathLike[str]", None] = None, accuracy: Optional[str] = None,
        start_time: Any = None, stop_time: Any = None, step_size: Any = None, threads: Optional[int] = None, check: Optional[str] = None,
        isolate: Optional[bool] = None, sandbox: Optional[bool] = None, bonds: Optional[bool] = None, events: Optional[str] = None,
        plugins: Optional[Iterable[Any]] = None, trusted: Optional[Iterable[Any]] = None, progress: Union[bool, Callable[[float], None], None] = None,
        checkpoints: Optional[float] = None) -> Result:
    """Runs a scenario file (also .ssp, .ssd, OspSystemStructure.xml) or a System and returns its results.

    set          values by path, {"load.m": 0.1, "bond.spring.correction": {"method": "residual-power"}}
    out          folder of the results; by default one that is deleted with the result
    accuracy     "1 %": what outputs need; the run is repeated with smaller steps until it is met (at most four runs)
    check        "auto" (another run at other steps gives error bars), "double", "half", "off"
    progress     True: a bar; a function: called with the time now and then
    checkpoints  seconds of wall time between checkpoints (`ergon.resume`); needs `out`

    Other arguments are options of `ergon run`. Wrong input raises InputError, a failing run RunError with the results so far.
    """
    scenario = _Scenario(system)
    overrides = _overrides(set, accuracy=accuracy, start_time=start_time, stop_time=stop_time, step_size=step_size, threads=threads, check=check,
                           isolate=isolate, sandbox=sandbox, bonds=bonds, events=events, plugins=plugins, trusted=trusted)
    simulation = _ergon.Simulation(scenario.file, overrides, resolve)
    keep = None if out is not None else tempfile.TemporaryDirectory(prefix="ergon-")
    folder = os.path.abspath(os.fspath(out)) if out is not None else keep.name  # type: ignore[union-attr]
    for number in range(1, MAX_ACCURACY_RUNS + 1):
        simulation.check_motion()
        simulation.write_to(folder)
        if checkpoints is not None:
            simulation.keep_checkpoints(checkpoints)
        with progress_bar(progress, simulation) as show:
            simulation.run(None, show)
        again = simulation.more_accurate() if accuracy is not None and number < MAX_ACCURACY_RUNS else None
        if again is None:
            break
        simulation = again
    if simulation.write_errors:
        raise OSError("; ".join(simulation.write_errors))
    result = Result(folder, keep=keep)
    _raise_if_failed(simulation, result)
    return result


def resume(folder: Union[str, "os.PathLike[str]"], *, stop_time: Any = None) -> Result:
    """Goes on with a run that was killed or interrupted, or extends one, from its last checkpoint (`ergon resume`)."""
    arguments = ["resume", os.fspath(folder)] + ([] if stop_time is None else ["--stop-time", str(stop_time)])
    code = _ergon.command(arguments + ["--quiet"])
    if code == 2:
        raise ValueError(f"{os.fspath(folder)} cannot be resumed; the reason is on standard error")
    return Result(folder)


def compare(run: Union[Result, str, "os.PathLike[str]"], reference: Union[Result, str, "os.PathLike[str]"], *, tolerance: Optional[float] = None,
            variables: Optional[Iterable[str]] = None) -> "Comparison":
    """The largest difference of each variable that both have, at the points of the run with fewer of them."""
    from ._compare import compare_results

    return compare_results(run, reference, tolerance, variables)


class Simulation:
    """One run, point by point.

        simulation = ergon.Simulation("first.toml", set={"load.m": 0.1})
        while simulation.advance():
            if simulation["load.position"] > 1.0:
                simulation.set("controller.gain", 0.0)
        print(simulation.verdict)

    Calls from several threads, or from an observer, raise RuntimeError; several simulations run beside each other in threads.
    """

    def __init__(self, system: SystemLike, *, set: Settings = None, out: Union[str, "os.PathLike[str]", None] = None, check: bool = False,
                 accuracy: Optional[str] = None, start_time: Any = None, stop_time: Any = None, step_size: Any = None, threads: Optional[int] = None,
                 isolate: Optional[bool] = None, plugins: Optional[Iterable[Any]] = None, trusted: Optional[Iterable[Any]] = None) -> None:
        self._scenario: Optional[_Scenario] = _Scenario(system)
        overrides = _overrides(set, accuracy=accuracy, start_time=start_time, stop_time=stop_time, step_size=step_size, threads=threads,
                               isolate=isolate, plugins=plugins, trusted=trusted)
        self._native = _ergon.Simulation(self._scenario.file, overrides, resolve)
        self._folder: Optional[str] = None
        if check:
            self._native.check_motion()
        if out is not None:
            self._folder = os.path.abspath(os.fspath(out))
            self._native.write_to(self._folder)

    def start(self) -> None:
        """Computes the outputs at the start."""
        self._native.start()
        _raise_if_failed(self._native, None)

    def advance(self) -> bool:
        """To the next communication point; False at the end."""
        goes_on = bool(self._native.advance())
        if not goes_on:
            _raise_if_failed(self._native, self._result_or_none())
        return goes_on

    def run(self, until: Optional[float] = None, *, progress: Union[bool, Callable[[float], None], None] = None) -> "Simulation":
        """To the end, or to the first point at or after `until`."""
        with progress_bar(progress, self._native) as show:
            self._native.run(until, show)
        if self._native.over:
            _raise_if_failed(self._native, self._result_or_none())
        return self

    def observe(self, function: Callable[[Any], None]) -> None:
        """`function(point)` is called at every point: `point.time`, `point["load.position"]`. To be added before the run is under way."""
        self._native.observe(function)

    def set(self, name: str, value: Any) -> None:
        """A parameter that may change during a run, or an input that nothing feeds, from the next step on."""
        self._native.set_parameter(name, value)

    def save(self) -> Any:
        """The run as it is now, for `restore`."""
        return self._native.save()

    def restore(self, saved: Any) -> None:
        """What follows is, bit for bit, what followed the save."""
        self._native.restore(saved)

    def another(self) -> "Simulation":
        """The same system once more from the start."""
        other = object.__new__(Simulation)
        other._scenario, other._native, other._folder = self._scenario, self._native.another(), None
        return other

    def __getitem__(self, name: str) -> Any:
        return self._native.value(name)

    @property
    def time(self) -> float:
        return float(self._native.time)

    @property
    def over(self) -> bool:
        return bool(self._native.over)

    @property
    def status(self) -> str:
        return str(self._native.status)

    @property
    def outputs(self) -> List[str]:
        return list(self._native.outputs)

    @property
    def problems(self) -> List[str]:
        """Warnings and notes about the system."""
        return list(self._native.problems)

    @property
    def summary(self) -> Dict[str, Any]:
        """What summary.json holds; when the run is over."""
        import json

        if not self.over:
            raise RuntimeError("the run is not over")
        summary: Dict[str, Any] = json.loads(self._native.summary_json())
        return summary

    @property
    def verdict(self) -> Any:
        from ._result import verdict_from

        return verdict_from(self.summary["verdict"])

    @property
    def result(self) -> Result:
        """The files, of a run with `out`."""
        if self._folder is None:
            raise RuntimeError("nothing was recorded: make the simulation with out=FOLDER")
        if not self.over:
            raise RuntimeError("the run is not over")
        return Result(self._folder)

    def _result_or_none(self) -> Optional[Result]:
        return Result(self._folder) if self._folder is not None and self.over else None

    def __repr__(self) -> str:
        return f"<ergon.Simulation: {self.status}, {len(self.outputs)} outputs>"
