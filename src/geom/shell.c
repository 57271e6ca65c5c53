#include "geom/shell.h"

#include <string.h>

#include "base/memory.h"
#include "geom/bvh.h"
#include "geom/numerics.h"

/** A width is halved so often, then it is 0. */
enum { MAX_HALVINGS = 7 };

typedef struct tet_corners {
  sup_v3 p[4];
} tet_corners;

static tet_corners corners_of(const sup_shell *s, int t) {
  tet_corners c;
  for (int k = 0; k < 4; k++) c.p[k] = sup_v3_load(s->x + 3 * s->tet[4 * t + k]);
  return c;
}

static double longest_edge(const tet_corners *c) {
  double most = 0;
  for (int i = 0; i < 4; i++)
    for (int k = i + 1; k < 4; k++) most = sup_max(most, sup_v3_norm(sup_v3_sub(c->p[k], c->p[i])));
  return most;
}

/** Six times the volume, over the longest edge cubed. */
static double fullness(const tet_corners *c) {
  sup_v3 a = sup_v3_sub(c->p[1], c->p[0]), b = sup_v3_sub(c->p[2], c->p[0]),
         d = sup_v3_sub(c->p[3], c->p[0]);
  double size = longest_edge(c);
  return size > 0 ? sup_v3_dot(sup_v3_cross(a, b), d) / (size * size * size) : 0;
}

static sup_box box_of(const tet_corners *c) {
  sup_box box = sup_box_empty();
  for (int k = 0; k < 4; k++) box = sup_box_add(box, c->p[k]);
  return box;
}

/* ---- overlap of two tetrahedra --------------------------------------------------------------- */

/** 1: the projections on the axis overlap by no more than `allowed` [m]. */
static bool is_apart(const tet_corners *a, const tet_corners *b, sup_v3 axis, double allowed) {
  double size = sup_v3_norm(axis), low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  if (!(size > 0)) return 0;
  for (int k = 0; k < 4; k++) {
    double pa = sup_v3_dot(axis, a->p[k]), pb = sup_v3_dot(axis, b->p[k]);
    low[0] = sup_min(low[0], pa), high[0] = sup_max(high[0], pa);
    low[1] = sup_min(low[1], pb), high[1] = sup_max(high[1], pb);
  }
  return sup_min(high[0] - low[1], high[1] - low[0]) <= allowed * size;
}

static sup_v3 face_normal(const tet_corners *c, int k) {
  sup_v3 a = c->p[(k + 1) % 4];
  return sup_v3_cross(sup_v3_sub(c->p[(k + 2) % 4], a), sup_v3_sub(c->p[(k + 3) % 4], a));
}

/** By separating axes: two convex polyhedra are apart along a face's normal, or across an edge of
 * each. */
static int overlap(const tet_corners *a, const tet_corners *b) {
  static const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  double size = sup_max(longest_edge(a), longest_edge(b)), allowed = sup_geom_numerics.touch * size;
  for (int k = 0; k < 4; k++)
    if (is_apart(a, b, face_normal(a, k), allowed) || is_apart(a, b, face_normal(b, k), allowed))
      return 0;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      sup_v3 u = sup_v3_sub(a->p[edge[i][1]], a->p[edge[i][0]]),
             v = sup_v3_sub(b->p[edge[k][1]], b->p[edge[k][0]]);
      sup_v3 axis = sup_v3_cross(u, v);
      if (sup_v3_norm(axis) < 1e-6 * sup_v3_norm(u) * sup_v3_norm(v))
        continue; /* parallel: no axis, or noise */
      if (is_apart(a, b, axis, allowed)) return 0;
    }
  return 1;
}

/* ---- fitting --------------------------------------------------------------------------------- */

typedef struct fit {
  sup_shell     *shell;
  double        *width;
  unsigned char *is_used;
  unsigned char *halvings; /* [outer points] */
  unsigned char *is_bad;   /* [outer points] in this round */
  unsigned char *is_new;   /* [outer points] placed anew since the last round */
  tet_corners   *corners;  /* [num_tets] */
  sup_box       *box;      /* [num_tets] */
  int           *item;     /* [num_tets] */
  sup_bvh_node  *node;     /* [2 num_tets - 1] */
} fit;

/** 1: the tetrahedron exists: not all outer points of its prism are on the surface. */
static bool has_width(const fit *f, int t) {
  for (int k = 0; k < 4; k++) {
    int i = f->shell->tet[4 * t + k] - f->shell->first_outer;
    if (i >= 0 && f->width[i] > 0) return 1;
  }
  return 0;
}

static void mark(fit *f, int t) {
  for (int k = 0; k < 4; k++) {
    int i = f->shell->tet[4 * t + k] - f->shell->first_outer;
    if (i >= 0) f->is_bad[i] = 1;
  }
}

/** 1: a tetrahedron has an outer point with this mark. */
static bool has_mark(const fit *f, const unsigned char *mark, int t) {
  for (int k = 0; k < 4; k++) {
    int i = f->shell->tet[4 * t + k] - f->shell->first_outer;
    if (i >= 0 && mark[i]) return 1;
  }
  return 0;
}

static int num_common(const sup_shell *s, int t, int u) {
  int common = 0;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) common += s->tet[4 * t + i] == s->tet[4 * u + k];
  return common;
}

/** Store the outer points and the data that depend on them. */
static void place(fit *f) {
  sup_shell *s = f->shell;
  for (int i = 0; i < s->num_points - s->first_outer; i++)
    sup_v3_store(s->x + 3 * (s->first_outer + i),
                 sup_v3_madd(sup_v3_load(s->x + 3 * s->inner[i]), f->width[i],
                             sup_v3_load(s->offset + 3 * i)));
  for (int t = s->first_tet; t < s->num_tets; t++) {
    f->corners[t] = corners_of(s, t);
    f->box[t] = box_of(&f->corners[t]);
    f->is_used[t] = has_width(f, t) && fullness(&f->corners[t]) > sup_geom_numerics.volume;
  }
}

/** Mark the outer points of a tetrahedron and of the cells in its overlap. */
static void look_around(fit *f, int t) {
  int n = sup_bvh_query(f->node, &f->box[t], f->item);
  for (int k = 0; k < n; k++) {
    int u = f->item[k];
    if (u == t || !f->is_used[u] || num_common(f->shell, t, u) >= 3) continue;
    if (!overlap(&f->corners[t], &f->corners[u])) continue;
    mark(f, t);
    mark(f, u);
    return;
  }
}

/** Mark the outer points of prisms that overlap a cell or prism, or are inverted.  Only prisms
 * moved since the last round need a test. */
static void mark_bad(fit *f, const sup_bvh *bvh) {
  sup_shell *s = f->shell;
  memset(f->is_bad, 0, (size_t)(s->num_points - s->first_outer));
  for (int t = s->first_tet; t < s->num_tets; t++)
    if (has_width(f, t) && fullness(&f->corners[t]) < -sup_geom_numerics.volume) mark(f, t);
  sup_bvh_refit(bvh, f->box, f->node);
  for (int t = s->first_tet; t < s->num_tets; t++)
    if (f->is_used[t] && has_mark(f, f->is_new, t) && !has_mark(f, f->is_bad, t)) look_around(f, t);
}

static int narrow(fit *f) {
  int changed = 0;
  for (int i = 0; i < f->shell->num_points - f->shell->first_outer; i++) {
    f->is_new[i] = f->is_bad[i] && f->width[i] > 0;
    if (!f->is_new[i]) continue;
    f->width[i] = f->halvings[i]++ < MAX_HALVINGS ? 0.5 * f->width[i] : 0;
    changed = 1;
  }
  return changed;
}

/** Terminates: every round narrows the marked points, and a point can be narrowed only a limited
 * number of times. */
static sup_status fit_all(fit *f) {
  sup_shell *s = f->shell;
  sup_bvh   *bvh;
  for (int t = 0; t < s->first_tet; t++) {
    f->corners[t] = corners_of(s, t);
    f->box[t] = box_of(&f->corners[t]);
    f->is_used[t] = 1;
  }
  memset(f->is_new, 1, (size_t)(s->num_points - s->first_outer));
  place(f);
  SUP_TRY(sup_bvh_create(&bvh, s->num_tets, f->box));
  do {
    place(f);
    mark_bad(f, bvh);
  } while (narrow(f));
  sup_bvh_destroy(&bvh);
  return SUP_OK;
}

static void fit_free(fit *f) {
  SUP_FREE_ALL(&f->halvings, &f->is_bad, &f->is_new, &f->corners, &f->box, &f->item, &f->node);
}

sup_status sup_shell_fit(sup_shell *shell, double *width, unsigned char *is_used) {
  SUP_OWN_VALUE(fit) f = {.shell = shell, .width = width, .is_used = is_used};
  int                outer = shell->num_points - shell->first_outer;
  SUP_TRY(SUP_CALLOC(f.halvings, outer));
  SUP_TRY(SUP_CALLOC(f.is_bad, outer));
  SUP_TRY(SUP_CALLOC(f.is_new, outer));
  SUP_TRY(SUP_CALLOC(f.corners, shell->num_tets));
  SUP_TRY(SUP_CALLOC(f.box, shell->num_tets));
  SUP_TRY(SUP_CALLOC(f.item, shell->num_tets));
  SUP_TRY(SUP_CALLOC(f.node, 2 * (size_t)shell->num_tets - 1));
  SUP_TRY(fit_all(&f));
  return SUP_OK;
}
