/* supple view: a window on the results of a run, by the script postproc/view.py */
#include <stdio.h>

#include "app/app.h"
#include "app/options.h"
#include "app/script.h"

static const char usage[] =
    "usage: supple view DIR [options]\n\n"
    "Look at a run in a window, finished or going on: time, play, fields and their ranges, warp,\n"
    "contact patches, curves of history.csv.  The key h shows all keys.  Needs a screen and the\n"
    "package python3-vtk9; postproc/render.py makes pictures and movies without a screen.\n\n";

int sup_app_view(int argc, char **argv) {
  const char      *folder = NULL, *field = NULL, *range = NULL, *time = NULL;
  double           warp = 1, speed = 1;
  const app_option options[] = {
      APP_TEXT("--field", &field, "field that colours soft bodies (default: von_mises_recovered)",
               "NAME"),
      APP_TEXT("--time", &time, "first frame shown [s] (default: the last)", "T"),
      APP_TEXT("--range", &range, "of the colours, in the field's unit (default: extremes so far)",
               "LOW,HIGH"),
      APP_NUMBER("--warp", &warp, "factor on the displacement", NULL),
      APP_NUMBER("--speed", &speed, "simulated seconds a second of play", NULL)};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  static const app_help help = {usage, "", "view out/press --field contact_pressure"};
  int                   code = app_parse_command(argc, argv, &help, options, NUM_OPTIONS, &folder);
  if (code != SUP_NONE) return code;
  if (folder) return sup_app_start_script("view.py", argc, argv);
  fprintf(stderr,
          "supple view: a folder of results is missing, expected supple view DIR (supple "
          "view --help tells more)\n");
  return SUP_EXIT_INPUT;
}
