/* The section `materials` and the material of a soft body. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "fem/material.h"
#include "scene/build.h"
#include "scene/file/yaml.h"
#include "scene/numerics.h"

/* ---- keys ------------------------------------------------------------------------------------ */

#define WORD(NAME, name, meaning) {#name, meaning},
static const sup_word models[] = {SUP_MATERIAL_LIST(WORD)};
#undef WORD

static const sup_word moduli[] = {{"long_term", "modulus of slow loading, after relaxation"},
                                  {"instantaneous", "modulus of a sudden strain"}};

static const sup_key remark_keys[] = {
    SUP_CUSTOM("youngs_modulus", SUP_KEY_TEXT, "tensile test", "On youngs_modulus."),
    SUP_CUSTOM("poissons_ratio", SUP_KEY_TEXT, "assumed", "On poissons_ratio."),
    SUP_CUSTOM("density", SUP_KEY_TEXT, "data sheet", "On density."),
    SUP_CUSTOM("mass_damping", SUP_KEY_TEXT, "fitted", "On mass_damping."),
    SUP_CUSTOM("stiffness_damping", SUP_KEY_TEXT, "fitted", "On stiffness_damping."),
    SUP_CUSTOM("prony", SUP_KEY_TEXT, "relaxation test", "On prony."),
    SUP_CUSTOM("loss_factor", SUP_KEY_TEXT, "DMA", "On loss_factor."),
    SUP_CUSTOM("strength", SUP_KEY_TEXT, "data sheet, ISO 37", "On strength."),
    SUP_CUSTOM("strain_at_break", SUP_KEY_TEXT, "data sheet, ISO 37", "On strain_at_break.")};
static const sup_schema source_schema =
    SUP_SCHEMA("source", remark_keys, "Where single numbers of a material come from.");
static const sup_schema uncertainty_schema =
    SUP_SCHEMA("uncertainty", remark_keys, "How uncertain single numbers of a material are.");

static const sup_key range_keys[] = {
    SUP_CUSTOM("youngs_modulus", SUP_KEY_LIST, "[4 MPa, 6 MPa]", "Of youngs_modulus.",
               .dimension = SUP_DIM_PRESSURE),
    SUP_CUSTOM("poissons_ratio", SUP_KEY_LIST, "[0.42, 0.49]", "Of poissons_ratio."),
    SUP_CUSTOM("density", SUP_KEY_LIST, "[1000 kg/m^3, 1250 kg/m^3]", "Of density.",
               .dimension = SUP_DIM_DENSITY)};
static const sup_schema range_schema =
    SUP_SCHEMA("range", range_keys, "Between which lowest and highest values a material is found.");

/** Variants: entries of `materials`, and the material of a body, which may be based on one of them.
 */
enum { OF_SCENE = 1, OF_BODY = 2 };

static const sup_key material_keys[] = {
    SUP_CUSTOM("base", SUP_KEY_REFERENCE, "rubber",
               "Material of the scene that supplies missing numbers.", .only = OF_BODY),
    SUP_WORD("model", models, SUP_AT(sup_material_def, model), "corotational",
             "Material law; linear and linear_corotational are linear in a step, the others "
             "are solved by Newton's method."),
    SUP_NUMBER("youngs_modulus", SUP_DIM_PRESSURE, SUP_POSITIVE,
               SUP_AT(sup_material_def, youngs_modulus), "12 MPa", "Young's modulus.",
               .need = SUP_NEEDED),
    SUP_NUMBER("poissons_ratio", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sup_material_def, poissons_ratio),
               "0.49",
               "Poisson's ratio, above -1 and below 0.5; 0.49 for a rubber, which hardly changes "
               "its volume.",
               .need = SUP_NEEDED),
    SUP_NUMBER("density", SUP_DIM_DENSITY, SUP_POSITIVE, SUP_AT(sup_material_def, density),
               "1200 kg/m^3", "Mass a volume at rest.", .need = SUP_NEEDED),
    SUP_NUMBER("mass_damping", SUP_DIM_RATE, SUP_NOT_NEGATIVE,
               SUP_AT(sup_material_def, mass_damping), "0.1 1/s",
               "alpha of Rayleigh's damping alpha M + beta K; it also brakes bodies that move as a "
               "whole."),
    SUP_NUMBER("stiffness_damping", SUP_DIM_TIME, SUP_NOT_NEGATIVE,
               SUP_AT(sup_material_def, stiffness_damping), "1 ms",
               "beta of Rayleigh's damping alpha M + beta K."),
    SUP_CUSTOM("prony", SUP_KEY_LIST, "[[0.2, 10 ms], [0.1, 1 s]]",
               "Viscoelasticity: terms [share, time] of a Prony series, shares of the "
               "instantaneous stress that decay as exp(-t/time).",
               .need = SUP_OPTIONAL),
    SUP_NUMBER("loss_factor", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE,
               SUP_AT(sup_material_def, loss_factor), "0.1",
               "tan delta at loss_frequency, below 1: a Prony series of one term of that time; not "
               "beside prony.",
               .need = SUP_OPTIONAL, .absent = "none"),
    SUP_NUMBER("loss_frequency", SUP_DIM_RATE, SUP_POSITIVE,
               SUP_AT(sup_material_def, loss_frequency), "10 Hz",
               "Frequency of vibration, in cycles a second, at which loss_factor was measured.",
               .need = SUP_OPTIONAL, .absent = "needed beside loss_factor"),
    SUP_NUMBER("strength", SUP_DIM_PRESSURE, SUP_POSITIVE, SUP_AT(sup_material_def, strength),
               "4 MPa",
               "Tensile strength, force at break over the initial area, for the columns of safety.",
               .need = SUP_OPTIONAL, .absent = "unknown"),
    SUP_NUMBER("strain_at_break", SUP_DIM_NUMBER, SUP_POSITIVE,
               SUP_AT(sup_material_def, strain_at_break), "4.5",
               "Elongation at break over the initial length, 4.5 for 450 %.", .need = SUP_OPTIONAL,
               .absent = "unknown"),
    SUP_WORD("moduli", moduli, SUP_AT(sup_material_def, moduli), "instantaneous",
             "Of a viscoelastic material: meaning of youngs_modulus.", .need = SUP_OPTIONAL,
             .absent = "long_term"),
    SUP_SECTION("source", source_schema, SUP_BY_CODE, "data sheet",
                "Source of the numbers: one text, or a text for each number.",
                .need = SUP_OPTIONAL),
    SUP_SECTION("uncertainty", uncertainty_schema, SUP_BY_CODE, "E within 20 %",
                "Uncertainty of the numbers: one text, or a text for each number.",
                .need = SUP_OPTIONAL),
    SUP_SECTION("range", range_schema, SUP_BY_CODE, "{youngs_modulus: [4 MPa, 6 MPa]}",
                "Lowest and highest value of numbers, which `supple materials` shows.",
                .need = SUP_OPTIONAL)};
static void defaults(void *target) { *(sup_material_def *)target = sup_default_material_def(); }
const sup_schema sup_schema_material =
    SUP_SCHEMA("material", material_keys, "A material of soft bodies.", .variant = OF_SCENE,
               SUP_DEFAULTS(defaults, sup_material_def));
const sup_schema sup_schema_material_choice =
    SUP_SCHEMA("material", material_keys,
               "The material of a body: all its numbers, or those that differ from a base.",
               .variant = OF_BODY, SUP_DEFAULTS(defaults, sup_material_def));

static const sup_key file_keys[] = {
    SUP_CUSTOM("materials", SUP_KEY_COLLECTION,
               "{rubber: {youngs_modulus: 5 MPa, poissons_ratio: 0.49, density: 1100}}",
               "Materials by name.", .need = SUP_NEEDED, .schema = &sup_schema_material)};
static const sup_schema file_schema =
    SUP_SCHEMA("a file of materials", file_keys, "Materials that several scenes share.");

/* ---- files of materials ---------------------------------------------------------------------- */

/** Move the entries of one mapping into another; a name that is there already is an error with both
 * places. */
static sup_status move_entries(sup_node *to, sup_node *from) {
  char where[SUP_SOURCE_POSITION_SIZE];
  while (from->child) {
    sup_node       *entry = from->child;
    const sup_node *same = sup_node_find(to, entry->key);
    if (same)
      return SUP_FAIL_AT(entry->key_place, "the material '%.60s' was already given at %s",
                         entry->key, sup_source_position_text(same->key_place, where));
    sup_node_detach(entry);
    sup_node_append(to, &entry);
  }
  return SUP_OK;
}

/** A name without folder that is not beside the scene is one of the library's files. */
static void look_into_library(const char *name, char *path, size_t size) {
  char folder[4096 - 256], found[4096];
  if (strchr(name, '/') || access(path, F_OK) == 0) return;
  if (!sup_material_library_folder(folder, sizeof folder)) return;
  snprintf(found, sizeof found, "%s/%.255s", folder, name);
  if (access(found, R_OK) == 0) snprintf(path, size, "%s", found);
}

/** A file that is not where its path says, of a name that the library has: a scene that was copied
 * without its neighbours. */
static sup_status missing_file(const sup_node *name, const char *path) {
  char        folder[4096 - 256], found[4096], message[1024], where[SUP_SOURCE_POSITION_SIZE];
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  snprintf(message, sizeof message, "%.700s", sup_error_message());
  if (!sup_material_library_folder(folder, sizeof folder))
    return SUP_FAIL_WRAP(SUP_E_IO, name->place);
  snprintf(found, sizeof found, "%s/%.255s", folder, base);
  if (access(found, R_OK) != 0) return SUP_FAIL_WRAP(SUP_E_IO, name->place);
  return SUP_FAIL(SUP_E_IO,
                  "%s: %s; the installation has a file of this name: 'materials: [%s]' reads it",
                  sup_source_position_text(name->place, where), message, base);
}

static sup_status include_file(sup_scene *scene, sup_node *name, sup_node *to) {
  char               path[4096];
  const char        *file = path;
  sup_node          *materials;
  SUP_OWN(sup_node) *root = NULL;
  sup_section        section;
  char               given[256] = ""; /* the path takes its place in the tree */
  if (name->text) snprintf(given, sizeof given, "%s", name->text);
  SUP_TRY(sup_node_path(scene, name, "a file of materials", path, sizeof path));
  look_into_library(given, path, sizeof path);
  SUP_TRY(sup_scene_add_input(scene, &file));
  sup_status status = sup_yaml_read(&root, file);
  if (status == SUP_E_IO) return missing_file(name, file);
  if (status != SUP_OK) return status;
  SUP_TRY(sup_section_open(&section, root, &file_schema, NULL));
  SUP_TRY(sup_section_require(&section, "materials", &materials));
  SUP_TRY(sup_node_check_mapping(materials, "materials"));
  SUP_TRY(move_entries(to, materials));
  return SUP_OK;
}

sup_status sup_scene_include_materials(sup_scene *scene) {
  sup_node *list = sup_node_find(scene->root, "materials");
  if (!list || list->type != SUP_NODE_SEQUENCE) return SUP_OK;
  SUP_OWN(sup_node) *all = NULL;
  SUP_TRY(sup_node_create(&all, SUP_NODE_MAPPING, list->place));
  for (sup_node *c = list->child; c; c = c->next) {
    if (c->type == SUP_NODE_MAPPING)
      SUP_TRY(move_entries(all, c));
    else
      SUP_TRY(include_file(scene, c, all));
  }
  sup_node_replace(list, &all);
  return SUP_OK;
}

/* ---- one material ---------------------------------------------------------------------------- */

/** Check `source` or `uncertainty` of a material: one text, or a text for each of its numbers. */
static sup_status check_remark(const sup_section *section, const char *key,
                               const sup_schema *schema) {
  sup_node   *node = sup_section_entry(section, key);
  const char *text;
  sup_section remarks;
  if (!node) return SUP_OK;
  if (node->type != SUP_NODE_MAPPING) {
    SUP_TRY(sup_node_text(node, key, &text));
    return SUP_OK;
  }
  SUP_TRY(sup_section_open(&remarks, node, schema, NULL));
  for (const sup_node *c = node->child; c; c = c->next) SUP_TRY(sup_node_text(c, key, &text));
  return SUP_OK;
}

/** [low, high], the value between them. */
static sup_status read_range(sup_node *node, const char *key, sup_dimension dimension, double value,
                             sup_material_range *range) {
  SUP_TRY(sup_node_check_list(node, key));
  if (node->num_children != 2)
    return SUP_FAIL_AT(node->place, "range of %s has %d values; expected two: [lowest, highest]",
                       key, node->num_children);
  SUP_TRY(sup_node_number(node->child, key, dimension, SUP_POSITIVE, &range->low));
  SUP_TRY(sup_node_number(node->last_child, key, dimension, SUP_POSITIVE, &range->high));
  if (!(range->low <= value && value <= range->high))
    return SUP_FAIL_AT(node->place,
                       "range of %s is %g to %g; expected the lowest value first, and %g between "
                       "them",
                       key, range->low, range->high, value);
  return SUP_OK;
}

sup_status sup_read_material_ranges(sup_node *material, const sup_material_def *m,
                                    sup_material_range range[SUP_MATERIAL_NUM_RANGES]) {
  const double        value[] = {m->youngs_modulus, m->poissons_ratio, m->density};
  const sup_dimension dimension[] = {SUP_DIM_PRESSURE, SUP_DIM_NUMBER, SUP_DIM_DENSITY};
  sup_node           *node = sup_node_find(material, "range");
  sup_section         section;
  if (!node) return SUP_OK;
  SUP_TRY(sup_section_open(&section, node, &range_schema, NULL));
  for (int k = 0; k < SUP_MATERIAL_NUM_RANGES; k++) {
    sup_node *entry = sup_section_entry(&section, range_keys[k].name);
    if (entry) SUP_TRY(read_range(entry, range_keys[k].name, dimension[k], value[k], &range[k]));
  }
  return SUP_OK;
}

static sup_status check_material(const sup_section *section, const sup_material_def *m) {
  const sup_node *E = sup_section_entry(section, "youngs_modulus"),
                 *nu = sup_section_entry(section, "poissons_ratio");
  char where[SUP_SOURCE_POSITION_SIZE];
  if (!(m->poissons_ratio > -1 && m->poissons_ratio < 0.5))
    return SUP_FAIL_AT(nu->place,
                       "poissons_ratio is %g; it must lie above -1 and below 0.5 (0.49 for a "
                       "rubber, which hardly changes its volume)",
                       m->poissons_ratio);
  if (m->youngs_modulus < 1e3 || m->youngs_modulus > 1e12)
    sup_log(
        SUP_LOG_WARNING,
        "%s: youngs_modulus of %s is %g Pa; solids lie between 1e3 and 1e12 Pa: is the unit right?",
        sup_source_position_text(E->place, where), section->what, m->youngs_modulus);
  const sup_node *rho = sup_section_entry(section, "density");
  if (rho && m->density > 0 && m->density < sup_scene_numerics.density)
    sup_log(SUP_LOG_WARNING,
            "%s: density of %s is %g kg/m^3, near that of air: is it in g/cm^3? Then write %g "
            "kg/m^3",
            sup_source_position_text(rho->place, where), section->what, m->density,
            1e3 * m->density);
  return SUP_OK;
}

/** [[share, time], ..] */
static sup_status read_prony(sup_node *list, sup_material_def *m) {
  double sum = 0;
  SUP_TRY(sup_node_check_list(list, "prony"));
  if (list->num_children > SUP_PRONY_MAX)
    return SUP_FAIL_AT(list->place, "prony has %d terms; expected at most %d", list->num_children,
                       SUP_PRONY_MAX);
  m->num_prony = 0;
  for (sup_node *c = list->child; c; c = c->next) {
    sup_prony_term *term = &m->prony[m->num_prony++];
    SUP_TRY(sup_node_check_list(c, "a term of prony"));
    if (c->num_children != 2)
      return SUP_FAIL_AT(c->place,
                         "a term of prony has %d values; expected two: [share, relaxation time]",
                         c->num_children);
    SUP_TRY(
        sup_node_number(c->child, "share of prony", SUP_DIM_NUMBER, SUP_BELOW_ONE, &term->share));
    SUP_TRY(
        sup_node_number(c->last_child, "time of prony", SUP_DIM_TIME, SUP_POSITIVE, &term->time));
    sum += term->share;
  }
  if (!(sum < 1))
    return SUP_FAIL_AT(list->place,
                       "the shares of prony add up to %g; expected less than 1: the part that does "
                       "not relax is the rest",
                       sum);
  return SUP_OK;
}

/** A series or a loss factor; each takes the place of the other in a base. */
static sup_status read_relaxation(sup_section *section, sup_material_def *m) {
  sup_node *prony = sup_section_entry(section, "prony"),
           *loss = sup_section_entry(section, "loss_factor");
  if (prony && loss)
    return SUP_FAIL_AT(loss->key_place,
                       "%s has prony and loss_factor; expected one of the two: a loss factor is "
                       "converted to a series",
                       section->what);
  if (loss) m->num_prony = 0;
  if (prony) {
    m->loss_factor = 0;
    SUP_TRY(read_prony(prony, m));
  }
  if (loss && !(m->loss_factor < 1))
    return SUP_FAIL_AT(loss->place,
                       "loss_factor is %g; expected less than 1, the limit of one Maxwell element: "
                       "fit a Prony series to the measurement",
                       m->loss_factor);
  if (m->loss_factor > 0 && !(m->loss_frequency > 0))
    return SUP_FAIL_AT(loss->key_place,
                       "%s has a loss_factor without loss_frequency: at which frequency was it "
                       "measured?",
                       section->what);
  return SUP_OK;
}

sup_status sup_read_material(sup_node *node, const char *what, bool has_base, sup_material_def *m) {
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, &sup_schema_material_choice, what));
  section.is_override = has_base;
  SUP_TRY(sup_section_read(&section, m));
  SUP_TRY(read_relaxation(&section, m));
  SUP_TRY(check_remark(&section, "source", &source_schema));
  SUP_TRY(check_remark(&section, "uncertainty", &uncertainty_schema));
  SUP_TRY(check_material(&section, m));
  return SUP_OK;
}

sup_status sup_scene_read_materials(sup_scene_build *b) {
  sup_node *node;
  SUP_TRY(sup_scene_collection(b, "materials", &node));
  if (!node) return SUP_OK;
  SUP_TRY(SUP_CALLOC(b->material, node->num_children));
  for (sup_node *c = node->child; c; c = c->next) {
    sup_material_def *m = &b->material[b->num_materials];
    char              what[2 * SUP_NAME_MAX];
    *m = sup_default_material_def();
    SUP_TRY(sup_node_name(c, "material", m->name));
    snprintf(what, sizeof what, "material '%s'", m->name);
    const sup_node *base = c->type == SUP_NODE_MAPPING ? sup_node_find(c, "base") : NULL;
    if (base)
      return SUP_FAIL_AT(base->key_place,
                         "%s: 'base' is for the material of a soft body; give all numbers here",
                         what);
    SUP_TRY(sup_read_material(c, what, 0, m));
    sup_material_range range[SUP_MATERIAL_NUM_RANGES]; /* checked only */
    SUP_TRY(sup_read_material_ranges(c, m, range));
    b->num_materials++;
  }
  return SUP_OK;
}

/* ---- the material of a body ------------------------------------------------------------------ */

/** Hint to the file of the library that has the material, or ""; text [size]. */
static void look_for_material(const char *name, char *text, size_t size) {
  sup_material_library *library = NULL;
  text[0] = '\0';
  if (sup_material_library_read(&library) != SUP_OK) return;
  for (int i = 0; i < library->num_materials; i++)
    if (strcmp(library->material[i].def.name, name) == 0)
      snprintf(text, size, "; the program has it in a file of its own: 'materials: [%s]'",
               library->material[i].file);
  sup_material_library_destroy(&library);
}

static sup_status find_material(const sup_scene_build *b, const sup_node *node, const char *body,
                                sup_material_def *material) {
  const char **names = NULL, *text;
  char         known[512], library[400];
  SUP_TRY(sup_node_text(node, "material", &text));
  for (int i = 0; i < b->num_materials; i++)
    if (strcmp(b->material[i].name, text) == 0) {
      *material = b->material[i];
      return SUP_OK;
    }
  SUP_TRY(SUP_CALLOC(names, b->num_materials));
  for (int i = 0; i < b->num_materials; i++) names[i] = b->material[i].name;
  look_for_material(text, library, sizeof library);
  sup_status status = SUP_FAIL_AT(
      node->place, "%s: unknown material '%.60s'%s", body, text,
      library[0]         ? library
      : b->num_materials ? sup_known_text(text, names, b->num_materials, known, sizeof known)
                         : "; the scene has none, see the key materials");
  SUP_FREE(names);
  return status;
}

sup_status sup_read_material_choice(const sup_scene_build *b, sup_node *node, const char *body,
                                    sup_material_def *material) {
  char what[3 * SUP_NAME_MAX];
  *material = sup_default_material_def();
  if (node->type != SUP_NODE_MAPPING) {
    SUP_TRY(find_material(b, node, body, material));
    return SUP_OK;
  }
  const sup_node *base = sup_node_find(node, "base");
  if (base) SUP_TRY(find_material(b, base, body, material));
  snprintf(what, sizeof what, "material of %.150s", body);
  SUP_TRY(sup_read_material(node, what, base != NULL, material));
  return SUP_OK;
}
