/* Impulses of the step before as the start of solvers that iterate on impulses.  They belong to the
 * state: a run resumed from a state has the bits of an uninterrupted one.
 *
 *  Contacts are found anew in every step. A contact is identified by its pair, both shapes, their
 * items, and its number among the pieces of a pair of items. The state stores forces in world axes,
 * so that they are independent of the contact's frame. */
#include <string.h>

#include "base/hash.h"
#include "step/contact_problem.h"

static sup_known_impulse key_of_contact(const sup_contact *c) {
  return (sup_known_impulse){
      .key = {c->pair, c->geometry_a, c->geometry_b, c->item_a, c->item_b, 0}};
}

/** Pieces of the same items follow each other. */
static int is_same_piece(const sup_known_impulse *a, const sup_known_impulse *b) {
  return memcmp(a->key, b->key, 5 * sizeof *a->key) == 0;
}

/** Entries of joints begin where those of their row do. */
static sup_known_impulse key_of_joint(const sup_contact_problem *contacts, int entry) {
  const sup_joint_rows *j = &contacts->joints;
  int                   kind = (int)contacts->rows.constraint[j->first + j->row[entry]].law.kind;
  return (sup_known_impulse){
      .key = {SUP_NONE, kind, j->velocity[entry], j->factor[entry] > 0, (int)j->role[entry], 0}};
}

/** Keys of all constraints in their order. */
static sup_status list_keys(const sup_step_start *s, const sup_contact_problem *contacts,
                            sup_known_impulse **out) {
  const sup_contact_list *found = &contacts->list;
  sup_known_impulse      *list;
  int                     num = contacts->rows.num_constraints;
  SUP_TRY(SUP_ARENA(s->arena, list, num));
  for (int i = 0; i < found->count; i++) {
    list[i] = key_of_contact(&found->contact[i]);
    if (i > 0 && is_same_piece(&list[i - 1], &list[i])) list[i].key[5] = list[i - 1].key[5] + 1;
  }
  for (int e = contacts->joints.num_entries - 1; e >= 0; e--)
    list[contacts->joints.first + contacts->joints.row[e]] = key_of_joint(contacts, e);
  for (int r = 0; r < contacts->bodies.num_rows; r++)
    list[contacts->bodies.first + r] =
        (sup_known_impulse){.key = {SUP_NONE, SUP_NONE, contacts->bodies.row[r].of,
                                    contacts->bodies.row[r].point, r, 0}};
  const sup_moment_rows *moments[] = {&contacts->rolling, &contacts->spin};
  for (int spins = 0; spins < 2; spins++) /* their contact's, numbered below 0 */
    for (int r = 0; r < moments[spins]->num_rows; r++) {
      sup_known_impulse *to = &list[moments[spins]->first + r];
      *to = list[moments[spins]->contact[r]];
      to->key[5] = -1 - spins - 2 * to->key[5];
    }
  *out = list;
  return SUP_OK;
}

static size_t slot_of(const sup_known_impulse *k, size_t mask) {
  return (size_t)sup_hash_bytes(sup_hash_begin(), k->key, sizeof k->key) & mask;
}

/** Hash table, open addressing, of the known impulses; of equal keys the first. */
static sup_status index_known(const sup_step_start *s, const sup_state *state, int **table,
                              size_t *mask) {
  size_t size = 16;
  while (size < 2 * (size_t)state->num_known) size *= 2;
  SUP_TRY(SUP_ARENA(s->arena, *table, size));
  for (size_t k = 0; k < size; k++) (*table)[k] = SUP_NONE;
  *mask = size - 1;
  for (int i = 0; i < state->num_known; i++) {
    size_t at = slot_of(&state->known[i], *mask);
    while ((*table)[at] != SUP_NONE) at = (at + 1) & *mask;
    (*table)[at] = i;
  }
  return SUP_OK;
}

static const sup_known_impulse *find(const sup_state *state, const int *table, size_t mask,
                                     const sup_known_impulse *key) {
  size_t at = slot_of(key, mask);
  for (; table[at] != SUP_NONE; at = (at + 1) & mask)
    if (memcmp(state->known[table[at]].key, key->key, sizeof key->key) == 0)
      return &state->known[table[at]];
  return NULL;
}

static int is_wanted(const sup_options *o) {
  return o->dual.warm_start && sup_contact_solver_table(o->contact_solver)->iterates_on_impulses;
}

sup_status sup_step_recall_impulses(const sup_step_start *s, const sup_contact_problem *contacts,
                                    double *gamma) {
  sup_known_impulse *list;
  int               *table;
  size_t             mask;
  const sup_rows    *rows = &contacts->rows;
  if (rows->num_vc > 0) memset(gamma, 0, (size_t)rows->num_vc * sizeof(double));
  if (!is_wanted(&s->layout->options) || s->state->num_known == 0) return SUP_OK;
  SUP_TRY(list_keys(s, contacts, &list));
  SUP_TRY(index_known(s, s->state, &table, &mask));
  for (int i = 0; i < rows->num_constraints; i++) {
    const sup_known_impulse *known = find(s->state, table, mask, &list[i]);
    double                  *to = gamma + rows->constraint[i].first_vc;
    if (!known) continue;
    int of = sup_step_contact_of(contacts, i);
    if (of != SUP_NONE) {
      sup_m3 R = sup_m3_frame_of_normal(contacts->list.contact[of].normal);
      sup_v3 impulse = sup_v3_scale(s->inc->h, sup_v3_load(known->force));
      sup_v3_store(to, sup_m3_apply_t(R, impulse));
    } else {
      to[0] = s->inc->h * known->force[0];
    }
  }
  return SUP_OK;
}

sup_status sup_step_remember_impulses(const sup_step_start *s, const sup_contact_problem *contacts,
                                      const double *gamma, sup_state *next) {
  sup_known_impulse *list;
  const sup_rows    *rows = &contacts->rows;
  next->num_known = 0;
  if (!is_wanted(&s->layout->options)) return SUP_OK;
  SUP_TRY(list_keys(s, contacts, &list));
  SUP_TRY(SUP_GROW(next->known, next->known_capacity, rows->num_constraints));
  for (int i = 0; i < rows->num_constraints; i++) {
    sup_known_impulse *to = &next->known[next->num_known];
    const double      *g = gamma + rows->constraint[i].first_vc;
    int                of = sup_step_contact_of(contacts, i);
    *to = list[i];
    if (of != SUP_NONE) {
      sup_m3 R = sup_m3_frame_of_normal(contacts->list.contact[of].normal);
      sup_v3_store(to->force, sup_v3_scale(1 / s->inc->h, sup_m3_apply(R, sup_v3_load(g))));
    } else {
      to->force[0] = g[0] / s->inc->h;
    }
    if (to->force[0] != 0 || to->force[1] != 0 || to->force[2] != 0) next->num_known++;
  }
  return SUP_OK;
}
