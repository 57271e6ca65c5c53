/* Growth of the step: with fingers, with the vertices of one, with the contacts of one connected
 * strip; and memory. */
#define _GNU_SOURCE /* malloc_trim */
#include <malloc.h>
#include <stdio.h>

#include "bench.h"
#include "scene/scene.h"
#include "step/stepper.h"

enum { MAX_SIZES = 8 };

/** One series of ever larger scenes. */
typedef struct series {
  double x[MAX_SIZES], step[MAX_SIZES], solve[MAX_SIZES], contacts[MAX_SIZES], vertices[MAX_SIZES],
      peak[MAX_SIZES];
  int count;
} series;

/** A line of /proc/self/status [kB]; 0: there is none. */
static double status_line(const char *name) {
  FILE  *file = fopen("/proc/self/status", "r");
  char   line[256], format[64];
  double value = 0;
  snprintf(format, sizeof format, "%s: %%lf kB", name);
  while (file && fgets(line, sizeof line, file) && sscanf(line, format, &value) != 1) continue;
  if (file) fclose(file);
  return value;
}

/** Memory in use now [kB]; its peak starts anew. */
static double start_peak(void) {
  malloc_trim(0);
  FILE *file = fopen("/proc/self/clear_refs", "w");
  if (file) fputs("5", file), fclose(file);
  return status_line("VmRSS");
}

static sup_status measure(series *s, const char *path, const char *const *sets, int num_sets,
                          double begin, double end) {
  static bench_totals t;
  sup_scene          *scene = NULL;
  double              before = start_peak();
  SUP_TRY(sup_scene_load(&scene, path, sets, num_sets));
  sup_status status = bench_steps(&(bench_case){path, scene, 1}, 1, begin, end, &t);
  sup_scene_destroy(&scene);
  SUP_TRY(status);
  int k = s->count++;
  s->peak[k] = 1024 * (status_line("VmHWM") - before) / t.size.vertices;
  for (int i = 0; i < t.steps; i++) /* processor time, of the phase by its share of the step */
    t.phase_wall[SUP_PHASE_SOLVE][i] *= t.own[i] / t.wall[i];
  s->step[k] = bench_median(t.own, t.steps),
  s->solve[k] = bench_median(t.phase_wall[SUP_PHASE_SOLVE], t.steps);
  s->contacts[k] = t.contacts, s->vertices[k] = t.size.vertices;
  return SUP_OK;
}

static void report(const char *family, const series *s, const char *of) {
  char name[96];
  for (int k = 0; k < s->count; k++) {
    const struct {
      const char *what, *unit;
      double      value;
    } lines[] = {{"median_ms", "ms", s->step[k]},
                 {"solve.median_ms", "ms", s->solve[k]},
                 {"contacts.mean", "1", s->contacts[k]},
                 {"vertices", "1", s->vertices[k]},
                 {"peak_memory_per_vertex", "B", s->peak[k]}};
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
      snprintf(name, sizeof name, "growth.%s.%.0f.%s", family, s->x[k], lines[l].what);
      bench_report(name, lines[l].value, lines[l].unit, 1);
    }
  }
  snprintf(name, sizeof name, "step.exponent_vs_%s", of);
  bench_report(name, bench_exponent(s->x, s->step, s->count), "1", s->count);
  snprintf(name, sizeof name, "solve.exponent_vs_%s", of);
  bench_report(name, bench_exponent(s->x, s->solve, s->count), "1", s->count);
}

static sup_status grow_fingers(const char *scenes) {
  series s = {.count = 0};
  char   path[512];
  for (int n = 1; n <= 8; n *= 2) {
    snprintf(path, sizeof path, "%s/fingers%d.yaml", scenes, n);
    s.x[s.count] = n;
    SUP_TRY(measure(&s, path, NULL, 0, .1, .25));
  }
  report("fingers", &s, "fingers");
  return SUP_OK;
}

/** Exponents against contacts: their number is that of the pegs times a constant. */
static sup_status grow_strip(const char *scenes) {
  series s = {.count = 0};
  char   path[512];
  for (int n = 2; n <= 64; n *= 2) {
    snprintf(path, sizeof path, "%s/strip%d.yaml", scenes, n);
    SUP_TRY(measure(&s, path, NULL, 0, .03, .1));
    s.x[s.count - 1] = s.contacts[s.count - 1];
  }
  report("strip", &s, "contacts");
  return SUP_OK;
}

/** A finger pressed onto a cylinder, of ever finer bricks. */
static sup_status grow_vertices(void) {
  static const char motion[] =
      "rigid.cylinder.motion=[[0 s, 0, 0, 0, 0, 0, 0], [0.1 s, 3 mm, 0, 0, 0, 0, 0]]";
  static const int fineness[] = {1, 2, 3, 4, 5};
  series           s = {.count = 0};
  for (size_t k = 0; k < sizeof fineness / sizeof *fineness; k++) {
    char        cells[160];
    int         f = fineness[k];
    const char *sets[] = {motion, cells};
    snprintf(cells, sizeof cells,
             "soft.finger.mesh.finray.cells={wall: %d, inner: %d, cavity: %d, rib: %d, depth: %d}",
             f, 5 * f, 5 * f, f, 3 * f);
    SUP_TRY(measure(&s, "examples/finray_press.yaml", sets, 2, .01, f < 4 ? .06 : .04));
    s.x[s.count - 1] = s.vertices[s.count - 1];
  }
  report("vertices", &s, "vertices");
  return SUP_OK;
}

int bench_growth(const char *scenes) {
  if (grow_fingers(scenes) != SUP_OK || grow_strip(scenes) != SUP_OK || grow_vertices() != SUP_OK)
    return bench_fail();
  return 0;
}
