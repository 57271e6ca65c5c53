/* Accuracy per millisecond: the FinRay-S finger of ICF's material (nu = 0.49) in many meshes.  Its
 * compliance under a small load on the front wall against the converged one, and the time of a step
 * in which a cylinder is pressed into it, next to the time of a step of the grasp in the same run.
 */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "bench.h"
#include "model/model.h"
#include "scene/scene.h"
#include "step/stepper.h"

/* m/N within 0.5 %: bricks of up to 1.1e6 unknowns, extrapolated (meshes/README.md); spectral
 * elements of case G01a within 3 %. */
static const double converged = 9.2e-3;

typedef struct choice {
  const char *name, *pattern, *more; /* a last override, or NULL */
  int         order, wall, inner, cavity, rib, depth;
} choice;

static const char mean[] = "soft.finger.dilatation=mean";

static const choice choices[] = {
    {"T4, 1 cell through walls", "kuhn", NULL, 1, 1, 3, 3, 1, 4},
    {"T4, 2 cells", "kuhn", NULL, 1, 2, 6, 6, 2, 8},
    {"T10, 1 cell", "kuhn", NULL, 2, 1, 3, 3, 1, 1},
    {"T10 mean dilatation, 1 cell", "kuhn", mean, 2, 1, 3, 3, 1, 1},
    {"T10 mean dilatation, 1 cell, 2 over the depth", "kuhn", mean, 2, 1, 3, 3, 1, 2},
    {"H8, 3 cells a cavity, 2 over the depth", "hex", NULL, 1, 1, 3, 3, 1, 2},
    {"H8, 6 cells, 1 over the depth", "hex", NULL, 1, 1, 6, 6, 1, 1},
    {"H8, 6 cells, 2 over the depth", "hex", NULL, 1, 1, 6, 6, 1, 2},
    {"H8, 8 cells, 2 over the depth", "hex", NULL, 1, 1, 8, 8, 1, 2},
    {"H8, 16 cells, 4 over the depth", "hex", NULL, 1, 1, 16, 16, 1, 4},
};
enum { CHOICES = sizeof choices / sizeof *choices, MAX_SETS = 10 };

/** A scene with this choice's mesh and one more override. */
static sup_status load(sup_scene **scene, const char *path, const choice *c, const char *set) {
  char        pattern[64], order[32], cells[128];
  const char *sets[MAX_SETS] = {pattern,
                                order,
                                cells,
                                "materials=[../materials/icf_finray.yaml]",
                                "soft.finger.material=icf_finray",
                                set};
  int         num = set ? 6 : 5;
  snprintf(pattern, sizeof pattern, "soft.finger.mesh.finray.pattern=%s", c->pattern);
  snprintf(order, sizeof order, "soft.finger.mesh.order=%d", c->order);
  snprintf(cells, sizeof cells,
           "soft.finger.mesh.finray.cells={wall: %d, inner: %d, cavity: %d, rib: %d, depth: %d}",
           c->wall, c->inner, c->cavity, c->rib, c->depth);
  if (c->more) sets[num++] = c->more;
  SUP_TRY(sup_scene_load(scene, path, sets, num));
  return SUP_OK;
}

/** Mean displacement of the loaded face over the force [m/N]: the load's work. */
static double compliance_of(const sup_soft *soft, const double *x) {
  double work = 0, force = 0;
  for (int i = 0; i < 3 * soft->num_vertices; i++) {
    work += soft->traction[0].force[i] * (x[i] - soft->x0[i]);
    if (i % 3 == 0) force += soft->traction[0].force[i];
  }
  return work / (force * force);
}

static sup_status measure_compliance(const choice *c, double *compliance, int *unknowns) {
  sup_scene   *scene = NULL;
  sup_model   *model = NULL;
  sup_state   *state = NULL;
  sup_stepper *stepper = NULL;
  sup_status   status = SUP_OK;
  SUP_TRY_GOTO(load(&scene, "examples/finray_stiffness.yaml", c,
                    "soft.finger.tractions.0.force=[1 mN, 0, 0]"),
               status, done);
  SUP_TRY_GOTO(sup_model_create(&model, &scene->model), status, done);
  SUP_TRY_GOTO(sup_state_create(&state, model, &scene->options), status, done);
  SUP_TRY_GOTO(sup_stepper_create(&stepper, model, &scene->options), status, done);
  sup_static_options o = sup_default_static_options();
  SUP_TRY_GOTO(sup_static(stepper, state, &o), status, done);
  *compliance = compliance_of(&model->soft[0], state->x), *unknowns = 0;
  for (int a = 0; a < model->soft[0].num_vertices; a++)
    *unknowns += 3 * (model->soft[0].block[a] != SUP_NONE);
done:
  sup_stepper_destroy(&stepper);
  sup_state_destroy(&state);
  sup_model_destroy(&model);
  sup_scene_destroy(&scene);
  return status;
}

static sup_status press(sup_scene **scenes, bench_totals *t) {
  bench_case cases[CHOICES + 1];
  for (int k = 0; k < CHOICES; k++) {
    SUP_TRY(load(&scenes[k], "examples/finray_press.yaml", &choices[k], NULL));
    cases[k] = (bench_case){choices[k].name, scenes[k], 1, 0};
  }
  SUP_TRY(sup_scene_load(&scenes[CHOICES], "examples/finray_grasp.yaml", NULL, 0));
  cases[CHOICES] = (bench_case){"grasp", scenes[CHOICES], 1, 1.5};
  SUP_TRY(bench_steps(cases, CHOICES + 1, .2, 1.1, t)); /* the cylinder goes in from 0.1 to 1.1 s */
  return SUP_OK;
}

static double median_ms(const bench_totals *t) {
  static double value[BENCH_MAX_STEPS];
  for (int i = 0; i < t->steps; i++) value[i] = t->own[i];
  return bench_median(value, t->steps);
}

int bench_accuracy(void) {
  static bench_totals t[CHOICES + 1];
  sup_scene          *scenes[CHOICES + 1] = {NULL};
  int                 ok = press(scenes, t) == SUP_OK;
  double              grasp = ok ? median_ms(&t[CHOICES]) : 0;
  if (ok) bench_report("accuracy.grasp.processor_ms", grasp, "ms", t[CHOICES].steps);
  for (int k = 0; k < CHOICES && ok; k++) {
    char   name[128];
    double compliance;
    int    unknowns;
    ok = measure_compliance(&choices[k], &compliance, &unknowns) == SUP_OK;
    if (!ok) break;
#define REPORT(what, value, unit)                                     \
  snprintf(name, sizeof name, "accuracy.%s: " what, choices[k].name), \
      bench_report(name, value, unit, t[k].steps)
    REPORT("unknowns", unknowns, "1");
    REPORT("compliance", compliance, "m/N");
    REPORT("stiffness error", 100 * (converged / compliance - 1), "%");
    REPORT("step", median_ms(&t[k]), "ms");
    REPORT("step over grasp", median_ms(&t[k]) / grasp, "1");
    REPORT("Newton iterations", t[k].iterations, "1");
    REPORT("contacts", t[k].contacts, "1");
#undef REPORT
  }
  for (int k = 0; k <= CHOICES; k++) sup_scene_destroy(&scenes[k]);
  return ok ? 0 : bench_fail();
}
