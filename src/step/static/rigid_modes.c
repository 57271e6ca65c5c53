#include "step/static/rigid_modes.h"

#include <math.h>
#include <stdio.h>

#include "la/dense_eigen.h"
#include "step/numerics.h"

enum { MODES = 6 };

/** Mean and size of the vertices. */
static sup_v3 centre_of(const double *x, int n, double *size) {
  sup_v3 centre = {0, 0, 0};
  double sum = 0;
  for (int a = 0; a < n; a++) centre = sup_v3_madd(centre, 1.0 / n, sup_v3_load(x + 3 * a));
  for (int a = 0; a < n; a++) {
    sup_v3 r = sup_v3_sub(sup_v3_load(x + 3 * a), centre);
    sum += sup_v3_dot(r, r) / n;
  }
  *size = sqrt(sum);
  return centre;
}

/** Add a held component's share in six motions to their Gram matrix G: shifts, and turns about the
 * centre times the size. */
static void add_held(double G[MODES][MODES], int axis, sup_v3 r, double size) {
  sup_v3 e = {axis == 0, axis == 1, axis == 2}, turn = sup_v3_scale(1 / size, sup_v3_cross(r, e));
  double row[MODES];
  sup_v3_store(row, e), sup_v3_store(row + 3, turn);
  for (int i = 0; i < MODES; i++)
    for (int j = 0; j < MODES; j++) G[i][j] += row[i] * row[j];
}

/** Round-off becomes zero. */
static sup_v3 tidy(sup_v3 a, double scale) {
  double c[3];
  sup_v3_store(c, a);
  for (int i = 0; i < 3; i++)
    if (fabs(c[i]) < 1e-6 * scale) c[i] = 0;
  return sup_v3_load(c);
}

static void describe(const double mode[MODES], sup_v3 centre, double size, char *text,
                     size_t capacity) {
  sup_v3 t = sup_v3_load(mode), w = sup_v3_scale(1 / size, sup_v3_load(mode + 3));
  double turn = sup_v3_norm(w);
  if (turn * size < 1e-3) {
    t = tidy(sup_v3_unit(t), 1);
    snprintf(text, capacity, "a shift along (%.3g, %.3g, %.3g)", t.x, t.y, t.z);
    return;
  }
  sup_v3 axis = tidy(sup_v3_scale(1 / turn, w), 1);
  sup_v3 point =
      tidy(sup_v3_madd(centre, 1 / turn, sup_v3_cross(sup_v3_scale(1 / turn, w), t)), size);
  snprintf(text, capacity, "a turn about the axis (%.3g, %.3g, %.3g) through (%.4g, %.4g, %.4g) m",
           axis.x, axis.y, axis.z, point.x, point.y, point.z);
}

int sup_rigid_mode(const sup_model *model, int i, const double *x, char *text, size_t capacity) {
  const sup_soft *soft = &model->soft[i];
  double          G[MODES][MODES] = {{0}}, Q[MODES][MODES], size, largest = 0;
  sup_v3          centre = centre_of(x + 3 * soft->first_vertex, soft->num_vertices, &size);
  int             freest = 0;
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *held = &model->soft[s];
    const double   *at = x + 3 * (size_t)held->first_vertex;
    for (int a = 0; held->group == soft->group && a < 3 * held->num_vertices; a++)
      if (held->kind[a / 3] == SUP_VERTEX_ATTACHED || held->holder[a] != SUP_NONE)
        add_held(G, a % 3, sup_v3_sub(sup_v3_load(at + a - a % 3), centre), size);
  }
  sup_dense_eigen(MODES, G[0], Q[0]);
  for (int k = 0; k < MODES; k++) {
    if (G[k][k] < G[freest][freest]) freest = k;
    largest = fmax(largest, G[k][k]);
  }
  if (G[freest][freest] > sup_step_numerics.rigid * largest) return 0;
  double mode[MODES];
  for (int k = 0; k < MODES; k++) mode[k] = largest > 0 ? Q[k][freest] : k == 0;
  describe(mode, centre, size, text, capacity);
  return 1;
}
