"""How a result looks in a notebook: verdict, error bars and the report page with its plots."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._result import Result

_COLOURS = {"reliable": "#1a7f37", "consistent": "#1a7f37", "doubtful": "#9a6700", "unreliable": "#cf222e", "not-monitored": "#57606a"}
_LARGEST_PAGE = 8_000_000  # bytes; larger ones are named instead of embedded


def result_html(result: "Result") -> str:
    verdict = result.verdict
    colour = _COLOURS.get(verdict.value, "#57606a")
    rows = "".join(f"<li>{html.escape(reason.what)}</li>" for reason in verdict.reasons)
    bars = "".join(
        f"<tr><td>{html.escape(e.name)}</td><td>{e.largest:.3g} {html.escape(e.unit)}</td>"
        f"<td>{'at rest' if e.ratio is None else f'{100 * e.ratio:.2g} %'}</td></tr>" for e in result.errors.values() if e.judged)
    table = f"<table><tr><th>variable</th><th>error bar</th><th>of half its range</th></tr>{bars}</table>" if bars else ""
    advice = f"<p>Try {html.escape(verdict.advice)}</p>" if verdict.advice else ""
    return (f'<div><p><b style="color:{colour}">{html.escape(verdict.value)}</b></p><ul>{rows}</ul>{advice}{table}{_page(result)}</div>')


def _page(result: "Result") -> str:
    try:
        page = result.report()
    except (OSError, RuntimeError):
        return ""
    if page.stat().st_size > _LARGEST_PAGE:
        return f"<p>Plots: {html.escape(str(page))}</p>"
    content = html.escape(page.read_text(encoding="utf-8"), quote=True)
    return f'<iframe srcdoc="{content}" style="width:100%;height:600px;border:0"></iframe>'
