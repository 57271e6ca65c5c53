#include <math.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "model/build.h"

static sup_status check_table(const sup_load_def *def, const sup_table *table) {
  if (table->num_rows > 0 && table->width != 3)
    return SUP_FAIL(SUP_E_ARG, "load '%s': a force or torque has 3 components; its table has %d",
                    def->name, table->width);
  for (int i = 0; i < table->num_rows * table->width; i++)
    if (!isfinite(table->value[i]))
      return SUP_FAIL(SUP_E_ARG, "load '%s': a value is not finite", def->name);
  return SUP_OK;
}

sup_status sup_model_build_loads(sup_model *model, const sup_model_def *def) {
  SUP_TRY(SUP_CALLOC(model->load, def->num_loads));
  for (int i = 0; i < def->num_loads; i++) {
    const sup_load_def *d = &def->loads[i];
    sup_load           *to = &model->load[i];
    to->body = sup_model_find_body(model, d->body);
    if (to->body == SUP_NONE)
      return SUP_FAIL(SUP_E_ARG, "load '%s': there is no body '%s'", d->name, d->body);
    if (model->body[to->body].soft != SUP_NONE || !model->body[to->body].movable)
      return SUP_FAIL(SUP_E_ARG, "load '%s': '%s' is no link or rigid body that can move", d->name,
                      d->body);
    SUP_TRY(sup_text_copy(to->name, sizeof to->name, d->name));
    to->point = sup_v3_load(d->point);
    if (!isfinite(sup_v3_norm(to->point)))
      return SUP_FAIL(SUP_E_ARG, "load '%s': its point of application is not finite", d->name);
    SUP_TRY(check_table(d, &d->force));
    SUP_TRY(check_table(d, &d->torque));
    model->num_loads = i + 1;
    SUP_TRY(sup_table_copy(&to->force, &d->force));
    SUP_TRY(sup_table_copy(&to->torque, &d->torque));
  }
  return SUP_OK;
}
