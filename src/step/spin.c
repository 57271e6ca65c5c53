/* Angular momentum of free soft bodies: what a step takes of it that nothing outside took
 * (THEORY 23.4).
 *
 *  Forces of the step's end have no moment about the positions there, but velocities change about
 * those of the start: implicit Euler takes (w dt)^2 of a body's angular momentum a step, BDF2 a
 * thousandth of it. */
#include "step/stepper.h"

static sup_v3 center(const sup_soft *soft, const double *x) {
  const double *m = sup_fem_vertex_mass(soft->fem);
  sup_v3        sum = {0, 0, 0};
  for (int a = 0; a < soft->num_vertices; a++) sum = sup_v3_madd(sum, m[a], sup_v3_load(x + 3 * a));
  return sup_v3_scale(1 / sup_fem_mass(soft->fem), sum);
}

/** Sum of (x - its centre of mass) x p over the vertices. */
static sup_v3 moment(const sup_soft *soft, const double *x, const double *p) {
  sup_v3 about = center(soft, x), sum = {0, 0, 0};
  for (int a = 0; a < soft->num_vertices; a++)
    sum = sup_v3_add(
        sum, sup_v3_cross(sup_v3_sub(sup_v3_load(x + 3 * a), about), sup_v3_load(p + 3 * a)));
  return sum;
}

/** impulse -= share times dt alpha M u. */
static void subtract_drag(sup_stepper *s, const sup_soft *soft, double share, const double *u,
                          double *Mu, double *impulse) {
  sup_fem_damped_mass_multiply(soft->fem, s->inc->h, u, Mu);
  for (int a = 0; a < 3 * soft->num_vertices; a++) impulse[a] -= share * Mu[a];
  sup_fem_mass_multiply(soft->fem, u, Mu);
  for (int a = 0; a < 3 * soft->num_vertices; a++) impulse[a] += share * Mu[a];
}

int sup_stepper_has_drag(const sup_soft *soft) {
  int has_drag = 0;
  for (int k = 0; k < sup_fem_num_materials(soft->fem); k++)
    has_drag |= sup_fem_material(soft->fem, k)->mass_damping > 0;
  return has_drag;
}

/** Mass damping acts from outside: it is not the scheme's. */
static void add_drag(sup_stepper *s, int i, double *impulse) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  if (!sup_stepper_has_drag(soft)) return;
  subtract_drag(s, soft, work->scheme.damping, work->v, work->g, impulse);
  if (work->scheme.lag)
    subtract_drag(s, soft, 1 - work->scheme.damping, work->scheme.mean, work->g, impulse);
}

int sup_stepper_turns_freely(const sup_soft *soft) {
  return soft->num_attachments == 0 && soft->num_dirichlet == 0;
}

sup_soft_spin sup_stepper_spin(sup_stepper *s, int i, const sup_state *state, double *impulse) {
  const sup_soft *soft = &s->model->soft[i];
  sup_soft_work  *work = &s->assembly.soft[i];
  size_t          first = 3 * (size_t)soft->first_vertex;
  const double   *x0 = state->x + first, *x1 = s->end.next->x + first,
               *v1 = s->end.next->xdot + first;
  double dt = s->inc->h, *p = work->g;
  sup_v3 before, after, outside;
  add_drag(s, i, impulse);
  outside = moment(soft, x0, impulse);
  sup_fem_mass_multiply(soft->fem, state->xdot + first, p);
  before = moment(soft, x0, p);
  sup_fem_mass_multiply(soft->fem, v1, p);
  after = moment(soft, x1, p);
  double angle = dt * sup_v3_norm(sup_fem_spin(soft->fem, x1, v1));
  return (sup_soft_spin){after, sup_v3_sub(sup_v3_add(before, outside), after), angle};
}
