#include "collide/surface/facet.h"
#include "collide/surface/numerics.h"

#include <math.h>

/* Three points c + sqrt(2) S e_a, e_a unit vectors 120 degrees apart, S S the covariance of the
 * patch, have its centre and its second moments; a function's best linear fit, taken at them with a
 * third of the weight each, has the function's integral and first moments.  THEORY 19.5 uses the
 * facet's corners instead: a patch much smaller than its facet would then become one point, on
 * which a box tips over. */

static const double angle_of[3][2] = {
    {1, 0}, {-0.5, 0.86602540378443865}, {-0.5, -0.86602540378443865}};
static const double sqrt_2 = 1.4142135623730951;

void sup_facet_moments_add(sup_facet_moments *m, const sup_facet *facet, double area, sup_v3 x,
                           double phi, sup_v3 n) {
  double facing = sup_v3_dot(facet->normal, n), w = area * facing;
  if (m->sum == 0) m->origin = x;
  sup_v3 d = sup_v3_sub(x, m->origin);
  double u[2] = {sup_v3_dot(d, facet->axis[0]), sup_v3_dot(d, facet->axis[1])};
  double t[2] = {sup_v3_dot(n, facet->axis[0]), sup_v3_dot(n, facet->axis[1])};
  m->area += area, m->sum += w;
  m->phi += w * phi, m->phi_phi += w * phi * phi;
  for (int i = 0; i < 2; i++)
    m->x[i] += w * u[i], m->phi_x[i] += w * phi * u[i], m->n_t[i] += w * t[i];
  m->n += w * facing;
  m->xx[0] += w * u[0] * u[0], m->xx[1] += w * u[1] * u[0], m->xx[2] += w * u[1] * u[1];
  m->xt[0] += w * u[0] * t[0], m->xt[1] += w * (u[0] * t[1] + u[1] * t[0]) / 2;
  m->xt[2] += w * u[1] * t[1];
  m->tt[0] += w * t[0] * t[0], m->tt[1] += w * t[1] * t[0], m->tt[2] += w * t[1] * t[1];
}

/** A symmetric matrix of two rows: xx, xy, yy. */
typedef struct symmetric {
  double xx, xy, yy;
} symmetric;

/** Means of the patch. */
typedef struct patch {
  double    c[2];
  symmetric S, inverse;    /* root of the covariance, and its inverse where there is one */
  double    phi, phi_l[2]; /* fit: phi + phi_l . y at c + S y */
} patch;

/** out = m y; out may be y. */
static void apply(const symmetric *m, const double y[2], double out[2]) {
  double first = m->xx * y[0] + m->xy * y[1];
  out[1] = m->xy * y[0] + m->yy * y[1], out[0] = first;
}

/** Set the root of a covariance: the symmetric one does not depend on the axes.  The root is 0
 * along directions thinner than round-off, and so is its inverse. */
static void set_root(const symmetric *m, double square, patch *p) {
  double mean = 0.5 * (m->xx + m->yy), half = 0.5 * (m->xx - m->yy), d = hypot(half, m->xy);
  double s[2], root[2], over[2], cosine = d > 0 ? half / d : 0, sine = d > 0 ? m->xy / d : 0;
  for (int k = 0; k < 2; k++) {
    double value = mean + (k ? -d : d);
    s[k] = value > sup_surface_numerics.thin * square ? sqrt(value) : 0;
  }
  for (int k = 0; k < 2; k++) { /* mean and half the difference of the principal values */
    double sign = k ? -1 : 1, a = s[0] > 0 ? 1 / s[0] : 0, b = s[1] > 0 ? 1 / s[1] : 0;
    root[k] = 0.5 * (s[0] + sign * s[1]), over[k] = 0.5 * (a + sign * b);
  }
  p->S = (symmetric){root[0] + cosine * root[1], sine * root[1], root[0] - cosine * root[1]};
  p->inverse = (symmetric){over[0] + cosine * over[1], sine * over[1], over[0] - cosine * over[1]};
}

/* Reduce the second moments to those that resist tilting.  By parts, int x dphi/dx = - int phi over
 * a patch that ends where the depth is zero: x and the normal have the covariance phi along that
 * direction.  Such a patch, of a ball or an edge, moves with a sliding or turning shape and resists
 * neither motion.  A patch that ends with the shape's face, as a box's does, has one normal and
 * resists tilting with all of its second moments. */
static void resist(const sup_facet_moments *m, patch *p, double square) {
  double s = 1 / m->sum, t[2] = {s * m->n_t[0], s * m->n_t[1]};
  if (!(p->phi < 0)) return;
  /* C^1/2 (1 - cov(x, t)/phi) C^1/2 equals (1 - cov/phi) C if both have the same principal axes,
   * and is symmetric if the facet cuts the patch at an angle */
  symmetric keep = {1 - (s * m->xt[0] - p->c[0] * t[0]) / p->phi,
                    -(s * m->xt[1] - (p->c[0] * t[1] + p->c[1] * t[0]) / 2) / p->phi,
                    1 - (s * m->xt[2] - p->c[1] * t[1]) / p->phi};
  double    x[2], y[2];
  apply(&keep, (double[2]){p->S.xx, p->S.xy}, x), apply(&p->S, x, x);
  apply(&keep, (double[2]){p->S.xy, p->S.yy}, y), apply(&p->S, y, y);
  set_root(&(symmetric){x[0], (x[1] + y[0]) / 2, y[1]}, square, p);
}

static patch fit(const sup_facet_moments *m) {
  double s = 1 / m->sum;
  patch  p = {.c = {s * m->x[0], s * m->x[1]}, .phi = s * m->phi};
  double xx = s * m->xx[0] - p.c[0] * p.c[0], xy = s * m->xx[1] - p.c[0] * p.c[1],
         yy = s * m->xx[2] - p.c[1] * p.c[1];
  set_root(&(symmetric){xx, xy, yy}, s * (m->xx[0] + m->xx[2]), &p);
  resist(m, &p, xx + yy);
  double slope[2] = {s * m->phi_x[0] - p.phi * p.c[0], s * m->phi_x[1] - p.phi * p.c[1]};
  apply(&p.inverse, slope, p.phi_l);
  return p;
}

/* Contact normal of a patch.  Without friction the force on a flat face is along the face normal,
 * for any shape on it; separate normals of an edge's two sides would lock the edge in place.  The
 * contact normal lies in the normal cones of both bodies.  The shape's cone is spanned by its
 * normals on the patch.  The normal of the cone nearest to the facet's normal is used, limited to
 * the scatter of normals about their mean, so that a patch with one normal keeps this normal.  A
 * patch that overlaps within the step gets the normal of the present overlap; otherwise the leading
 * side would stop a sliding edge. */
static sup_v3 normal_of(const sup_facet_moments *m, const sup_facet *facet) {
  double s = 1 / m->sum, t[2] = {s * m->n_t[0], s * m->n_t[1]};
  double xx = s * m->tt[0] - t[0] * t[0], xy = s * m->tt[1] - t[0] * t[1],
         yy = s * m->tt[2] - t[1] * t[1];
  double angle = 0.5 * atan2(2 * xy, xx - yy); /* variance in the direction of largest scatter */
  sup_v3 n = sup_v3_scale(s * m->n, facet->normal);
  for (int k = 0; k < 2; k++) {
    double e[2] = {k ? -sin(angle) : cos(angle), k ? cos(angle) : sin(angle)};
    double mean = e[0] * t[0] + e[1] * t[1];
    double far = sqrt(sup_max(0, e[0] * e[0] * xx + 2 * e[0] * e[1] * xy + e[1] * e[1] * yy));
    double left = mean - sup_min(far, sup_max(-far, mean));
    n = sup_v3_madd(sup_v3_madd(n, left * e[0], facet->axis[0]), left * e[1], facet->axis[1]);
  }
  return sup_v3_unit(n);
}

/** Contact normal of a patch that overlaps within the step: that of the present overlap or `own`,
 * by the smaller closing velocity.  `own` alone would stop a sliding edge, the present normal alone
 * a spinning ball. */
static sup_v3 normal_ahead(const sup_facet *facet, sup_v3 own, sup_v3 x) {
  sup_v3 v = sup_facet_velocity(facet, x);
  int    has = sup_v3_dot(facet->pressed, facet->pressed) > 0;
  return has && sup_v3_dot(facet->pressed, v) <= sup_v3_dot(own, v) ? facet->pressed : own;
}

/** The point at c + S y. */
static sup_v3 place(const sup_facet_moments *m, const sup_facet *facet, const patch *p, double y0,
                    double y1) {
  double d[2];
  apply(&p->S, (double[2]){y0, y1}, d);
  sup_v3 x = sup_v3_madd(m->origin, p->c[0] + d[0], facet->axis[0]);
  return sup_v3_madd(x, p->c[1] + d[1], facet->axis[1]);
}

/** Outline for output: a third of the ellipse with the patch's moments, about the direction e. */
static void draw(const sup_facet_moments *m, const sup_facet *facet, const patch *p,
                 const double e[2], double slope, sup_contact *to) {
  static const double turn[5][2] = {{0.5, -0.86602540378443865},
                                    {0.86602540378443865, -0.5},
                                    {1, 0},
                                    {0.86602540378443865, 0.5},
                                    {0.5, 0.86602540378443865}};
  to->num_points = 6;
  for (int i = 0; i < 6; i++) {
    double y[2] = {0, 0};
    if (i > 0) {
      const double *t = turn[i - 1];
      y[0] = 2 * (t[0] * e[0] - t[1] * e[1]), y[1] = 2 * (t[1] * e[0] + t[0] * e[1]);
    }
    to->point[i] = place(m, facet, p, y[0], y[1]);
    to->level[i] = -slope * (p->phi + p->phi_l[0] * y[0] + p->phi_l[1] * y[1]);
  }
}

/** Limit the gaps of the points to the sign of their mean: with both signs the sum of forces would
 * be less than that of the patch. */
static void keep_sign(double mean, double phi[3]) {
  double share = 1;
  for (int a = 0; a < 3; a++)
    if (phi[a] * mean < 0) share = sup_min(share, mean / (mean - phi[a]));
  for (int a = 0; a < 3; a++) phi[a] = mean + share * (phi[a] - mean);
}

/** Shift the centre by the part of the first moment of phi that the gaps of the points lack. */
static void shift(const sup_facet_moments *m, patch *p, const double phi[3]) {
  if (!(p->phi < 0)) return;
  double s = 1 / m->sum, left[2];
  for (int i = 0; i < 2; i++) left[i] = s * m->phi_x[i] - p->phi * p->c[i];
  for (int a = 0; a < 3; a++) {
    double d[2];
    apply(&p->S, angle_of[a], d);
    for (int i = 0; i < 2; i++) left[i] -= sqrt_2 * phi[a] / 3 * d[i];
  }
  for (int i = 0; i < 2; i++) p->c[i] += left[i] / p->phi;
}

void sup_facet_merge(const sup_facet_moments *m, const sup_facet *facet, double slope,
                     sup_contact *to) {
  patch  p = fit(m);
  sup_v3 n = normal_ahead(facet, normal_of(m, facet), place(m, facet, &p, 0, 0));
  double phi[3], square = 0;
  for (int a = 0; a < 3; a++) {
    phi[a] = p.phi + sqrt_2 * (p.phi_l[0] * angle_of[a][0] + p.phi_l[1] * angle_of[a][1]);
    square += phi[a] * phi[a] / 3;
  }
  keep_sign(p.phi, phi);
  shift(m, &p, phi);
  for (int a = 0; a < 3; a++) {
    const double *e = angle_of[a];
    to[a].area = facet->share * m->area / 3;
    to[a].facing = m->sum / m->area;
    to[a].normal = n;
    to[a].centroid = place(m, facet, &p, sqrt_2 * e[0], sqrt_2 * e[1]);
    to[a].phi = phi[a];
    to[a].penetration = -phi[a];
    to[a].spread = sup_max(0, m->phi_phi / m->sum - square);
    to[a].slope = slope;
    draw(m, facet, &p, e, slope, &to[a]);
  }
}
