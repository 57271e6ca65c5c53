#include "output/paraview.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "output/json.h"

/** What stands in front of the folder's name, and behind it. */
static const char before[] =
    "# Opens this run in ParaView: paraview --script=paraview.py, or Tools, Python Shell, Run "
    "Script;\n"
    "# pvpython paraview.py PICTURE.png draws the last frame.\n"
    "import glob\n"
    "import os\n"
    "import sys\n"
    "\n"
    "from paraview.simple import *\n"
    "\n"
    "try:\n"
    "    here = os.path.dirname(os.path.abspath(__file__))\n"
    "except NameError:  # ParaView's window does not say where a script stands\n"
    "    here = ";
static const char behind[] =
    "\n"
    "stress, pressure = \"von_mises_recovered\", \"pressure\"\n"
    "view = GetActiveViewOrCreate(\"RenderView\")\n"
    "softs = []\n"
    "patches = \"contact\"  # polygons, where no soft surface meets a rigid body\n"
    "if os.path.exists(os.path.join(here, \"vtk\", \"pressure.vtk.series\")):\n"
    "    patches = \"pressure\"\n"
    "for path in sorted(glob.glob(os.path.join(here, \"vtk\", \"*.vtk.series\"))):\n"
    "    name = os.path.basename(path)[: -len(\".vtk.series\")]\n"
    "    source = OpenDataFile(path)\n"
    "    RenameSource(name, source)\n"
    "    if name in (\"rigid\", \"contact\", \"pressure\", \"fields\"):\n"
    "        display = Show(source, view)\n"
    "        if name == \"rigid\":\n"
    "            ColorBy(display, None)\n"
    "            display.Opacity = 0.5\n"
    "        elif name == patches:\n"
    "            ColorBy(display, (\"POINTS\", pressure))\n"
    "        else:\n"
    "            Hide(source, view)\n"
    "        continue\n"
    "    warped = WarpByVector(Input=source, Vectors=[\"POINTS\", \"displacement\"])\n"
    "    RenameSource(name + \", warped\", warped)\n"
    "    display = Show(warped, view)\n"
    "    ColorBy(display, (\"POINTS\", stress))\n"
    "    softs.append(display)\n"
    "scene = GetAnimationScene()\n"
    "scene.UpdateAnimationUsingDataTimeSteps()\n"
    "scene.GoToLast()\n"
    "for display in softs:\n"
    "    display.RescaleTransferFunctionToDataRange(True)\n"
    "if softs:\n"
    "    softs[0].SetScalarBarVisibility(view, True)\n"
    "view.ResetCamera()\n"
    "Render()\n"
    "if len(sys.argv) > 1 and sys.argv[-1].endswith(\".png\"):\n"
    "    SaveScreenshot(sys.argv[-1], view)\n";

sup_status sup_paraview_write(const char *folder) {
  char            path[4096], here[4096], whole[2 * sizeof here];
  sup_file_writer out;
  int             length = snprintf(path, sizeof path, "%s/paraview.py", folder);
  if (length < 0 || (size_t)length >= sizeof path)
    return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", folder);
  if (folder[0] == '/' || !getcwd(here, sizeof here))
    snprintf(whole, sizeof whole, "%s", folder);
  else
    snprintf(whole, sizeof whole, "%s/%s", here, folder);
  SUP_TRY(sup_file_open(&out, path));
  fputs(before, out.file);
  sup_json_quote(out.file, whole); /* also a text of Python */
  fputs(behind, out.file);
  SUP_TRY(sup_file_commit(&out));
  return SUP_OK;
}
