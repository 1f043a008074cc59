"""Results of a run: a folder as `ergon run` writes it, read when somebody looks."""

from __future__ import annotations

import html
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _ergon

if TYPE_CHECKING:
    import pandas
    import xarray

Column = Any  # numpy.ndarray, or a list of texts


@dataclass(frozen=True)
class VerdictReason:
    """Why the verdict is what it is: one sentence, and its figures."""

    what: str
    kind: str
    says: str
    bond: str = ""
    subsystems: "tuple[str, ...]" = ()
    start: float = 0.0
    end: float = 0.0
    ratio: Optional[float] = None
    limit: Optional[float] = None

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class Verdict:
    """Whether the result can be trusted: reliable, consistent, doubtful, unreliable or not monitored."""

    value: str
    energy: str
    motion: str
    reasons: "tuple[VerdictReason, ...]" = ()
    advice: str = ""

    def __str__(self) -> str:
        return self.value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.value == other
        return isinstance(other, Verdict) and (self.value, self.reasons) == (other.value, other.reasons)

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        lines = [f"<Verdict: {self.value}>"] + [f"  {reason.what}" for reason in self.reasons]
        return "\n".join(lines + ([f"  try {self.advice}"] if self.advice else []))


def verdict_from(given: Mapping[str, Any]) -> Verdict:
    """Of `verdict` in summary.json."""
    reasons = tuple(
        VerdictReason(r["what"], r.get("kind", ""), r.get("says", ""), r.get("bond", ""), tuple(r.get("subsystems", ())), r.get("from_s", 0.0),
                      r.get("to_s", 0.0), r.get("ratio"), r.get("limit")) for r in given.get("reasons", ()))
    return Verdict(given["value"], given.get("energy", ""), given.get("motion", ""), reasons, given.get("try", ""))


@dataclass(frozen=True)
class VariableError:
    """The estimated error of one variable: at most `largest`, at the time `at`; `ratio`: over half its range."""

    name: str
    unit: str
    largest: float
    at: float
    ratio: Optional[float]
    judged: bool

    def __repr__(self) -> str:
        share = "at rest" if self.ratio is None else f"{100 * self.ratio:.2g} %"
        return f"<error of {self.name}: {self.largest:.3g} {self.unit} ({share}) at {self.at:.4g} s>"


@dataclass(frozen=True)
class BondResult:
    """The energies of a power bond over the whole run, in J."""

    name: str
    exchanged: float
    interface_energy: float
    residual_energy: float
    imbalance: Optional[float]
    corrected: bool
    correction_energy: float

    def __repr__(self) -> str:
        exact = "" if self.imbalance is None else f", exact imbalance {self.imbalance:.6g} J"
        return f"<bond {self.name}: exchanged {self.exchanged:.6g} J, interface energy {self.interface_energy:.6g} J{exact}>"


@dataclass(frozen=True)
class EnergyTotals:
    """Of all subsystems that keep an energy account, in J."""

    initial: float
    final: float
    dissipated: float
    supplied: float
    max_drift: float

    def __repr__(self) -> str:
        return (f"<energy: stored {self.initial:.6g} J at the start, {self.final:.6g} J at the end, {self.dissipated:.6g} J dissipated, "
                f"{self.supplied:.6g} J supplied>")


@dataclass(frozen=True)
class Variable:
    name: str
    unit: str
    type: str
    step: Optional[float]
    description: str


class Result(Mapping[str, Any]):
    """A run: `result["load.position"]` is an array, `result.time` its times, `result.verdict` says whether they can be trusted.

    Everything is read from the folder when it is first asked for.
    """

    def __init__(self, folder: Union[str, os.PathLike[str]], *, keep: "Optional[tempfile.TemporaryDirectory[str]]" = None) -> None:
        self.folder = Path(folder)
        self._keep = keep  # deleted with this object
        file = self.folder / "summary.json"
        if not file.is_file():
            raise FileNotFoundError(f"{self.folder} has no summary.json: is it a folder of results, of a run that is over?")
        self.summary: Dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        self._columns: Dict[str, Dict[str, Column]] = {}
        self._variables: Optional[Dict[str, Variable]] = None

    # ── trajectories ──

    @property
    def time(self) -> "NDArray[np.float64]":
        times: "NDArray[np.float64]" = self._column("results.csv", "time")
        return times

    @property
    def variables(self) -> Dict[str, Variable]:
        """What was recorded, with units."""
        if self._variables is None and not (self.folder / "variables.csv").is_file() and (self.folder / "results.h5").is_file():
            from ._hdf5 import describe_table

            self._variables = {v[0]: Variable(*v) for v in describe_table(self.folder / "results.h5", "results")}
        if self._variables is None:
            table = _ergon.read_csv(str(self.folder / "variables.csv"), None)
            found: Dict[str, Variable] = {}
            for i, name in enumerate(table["variable"]):
                if str(table["file"][i]) == "results.csv":
                    found[str(name)] = Variable(str(name), _text(table["unit"], i), _text(table["type"], i),
                                                _number(table["step_s"], i), _text(table["description"], i))
            self._variables = found
        return self._variables

    def unit(self, name: str) -> str:
        return self.variables[self._known(name)].unit

    def __getitem__(self, name: str) -> Column:
        return self._column("results.csv", self._known(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def _known(self, name: str) -> str:
        if name not in self.variables:
            import difflib

            near = difflib.get_close_matches(str(name), list(self.variables), 1)
            raise KeyError(f"'{name}' was not recorded." + (f" Did you mean '{near[0]}'?" if near else f" Available: {', '.join(self.variables)}"))
        return name

    def _column(self, file: str, name: str) -> Column:
        columns = self._columns.setdefault(file, {})
        if name not in columns:
            if columns:  # a second one: all the others, too
                columns.update({k: v for k, v in self._read(file, None).items() if k not in columns})
            else:
                columns.update(self._read(file, [name]))
        if name not in columns:
            raise KeyError(f"{self.folder / file} has no column '{name}'")
        return columns[name]

    def table(self, file: str = "results.csv") -> Dict[str, Column]:
        """All columns of a file of the folder: "bonds.csv", "energy.csv", "motion.csv" (error bars)."""
        return self._read(file, None)

    def _read(self, file: str, names: Optional[List[str]]) -> Dict[str, Column]:
        """From the CSV file, or from the table of its name in results.h5."""
        if (self.folder / file).is_file():
            columns: Dict[str, Column] = _ergon.read_csv(str(self.folder / file), names)
            return columns
        if (self.folder / "results.h5").is_file():
            from ._hdf5 import read_table

            return read_table(self.folder / "results.h5", Path(file).stem, names)
        raise FileNotFoundError(f"this run has no {file}")

    def to_pandas(self, file: str = "results.csv") -> "pandas.DataFrame":
        """A DataFrame with the time as index; units in `attrs`."""
        import pandas

        frame = pandas.DataFrame(self.table(file)).set_index("time")
        if file == "results.csv":
            frame.attrs["units"] = {name: v.unit for name, v in self.variables.items()}
        return frame

    def to_xarray(self) -> "xarray.Dataset":
        """A Dataset with the coordinate time; needs the package xarray."""
        import xarray

        columns = self.table()
        time = columns.pop("time")
        dataset = xarray.Dataset({name: ("time", np.asarray(c), {"units": self.variables[name].unit}) for name, c in columns.items()},
                                 coords={"time": ("time", time, {"units": "s"})})
        return dataset

    # ── what is known about them ──

    @property
    def status(self) -> str:
        return str(self.summary["status"])

    @property
    def verdict(self) -> Verdict:
        return verdict_from(self.summary["verdict"])

    @property
    def errors(self) -> Dict[str, VariableError]:
        """The error bars by variable; empty where the motion was not checked."""
        found = {}
        for name, v in self.summary.get("motion", {}).get("variables", {}).items():
            found[name] = VariableError(name, v["unit"], v["largest_error"], v["at_s"], v["ratio"], bool(v["judged"]))
        return found

    @property
    def bonds(self) -> Dict[str, BondResult]:
        found = {}
        for name, b in self.summary.get("bonds", {}).items():
            found[name] = BondResult(name, b["exchanged_energy_J"], b["interface_energy_J"], b["residual_energy_J"],
                                     b.get("imbalance_energy_J"), "correction" in b, b.get("correction", {}).get("energy_J", 0.0))
        return found

    @property
    def energy(self) -> Optional[EnergyTotals]:
        e = self.summary.get("energy")
        if not e:
            return None
        return EnergyTotals(e["initial_stored_J"], e["final_stored_J"], e["dissipated_J"], e.get("supplied_J", 0.0), e.get("max_drift_J", 0.0))

    @property
    def costs(self) -> Dict[str, Dict[str, float]]:
        """Per subsystem: steps taken, and the mean time of one in s."""
        nodes = self.summary.get("subsystems", {})
        return {name: {"steps": node["steps"], "mean_step_s": node["mean_step_s"]} for name, node in nodes.items()}

    @property
    def warnings(self) -> List[str]:
        return list(self.summary.get("warnings", ()))

    def report(self, *, open: bool = False) -> Path:
        """Makes the page report.html; `open` shows it in a browser."""
        if _ergon.command(["report", str(self.folder)]) != 0:
            raise RuntimeError(f"no page could be made of {self.folder}")
        page = self.folder / "report.html"
        if open:
            import webbrowser

            webbrowser.open(page.absolute().as_uri())
        return page

    def save(self, folder: Union[str, os.PathLike[str]]) -> "Result":
        """Copies the results where they stay."""
        import shutil

        shutil.copytree(self.folder, folder)
        return Result(folder)

    def __repr__(self) -> str:
        reached = self.summary.get("reached_time_s")
        return (f"<ergon.Result: {self.status} at {reached:g} s, {self.verdict.value}, {len(self)} variables, {self.folder}>")

    def _repr_html_(self) -> str:
        from ._notebook import result_html

        return result_html(self)


def _text(column: Column, i: int) -> str:
    value = column[i]
    return "" if isinstance(value, float) and value != value else str(value)


def _number(column: Column, i: int) -> Optional[float]:
    try:
        value = float(column[i])
    except ValueError:
        return None
    return None if value != value else value
