#!/usr/bin/env python3
"""Draws docs/images/oscillator-energy.svg from the results of `make run` (needs nothing but Python itself)."""
import csv
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Run of the demonstration, colour, dashes (the last two lie on each other), label.
RUNS = [("plain", "#c0392b", "none", "as published: the coupling force is one step late"),
        ("energy-leak", "#1e8449", "none", "the same with energy correction"),
        ("refresh", "#f39c12", "6 10", "force evaluated again when the motion is known (default)")]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 330, 70, 46, 16, 46


def energy_kJ(row):
    x1, v1 = float(row["left.position"]), float(row["left.velocity"])
    x2, v2 = float(row["right.position"]), float(row["right.velocity"])
    return 0.5e-3 * (v1 * v1 + v2 * v2 + 10 * x1 * x1 + 1000 * x2 * x2 + 100 * (x1 - x2) ** 2)


def main():
    top_kJ = 22.0
    px = lambda t: LEFT + (WIDTH - LEFT - RIGHT) * t / 10.0
    py = lambda e: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * e / top_kJ
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="20" font-size="15" font-weight="bold">Energy of a loss-free oscillator, co-simulated</text>',
           f'<text x="{LEFT}" y="37" fill="#555">it must stay at 10 kJ; what differs is what happens at the interface</text>']
    for e in range(0, 21, 5):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{py(e):.1f}" y2="{py(e):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{py(e) + 4:.1f}" text-anchor="end">{e}</text>')
    for t in range(0, 11, 2):
        out.append(f'<text x="{px(t):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{t}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">time (s)</text>')
    out.append(f'<text x="20" y="{(TOP + HEIGHT - BOTTOM) / 2}" transform="rotate(-90 20 {(TOP + HEIGHT - BOTTOM) / 2})" '
               'text-anchor="middle">energy (kJ)</text>')
    for n, (run, colour, dashes, label) in enumerate(RUNS):
        with open(ROOT / "results" / "demo" / run / "results.csv") as file:
            points = [f'{px(float(r["time"])):.1f},{py(energy_kJ(r)):.1f}' for i, r in enumerate(csv.DictReader(file))
                      if i % 20 == 0]
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dashes}" points="{" ".join(points)}"/>')
        y = py(21.5) + 18 * n + 8
        out.append(f'<line x1="{LEFT + 14}" x2="{LEFT + 44}" y1="{y - 4:.1f}" y2="{y - 4:.1f}" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dashes}"/>')
        out.append(f'<text x="{LEFT + 52}" y="{y:.1f}">{label}</text>')
    out.append("</svg>")
    target = ROOT / "docs" / "images" / "oscillator-energy.svg"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(out) + "\n")
    print(f"wrote {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
