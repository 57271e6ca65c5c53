#include "output/paraview.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file/file.h"
#include "output/format/json.h"

/** Text of the script before the folder's name; `behind` follows it. */
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
    "shared = (\"rigid\", \"contact\", \"pressure\", \"fields\", \"cables\")  # series of all "
    "bodies together\n"
    "\n"
    "\n"
    "def show(source):\n"
    "    \"\"\"Display of a source at the last frame; None where there is nothing.\"\"\"\n"
    "    source.UpdatePipeline(view.ViewTime)\n"
    "    is_empty = source.GetDataInformation().GetNumberOfPoints() == 0\n"
    "    return None if is_empty else Show(source, view)\n"
    "\n"
    "\n"
    "def colour(source, array, title):\n"
    "    \"\"\"Show it in colours of a point array [Pa].\"\"\"\n"
    "    display = show(source)\n"
    "    if display:\n"
    "        ColorBy(display, (\"POINTS\", array))\n"
    "        display.RescaleTransferFunctionToDataRange(True)\n"
    "        display.SetScalarBarVisibility(view, True)\n"
    "        bar = GetScalarBar(GetColorTransferFunction(array), view)\n"
    "        bar.Title, bar.ComponentTitle = title, \"[Pa]\"\n"
    "\n"
    "\n"
    "view = GetActiveViewOrCreate(\"RenderView\")\n"
    "sources = {}\n"
    "lists = (\".vtk.series\", OpenDataFile), (\".xdmf\", lambda path: "
    "XDMFReader(FileNames=[path]))\n"
    "for ending, read in lists:\n"
    "    for path in sorted(glob.glob(os.path.join(here, \"vtk\", \"*\" + ending))):\n"
    "        name = os.path.basename(path)[: -len(ending)]\n"
    "        sources[name] = read(path)\n"
    "        RenameSource(name, sources[name])\n"
    "scene = GetAnimationScene()\n"
    "scene.UpdateAnimationUsingDataTimeSteps()\n"
    "scene.GoToLast()\n"
    "for name, source in sources.items():\n"
    "    if name not in shared:\n"
    "        warped = WarpByVector(Input=source, Vectors=[\"POINTS\", \"displacement\"])\n"
    "        RenameSource(name + \", warped\", warped)\n"
    "        colour(warped, stress, \"von Mises stress\")\n"
    "Render()  # the first one moves the camera\n"
    "view.CameraPosition, view.CameraFocalPoint = [-0.6, -1, 0.4], [0, 0, 0]\n"
    "view.CameraViewUp = [0, 0, 1]\n"
    "view.ResetCamera()  # to the soft bodies, before floors are there\n"
    "# polygons of contact are coloured where no soft surface meets a rigid body\n"
    "of_faces = \"pressure\" in sources\n"
    "title = \"contact pressure\" if of_faces else \"pressure of contact polygons\"\n"
    "colour(sources[\"pressure\" if of_faces else \"contact\"], pressure, title)\n"
    "display = show(sources[\"rigid\"])\n"
    "if display:\n"
    "    ColorBy(display, None)\n"
    "    display.Opacity = 0.3\n"
    "display = show(sources[\"cables\"]) if \"cables\" in sources else None\n"
    "if display:\n"
    "    ColorBy(display, None)\n"
    "    display.LineWidth = 3\n"
    "if all(name in shared for name in sources):\n"
    "    view.ResetCamera()\n"
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
