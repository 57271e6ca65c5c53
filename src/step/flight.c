#include "step/flight.h"

#include <math.h>

#include "step/error_norm.h"

/** Place of the tree or soft body among sup_step_result.flight. */
static int place_of(const sup_model *model, int body) {
  int soft = model->body[body].soft;
  return soft == SUP_NONE ? model->body[body].tree : model->num_trees + soft;
}

void sup_stepper_note_touch(const sup_stepper *s, sup_step_part *part) {
  const sup_model *model = s->model;
  for (int i = 0; i < model->num_trees + model->num_softs; i++) part->touch[i] = 0;
  for (int p = 0; p < model->num_pairs; p++)
    if (part->pair[p].normal > 0)
      part->touch[place_of(model, model->pair[p].a)] =
          part->touch[place_of(model, model->pair[p].b)] = 1;
  for (int i = 0; i < model->num_softs; i++) /* what a pad touches its link touches, too */
    for (int k = 0; k < model->soft[i].num_attach_trees; k++)
      part->touch[model->soft[i].attach_tree[k]] |= part->touch[model->num_trees + i];
}

/** True if nothing but contacts holds the tree. */
static int is_free_tree(const sup_tree *tree) {
  return tree->num_links > 0 && tree->links[0].joint == SUP_JOINT_FLOATING;
}

static double error_of_tree(const sup_stepper *s, int tree) {
  const sup_state *a = s->parts->halves, *b = s->parts->whole;
  const sup_tree  *t = s->model->tree[tree];
  double           e = 0;
  for (int l = 0; l < t->num_links; l++)
    for (int k = 0; k < t->links[l].nv; k++) {
      int    v = s->model->v_start[tree] + t->links[l].v_start + k;
      double off = sup_error_of_joint_velocity(s, &t->links[l], k, a->v[v] - b->v[v]);
      e = fmax(e, off);
    }
  return e;
}

/** Error of the velocity of the centre of mass. */
static double error_of_soft(const sup_stepper *s, const sup_soft *soft) {
  const sup_accuracy *o = &s->options.accuracy;
  const double       *mass = sup_fem_vertex_mass(soft->fem);
  size_t              first = 3 * (size_t)soft->first_vertex;
  const double       *a = s->parts->halves->xdot + first, *b = s->parts->whole->xdot + first;
  sup_v3              sum = {0, 0, 0};
  double              all = 0;
  for (int i = 0; i < soft->num_vertices; i++) {
    sup_v3 off = sup_v3_sub(sup_v3_load(a + 3 * i), sup_v3_load(b + 3 * i));
    sum = sup_v3_madd(sum, mass[i], off), all += mass[i];
  }
  return o->time / o->length * sup_v3_norm(sum) / all;
}

void sup_stepper_set_flights(sup_stepper *s, int has_halves) {
  const sup_model      *model = s->model;
  const sup_step_parts *c = s->parts;
  for (int i = 0; i < model->num_trees + model->num_softs; i++) {
    sup_flight     *f = &s->parts->flight[i];
    int             count = c->second.touch[i], most = 1;
    const sup_soft *soft = i < model->num_trees ? NULL : &model->soft[i - model->num_trees];
    if (has_halves) count += c->one.touch[i] + c->first.touch[i], most = 3;
    *f = (sup_flight){
        .is_free = soft ? sup_stepper_turns_freely(soft) : is_free_tree(model->tree[i]),
        .touches = count == most,
        .flies = count == 0};
    if (!f->is_free || f->flies || !has_halves) continue;
    f->error = soft ? error_of_soft(s, soft) : error_of_tree(s, i);
  }
  s->end.result.flight = c->flight;
}
