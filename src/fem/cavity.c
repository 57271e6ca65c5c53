/* Rims of boundary faces, and cavities of meshes. */
#include <string.h>

#include "base/memory.h"
#include "fem/body.h"
#include "mesh/edge_key.h"
#include "mesh/surface.h"

/* ---- rims ------------------------------------------------------------------------------------ */

/** Side `side` of the faces, counted over all: its ends, and the vertex on it of T10. */
static sup_fem_edge edge_of(const sup_fem_faces *faces, int side) {
  const int  n = faces->vertices_per_face, sides = n == 6 ? 3 : n, a = side % sides;
  const int *of = faces->vertex + (ptrdiff_t)(side / sides) * n;
  return (sup_fem_edge){of[a], of[(a + 1) % sides], n == 6 ? of[3 + a] : SUP_NONE};
}

sup_status sup_fem_faces_rim(const sup_fem_faces *faces, sup_fem_edge **edge, int *num_edges) {
  SUP_FREED sup_edge_key *key = NULL;
  int count = faces->num_faces * (faces->vertices_per_face == 6 ? 3 : faces->vertices_per_face);
  *edge = NULL, *num_edges = 0;
  SUP_TRY(SUP_CALLOC(key, count));
  for (int k = 0; k < count; k++) {
    sup_fem_edge side = edge_of(faces, k);
    key[k] = sup_edge_key_of(side.from, side.to, k);
  }
  sup_edge_keys_sort(key, count);
  SUP_TRY(SUP_CALLOC(*edge, count));
  for (int first = 0, end; first < count; first = end) {
    int sum = 0;
    end = sup_edge_keys_end(key, first, count);
    for (int e = first; e < end; e++) sum += key[e].direction;
    for (int e = first; e < end; e++)
      if (key[e].direction * sum > 0) (*edge)[(*num_edges)++] = edge_of(faces, key[e].side);
  }
  return SUP_OK;
}

/* ---- fans ------------------------------------------------------------------------------------ */

/** Shape functions N and slopes d of an edge's n vertices at s, -1 .. 1. */
static void edge_shape(int n, double s, double N[3], double d[3]) {
  if (n == 2) {
    N[0] = 0.5 * (1 - s), N[1] = 0.5 * (1 + s), d[0] = -0.5, d[1] = 0.5;
    return;
  }
  N[0] = 0.5 * s * (s - 1), N[1] = 0.5 * s * (s + 1), N[2] = 1 - s * s;
  d[0] = s - 0.5, d[1] = s + 0.5, d[2] = -2 * s;
}

/** Part of the fan between an edge and the mean: int N_a dA of the edge's vertices and, last, of
 * the mean.  The part is mean + t (x(s) - mean), so that N_a = t N_a(s) and dA = t x' x (mean - x)
 * ds dt; three Gauss points are exact. */
static void integrate_part(int n, const sup_v3 *x, sup_v3 mean, sup_v3 out[4]) {
  static const double at[3] = {-0.77459666924148338, 0, 0.77459666924148338};
  static const double weight[3] = {5. / 9, 8. / 9, 5. / 9};
  for (int a = 0; a < 4; a++) out[a] = (sup_v3){0, 0, 0};
  for (int q = 0; q < 3; q++) {
    double N[3], d[3];
    sup_v3 slope = {0, 0, 0}, arm = mean;
    edge_shape(n, at[q], N, d);
    for (int a = 0; a < n; a++)
      slope = sup_v3_madd(slope, d[a], x[a]), arm = sup_v3_madd(arm, -N[a], x[a]);
    sup_v3 area = sup_v3_scale(weight[q], sup_v3_cross(arm, slope));
    for (int a = 0; a < n; a++) out[a] = sup_v3_madd(out[a], N[a] / 3, area);
    out[3] = sup_v3_madd(out[3], 1. / 6, area);
  }
}

double sup_fem_fan_volume(const sup_fem_edge *edge, int num_edges, const double *x, sup_v3 centre,
                          double *g) {
  double volume = 0, share = 1. / num_edges;
  sup_v3 mean = {0, 0, 0}, sum = {0, 0, 0};
  for (int e = 0; e < num_edges; e++)
    mean = sup_v3_madd(mean, share, sup_v3_load(x + 3 * (ptrdiff_t)edge[e].from));
  for (int e = 0; e < num_edges; e++) {
    const int vertex[3] = {edge[e].from, edge[e].to, edge[e].middle};
    int       n = edge[e].middle == SUP_NONE ? 2 : 3;
    sup_v3    corner[3], area[4];
    for (int a = 0; a < n; a++) corner[a] = sup_v3_load(x + 3 * (ptrdiff_t)vertex[a]);
    integrate_part(n, corner, mean, area);
    for (int a = 0; a < n; a++) {
      volume += sup_v3_dot(sup_v3_sub(corner[a], centre), area[a]) / 3;
      sup_v3_accumulate(g + 3 * (ptrdiff_t)vertex[a], 1, area[a]);
    }
    sum = sup_v3_add(sum, area[3]);
  }
  for (int e = 0; e < num_edges; e++)
    sup_v3_accumulate(g + 3 * (ptrdiff_t)edge[e].from, share, sum);
  return volume + sup_v3_dot(sup_v3_sub(mean, centre), sum) / 3;
}

/* ---- cavities -------------------------------------------------------------------------------- */

static int root_of(int *root, int a) {
  while (root[a] != a) a = root[a] = root[root[a]];
  return a;
}

/** volume [num_vertices] += volumes of the boundary's parts, each at its root. */
static void measure(const sup_surface *surface, const double *x, int *root, double *volume) {
  int n = surface->vertices_per_face;
  for (int f = 0; f < surface->num_faces; f++)
    for (int a = 1; a < n; a++)
      root[root_of(root, surface->face[f * n + a])] = root_of(root, surface->face[f * n]);
  for (int t = 0; t < surface->num_triangles; t++) {
    sup_v3 p[3];
    for (int a = 0; a < 3; a++) p[a] = sup_surface_corner(surface, x, t, a);
    volume[root_of(root, surface->face[surface->triangle_face[t] * n])] +=
        sup_v3_dot(p[0], sup_v3_cross(p[1], p[2])) / 6;
  }
}

sup_status sup_fem_select_cavities(const sup_mesh *mesh, unsigned char *selected,
                                   int *num_cavities) {
  SUP_FREED int        *root = NULL;
  SUP_FREED double     *volume = NULL;
  SUP_OWN(sup_surface) *surface = NULL;
  *num_cavities = 0;
  SUP_TRY(SUP_CALLOC(root, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(volume, mesh->num_vertices));
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  for (int a = 0; a < mesh->num_vertices; a++) root[a] = a;
  measure(surface, mesh->x, root, volume);
  for (int a = 0; a < mesh->num_vertices; a++) {
    *num_cavities += volume[a] < 0;
    if (volume[root_of(root, a)] < 0) selected[a] = 1;
  }
  return SUP_OK;
}
