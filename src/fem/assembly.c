/* Matrices and forces of bodies: batches of cells (fem/batch.h), or laws at points
 * (fem/hyperelastic.c). */
#include <math.h>
#include <string.h>

#include "fem/body_parts.h"

/* ---- batches --------------------------------------------------------------------------------- */

/* values += K, times a number for each material [num_materials], and f += the elastic force; either
 * may be NULL.  Cells with K0, whose forces are linear while rotations are frozen. */
static void add_batches(const sup_fem_body *body, const sup_m3 *R, const double *x,
                        const double *scale, sup_batch_step step) {
  const sup_batch_kernels *kernels = sup_batch_select();
  double                   cell_scale[SUP_BATCH], rate[SUP_BATCH];
  step.x = x, step.scale = cell_scale, step.rate = rate;
  if (!step.place) step.place = body->pattern.value_start;
  double       *pull = step.pull;
  const double *arms = step.arms;
  for (int k = 0; k < sup_fem_num_batches(body); k++) {
    sup_batch batch = sup_fem_batch(body, k);
    if (arms) step.arms = arms + 3 * SUP_BATCH * (size_t)(body->element->num_vertices * k);
    if (pull) step.pull = pull + 9 * SUP_BATCH * (size_t)k;
    const int *material = body->cell_material + SUP_BATCH * (size_t)k;
    for (int l = 0; l < batch.num_cells; l++) cell_scale[l] = scale ? scale[material[l]] : 0;
    for (int l = 0; l < batch.num_cells && step.v; l++)
      rate[l] = body->matter[material[l]].material.stiffness_damping / step.dt;
    step.R = R + SUP_BATCH * (size_t)k;
    if (body->element->is_dense)
      kernels->dense(&batch, &step);
    else
      kernels->t4(&batch, &step);
  }
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void add_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x,
                          const double *scale, double *values) {
  if (body->is_hyperelastic)
    sup_fem_hyperelastic_stiffness(body, x, 1, scale, values);
  else
    add_batches(body, R, x, scale, (sup_batch_step){.X = body->mesh->x, .values = values});
}

void sup_fem_add_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                           double *values) {
  double scales[SUP_FEM_MAX_MATERIALS];
  for (int k = 0; k < body->num_materials; k++) scales[k] = scale;
  add_stiffness(body, R, x, scales, values);
}

/** rate beta of each material. */
static void damping_shares(const sup_fem_body *body, const sup_fem_increment *inc, double *share) {
  for (int k = 0; k < body->num_materials; k++)
    share[k] = inc ? inc->rate * body->matter[k].material.stiffness_damping : 0;
}

void sup_fem_add_projected(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                           const sup_fem_increment *inc, double *values) {
  double scales[SUP_FEM_MAX_MATERIALS];
  damping_shares(body, !body->is_hyperelastic && body->element->is_dense ? inc : NULL, scales);
  for (int k = 0; k < body->num_materials; k++) scales[k] = scale * (1 + scales[k]);
  add_stiffness(body, R, x, scales, values);
}

void sup_fem_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x, double *values) {
  memset(values, 0, 9 * (size_t)body->pattern.col_start[body->pattern.num_blocks] * sizeof *values);
  sup_fem_add_stiffness(body, R, x, 1, values);
}

/** axis tan(angle/2) of a turn from axis sin(angle), which is dt w of velocities that are
 * differences of positions. */
static sup_v3 half_turn(sup_v3 sine) {
  double square = sup_v3_dot(sine, sine);
  if (square > 1) return sup_v3_scale(1 / sqrt(square), sine); /* a quarter of a turn at most */
  return sup_v3_scale(1 / (1 + sqrt(1 - square)), sine);
}

void sup_fem_step_system(const sup_fem_body *body, const sup_m3 *R, const double *x, double dt,
                         const double *c, double damping, sup_v3 w, sup_fem_prediction *ahead,
                         const size_t *place, double *values, double *f, double *pull) {
  double scales[SUP_FEM_MAX_MATERIALS];
  for (int k = 0; k < body->num_materials; k++)
    scales[k] = dt * (damping * body->matter[k].material.stiffness_damping + dt);
  SUP_ASSERT(f || !(pull || ahead));
  sup_fem_step_mass(body, damping * dt, c, place, values);
  if (body->is_hyperelastic) {
    SUP_ASSERT(!place && !pull && !ahead);
    sup_fem_hyperelastic_stiffness(body, x, 1, scales, values);
    if (f) sup_fem_hyperelastic_force(body, x, f);
    return;
  }
  if (f) memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  int is_damped = ahead && ahead->v;
  if (is_damped) memset(ahead->damping, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  if (ahead) ahead->work = 0;
  w = sup_v3_scale(dt, w);
  add_batches(body, R, x, scales,
              (sup_batch_step){.X = body->mesh->x,
                               .values = values,
                               .place = place,
                               .f = f,
                               .is_turning = 1,
                               .tension = f ? dt * dt : 0,
                               .w = w,
                               .is_carried = ahead && (w.x != 0 || w.y != 0 || w.z != 0),
                               .turn = half_turn(w),
                               .v = is_damped ? ahead->v : NULL,
                               .dt = dt,
                               .turned = is_damped ? ahead->damping : NULL,
                               .turned_work = is_damped ? &ahead->work : NULL,
                               .pull = pull});
}

void sup_fem_step_matrix(const sup_fem_body *body, const sup_m3 *R, const double *x, double dt,
                         const double *c, double damping, double *values) {
  sup_fem_step_system(body, R, x, dt, c, damping, (sup_v3){0, 0, 0}, NULL, NULL, values, NULL,
                      NULL);
}

int sup_fem_is_damped(const sup_fem_body *body) {
  for (int k = 0; k < body->num_materials; k++)
    if (body->matter[k].material.mass_damping > 0 || body->matter[k].material.stiffness_damping > 0)
      return 1;
  return 0;
}

int sup_fem_has_stiffness_damping(const sup_fem_body *body) {
  for (int k = 0; k < body->num_materials; k++)
    if (body->matter[k].material.stiffness_damping > 0) return 1;
  return 0;
}

/* ---- forces and energies --------------------------------------------------------------------- */

static void add_force(const sup_fem_body *body, const sup_m3 *R, const double *x, int is_turning,
                      double *f) {
  if (body->is_hyperelastic) {
    sup_fem_hyperelastic_force(body, x, f);
    return;
  }
  memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  add_batches(body, R, x, NULL,
              (sup_batch_step){.X = body->mesh->x, .f = f, .is_turning = is_turning});
}

void sup_fem_dense_force(const sup_fem_body *body, const sup_m3 *R, const double *x,
                         const sup_fem_increment *inc, double *f) {
  double shares[SUP_FEM_MAX_MATERIALS];
  damping_shares(body, inc, shares);
  memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  add_batches(body, R, x, shares,
              (sup_batch_step){.X = body->mesh->x, .f = f, .is_turning = 1, .arms = inc->start});
}

void sup_fem_elastic_force(const sup_fem_body *body, const sup_m3 *R, const double *x, double *f) {
  add_force(body, R, x, 0, f);
}

void sup_fem_energy_force(const sup_fem_body *body, const sup_m3 *R, const double *x, double *f) {
  add_force(body, R, x, 1, f);
}

void sup_fem_add_damping_force(const sup_fem_body *body, const sup_m3 *R, const double *v,
                               double scale, double *f) {
  double scales[SUP_FEM_MAX_MATERIALS];
  for (int k = 0; k < body->num_materials; k++)
    scales[k] = scale * body->matter[k].material.stiffness_damping;
  add_batches(body, R, v, scales, (sup_batch_step){.f = f});
}

static double cell_energy(const sup_fem_body *body, int c, const sup_m3 *R, const double *x) {
  int        n = body->element->num_vertices;
  const int *vertex = body->vertex + (size_t)n * (size_t)c;
  double     cell_X[3 * SUP_CELL_MAX_VERTICES], cell_x[3 * SUP_CELL_MAX_VERTICES];
  sup_fem_gather(body->mesh->x, vertex, n, cell_X);
  sup_fem_gather(x, vertex, n, cell_x);
  return body->element->force(sup_fem_stiffness_of(body, c), R + c, cell_X, cell_x, NULL);
}

double sup_fem_elastic_energy(const sup_fem_body *body, const sup_m3 *R, const double *x) {
  double energy = 0;
  if (body->is_hyperelastic) return sup_fem_hyperelastic_force(body, x, NULL);
  for (int c = 0; c < body->mesh->num_cells; c++) energy += cell_energy(body, c, R, x);
  return energy;
}
