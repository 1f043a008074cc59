"""Tables of results.h5 (docs/hdf5.md), read by h5py."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np


def _attribute(dataset: Any, key: str, otherwise: str = "") -> str:
    value = dataset.attrs.get(key, otherwise)
    return value.decode() if isinstance(value, bytes) else str(value)


def _texts(file: Any, numbers: Any) -> List[str]:
    content = file["texts"]["bytes"][:].tobytes()
    ends = file["texts"]["ends"][:]
    starts = np.concatenate(([0], ends[:-1]))
    return ["" if n != n else content[int(starts[int(n)]):int(ends[int(n)])].decode() for n in numbers]


@contextmanager
def _table(path: Path, table: str) -> Iterator[Any]:
    """A group, also of a file that is still being written or of a run that was killed."""
    try:
        import h5py
    except ImportError:
        raise ImportError(f"{path} is read by h5py, which is not installed") from None
    with h5py.File(path, "r", swmr=True) as file:
        if table not in file:
            raise FileNotFoundError(f"{path} has no table '{table}'")
        yield file, file[table]


def describe_table(path: Path, table: str) -> List[Tuple[str, str, str, Optional[float], str]]:
    """Name, unit, type, step (not in the file) and description of the columns but the time."""
    with _table(path, table) as (_, group):
        return [(_attribute(d, "NAME", key), _attribute(d, "UNIT"), _attribute(d, "TYPE", "real"), None, _attribute(d, "COMMENT"))
                for key, d in group.items() if key != "time"]


def read_table(path: Path, table: str, names: Optional[List[str]]) -> Dict[str, Any]:
    """The columns of a group, all or those of these names."""
    columns: Dict[str, Any] = {}
    with _table(path, table) as (file, group):
        rows = min(len(dataset) for dataset in group.values())  # columns grow one after the other
        for key, dataset in group.items():
            name = _attribute(dataset, "NAME", key)
            if names is not None and name not in names:
                continue
            values = dataset[:rows]
            is_text = _attribute(dataset, "TYPE") in ("text", "binary")
            columns[name] = _texts(file, values) if is_text else np.asarray(values, dtype=float)
    if "time" in columns:
        columns = {"time": columns.pop("time"), **columns}
    return columns
