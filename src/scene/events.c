/* Events: `at: TIME`, or `when` a column is above or below a value. */
#include <stdio.h>
#include <string.h>

#include "measure/observable.h"
#include "scene/build.h"

static const sup_key when_keys[] = {
    SUP_CUSTOM("column", SUP_KEY_TEXT, "time", "A column of history.csv.", .need = SUP_NEEDED),
    SUP_CUSTOM("above", SUP_KEY_TEXT, "0.1", "Bound above which the column is, in its unit.",
               .absent = "one of above and below is needed"),
    SUP_CUSTOM("below", SUP_KEY_TEXT, "0.1", "Bound below which the column is, in its unit.",
               .absent = "one of above and below is needed"),
    SUP_NUMBER("for", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_event_def, duration), "5 ms",
               "Time for which the column must be beyond the bound without a break.",
               .need = SUP_OPTIONAL, .absent = "0 s")};
static const sup_schema when_schema =
    SUP_SCHEMA("when", when_keys, "A condition on a column of history.csv.");

static const sup_key event_keys[] = {
    SUP_NUMBER("at", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_event_def, time), "0.2 s",
               "A time; the end of the step next to it counts.", .need = SUP_OPTIONAL,
               .absent = "one of at and when is needed"),
    SUP_SECTION("when", when_schema, SUP_BY_CODE, "{column: time, above: 0.1, for: 5 ms}",
                "A condition, looked at after each step.", .need = SUP_OPTIONAL)};
const sup_schema sup_schema_event =
    SUP_SCHEMA("event", event_keys, "A moment in which something begins or ends.", .is_choice = 1);

/** Joint that the name of a column begins with; NULL: none. */
static const sup_link_def *joint_of(const sup_model_def *model, const char *column) {
  char name[2 * SUP_NAME_MAX + 2];
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->trees[t].num_links; l++) {
      const sup_link_def *link = &model->trees[t].links[l];
      snprintf(name, sizeof name, "%s.%s.", model->trees[t].name, link->joint_name);
      if (strncmp(column, name, strlen(name)) == 0) return link;
    }
  return NULL;
}

/** Dimension of a column's unit, of "rad or m" that of the joint; units without one are those of
 * numbers. */
static sup_dimension dimension_of(const char *unit, const sup_link_def *joint) {
  const char *other = strstr(unit, " or ");
  if (other && joint && joint->joint == SUP_JOINT_PRISMATIC)
    return dimension_of(other + strlen(" or "), NULL);
  size_t length = other ? (size_t)(other - unit) : strlen(unit);
  for (int k = 0; k < SUP_NUM_DIMENSIONS; k++) {
    const char *known = sup_dimension_unit((sup_dimension)k);
    if (strlen(known) == length && strncmp(known, unit, length) == 0) return (sup_dimension)k;
  }
  return SUP_DIM_NUMBER;
}

static sup_status read_when(const sup_scene_build *b, sup_node *node, sup_event_def *event) {
  sup_section section;
  const char *column;
  SUP_TRY(sup_section_open(&section, node, &when_schema, NULL));
  SUP_TRY(sup_read_text(&section, "column", &column));
  if (sup_text_copy(event->column, sizeof event->column, column) != SUP_OK)
    return SUP_FAIL_AT(sup_section_entry(&section, "column")->place, "column: %s",
                       sup_error_message());
  sup_node *above = sup_section_entry(&section, "above"),
           *below = sup_section_entry(&section, "below");
  if ((above != NULL) + (below != NULL) != 1)
    return SUP_FAIL_AT(node->place,
                       "when has one of the keys above and below, for instance 'above: 5 N'; "
                       "found %d",
                       (above != NULL) + (below != NULL));
  event->kind = above ? SUP_EVENT_ABOVE : SUP_EVENT_BELOW;
  const sup_observable *observable = sup_observable_find(column);
  if (observable) { /* the model knows whether there is the column */
    sup_dimension d = dimension_of(observable->unit, joint_of(&b->scene->model, column));
    SUP_TRY(sup_node_number(above ? above : below, above ? "above" : "below", d, SUP_ANY,
                            &event->value));
  }
  return sup_section_read(&section, event);
}

sup_status sup_scene_read_event(const sup_scene_build *b, const sup_section *owner, const char *key,
                                sup_event_def *event) {
  sup_section section;
  int         which;
  sup_node   *node = sup_section_entry(owner, key);
  if (!node) return SUP_OK;
  SUP_TRY(sup_section_open(&section, node, &sup_schema_event, key));
  SUP_TRY(sup_section_choice(&section, &which));
  event->file = node->place.file, event->line = node->place.line;
  event->place = node->place.column;
  if (which == 1) return read_when(b, sup_section_entry(&section, "when"), event);
  event->kind = SUP_EVENT_TIME;
  return sup_section_read(&section, event);
}
