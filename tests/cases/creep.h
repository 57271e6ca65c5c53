/** Creep of what a grasp holds by elastic sticks. */
#pragma once

#include "example.h"
#include "model/anchor.h"
#include "step/stepper.h"

/** Energy of the sticks at the start of the step that was just done. */
static inline double test_stick_energy_taken_over(const sup_stepper *s) {
  double sum = 0;
  for (int i = 0; i < s->contact.list.count; i++) {
    const sup_law     *law = &s->contact.rows.constraint[i].law;
    const sup_coulomb *c = &law->coulomb;
    double             time = c->normal.dt + c->tau_t;
    if (law->kind != SUP_LAW_ELASTIC_STICK) continue;
    for (int k = 0; k < 2; k++)
      sum += .5 * sup_law_spring_stiffness(law) * time * time * c->vhat[k] * c->vhat[k];
  }
  return sum;
}

/** Mean of the speed from a time on, and what share of the sticks' energy steps do not take over
 * from those before, since a contact is gone or its triangle another: in that time, and before. */
typedef struct test_creep {
  double from;                /* [s] */
  double stored, lost, early; /* [J] */
  double start, end;          /* [s] */
  sup_v3 start_place, end_place;
} test_creep;

/** The step that was just done. */
static inline void test_creep_step(test_creep *c, const sup_stepper *s, int body) {
  const sup_step_result *r = sup_stepper_result(s);
  double                 lost = c->stored - test_stick_energy_taken_over(s);
  c->stored = r->stick_energy, c->end = r->time, c->end_place = r->X_WL[body].p;
  if (r->time > c->from + 1e-9)
    c->lost += lost;
  else
    c->early += lost, c->start = r->time, c->start_place = c->end_place;
}

/** [m/s] */
static inline double test_creep_speed(const test_creep *c, const char *name) {
  double speed = sup_v3_norm(sup_v3_sub(c->end_place, c->start_place)) / (c->end - c->start);
  printf("%s creeps by %.2g um/s, lost %.1e, before %.1e of %.2g J; ", name, 1e6 * speed, c->lost,
         c->early, c->stored);
  CHECK(c->stored > 0 && c->lost >= -1e-12 * c->stored && c->lost < 1e-2 * c->stored);
  return speed;
}
