# SPDX-License-Identifier: MIT
"""The map that “cured show” tells, on matplotlib's axes."""
from __future__ import annotations

import math
from typing import Any

# By unit: how the units above are called, largest first.
SCALES = {
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")),
    "B/s": ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1.0, "B/s")),
    "FLOP/s": ((1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1e6, "MFLOP/s"), (1.0, "FLOP/s")),
    "Hz": ((1e9, "GHz"), (1e6, "MHz"), (1.0, "Hz")),
}


def _find_scale(unit: str, values: list[float]) -> tuple[float, str]:
    least = min(values, default=1.0)
    return next((scale for scale in SCALES.get(unit, ()) if least >= scale[0]), (1.0, unit))


def draw(seen: dict[str, Any], ax: Any, style: dict[str, Any]) -> Any:
    import matplotlib.pyplot as plt
    from matplotlib.colors import LogNorm

    if ax is None:
        _, ax = plt.subplots()
    metric, x, y = seen["metric"], seen["x"], seen["y"]
    rows = [[math.nan if cell is None or cell["value"] is None else float(cell["value"])
             for cell in row] for row in seen["rows"]]
    known = [value for row in rows for value in row if not math.isnan(value)]
    factor, unit = _find_scale(metric["unit"], known)
    rows = [[value / factor for value in row] for row in rows]
    label = f"{metric['id']} [{unit}]" if unit else metric["id"]
    columns = [str(value) for value in x["values"]]
    best = seen["best"] or {}
    ax.set_title(f"{seen['title']}, {seen['device']['name']}".rstrip(", "))
    ax.set_xlabel(x["name"])
    if y is None:
        ax.plot(columns, rows[0], **{"marker": "o", **style})
        ax.set_ylabel(label)
        return ax
    lines = [str(value) for value in y["values"]]
    if known and min(known) > 0 and not {"norm", "vmin", "vmax"} & style.keys():
        style = {"norm": LogNorm(), **style}
    better = "viridis_r" if metric["better"] == "lower" else "viridis"
    mesh = ax.pcolormesh(rows, **{"cmap": better, **style})
    ax.figure.colorbar(mesh, ax=ax, label=label)
    ax.set_xticks([i + 0.5 for i in range(len(columns))], columns)
    ax.set_yticks([i + 0.5 for i in range(len(lines))], lines)
    ax.set_ylabel(y["name"])
    here = str(best.get(x["name"])), str(best.get(y["name"]))
    if here[0] in columns and here[1] in lines:
        ax.plot(columns.index(here[0]) + 0.5, lines.index(here[1]) + 0.5, "*", color="white",
                markeredgecolor="black", markersize=14)
    return ax
