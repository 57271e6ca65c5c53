#include "measure/pair_watch.h"

#include <math.h>

#include "law/law.h"
#include "measure/numerics.h"

/** Depth at the deepest corner of a patch, whose pressure is linear [m]; round ones have it. */
static double deepest(const sup_contact *c) {
  double middle = -c->slope * c->phi, most = middle;
  if (c->patch_area > 0 || c->num_points < 3 || !(middle > 0)) return sup_contact_depth(c);
  for (int k = 0; k < c->num_points; k++) most = fmax(most, c->level[k]);
  return sup_contact_depth(c) * most / middle;
}

void sup_pair_watch_start(sup_pair_watch *watch, const sup_observation *obs, int num_contacts,
                          const sup_contact *contact) {
  for (int i = 0; i < num_contacts; i++) {
    sup_pair_watch *w = &watch[obs->body_pair[contact[i].pair]];
    w->overlap = fmax(w->overlap, deepest(&contact[i]));
  }
}

int sup_creeps_by_compliance(const sup_observation *obs, const sup_pair *pair) {
  return obs->options.contact_solver == SUP_CONTACT_SOLVER_MUJOCO || pair->model == SUP_MODEL_SAP ||
         sup_contact_model_is_regularized(pair->model);
}

static void add_contact(const sup_observation *obs, const sup_contact *c, sup_stick_sum *sum) {
  double              normal = fabs(sup_v3_dot(c->force, c->normal));
  const sup_pair     *pair = &obs->model->pair[c->pair];
  const sup_friction *f = &pair->friction;
  double              mu = pair->model == SUP_MODEL_SAP ? f->mu : fmax(f->mu, f->mu_static);
  double              bound = mu * normal;
  double              friction = sqrt(fmax(0, sup_v3_dot(c->force, c->force) - normal * normal));
  sum->normal += normal, sum->friction += friction, sum->bound += bound;
  double scale = fmax(obs->options.stiction_tolerance, 1e-4);
  if (sup_creeps_by_compliance(obs, pair)) scale = fmax(scale, c->slip_tolerance);
  double slow = sup_measure_numerics.stick_speed * scale;
  if (!(friction < sup_measure_numerics.slides * bound && sup_v3_norm(c->slip) < slow))
    return; /* after an impact friction lags */
  sum->sticking += normal;
  sum->slip = sup_v3_madd(sum->slip, normal, c->slip);
}

/** Add the energy loss of a pair that lasts; bodies gave dt taken. */
static void add_loss(sup_pair_watch *w, const sup_stick_sum *sum, double time, double dt) {
  double least = fmin(sum->normal, w->normal), most = fmax(sum->normal, w->normal);
  if (least > sup_measure_numerics.lasting * most)
    w->lost += dt * sum->taken - (sum->stored - w->stored), w->lost_time = time;
  w->stored = sum->stored, w->normal = sum->normal;
}

static void add_spell(sup_pair_watch *w, const sup_stick_sum *sum, double time, double dt) {
  int is_apart = !(sum->normal > 0),
      slides = !(sum->friction < sup_measure_numerics.stick_most * sum->bound);
  if (is_apart || slides || sum->sticking < 0.5 * sum->normal) {
    w->way = sup_v3_make(0, 0, 0), w->spell = w->share_sum = 0;
    return;
  }
  if (sum->friction < sup_measure_numerics.stick_least * sum->bound) return;
  w->way = sup_v3_madd(w->way, dt / sum->sticking, sum->slip);
  w->spell += dt, w->share_sum += dt * sum->friction / sum->bound;
  double creep = sup_v3_norm(w->way);
  if (!(creep > w->creep)) return;
  w->creep = creep, w->creep_time = time, w->creep_for = w->spell,
  w->creep_share = w->share_sum / w->spell;
}

static void add_depth(sup_pair_watch *w, const sup_contact *c, double time) {
  double asked = c->point_stiffness > 0 ? c->point_stiffness : c->slope * c->area * c->facing;
  w->came = fmax(w->came, -c->rate);
  if (!(sup_contact_depth(c) > w->penetration)) return;
  w->penetration = sup_contact_depth(c), w->penetration_time = time;
  w->is_limited = c->stiffness < sup_measure_numerics.limited * asked;
}

void sup_pair_watch_step(sup_pair_watch *watch, const sup_observation *obs, int num_contacts,
                         const sup_contact *contact, double time, double dt, sup_stick_sum *scratch,
                         bool *is_idle) {
  for (int i = 0; i < num_contacts; i++) {
    const sup_contact *c = &contact[i];
    sup_pair_watch    *w = &watch[obs->body_pair[c->pair]];
    is_idle[obs->body_pair[c->pair]] = false;
    add_depth(w, c, time);
    sup_stick_sum *sum = &scratch[obs->body_pair[c->pair]];
    sum->stored += c->stored, sum->taken -= c->elastic * c->rate + c->given;
    if (sup_contact_presses(c)) add_contact(obs, c, sum);
  }
  for (int p = 0; p < obs->num_pairs && dt > 0; p++) {
    if (is_idle[p]) continue;
    add_spell(&watch[p], &scratch[p], time, dt);
    add_loss(&watch[p], &scratch[p], time, dt);
    is_idle[p] = watch[p].spell == 0 && watch[p].normal == 0 && watch[p].stored == 0;
  }
  for (int i = 0; i < num_contacts; i++)
    scratch[obs->body_pair[contact[i].pair]] = (sup_stick_sum){.normal = 0};
}
