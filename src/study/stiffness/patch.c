#include "study/stiffness/patch.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/triangle.h"
#include "la/dense_lu.h"
#include "study/numerics.h"

/* ---- patches --------------------------------------------------------------------------------- */

enum { PIECES = 8, MOST_PIECES = 64 }; /* of a triangle's longest edge: by the radius, at most */

static void corners(const sup_patch_face *f, const double *x, int triangle, sup_v3 c[3]) {
  for (int k = 0; k < 3; k++) c[k] = sup_surface_corner(f->soft->surface, x, triangle, k);
}

/** Twice the area vector. */
static sup_v3 normal_of(const sup_v3 c[3]) {
  return sup_v3_cross(sup_v3_sub(c[1], c[0]), sup_v3_sub(c[2], c[0]));
}

static double longest_edge(const sup_v3 c[3]) {
  double edge = 0;
  for (int k = 0; k < 3; k++) edge = fmax(edge, sup_v3_norm(sup_v3_sub(c[k], c[(k + 1) % 3])));
  return edge;
}

static bool is_facing(const sup_v3 c[3], sup_v3 facing) {
  return sup_v3_dot(sup_v3_unit(normal_of(c)), facing) > sup_study_numerics.facing;
}

static sup_v3 point_of(const sup_v3 c[3], const double b[3]) {
  return sup_v3_madd(sup_v3_madd(sup_v3_scale(b[0], c[0]), b[1], c[1]), b[2], c[2]);
}

/** Triangle at time 0 nearest to the point, which moves there, and barycentric coordinates in it;
 * those that do not face as the line does are further by `behind`. */
static int find_nearest(const sup_patch_face *f, double behind, sup_v3 *point, double b[3],
                        double *distance) {
  sup_v3 c[3], at = *point;
  double least = HUGE_VAL;
  int    triangle = 0;
  for (int t = 0; t < f->soft->surface->num_triangles; t++) {
    corners(f, f->soft->x0, t, c);
    sup_v3 p = sup_triangle_nearest(c[0], c[1], c[2], at);
    double d = sup_v3_norm(sup_v3_sub(p, at)), rank = d + (is_facing(c, f->facing) ? 0 : behind);
    if (rank < least) least = rank, *distance = d, *point = p, triangle = t;
  }
  corners(f, f->soft->x0, triangle, c);
  sup_v3 n = normal_of(c);
  for (int k = 0; k < 3; k++) {
    sup_v3 part[3] = {c[0], c[1], c[2]};
    part[k] = *point;
    b[k] = sup_v3_dot(normal_of(part), n) / sup_v3_dot(n, n);
  }
  return triangle;
}

sup_v3 sup_patch_facing(const sup_patch_face *f, sup_v3 from) {
  enum { SAMPLES = 16 };
  sup_v3 c[3], n[SAMPLES], sum = {0, 0, 0};
  double b[3], distance;
  int    best = 0;
  for (int i = 0; i < SAMPLES; i++) {
    sup_v3 point = sup_v3_madd(from, (i + 0.5) / SAMPLES, f->along);
    corners(f, f->soft->x0, find_nearest(f, 0, &point, b, &distance), c);
    n[i] = sup_v3_unit(normal_of(c)), sum = sup_v3_add(sum, n[i]);
  }
  for (int i = 1; i < SAMPLES; i++)
    if (sup_v3_dot(n[i], sum) > sup_v3_dot(n[best], sum)) best = i;
  return n[best];
}

static double distance_of(const sup_patch_face *f, sup_v3 from, sup_v3 to) {
  sup_v3 d = sup_v3_sub(to, from);
  return sup_v3_norm(sup_v3_madd(d, -sup_v3_dot(d, f->axis), f->axis));
}

enum { T6 = 6 };

/** Shape functions of a face at a point of one of its triangles; returns their number. */
static int shape_functions(const sup_surface *surface, int triangle, const double b[3],
                           int vertex[T6], double share[T6]) {
  static const int part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
  const int       *face = surface->face + 12 * (size_t)(triangle / 4);
  double           L[3] = {0};
  if (!surface->is_quadratic) {
    sup_surface_barycentric_weights(surface, triangle, b, vertex, share);
    return surface->vertices_per_face;
  }
  for (int c = 0; c < 3; c++) {
    int v = part[triangle % 4][c];
    L[v % 3] += v < 3 ? b[c] : b[c] / 2, L[v < 3 ? v : (v + 1) % 3] += v < 3 ? 0 : b[c] / 2;
  }
  for (int k = 0; k < 3; k++) {
    vertex[k] = face[3 * k + k], share[k] = L[k] * (2 * L[k] - 1);
    vertex[3 + k] = face[9 + k], share[3 + k] = 4 * L[k] * L[(k + 1) % 3];
  }
  return T6;
}

/** weight [num_vertices] += area of a triangle's pieces within the radius, normal += that now.
 * Pieces at the rim count in part: round-off decides on none.  True if there are any. */
static bool add_triangle(const sup_patch_face *f, int triangle, sup_v3 centre, double radius,
                         double *weight, sup_v3 *normal) {
  sup_v3 c[3], now[3];
  double N[T6];
  int    vertex[T6];
  bool   any = false;
  corners(f, f->soft->x0, triangle, c), corners(f, f->x, triangle, now);
  double edge = longest_edge(c);
  int    n = (int)fmin(ceil(PIECES * edge / radius - sup_study_numerics.exact), MOST_PIECES);
  double area = sup_v3_norm(normal_of(c)) / (2 * n * n);
  sup_v3 n_now = sup_v3_unit(normal_of(now));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 2 * (n - i) - 1; j++) { /* pieces of a row: upright and turned in turn */
      double a = (i + (1 + j % 2) / 3.) / n, d = (j / 2 + (1 + j % 2) / 3.) / n,
             turn = j % 2 ? -1 : 1, b[3] = {1 - a - d, a, d};
      double share = (radius - distance_of(f, centre, point_of(c, b))) * n / edge + 0.5;
      if (share <= 0) continue;
      any = true, share = fmin(share, 1) * area;
      for (int m = 0; m < 3; m++) { /* middles of sides: exact for quadratics */
        double mid[3];
        for (int k = 0; k < 3; k++) mid[k] = b[k] + turn * (k == m ? -1. / 3 : 1. / 6) / n;
        int count = shape_functions(f->soft->surface, triangle, mid, vertex, N);
        for (int k = 0; k < count; k++) weight[vertex[k]] += share / 3 * N[k];
      }
      *normal = sup_v3_madd(*normal, share, n_now);
    }
  return any;
}

/** Add what is connected with the triangle `nearest` by faces that face as it does. */
static sup_status spread(const sup_patch_face *f, int nearest, sup_v3 centre, double radius,
                         double *weight, sup_v3 *normal) {
  const sup_surface       *surface = f->soft->surface;
  SUP_FREED unsigned char *reached = NULL, *taken = NULL;
  sup_v3                   c[3];
  int                      m = surface->vertices_per_face, any = 1;
  SUP_TRY(SUP_CALLOC(reached, surface->num_points));
  SUP_TRY(SUP_CALLOC(taken, surface->num_triangles));
  corners(f, f->soft->x0, nearest, c);
  sup_v3 facing = sup_v3_unit(normal_of(c));
  for (int k = 0; k < m; k++) reached[surface->face[surface->triangle_face[nearest] * m + k]] = 1;
  while (any) {
    any = 0;
    for (int t = 0; t < surface->num_triangles; t++) {
      const int *face = surface->face + surface->triangle_face[t] * m;
      int        touches = 0;
      for (int k = 0; k < m; k++) touches |= reached[face[k]];
      if (taken[t] || !touches) continue;
      corners(f, f->soft->x0, t, c);
      taken[t] = 1;
      if (!is_facing(c, facing) || !add_triangle(f, t, centre, radius, weight, normal)) continue;
      for (int k = 0; k < m; k++) reached[face[k]] = 1;
      any = 1;
    }
  }
  return SUP_OK;
}

static void set_axes(const sup_patch_face *f, sup_v3 normal, sup_patch *patch) {
  sup_v3 n = sup_v3_unit(normal), t = sup_v3_madd(f->along, -sup_v3_dot(f->along, n), n);
  if (!(sup_v3_norm(t) > sup_study_numerics.exact * sup_v3_norm(f->along))) {
    sup_m3 R = sup_m3_frame_of_normal(n);
    t = sup_m3_column(&R, 0);
  }
  patch->axis[0] = n, patch->axis[1] = sup_v3_unit(t);
  patch->axis[2] = sup_v3_cross(n, patch->axis[1]);
}

sup_status sup_patch_create(const sup_patch_face *f, sup_v3 point, double radius,
                            sup_patch *patch) {
  SUP_FREED double *weight = NULL;
  sup_v3            c[3], normal = {0, 0, 0};
  double            b[3], sum = 0;
  *patch = (sup_patch){.num = 0};
  SUP_TRY(SUP_CALLOC(weight, f->soft->num_vertices));
  int nearest = find_nearest(f, sup_study_numerics.off_face * radius, &point, b, &patch->distance);
  corners(f, f->soft->x0, nearest, c);
  patch->cell = longest_edge(c);
  corners(f, f->x, nearest, c);
  patch->at = point_of(c, b);
  SUP_TRY(spread(f, nearest, point, radius, weight, &normal));
  if (!(sup_v3_norm(normal) > 0)) { /* smaller than any piece: a point */
    int    vertex[T6];
    double share[T6];
    int    count = shape_functions(f->soft->surface, nearest, b, vertex, share);
    for (int k = 0; k < count; k++) weight[vertex[k]] += share[k];
    corners(f, f->x, nearest, c);
    normal = normal_of(c);
  }
  set_axes(f, normal, patch);
  for (int a = 0; a < f->soft->num_vertices; a++) sum += weight[a], patch->num += weight[a] != 0;
  SUP_TRY(SUP_CALLOC(patch->vertex, patch->num));
  SUP_TRY(SUP_CALLOC(patch->weight, patch->num));
  for (int a = 0, k = 0; a < f->soft->num_vertices; a++)
    if (weight[a] != 0) patch->vertex[k] = a, patch->weight[k++] = weight[a] / sum;
  return SUP_OK;
}

void sup_patch_free(sup_patch *patch) { SUP_FREE_ALL(&patch->vertex, &patch->weight); }

/* ---- compliance ------------------------------------------------------------------------------ */

/** Force by the scalars on which it acts. */
typedef struct force {
  int     num, *at;
  double *value;
} force;

static sup_status take(const double *p, int n, sup_arena *arena, force *f) {
  int k = 0;
  f->num = 0;
  for (int i = 0; i < n; i++) f->num += p[i] != 0;
  SUP_TRY(SUP_ARENA(arena, f->at, f->num));
  SUP_TRY(SUP_ARENA(arena, f->value, f->num));
  for (int i = 0; i < n; i++)
    if (p[i] != 0) f->at[k] = i, f->value[k++] = p[i];
  return SUP_OK;
}

/** Unit force on the patch along an axis, on the unknowns that move it. */
static sup_status find_force(sup_static_equations *e, int soft, const sup_patch *patch, int axis,
                             double *kept, sup_arena *arena, force *f) {
  int     n = e->it.start.layout->A_pattern.num_scalars;
  double *p = e->assembly.p, pa[3];
  size_t  size = (size_t)n * sizeof *p;
  memcpy(kept, p, size), memset(p, 0, size);
  for (int a = 0; a < patch->num; a++) {
    sup_v3_store(pa, sup_v3_scale(patch->weight[a], patch->axis[axis]));
    sup_assembly_add_free_momentum(&e->assembly, soft, patch->vertex[a], pa);
  }
  sup_status status = take(p, n, arena, f);
  memcpy(p, kept, size);
  return status;
}

/** Gradients of given volumes and lengths, and the softness of each; slack cables have none. */
static sup_status find_rows(const sup_static_equations *e, sup_arena *arena, force *f,
                            double *softness, int *num) {
  const sup_model *model = e->it.start.model;
  int              chambers = model->num_chambers, n = e->it.start.layout->A_pattern.num_scalars;
  *num = 0;
  for (int c = 0; c < chambers + model->num_strands; c++) {
    const sup_column *row =
        c < chambers ? &e->assembly.chamber[c].row : &e->assembly.strand[c - chambers];
    if (!row->is_given || !(row->force > row->lowest) || !(row->stiffness > 0)) continue;
    softness[*num] = 1 / row->stiffness;
    SUP_TRY(take(row->column, n, arena, &f[(*num)++]));
  }
  return SUP_OK;
}

/** True if H is the tangent: nothing but elastic forces follows the displacements. */
static bool is_tangent(const sup_static_equations *e) {
  const sup_model *model = e->it.start.model;
  bool             any = e->it.problem.num_constraints > 0 || e->it.start.state->num_v > 0 ||
             model->num_chambers + model->num_strands > 0;
  for (int i = 0; i < model->num_softs; i++) any |= sup_soft_has_follower(&model->soft[i]);
  return !any;
}

static sup_status fill(sup_static_equations *e, const force *f, int num, double *x,
                       sup_arena *arena, double *C, double *residual) {
  int    n = e->it.start.layout->A_pattern.num_scalars;
  bool   is_direct = is_tangent(e);
  double rest = 0;
  *residual = 0;
  for (int j = 0; j < num; j++) {
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < f[j].num; k++) x[f[j].at[k]] = f[j].value[k];
    if (is_direct) {
      SUP_TRY(sup_static_equations_solve(e, x));
    } else if (f[j].num > 0) {
      SUP_TRY(sup_arena_reset(arena));
      SUP_TRY(sup_static_equations_invert(e, false, sup_study_numerics.exact, x, arena, &rest));
    }
    *residual = fmax(*residual, rest);
    for (int i = 0; i < num; i++) {
      C[i * num + j] = 0;
      for (int k = 0; k < f[i].num; k++) C[i * num + j] += f[i].value[k] * x[f[i].at[k]];
    }
  }
  return SUP_OK;
}

/** C [num x num] of the first forces of `all` [num + rows squared], while the rows of the others
 * keep their ways. */
static sup_status hold_rows(const double *all, int num, int rows, const double *softness,
                            sup_arena *arena, double *C) {
  double *S, *x;
  int    *pivot, n = num + rows;
  SUP_TRY(SUP_ARENA_VECTORS(arena, rows * rows + 1, &S, &x));
  SUP_TRY(SUP_ARENA(arena, pivot, rows + 1));
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++)
      S[i * rows + j] = all[(num + i) * n + num + j] + (i == j ? softness[i] : 0);
  if (sup_dense_lu(rows, S, pivot) < rows)
    return SUP_FAIL(SUP_E_NOT_SPD, "given volumes or lengths hold each other");
  for (int j = 0; j < num; j++) {
    for (int r = 0; r < rows; r++) x[r] = all[(num + r) * n + j];
    sup_dense_lu_solve(rows, S, pivot, x);
    for (int i = 0; i < num; i++) {
      C[i * num + j] = all[i * n + j];
      for (int r = 0; r < rows; r++) C[i * num + j] -= all[i * n + num + r] * x[r];
    }
  }
  return SUP_OK;
}

sup_status sup_patch_compliance(sup_static_equations *e, int soft, const sup_patch *patch, int num,
                                double *C, double *residual) {
  const sup_model    *model = e->it.start.model;
  SUP_OWN(sup_arena) *forces = NULL, *arena = NULL;
  SUP_FREED double   *x = NULL, *all = NULL, *softness = NULL;
  force              *f;
  int                 rows = model->num_chambers + model->num_strands;
  SUP_TRY(sup_arena_create(&forces, 1 << 16));
  SUP_TRY(sup_arena_create(&arena, 1 << 16));
  SUP_TRY(SUP_CALLOC(x, e->it.start.layout->A_pattern.num_scalars));
  SUP_TRY(SUP_CALLOC(softness, rows));
  SUP_TRY(SUP_ARENA(forces, f, 3 * num + rows));
  SUP_TRY(find_rows(e, forces, f + 3 * num, softness, &rows));
  for (int i = 0; i < 3 * num; i++)
    SUP_TRY(find_force(e, soft, &patch[i / 3], i % 3, x, forces, &f[i]));
  SUP_TRY(SUP_CALLOC(all, (3 * num + rows) * (3 * num + rows)));
  SUP_TRY(fill(e, f, 3 * num + rows, x, arena, all, residual));
  return hold_rows(all, 3 * num, rows, softness, forces, C);
}
