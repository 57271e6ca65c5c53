/* Contact problem of a step as data, with names of its rows. */
#include <stdio.h>

#include "solve/stored/stored_problem.h"
#include "step/solution.h"

enum { NAME_SIZE = 4 * SUP_NAME_MAX + 16 };

static sup_status new_name(sup_arena *arena, const char **out, char **text) {
  SUP_TRY(SUP_ARENA(arena, *text, NAME_SIZE));
  *out = *text;
  return SUP_OK;
}

static void name_contact(const sup_model *model, const sup_contact *c, const char *what,
                         char *text) {
  snprintf(text, NAME_SIZE, "%s%s - %s", what, model->body[c->body_a].name,
           model->body[c->body_b].name);
}

/** Names of contacts and, behind them, of their rolling. */
static sup_status name_contacts(const sup_model *model, const sup_contact_problem *contacts,
                                sup_arena *arena, sup_stored_problem *out) {
  const sup_moment_rows *rolling = &contacts->rolling;
  int                    num = contacts->list.count + rolling->num_rows;
  const char           **name;
  double                *position, *normal;
  SUP_TRY(SUP_ARENA(arena, name, num));
  SUP_TRY(SUP_ARENA(arena, position, 3 * (size_t)num));
  SUP_TRY(SUP_ARENA(arena, normal, 3 * (size_t)num));
  for (int i = 0; i < num; i++) {
    const sup_contact *c = &contacts->list.contact[sup_step_contact_of(contacts, i)];
    char              *text;
    SUP_TRY(new_name(arena, &name[i], &text));
    name_contact(model, c, i < contacts->list.count ? "" : "rolling ", text);
    sup_v3_store(position + 3 * (size_t)i, c->centroid);
    sup_v3_store(normal + 3 * (size_t)i, c->normal);
  }
  out->contact_name = name, out->position = position, out->normal = normal;
  return SUP_OK;
}

/** "limit arm/elbow": the law, or what else the row is for, and the joint of an entry. */
static void name_joint(const sup_model *model, const sup_contact_problem *contacts, int entry,
                       char *text) {
  const sup_joint_rows *joints = &contacts->joints;
  int                   row = joints->row[entry], velocity = joints->velocity[entry];
  const sup_law        *of = &contacts->rows.constraint[joints->first + row].law;
  const char           *law = joints->role[entry] == SUP_JOINT_ROW_FRICTION ? "friction"
                              : joints->role[entry] == SUP_JOINT_ROW_SPEED  ? "velocity_limit"
                                                                           : sup_law_name(of->kind);
  int                   t = 0;
  while (t + 1 < model->num_trees && model->v_start[t + 1] <= velocity) t++;
  const sup_tree *tree = model->tree[t];
  int             at = velocity - model->v_start[t], l = tree->num_links - 1;
  while (l > 0 && tree->links[l].v_start > at) l--;
  snprintf(text, NAME_SIZE, "%s %s/%s", law, tree->name, tree->links[l].joint_name);
}

static sup_status name_joints(const sup_model *model, const sup_contact_problem *contacts,
                              sup_arena *arena, sup_stored_problem *out) {
  const sup_joint_rows *joints = &contacts->joints;
  const char          **name;
  int num = joints->num_rows + contacts->bodies.num_rows + contacts->spin.num_rows;
  SUP_TRY(SUP_ARENA(arena, name, num));
  for (int j = 0; j < num; j++) name[j] = "";
  for (int r = 0; r < contacts->bodies.num_rows; r++)
    name[joints->num_rows + r] = model->constraint[contacts->bodies.row[r].of].name;
  for (int e = joints->num_entries - 1; e >= 0; e--) { /* of several the first */
    char *text;
    SUP_TRY(new_name(arena, &name[joints->row[e]], &text));
    name_joint(model, contacts, e, text);
  }
  for (int r = 0; r < contacts->spin.num_rows; r++) {
    char *text;
    SUP_TRY(new_name(arena, &name[contacts->spin.first - joints->first + r], &text));
    name_contact(model, &contacts->list.contact[contacts->spin.contact[r]], "spin ", text);
  }
  out->joint_name = name;
  return SUP_OK;
}

/** Laws in force at the solution, with the normal impulses that bounded friction in the last sweep.
 * Laws that a solver of impulses uses instead cannot be written to a file. */
static sup_status set_laws(const sup_step_solution *solution, sup_arena *arena,
                           sup_problem *problem) {
  sup_constraint *constraint;
  SUP_TRY(SUP_ARENA(arena, constraint, problem->num_constraints));
  for (int i = 0; i < problem->num_constraints; i++) {
    constraint[i] = problem->constraint[i];
    if (solution->law[i].kind == constraint[i].law.kind) constraint[i].law = solution->law[i];
  }
  problem->constraint = constraint;
  return SUP_OK;
}

sup_status sup_step_store_problem(const sup_assembly *assembly, const sup_contact_problem *contacts,
                                  const sup_step_solution *solution, int with_matrix,
                                  sup_arena *arena, sup_stored_problem *out) {
  const sup_model   *model = assembly->layout->model;
  const sup_options *o = &assembly->layout->options;
  if (assembly->layout->is_free)
    return SUP_FAIL(SUP_E_ARG,
                    "a contact problem is stored with its matrix: solver.petsc_matrix stored");
  *out = (sup_stored_problem){.has_dynamics = 1,
                              .v_start = assembly->v0,
                              .v = solution->v,
                              .impulse = solution->gamma,
                              .solver = sup_contact_solver_table(o->contact_solver)->name,
                              .rigid = o->dual.rigid,
                              .baumgarte = o->dual.baumgarte,
                              .restitution = o->dual.restitution,
                              .problem = sup_step_problem(assembly, contacts)};
  SUP_TRY(set_laws(solution, arena, &out->problem));
  SUP_TRY(sup_delassus_of_problem(&out->delassus, &out->problem, &o->dual, solution->vc,
                                  with_matrix, arena));
  SUP_TRY(name_contacts(model, contacts, arena, out));
  SUP_TRY(name_joints(model, contacts, arena, out));
  return SUP_OK;
}
