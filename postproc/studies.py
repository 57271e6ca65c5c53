"""Tables, figures and points of studies, for their pages (share.py)."""
import base64
import glob
import os
import re
import tempfile

import matplotlib

import plot_convergence
import plot_fit
import plot_gradient
import plot_holding
import plot_optimize
import plot_stiffness
import plot_sweep
import runs

matplotlib.rcParams["svg.hashsalt"] = "supple"  # equal results give equal files
ENDS = {"value": "", "error": " error", "order": " order", "extrapolated": " Richardson",
        "gci": " GCI"}


def figure_of(figure):
    """A figure as the address of an image."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figure.svg")
        runs.save(figure, path, 90)
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"<metadata>.*?</metadata>", "", file.read(), flags=re.S)  # has a date
    return "data:image/svg+xml;base64," + base64.b64encode(text.encode()).decode()


def heading(column, about):
    """Name and unit of a column of convergence.csv."""
    known = {"h": f"{about['size']} [{about['size_unit'] or '-'}]", "wall": "wall time [s]",
             "memory": "memory [MB]", "overrides": "changed keys"}
    name, _, end = column.rpartition(".")
    if end not in ENDS or name not in about["quantities"]:
        return known.get(column, column)
    unit = "" if end in ("order", "gci") else about["quantities"][name]["unit"]
    return f"{name}{ENDS[end]} [{unit or '-'}]"


def study_of(folder):
    """{title, figure, head, rows, labels, verdicts, study} of a page, and the folder of each row;
    nothing when this is the folder of no study."""
    if os.path.exists(os.path.join(folder, "convergence.json")):
        found, rows = runs.load_study(folder, "convergence.json", "convergence.csv")
        about = runs.load_json(os.path.join(folder, "manifest.json"))
        figure, head = plot_convergence.plot(folder), [heading(c, about) for c in rows[0]]
        places = [os.path.join(r.get("family") or "", f"level_{int(r['level']):02d}") for r in rows]
        names = "|".join(map(re.escape, [*found.get("families", []), *about["quantities"]]))
        verdicts = re.split(f"; (?=(?:{names}): )", found["verdict"])
        for row in rows:
            row["memory"] = f"{float(row['memory']) / 1e6:.4g}" if row["memory"] else ""
    elif os.path.exists(os.path.join(folder, "sweep.json")):
        about, rows = runs.load_study(folder, "sweep.json", "sweep.csv")
        figure, head = plot_sweep.plot(folder, None), list(rows[0])
        places = [f"case_{int(r['case']):05d}" for r in rows]
        verdicts = [f"{about['done']} of {about['cases']} cases done, {about['failed']} failed"]
        verdicts += [f"case {r['case']}: {r['message']}" for r in rows if r["message"]]
    elif os.path.exists(os.path.join(folder, "holding.json")):
        about, rows = runs.load_study(folder, "holding.json", "holding.csv")
        figure, head = plot_holding.plot(folder), list(rows[0])
        places = [f"case_{k + 1:05d}" for k in range(len(rows))]
        verdicts = [
            f"case {k + 1}: {case[weakest]['name']} least peak, {case[weakest][load]:.5g} {unit}"
            for k, case in enumerate(about["cases"])
            for weakest, load, unit in plot_holding.WEAKEST
            if weakest in case
        ]
    elif os.path.exists(os.path.join(folder, "stiffness.json")):
        about, rows = runs.load_study(folder, "stiffness.json", "stiffness.csv")
        figure, head = plot_stiffness.plot(folder), list(rows[0])
        places = [f"case_{k + 1:05d}" for k in range(len(rows))]
        verdicts = [about.get("no_tangents") or
                    f"compliances are symmetric to {about['asymmetry']:.1g} of the largest",
                    *about.get("warnings", [])]
    elif os.path.exists(os.path.join(folder, "optimize.json")):
        about, rows = runs.load_study(folder, "optimize.json", "optimize.csv")
        figure, head = plot_optimize.plot(folder), list(rows[0])
        places = [f"evaluation_{int(r['evaluation']):04d}/case_00001" for r in rows]
        best = about["best_evaluation"]
        verdicts = [f"evaluation {best} of {about['evaluations']} is the best feasible one" if best
                    else f"none of {about['evaluations']} evaluations is feasible"]
    elif os.path.exists(os.path.join(folder, "fit.json")):
        about, rows = runs.load_study(folder, "fit.json", "fit.csv")
        figure, head = plot_fit.plot(folder), list(rows[0])
        rounds = glob.glob("round_*", root_dir=folder)  # the last one is at the values found
        places = [f"{max(rounds, key=lambda name: int(name[6:]))}/case_00001"] if rounds else []
        verdicts = ["converged" if about["converged"] else "not converged"]
        verdicts += [f"{r['parameter']}: {r['remark']}" for r in rows if r["remark"]]
    elif os.path.exists(os.path.join(folder, "gradient.json")):
        about, rows = runs.load_study(folder, "gradient.json", "gradient.csv")
        figure, head, places = plot_gradient.plot(folder), list(rows[0]), ["case_00001"]
        verdicts = [f"{r['quantity']} by {r['parameter']}: {r['remark']}" for r in rows
                    if r["remark"]]
    else:
        return None, []
    page = {
        "title": about["title"],
        "figure": figure_of(figure),
        "head": head,
        "rows": [list(row.values()) for row in rows],
        "labels": places,
        "verdicts": verdicts,
        "study": runs.text_of(about["study"]),
    }
    return page, [os.path.join(folder, place) for place in places]
