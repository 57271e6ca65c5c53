#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "model/body_point.h"
#include "model/build/build.h"

static sup_status check_table(const sup_load_def *def, const sup_table *table) {
  if (table->num_rows > 0 && table->width != 3)
    return SUP_FAIL(SUP_E_ARG, "load '%s': a force or torque has 3 components; its table has %d",
                    def->name, table->width);
  for (int i = 0; i < table->num_rows * table->width; i++)
    if (!isfinite(table->value[i]))
      return SUP_FAIL(SUP_E_ARG, "load '%s': a value is not finite", def->name);
  return SUP_OK;
}

static sup_status find_point(const sup_model *model, const sup_model_def *all,
                             const sup_load_def *def, sup_body_point *at) {
  char what[SUP_NAME_MAX + 16];
  int  body = sup_model_find_body(model, def->body);
  snprintf(what, sizeof what, "load '%s'", def->name);
  if (body == SUP_NONE) return SUP_FAIL(SUP_E_ARG, "%s: there is no body '%s'", what, def->body);
  int is_soft = model->body[body].soft != SUP_NONE;
  if (!is_soft && !model->body[body].movable)
    return SUP_FAIL(SUP_E_ARG, "%s: '%s' is no link or rigid body that can move", what, def->body);
  if (!isfinite(sup_v3_norm(sup_v3_load(def->point))))
    return SUP_FAIL(SUP_E_ARG, "%s: its point of application is not finite", what);
  if (is_soft && def->torque.num_rows > 0)
    return SUP_FAIL(SUP_E_ARG, "%s: '%s' is a soft body, whose points take a force and no torque",
                    what, def->body);
  SUP_TRY(sup_body_point_of(at, model, all, body, def->point, def->has_region ? &def->region : NULL,
                            what));
  return is_soft ? sup_body_point_check(at, model, what) : SUP_OK;
}

sup_status sup_model_build_loads(sup_model *model, const sup_model_def *def) {
  SUP_TRY(SUP_CALLOC(model->load, def->num_loads));
  for (int i = 0; i < def->num_loads; i++) {
    const sup_load_def *d = &def->loads[i];
    sup_load           *to = &model->load[i];
    SUP_TRY(sup_text_copy(to->name, sizeof to->name, d->name));
    model->num_loads = i + 1;
    SUP_TRY(find_point(model, def, d, &to->at));
    SUP_TRY(check_table(d, &d->force));
    SUP_TRY(check_table(d, &d->torque));
    SUP_TRY(sup_table_copy(&to->force, &d->force));
    SUP_TRY(sup_table_copy(&to->torque, &d->torque));
  }
  return SUP_OK;
}
