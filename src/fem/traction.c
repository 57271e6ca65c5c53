#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"
#include "mesh/surface.h"

/* Integrals of N_a over a face of n vertices: of N_a dA, and of N_a n dA, the normal outward. */
typedef struct face_integral {
  double share[SUP_CELL_FACE_MAX_VERTICES];
  sup_v3 vector[SUP_CELL_FACE_MAX_VERTICES];
} face_integral;

static void add_point(int n, const double *N, sup_v3 area, face_integral *out) {
  double size = sup_v3_norm(area);
  for (int a = 0; a < n; a++)
    out->share[a] += N[a] * size, out->vector[a] = sup_v3_madd(out->vector[a], N[a], area);
}

/** Quadrature of a face of n vertices: shape functions, their slopes and weights. */
typedef struct face_rule {
  int n, num_points;
  struct {
    double weight, N[SUP_CELL_FACE_MAX_VERTICES], d[2][SUP_CELL_FACE_MAX_VERTICES];
  } point[6];
} face_rule;

/* A flat triangle: one point. */
static const face_rule triangle_rule = {
    3, 1, {{0.5, {1. / 3, 1. / 3, 1. / 3}, {{-1, 1, 0}, {-1, 0, 1}}}}};

/* A bilinear quad by 2 x 2 Gauss points: exact. */
static face_rule quad_rule(void) {
  static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const double        gauss = 0.57735026918962576451;
  face_rule           rule = {.n = 4, .num_points = 4};
  for (int q = 0; q < 4; q++) {
    double s = gauss * sign[q][0], t = gauss * sign[q][1];
    rule.point[q].weight = 1;
    for (int a = 0; a < 4; a++) {
      rule.point[q].N[a] = 0.25 * (1 + sign[a][0] * s) * (1 + sign[a][1] * t);
      rule.point[q].d[0][a] = 0.25 * sign[a][0] * (1 + sign[a][1] * t);
      rule.point[q].d[1][a] = 0.25 * sign[a][1] * (1 + sign[a][0] * s);
    }
  }
  return rule;
}

/* A curved triangle: corners 0-2, then the vertices on the edges that leave them.
 * A rule of degree 4; on a straight face the corners get nothing, the others a third each
 * (THEORY 4.6). */
static face_rule quadratic_rule(void) {
  static const double near[2] = {0.44594849091596489, 0.091576213509770743};
  static const double weight[2] = {0.22338158967801147, 0.10995174365532187};
  face_rule           rule = {.n = 6, .num_points = 6};
  for (int q = 0; q < 6; q++) {
    double b = near[q / 3], L[3] = {b, b, b}, *N = rule.point[q].N;
    L[q % 3] = 1 - 2 * b;
    rule.point[q].weight = 0.5 * weight[q / 3];
    for (int a = 0; a < 3; a++) N[a] = L[a] * (2 * L[a] - 1), N[3 + a] = 4 * L[a] * L[(a + 1) % 3];
    for (int k = 0; k < 2; k++) { /* along L[k + 1], at the cost of L[0] */
      double dL[3] = {-1, k == 0, k == 1}, *d = rule.point[q].d[k];
      for (int a = 0; a < 3; a++) {
        int b1 = (a + 1) % 3;
        d[a] = (4 * L[a] - 1) * dL[a];
        d[3 + a] = 4 * (dL[a] * L[b1] + L[a] * dL[b1]);
      }
    }
  }
  return rule;
}

static face_rule rule_of(const sup_fem_faces *faces) {
  return faces->vertices_per_face == 3   ? triangle_rule
         : faces->vertices_per_face == 4 ? quad_rule()
                                         : quadratic_rule();
}

static const int *face_vertices(const sup_fem_faces *faces, int k) {
  return faces->vertex + (ptrdiff_t)k * faces->vertices_per_face;
}

static void face_positions(const sup_fem_faces *faces, int k, const double *x, sup_v3 *corner) {
  for (int a = 0; a < faces->vertices_per_face; a++)
    corner[a] = sup_v3_load(x + 3 * (ptrdiff_t)face_vertices(faces, k)[a]);
}

/** slope [2] := derivatives of the position at point q. */
static void slopes(const face_rule *rule, int q, const sup_v3 *x, sup_v3 slope[2]) {
  for (int k = 0; k < 2; k++) {
    slope[k] = (sup_v3){0, 0, 0};
    for (int a = 0; a < rule->n; a++)
      slope[k] = sup_v3_madd(slope[k], rule->point[q].d[k][a], x[a]);
  }
}

static face_integral integrate(const face_rule *rule, const sup_v3 *x) {
  face_integral out = {.share = {0}};
  for (int q = 0; q < rule->num_points; q++) {
    sup_v3 d[2];
    slopes(rule, q, x, d);
    add_point(rule->n, rule->point[q].N,
              sup_v3_scale(rule->point[q].weight, sup_v3_cross(d[0], d[1])), &out);
  }
  return out;
}

/* Vertices of the whole boundary face k; a face of T10 is four triangles of the surface. */
static int boundary_face(const sup_surface *surface, sup_cell_type type, int k,
                         int vertex[SUP_CELL_FACE_MAX_VERTICES]) {
  int n = surface->vertices_per_face;
  if (type != SUP_CELL_T10) {
    memcpy(vertex, surface->face + k * n, (size_t)n * sizeof *vertex);
    return n;
  }
  const int *part = surface->face + 12 * (ptrdiff_t)k;
  const int  whole[6] = {part[0], part[4], part[8], part[1], part[5], part[2]};
  memcpy(vertex, whole, sizeof whole);
  return 6;
}

sup_status sup_fem_faces_create(sup_fem_faces *faces, const sup_mesh *mesh,
                                const unsigned char *selected, const unsigned char *own_cell) {
  sup_surface *surface = NULL;
  sup_status   status;
  *faces = (sup_fem_faces){.num_faces = 0};
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  int parts = mesh->type == SUP_CELL_T10 ? 4 : 1, num_faces = surface->num_faces / parts;
  SUP_TRY_GOTO(SUP_CALLOC(faces->vertex, (size_t)num_faces * SUP_CELL_FACE_MAX_VERTICES), status,
               done);
  SUP_TRY_GOTO(SUP_CALLOC(faces->is_own, num_faces), status, done);
  for (int k = 0; k < num_faces; k++) {
    int face[SUP_CELL_FACE_MAX_VERTICES], n = boundary_face(surface, mesh->type, k, face),
                                          inside = 1;
    for (int a = 0; a < n; a++) inside = inside && selected[face[a]];
    if (!inside) continue;
    faces->vertices_per_face = n;
    faces->is_own[faces->num_faces] = !own_cell || own_cell[surface->face_cell[parts * k]];
    memcpy(faces->vertex + (ptrdiff_t)n * faces->num_faces++, face, (size_t)n * sizeof *face);
  }
  if (faces->num_faces == 0)
    status = SUP_FAIL(
        SUP_E_ARG,
        "no boundary face has all its vertices in the region of the traction; enlarge the region");
done:
  sup_surface_destroy(&surface);
  if (status != SUP_OK) sup_fem_faces_free(faces);
  return status;
}

void sup_fem_faces_free(sup_fem_faces *faces) {
  SUP_FREE_ALL(&faces->vertex, &faces->is_own);
  faces->num_faces = 0;
}

double sup_fem_faces_spread(const sup_fem_faces *faces, const double *x, const double traction[3],
                            double *f) {
  face_rule rule = rule_of(faces);
  double    area = 0;
  for (int k = 0; k < faces->num_faces; k++) {
    sup_v3 corner[SUP_CELL_FACE_MAX_VERTICES];
    face_positions(faces, k, x, corner);
    face_integral face = integrate(&rule, corner);
    for (int a = 0; a < rule.n; a++) {
      sup_v3_accumulate(f + 3 * (ptrdiff_t)face_vertices(faces, k)[a], face.share[a],
                        sup_v3_load(traction));
      area += face.share[a];
    }
  }
  return area;
}

void sup_fem_faces_press(const sup_fem_faces *faces, const double *x, double pressure, double *f) {
  face_rule rule = rule_of(faces);
  for (int k = 0; k < faces->num_faces; k++) {
    sup_v3 corner[SUP_CELL_FACE_MAX_VERTICES];
    face_positions(faces, k, x, corner);
    face_integral face = integrate(&rule, corner);
    for (int a = 0; a < rule.n; a++)
      sup_v3_accumulate(f + 3 * (ptrdiff_t)face_vertices(faces, k)[a], -pressure, face.vector[a]);
  }
}

double sup_fem_faces_volume(const sup_fem_faces *faces, const double *x, sup_v3 centre, double *g) {
  face_rule rule = rule_of(faces);
  double    volume = 0;
  for (int k = 0; k < faces->num_faces; k++) {
    sup_v3 corner[SUP_CELL_FACE_MAX_VERTICES];
    face_positions(faces, k, x, corner);
    face_integral face = integrate(&rule, corner);
    for (int a = 0; a < rule.n; a++) {
      volume += sup_v3_dot(sup_v3_sub(corner[a], centre), face.vector[a]) / 3;
      sup_v3_accumulate(g + 3 * (ptrdiff_t)face_vertices(faces, k)[a], 1, face.vector[a]);
    }
  }
  return volume;
}

double sup_fem_faces_swept(const sup_fem_faces *faces, const double *x0, const double *x1,
                           double linear) {
  face_rule rule = rule_of(faces);
  double    volume = 0;
  for (int k = 0; k < faces->num_faces; k++) {
    sup_v3 from[SUP_CELL_FACE_MAX_VERTICES], to[SUP_CELL_FACE_MAX_VERTICES],
        middle[SUP_CELL_FACE_MAX_VERTICES];
    face_positions(faces, k, x0, from), face_positions(faces, k, x1, to);
    for (int a = 0; a < rule.n; a++) middle[a] = sup_v3_scale(0.5, sup_v3_add(from[a], to[a]));
    face_integral g0 = integrate(&rule, from), g = integrate(&rule, middle),
                  g1 = integrate(&rule, to);
    for (int a = 0; a < rule.n; a++) { /* Simpson: normals are quadratic in the positions */
      sup_v3 sum =
          sup_v3_madd(sup_v3_madd(g1.vector[a], 4, g.vector[a]), 1 - 6 * linear, g0.vector[a]);
      volume += sup_v3_dot(sum, sup_v3_sub(to[a], from[a])) / 6;
    }
  }
  return volume;
}

/** block [9], column-major, += [s]x. */
static void add_cross(sup_v3 s, double *block) {
  block[1] += s.z, block[2] -= s.y, block[3] -= s.z, block[5] += s.x, block[6] += s.y,
      block[7] -= s.x;
}

/** m [num_points][n] := vectors of a face with d(normal)/dx_b = [m_b]x, times weights. */
static void differentiate(const face_rule *rule, const sup_v3 *x,
                          sup_v3 m[][SUP_CELL_FACE_MAX_VERTICES]) {
  for (int q = 0; q < rule->num_points; q++) {
    const double(*d)[SUP_CELL_FACE_MAX_VERTICES] = rule->point[q].d;
    sup_v3 slope[2];
    slopes(rule, q, x, slope);
    for (int b = 0; b < rule->n; b++)
      m[q][b] = sup_v3_scale(rule->point[q].weight, sup_v3_sub(sup_v3_scale(d[1][b], slope[0]),
                                                               sup_v3_scale(d[0][b], slope[1])));
  }
}

void sup_fem_faces_add_stiffness(const sup_fem_faces *faces, const double *x, double pressure,
                                 const sup_block_pattern *pattern, double *values) {
  face_rule rule = rule_of(faces);
  for (int k = 0; k < faces->num_faces; k++) {
    const int *vertex = face_vertices(faces, k);
    sup_v3     corner[SUP_CELL_FACE_MAX_VERTICES], m[6][SUP_CELL_FACE_MAX_VERTICES];
    if (!faces->is_own[k]) continue;
    face_positions(faces, k, x, corner);
    differentiate(&rule, corner, m);
    for (int a = 0; a < rule.n; a++)
      for (int b = 0; b < rule.n; b++) {
        sup_v3 s = {0, 0, 0};
        if (vertex[a] <= vertex[b]) continue;
        for (int q = 0; q < rule.num_points; q++) {
          const double *N = rule.point[q].N;
          s = sup_v3_madd(sup_v3_madd(s, N[a], m[q][b]), -N[b], m[q][a]);
        }
        int entry = sup_block_pattern_find(pattern, vertex[a], vertex[b]);
        add_cross(sup_v3_scale(0.5 * pressure, s), values + sup_block_value(pattern, entry));
      }
  }
}

sup_status sup_fem_traction(const sup_fem_body *body, const unsigned char *selected,
                            const double force[3], double *f) {
  sup_fem_faces faces;
  SUP_TRY(sup_fem_faces_create(&faces, body->mesh, selected, NULL));
  memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  double area = sup_fem_faces_spread(&faces, body->mesh->x, force, f);
  for (int i = 0; i < 3 * body->mesh->num_vertices; i++) f[i] /= area;
  sup_fem_faces_free(&faces);
  return SUP_OK;
}
