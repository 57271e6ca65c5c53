#include "study/holding/wrench_space.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "study/design.h"
#include "study/numerics.h"

enum { N = 6, STARTS = 64, MOST_COLUMNS = 2000, MOST_FACES = 50 };

static double dot(const double a[N], const double b[N]) {
  double sum = 0;
  for (int k = 0; k < N; k++) sum += a[k] * b[k];
  return sum;
}

/** a of a direction, by moments over a length. */
static sup_v3 velocity_at(const sup_grasp_contact *c, double length, const double d[N]) {
  return sup_v3_madd(sup_v3_load(d), 1 / length, sup_v3_cross(sup_v3_load(d + 3), c->point));
}

/** |M a|, with M a by its components s. */
static double friction_along(const sup_grasp_contact *c, sup_v3 a, double s[2]) {
  for (int k = 0; k < 2; k++) s[k] = sup_v3_dot(c->friction[k], a);
  return hypot(s[0], s[1]);
}

double sup_wrench_support(const sup_grasp_contact *contact, int num, double length,
                          const double d[N], double w[N]) {
  double h = 0;
  memset(w, 0, N * sizeof *w);
  for (int i = 0; i < num; i++) {
    const sup_grasp_contact *c = &contact[i];
    sup_v3                   a = velocity_at(c, length, d);
    double                   s[2], across = friction_along(c, a, s);
    double                   most = c->load * (sup_v3_dot(a, c->normal) + across);
    if (!(most > 0)) continue;
    sup_v3 f = c->normal;
    for (int k = 0; k < 2; k++) f = sup_v3_madd(f, across > 0 ? s[k] / across : 0, c->friction[k]);
    sup_v3       m = sup_v3_scale(1 / length, sup_v3_cross(c->point, f));
    const double part[N] = {f.x, f.y, f.z, m.x, m.y, m.z};
    for (int k = 0; k < N; k++) w[k] += c->load * part[k];
    h += most;
  }
  return h;
}

double sup_wrench_held(const sup_grasp_contact *contact, int num, int turns, const double axis[3]) {
  double d[N] = {0}, h = 0;
  for (int k = 0; k < 3; k++) d[3 * turns + k] = -axis[k];
  for (int i = 0; i < num; i++) {
    sup_v3 a = velocity_at(&contact[i], 1, d);
    double s[2];
    h += contact[i].load * (sup_v3_dot(a, contact[i].normal) + friction_along(&contact[i], a, s));
  }
  return h;
}

/** Normal of the face of W that the ray along u meets, by the simplex method: the least sum of
 * shares of wrenches w that make u, with w from the support function.  It starts from a small
 * octahedron.  @return h of the normal */
static double face(const sup_grasp_contact *contact, int num, double length, double size,
                   const double u[N], double d[N]) {
  double inverse[N][N] = {{0}}, share[N], w[N], part[N], h = 0;
  for (int k = 0; k < N; k++) {
    inverse[k][k] = (u[k] < 0 ? -1 : 1) / (sup_study_numerics.octahedron * size);
    share[k] = inverse[k][k] * u[k];
  }
  for (int n = 0; n < MOST_COLUMNS; n++) {
    int leaves = -1;
    for (int k = 0; k < N; k++) {
      d[k] = 0;
      for (int j = 0; j < N; j++) d[k] += inverse[j][k];
    }
    h = sup_wrench_support(contact, num, length, d, w);
    if (h <= 1 + sup_study_numerics.face) break;
    for (int j = 0; j < N; j++) {
      part[j] = dot(inverse[j], w);
      if (part[j] > DBL_EPSILON * h &&
          (leaves < 0 || share[j] * part[leaves] < share[leaves] * part[j]))
        leaves = j;
    }
    if (leaves < 0) break;
    for (int k = 0; k < N; k++) inverse[leaves][k] /= part[leaves];
    share[leaves] /= part[leaves];
    for (int j = 0; j < N; j++) {
      if (j == leaves) continue;
      for (int k = 0; k < N; k++) inverse[j][k] -= part[j] * inverse[leaves][k];
      share[j] -= part[j] * share[leaves];
    }
  }
  double norm = sqrt(dot(d, d));
  for (int k = 0; k < N; k++) d[k] /= norm;
  return h / norm;
}

double sup_grasp_quality(const sup_grasp_contact *contact, int num, double length) {
  double   size = 0, least = HUGE_VAL, w[N];
  uint64_t state = 1;
  for (int i = 0; i < num; i++) size += contact[i].load;
  if (!(size > 0)) return 0;
  for (int s = 0; s < 2 * N + STARTS; s++) {
    double u[N] = {0}, d[N], h, norm;
    for (int k = 0; k < N && s >= 2 * N; k++) u[k] = 2 * sup_random_unit(&state) - 1;
    if (s < 2 * N) u[s / 2] = s % 2 ? -1 : 1;
    norm = sqrt(dot(u, u));
    for (int k = 0; k < N; k++) u[k] /= norm;
    h = sup_wrench_support(contact, num, length, u, w);
    for (int n = 0; n < MOST_FACES; n++) {
      double next = face(contact, num, length, size, u, d);
      if (!(next < h * (1 - sup_study_numerics.face))) break;
      h = next;
      memcpy(u, d, sizeof u);
    }
    least = fmin(least, h);
  }
  return least;
}
