/* Steps of rigid clutter and of robots: processor time in the mean, as other programs state theirs.
 */
#include <stdio.h>

#include "bench.h"
#include "scene/scene.h"

static int run_scene(const char *folder, const char *scene, double end, bench_totals *t) {
  char       path[512];
  sup_scene *loaded = NULL;
  snprintf(path, sizeof path, "%s/%s.yaml", folder, scene);
  int ok = sup_scene_load(&loaded, path, NULL, 0) == SUP_OK &&
           bench_steps(&(bench_case){scene, loaded, 1}, 1, 0, end, t) == SUP_OK;
  sup_scene_destroy(&loaded);
  return ok ? 0 : bench_fail();
}

int bench_rigid(const char *scenes) {
  enum { SIZES = 5 };
  static bench_totals t[SIZES];
  double              contacts[SIZES], ms[SIZES];
  if (run_scene(scenes, "clutter40", 3, &t[0])) return 1;
  bench_report_totals("clutter40", &t[0], 1);
  if (run_scene(scenes, "clutter160deep", 3, &t[0])) return 1;
  bench_report_totals("clutter160deep", &t[0], 1);
  for (int i = 0; i < SIZES; i++) { /* one second: all have fallen, some lie */
    char name[32];
    snprintf(name, sizeof name, "clutter%d", 40 << i);
    if (run_scene(scenes, name, 1, &t[i])) return 1;
    snprintf(name, sizeof name, "clutter%d.1s", 40 << i);
    bench_report_totals(name, &t[i], 0);
    contacts[i] = t[i].contacts, ms[i] = t[i].ms;
  }
  bench_report("step.clutter.exponent_contacts", bench_exponent(contacts, ms, SIZES), "1", SIZES);
  return 0;
}

/** Chains, hubs with branches of 12 joints, whose joints cost alike, and a humanoid. */
int bench_trees(const char *scenes) {
  static const char *const name[] = {"chain50", "chain100", "chain200", "star2",   "star4",
                                     "star8",   "star16",   "star32",   "humanoid"};
  static bench_totals      t;
  for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
    int is_humanoid = name[k][0] == 'h';
    if (run_scene(scenes, name[k], is_humanoid ? 1 : .2, &t)) return 1;
    bench_report_totals(name[k], &t, is_humanoid);
  }
  return 0;
}
