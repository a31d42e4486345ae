"""What a run of the bench programs measured: rows by group and name, and their ratios.

The file of a run is one JSON object:

    {"machine": {...}, "sides": {"culvert": {"platform", "device", "driver"}, ..., "cuda": {...}},
     "mode": "full", "rounds": 3, "failures": ["..."],
     "rows": [{"group", "name", "unit", "better",
               "sides": {"culvert": {"rounds": [7.4, 7.5, null], "low": 7.3, "high": 7.9}, ...},
               "skipped": {"nvidia": "why"}}]}

A side is a platform or `cuda`; a value of `rounds` is what one process of it found. A ratio is
taken within a round, where the two were measured one after the other.
"""
import json
import statistics


class Run:
    """All that was measured, in the order in which it came."""

    def __init__(self, machine, mode):
        self.machine, self.mode = machine, mode
        self.sides, self.rows, self.failures, self.rounds = {}, {}, [], 0

    def add(self, side, found, number):
        """Takes what a process printed in round `number`, from 0."""
        facts = {name: found[name] for name in ("platform", "device", "driver")}
        self.sides.setdefault(side, facts)
        self.rounds = max(self.rounds, number + 1)
        if found.get("checks"):
            self.machine["checks"] = True
        for row in found["rows"]:
            self.add_row(side, row, number)

    def add_row(self, side, row, number):
        """Takes one row."""
        kept = self.rows.setdefault((row["group"], row["name"]), {
            "group": row["group"], "name": row["name"], "sides": {}, "skipped": {}})
        if "skipped" in row:
            kept["skipped"][side] = row["skipped"]
            return
        kept.setdefault("unit", row["unit"])
        kept.setdefault("better", row["better"])
        values = kept["sides"].setdefault(
            side, {"rounds": [], "low": row["low"], "high": row["high"]})
        values["rounds"] += [None] * (number - len(values["rounds"])) + [row["value"]]
        values["low"] = min(values["low"], row["low"])
        values["high"] = max(values["high"], row["high"])

    def write(self, path):
        """Writes the file of the run, a row a line."""
        head = {"machine": self.machine, "sides": self.sides, "mode": self.mode,
                "rounds": self.rounds, "failures": self.failures}
        text = json.dumps(head, indent=1, ensure_ascii=False)[:-2]
        lines = [json.dumps(row, ensure_ascii=False) for row in self.rows.values()]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + ',\n "rows": [\n' + ",\n".join(lines) + "\n]}\n")


def read(path):
    """The run of a file."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    run = Run(data["machine"], data["mode"])
    run.sides, run.failures, run.rounds = data["sides"], data["failures"], data["rounds"]
    run.rows = {(row["group"], row["name"]): row for row in data["rows"]}
    return run


def parse(text):
    """What a program printed; of a program that died, the rows that it had finished."""
    try:
        return json.loads(text)
    except ValueError:
        lines = text.split("\n")
        try:
            found = json.loads(lines[0] + "]}")
            found["rows"] = [json.loads(line.rstrip(",")) for line in lines[1:]
                             if line.endswith(("}", "},"))]
            return found
        except ValueError:
            return None


def value(row, side):
    """The median of a side's rounds, or None."""
    values = [v for v in row["sides"].get(side, {"rounds": []})["rounds"] if v is not None]
    return statistics.median(values) if values else None


def ratios(row, side, base):
    """Side by base, round by round, or of the medians where no round has both; empty where
    either is not there."""
    if side not in row["sides"] or base not in row["sides"]:
        return []
    pairs = zip(row["sides"][side]["rounds"], row["sides"][base]["rounds"])
    found = [a / b for a, b in pairs if a is not None and b]
    return found or ([value(row, side) / value(row, base)] if value(row, base) else [])


def ratio(row, side, base):
    """The median of the ratios, or None."""
    all_of_them = ratios(row, side, base)
    return statistics.median(all_of_them) if all_of_them else None


def groups(run):
    """The names of the groups, in order."""
    return list(dict.fromkeys(group for group, _ in run.rows))


def rows_of(run, group):
    """The rows of a group, in order."""
    return [row for row in run.rows.values() if row["group"] == group]


def number(figure):
    """A figure in three digits or more: 0.123, 12.3, 1234."""
    if figure is None:
        return "–"
    if figure == 0:
        return "0"
    digits = 3 if abs(figure) < 1 else 2 if abs(figure) < 10 else 1 if abs(figure) < 100 else 0
    return f"{figure:.{digits}f}" if abs(figure) >= 0.001 else f"{figure:.2g}"


def measured(run, group):
    """The sides that have a figure of a group, in order."""
    return [side for side in order(run)
            if any(side in row["sides"] for row in rows_of(run, group))]


def only(run, group, sides):
    """Of another run one group, and of that the rows that each of the sides has."""
    part = Run(run.machine, run.mode)
    part.sides = {side: facts for side, facts in run.sides.items() if side in sides}
    for row in rows_of(run, group):
        there = {side: row["sides"][side] for side in sides if side in row["sides"]}
        if len(there) == len(sides):
            part.rows[(group, row["name"])] = dict(row, sides=there, skipped={})
    return part


TITLES = {"cuda": "CUDA", "culvert": "Culvert", "nvidia": "NVIDIA's OpenCL", "pocl": "PoCL"}


def title(side):
    """How a side is called in tables and pictures."""
    return TITLES.get(side, side)


def order(run):
    """The sides, CUDA first and Culvert second."""
    first = [side for side in ("cuda", "culvert") if side in run.sides]
    return first + [side for side in run.sides if side not in first]


def table(run, group):
    """A group in Markdown: what each side reached, and Culvert's by the others'."""
    sides = measured(run, group)
    others = [side for side in sides if side != "culvert"] if "culvert" in sides else []
    lines = ["| what | unit | " + " | ".join(title(side) for side in sides) + " | "
             + "".join(f"Culvert / {title(side)} | " for side in others),
             "|---|---|" + "---|" * (len(sides) + len(others))]
    for row in rows_of(run, group):
        if "unit" not in row:
            continue
        cells = [row["name"], row["unit"] + (" ↑" if row["better"] == "higher" else " ↓")]
        cells += [number(value(row, side)) for side in sides]
        cells += [ratio_cell(row, side) for side in others]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def ratio_text(figure):
    """A ratio: 1.02, 0.034."""
    return f"{figure:.3f}" if figure < 0.1 else f"{figure:.2f}"


def ratio_cell(row, base):
    """The ratio, with its spread over the rounds where there is one to be seen."""
    found = ratios(row, "culvert", base)
    if not found:
        return "–"
    middle = ratio_text(statistics.median(found))
    low, high = ratio_text(min(found)), ratio_text(max(found))
    return middle if low == middle == high else f"{middle} ({low}–{high})"
