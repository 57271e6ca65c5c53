#!/usr/bin/python3
"""Table of a study for a paper: LaTeX (booktabs) or CSV, with units and as many digits as error
bars allow.  Numbers of `supple converge` are those of the finest levels with their GCI; of
`holding` with the bars of its ladder.  Numbers without a bar have the digits of the study's
tolerance, 2 % unless -e says otherwise.

usage: table.py STUDY_DIR [-o TEX|CSV] [-c COLUMNS] [-e ERROR]
example: table.py out/cases -o cases.tex
"""
import argparse
import csv
import io
import math
import os
import re

import runs

TABLES = ("sweep.csv", "holding.csv", "stiffness.csv")
BOOKKEEPING = ("case", "level", "overrides", "status", "message", "warnings", "unknowns",
               "wall [s]", "memory [MB]")
ROUND_OFF = 1e-12  # of the largest number of a unit; tables have 12 digits


def unit(heading):
    return heading.partition("[")[2]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def rounded(value, error):
    """The value, and its error of two digits, to the last digit of the error."""
    if not math.isfinite(value) or not error > 0:
        return f"{value:.6g}" if math.isfinite(value) else ""
    power = math.floor(math.log10(max(abs(value), error)))
    power = 0 if power > -5 else power
    value, error = value / 10.0**power, error / 10.0**power
    decimals = 1 - math.floor(math.log10(error))
    text = f"{round(value, decimals):.{max(decimals, 0)}f}"
    text += f" +- {round(error, decimals):.{max(decimals, 0)}f}"
    return f"({text})e{power}" if power else text


def by_share(value, share):
    """The value to the digit in which a relative error of `share` is at least a half."""
    digits = max(1, math.ceil(-math.log10(2 * share)) + 1)
    if not math.isfinite(value) or value == 0:
        return f"{value:g}" if value == 0 else ""
    text = f"{value:.{digits - 1}e}"
    power = int(text.partition("e")[2])
    decimals = digits - 1 - power
    return f"{round(value, decimals):.{max(decimals, 0)}f}" if power > -5 else text


def of_convergence(folder, share):
    about = runs.load_json(os.path.join(folder, "manifest.json"))
    results = runs.load_json(os.path.join(folder, "convergence.json"))
    share = share or about["tolerance"]
    units = {name: f"{name} [{q['unit']}]" if q["unit"] else name
             for name, q in about["quantities"].items()}
    rows = []
    for family, part in results.get("families", {"": results}).items():
        row = {"family": family} if family else {}
        for name, curve in part["quantities"].items():
            values = curve["values"]
            value, gci = (values[-1] if values else math.nan), curve["gci"]
            row[units[name]] = (by_share(value, share) if gci is None
                                else rounded(value, abs(gci * value)))
        rows.append(row)
    return about["title"], rows


def of_table(path, share):
    about = runs.load_json(path[:-4] + ".json")
    share = share or about.get("tolerance", 0.02)
    with open(path, encoding="utf-8", newline="") as file:
        given = [line for line in csv.DictReader(file)
                 if "levels" not in about or line["level"] == str(about["levels"])]
    inputs = [p["column"] for p in about.get("parameters", [])] + ["radius [mm]", "position [mm]"]
    rows, most = [], {}
    for name, text in [item for line in given for item in line.items()]:
        if math.isfinite(number(text)):
            most[unit(name)] = max(most.get(unit(name), 0), abs(number(text)))
    for line in given:
        row = {}
        load = "moment" if line.get("pull") == "turn" else "force"  # that has the bar
        for name, text in line.items():
            kind = name.split()[0]
            bars = [key for key in line if key.startswith(f"{kind} bar")]
            bar = number(line[bars[0]]) if bars and load in name else 0
            if name in BOOKKEEPING or name in bars:
                continue
            value = number(text)
            if abs(value) < ROUND_OFF * most.get(unit(name), 0):
                value = 0
            is_text = name in inputs or (text and math.isnan(value))
            row[name] = (text if is_text else
                         rounded(value, bar) if bar > 0 else by_share(value, share))
            if not row[name] and (line.get("status") == "failed" or kind == "secant"):
                row[name] = "failed"
        rows.append(row)
    return about["title"], rows


def load(folder, share):
    if os.path.exists(os.path.join(folder, "convergence.json")):
        return of_convergence(folder, share)
    for name in TABLES:
        if os.path.exists(os.path.join(folder, name)):
            return of_table(os.path.join(folder, name), share)
    raise runs.RunError(f"{folder} has no table of a study: convergence.json, {', '.join(TABLES)}")


def choose(rows, names):
    """Columns by the beginnings of their names, in this order; all that have a value."""
    columns = [key for key in rows[0] if any(row[key] for row in rows)]
    if not names:
        return columns
    unknown = [name for name in names if not any(key.startswith(name) for key in columns)]
    if unknown:
        raise runs.RunError(f"no column begins with {' or '.join(unknown)}: {', '.join(columns)}")
    return [key for name in names for key in columns if key.startswith(name)]


def escaped(text):
    text = re.sub(r"([\\&%$#_{}~^])", lambda m: "\\" + m[1] if m[1] not in "\\~^" else
                  {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\^{}"}[m[1]], text)
    return re.sub(r"\\\^\{\}(-?\d+)", r"\\textsuperscript{\1}", text)


def cell(text):
    if re.fullmatch(r"\(?-?[\d.]+( \+- [\d.]+\))?(e[-+]\d+)?( \+- [\d.]+)?", text):
        text = re.sub(r"e([-+]\d+)", lambda m: rf" \times 10^{{{int(m[1])}}}", text)
        return "$" + text.replace("+-", r"\pm") + "$"
    return escaped(text)


def latex(title, columns, rows):
    lines = [f"% {title}; needs \\usepackage{{booktabs}}",
             f"\\begin{{tabular}}{{{'l' * len(columns)}}}", r"\toprule",
             " & ".join(escaped(name) for name in columns) + r" \\", r"\midrule"]
    lines += [" & ".join(cell(row[name]) for name in columns) + r" \\" for row in rows]
    return "\n".join(lines + [r"\bottomrule", r"\end{tabular}", ""])


def as_csv(columns, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", metavar="STUDY_DIR", help="folder of a study's results")
    parser.add_argument("-o", "--output", metavar="FILE", help=".tex or .csv; default: print LaTeX")
    parser.add_argument("-c", "--columns", nargs="+", metavar="NAME", help="beginnings of headings")
    parser.add_argument("-e", "--error", type=float, help="relative error of numbers without a bar")
    arguments = parser.parse_args()
    ending = os.path.splitext(arguments.output or "table.tex")[1]
    if ending not in (".tex", ".csv"):
        raise runs.RunError(f"{arguments.output} ends with '{ending}'; expected .tex or .csv")
    title, rows = load(arguments.study, arguments.error)
    columns = choose(rows, arguments.columns)
    text = as_csv(columns, rows) if ending == ".csv" else latex(title, columns, rows)
    if not arguments.output:
        print(text, end="")
        return
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(text)
    print(arguments.output)


if __name__ == "__main__":
    runs.run(main)
