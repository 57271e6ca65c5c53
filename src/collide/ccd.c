#include "collide/ccd.h"

#include <ccd/ccd.h>

/** libccd compares with fixed numbers: it sees the shapes at unit size about a's origin. */
typedef struct scaled {
  const sup_placed *body;
  sup_v3            origin;
  double            scale;
} scaled;

static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point) {
  const scaled *s = object;
  sup_v3        p = sup_support(s->body, sup_v3_load(direction->v));
  sup_v3_store(point->v, sup_v3_scale(s->scale, sup_v3_sub(p, s->origin)));
}

int sup_ccd_direction(const sup_placed *a, const sup_placed *b, double size, sup_v3 *direction) {
  scaled     sa = {a, a->X.p, 1 / size}, sb = {b, a->X.p, 1 / size};
  ccd_t      ccd;
  ccd_real_t depth;
  ccd_vec3_t d, position;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.max_iterations = 200;
  ccd.epa_tolerance = 1e-4;
  if (ccdGJKPenetration(&sa, &sb, &ccd, &depth, &d, &position) != 0) return 0;
  *direction = sup_v3_unit(sup_v3_load(d.v));
  return isfinite(direction->x) && sup_v3_norm(*direction) > 0.5;
}
