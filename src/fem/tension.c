/* Geometric stiffness of cells under tension: rotational part.
 *
 *  With rotations frozen at the step's start the force of a cell is linear and lacks the second
 * derivative of the rotation: a wall under tension keeps pulling along its axis at the start.  If
 * the tension exceeds the load at which the wall would buckle in compression, each step turns the
 * wall back by more than its deflection, and thin walls oscillate with growing amplitude at any
 * small strain. In the axes of R, with the mean stress sigma and the turn theta = 1/2 sum of g_a x
 * u_a, what is missing is
 *
 *      1/2 V theta^T (tr sigma I - sigma) theta,
 *
 *  the twist modes of the corotational law (Smith, de Goes, Kim 2019) at small strains. The
 * positive part of this term is added, so that A stays positive definite; buckling under
 * compression needs no term.  Rotations are relative to the spin of the whole body at the step's
 * start, not to rest, so that the forces have no moment about the positions of the start and
 * conserve angular momentum (THEORY 2.2). */
#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/numerics.h"

sup_v3 sup_fem_spin(const sup_fem_body *body, const double *x, const double *v) {
  sup_v3 center = {0, 0, 0}, drift = {0, 0, 0}, L = {0, 0, 0};
  sup_m3 I = sup_m3_zero();
  double volume = 0;
  int    n = body->mesh->num_vertices;
  for (int a = 0; a < n; a++) {
    center =
        sup_v3_add(center, sup_v3_scale(body->vertex_volume[a], sup_v3_load(x + 3 * (size_t)a)));
    drift = sup_v3_add(drift, sup_v3_scale(body->vertex_volume[a], sup_v3_load(v + 3 * (size_t)a)));
    volume += body->vertex_volume[a];
  }
  center = sup_v3_scale(1 / volume, center), drift = sup_v3_scale(1 / volume, drift);
  for (int a = 0; a < n; a++) {
    sup_v3 r = sup_v3_sub(sup_v3_load(x + 3 * (size_t)a), center);
    sup_v3 u = sup_v3_sub(sup_v3_load(v + 3 * (size_t)a), drift);
    sup_m3 S = sup_m3_skew(r);
    L = sup_v3_add(L, sup_v3_scale(body->vertex_volume[a], sup_v3_cross(r, u)));
    I = sup_m3_add(I, sup_m3_scale(body->vertex_volume[a], sup_m3_mul(sup_m3_transpose(S), S)));
  }
  double trace = I.m[0][0] + I.m[1][1] + I.m[2][2];
  if (!(sup_m3_det(&I) > sup_fem_numerics.spin * trace * trace * trace / 27))
    return (sup_v3){0, 0, 0};
  return sup_m3_apply(sup_m3_inverse(I), L);
}

size_t sup_fem_tension_size(const sup_fem_body *body) {
  return 9 * SUP_BATCH * (size_t)sup_fem_num_batches(body);
}

static const double ones[SUP_BATCH] = {1, 1, 1, 1, 1, 1, 1, 1};

/** Arguments of a pass over all batches; R, `pull` and `scale` are arrays of the whole body. */
typedef struct pass {
  const sup_fem_body       *body;
  const sup_fem_relaxation *relaxation;
  sup_batch_step            step;
} pass;

static void batch_work(void *user, int k, double *term) {
  const pass    *p = user;
  sup_batch      batch = sup_fem_batch(p->body, k);
  sup_batch_step step = p->step;
  step.R += SUP_BATCH * (size_t)k, step.pull += 9 * SUP_BATCH * (size_t)k;
  *term = sup_batch_select()->pull_work(&batch, &step);
}

double sup_fem_tension_work(const sup_fem_body *body, const sup_m3 *R, double *pull,
                            const double *u) {
  double sum = 0;
  pass   p = {body, NULL, {.x = u, .scale = ones, .R = R, .pull = pull}};
  sup_sum_terms(sup_fem_threads(body), sup_fem_num_batches(body), 1, 1, batch_work, &p, &sum);
  return sup_sum_of_ranks(body->ranks, sum);
}

/** Shares and history of the cells of batch k, for viscoelastic bodies. */
static void relax(const pass *p, int k, const sup_batch *batch, double share[SUP_BATCH],
                  sup_batch_step *step) {
  const int *material = p->body->cell_material + SUP_BATCH * (size_t)k;
  if (!p->relaxation) return;
  for (int l = 0; l < batch->num_cells; l++) share[l] = p->relaxation->share[material[l]];
  step->share = share;
  step->history =
      p->relaxation->history + 3 * SUP_BATCH * (size_t)(p->body->element->num_vertices * k);
}

static void add_batch(void *user, const sup_range *range, int k) {
  const pass    *p = user;
  sup_batch      batch = sup_fem_batch(p->body, k);
  sup_batch_step step = p->step;
  unsigned char  owned[SUP_BATCH * SUP_CELL_MAX_VERTICES];
  double         share[SUP_BATCH];
  step.R += SUP_BATCH * (size_t)k;
  relax(p, k, &batch, share, &step);
  if (!sup_range_owns_all(range, k)) {
    if (!sup_fem_owned(p->body, range, k, owned)) return;
    step.owned = owned;
  }
  sup_batch_select()->tension(&batch, &step);
}

void sup_fem_add_tension(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                         sup_v3 w, const sup_fem_relaxation *relaxation, double *values,
                         double *f) {
  if (body->is_hyperelastic) return;
  double scales[SUP_BATCH];
  for (int l = 0; l < SUP_BATCH; l++) scales[l] = scale;
  pass p = {body,
            relaxation,
            {.X = body->mesh->x,
             .x = x,
             .R = R,
             .scale = scales,
             .values = values,
             .place = sup_block_values(&body->pattern),
             .f = f,
             .tension = scale,
             .w = sup_v3_scale(scale, w)}};
  if (f) sup_fem_begin_sum(body, f);
  sup_ranges_run(&body->batch_ranges, sup_fem_threads(body), add_batch, &p);
  if (f) sup_fem_end_sum(body, f);
}

static void find_batch_pull(void *user, int first, int end) {
  const pass *p = user;
  for (int k = first; k < end; k++) {
    sup_batch      batch = sup_fem_batch(p->body, k);
    sup_batch_step step = p->step;
    double         share[SUP_BATCH];
    step.R += SUP_BATCH * (size_t)k, step.pull += 9 * SUP_BATCH * (size_t)k;
    relax(p, k, &batch, share, &step);
    sup_batch_select()->tension(&batch, &step);
  }
}

void sup_fem_find_tension(const sup_fem_body *body, const sup_m3 *R, const double *x,
                          const sup_fem_relaxation *relaxation, double *pull) {
  pass p = {body,
            relaxation,
            {.X = body->mesh->x, .x = x, .R = R, .scale = ones, .tension = 1, .pull = pull}};
  sup_share_run(sup_fem_threads(body), sup_fem_num_batches(body), find_batch_pull, &p);
}
