/* The second derivative of the energy, rotations that turn with x included.
 *
 *  A cell's energy is E(x, R) = 1/2 ubar^T K0 ubar with ubar = R^T x - X and R the polar factor of
 * the mean deformation gradient.  In the axes of R, with turns theta = G dx, G_a = (tr U - U)^-1
 * [g_a]x (U = R^T F, g_a the mean gradients), and S = ([y_a]x), y = R^T x, N = ([n_a]x), n = K0
 * ubar,
 *
 *      K = K0 + B G + G^T B^T + G^T W G,   B = K0 S - N,   W = sym(S^T K0 S - N^T S).
 *
 *  What is missing is the second derivative of the turn times the moment of the cell's forces about
 * R, of the second order in the strains (tests/fem/test_tangent.c).  T4 with the corotational
 * energy has its law's exact derivative. */
#include <string.h>

#include "fem/body_parts.h"

typedef struct turning {
  sup_m3 G[SUP_CELL_MAX_VERTICES]; /* slot order, axes of R */
  sup_m3 B[SUP_CELL_MAX_VERTICES];
  sup_m3 W;
} turning;

/** tr U - U; 0 when it is nearly singular: a cell that is turned inside out or flat. */
static int turn_matrix(const sup_m3 *U, sup_m3 *inverse) {
  sup_m3 T = sup_m3_scale(-1, *U);
  for (int k = 0; k < 3; k++) T.m[k][k] += U->m[0][0] + U->m[1][1] + U->m[2][2];
  if (!(sup_m3_det(&T) > SUP_FEM_LEAST_TURN)) return 0;
  *inverse = sup_m3_inverse(T);
  return 1;
}

/** Mean gradients in slot order. */
static void slot_gradients(const sup_fem_body *body, int c, sup_v3 *g) {
  int at[SUP_CELL_MAX_VERTICES], n = body->element->num_vertices;
  sup_fem_cell_order(body, c, at);
  for (int a = 0; a < n; a++) g[a] = sup_v3_load(sup_fem_gradient_of(body, c) + 3 * at[a]);
}

/** out := K0 u of cell c, in its own axes. */
static void multiply(const sup_fem_body *body, int c, const double *u, double *out) {
  static const double zero[3 * SUP_CELL_MAX_VERTICES];
  const sup_element  *element = body->element;
  sup_m3              I = sup_m3_identity();
  element->force(sup_fem_stiffness_of(body, c), &I, zero, u, out);
  for (int i = 0; i < 3 * element->num_vertices; i++) out[i] = -out[i];
}

/** Forces of a cell are -R K0 times stiff ubar + damped (R^T x - start) + history, over the sum of
 * both shares: damping (fem/increment.c) and relaxation (fem/viscoelastic.c). */
typedef struct shares {
  double        stiff, damped;
  const double *start, *history; /* of the cell, a number every SUP_BATCH; NULL: none */
} shares;

/** @return 0: the cell is beyond turning */
static int turning_of(const sup_fem_body *body, int c, const sup_m3 *R, const double *x,
                      const shares *share, turning *t) {
  int        n = body->element->num_vertices;
  const int *vertex = body->vertex + (size_t)n * (size_t)c;
  sup_v3     g[SUP_CELL_MAX_VERTICES], X0 = sup_v3_load(body->mesh->x + 3 * (size_t)vertex[0]);
  double     y[3 * SUP_CELL_MAX_VERTICES], u[3 * SUP_CELL_MAX_VERTICES],
      force[3 * SUP_CELL_MAX_VERTICES], column[3 * SUP_CELL_MAX_VERTICES],
      K0S[3][3 * SUP_CELL_MAX_VERTICES];
  sup_m3 U = sup_m3_zero(), inverse, S[SUP_CELL_MAX_VERTICES];
  slot_gradients(body, c, g);
  for (int a = 0; a < n; a++) {
    sup_v3 from0 =
        sup_v3_sub(sup_v3_load(x + 3 * (size_t)vertex[a]), sup_v3_load(x + 3 * (size_t)vertex[0]));
    sup_v3 ya = sup_m3_apply_t(*R, from0),
           Xa = sup_v3_sub(sup_v3_load(body->mesh->x + 3 * (size_t)vertex[a]), X0);
    sup_v3_store(y + 3 * a, ya), sup_v3_store(u + 3 * a, sup_v3_sub(ya, Xa));
    for (int i = 3 * a; i < 3 * a + 3 && share->history; i++)
      u[i] = share->stiff * u[i] + share->history[SUP_BATCH * i];
    for (int i = 3 * a; i < 3 * a + 3 && share->damped > 0; i++)
      u[i] += share->damped * (y[i] - share->start[SUP_BATCH * i]);
    for (int i = 3 * a; i < 3 * a + 3; i++) u[i] /= share->stiff + share->damped;
    sup_m3 outer = sup_m3_outer(ya, g[a]);
    U = sup_m3_add(U, outer);
    S[a] = sup_m3_skew(ya);
  }
  if (!turn_matrix(&U, &inverse)) return 0;
  multiply(body, c, u, force);
  for (int k = 0; k < 3; k++) {
    for (int a = 0; a < n; a++)
      for (int i = 0; i < 3; i++) column[3 * a + i] = S[a].m[i][k];
    multiply(body, c, column, K0S[k]);
  }
  t->W = sup_m3_zero();
  for (int a = 0; a < n; a++) {
    sup_m3 N = sup_m3_skew(sup_v3_load(force + 3 * a)), B;
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) B.m[i][k] = K0S[k][3 * a + i] - N.m[i][k];
    t->B[a] = B;
    t->G[a] = sup_m3_mul(inverse, sup_m3_skew(g[a]));
    sup_m3 part = sup_m3_mul(sup_m3_transpose(S[a]), B); /* S^T K0 S - S^T N */
    t->W = sup_m3_add(t->W, sup_m3_scale(0.5, sup_m3_add(part, sup_m3_transpose(part))));
  }
  return 1;
}

/** What all cells are asked for. */
typedef struct pass {
  const sup_fem_body      *body;
  const sup_m3            *R;
  const double            *x;
  double                   scale;
  const sup_fem_increment *inc;
  double                  *values;
} pass;

static void add_turning_stiffness(void *user, const sup_range *range, int c) {
  const pass              *p = user;
  const sup_fem_body      *body = p->body;
  const sup_fem_increment *inc = p->inc;
  const sup_m3            *R = p->R + c;
  int                      n = body->element->num_vertices;
  const int               *vertex = body->vertex + (size_t)n * (size_t)c;
  const int               *entry = body->entry + (size_t)body->element->num_pairs * (size_t)c;
  size_t  from = 3 * SUP_BATCH * (size_t)n * (size_t)(c / SUP_BATCH) + (size_t)(c % SUP_BATCH);
  shares  share = {.stiff = 1};
  turning t;
  if (sup_fem_matter_of(body, c)->material.model == SUP_MATERIAL_LINEAR) return;
  if (inc && inc->start) {
    share.damped = inc->rate * sup_fem_matter_of(body, c)->material.stiffness_damping;
    share.start = inc->start + from;
  }
  if (inc && inc->relaxation) {
    share.stiff = inc->relaxation->share[body->cell_material[c]];
    share.history = inc->relaxation->history + from;
  }
  if (!turning_of(body, c, R, p->x, &share, &t)) return;
  double scale = p->scale * (share.stiff + share.damped);
  for (int a = 0; a < n; a++)
    for (int b = 0; b <= a; b++, entry++) {
      if (!sup_range_owns(range, vertex[b])) continue;
      double *to = p->values + 9 * (size_t)*entry;
      sup_m3  K = sup_m3_mul(t.B[a], t.G[b]), Gt = sup_m3_transpose(t.G[a]);
      K = sup_m3_add(K,
                     sup_m3_mul(Gt, sup_m3_add(sup_m3_transpose(t.B[b]), sup_m3_mul(t.W, t.G[b]))));
      K = sup_m3_mul(*R, sup_m3_mul(K, sup_m3_transpose(*R)));
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[3 * j + i] += scale * K.m[i][j];
    }
}

/** Are all cells T4 whose energy is a law of their stretches? */
static int has_stretch_laws(const sup_fem_body *body) {
  if (body->is_hyperelastic) return 1;
  for (int k = 0; k < body->num_materials; k++)
    if (body->matter[k].material.model == SUP_MATERIAL_LINEAR) return 0;
  return body->element == &sup_element_t4;
}

void sup_fem_add_tangent(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                         const sup_fem_increment *inc, double *values) {
  double scales[SUP_FEM_MAX_MATERIALS];
  for (int k = 0; k < body->num_materials; k++) scales[k] = scale;
  if (has_stretch_laws(body)) {
    sup_fem_hyperelastic_stiffness(body, x, 0, scales, inc ? inc->relaxation : NULL, values);
    return;
  }
  sup_fem_add_projected(body, R, x, scale, inc, values);
  if (body->element == &sup_element_t4)
    return; /* linear cells among others: what turns is left out */
  sup_fem_run_cells(body, add_turning_stiffness, &(pass){body, R, x, scale, inc, values});
}
