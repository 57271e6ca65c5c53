/* Surfaces made closed by ADMesh 0.98 as a child process (A. Martin; man admesh). */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/mesh/mesh_command.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "mesh/format/surface_file.h"

static const sup_mesh_words words = {
    "supple mesh repair", "SURFACE.stl",
    "Make a surface closed by the program admesh (package admesh): join edges that lie close "
    "together, drop\n"
    "triangles that are there twice or belong to nothing, fill holes with flat triangles, turn "
    "all outwards.\n"
    "What it cannot know is the shape behind a hole: look at the result.\n",
    "mesh repair finger.stl -o mended.stl"};

static int is_stl(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && strcasecmp(dot, ".stl") == 0;
}

/** Triangles and open edges of a file. */
static sup_status count(const char *path, int *num_triangles, int *num_open) {
  const double          scale[3] = {1, 1, 1};
  SUP_OWN(sup_surface) *surface = NULL;
  SUP_FREED double     *points = NULL;
  SUP_TRY(sup_surface_read(&surface, &points, path, scale, NULL));
  *num_triangles = surface->num_faces;
  SUP_TRY(sup_surface_open_edges(surface, num_open));
  return SUP_OK;
}

/** @param part  written first, so that no half of a file is left at `output` */
static sup_status repair(const char *path, const char *output, const char *part, const char *log,
                         double limit) {
  char              option[4200];
  const char *const argv[] = {"admesh", option, path, NULL};
  sup_process_end   end;
  int               before[2], after[2];
  SUP_TRY(count(path, &before[0], &before[1]));
  snprintf(option, sizeof option, "--write-binary-stl=%s", part);
  SUP_TRY(sup_process_run(argv, log, limit, &end));
  if (end.is_missing)
    return SUP_FAIL(SUP_E_IO,
                    "the program admesh, which repairs surfaces, is not on the PATH; install the "
                    "package admesh (Debian, Ubuntu: apt-get install admesh)");
  if (end.is_timed_out)
    return SUP_FAIL(SUP_E_GEOMETRY, "admesh was stopped after %g s (--time-limit)", limit);
  if (end.signal || end.exit_code)
    return SUP_FAIL(SUP_E_GEOMETRY, "%s: admesh ended with %s %d", path,
                    end.signal ? "signal" : "code", end.signal ? end.signal : end.exit_code);
  SUP_TRY(count(part, &after[0], &after[1]));
  if (rename(part, output) != 0) return SUP_FAIL(SUP_E_IO, "cannot write %s", output);
  printf("%s: %d triangles, %d open edges; repaired: %d triangles, %d open edges\n", path,
         before[0], before[1], after[0], after[1]);
  if (after[1] > 0)
    return SUP_FAIL(SUP_E_GEOMETRY, "%s: admesh left %d edges open; mend them where it was made",
                    output, after[1]);
  return SUP_OK;
}

int sup_app_mesh_repair(int argc, char **argv) {
  double           limit = 120;
  const char      *output = NULL, *path = NULL;
  char             part[4096], log[4100];
  const app_option options[] = {
      APP_TEXT("-o, --output", &output, "the file to write (needed)", "NAME.stl"),
      NUMBER("--time-limit", &limit, "stop admesh after so many seconds")};
  int code = sup_app_mesh_parse(argc, argv, &words, options, COUNT_OF(options), NULL, &path);
  if (code != SUP_NONE) return code;
  if (!output || !is_stl(output) || !is_stl(path) || strcmp(path, output) == 0) {
    fprintf(stderr, "%s: expected two files that end in .stl: %s IN.stl -o OUT.stl\n",
            words.command, words.command);
    return BAD_INPUT;
  }
  snprintf(part, sizeof part, "%.4000s.part.stl", output);
  snprintf(log, sizeof log, "%s.log", part);
  sup_status status = repair(path, output, part, log, limit);
  remove(part);
  remove(log);
  return status == SUP_OK ? sup_app_surface_info(output) : sup_app_report(status, 0);
}
