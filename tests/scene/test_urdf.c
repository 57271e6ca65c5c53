#include "scene/robot/urdf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/format/vtk.h"
#include "mesh/generate/generate.h"
#include "mesh/hull.h"
#include "test.h"
#include "tree/tree.h"

static const char *const packages[] = {"../shared/data/packages"};

static void write_file(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  CHECK(fwrite(text, 1, size, file) == size);
  fclose(file);
}

/** Path of a file of this test with this text. */
static const char *urdf_file(const char *text) {
  static char path[512];
  snprintf(path, sizeof path, "%s/robot.urdf", test_folder());
  write_file(path, text, strlen(text));
  return path;
}

/** Everything the log was told, a line a message. */
typedef struct messages {
  char   text[16384];
  size_t used;
  int    notes, warnings;
} messages;

static void keep_message(sup_log_level level, const char *message, void *user) {
  messages *m = user;
  m->used += (size_t)snprintf(m->text + m->used, sizeof m->text - m->used, "%s\n", message);
  if (m->used >= sizeof m->text) m->used = sizeof m->text - 1;
  *(level == SUP_LOG_NOTE ? &m->notes : &m->warnings) += 1;
}

static sup_status read_with_log(sup_tree_def *def, const char *path, messages *m) {
  *m = (messages){.used = 0};
  sup_log_set(keep_message, m);
  sup_status status = sup_urdf_read(def, path, packages, 1);
  sup_log_set(NULL, NULL);
  return status;
}

static const sup_link_def *find_link(const sup_tree_def *def, const char *name) {
  for (int i = 0; i < def->num_links; i++)
    if (strcmp(def->links[i].name, name) == 0) return &def->links[i];
  CU_FAIL_FATAL("no such link");
  return NULL;
}

/* ---- what a file says arrives ---------------------------------------------------------------- */

static const char arm[] =
    "<?xml version='1.0'?>\n"
    "<robot name='arm' xmlns:drake='http://drake.mit.edu'>\n"
    "  <link name='hand'/>\n"
    "  <link name='upper'>\n"
    "    <inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='2.5'/>\n"
    "      <inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial>\n"
    "    <visual><geometry><mesh filename='package://nowhere/a.stl'/></geometry></visual>\n"
    "    <collision><origin xyz='0 0 .5'/><geometry><box size='1 2 3'/></geometry>\n"
    "      <drake:proximity_properties><drake:mu_dynamic value='0.7'/><drake:mu_static "
    "value='0.9'/>\n"
    "        <drake:hunt_crossley_dissipation value='3'/><drake:mesh_resolution_hint "
    "value='0.02'/>\n"
    "        <drake:hydroelastic_modulus value='1e6'/><drake:point_contact_stiffness value='5'/>\n"
    "        <drake:relaxation_time "
    "value='0.25'/><drake:compliant_hydroelastic/></drake:proximity_properties></collision>\n"
    "    <collision><geometry><sphere radius='0.1'/></geometry>\n"
    "      <drake:proximity_properties><drake:mu_static "
    "value='0.3'/></drake:proximity_properties></collision>\n"
    "    <collision><geometry><drake:capsule radius='0.1' length='0.4'/></geometry></collision>\n"
    "    <collision><geometry><cylinder radius='0.2' length='0.3'/></geometry></collision>\n"
    "  </link>\n"
    "  <link name='base'/>\n"
    "  <link name='finger'/>\n"
    "  <link name='camera'/>\n"
    "  <joint name='wrist' type='continuous'><parent link='upper'/><child link='hand'/>\n"
    "    <limit effort='3' velocity='4'/><mimic joint='shoulder' multiplier='-2' "
    "offset='.5'/></joint>\n"
    "  <joint name='slide' type='prismatic'><parent link='hand'/><child link='finger'/>\n"
    "    <axis xyz='0 3 4'/><limit lower='-0.1' upper='0.2' effort='30' velocity='0.5'/></joint>\n"
    "  <joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>\n"
    "    <origin xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'/><axis xyz='0 0 2'/>\n"
    "    <limit lower='-1' upper='2' effort='50' velocity='6'/><dynamics damping='0.25' "
    "friction='0.1'/></joint>\n"
    "  <joint name='mount' type='fixed'><parent link='base'/><child link='camera'/></joint>\n"
    "  <transmission name='t'><type>Simple</type><joint name='shoulder'/><actuator name='m'>\n"
    "    <drake:gear_ratio value='100'/><drake:rotor_inertia "
    "value='2e-5'/></actuator></transmission>\n"
    "  <gazebo/><gazebo/>\n"
    "</robot>\n";

static void links_and_joints_arrive(void) {
  static const char *const order[] = {"base", "upper", "hand", "finger", "camera"};
  static const int         parent[] = {SUP_NONE, 0, 1, 2, 0};
  sup_tree_def             def;
  messages                 m;
  OK(read_with_log(&def, urdf_file(arm), &m));
  CHECK(strcmp(def.name, "arm") == 0 && def.num_links == 5);
  for (int i = 0; i < 5; i++)
    CHECK(strcmp(def.links[i].name, order[i]) == 0 && def.links[i].parent == parent[i]);
  const sup_link_def *upper = &def.links[1], *hand = &def.links[2], *finger = &def.links[3];
  CHECK(def.links[0].joint == SUP_JOINT_FIXED && def.links[4].joint == SUP_JOINT_FIXED);
  CHECK(upper->joint == SUP_JOINT_REVOLUTE && strcmp(upper->joint_name, "shoulder") == 0);
  CHECK(upper->lower == -1 && upper->upper == 2 && upper->effort_limit == 50 &&
        upper->velocity_limit == 6);
  CHECK(upper->axis[2] == 1 && upper->damping == 0.25 && upper->friction == 0.1);
  NEAR(upper->armature, 0.2, 1e-14, 0);
  CHECK(upper->X_PJ.p[0] == 0.1 && upper->X_PJ.p[1] == 0.2 && upper->X_PJ.p[2] == 0.3);
  /* rpy: Rz(0.6) Ry(0.5) Rx(0.4); its first column is Rz Ry e_x */
  sup_frame X = sup_frame_from_pose(&upper->X_PJ);
  NEAR(X.R.m[0][0], cos(0.6) * cos(0.5), 1e-14, 0);
  NEAR(X.R.m[1][0], sin(0.6) * cos(0.5), 1e-14, 0);
  NEAR(X.R.m[2][0], -sin(0.5), 1e-14, 0);
  NEAR(X.R.m[2][1], cos(0.5) * sin(0.4), 1e-14, 0);
  CHECK(hand->joint == SUP_JOINT_REVOLUTE && hand->lower == -HUGE_VAL && hand->upper == HUGE_VAL);
  CHECK(hand->axis[0] == 1 && hand->effort_limit == 3 && hand->armature == 0);
  CHECK(hand->mimic == 1 && hand->mimic_ratio == -2 && hand->mimic_offset == .5 &&
        finger->mimic == SUP_NONE);
  CHECK(finger->joint == SUP_JOINT_PRISMATIC && finger->lower == -0.1 && finger->upper == 0.2);
  NEAR(finger->axis[1], 0.6, 1e-15, 0);
  NEAR(finger->axis[2], 0.8, 1e-15, 0);
  sup_tree_def_free(&def);
}

static void inertia_is_turned_into_link_axes(void) {
  sup_tree_def def;
  messages     m;
  OK(read_with_log(&def, urdf_file(arm), &m));
  const sup_link_def *upper = find_link(&def, "upper");
  CHECK(upper->mass == 2.5 && upper->com[0] == 1 && upper->com[1] == 2 && upper->com[2] == 3);
  /* turned by 90 degrees about z: x' = y, y' = -x */
  const double expected[6] = {2, 1, 2.5, -0.1, -0.3, 0.2};
  for (int k = 0; k < 6; k++) NEAR(upper->inertia[k], expected[k], 0, 1e-14);
  sup_tree_def_free(&def);
}

static void collision_shapes_and_contact_tags_arrive(void) {
  sup_tree_def def;
  messages     m;
  OK(read_with_log(&def, urdf_file(arm), &m));
  const sup_link_def     *upper = find_link(&def, "upper");
  const sup_geometry_def *g = upper->geometries;
  sup_contact_def         usual = sup_default_contact_def();
  CHECK(upper->num_geometries == 4);
  CHECK(g[0].shape.type == SUP_SHAPE_BOX && g[0].shape.size[0] == 1 && g[0].shape.size[2] == 3);
  CHECK(g[0].X_LG.p[2] == 0.5 && g[0].X_LG.q[0] == 1);
  CHECK(g[0].contact.friction == 0.7 && g[0].contact.dissipation == 3 &&
        g[0].contact.resolution == 0.02);
  NEAR(g[0].contact.stiffness, 1e6 / 0.5, 1e-14, 0); /* half the smallest edge deep */
  CHECK(g[0].contact.modulus == 1e6 && g[1].contact.modulus == 0);
  CHECK(g[0].contact.static_friction == 0.9 && g[0].contact.point_stiffness == 5 &&
        g[0].contact.relaxation_time == 0.25);
  CHECK(g[1].shape.type == SUP_SHAPE_SPHERE && g[1].shape.size[0] == 0.1 &&
        g[1].contact.friction == 0.3);
  CHECK(g[1].contact.stiffness == usual.stiffness && g[1].contact.dissipation == usual.dissipation);
  CHECK(g[2].shape.type == SUP_SHAPE_CAPSULE && g[2].shape.size[0] == 0.1 &&
        g[2].shape.size[1] == 0.4);
  CHECK(g[3].shape.type == SUP_SHAPE_CYLINDER && g[3].shape.size[0] == 0.2 &&
        g[3].shape.size[1] == 0.3);
  sup_tree_def_free(&def);
}

static void what_is_not_used_is_noted_once(void) {
  sup_tree_def def;
  messages     m;
  OK(read_with_log(&def, urdf_file(arm), &m));
  static const char *const expected[] = {"robot.urdf:31: <gazebo> is not used\n",
                                         "1 of 1 visual meshes were not found"};
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    if (!strstr(m.text, expected[k])) printf("\n    missing '%s' in\n%s", expected[k], m.text);
    CHECK(strstr(m.text, expected[k]) != NULL);
  }
  CHECK(m.notes == 2 && m.warnings == 0);
  sup_tree_def_free(&def);
}

/* A gear multiplies its rotor; without a rotor it is told once that drives are behind it. */
static void reductions_are_gears_of_rotors_or_noted(void) {
  static const char *const reduction[] = {
      "<actuator name='m'><drake:rotor_inertia value='2e-5'/><mechanicalReduction> 160 "
      "</mechanicalReduction></actuator>",
      "<mechanicalReduction>160</mechanicalReduction><actuator name='m'/>",
      "<actuator name='m'><mechanicalReduction>1</mechanicalReduction></actuator>",
      "<actuator name='m'><mechanicalReduction>fast</mechanicalReduction></actuator>"};
  for (int k = 0; k < 4; k++) {
    char         text[2000];
    sup_tree_def def;
    messages     m;
    snprintf(text, sizeof text,
             "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='a'/><link name='b'>"
             "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
             "</inertial></link><joint name='j' type='continuous'><parent link='a'/><child "
             "link='b'/></joint>\n<transmission><joint name='j'/>%s</transmission></robot>",
             reduction[k]);
    if (k == 3) {
      FAILS(read_with_log(&def, urdf_file(text), &m), SUP_E_PARSE,
            "robot.urdf:2: <mechanicalReduction> is 'fast'; it must be a number other than 0");
      continue;
    }
    OK(read_with_log(&def, urdf_file(text), &m));
    NEAR(def.links[1].armature, k ? 0 : 160 * 160 * 2e-5, 1e-14, 0);
    CHECK(m.notes == (k == 1));
    CHECK(k != 1 || strstr(m.text, "robot.urdf:2: <mechanicalReduction> 160 is not used"));
    sup_tree_def_free(&def);
  }
}

static void misspelt_elements_and_attributes_are_warned_of(void) {
  sup_tree_def def;
  messages     m;
  OK(read_with_log(
      &def,
      urdf_file(
          "<robot name='r'>\n<link name='a'>\n<colision/>\n<sensor/></link>\n<link name='b'/>\n"
          "<joint name='j' type='fixed'>\n<origin xzy='1 2 3'/><parent link='a'/><child "
          "link='b'/>\n"
          "<limits lower='1'/></joint>\n<jiont/></robot>\n"),
      &m));
  CHECK(strstr(m.text, ":3: <colision> is not known and not used; did you mean <collision>?") !=
        NULL);
  CHECK(strstr(m.text, ":4: <sensor> is not used") != NULL);
  CHECK(strstr(m.text,
               ":7: attribute 'xzy' of <origin> is not known and not used; known: xyz, rpy") !=
        NULL);
  CHECK(strstr(m.text, ":8: <limits> is not known and not used; did you mean <limit>?") != NULL);
  CHECK(strstr(m.text, ":9: <jiont> is not known and not used; did you mean <joint>?") != NULL);
  CHECK(m.notes == 1 && m.warnings == 4);
  sup_tree_def_free(&def);
}

/* URDF asks for limits of revolute and prismatic joints; limits of effort alone do not hold them.
 */
static void joints_without_limits_are_named_once(void) {
  static const char text[] =
      "<robot name='r'>\n<link name='a'/><link name='b'/><link name='c'/><link name='d'/><link "
      "name='e'/>\n"
      "<joint name='bound' type='revolute'><parent link='a'/><child link='b'/><limit lower='-1' "
      "upper='1'/></joint>\n"
      "<joint name='loose' type='revolute'><parent link='b'/><child link='c'/><limit "
      "effort='5'/></joint>\n"
      "<joint name='turning' type='continuous'><parent link='c'/><child link='d'/></joint>\n"
      "<joint name='slide' type='prismatic'><parent link='d'/><child link='e'/></joint>\n"
      "</robot>\n";
  sup_tree_def def;
  messages     m;
  OK(read_with_log(&def, urdf_file(text), &m));
  CHECK(strstr(m.text,
               "robot.urdf:4: no limits on 2 revolute or prismatic joints, which move freely: "
               "loose, slide;") != NULL);
  CHECK(m.notes == 1 && m.warnings == 0);
  CHECK(find_link(&def, "c")->lower == -HUGE_VAL && find_link(&def, "c")->effort_limit == 5);
  sup_tree_def_free(&def);
}

static void prefixes_work_without_their_declaration(void) {
  sup_tree_def def;
  OK(sup_urdf_read(&def,
                   urdf_file("<robot name='r'><link name='a'><collision><geometry><drake:capsule "
                             "radius='1' length='2'/></geometry></collision></link></robot>"),
                   NULL, 0));
  CHECK(def.links[0].num_geometries == 1 &&
        def.links[0].geometries[0].shape.type == SUP_SHAPE_CAPSULE);
  sup_tree_def_free(&def);
}

static void numbers_are_read_alike_in_any_whitespace(void) {
  sup_tree_def def;
  OK(sup_urdf_read(
      &def,
      urdf_file("<robot name='r'><link name='a'><collision><origin xyz=' -.5\t+1e-3\n 2. "
                "'/><geometry><box size='1 1 1'/></geometry></collision></link></robot>"),
      NULL, 0));
  const double *p = def.links[0].geometries[0].X_LG.p;
  CHECK(p[0] == -0.5 && p[1] == 1e-3 && p[2] == 2);
  sup_tree_def_free(&def);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static const char tetrahedron[] = "solid\n"
#define FACET(a, b, c) \
  "facet normal 0 0 0\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet\n"
    FACET("0 0 0", "0 2 0", "1 0 0") FACET("0 0 0", "1 0 0", "0 0 3")
        FACET("0 0 0", "0 0 3", "0 2 0") FACET("1 0 0", "0 2 0", "0 0 3") "endsolid\n";

static void packages_are_found_in_the_given_folders_and_above_the_file(void) {
  char         folder[256], path[512], mesh[512], text[1024];
  sup_tree_def def;
  messages     m;
  snprintf(folder, sizeof folder, "%s/ros/my_robot/meshes", test_folder());
  OK(sup_make_folder(folder));
  snprintf(folder, sizeof folder, "%s/ros/my_robot/urdf", test_folder());
  OK(sup_make_folder(folder));
  snprintf(mesh, sizeof mesh, "%s/ros/my_robot/meshes/a.stl", test_folder());
  write_file(mesh, tetrahedron, strlen(tetrahedron));
  snprintf(path, sizeof path, "%s/ros/my_robot/urdf/r.urdf", test_folder());
  static const char *const good[] = {"package://my_robot/meshes/a.stl", "../meshes/a.stl"};
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'>\n<collision><geometry><mesh "
             "filename='%s'/></geometry></collision></link></robot>",
             good[k]);
    write_file(path, text, strlen(text));
    OK(read_with_log(&def, path, &m));
    CHECK(def.links[0].num_geometries == 1 &&
          def.links[0].geometries[0].shape.type == SUP_SHAPE_CONVEX);
    CHECK(
        strstr(
            m.text,
            "r.urdf: 1 collision mesh without <drake:declare_convex/>: the convex hull is used") !=
        NULL);
    sup_tree_def_free(&def);
  }
  /* a file elsewhere, with the folder of the package given: the package itself or the one above it
   */
  const char *elsewhere = urdf_file(
      "<robot name='r'><link name='a'><collision><geometry><mesh "
      "filename='package://my_robot/meshes/a.stl'/></geometry></collision></link></robot>");
  char above[512], itself[512];
  snprintf(above, sizeof above, "%s/ros/", test_folder());
  snprintf(itself, sizeof itself, "%s/ros/my_robot", test_folder());
  const char *const folders[] = {"/nowhere", above}, *const own[] = {itself};
  OK(sup_urdf_read(&def, elsewhere, folders, 2));
  sup_tree_def_free(&def);
  OK(sup_urdf_read(&def, elsewhere, own, 1));
  sup_tree_def_free(&def);
  FAILS(sup_urdf_read(&def, elsewhere, folders, 1), SUP_E_PARSE,
        "robot.urdf:1: collision mesh of link 'a': 'package://my_robot/meshes/a.stl' was not found "
        "in the package folders /nowhere nor above the file");
}

/* A mesh is its hull: scaled axis by axis, mirrored, declared convex or not; the log tells what
 * that changes. */
static void collision_meshes_are_hulls(void) {
  char         mesh[512];
  sup_tree_def def;
  messages     m;
  double       volume, inertia[6];
  sup_v3       centre;
  snprintf(mesh, sizeof mesh, "%s/part.stl", test_folder());
  write_file(mesh, tetrahedron, strlen(tetrahedron));
  OK(read_with_log(
      &def,
      urdf_file(
          "<robot name='r'><link name='a'><collision><geometry>\n"
          "<mesh filename='part.stl' scale='-.1 .1 .2'><drake:declare_convex/></mesh></geometry>\n"
          "<drake:proximity_properties><drake:hydroelastic_modulus "
          "value='1e6'/></drake:proximity_properties></collision></link></robot>"),
      &m));
  const sup_geometry_def *g = def.links[0].geometries;
  sup_hull_moments(g->shape.hull, &volume, &centre, inertia);
  NEAR(volume, .1 * .1 * .2, 1e-12, 0);
  NEAR(centre.x, -.1 / 4, 1e-12, 0);
  NEAR(centre.z, .6 / 4, 1e-12, 0);
  /* the centre of mass is a quarter of each height deep; the face over the vertex at the origin is
   * the nearest */
  double nearest = 1 / sqrt(1 / .01 + 1 / .04 + 1 / .36) / 4;
  NEAR(g->contact.stiffness, 1e6 / fmin(nearest, .1 / 4), 1e-9, 0);
  CHECK(m.notes == 0 && m.warnings == 0);
  sup_tree_def_free(&def);
  OK(read_with_log(
      &def,
      urdf_file("<robot name='r'><link name='a'><collision><geometry><mesh filename='part.stl' "
                "scale='100 100 100' sclae='1'/></geometry></collision></link></robot>"),
      &m));
  CHECK(strstr(m.text,
               "part.stl measures 100 x 200 x 300 m; perhaps it is in millimetres: scale: 0.001") !=
        NULL);
  CHECK(strstr(m.text,
               "attribute 'sclae' of <mesh> is not known and not used; known: filename, scale") !=
        NULL);
  CHECK(m.notes == 1 && m.warnings == 2);
  sup_tree_def_free(&def);
}

/* Cells of a .vtk file are the shape of a body and carry its field when it is compliant. */
static void collision_meshes_of_cells_carry_their_field(void) {
  const double size[3] = {.1, .2, .1};
  const int    n[3] = {2, 4, 2};
  char         path[512];
  sup_mesh    *mesh;
  sup_tree_def def;
  messages     m;
  snprintf(path, sizeof path, "%s/bricks.vtk", test_folder());
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  OK(sup_vtk_write_mesh(mesh, path, 1));
  sup_mesh_destroy(&mesh);
  OK(read_with_log(
      &def,
      urdf_file("<robot name='r'><link name='a'><collision><geometry><mesh filename='bricks.vtk' "
                "scale='1 -1 "
                "1'/></geometry><drake:proximity_properties><drake:compliant_hydroelastic/"
                "><drake:hydroelastic_modulus "
                "value='1e6'/></drake:proximity_properties></collision></link></robot>"),
      &m));
  const sup_geometry_def *g = def.links[0].geometries;
  CHECK(m.notes == 0 && m.warnings == 0);
  CHECK(g->shape.type == SUP_SHAPE_MESH && g->shape.cells->num_cells == 16 * 24);
  NEAR(sup_mesh_volume(g->shape.cells), .002, 1e-12, 0);
  NEAR(g->contact.modulus, 1e6, 0, 0);
  NEAR(g->contact.stiffness, 1e6 / .05, 1e-3, 0); /* the depth is searched for */
  sup_tree_def_free(&def);
}

static void ellipsoids_have_three_half_axes(void) {
  sup_tree_def def;
  OK(sup_urdf_read(&def,
                   urdf_file("<robot name='r'><link name='a'><collision><geometry><drake:ellipsoid "
                             "a='.1' b='.2' c='.3'/></geometry></collision></link></robot>"),
                   NULL, 0));
  const sup_shape *shape = &def.links[0].geometries[0].shape;
  CHECK(shape->type == SUP_SHAPE_ELLIPSOID && shape->size[0] == .1 && shape->size[1] == .2 &&
        shape->size[2] == .3);
  sup_tree_def_free(&def);
}

/* Friction of a file replaces all defaults of friction; a static coefficient below the dynamic one
 * and misspelt tags are named. */
static void contact_tags_that_contradict_are_named(void) {
  sup_robot_context context = {sup_default_contact_def(), NULL, 0, NULL, NULL};
  sup_tree_def      def;
  messages          m = {.used = 0};
  context.contact.static_friction = .8, context.contact.modulus = 2e6;
  const char *path = urdf_file(
      "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>\n"
      "<drake:proximity_properties><drake:mu_dynamic "
      "value='.4'/></drake:proximity_properties></collision>\n"
      "<collision><geometry><sphere radius='1'/></geometry><drake:proximity_properties>\n"
      "<drake:mu_dynamic value='.4'/><drake:mu_static value='.3'/><drake:mu_dynmic value='1'/>\n"
      "<drake:rigid_hydroelastic/><drake:hydroelastic_margin "
      "value='1'/></drake:proximity_properties></collision>\n"
      "<collision><geometry><sphere radius='1'/></geometry></collision></link></robot>");
  sup_log_set(keep_message, &m);
  OK(sup_urdf_read_with(&def, path, &context));
  sup_log_set(NULL, NULL);
  const sup_geometry_def *g = def.links[0].geometries;
  CHECK(g[0].contact.friction == .4 && g[0].contact.static_friction == 0);
  CHECK(g[1].contact.friction == .4 && g[1].contact.static_friction == .3);
  CHECK(g[2].contact.friction == .5 && g[2].contact.static_friction == .8);
  CHECK(strstr(m.text,
               "<drake:mu_static> is 0.3, below <drake:mu_dynamic> 0.4; it has no effect") != NULL);
  CHECK(
      strstr(m.text,
             ":4: <drake:mu_dynmic> is not known and not used; did you mean <drake:mu_dynamic>?") !=
      NULL);
  CHECK(g[1].contact.modulus == 0 &&
        g[2].contact.modulus == 2e6); /* rigid, whatever the scene's default */
  CHECK(m.notes == 0 && m.warnings == 2);
  sup_tree_def_free(&def);
}

static void filter_groups_are_pairs_of_links(void) {
  sup_tree_def def;
  OK(sup_urdf_read(
      &def,
      urdf_file("<robot name='r'><link name='a'/><link name='b'/><link name='c'/><joint name='i' "
                "type='fixed'><parent link='a'/><child link='b'/></joint><joint name='j' "
                "type='fixed'><parent link='b'/><child "
                "link='c'/></joint><drake:collision_filter_group name='g'><drake:member "
                "link='a'/><drake:member link='c'/><drake:ignored_collision_filter_group "
                "name='g'/></drake:collision_filter_group><drake:collision_filter_group "
                "name='h'><drake:member link='b'/><drake:ignored_collision_filter_group "
                "name='g'/></drake:collision_filter_group></robot>"),
      NULL, 0));
  const int expected[8] = {0, 2, 2, 0, 1, 0, 1, 2};
  CHECK(def.num_filters == 4 && memcmp(def.filter, expected, sizeof expected) == 0);
  sup_tree_def_free(&def);
}

/* ---- errors ---------------------------------------------------------------------------------- */

#define LINK_A "<link name='a'/>"
#define LINK_B "<link name='b'/>"
#define A_TO_B "<parent link='a'/><child link='b'/>"
#define SHAPE(s)                                             \
  "<robot name='r'><link name='a'><collision><geometry>\n" s \
  "</geometry></collision></link></robot>"
#define PROXIMITY(s)                                                                      \
  "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>\n" \
  "<drake:proximity_properties>" s "</drake:proximity_properties></collision></link></robot>"
#define INERTIAL(s) "<robot name='r'><link name='a'>\n<inertial>" s "</inertial></link></robot>"
#define JOINT(s)                                                                 \
  "<robot name='r'>" LINK_A LINK_B "\n<joint name='j' type='revolute'>" A_TO_B s \
  "</joint></"                                                                   \
  "robot>"

static void broken_files_say_line_and_remedy(void) {
  static const struct {
    const char *text, *message;
  } table[] = {
      {"", "robot.urdf:1: "},
      {"hello", "robot.urdf:1: the XML is broken: Start tag expected"},
      {"<robot name='r'>\n<link name='a'>\n</robot>",
       "robot.urdf:3: the XML is broken: Opening and ending tag mismatch"},
      {"<robot name='r'>\n<link name='a'", "robot.urdf:2: the XML is broken: "},
      {"<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='r'/>",
       "robot.urdf:1: the file declares a document type"},
      {"<sdf version='1.7'/>",
       "robot.urdf:1: the file begins with <sdf>; a URDF file begins with <robot name="},
      {"<robot>" LINK_A "</robot>",
       "robot.urdf:1: <robot> has no attribute 'name'; write <robot name=\"...\">"},
      {"<robot name=''>" LINK_A "</robot>",
       "a robot's name must have 1 to 63 characters; found ''"},
      {"<robot name='r'>\n</robot>", "robot.urdf:1: the robot has no <link>"},
      {"<robot name='r'>\n<link/></robot>", "robot.urdf:2: <link> has no attribute 'name'"},
      {"<robot name='r'>\n" LINK_A "\n" LINK_A "</robot>",
       "robot.urdf:3: a second link is named 'a'; the first is in line 2"},
      {"<robot name='r' xmlns:xacro='x'>\n<xacro:include filename='a'/></robot>",
       "robot.urdf:2: <xacro:include> is a macro; expand the file with xacro first"},
      {"<robot name='r'>" LINK_A "\n<joint type='fixed'/></robot>",
       "robot.urdf:2: <joint> has no attribute 'name'"},
      {"<robot name='r'>" LINK_A LINK_B "\n<joint name='j'>" A_TO_B "</joint></robot>",
       "robot.urdf:2: <joint> has no attribute 'type'"},
      {"<robot name='r'>" LINK_A LINK_B "\n<joint name='j' type='revolut'>" A_TO_B
       "</joint></robot>",
       "robot.urdf:2: joint 'j' has the unknown type 'revolut'; did you mean 'revolute'?"},
      {"<robot name='r'>" LINK_A LINK_B "\n<joint name='j' type='ball'>" A_TO_B "</joint></robot>",
       "robot.urdf:2: joint 'j' has the unknown type 'ball'; known: fixed, revolute, continuous, "
       "prismatic, floating"},
      {"<robot name='r'>" LINK_A LINK_B
       "\n<joint name='j' type='fixed'><child link='b'/></joint></robot>",
       "robot.urdf:2: joint 'j' has no <parent link=\"...\"/>"},
      {"<robot name='r'>" LINK_A LINK_B
       "<joint name='j' type='fixed'>\n<parent link='a'/>\n<child/></joint></robot>",
       "robot.urdf:3: <child> has no attribute 'link'"},
      {"<robot name='r'><link name='elbow'/><link name='b'/><joint name='j' type='fixed'>\n<parent "
       "link='elbwo'/><child link='b'/></joint></robot>",
       "robot.urdf:2: joint 'j' names the link 'elbwo', which is not defined; did you mean "
       "'elbow'?"},
      {"<robot name='r'>\n" LINK_A "\n" LINK_B "</robot>",
       "robot.urdf:3: link 'b' and link 'a' (line 2) both have no parent; only one root is "
       "possible"},
      {"<robot name='r'>\n" LINK_A
       "<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint></robot>",
       "robot.urdf:2: the joints form a cycle: every link, 'a' too, has a parent"},
      {"<robot name='r'><link name='c'/>\n" LINK_A LINK_B "<joint name='j' type='fixed'>" A_TO_B
       "</joint><joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
       "robot.urdf:2: link 'a' hangs on a cycle of joints; it must hang on the root link 'c'"},
      {"<robot name='r'>" LINK_A LINK_B "\n<joint name='j' type='fixed'>" A_TO_B
       "</joint>\n<joint name='k' type='fixed'>" A_TO_B "</joint></robot>",
       "robot.urdf:3: link 'b' is the child of joint 'k' and of joint 'j' (line 2); a link has one "
       "parent"},
      {"<robot name='r'>" LINK_A LINK_B "<link name='c'/>\n<joint name='j' type='fixed'>" A_TO_B
       "</joint>\n<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint></robot>",
       "robot.urdf:3: a second joint is named 'j'; the first is in line 2"},
      {JOINT("<axis xyz='0 0 0'/>"),
       "robot.urdf:2: joint 'j' has axis (0 0 0); it must be a direction"},
      {JOINT("\n<axis xyz='0 1'/>"),
       "robot.urdf:3: attribute 'xyz' of <axis> has 2 numbers; it must have 3"},
      {JOINT("\n<axis/>"), "robot.urdf:3: <axis> has no attribute 'xyz'"},
      {JOINT("<origin xyz='0 0 0 1'/>"),
       "attribute 'xyz' of <origin> has 4 numbers; it must have 3"},
      {JOINT("<origin rpy='0 0 ${pi}'/>"),
       "'${pi}' in attribute 'rpy' of <origin> is not a finite number; expand the file with xacro"},
      {JOINT("<origin xyz='0 0 1e999'/>"),
       "'1e999' in attribute 'xyz' of <origin> is not a finite number"},
      {JOINT("<limit lower='1' upper='-1'/>"),
       "joint 'j' has limits from 1 to -1; the lower one must not be above the upper"},
      {JOINT("<limit effort='-3'/>"), "attribute 'effort' of <limit> is -3; it must be 0 or more"},
      {JOINT("<limit lower='a'/>"), "'a' in attribute 'lower' of <limit> is not a finite number"},
      {JOINT("<dynamics damping='-1'/>"),
       "attribute 'damping' of <dynamics> is -1; it must be 0 or more"},
      {INERTIAL("<mass value='1'/>"), "robot.urdf:2: <inertial> of link 'a' has no <inertia"},
      {INERTIAL("<inertia ixx='1' iyy='1' izz='1'/>"),
       "robot.urdf:2: <inertial> of link 'a' has no <mass value=\"...\"/>"},
      {INERTIAL("<mass/><inertia ixx='1' iyy='1' izz='1'/>"),
       "robot.urdf:2: <mass> has no attribute 'value'"},
      {INERTIAL("<mass value='-1'/><inertia ixx='1' iyy='1' izz='1'/>"),
       "the mass of link 'a' is -1 kg; it must be 0 or more"},
      {INERTIAL("<mass value='1 2'/><inertia ixx='1' iyy='1' izz='1'/>"),
       "attribute 'value' of <mass> has 2 numbers; it must have 1"},
      {INERTIAL("<mass value='1'/><inertia ixx='1' iyy='1'/>"), "<inertia> has no attribute 'izz'"},
      {SHAPE(""),
       "robot.urdf:1: <geometry> of link 'a' is empty; it must hold a box, cylinder, sphere, "
       "capsule, ellipsoid or mesh"},
      {SHAPE("<cylindre/>"), "robot.urdf:2: unknown shape <cylindre>; did you mean <cylinder>?"},
      {PROXIMITY("<drake:rigid_hydroelastic/><drake:compliant_hydroelastic/>"),
       "says both rigid and compliant"},
      {PROXIMITY("<drake:compliant_hydroelastic/>"),
       "robot.urdf:2: <drake:compliant_hydroelastic> needs <drake:hydroelastic_modulus "
       "value=\"...\"/> [Pa] beside it"},
      {PROXIMITY("<drake:relaxation_time value='-1'/>"),
       "<drake:relaxation_time> is -1 s; it must be 0 or more"},
      {PROXIMITY("<drake:point_contact_stiffness value='0'/>"),
       "<drake:point_contact_stiffness> is 0 N/m; it must be positive"},
      {SHAPE("<mesh/>"), "robot.urdf:2: <mesh> has no attribute 'filename'"},
      {SHAPE("<mesh filename='a.stl' scale='1 0 1'/>"),
       "robot.urdf:2: scale of 'a.stl' is 0 in y; it must not be"},
      {SHAPE("<mesh filename='a.stl' scale='0.001'/>"),
       "robot.urdf:2: attribute 'scale' of <mesh> has 1 number"},
      {SHAPE("<mesh filename='robot.urdf'/>"),
       "robot.urdf: surfaces are read from .obj, .stl, .ply, .msh and .mesh files; convert this "
       "one"},
      {SHAPE("<ellipsoid a='1' b='1'/>"), "robot.urdf:2: <ellipsoid> has no attribute 'c'"},
      {"<robot name='r'>" LINK_A "\n<drake:collision_filter_group name='g'><drake:member "
       "link='a'/><drake:ignored_collision_filter_group "
       "name='h'/></drake:collision_filter_group></robot>",
       "robot.urdf:2: there is no <drake:collision_filter_group name=\"h\">"},
      {"<robot name='r'>" LINK_A "\n<drake:collision_filter_group name='g'><drake:member "
       "link='aa'/><drake:ignored_collision_filter_group "
       "name='g'/></drake:collision_filter_group></robot>",
       "robot.urdf:2: the collision filter group names the link 'aa', which is not defined; did "
       "you mean 'a'?"},
      {SHAPE("<teapot/>"),
       "robot.urdf:2: unknown shape <teapot>; known: box, cylinder, sphere, capsule, ellipsoid, "
       "mesh"},
      {SHAPE("<box/>"), "robot.urdf:2: <box> has no attribute 'size'"},
      {SHAPE("<box size='1 -1 1'/>"),
       "robot.urdf:2: edge length -1 m of a box of link 'a' must be positive"},
      {SHAPE("<sphere radius='-1'/>"),
       "robot.urdf:2: attribute 'radius' of <sphere> is -1; it must be 0 or more"},
      {SHAPE("<cylinder radius='1'/>"), "robot.urdf:2: <cylinder> has no attribute 'length'"},
      {"<robot name='r'><link name='a'/><link name='b'/><joint name='left' "
       "type='continuous'><parent link='a'/><child link='b'/>\n<mimic "
       "joint='lft'/></joint></robot>",
       "robot.urdf:2: joint 'left' mimics the joint 'lft', which is not defined; did you mean "
       "'left'?"},
      {SHAPE("<mesh filename='no.stl'/>"),
       "robot.urdf:2: collision mesh of link 'a': there is no file '"},
      {SHAPE("<mesh filename='package://p/no.stl'/>"),
       "'package://p/no.stl' was not found in the folders above the file"},
      {"<robot name='r'><link name='a'>\n<collision/></link></robot>",
       "robot.urdf:2: <collision> of link 'a' has no <geometry>"},
      {"<robot name='r'><link name='a'><collision><geometry><sphere "
       "radius='1'/></geometry><drake:proximity_properties>\n"
       "<drake:mu_dynamic value='-1'/></drake:proximity_properties></collision></link></robot>",
       "robot.urdf:2: <drake:mu_dynamic> is -1; it must be 0 or more"},
      {"<robot name='r'><link name='a'><collision><geometry><sphere "
       "radius='1'/></geometry><drake:proximity_properties>\n"
       "<drake:mesh_resolution_hint/></drake:proximity_properties></collision></link></robot>",
       "robot.urdf:2: <drake:mesh_resolution_hint> has no attribute 'value'"},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    sup_tree_def def;
    FAILS(sup_urdf_read(&def, urdf_file(table[k].text), NULL, 0), SUP_E_PARSE, table[k].message);
    CHECK(def.links == NULL && def.num_links == 0);
  }
  sup_tree_def def;
  FAILS(sup_urdf_read(&def, "/nowhere/r.urdf", NULL, 0), SUP_E_IO, "/nowhere/r.urdf");
}

static void names_too_long_or_links_too_many_are_errors(void) {
  sup_tree_def def;
  static char  text[65536];
  snprintf(text, sizeof text, "<robot name='r'>\n<link name='%064d'/></robot>", 1);
  FAILS(sup_urdf_read(&def, urdf_file(text), NULL, 0), SUP_E_PARSE,
        "robot.urdf:2: a link's name must have 1 to 63 characters");
  size_t used = (size_t)snprintf(text, sizeof text, "<robot name='r'>\n");
  for (int i = 0; i < 1100; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "<link name='l%d'/>\n", i);
  snprintf(text + used, sizeof text - used, "</robot>");
  FAILS(sup_urdf_read(&def, urdf_file(text), NULL, 0), SUP_E_PARSE,
        "robot.urdf:1026: more than 1024 links are not possible");
}

static void memory_failures_are_reported(void) {
  const char *path = urdf_file(arm);
  sup_status  status = SUP_E_MEMORY;
  for (long k = 1; k < 40 && status != SUP_OK; k++) {
    sup_tree_def def;
    sup_memory_fail_at(k);
    status = sup_urdf_read(&def, path, NULL, 0);
    sup_memory_fail_at(0);
    CHECK(status == SUP_E_MEMORY || (status == SUP_OK && k > 4));
    sup_tree_def_free(&def);
  }
  CHECK(status == SUP_OK);
}

/** Mutated files give a definition or an E_PARSE with the file's name, never a crash. */
static void mutated_files_are_read_or_refused(void) {
  static const char *const words[] = {
      "'",        "<",           ">",    "/",   "=",      "&amp;", "&#0;", "&x;",   "<link name='",
      "<joint ",  "1e308",       "-",    "nan", "drake:", "<!--",  "]]>",  "<?xml", "\xff",
      "\xc3\xa9", "link='base'", "upper"};
  test_random random = {99};
  size_t      size = strlen(arm);
  char       *text = malloc(2 * size);
  char        path[512];
  int         accepted = 0, rejected = 0;
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  snprintf(path, sizeof path, "%s/mutated.urdf", test_folder());
  for (int round = 0; round < 2500; round++) {
    size_t n = size;
    memcpy(text, arm, size);
    int changes = 1 + (int)(3 * fabs(test_uniform(&random)));
    for (int c = 0; c < changes; c++) {
      size_t at = (size_t)(0.5 * (test_uniform(&random) + 1) * (double)(n - 1));
      double choice = test_uniform(&random);
      if (choice < -0.3) { /* another first letter of a value: still XML */
        while (at + 2 < n && !(text[at] == '=' && text[at + 1] == '\'')) at++;
        if (at + 2 < n && text[at + 2] != '\'')
          text[at + 2] = "-0123456789.abcdefgh "[(int)(21 * fabs(test_uniform(&random)))];
      } else if (choice < -0.2) { /* another byte */
        text[at] = (char)(unsigned char)(128 + 127 * test_uniform(&random));
      } else if (choice < 0.2) { /* a piece left out */
        size_t cut = (size_t)(1 + 20 * fabs(test_uniform(&random)));
        if (cut > n - at) cut = n - at;
        memmove(text + at, text + at + cut, n - at - cut);
        n -= cut;
      } else if (choice < 0.8) { /* a word put in */
        const char *word =
            words[(size_t)(fabs(test_uniform(&random)) * (double)(sizeof words / sizeof *words))];
        memmove(text + at + strlen(word), text + at, n - at);
        memcpy(text + at, word, strlen(word));
        n += strlen(word);
      } else { /* the end is missing */
        n = at + 1;
      }
    }
    write_file(path, text, n);
    sup_tree_def def;
    sup_status   status = sup_urdf_read(&def, path, NULL, 0);
    if (status == SUP_OK)
      accepted++;
    else if (status == SUP_E_PARSE && strstr(sup_error_message(), "mutated.urdf:"))
      rejected++;
    else
      printf("\n    round %d: %s", round, sup_error_message());
    sup_tree_def_free(&def);
  }
  CHECK(accepted + rejected == 2500);
  CHECK(accepted > 200 && rejected > 1000);
  free(text);
}

/* ---- robots of others, and ours -------------------------------------------------------------- */

static void robots_from_the_wild_load(void) {
  static const struct {
    const char *file;
    int         links, nv, geometries;
  } robots[] = {{"panda_arm_hand", 12, 9, 66},
                {"panda_hand", 4, 2, 16},
                {"iiwa14_primitive_collision", 11, 7, 8},
                {"allegro_hand_right", 22, 16, 21}};
  for (size_t k = 0; k < sizeof robots / sizeof *robots; k++) {
    char         path[256];
    struct stat  info;
    sup_tree_def def;
    sup_tree    *tree;
    messages     m;
    snprintf(path, sizeof path, "../shared/data/robots/%s.urdf", robots[k].file);
    if (stat(path, &info) != 0) SKIP("%s is absent ", path);
    OK(read_with_log(&def, path, &m));
    OK(sup_tree_create(&tree, &def));
    int geometries = 0;
    for (int i = 0; i < def.num_links; i++) geometries += def.links[i].num_geometries;
    CHECK(def.num_links == robots[k].links && tree->nv == robots[k].nv);
    CHECK(geometries == robots[k].geometries && m.warnings == 0);
    sup_tree_destroy(&tree);
    sup_tree_def_free(&def);
  }
}

/** Conventions of other programs: fixed joints with an axis of zeros, a root link `world` without
 * mass, spheres of radius 0 as points, a joint in a plane. */
static void habits_of_other_programs_are_read(void) {
  sup_tree_def def;
  sup_tree    *tree;
  messages     m;
  OK(read_with_log(
      &def,
      urdf_file(
          "<robot name='r'><link name='world'/><link name='a'><collision><geometry><sphere "
          "radius='0'/></geometry></collision></link><link name='b'/><link name='c'/>"
          "<joint name='i' type='fixed'><parent link='world'/><child link='a'/><axis xyz='0 0 "
          "0'/></joint><joint name='j' type='planar'><parent link='a'/><child link='b'/><axis "
          "xyz='0 0 3'/><limit effort='1' velocity='1' lower='0' upper='0'/></joint><joint "
          "name='k' type='floating'><parent link='world'/><child link='c'/><axis xyz='0 0 "
          "0'/></joint></robot>"),
      &m));
  CHECK(m.notes == 0 && m.warnings == 0 && def.num_links == 4);
  CHECK(strcmp(def.links[0].name, "world") == 0 && def.links[0].joint == SUP_JOINT_FIXED);
  const sup_link_def *a = find_link(&def, "a"), *b = find_link(&def, "b");
  CHECK(a->joint == SUP_JOINT_FIXED && a->num_geometries == 1);
  CHECK(a->geometries[0].shape.type == SUP_SHAPE_SPHERE && a->geometries[0].shape.size[0] == 0);
  CHECK(b->joint == SUP_JOINT_PLANAR && b->axis[2] == 1 && b->lower == -HUGE_VAL);
  CHECK(find_link(&def, "c")->joint == SUP_JOINT_FLOATING);
  for (int i = 0; i < 4; i++) { /* their masses are no matter here */
    def.links[i].mass = 1;
    for (int k = 0; k < 3; k++) def.links[i].inertia[k] = 1;
  }
  OK(sup_tree_create(&tree, &def));
  CHECK(tree->nv == 3 + 6);
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
}

static void absent_meshes_are_named_in_one_message(void) {
  sup_tree_def def;
  messages     m;
  const char  *path = urdf_file(
       "<robot name='r'>\n<link name='a'>\n<visual><geometry><mesh "
        "filename='package://p/a.dae'/></geometry></visual><visual><geometry><mesh "
        "filename='package://p/b.gltf'/></geometry></visual>\n<collision><geometry>"
        "<mesh filename='package://p/a.stl'/></geometry></collision>\n<collision><geometry>"
        "<mesh filename='b.stl'/></geometry></collision></link></robot>");
  sup_status status = read_with_log(&def, path, &m);
  FAILS(status, SUP_E_PARSE,
        "robot.urdf:4: 2 collision meshes were not found: package://p/a.stl of link 'a' (line 4), "
        "b.stl of link 'a' (line 5).  The first, of link 'a': 'package://p/a.stl' was not found in "
        "the package folders ../shared/data/packages nor above the file; give the folder that "
        "holds the package");
  CHECK(def.num_links == 0);
  /* pictures that nobody has stop nothing */
  status = read_with_log(
      &def,
      urdf_file("<robot name='r'><link name='a'><visual><geometry><mesh "
                "filename='package://p/a.dae'/></geometry></visual><visual><geometry><mesh "
                "filename='package://p/b.gltf'/></geometry></visual><visual><geometry><mesh "
                "filename='package://p/a.dae'/></geometry></visual></link></robot>"),
      &m);
  OK(status);
  CHECK(m.notes == 1 && strstr(m.text,
                               "2 of 2 visual meshes were not found; visual geometry is "
                               "not used: a.dae, b.gltf\n") != NULL);
  sup_tree_def_free(&def);
}

/** Robots of others begin with version 0.0, or below an empty line, and libxml2 refuses both. */
static void declarations_of_xml_are_mended(void) {
  static const char *const begins[] = {
      "<?xml version=\"0.0\" ?>", "\n \n<?xml version='1.0'?>", "\r\n<?xml version='2.0'?>\r\n",
      "<?xml version='1.0' encoding='UTF-8'?>", "\n<?xml version='7.1' encoding='UTF-8'?>"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
    char         text[400];
    sup_tree_def def;
    snprintf(text, sizeof text, "%s<robot name='\xc3\xa4'>\n<link name='a'/>%s", begins[i],
             i == 4 ? "" : "</robot>");
    if (i < 4) {
      OK(sup_urdf_read(&def, urdf_file(text), NULL, 0));
      CHECK(strcmp(def.name, "\xc3\xa4") == 0);
      sup_tree_def_free(&def);
    } else { /* lines are counted as in the file */
      FAILS(sup_urdf_read(&def, urdf_file(text), NULL, 0), SUP_E_PARSE, "robot.urdf:3: the XML");
    }
  }
  sup_tree_def def; /* what is no declaration is left alone */
  FAILS(sup_urdf_read(&def, urdf_file("<?xml version='0.0'"), NULL, 0), SUP_E_PARSE,
        "robot.urdf:1: the XML is broken");
  FAILS(sup_urdf_read(&def, urdf_file("<?xml version=?>"), NULL, 0), SUP_E_PARSE,
        "robot.urdf:1: the XML is broken");
}

/** Absent meshes are named as far as a message has room; the rest is counted. */
static void many_absent_meshes_are_counted(void) {
  enum { MESHES = 40 };
  sup_tree_def def;
  static char  text[16384];
  size_t       used = (size_t)snprintf(text, sizeof text, "<robot name='r'><link name='a'>");
  for (int i = 0; i < MESHES; i++)
    used +=
        (size_t)snprintf(text + used, sizeof text - used,
                         "<collision><geometry><mesh filename='package://of_others/part%d.stl'/>"
                         "</geometry></collision>",
                         i);
  snprintf(text + used, sizeof text - used, "</link></robot>");
  FAILS(sup_urdf_read(&def, urdf_file(text), NULL, 0), SUP_E_PARSE,
        "40 collision meshes were not found: package://of_others/part0.stl of link 'a' (line 1), ");
  const char *more = strstr(sup_error_message(), " more.  The first, of link 'a': ");
  CHECK(more != NULL && strstr(sup_error_message(), "give the folder that holds the package"));
}

static void rotors_of_the_iiwa_arrive(void) {
  const char  *path = "../shared/data/robots/iiwa14_primitive_collision.urdf";
  struct stat  info;
  sup_tree_def def;
  if (stat(path, &info) != 0) SKIP("%s is absent ", path);
  OK(sup_urdf_read(&def, path, packages, 1));
  NEAR(find_link(&def, "iiwa_link_1")->armature, 160 * 160 * 0.0001321, 1e-14, 0);
  NEAR(find_link(&def, "iiwa_link_7")->armature, 160 * 160 * 0.0000454, 1e-14, 0);
  NEAR(find_link(&def, "iiwa_link_1")->damping, 0.5, 0, 0);
  CHECK(find_link(&def, "iiwa_link_ee")->armature == 0);
  sup_tree_def_free(&def);
}

static void our_gripper_loads_without_a_word(void) {
  sup_tree_def def;
  sup_tree    *tree;
  messages     m;
  OK(read_with_log(&def, "examples/gripper.urdf", &m));
  CHECK(m.notes == 0 && m.warnings == 0);
  OK(sup_tree_create(&tree, &def));
  CHECK(tree->nv == 3 && tree->num_links == 4);
  /* both jaws close on the middle with positive values */
  sup_base_motion          base = sup_tree_base_motion(tree, 0, 0);
  sup_frame                X[4];
  sup_v3                   w[4], v[4];
  sup_tree_kinematics_data kin = {X, w, v};
  double                   q[3] = {0.1, 0.01, 0.01}, rest[3] = {0};
  sup_tree_kinematics(tree, &base, q, rest, &kin);
  for (int i = 0; i < 4; i++) {
    if (strcmp(tree->links[i].name, "left_jaw") == 0)
      NEAR(X[i].p.x, -0.025, 1e-14, 0), NEAR(X[i].p.z, 0.084, 1e-14, 0);
    if (strcmp(tree->links[i].name, "right_jaw") == 0)
      NEAR(X[i].p.x, 0.025, 1e-14, 0), NEAR(X[i].p.z, 0.084, 1e-14, 0);
  }
  sup_tree_destroy(&tree);
  sup_tree_def_free(&def);
}

SUITE_TESTS(urdf, TEST(links_and_joints_arrive), TEST(inertia_is_turned_into_link_axes),
            TEST(collision_shapes_and_contact_tags_arrive), TEST(what_is_not_used_is_noted_once),
            TEST(joints_without_limits_are_named_once),
            TEST(misspelt_elements_and_attributes_are_warned_of),
            TEST(prefixes_work_without_their_declaration),
            TEST(numbers_are_read_alike_in_any_whitespace),
            TEST(packages_are_found_in_the_given_folders_and_above_the_file),
            TEST(collision_meshes_are_hulls), TEST(collision_meshes_of_cells_carry_their_field),
            TEST(ellipsoids_have_three_half_axes), TEST(contact_tags_that_contradict_are_named),
            TEST(filter_groups_are_pairs_of_links), TEST(broken_files_say_line_and_remedy),
            TEST(names_too_long_or_links_too_many_are_errors), TEST(memory_failures_are_reported),
            TEST(mutated_files_are_read_or_refused), TEST(robots_from_the_wild_load),
            TEST(habits_of_other_programs_are_read), TEST(absent_meshes_are_named_in_one_message),
            TEST(many_absent_meshes_are_counted), TEST(declarations_of_xml_are_mended),
            TEST(rotors_of_the_iiwa_arrive), TEST(reductions_are_gears_of_rotors_or_noted),
            TEST(our_gripper_loads_without_a_word));
