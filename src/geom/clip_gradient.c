/* Derivatives of a clipped triangle and of its thirds in the levels at its corners. */
#include <complex.h>
#include <math.h>

#include "geom/clip.h"

/** A part, and its derivatives in the level of one corner. */
typedef struct moved_part {
  int    num_points;
  double weight[SUP_CLIP_MAX_POINTS][3], d_weight[SUP_CLIP_MAX_POINTS][3];
  double fraction, d_fraction;
  double centroid[3], d_centroid[3];
} moved_part;

/** Corners of the part. */
static void place_points(const double level[3], unsigned inside, int of, moved_part *p) {
  p->num_points = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    if (inside >> i & 1) {
      double *w = p->weight[p->num_points], *d = p->d_weight[p->num_points++];
      for (int c = 0; c < 3; c++) w[c] = c == i, d[c] = 0;
    }
    if ((inside >> i & 1) == (inside >> j & 1)) continue;
    double *w = p->weight[p->num_points], *d = p->d_weight[p->num_points++];
    double  a = level[i], b = level[j], t = a / (a - b), square = (a - b) * (a - b);
    double  dt = of == i ? -b / square : of == j ? a / square : 0;
    for (int c = 0; c < 3; c++)
      w[c] = c == i ? 1 - t : c == j ? t : 0, d[c] = c == i ? -dt : c == j ? dt : 0;
  }
}

/** Area of the fan's triangle k over the area of the whole, and its derivative. */
static double fan_area(const moved_part *p, int k, double *derivative) {
  double u[2], v[2], du[2], dv[2];
  for (int c = 0; c < 2; c++) {
    u[c] = p->weight[k][c + 1] - p->weight[0][c + 1];
    v[c] = p->weight[k + 1][c + 1] - p->weight[0][c + 1];
    du[c] = p->d_weight[k][c + 1] - p->d_weight[0][c + 1];
    dv[c] = p->d_weight[k + 1][c + 1] - p->d_weight[0][c + 1];
  }
  *derivative = du[0] * v[1] + u[0] * dv[1] - du[1] * v[0] - u[1] * dv[0];
  return u[0] * v[1] - u[1] * v[0];
}

/** Fraction and centroid of the part by its fan. */
static void sum_fan(moved_part *p) {
  double sum[3] = {0, 0, 0}, d_sum[3] = {0, 0, 0};
  p->fraction = p->d_fraction = 0;
  for (int k = 1; k + 1 < p->num_points; k++) {
    double d_area, area = fan_area(p, k, &d_area);
    p->fraction += area, p->d_fraction += d_area;
    for (int c = 0; c < 3; c++) {
      double mean = (p->weight[0][c] + p->weight[k][c] + p->weight[k + 1][c]) / 3;
      sum[c] += area * mean;
      d_sum[c] += d_area * mean +
                  area * (p->d_weight[0][c] + p->d_weight[k][c] + p->d_weight[k + 1][c]) / 3;
    }
  }
  for (int c = 0; c < 3; c++) {
    p->centroid[c] = sum[c] / p->fraction;
    p->d_centroid[c] = (d_sum[c] - p->centroid[c] * p->d_fraction) / p->fraction;
  }
}

/** Mean of f g over the triangle with these values at its corners. */
static double mean_product(const double f[3], const double g[3]) {
  double sum = (f[0] + f[1] + f[2]) * (g[0] + g[1] + g[2]);
  return (sum + f[0] * g[0] + f[1] * g[1] + f[2] * g[2]) / 12;
}

/** Cholesky factor [xx, xy, yy] of the covariance of the second and third coordinate. */
static void factor_covariance(const moved_part *p, double L[3], double dL[3]) {
  double           sum[3] = {0, 0, 0}, d_sum[3] = {0, 0, 0};
  static const int row[3] = {0, 0, 1}, column[3] = {0, 1, 1};
  for (int k = 1; k + 1 < p->num_points; k++) {
    const int at[3] = {0, k, k + 1};
    double    d_area, area = fan_area(p, k, &d_area), x[2][3], dx[2][3];
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 2; c++) {
        x[c][i] = p->weight[at[i]][c + 1] - p->centroid[c + 1];
        dx[c][i] = p->d_weight[at[i]][c + 1] - p->d_centroid[c + 1];
      }
    for (int e = 0; e < 3; e++) {
      const double *f = x[row[e]], *g = x[column[e]];
      double        mean = mean_product(f, g);
      sum[e] += area * mean;
      d_sum[e] +=
          d_area * mean + area * (mean_product(dx[row[e]], g) + mean_product(f, dx[column[e]]));
    }
  }
  for (int e = 0; e < 3; e++) {
    sum[e] /= p->fraction;
    d_sum[e] = (d_sum[e] - sum[e] * p->d_fraction) / p->fraction;
  }
  L[0] = sqrt(fmax(0, sum[0])), dL[0] = d_sum[0] / (2 * L[0]);
  L[1] = sum[1] / L[0], dL[1] = (d_sum[1] - L[1] * dL[0]) / L[0];
  L[2] = sqrt(fmax(0, sum[2] - L[1] * L[1])), dL[2] = (d_sum[2] - 2 * L[1] * dL[1]) / (2 * L[2]);
}

/** Angle of the first of three points about the centroid (sup_clip_thirds). */
static double set_angle(const moved_part *p, const double L[3], const double dL[3],
                        double *derivative) {
  double complex z[SUP_CLIP_MAX_POINTS] = {0}, dz[SUP_CLIP_MAX_POINTS] = {0};
  double complex sum = 0, d_sum = 0;
  double         tilt = L[1] / L[0], d_tilt = (dL[1] - tilt * dL[0]) / L[0];
  for (int i = 0; i < p->num_points; i++) {
    double x = p->weight[i][1] - p->centroid[1], dx = p->d_weight[i][1] - p->d_centroid[1];
    double y = p->weight[i][2] - p->centroid[2] - tilt * x;
    double dy = p->d_weight[i][2] - p->d_centroid[2] - tilt * dx - d_tilt * x;
    x /= L[0], dx = (dx - x * dL[0]) / L[0];
    y /= L[2], dy = (dy - y * dL[2]) / L[2];
    z[i] = x + (double complex)I * y, dz[i] = dx + (double complex)I * dy;
  }
  for (int k = 1; k + 1 < p->num_points; k++) {
    double         d_area, area = fan_area(p, k, &d_area);
    double complex a = z[0], b = z[k], c = z[k + 1], da = dz[0], db = dz[k], dc = dz[k + 1];
    double complex s = a + b + c, ds = da + db + dc, pairs = a * b + b * c + c * a,
                   d_pairs = da * (b + c) + db * (a + c) + dc * (a + b);
    sum += area * (s * (s * s - 2 * pairs) + a * b * c);
    d_sum += d_area * (s * (s * s - 2 * pairs) + a * b * c) +
             area * (ds * (3 * s * s - 2 * pairs) - 2 * s * d_pairs + da * b * c + a * db * c +
                     a * b * dc);
  }
  *derivative = cimag(d_sum / sum) / 3;
  return carg(sum) / 3;
}

/** Move the centroid to third 1 .. 3 of the part. */
static void move_to_third(moved_part *p, int third) {
  static const double sqrt_2 = 1.4142135623730951;
  static const double third_of_turn = 2.0943951023931953;
  double              L[3], dL[3], d_angle;
  factor_covariance(p, L, dL);
  double angle = set_angle(p, L, dL, &d_angle) + (third - 1) * third_of_turn;
  double x = cos(angle), y = sin(angle), dx = -y * d_angle, dy = x * d_angle;
  p->centroid[1] += sqrt_2 * L[0] * x;
  p->d_centroid[1] += sqrt_2 * (dL[0] * x + L[0] * dx);
  p->centroid[2] += sqrt_2 * (L[1] * x + L[2] * y);
  p->d_centroid[2] += sqrt_2 * (dL[1] * x + L[1] * dx + dL[2] * y + L[2] * dy);
  p->d_centroid[0] = -p->d_centroid[1] - p->d_centroid[2];
  p->d_fraction /= 3;
}

void sup_clip_gradient(const double level[3], unsigned inside, int third, sup_clip_slopes *out) {
  *out = (sup_clip_slopes){{0}};
  if (inside == 7) return; /* the whole triangle, whatever the levels */
  for (int l = 0; l < 3; l++) {
    moved_part p;
    place_points(level, inside, l, &p);
    sum_fan(&p);
    if (third > 0) move_to_third(&p, third);
    out->fraction[l] = p.d_fraction;
    for (int c = 0; c < 3; c++) out->centroid[c][l] = p.d_centroid[c];
  }
}
