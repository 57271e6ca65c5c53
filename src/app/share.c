/* supple share: the results of a run or a study as one page for a browser, by the script
 * postproc/share.py */
#include <stdio.h>

#include "app/app.h"
#include "app/options.h"
#include "app/script.h"

static const char usage[] =
    "usage: supple share DIR [options]\n\n"
    "Write a run as one HTML file that a browser opens without server or network: bodies in three\n"
    "dimensions over time, fields, contact patches, forces, curves of history.csv, verdicts, "
    "scene.\n"
    "Of a study (converge, sweep, holding, stiffness, optimize, fit, gradient): figure,\n"
    "table, last frame of each point that has frames.\n"
    "Numbers are quantised; the page states the largest errors.  Needs the packages python3-vtk9\n"
    "and python3-matplotlib.\n\n";

int sup_app_share(int argc, char **argv) {
  const char      *folder = NULL, *file = NULL, *fields = NULL;
  int              frames = 0;
  const app_option options[] = {
      APP_TEXT("-o, --output", &file, "page (default: DIR/share.html)", "FILE"),
      APP_COUNT("--frames", &frames, "at most, evenly chosen (default: 300; of a study 60 points)",
                "N"),
      APP_TEXT("--fields", &fields, "arrays of soft bodies, with commas between (default: all)",
               "NAMES")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  static const app_help help = {usage, "", "share out/press -o press.html"};
  int                   code = app_parse_command(argc, argv, &help, options, NUM_OPTIONS, &folder);
  if (code != SUP_NONE) return code;
  if (folder) return sup_app_start_script("share.py", argc, argv);
  fprintf(stderr,
          "supple share: a folder of results is missing, expected supple share DIR (supple "
          "share --help tells more)\n");
  return SUP_EXIT_INPUT;
}
