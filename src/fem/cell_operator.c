/* The matrix of a body cell by cell. */
#include "fem/cell_operator.h"

#include <string.h>

#include "fem/body_parts.h"
#include "fem/kernel/turning.h"

enum { MAX_PAIRS = SUP_CELL_MAX_PAIRS, MAX_SCALARS = 3 * SUP_CELL_MAX_VERTICES };

bool sup_fem_has_cell_stiffness(const sup_fem_body *body) {
  return body->element->is_dense && !body->is_hyperelastic;
}

bool sup_fem_has_solid_shells(const sup_fem_body *body) {
  return body->element == &sup_element_shell;
}

/* ---- terms of the matrix
 * ---------------------------------------------------------------------------- */

sup_fem_cells sup_fem_cells_of_stiffness(const sup_fem_body *body, const sup_m3 *R, double scale) {
  sup_fem_cells cells = {.body = body, .R = R, .x = body->mesh->x};
  SUP_ASSERT(sup_fem_has_cell_stiffness(body));
  for (int k = 0; k < body->num_materials; k++) cells.scale[k] = scale;
  return cells;
}

sup_fem_cells sup_fem_cells_of_step(const sup_fem_body *body, const sup_m3 *R, const double *x,
                                    double dt, const double *c, double damping,
                                    const sup_fem_relaxation *relaxation, double *pull) {
  sup_fem_cells cells = {.body = body,
                         .R = R,
                         .x = x,
                         .tension = dt * dt,
                         .pull = pull,
                         .relaxation = relaxation,
                         .mass = sup_fem_mass_of_step(body, damping * dt, c)};
  SUP_ASSERT(sup_fem_has_cell_stiffness(body));
  for (int k = 0; k < body->num_materials; k++)
    cells.scale[k] = dt * (damping * body->matter[k].material.stiffness_damping +
                           sup_fem_share(relaxation, k) * dt);
  return cells;
}

sup_fem_cells sup_fem_cells_of_tangent(const sup_fem_body *body, const sup_m3 *R, const double *x,
                                       double scale, const sup_fem_increment *inc, bool is_exact,
                                       const sup_fem_mass_terms *mass, double *pull) {
  sup_fem_cells cells = {.body = body,
                         .R = R,
                         .x = x,
                         .turning = is_exact ? scale : 0,
                         .tension = is_exact ? 0 : scale,
                         .pull = pull,
                         .inc = inc,
                         .relaxation = inc ? inc->relaxation : NULL,
                         .mass = *mass};
  SUP_ASSERT(sup_fem_has_cell_stiffness(body));
  for (int k = 0; k < body->num_materials; k++) {
    double damped = inc && inc->start ? inc->rate * body->matter[k].material.stiffness_damping : 0;
    cells.scale[k] = scale * (sup_fem_share(cells.relaxation, k) + damped);
  }
  if (!is_exact) sup_fem_find_tension(body, R, x, cells.relaxation, pull);
  return cells;
}

/* ---- products -------------------------------------------------------------------------------- */

/** Arguments of a pass over all batches. */
typedef struct pass {
  const sup_fem_cells *cells;
  const double        *v;
  double              *out;
} pass;

/** Shares and materials of batch k, for its turning part.
 *  @param[out] turns  [SUP_BATCH] 0: the cell has a linear material */
static sup_turning turning_of(const sup_fem_cells *cells, int k, unsigned char *turns) {
  const sup_fem_body      *body = cells->body;
  const sup_fem_increment *inc = cells->inc;
  size_t                   from = 3 * SUP_BATCH * (size_t)body->element->num_vertices * (size_t)k;
  sup_turning t = {.X = body->mesh->x, .x = cells->x, .R = cells->R + SUP_BATCH * (size_t)k};
  for (int l = 0; l < sup_fem_batch(body, k).num_cells; l++) {
    const sup_fem_matter *matter = sup_fem_matter_of(body, SUP_BATCH * k + l);
    t.stiff[l] = sup_fem_share(cells->relaxation, body->cell_material[SUP_BATCH * k + l]);
    if (inc && inc->start) t.damped[l] = inc->rate * matter->material.stiffness_damping;
    turns[l] = matter->material.model != SUP_MATERIAL_LINEAR;
  }
  if (inc && inc->start) t.start = inc->start + from;
  if (inc && inc->relaxation) t.history = inc->relaxation->history + from;
  return t;
}

/** K with turning rotations, of batch k, to vertices that the range owns. */
static void add_turning_product(void *user, const sup_range *range, int k) {
  const pass         *p = user;
  const sup_fem_body *body = p->cells->body;
  sup_batch           batch = sup_fem_batch(body, k);
  unsigned char       turns[SUP_BATCH], owned[SUP_BATCH * SUP_CELL_MAX_VERTICES];
  sup_turning         turning = turning_of(p->cells, k, turns);
  double              f[MAX_SCALARS * SUP_BATCH] __attribute__((aligned(64)));
  int                 n = batch.num_vertices, all = sup_range_owns_all(range, k);
  if (!all && !sup_fem_owned(body, range, k, owned)) return;
  sup_turning_kernels_select()->multiply(&batch, &turning, turns, p->v, f);
  for (int l = 0; l < batch.num_cells; l++) {
    double scale = p->cells->scale[body->cell_material[SUP_BATCH * k + l]];
    for (int a = 0; a < n; a++) {
      double *to = p->out + 3 * (size_t)batch.vertex[n * l + a];
      for (int i = 0; i < 3 && (all || owned[n * l + a]); i++)
        to[i] += scale * f[SUP_BATCH * (3 * a + i) + l];
    }
  }
}

/** Products with K(R), which batches compute as a force, and with T. */
static void add_frozen_product(void *user, const sup_range *range, int k) {
  const pass          *p = user;
  const sup_fem_cells *cells = p->cells;
  const sup_fem_body  *body = cells->body;
  sup_batch            batch = sup_fem_batch(body, k);
  unsigned char        owned[SUP_BATCH * SUP_CELL_MAX_VERTICES];
  double               scale[SUP_BATCH];
  sup_batch_step       step = {
            .x = p->v, .R = cells->R + SUP_BATCH * (size_t)k, .scale = scale, .f = p->out};
  if (!sup_range_owns_all(range, k)) {
    if (!sup_fem_owned(body, range, k, owned)) return;
    step.owned = owned;
  }
  for (int l = 0; l < batch.num_cells; l++)
    scale[l] = -cells->scale[body->cell_material[SUP_BATCH * k + l]];
  sup_batch_select()->dense(&batch, &step);
  if (cells->tension == 0) return;
  step.pull = cells->pull + 9 * SUP_BATCH * (size_t)k;
  for (int l = 0; l < batch.num_cells; l++) scale[l] = cells->tension;
  sup_batch_select()->pull_multiply(&batch, &step);
}

void sup_fem_cells_multiply(const sup_fem_cells *cells, const double *v, double *out) {
  const sup_fem_body *body = cells->body;
  pass                p = {cells, v, out};
  sup_fem_terms_multiply(body, &cells->mass, v, out);
  sup_ranges_run(&body->batch_ranges, sup_fem_threads(body),
                 cells->turning != 0 ? add_turning_product : add_frozen_product, &p);
  sup_fem_end_sum(body, out);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/** Blocks of the pairs of a batch, as assembly puts them into a matrix. */
typedef struct batch_blocks {
  int    entry[SUP_BATCH * MAX_PAIRS];
  size_t place[SUP_BATCH * MAX_PAIRS];
  double value[9 * SUP_BATCH * MAX_PAIRS];
  double turned[9 * SUP_BATCH * MAX_PAIRS] __attribute__((aligned(64)));
} batch_blocks;

static void start_blocks(batch_blocks *b) {
  for (int e = 0; e < SUP_BATCH * MAX_PAIRS; e++) b->entry[e] = e, b->place[e] = 9 * (size_t)e;
}

static void add_tension(const sup_fem_cells *cells, int k, const sup_batch *batch,
                        sup_batch_step step) {
  double                    scale[SUP_BATCH], share[SUP_BATCH];
  const sup_fem_relaxation *relaxation = cells->relaxation;
  const int                *material = cells->body->cell_material + SUP_BATCH * (size_t)k;
  for (int l = 0; l < SUP_BATCH; l++) scale[l] = cells->tension;
  step.X = cells->body->mesh->x, step.x = cells->x, step.scale = scale;
  step.tension = cells->tension;
  if (relaxation) {
    for (int l = 0; l < batch->num_cells; l++) share[l] = relaxation->share[material[l]];
    step.share = share;
    step.history = relaxation->history + 3 * SUP_BATCH * (size_t)(batch->num_vertices * k);
  }
  sup_batch_select()->tension(batch, &step);
}

static void add_turning(const sup_fem_cells *cells, int k, const sup_batch *batch,
                        batch_blocks *b) {
  unsigned char turns[SUP_BATCH];
  sup_turning   turning = turning_of(cells, k, turns);
  sup_turning_kernels_select()->stiffness(batch, &turning, b->turned);
  for (int l = 0; l < batch->num_cells; l++) {
    double scale = cells->scale[cells->body->cell_material[SUP_BATCH * k + l]];
    for (int pair = 0; pair < batch->num_pairs && turns[l]; pair++)
      for (int i = 0; i < 9; i++)
        b->value[9 * (batch->num_pairs * l + pair) + i] +=
            scale * b->turned[SUP_BATCH * (9 * pair + i) + l];
  }
}

/** Column-major blocks of the pairs of each cell of batch k. */
static void find_blocks(const sup_fem_cells *cells, int k, sup_batch *batch, batch_blocks *b) {
  double         scale[SUP_BATCH];
  sup_batch_step step = {.X = cells->body->mesh->x,
                         .x = cells->x,
                         .R = cells->R + SUP_BATCH * (size_t)k,
                         .scale = scale,
                         .values = b->value,
                         .place = b->place};
  *batch = sup_fem_batch(cells->body, k);
  batch->entry = b->entry;
  memset(b->value, 0, sizeof b->value);
  for (int l = 0; l < batch->num_cells; l++)
    scale[l] = cells->scale[cells->body->cell_material[SUP_BATCH * k + l]];
  sup_batch_select()->dense(batch, &step);
  if (cells->tension != 0) add_tension(cells, k, batch, step);
  if (cells->turning != 0) add_turning(cells, k, batch, b);
}

void sup_fem_cells_diagonal(const sup_fem_cells *cells, double *block) {
  const sup_fem_body *body = cells->body;
  batch_blocks        b;
  sup_batch           batch;
  start_blocks(&b);
  sup_fem_put_mass_diagonal(body, &cells->mass, block);
  for (int k = 0; k < sup_fem_num_batches(body); k++) {
    find_blocks(cells, k, &batch, &b);
    for (int l = 0; l < batch.num_cells; l++)
      for (int a = 0; a < batch.num_vertices; a++) {
        const double *from = b.value + 9 * (batch.num_pairs * l + a * (a + 3) / 2);
        double       *to = block + 9 * (size_t)batch.vertex[batch.num_vertices * l + a];
        for (int i = 0; i < 9; i++) to[i] += from[i];
      }
  }
}

/** K [3n x 3n] of a cell from its pairs. */
static void unfold(int n, const double *block, double *K) {
  int size = 3 * n;
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++, block += 9)
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
          K[(3 * a + i) * size + 3 * b + j] = K[(3 * b + j) * size + 3 * a + i] = block[3 * j + i];
}

/** Visit pairs of vertices that a consistent mass matrix couples: those with a common cell. */
static void visit_masses(const sup_fem_cells *cells, sup_clique_visitor *visit, void *user) {
  const sup_block_pattern *P = &cells->body->pattern;
  if (!cells->body->entry_mass) return;
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j) + 1; e < sup_block_column(P, j + 1); e++) {
      double K[36] = {0}, m = sup_fem_mass_of_entry(cells->body, &cells->mass, j, e);
      int    pair[2] = {j, sup_block_row(P, e)};
      for (int i = 0; i < 3; i++) K[6 * i + 3 + i] = K[6 * (3 + i) + i] = m;
      if (m != 0) visit(user, 2, pair, K);
    }
}

static void visit_vertices(const sup_fem_body *body, sup_clique_visitor *visit, void *user) {
  int n = body->element->num_vertices;
  for (int c = 0; c < body->mesh->num_cells; c++)
    visit(user, n, body->vertex + (size_t)n * (size_t)c, NULL);
}

void sup_fem_cells_visit(const sup_fem_cells *cells, bool is_valued, sup_clique_visitor *visit,
                         void *user) {
  const sup_fem_body *body = cells->body;
  batch_blocks        b;
  sup_batch           batch;
  double              K[MAX_SCALARS * MAX_SCALARS];
  if (!is_valued) {
    visit_vertices(body, visit, user);
    return;
  }
  start_blocks(&b);
  visit_masses(cells, visit, user);
  for (int k = 0; k < sup_fem_num_batches(body); k++) {
    find_blocks(cells, k, &batch, &b);
    for (int l = 0; l < batch.num_cells; l++) {
      unfold(batch.num_vertices, b.value + 9 * batch.num_pairs * l, K);
      visit(user, batch.num_vertices, batch.vertex + batch.num_vertices * l, K);
    }
  }
}
