"""Systems that are built in Python, and written as scenario files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._subsystem import register_object

Value = Any


def toml_value(value: Value) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _toml_string(value)
    if isinstance(value, os.PathLike):
        return _toml_string(os.fspath(value))
    if isinstance(value, Mapping):
        items = ", ".join(f"{_key(str(k))} = {toml_value(v)}" for k, v in value.items())
        return "{ " + items + " }" if items else "{}"
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else {"nan": "nan", "inf": "inf", "-inf": "-inf"}[str(value)]
    if hasattr(value, "tolist"):  # numbers and arrays of NumPy
        return toml_value(value.tolist())
    if isinstance(value, Sequence):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    raise TypeError(f"{value!r} cannot be written into a scenario: a number, a flag, a text, a list or a dict is needed")


def _toml_string(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(c, c if c >= " " and c != "\x7f" else f"\\u{ord(c):04X}") for c in text) + '"'


def _key(name: str) -> str:
    plain = name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)
    return name if plain else _toml_string(name)


class System:
    """A system of subsystems, elements, bonds and connections; the same as a scenario file (docs/scenario.md).

        system = ergon.System(stop_time=10, step_size=1e-3)
        system.add("left", "oscillator.force_output", parameters={"kc": 100.0}, initial={"v": 100.0})
        system.add("right", MyMass, parameters={"m": 1.0})
        system.bond("spring", a="left", b="right")
        result = ergon.run(system)

    Keys are those of scenario files. File names are relative to `folder`, the present folder by default.
    """

    def __init__(self, *, stop_time: Union[float, str], step_size: Union[float, str, None] = None, folder: Union[str, os.PathLike[str], None] = None,
                 **simulation: Value) -> None:
        self.folder = Path(folder or ".").absolute()
        self._tables: Dict[str, Dict[str, Value]] = {"simulation": {"stop_time": stop_time}}
        if step_size is not None:
            self._tables["simulation"]["step_size"] = step_size
        self._tables["simulation"].update(simulation)
        self._entries: List[Tuple[str, Dict[str, Value]]] = []

    def add(self, name: str, model: Any = None, *, fmu: Union[str, os.PathLike[str], None] = None, system: Union[str, os.PathLike[str], None] = None,
            parameters: Optional[Mapping[str, Value]] = None, initial: Optional[Mapping[str, Value]] = None, **keys: Value) -> "System":
        """A subsystem: a native model by its name, an FMU, a class or an object with the methods of `ergon.Subsystem`, or another system by its file."""
        if sum(given is not None for given in (model, fmu, system)) != 1:
            raise TypeError(f"'{name}' needs one of: a model, fmu=…, system=…")
        entry: Dict[str, Value] = {"name": name}
        if fmu is not None:
            entry["fmu"] = os.fspath(fmu)
        elif system is not None:
            entry["system"] = os.fspath(system)
        elif isinstance(model, str):
            entry["python" if ":" in model else "model"] = model
        elif isinstance(model, type):
            entry["python"] = f"{model.__module__}:{model.__qualname__}"
        else:
            if parameters:
                raise TypeError(f"'{name}' is an object: give it its parameters, or give the class")
            entry["python"] = register_object(model)
        if parameters:
            entry["parameters"] = dict(parameters)
        if initial:
            entry["initial"] = dict(initial)
        entry.update(keys)
        self._entries.append(("subsystem", entry))
        return self

    def element(self, name: str, law: Optional[str] = None, **keys: Value) -> "System":
        """A law between ports: `ends=[…]`, `parameters={…}`; or `joint="revolute"` with `i` and `j`."""
        self._entries.append(("element", {"name": name, **({"law": law} if law else {}), **keys}))
        return self

    def bond(self, name: str, a: Union[str, Mapping[str, Value]], b: Union[str, Mapping[str, Value]], **keys: Value) -> "System":
        """A power bond; ends are dicts of ports (effort, flow, displacement), as in scenario files, or names of ports that the models define."""
        self._entries.append(("bond", {"name": name, "a": a, "b": b, **keys}))
        return self

    def connect(self, source: Union[str, Sequence[str]], to: str, **keys: Value) -> "System":
        self._entries.append(("connection", {"from": source if isinstance(source, str) else list(source), "to": to, **keys}))
        return self

    def change(self, parameter: str, time: Value, value: Value, **keys: Value) -> "System":
        """A parameter, or an input that nothing feeds, that changes during the run."""
        self._entries.append(("change", {"parameter": parameter, "time": time, "value": value, **keys}))
        return self

    def settings(self, table: str, **keys: Value) -> "System":
        """Keys of another table: `settings("coupling", scheme="gauss-seidel")`, `settings("output", variables=[…])`."""
        self._tables.setdefault(table, {}).update(keys)
        return self

    def to_toml(self) -> str:
        return self._text(portable=True)

    def write(self, file: Union[str, os.PathLike[str]]) -> Path:
        """Writes a scenario file. Objects cannot be written: add their class, with parameters."""
        path = Path(file)
        path.write_text(self.to_toml(), encoding="utf-8")
        return path

    def _text(self, portable: bool) -> str:
        lines = []
        for table, keys in self._tables.items():
            lines.append(f"[{_key(table)}]")
            lines += [f"{_key(k)} = {toml_value(v)}" for k, v in keys.items()]
            lines.append("")
        for kind, entry in self._entries:
            if portable and str(entry.get("python", "")).startswith("#"):
                raise ValueError(f"'{entry['name']}' is an object of this process; add its class, with parameters, to write a file")
            if portable and str(entry.get("python", "")).startswith("__main__:"):
                raise ValueError(f"the class of '{entry['name']}' is in the script itself; put it into a module to write a file")
            lines.append(f"[[{kind}]]")
            lines += [f"{_key(k)} = {toml_value(v if portable else self._absolute(k, v))}" for k, v in entry.items()]
            lines.append("")
        return "\n".join(lines)

    def _absolute(self, key: str, value: Value) -> Value:
        """Names of files that exist, for a scenario that is written elsewhere."""
        if key in ("name", "model", "python", "from", "to", "law"):
            return value
        if isinstance(value, Mapping):
            return {k: self._absolute(str(k), v) for k, v in value.items()}
        if isinstance(value, (str, os.PathLike)):
            name = os.fspath(value)
            if name and not os.path.isabs(name) and (self.folder / name).is_file():
                return str(self.folder / name)
        return value

    def __repr__(self) -> str:
        count = sum(1 for kind, _ in self._entries if kind == "subsystem")
        return f"<ergon.System of {count} subsystem{'' if count == 1 else 's'}>"
