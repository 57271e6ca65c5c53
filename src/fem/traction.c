#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"
#include "mesh/surface.h"

/* Shares of the vertices in the area of a triangle. */
static void triangle_shares(const sup_v3 *x, double *share) {
  double area = 0.5 * sup_v3_norm(sup_v3_cross(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0])));
  for (int a = 0; a < 3; a++) share[a] = area / 3;
}

/* Shares of the vertices in the area of a bilinear quad: integrals of N_a by 2 x 2 Gauss points. */
static void quad_shares(const sup_v3 *x, double *share) {
  static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const double        gauss = 0.57735026918962576451;
  for (int a = 0; a < 4; a++) share[a] = 0;
  for (int q = 0; q < 4; q++) {
    double s = gauss * sign[q][0], t = gauss * sign[q][1], N[4];
    sup_v3 ds = {0, 0, 0}, dt = {0, 0, 0};
    for (int a = 0; a < 4; a++) {
      N[a] = 0.25 * (1 + sign[a][0] * s) * (1 + sign[a][1] * t);
      ds = sup_v3_madd(ds, 0.25 * sign[a][0] * (1 + sign[a][1] * t), x[a]);
      dt = sup_v3_madd(dt, 0.25 * sign[a][1] * (1 + sign[a][0] * s), x[a]);
    }
    double area = sup_v3_norm(sup_v3_cross(ds, dt));
    for (int a = 0; a < 4; a++) share[a] += N[a] * area;
  }
}

/* Shares of the vertices in the area of a curved triangle: corners 0-2, then the vertices on the edges that leave them.
 * A rule of degree 4; on a straight face the corners get nothing, the others a third each (THEORY 4.6). */
static void quadratic_shares(const sup_v3 *x, double *share) {
  static const double near[2] = {0.44594849091596489, 0.091576213509770743};
  static const double weight[2] = {0.22338158967801147, 0.10995174365532187};
  for (int a = 0; a < 6; a++) share[a] = 0;
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
    double area = 0.5 * weight[q / 3] * sup_v3_norm(sup_v3_cross(d[0], d[1]));
    for (int a = 0; a < 6; a++) share[a] += N[a] * area;
  }
}

static void face_shares(int n, const sup_v3 *x, double *share) {
  if (n == 3)
    triangle_shares(x, share);
  else if (n == 4)
    quad_shares(x, share);
  else
    quadratic_shares(x, share);
}

/* Vertices of boundary face k, whole: a face of T10 is four triangles of the surface. */
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

sup_status sup_fem_traction(const sup_fem_body *body, const unsigned char *selected, const double force[3], double *f) {
  const sup_mesh *mesh = body->mesh;
  sup_surface    *surface = NULL;
  double          total = 0;
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  int num_faces = surface->num_faces / (mesh->type == SUP_CELL_T10 ? 4 : 1);
  memset(f, 0, 3 * (size_t)mesh->num_vertices * sizeof *f);
  for (int k = 0; k < num_faces; k++) {
    sup_v3 x[SUP_CELL_FACE_MAX_VERTICES];
    double share[SUP_CELL_FACE_MAX_VERTICES];
    int    face[SUP_CELL_FACE_MAX_VERTICES], n = boundary_face(surface, mesh->type, k, face), inside = 1;
    for (int a = 0; a < n; a++) inside = inside && selected[face[a]], x[a] = sup_mesh_vertex(mesh, face[a]);
    if (!inside) continue;
    face_shares(n, x, share);
    for (int a = 0; a < n; a++) f[3 * face[a]] += share[a], total += share[a];
  }
  sup_surface_destroy(&surface);
  if (!(total > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "no boundary face has all its vertices in the region of the traction; enlarge the region");
  for (int i = 0; i < mesh->num_vertices; i++) {
    double share = f[3 * i] / total;
    for (int k = 0; k < 3; k++) f[3 * i + k] = share * force[k];
  }
  return SUP_OK;
}
