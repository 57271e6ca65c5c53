#include "step/control/error_norm.h"

#include <math.h>

/** The larger of two, and NaN when one is. */
static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

static double vector_error(const double *a, const double *b, double scale) {
  double e = 0;
  for (int k = 0; k < 3; k++) e = larger(e, fabs(a[k] - b[k]) / scale);
  return e;
}

sup_v3 sup_error_rotation(const double *from, const double *to) {
  sup_quat inverse = {from[0], -from[1], -from[2], -from[3]}, end = {to[0], to[1], to[2], to[3]};
  return sup_quat_log(sup_quat_mul(inverse, end));
}

double sup_error_of_joint_velocity(const sup_step_layout *layout, const sup_tree_link *link, int k,
                                   double v) {
  const sup_accuracy *o = &layout->options.accuracy;
  return o->time * fabs(v) / (sup_joint_turns(link, k) ? 1 : o->length);
}

double sup_error_of_joint_velocities(const sup_step_layout *layout, int tree, const double *v) {
  double e = 0;
  for (int l = 0; l < layout->model->tree[tree]->num_links; l++) {
    const sup_tree_link *link = &layout->model->tree[tree]->links[l];
    for (int k = 0; k < link->nv; k++)
      e = larger(e, sup_error_of_joint_velocity(layout, link, k, v[link->v_start + k]));
  }
  return e;
}

/** Largest difference of two states' joints. */
static double tree_difference(const sup_step_layout *layout, const sup_state *a,
                              const sup_state *b) {
  const sup_model    *model = layout->model;
  const sup_accuracy *o = &layout->options.accuracy;
  const double        zero[3] = {0, 0, 0};
  double              e = 0;
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      const sup_tree_link *link = &model->tree[t]->links[l];
      int q = model->q_start[t] + link->q_start, v = model->v_start[t] + link->v_start,
          turn = sup_joint_quaternion(link);
      for (int k = 0; k < link->nv; k++) {
        double scale = sup_joint_turns(link, k) ? 1 : o->length;
        e = larger(e, o->time * fabs(a->v[v + k] - b->v[v + k]) / scale);
        if (turn == SUP_NONE) e = larger(e, fabs(a->q[q + k] - b->q[q + k]) / scale);
      }
      if (turn == SUP_NONE) continue;
      double r[3];
      sup_v3_store(r, sup_error_rotation(a->q + q + turn, b->q + q + turn));
      e = larger(e, vector_error(r, zero, 1));
      if (turn > 0) e = larger(e, vector_error(a->q + q, b->q + q, o->length));
    }
  return e;
}

double sup_error_of_vertices(const sup_step_layout *layout, const double *x, const double *v) {
  const sup_accuracy *o = &layout->options.accuracy;
  double              e = 0;
  for (int i = 0; i < layout->model->num_softs; i++) {
    const sup_soft *soft = &layout->model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      size_t at = 3 * (size_t)soft->first_vertex + (size_t)a;
      if (soft->kind[a / 3] != SUP_VERTEX_FREE || soft->holder[a] != SUP_NONE) continue;
      e = larger(e, larger(fabs(x[at]), o->time * fabs(v[at])) / o->length);
    }
  }
  return e;
}

sup_status sup_error_of_states(const sup_step_layout *layout, const sup_state *a,
                               const sup_state *b, sup_arena *arena, double *e) {
  double *x, *v;
  int     n = 3 * layout->model->num_vertices;
  SUP_TRY(SUP_ARENA_VECTORS(arena, n, &x, &v));
  for (int i = 0; i < n; i++) x[i] = a->x[i] - b->x[i], v[i] = a->xdot[i] - b->xdot[i];
  *e = larger(tree_difference(layout, a, b), sup_error_of_vertices(layout, x, v));
  return SUP_OK;
}
