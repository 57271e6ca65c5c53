/* The section `ties`. */
#include <stdio.h>

#include "base/memory.h"
#include "scene/build.h"

static const sup_key side_keys[] = {
    SUP_CUSTOM("body", SUP_KEY_REFERENCE, "cube", "The soft body.", .need = SUP_NEEDED),
    SUP_SECTION("region", sup_schema_region, SUP_BY_CODE,
                "{half_space: {normal: [0, 0, 1], offset: 0.1 mm}}",
                "Its faces with all vertices in the region.", .need = SUP_OPTIONAL,
                .absent = "the whole surface")};
static const sup_schema slave_schema = SUP_SCHEMA(
    "slave", side_keys, "The side with the finer mesh; its vertices move with the master's.");
static const sup_schema master_schema =
    SUP_SCHEMA("master", side_keys, "The side with the coarser mesh.");

static const sup_key inside_keys[] = {
    SUP_CUSTOM("body", SUP_KEY_REFERENCE, "cube", "The soft body inside: an insert, a fibre.",
               .need = SUP_NEEDED),
    SUP_SECTION("region", sup_schema_region, SUP_BY_CODE,
                "{half_space: {normal: [0, 0, 1], offset: 1 cm}}",
                "Its vertices that move with the cells around them.", .need = SUP_OPTIONAL,
                .absent = "all vertices"),
    SUP_CUSTOM("in", SUP_KEY_REFERENCE, "finger", "The soft body around it.", .need = SUP_NEEDED)};
static const sup_schema inside_schema = SUP_SCHEMA(
    "inside", inside_keys, "A soft body in another, whose material also fills the place of it.");

static void          defaults(void *target) { *(sup_tie_def *)target = sup_default_tie_def(); }
static const sup_key tie_keys[] = {
    SUP_SECTION("slave", slave_schema, SUP_BY_CODE, "{body: cube, region: {named: x_max}}",
                "The side with the finer mesh; its vertices move with the master's.",
                .need = SUP_OPTIONAL),
    SUP_SECTION("master", master_schema, SUP_BY_CODE, "{body: finger, region: {named: x_min}}",
                "The side with the coarser mesh.", .need = SUP_OPTIONAL),
    SUP_NUMBER("within", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_tie_def, within), "1 mm",
               "Largest distance of faces that are tied.", .need = SUP_OPTIONAL,
               .absent = "an edge of the larger face"),
    SUP_SECTION("inside", inside_schema, SUP_BY_CODE, "{body: cube, in: finger}",
                "Instead of slave and master: a soft body in another.", .need = SUP_OPTIONAL)};
const sup_schema sup_schema_tie =
    SUP_SCHEMA("tie", tie_keys, "Two soft bodies that are glued; their meshes need not match.",
               SUP_DEFAULTS(defaults, sup_tie_def));

static sup_status find_soft(const sup_scene_build *b, const sup_section *section, const char *key,
                            const char *what, char name[SUP_NAME_MAX]) {
  sup_node     *node;
  char          full[2 * SUP_NAME_MAX];
  sup_body_name body;
  SUP_TRY(sup_section_require(section, key, &node));
  SUP_TRY(sup_scene_find_body(b, node, what, full, &body));
  if (body.soft == SUP_NONE)
    return SUP_FAIL_AT(node->place,
                       "%s: '%s' is rigid; a tie joins two soft bodies, 'attach' puts a soft body "
                       "on a link",
                       what, full);
  snprintf(name, SUP_NAME_MAX, "%.*s", SUP_NAME_MAX - 1, full);
  return SUP_OK;
}

static sup_status read_side(const sup_scene_build *b, sup_node *node, const sup_schema *schema,
                            const char *what, sup_tie_side_def *side) {
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, schema, NULL));
  SUP_TRY(find_soft(b, &section, "body", what, side->body));
  sup_node *region = sup_section_entry(&section, "region");
  side->has_region = region != NULL;
  return region ? sup_node_region(region, "region of the tie", &side->region) : SUP_OK;
}

static sup_status read_inside(const sup_scene_build *b, sup_node *node, const char *what,
                              sup_tie_def *tie) {
  sup_section section;
  tie->is_inside = 1;
  SUP_TRY(read_side(b, node, &inside_schema, what, &tie->slave));
  SUP_TRY(sup_section_open(&section, node, &inside_schema, NULL));
  return find_soft(b, &section, "in", what, tie->master.body);
}

static sup_status read_tie(const sup_scene_build *b, sup_node *node, sup_tie_def *tie) {
  char        what[2 * SUP_NAME_MAX];
  sup_section section;
  *tie = sup_default_tie_def();
  SUP_TRY(sup_section_open_named(&section, node, &sup_schema_tie, "tie", tie->name, what));
  SUP_TRY(sup_section_read(&section, tie));
  sup_node *slave = sup_section_entry(&section, "slave"),
           *master = sup_section_entry(&section, "master"),
           *inside = sup_section_entry(&section, "inside");
  if (inside ? slave || master || tie->within > 0 : !slave || !master)
    return SUP_FAIL_AT(node->place,
                       "%s has the keys slave and master (each {body: BODY, region: REGION}), or "
                       "the key inside ({body: BODY, in: BODY}) alone",
                       what);
  if (inside) return read_inside(b, inside, what, tie);
  SUP_TRY(read_side(b, slave, &slave_schema, what, &tie->slave));
  return read_side(b, master, &master_schema, what, &tie->master);
}

sup_status sup_scene_read_ties(sup_scene_build *b, sup_node *ties) {
  sup_model_def *model = &b->scene->model;
  SUP_TRY(SUP_CALLOC(model->ties, ties->num_children));
  for (sup_node *c = ties->child; c; c = c->next)
    SUP_TRY(read_tie(b, c, &model->ties[model->num_ties++]));
  return SUP_OK;
}
