/* Weights of tied surfaces: dual mortar on the polygons of slave and master facets (THEORY 4.11).
 */
#include "model/tie.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geom/bvh.h"
#include "geom/polygon.h"
#include "la/dense_cholesky.h"
#include "model/numerics.h"

enum { MOST = SUP_CELL_FACE_MAX_VERTICES, QUAD = SUP_FACE_MAX_VERTICES };

/* ---- faces of a side ------------------------------------------------------------------------- */

/** Whole face of a cell in the region; a T10's has three corners, then the vertices between. */
typedef struct face {
  int     cell, vertex[MOST];
  double  area, size; /* size: its edge, of a square or of the half of one */
  sup_box box;
} face;

typedef struct side {
  const sup_soft *soft;
  int             n, num_parts; /* vertices of a face; triangles, on straight edges */
  int             num_faces;
  face           *face;
} side;

/** Corners of a part of a face. */
static void corners_of(const side *s, const face *f, int part, sup_v3 corner[3]) {
  const double *weight = sup_surface_weights(s->soft->surface, part);
  for (int c = 0; c < 3; c++) {
    corner[c] = sup_v3_load(s->soft->x0 + 3 * (size_t)f->vertex[c]);
    if (s->n != QUAD) continue;
    corner[c] = (sup_v3){0, 0, 0};
    for (int k = 0; k < QUAD; k++)
      corner[c] = sup_v3_madd(corner[c], weight[c * QUAD + k],
                              sup_v3_load(s->soft->x0 + 3 * (size_t)f->vertex[k]));
  }
}

/** Shape functions of a face at barycentric coordinates L of a part. */
static void shape_of(const side *s, int part, const double L[3], double *N) {
  const double *weight = sup_surface_weights(s->soft->surface, part);
  if (s->n == 3) memcpy(N, L, 3 * sizeof *N);
  for (int k = 0; k < QUAD && s->n == QUAD; k++)
    N[k] = L[0] * weight[k] + L[1] * weight[QUAD + k] + L[2] * weight[2 * QUAD + k];
  for (int k = 0; k < 3 && s->n == MOST; k++)
    N[k] = L[k] * (2 * L[k] - 1), N[3 + k] = 4 * L[k] * L[(k + 1) % 3];
}

/** Face w of the surface; the four parts of a T10's face are those at its corners, then the middle.
 */
static void take_face(const side *s, int w, face *out) {
  const sup_surface *surface = s->soft->surface;
  out->cell = surface->face_cell[s->n == MOST ? 4 * w : w];
  if (s->n != MOST) {
    memcpy(out->vertex, surface->face + (size_t)s->n * (size_t)w, (size_t)s->n * sizeof(int));
    return;
  }
  const int *part = surface->face + 12 * (size_t)w, *middle = part + 9;
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) {
      int v = part[3 * k + c], next = (k + 1) % 3;
      if (v != middle[0] && v != middle[1] && v != middle[2]) out->vertex[k] = v;
      for (int d = 0; d < 3; d++)
        if (v == part[3 * next + d]) out->vertex[3 + k] = v;
    }
}

static void measure_face(const side *s, face *f) {
  f->area = 0, f->box = sup_box_empty();
  for (int part = 0; part < s->num_parts; part++) {
    sup_v3 x[3];
    corners_of(s, f, part, x);
    f->area += 0.5 * sup_v3_norm(sup_v3_cross(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0])));
    for (int c = 0; c < 3; c++) f->box = sup_box_add(f->box, x[c]);
  }
  f->size = sqrt(s->n == QUAD ? f->area : 2 * f->area);
}

/** Faces with all vertices selected. */
static sup_status take_side(side *s, const sup_soft *soft, const unsigned char *selected) {
  const sup_surface *surface = soft->surface;
  int                whole = surface->is_quadratic ? surface->num_faces / 4 : surface->num_faces;
  *s = (side){.soft = soft, .n = surface->is_quadratic ? MOST : surface->vertices_per_face};
  s->num_parts = s->n == QUAD ? 4 : 1;
  SUP_TRY(SUP_CALLOC(s->face, whole));
  for (int w = 0; w < whole; w++) {
    face *f = &s->face[s->num_faces];
    bool  all = true;
    take_face(s, w, f);
    for (int k = 0; k < s->n; k++) all = all && selected[f->vertex[k]];
    if (!all) continue;
    measure_face(s, f);
    s->num_faces++;
  }
  return SUP_OK;
}

/* ---- integrals ------------------------------------------------------------------------------- */

/** Integrals over the covered part of a slave face. */
typedef struct integrals {
  double D[QUAD], M[QUAD][QUAD]; /* of N_k, and of N_k N_l */
  int    num_columns;
  size_t capacity;
  struct column {
    int    vertex; /* of the master */
    double B[QUAD];
  } * column; /* [num_columns] of N_k N_m */
} integrals;

/** Master cell behind a slave vertex: that which shares most of its hat. */
typedef struct behind {
  int    cell;
  double share, size;
} behind;

/** Work on one tie. */
typedef struct work {
  sup_tie_surfaces *t;
  side              slave, master;
  double            largest; /* edge of a master face */
  double           *met;     /* [faces of the master] area of the slave on it [m^2] */
  double            search;  /* factor of the reach */
  sup_bvh          *bvh;     /* of the master's faces */
  int              *near;    /* [master.num_faces] */
  integrals        *part;    /* [slave.num_faces] */
  double           *support; /* [num_vertices] integral of a hat, .. */
  double           *covered; /* .. and on the master */
  unsigned char    *stays;   /* [num_vertices] */
  behind           *behind;  /* [num_vertices] */
  double            sum[3];  /* of edges of slave and master faces that meet, and their number */
} work;

static sup_status column_of(integrals *e, int vertex, struct column **out) {
  int k = 0;
  while (k < e->num_columns && e->column[k].vertex != vertex) k++;
  if (k == e->num_columns) {
    SUP_TRY(SUP_GROW(e->column, e->capacity, e->num_columns + 1));
    e->column[e->num_columns++] = (struct column){.vertex = vertex};
  }
  *out = &e->column[k];
  return SUP_OK;
}

/** Barycentric coordinates of p in a triangle, along n. */
static void barycentric(const sup_v3 x[3], sup_v3 n, sup_v3 p, double L[3]) {
  double all = sup_v3_dot(n, sup_v3_cross(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0])));
  for (int k = 0; k < 3; k++)
    L[k] =
        sup_v3_dot(n, sup_v3_cross(sup_v3_sub(x[(k + 1) % 3], p), sup_v3_sub(x[(k + 2) % 3], p))) /
        all;
}

/** Triangle of the slave against one of the master. */
typedef struct meeting {
  const face *slave, *master;
  int         slave_part, master_part;
  sup_v3      a[3], b[3], n; /* corners, normal of the slave's */
} meeting;

/** Part of the slave's triangle that the master's covers, seen along the normal. */
static void cover(const meeting *m, sup_polygon *p) {
  p->num_points = 3;
  memcpy(p->point, m->a, sizeof m->a);
  for (int edge = 0; edge < 3; edge++) {
    double value[SUP_POLYGON_MAX_POINTS], L[3];
    for (int i = 0; i < p->num_points; i++)
      barycentric(m->b, m->n, p->point[i], L), value[i] = L[edge];
    sup_polygon_clip_values(p, value);
  }
}

/** Add the integrals over a triangle of the polygon, exact for products of a linear and a quadratic
 * function.  @param[in,out] hat  [QUAD] += integrals of N_k */
static sup_status integrate(work *w, integrals *e, const meeting *m, const sup_v3 x[3],
                            double hat[QUAD]) {
  static const double rule[2][2] = {{0.445948490915965, 0.223381589678011},
                                    {0.091576213509771, 0.109951743655322}};
  double              area =
      0.5 * sup_v3_dot(m->n, sup_v3_cross(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0])));
  int n = w->slave.n;
  for (int q = 0; q < 6; q++) {
    double g = rule[q / 3][0], weight = rule[q / 3][1] * area, L[3], N[MOST], Nm[MOST];
    sup_v3 p = sup_v3_scale(g, sup_v3_add(x[(q + 1) % 3], x[(q + 2) % 3]));
    p = sup_v3_madd(p, 1 - 2 * g, x[q % 3]);
    barycentric(m->a, m->n, p, L), shape_of(&w->slave, m->slave_part, L, N);
    barycentric(m->b, m->n, p, L), shape_of(&w->master, m->master_part, L, Nm);
    for (int k = 0; k < n; k++) {
      e->D[k] += weight * N[k], hat[k] += weight * N[k];
      for (int l = 0; l < n; l++) e->M[k][l] += weight * N[k] * N[l];
    }
    for (int j = 0; j < w->master.n; j++) {
      struct column *c;
      SUP_TRY(column_of(e, m->master->vertex[j], &c));
      for (int k = 0; k < n; k++) c->B[k] += weight * N[k] * Nm[j];
    }
  }
  return SUP_OK;
}

/** Two triangles, if they face each other and are near. */
static sup_status meet(work *w, integrals *e, meeting *m, double limit, double hat[QUAD]) {
  sup_polygon p;
  sup_v3      centre, nm = sup_v3_cross(sup_v3_sub(m->b[1], m->b[0]), sup_v3_sub(m->b[2], m->b[0]));
  double      L[3], gap = 0;
  m->n = sup_v3_unit(sup_v3_cross(sup_v3_sub(m->a[1], m->a[0]), sup_v3_sub(m->a[2], m->a[0])));
  if (!(sup_v3_dot(m->n, nm) < -sup_model_numerics.tie_facing * sup_v3_norm(nm))) return SUP_OK;
  cover(m, &p);
  if (p.num_points < 3) return SUP_OK;
  double area = sup_v3_norm(sup_polygon_area(&p, &centre));
  if (area < sup_model_numerics.tie_sliver * fmin(m->slave->area, m->master->area)) return SUP_OK;
  barycentric(m->b, m->n, centre, L);
  for (int k = 0; k < 3; k++) gap += L[k] * sup_v3_dot(m->n, sup_v3_sub(m->b[k], centre));
  if (fabs(gap) > limit) {
    w->t->nearest = fmin(w->t->nearest, fabs(gap));
    return SUP_OK;
  }
  for (int i = 1; i + 1 < p.num_points; i++)
    SUP_TRY(integrate(w, e, m, (sup_v3[3]){p.point[0], p.point[i], p.point[i + 1]}, hat));
  return SUP_OK;
}

static sup_status meet_faces(work *w, integrals *e, const face *slave, const face *master) {
  double hat[QUAD] = {0}, limit = w->t->within > 0 ? w->t->within : fmax(slave->size, master->size);
  meeting m = {.slave = slave, .master = master};
  for (m.slave_part = 0; m.slave_part < w->slave.num_parts; m.slave_part++)
    for (m.master_part = 0; m.master_part < w->master.num_parts; m.master_part++) {
      corners_of(&w->slave, slave, m.slave_part, m.a);
      corners_of(&w->master, master, m.master_part, m.b);
      SUP_TRY(meet(w, e, &m, limit, hat));
    }
  double sum = 0;
  for (int k = 0; k < w->slave.n; k++) {
    behind *b = &w->behind[slave->vertex[k]];
    if (hat[k] > b->share) *b = (behind){master->cell, hat[k], master->size};
    sum += hat[k];
  }
  if (sum > 0) w->sum[0] += slave->size, w->sum[1] += master->size, w->sum[2]++;
  return SUP_OK;
}

static sup_status covered_twice(const work *w, const face *f) {
  sup_v3 c = sup_v3_scale(0.5, sup_v3_add(f->box.lower, f->box.upper));
  return SUP_FAIL(SUP_E_GEOMETRY,
                  "the face of '%s' at (%.4g, %.4g, %.4g) m has two layers of faces of '%s' in "
                  "reach; name the one by a region, or give a smaller 'within'",
                  w->slave.soft->name, c.x, c.y, c.z, w->master.soft->name);
}

/** Integrals of one slave face; without them where little of it is covered. */
static sup_status cover_face(work *w, int f) {
  const face *slave = &w->slave.face[f];
  integrals  *e = &w->part[f];
  sup_box     box = slave->box;
  double      reach = w->t->within > 0 ? w->t->within : fmax(slave->size, w->largest), sum = 0;
  sup_v3      far = sup_v3_scale(w->search * reach, (sup_v3){1, 1, 1});
  box.lower = sup_v3_sub(box.lower, far), box.upper = sup_v3_add(box.upper, far);
  int count = sup_bvh_query(w->bvh->node, &box, w->near);
  for (int i = 0; i < count; i++) {
    SUP_TRY(meet_faces(w, e, slave, &w->master.face[w->near[i]]));
    double all = 0;
    for (int k = 0; k < w->slave.n; k++) all += e->D[k];
    w->met[w->near[i]] += all - sum, sum = all;
  }
  if (w->search == 1) w->t->area += slave->area;
  if (sum > sup_model_numerics.tie_twice * slave->area) return covered_twice(w, slave);
  if (sum < sup_model_numerics.tie_covered * slave->area) {
    memset(e->D, 0, sizeof e->D);
    e->num_columns = 0;
    sum = 0;
  }
  w->t->covered += sum;
  for (int k = 0; k < w->slave.n; k++) w->covered[slave->vertex[k]] += e->D[k];
  return SUP_OK;
}

/** Integrals of the hats over the whole region of a side. */
static void measure_supports(const side *of, double *support) {
  for (int f = 0; f < of->num_faces; f++)
    for (int part = 0; part < of->num_parts; part++) {
      sup_v3 x[3];
      corners_of(of, &of->face[f], part, x);
      double area = 0.5 * sup_v3_norm(sup_v3_cross(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0])));
      double N[MOST];
      shape_of(of, part, (double[3]){1. / 3, 1. / 3, 1. / 3}, N);
      for (int k = 0; k < of->n; k++) support[of->face[f].vertex[k]] += area * N[k];
    }
}

/** E_GEOMETRY: two layers of the slave lie on a face of the master, as its outer side and the
 * ceiling of a cavity behind it. */
static sup_status check_layers(const sup_model *model, const work *w) {
  for (int f = 0; f < w->master.num_faces; f++) {
    const face *at = &w->master.face[f];
    sup_v3      c = sup_v3_scale(.5, sup_v3_add(at->box.lower, at->box.upper));
    if (!(w->met[f] > sup_model_numerics.tie_twice * at->area)) continue;
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "at (%.4g, %.4g, %.4g) m of '%s' two layers of faces of '%s' are in reach, as "
                    "its side and a cavity behind it; name the side by a region, or give a smaller "
                    "'within'",
                    c.x, c.y, c.z, model->soft[w->t->master].name, model->soft[w->t->slave].name);
  }
  return SUP_OK;
}

/* ---- weights --------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b) {
  const sup_tie_entry *x = a, *y = b;
  if (x->vertex != y->vertex) return x->vertex < y->vertex ? -1 : 1;
  if (x->mover.soft != y->mover.soft) return x->mover.soft < y->mover.soft ? -1 : 1;
  if (x->mover.vertex != y->mover.vertex) return x->mover.vertex < y->mover.vertex ? -1 : 1;
  return (x->mover.weight > y->mover.weight) - (x->mover.weight < y->mover.weight);
}

void sup_tie_join_entries(sup_tie_entry *entry, size_t *num) {
  size_t n = 0;
  if (*num > 1) qsort(entry, *num, sizeof *entry, compare_entries);
  for (size_t i = 0; i < *num; i++) {
    sup_tie_entry *last = n ? &entry[n - 1] : NULL;
    if (last && last->vertex == entry[i].vertex && last->mover.soft == entry[i].mover.soft &&
        last->mover.vertex == entry[i].mover.vertex)
      last->mover.weight += entry[i].mover.weight;
    else
      entry[n++] = entry[i];
  }
  *num = n;
}

static sup_status add_entry(sup_tie_surfaces *t, int vertex, int soft, int other, double weight) {
  SUP_TRY(SUP_GROW(t->entry, t->capacity, t->num_entries + 1));
  t->entry[t->num_entries++] = (sup_tie_entry){vertex, {soft, other, weight}};
  return SUP_OK;
}

/** Dual functions psi_k = sum_l dual[k][l] N_l of a face, by its covered part; those of vertices
 * that stay go to the others in equal shares.  0: the face has no slave. */
static int dual_of(const work *w, const face *f, const integrals *e, double dual[QUAD][QUAD]) {
  int    n = w->slave.n, active = 0;
  double L[QUAD * QUAD];
  for (int k = 0; k < n; k++) {
    active += !w->stays[f->vertex[k]];
    for (int l = 0; l < n; l++) L[k * n + l] = e->M[k][l];
  }
  if (active == 0 || e->num_columns == 0 || sup_dense_cholesky(n, L) < n) return 0;
  for (int k = 0; k < n; k++) {
    double column[QUAD] = {0};
    column[k] = e->D[k];
    sup_dense_cholesky_solve(n, L, column);
    memcpy(dual[k], column, sizeof column);
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n && w->stays[f->vertex[k]]; j++)
      for (int l = 0; l < n && !w->stays[f->vertex[j]]; l++) dual[j][l] += dual[k][l] / active;
  return active;
}

/** Entries of a face, times the integral of the slave's hat. */
static sup_status add_face(work *w, int f, double *total) {
  const face      *slave = &w->slave.face[f];
  const integrals *e = &w->part[f];
  double           dual[QUAD][QUAD];
  int              n = w->slave.n, active = dual_of(w, slave, e, dual);
  for (int k = 0; k < n && active > 0; k++) {
    int s = slave->vertex[k];
    if (w->stays[s]) continue;
    total[s] += e->D[k];
    for (int c = 0; c < e->num_columns; c++) {
      double sum = 0;
      for (int l = 0; l < n; l++) sum += dual[k][l] * e->column[c].B[l];
      SUP_TRY(add_entry(w->t, s, w->t->master, e->column[c].vertex, sum));
    }
    for (int l = 0; l < n; l++)
      if (w->stays[slave->vertex[l]])
        SUP_TRY(add_entry(w->t, s, w->t->slave, slave->vertex[l], -e->D[l] / active));
  }
  return SUP_OK;
}

static sup_v3 place_of(const sup_model *model, const sup_mover *m) {
  return sup_v3_load(model->soft[m->soft].x0 + 3 * (size_t)m->vertex);
}

/** Edges from a corner of the cell behind the master, the nearest of a brick. */
static void edges_of(const sup_soft *soft, int cell, sup_v3 at, int vertex[4]) {
  const sup_mesh      *mesh = sup_fem_mesh(soft->fem);
  const sup_cell_kind *kind = sup_cell_kind_of(mesh->type);
  const int           *v = sup_mesh_cell(mesh, cell);
  int                  corner = 0, count = 1;
  double               least = HUGE_VAL;
  for (int c = 0; c < kind->num_corners; c++) {
    double d = sup_v3_norm(sup_v3_sub(sup_v3_load(soft->x0 + 3 * (size_t)v[c]), at));
    if (d < least) least = d, corner = c;
  }
  vertex[0] = v[corner];
  for (int e = 0; e < kind->num_edges && count < 4; e++)
    for (int k = 0; k < 2; k++)
      if (kind->edge[e][k] == corner) vertex[count++] = v[kind->edge[e][1 - k]];
}

/** The rest gap of a slave, by the edges of the cell behind the master. */
static sup_status carry_gap(const sup_model *model, work *w, int s, sup_v3 gap) {
  sup_tie_surfaces *t = w->t;
  const sup_soft   *master = &model->soft[t->master];
  const behind     *b = &w->behind[s];
  int               vertex[4];
  sup_v3            x[4];
  double            length = sup_v3_norm(gap), beta[3];
  edges_of(master, b->cell, sup_v3_load(w->slave.soft->x0 + 3 * (size_t)s), vertex);
  for (int k = 0; k < 4; k++) x[k] = sup_v3_load(master->x0 + 3 * (size_t)vertex[k]);
  sup_m3 E = sup_m3_columns(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0]), sup_v3_sub(x[3], x[0]));
  sup_v3_store(beta, sup_m3_apply(sup_m3_inverse(E), gap));
  SUP_TRY(add_entry(t, s, t->master, vertex[0], -(beta[0] + beta[1] + beta[2])));
  for (int k = 0; k < 3; k++) SUP_TRY(add_entry(t, s, t->master, vertex[k + 1], beta[k]));
  t->gap = fmax(t->gap, length);
  if (t->gap_vertex == SUP_NONE || length / b->size > t->gap_share)
    t->gap_share = length / b->size, t->gap_vertex = s;
  return SUP_OK;
}

/** Weights of slave s, entries first .. end - 1: of sum 1, without those of round-off. */
static sup_status finish_vertex(const sup_model *model, work *w, double total, size_t first,
                                size_t *end) {
  sup_tie_entry *e = w->t->entry;
  int            s = e[first].vertex;
  size_t         kept = first, largest = first;
  double         sum = 0;
  sup_v3         x = sup_v3_load(w->slave.soft->x0 + 3 * (size_t)s), gap = x;
  for (size_t i = first; i < *end; i++) {
    e[i].mover.weight /= total;
    if (fabs(e[i].mover.weight) > sup_model_numerics.tie_weight) e[kept++] = e[i];
  }
  for (size_t i = first; i < kept; i++) {
    sum += e[i].mover.weight;
    if (e[i].mover.weight > e[largest].mover.weight) largest = i;
  }
  e[largest].mover.weight += 1 - sum;
  for (size_t i = first; i < kept; i++)
    gap = sup_v3_madd(gap, -e[i].mover.weight, place_of(model, &e[i].mover));
  *end = w->t->num_entries = kept;
  double size = fmax(fmax(fabs(x.x), fabs(x.y)), fmax(fabs(x.z), w->behind[s].size));
  if (sup_v3_norm(gap) <= sup_model_numerics.tie_gap * size) return SUP_OK;
  SUP_TRY(carry_gap(model, w, s, gap));
  size_t count = w->t->num_entries - first;
  sup_tie_join_entries(w->t->entry + first, &count);
  *end = w->t->num_entries = first + count;
  return SUP_OK;
}

/** Entries by vertex, finished one after the other. */
static sup_status finish(const sup_model *model, work *w, const double *total) {
  SUP_FREED sup_tie_entry *raw = w->t->entry;
  size_t                   num = w->t->num_entries;
  sup_tie_join_entries(raw, &num);
  w->t->entry = NULL, w->t->num_entries = w->t->capacity = 0;
  for (size_t i = 0; i < num;) {
    size_t first = w->t->num_entries, end;
    int    s = raw[i].vertex;
    for (; i < num && raw[i].vertex == s; i++)
      SUP_TRY(add_entry(w->t, s, raw[i].mover.soft, raw[i].mover.vertex, raw[i].mover.weight));
    end = w->t->num_entries;
    SUP_TRY(finish_vertex(model, w, total[s], first, &end));
  }
  return SUP_OK;
}

/* ---- both together --------------------------------------------------------------------------- */

static sup_status prepare(const sup_model *model, work *w) {
  SUP_FREED sup_box *box = NULL;
  int                n = model->soft[w->t->slave].num_vertices;
  SUP_TRY(take_side(&w->slave, &model->soft[w->t->slave], w->t->is_slave));
  SUP_TRY(take_side(&w->master, &model->soft[w->t->master], w->t->is_master));
  SUP_TRY(SUP_CALLOC(w->support, n));
  SUP_TRY(SUP_CALLOC(w->covered, n));
  SUP_TRY(SUP_CALLOC(w->stays, n));
  SUP_TRY(SUP_CALLOC(w->behind, n));
  SUP_TRY(SUP_CALLOC(w->part, w->slave.num_faces));
  SUP_TRY(SUP_CALLOC(w->near, w->master.num_faces));
  SUP_TRY(SUP_CALLOC(w->met, w->master.num_faces));
  SUP_TRY(SUP_CALLOC(box, w->master.num_faces));
  for (int f = 0; f < w->master.num_faces; f++) {
    box[f] = w->master.face[f].box;
    w->largest = fmax(w->largest, w->master.face[f].size);
  }
  return w->master.num_faces > 0 ? sup_bvh_create(&w->bvh, w->master.num_faces, box) : SUP_OK;
}

static sup_status weigh(const sup_model *model, work *w) {
  int               n = model->soft[w->t->slave].num_vertices;
  SUP_FREED double *total = NULL;
  SUP_TRY(SUP_CALLOC(total, n));
  SUP_TRY(prepare(model, w));
  if (w->master.num_faces == 0) return SUP_OK;
  w->search = 1;
  for (int f = 0; f < w->slave.num_faces; f++) SUP_TRY(cover_face(w, f));
  SUP_TRY(check_layers(model, w));
  w->search = sup_model_numerics.tie_search; /* how far away is the other side? */
  for (int f = 0; f < w->slave.num_faces && w->t->covered == 0; f++) SUP_TRY(cover_face(w, f));
  measure_supports(&w->slave, w->support);
  for (int i = 0; i < n; i++)
    w->stays[i] =
        w->t->stays[i] || !(w->covered[i] > sup_model_numerics.tie_support * w->support[i]);
  for (int i = 0; i < n; i++) w->t->num_left += w->stays[i] && !w->t->stays[i] && w->covered[i] > 0;
  for (int f = 0; f < w->slave.num_faces; f++) SUP_TRY(add_face(w, f, total));
  for (int k = 0; k < 2; k++) w->t->size[k] = w->sum[2] > 0 ? w->sum[k] / w->sum[2] : 0;
  return finish(model, w, total);
}

sup_status sup_tie_weigh(const sup_model *model, sup_tie_surfaces *t) {
  work w = {.t = t};
  t->area = t->covered = t->gap = t->gap_share = 0, t->nearest = HUGE_VAL, t->gap_vertex = SUP_NONE;
  t->entry = NULL, t->num_entries = t->capacity = 0, t->num_left = 0;
  sup_status status = weigh(model, &w);
  for (int f = 0; w.part && f < w.slave.num_faces; f++) SUP_FREE(w.part[f].column);
  sup_bvh_destroy(&w.bvh);
  SUP_FREE_ALL(&w.slave.face, &w.master.face, &w.part, &w.near, &w.met, &w.support, &w.covered,
               &w.stays, &w.behind);
  return status;
}
