#include "constraint/anchor.h"

#include <math.h>
#include <stdlib.h>

/* ---- the side that carries ------------------------------------------------------------------- */

typedef struct side {
  int                body, item;
  const sup_carrier *carrier; /* NULL: a link */
} side;

static side side_of(const sup_contact *c) {
  int is_b = c->geometry_a != SUP_NONE && (c->geometry_b == SUP_NONE || c->body_b < c->body_a);
  int own = is_b ? c->item_b : c->item_a, other = is_b ? c->item_a : c->item_b;
  int is_soft = (is_b ? c->geometry_b : c->geometry_a) == SUP_NONE;
  return (side){is_b ? c->body_b : c->body_a, own != SUP_NONE ? own : other,
                is_soft ? (is_b ? &c->carrier_b : &c->carrier_a) : NULL};
}

static sup_v3 vertex(const sup_contact_context *c, int body, int i) {
  const sup_soft *soft = &c->model->soft[c->model->body[body].soft];
  return sup_v3_load(c->x + 3 * (size_t)(soft->first_vertex + i));
}

/** Of a link, or of the triangle of three vertices of a soft body. */
static sup_frame frame_of(const sup_contact_context *c, int body, const int corner[3]) {
  if (corner[0] == SUP_NONE) return c->kin->X_WL[body];
  sup_v3 p = vertex(c, body, corner[0]), u = sup_v3_sub(vertex(c, body, corner[1]), p),
         v = sup_v3_sub(vertex(c, body, corner[2]), p), n = sup_v3_cross(u, v);
  sup_frame X = {.R = sup_m3_identity(), .p = p};
  if (!(sup_v3_norm(n) > 0)) return X; /* a line: it does not say how it turns */
  sup_v3 e = sup_v3_unit(u), f = sup_v3_unit(n);
  X.R = sup_m3_columns(e, sup_v3_cross(f, e), f);
  return X;
}

/* ---- groups: contacts and anchors with one key ----------------------------------------------- */

/** A contact or an anchor. */
typedef struct entry {
  int    pair, body, item, index;
  sup_v3 place; /* world */
} entry;

static int compare_keys(const entry *a, const entry *b) {
  if (a->pair != b->pair) return a->pair < b->pair ? -1 : 1;
  if (a->body != b->body) return a->body < b->body ? -1 : 1;
  return (a->item > b->item) - (a->item < b->item);
}

static int ascending(const void *x, const void *y) {
  const entry *a = x, *b = y;
  int          order = compare_keys(a, b);
  return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int end_of_group(const entry *list, int first, int count) {
  int end = first + 1;
  while (end < count && compare_keys(&list[first], &list[end]) == 0) end++;
  return end;
}

/** What threads of a transfer share. */
typedef struct transfer {
  const sup_anchor       *anchor;
  const sup_contact_list *contacts;
  sup_v3                 *stretch; /* [num_anchors] world */
  sup_stick              *stick;
  unsigned char          *is_taken; /* [num_anchors] */
} transfer;

/** As many as before: each contact the nearest anchor that is left. */
static void one_to_one(const transfer *t, const entry *now, const entry *old, int count) {
  for (int i = 0; i < count; i++) {
    int    best = SUP_NONE;
    double least = HUGE_VAL;
    for (int k = 0; k < count; k++) {
      double distance = sup_v3_norm(sup_v3_sub(now[i].place, old[k].place));
      if (t->is_taken[old[k].index] || !(distance < least)) continue;
      least = distance, best = old[k].index;
    }
    if (best == SUP_NONE) continue;
    t->is_taken[best] = 1;
    t->stick[now[i].index] = (sup_stick){t->stretch[best], t->anchor[best].stiffness};
  }
}

/** The mean by stiffness to all, the stiffness by area. */
static void mean_to_all(const transfer *t, const entry *now, int num_now, const entry *old,
                        int num_old) {
  sup_v3 sum = {0, 0, 0};
  double stiffness = 0, area = 0;
  for (int k = 0; k < num_old; k++) {
    double share = t->anchor[old[k].index].stiffness;
    sum = sup_v3_madd(sum, share, t->stretch[old[k].index]), stiffness += share;
  }
  for (int i = 0; i < num_now; i++) area += t->contacts->contact[now[i].index].area;
  for (int i = 0; i < num_now; i++) {
    double share = area > 0 ? t->contacts->contact[now[i].index].area / area : 1. / num_now;
    t->stick[now[i].index] = (sup_stick){sup_v3_scale(1 / stiffness, sum), share * stiffness};
  }
}

static void match_groups(const transfer *t, const entry *now, int num_now, const entry *old,
                         int num_old) {
  for (int i = 0, k = 0; i < num_now && k < num_old;) {
    int order = compare_keys(&now[i], &old[k]), i_end = end_of_group(now, i, num_now),
        k_end = end_of_group(old, k, num_old);
    if (order == 0 && i_end - i == k_end - k)
      one_to_one(t, now + i, old + k, i_end - i);
    else if (order == 0)
      mean_to_all(t, now + i, i_end - i, old + k, k_end - k);
    if (order <= 0) i = i_end;
    if (order >= 0) k = k_end;
  }
}

sup_status sup_anchor_take(const sup_contact_context *c, const sup_anchor *anchor, int num_anchors,
                           const sup_contact_list *contacts, sup_stick **stick) {
  entry   *now, *old;
  transfer t = {.anchor = anchor, .contacts = contacts};
  SUP_TRY(SUP_ARENA(c->arena, now, contacts->count));
  SUP_TRY(SUP_ARENA(c->arena, old, num_anchors));
  SUP_TRY(SUP_ARENA(c->arena, t.stretch, num_anchors));
  SUP_TRY(SUP_ARENA(c->arena, t.is_taken, num_anchors));
  SUP_TRY(SUP_ARENA(c->arena, t.stick, contacts->count));
  for (int i = 0; i < contacts->count; i++) {
    const sup_contact *contact = &contacts->contact[i];
    side               s = side_of(contact);
    now[i] = (entry){contact->pair, s.body, s.item, i, contact->centroid};
    t.stick[i] = (sup_stick){{0, 0, 0}, 0};
  }
  for (int k = 0; k < num_anchors; k++) {
    sup_frame X = frame_of(c, anchor[k].body, anchor[k].vertex);
    sup_v3    place = sup_frame_apply(&X, sup_v3_load(anchor[k].place));
    old[k] = (entry){anchor[k].pair, anchor[k].body, anchor[k].item, k, place};
    t.stretch[k] = sup_m3_apply(X.R, sup_v3_load(anchor[k].stretch));
    t.is_taken[k] = 0;
  }
  if (contacts->count > 0) qsort(now, (size_t)contacts->count, sizeof *now, ascending);
  if (num_anchors > 0) qsort(old, (size_t)num_anchors, sizeof *old, ascending);
  match_groups(&t, now, contacts->count, old, num_anchors);
  *stick = t.stick;
  return SUP_OK;
}

void sup_stick_turn(const sup_stick *stick, const sup_m3 *R, double stiffness, double stretch[2]) {
  sup_v3 s = sup_m3_apply_t(*R, stick->stretch);
  double flat = hypot(s.x, s.y), length = sup_v3_norm(s);
  double scale = flat > 0 ? length / flat * fmin(1, stick->stiffness / stiffness) : 0;
  stretch[0] = scale * s.x, stretch[1] = scale * s.y;
}

/* ---- after the step -------------------------------------------------------------------------- */

static sup_anchor anchor_of(const sup_contact_context *c, const sup_contact *contact,
                            const sup_law *law, const double *gamma) {
  side       s = side_of(contact);
  sup_anchor out = {.pair = contact->pair,
                    .item = s.item,
                    .body = s.body,
                    .vertex = {SUP_NONE, SUP_NONE, SUP_NONE},
                    .stiffness = sup_law_spring_stiffness(law)};
  double     stretch[2];
  for (int k = 0; k < 3 && s.carrier; k++)
    out.vertex[k] = s.carrier->vertex[k < s.carrier->num_vertices ? k : 0];
  sup_frame X = frame_of(c, s.body, out.vertex);
  sup_m3    R = sup_m3_frame_of_normal(contact->normal);
  sup_law_spring_stretch(law, gamma, stretch);
  sup_v3 world = sup_m3_apply(R, sup_v3_make(stretch[0], stretch[1], 0));
  sup_v3_store(out.place, sup_frame_apply_inverse(&X, contact->centroid));
  sup_v3_store(out.stretch, sup_m3_apply_t(X.R, world));
  return out;
}

sup_status sup_anchor_keep(const sup_contact_context *c, const sup_rows *rows, const double *gamma,
                           const sup_contact_list *contacts, sup_state *state, double *energy) {
  *energy = 0;
  state->num_anchors = 0;
  SUP_TRY(SUP_GROW(state->anchor, state->anchor_capacity, contacts->count));
  for (int i = 0; i < contacts->count; i++) {
    const double  *g = gamma + rows->constraint[i].first_vc; /* contacts come first */
    const sup_law *law = &rows->constraint[i].law;
    if (law->kind != SUP_LAW_ELASTIC_STICK || !(g[2] > 0)) continue; /* open: let go */
    sup_anchor *a = &state->anchor[state->num_anchors++];
    *a = anchor_of(c, &contacts->contact[i], law, g);
    sup_v3 s = sup_v3_load(a->stretch);
    *energy += 0.5 * a->stiffness * sup_v3_dot(s, s);
  }
  return SUP_OK;
}
