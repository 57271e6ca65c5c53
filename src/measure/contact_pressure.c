#include "measure/contact_pressure.h"

#include <string.h>

#include "base/memory.h"
#include "measure/numerics.h"

/* ---- faces of elements ----------------------------------------------------------------------- */

/* The surface has a T6 face as four triangles (mesh/surface.h).  The element's own loads of a
 * uniform pressure are nothing at its corners: forces over the areas of vertices would be no
 * pressure there. So pressures are linear on the whole face, and what acts on the middle of a side
 * is shared by its ends. */
static const int part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

static bool is_quadratic(const sup_soft *soft) {
  return sup_fem_mesh(soft->fem)->type == SUP_CELL_T10;
}

int sup_contact_pressure_num_faces(const sup_soft *soft) {
  return soft->surface->num_faces / (is_quadratic(soft) ? 4 : 1);
}

int sup_contact_pressure_num_corners(const sup_soft *soft) {
  return soft->surface->vertices_per_face;
}

int sup_contact_pressure_corner(const sup_soft *soft, int f, int k) {
  const sup_surface *surface = soft->surface;
  return is_quadratic(soft) ? surface->face[3 * (4 * f + k) + k]
                            : surface->face[surface->vertices_per_face * f + k];
}

/** The middle of the side from corner k to the next. */
static int middle_of(const sup_soft *soft, int f, int k) {
  return soft->surface->face[3 * (4 * f + 3) + k];
}

int sup_contact_pressure_outline(const sup_soft *soft, int f,
                                 int vertex[SUP_FACE_OUTLINE_MAX_VERTICES]) {
  int n = sup_contact_pressure_num_corners(soft), count = 0;
  for (int k = 0; k < n; k++) {
    vertex[count++] = sup_contact_pressure_corner(soft, f, k);
    if (is_quadratic(soft)) vertex[count++] = middle_of(soft, f, k);
  }
  return count;
}

/** Area vector of triangle t of the surface. */
static sup_v3 triangle_vector(const sup_surface *surface, const double *points, int t) {
  sup_v3 a = sup_surface_corner(surface, points, t, 0);
  return sup_v3_scale(0.5, sup_v3_cross(sup_v3_sub(sup_surface_corner(surface, points, t, 1), a),
                                        sup_v3_sub(sup_surface_corner(surface, points, t, 2), a)));
}

/** Weight of the face's corner on local vertex v of a T6. */
static double weight_of(int corner, int v) {
  if (v < 3) return v == corner;
  return v - 3 == corner || (v - 3 + 1) % 3 == corner ? 0.5 : 0;
}

void sup_contact_pressure_shares(const sup_soft *soft, const double *points, int f,
                                 sup_v3 share[SUP_FACE_MAX_VERTICES]) {
  const sup_surface *surface = soft->surface;
  int                is_t6 = is_quadratic(soft), n = sup_contact_pressure_num_corners(soft);
  int                parts = is_t6 ? 4 : sup_surface_triangles_per_face(surface);
  for (int k = 0; k < n; k++) share[k] = sup_v3_make(0, 0, 0);
  for (int i = 0; i < parts; i++) {
    int           t = f * parts + i;
    sup_v3        vector = triangle_vector(surface, points, t);
    const double *weights = sup_surface_weights(surface, t);
    for (int k = 0; k < n; k++) {
      double weight = 0;
      for (int c = 0; c < 3; c++)
        weight += is_t6 ? weight_of(k, part[i][c]) : weights[SUP_FACE_MAX_VERTICES * c + k];
      share[k] = sup_v3_madd(share[k], weight / 3, vector);
    }
  }
}

/** Faces at each vertex, in ascending order. */
static sup_status list_faces(sup_contact_pressure *p) {
  const sup_model *model = p->model;
  size_t           count = 0;
  for (int s = 0; s < model->num_softs; s++)
    count += (size_t)sup_contact_pressure_num_faces(&model->soft[s]) * SUP_FACE_MAX_VERTICES;
  SUP_TRY(SUP_CALLOC(p->first_face, model->num_vertices + 2));
  SUP_TRY(SUP_CALLOC(p->face, count));
  int *end = p->first_face + 1; /* of the faces of vertex i, first as counts */
  for (int pass = 0; pass < 2; pass++) {
    for (int s = model->num_softs - 1; s >= 0; s--) {
      const sup_soft *soft = &model->soft[s];
      int             n = sup_contact_pressure_num_corners(soft);
      for (int k = sup_contact_pressure_num_faces(soft) * n - 1; k >= 0; k--) {
        int i = soft->first_vertex + sup_contact_pressure_corner(soft, k / n, k % n);
        if (pass == 0)
          end[i]++;
        else
          p->face[--end[i]] = k / n;
      }
    }
    for (int i = 1; i <= model->num_vertices && pass == 0; i++) end[i] += end[i - 1];
  }
  for (int i = 0; i <= model->num_vertices; i++) p->first_face[i] = end[i]; /* starts by now */
  return SUP_OK;
}

/** The ends of sides for their middles, each vertex for itself. */
static sup_status list_ends(sup_contact_pressure *p) {
  const sup_model *model = p->model;
  SUP_TRY(SUP_CALLOC(p->end, 2 * (size_t)model->num_vertices));
  for (int i = 0; i < 2 * model->num_vertices; i++) p->end[i] = i / 2;
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    for (int f = 0; f < sup_contact_pressure_num_faces(soft) && is_quadratic(soft); f++)
      for (int k = 0; k < 3; k++) {
        int *end = p->end + 2 * (soft->first_vertex + middle_of(soft, f, k));
        end[0] = soft->first_vertex + sup_contact_pressure_corner(soft, f, k);
        end[1] = soft->first_vertex + sup_contact_pressure_corner(soft, f, (k + 1) % 3);
      }
  }
  return SUP_OK;
}

static sup_status create(sup_contact_pressure *p, const sup_model *model) {
  size_t n = (size_t)model->num_vertices;
  p->model = model;
  SUP_TRY(list_faces(p));
  SUP_TRY(list_ends(p));
  SUP_TRY(SUP_CALLOC(p->loaded, n));
  SUP_TRY(SUP_CALLOC(p->force, 3 * n));
  SUP_TRY(SUP_CALLOC(p->normal, 3 * n));
  SUP_TRY(SUP_CALLOC(p->area, n));
  SUP_TRY(SUP_CALLOC(p->pressure, n));
  SUP_TRY(SUP_CALLOC(p->is_steep, n));
  return SUP_OK;
}

sup_status sup_contact_pressure_create(sup_contact_pressure **p, const sup_model *model) {
  SUP_TRY(SUP_CALLOC(*p, 1));
  sup_status status = create(*p, model);
  if (status != SUP_OK) sup_contact_pressure_destroy(p);
  return status;
}

void sup_contact_pressure_destroy(sup_contact_pressure **p) {
  if (!*p) return;
  SUP_FREE_ALL(&(*p)->first_face, &(*p)->face, &(*p)->end, &(*p)->loaded, &(*p)->force,
               &(*p)->normal, &(*p)->area, &(*p)->pressure, &(*p)->is_steep, p);
}

bool sup_contact_is_on_surface(const sup_contact *contact, const sup_model *model) {
  return contact->geometry_a == SUP_NONE &&
         model->pair[contact->pair].touch == SUP_TOUCH_SURFACE_DEPTH;
}

/** Pressure where the step's start has this one; the mean where depths are round-off. */
static double scaled(const sup_contact *contact, double start) {
  double mean = -contact->slope * contact->phi;
  bool   is_known = mean > 0 && start < sup_measure_numerics.peak * mean;
  return is_known ? contact->pressure * sup_max(0, start) / mean : contact->pressure;
}

double sup_contact_corner_pressure(const sup_contact *contact, int corner) {
  return contact->num_points > 1 ? scaled(contact, contact->level[corner]) : contact->pressure;
}

double sup_contact_peak_pressure(const sup_contact *contact) {
  double peak = contact->area > 0 ? contact->pressure : 0;
  for (int k = 0; k < contact->num_points && contact->area > 0; k++)
    peak = sup_max(peak, sup_contact_corner_pressure(contact, k));
  return peak > 0 ? sup_max(peak, scaled(contact, contact->top)) : peak;
}

/* ---- contacts -------------------------------------------------------------------------------- */

/** Add the force of the contact to the vertices of one body: sign -1 on body a, 1 on body b. */
static void add_side(sup_contact_pressure *p, const sup_contact *contact, int body,
                     const sup_carrier *carrier, double sign) {
  int s = p->model->body[body].soft;
  if (s == SUP_NONE) return;
  double normal = sign * sup_v3_dot(contact->force, contact->normal);
  for (int k = 0; k < 2 * carrier->num_vertices; k++) {
    int    i = p->end[2 * (p->model->soft[s].first_vertex + carrier->vertex[k / 2]) + k % 2];
    double weight = 0.5 * carrier->weight[k / 2];
    if (weight == 0) continue;
    if (p->area[i] == 0) p->loaded[p->num_loaded++] = i, p->area[i] = -1; /* is listed */
    sup_v3_accumulate(p->force + 3 * (size_t)i, sign * weight, contact->force);
    sup_v3_accumulate(p->normal + 3 * (size_t)i, normal * weight, contact->normal);
  }
}

static int soft_of(const sup_model *model, int vertex) {
  int s = 0;
  while (vertex >= model->soft[s].first_vertex + model->soft[s].num_vertices) s++;
  return s;
}

/* The sides of a cube that stands on the floor and bulges carry nothing of its weight. */
double sup_contact_pressure_projected_area(const sup_contact_pressure *p, int i, sup_v3 share) {
  sup_v3 force = sup_v3_load(p->normal + 3 * (size_t)i);
  double load = sup_v3_norm(force), size = sup_v3_norm(share);
  double facing = load > 0 ? -sup_v3_dot(share, force) / load : 0;
  return facing > (p->is_steep[i] ? 0 : sup_measure_numerics.facing * size) ? facing : 0;
}

/** Area of the faces around vertex i that sees the normal forces of their corners.  A face is
 * looked at once, for its corner of least number that has a force.  Pressures are the sizes of the
 * forces yet. */
static void add_faces(sup_contact_pressure *p, int i, const double *x) {
  const sup_soft *soft = &p->model->soft[soft_of(p->model, i)];
  const double   *points = x + 3 * (size_t)soft->first_vertex;
  int             n = sup_contact_pressure_num_corners(soft);
  for (int k = p->first_face[i]; k < p->first_face[i + 1] && p->pressure[i] > 0; k++) {
    int    f = p->face[k], corner[SUP_FACE_MAX_VERTICES], is_first = 1;
    sup_v3 share[SUP_FACE_MAX_VERTICES];
    for (int c = 0; c < n; c++) {
      corner[c] = soft->first_vertex + sup_contact_pressure_corner(soft, f, c);
      is_first &= corner[c] >= i || p->pressure[corner[c]] == 0;
    }
    if (!is_first) continue;
    sup_contact_pressure_shares(soft, points, f, share);
    for (int c = 0; c < n; c++)
      if (p->pressure[corner[c]] > 0)
        p->area[corner[c]] += sup_contact_pressure_projected_area(p, corner[c], share[c]);
  }
}

/** Vertex i is a tip whose faces all lean from its force: they carry it. */
static void add_steep_faces(sup_contact_pressure *p, int i, const double *x) {
  const sup_soft *soft = &p->model->soft[soft_of(p->model, i)];
  const double   *points = x + 3 * (size_t)soft->first_vertex;
  int             n = sup_contact_pressure_num_corners(soft);
  p->is_steep[i] = 1;
  for (int k = p->first_face[i]; k < p->first_face[i + 1]; k++) {
    sup_v3 share[SUP_FACE_MAX_VERTICES];
    sup_contact_pressure_shares(soft, points, p->face[k], share);
    for (int c = 0; c < n; c++)
      if (soft->first_vertex + sup_contact_pressure_corner(soft, p->face[k], c) == i)
        p->area[i] += sup_contact_pressure_projected_area(p, i, share[c]);
  }
}

/** Vertex i gives its forces to those vertices of its faces that have an area, in equal parts; 0:
 * there are none. */
static int hand_over(sup_contact_pressure *p, int i) {
  const sup_soft *soft = &p->model->soft[soft_of(p->model, i)];
  int             n = sup_contact_pressure_num_corners(soft), count = 0;
  double         *force = p->force + 3 * (size_t)i, *normal = p->normal + 3 * (size_t)i;
  for (int pass = 0; pass < 2; pass++)
    for (int j = n * p->first_face[i]; j < n * p->first_face[i + 1]; j++) {
      int to = soft->first_vertex + sup_contact_pressure_corner(soft, p->face[j / n], j % n);
      if (!(p->area[to] > 0)) continue;
      count += pass == 0;
      if (pass == 0) continue;
      sup_v3_accumulate(p->force + 3 * (size_t)to, 1. / count, sup_v3_load(force));
      sup_v3_accumulate(p->normal + 3 * (size_t)to, 1. / count, sup_v3_load(normal));
    }
  if (count == 0) return 0;
  memset(force, 0, 3 * sizeof *force), memset(normal, 0, 3 * sizeof *normal);
  return 1;
}

static void find_areas(sup_contact_pressure *p, const double *x) {
  for (int k = 0; k < p->num_loaded; k++) {
    int i = p->loaded[k];
    p->area[i] = 0, p->pressure[i] = sup_v3_norm(sup_v3_load(p->normal + 3 * (size_t)i));
  }
  for (int k = 0; k < p->num_loaded; k++) add_faces(p, p->loaded[k], x);
}

/** Areas that see normal forces, and the pressures. */
static void spread(sup_contact_pressure *p, const double *x) {
  int handed = 0;
  find_areas(p, x);
  for (int k = 0; k < p->num_loaded; k++) { /* a side that dips into the floor */
    int i = p->loaded[k];
    if (p->pressure[i] > 0 && p->area[i] == 0) handed |= hand_over(p, i);
  }
  if (handed) find_areas(p, x);
  for (int k = 0; k < p->num_loaded; k++) {
    int i = p->loaded[k];
    if (p->pressure[i] > 0 && p->area[i] == 0) add_steep_faces(p, i, x);
    p->pressure[i] = p->area[i] > 0 ? p->pressure[i] / p->area[i] : 0;
  }
}

static void clear(sup_contact_pressure *p) {
  for (int k = 0; k < p->num_loaded; k++) {
    int i = p->loaded[k];
    memset(p->force + 3 * (size_t)i, 0, 3 * sizeof *p->force);
    memset(p->normal + 3 * (size_t)i, 0, 3 * sizeof *p->normal);
    p->area[i] = p->pressure[i] = 0, p->is_steep[i] = 0;
  }
  p->num_loaded = 0;
}

void sup_contact_pressure_add(sup_contact_pressure *p, int num_contacts, const sup_contact *contact,
                              const int *which, int index, const double *x) {
  if (p->has_taken && (index == SUP_NONE ? p->has_all : p->index == index)) return;
  clear(p);
  p->has_taken = p->has_all = 1, p->index = index;
  for (int k = 0; k < num_contacts; k++) {
    const sup_contact *c = &contact[k];
    if (index != SUP_NONE && which[c->pair] != index) {
      p->has_all = 0;
      continue;
    }
    add_side(p, c, c->body_a, &c->carrier_a, -1);
    add_side(p, c, c->body_b, &c->carrier_b, 1);
  }
  spread(p, x);
}

void sup_contact_pressure_forget(sup_contact_pressure *p) { p->has_taken = 0; }

double sup_contact_pressure_at(const sup_contact_pressure *p, int i) {
  return 0.5 * (p->pressure[p->end[2 * i]] + p->pressure[p->end[2 * i + 1]]);
}
