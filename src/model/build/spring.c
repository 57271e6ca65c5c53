#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "model/body_point.h"
#include "model/build/build.h"

/** E_ARG: too many vertices; a spring couples all of them in A. */
static sup_status check_size(const sup_body_point *end, const char *what, const char *name) {
  enum { MOST = 300 }; /* 300 x 300 blocks: 3 ms a step */
  if (end->num_vertices <= MOST) return SUP_OK;
  return SUP_FAIL(
      SUP_E_ARG,
      "%s: its region of '%s' has %d vertices, which a spring would all couple with each "
      "other; at most %d: attach the region to a light rigid body ('attach'), and take "
      "this body for the spring",
      what, name, end->num_vertices, MOST);
}

static sup_status find_end(const sup_model *model, const sup_model_def *def, const char *spring,
                           const char *name, int may_be_world, const double point[3],
                           const sup_region *region, sup_body_point *end) {
  char what[SUP_NAME_MAX + 16];
  int  body;
  snprintf(what, sizeof what, "spring '%s'", spring);
  SUP_TRY(sup_model_find_side(model, name, what, &body));
  if (body == SUP_NONE && !may_be_world)
    return SUP_FAIL(SUP_E_ARG, "%s: there is no body '%s'", what, name);
  SUP_TRY(sup_body_point_of(end, model, def, body, point, region, what));
  if (end->num_vertices == 0) return SUP_OK;
  SUP_TRY(check_size(end, what, name));
  if (model->ranks)
    return SUP_FAIL(SUP_E_ARG, "%s: springs on soft bodies, as '%s', run on one rank", what, name);
  return sup_body_point_check(end, model, what);
}

static sup_status check_numbers(const sup_spring_def *def) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    if (!(def->stiffness[k] >= 0 && def->damping[k] >= 0 &&
          isfinite(def->stiffness[k] + def->damping[k])))
      return SUP_FAIL(SUP_E_ARG,
                      "spring '%s': stiffness %g N/m and damping %g N s/m must not be negative",
                      def->name, def->stiffness[k], def->damping[k]);
    if (!isfinite(def->point_a[k] + def->point_b[k] + def->rest[k]))
      return SUP_FAIL(SUP_E_ARG, "spring '%s': a point or the rest is not finite", def->name);
    sum += def->stiffness[k] + def->damping[k];
  }
  if (!(sum > 0))
    return SUP_FAIL(SUP_E_ARG, "spring '%s' has neither stiffness nor damping", def->name);
  return SUP_OK;
}

sup_status sup_model_build_springs(sup_model *model, const sup_model_def *def) {
  SUP_TRY(SUP_CALLOC(model->spring, def->num_springs));
  for (int i = 0; i < def->num_springs; i++) {
    const sup_spring_def *d = &def->springs[i];
    sup_spring           *to = &model->spring[i];
    SUP_TRY(check_numbers(d));
    model->num_springs = i + 1;
    SUP_TRY(find_end(model, def, d->name, d->a, 1, d->point_a,
                     d->has_region_a ? &d->region_a : NULL, &to->end[0]));
    SUP_TRY(find_end(model, def, d->name, d->b, 0, d->point_b,
                     d->has_region_b ? &d->region_b : NULL, &to->end[1]));
    if (to->end[0].body == to->end[1].body && to->end[0].num_vertices == 0)
      return SUP_FAIL(SUP_E_ARG, "spring '%s' joins '%s' to itself", d->name, d->a);
    to->rest = sup_v3_load(d->rest);
    memcpy(to->stiffness, d->stiffness, sizeof to->stiffness);
    memcpy(to->damping, d->damping, sizeof to->damping);
  }
  return SUP_OK;
}

int sup_spring_most_blocks(const sup_spring *spring) {
  return spring->end[0].num_vertices + spring->end[1].num_vertices + 2;
}

sup_v3 sup_spring_stretch(const sup_spring *spring, const sup_frame *X_WL, const double *x) {
  sup_v3 a = sup_body_point_position(&spring->end[0], X_WL, x),
         b = sup_body_point_position(&spring->end[1], X_WL, x);
  return sup_v3_sub(sup_v3_sub(b, a), spring->rest);
}

double sup_model_spring_energy(const sup_model *model, const sup_frame *X_WL, const double *x) {
  double sum = 0;
  for (int i = 0; i < model->num_springs; i++) {
    const double *k = model->spring[i].stiffness;
    sup_v3        d = sup_spring_stretch(&model->spring[i], X_WL, x);
    sum += 0.5 * (k[0] * d.x * d.x + k[1] * d.y * d.y + k[2] * d.z * d.z);
  }
  return sum;
}
