/** Trees for the tests of the layer: random ones, and chains of a swinging pendulum. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "tree/tree.h"

enum { TEST_MAX_LINKS = 24, TEST_MAX_NV = 80 };

static inline sup_pose test_random_pose(test_random *random, double size) {
  sup_v3   r = {2 * test_uniform(random), 2 * test_uniform(random), 2 * test_uniform(random)};
  sup_quat q = sup_quat_exp(r);
  return (sup_pose){
      {size * test_uniform(random), size * test_uniform(random), size * test_uniform(random)},
      {q.w, q.x, q.y, q.z}};
}

/** A link with the inertia of a random cloud of points about its centre. */
static inline void test_random_link(sup_link_def *link, test_random *random, int i) {
  *link = sup_default_link_def();
  snprintf(link->name, sizeof link->name, "link%d", i);
  snprintf(link->joint_name, sizeof link->joint_name, "joint%d", i);
  link->X_PJ = test_random_pose(random, 0.5);
  for (int k = 0; k < 3; k++)
    link->axis[k] = test_uniform(random), link->com[k] = 0.3 * test_uniform(random);
  for (int point = 0; point < 5; point++) {
    double m = 0.3 * (1.5 + test_uniform(random)), x = 0.2 * test_uniform(random),
           y = 0.2 * test_uniform(random), z = 0.2 * test_uniform(random);
    double add[6] = {y * y + z * z, z * z + x * x, x * x + y * y, -x * y, -x * z, -y * z};
    link->mass += m;
    for (int k = 0; k < 6; k++) link->inertia[k] += m * add[k];
  }
}

/** Root joints of random trees; SUP_JOINT_FIXED stands for the first joint of the turn.  After a
 * ball come joints of several coordinates on links that move, and screws. */
static const sup_joint_type test_roots[] = {SUP_JOINT_FIXED, SUP_JOINT_FLOATING, SUP_JOINT_PLANAR,
                                            SUP_JOINT_BALL};
enum { TEST_NUM_ROOTS = 4 };

/** Branching tree of n links, joint types in turn after the root. */
static inline sup_tree_def test_random_tree(test_random *random, int n, sup_joint_type root) {
  sup_tree_def def = sup_default_tree_def();
  strcpy(def.name, "random");
  def.X_WB = test_random_pose(random, 1);
  def.num_links = n;
  def.links = calloc((size_t)n, sizeof *def.links);
  for (int i = 0; i < n; i++) {
    static const sup_joint_type types[] = {SUP_JOINT_REVOLUTE,    SUP_JOINT_PRISMATIC,
                                           SUP_JOINT_REVOLUTE,    SUP_JOINT_FIXED,
                                           SUP_JOINT_TRANSLATION, SUP_JOINT_REVOLUTE};
    static const sup_joint_type more[] = {SUP_JOINT_BALL,  SUP_JOINT_FLOATING, SUP_JOINT_SCREW,
                                          SUP_JOINT_FIXED, SUP_JOINT_REVOLUTE, SUP_JOINT_PLANAR};
    sup_link_def               *link = &def.links[i];
    test_random_link(link, random, i);
    link->parent = i == 0 ? SUP_NONE : i - 1 - (i > 2 && test_uniform(random) > 0 ? 1 : 0);
    link->joint =
        i == 0 && root != SUP_JOINT_FIXED ? root : (root == SUP_JOINT_BALL ? more : types)[i % 6];
    link->pitch = link->joint == SUP_JOINT_SCREW ? 0.3 : 0;
    if (i % 3 == 1) link->armature = 0.1;
  }
  return def;
}

/** Chain of n equal links of length l that hang along -z and turn about y; uniform rods or a point
 * mass at each end. */
static inline sup_tree_def test_chain(int n, double l, double m, int rods) {
  sup_tree_def def = sup_default_tree_def();
  strcpy(def.name, "chain");
  def.num_links = n;
  def.links = calloc((size_t)n, sizeof *def.links);
  for (int i = 0; i < n; i++) {
    sup_link_def *link = &def.links[i];
    *link = sup_default_link_def();
    snprintf(link->name, sizeof link->name, "link%d", i);
    snprintf(link->joint_name, sizeof link->joint_name, "joint%d", i);
    link->parent = i - 1;
    link->joint = SUP_JOINT_REVOLUTE;
    link->axis[0] = 0;
    link->axis[1] = 1;
    link->X_PJ.p[2] = i == 0 ? 0 : -l;
    link->mass = m;
    link->com[2] = rods ? -l / 2 : -l;
    if (rods) link->inertia[0] = link->inertia[1] = m * l * l / 12;
  }
  return def;
}

/** A state of the tree: positions in (-1, 1), unit quaternions, velocities in (-1, 1). */
static inline void test_random_state(const sup_tree *tree, test_random *random, double *q,
                                     double *v) {
  for (int k = 0; k < tree->nq; k++) q[k] = test_uniform(random);
  for (int k = 0; k < tree->nv; k++) v[k] = test_uniform(random);
  for (int i = 0; i < tree->num_links; i++) {
    int turn = sup_joint_quaternion(&tree->links[i]);
    if (turn == SUP_NONE) continue;
    double  *c = q + tree->links[i].q_start + turn;
    sup_quat u = sup_quat_unit((sup_quat){c[0], c[1], c[2], c[3]});
    c[0] = u.w, c[1] = u.x, c[2] = u.y, c[3] = u.z;
  }
}

/** Kinematics with its own arrays. */
typedef struct test_kinematics {
  sup_frame                X_WL[TEST_MAX_LINKS];
  sup_v3                   w[TEST_MAX_LINKS], v[TEST_MAX_LINKS];
  sup_tree_kinematics_data data;
} test_kinematics;

static inline void test_kinematics_at(test_kinematics *kin, const sup_tree *tree,
                                      const sup_base_motion *base, const double *q,
                                      const double *v) {
  kin->data = (sup_tree_kinematics_data){kin->X_WL, kin->w, kin->v};
  sup_tree_kinematics(tree, base, q, v, &kin->data);
}

static inline double test_largest(const double *a, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
  return largest;
}
