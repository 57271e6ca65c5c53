/* Frames of an SDF model: nested and included models, names, poses. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/robot/package.h"
#include "scene/robot/sdf_parts.h"

/* ---- names ----------------------------------------------------------------------------------- */

static sup_status full_name(const sup_sdf *s, const sup_xml_node *node, int model, const char *name,
                            char full[SUP_NAME_MAX]) {
  const char *prefix = model == SUP_SDF_WORLD ? "" : s->frame[model].prefix;
  if (!*name || (size_t)snprintf(full, SUP_NAME_MAX, "%s%s", prefix, name) >= SUP_NAME_MAX)
    return SUP_XML_FAIL(node, "the name '%s%s' must have 1 to %d characters", prefix, name,
                        SUP_NAME_MAX - 1);
  return SUP_OK;
}

sup_status sup_sdf_find(const sup_sdf *s, const sup_xml_node *node, int model, const char *name,
                        int *frame) {
  char        full[SUP_NAME_MAX];
  const char *known[SUP_SDF_MAX_FRAMES];
  *frame = strcmp(name, "__model__") == 0 ? model : SUP_SDF_WORLD;
  if (*frame == model || strcmp(name, "world") == 0 || strcmp(name, "__root__") == 0) return SUP_OK;
  SUP_TRY(full_name(s, node, model, name, full));
  size_t model_part = strlen(full) > 11 ? strlen(full) - 11 : 0;
  if (strcmp(full + model_part, "::__model__") == 0) full[model_part] = '\0';
  for (int i = 0; i < s->num_frames; i++) {
    known[i] = s->frame[i].name;
    *frame = i;
    if (strcmp(known[i], full) == 0 && i > 0) return SUP_OK;
  }
  int nearest = sup_text_nearest(full, known, s->num_frames);
  return SUP_XML_FAIL(node, "<%s> names '%s', which is not defined%s%s%s", sup_xml_name(node), name,
                      nearest == SUP_NONE ? "" : "; did you mean '",
                      nearest == SUP_NONE ? "" : known[nearest], nearest == SUP_NONE ? "" : "'?");
}

static sup_status add_frame(sup_sdf *s, const sup_xml_node *node, sup_sdf_kind kind, int model,
                            const char *name) {
  if (s->num_frames == SUP_SDF_MAX_FRAMES)
    return SUP_XML_FAIL(node, "more than %d links, joints and frames are not possible",
                        SUP_SDF_MAX_FRAMES);
  sup_sdf_frame *frame = &s->frame[s->num_frames];
  *frame = (sup_sdf_frame){.kind = kind, .node = node, .model = model};
  SUP_TRY(full_name(s, node, model, name, frame->name));
  for (int i = 1; i < s->num_frames; i++)
    if (strcmp(s->frame[i].name, frame->name) == 0)
      return SUP_XML_FAIL(node,
                          "a second part of the model is named '%s'; the first is in line %ld",
                          frame->name, sup_xml_line(s->frame[i].node));
  s->num_frames++;
  return SUP_OK;
}

/* ---- included models ------------------------------------------------------------------------- */

/** The file of a URI, or model.sdf in the folder that it names. */
static sup_status find_file(const sup_sdf *s, const sup_xml_node *include, const char *uri,
                            char path[SUP_ROBOT_PATH_SIZE]) {
  const sup_robot_context *c = s->r->context;
  const char              *from = sup_xml_path(include);
  char                     inside[SUP_ROBOT_PATH_SIZE];
  snprintf(inside, sizeof inside, "%s/model.sdf", uri);
  if (sup_package_find(path, SUP_ROBOT_PATH_SIZE, from, inside, c->package_paths,
                       c->num_package_paths) == SUP_OK)
    return SUP_OK;
  if (sup_package_find(path, SUP_ROBOT_PATH_SIZE, from, uri, c->package_paths,
                       c->num_package_paths) == SUP_OK)
    return SUP_OK;
  return SUP_XML_FAIL(include, "the included model: %s", sup_error_message());
}

static sup_status read_include(sup_sdf *s, const sup_xml_node *include,
                               const sup_xml_node **model) {
  const char *uri;
  char        path[SUP_ROBOT_PATH_SIZE];
  SUP_TRY(sup_xml_text(include, "uri", &uri));
  SUP_TRY(find_file(s, include, uri, path));
  if (s->num_files == SUP_SDF_MAX_FILES)
    return SUP_XML_FAIL(include, "more than %d included models are not possible",
                        SUP_SDF_MAX_FILES);
  SUP_TRY(sup_xml_read(&s->file[s->num_files++], path));
  sup_xml *xml = s->file[s->num_files - 1];
  sup_xml_values_in_elements(xml);
  if (s->r->context->on_file) SUP_TRY(s->r->context->on_file(s->r->context->user, path));
  *model = sup_xml_child(sup_xml_root(xml), "model");
  if (!*model) return SUP_XML_FAIL(include, "the file '%s' has no <model>", path);
  return SUP_OK;
}

/** A model's own frame; its parts are called MODEL::PART, those of a merged one as if they stood in
 * the model about it. */
static sup_status add_model(sup_sdf *s, const sup_xml_node *model, const sup_xml_node *include,
                            int parent) {
  char        merged[SUP_NAME_MAX];
  const char *merge = include ? sup_xml_attribute(include, "merge") : NULL, *name;
  bool        is_merged = merge && (strcmp(merge, "true") == 0 || strcmp(merge, "1") == 0);
  SUP_TRY(sup_xml_text(model, "name", &name));
  if (include && sup_xml_child(include, "name")) SUP_TRY(sup_xml_text(include, "name", &name));
  snprintf(merged, sizeof merged, "_merged__%.40s__model__", name);
  SUP_TRY(add_frame(s, model, SUP_SDF_MODEL, parent, is_merged ? merged : name));
  sup_sdf_frame *frame = &s->frame[s->num_frames - 1];
  frame->include = include;
  if (parent == SUP_SDF_WORLD) return SUP_OK;
  const char *rests = sup_xml_attribute(include ? include : model, "static");
  if (rests && (strcmp(rests, "true") == 0 || strcmp(rests, "1") == 0))
    sup_log(
        SUP_LOG_WARNING,
        "%s:%ld: <static> of a model in another is not read; a fixed joint to the world holds it",
        sup_xml_path(model), sup_xml_line(model));
  if (is_merged) {
    memcpy(frame->prefix, s->frame[parent].prefix, sizeof frame->prefix);
    return SUP_OK;
  }
  char inside[SUP_NAME_MAX + 2];
  int  length = snprintf(inside, sizeof inside, "%s::", frame->name);
  if (length >= SUP_NAME_MAX) return SUP_XML_FAIL(model, "the name '%s' is too long", frame->name);
  memcpy(frame->prefix, inside, (size_t)length + 1);
  return SUP_OK;
}

static sup_status add_parts(sup_sdf *s, int model) {
  static const char *const kinds[] = {
      [SUP_SDF_LINK] = "link", [SUP_SDF_JOINT] = "joint", [SUP_SDF_FRAME] = "frame"};
  static const char *const others[] = {"link",    "joint", "frame",  "model",
                                       "include", "pose",  "static", "drake:collision_filter_group",
                                       "name"};
  for (const sup_xml_node *c = sup_xml_first(s->frame[model].node); c; c = sup_xml_next(c)) {
    const char         *name;
    const sup_xml_node *included;
    bool                is_used = false;
    for (int k = 0; k < (int)(sizeof others / sizeof *others); k++)
      is_used |= sup_xml_is(c, others[k]);
    if (!is_used) sup_robot_warn_unknown(s->r, c, others, sizeof others / sizeof *others);
    for (int k = SUP_SDF_LINK; k <= SUP_SDF_FRAME; k++) {
      if (!sup_xml_is(c, kinds[k])) continue;
      SUP_TRY(sup_xml_text(c, "name", &name));
      SUP_TRY(add_frame(s, c, (sup_sdf_kind)k, model, name));
    }
    if (sup_xml_is(c, "model")) SUP_TRY(add_model(s, c, NULL, model));
    if (sup_xml_is(c, "include")) {
      SUP_TRY(read_include(s, c, &included));
      SUP_TRY(add_model(s, included, c, model));
    }
  }
  return SUP_OK;
}

sup_status sup_sdf_collect(sup_sdf *s, const sup_xml_node *model) {
  SUP_TRY(add_model(s, model, NULL, SUP_SDF_WORLD));
  for (int i = 0; i < s->num_frames; i++) /* the list grows by the models of models */
    if (s->frame[i].kind == SUP_SDF_MODEL) SUP_TRY(add_parts(s, i));
  return SUP_OK;
}

/* ---- places ---------------------------------------------------------------------------------- */

sup_status sup_sdf_link_of(sup_sdf *s, int frame, int *link) {
  for (int steps = 0; frame != SUP_SDF_WORLD; steps++) {
    const sup_sdf_frame *f = &s->frame[frame];
    const char          *name = NULL;
    *link = frame;
    if (f->kind == SUP_SDF_LINK) return SUP_OK;
    if (steps > s->num_frames)
      return SUP_XML_FAIL(f->node, "the frame '%s' is attached to itself", f->name);
    int model = f->model;
    if (f->kind == SUP_SDF_MODEL) {
      name = sup_xml_attribute(f->node, "canonical_link");
      model = frame;
      for (int i = s->num_frames - 1; i >= 0 && !name; i--)
        if (s->frame[i].model == model && s->frame[i].kind == SUP_SDF_LINK) frame = i;
      for (int i = s->num_frames - 1; i >= 0 && !name && frame == model; i--)
        if (s->frame[i].model == model && s->frame[i].kind == SUP_SDF_MODEL) frame = i;
      if (!name && frame == model)
        return SUP_XML_FAIL(f->node, "the model '%s' has no <link>", f->name);
    } else {
      bool is_joint = f->kind == SUP_SDF_JOINT;
      name = sup_xml_attribute(f->node, is_joint ? "child" : "attached_to");
      if (!name) frame = model;
    }
    if (name) SUP_TRY(sup_sdf_find(s, f->node, model, name, &frame));
  }
  *link = SUP_SDF_WORLD;
  return SUP_OK;
}

static bool is_true(const char *word) {
  return word && (strcmp(word, "true") == 0 || strcmp(word, "1") == 0);
}

/** The numbers of a <pose>: place and roll, pitch, yaw, or a quaternion x y z w. */
static sup_status read_pose(const sup_xml_node *node, sup_frame *X) {
  const char *format = sup_xml_attribute(node, "rotation_format");
  double      a[7] = {0}, unit = is_true(sup_xml_attribute(node, "degrees")) ? acos(-1.0) / 180 : 1;
  sup_pose    pose = sup_pose_identity();
  int         count = 0, wanted = format && strcmp(format, "quat_xyzw") == 0 ? 7 : 6;
  const char *text = sup_xml_attribute(node, "value");
  if (text && *text) SUP_TRY(sup_xml_number_list(node, "value", 7, a, &count));
  if (count != wanted && count != 0)
    return SUP_XML_FAIL(node, "<pose> has %d numbers; it must have %d", count, wanted);
  double rpy[3] = {unit * a[3], unit * a[4], unit * a[5]};
  memcpy(pose.p, a, sizeof pose.p);
  sup_robot_turn(&pose, rpy);
  if (count == 7) {
    const double turn[4] = {a[6], a[3], a[4], a[5]};
    memcpy(pose.q, turn, sizeof turn);
  }
  *X = sup_frame_from_pose(&pose);
  return SUP_OK;
}

sup_status sup_sdf_pose(sup_sdf *s, const sup_xml_node *part, int model, int otherwise,
                        sup_frame *X) {
  const sup_xml_node *node = sup_xml_child(part, "pose");
  const char         *to = node ? sup_xml_attribute(node, "relative_to") : NULL;
  sup_frame           own = sup_frame_identity(), base;
  if (to && *to) SUP_TRY(sup_sdf_find(s, node, model, to, &otherwise));
  SUP_TRY(sup_sdf_place(s, otherwise, &base));
  if (node) SUP_TRY(read_pose(node, &own));
  *X = sup_frame_mul(&base, &own);
  return SUP_OK;
}

static sup_frame inverse(const sup_frame *X) {
  sup_frame out = {sup_m3_transpose(X->R), sup_v3_scale(-1, sup_m3_apply_t(X->R, X->p))};
  return out;
}

/** The pose of a model is that of its placement_frame, if it names one; poses in it are then
 * measured as if the model stood at the origin. */
static sup_status place_model(sup_sdf *s, int model, sup_frame *X) {
  sup_sdf_frame      *f = &s->frame[model];
  const sup_xml_node *part = f->node;
  const char         *placed = sup_xml_attribute(part, "placement_frame");
  sup_frame           inner;
  int                 frame;
  if (f->include && sup_xml_child(f->include, "placement_frame"))
    SUP_TRY(sup_xml_text(f->include, "placement_frame", &placed));
  if (f->include && sup_xml_child(f->include, "pose")) part = f->include;
  SUP_TRY(sup_sdf_pose(s, part, f->model, f->model, X));
  if (!placed || !*placed) return SUP_OK;
  SUP_TRY(sup_sdf_find(s, part, model, placed, &frame));
  f->is_known = true, f->X = sup_frame_identity();
  SUP_TRY(sup_sdf_place(s, frame, &inner));
  for (int i = 0; i < s->num_frames; i++) s->frame[i].is_known = false;
  inner = inverse(&inner);
  *X = sup_frame_mul(X, &inner);
  return SUP_OK;
}

sup_status sup_sdf_place(sup_sdf *s, int frame, sup_frame *X) {
  *X = sup_frame_identity();
  if (frame == SUP_SDF_WORLD) return SUP_OK;
  sup_sdf_frame *f = &s->frame[frame];
  int            base = f->model;
  SUP_TRY(sup_sdf_place(s, f->model, X)); /* as its placement_frame may be this one */
  *X = f->X;
  if (f->is_known) return SUP_OK;
  if (f->is_sought) return SUP_XML_FAIL(f->node, "the pose of '%s' is relative to itself", f->name);
  f->is_sought = true;
  if (f->kind == SUP_SDF_MODEL) {
    SUP_TRY(place_model(s, frame, X));
  } else {
    const char *name = f->kind == SUP_SDF_JOINT   ? sup_xml_attribute(f->node, "child")
                       : f->kind == SUP_SDF_FRAME ? sup_xml_attribute(f->node, "attached_to")
                                                  : NULL;
    if (name && *name) SUP_TRY(sup_sdf_find(s, f->node, f->model, name, &base));
    SUP_TRY(sup_sdf_pose(s, f->node, f->model, base, X));
  }
  f->is_known = true, f->is_sought = false, f->X = *X;
  return SUP_OK;
}
