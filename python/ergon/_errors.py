from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._result import Result


class RunError(RuntimeError):
    """A run failed: which subsystem, when and why. `result` has what was recorded before."""

    def __init__(self, message: str, subsystem: str, time: float, reason: str, result: Optional["Result"] = None) -> None:
        super().__init__(message)
        self.subsystem = subsystem
        self.time = time
        self.reason = reason
        self.result = result
