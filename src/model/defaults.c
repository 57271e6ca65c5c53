/* Default definitions, for entries that a scene does not give. */
#include <math.h>

#include "supple.h"

sup_pose sup_pose_identity(void) { return (sup_pose){{0, 0, 0}, {1, 0, 0, 0}}; }

sup_scheme sup_scheme_symplectic_euler(void) { return (sup_scheme){0, 1, 1}; }
sup_scheme sup_scheme_implicit_euler(void) { return (sup_scheme){1, 1, 1}; }
sup_scheme sup_scheme_midpoint(void) { return (sup_scheme){0.5, 0.5, 0.5}; }

sup_options sup_default_options(void) { return (sup_options)SUP_DEFAULT_OPTIONS; }

sup_contact_rules sup_default_contact_rules(void) {
  return (sup_contact_rules)SUP_DEFAULT_CONTACT_RULES;
}

sup_contact_def sup_default_contact_def(void) { return (sup_contact_def)SUP_DEFAULT_CONTACT_DEF; }

sup_pair_def sup_default_pair_def(void) { return (sup_pair_def)SUP_DEFAULT_PAIR_DEF; }

sup_material_def sup_default_material_def(void) {
  return (sup_material_def)SUP_DEFAULT_MATERIAL_DEF;
}

sup_link_def sup_default_link_def(void) { return (sup_link_def)SUP_DEFAULT_LINK_DEF; }

sup_tree_def sup_default_tree_def(void) { return (sup_tree_def)SUP_DEFAULT_TREE_DEF; }

sup_soft_def sup_default_soft_def(void) { return (sup_soft_def)SUP_DEFAULT_SOFT_DEF; }

sup_geometry_def sup_default_geometry_def(void) {
  return (sup_geometry_def)SUP_DEFAULT_GEOMETRY_DEF;
}

sup_actuator_def sup_default_actuator_def(void) {
  return (sup_actuator_def)SUP_DEFAULT_ACTUATOR_DEF;
}
sup_spring_def  sup_default_spring_def(void) { return (sup_spring_def)SUP_DEFAULT_SPRING_DEF; }
sup_chamber_def sup_default_chamber_def(void) { return (sup_chamber_def)SUP_DEFAULT_CHAMBER_DEF; }
sup_cable_def   sup_default_cable_def(void) { return (sup_cable_def)SUP_DEFAULT_CABLE_DEF; }
sup_tie_def     sup_default_tie_def(void) { return (sup_tie_def)SUP_DEFAULT_TIE_DEF; }
sup_constraint_def sup_default_constraint_def(void) {
  return (sup_constraint_def)SUP_DEFAULT_CONSTRAINT_DEF;
}
sup_task_def sup_default_task_def(void) { return (sup_task_def)SUP_DEFAULT_TASK_DEF; }
sup_load_def sup_default_load_def(void) { return (sup_load_def)SUP_DEFAULT_LOAD_DEF; }

sup_growth_def sup_default_growth_def(void) { return (sup_growth_def)SUP_DEFAULT_GROWTH_DEF; }

sup_traction_def sup_default_traction_def(void) {
  return (sup_traction_def)SUP_DEFAULT_TRACTION_DEF;
}

sup_dirichlet_def sup_default_dirichlet_def(void) {
  return (sup_dirichlet_def)SUP_DEFAULT_DIRICHLET_DEF;
}

sup_attach_def sup_default_attach_def(void) { return (sup_attach_def)SUP_DEFAULT_ATTACH_DEF; }

sup_part_def sup_default_part_def(void) { return (sup_part_def)SUP_DEFAULT_PART_DEF; }

sup_model_def sup_default_model_def(void) { return (sup_model_def)SUP_DEFAULT_MODEL_DEF; }

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
