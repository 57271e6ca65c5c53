#include "geom/clip.h"

#include <complex.h>
#include <math.h>

/** Area of the triangle of three barycentric points over the area of the whole. */
static double fraction_of(const double *a, const double *b, const double *c) {
  double ux = b[1] - a[1], uy = b[2] - a[2], vx = c[1] - a[1], vy = c[2] - a[2];
  return ux * vy - uy * vx;
}

unsigned sup_clip_inside(const double level[3]) {
  return (unsigned)(level[0] < 0) | (unsigned)(level[1] < 0) << 1 | (unsigned)(level[2] < 0) << 2;
}

/** Zero of the level between two corners, as a share of the side. */
static double crossing(double a, double b) {
  double t = a / (a - b);
  return t >= -1 && t <= 2 ? t : 0.5; /* beyond this distance the part is a different one */
}

void sup_clip_triangle_with(const double level[3], unsigned inside, sup_clipped *out) {
  int n = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (inside >> i & 1) {
      double *w = out->weight[n++];
      w[0] = w[1] = w[2] = 0, w[i] = 1;
    }
    if ((inside >> i & 1) != (inside >> j & 1)) {
      double *w = out->weight[n++], t = crossing(level[i], level[j]);
      w[0] = w[1] = w[2] = 0, w[i] = 1 - t, w[j] = t;
    }
  }
  out->num_points = n;
  out->fraction = 0;
  out->centroid[0] = out->centroid[1] = out->centroid[2] = 0;
  for (int k = 1; k + 1 < n; k++) {
    double area = fraction_of(out->weight[0], out->weight[k], out->weight[k + 1]);
    out->fraction += area;
    for (int c = 0; c < 3; c++)
      out->centroid[c] +=
          area * (out->weight[0][c] + out->weight[k][c] + out->weight[k + 1][c]) / 3;
  }
  if (out->fraction == 0) out->num_points = 0;
  for (int c = 0; c < 3 && out->fraction != 0; c++) out->centroid[c] /= out->fraction;
}

void sup_clip_triangle(const double level[3], sup_clipped *out) {
  sup_clip_triangle_with(level, sup_clip_inside(level), out);
  if (!(out->fraction > 0)) out->num_points = 0;
}

double sup_clipped_spread(const sup_clipped *part, const double f[3]) {
  double value[SUP_CLIP_MAX_POINTS], moment = 0, area = 0;
  for (int i = 0; i < part->num_points; i++) {
    value[i] = 0;
    for (int c = 0; c < 3; c++) value[i] += (part->weight[i][c] - part->centroid[c]) * f[c];
  }
  for (int i = 1; i + 1 < part->num_points; i++) { /* a fan of triangles, by the triangle's area */
    const double *o = part->weight[0], *p = part->weight[i], *q = part->weight[i + 1];
    double        a = value[0], b = value[i], c = value[i + 1];
    double        piece = (p[1] - o[1]) * (q[2] - o[2]) - (p[2] - o[2]) * (q[1] - o[1]);
    moment += piece * (a * a + b * b + c * c + a * b + b * c + c * a) / 6;
    area += piece;
  }
  return area > 0 ? moment / area : 0;
}

/** Mean of f g over the triangle with these values at its corners. */
static double mean_product(const double f[3], const double g[3]) {
  double sum = (f[0] + f[1] + f[2]) * (g[0] + g[1] + g[2]);
  return (sum + f[0] * g[0] + f[1] * g[1] + f[2] * g[2]) / 12;
}

/** Cholesky factor [xx, xy, yy] of the covariance of the second and third coordinate. */
static void factor_covariance(const sup_clipped *part, double L[3]) {
  double xx = 0, xy = 0, yy = 0, whole = 1 / part->fraction;
  for (int k = 1; k + 1 < part->num_points; k++) {
    const double *at[3] = {part->weight[0], part->weight[k], part->weight[k + 1]};
    double        share = whole * fraction_of(at[0], at[1], at[2]), x[3], y[3];
    for (int i = 0; i < 3; i++)
      x[i] = at[i][1] - part->centroid[1], y[i] = at[i][2] - part->centroid[2];
    xx += share * mean_product(x, x), xy += share * mean_product(x, y),
        yy += share * mean_product(y, y);
  }
  L[0] = sqrt(fmax(0, xx));
  L[1] = L[0] > 0 ? xy / L[0] : 0;
  L[2] = sqrt(fmax(0, yy - L[1] * L[1]));
}

/** Clip a part to the points where the level is negative. */
static void cut(const sup_clipped *part, const double *level, sup_clipped *out) {
  int n = 0;
  for (int i = 0; i < part->num_points; i++) {
    int    j = i + 1 < part->num_points ? i + 1 : 0;
    double a = level[i], b = level[j], t = a / (a - b);
    for (int c = 0; c < 3 && a < 0; c++) out->weight[n][c] = part->weight[i][c];
    n += a < 0;
    if ((a < 0) == (b < 0)) continue;
    for (int c = 0; c < 3; c++)
      out->weight[n][c] = (1 - t) * part->weight[i][c] + t * part->weight[j][c];
    n++;
  }
  out->num_points = n;
}

/** The sector that begins at the direction -L e, or with sign = -1 the one that ends there. */
static void cut_sector(const sup_clipped *part, const double c[3], const double L[3],
                       const double e[2], double sign, sup_clipped *out) {
  double level[SUP_CLIP_MAX_POINTS], dx = L[0] * e[0], dy = L[1] * e[0] + L[2] * e[1];
  for (int i = 0; i < part->num_points; i++)
    level[i] = sign * (dx * (part->weight[i][2] - c[2]) - dy * (part->weight[i][1] - c[1]));
  cut(part, level, out);
}

/** Directions e_k of the three points, such that the points match the third moments of the part as
 * far as possible; this makes them independent of the order of corners.  The mean of z^3 for z =
 * y_0 + i y_1, x = c + L y, has three times their angle; of f^3 over a triangle it is a tenth of
 * the sum of all products of three of its values at the corners. */
static void set_directions(const sup_clipped *part, const double L[3], double e[3][2]) {
  static const double third_of_turn = 2.0943951023931953; /* 120 degrees */
  double complex      z[SUP_CLIP_MAX_POINTS], sum = 0;
  double              tilt = L[0] > 0 ? L[1] / L[0] : 0;
  for (int i = 0; i < part->num_points; i++) {
    double x = part->weight[i][1] - part->centroid[1], y = part->weight[i][2] - part->centroid[2];
    z[i] = (L[0] > 0 ? x / L[0] : 0) + (double complex)I * (L[2] > 0 ? (y - tilt * x) / L[2] : 0);
  }
  for (int k = 1; k + 1 < part->num_points; k++) {
    double         area = fraction_of(part->weight[0], part->weight[k], part->weight[k + 1]);
    double complex a = z[0], b = z[k], c = z[k + 1], s = a + b + c;
    sum += area * (s * (s * s - 2 * (a * b + b * c + c * a)) + a * b * c);
  }
  double angle = carg(sum) / 3;
  if (!isfinite(angle)) angle = 0; /* a part without width */
  for (int k = 0; k < 3; k++)
    e[k][0] = cos(angle + k * third_of_turn), e[k][1] = sin(angle + k * third_of_turn);
}

void sup_clip_thirds(const sup_clipped *part, sup_clipped third[3]) {
  static const double sqrt_2 = 1.4142135623730951;
  double              L[3], e[3][2];
  factor_covariance(part, L);
  set_directions(part, L, e);
  for (int k = 0; k < 3; k++) {
    sup_clipped  half;
    sup_clipped *t = &third[k];
    cut_sector(part, part->centroid, L, e[(k + 1) % 3], 1, &half);
    cut_sector(&half, part->centroid, L, e[(k + 2) % 3], -1, t);
    if (t->num_points < 3) *t = *part; /* a part without width */
    t->fraction = part->fraction / 3;
    t->centroid[1] = part->centroid[1] + sqrt_2 * L[0] * e[k][0];
    t->centroid[2] = part->centroid[2] + sqrt_2 * (L[1] * e[k][0] + L[2] * e[k][1]);
    t->centroid[0] = 1 - t->centroid[1] - t->centroid[2];
  }
}
