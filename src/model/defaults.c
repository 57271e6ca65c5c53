/* Default definitions, for entries that a scene does not give. */
#include <math.h>

#include "supple.h"

sup_pose sup_pose_identity(void) { return (sup_pose){{0, 0, 0}, {1, 0, 0, 0}}; }

sup_scheme sup_scheme_symplectic_euler(void) { return (sup_scheme){0, 1, 1}; }
sup_scheme sup_scheme_implicit_euler(void) { return (sup_scheme){1, 1, 1}; }
sup_scheme sup_scheme_midpoint(void) { return (sup_scheme){0.5, 0.5, 0.5}; }

sup_options sup_default_options(void) {
  return (sup_options){.marker = SUP_INITIALISED,
                       .dt = 0.01,
                       .scheme = sup_scheme_symplectic_euler(),
                       .gravity = {0, 0, -9.81},
                       .tolerance = 1e-5,
                       .max_iterations = 1000,
                       .backend = SUP_BACKEND_SUPERNODAL,
                       .dual = {.tolerance = 1e-5,
                                .over_relaxation = 1,
                                .subspace = 6,
                                .proximal = 1e-6,
                                .alpha = 1e-2,
                                .warm_start = 1,
                                .baumgarte = 1,
                                .hand_over = SUP_CONTACT_SOLVER_NEWTON,
                                .hand_over_above = 1e-3},
                       .tamsi = {.descends = 1, .max_iterations = 20, .max_substeps = 20},
                       .delassus = SUP_DELASSUS_DIAGONAL,
                       .stiction_tolerance = 1e-4,
                       .sigma = 1e-3,
                       .beta = 1,
                       .friction_sweeps = 1,
                       .sweep_tolerance = 0.01};
}

sup_contact_rules sup_default_contact_rules(void) {
  return (sup_contact_rules){.marker = SUP_INITIALISED,
                             .model = SUP_MODEL_COUPLED,
                             .normal_law = SUP_NORMAL_HUNT_CROSSLEY,
                             .barrier_energy = 1e-5,
                             .barrier_surface_energy = 1,
                             .barrier_range = 1e-3,
                             .barrier_margin = 0.1,
                             .layer = 10};
}

sup_contact_def sup_default_contact_def(void) {
  return (sup_contact_def){.marker = SUP_INITIALISED,
                           .friction = 0.5,
                           .dissipation = 10,
                           .relaxation_time = 1e-3,
                           .anisotropy_ratio = 1,
                           .stiffness = 2e10,
                           .resolution = 0,
                           .field_margin = 0.005,
                           .field_thickness = 0.1};
}

sup_pair_def sup_default_pair_def(void) {
  const double keep = (double)NAN;
  return (sup_pair_def){.marker = SUP_INITIALISED,
                        .model = SUP_NONE,
                        .normal_law = SUP_NONE,
                        .friction = keep,
                        .static_friction = keep,
                        .dissipation = keep,
                        .relaxation_time = keep,
                        .stiffness = keep,
                        .point_stiffness = keep,
                        .hertz_radius = keep,
                        .barrier_energy = keep,
                        .barrier_surface_energy = keep,
                        .barrier_range = keep};
}

sup_material_def sup_default_material_def(void) {
  return (sup_material_def){.marker = SUP_INITIALISED,
                            .name = "default",
                            .model = SUP_MATERIAL_LINEAR_COROTATIONAL,
                            .youngs_modulus = 1e7,
                            .poissons_ratio = 0.45,
                            .density = 1200,
                            .mass_damping = 0,
                            .stiffness_damping = 0};
}

sup_link_def sup_default_link_def(void) {
  return (sup_link_def){.marker = SUP_INITIALISED,
                        .parent = SUP_NONE,
                        .joint = SUP_JOINT_FIXED,
                        .X_PJ = sup_pose_identity(),
                        .axis = {1, 0, 0},
                        .lower = -HUGE_VAL,
                        .upper = HUGE_VAL,
                        .effort_limit = HUGE_VAL,
                        .velocity_limit = HUGE_VAL,
                        .q0 = {0, 0, 0, 1, 0, 0, 0},
                        .mimic = SUP_NONE,
                        .mimic_ratio = 1};
}

sup_tree_def sup_default_tree_def(void) {
  return (sup_tree_def){.marker = SUP_INITIALISED, .X_WB = sup_pose_identity()};
}

sup_soft_def sup_default_soft_def(void) {
  return (sup_soft_def){.marker = SUP_INITIALISED,
                        .material = sup_default_material_def(),
                        .lumped_mass = 1,
                        .X_WS = sup_pose_identity(),
                        .contact = sup_default_contact_def()};
}

sup_geometry_def sup_default_geometry_def(void) {
  return (sup_geometry_def){
      .marker = SUP_INITIALISED, .X_LG = sup_pose_identity(), .contact = sup_default_contact_def()};
}

sup_actuator_def sup_default_actuator_def(void) {
  return (sup_actuator_def){.marker = SUP_INITIALISED, .effort = HUGE_VAL};
}
sup_spring_def sup_default_spring_def(void) {
  return (sup_spring_def){.marker = SUP_INITIALISED, .a = "world"};
}
sup_load_def sup_default_load_def(void) { return (sup_load_def){.marker = SUP_INITIALISED}; }

sup_traction_def sup_default_traction_def(void) {
  return (sup_traction_def){.marker = SUP_INITIALISED};
}

sup_dirichlet_def sup_default_dirichlet_def(void) {
  return (sup_dirichlet_def){.marker = SUP_INITIALISED, .axes = SUP_AXIS_ALL};
}

sup_attach_def sup_default_attach_def(void) { return (sup_attach_def){.marker = SUP_INITIALISED}; }

sup_part_def sup_default_part_def(void) {
  return (sup_part_def){.marker = SUP_INITIALISED, .material = sup_default_material_def()};
}

sup_model_def sup_default_model_def(void) {
  return (sup_model_def){.marker = SUP_INITIALISED, .contact = sup_default_contact_rules()};
}

const char *sup_reason_text(sup_reason reason) {
  switch (reason) {
    case SUP_REASON_TOLERANCE:
      return "momentum error below the tolerance";
    case SUP_REASON_STALL:
      return "cost no longer changes in round-off";
    case SUP_REASON_ABSOLUTE:
      return "no momentum residual";
    case SUP_REASON_ROUND_OFF:
      return "momentum error above the tolerance, but no more than round-off";
    case SUP_REASON_RESIDUAL:
      return "the contact law is not met to the solver's tolerance";
    case SUP_REASON_MAX_ITERATIONS:
      return "too many Newton iterations";
    case SUP_REASON_LINE_SEARCH:
      return "the line search found no descent";
    case SUP_REASON_NOT_SPD:
      return "the Hessian is not positive definite";
    case SUP_REASON_NONFINITE:
      return "a number became infinite or not a number";
    case SUP_REASON_INFEASIBLE:
      return "no velocity keeps the gaps of all barriers open";
    case SUP_REASON_STOPPED:
      return "stopped from outside";
  }
  return "unknown reason";
}
