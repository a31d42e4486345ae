"""Pictures of figures, as SVG: bars with their spread, and lines over a logarithmic axis."""
import math
import statistics
from xml.sax.saxutils import escape

import figures

COLOURS = {"culvert": "#2166ac", "nvidia": "#76b900", "pocl": "#d95f02", "cuda": "#666666"}
SPARE = ["#7570b3", "#e7298a", "#a6761d"]
FONT = 'font-family="DejaVu Sans, Helvetica, Arial, sans-serif"'


def colour(side, sides):
    """Its own, or one of those to spare."""
    return COLOURS.get(side) or SPARE[list(sides).index(side) % len(SPARE)]


def text(x, y, words, size=12, anchor="start", fill="#222222"):
    """One line of text."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{fill}">{escape(words)}</text>')


def line(x1, y1, x2, y2, stroke="#cccccc", width=1.0):
    """One line."""
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" '
            f'stroke-width="{width}"/>')


def box(x, y, width, height, fill):
    """A filled rectangle."""
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{fill}"/>')


def page(width, height, parts):
    """The whole file."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" {FONT}>\n'
            + "\n".join([box(0, 0, width, height, "#ffffff")] + parts) + "\n</svg>\n")


# --- bars: how fast a side is by a base, 1 being as fast ---------------------------------

LEFT, WIDE, MOST, BAR, GAP, TOP = 330, 520, 2.5, 12, 9, 62


def speeds(row, side, base):
    """By how much the side is faster than the base, round by round; of a single round with
    the spread of its samples."""
    found = figures.ratios(row, side, base)
    if len(found) == 1:
        middle, values = figures.value(row, base), row["sides"][side]
        found = [values["low"] / middle, found[0], values["high"] / middle]
    return [1 / r for r in found if r] if row.get("better") == "lower" else found


def choose_base(run):
    """CUDA where it was measured; otherwise whoever is not Culvert."""
    others = [side for side in figures.order(run) if side != "culvert"]
    return others[0] if others else None


def bar(y, found, fill):
    """One bar with the spread of its rounds; what goes beyond the edge is told in digits."""
    middle, scale = statistics.median(found), WIDE / MOST
    parts = [box(LEFT, y, min(middle, MOST) * scale, BAR - 2, fill)]
    low, high = min(min(found), MOST) * scale + LEFT, min(max(found), MOST) * scale + LEFT
    if high - low >= 1:
        parts.append(line(low, y + BAR / 2 - 1, high, y + BAR / 2 - 1, "#000000", 1.2))
        parts += [line(x, y + 1, x, y + BAR - 3, "#000000", 1.2) for x in (low, high)]
    if middle > MOST:
        parts += broken(LEFT + WIDE - 18, y)
    parts.append(text(max(high, LEFT + min(middle, MOST) * scale) + 4, y + BAR - 3,
                      f"{middle:.2f}", 10))
    return parts


def broken(x, y):
    """The mark of a bar that leaves the scale: two slanted lines across it."""
    return [line(x + shift - 2, y + BAR, x + shift + 3, y - 2, "#ffffff", 2.5) for shift in (0, 6)]


def bars(run, group):
    """The picture of a group, or None where nothing can be compared."""
    base = choose_base(run)
    sides = [side for side in figures.measured(run, group) if side != base]
    rows = [row for row in figures.rows_of(run, group) if base and any(
        figures.ratios(row, side, base) for side in sides)]
    if not rows:
        return None
    parts, y = [], TOP
    for row in rows:
        here = [(side, speeds(row, side, base)) for side in sides]
        here = [(side, found) for side, found in here if found]
        parts.append(text(LEFT - 8, y + len(here) * BAR / 2 + 3, row["name"], 12, "end"))
        for side, found in here:
            parts += bar(y, found, colour(side, sides))
            y += BAR
        y += GAP
    return page(LEFT + WIDE + 60, y + 10, axis(base, y) + legend(group, base, sides) + parts)


def axis(base, bottom):
    """Lines for each half, the base's own in black."""
    parts = []
    for half in range(int(MOST * 2) + 1):
        x = LEFT + half / 2 * WIDE / MOST
        parts.append(line(x, TOP - 8, x, bottom - GAP + 4, "#000000" if half == 2 else "#dddddd"))
        parts.append(text(x, TOP - 12, figures.title(base) if half == 2 else f"{half / 2:g}", 10,
                          "middle"))
    return parts


def legend(group, base, sides):
    """The title, and which colour is whose."""
    parts = [text(12, 24, f"{group}: speed relative to {figures.title(base)}, longer is better", 15)]
    x = LEFT + WIDE + 50
    for side in reversed(sides):
        x -= 9 * len(figures.title(side)) + 24
        parts += [box(x, 14, 12, 12, colour(side, sides)), text(x + 16, 24, figures.title(side))]
    return parts


# --- lines: what one of many costs ----------------------------------------------------------

PLOT_WIDE, PLOT_HIGH, PLOT_LEFT, PLOT_TOP = 560, 220, 70, 50


def decades(values):
    """The powers of ten around positive values."""
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)


def plot(name, unit, across, series):
    """Lines over two logarithmic axes: series maps a side to {count: value}."""
    counts = [n for points in series.values() for n in points]
    values = [v for points in series.values() for v in points.values()]
    (left, right), (low, high) = decades(counts), decades(values)
    right, high = max(right, left + 1), max(high, low + 1)

    def x_of(count):
        return PLOT_LEFT + (math.log10(count) - left) / (right - left) * PLOT_WIDE

    def y_of(height):
        return PLOT_TOP + (high - math.log10(height)) / (high - low) * PLOT_HIGH

    parts = [text(12, 24, f"{name}, {unit}", 15)]
    for power in range(left, right + 1):
        x = x_of(10.0 ** power)
        parts += [line(x, PLOT_TOP, x, PLOT_TOP + PLOT_HIGH),
                  text(x, PLOT_TOP + PLOT_HIGH + 16, f"{10 ** power:g}", 11, "middle")]
    for power in range(low, high + 1):
        y = y_of(10.0 ** power)
        parts += [line(PLOT_LEFT, y, PLOT_LEFT + PLOT_WIDE, y),
                  text(PLOT_LEFT - 6, y + 4, f"{10.0 ** power:g}", 11, "end")]
    parts.append(text(PLOT_LEFT + PLOT_WIDE / 2, PLOT_TOP + PLOT_HIGH + 34, across, 12, "middle"))
    for index, (side, points) in enumerate(series.items()):
        parts += curve(side, series, points, x_of, y_of)
        parts.append(text(PLOT_LEFT + PLOT_WIDE + 12, PLOT_TOP + 16 + 18 * index,
                          figures.title(side), 12, "start", colour(side, series)))
    return page(PLOT_LEFT + PLOT_WIDE + 150, PLOT_TOP + PLOT_HIGH + 46, parts)


def curve(side, series, points, x_of, y_of):
    """One line with its points."""
    where = [(x_of(n), y_of(v)) for n, v in sorted(points.items())]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in where)
    fill = colour(side, series)
    return [f'<polyline points="{path}" fill="none" stroke="{fill}" stroke-width="2"/>'] + [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{fill}"/>' for x, y in where]
