"""Progress of a run: a line on terminals, a bar in notebooks."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union


def _notebook_display() -> Optional[Callable[[float], None]]:
    try:
        from IPython import get_ipython  # type: ignore[import]
        from IPython.display import HTML, display  # type: ignore[import]
    except ImportError:
        return None
    shell = get_ipython()
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    handle = display(HTML('<progress value="0" max="1"></progress>'), display_id=True)

    def show(part: float) -> None:
        handle.update(HTML(f'<progress value="{part:.4f}" max="1"></progress> {100 * part:.0f} %'))

    return show


def _terminal_line(part: float) -> None:
    width = 40
    filled = int(width * part)
    sys.stderr.write(f"\r[{'#' * filled}{'.' * (width - filled)}] {100 * part:3.0f} %")
    sys.stderr.flush()


@contextmanager
def progress_bar(progress: Union[bool, Callable[[float], None], None], simulation: Any) -> Iterator[Optional[Callable[[float], None]]]:
    """A function that is called with the time of the run, or None. By default nothing is shown."""
    if not progress:
        yield None
        return
    if callable(progress):
        yield progress
        return
    start, stop = simulation.start_time, simulation.stop_time
    in_notebook = _notebook_display()
    show = in_notebook or _terminal_line

    def at(time: float) -> None:
        show(min(1.0, max(0.0, (time - start) / (stop - start))))

    try:
        yield at
        show(1.0)
    finally:
        if in_notebook is None:
            sys.stderr.write("\n")
