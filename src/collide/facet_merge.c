#include "collide/facet.h"

/* Three points c + sqrt(2) L e_a, e_a unit vectors 120 degrees apart, L L^T the covariance of the
 * patch, have its centre and its second moments; a function's best linear fit, taken at them with a
 * third of the weight each, has the function's integral and first moments.  THEORY 19.5 takes the
 * facet's own corners for that: a patch that is small against its facet becomes one point then, on
 * which a box would tip over. */

static const double angle_of[3][2] = {
    {1, 0}, {-0.5, 0.86602540378443865}, {-0.5, -0.86602540378443865}};

void sup_facet_moments_add(sup_facet_moments *m, const sup_facet *facet, double area, sup_v3 x,
                           double phi, sup_v3 n) {
  double facing = sup_v3_dot(facet->normal, n), w = area * facing;
  if (m->sum == 0) m->origin = x;
  sup_v3 d = sup_v3_sub(x, m->origin);
  double u[2] = {sup_v3_dot(d, facet->axis[0]), sup_v3_dot(d, facet->axis[1])};
  m->area += area, m->sum += w;
  m->phi += w * phi, m->phi_phi += w * phi * phi;
  m->n = sup_v3_madd(m->n, w, n);
  for (int i = 0; i < 2; i++) {
    m->x[i] += w * u[i], m->phi_x[i] += w * phi * u[i];
    m->n_x[i] = sup_v3_madd(m->n_x[i], w * u[i], n);
  }
  m->xx[0] += w * u[0] * u[0], m->xx[1] += w * u[1] * u[0], m->xx[2] += w * u[1] * u[1];
}

/** Means of the patch. */
typedef struct patch {
  double c[2], L[3];    /* centre; Cholesky factor of the covariance, by rows */
  double phi, phi_l[2]; /* fit: phi + phi_l . y at c + L y */
  sup_v3 n, n_l[2];
} patch;

/** y with L y = q; along what is thinner than round-off there is no slope. */
static void solve(const double L[3], double q0, double q1, double y[2]) {
  y[0] = L[0] > 0 ? q0 / L[0] : 0;
  y[1] = L[2] > 0 ? (q1 - L[1] * y[0]) / L[2] : 0;
}

static patch fit(const sup_facet_moments *m) {
  static const double thin = 1e-12; /* of the squared size */
  double              s = 1 / m->sum, n[3][2];
  patch  p = {.c = {s * m->x[0], s * m->x[1]}, .phi = s * m->phi, .n = sup_v3_scale(s, m->n)};
  double xx = s * m->xx[0] - p.c[0] * p.c[0], xy = s * m->xx[1] - p.c[0] * p.c[1],
         yy = s * m->xx[2] - p.c[1] * p.c[1];
  double size = s * (m->xx[0] + m->xx[2]);
  if (xx > thin * size) p.L[0] = sqrt(xx), p.L[1] = xy / p.L[0];
  double rest = yy - p.L[1] * p.L[1];
  if (rest > thin * size) p.L[2] = sqrt(rest);
  solve(p.L, s * m->phi_x[0] - p.phi * p.c[0], s * m->phi_x[1] - p.phi * p.c[1], p.phi_l);
  sup_v3 q0 = sup_v3_madd(sup_v3_scale(s, m->n_x[0]), -p.c[0], p.n);
  sup_v3 q1 = sup_v3_madd(sup_v3_scale(s, m->n_x[1]), -p.c[1], p.n);
  solve(p.L, q0.x, q1.x, n[0]), solve(p.L, q0.y, q1.y, n[1]), solve(p.L, q0.z, q1.z, n[2]);
  for (int i = 0; i < 2; i++) p.n_l[i] = sup_v3_make(n[0][i], n[1][i], n[2][i]);
  return p;
}

/** The point at c + L y. */
static sup_v3 place(const sup_facet_moments *m, const sup_facet *facet, const patch *p, double y0,
                    double y1) {
  sup_v3 x = sup_v3_madd(m->origin, p->c[0] + p->L[0] * y0, facet->axis[0]);
  return sup_v3_madd(x, p->c[1] + p->L[1] * y0 + p->L[2] * y1, facet->axis[1]);
}

/** Drawn as a third of the ellipse that has the patch's moments, its middle direction e. */
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

/** The points' gaps keep the sign of their mean: else they would have less force between them than
 * the patch. */
static void keep_sign(double mean, double phi[3]) {
  double share = 1;
  for (int a = 0; a < 3; a++)
    if (phi[a] * mean < 0) share = sup_min(share, mean / (mean - phi[a]));
  for (int a = 0; a < 3; a++) phi[a] = mean + share * (phi[a] - mean);
}

void sup_facet_merge(const sup_facet_moments *m, const sup_facet *facet, double slope,
                     sup_contact *to) {
  static const double reach = 1.4142135623730951;
  patch               p = fit(m);
  double              phi[3], square = 0;
  for (int a = 0; a < 3; a++) {
    phi[a] = p.phi + reach * (p.phi_l[0] * angle_of[a][0] + p.phi_l[1] * angle_of[a][1]);
    square += phi[a] * phi[a] / 3;
  }
  keep_sign(p.phi, phi);
  for (int a = 0; a < 3; a++) {
    const double *e = angle_of[a];
    sup_v3        n = sup_v3_madd(sup_v3_madd(p.n, reach * e[0], p.n_l[0]), reach * e[1], p.n_l[1]);
    to[a].area = facet->share * m->area / 3;
    to[a].facing = m->sum / m->area;
    to[a].normal = sup_v3_unit(n);
    to[a].centroid = place(m, facet, &p, reach * e[0], reach * e[1]);
    to[a].phi = phi[a];
    to[a].penetration = -phi[a];
    to[a].spread = sup_max(0, m->phi_phi / m->sum - square);
    to[a].slope = slope;
    draw(m, facet, &p, e, slope, &to[a]);
  }
}
