/* Loops of a profile moved along their normals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "profile/profile.h"

/** Displacement of point i by which both sides that meet there move by d to the left. */
static void move_point(const sup_loop *loop, int i, double d, double to[2]) {
  const double *a = sup_loop_point(loop, i + loop->num_points - 1), *b = sup_loop_point(loop, i),
               *c = sup_loop_point(loop, i + 1);
  double one = hypot(b[0] - a[0], b[1] - a[1]), two = hypot(c[0] - b[0], c[1] - b[1]);
  double n[2] = {-(b[1] - a[1]) / one, (b[0] - a[0]) / one},
         m[2] = {-(c[1] - b[1]) / two, (c[0] - b[0]) / two};
  double facing = 1 + n[0] * m[0] + n[1] * m[1];
  for (int k = 0; k < 2; k++) to[k] = b[k] + d * (n[k] + m[k]) / facing;
}

/** 1: each piece leads the way that it led before. */
static bool keeps_its_pieces(const sup_loop *loop, const double *x) {
  for (int i = 0; i < loop->num_points; i++) {
    int           j = (i + 1) % loop->num_points;
    const double *a = sup_loop_point(loop, i), *b = sup_loop_point(loop, j);
    double        along =
        (b[0] - a[0]) * (x[2 * j] - x[2 * i]) + (b[1] - a[1]) * (x[2 * j + 1] - x[2 * i + 1]);
    if (!(along > 0)) return 0;
  }
  return 1;
}

static sup_status unknown(const sup_profile *p, const char *id, const char *name) {
  char   known[512] = "";
  size_t used = 0;
  for (int l = 0; l < p->num_loops && used < sizeof known; l++)
    if (p->loop[l].id[0])
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                               p->loop[l].id);
  return SUP_FAIL(SUP_E_ARG, "%s: no loop has the id '%s'; known: %s", name, id,
                  known[0] ? known : "none");
}

static sup_status move_loop(sup_loop *loop, double d, const char *name) {
  SUP_FREED double *x = NULL;
  SUP_TRY(SUP_CALLOC(x, 2 * (size_t)loop->num_points));
  for (int i = 0; i < loop->num_points; i++) move_point(loop, i, d, x + 2 * (size_t)i);
  if (!keeps_its_pieces(loop, x))
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "%s: an offset of %g mm is too large for the loop '%s': a side of it vanishes",
                    name, 1e3 * fabs(d), loop->id);
  memcpy(loop->x, x, 2 * (size_t)loop->num_points * sizeof *x);
  return SUP_OK;
}

sup_status sup_profile_offset(sup_profile *profile, const char *id, double distance,
                              const char *name) {
  int count = 0;
  for (int l = 0; l < profile->num_loops; l++) {
    sup_loop *loop = &profile->loop[l];
    if (strcmp(loop->id, id) != 0) continue;
    SUP_TRY(move_loop(loop, l == 0 ? -distance : distance, name)); /* material lies to the left */
    count++;
  }
  if (count == 0) return unknown(profile, id, name);
  for (int l = 1; l < profile->num_loops; l++)
    if (fabs(sup_loop_area(&profile->loop[l])) >= sup_loop_area(&profile->loop[0]))
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "%s: with an offset of %g mm of '%s' the hole '%s' is larger than the outer "
                      "boundary",
                      name, 1e3 * distance, id, profile->loop[l].id);
  return sup_profile_finish(profile, name);
}
