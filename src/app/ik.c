/* supple ik: joint positions that place a frame of a robot. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/linkage.h"
#include "model/model.h"
#include "scene/file/units.h"
#include "scene/robot/mjcf.h"
#include "scene/robot/robot_reader.h"
#include "scene/robot/sdf.h"
#include "scene/robot/urdf.h"
#include "supple/scene.h"

typedef struct ik_options {
  const char   *file, *frame, *pose, *tool;
  app_word_list posture;
  int           axis, verbose;
} ik_options;

static const double degree = 3.14159265358979323846 / 180;

/* ---- poses ----------------------------------------------------------------------------------- */

/** Number of a pose; angles need their unit, as other options take degrees and scenes radians. */
static sup_status read_number(const char *text, sup_dimension dimension, const char *option,
                              double *value) {
  char        word[SUP_UNIT_WORD_SIZE];
  const char *found;
  bool        is_bare = dimension == SUP_DIM_ANGLE && sup_text_number(text, value) && *value != 0;
  if (!is_bare && sup_quantity_read(text, dimension, value, word, &found) == SUP_QUANTITY_OK)
    return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "%s: found '%.40s', expected %s, for instance %s", option, text,
                  is_bare ? "an angle with its unit" : sup_dimension_name(dimension),
                  sup_dimension_example(dimension));
}

/** "X,Y,Z" or "X,Y,Z,ROLL,PITCH,YAW"; *has_rotation := the angles are there. */
static sup_status read_pose(const char *text, const char *option, sup_pose *pose,
                            int *has_rotation) {
  double value[6] = {0};
  int    n = 0;
  for (const char *at = text; at; n++) {
    char        part[64];
    const char *comma = strchr(at, ',');
    int         length = comma ? (int)(comma - at) : (int)strlen(at);
    snprintf(part, sizeof part, "%.*s", length, at);
    if (n < 6)
      SUP_TRY(read_number(part, n < 3 ? SUP_DIM_LENGTH : SUP_DIM_ANGLE, option, &value[n]));
    at = comma ? comma + 1 : NULL;
  }
  if (n != 3 && n != 6)
    return SUP_FAIL(SUP_E_ARG,
                    "%s has %d numbers, expected X,Y,Z or X,Y,Z,ROLL,PITCH,YAW, for instance "
                    "500mm,0,300mm,180deg,0,0",
                    option, n);
  memcpy(pose->p, value, sizeof pose->p);
  sup_robot_turn(pose, value + 3);
  *has_rotation = n == 6;
  return SUP_OK;
}

/* ---- the robot ------------------------------------------------------------------------------- */

typedef struct robot {
  sup_scene     *scene;
  sup_tree_def   tree; /* of a file that is no scene */
  sup_model     *model;
  sup_simulator *simulator;
} robot;

static void close_robot(robot *r) {
  sup_simulator_destroy(&r->simulator);
  sup_model_destroy(&r->model);
  sup_scene_destroy(&r->scene);
  sup_tree_def_free(&r->tree);
}

static bool has_ending(const char *file, const char *ending) {
  const char *end = strrchr(file, '.');
  return end && strcmp(end, ending) == 0;
}

/** A scene, or a robot's own file as the only robot of a model, its joints in the middle of their
 * ranges. */
static sup_status open_robot(robot *r, const char *file) {
  if (has_ending(file, ".yaml") || has_ending(file, ".yml")) {
    SUP_TRY(sup_scene_load(&r->scene, file, NULL, 0));
    sup_model_def def = *sup_scene_model_def(r->scene);
    def.num_tasks = 0; /* whose goals may be what is looked for */
    SUP_TRY(sup_model_create(&r->model, &def));
    return sup_scene_simulator_create(&r->simulator, r->scene, r->model);
  }
  sup_model_def     def = sup_default_model_def();
  sup_simulator_def simulator = sup_default_simulator_def();
  sup_robot_context context = {.contact = sup_default_contact_def()};
  SUP_TRY((has_ending(file, ".xml")   ? sup_mjcf_read
           : has_ending(file, ".sdf") ? sup_sdf_read
                                      : sup_urdf_read_with)(&r->tree, file, &context));
  snprintf(r->tree.name, sizeof r->tree.name, "robot");
  for (int l = 0; l < r->tree.num_links; l++) {
    sup_link_def *link = &r->tree.links[l];
    if (isfinite(link->upper - link->lower)) link->q0[0] = 0.5 * (link->lower + link->upper);
  }
  def.num_trees = 1, def.trees = &r->tree;
  SUP_TRY(sup_model_create(&r->model, &def));
  simulator.model = r->model;
  return sup_simulator_create(&r->simulator, &simulator);
}

static sup_status find_frame(const robot *r, const char *name, int *body) {
  char full[2 * SUP_NAME_MAX];
  if (!name)
    return SUP_FAIL(SUP_E_ARG, "--frame is missing: the link that has the frame%s",
                    r->scene ? ", as ROBOT/LINK" : "");
  snprintf(full, sizeof full, "%s%s", r->scene ? "" : "robot/", name);
  return sup_simulator_find(r->simulator, SUP_OBJECT_BODY, full, body);
}

static sup_dimension dimension_of(const sup_tree_link *link) {
  return link->joint == SUP_JOINT_PRISMATIC ? SUP_DIM_LENGTH : SUP_DIM_ANGLE;
}

/** q := the positions given as JOINT=VALUE in place of those at the start. */
static sup_status take_posture(const sup_tree *tree, const app_word_list *words, double *q) {
  for (int i = 0; i < words->count; i++) {
    const char *equal = strchr(words->word[i], '='), *names[SUP_TREE_MAX_LINKS];
    char        name[SUP_NAME_MAX], known[512];
    int         found = SUP_NONE, n = 0;
    if (!equal)
      return SUP_FAIL(SUP_E_ARG, "--posture: found '%s', expected JOINT=POSITION", words->word[i]);
    snprintf(name, sizeof name, "%.*s", (int)(equal - words->word[i]), words->word[i]);
    for (int l = 0; l < tree->num_links; l++) {
      if (tree->links[l].nv != 1) continue;
      names[n++] = tree->links[l].joint_name;
      if (strcmp(names[n - 1], name) == 0) found = l;
    }
    if (found == SUP_NONE)
      return SUP_FAIL(SUP_E_ARG, "--posture: no joint '%s'%s", name,
                      sup_known_text(name, names, n, known, sizeof known));
    SUP_TRY(read_number(equal + 1, dimension_of(&tree->links[found]), "--posture",
                        &q[tree->links[found].q_start]));
  }
  return SUP_OK;
}

/* ---- what is printed ------------------------------------------------------------------------- */

/** Links that a joint of one coordinate carries, which lie on the way from the base to `link` or
 * have moved from q0 with a loop; their number. */
static int find_path(const sup_tree *tree, const double *q0, const double *q, int link, int *path) {
  char on[SUP_TREE_MAX_LINKS] = {0};
  int  n = 0;
  for (int l = link; l != SUP_NONE; l = tree->links[l].parent) on[l] = 1;
  for (int l = 0; l < tree->num_links; l++) {
    int at = tree->links[l].q_start;
    if (tree->links[l].nv == 1 && (on[l] || q[at] != q0[at])) path[n++] = l;
  }
  return n;
}

static void print_joints(const sup_tree *tree, const double *q0, const double *q, int link) {
  int         path[SUP_TREE_MAX_LINKS], n = find_path(tree, q0, q, link, path);
  const char *comma = "";
  printf("%-24s %14s  %s\n", "joint", "position", "limits");
  for (int i = 0; i < n; i++) {
    const sup_tree_link *j = &tree->links[path[i]];
    bool                 turns = dimension_of(j) == SUP_DIM_ANGLE;
    double               scale = turns ? degree : 1e-3;
    const char          *unit = turns ? "deg" : "mm";
    printf("%-24s %10.4f %-3s  ", j->joint_name, q[j->q_start] / scale, unit);
    if (isfinite(j->upper - j->lower))
      printf("%.4g to %.4g %s", j->lower / scale, j->upper / scale, unit);
    else
      printf("none");
    printf("%s\n", j->mimic == SUP_NONE ? "" : ", follows another");
  }
  printf("in a scene:\n  joints: {");
  for (int i = 0; i < n; i++) {
    const sup_tree_link *j = &tree->links[path[i]];
    if (j->mimic != SUP_NONE) continue;
    printf("%s%s: %.10g %s", comma, j->joint_name, fabs(q[j->q_start]) < 1e-12 ? 0 : q[j->q_start],
           dimension_of(j) == SUP_DIM_ANGLE ? "rad" : "m");
    comma = ", ";
  }
  printf("}\n");
}

static int print(const sup_tree *tree, const ik_options *o, int link, const double *q0,
                 const double *q, const sup_ik_report *report) {
  printf("%s: %s by %d joints, %.3g mm and %.3g deg off (%d start%s, %d steps)\n", o->frame,
         report->is_reached ? "reached" : "NOT reached, the nearest place", report->num_joints,
         1e3 * report->position_error, report->rotation_error / degree, report->tries,
         report->tries == 1 ? "" : "s", report->iterations);
  print_joints(tree, q0, q, link);
  if (report->is_reached) return SUP_EXIT_OK;
  fprintf(stderr, "supple ik: the pose is out of reach: ");
  for (int i = 0; i < report->num_at_limit; i++)
    fprintf(stderr, "%s'%s'", i ? ", " : "", tree->links[report->at_limit[i]].joint_name);
  fprintf(stderr, report->num_at_limit ? " at the limit there\n"
                                       : "no joint is at a limit there; the arm is too short, is "
                                         "held by a loop, or has too few joints of one "
                                         "coordinate (others stay)\n");
  return SUP_EXIT_SOLVER;
}

/** Joints of the other robots in loops with this one. */
static void print_others(const sup_model *model, const sup_linkage *linkage, const double *q0) {
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    int             first = linkage->first[t], path[SUP_TREE_MAX_LINKS];
    if (first == SUP_NONE || t == linkage->robot) continue;
    const double *q = linkage->q + linkage->tree.links[first].q_start;
    if (find_path(tree, q0 + model->q_start[t], q, SUP_NONE, path) == 0) continue;
    printf("'%s', in a loop with it:\n", tree->name);
    print_joints(tree, q0 + model->q_start[t], q, SUP_NONE);
  }
}

static sup_status solve(const ik_options *o, robot *r, int *code) {
  SUP_OWN_VALUE(sup_linkage) linkage = {0};
  sup_pose                   X_LF = sup_pose_identity(), X_WF;
  int                        has_rotation, body;
  double q0[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS], q[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS];
  if (!o->pose) return SUP_FAIL(SUP_E_ARG, "--pose is missing: X,Y,Z or X,Y,Z,ROLL,PITCH,YAW");
  SUP_TRY(read_pose(o->pose, "--pose", &X_WF, &has_rotation));
  if (o->axis && !has_rotation)
    return SUP_FAIL(SUP_E_ARG, "--axis needs the angles of --pose, which give the direction");
  if (o->tool) SUP_TRY(read_pose(o->tool, "--tool", &X_LF, &(int){0}));
  SUP_TRY(open_robot(r, o->file));
  SUP_TRY(find_frame(r, o->frame, &body));
  const sup_body *b = &r->model->body[body];
  if (b->soft != SUP_NONE) return SUP_FAIL(SUP_E_ARG, "--frame: '%s' is no link", o->frame);
  const sup_state *state = sup_simulator_state(r->simulator);
  SUP_TRY(sup_linkage_create(&linkage, r->model, state, SUP_NONE, body, NULL));
  sup_linkage_move_drives(&linkage);
  const sup_tree *tree = r->model->tree[linkage.robot];
  memcpy(q0, state->q + r->model->q_start[linkage.robot], (size_t)tree->nq * sizeof *q);
  SUP_TRY(take_posture(tree, &o->posture, q0));
  memcpy(q, q0, (size_t)tree->nq * sizeof *q);
  sup_ik_rotation rotation = !has_rotation ? SUP_IK_POSITION : o->axis ? SUP_IK_AXIS : SUP_IK_POSE;
  sup_ik_goal     goal = {.rotation = rotation};
  goal.X_LF = sup_frame_from_pose(&X_LF), goal.X_WF = sup_frame_from_pose(&X_WF);
  sup_ik_report report = sup_linkage_inverse_kinematics(&linkage, goal, tree->nq, q);
  *code = print(tree, o, linkage.robot == b->tree ? b->link : SUP_NONE, q0, q, &report);
  print_others(r->model, &linkage, state->q);
  return SUP_OK;
}

int sup_app_ik(int argc, char **argv) {
  static const char usage[] =
      "usage: supple ik ROBOT --frame LINK --pose X,Y,Z[,ROLL,PITCH,YAW] [options]\n\n"
      "Joint positions within their limits that place a frame of a link, for the robot of a file, "
      "or one of a scene\n"
      "(SCENE.yaml --frame ROBOT/LINK).  A pose without angles asks for the position alone.  Arms "
      "with more joints than\n"
      "needed stay near the posture: that of the scene's start, of a robot's file the middle of "
      "the ranges.\nLoops that constraints of the scene close are kept closed.\n\n";
  ik_options       o = {0};
  const app_option options[] = {
      APP_TEXT("--frame", &o.frame, "link that is placed; of a scene ROBOT/LINK", "LINK"),
      APP_TEXT("--pose", &o.pose, "goal in the world: 500mm,0,300mm,180deg,0,0", "POSE"),
      APP_TEXT("--tool", &o.tool, "the frame in its link; default: the link's own", "POSE"),
      APP_FLAG("--axis", &o.axis, "the direction of the frame's z axis alone counts"),
      APP_ROW("--posture", APP_OPTION_LIST, &o.posture, "where a joint starts; may be repeated",
              "JOINT=POSITION"),
      APP_FLAG("-v, --verbose", &o.verbose, "source lines of errors")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  robot                 r = {0};
  static const app_help help = {usage, "\n" SUP_EXIT_HELP,
                                "ik examples/gen3.urdf --frame bracelet_with_vision_link --pose "
                                "400mm,0,300mm,180deg,0,0"};
  int                   code = app_parse_command(argc, argv, &help, options, NUM_OPTIONS, &o.file);
  if (code != SUP_NONE) return code;
  code = SUP_EXIT_OK;
  if (!o.file) {
    fprintf(stderr, "supple ik: a file is missing, expected supple ik ROBOT.urdf or SCENE.yaml\n");
    return SUP_EXIT_INPUT;
  }
  sup_status status = solve(&o, &r, &code);
  if (status != SUP_OK) code = sup_app_report(status, o.verbose);
  close_robot(&r);
  return code;
}
