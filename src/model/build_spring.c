#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/build.h"

static sup_status find_end(const sup_model *model, const char *spring, const char *name,
                           int may_be_world, int *body) {
  *body = SUP_NONE;
  if (may_be_world && strcmp(name, "world") == 0) return SUP_OK;
  *body = sup_model_find_body(model, name);
  if (*body == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "spring '%s': there is no body '%s'", spring, name);
  if (model->body[*body].soft != SUP_NONE)
    return SUP_FAIL(SUP_E_ARG,
                    "spring '%s': '%s' is a soft body; springs pull at links and rigid bodies",
                    spring, name);
  return SUP_OK;
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
    SUP_TRY(find_end(model, d->name, d->a, 1, &to->body_a));
    SUP_TRY(find_end(model, d->name, d->b, 0, &to->body_b));
    if (to->body_a == to->body_b)
      return SUP_FAIL(SUP_E_ARG, "spring '%s' joins '%s' to itself", d->name, d->a);
    to->point_a = sup_v3_load(d->point_a), to->point_b = sup_v3_load(d->point_b),
    to->rest = sup_v3_load(d->rest);
    memcpy(to->stiffness, d->stiffness, sizeof to->stiffness);
    memcpy(to->damping, d->damping, sizeof to->damping);
    model->num_springs = i + 1;
  }
  return SUP_OK;
}

sup_v3 sup_spring_stretch(const sup_spring *spring, const sup_frame *X_WL) {
  sup_v3 a = spring->body_a == SUP_NONE ? spring->point_a
                                        : sup_frame_apply(&X_WL[spring->body_a], spring->point_a);
  sup_v3 b = sup_frame_apply(&X_WL[spring->body_b], spring->point_b);
  return sup_v3_sub(sup_v3_sub(b, a), spring->rest);
}

double sup_model_spring_energy(const sup_model *model, const sup_frame *X_WL) {
  double sum = 0;
  for (int i = 0; i < model->num_springs; i++) {
    const double *k = model->spring[i].stiffness;
    sup_v3        d = sup_spring_stretch(&model->spring[i], X_WL);
    sum += 0.5 * (k[0] * d.x * d.x + k[1] * d.y * d.y + k[2] * d.z * d.z);
  }
  return sum;
}
