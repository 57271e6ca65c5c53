/* The section `output`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "scene/build.h"

static const sup_word formats[SUP_NUM_VTK_FORMATS] = {
    [SUP_VTK_ASCII] = {"ascii", "VTK files as text"},
    [SUP_VTK_BINARY] = {"binary", "VTK files in binary"},
    [SUP_VTK_XDMF] = {"xdmf",
                      "soft bodies in HDF5 with XDMF, for large runs and ranks; the rest is VTK in "
                      "binary"},
    [SUP_VTK_NONE] = {"none", "no VTK files: histories and summary only"}};

static const sup_word precisions[SUP_NUM_PRECISIONS] = {
    [SUP_PRECISION_FLOAT] = {"float", "seven digits"},
    [SUP_PRECISION_DOUBLE] = {"double", "sixteen digits, twice the size"}};

static const sup_key probe_keys[] = {
    SUP_CUSTOM("body", SUP_KEY_REFERENCE, "NAME", "A soft or rigid body, or a link ROBOT/LINK.",
               .need = SUP_NEEDED),
    SUP_VECTOR("point", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_probe_def, point), "[0, 0, 2 mm]",
               "The point: of a soft body in the mesh's own coordinates, else in the body's frame.",
               .need = SUP_NEEDED)};
static const sup_schema probe_schema =
    SUP_SCHEMA("probe", probe_keys, "A point whose place history.csv follows.");

static const sup_key checkpoint_keys[] = {
    SUP_NUMBER("wall_interval", SUP_DIM_TIME, SUP_NOT_NEGATIVE,
               SUP_AT(sup_scene, output.checkpoint.wall_interval), "10 min",
               "Wall time between two checkpoints; 0: after each step."),
    SUP_NUMBER("every", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_scene, output.checkpoint.every),
               "1 s", "Simulated time between permanent checkpoints, for branches; 0: none."),
    SUP_INTEGER("keep", 0, SUP_AT(sup_scene, output.checkpoint.keep), "3",
                "Number of other checkpoints, the newest; 0: no checkpoints at all.")};
static const sup_schema checkpoint_schema =
    SUP_SCHEMA("checkpoint", checkpoint_keys,
               "When a run saves what it needs to go on; it also does when it ends early.");

static const sup_key output_keys[] = {
    SUP_NUMBER("every", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_scene, output.every), "20 ms",
               "Time between frames, rounded to whole steps of fixed length; 0: each step."),
    SUP_NUMBER("history_every", SUP_DIM_TIME, SUP_NOT_NEGATIVE,
               SUP_AT(sup_scene, output.history_every), "1 ms",
               "Time between rows of history.csv, rounded to whole steps; each frame has a "
               "row."),
    SUP_CUSTOM("history", SUP_KEY_LIST, "[energy.kinetic, 'contact.*']",
               "Columns of history.csv besides the time, by name or pattern, vectors whole; "
               "without the key all."),
    SUP_INTEGER("digits", 1, SUP_AT(sup_scene, output.digits), "17",
                "Significant digits of numbers in history.csv and contacts.csv; above 15: as many "
                "as give the same number back."),
    SUP_WORD("format", formats, SUP_AT(sup_scene, output.format), "ascii", "Format of frames."),
    SUP_WORD("precision", precisions, SUP_AT(sup_scene, output.precision), "double",
             "Numbers of frames."),
    SUP_CUSTOM("arrays", SUP_KEY_LIST, "[default, von_mises_recovered]",
               "Arrays of soft bodies in frames besides the material; [all]; [default]: the "
               "usual ones, recovered stress and its error in static alone."),
    SUP_CUSTOM("bodies", SUP_KEY_LIST, "[ball, cube]",
               "Bodies that have frames; without the key all."),
    SUP_BOOLEAN("fields", SUP_AT(sup_scene, output.fields), "true",
                "Frames of the pressure fields of compliant rigid bodies; arrays names the "
                "data of soft bodies."),
    SUP_BOOLEAN("timing", SUP_AT(sup_scene, output.timing), "true",
                "Wall time of the step in history.csv, which differs from run to run."),
    SUP_BOOLEAN("solver_log", SUP_AT(sup_scene, options.solver_log), "true",
                "solver.csv: a row for each iteration of the contact solver, in steps of "
                "motion."),
    SUP_SECTION("checkpoint", checkpoint_schema, SUP_HERE, "{wall_interval: 10 min, keep: 3}",
                "Checkpoints for `supple run --resume` and `--from`: "
                "DIR/checkpoint/*.checkpoint."),
    SUP_CUSTOM("pairs", SUP_KEY_LIST, "[[ball, floor]]",
               "Pairs [A, B] with contact columns in history.csv; A may be all; a soft body "
               "twice: self contact."),
    SUP_CUSTOM("probes", SUP_KEY_COLLECTION, "{tip: {body: finger, point: [0, 0, 8 cm]}}",
               "Points with position columns in history.csv.", .schema = &probe_schema)};
const sup_schema sup_schema_output =
    SUP_SCHEMA("output", output_keys, "What a run writes, and how often.");

/** Frames come at whole steps, if all steps are alike. */
static sup_status round_every(const sup_scene_build *b, const sup_section *section, const char *key,
                              double *every) {
  double dt = b->scene->options.dt, tolerance = 1e-9;
  char   where[SUP_SOURCE_POSITION_SIZE];
  if (*every == 0 || b->scene->options.accuracy.tolerance > 0) return SUP_OK;
  sup_node *node = sup_section_entry(section, key);
  double    steps = fmax(1, round(*every / dt)), rounded = steps * dt;
  if (fabs(rounded - *every) > tolerance)
    sup_log(SUP_LOG_WARNING,
            "%s: output %s %g s is no whole number of steps of %g s; %g s is taken",
            sup_source_position_text(node->place, where), key, *every, dt, rounded);
  if (!isfinite(rounded))
    return SUP_FAIL_AT(node->place, "%s is %g s, too long to count in steps", key, *every);
  *every = node->number = rounded;
  return SUP_OK;
}

static sup_status read_pairs(const sup_scene_build *b, sup_node *list, sup_output_def *output) {
  char what[SUP_SOURCE_POSITION_SIZE];
  SUP_TRY(sup_node_check_list(list, "pairs"));
  SUP_TRY(SUP_CALLOC(output->pair, list->num_children));
  for (sup_node *c = list->child; c; c = c->next) {
    int           i = output->num_pairs;
    sup_body_name body;
    if (c->type != SUP_NODE_SEQUENCE || c->num_children != 2)
      return SUP_FAIL_AT(c->place, "a pair of output must be a list of two bodies [A, B]; found %s",
                         sup_node_describe(c, what));
    const char *first;
    SUP_TRY(sup_node_text(sup_node_at(c, 0), "a body of a pair of output", &first));
    if (strcmp(first, SUP_COLUMNS_ALL) == 0)
      SUP_TRY(sup_text_copy(output->pair[i][0], sizeof output->pair[i][0], first));
    else
      SUP_TRY(
          sup_scene_find_body(b, sup_node_at(c, 0), "pair of output", output->pair[i][0], &body));
    SUP_TRY(sup_scene_find_body(b, sup_node_at(c, 1), "pair of output", output->pair[i][1], &body));
    if (strcmp(output->pair[i][0], output->pair[i][1]) == 0 && body.soft == SUP_NONE)
      return SUP_FAIL_AT(
          c->place, "a pair of output needs two bodies, or a soft body twice; '%s' is named twice",
          output->pair[i][0]);
    for (int k = 0; k < i; k++)
      if (strcmp(output->pair[k][0], output->pair[i][0]) == 0 &&
          strcmp(output->pair[k][1], output->pair[i][1]) == 0)
        return SUP_FAIL_AT(c->place, "the pair [%s, %s] is named twice", output->pair[i][0],
                           output->pair[i][1]);
    output->num_pairs++;
  }
  return SUP_OK;
}

static sup_status read_probes(const sup_scene_build *b, sup_node *probes, sup_output_def *output) {
  SUP_TRY(sup_node_check_mapping(probes, "probes"));
  SUP_TRY(SUP_CALLOC(output->probes, probes->num_children));
  for (sup_node *c = probes->child; c; c = c->next) {
    sup_probe_def *probe = &output->probes[output->num_probes];
    char           what[2 * SUP_NAME_MAX];
    sup_section    section;
    sup_node      *body_node;
    sup_body_name  body;
    *probe = sup_default_probe_def();
    SUP_TRY(sup_section_open_named(&section, c, &probe_schema, "probe", probe->name, what));
    SUP_TRY(sup_section_require(&section, "body", &body_node));
    SUP_TRY(sup_scene_find_body(b, body_node, what, probe->body, &body));
    SUP_TRY(sup_section_read(&section, probe));
    output->num_probes++;
  }
  return SUP_OK;
}

/** Number of the array of this name; SUP_NONE. */
static int find_array(const char *name) {
  for (int k = 0; sup_frame_array_name(k); k++)
    if (strcmp(sup_frame_array_name(k), name) == 0) return k;
  return SUP_NONE;
}

static sup_status unknown_array(const sup_node *node, const char *name) {
  enum { WORDS = 2 };
  const char *names[32] = {"all", "default"};
  char        known[600];
  int         count = WORDS;
  while (sup_frame_array_name(count - WORDS) && count < 32)
    names[count] = sup_frame_array_name(count - WORDS), count++;
  return SUP_FAIL_AT(node->place, "soft bodies have no array '%s'%s", name,
                     sup_known_text(name, names, count, known, sizeof known));
}

static sup_status read_arrays(sup_node *list, sup_output_def *output) {
  SUP_TRY(sup_node_check_list(list, "arrays"));
  output->arrays = 0;
  for (int i = 0; i < list->num_children; i++) {
    const sup_node *c = sup_node_at(list, i);
    const char     *name;
    SUP_TRY(sup_node_text(c, "an array of output", &name));
    int k = find_array(name);
    if (strcmp(name, "all") == 0)
      output->arrays = UINT32_MAX;
    else if (strcmp(name, "default") == 0)
      output->arrays |= SUP_ARRAYS_USUAL;
    else if (k == SUP_NONE)
      return unknown_array(c, name);
    else
      output->arrays |= UINT32_C(1) << k;
  }
  return SUP_OK;
}

static sup_status read_bodies(const sup_scene_build *b, sup_node *list, sup_output_def *output) {
  sup_body_name body;
  SUP_TRY(sup_node_check_list(list, "bodies"));
  if (list->num_children == 0)
    return SUP_FAIL_AT(list->place,
                       "bodies is empty; without the key all bodies have frames, and 'format: "
                       "none' writes no frames");
  SUP_TRY(SUP_CALLOC(output->body, list->num_children));
  for (int i = 0; i < list->num_children; i++) {
    SUP_TRY(sup_scene_find_body(b, sup_node_at(list, i), "body of output", output->body[i], &body));
    output->num_bodies++;
  }
  return SUP_OK;
}

static sup_status read_columns(sup_node *list, sup_output_def *output) {
  const char *name;
  SUP_TRY(sup_node_check_list(list, "history"));
  SUP_TRY(SUP_CALLOC(output->column, list->num_children));
  if (list->num_children == 0)
    return SUP_FAIL_AT(list->place, "history is empty; without the key all columns are written");
  SUP_TRY(SUP_CALLOC(output->column_place, SUP_SOURCE_POSITION_SIZE));
  sup_source_position_text(list->place, output->column_place);
  for (int i = 0; i < list->num_children; i++) {
    SUP_TRY(sup_node_text(sup_node_at(list, i), "a column of history.csv", &name));
    SUP_TRY(sup_text_copy(output->column[i], sizeof output->column[i], name));
    output->num_columns++;
  }
  return SUP_OK;
}

sup_status sup_scene_read_output(sup_scene_build *b) {
  sup_output_def *output = &b->scene->output;
  sup_section     section;
  sup_node       *node;
  SUP_TRY(sup_section_mapping(&b->root, "output", &node));
  SUP_TRY(sup_section_open(&section, node, &sup_schema_output, NULL));
  SUP_TRY(sup_section_read(&section, b->scene));
  SUP_TRY(round_every(b, &section, "every", &output->every));
  SUP_TRY(round_every(b, &section, "history_every", &output->history_every));
  sup_node *pairs = sup_section_entry(&section, "pairs"),
           *probes = sup_section_entry(&section, "probes"),
           *arrays = sup_section_entry(&section, "arrays"),
           *bodies = sup_section_entry(&section, "bodies"),
           *columns = sup_section_entry(&section, "history");
  if (pairs) SUP_TRY(read_pairs(b, pairs, output));
  if (probes) SUP_TRY(read_probes(b, probes, output));
  if (arrays) SUP_TRY(read_arrays(arrays, output));
  if (bodies) SUP_TRY(read_bodies(b, bodies, output));
  if (columns) SUP_TRY(read_columns(columns, output));
  return SUP_OK;
}
