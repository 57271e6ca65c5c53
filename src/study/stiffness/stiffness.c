#include "study/stiffness/stiffness.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "adjoint/load_path.h"
#include "base/memory.h"
#include "geom/bvh.h"
#include "model/cable.h"
#include "scene/build.h"
#include "study/gradient/point.h"
#include "study/ladder.h"
#include "study/numerics.h"
#include "study/parameter.h"
#include "study/prepare.h"
#include "study/quantity.h"
#include "study/stiffness/patch.h"

/* ---- definition ------------------------------------------------------------------------------ */

static const sup_key stiffness_keys[] = {
    SUP_CUSTOM("body", SUP_KEY_REFERENCE, "finger", "Soft body that is pressed.",
               .need = SUP_NEEDED),
    SUP_VECTOR("from", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_stiffness, from), "[0, 20 mm, 10 mm]",
               "First position, on the body's face at the start.", .need = SUP_NEEDED),
    SUP_VECTOR("to", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_stiffness, to), "[0, 76 mm, 10 mm]",
               "Last position; the line to it is the direction along the face.",
               .need = SUP_NEEDED),
    SUP_INTEGER("count", 2, SUP_AT(sup_stiffness, count), "8",
                "Number of positions, at equal distances on that line."),
    SUP_CUSTOM("radii", SUP_KEY_LIST, "[5 mm, 10 mm]",
               "Radii of the patches on which forces act, and of the indenters.",
               .need = SUP_NEEDED),
    SUP_VECTOR("axis", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sup_stiffness, axis), "[0, 0, 1]",
               "Axis of indenters that are cylinders, on strips.", .need = SUP_OPTIONAL,
               .absent = "none: spheres, on discs"),
    SUP_CUSTOM("depths", SUP_KEY_LIST, "[0.5 mm, 1 mm]",
               "Depths to which indenters are pressed, growing.", .absent = "none: tangents alone"),
    SUP_INTEGER("steps", 1, SUP_AT(sup_stiffness, steps), "4",
                "Least number of load steps of each depth."),
    SUP_CUSTOM("contact", SUP_KEY_ENTRIES, "{friction: 0.5}",
               "Contact of the indenters, as rigid.NAME.contact of a scene.",
               .absent = "its defaults")};
static void defaults(void *target) {
  *(sup_stiffness *)target = (sup_stiffness){.count = 8, .steps = 4};
}
const sup_schema sup_schema_stiffness =
    SUP_SCHEMA("stiffness", stiffness_keys, "Positions along a face, and what presses there.",
               SUP_DEFAULTS(defaults, sup_stiffness));

/** value [most] of a list of growing lengths. */
static sup_status read_lengths(const sup_section *s, const char *key, int most, int *num,
                               double *value) {
  sup_node *list = sup_section_entry(s, key);
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, key));
  if (list->num_children < 1 || list->num_children > most)
    return SUP_FAIL_AT(list->place, "%s lists 1 to %d lengths; found %d", key, most,
                       list->num_children);
  for (sup_node *c = list->child; c; c = c->next, ++*num) {
    SUP_TRY(sup_node_number(c, key, SUP_DIM_LENGTH, SUP_POSITIVE, &value[*num]));
    if (*num > 0 && !(value[*num] > value[*num - 1]))
      return SUP_FAIL_AT(c->place, "%s grow along their list; found %g m after %g m", key,
                         value[*num], value[*num - 1]);
  }
  return SUP_OK;
}

/** Check the contact of indenters as that of a rigid shape, on a copy without defaults. */
static sup_status check_contact(const sup_section *section) {
  sup_scene_build build = {.contact = sup_default_contact_def()};
  sup_contact_def unused;
  sup_section     copy = *section;
  SUP_TRY(sup_node_copy(&copy.node, section->node));
  sup_status status = sup_read_body_contact(&build, &copy, SUP_CONTACT_SHAPE, &unused);
  sup_node_destroy(&copy.node);
  return status;
}

/** Refuse keys of indenters where none are pressed. */
static sup_status refuse_without_depths(const sup_node *node) {
  static const char *const key[] = {"steps", "contact"};
  for (int k = 0; k < 2 && !sup_node_find(node, "depths"); k++) {
    const sup_node *entry = sup_node_find(node, key[k]);
    if (entry)
      return SUP_FAIL_AT(entry->place,
                         "%s is of indenters, and none are pressed: give depths, [0.5 mm, 1 mm], "
                         "or leave %s out",
                         key[k], key[k]);
  }
  return SUP_OK;
}

sup_status sup_stiffness_read(sup_study *study, const sup_section *section) {
  sup_section s;
  sup_node   *node, *entry;
  SUP_TRY(sup_section_require(section, "stiffness", &node));
  SUP_TRY(SUP_CALLOC(study->stiffness, 1));
  sup_stiffness *t = study->stiffness;
  defaults(t);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_stiffness, NULL));
  SUP_TRY(check_contact(&s));
  SUP_TRY(refuse_without_depths(node));
  SUP_TRY(sup_section_read(&s, t));
  SUP_TRY(sup_section_require(&s, "body", &entry));
  SUP_TRY(sup_node_text(entry, "body", &t->body));
  SUP_TRY(sup_section_require(&s, "radii", &entry));
  SUP_TRY(read_lengths(&s, "radii", SUP_MAX_RADII, &t->num_radii, t->radius));
  SUP_TRY(read_lengths(&s, "depths", SUP_MAX_DEPTHS, &t->num_depths, t->depth));
  t->contact = sup_section_entry(&s, "contact");
  entry = sup_section_entry(&s, "axis");
  if (entry && !(sup_v3_norm(sup_v3_load(t->axis)) > 0))
    return SUP_FAIL_AT(entry->place,
                       "axis is [0, 0, 0]; expected a direction, or none for spheres on discs");
  if (t->count * t->num_radii > SUP_MAX_STATIONS)
    return SUP_FAIL_AT(node->place, "these are %d positions and radii; a study has at most %d",
                       t->count * t->num_radii, SUP_MAX_STATIONS);
  if (memcmp(t->from, t->to, sizeof t->from) == 0)
    return SUP_FAIL_AT(node->place, "from and to are one position; expected two");
  study->num_families = 1, study->is_static = 1;
  study->set = sup_section_entry(section, "set");
  return SUP_OK;
}

void sup_stiffness_destroy(sup_stiffness **t) {
  if (*t) SUP_FREE((*t)->station);
  SUP_FREE(*t);
}

static int soft_of(const sup_study *study, const sup_model_def *def) {
  for (int i = 0; i < def->num_softs; i++)
    if (strcmp(def->softs[i].name, study->stiffness->body) == 0) return i;
  return SUP_NONE;
}

sup_status sup_stiffness_prepare(const sup_study *study, sup_scene *scene) {
  const sup_node *section = sup_node_find(study->root, "stiffness"),
                 *body = sup_node_find(section, "body");
  if (soft_of(study, &scene->model) == SUP_NONE)
    return SUP_FAIL_AT(body->place, "the scene has no soft body '%s'", study->stiffness->body);
  if (sup_node_find_path(scene->root, "rigid.indenter"))
    return SUP_FAIL_AT(section->place,
                       "the scene has an indenter of its own; rename rigid.indenter");
  return SUP_OK;
}

/* ---- tangents -------------------------------------------------------------------------------- */

static int was_interrupted(void *user) {
  const sup_level_runner *runner = user;
  return runner->interrupted && *runner->interrupted;
}

/** Places and axes of all stations from their patches. */
static sup_status find_patches(sup_stiffness *t, const sup_patch_face *face, sup_patch *patch) {
  sup_v3 from = sup_v3_load(t->from), line = face->along;
  for (int i = 0; i < t->num; i++) {
    sup_station *station = &t->station[i];
    double       share = (double)(i % t->count) / (t->count - 1);
    sup_v3       point = sup_v3_madd(from, share, line);
    for (int c = 0; c < 3; c++) station->tangent[c] = SUP_NO_NUMBER;
    for (int k = 0; k < SUP_MAX_DEPTHS; k++) station->force[k] = SUP_NO_NUMBER;
    station->adaptivity = station->secant_along = SUP_NO_NUMBER;
    station->along = share * sup_v3_norm(line), station->radius = t->radius[i / t->count];
    SUP_TRY(sup_patch_create(face, point, station->radius, &patch[i]));
    if (patch[i].distance > station->radius)
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "position %d, (%g, %g, %g) m, is %.3g m away from the surface of '%s', more "
                      "than the radius of %g m",
                      i % t->count + 1, point.x, point.y, point.z, patch[i].distance, t->body,
                      station->radius);
    if (fabs(sup_v3_dot(face->axis, patch[i].axis[0])) > sup_study_numerics.facing)
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "axis is along the normal (%.3g, %.3g, %.3g) of position %d; expected a "
                      "direction along the face, or none for spheres on discs",
                      patch[i].axis[0].x, patch[i].axis[0].y, patch[i].axis[0].z, i % t->count + 1);
    station->at = patch[i].at;
    memcpy(station->axis, patch[i].axis, sizeof station->axis);
  }
  return SUP_OK;
}

/** Warnings about positions and sizes, one of each kind: of the worst. */
static void find_doubts(sup_stiffness *t, const sup_patch *patch) {
  int    off = 0, turn = 0, coarse = 0;
  double most = 0, least = 1, sag = 0;
  for (int i = 0; i < t->num; i++) {
    double away = patch[i].distance / fmax(t->station[i].radius, patch[i].cell),
           along = i % t->count ? sup_v3_dot(patch[i].axis[0], patch[i - 1].axis[0]) : 1,
           deep = patch[i].cell * patch[i].cell / (8 * t->station[i].radius);
    if (away > most) most = away, off = i;
    if (along < least) least = along, turn = i;
    if (deep > sag) sag = deep, coarse = i;
  }
  enum { SIZE = sizeof t->warning[0] };
  if (most > sup_study_numerics.off_face)
    snprintf(t->warning[t->num_warnings++], SIZE,
             "position %d is %.3g mm off the face of '%s' and was moved there; give a place on it",
             off % t->count + 1, SUP_MILLI * patch[off].distance, t->body);
  if (least < sup_study_numerics.facing)
    snprintf(t->warning[t->num_warnings++], SIZE,
             "normals turn by %.0f deg from position %d to %d: they are on two faces; end the line "
             "before the edge",
             acos(fmax(least, -1)) * 180 / acos(-1.0), turn % t->count, turn % t->count + 1);
  if (t->radius[t->num_radii - 1] > t->reach)
    snprintf(t->warning[t->num_warnings++], SIZE,
             "radius %.4g mm is larger than '%s' (%.4g mm): its patches are the whole face",
             SUP_MILLI * t->radius[t->num_radii - 1], t->body, SUP_MILLI * t->reach);
  if (t->num_depths > 0 && t->depth[0] < sag)
    snprintf(t->warning[t->num_warnings++], SIZE,
             "depth %.3g mm is less than that of a cell (%.3g mm) under a radius of %.4g mm: "
             "secants are resolved from %.2g mm on; press deeper, or refine",
             SUP_MILLI * t->depth[0], SUP_MILLI * patch[coarse].cell,
             SUP_MILLI * t->station[coarse].radius, SUP_MILLI * sag);
}

/** Stiffness and adaptivity by the compliances C [3 num x 3 num]. */
static void take_compliances(sup_stiffness *t, const double *C) {
  int    n = 3 * t->num;
  double most = 0, odd = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      most = fmax(most, fabs(C[i * n + j]));
      odd = fmax(odd, fabs(C[i * n + j] - C[j * n + i]));
    }
  t->asymmetry = most > 0 ? odd / most : 0;
  for (int i = 0; i < t->num; i++) {
    int last = 3 * (i / t->count * t->count + t->count - 1);
    for (int c = 0; c < 3; c++) {
      double own = C[(3 * i + c) * (n + 1)];
      t->station[i].tangent[c] = own > 0 ? 1 / own : SUP_NO_NUMBER;
    }
    t->station[i].adaptivity = -C[last * n + 3 * i] * t->station[i].tangent[0];
  }
}

static sup_status find_tangents(sup_stiffness *t, const sup_soft *soft, sup_static_equations *e) {
  sup_patch_face    face = {.soft = soft,
                            .x = e->end.next->x + 3 * (size_t)soft->first_vertex,
                            .along = sup_v3_sub(sup_v3_load(t->to), sup_v3_load(t->from)),
                            .axis = sup_v3_unit(sup_v3_load(t->axis))};
  SUP_FREED double *C = NULL;
  sup_patch        *patch;
  SUP_TRY(SUP_CALLOC(patch, t->num));
  face.facing = sup_patch_facing(&face, sup_v3_load(t->from));
  sup_status status = find_patches(t, &face, patch);
  if (status == SUP_OK) find_doubts(t, patch);
  int soft_index = (int)(soft - e->it.start.model->soft);
  if (status == SUP_OK && !t->refusal[0]) status = SUP_CALLOC(C, 9 * t->num * t->num);
  if (C) status = sup_patch_compliance(e, soft_index, patch, t->num, C, &t->residual);
  if (C && status == SUP_OK) take_compliances(t, C);
  for (int i = 0; i < t->num; i++) sup_patch_free(&patch[i]);
  SUP_FREE(patch);
  return status;
}

static double diagonal(const sup_soft *soft) {
  sup_box box = sup_box_empty();
  for (int a = 0; a < soft->num_vertices; a++)
    box = sup_box_add(box, sup_v3_load(soft->x0 + 3 * (size_t)a));
  return sup_v3_norm(sup_v3_sub(box.upper, box.lower));
}

/** Say why a cable with friction leaves no tangents. */
static void refuse_friction(sup_stiffness *t, const sup_model *model) {
  for (int i = 0; i < model->num_cables; i++)
    if (model->cable[i].num_strands > 1)
      snprintf(t->refusal, sizeof t->refusal,
               "friction of cable '%s' resists each direction otherwise; secants have it, or leave "
               "its friction out",
               model->cable[i].name);
}

/** Tangents of the last load step, with the forces at its end of what keeps a volume or length. */
static sup_status linearise(sup_stiffness *t, const sup_study_point *p, const sup_soft *soft) {
  const sup_model     *model = p->model;
  sup_static_equations e;
  sup_load_path        path;
  SUP_TRY(sup_load_path_run(&path, &p->load, NULL, 0));
  refuse_friction(t, model);
  const sup_load_record *last = &path.step[path.num_records - 1];
  for (int c = 0; c < model->num_chambers; c++)
    last->before->chamber_pressure[c] = path.end->chamber_pressure[c];
  for (int k = 0; k < model->num_strands; k++) last->before->strand[k] = path.end->strand[k];
  sup_increment inc = sup_static_increment(p->load.options, last->before, p->load.statics, last->h);
  sup_status    status = sup_static_equations_begin(&e, sup_stepper_layout(p->stepper), &inc,
                                                    last->before, &last->origins, last->q);
  if (status == SUP_OK) status = find_tangents(t, soft, &e), sup_static_equations_free(&e);
  sup_load_path_free(&path);
  return status;
}

static sup_status find_equilibrium(sup_study *study, const sup_level_runner *runner) {
  sup_stiffness  *t = study->stiffness;
  sup_study_point p;
  t->num = t->count * t->num_radii;
  SUP_TRY(SUP_CALLOC(t->station, t->num));
  SUP_TRY(sup_study_point_create(&p, study, NULL));
  p.scene->statics.should_stop = was_interrupted, p.scene->statics.user = (void *)runner;
  const sup_static_options *statics = &p.scene->statics;
  t->time = statics->end > 0 ? statics->end : 1;
  t->ramp_end = statics->ramp_end > 0 ? statics->ramp_end : t->time;
  while (t->steps * t->num_depths < statics->steps && t->num_depths > 0) t->steps++;
  const sup_soft *soft = &p.model->soft[soft_of(study, &p.scene->model)];
  t->reach = diagonal(soft);
  sup_status status = linearise(t, &p, soft);
  sup_study_point_free(&p);
  return status;
}

/* ---- secants --------------------------------------------------------------------------------- */

/** Load steps up to the equilibrium; as many follow to the last depth. */
static int num_steps(const sup_stiffness *t) { return t->steps * t->num_depths; }

/** Overrides that press an indenter: it waits afar until the equilibrium, touches there, goes from
 * depth to depth, and at the last one along the face by a tenth of it. */
static sup_status add_indenter(const sup_stiffness *t, const sup_station *s, sup_level *level) {
  int    steps = 2 * num_steps(t) + t->steps, num = 4 + t->num_depths, used = 0;
  char   rows[2048], shape[128];
  double h = t->time / num_steps(t), time[4 + SUP_MAX_DEPTHS] = {0, t->time - h / 2, t->time};
  sup_v3 n = s->axis[0], at = sup_v3_madd(s->at, s->radius, n),
         axis = sup_v3_unit(sup_v3_load(t->axis)), away = sup_v3_scale(t->reach, n),
         way[4 + SUP_MAX_DEPTHS] = {away, away};
  bool     is_round = !(sup_v3_norm(axis) > 0);
  sup_quat q =
      is_round ? (sup_quat){1, 0, 0, 0} : sup_quat_from_matrix(sup_m3_frame_of_normal(axis));
  for (int k = 0; k <= t->num_depths; k++) {
    double deep = t->depth[k < t->num_depths ? k : k - 1];
    time[3 + k] = t->time + (k + 1) * t->steps * h;
    way[3 + k] = sup_v3_madd(sup_v3_scale(-deep, n), k < t->num_depths ? 0 : deep / 10, s->axis[1]);
  }
  for (int k = 0; k < num; k++)
    used +=
        snprintf(rows + used, sizeof rows - (size_t)used, "[%.17g, %.17g, %.17g, %.17g, 0, 0, 0],",
                 time[k], way[k].x, way[k].y, way[k].z);
  snprintf(shape, sizeof shape,
           is_round ? "sphere: {radius: %.17g}" : "cylinder: {radius: %.17g, length: %.17g}",
           s->radius, 2 * t->reach);
  SUP_TRY(sup_level_print(level, "time.step=%.17g", h));
  SUP_TRY(sup_level_print(level, "time.end=%.17g", steps * h));
  SUP_TRY(sup_level_print(level, "static.steps=%d", steps));
  SUP_TRY(sup_level_print(level, "static.ramp_end=%.17g", t->ramp_end));
  SUP_TRY(sup_level_print(level, "output.history_every=0"));
  SUP_TRY(sup_level_print(level, "output.history=['contact.indenter.*']"));
  SUP_TRY(sup_level_print(level, "output.pairs=[[indenter, %s]]", t->body));
  SUP_TRY(sup_level_print(
      level,
      "rigid.indenter={mass: 1, shape: {%s}, pose: {position: [%.17g, %.17g, %.17g], quaternion: "
      "[%.17g, %.17g, %.17g, %.17g]}, motion: [%s]}",
      shape, at.x, at.y, at.z, q.w, q.x, q.y, q.z, rows));
  return t->contact ? sup_level_add(level, "rigid.indenter.contact", t->contact, 1) : SUP_OK;
}

static sup_status fill_levels(sup_study *study) {
  enum { LABEL = 64 };
  const sup_stiffness *t = study->stiffness;
  sup_family          *family = &study->family[0];
  sup_source_position  place = sup_node_find(study->root, "stiffness")->place;
  sup_ladder_free(family);
  SUP_TRY(SUP_CALLOC(family->level, t->num));
  family->num_levels = t->num;
  for (int i = 0; i < t->num; i++) {
    sup_level *level = &family->level[i];
    SUP_TRY(sup_level_begin(level, study->set, place));
    SUP_TRY(add_indenter(t, &t->station[i], level));
    SUP_TRY(SUP_CALLOC(level->label, LABEL));
    snprintf(level->label, LABEL, "radius %.4g mm, position %.4g mm",
             SUP_MILLI * t->station[i].radius, SUP_MILLI * t->station[i].along);
    SUP_TRY(sup_level_sign(study, level));
    level->need = t->need;
  }
  return SUP_OK;
}

/** Force of the indenter on the body at a time along an axis [N], at its rows to round-off. */
static sup_status force_at(const sup_stiffness *t, const char *folder, double time, sup_v3 axis,
                           double *force) {
  char             column[2 * SUP_NAME_MAX];
  sup_quantity_def def = {.source = column,
                          .take = SUP_WINDOW_AT,
                          .scale = 1,
                          .from = -HUGE_VAL,
                          .to = HUGE_VAL,
                          .at = time * (1 - 4 * DBL_EPSILON)};
  double           part[3];
  for (int c = 0; c < 3; c++) {
    snprintf(column, sizeof column, "contact.indenter.%s.f%c", t->body, 'x' + c);
    SUP_TRY(sup_quantity_value(&def, folder, &part[c]));
  }
  *force = sup_v3_dot(sup_v3_load(part), axis);
  return SUP_OK;
}

/** Forces at depths that the run reached; of one that failed not at the last, which may be void. */
static sup_status take_forces(const sup_study *study, int i, const char *folder) {
  const sup_stiffness *t = study->stiffness;
  bool                 failed = study->family[0].level[i].status == SUP_LEVEL_FAILED;
  sup_station         *s = &t->station[i];
  double step = t->time / t->num_depths, deep = t->depth[t->num_depths - 1], before, after;
  for (int k = 0; k < t->num_depths - failed; k++) {
    sup_status status =
        force_at(t, folder, t->time + (k + 1) * step, sup_v3_scale(-1, s->axis[0]), &s->force[k]);
    if (status != SUP_OK) return failed ? SUP_OK : status;
  }
  if (failed) return SUP_OK;
  SUP_TRY(force_at(t, folder, 2 * t->time, s->axis[1], &before));
  SUP_TRY(force_at(t, folder, 2 * t->time + step, s->axis[1], &after));
  s->secant_along = (after - before) / (deep / 10);
  return SUP_OK;
}

/** A warning of the first depth at which an indenter touches nothing. */
static void find_losses(sup_stiffness *t) {
  for (int i = 0; i < t->num; i++)
    for (int k = 0; k < t->num_depths; k++) {
      if (t->station[i].force[k] != 0) continue;
      snprintf(
          t->warning[t->num_warnings++], sizeof t->warning[0],
          "radius %.4g mm, position %.4g mm: no contact at %.4g mm, the indenter went past the "
          "face or through the body: more static.steps, or smaller depths",
          SUP_MILLI * t->station[i].radius, SUP_MILLI * t->station[i].along,
          SUP_MILLI * t->depth[k]);
      return;
    }
}

static sup_status press(sup_study *study, const sup_level_runner *runner) {
  sup_stiffness *t = study->stiffness;
  char           folder[SUP_STUDY_PATH_SIZE];
  SUP_TRY(fill_levels(study));
  SUP_TRY(sup_level_runner_run(runner, study));
  for (int i = 0; i < t->num; i++) {
    sup_level_folder(study, &study->family[0], i, runner->folder, folder);
    SUP_TRY(take_forces(study, i, folder));
  }
  find_losses(t);
  return SUP_OK;
}

sup_status sup_stiffness_run(sup_study *study, const sup_level_runner *runner) {
  SUP_TRY(find_equilibrium(study, runner));
  return study->stiffness->num_depths > 0 ? press(study, runner) : SUP_OK;
}
