/* The section `chambers`. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build.h"

static const sup_key inlet_keys[] = {
    SUP_NUMBER("conductance", SUP_DIM_CONDUCTANCE, SUP_POSITIVE,
               SUP_AT(sup_chamber_def, conductance), "10 cm^3/s",
               "Flow of pressure times volume [Pa m^3/s] over the difference of pressures [Pa].",
               .need = SUP_NEEDED),
    SUP_CUSTOM("pressure", SUP_KEY_TABLE, "[[0 s, 0], [0.1 s, 20 kPa]]",
               "Pressure of a source over ambient: a constant, or rows [t, p].",
               .dimension = SUP_DIM_PRESSURE, .absent = "one of pressure and chamber is needed"),
    SUP_CUSTOM("chamber", SUP_KEY_REFERENCE, "CHAMBER", "The chamber that the inlet comes from.",
               .absent = "one of pressure and chamber is needed")};
static const sup_schema inlet_schema =
    SUP_SCHEMA("inlet", inlet_keys, "A tube through which gas flows in or out.");

static const sup_key gas_keys[] = {
    SUP_NUMBER("pressure", SUP_DIM_PRESSURE, SUP_ANY, SUP_AT(sup_chamber_def, pressure), "10 kPa",
               "Pressure over ambient at time 0, at the volume then; in load steps it grows to "
               "it."),
    SUP_NUMBER("adiabatic", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_chamber_def, exponent), "1.4",
               "Adiabatic exponent, of air 1.4; 1: isothermal."),
    SUP_NUMBER("ambient", SUP_DIM_PRESSURE, SUP_POSITIVE, SUP_AT(sup_chamber_def, ambient),
               "101325 Pa", "Absolute pressure outside."),
    SUP_CUSTOM("amount", SUP_KEY_TABLE, "[[0 s, 1], [1 s, 2]]",
               "Amount of gas over that at time 0, rows [t, ratio].", .absent = "1"),
    SUP_SECTION("inlet", inlet_schema, SUP_BY_CODE,
                "{pressure: [[0 s, 0], [0.1 s, 20 kPa]], conductance: 10 cm^3/s}",
                "Flow of isothermal gas from a source or another chamber.", .need = SUP_OPTIONAL)};
static void defaults(void *target) { *(sup_chamber_def *)target = sup_default_chamber_def(); }
static const sup_schema gas_schema = SUP_SCHEMA("gas", gas_keys, "A closed amount of an ideal gas.",
                                                SUP_DEFAULTS(defaults, sup_chamber_def));

static const sup_key chamber_keys[] = {
    SUP_CUSTOM("surface", SUP_KEY_LIST, "[cube]",
               "Walls: BODY for the closed inner surfaces of a soft body, BODY.SET for a named set "
               "of its mesh, {BODY: REGION} for a region.",
               .need = SUP_NEEDED),
    SUP_CUSTOM("pressure", SUP_KEY_TABLE, "[[0 s, 0], [1 s, 10 kPa]]",
               "Given pressure over ambient: a constant, or rows [t, p].",
               .dimension = SUP_DIM_PRESSURE,
               .absent = "one of pressure, volume, added_volume and gas is needed"),
    SUP_CUSTOM("volume", SUP_KEY_TABLE, "[[0 s, 10 cm^3], [1 s, 12 cm^3]]",
               "Given volume of a liquid: a constant, or rows [t, V].",
               .dimension = SUP_DIM_VOLUME),
    SUP_CUSTOM("added_volume", SUP_KEY_TABLE, "[[0 s, 0], [1 s, 2 cm^3]]",
               "Given volume of a liquid less the volume at time 0.", .dimension = SUP_DIM_VOLUME),
    SUP_SECTION("gas", gas_schema, SUP_BY_CODE, "{pressure: 10 kPa, adiabatic: 1.4}",
                "Given amount of an ideal gas.", .need = SUP_OPTIONAL),
    SUP_NUMBER("bulk_modulus", SUP_DIM_PRESSURE, SUP_POSITIVE,
               SUP_AT(sup_chamber_def, bulk_modulus), "2.2 GPa",
               "Of the liquid with a given volume.")};
const sup_schema sup_schema_chamber =
    SUP_SCHEMA("chamber", chamber_keys,
               "A closed volume behind walls of soft bodies; rims may ride on a link, be held, or "
               "slide in a plane.",
               SUP_DEFAULTS(defaults, sup_chamber_def));

/** BODY, BODY.SET, or {BODY: REGION}. */
static sup_status read_wall(const sup_scene_build *b, sup_node *node, const char *what,
                            sup_chamber_wall_def *wall) {
  const char   *text;
  char          name[2 * SUP_NAME_MAX], found[SUP_SOURCE_POSITION_SIZE];
  sup_body_name body;
  sup_node      at = *node;
  if (node->type == SUP_NODE_MAPPING && node->num_children == 1) {
    at.type = SUP_NODE_SCALAR, at.text = node->child->key;
    SUP_TRY(sup_node_region(node->child, "region of the surface", &wall->region));
    wall->has_region = 1;
  } else if (node->type != SUP_NODE_SCALAR) {
    return SUP_FAIL_AT(node->place,
                       "%s: an entry of surface is BODY, BODY.SET or {BODY: REGION}; found %s",
                       what, sup_node_describe(node, found));
  }
  SUP_TRY(sup_node_text(&at, what, &text));
  const char *dot = wall->has_region ? NULL : strchr(text, '.');
  char        head[2 * SUP_NAME_MAX];
  snprintf(head, sizeof head, "%.*s", dot ? (int)(dot - text) : (int)strlen(text), text);
  at.text = head;
  SUP_TRY(sup_scene_find_body(b, &at, what, name, &body));
  if (body.soft == SUP_NONE)
    return SUP_FAIL_AT(node->place, "%s: '%s' is rigid; walls of chambers are those of soft bodies",
                       what, name);
  snprintf(wall->body, sizeof wall->body, "%.*s", SUP_NAME_MAX - 1, name);
  if (!dot) return SUP_OK;
  wall->has_region = 1, wall->region = (sup_region){.type = SUP_REGION_NAMED};
  snprintf(wall->region.name, sizeof wall->region.name, "%.*s", SUP_NAME_MAX - 1, dot + 1);
  return SUP_OK;
}

static sup_status read_walls(const sup_scene_build *b, const sup_section *section, const char *what,
                             sup_chamber_def *chamber) {
  sup_node *surface;
  SUP_TRY(sup_section_require(section, "surface", &surface));
  SUP_TRY(sup_node_check_list(surface, "surface"));
  if (surface->num_children == 0)
    return SUP_FAIL_AT(surface->place, "%s: surface names no body, for instance [cube]", what);
  SUP_TRY(SUP_CALLOC(chamber->walls, surface->num_children));
  for (sup_node *c = surface->child; c; c = c->next)
    SUP_TRY(read_wall(b, c, what, &chamber->walls[chamber->num_walls++]));
  return SUP_OK;
}

static sup_status read_inlet(const sup_scene_build *b, sup_node *node, sup_chamber_def *chamber) {
  sup_section section;
  const char *name;
  SUP_TRY(sup_section_open(&section, node, &inlet_schema, NULL));
  sup_node *pressure = sup_section_entry(&section, "pressure"),
           *other = sup_section_entry(&section, "chamber");
  if ((pressure != NULL) + (other != NULL) != 1)
    return SUP_FAIL_AT(node->place,
                       "an inlet has one of the keys pressure (for instance 20 kPa) and chamber (a "
                       "name); found %d",
                       (pressure != NULL) + (other != NULL));
  SUP_TRY(sup_section_read(&section, chamber));
  if (pressure)
    return sup_scene_read_over_time(b, pressure, "pressure", SUP_DIM_PRESSURE, &chamber->source,
                                    &chamber->source_schedule);
  SUP_TRY(sup_node_text(other, "chamber", &name));
  return sup_text_copy(chamber->inlet, sizeof chamber->inlet, name);
}

static sup_status read_gas(const sup_scene_build *b, sup_node *node, sup_chamber_def *chamber) {
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, &gas_schema, NULL));
  SUP_TRY(sup_section_read(&section, chamber));
  sup_node *amount = sup_section_entry(&section, "amount"),
           *inlet = sup_section_entry(&section, "inlet");
  if (inlet) SUP_TRY(read_inlet(b, inlet, chamber));
  if (amount)
    SUP_TRY(sup_scene_read_over_time(b, amount, "amount", SUP_DIM_NUMBER, &chamber->volume,
                                     &chamber->schedule));
  if (amount && chamber->schedule.num_rows == 0)
    return SUP_FAIL_AT(amount->place,
                       "amount has rows [t, ratio], for instance [[0 s, 1], [1 s, 2]]");
  return SUP_OK;
}

static sup_status read_fill(const sup_scene_build *b, const sup_section *section,
                            const sup_node *node, const char *what, sup_chamber_def *chamber) {
  sup_node *pressure = sup_section_entry(section, "pressure"),
           *volume = sup_section_entry(section, "volume"),
           *added = sup_section_entry(section, "added_volume"),
           *gas = sup_section_entry(section, "gas");
  if ((pressure != NULL) + (volume != NULL) + (added != NULL) + (gas != NULL) != 1)
    return SUP_FAIL_AT(node->place,
                       "%s has one of the keys pressure (for instance 10 kPa), volume (10 cm^3), "
                       "added_volume (1 cm^3) and gas ({pressure: 10 kPa}); found %d",
                       what,
                       (pressure != NULL) + (volume != NULL) + (added != NULL) + (gas != NULL));
  chamber->fill = pressure ? SUP_CHAMBER_PRESSURE : gas ? SUP_CHAMBER_GAS : SUP_CHAMBER_VOLUME;
  chamber->is_added = added != NULL;
  sup_node *modulus = sup_section_entry(section, "bulk_modulus");
  if (modulus && chamber->fill != SUP_CHAMBER_VOLUME &&
      chamber->bulk_modulus != sup_default_chamber_def().bulk_modulus) /* as resolved scenes have */
    return SUP_FAIL_AT(modulus->place,
                       "%s: bulk_modulus is one of the liquid with a given volume or added_volume, "
                       "and has no effect with %s",
                       what, gas ? "gas" : "pressure");
  if (gas) return read_gas(b, gas, chamber);
  if (pressure)
    return sup_scene_read_over_time(b, pressure, "pressure", SUP_DIM_PRESSURE, &chamber->pressure,
                                    &chamber->schedule);
  return sup_scene_read_over_time(b, volume ? volume : added, volume ? "volume" : "added_volume",
                                  SUP_DIM_VOLUME, &chamber->volume, &chamber->schedule);
}

static sup_status read_chamber(const sup_scene_build *b, sup_node *node, sup_chamber_def *chamber) {
  char        what[2 * SUP_NAME_MAX];
  sup_section section;
  *chamber = sup_default_chamber_def();
  SUP_TRY(
      sup_section_open_named(&section, node, &sup_schema_chamber, "chamber", chamber->name, what));
  SUP_TRY(read_walls(b, &section, what, chamber));
  SUP_TRY(sup_section_read(&section, chamber));
  return read_fill(b, &section, node, what, chamber);
}

sup_status sup_scene_read_chambers(sup_scene_build *b, sup_node *chambers) {
  sup_model_def *model = &b->scene->model;
  SUP_TRY(SUP_CALLOC(model->chambers, chambers->num_children));
  for (sup_node *c = chambers->child; c; c = c->next)
    SUP_TRY(read_chamber(b, c, &model->chambers[model->num_chambers++]));
  return SUP_OK;
}
