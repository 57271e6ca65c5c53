#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"
#include "mesh/surface.h"

/* Shares of the vertices in the area of a triangle. */
static void triangle_shares(const sup_v3 x[3], double share[3]) {
  double area = 0.5 * sup_v3_norm(sup_v3_cross(sup_v3_sub(x[1], x[0]), sup_v3_sub(x[2], x[0])));
  for (int a = 0; a < 3; a++) share[a] = area / 3;
}

/* Shares of the vertices in the area of a bilinear quad: integrals of N_a by 2 x 2 Gauss points. */
static void quad_shares(const sup_v3 x[4], double share[4]) {
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

sup_status sup_fem_traction(const sup_fem_body *body, const unsigned char *selected, const double force[3], double *f) {
  const sup_mesh *mesh = body->mesh;
  sup_surface    *surface = NULL;
  double          total = 0;
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  int n = surface->vertices_per_face;
  memset(f, 0, 3 * (size_t)mesh->num_vertices * sizeof *f);
  for (int k = 0; k < surface->num_faces; k++) {
    const int *face = surface->face + k * n;
    sup_v3     x[SUP_FACE_MAX_VERTICES];
    double     share[SUP_FACE_MAX_VERTICES];
    int        inside = 1;
    for (int a = 0; a < n; a++) inside = inside && selected[face[a]], x[a] = sup_mesh_vertex(mesh, face[a]);
    if (!inside) continue;
    if (n == 3)
      triangle_shares(x, share);
    else
      quad_shares(x, share);
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
