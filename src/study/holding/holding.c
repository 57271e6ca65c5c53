/* Keys of a holding study, and its cases. */
#include "study/holding/holding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vec.h"
#include "scene/scene.h"
#include "scene/schema/section.h"
#include "study/design.h"
#include "study/ladder.h"
#include "study/numerics.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word guides[] = {
    {"held", "it moves along the line, or turns about the axis, alone"},
    {"loose", "pulled on the line it turns freely; turned about the axis it moves freely"},
    {"across",
     "pulled along the line it moves freely across it and turns about it; turned as "
     "loose"}};

static const sup_key fan_keys[] = {
    SUP_INTEGER("circle", 2, SUP_BY_CODE, "12",
                "Number of directions, equally spaced on a circle; the first is the world axis "
                "nearest to its plane.",
                .absent = "needed, or sphere"),
    SUP_VECTOR("normal", SUP_DIM_NUMBER, SUP_ANY, SUP_BY_CODE, "[0, 0, 1]",
               "Normal of the circle, about which the directions turn.", .absent = "[0, 0, 1]"),
    SUP_INTEGER("sphere", 4, SUP_BY_CODE, "50", "Number of directions, evenly over a sphere.",
                .absent = "needed, or circle")};
static const sup_schema fan_schema =
    SUP_SCHEMA("directions", fan_keys, "Directions on a circle or a sphere.");

static const sup_key holding_keys[] = {
    SUP_CUSTOM("object", SUP_KEY_REFERENCE, "can", "Rigid body that is pulled.",
               .need = SUP_NEEDED),
    SUP_CUSTOM("directions", SUP_KEY_SECTION, "{circle: 12, normal: [0, 0, 1]}",
               "Directions of pulls: a list [[x, y, z], ...] in world axes, or a section.",
               .schema = &fan_schema, .absent = "none; it or axes is needed"),
    SUP_CUSTOM("axes", SUP_KEY_LIST, "[[0, 0, 1]]",
               "Axes of turns through the body's origin: a list [[x, y, z], ...] in world axes, or "
               "a section as of directions.",
               .absent = "none"),
    SUP_WORD("guide", guides, SUP_AT(sup_holding, guide), "loose",
             "Freedom of the body besides its path, also as it is gripped."),
    SUP_NUMBER("travel", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_holding, travel), "5 mm",
               "Displacement at the end of a pull.", .need = SUP_OPTIONAL,
               .absent = "needed with directions"),
    SUP_NUMBER("angle", SUP_DIM_ANGLE, SUP_POSITIVE, SUP_AT(sup_holding, angle), "20 deg",
               "Rotation at the end of a turn.", .need = SUP_OPTIONAL,
               .absent = "needed with axes"),
    SUP_NUMBER("force", SUP_DIM_FORCE, SUP_POSITIVE, SUP_AT(sup_holding, force), "40 N",
               "Force at which a pull ends.", .need = SUP_OPTIONAL, .absent = "none"),
    SUP_NUMBER("moment", SUP_DIM_TORQUE, SUP_POSITIVE, SUP_AT(sup_holding, moment), "1 N m",
               "Moment at which a turn ends.", .need = SUP_OPTIONAL, .absent = "none"),
    SUP_NUMBER("time", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_holding, time), "1 s",
               "Duration of a pull, after time.end of the scene, in steps as long as the scene's.",
               .need = SUP_OPTIONAL, .absent = "time.end of the scene"),
    SUP_NUMBER("length", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_holding, length), "20 mm",
               "Length by which moments are divided in the quality epsilon of a grasp.",
               .need = SUP_OPTIONAL, .absent = "largest distance of a contact from the origin"),
    SUP_NUMBER("slip_share", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_holding, slip_share), "90 %",
               "Share of the contact area whose sliding is told as slip.")};
static void defaults(void *target) {
  *(sup_holding *)target =
      (sup_holding){.slip_share = 0.9, .force = (double)INFINITY, .moment = (double)INFINITY};
}
const sup_schema sup_schema_holding =
    SUP_SCHEMA("holding", holding_keys, "A held object that is pulled along lines or turned.",
               SUP_DEFAULTS(defaults, sup_holding));

/* ---- directions ------------------------------------------------------------------------------ */

static sup_status add_pull(sup_holding *h, int turns, double angle, sup_v3 axis) {
  SUP_TRY(SUP_GROW(h->pull, h->pull_capacity, h->num_pulls + 1));
  sup_pull *pull = &h->pull[h->num_pulls++];
  *pull = (sup_pull){.turns = turns, .angle = angle};
  sup_v3_store(pull->axis, sup_v3_scale(1 / sup_v3_norm(axis), axis));
  return SUP_OK;
}

static sup_status read_axis(sup_node *node, const char *name, sup_v3 *axis) {
  double value[3];
  SUP_TRY(sup_node_vector(node, name, SUP_DIM_NUMBER, SUP_ANY, value));
  double most = fmax(fabs(value[0]), fmax(fabs(value[1]), fabs(value[2])));
  if (!(most > 0))
    return SUP_FAIL_AT(node->place, "%s must not be [0, 0, 0], which has no direction", name);
  *axis = sup_v3_make(value[0] / most, value[1] / most, value[2] / most);
  return SUP_OK;
}

static sup_status add_circle(sup_holding *h, int turns, sup_v3 normal, int count) {
  static const double world[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  sup_v3              n = sup_v3_scale(1 / sup_v3_norm(normal), normal);
  const double        c[3] = {fabs(n.x), fabs(n.y), fabs(n.z)};
  int                 least = c[0] <= c[1] && c[0] <= c[2] ? 0 : c[1] <= c[2] ? 1 : 2;
  sup_v3              a = sup_v3_load(world[least]);
  a = sup_v3_sub(a, sup_v3_scale(sup_v3_dot(a, n), n));
  a = sup_v3_scale(1 / sup_v3_norm(a), a);
  sup_v3 b = sup_v3_cross(n, a);
  for (int k = 0; k < count; k++) {
    double angle = 8 * atan(1) * k / count;
    SUP_TRY(add_pull(h, turns, angle,
                     sup_v3_add(sup_v3_scale(cos(angle), a), sup_v3_scale(sin(angle), b))));
  }
  return SUP_OK;
}

/** Points of equal area on a spiral (Fibonacci). */
static sup_status add_sphere(sup_holding *h, int turns, int count) {
  const double golden = 4 * atan(1) * (3 - sqrt(5));
  for (int k = 0; k < count; k++) {
    double z = 1 - (2 * k + 1.) / count, r = sqrt(1 - z * z);
    SUP_TRY(
        add_pull(h, turns, SUP_NO_NUMBER, (sup_v3){r * cos(golden * k), r * sin(golden * k), z}));
  }
  return SUP_OK;
}

static sup_status read_fan(sup_holding *h, sup_node *node, int turns) {
  sup_section s;
  int         count = 4;
  sup_v3      normal = {0, 0, 1};
  SUP_TRY(sup_section_open(&s, node, &fan_schema, node->key));
  bool is_circle = sup_section_entry(&s, "circle"), is_sphere = sup_section_entry(&s, "sphere");
  if (is_circle == is_sphere)
    return SUP_FAIL_AT(node->place, "%s needs one of 'circle: 12' and 'sphere: 50'; found %s",
                       node->key, is_circle ? "both" : "none");
  SUP_TRY(sup_read_integer(&s, is_circle ? "circle" : "sphere", &count));
  sup_node *entry = sup_section_entry(&s, "normal");
  if (entry && is_sphere)
    return SUP_FAIL_AT(entry->key_place, "normal belongs to a circle; a sphere has none");
  if (entry) SUP_TRY(read_axis(entry, "normal", &normal));
  SUP_TRY(is_circle ? add_circle(h, turns, normal, count) : add_sphere(h, turns, count));
  return SUP_OK;
}

static sup_status read_directions(sup_holding *h, sup_node *node, int turns, double limit) {
  sup_v3 axis;
  if (!node) return SUP_OK;
  if (!(limit > 0))
    return SUP_FAIL_AT(node->key_place, "%s need a limit, for instance '%s'", node->key,
                       turns ? "angle: 20 deg" : "travel: 5 mm");
  if (node->type == SUP_NODE_MAPPING) {
    SUP_TRY(read_fan(h, node, turns));
    return SUP_OK;
  }
  SUP_TRY(sup_node_check_list(node, node->key));
  for (sup_node *c = node->child; c; c = c->next) {
    SUP_TRY(read_axis(c, node->key, &axis));
    SUP_TRY(add_pull(h, turns, SUP_NO_NUMBER, axis));
  }
  return SUP_OK;
}

/* ---- study ----------------------------------------------------------------------------------- */

/** E_PARSE: a limit of pulls or turns, of which there are none. */
static sup_status check_limits(const sup_section *section) {
  static const char *const keys[4] = {"travel", "force", "angle", "moment"};
  for (int k = 0; k < 4; k++) {
    const sup_node *stray = sup_section_entry(section, keys[k]);
    if (stray && !sup_section_entry(section, k < 2 ? "directions" : "axes"))
      return SUP_FAIL_AT(stray->key_place, "%s is a limit of %s, of which there are none",
                         stray->key, k < 2 ? "pulls along 'directions'" : "turns about 'axes'");
  }
  return SUP_OK;
}

sup_status sup_holding_read(sup_study *study, const sup_section *section, const sup_node *set) {
  sup_section s;
  sup_node   *node, *ladder = sup_section_entry(section, "ladder");
  SUP_TRY(sup_section_require(section, "holding", &node));
  SUP_TRY(SUP_CALLOC(study->holding, 1));
  sup_holding *h = study->holding;
  defaults(h);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_holding, NULL));
  SUP_TRY(sup_section_read(&s, h));
  SUP_TRY(sup_section_require(&s, "object", &h->object_node));
  SUP_TRY(sup_node_text(h->object_node, "object", &h->object));
  if (h->slip_share > 1)
    return SUP_FAIL_AT(sup_section_entry(&s, "slip_share")->place,
                       "slip_share is a share of the area, at most 100 %%; found %g",
                       h->slip_share);
  SUP_TRY(read_directions(h, sup_section_entry(&s, "directions"), 0, h->travel));
  SUP_TRY(read_directions(h, sup_section_entry(&s, "axes"), 1, h->angle));
  if (h->num_pulls == 0)
    return SUP_FAIL_AT(node->place,
                       "holding needs directions or axes, for instance 'directions: "
                       "{circle: 12}'");
  SUP_TRY(check_limits(&s));
  if (ladder) SUP_TRY(sup_ladder_read(ladder, NULL, 0, &h->ladder));
  study->num_families = 1;
  if (sup_section_entry(section, "parameters") || sup_section_entry(section, "cases")) {
    SUP_TRY(sup_design_read(study, section, set));
  } else {
    SUP_TRY(SUP_CALLOC(study->family[0].level, 1));
    study->family[0].num_levels = 1;
    study->family[0].level[0].place = study->scene_place;
    if (set) SUP_TRY(sup_level_add_all(&study->family[0].level[0], set));
  }
  h->num_cases = study->family[0].num_levels;
  double count = (double)h->num_cases * h->num_pulls * sup_holding_num_rungs(h);
  return count > SUP_MAX_CASES
             ? SUP_FAIL_AT(node->place, "these are %.0f pulls; at most %d go", count, SUP_MAX_CASES)
             : SUP_OK;
}

void sup_holding_destroy(sup_holding **handle) {
  sup_holding *h = *handle;
  if (!h) return;
  sup_ladder_free(&h->ladder);
  SUP_FREE_ALL(&h->pull, &h->begin, &h->duration, &h->result, &h->grasp, handle);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static sup_status add_sets(sup_level *level, const sup_level *from) {
  if (from->name) level->name = from->name;
  for (int k = 0; k < from->num_sets; k++) SUP_TRY(sup_level_print(level, "%s", from->set[k]));
  return SUP_OK;
}

enum { MOST_ROWS = 500 };

/** Rows of the object's own motion up to the end, with a pull behind it. */
static sup_status add_motion(sup_level *level, const sup_holding *h, const sup_table *own,
                             const sup_pull *pull, int steps, double begin, double end) {
  int             rows = own->num_rows == 0 ? 1 : steps < MOST_ROWS ? steps : MOST_ROWS;
  size_t          used = 0, size = (size_t)(rows + 2) * 200 + sizeof h->object + SUP_NAME_MAX;
  double          value[6] = {0};
  SUP_FREED char *text = NULL;
  SUP_TRY(SUP_CALLOC(text, size));
  used += (size_t)snprintf(text, size, "rigid.%s.motion=[", h->object);
  for (int k = 0; k <= rows + 1; k++) {
    double t = k <= rows ? begin * k / rows : end, more = pull->turns ? h->angle : h->travel;
    if (own->num_rows > 0) sup_table_at(own, fmin(t, begin), value);
    for (int c = 0; k > rows && c < 3; c++) value[3 * pull->turns + c] += more * pull->axis[c];
    used += (size_t)snprintf(text + used, size - used, "%s[%.17g", k ? ", " : "", t);
    for (int c = 0; c < 6; c++)
      used += (size_t)snprintf(text + used, size - used, ", %.17g", value[c]);
    used += (size_t)snprintf(text + used, size - used, "]");
  }
  snprintf(text + used, size - used, "]");
  SUP_TRY(sup_level_print(level, "%s", text));
  return SUP_OK;
}

static const sup_tree_def *find_object(const sup_scene *scene, const char *name) {
  for (int t = 0; t < scene->model.num_trees; t++)
    if (scene->model.trees[t].is_rigid_body && strcmp(scene->model.trees[t].name, name) == 0)
      return &scene->model.trees[t];
  return NULL;
}

static bool is_turned(const sup_table *own, double t) {
  double value[6] = {0};
  if (own->num_rows > 0) sup_table_at(own, t, value);
  return value[3] != 0 || value[4] != 0 || value[5] != 0;
}

static sup_status add_pull_case(sup_study *study, const sup_scene *scene, const sup_level *of,
                                int i) {
  sup_holding     *h = study->holding;
  const sup_pull  *pull = &h->pull[i % h->num_pulls];
  const sup_table *own = &find_object(scene, h->object)->motion;
  sup_level       *level = &study->family[0].level[i];
  double           begin = scene->end_time;
  double           step = study->is_static ? begin / scene->statics.steps : scene->options.dt;
  double           count = ceil((h->time > 0 ? h->time : begin) / step - 1e-6);
  char             name[200];
  level->place = of->place, level->step = step;
  h->begin[i] = begin, h->duration[i] = count * step;
  SUP_TRY(add_sets(level, of));
  if (pull->turns && is_turned(own, begin))
    return SUP_FAIL_AT(h->object_node->place,
                       "'%s' is turned by its own motion when the scene ends; it can be pulled, "
                       "not turned",
                       h->object);
  SUP_TRY(sup_level_print(level, "rigid.%.100s.fixed=false", h->object));
  SUP_TRY(sup_level_print(level, "rigid.%.100s.measured=true", h->object));
  if (h->guide != SUP_GUIDE_HELD)
    SUP_TRY(sup_level_print(level, "rigid.%.100s.joint=%s", h->object,
                            pull->turns                    ? "translation"
                            : h->guide == SUP_GUIDE_ACROSS ? "planar"
                                                           : "ball"));
  if (h->guide == SUP_GUIDE_ACROSS && !pull->turns)
    SUP_TRY(sup_level_print(level, "rigid.%.100s.plane_normal=[%.17g, %.17g, %.17g]", h->object,
                            pull->axis[0], pull->axis[1], pull->axis[2]));
  SUP_TRY(add_motion(level, h, own, pull, (int)(begin / step + .5), begin, begin + count * step));
  SUP_TRY(sup_level_print(level, "time.end=%.17g", begin + count * step));
  if (study->is_static) {
    SUP_TRY(sup_level_print(level, "static.steps=%.0f", scene->statics.steps + count));
    SUP_TRY(sup_level_print(level, "static.ramp_end=%.17g", begin));
  }
  SUP_TRY(sup_level_print(level, "output.pairs=[[all, %.100s]]", h->object));
  SUP_TRY(sup_level_print(level, "output.history=[contact.all.%.100s.*]", h->object));
  int has_format = 0;
  for (int k = 0; k < of->num_sets; k++)
    has_format |= strncmp(of->set[k], "output.format=", 14) == 0;
  if (!has_format) SUP_TRY(sup_level_print(level, "output.format=none"));
  sup_pull_name(h, pull, name);
  size_t size = strlen(name) + (of->label ? strlen(of->label) : 0) + 3;
  SUP_TRY(SUP_CALLOC(level->label, size));
  snprintf(level->label, size, "%s%s%s", name, of->label ? ", " : "", of->label ? of->label : "");
  return SUP_OK;
}

static sup_status fail_unknown(const sup_holding *h, const sup_scene *scene) {
  char   known[1024] = "none";
  size_t used = 0;
  for (int i = 0; i < scene->model.num_softs; i++)
    if (strcmp(scene->model.softs[i].name, h->object) == 0)
      return SUP_FAIL_AT(h->object_node->place,
                         "'%s' is soft, and pulls drive rigid bodies; give it a hold with a motion "
                         "and sweep that: contact.all.%s.fx is the force",
                         h->object, h->object);
  for (int t = 0; t < scene->model.num_trees && used < sizeof known - SUP_NAME_MAX - 3; t++)
    if (scene->model.trees[t].is_rigid_body)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                               scene->model.trees[t].name);
  return SUP_FAIL_AT(h->object_node->place, "the scene has no rigid body '%s'; known: %s",
                     h->object, known);
}

/** All pulls of a case on a level of the ladder. */
static sup_status fill_level(sup_study *study, const sup_level *of, int first) {
  sup_holding *h = study->holding;
  sup_scene   *scene = NULL;
  sup_status   status = sup_scene_plan(&scene, study->scene, (const char *const *)of->set,
                                       of->num_sets, sup_study_numerics.planned);
  if (status == SUP_E_IO) return SUP_FAIL_WRAP(SUP_E_PARSE, study->scene_place);
  if (status != SUP_OK) return SUP_FAIL_WRAP(status, of->place);
  const sup_tree_def *object = find_object(scene, h->object);
  if (!object)
    status = fail_unknown(h, scene);
  else if (object->links[0].joint != SUP_JOINT_FIXED &&
           object->links[0].joint != SUP_JOINT_FLOATING)
    status = SUP_FAIL_AT(h->object_node->place,
                         "'%s' has a joint in the scene; a pull drives it as its 'guide' says: "
                         "leave the joint out",
                         h->object);
  for (int p = 0; p < h->num_pulls && status == SUP_OK; p++)
    status = add_pull_case(study, scene, of, first + p);
  sup_scene_destroy(&scene);
  return status;
}

sup_status sup_holding_fill(sup_study *study) {
  sup_holding *h = study->holding;
  sup_family   cases = study->family[0], *pulls = &study->family[0];
  int          rungs = sup_holding_num_rungs(h), num = h->num_cases * rungs * h->num_pulls;
  sup_status   status = SUP_OK;
  pulls->level = NULL, pulls->num_levels = 0;
  status = SUP_CALLOC(pulls->level, num);
  if (status == SUP_OK) pulls->num_levels = num;
  if (status == SUP_OK) status = SUP_CALLOC(h->begin, num);
  if (status == SUP_OK) status = SUP_CALLOC(h->duration, num);
  if (status == SUP_OK) status = SUP_CALLOC(h->result, num);
  if (status == SUP_OK) status = SUP_CALLOC(h->grasp, h->num_cases);
  for (int i = 0; i < h->num_cases * rungs && status == SUP_OK; i++) {
    const sup_level *rung = h->ladder.num_levels > 0 ? &h->ladder.level[i % rungs] : NULL;
    sup_level        of = {.place = rung ? rung->place : cases.level[i / rungs].place};
    sup_family       one = {.num_levels = 1, .level = &of};
    int              own = 0;
    status = add_sets(&of, &cases.level[i / rungs]);
    own = study->num_parameters > 0 ? study->parameter[0].set : of.num_sets;
    if (status == SUP_OK && rung) status = add_sets(&of, rung);
    if (status == SUP_OK) status = sup_level_label(&of, own);
    if (status == SUP_OK) status = fill_level(study, &of, i * h->num_pulls);
    sup_ladder_keep(&one, 0);
  }
  sup_ladder_free(&cases);
  return status;
}
