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

static void integrate_triangle(const sup_v3 *x, face_integral *out) {
  static const double third[3] = {1. / 3, 1. / 3, 1. / 3};
  add_point(3, third,
            sup_v3_scale(0.5, sup_v3_cross(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0]))), out);
}

/* A bilinear quad by 2 x 2 Gauss points. */
static void integrate_quad(const sup_v3 *x, face_integral *out) {
  static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const double        gauss = 0.57735026918962576451;
  for (int q = 0; q < 4; q++) {
    double s = gauss * sign[q][0], t = gauss * sign[q][1], N[4];
    sup_v3 ds = {0, 0, 0}, dt = {0, 0, 0};
    for (int a = 0; a < 4; a++) {
      N[a] = 0.25 * (1 + sign[a][0] * s) * (1 + sign[a][1] * t);
      ds = sup_v3_madd(ds, 0.25 * sign[a][0] * (1 + sign[a][1] * t), x[a]);
      dt = sup_v3_madd(dt, 0.25 * sign[a][1] * (1 + sign[a][0] * s), x[a]);
    }
    add_point(4, N, sup_v3_cross(ds, dt), out);
  }
}

/* A curved triangle: corners 0-2, then the vertices on the edges that leave them.
 * A rule of degree 4; on a straight face the corners get nothing, the others a third each
 * (THEORY 4.6). */
static void integrate_quadratic(const sup_v3 *x, face_integral *out) {
  static const double near[2] = {0.44594849091596489, 0.091576213509770743};
  static const double weight[2] = {0.22338158967801147, 0.10995174365532187};
  for (int q = 0; q < 6; q++) {
    double b = near[q / 3], L[3] = {b, b, b}, N[6];
    sup_v3 d[2] = {{0, 0, 0}, {0, 0, 0}};
    L[q % 3] = 1 - 2 * b;
    for (int a = 0; a < 3; a++) N[a] = L[a] * (2 * L[a] - 1), N[3 + a] = 4 * L[a] * L[(a + 1) % 3];
    for (int k = 0; k < 2; k++) { /* along L[k + 1], at the cost of L[0] */
      double dL[3] = {-1, k == 0, k == 1};
      for (int a = 0; a < 3; a++) {
        int b1 = (a + 1) % 3;
        d[k] = sup_v3_madd(d[k], (4 * L[a] - 1) * dL[a], x[a]);
        d[k] = sup_v3_madd(d[k], 4 * (dL[a] * L[b1] + L[a] * dL[b1]), x[3 + a]);
      }
    }
    add_point(6, N, sup_v3_scale(0.5 * weight[q / 3], sup_v3_cross(d[0], d[1])), out);
  }
}

/* Face k at the positions x of the vertices. */
static face_integral integrate(const sup_fem_faces *faces, int k, const double *x) {
  const int    *vertex = faces->vertex + (ptrdiff_t)k * faces->vertices_per_face;
  sup_v3        corner[SUP_CELL_FACE_MAX_VERTICES];
  face_integral out = {.share = {0}};
  for (int a = 0; a < faces->vertices_per_face; a++)
    corner[a] = sup_v3_load(x + 3 * (ptrdiff_t)vertex[a]);
  if (faces->vertices_per_face == 3)
    integrate_triangle(corner, &out);
  else if (faces->vertices_per_face == 4)
    integrate_quad(corner, &out);
  else
    integrate_quadratic(corner, &out);
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
                                const unsigned char *selected) {
  sup_surface *surface = NULL;
  sup_status   status;
  *faces = (sup_fem_faces){.num_faces = 0};
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  int num_faces = surface->num_faces / (mesh->type == SUP_CELL_T10 ? 4 : 1);
  SUP_TRY_GOTO(SUP_CALLOC(faces->vertex, (size_t)num_faces * SUP_CELL_FACE_MAX_VERTICES), status,
               done);
  for (int k = 0; k < num_faces; k++) {
    int face[SUP_CELL_FACE_MAX_VERTICES], n = boundary_face(surface, mesh->type, k, face),
                                          inside = 1;
    for (int a = 0; a < n; a++) inside = inside && selected[face[a]];
    if (!inside) continue;
    faces->vertices_per_face = n;
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
  SUP_FREE(faces->vertex);
  faces->num_faces = 0;
}

double sup_fem_faces_spread(const sup_fem_faces *faces, const double *x, const double traction[3],
                            double *f) {
  double area = 0;
  for (int k = 0; k < faces->num_faces; k++) {
    const int    *vertex = faces->vertex + (ptrdiff_t)k * faces->vertices_per_face;
    face_integral face = integrate(faces, k, x);
    for (int a = 0; a < faces->vertices_per_face; a++) {
      sup_v3_accumulate(f + 3 * (ptrdiff_t)vertex[a], face.share[a], sup_v3_load(traction));
      area += face.share[a];
    }
  }
  return area;
}

void sup_fem_faces_press(const sup_fem_faces *faces, const double *x, double pressure, double *f) {
  for (int k = 0; k < faces->num_faces; k++) {
    const int    *vertex = faces->vertex + (ptrdiff_t)k * faces->vertices_per_face;
    face_integral face = integrate(faces, k, x);
    for (int a = 0; a < faces->vertices_per_face; a++)
      sup_v3_accumulate(f + 3 * (ptrdiff_t)vertex[a], -pressure, face.vector[a]);
  }
}

sup_status sup_fem_traction(const sup_fem_body *body, const unsigned char *selected,
                            const double force[3], double *f) {
  sup_fem_faces faces;
  SUP_TRY(sup_fem_faces_create(&faces, body->mesh, selected));
  memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
  double area = sup_fem_faces_spread(&faces, body->mesh->x, force, f);
  for (int i = 0; i < 3 * body->mesh->num_vertices; i++) f[i] /= area;
  sup_fem_faces_free(&faces);
  return SUP_OK;
}
