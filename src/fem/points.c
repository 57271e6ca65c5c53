/* Second derivatives, forces and energies of cells with laws and damping at their points: batches
 * of fem/kernel/point_batch.h.
 *
 *  With the mean of the dilatation (THEORY 4.7) a law psi = psi0 + lambda U(d) has psi0 at the
 * points and one d a cell, its mean over them: E = sum_q w_q psi0(F_q) + V lambda U(mean d).  Its
 * stress at the points is that of psi0 + lambda U'(mean d) d, and its second derivative has a dyad
 * more, of the change of the mean. */
#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/kernel/point_batch.h"

/* Arguments of a pass over all cells. */
typedef struct pass {
  const sup_fem_body        *body;
  const double              *x;
  int                        project;
  const sup_fem_point_terms *terms;
  double                    *values, *f, *strain;
} pass;

/** Numbers of a cell in strains and histories. */
static size_t size_of(const sup_fem_body *body) {
  return 6 * (size_t)(body->element->integration ? SUP_ELEMENT_MAX_POINTS : 1);
}

/** The law of a cell and its history. */
static void take_law(const pass *p, int c, int l, sup_point_batch *out) {
  const sup_fem_body       *body = p->body;
  const sup_fem_matter     *m = sup_fem_matter_of(body, c);
  const sup_fem_relaxation *relaxation = p->terms->relaxation;
  int                       k = body->cell_material[c];
  out->law[l] = m->law ? m->law : &sup_stretch_law_corotational;
  out->scale[l] = p->terms->law * (p->terms->scale ? p->terms->scale[k] : 1);
  out->stiff[l] = out->scale[l] * (relaxation ? relaxation->share[k] : 1);
  if (relaxation && relaxation->history && body->is_hyperelastic)
    out->history[l] = relaxation->history + size_of(body) * (size_t)c;
}

static void take_cell(const pass *p, int c, int l, sup_point_batch *out) {
  const sup_fem_matter      *m = sup_fem_matter_of(p->body, c);
  const sup_fem_point_terms *terms = p->terms;
  out->volume[l] = sup_fem_volume_of(p->body, c);
  out->gradient[l] = sup_fem_gradient_of(p->body, c);
  out->turns[l] = m->material.model != SUP_MATERIAL_LINEAR;
  if (!terms) return;
  if (terms->turned) {
    out->damped[l] = terms->damping,
    out->tau[l] = sup_fem_history_stress(p->body, c, terms->turned);
    return;
  }
  out->lame[l] = m->lame;
  if (terms->law != 0) take_law(p, c, l, out);
  if (!terms->start) return;
  out->damped[l] = terms->damping * m->material.stiffness_damping;
  out->start[l] = terms->start + size_of(p->body) * (size_t)c;
}

static sup_point_batch points_of(const pass *p, int k) {
  sup_point_batch out = {.X = p->body->mesh->x,
                         .x = p->x,
                         .is_mean = p->body->element == &sup_element_t10b,
                         .project = p->project};
  int             num = sup_fem_batch(p->body, k).num_cells;
  for (int l = 0; l < num; l++) take_cell(p, SUP_BATCH * k + l, l, &out);
  return out;
}

/** 1: the range owns at least one vertex of the batch. */
static int owns_any(const sup_range *range, int k, const sup_batch *batch) {
  int any = sup_range_owns_all(range, k);
  for (int i = 0; i < batch->num_vertices * batch->num_cells && !any; i++)
    any = sup_range_owns(range, batch->vertex[i]);
  return any;
}

/** Blocks of lane l, in the order of the cell's vertices, into those of its slots. */
static void put_blocks(const pass *p, const sup_range *range, const sup_batch *batch, int c, int l,
                       const double *block) {
  int        n = batch->num_vertices, at[SUP_CELL_MAX_VERTICES];
  const int *vertex = batch->vertex + n * l, *entry = batch->entry + batch->num_pairs * l;
  sup_fem_cell_order(p->body, c, at);
  for (int s = 0; s < n; s++)
    for (int t = 0; t <= s; t++, entry++) {
      if (!sup_range_owns(range, vertex[t])) continue;
      double       *to = p->values + 9 * (size_t)*entry;
      int           a = at[s] > at[t] ? at[s] : at[t], b = at[s] > at[t] ? at[t] : at[s];
      const double *from = block + 9 * SUP_BATCH * (a * (a + 1) / 2 + b) + l;
      if (a == at[s])
        for (int i = 0; i < 9; i++) to[i] += from[SUP_BATCH * i];
      else
        for (int i = 0; i < 9; i++) to[i] += from[SUP_BATCH * (3 * (i % 3) + i / 3)];
    }
}

static void add_stiffness(void *user, const sup_range *range, int k) {
  const pass     *p = user;
  sup_batch       batch = sup_fem_batch(p->body, k);
  sup_point_batch points = points_of(p, k);
  double          block[9 * SUP_POINT_BATCH_PAIRS * SUP_BATCH] __attribute__((aligned(64)));
  if (!owns_any(range, k, &batch)) return;
  sup_point_kernels_select()->stiffness(&batch, &points, block);
  for (int l = 0; l < batch.num_cells; l++)
    put_blocks(p, range, &batch, SUP_BATCH * k + l, l, block);
}

void sup_fem_points_stiffness(const sup_fem_body *body, const double *x, int project,
                              const sup_fem_point_terms *terms, double *values) {
  pass p = {.body = body, .x = x, .project = project, .terms = terms, .values = values};
  sup_ranges_run(&body->batch_ranges, sup_fem_threads(body), add_stiffness, &p);
}

static void add_force(void *user, const sup_range *range, int k) {
  const pass     *p = user;
  sup_batch       batch = sup_fem_batch(p->body, k);
  sup_point_batch points = points_of(p, k);
  double          f[3 * SUP_CELL_MAX_VERTICES * SUP_BATCH] __attribute__((aligned(64)));
  int             n = batch.num_vertices;
  if (!owns_any(range, k, &batch)) return;
  sup_point_kernels_select()->force(&batch, &points, f);
  for (int l = 0; l < batch.num_cells; l++)
    for (int a = 0; a < n; a++) {
      int vertex = batch.cell[n * l + a];
      if (!sup_range_owns(range, vertex)) continue;
      for (int i = 0; i < 3; i++)
        p->f[3 * (size_t)vertex + (size_t)i] += f[SUP_BATCH * (3 * a + i) + l];
    }
}

void sup_fem_points_force(const sup_fem_body *body, const double *x,
                          const sup_fem_point_terms *terms, double *f) {
  pass p = {.body = body, .x = x, .terms = terms, .f = f};
  sup_ranges_run(&body->batch_ranges, sup_fem_threads(body), add_force, &p);
}

static void batch_energy(void *user, int k, double *term) {
  const pass     *p = user;
  sup_batch       batch = sup_fem_batch(p->body, k);
  sup_point_batch points = points_of(p, k);
  for (int l = 0; l < SUP_BATCH; l++) term[l] = 0;
  sup_point_kernels_select()->energy(&batch, &points, term);
}

double sup_fem_points_energy(const sup_fem_body *body, const double *x,
                             const sup_fem_point_terms *terms) {
  double sum = 0;
  sup_sum_terms(sup_fem_threads(body), sup_fem_num_batches(body), SUP_BATCH, 1, batch_energy,
                &(pass){.body = body, .x = x, .terms = terms}, &sum);
  return sum;
}

static void take_strains(void *user, int first, int end) {
  const pass *p = user;
  size_t      size = size_of(p->body);
  for (int k = first; k < end; k++) {
    sup_batch       batch = sup_fem_batch(p->body, k);
    sup_point_batch points = points_of(p, k);
    double         *to[SUP_BATCH];
    for (int l = 0; l < batch.num_cells; l++)
      to[l] = p->strain + size * (size_t)(SUP_BATCH * k + l);
    sup_point_kernels_select()->strain(&batch, &points, to);
  }
}

void sup_fem_points_strain(const sup_fem_body *body, const double *x, double *strain) {
  sup_share_run(sup_fem_threads(body), sup_fem_num_batches(body), take_strains,
                &(pass){.body = body, .x = x, .strain = strain});
}
