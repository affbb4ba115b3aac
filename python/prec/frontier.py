# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time over precision: of the steps that were compiled, those that no other one beats in both.

Precision is the signal to noise ratio of the gradient in decibels, measured or predicted; time is measured, or else
predicted by the measured times of commands. Steps are sorted from the most exact to the fastest; one stays if it is
faster than all that are more exact. `table` is a report of prec-tune for people, `write_plot` the frontier as SVG.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any


def find_frontier(candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of candidates of a report of prec-tune: `name`, `us`, `snr_db` (none where nothing is rounded), and whether these
    were `measured`, from the most exact to the fastest."""
    points = []
    for row in candidates:
        us = row.get("us", row.get("predicted_us"))
        if us is None or "is" in row or not ({"snr_db", "predicted_snr_db"} & row.keys() or row["recipe"] == "fp32"):
            continue
        snr = row.get("snr_db", row.get("predicted_snr_db"))
        points.append({"name": row["name"], "us": us, "snr_db": snr if snr is not None and math.isfinite(snr) else None,
                       "measured": {"us": "us" in row, "snr_db": "snr_db" in row}})
    points.sort(key=lambda point: (-math.inf if point["snr_db"] is None else -point["snr_db"], point["us"]))
    frontier: list[dict[str, Any]] = []
    for point in points:
        if not frontier or point["us"] < frontier[-1]["us"]:
            frontier.append(point)
    return frontier


def frontier_lines(frontier: Sequence[dict[str, Any]]) -> list[str]:
    """A table for people."""
    lines = []
    for point in frontier:
        snr = "exact" if point["snr_db"] is None else f"{point['snr_db']:.2f} dB"
        note = "" if point["measured"]["us"] else "  predicted"
        lines.append(f"{snr:>12}{point['us'] / 1e3:>12.3f} ms  {point['name']}{note}")
    return lines


def table(report: dict[str, Any]) -> str:
    """The report for people."""
    has_snr = any("snr_db" in row or "predicted_snr_db" in row for row in report["candidates"])
    lines = [f"{'step':<28}{'measured ms':>14}{'predicted ms':>14}{'predicted / measured':>22}" + (f"{'SNR dB (predicted)':>22}" if has_snr else "")]
    for row in report["candidates"]:
        measured = f"{row['us'] / 1e3:.3f}" if "us" in row else "-"
        predicted = f"{row['predicted_us'] / 1e3:.3f}" if "predicted_us" in row else "-"
        ratio = f"{row['predicted_to_measured']:.3f}" if "predicted_to_measured" in row else "-"
        found = " ".join(text for key, form in (("snr_db", "{:.2f}"), ("predicted_snr_db", "({:.2f})"))
                         if row.get(key) is not None and (text := form.format(row[key])))
        lines.append(f"{row['name']:<28}{measured:>14}{predicted:>14}{ratio:>22}" + (f"{found:>22}" if has_snr else "")
                     + ("  kept" if row["name"] == report.get("kept") else ""))
    if "kept_for" in report:
        lines.append(f"kept {report['kept']}: {report['kept_for']}")
    if report.get("frontier"):
        lines += ["frontier, from the most exact to the fastest:", *frontier_lines(report["frontier"])]
    if "choice_to_best" in report:
        lines.append(f"of the faster of bf16 and the recipes everywhere the choice takes {report['choice_to_best']:.4f}, "
                     f"what is kept {report['kept_to_best']:.4f}")
    return "\n".join(lines)


def write_plot(frontier: Sequence[dict[str, Any]], path: Path) -> None:
    """Draws milliseconds over decibels as SVG. What rounds nothing is drawn ten decibels behind the most exact one."""
    width, height, left, top, bottom = 640, 400, 70, 30, 60
    known = [point["snr_db"] for point in frontier if point["snr_db"] is not None]
    most = max(known, default=0) + 10
    marks = [(most if point["snr_db"] is None else point["snr_db"], point["us"] / 1e3, point["name"]) for point in frontier]
    low, high = (min((mark[0] for mark in marks), default=0) - 2, max((mark[0] for mark in marks), default=1) + 2)
    slowest = max((mark[1] for mark in marks), default=1) * 1.1

    def place(mark: tuple[float, float, str]) -> tuple[float, float]:
        x = left + (mark[0] - low) / (high - low) * (width - left - 120)
        return x, height - bottom - mark[1] / slowest * (height - top - bottom)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<path d="M{left} {top}V{height - bottom}H{width - 40}" fill="none" stroke="black"/>',
             f'<text x="{width / 2}" y="{height - 15}" text-anchor="middle">signal to noise of the gradient, dB</text>',
             f'<text x="{left}" y="{top - 10}">ms a step</text>']
    for part in range(5):
        ms = slowest * part / 4
        y = height - bottom - part / 4 * (height - top - bottom)
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{ms:.3g}</text>')
        db = low + (high - low) * part / 4
        parts.append(f'<text x="{left + part / 4 * (width - left - 120):.1f}" y="{height - bottom + 18}" text-anchor="middle">{db:.0f}</text>')
    places = [place(mark) for mark in marks]
    parts.append('<polyline fill="none" stroke="#36c" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in places) + '"/>')
    for (x, y), (_, ms, name) in zip(places, marks):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#36c"><title>{escape(name)}: {ms:.3f} ms</title></circle>')
        parts.append(f'<text x="{x + 7:.1f}" y="{y - 6:.1f}">{escape(name)}</text>')
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")
