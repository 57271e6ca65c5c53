/* Creation of a tree from its definition: copies, and checks whose messages name the link. */
#include "tree/tree.h"

#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/table.h"

#define LINK_FORMAT "tree '%s', link '%s': "

static int all_finite(const double *a, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(a[i])) return 0;
  return 1;
}

static sup_status check_pose(const sup_pose *pose, const char *tree, const char *link,
                             const char *what) {
  const double *q = pose->q;
  double        norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!all_finite(pose->p, 3) || !(fabs(norm - 1) < 1e-3))
    return SUP_FAIL(SUP_E_ARG,
                    LINK_FORMAT
                    "%s has position (%g %g %g) and quaternion (%g %g %g %g); they must be finite "
                    "and the quaternion of length 1",
                    tree, link, what, pose->p[0], pose->p[1], pose->p[2], q[0], q[1], q[2], q[3]);
  return SUP_OK;
}

static sup_status check_names(const sup_tree_def *def, int i) {
  const sup_link_def *link = &def->links[i];
  for (int j = 0; j < i; j++) {
    if (link->name[0] && strcmp(def->links[j].name, link->name) == 0)
      return SUP_FAIL(SUP_E_ARG, "tree '%s' has two links named '%s'", def->name, link->name);
    if (link->joint_name[0] && strcmp(def->links[j].joint_name, link->joint_name) == 0)
      return SUP_FAIL(SUP_E_ARG, "tree '%s' has two joints named '%s'", def->name,
                      link->joint_name);
  }
  return SUP_OK;
}

/** Coordinates and velocities of the joint types. */
static const struct {
  int nq, nv;
} joint_size[] = {
    [SUP_JOINT_FIXED] = {0, 0},    [SUP_JOINT_REVOLUTE] = {1, 1},    [SUP_JOINT_PRISMATIC] = {1, 1},
    [SUP_JOINT_FLOATING] = {7, 6}, [SUP_JOINT_TRANSLATION] = {3, 3}, [SUP_JOINT_PLANAR] = {3, 3},
    [SUP_JOINT_BALL] = {4, 3},     [SUP_JOINT_SCREW] = {1, 1}};

/** Check the leader of a mimic joint.  A leader is no mimic joint: there are no cycles. */
static sup_status check_mimic(const sup_tree_def *def, int i) {
  const sup_link_def *link = &def->links[i];
  if (link->mimic == SUP_NONE) return SUP_OK;
  if (link->mimic < 0 || link->mimic >= def->num_links || link->mimic == i)
    return SUP_FAIL(
        SUP_E_ARG,
        LINK_FORMAT
        "joint '%s' follows the joint of link number %d; expected the number of another link",
        def->name, link->name, link->joint_name, link->mimic);
  const sup_link_def *leader = &def->links[link->mimic];
  if (joint_size[link->joint].nv != 1 || joint_size[leader->joint].nv != 1)
    return SUP_FAIL(
        SUP_E_ARG,
        LINK_FORMAT
        "joint '%s' follows '%s'; both must be revolute, continuous or prismatic, or screws",
        def->name, link->name, link->joint_name, leader->joint_name);
  if (leader->mimic != SUP_NONE)
    return SUP_FAIL(SUP_E_ARG,
                    LINK_FORMAT
                    "joint '%s' follows '%s', which follows another; let both follow that one",
                    def->name, link->name, link->joint_name, leader->joint_name);
  if (!isfinite(link->mimic_ratio) || !isfinite(link->mimic_offset))
    return SUP_FAIL(SUP_E_ARG,
                    LINK_FORMAT
                    "joint '%s' follows with ratio %g and offset %g; both must be finite",
                    def->name, link->name, link->joint_name, link->mimic_ratio, link->mimic_offset);
  return SUP_OK;
}

static sup_status check_joint(const sup_tree_def *def, int i) {
  const sup_link_def *link = &def->links[i];
  const char         *tree = def->name, *name = link->name;
  double              length = sup_v3_norm(sup_v3_load(link->axis));
  const struct {
    const char *what;
    double      value;
  } positive[] = {{"damping", link->damping},           {"spring", link->spring},
                  {"armature", link->armature},         {"friction", link->friction},
                  {"effort limit", link->effort_limit}, {"velocity limit", link->velocity_limit}};
  if (link->parent != SUP_NONE && (link->parent < 0 || link->parent >= i))
    return SUP_FAIL(SUP_E_ARG,
                    LINK_FORMAT
                    "the parent is link number %d; it must come before its child (number %d)",
                    tree, name, link->parent, i);
  if (link->joint < SUP_JOINT_FIXED || link->joint > SUP_JOINT_SCREW)
    return SUP_FAIL(SUP_E_ARG, LINK_FORMAT "unknown joint type %d", tree, name, (int)link->joint);
  SUP_TRY(check_pose(&link->X_PJ, tree, name, "the joint's frame"));
  if (link->joint == SUP_JOINT_FIXED) return SUP_OK;
  if (!isfinite(link->spring_rest) ||
      !all_finite(link->q0, link->joint == SUP_JOINT_BALL ? 7 : joint_size[link->joint].nq) ||
      !all_finite(link->v0, joint_size[link->joint].nv))
    return SUP_FAIL(SUP_E_ARG,
                    LINK_FORMAT "the initial position or velocity of joint '%s' is not finite",
                    tree, name, link->joint_name);
  for (size_t k = 0; k < sizeof positive / sizeof *positive; k++)
    if (!(positive[k].value >= 0) || (k < 4 && !isfinite(positive[k].value)))
      return SUP_FAIL(SUP_E_ARG, LINK_FORMAT "joint '%s' has %s %g; it must be 0 or more", tree,
                      name, link->joint_name, positive[k].what, positive[k].value);
  if (joint_size[link->joint].nv != 1 && (link->friction > 0 || link->limits_velocity))
    return SUP_FAIL(SUP_E_ARG,
                    LINK_FORMAT
                    "joint '%s' has more than one coordinate; %s is of joints that have one",
                    tree, name, link->joint_name,
                    link->friction > 0 ? "dry friction" : "an enforced limit of velocity");
  if (link->limits_velocity && !(link->velocity_limit > 0 && isfinite(link->velocity_limit)))
    return SUP_FAIL(SUP_E_ARG,
                    LINK_FORMAT
                    "joint '%s' has the velocity limit %g; a limit that is enforced is above 0",
                    tree, name, link->joint_name, link->velocity_limit);
  if (link->joint == SUP_JOINT_FLOATING || link->joint == SUP_JOINT_BALL) {
    sup_pose start = {{link->q0[0], link->q0[1], link->q0[2]},
                      {link->q0[3], link->q0[4], link->q0[5], link->q0[6]}};
    return check_pose(
        &start, tree, name,
        link->joint == SUP_JOINT_BALL ? "the ball joint's start" : "the floating joint's start");
  }
  if (!isfinite(link->pitch))
    return SUP_FAIL(SUP_E_ARG, LINK_FORMAT "joint '%s' has pitch %g m/rad; it must be finite", tree,
                    name, link->joint_name, link->pitch);
  if (!(length > 0) || !isfinite(length))
    return SUP_FAIL(SUP_E_ARG, LINK_FORMAT "joint '%s' has axis (%g %g %g); it must not be zero",
                    tree, name, link->joint_name, link->axis[0], link->axis[1], link->axis[2]);
  if (!(link->lower <= link->upper))
    return SUP_FAIL(
        SUP_E_ARG,
        LINK_FORMAT
        "joint '%s' has limits from %g to %g; the lower one must not be above the upper",
        tree, name, link->joint_name, link->lower, link->upper);
  return SUP_OK;
}

/** Eigenvalues of a symmetric matrix, ascending (trigonometric form of the cubic). */
static void eigenvalues(const sup_m3 *a, double e[3]) {
  double mean = (a->m[0][0] + a->m[1][1] + a->m[2][2]) / 3;
  sup_m3 b = sup_m3_add(*a, sup_m3_scale(-mean, sup_m3_identity()));
  double s = 0;
  for (int i = 0; i < 3; i++) s += sup_v3_dot(sup_m3_row(&b, i), sup_m3_row(&b, i));
  s = sqrt(s / 6);
  double r = s > 0 ? sup_m3_det(&b) / (2 * s * s * s) : 0;
  double at = acos(fmin(1, fmax(-1, r))) / 3;
  e[2] = mean + 2 * s * cos(at);
  e[0] = mean + 2 * s * cos(at + 2 * acos(-1.0) / 3);
  e[1] = 3 * mean - e[0] - e[2];
}

int sup_tree_def_moves(const sup_tree_def *def, int i) {
  for (; i != SUP_NONE; i = def->links[i].parent)
    if (def->links[i].joint != SUP_JOINT_FIXED) return 1;
  return 0;
}

static int base_turns(const sup_tree_def *def) {
  for (int k = 0; k < 6 * def->motion.num_rows; k++)
    if (k % 6 >= 3 && def->motion.value[k] != 0) return 1;
  return 0;
}

/** 1: the base has no prescribed motion, and only fixed joints connect the link's parent to it. A
 * planar joint's axes also rest on a base that does not turn. */
static int parent_rests(const sup_tree_def *def, int i) {
  int parent = def->links[i].parent, is_planar = def->links[i].joint == SUP_JOINT_PLANAR;
  return (def->motion.num_rows == 0 || (is_planar && parent == SUP_NONE && !base_turns(def))) &&
         (parent == SUP_NONE || !sup_tree_def_moves(def, parent));
}

/** Principal moments of a body obey I1 + I2 >= I3.  Files written by hand often miss it by a
 * little; by much, it is a slip of a decimal point or of a sign. */
static sup_status check_inertia(const sup_tree_def *def, int i) {
  const sup_link_def *link = &def->links[i];
  const double       *I = link->inertia;
  sup_m3              full = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
  double              e[3];
  if (!all_finite(I, 6) || !all_finite(link->com, 3))
    return SUP_FAIL(SUP_E_ARG, LINK_FORMAT "the inertia or centre of mass is not finite", def->name,
                    link->name);
  if (!(link->mass >= 0) || !isfinite(link->mass))
    return SUP_FAIL(SUP_E_ARG, LINK_FORMAT "the mass is %g kg; it must be 0 or more", def->name,
                    link->name, link->mass);
  if (!sup_tree_def_moves(def, i)) return SUP_OK;
  eigenvalues(&full, e);
  if (e[0] < -1e-7 * fabs(e[2]) || e[2] < 0)
    return SUP_FAIL(
        SUP_E_ARG,
        LINK_FORMAT
        "the inertia tensor has the principal moments %g, %g, %g kg m^2; none may be negative",
        def->name, link->name, e[0], e[1], e[2]);
  e[0] = fmax(e[0], 0); /* round-off of a flat or thin body */
  double excess = e[2] - e[0] - e[1];
  if (excess > 0.1 * e[2])
    return SUP_FAIL(SUP_E_ARG,
                    LINK_FORMAT
                    "no body has the principal moments of inertia %g, %g, %g kg m^2: the largest "
                    "must not exceed the sum of the others",
                    def->name, link->name, e[0], e[1], e[2]);
  if (excess > 1e-6 * e[2])
    sup_log(SUP_LOG_WARNING,
            LINK_FORMAT
            "the largest principal moment of inertia, %g kg m^2, exceeds the sum of the others by "
            "%.2g %%; no body is like that",
            def->name, link->name, e[2], 100 * excess / e[2]);
  return SUP_OK;
}

static void copy_link(sup_tree_link *to, const sup_link_def *from) {
  const double *I = from->inertia;
  *to =
      (sup_tree_link){.parent = from->parent,
                      .joint = from->joint,
                      .X_PJ = sup_frame_from_pose(&from->X_PJ),
                      .axis = sup_v3_unit(sup_v3_load(from->axis)),
                      .pitch = from->pitch,
                      .lower = from->lower,
                      .upper = from->upper,
                      .effort_limit = from->effort_limit,
                      .damping = from->damping,
                      .spring = from->spring,
                      .spring_rest = from->spring_rest,
                      .armature = from->armature,
                      .friction = from->friction,
                      .velocity_limit = from->limits_velocity ? from->velocity_limit : HUGE_VAL,
                      .rated_velocity = from->velocity_limit > 0 ? from->velocity_limit : HUGE_VAL,
                      .mimic = from->mimic,
                      .mimic_ratio = from->mimic_ratio,
                      .mimic_offset = from->mimic_offset,
                      .mass = from->mass,
                      .com = sup_v3_load(from->com),
                      .inertia = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}}};
  memcpy(to->name, from->name, sizeof to->name);
  memcpy(to->joint_name, from->joint_name, sizeof to->joint_name);
}

/** Number the joint's coordinates; those whose frame rests also learn where its axes are. */
static sup_status place_link(sup_tree *tree, bool rests, int i) {
  sup_tree_link *link = &tree->links[i];
  link->nq = joint_size[link->joint].nq;
  link->nv = joint_size[link->joint].nv;
  link->q_start = tree->nq;
  link->v_start = tree->nv;
  tree->nq += link->nq;
  tree->nv += link->nv;
  if (tree->nv > SUP_TREE_MAX_NV)
    return SUP_FAIL(SUP_E_ARG, "tree '%s' has more than %d degrees of freedom", tree->name,
                    SUP_TREE_MAX_NV);
  link->rests = rests;
  link->R_WJ = sup_m3_identity();
  if (!rests) return SUP_OK;
  link->R_WJ = link->X_PJ.R;
  for (int p = link->parent; p != SUP_NONE; p = tree->links[p].parent)
    link->R_WJ = sup_m3_mul(tree->links[p].X_PJ.R, link->R_WJ);
  link->R_WJ = sup_m3_mul(tree->X_WB0.R, link->R_WJ);
  return SUP_OK;
}

/** Name the joint to which the dof belongs. */
static sup_status fail_massless(const sup_tree *tree, int dof) {
  const sup_tree_link *link = tree->links;
  while (dof >= link->v_start + link->nv) link++;
  return SUP_FAIL(SUP_E_ARG,
                  LINK_FORMAT
                  "joint '%s' moves no %s of its own; give the link, or one welded to it, a mass "
                  "and an inertia, or the joint an armature",
                  tree->name, link->name, link->joint_name,
                  sup_joint_turns(link, dof - link->v_start) ? "inertia" : "mass");
}

/** Eliminate M from the last dof to the first: the pivots are the articulated inertias along the
 * joints, all positive.
 */
static sup_status check_mass_matrix(const sup_tree *tree, const sup_tree_def *def) {
  int               n = tree->nv;
  double            q[7 * SUP_TREE_MAX_LINKS], v[SUP_TREE_MAX_NV];
  SUP_FREED double *M = NULL;
  SUP_TRY(SUP_CALLOC(M, n * n));
  sup_tree_initial(def, tree, q, v);
  sup_tree_mass_matrix(tree, q, M);
  for (int k = 0; k < n; k++) v[k] = M[k * n + k];
  for (int k = n - 1; k >= 0; k--) {
    double pivot = M[k * n + k];
    if (!(pivot > 1e-10 * v[k])) {
      SUP_TRY(fail_massless(tree, k));
    }
    for (int i = 0; i < k; i++)
      for (int j = 0; j <= i; j++) M[i * n + j] -= M[k * n + i] * M[k * n + j] / pivot;
  }
  return SUP_OK;
}

static sup_status check_motion(const sup_tree_def *def) {
  const sup_table *motion = &def->motion;
  if (motion->num_rows == 0) return SUP_OK;
  if (motion->width != 6)
    return SUP_FAIL(
        SUP_E_ARG,
        "tree '%s': the motion of the base has %d values a row; it must have x y z rx ry rz",
        def->name, motion->width);
  if (!all_finite(motion->time, motion->num_rows) ||
      !all_finite(motion->value, 6 * motion->num_rows))
    return SUP_FAIL(SUP_E_ARG, "tree '%s': the motion of the base has a number that is not finite",
                    def->name);
  for (int i = 1; i < motion->num_rows; i++)
    if (!(motion->time[i] > motion->time[i - 1]))
      return SUP_FAIL(
          SUP_E_ARG,
          "tree '%s': the times of the base's motion must increase; row %d has %g s after %g s",
          def->name, i + 1, motion->time[i], motion->time[i - 1]);
  return SUP_OK;
}

static sup_status check_definition(const sup_tree_def *def) {
  if (def->num_links < 1 || def->num_links > SUP_TREE_MAX_LINKS)
    return SUP_FAIL(SUP_E_ARG, "tree '%s' has %d links; between 1 and %d are possible", def->name,
                    def->num_links, SUP_TREE_MAX_LINKS);
  SUP_TRY(check_pose(&def->X_WB, def->name, def->links[0].name, "the base's pose"));
  SUP_TRY(check_motion(def));
  for (int i = 0; i < def->num_links; i++) {
    SUP_TRY(check_names(def, i));
    SUP_TRY(check_joint(def, i));
    SUP_TRY(check_mimic(def, i));
    SUP_TRY(check_inertia(def, i));
    sup_joint_type type = def->links[i].joint;
    if ((type == SUP_JOINT_FLOATING || type == SUP_JOINT_PLANAR) &&
        def->links[i].parent == SUP_NONE && def->motion.num_rows > 0 && !parent_rests(def, i))
      return SUP_FAIL(
          SUP_E_ARG,
          LINK_FORMAT
          "the %s joint '%s' hangs on the base, which %s; let it hang on a link that a fixed "
          "joint welds to the base",
          def->name, def->links[i].name, type == SUP_JOINT_PLANAR ? "planar" : "floating",
          def->links[i].joint_name, type == SUP_JOINT_PLANAR ? "turns" : "moves");
  }
  return SUP_OK;
}

sup_status sup_tree_create(sup_tree **tree, const sup_tree_def *def) {
  SUP_OWN(sup_tree) *t = NULL;
  *tree = NULL;
  SUP_TRY(check_definition(def));
  SUP_TRY(SUP_CALLOC(t, 1));
  memcpy(t->name, def->name, sizeof t->name);
  t->num_links = def->num_links;
  t->X_WB0 = sup_frame_from_pose(&def->X_WB);
  SUP_TRY(SUP_CALLOC(t->links, def->num_links));
  SUP_TRY(sup_table_copy(&t->motion, &def->motion));
  for (int i = 0; i < def->num_links; i++) {
    copy_link(&t->links[i], &def->links[i]);
    SUP_TRY(place_link(t, parent_rests(def, i), i));
  }
  for (int i = t->num_links - 1; i >= 0; i--) {
    sup_tree_link *link = &t->links[i],
                  *parent = link->parent == SUP_NONE ? link : &t->links[link->parent];
    if (link->v_end < link->v_start + link->nv) link->v_end = link->v_start + link->nv;
    if (parent->v_end < link->v_end) parent->v_end = link->v_end;
  }
  SUP_TRY(check_mass_matrix(t, def));
  *tree = t;
  t = NULL;
  return SUP_OK;
}

void sup_tree_destroy(sup_tree **tree) {
  if (!*tree) return;
  SUP_FREE((*tree)->links);
  sup_table_free(&(*tree)->motion);
  SUP_FREE(*tree);
}

void sup_tree_def_free(sup_tree_def *def) {
  for (int i = 0; i < def->num_links && def->links; i++) {
    sup_link_def *link = &def->links[i];
    for (int g = 0; g < link->num_geometries && link->geometries; g++) {
      sup_hull_destroy(&link->geometries[g].shape.hull);
      sup_mesh_destroy(&link->geometries[g].shape.cells);
    }
    for (int g = 0; g < link->num_visuals && link->visuals; g++)
      sup_hull_destroy(&link->visuals[g].shape.hull);
    SUP_FREE_ALL(&link->geometries, &link->visuals);
  }
  SUP_FREE_ALL(&def->links, &def->filter);
  def->num_links = def->num_filters = 0;
  sup_table_free(&def->motion);
}

void sup_joint_start(const sup_tree_link *link, const double *q0, double *q) {
  double *qi = q + link->q_start;
  int     turn = sup_joint_quaternion(link);
  for (int k = 0; k < link->nq; k++) qi[k] = q0[k];
  if (turn == SUP_NONE) return;
  sup_quat start = sup_quat_unit((sup_quat){q0[3], q0[4], q0[5], q0[6]});
  qi += turn, qi[0] = start.w, qi[1] = start.x, qi[2] = start.y, qi[3] = start.z;
}

void sup_joint_store(const sup_tree_link *link, const double *q, double *q0) {
  int num = sup_joint_quaternion(link) == 0 ? 0 : link->nq;
  memcpy(q0, q + link->q_start, (size_t)num * sizeof *q0);
  if (num == 0 && link->nq > 0) memcpy(q0 + 3, q + link->q_start, 4 * sizeof *q0); /* a ball */
}

void sup_tree_initial(const sup_tree_def *def, const sup_tree *tree, double *q, double *v) {
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    const double        *v0 = def->links[i].v0;
    double              *vi = v + link->v_start;
    sup_joint_start(link, def->links[i].q0, q);
    for (int k = 0; k < link->nv; k++) vi[k] = v0[k];
    /* the definition gives the velocity of the origin in link axes, the state keeps it in others */
    const int turn = sup_joint_quaternion(link);
    if (turn <= 0) continue;
    const double *t = q + link->q_start + turn;
    const sup_m3  R = sup_quat_matrix((sup_quat){t[0], t[1], t[2], t[3]});
    sup_v3_store(vi + 3, sup_m3_apply(link->R_WJ, sup_m3_apply(R, sup_v3_load(v0 + 3))));
  }
}
