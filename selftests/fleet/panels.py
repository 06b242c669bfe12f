#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Draw what guest-judge.py found for each panel: panels.py PANELS.JSON > PAGE.HTML

This shows people that the queries say something. No Grafana has rendered the dashboard.
"""
import html
import json
import re
import sys

COLORS = ["#3b7dd8", "#d9534f", "#e0a030", "#8e5bb5", "#3a9a5b", "#5bc0de", "#777", "#b5651d",
          "#c71585", "#556b2f"]
WIDTH, HEIGHT = 560, 220


def legend(panel, series):
    return re.sub(r"\{\{(\w+)\}\}", lambda match: series["metric"].get(match[1], ""),
                  panel["legend"])


def draw(panel):
    points = [[(float(t), float(v)) for t, v in one["values"]] for one in panel["series"]]
    times = [t for one in points for t, _ in one]
    begin, end = min(times), max(times)
    top = 1.0 if panel["unit"] == "percentunit" else max(v for one in points for _, v in one) or 1.0

    def place(t, v):
        return f"{(t - begin) / (end - begin) * WIDTH:.1f},{HEIGHT - v / top * HEIGHT:.1f}"

    shapes, below = [], {}
    for i, one in enumerate(points):
        color = COLORS[i % len(COLORS)]
        if panel["stacked"]:
            lower = [(t, below.get(t, 0.0)) for t, _ in one]
            upper = [(t, v + below.get(t, 0.0)) for t, v in one]
            below.update(upper)
            path = " ".join(place(*at) for at in upper + lower[::-1])
            shapes.append(f'<polygon points="{path}" fill="{color}"/>')
        else:
            path = " ".join(place(*at) for at in one)
            shapes.append(f'<polyline points="{path}" fill="none" stroke="{color}"/>')
    names = "".join(f'<li style="color:{COLORS[i % len(COLORS)]}">'
                    f'{html.escape(legend(panel, one))}</li>'
                    for i, one in enumerate(panel["series"]))
    return (f"<section><h2>{html.escape(panel['title'])} ({panel['unit']}, top is {top:g})</h2>"
            f'<svg width="{WIDTH}" height="{HEIGHT}">{"".join(shapes)}</svg>'
            f"<ul>{names}</ul></section>")


with open(sys.argv[1], encoding="utf-8") as file:
    panels = json.load(file)
print('<!DOCTYPE html><meta charset="utf-8"><title>Panels</title><style>'
      "body{font:13px sans-serif;display:grid;grid-template-columns:1fr 1fr}"
      "svg{border:1px solid #999}h2{font-size:14px}ul{columns:2}</style>")
print("\n".join(draw(panel) for panel in panels))
