/* Check of definitions, before anything is made of them: markers, ranges of members, tables. */
#include <math.h>

#include "model/build/build.h"
#include "model/members.h"

#define CHECK(rows, def, what, name) \
  SUP_TRY(sup_members_check(rows, (int)(sizeof(rows) / sizeof *(rows)), def, what, name))

#define OF(member, range, count) SUP_MEMBER(sup_contact_def, member, range, count)
static const sup_member contact_members[] = {OF(friction, NOT_NEGATIVE, 1),
                                             OF(static_friction, NOT_NEGATIVE, 1),
                                             OF(rolling_friction, NOT_NEGATIVE, 1),
                                             OF(torsional_friction, NOT_NEGATIVE, 1),
                                             OF(dissipation, NOT_NEGATIVE, 1),
                                             OF(relaxation_time, NOT_NEGATIVE, 1),
                                             OF(hertz_modulus, NOT_NEGATIVE, 1),
                                             OF(surface_velocity, FINITE, 3),
                                             OF(surface_amplitude, FINITE, 3),
                                             OF(surface_frequency, FINITE, 1),
                                             OF(surface_phase, FINITE, 1),
                                             OF(anisotropy_axis, FINITE, 3),
                                             OF(anisotropy_ratio, POSITIVE, 1),
                                             OF(stiffness, NOT_NEGATIVE, 1),
                                             OF(resolution, NOT_NEGATIVE, 1),
                                             OF(modulus, NOT_NEGATIVE, 1),
                                             OF(field_resolution, NOT_NEGATIVE, 1),
                                             OF(field_margin, NOT_NEGATIVE, 1),
                                             OF(field_kind, WORD, SUP_FIELD_HARMONIC + 1),
                                             OF(self, WORD, 2),
                                             OF(condim, WORD, 7),
                                             OF(field_thickness, POSITIVE, 1),
                                             OF(point_stiffness, NOT_NEGATIVE, 1)};
#undef OF

#define OF(member, range, count) SUP_MEMBER(sup_contact_rules, member, range, count)
static const sup_member rule_members[] = {
    OF(model, WORD, SUP_NUM_CONTACT_MODELS), OF(normal_law, WORD, SUP_NUM_NORMAL_LAWS),
    OF(barrier_margin, NOT_NEGATIVE, 1), OF(soft_surface, WORD, SUP_SOFT_SURFACE_VERTICES + 1)};
#undef OF

#define OF(member, range, count) SUP_MEMBER(sup_pair_def, member, range, count)
static const sup_member pair_members[] = {
    {"model", offsetof(sup_pair_def, model), SUP_MEMBER_WORD, SUP_NUM_CONTACT_MODELS, SUP_NONE},
    {"normal_law", offsetof(sup_pair_def, normal_law), SUP_MEMBER_WORD, SUP_NUM_NORMAL_LAWS,
     SUP_NONE},
    OF(disabled, WORD, 2),
    OF(friction, UNSET, 1),
    OF(static_friction, UNSET, 1),
    OF(dissipation, UNSET, 1),
    OF(relaxation_time, UNSET, 1),
    OF(stiffness, UNSET, 1),
    OF(rolling_friction, UNSET, 1),
    OF(torsional_friction, UNSET, 1),
    OF(hertz_radius, UNSET, 1),
    OF(barrier_energy, UNSET, 1),
    OF(barrier_range, UNSET, 1),
    OF(barrier_surface_energy, UNSET, 1),
    OF(point_stiffness, UNSET, 1)};
#undef OF

#define OF(member, range, count) SUP_MEMBER(sup_soft_def, member, range, count)
static const sup_member soft_members[] = {OF(lumped_mass, WORD, 2),
                                          OF(mean_dilatation, WORD, 2),
                                          OF(solid_shell, WORD, 2),
                                          OF(X_WS.p, FINITE, 3),
                                          OF(X_WS.q, QUATERNION, 4),
                                          OF(v0, FINITE, 3),
                                          OF(material.moduli, WORD, SUP_MODULI_INSTANTANEOUS + 1)};
#undef OF

static const sup_member region_members[] = {
    SUP_MEMBER(sup_region, type, WORD, SUP_REGION_NAMED + 1),
    SUP_MEMBER(sup_region, lower, NUMBER, 3), SUP_MEMBER(sup_region, upper, NUMBER, 3),
    SUP_MEMBER(sup_region, normal, FINITE, 3), SUP_MEMBER(sup_region, offset, NUMBER, 1)};

static const sup_member hold_members[] = {SUP_MEMBER(sup_dirichlet_def, about, FINITE, 3)};

static const sup_member geometry_members[] = {
    SUP_MEMBER(sup_geometry_def, shape.type, WORD, SUP_SHAPE_MESH + 1),
    SUP_MEMBER(sup_geometry_def, X_LG.p, FINITE, 3),
    SUP_MEMBER(sup_geometry_def, X_LG.q, QUATERNION, 4)};

/** @param[in] what  what follows "sup_default_" in the name of its function */
static sup_status check_marker(int marker, const char *what, int i) {
  if (marker == SUP_INITIALISED) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "definition %d of its kind was not initialised by sup_default_%s: members that "
                  "were not set would have no value",
                  i, what);
}

/** Rows of a table in order of time; their values are checked where they get a meaning. */
static sup_status check_table(const sup_table *table, const char *what, const char *name) {
  const sup_member members[] = {SUP_MEMBER(sup_table, period, FINITE, 1),
                                SUP_MEMBER(sup_table, phase, FINITE, 1),
                                SUP_MEMBER(sup_table, interpolation, WORD, SUP_NUM_INTERPOLATIONS)};
  if (table->num_rows == 0) return SUP_OK;
  CHECK(members, table, what, name);
  if (table->num_rows < 0 || table->width < 1 || !table->time || !table->value)
    return SUP_FAIL(SUP_E_ARG,
                    "%s'%s' is a table of %d rows of %d values; times and values are expected",
                    what, name, table->num_rows, table->width);
  for (int i = 0; i < table->num_rows; i++)
    if (!isfinite(table->time[i]) || (i > 0 && !(table->time[i] > table->time[i - 1])))
      return SUP_FAIL(SUP_E_ARG, "%s'%s': row %d has the time %g s; times are finite and increase",
                      what, name, i, table->time[i]);
  return SUP_OK;
}

static sup_status check_contact(const sup_contact_def *def, const char *name, int i) {
  SUP_TRY(check_marker(def->marker, "contact_def", i));
  CHECK(contact_members, def, "the contact of ", name);
  return SUP_OK;
}

static sup_status check_soft(const sup_soft_def *soft, int s) {
  SUP_TRY(check_marker(soft->marker, "soft_def", s));
  SUP_TRY(check_contact(&soft->contact, soft->name, s));
  SUP_TRY(check_marker(soft->material.marker, "material_def", s));
  CHECK(soft_members, soft, "", soft->name);
  if (!soft->mesh) return SUP_FAIL(SUP_E_ARG, "soft body '%s' has no mesh", soft->name);
  for (int i = 0; i < soft->num_clamps; i++)
    CHECK(region_members, &soft->clamps[i], "the clamp of ", soft->name);
  for (int i = 0; i < soft->num_parts; i++) {
    SUP_TRY(check_marker(soft->parts[i].marker, "part_def", i));
    SUP_TRY(check_marker(soft->parts[i].material.marker, "material_def", i));
  }
  for (int i = 0; i < soft->num_dirichlet; i++) {
    SUP_TRY(check_marker(soft->dirichlet[i].marker, "dirichlet_def", i));
    CHECK(region_members, &soft->dirichlet[i].region, "a hold of ", soft->name);
    CHECK(hold_members, &soft->dirichlet[i], "a hold of ", soft->name);
    SUP_TRY(check_table(&soft->dirichlet[i].motion, "the motion of a hold of ", soft->name));
  }
  for (int i = 0; i < soft->num_attachments; i++) {
    SUP_TRY(check_marker(soft->attachments[i].marker, "attach_def", i));
    CHECK(region_members, &soft->attachments[i].region, "an attachment of ", soft->name);
  }
  for (int i = 0; i < soft->num_tractions; i++) {
    SUP_TRY(check_marker(soft->tractions[i].marker, "traction_def", i));
    CHECK(region_members, &soft->tractions[i].region, "a traction of ", soft->name);
    SUP_TRY(check_table(&soft->tractions[i].scale, "the scale of a traction of ", soft->name));
  }
  for (int i = 0; i < soft->num_growths; i++)
    SUP_TRY(check_marker(soft->growths[i].marker, "growth_def", i));
  return SUP_OK;
}

static sup_status check_tree(const sup_tree_def *tree, int t) {
  SUP_TRY(check_marker(tree->marker, "tree_def", t));
  for (int l = 0; l < tree->num_links; l++) {
    const sup_link_def *link = &tree->links[l];
    SUP_TRY(check_marker(link->marker, "link_def", l));
    for (int g = 0; g < link->num_geometries; g++) {
      SUP_TRY(check_marker(link->geometries[g].marker, "geometry_def", g));
      CHECK(geometry_members, &link->geometries[g], "a shape of ", link->name);
      SUP_TRY(check_contact(&link->geometries[g].contact, link->name, g));
    }
  }
  return SUP_OK;
}

sup_status sup_model_check_definitions(const sup_model_def *def) {
  SUP_TRY(check_marker(def->marker, "model_def", 0));
  SUP_TRY(check_marker(def->contact.marker, "contact_rules", 0));
  CHECK(rule_members, &def->contact, "", "contact_rules");
  for (int t = 0; t < def->num_trees; t++) SUP_TRY(check_tree(&def->trees[t], t));
  for (int s = 0; s < def->num_softs; s++) SUP_TRY(check_soft(&def->softs[s], s));
  for (int i = 0; i < def->num_actuators; i++) {
    SUP_TRY(check_marker(def->actuators[i].marker, "actuator_def", i));
    SUP_TRY(check_table(&def->actuators[i].target, "the target of ", def->actuators[i].name));
  }
  for (int i = 0; i < def->num_springs; i++)
    SUP_TRY(check_marker(def->springs[i].marker, "spring_def", i));
  for (int i = 0; i < def->num_loads; i++) {
    SUP_TRY(check_marker(def->loads[i].marker, "load_def", i));
    SUP_TRY(check_table(&def->loads[i].force, "the force of ", def->loads[i].name));
    SUP_TRY(check_table(&def->loads[i].torque, "the torque of ", def->loads[i].name));
  }
  for (int i = 0; i < def->num_chambers; i++)
    SUP_TRY(check_marker(def->chambers[i].marker, "chamber_def", i));
  for (int i = 0; i < def->num_cables; i++)
    SUP_TRY(check_marker(def->cables[i].marker, "cable_def", i));
  for (int i = 0; i < def->num_constraints; i++)
    SUP_TRY(check_marker(def->constraints[i].marker, "constraint_def", i));
  for (int i = 0; i < def->num_ties; i++) SUP_TRY(check_marker(def->ties[i].marker, "tie_def", i));
  for (int i = 0; i < def->num_tasks; i++)
    SUP_TRY(check_marker(def->tasks[i].marker, "task_def", i));
  for (int i = 0; i < def->num_pairs; i++) {
    SUP_TRY(check_marker(def->pairs[i].marker, "pair_def", i));
    CHECK(pair_members, &def->pairs[i], "the pair of ", def->pairs[i].a);
  }
  return SUP_OK;
}
