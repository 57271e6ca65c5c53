#include "geom/clip.h"

/** Area of the triangle of three barycentric points over the area of the whole. */
static double fraction_of(const double *a, const double *b, const double *c) {
  double ux = b[1] - a[1], uy = b[2] - a[2], vx = c[1] - a[1], vy = c[2] - a[2];
  return ux * vy - uy * vx;
}

void sup_clip_triangle(const double level[3], sup_clipped *out) {
  int n = 0;
  for (int i = 0; i < 3; i++) {
    int    j = (i + 1) % 3;
    double a = level[i], b = level[j];
    if (a < 0) {
      double *w = out->weight[n++];
      w[0] = w[1] = w[2] = 0, w[i] = 1;
    }
    if ((a < 0) != (b < 0)) {
      double *w = out->weight[n++], t = a / (a - b);
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
  if (out->fraction > 0)
    for (int c = 0; c < 3; c++) out->centroid[c] /= out->fraction;
  else
    out->num_points = 0;
}
