/* Matrices and forces of bodies: batches of cells (fem/kernel/batch.h), or laws at points
 * (fem/points.c). */
#include <math.h>
#include <string.h>

#include "base/share.h"
#include "fem/body_parts.h"

/* ---- batches --------------------------------------------------------------------------------- */

/* Arguments of a pass over all batches; `step` has the arrays of the whole body. */
typedef struct pass {
  const sup_fem_body       *body;
  const sup_batch_kernels  *kernels;
  sup_batch_step            step;
  const sup_m3             *R;
  const double             *scale;      /* [num_materials] or NULL */
  const sup_fem_relaxation *relaxation; /* NULL: elastic; only with X */
  const sup_fem_mass_terms *mass; /* unless NULL: values start with M, f and turned with zeros */
} pass;

/** Initialise columns and forces of the vertices that this batch touches first, while they are in
 * the cache. */
static void begin_vertices(const pass *p, int k) {
  const sup_ranges *ranges = &p->body->batch_ranges;
  for (int i = ranges->first_target[k]; i < ranges->first_target[k + 1]; i++) {
    int    j = ranges->target[i];
    double zero[3] = {0, 0, 0};
    sup_fem_put_mass_column(p->body, p->mass, j, p->step.place, p->step.values);
    if (p->step.f) memcpy(p->step.f + 3 * (size_t)j, zero, sizeof zero);
    if (p->step.turned) memcpy(p->step.turned + 3 * (size_t)j, zero, sizeof zero);
  }
}

static void add_batch(void *user, const sup_range *range, int k) {
  const pass         *p = user;
  const sup_fem_body *body = p->body;
  sup_batch           batch = sup_fem_batch(body, k);
  sup_batch_step      step = p->step;
  const int          *material = body->cell_material + SUP_BATCH * (size_t)k;
  double              cell_scale[SUP_BATCH], rate[SUP_BATCH], work[SUP_BATCH], share[SUP_BATCH];
  unsigned char       owned[SUP_BATCH * SUP_CELL_MAX_VERTICES];
  bool                is_home = sup_range_owns_item(range, k);
  if (p->mass && is_home) begin_vertices(p, k);
  if (!sup_range_owns_all(range, k)) {
    if (!sup_fem_owned(body, range, k, owned)) return;
    step.owned = owned;
  }
  for (int l = 0; l < batch.num_cells; l++) cell_scale[l] = p->scale ? p->scale[material[l]] : 0;
  for (int l = 0; l < batch.num_cells && step.v; l++)
    rate[l] = body->matter[material[l]].material.stiffness_damping / step.dt;
  step.R = p->R + SUP_BATCH * (size_t)k, step.scale = cell_scale, step.rate = rate;
  if (p->relaxation) {
    for (int l = 0; l < batch.num_cells; l++) share[l] = p->relaxation->share[material[l]];
    step.share = share;
    step.history =
        p->relaxation->history + 3 * SUP_BATCH * (size_t)(body->element->num_vertices * k);
  }
  if (step.arms) step.arms += 3 * SUP_BATCH * (size_t)(body->element->num_vertices * k);
  if (step.pull) step.pull = is_home ? step.pull + 9 * SUP_BATCH * (size_t)k : NULL;
  if (step.turned_work)
    step.turned_work = is_home ? step.turned_work + SUP_BATCH * (size_t)k : work;
  (body->element->is_dense ? p->kernels->dense : p->kernels->t4)(&batch, &step);
}

/* values += K times a factor of each material [num_materials], f += elastic force; either may be
 * NULL. For cells with K0, whose forces are linear while rotations are frozen. */
static void add_batches(const sup_fem_body *body, const sup_m3 *R, const double *x,
                        const double *scale, const sup_fem_relaxation *relaxation,
                        const sup_fem_mass_terms *mass, sup_batch_step step) {
  step.x = x;
  if (!step.place) step.place = sup_block_values(&body->pattern);
  pass p = {body, sup_batch_select(), step, R, scale, relaxation, mass};
  sup_ranges_run(&body->batch_ranges, sup_fem_threads(body), add_batch, &p);
}

/** Initialise columns and forces of vertices that no batch touches, before the batches. */
static void begin_idle(const sup_fem_body *body, const sup_fem_mass_terms *mass,
                       const size_t *place, double *values, double *f, double *turned) {
  if (!place) place = sup_block_values(&body->pattern);
  for (int k = 0; k < body->num_idle; k++) {
    size_t j = (size_t)body->idle[k];
    sup_fem_put_mass_column(body, mass, body->idle[k], place, values);
    if (f) memset(f + 3 * j, 0, 3 * sizeof *f);
    if (turned) memset(turned + 3 * j, 0, 3 * sizeof *turned);
  }
}

/** Initialise columns and forces of idle vertices, which batches do not; without a matrix,
 * initialise all forces. */
static void begin_system(const sup_fem_body *body, const sup_fem_mass_terms *mass,
                         const size_t *place, double *values, double *f, double *turned) {
  size_t bytes = 3 * (size_t)body->mesh->num_vertices * sizeof *f;
  if (values) {
    begin_idle(body, mass, place, values, f, turned);
    return;
  }
  memset(f, 0, bytes);
  if (turned) memset(turned, 0, bytes);
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void add_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x,
                          const double *scale, const sup_fem_relaxation *relaxation,
                          double *values) {
  if (body->is_hyperelastic)
    sup_fem_points_stiffness(
        body, x, 1, &(sup_fem_point_terms){.law = 1, .scale = scale, .relaxation = relaxation},
        values);
  else
    add_batches(body, R, x, scale, NULL, NULL,
                (sup_batch_step){.X = body->mesh->x, .values = values});
}

void sup_fem_add_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                           double *values) {
  double scales[SUP_FEM_MAX_MATERIALS];
  for (int k = 0; k < body->num_materials; k++) scales[k] = scale;
  add_stiffness(body, R, x, scales, NULL, values);
}

/** rate beta of each material. */
static void damping_shares(const sup_fem_body *body, const sup_fem_increment *inc, double *share) {
  for (int k = 0; k < body->num_materials; k++)
    share[k] = inc && inc->start ? inc->rate * body->matter[k].material.stiffness_damping : 0;
}

void sup_fem_add_projected(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                           const sup_fem_increment *inc, double *values) {
  const sup_fem_relaxation *relaxation = inc ? inc->relaxation : NULL;
  double                    scales[SUP_FEM_MAX_MATERIALS];
  damping_shares(body, !body->is_hyperelastic && body->element->is_dense ? inc : NULL, scales);
  for (int k = 0; k < body->num_materials; k++)
    scales[k] = scale * ((body->is_hyperelastic ? 1 : sup_fem_share(relaxation, k)) + scales[k]);
  add_stiffness(body, R, x, scales, relaxation, values);
}

void sup_fem_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x, double *values) {
  memset(values, 0, sup_block_pattern_num_values(&body->pattern) * sizeof *values);
  sup_fem_add_stiffness(body, R, x, 1, values);
}

/** Convert axis sin(angle) to axis tan(angle/2); axis sin(angle) is dt w of velocities computed
 * from position differences. */
static sup_v3 half_turn(sup_v3 sine) {
  double square = sup_v3_dot(sine, sine);
  if (square > 1) return sup_v3_scale(1 / sqrt(square), sine); /* at most a quarter turn */
  return sup_v3_scale(1 / (1 + sqrt(1 - square)), sine);
}

void sup_fem_step_system(const sup_fem_body *body, const sup_m3 *R, const double *x, double dt,
                         const double *c, double damping, sup_v3 w, sup_fem_prediction *ahead,
                         const sup_fem_relaxation *relaxation, const size_t *place, double *values,
                         double *f, double *pull) {
  double scales[SUP_FEM_MAX_MATERIALS];
  for (int k = 0; k < body->num_materials; k++)
    scales[k] = dt * (damping * body->matter[k].material.stiffness_damping +
                      sup_fem_share(relaxation, k) * dt);
  SUP_ASSERT(f || !(pull || ahead));
  if (body->is_hyperelastic) {
    SUP_ASSERT(!place && !pull && !ahead && !relaxation);
    sup_fem_step_mass(body, damping * dt, c, place, values);
    sup_fem_points_stiffness(body, x, 1, &(sup_fem_point_terms){.law = 1, .scale = scales}, values);
    if (f) sup_fem_elastic_force(body, R, x, f);
    return;
  }
  sup_fem_prediction none = {0};
  if (!ahead) ahead = &none;
  bool is_damped = ahead->v != NULL;
  w = sup_v3_scale(dt, w);
  sup_fem_mass_terms mass = sup_fem_mass_of_step(body, damping * dt, c);
  begin_system(body, &mass, place, values, f, is_damped ? ahead->damping : NULL);
  add_batches(body, R, x, scales, relaxation, values ? &mass : NULL,
              (sup_batch_step){.X = body->mesh->x,
                               .values = values,
                               .place = place,
                               .f = f,
                               .is_turning = 1,
                               .tension = f ? dt * dt : 0,
                               .w = w,
                               .is_carried = ahead != &none && (w.x != 0 || w.y != 0 || w.z != 0),
                               .turn = half_turn(w),
                               .v = ahead->v,
                               .dt = dt,
                               .turned = is_damped ? ahead->damping : NULL,
                               .turned_work = is_damped ? ahead->cell_work : NULL,
                               .pull = pull});
  ahead->work = 0;
  for (int k = 0; k < body->mesh->num_cells && is_damped; k++) ahead->work += ahead->cell_work[k];
  if (f) sup_fem_end_sum(body, f);
  if (is_damped) sup_fem_end_sum(body, ahead->damping);
  if (is_damped) ahead->work = sup_sum_of_ranks(body->ranks, ahead->work);
}

void sup_fem_step_matrix(const sup_fem_body *body, const sup_m3 *R, const double *x, double dt,
                         const double *c, double damping, double *values) {
  sup_fem_step_system(body, R, x, dt, c, damping, (sup_v3){0, 0, 0}, NULL, NULL, NULL, values, NULL,
                      NULL);
}

bool sup_fem_is_damped(const sup_fem_body *body) {
  for (int k = 0; k < body->num_materials; k++)
    if (body->matter[k].material.mass_damping > 0 || body->matter[k].material.stiffness_damping > 0)
      return 1;
  return 0;
}

bool sup_fem_has_stiffness_damping(const sup_fem_body *body) {
  for (int k = 0; k < body->num_materials; k++)
    if (body->matter[k].material.stiffness_damping > 0) return 1;
  return 0;
}

/* ---- forces and energies --------------------------------------------------------------------- */

static void add_force(const sup_fem_body *body, const sup_m3 *R, const double *x, bool is_turning,
                      double *f) {
  memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  if (body->is_hyperelastic) {
    sup_fem_points_force(body, x, &(sup_fem_point_terms){.law = 1}, f);
    return;
  }
  add_batches(body, R, x, NULL, NULL, NULL,
              (sup_batch_step){.X = body->mesh->x, .f = f, .is_turning = is_turning});
}

void sup_fem_cells_force(const sup_fem_body *body, const sup_m3 *R, const double *x,
                         const sup_fem_increment *inc, double *f) {
  double              shares[SUP_FEM_MAX_MATERIALS];
  sup_fem_point_terms terms = {.damping = inc->rate, .start = inc->start};
  memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  if (body->is_hyperelastic) terms.law = 1, terms.relaxation = inc->relaxation;
  if (body->is_hyperelastic || (inc->start && !body->element->is_dense))
    sup_fem_points_force(body, x, &terms, f);
  if (body->is_hyperelastic) return;
  damping_shares(body, inc, shares);
  add_batches(body, R, x, shares, inc->relaxation, NULL,
              (sup_batch_step){.X = body->mesh->x,
                               .f = f,
                               .is_turning = 1,
                               .arms = body->element->is_dense ? inc->start : NULL});
}

void sup_fem_elastic_force(const sup_fem_body *body, const sup_m3 *R, const double *x, double *f) {
  add_force(body, R, x, 0, f);
  sup_fem_end_sum(body, f);
}

void sup_fem_energy_force(const sup_fem_body *body, const sup_m3 *R, const double *x, double *f) {
  add_force(body, R, x, 1, f);
  sup_fem_end_sum(body, f);
}

void sup_fem_add_damping_force(const sup_fem_body *body, const sup_m3 *R, const double *v,
                               double scale, double *f) {
  double scales[SUP_FEM_MAX_MATERIALS];
  for (int k = 0; k < body->num_materials; k++)
    scales[k] = scale * body->matter[k].material.stiffness_damping;
  sup_fem_begin_sum(body, f);
  add_batches(body, R, v, scales, NULL, NULL, (sup_batch_step){.f = f});
  sup_fem_end_sum(body, f);
}

/** Arguments of the elastic energy of the whole body at x. */
typedef struct energy {
  const sup_fem_body *body;
  const sup_m3       *R;
  const double       *x;
} energy;

static void cell_energy(void *user, int c, double *sum) {
  const energy       *e = user;
  const sup_fem_body *body = e->body;
  int                 n = body->element->num_vertices;
  const int          *vertex = body->vertex + (size_t)n * (size_t)c;
  double              cell_X[3 * SUP_CELL_MAX_VERTICES], cell_x[3 * SUP_CELL_MAX_VERTICES];
  sup_fem_gather(body->mesh->x, vertex, n, cell_X);
  sup_fem_gather(e->x, vertex, n, cell_x);
  *sum = body->element->force(sup_fem_stiffness_of(body, c), e->R + c, cell_X, cell_x, NULL);
}

double sup_fem_local_energy(const sup_fem_body *body, const sup_m3 *R, const double *x) {
  double sum = 0;
  if (body->is_hyperelastic)
    return sup_fem_points_energy(body, x, &(sup_fem_point_terms){.law = 1});
  if (body->element->is_dense) return sup_fem_dense_energy(body, R, x, NULL);
  sup_sum_terms(sup_fem_threads(body), body->mesh->num_cells, 1, 1, cell_energy,
                &(energy){body, R, x}, &sum);
  return sum;
}

double sup_fem_elastic_energy(const sup_fem_body *body, const sup_m3 *R, const double *x) {
  return sup_sum_of_ranks(body->ranks, sup_fem_local_energy(body, R, x));
}
