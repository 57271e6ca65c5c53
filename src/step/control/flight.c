#include "step/control/flight.h"

#include <math.h>
#include <string.h>

#include "law/properties.h"
#include "step/control/error_norm.h"
#include "step/control/numerics.h"

/** Place of the tree or soft body among sup_step_result.flight. */
static int place_of(const sup_model *model, int body) {
  int soft = model->body[body].soft;
  return soft == SUP_NONE ? model->body[body].tree : model->num_trees + soft;
}

void sup_step_mark_touching(const sup_model *model, sup_step_part *part) {
  for (int i = 0; i < model->num_trees + model->num_softs; i++) part->touch[i] = 0;
  for (int p = 0; p < model->num_pairs; p++)
    if (part->pair[p].normal > 0)
      part->touch[place_of(model, model->pair[p].a)] =
          part->touch[place_of(model, model->pair[p].b)] = 1;
  for (int i = 0; i < model->num_softs;
       i++) /* contacts of a pad count for the link that carries it */
    for (int k = 0; k < model->soft[i].num_attach_trees; k++)
      part->touch[model->soft[i].attach_tree[k]] |= part->touch[model->num_trees + i];
}

/** True if nothing but contacts holds the tree. */
static int is_free_tree(const sup_tree *tree) {
  return tree->num_links > 0 && tree->links[0].joint == SUP_JOINT_FLOATING;
}

static double error_of_tree(const sup_step_layout *layout, const sup_step_parts *c, int tree) {
  const sup_state *a = c->halves, *b = c->whole;
  const sup_tree  *t = layout->model->tree[tree];
  double           e = 0;
  for (int l = 0; l < t->num_links; l++)
    for (int k = 0; k < t->links[l].nv; k++) {
      int    v = layout->model->v_start[tree] + t->links[l].v_start + k;
      double off = sup_error_of_joint_velocity(layout, &t->links[l], k, a->v[v] - b->v[v]);
      e = fmax(e, off);
    }
  return e;
}

/** Error of the velocity of the centre of mass. */
static double error_of_soft(const sup_accuracy *o, const sup_step_parts *c, const sup_soft *soft) {
  const double *mass = sup_fem_vertex_mass(soft->fem);
  size_t        first = 3 * (size_t)soft->first_vertex;
  const double *a = c->halves->xdot + first, *b = c->whole->xdot + first;
  sup_v3        sum = {0, 0, 0};
  double        all = 0;
  for (int i = 0; i < soft->num_vertices; i++) {
    sup_v3 off = sup_v3_sub(sup_v3_load(a + 3 * i), sup_v3_load(b + 3 * i));
    sum = sup_v3_madd(sum, mass[i], off), all += mass[i];
  }
  return o->time / o->length * sup_v3_norm(sum) / all;
}

/** Only links count: pads have unknowns of their own, whose step errors contain the slide. */
static void note_slip(const sup_model *model, int body, int slips, sup_flight *flight) {
  int tree = model->body[body].tree;
  if (model->body[body].soft == SUP_NONE && flight[tree].slides >= 0)
    flight[tree].slides = slips ? 1 : -1;
}

/** Trees on which every pushing contact slips, in the solution of the second half. */
static void set_slides(const sup_model *model, const sup_contact_problem *contacts,
                       const sup_step_solution *solution, sup_flight *flight) {
  for (int i = 0; i < contacts->list.count; i++) { /* contacts come first */
    const sup_contact *c = &contacts->list.contact[i];
    int                row = contacts->rows.constraint[i].first_vc;
    const double      *vc = solution->vc + row, *gamma = solution->gamma + row;
    sup_law_properties law;
    sup_law_properties_at(&solution->law[i], vc, gamma, &law);
    if (!(gamma[2] > 0)) continue;
    int slips = law.friction_bound == 0 || hypot(law.slip[0], law.slip[1]) >
                                               sup_control_numerics.creeping * law.slip_tolerance;
    note_slip(model, c->body_a, slips, flight);
    note_slip(model, c->body_b, slips, flight);
  }
  for (int t = 0; t < model->num_trees; t++) flight[t].slides = flight[t].slides > 0;
}

/** Generalised impulses [num_scalars] of all contacts, and of their normal parts alone. */
static sup_status find_pushes(const sup_problem *problem, int num_contacts, const double *all_gamma,
                              sup_arena *arena, double **all, double **normal) {
  double *gamma;
  SUP_TRY(SUP_ARENA(arena, gamma, problem->num_vc));
  SUP_TRY(SUP_ARENA_VECTORS(arena, problem->A_pattern->num_scalars, all, normal));
  memset(gamma, 0, (size_t)problem->num_vc * sizeof *gamma);
  for (int i = 0; i < num_contacts; i++) {
    int row = problem->constraint[i].first_vc;
    memcpy(gamma + row, all_gamma + row, 3 * sizeof *gamma);
  }
  sup_problem_generalized_impulse(problem, gamma, *all);
  for (int i = 0; i < num_contacts; i++) {
    int row = problem->constraint[i].first_vc;
    gamma[row] = gamma[row + 1] = 0;
  }
  sup_problem_generalized_impulse(problem, gamma, *normal);
  return SUP_OK;
}

/** off [num_v] := differences of the velocities of both solutions; 0 for joints on which normal
 * forces act, since contact holds these. */
static void set_off(const sup_step_layout *layout, const sup_step_parts *c, const double *push,
                    const double *normal, double *off) {
  const sup_model *model = layout->model;
  for (int v = 0; v < model->v_start[model->num_trees]; v++) off[v] = 0;
  for (int t = 0; t < model->num_trees; t++) {
    if (!c->flight[t].slides || model->tree_block[t] == SUP_NONE) continue;
    int first = sup_block_first(&layout->A_pattern, model->tree_block[t]);
    for (int v = model->v_start[t]; v < model->v_start[t + 1]; v++) {
      int k = first + v - model->v_start[t];
      if (fabs(normal[k]) <= sup_control_numerics.held * fabs(push[k]))
        off[v] = c->halves->v[v] - c->whole->v[v];
    }
  }
}

sup_status sup_step_set_flights(const sup_step_start *s, const sup_assembly *assembly,
                                const sup_contact_problem *contacts,
                                const sup_step_solution *solution, int has_halves,
                                sup_step_parts *c, sup_step_result *result) {
  const sup_model *model = s->model;
  for (int i = 0; i < model->num_trees + model->num_softs; i++) {
    sup_flight     *f = &c->flight[i];
    int             count = c->second.touch[i], most = 1;
    const sup_soft *soft = i < model->num_trees ? NULL : &model->soft[i - model->num_trees];
    if (has_halves) count += c->one.touch[i] + c->first.touch[i], most = 3;
    *f = (sup_flight){
        .is_free = soft ? sup_soft_turns_freely(model, soft, NULL) : is_free_tree(model->tree[i]),
        .touches = count == most,
        .flies = count == 0};
    if (!f->is_free || f->flies || !has_halves) continue;
    f->error = soft ? error_of_soft(&s->layout->options.accuracy, c, soft)
                    : error_of_tree(s->layout, c, i);
  }
  result->flight = c->flight, result->joint_off = NULL;
  if (!has_halves) return SUP_OK;
  set_slides(model, contacts, solution, c->flight);
  const sup_problem problem = sup_step_problem(assembly, contacts);
  double           *push, *normal;
  SUP_TRY(find_pushes(&problem, contacts->list.count, solution->gamma, s->arena, &push, &normal));
  set_off(s->layout, c, push, normal, c->off);
  result->joint_off = c->off;
  return SUP_OK;
}
