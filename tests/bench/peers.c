/* The grasp and the scenes that other programs were measured on: steps, phases and limits, one and
 * two threads. */
#include <stdio.h>

#include "bench.h"
#include "scene/scene.h"

typedef struct row {
  const char *name, *path, *set; /* an override or NULL */
  double      begin, end;        /* the numbers count between them [s] */
} row;

static const row rows[] = {
    {"grasp", "examples/finray_grasp.yaml", NULL, 0, 5},
    {"peer_finray", "examples/peers/finray.yaml", NULL, .6,
     2}, /* from when the fingers hold the cylinder */
    {"peer_block1050", "examples/peers/block1050.yaml", NULL, 0, 1},
    {"peer_block648", "examples/peers/block1050.yaml", "soft.block.mesh.file=solid648.vtk", 0, 1},
    {"peer_torus", "examples/peers/torus.yaml", NULL, .6, 3},
    {"peer_balls", "examples/peers/balls.yaml", NULL, .8, 2}, /* as those others were */
};

/** The same steps on one thread and on two, in turns. */
static sup_status run(const row *r) {
  static bench_totals t[2];
  sup_scene          *scene = NULL;
  sup_status          status = SUP_OK;
  char                name[96];
  SUP_TRY(sup_scene_load(&scene, r->path, &r->set, r->set != NULL));
  const bench_case cases[2] = {{r->name, scene, 1}, {r->name, scene, 2}};
  SUP_TRY_GOTO(bench_steps(cases, 2, r->begin, r->end, t), status, done);
  bench_report_totals(r->name, &t[0], 1);
  bench_limit_phases(r->name, &t[0]);
  snprintf(name, sizeof name, "%s.two_threads", r->name);
  bench_report_ratios(name, &t[1], &t[0]);
  snprintf(name, sizeof name, "step.%s.speedup_2_threads", r->name);
  bench_report(name, bench_median_ratio(t[0].wall, t[1].wall, t->steps), "1", t->steps);
  snprintf(name, sizeof name, "step.%s.equal_bits_2_threads", r->name);
  bench_report(name, t[0].hash == t[1].hash, "1", 1);
done:
  sup_scene_destroy(&scene);
  return status;
}

int bench_peers(void) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (run(&rows[k]) != SUP_OK) return bench_fail();
  return 0;
}
