"""Numbers of a page beside those of the frames."""
import sys

sys.path.insert(0, "postproc")
import numpy
from vtk.util.numpy_support import vtk_to_numpy

import runs


def check_numbers(browser, folder):
    """Places and fields of the page, first, middle and last, are those of the frames, within half a
    step."""
    groups = runs.load_series(folder)
    softs = [name for name in groups if name not in runs.SHARED]
    times = browser.execute_script("return supple.data.times")
    last = len(times) - 1
    for b, name in enumerate(softs):
        files = dict(groups[name])
        for k in (0, last // 2, last):
            grid = runs.read_frame(files[times[k]])
            places, fields, points, cells = browser.execute_async_script(
                """const [b, k, done] = arguments, soft = supple.state.softs[b], fields = {};
                const whole = (entry) => supple.exact(entry).then((a) => Array.from(a));
                const all = (f) => Array.from({length: f.shape[1]}, (_, i) => f.value(k, i));
                (async () => {
                  for (const n of ["von_mises_nodal", "von_mises", "contact_pressure"]) {
                    const f = await soft.field(n);
                    fields[n] = [f.step, all(f)];
                  }
                  done([soft.places.map((f) => [f.step, all(f)]), fields,
                        await whole(supple.data.soft[b].points),
                        await whole(supple.data.soft[b].cells)]);
                })();""",
                b,
                k,
            )
            data, of_cells = grid.GetPointData(), grid.GetCellData()
            rest = vtk_to_numpy(grid.GetPoints().GetData()).astype(float)
            rest += vtk_to_numpy(data.GetArray("displacement"))
            for axis, (step, values) in enumerate(places):
                assert numpy.abs(values - rest[points, axis]).max() <= 0.500001 * step
            for field, (step, values) in fields.items():
                array = data.GetArray(field) or of_cells.GetArray(field)
                true = vtk_to_numpy(array)[points if data.HasArray(field) else cells]
                assert numpy.abs(values - true).max() <= 0.500001 * step, field
