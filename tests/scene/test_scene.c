#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/vec.h"
#include "mesh/mesh.h"
#include "model/kinematics.h"
#include "scene/scene.h"
#include "test.h"
#include "tree/joint.h"

#define PI 3.14159265358979323846

static const char *full = "tests/data/scene/full.yaml";

static sup_scene *load(const char *path, const char *const *sets, int num_sets) {
  sup_scene *scene = NULL;
  OK(sup_scene_load(&scene, path, sets, num_sets));
  return scene;
}

/** Path of a file in the folder of this test's files, filled with this text. */
static const char *write_file(const char *name, const char *text, size_t size) {
  static char     path[512];
  sup_file_writer writer;
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  OK(sup_file_open(&writer, path));
  fwrite(text, 1, size, writer.file);
  OK(sup_file_commit(&writer));
  return path;
}

static void same_vector(const double *actual, double x, double y, double z) {
  NEAR(actual[0], x, 1e-15, 1e-15);
  NEAR(actual[1], y, 1e-15, 1e-15);
  NEAR(actual[2], z, 1e-15, 1e-15);
}

static void same_contact(const sup_contact_def *c, double friction, double dissipation,
                         double stiffness, double resolution) {
  NEAR(c->friction, friction, 1e-15, 0);
  NEAR(c->dissipation, dissipation, 1e-15, 0);
  NEAR(c->stiffness, stiffness, 1e-15, 0);
  NEAR(c->resolution, resolution, 1e-15, 0);
}

/* Member by member: the bits between them are nobody's. */
static void equal_contacts(const sup_contact_def *a, const sup_contact_def *b) {
  CHECK(a->friction == b->friction && a->static_friction == b->static_friction);
  CHECK(a->dissipation == b->dissipation && a->relaxation_time == b->relaxation_time);
  CHECK(a->hertz_modulus == b->hertz_modulus && a->stiffness == b->stiffness);
  for (int k = 0; k < 3; k++)
    CHECK(a->surface_velocity[k] == b->surface_velocity[k] &&
          a->surface_amplitude[k] == b->surface_amplitude[k] &&
          a->anisotropy_axis[k] == b->anisotropy_axis[k]);
  CHECK(a->surface_frequency == b->surface_frequency && a->surface_phase == b->surface_phase);
  CHECK(a->anisotropy_ratio == b->anisotropy_ratio && a->resolution == b->resolution);
  CHECK(a->modulus == b->modulus && a->field_resolution == b->field_resolution);
  CHECK(a->field_margin == b->field_margin && a->field_kind == b->field_kind);
  CHECK(a->field_thickness == b->field_thickness && a->self == b->self);
  CHECK(a->point_stiffness == b->point_stiffness && a->marker == b->marker);
}

static void same_inertia(const sup_link_def *link, double mass, double xx, double yy, double zz) {
  NEAR(link->mass, mass, 1e-14, 0);
  same_vector(link->com, 0, 0, 0);
  NEAR(link->inertia[0], xx, 1e-14, 0);
  NEAR(link->inertia[1], yy, 1e-14, 0);
  NEAR(link->inertia[2], zz, 1e-14, 0);
  same_vector(link->inertia + 3, 0, 0, 0);
}

static void same_rules(const sup_contact_rules *a, const sup_contact_rules *b) {
  CHECK(a->model == b->model && a->normal_law == b->normal_law);
  CHECK(a->barrier_energy == b->barrier_energy && a->barrier_range == b->barrier_range);
  CHECK(a->barrier_surface_energy == b->barrier_surface_energy);
  CHECK(a->barrier_margin == b->barrier_margin);
  CHECK(a->soft_surface == b->soft_surface && a->layer == b->layer);
}

static void same_options(const sup_options *a, const sup_options *b) {
  CHECK(a->dt == b->dt && memcmp(a->gravity, b->gravity, sizeof a->gravity) == 0 &&
        a->tolerance == b->tolerance);
  CHECK(a->max_iterations == b->max_iterations && a->backend == b->backend);
  CHECK(a->sigma == b->sigma &&
        a->beta == b->beta); /* stiction_tolerance follows the bodies: test_stiction.c */
  CHECK(a->delassus == b->delassus);
  CHECK(a->friction_sweeps == b->friction_sweeps && a->sweep_tolerance == b->sweep_tolerance);
}

static void same_region(const sup_region *a, const sup_region *b) {
  CHECK(a->type == b->type && a->offset == b->offset);
  CHECK(memcmp(a->lower, b->lower, sizeof a->lower) == 0 &&
        memcmp(a->upper, b->upper, sizeof a->upper) == 0);
  CHECK(memcmp(a->normal, b->normal, sizeof a->normal) == 0);
}

/* ---- where the values of full.yaml land ------------------------------------------------------ */

static void options_and_title_land(void) {
  sup_scene         *s = load(full, NULL, 0);
  const sup_options *o = &s->options;
  CHECK(strcmp(s->name, "full") == 0 && strcmp(s->title, "Every key") == 0);
  CHECK(s->end_time == 2 && s->threads == 2);
  CHECK(o->dt == 0.005 && o->max_iterations == 33 && o->backend == SUP_BACKEND_CHOLMOD &&
        o->friction_sweeps == 3);
  same_vector(o->gravity, 0, 1, -9.81);
  NEAR(o->tolerance, 1e-6, 0, 0);
  NEAR(o->stiction_tolerance, 2e-4, 1e-15, 0);
  NEAR(o->sigma, 2e-3, 0, 0);
  NEAR(o->beta, 0.9, 0, 0);
  NEAR(o->sweep_tolerance, 0.01, 0, 0);
  const char *inputs[] = {"tests/data/scene/full.yaml", "tests/data/scene/rubbers.yaml",
                          "tests/data/scene/arm.urdf", "tests/data/scene/cube.vtk"};
  CHECK(s->num_inputs == 4);
  for (int i = 0; i < s->num_inputs; i++) CHECK(strcmp(s->input[i], inputs[i]) == 0);
  sup_scene_destroy(&s);
  CHECK(s == NULL);
}

static const sup_link_def *link_of(const sup_tree_def *tree, const char *joint) {
  for (int l = 0; l < tree->num_links; l++)
    if (strcmp(tree->links[l].joint_name, joint) == 0) return &tree->links[l];
  CU_FAIL_FATAL("no such joint");
  return NULL;
}

static void robots_and_actuators_land(void) {
  const char *motion =
      "robots.arm.motion=[[0 s, 0, 0, 0, 0, 0, 0], [1 s, 1 mm, 0, 0, 0, 0, 90 deg]]";
  sup_scene          *s = load(full, &motion, 1);
  const sup_tree_def *arm = &s->model.trees[0];
  CHECK(s->model.num_trees == 7 && strcmp(arm->name, "arm") == 0 && !arm->is_rigid_body &&
        arm->num_links == 6);
  same_vector(arm->X_WB.p, 1, 2, 0.3);
  NEAR(arm->X_WB.q[0], sqrt(0.5), 1e-15, 0);
  same_vector(arm->X_WB.q + 1, 0, 0, sqrt(0.5));
  NEAR(link_of(arm, "slide")->q0[0], 0.05, 1e-15, 0);
  NEAR(link_of(arm, "turn")->q0[0], PI / 6, 1e-15, 0);
  NEAR(link_of(arm, "spin")->q0[0], -1, 0, 0);
  same_vector(link_of(arm, "float")->q0, 0, 0, 1);
  /* the lever gives its friction, equal to the library's default */
  same_contact(&link_of(arm, "turn")->geometries[0].contact, 0.5, 7, 3e10, 0.006);
  CHECK(arm->motion.num_rows == 2 && arm->motion.width == 6 && arm->motion.time[1] == 1);
  same_vector(arm->motion.value + 6, 0.001, 0, 0);
  same_vector(arm->motion.value + 9, 0, 0, PI / 2);

  const sup_actuator_def *lift = &s->model.actuators[0], *twist = &s->model.actuators[1];
  CHECK(s->model.num_actuators == 2 && strcmp(lift->name, "lift") == 0 &&
        strcmp(lift->joint, "arm/slide") == 0);
  CHECK(lift->kp == 1000 && lift->kd == 50 && lift->effort == 15 && lift->target.num_rows == 2);
  CHECK(lift->target.time[1] == 1 && lift->target.value[1] == 0.012);
  CHECK(twist->kp == 0 && twist->kd == 2 && isinf(twist->effort) &&
        strcmp(twist->joint, "arm/spin") == 0);
  NEAR(twist->target.value[0], PI / 18, 1e-15, 0);
  sup_scene_destroy(&s);
}

/* Contact properties that the scene gives a link hold for all its geometries; others keep the
 * values of the URDF. */
static void the_scene_gives_links_their_contact(void) {
  sup_scene              *s = load(full, NULL, 0);
  const sup_tree_def     *arm = &s->model.trees[0];
  const sup_geometry_def *carriage = link_of(arm, "slide")->geometries,
                         *satellite = link_of(arm, "float")->geometries;
  same_contact(&carriage->contact, 0.8, 7, 3e10, 0.006);
  NEAR(carriage->contact.modulus, 2e6, 1e-15, 0);
  NEAR(carriage->contact.field_resolution, 0.003, 1e-15, 0);
  NEAR(carriage->contact.field_margin, sup_default_contact_def().field_margin, 0, 0);
  CHECK(link_of(arm, "float")->num_geometries == 2 &&
        link_of(arm, "turn")->geometries[0].contact.modulus == 0);
  same_contact(&satellite[0].contact, 0.9, 4, 3e10, 0.05);
  same_contact(&satellite[1].contact, 0.9, 4, 3e10, 0.006);
  sup_scene_destroy(&s);
  const char *set = "robots.arm.contact.lever={friction: 0.7, resolution: 2 mm}";
  s = load(full, &set, 1);
  same_contact(&link_of(&s->model.trees[0], "turn")->geometries[0].contact, 0.7, 7, 3e10, 0.002);
  sup_scene_destroy(&s);
}

static void rigid_bodies_land(void) {
  sup_scene          *s = load(full, NULL, 0);
  const sup_tree_def *tree = s->model.trees;
  const char         *names[] = {"arm", "floor", "box", "can", "ball", "pill", "piston"};
  for (int t = 1; t < 7; t++) {
    CHECK(strcmp(tree[t].name, names[t]) == 0 && strcmp(tree[t].links[0].name, names[t]) == 0);
    CHECK(tree[t].is_rigid_body && tree[t].num_links == 1 && tree[t].links[0].num_geometries == 1);
    CHECK(tree[t].links[0].joint == (t == 1 || t == 6 ? SUP_JOINT_FIXED : SUP_JOINT_FLOATING));
  }
  CHECK(tree[1].links[0].geometries[0].shape.type == SUP_SHAPE_HALF_SPACE);
  same_contact(&tree[1].links[0].geometries[0].contact, 0.8, 7, 2e9, 0.006);

  const sup_link_def *box = &tree[2].links[0];
  CHECK(box->geometries[0].shape.type == SUP_SHAPE_BOX);
  same_vector(box->geometries[0].shape.size, 0.01, 0.02, 0.03);
  same_inertia(box, 0.006, 0.006 * (4e-4 + 9e-4) / 12, 0.006 * (1e-4 + 9e-4) / 12,
               0.006 * (1e-4 + 4e-4) / 12);
  same_vector(box->q0, 0, 0, 1);
  NEAR(box->q0[3], 0.8, 1e-15, 0);
  same_vector(box->q0 + 4, 0, 0, 0.6);
  /* v = (w, v) in body axes, which are turned about z by 2 acos(0.8): cos 0.28, sin 0.96 */
  same_vector(box->v0, 0, 0, PI / 2);
  same_vector(box->v0 + 3, 0.28, -0.96, 0);
  same_contact(&box->geometries[0].contact, 0.7, 8, 1e10, 0.004);

  same_inertia(&tree[3].links[0], 0.1, 0.1 * (4e-4 / 4 + 64e-4 / 12), 0.1 * (4e-4 / 4 + 64e-4 / 12),
               0.1 * 2e-4);
  same_inertia(&tree[4].links[0], 0.2, 0.2 * 0.4 * 9e-4, 0.2 * 0.4 * 9e-4, 0.2 * 0.4 * 9e-4);
  CHECK(tree[5].links[0].geometries[0].shape.type == SUP_SHAPE_CAPSULE);

  const sup_table *motion = &tree[6].motion;
  double           times[] = {0, 1, 2, 3}, z[] = {0, 0.01, 0.02, 0.02}, turn[] = {0, 0, PI / 2, PI};
  CHECK(motion->num_rows == 4 && motion->width == 6);
  for (int i = 0; i < 4; i++) {
    NEAR(motion->time[i], times[i], 0, 0);
    same_vector(motion->value + 6 * i, 0, 0, z[i]);
    same_vector(motion->value + 6 * i + 3, 0, 0, turn[i]);
  }
  NEAR(tree[6].X_WB.q[1], sqrt(0.5), 1e-15, 0);
  sup_scene_destroy(&s);
}

static void an_inertia_replaces_that_of_the_uniform_solid(void) {
  const char         *sets[] = {"rigid.pill.inertia=[20 kg mm^2, 21 kg mm^2, 4.0e-6]"};
  sup_scene          *s = load(full, sets, 1);
  const sup_link_def *pill = &s->model.trees[5].links[0];
  same_inertia(pill, 0.05, 20e-6, 21e-6, 4e-6);
  sup_scene_destroy(&s);
}

/** Moments of a capsule by sums over thin discs of radius r(z): dm (r^2/4 + z^2) across, dm r^2/2
 * along. */
static void capsule_inertia_is_that_of_its_discs(void) {
  sup_scene          *s = load(full, NULL, 0);
  const sup_link_def *pill = &s->model.trees[5].links[0];
  double              R = 0.01, L = 0.04, mass = 0, across = 0, along = 0;
  const int           n = 200000;
  for (int i = 0; i < n; i++) {
    double z = (L / 2 + R) * (2 * (i + 0.5) / n - 1), beyond = fmax(fabs(z) - L / 2, 0),
           r2 = R * R - beyond * beyond;
    mass += r2, across += r2 * (r2 / 4 + z * z), along += r2 * r2 / 2;
  }
  NEAR(pill->mass, 0.05, 1e-15, 0);
  NEAR(pill->inertia[0], 0.05 * across / mass, 1e-8, 0);
  NEAR(pill->inertia[1], pill->inertia[0], 0, 0);
  NEAR(pill->inertia[2], 0.05 * along / mass, 1e-8, 0);
  sup_scene_destroy(&s);
}

/** Two thirds and one third of a box of 1 x 2 x 3 cm, the latter with its axes swapped, all turned
 * and moved. */
static void shapes_together_have_the_mass_and_inertia_of_the_whole(void) {
  static const char text[] =
      "supple: 1\ntime: {step: 1 ms, end: 1 ms}\nrigid:\n  whole:\n    density: 2000\n    shapes:\n"
      "      - {shape: {box: {size: [0.01, 0.02, 0.02]}}, pose: {position: [0.1, 0.2, 0.3], rpy: "
      "[30 deg, 0, 0]}}\n"
      "      - {shape: {box: {size: [0.01, 0.01, 0.02]}}, pose: {position: [0.1, 0.1925, "
      "0.31299038105676658], rpy: [120 deg, 0, 0]}}\n    contact: {friction: 0.3}\n";
  sup_scene          *s = load(write_file("whole.yaml", text, sizeof text - 1), NULL, 0);
  const sup_link_def *link = &s->model.trees[0].links[0];
  double c = sqrt(0.75), mass = 0.012, yy = (1e-4 + 9e-4) / 12, zz = (1e-4 + 4e-4) / 12,
         xx = (4e-4 + 9e-4) / 12;
  CHECK(link->num_geometries == 2 && link->geometries[1].contact.friction == 0.3);
  NEAR(link->geometries[0].X_LG.q[1], sin(PI / 12), 1e-15, 0);
  NEAR(link->mass, mass, 1e-14, 0);
  NEAR(link->com[0], 0.1, 1e-14, 0);
  NEAR(link->com[1], 0.2 - 0.005 * 0.5, 1e-14, 0);
  NEAR(link->com[2], 0.3 + 0.005 * c, 1e-14, 0);
  double expected[] = {xx, 0.75 * yy + 0.25 * zz, 0.25 * yy + 0.75 * zz, 0, 0, 0.5 * c * (yy - zz)};
  for (int k = 0; k < 6; k++) NEAR(link->inertia[k], mass * expected[k], 1e-13, 1e-20);
  sup_scene_destroy(&s);
}

/* A joint in the plane across (0 .6 .8): where it stands and how it goes, in the joint's axes. */
static void planar_joints_start_where_they_are_told(void) {
  sup_scene *s = load("tests/data/scene/planar.yaml", NULL, 0);
  sup_model *model;
  sup_state *state;
  OK(sup_model_create(&model, &s->model));
  OK(sup_state_create(&state, model, &s->options));
  CHECK(state->num_q == 3 && state->num_v == 3);
  const sup_link_def *cart = &s->model.trees[0].links[1];
  sup_v3              axis = sup_v3_load(cart->axis), p = {0, 0, 0}, v = {0, 0, 0};
  for (int k = 0; k < 2; k++) {
    p = sup_v3_madd(p, state->q[k], sup_joint_plane(axis, k));
    v = sup_v3_madd(v, state->v[k], sup_joint_plane(axis, k));
  }
  same_vector(&p.x, .1, .04, -.03);
  same_vector(&v.x, 0, .08, -.06);
  NEAR(state->q[2], 2 * acos(.8), 1e-14, 0);
  NEAR(state->v[2], .5, 1e-14, 0);
  sup_state_destroy(&state);
  sup_model_destroy(&model);
  sup_scene_destroy(&s);
}

/* The finger rides on the lever; a list gives it two links. */
static void several_links_carry_a_soft_body(void) {
  const char *sets[] = {
      "soft.finger.attach=[{link: arm/lever, region: {named: base}}, "
      "{link: box, region: {named: tip}}]",
      "soft.finger.attach.1.link=ball"};
  sup_scene          *s = load(full, sets, 2);
  const sup_soft_def *finger = &s->model.softs[0];
  CHECK(finger->num_attachments == 2);
  CHECK(strcmp(finger->attachments[0].link, "arm/lever") == 0);
  CHECK(strcmp(finger->attachments[1].link, "ball") == 0);
  CHECK(strcmp(finger->attachments[1].region.name, "tip") == 0);
  sup_scene_destroy(&s);
}

static void soft_bodies_land(void) {
  sup_scene          *s = load(full, NULL, 0);
  const sup_soft_def *finger = &s->model.softs[0], *cube = &s->model.softs[1],
                     *copy = &s->model.softs[2];
  sup_v3 lower, upper;
  CHECK(s->model.num_softs == 3 && strcmp(finger->name, "finger") == 0 &&
        finger->mesh->type == SUP_CELL_H8);
  sup_mesh_bounds(finger->mesh, &lower, &upper);
  same_vector(&upper.x, 0.03, 0.08, 0.02);
  CHECK(strcmp(finger->material.name, "soft_rubber") == 0 && finger->lumped_mass &&
        finger->num_attachments == 1);
  CHECK(finger->material.youngs_modulus == 1e6 && finger->material.density == 1100);
  CHECK(finger->material.model == SUP_MATERIAL_LINEAR_COROTATIONAL);
  CHECK(strcmp(finger->attachments->link, "arm/lever") == 0 &&
        finger->attachments->region.type == SUP_REGION_HALF_SPACE);
  same_vector(finger->attachments->region.normal, 0, 1, 0);
  NEAR(finger->attachments->region.offset, 0.002, 0, 0);
  same_vector(finger->X_WS.p, 0, 0.01, 0);
  NEAR(finger->contact.friction, 0.9, 0, 0);
  NEAR(finger->contact.dissipation, 5, 0, 0);

  CHECK(cube->mesh->type == SUP_CELL_T4 && cube->mesh->num_cells == 12 && !cube->lumped_mass &&
        cube->num_attachments == 0);
  CHECK(strcmp(cube->material.name, "hard_rubber") == 0 && cube->material.youngs_modulus == 21e6);
  CHECK(cube->material.poissons_ratio == 0.4 && cube->material.mass_damping == 0.5);
  CHECK(cube->material.stiffness_damping == 0.002 && cube->material.model == SUP_MATERIAL_LINEAR);
  same_vector(cube->v0, 0, 0, -1);
  CHECK(cube->num_clamps == 2 && cube->clamps[0].type == SUP_REGION_BOX);
  same_vector(cube->clamps[0].upper, 1, 1, 0.001);
  CHECK(cube->num_dirichlet == 2 && cube->dirichlet[0].axes == SUP_AXIS_Y &&
        cube->dirichlet[0].motion.num_rows == 0);
  CHECK(cube->dirichlet[1].axes == (SUP_AXIS_X | SUP_AXIS_Z) &&
        strcmp(cube->dirichlet[1].name, "top") == 0);
  CHECK(cube->dirichlet[1].has_about && cube->dirichlet[1].about[2] == 0.02 &&
        cube->dirichlet[1].motion.value[8] == 0.001);
  CHECK(cube->num_tractions == 1 && cube->tractions[0].scale.num_rows == 2 &&
        cube->tractions[0].scale.value[1] == 1);
  same_vector(cube->tractions[0].total_force, 1, 0, 2);
  NEAR(cube->contact.friction, 0.6, 0, 0);

  CHECK(copy->material.youngs_modulus == 5e6 && copy->lumped_mass && copy->mesh->num_vertices == 8);
  NEAR(sup_mesh_volume(copy->mesh), 1e-6, 1e-14, 0);
  sup_scene_destroy(&s);
}

static void contact_pairs_and_output_land(void) {
  sup_scene          *s = load(full, NULL, 0);
  const sup_pair_def *pair = s->model.pairs;
  CHECK(s->model.num_pairs == 2 && strcmp(pair[0].a, "box") == 0 &&
        strcmp(pair[0].b, "floor") == 0);
  CHECK(pair[0].friction == 0.11 && pair[0].dissipation == 2 && pair[0].stiffness == 1e9 &&
        !pair[0].disabled);
  CHECK(pair[0].model == SUP_MODEL_SAP && pair[0].normal_law == SUP_NORMAL_HERTZ &&
        pair[0].static_friction == 0.12);
  CHECK(pair[0].relaxation_time == 0.003 && pair[0].barrier_energy == 3e-5 &&
        isnan(pair[0].barrier_range));
  CHECK(pair[1].model == SUP_NONE && pair[1].normal_law == SUP_NONE &&
        isnan(pair[1].relaxation_time));
  CHECK(pair[1].disabled && isnan(pair[1].friction) && isnan(pair[1].dissipation) &&
        isnan(pair[1].stiffness));
  CHECK(s->output.every == 0.02 && s->output.format == SUP_VTK_ASCII && s->output.fields &&
        s->output.num_pairs == 2 && s->output.num_probes == 2);
  CHECK(strcmp(s->output.pair[1][0], "arm/lever") == 0 &&
        strcmp(s->output.pair[1][1], "finger") == 0);
  CHECK(strcmp(s->output.probes[0].name, "tip") == 0 &&
        strcmp(s->output.probes[1].body, "arm/lever") == 0);
  same_vector(s->output.probes[0].point, 0, 0.08, 0.01);
  sup_scene_destroy(&s);
}

/** The body's world velocity and angular velocity as its joint has them; the definition is that of
 * `thing`. */
static void joint_velocities(const sup_scene *s, double out[6]) {
  sup_model     *model;
  sup_state     *state;
  sup_arena     *arena;
  sup_kinematics kin;
  OK(sup_model_create(&model, &s->model));
  OK(sup_state_create(&state, model, &s->options));
  OK(sup_arena_create(&arena, 1 << 12));
  sup_increment inc = sup_increment_of_motion(&s->options, 0, 0);
  OK(sup_kinematics_compute(&kin, model, &inc, state->q, state->v, arena));
  sup_v3_store(out, kin.v[0]);
  sup_v3_store(out + 3, kin.w[0]);
  same_vector((double[3]){kin.X_WL[0].p.x, kin.X_WL[0].p.y, kin.X_WL[0].p.z}, 1, 2, 3);
  NEAR(kin.X_WL[0].R.m[0][0], cos(PI / 6) * cos(PI / 9), 1e-15, 0);
  sup_arena_destroy(&arena);
  sup_state_destroy(&state);
  sup_model_destroy(&model);
}

/* Velocities are in world axes, whatever the joint and the body's pose. */
static void bodies_may_have_fewer_freedoms(void) {
  const char *text =
      "supple: 1\ntime: {step: 1 ms, end: 1}\nrigid:\n  thing: {shape: {box: {size: [1, 2, 3]}}, "
      "mass: 1, pose: {position: [1, 2, 3], rpy: [10 deg, 20 deg, 30 deg]}}\n";
  static const char *const sets[3][4] = {
      {"rigid.thing.joint=free", "rigid.thing.velocity=[1, 2, 3]",
       "rigid.thing.angular_velocity=[4, 5, 6]"},
      {"rigid.thing.joint=translation", "rigid.thing.velocity=[1, 2, 3]"},
      {"rigid.thing.joint=planar", "rigid.thing.velocity=[1, 0, 3]",
       "rigid.thing.angular_velocity=[0, 5, 0]"}};
  static const int            num_sets[3] = {3, 2, 3};
  static const sup_joint_type joints[3] = {SUP_JOINT_FLOATING, SUP_JOINT_TRANSLATION,
                                           SUP_JOINT_PLANAR};
  static const double expected[3][6] = {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 0, 0, 0}, {1, 0, 3, 0, 5, 0}};
  const char         *path = write_file("joints.yaml", text, strlen(text));
  for (int k = 0; k < 3; k++) {
    sup_scene *s = load(path, sets[k], num_sets[k]);
    double     v[6];
    CHECK(s->model.trees[0].links[0].joint == joints[k]);
    joint_velocities(s, v);
    for (int i = 0; i < 6; i++) NEAR(v[i], expected[k][i], 1e-14, 1e-14);
    sup_scene_destroy(&s);
  }
  const char *tilted[] = {"rigid.thing.joint=planar", "rigid.thing.plane_normal=[0, 3, 4]",
                          "rigid.thing.velocity=[0, 4, -3]",
                          "rigid.thing.angular_velocity=[0, 6, 8]"};
  sup_scene  *s = load(path, tilted, 4);
  double      v[6];
  joint_velocities(s, v);
  for (int i = 0; i < 6; i++) NEAR(v[i], ((double[]){0, 4, -3, 0, 6, 8})[i], 1e-14, 1e-14);
  sup_scene_destroy(&s);
}

static void contact_laws_land(void) {
  sup_scene               *s = load(full, NULL, 0);
  const sup_contact_rules *rules = &s->model.contact;
  const sup_contact_def   *box = &s->model.trees[2].links[0].geometries[0].contact,
                        *cube = &s->model.softs[1].contact;
  CHECK(rules->model == SUP_MODEL_SIMILAR && rules->normal_law == SUP_NORMAL_KELVIN_VOIGT);
  CHECK(rules->soft_surface == SUP_SOFT_SURFACE_VERTICES && rules->layer == 15);
  CHECK(s->options.delassus == SUP_DELASSUS_FULL && rules->barrier_energy == 2e-5 &&
        rules->barrier_surface_energy == 3 && rules->barrier_range == 0.5e-3);
  CHECK(box->rolling_friction == 1e-3 && box->torsional_friction == 2e-3);
  CHECK(box->static_friction == 0.75 && box->relaxation_time == 0.002 && box->hertz_modulus == 4e6);
  CHECK(cube->static_friction == 0.65 && cube->relaxation_time == 0.002);
  same_vector(box->surface_velocity, 0.1, 0, 0);
  same_vector(box->surface_amplitude, 0, 0, 0);
  same_vector(box->anisotropy_axis, 0, 0, 2);
  CHECK(box->anisotropy_ratio == 0.5 && cube->anisotropy_ratio == 1);
  sup_scene_destroy(&s);
}

static void a_swinging_belt_lands(void) {
  const char *set =
      "rigid.box.contact.surface_velocity={amplitude: [0, 20 mm/s, 0], frequency: 2 Hz, phase: 90 "
      "deg}";
  sup_scene             *s = load(full, &set, 1);
  const sup_contact_def *box = &s->model.trees[2].links[0].geometries[0].contact;
  same_vector(box->surface_velocity, 0, 0, 0);
  same_vector(box->surface_amplitude, 0, 0.02, 0);
  NEAR(box->surface_frequency, 2, 0, 0);
  NEAR(box->surface_phase, PI / 2, 1e-15, 0);
  sup_scene_destroy(&s);
}

static void silence_means_the_defaults_of_the_library(void) {
  const char *text =
      "supple: 1\ntime: {step: 1 ms, end: 1}\nrigid: {ball: {shape: {sphere: {radius: 1}}, mass: "
      "1}}\n";
  sup_scene        *s = load(write_file("least.yaml", text, strlen(text)), NULL, 0);
  sup_options       expected = sup_default_options();
  sup_contact_rules rules = sup_default_contact_rules();
  sup_contact_def   contact = sup_default_contact_def();
  expected.dt = 0.001;
  same_options(&s->options, &expected);
  same_rules(&s->model.contact, &rules);
  equal_contacts(&s->model.trees[0].links[0].geometries[0].contact, &contact);
  CHECK(s->output.every == sup_default_output_def().every &&
        s->output.format == sup_default_output_def().format);
  CHECK(strcmp(s->title, "least") == 0 && s->threads == 0);
  sup_scene_destroy(&s);
}

static void springs_land(void) {
  sup_scene            *s = load(full, NULL, 0);
  const sup_spring_def *spring = s->model.springs;
  CU_ASSERT_FATAL(s->model.num_springs == 2);
  CHECK(strcmp(spring[0].name, "lead") == 0 && strcmp(spring[0].a, "world") == 0 &&
        strcmp(spring[0].b, "box") == 0);
  same_vector(spring[0].point_a, 0, 0, 1);
  same_vector(spring[0].point_b, 0, .01, 0);
  same_vector(spring[0].stiffness, 1000, 0, 2);
  same_vector(spring[0].damping, 0, 0, 0);
  same_vector(spring[0].rest, 0, 0, -.005);
  CHECK(strcmp(spring[1].a, "box") == 0 && strcmp(spring[1].b, "arm/lever") == 0);
  same_vector(spring[1].stiffness, 3, 3, 3);
  same_vector(spring[1].damping, 4, 4, 4);
  sup_scene_destroy(&s);
}

/** Rows may stand in a section with the way between them, for every kind of table. */
static void tables_say_how_they_go_from_row_to_row(void) {
  static const char *const set[] = {
      "loads.push.force={rows: [[0, 0, 0, 0], [1 s, 2 N, 0, 0]], interpolation: cubic}",
      "rigid.piston.motion={rows: [[0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 1 cm, 0, 0, 0]], "
      "interpolation: "
      "trapezoid}",
      "actuators.lift.targets={rows: [[0, 0], [1 s, 1 cm]], interpolation: minimum_jerk}"};
  sup_scene *s = load(full, set, 3);
  CHECK(s->model.loads[0].force.interpolation == SUP_INTERPOLATION_CUBIC);
  CHECK(s->model.trees[6].motion.interpolation == SUP_INTERPOLATION_TRAPEZOID);
  CHECK(s->model.actuators[0].target.interpolation == SUP_INTERPOLATION_MINIMUM_JERK);
  sup_scene_destroy(&s);
}

static void same_table(const sup_table *a, const sup_table *b) {
  CHECK(a->num_rows == b->num_rows);
  if (a->num_rows != b->num_rows || a->num_rows == 0) return;
  CHECK(a->width == b->width &&
        memcmp(a->time, b->time, (size_t)a->num_rows * sizeof *a->time) == 0);
  CHECK(memcmp(a->value, b->value, (size_t)(a->num_rows * a->width) * sizeof *a->value) == 0);
  CHECK(a->interpolation == b->interpolation);
}

/** Columns by heading, by number, or the first ones, in the units of the heading. */
static void tables_may_be_files(void) {
  static const char *const set[] = {
      "actuators.lift.targets={file: ride.csv, interpolation: cubic}",
      "actuators.twist.targets={file: ride.csv, columns: [time, spin]}"};
  static const char *const numbered[] = {
      "actuators.twist.targets={file: ride.csv, columns: [1, 3]}"};
  sup_scene       *s = load(full, set, 2), *t = load(full, numbered, 1);
  const sup_table *lift = &s->model.actuators[0].target, *twist = &s->model.actuators[1].target;
  CU_ASSERT_FATAL(lift->num_rows == 3 && twist->num_rows == 3);
  CHECK(lift->interpolation == SUP_INTERPOLATION_CUBIC);
  for (int i = 0; i < 3; i++) {
    NEAR(lift->time[i], 0.5 * i, 1e-15, 0);
    NEAR(lift->value[i], 0.006 * i, 1e-15, 0);
  }
  NEAR(twist->value[2], 40 * PI / 180, 1e-15, 0);
  same_table(twist, &t->model.actuators[1].target);
  CHECK(strstr(s->input[s->num_inputs - 1], "ride.csv") != NULL);
  sup_scene_destroy(&s), sup_scene_destroy(&t);
}

static void loads_land(void) {
  sup_scene          *s = load(full, NULL, 0);
  const sup_load_def *push = s->model.loads, *turn = push + 1;
  CU_ASSERT_FATAL(s->model.num_loads == 2);
  CHECK(strcmp(push->name, "push") == 0 && strcmp(push->body, "box") == 0 &&
        strcmp(turn->body, "arm/lever") == 0);
  same_vector(push->point, 0, .01, 0);
  CU_ASSERT_FATAL(push->force.num_rows == 2 && push->force.width == 3 &&
                  push->torque.num_rows == 0);
  CHECK(push->force.time[1] == 1);
  same_vector(push->force.value + 3, 2, 0, -1);
  CU_ASSERT_FATAL(turn->torque.num_rows == 1 && turn->torque.width == 3 &&
                  turn->force.num_rows == 0);
  same_vector(turn->torque.value, 0, 0, 3);
  sup_scene_destroy(&s);
}

static void a_sine_is_exact_at_all_times(void) {
  static const char text[] =
      "supple: 1\ntime: {step: 3 ms, end: 30 ms}\n"
      "rigid: {shaker: {shape: {sphere: {radius: 1}}, motion: {sine: {amplitude: [0, 2 cm, -1], "
      "cosine: [3 cm, 0, 1], period: 0.1 s, phase: 30 deg}}}}\n";
  sup_scene       *s = load(write_file("sine.yaml", text, strlen(text)), NULL, 0);
  const sup_table *motion = &s->model.trees[0].motion;
  for (double t = 0; t < 1; t += 0.0017) {
    double angle = 2 * PI * t / .1 + PI / 6, row[6];
    sup_table_at(motion, t, row);
    NEAR(row[0], .03 * cos(angle), 0, 1e-14);
    NEAR(row[1], .02 * sin(angle), 0, 1e-14);
    NEAR(row[2], cos(angle) - sin(angle), 0, 1e-14);
    CHECK(row[3] == 0 && row[4] == 0 && row[5] == 0);
  }
  sup_scene_destroy(&s);
}

/** Velocities of floating joints are stored along the link's own axes; the base is turned by 90 deg
 * about z. */
static void a_base_may_float_and_joints_may_move(void) {
  static const char *const set[] = {
      "robots.arm.base=free", "robots.arm.velocity=[1 m/s, 0, 2 m/s]",
      "robots.arm.angular_velocity=[0, 3 rad/s, 0]",
      "robots.arm.velocities={slide: 5 cm/s, spin: -90 deg/s, float: {velocity: [0, 4 m/s, 0]}}"};
  sup_scene          *s = load(full, set, 4);
  const sup_tree_def *arm = &s->model.trees[0];
  const sup_link_def *root = &arm->links[0];
  CHECK(root->joint == SUP_JOINT_FLOATING && strcmp(root->joint_name, "floating_base") == 0);
  same_vector(arm->X_WB.p, 0, 0, 0);
  same_vector(root->q0, 1, 2, 0.3);
  NEAR(root->q0[3], sqrt(0.5), 1e-15, 0);
  NEAR(root->q0[6], sqrt(0.5), 1e-15, 0);
  same_vector(root->v0, 3, 0, 0);
  same_vector(root->v0 + 3, 0, -1, 2);
  NEAR(link_of(arm, "slide")->v0[0], 0.05, 1e-15, 0);
  NEAR(link_of(arm, "spin")->v0[0], -PI / 2, 1e-15, 0);
  CHECK(link_of(arm, "turn")->v0[0] == 0);
  same_vector(link_of(arm, "float")->v0, 0, 0, 0);
  same_vector(link_of(arm, "float")->v0 + 3, 0, 4, 0);
  sup_scene_destroy(&s);
  /* followers move with their leaders */
  static const char *const left[] = {"robots.gripper.velocities={left: -5 mm/s}"};
  s = load("examples/shaken_mug.yaml", left, 1);
  NEAR(link_of(&s->model.trees[0], "right")->v0[0], -0.005, 1e-15, 0);
  sup_scene_destroy(&s);
}

static void a_follower_starts_where_its_leader_puts_it(void) {
  static const char *const set[] = {"robots.gripper.joints={left: -5 mm}"};
  sup_scene               *s = load("examples/shaken_mug.yaml", set, 1);
  const sup_tree_def      *gripper = &s->model.trees[0];
  int                      followers = 0;
  for (int l = 0; l < gripper->num_links; l++) {
    const sup_link_def *link = &gripper->links[l];
    if (link->mimic == SUP_NONE) continue;
    followers++;
    CHECK(strcmp(link->joint_name, "right") == 0 &&
          strcmp(gripper->links[link->mimic].joint_name, "left") == 0);
    CHECK(link->mimic_ratio == 1 && link->mimic_offset == 0);
    CHECK(link->q0[0] == -.005);
  }
  CHECK(followers == 1);
  sup_scene_destroy(&s);
}

static void time_schemes_land(void) {
  static const struct {
    const char *set;
    sup_scheme  expected;
  } cases[] = {{"scheme: symplectic_euler", {0, 1, 1}},
               {"scheme: implicit_euler", {1, 1, 1}},
               {"scheme: midpoint", {.5, .5, .5}},
               {"scheme: theta, theta: 0.25, theta_vq: 0.75", {.25, .25, .75}},
               {"scheme: theta, theta: 0, theta_vq: 1, theta_stiff: 0.5", {0, .5, 1}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "supple: 1\ntime: {step: 1 ms, end: 1, %s}\nsolver: {certificate: true, "
             "report_condition: true}\n"
             "rigid: {ball: {shape: {sphere: {radius: 1}}, mass: 1}}\n",
             cases[i].set);
    sup_scene        *s = load(write_file("scheme.yaml", text, strlen(text)), NULL, 0);
    const sup_scheme *c = &s->options.scheme;
    CHECK(c->theta == cases[i].expected.theta && c->theta_stiff == cases[i].expected.theta_stiff &&
          c->theta_vq == cases[i].expected.theta_vq);
    CHECK(s->options.certificate == 1 && s->options.report_condition == 1);
    sup_scene_destroy(&s);
  }
}

/* ---- overrides, resolved scene --------------------------------------------------------------- */

static void bdf2_is_a_scheme_of_soft_bodies(void) {
  const char *text =
      "supple: 1\ntime: {step: 1 ms, end: 1, scheme: bdf2}\n"
      "materials: {m: {youngs_modulus: 1 MPa, poissons_ratio: 0.3, density: 1000}}\n"
      "soft: {cube: {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: m}}\n";
  sup_scene *s = load(write_file("bdf2.yaml", text, strlen(text)), NULL, 0);
  CHECK(s->options.soft_bdf2 == 1);
  CHECK(s->options.scheme.theta == 0 && s->options.scheme.theta_stiff == 1);
  sup_scene_destroy(&s);
}

static void overrides_change_what_is_loaded(void) {
  const char *sets[] = {"time.step=1 ms",
                        "solver.backend=supernodal",
                        "contact.pairs.0.friction=0.2",
                        "materials.soft_rubber.youngs_modulus=2 MPa",
                        "soft.finger.material={base: hard_rubber}",
                        "soft.copy.contact.friction=0",
                        "rigid.can=null",
                        "rigid.can.shape={sphere: {radius: 5 mm}}",
                        "rigid.can.mass=1 g",
                        "output.probes.tip.point.1=70 mm"};
  sup_scene  *s = load(full, sets, (int)(sizeof sets / sizeof *sets));
  CHECK(s->options.dt == 0.001 && s->options.backend == SUP_BACKEND_SUPERNODAL);
  CHECK(s->model.pairs[0].friction == 0.2 && s->model.softs[2].contact.friction == 0);
  CHECK(strcmp(s->model.softs[0].material.name, "hard_rubber") == 0);
  CHECK(s->model.trees[3].links[0].mass == 0.001 && s->output.probes[0].point[1] == 0.07);
  sup_scene_destroy(&s);
}

static void overrides_may_name_other_materials(void) {
  const char *sets[] = {"materials=[rubbers.yaml]", "materials.hard_rubber.density=1300"};
  sup_scene  *s = load(full, sets, 2);
  CHECK(sup_node_find(s->root, "materials")->num_children == 2);
  CHECK(s->model.softs[1].material.density == 1300);
  sup_scene_destroy(&s);
}

/** Files that the scene names and that are not there do not matter once others take their place. */
static void overrides_replace_materials_that_are_not_there(void) {
  const char *sets[] = {"time.step=2 ms", "materials=[also_nowhere.yaml]",
                        "materials={r: {youngs_modulus: 1 MPa, poissons_ratio: 0.3, density: 900}}",
                        "materials.r.density=1300"};
  char        path[600];
  sup_scene  *s;
  snprintf(path, sizeof path, "%s/nowhere.yaml", test_folder());
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(
      "supple: 1\ntime: {step: 1 ms, end: 1 s}\nmaterials: [nowhere_at_all.yaml]\n"
      "soft:\n  b: {mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: r}\n",
      file);
  fclose(file);
  OK(sup_scene_load(&s, path, sets, 4));
  CHECK(s->model.softs[0].material.density == 1300 && s->num_inputs == 1);
  sup_scene_destroy(&s);
  FAILS(sup_scene_load(&s, path, sets, 2), SUP_E_IO, "also_nowhere.yaml");
  FAILS(sup_scene_load(&s, path, sets, 1), SUP_E_IO, "nowhere.yaml:3:13: cannot read");
  FAILS(sup_scene_load(&s, path, sets + 3, 1), SUP_E_IO, "nowhere_at_all.yaml");
}

static void same_trees(const sup_model_def *a, const sup_model_def *b) {
  CHECK(a->num_trees == b->num_trees);
  for (int t = 0; t < a->num_trees; t++) {
    const sup_tree_def *p = &a->trees[t], *q = &b->trees[t];
    CHECK(strcmp(p->name, q->name) == 0 && p->is_rigid_body == q->is_rigid_body &&
          p->num_links == q->num_links);
    CHECK(memcmp(&p->X_WB, &q->X_WB, sizeof p->X_WB) == 0);
    same_table(&p->motion, &q->motion);
    for (int l = 0; l < p->num_links; l++) {
      sup_link_def x = p->links[l], y = q->links[l];
      for (int g = 0; g < x.num_geometries && x.num_geometries == y.num_geometries; g++) {
        CHECK(x.geometries[g].shape.type == y.geometries[g].shape.type);
        CHECK(memcmp(x.geometries[g].shape.size, y.geometries[g].shape.size, 3 * sizeof(double)) ==
              0);
        CHECK(memcmp(&x.geometries[g].X_LG, &y.geometries[g].X_LG, sizeof(sup_pose)) == 0);
        equal_contacts(&x.geometries[g].contact, &y.geometries[g].contact);
      }
      CHECK(strcmp(x.name, y.name) == 0 && strcmp(x.joint_name, y.joint_name) == 0 &&
            x.joint == y.joint);
      CHECK(x.num_geometries == y.num_geometries && x.mass == y.mass);
      CHECK(memcmp(x.inertia, y.inertia, sizeof x.inertia) == 0);
      CHECK(memcmp(x.q0, y.q0, sizeof x.q0) == 0 && memcmp(x.v0, y.v0, sizeof x.v0) == 0);
    }
  }
}

static void same_softs(const sup_model_def *a, const sup_model_def *b) {
  CHECK(a->num_softs == b->num_softs);
  for (int s = 0; s < a->num_softs; s++) {
    const sup_soft_def *p = &a->softs[s], *q = &b->softs[s];
    CHECK(strcmp(p->name, q->name) == 0 && p->lumped_mass == q->lumped_mass);
    CHECK(p->mesh->num_vertices == q->mesh->num_vertices &&
          p->mesh->num_cells == q->mesh->num_cells);
    CHECK(memcmp(p->mesh->x, q->mesh->x, (size_t)(3 * p->mesh->num_vertices) * sizeof(double)) ==
          0);
    CHECK(p->material.model == q->material.model &&
          p->material.youngs_modulus == q->material.youngs_modulus);
    CHECK(p->material.poissons_ratio == q->material.poissons_ratio &&
          p->material.density == q->material.density);
    CHECK(p->material.mass_damping == q->material.mass_damping);
    CHECK(p->material.stiffness_damping == q->material.stiffness_damping);
    CHECK(memcmp(&p->X_WS, &q->X_WS, sizeof p->X_WS) == 0 &&
          memcmp(p->v0, q->v0, sizeof p->v0) == 0);
    equal_contacts(&p->contact, &q->contact);
    CHECK(p->num_clamps == q->num_clamps && p->num_attachments == q->num_attachments);
    for (int k = 0; k < p->num_attachments; k++) {
      same_region(&p->attachments[k].region, &q->attachments[k].region);
      CHECK(strcmp(p->attachments[k].link, q->attachments[k].link) == 0);
    }
    for (int k = 0; k < p->num_clamps; k++) same_region(&p->clamps[k], &q->clamps[k]);
    CHECK(p->num_dirichlet == q->num_dirichlet);
    for (int k = 0; k < p->num_dirichlet; k++) {
      same_region(&p->dirichlet[k].region, &q->dirichlet[k].region);
      same_table(&p->dirichlet[k].motion, &q->dirichlet[k].motion);
      CHECK(p->dirichlet[k].axes == q->dirichlet[k].axes &&
            p->dirichlet[k].about[2] == q->dirichlet[k].about[2]);
      CHECK(strcmp(p->dirichlet[k].name, q->dirichlet[k].name) == 0);
    }
    CHECK(p->num_tractions == q->num_tractions);
    for (int k = 0; k < p->num_tractions; k++) {
      same_region(&p->tractions[k].region, &q->tractions[k].region);
      CHECK(memcmp(p->tractions[k].total_force, q->tractions[k].total_force, 3 * sizeof(double)) ==
            0);
      same_table(&p->tractions[k].scale, &q->tractions[k].scale);
    }
  }
}

static void resolved_scene_gives_the_same_bits(void) {
  const char *sets[] = {
      "time.end=2.003 s", "rigid.box.pose.position=[0.333333333333333333 m, 1.0e-7, 12.7 cm]",
      "rigid.ball.inertia=[0.1, 0.07, 0.123456789012345678]", "title=\"it's \\u00e9 # {odd}\""};
  char       path[256], again[256], *first, *second;
  size_t     size, again_size;
  sup_scene *a, *b;
  a = load(full, sets, 4);
  snprintf(path, sizeof path, "%s/resolved.yaml", test_folder());
  snprintf(again, sizeof again, "%s/again.yaml", test_folder());
  OK(sup_scene_write_resolved(a, path));
  b = load(path, NULL, 0);
  same_options(&a->options, &b->options);
  same_rules(&a->model.contact, &b->model.contact);
  CHECK(a->end_time == b->end_time && a->threads == b->threads && strcmp(a->title, b->title) == 0);
  CHECK(strcmp(a->title, "it's \xc3\xa9 # {odd}") == 0);
  same_trees(&a->model, &b->model);
  same_softs(&a->model, &b->model);
  for (int i = 0; i < a->model.num_actuators; i++) {
    same_table(&a->model.actuators[i].target, &b->model.actuators[i].target);
    CHECK(a->model.actuators[i].kp == b->model.actuators[i].kp &&
          a->model.actuators[i].kd == b->model.actuators[i].kd);
    CHECK(a->model.actuators[i].effort == b->model.actuators[i].effort);
  }
  CHECK(a->model.num_pairs == b->model.num_pairs && a->output.every == b->output.every);
  CHECK(memcmp(a->output.probes, b->output.probes, 2 * sizeof *a->output.probes) == 0);
  /* resolving twice changes nothing below the comment line */
  OK(sup_scene_write_resolved(b, again));
  OK(sup_file_read(path, &first, &size));
  OK(sup_file_read(again, &second, &again_size));
  CHECK(strcmp(strchr(first, '\n'), strchr(second, '\n')) == 0);
  SUP_FREE(first);
  SUP_FREE(second);
  sup_scene_destroy(&a);
  sup_scene_destroy(&b);
}

static void loaded_scenes_make_models_and_outputs(void) {
  const char *pair =
      "contact.pairs.0.normal_law=hunt_crossley"; /* every key at once says things in vain */
  sup_scene *s = load(full, &pair, 1);
  sup_model *model = NULL;
  FAILS(sup_model_create(&model, &s->model), SUP_E_ARG,
        "'normal_law' of the contact pair of 'box' and 'floor' has no effect: their contact model "
        "sap does not use it");
  s->model.pairs[0] = sup_default_pair_def();
  s->model.num_pairs = 0;
  OK(sup_model_create(&model, &s->model));
  OK(sup_output_check(model, &s->options, &s->output));
  sup_model_destroy(&model);
  sup_scene_destroy(&s);
}

static void warn(sup_log_level level, const char *message, void *user) {
  if (level != SUP_LOG_WARNING) return;
  printf("\n    warning: %s", message);
  ++*(int *)user;
}

static void shipped_scenes_load_without_warning(void) {
  const char *names[] = {"finray_grasp", "finray_press", "soft_cube_drop"};
  int         warnings = 0, loaded = 0;
  for (int i = 0; i < 3; i++) {
    char  path[256];
    FILE *file;
    snprintf(path, sizeof path, "examples/%s.yaml", names[i]);
    if ((file = fopen(path, "r")) == NULL) continue;
    fclose(file);
    sup_log_set(warn, &warnings);
    sup_scene *s = load(path, NULL, 0);
    sup_log_set(NULL, NULL);
    sup_scene_destroy(&s);
    loaded++;
  }
  CHECK(warnings == 0 && loaded > 0);
}

static void every_shipped_material_says_its_source_and_uncertainty(void) {
  const char *names[] = {"tpu_85a", "tpu_95a", "ninjaflex", "icf_finray"};
  double      modulus[] = {22.7e6, 39e6, 12e6, 2.5e6};
  char        folder[1024], text[8192];
  CU_ASSERT_FATAL(getcwd(folder, sizeof folder) != NULL);
  snprintf(text, sizeof text,
           "supple: 1\ntime: {step: 1 ms, end: 1}\n"
           "materials: [%s/materials/tpu.yaml, %s/materials/ninjaflex.yaml, "
           "%s/materials/icf_finray.yaml]\nsoft:\n",
           folder, folder, folder);
  for (int i = 0; i < 4; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "  %s_body: {mesh: {finray: {}}, material: %s}\n", names[i], names[i]);
  sup_scene *s = load(write_file("materials.yaml", text, strlen(text)), NULL, 0);
  for (int i = 0; i < 4; i++) {
    const sup_node *material = sup_node_find(sup_node_find(s->root, "materials"), names[i]);
    CHECK(s->model.softs[i].material.youngs_modulus == modulus[i]);
    CHECK(sup_node_find(material, "source") != NULL &&
          sup_node_find(material, "uncertainty") != NULL);
  }
  CHECK(sup_node_find(s->root, "materials")->num_children == 4);
  CHECK(s->model.softs[3].material.stiffness_damping == 0.01 &&
        s->model.softs[3].material.poissons_ratio == 0.49);
  sup_scene_destroy(&s);
}

/* ---- robustness ------------------------------------------------------------------------------ */

static void every_failed_allocation_leaves_nothing_behind(void) {
  const char *sets[] = {"time.step=1 ms"};
  for (long k = 1; k < 100000; k += k < 200 ? 1 : 17) {
    sup_scene *s;
    sup_memory_fail_at(k);
    sup_status status = sup_scene_load(&s, full, sets, 1);
    sup_memory_fail_at(0);
    if (status == SUP_OK) {
      CHECK(k > 500);
      sup_scene_destroy(&s);
      return;
    }
    CHECK(status == SUP_E_MEMORY && s == NULL);
  }
  CU_FAIL("it never succeeded");
}

static size_t mutate(test_random *random, char *text, size_t size, size_t capacity) {
  static const char *const words[] = {
      "{",  "}",   "[",  "]",      ":", ",",    "-",      "\n",    "  ",       "\t",  "\"",  "'",
      "#",  "&a ", "*a", "<<: *a", "~", "null", "!!int ", "1e999", "-1",       "0",   "nan", "mm",
      "kg", "|",   ">",  "? ",     "%", "@",    "\xff",   "---\n", "1.0e+308", "true"};
  int edits = 1 + (int)((test_uniform(random) + 1) * 2);
  for (int e = 0; e < edits; e++) {
    size_t at = (size_t)((test_uniform(random) + 1) / 2 * (double)size), n;
    switch ((int)((test_uniform(random) + 1) * 2.5)) {
      case 0: /* change a letter */
        text[at] = (char)(32 + (test_uniform(random) + 1) * 47);
        break;
      case 4: /* change a digit: still a scene, mostly */
        while (at < size && !(text[at] >= '0' && text[at] <= '9')) at++;
        if (at < size) text[at] = (char)('0' + (test_uniform(random) + 1) * 5);
        break;
      case 1: /* take some out */
        n = 1 + (size_t)((test_uniform(random) + 1) * 10);
        if (at + n > size) n = size - at;
        memmove(text + at, text + at + n, size - at - n);
        size -= n;
        break;
      case 2: { /* put a word in */
        const char *word = words[(size_t)((test_uniform(random) + 1) / 2 *
                                          (double)(sizeof words / sizeof *words))];
        n = strlen(word);
        if (size + n >= capacity) break;
        memmove(text + at + n, text + at, size - at);
        memcpy(text + at, word, n);
        size += n;
        break;
      }
      default: { /* copy a piece to another place */
        size_t from = (size_t)((test_uniform(random) + 1) / 2 * (double)size);
        n = (size_t)((test_uniform(random) + 1) * 30);
        if (from + n > size) n = size - from;
        if (at + n > size) n = size - at;
        memmove(text + at, text + from, n);
      }
    }
    if (size == 0) return 0;
  }
  return size;
}

/** The files that full.yaml names, beside its mutations. */
static void copy_neighbours(void) {
  const char *names[] = {"arm.urdf", "cube.vtk", "rubbers.yaml"};
  for (int i = 0; i < 3; i++) {
    char   path[256], *text;
    size_t size;
    snprintf(path, sizeof path, "tests/data/scene/%s", names[i]);
    OK(sup_file_read(path, &text, &size));
    write_file(names[i], text, size);
    SUP_FREE(text);
  }
}

static void mutated_scenes_never_crash(void) {
  test_random random = {20240607};
  char       *original, *text = NULL;
  size_t      size, capacity;
  int         loaded = 0, refused = 0;
  copy_neighbours();
  OK(sup_file_read(full, &original, &size));
  capacity = size + 4096;
  OK(SUP_CALLOC(text, capacity));
  for (int round = 0; round < 4000; round++) {
    memcpy(text, original, size);
    size_t     changed = mutate(&random, text, size, capacity);
    sup_scene *s = NULL;
    sup_status status = sup_scene_load(&s, write_file("mutated.yaml", text, changed), NULL, 0);
    if (status == SUP_OK)
      loaded++;
    else if (sup_error_message()[0])
      refused++;
    sup_scene_destroy(&s);
  }
  CHECK(loaded > 200 && refused > 1000 && loaded + refused == 4000);
  SUP_FREE(text);
  SUP_FREE(original);
}

/* Cells from a closed surface, from a deck in millimetres (the file it includes is an input, too),
 * and refined ones. */
static void soft_meshes_have_many_sources(void) {
  static const char text[] =
      "supple: 1\ntime: {step: 1 ms, end: 1 s}\n"
      "materials: {m: {youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1000}}\n"
      "soft:\n  filled: {material: m, mesh: {surface: brick.obj, size: 20 mm, quality: 1.3, scale: "
      "0.001}}\n"
      "  deck: {material: m, mesh: {file: deck.inp, scale: 0.001, refine: 2}}\n"
      "  bricks: {material: m, mesh: {box: {size: [1, 1, 1], cells: [2, 1, 1]}, refine: 1}}\n"
      "  quadratic: {material: m, mesh: {file: deck.inp, scale: 0.001, refine: 1, order: 2}}\n";
  static const char brick[] =
      "v 0 0 0\nv 60 0 0\nv 60 40 0\nv 0 40 0\nv 0 0 20\nv 60 0 20\nv 60 40 20\nv 0 40 20\n"
      "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  static const char deck[] = "*NODE, INPUT=nodes.txt\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n";
  static const char nodes[] = "1, 0, 0, 0\n2, 60, 0, 0\n3, 0, 60, 0\n4, 0, 0, 60\n";
  int               includes = 0;
  write_file("brick.obj", brick, sizeof brick - 1);
  write_file("deck.inp", deck, sizeof deck - 1);
  write_file("nodes.txt", nodes, sizeof nodes - 1);
  sup_scene      *s = load(write_file("sources.yaml", text, sizeof text - 1), NULL, 0);
  const sup_mesh *filled = s->model.softs[0].mesh, *fine = s->model.softs[1].mesh,
                 *bricks = s->model.softs[2].mesh;
  const sup_mesh *quadratic = s->model.softs[3].mesh;
  NEAR(sup_mesh_volume(filled), 60e-3 * 40e-3 * 20e-3, 1e-12, 0);
  CHECK(filled->type == SUP_CELL_T4 && filled->num_cells > 20 && filled->num_cells < 400);
  for (int c = 0; c < filled->num_cells; c++)
    CHECK(sup_mesh_cell_volume(filled, c) <= sup_tetgen_volume(20e-3) * (1 + 1e-9));
  CHECK(fine->num_cells == 64 && bricks->type == SUP_CELL_H8 && bricks->num_cells == 16);
  CHECK(quadratic->type == SUP_CELL_T10 && quadratic->num_cells == 8);
  NEAR(sup_mesh_volume(fine), 36e-6, 1e-13, 0);
  for (int i = 0; i < s->num_inputs; i++) includes += strstr(s->input[i], "nodes.txt") != NULL;
  CHECK(includes == 1);
  sup_scene_destroy(&s);
}

/* Ribs of another material: the model's cells have it, and those of the same name the same number
 * in pictures. */
static void parts_of_a_body_may_be_of_another_material(void) {
  static const char text[] =
      "supple: 1\ntime: {step: 10 ms, end: 1 s}\nmaterials:\n"
      "  rubber: {youngs_modulus: 1 MPa, poissons_ratio: 0.4, density: 1000}\n"
      "  tpu: {youngs_modulus: 20 MPa, poissons_ratio: 0.4, density: 1200}\n"
      "soft: {finger: {material: rubber, mesh: {finray: {}, refine: 1},\n"
      "  materials: {ribs: tpu, blocks: {base: tpu, density: 2000}}}}\n";
  sup_scene *s = load(write_file("parts.yaml", text, sizeof text - 1), NULL, 0);
  sup_model *model;
  double     volume[3] = {0, 0, 0}, rho[3] = {1000, 1200, 2000}, mass = 0;
  OK(sup_model_create(&model, &s->model));
  const sup_fem_body *fem = model->soft[0].fem;
  CHECK(sup_fem_num_materials(fem) == 3 && strcmp(sup_fem_material(fem, 1)->name, "tpu") == 0);
  for (int c = 0; c < sup_fem_mesh(fem)->num_cells; c++)
    volume[sup_fem_cell_material(fem)[c]] += sup_mesh_cell_volume(sup_fem_mesh(fem), c);
  for (int k = 0; k < 3; k++) mass += rho[k] * volume[k];
  NEAR(sup_fem_mass(fem), mass, 1e-12, 0);
  CHECK(volume[0] > 0 && volume[1] > 0 && volume[2] > 0);
  sup_model_destroy(&model);
  sup_scene_destroy(&s);
}

SUITE_TESTS(scene, TEST(soft_meshes_have_many_sources), TEST(options_and_title_land),
            TEST(robots_and_actuators_land), TEST(the_scene_gives_links_their_contact),
            TEST(rigid_bodies_land), TEST(an_inertia_replaces_that_of_the_uniform_solid),
            TEST(capsule_inertia_is_that_of_its_discs),
            TEST(shapes_together_have_the_mass_and_inertia_of_the_whole), TEST(soft_bodies_land),
            TEST(planar_joints_start_where_they_are_told), TEST(several_links_carry_a_soft_body),
            TEST(contact_pairs_and_output_land), TEST(contact_laws_land),
            TEST(a_swinging_belt_lands), TEST(bodies_may_have_fewer_freedoms),
            TEST(silence_means_the_defaults_of_the_library), TEST(springs_land), TEST(loads_land),
            TEST(tables_say_how_they_go_from_row_to_row), TEST(tables_may_be_files),
            TEST(a_sine_is_exact_at_all_times), TEST(a_follower_starts_where_its_leader_puts_it),
            TEST(a_base_may_float_and_joints_may_move), TEST(time_schemes_land),
            TEST(bdf2_is_a_scheme_of_soft_bodies), TEST(overrides_change_what_is_loaded),
            TEST(overrides_may_name_other_materials),
            TEST(overrides_replace_materials_that_are_not_there),
            TEST(resolved_scene_gives_the_same_bits), TEST(loaded_scenes_make_models_and_outputs),
            TEST(shipped_scenes_load_without_warning),
            TEST(every_shipped_material_says_its_source_and_uncertainty),
            TEST(every_failed_allocation_leaves_nothing_behind), TEST(mutated_scenes_never_crash),
            TEST(parts_of_a_body_may_be_of_another_material));
