#include "mesh/surface_curvature.h"

#include <math.h>

#include "base/memory.h"
#include "mesh/edge_key.h"
#include "mesh/numerics.h"

static sup_v3 point_of(const sup_surface *surface, const double *x, int face, int k) {
  return sup_v3_load(x + 3 * surface->face[surface->vertices_per_face * face + k]);
}

/** Vector of a face's area, and the mean of its points. */
static sup_v3 area_of(const sup_surface *surface, const double *x, int face, sup_v3 *centre) {
  int    n = surface->vertices_per_face;
  sup_v3 first = point_of(surface, x, face, 0), area = {0, 0, 0};
  *centre = sup_v3_scale(1. / n, first);
  for (int k = 1; k < n; k++) {
    sup_v3 p = point_of(surface, x, face, k);
    *centre = sup_v3_madd(*centre, 1. / n, p);
    if (k + 1 == n) break;
    sup_v3 q = point_of(surface, x, face, k + 1);
    area = sup_v3_madd(area, 0.5, sup_v3_cross(sup_v3_sub(p, first), sup_v3_sub(q, first)));
  }
  return area;
}

/** Angle from one face's normal to the next one's; 0: hollow, flat, or a corner. */
static double turn_of(const sup_surface *surface, const double *x, int face, int next) {
  sup_v3 from, to, a = area_of(surface, x, face, &from), b = area_of(surface, x, next, &to);
  double angle = atan2(sup_v3_norm(sup_v3_cross(a, b)), sup_v3_dot(a, b));
  if (!(angle > sup_mesh_numerics.straight && angle < sup_mesh_numerics.corner)) return 0;
  return sup_v3_dot(a, sup_v3_sub(to, from)) < 0 ? angle : 0;
}

/** Each edge of each face, those of one edge side by side; their side is the face. */
static sup_status list_edges(const sup_surface *surface, sup_edge_key **edge) {
  int n = surface->vertices_per_face;
  SUP_TRY(SUP_CALLOC(*edge, (size_t)n * (size_t)surface->num_faces));
  for (int f = 0; f < surface->num_faces; f++)
    for (int k = 0; k < n; k++)
      (*edge)[n * f + k] =
          sup_edge_key_of(surface->face[n * f + k], surface->face[n * f + (k + 1) % n], f);
  sup_edge_keys_sort(*edge, n * surface->num_faces);
  return SUP_OK;
}

/** Integrals of curvature and area over the part nearest to each point. */
static sup_status measure(const sup_surface *surface, const double *x, double *turn, double *area) {
  sup_edge_key *edge = NULL;
  int           n = surface->vertices_per_face, count = n * surface->num_faces;
  SUP_TRY(list_edges(surface, &edge));
  for (int i = 0; i < surface->num_points; i++) turn[i] = area[i] = 0;
  for (int f = 0; f < surface->num_faces; f++) {
    sup_v3 centre;
    double share = sup_v3_norm(area_of(surface, x, f, &centre)) / n;
    for (int k = 0; k < n; k++) area[surface->face[n * f + k]] += share;
  }
  for (int i = 0, end; i < count; i = end) {
    end = sup_edge_keys_end(edge, i, count);
    if (end != i + 2) continue;
    sup_v3 along = sup_v3_sub(sup_v3_load(x + 3 * edge[i].high), sup_v3_load(x + 3 * edge[i].low));
    double half = 0.5 * sup_v3_norm(along) * turn_of(surface, x, edge[i].side, edge[i + 1].side);
    turn[edge[i].low] += half, turn[edge[i].high] += half;
  }
  SUP_FREE(edge);
  return SUP_OK;
}

sup_status sup_surface_curvature(const sup_surface *surface, const double *x, double *curvature) {
  SUP_FREED double *area = NULL;
  SUP_TRY(SUP_CALLOC(area, surface->num_points));
  SUP_TRY(measure(surface, x, curvature, area));
  for (int i = 0; i < surface->num_points; i++)
    curvature[i] = area[i] > 0 ? curvature[i] / area[i] : 0;
  return SUP_OK;
}

sup_status sup_surface_mean_curvature(const sup_surface *surface, const double *x, double *mean) {
  double            sum = 0, square = 0;
  SUP_FREED double *area = NULL, *turn = NULL;
  *mean = 0;
  SUP_TRY(SUP_CALLOC(area, surface->num_points));
  SUP_TRY(SUP_CALLOC(turn, surface->num_points));
  SUP_TRY(measure(surface, x, turn, area));
  for (int i = 0; i < surface->num_points; i++)
    if (area[i] > 0) sum += turn[i], square += turn[i] * turn[i] / area[i];
  if (sum > 0) *mean = square / sum;
  return SUP_OK;
}
