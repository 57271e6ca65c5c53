/* Gmsh 4 as a child process: .geo out, .msh 2.2 in (Gmsh reference manual; C. Geuzaine, J.-F.
 * Remacle, IJNME 79, 2009).  Recombination 2 and 3 (full quads) leave no triangles. */
#include "profile/gmsh.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/cleanup.h"
#include "base/file/file.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "profile/gmsh_file.h"
#include "profile/numerics.h"
#include "profile/wall.h"

enum { ROUNDS = 4 }; /* of smaller cells where walls have too few */

/** Recombination and algorithm, in the order of trial.  Packing of parallelograms (9) makes two or
 * three times as many cells, and is left for what the others do not mesh. */
static const int ways[][2] = {{3, 11}, {3, 6}, {2, 11}, {2, 6}, {2, 5}, {3, 9}, {2, 9}};
enum { FIRST_OF_PACKING = 5 };

sup_quads_options sup_default_quads_options(void) {
  return (sup_quads_options){.largest = 0, .wall_cells = 2, .corner = 1, .time_limit = 120};
}

/** One section: the folder, the files in it, the profile. */
typedef struct job {
  const sup_quads_options *options;
  const sup_profile       *profile;  /* its outline */
  double                   thinnest; /* wall of it [m] */
  const char              *geometry; /* the file that describes it; NULL: the profile */
  double                   scale;    /* numbers of the .geo file in a metre */
  char                     folder[3000], geo[3100], msh[3100], log[3100];
} job;

static sup_status name_files(job *j) {
  SUP_TRY(sup_temporary_folder(j->folder, sizeof j->folder));
  snprintf(j->geo, sizeof j->geo, "%s/section.geo", j->folder);
  snprintf(j->msh, sizeof j->msh, "%s/section.msh", j->folder);
  snprintf(j->log, sizeof j->log, "%s/log", j->folder);
  return SUP_OK;
}

/** The last line of the log that speaks of an error. */
static void last_words(const job *j, char *text, size_t size) {
  char  *log = NULL;
  size_t length;
  snprintf(text, size, "it said nothing");
  if (sup_file_read(j->log, &log, &length) == SUP_OK)
    for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
      if (strstr(line, "Error")) snprintf(text, size, "%.200s", line);
  SUP_FREE(log);
}

/** @param[out] is_made  1: there is a mesh; 0: this way of Gmsh failed */
static sup_status run(const job *j, bool *is_made) {
  const char *const argv[] = {"gmsh",    "-2",    "-nt",  "1",  "-v",   "2",
                              "-format", "msh22", j->geo, "-o", j->msh, NULL};
  sup_process_end   end;
  remove(j->msh);
  SUP_TRY(sup_process_run(argv, j->log, j->options->time_limit, &end));
  if (end.is_missing)
    return SUP_FAIL(SUP_E_IO,
                    "the program gmsh, which cuts sections into quadrilaterals, is not on the "
                    "PATH; install the package gmsh (Debian, Ubuntu: apt-get install gmsh)");
  if (end.is_timed_out)
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "gmsh was stopped after %g s; larger cells (--size) take less time",
                    j->options->time_limit);
  FILE *mesh = end.signal || end.exit_code ? NULL : fopen(j->msh, "r");
  *is_made = mesh != NULL;
  if (mesh) fclose(mesh);
  return SUP_OK;
}

/** One way of Gmsh.
 *  @param[out] quads  NULL: it failed, its file is wrong, or triangles were left
 */
static sup_status try_way(const job *j, const sup_size_grid *sizes, const int *way,
                          sup_quads **quads) {
  bool is_made;
  int  num_triangles;
  *quads = NULL;
  SUP_TRY(sup_gmsh_write_section(j->geo, j->geometry ? NULL : j->profile, j->geometry, j->scale,
                                 sizes, way));
  SUP_TRY(run(j, &is_made));
  if (!is_made) return SUP_OK;
  sup_status status = sup_gmsh_read_section(quads, j->msh, j->scale, &num_triangles);
  if (status == SUP_E_PARSE) return SUP_OK; /* now and then Gmsh 4.8 writes a point 0 */
  SUP_TRY(status);
  if (num_triangles > 0 || (*quads)->num_quads == 0) sup_quads_destroy(quads);
  return SUP_OK;
}

static sup_status judge(const job *j, sup_quads *quads, double largest, sup_quads_report *r) {
  int worst;
  SUP_TRY(sup_quads_smooth(quads, 2 * sup_profile_numerics.quality));
  r->quality = sup_quads_worst(quads, &worst);
  memcpy(r->where, quads->x + 2 * quads->quad[4 * worst], sizeof r->where);
  r->largest = largest;
  double most = fmax(1.01 * largest * j->options->wall_cells, 1.5 * j->thinnest);
  return sup_quads_walls(quads, j->profile, isfinite(most) ? most : 0, &r->walls);
}

static bool has_cells(const sup_quads_report *r, int wall_cells) {
  return r->walls.num_sides == 0 || r->walls.fewest >= wall_cells;
}

static bool is_better(const sup_quads_report *a, const sup_quads_report *b, int wall_cells) {
  int one = has_cells(a, wall_cells), two = has_cells(b, wall_cells);
  if ((a->quality >= sup_profile_numerics.quality) != (b->quality >= sup_profile_numerics.quality))
    return a->quality >= sup_profile_numerics.quality;
  return one != two ? one : a->quality > b->quality;
}

/** Try the ways of Gmsh for one grid of sizes, until one will do; the best is kept. */
static sup_status try_sizes(const job *j, double cells_of_wall, double largest, sup_quads **best,
                            sup_quads_report *report, bool *is_done) {
  SUP_OWN_VALUE(sup_size_grid) sizes = {.step = 0};
  SUP_TRY(sup_size_grid_create(&sizes, j->profile, cells_of_wall, largest, j->options->corner));
  for (size_t w = 0; w < sizeof ways / sizeof *ways && !*is_done; w++) {
    sup_quads       *quads;
    sup_quads_report r;
    if (w >= FIRST_OF_PACKING && *best && report->quality >= sup_profile_numerics.quality) break;
    SUP_TRY(try_way(j, &sizes, ways[w], &quads));
    if (!quads) continue;
    sup_status status = judge(j, quads, largest, &r);
    if (status == SUP_OK && (!*best || is_better(&r, report, j->options->wall_cells))) {
      sup_quads *old = *best;
      *best = quads, quads = old, *report = r;
      *is_done = r.quality >= sup_profile_numerics.quality && has_cells(&r, j->options->wall_cells);
    }
    sup_quads_destroy(&quads);
    if (status != SUP_OK) return status;
  }
  return SUP_OK;
}

static sup_status fill(job *j, sup_quads **quads, sup_quads_report *report) {
  double lower[2], upper[2], largest = j->options->largest;
  bool   is_done = 0;
  sup_profile_bounds(j->profile, lower, upper);
  double where[2] = {0, 0}, size = sup_profile_size(j->profile);
  j->thinnest = sup_profile_thinnest(j->profile, where);
  char place[SUP_PLACE_SIZE];
  sup_profile_place(j->profile->scale, j->profile->shift, where, place);
  if (j->thinnest < sup_profile_numerics.thin * size)
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "the wall near %s is %.3g mm thick in a section of %.3g mm, expected at least "
                    "%.3g mm: make it thicker, or one hole of two",
                    place, 1e3 * j->thinnest, 1e3 * size, 1e3 * sup_profile_numerics.thin * size);
  if (largest == 0) largest = 0.1 * fmin(upper[0] - lower[0], upper[1] - lower[1]);
  double cells = j->options->wall_cells;
  for (int round = 0; round < ROUNDS && !is_done; round++, cells *= 1.25)
    SUP_TRY(try_sizes(j, cells, largest, quads, report, &is_done));
  if (is_done) return SUP_OK;
  if (!*quads) {
    char text[256];
    last_words(j, text, sizeof text);
    return SUP_FAIL(
        SUP_E_GEOMETRY,
        "gmsh made no quadrilaterals of this section (%s), whose thinnest wall has %.3g "
        "mm near %s; smaller cells (--size) or fillets may help",
        text, 1e3 * j->thinnest, place);
  }
  if (report->quality < sup_profile_numerics.quality)
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "the best mesh has a cell of scaled Jacobian %.2g near (%g, %g) mm, expected "
                    "at least %g; corners sharper than 20 degrees allow no better cell: round "
                    "them, or choose another size (--size)",
                    report->quality, 1e3 * report->where[0], 1e3 * report->where[1],
                    sup_profile_numerics.quality);
  return SUP_FAIL(SUP_E_GEOMETRY,
                  "the wall of %.3g mm near (%g, %g) mm has %d cells through it, expected %d; "
                  "smaller cells (--size) may help",
                  1e3 * report->walls.thickness, 1e3 * report->walls.where[0],
                  1e3 * report->walls.where[1], report->walls.fewest, j->options->wall_cells);
}

static sup_status check(const sup_quads_options *o) {
  if (o->wall_cells >= 1 && o->wall_cells <= 32 && o->largest >= 0 && isfinite(o->largest) &&
      o->corner >= 0.1 && o->corner <= 1 && o->time_limit > 0)
    return SUP_OK;
  return SUP_FAIL(
      SUP_E_ARG,
      "found %d cells through walls, cells of %g m, corner %g and a time limit of %g s; expected 1 "
      "to 32, no negative size, a corner from 0.1 to 1 and a positive time",
      o->wall_cells, o->largest, o->corner, o->time_limit);
}

/** Scale of the .geo file's numbers to about 100, by a power of two. */
static double scale_of(const sup_profile *p) {
  double lower[2], upper[2];
  int    exponent;
  sup_profile_bounds(p, lower, upper);
  frexp(fmax(upper[0] - lower[0], upper[1] - lower[1]), &exponent);
  return ldexp(1, 7 - exponent);
}

sup_status sup_quads_of_profile(sup_quads **quads, const sup_profile *profile,
                                const sup_quads_options *options, sup_quads_report *report) {
  job        j = {.options = options, .profile = profile, .scale = scale_of(profile)};
  sup_status status;
  *quads = NULL;
  SUP_TRY(check(options));
  SUP_TRY(name_files(&j));
  status = fill(&j, quads, report);
  if (status != SUP_OK) sup_quads_destroy(quads);
  sup_temporary_folder_remove(j.folder);
  return status;
}

sup_status sup_quads_of_geometry(sup_quads **quads, const char *path, double unit,
                                 const sup_quads_options *options, sup_profile **outline,
                                 sup_quads_report *report) {
  job          j = {.options = options, .geometry = path, .scale = 1 / unit};
  sup_profile *profile = NULL;
  char         text[256];
  sup_status   status;
  *quads = NULL;
  SUP_TRY(check(options));
  SUP_TRY(name_files(&j));
  for (size_t w = 0; w < sizeof ways / sizeof *ways && !*quads; w++)
    SUP_TRY_GOTO(try_way(&j, NULL, ways[w], quads), status, done);
  if (!*quads) {
    last_words(&j, text, sizeof text);
    status = SUP_FAIL(SUP_E_GEOMETRY, "%s: gmsh made no quadrilaterals of it (%s)", path, text);
    goto done;
  }
  SUP_TRY_GOTO(sup_quads_outline(*quads, path, &profile), status, done);
  SUP_TRY_GOTO(sup_profile_find_curves(profile), status, done);
  sup_quads_destroy(quads);
  j.profile = profile;
  SUP_TRY_GOTO(fill(&j, quads, report), status, done);
done:
  if (status != SUP_OK) sup_quads_destroy(quads);
  if (status == SUP_OK && outline) *outline = profile, profile = NULL;
  sup_profile_destroy(&profile);
  sup_temporary_folder_remove(j.folder);
  return status;
}
