#include "geom/triangle.h"

sup_v3 sup_triangle_nearest(sup_v3 a, sup_v3 b, sup_v3 c, sup_v3 p) {
  sup_v3 ab = sup_v3_sub(b, a), ac = sup_v3_sub(c, a), ap = sup_v3_sub(p, a), bp = sup_v3_sub(p, b),
         cp = sup_v3_sub(p, c);
  double d1 = sup_v3_dot(ab, ap), d2 = sup_v3_dot(ac, ap), d3 = sup_v3_dot(ab, bp),
         d4 = sup_v3_dot(ac, bp);
  double d5 = sup_v3_dot(ab, cp), d6 = sup_v3_dot(ac, cp);
  if (d1 <= 0 && d2 <= 0) return a;
  if (d3 >= 0 && d4 <= d3) return b;
  if (d6 >= 0 && d5 <= d6) return c;
  double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return sup_v3_madd(a, d1 / (d1 - d3), ab);
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return sup_v3_madd(a, d2 / (d2 - d6), ac);
  if (va <= 0 && d4 >= d3 && d5 >= d6)
    return sup_v3_madd(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), sup_v3_sub(c, b));
  double sum = va + vb + vc;
  return sup_v3_madd(sup_v3_madd(a, vb / sum, ab), vc / sum, ac);
}
