/* TetGen 1.5 as a child process: .poly out, .node and .ele in (man tetgen; H. Si, TetGen, ACM TOMS
 * 41, 2015). */
#include "mesh/generate/tetgen.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/cleanup.h"
#include "base/file/file.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "mesh/cavity.h"
#include "mesh/generate/inserts.h"
#include "mesh/hull.h"
#include "mesh/numerics.h"
#include "mesh/surface_check.h"

sup_tetgen_options sup_default_tetgen_options(void) {
  return (sup_tetgen_options)SUP_DEFAULT_TETGEN_OPTIONS;
}

/* tetgen halves what is too large, and makes small cells at edges: some 0.4 of the bound in the
 * mean */
double sup_tetgen_volume(double edge) { return 2 * edge * edge * edge / (6 * sqrt(2)); }

/** One run: the folder, the files in it. */
typedef struct job {
  const sup_hull           *surface;
  const sup_tetgen_options *options;
  double  scale; /* a power of two that brings the surface to a size about 1: no digit changes */
  int     num_cavities;
  double *cavity; /* [num_cavities x 3] a point in each */
  char    folder[3000], poly[3100], log[3100], node[3100], ele[3100];
} job;

static sup_status name_files(job *j) {
  SUP_TRY(sup_temporary_folder(j->folder, sizeof j->folder));
  snprintf(j->poly, sizeof j->poly, "%s/surface.poly", j->folder);
  snprintf(j->log, sizeof j->log, "%s/log", j->folder);
  snprintf(j->node, sizeof j->node, "%s/surface.1.node", j->folder);
  snprintf(j->ele, sizeof j->ele, "%s/surface.1.ele", j->folder);
  return SUP_OK;
}

/** The surface (0) or an insert (1 ..). */
static const sup_hull *piece(const job *j, int i) {
  return i == 0 ? j->surface : j->options->insert[i - 1].surface;
}

static double scale_of(const sup_hull *surface) {
  double largest = 0;
  int    exponent;
  for (int i = 0; i < 3 * surface->num_points; i++)
    largest = fmax(largest, fabs(surface->point[i]));
  frexp(largest, &exponent);
  return ldexp(1, -exponent);
}

static void put_point(const job *j, FILE *file, int number, sup_v3 x) {
  char line[128];
  x = sup_v3_scale(j->scale, x);
  snprintf(line, sizeof line, "%d %.17g %.17g %.17g\n", number, x.x, x.y, x.z);
  fputs(line, file);
}

/** Write points counted from 0 and one facet a triangle; tetgen's messages count facets from 1. */
static sup_status write_poly(const job *j) {
  int             num = 1 + j->options->num_inserts, num_points = 0, num_triangles = 0, first = 0;
  sup_file_writer out;
  char            line[128];
  SUP_TRY(sup_file_open(&out, j->poly));
  out.is_one_of_many = 1; /* temporary file */
  for (int i = 0; i < num; i++)
    num_points += piece(j, i)->num_points, num_triangles += piece(j, i)->num_triangles;
  snprintf(line, sizeof line, "%d 3 0 0\n", num_points);
  fputs(line, out.file);
  for (int i = 0, number = 0; i < num; i++)
    for (int k = 0; k < piece(j, i)->num_points; k++)
      put_point(j, out.file, number++, sup_hull_point(piece(j, i), k));
  snprintf(line, sizeof line, "%d 0\n", num_triangles);
  fputs(line, out.file);
  for (int i = 0; i < num; first += piece(j, i++)->num_points)
    for (int t = 0; t < piece(j, i)->num_triangles; t++) {
      const int *v = piece(j, i)->triangle + 3 * (size_t)t;
      snprintf(line, sizeof line, "1\n3 %d %d %d\n", first + v[0], first + v[1], first + v[2]);
      fputs(line, out.file);
    }
  snprintf(line, sizeof line, "%d\n", j->num_cavities);
  fputs(line, out.file);
  for (int i = 0; i < j->num_cavities; i++)
    put_point(j, out.file, i, sup_v3_load(j->cavity + 3 * (size_t)i));
  fputs("0\n", out.file); /* no regions */
  SUP_TRY(sup_file_commit(&out));
  return SUP_OK;
}

static sup_status run(const job *j, const char *switches, sup_process_end *end) {
  const char *const argv[] = {"tetgen", switches, j->poly, NULL};
  SUP_TRY(sup_process_run(argv, j->log, j->options->time_limit, end));
  if (end->is_missing)
    return SUP_FAIL(SUP_E_IO,
                    "the program tetgen, which fills surfaces with cells, is not on the PATH; "
                    "install the package tetgen (Debian, Ubuntu: apt-get install tetgen)");
  return SUP_OK;
}

/** The last line of the log that is not empty, cut off in place. */
static char *last_line(char *log) {
  char *line = log, *found = log + strlen(log);
  while (*line) {
    char *end = line + strcspn(line, "\n");
    if (end > line) found = line;
    line = *end ? end + 1 : end;
  }
  found[strcspn(found, "\n")] = '\0';
  return found;
}

/** Fail with the cause: the faces that cut each other, which tetgen is asked for again, or its last
 * words. */
static sup_status explain(const job *j, const char *what) {
  char           *log = NULL, *again = NULL;
  size_t          size;
  sup_process_end end;
  int             facet[2] = {0, 0};
  sup_status      status = SUP_OK;
  SUP_TRY_GOTO(sup_file_read(j->log, &log, &size), status, done);
  SUP_TRY_GOTO(run(j, "-dpNEF", &end), status, done);
  SUP_TRY_GOTO(sup_file_read(j->log, &again, &size), status, done);
  for (const char *at = strstr(again, "acet #");
       at && sscanf(at, "acet #%d %*s facet #%d", &facet[0], &facet[1]) != 2;)
    at = strstr(at + 1, "acet #");
  int of[2] = {0, 0}, last = j->options->num_inserts;
  for (int k = 0; k < 2; k++)
    for (; of[k] < last && facet[k] > piece(j, of[k])->num_triangles; of[k]++)
      facet[k] -= piece(j, of[k])->num_triangles;
  bool is_known = true;
  for (int k = 0; k < 2; k++)
    is_known = is_known && facet[k] >= 1 && facet[k] <= piece(j, of[k])->num_triangles;
  sup_v3 p = {0, 0, 0};
  if (is_known) p = sup_hull_corner(piece(j, of[0]), facet[0] - 1, 0);
  if (is_known && of[0] != of[1]) {
    const sup_insert *insert = j->options->insert;
    status =
        SUP_FAIL(SUP_E_GEOMETRY,
                 "the insert '%s' and %s%s%s meet near (%g, %g, %g) m; inserts keep a distance "
                 "from each other and from the surface",
                 insert[(of[0] > of[1] ? of[0] : of[1]) - 1].name,
                 of[0] > 0 && of[1] > 0 ? "the insert '" : "the surface",
                 of[0] > 0 && of[1] > 0 ? insert[(of[0] > of[1] ? of[1] : of[0]) - 1].name : "",
                 of[0] > 0 && of[1] > 0 ? "'" : "", p.x, p.y, p.z);
  } else if (is_known) {
    status = SUP_FAIL(SUP_E_GEOMETRY,
                      "the surface intersects itself: triangles %d and %d (counted from 1) cross "
                      "near (%g, %g, %g) m; such a surface encloses no volume that could be filled",
                      facet[0], facet[1], p.x, p.y, p.z);
  } else {
    status =
        SUP_FAIL(SUP_E_GEOMETRY, "tetgen %s; its last message: '%.200s'", what, last_line(log));
  }
done:
  SUP_FREE_ALL(&log, &again);
  return status;
}

/** @param keep  "M": facets that are almost in one plane stay what they are */
static sup_status fill(const job *j, const char *keep) {
  char            switches[128], what[64] = "";
  sup_process_end end;
  int             length = snprintf(switches, sizeof switches, "-p%s%sq%.6g/%.6gF",
                        j->options->num_inserts > 0 ? "A" : "", keep, j->options->quality,
                                    sup_mesh_numerics.dihedral);
  double          cubed = j->scale * j->scale * j->scale;
  if (j->options->max_volume > 0)
    snprintf(switches + length, sizeof switches - (size_t)length, "a%.20f",
             j->options->max_volume * cubed);
  SUP_TRY(run(j, switches, &end));
  if (end.is_timed_out)
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "tetgen was stopped after %g s; a coarser resolution takes less time",
                    j->options->time_limit);
  if (end.signal) snprintf(what, sizeof what, "was ended by signal %d", end.signal);
  if (end.exit_code) snprintf(what, sizeof what, "ended with code %d", end.exit_code);
  FILE *cells = what[0] ? NULL : fopen(j->ele, "r");
  if (!cells) return explain(j, what[0] ? what : "left no cells");
  fclose(cells);
  return SUP_OK;
}

static sup_status read_back(const job *j, sup_mesh **mesh) {
  SUP_TRY(sup_tetgen_read(mesh, j->node, j->ele, NULL));
  for (int i = 0; i < 3 * (*mesh)->num_vertices; i++) (*mesh)->x[i] /= j->scale;
  return SUP_OK;
}

static bool is_filled(const sup_mesh *mesh, double volume) {
  return fabs(sup_mesh_volume(mesh) - volume) <= sup_mesh_numerics.volume * volume;
}

/** First run: facets almost in one plane are merged, so that flat sides of many triangles are
 * meshed anew.  If this moved the surface, run again with all facets kept. */
static sup_status fill_surface(const job *j, double volume, sup_mesh **mesh) {
  SUP_TRY(fill(j, ""));
  SUP_TRY(read_back(j, mesh));
  if (is_filled(*mesh, volume)) return SUP_OK;
  sup_mesh_destroy(mesh);
  SUP_TRY(fill(j, "M"));
  SUP_TRY(read_back(j, mesh));
  if (is_filled(*mesh, volume)) return SUP_OK;
  char   what[256];
  double filled = sup_mesh_volume(*mesh);
  snprintf(what, sizeof what, "filled %g m^3 of a surface that holds %g m^3%s", filled, volume,
           filled < volume ? " (a closed part inside another whose triangles face outwards as "
                             "well counts twice: turn those of a cavity inwards)"
                           : "");
  return explain(j, what);
}

static sup_status check(const sup_hull *surface, const sup_tetgen_options *o, double *volume) {
  if (o->marker != SUP_INITIALISED)
    return SUP_FAIL(SUP_E_ARG, "the options were not begun with sup_default_tetgen_options");
  const double            large = 10; /* [m^3] */
  const sup_triangle_list list = {surface->num_points, surface->num_triangles, surface->point,
                                  surface->triangle};
  double                  inertia[6];
  sup_v3                  centre;
  if (!(o->quality > 1 && o->max_volume >= 0 && o->time_limit > 0))
    return SUP_FAIL(
        SUP_E_ARG,
        "found the quality %g, largest volume %g m^3 and time limit %g s for tetgen; expected a "
        "quality above 1 (circumradius over shortest edge), no negative volume and a positive time",
        o->quality, o->max_volume, o->time_limit);
  SUP_TRY(sup_surface_check_closed(&list));
  SUP_TRY(sup_surface_check_flat(&list));
  SUP_TRY(sup_inserts_check(surface, o));
  sup_hull_moments(surface, volume, &centre, inertia);
  if (o->max_volume > 0 && *volume > 0.5 * sup_mesh_numerics.cells * o->max_volume)
    return SUP_FAIL(
        SUP_E_ARG,
        "cells of at most %g m^3 in a volume of %g m^3 are about %.2g cells; at most %g are made: "
        "choose a coarser resolution%s",
        o->max_volume, *volume, 2 * *volume / o->max_volume, sup_mesh_numerics.cells,
        *volume > large ? ", or is the surface in millimetres? Then scale it by 0.001" : "");
  return SUP_OK;
}

static sup_status mesh_of(job *j, double volume, sup_mesh **mesh) {
  sup_status status;
  SUP_TRY(name_files(j));
  SUP_TRY_GOTO(write_poly(j), status, done);
  SUP_TRY_GOTO(fill_surface(j, volume, mesh), status, done);
  if (j->options->num_inserts > 0)
    SUP_TRY_GOTO(sup_inserts_name_sets(*mesh, j->options), status, done);
done:
  sup_temporary_folder_remove(j->folder);
  if (status != SUP_OK) sup_mesh_destroy(mesh);
  return status;
}

sup_status sup_mesh_of_polyhedron(sup_mesh **mesh, const sup_hull *surface,
                                  const sup_tetgen_options *options) {
  double volume;
  job    j = {.surface = surface, .options = options};
  *mesh = NULL;
  SUP_TRY(check(surface, options, &volume));
  sup_triangle_list list = {surface->num_points, surface->num_triangles, surface->point,
                            surface->triangle};
  SUP_TRY(sup_surface_cavities(&list, &j.num_cavities, &j.cavity));
  j.scale = scale_of(surface);
  /* C locale, since tetgen reads no decimal commas */
  locale_t   c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = uselocale(c_locale);
  sup_status status = mesh_of(&j, volume, mesh);
  uselocale(old);
  if (c_locale) freelocale(c_locale);
  SUP_FREE(j.cavity);
  return status;
}
