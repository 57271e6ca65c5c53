#include "constraint/anchor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "constraint/numerics.h"
#include "fem/kernel/polar.h"

/* ---- frames of sides ------------------------------------------------------------------------- */

static sup_v3 at_start(const sup_soft *soft, int i) {
  return sup_v3_load(soft->x0 + 3 * (size_t)i);
}

static sup_v3 at_present(const sup_contact_context *c, const sup_soft *soft, int i) {
  return sup_v3_load(c->x + 3 * (size_t)(soft->first_vertex + i));
}

/** F^-T det F. */
static sup_m3 cofactors(const sup_m3 *F) {
  sup_v3 a = sup_m3_column(F, 0), b = sup_m3_column(F, 1), c = sup_m3_column(F, 2);
  return sup_m3_columns(sup_v3_cross(b, c), sup_v3_cross(c, a), sup_v3_cross(a, b));
}

static double norm_of(const sup_m3 *F) {
  sup_m3 squares = sup_m3_mul(sup_m3_transpose(*F), *F);
  return sqrt(squares.m[0][0] + squares.m[1][1] + squares.m[2][2]);
}

/** Rotation of a side's vertices since the start: the best fit over all of them, independent of
 * their order.  Identity for vertices on a line.
 *
 *  It is the polar factor of F = sum y x^T = U diag(s) V^T, det U V = 1; of vertices in a plane F
 * is singular, but F + cof F/|F| = U diag(s_i + s_j s_k/|F|) V^T is not and has the same factor. */
static sup_m3 rotation_of(const sup_contact_context *c, const sup_soft *soft,
                          const sup_anchor_side *side) {
  double share = 1. / side->num_vertices;
  sup_v3 mean0 = {0, 0, 0}, mean = {0, 0, 0};
  sup_m3 F = sup_m3_zero();
  for (int k = 0; k < side->num_vertices; k++) {
    mean0 = sup_v3_madd(mean0, share, at_start(soft, side->vertex[k]));
    mean = sup_v3_madd(mean, share, at_present(c, soft, side->vertex[k]));
  }
  for (int k = 0; k < side->num_vertices; k++)
    F = sup_m3_add(F, sup_m3_outer(sup_v3_sub(at_present(c, soft, side->vertex[k]), mean),
                                   sup_v3_sub(at_start(soft, side->vertex[k]), mean0)));
  sup_m3 plane = cofactors(&F);
  double size = norm_of(&F);
  if (!(2 * norm_of(&plane) > sup_constraint_numerics.anchor_line * size * size))
    return sup_m3_identity();
  F = sup_m3_add(F, sup_m3_scale(1 / size, plane));
  return sup_fem_polar(&F);
}

/** The last side whose rotation was found: pieces of a face are carried by the same vertices. */
typedef struct last_side {
  const sup_anchor_side *side; /* NULL: none yet */
  sup_m3                 R;
} last_side;

static bool has_same_vertices(const sup_anchor_side *a, const sup_anchor_side *b) {
  return a->body == b->body && a->num_vertices == b->num_vertices &&
         memcmp(a->vertex, b->vertex, (size_t)a->num_vertices * sizeof *a->vertex) == 0;
}

/** Frame of a link, or of the vertices of a soft body that carry a contact. */
static sup_frame frame_of(const sup_contact_context *c, const sup_anchor_side *side,
                          last_side *last) {
  if (side->num_vertices == 0) return c->kin->X_WL[side->body];
  const sup_soft *soft = &c->model->soft[c->model->body[side->body].soft];
  if (!last->side || !has_same_vertices(last->side, side)) last->R = rotation_of(c, soft, side);
  last->side = side;
  sup_frame X = {.R = last->R, .p = {0, 0, 0}};
  for (int k = 0; k < side->num_vertices; k++)
    X.p = sup_v3_madd(X.p, side->weight[k], at_present(c, soft, side->vertex[k]));
  return X;
}

/* ---- anchors and contacts of a pair ---------------------------------------------------------- */

/** A contact or an anchor: its pair, coordinate along the longest axis of the pair's contacts, and
 * index. */
typedef struct entry {
  int    pair, index;
  double along;
} entry;

/** An anchor in world axes. */
typedef struct held {
  sup_v3 place, stretch, normal;
} held;

typedef struct transfer {
  const sup_anchor       *anchor;
  const sup_contact_list *contacts;
  held                   *old;    /* [num_anchors] */
  double                 *weight; /* [contacts] */
  sup_stick              *stick;  /* [contacts] */
} transfer;

static int ascending(const void *x, const void *y) {
  const entry *a = x, *b = y;
  if (a->pair != b->pair) return a->pair < b->pair ? -1 : 1;
  if (a->along != b->along) return a->along < b->along ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

static void sort(entry *list, int count) {
  if (count > 0) qsort(list, (size_t)count, sizeof *list, ascending);
}

static int end_of_pair(const entry *list, int first, int count) {
  int end = first + 1;
  while (end < count && list[end].pair == list[first].pair) end++;
  return end;
}

/** Unit vector of a sum, times a length; of opposite ones 0. */
static sup_v3 mean_direction(sup_v3 sum, double length) {
  double norm = sup_v3_norm(sum);
  return norm > 0 ? sup_v3_scale(length / norm, sum) : sum;
}

/** World position, stretch and normal of an anchor: means over its sides. */
static held place_anchor(const sup_contact_context *c, const sup_anchor *a, last_side last[2]) {
  held   out = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  double length = 0;
  for (int k = 0; k < a->num_sides; k++) {
    const sup_anchor_side *side = &a->side[k];
    sup_frame              X = frame_of(c, side, &last[k]);
    sup_v3                 s = sup_v3_load(side->stretch);
    sup_v3                 p = sup_frame_apply(&X, sup_v3_load(side->place));
    length = sup_v3_norm(s);
    out.place = sup_v3_madd(out.place, 1. / a->num_sides, p);
    out.stretch = sup_v3_add(out.stretch, sup_m3_apply(X.R, s));
    out.normal = sup_v3_add(out.normal, sup_m3_apply(X.R, sup_v3_load(side->normal)));
  }
  out.stretch = mean_direction(out.stretch, length), out.normal = mean_direction(out.normal, 1);
  return out;
}

/* ---- distribution of forces
 * --------------------------------------------------------------------------------- */

/** 1: the contact has the anchor's sides in the same order; -1: exchanged. */
static double orientation(const sup_anchor *a, const held *old, const sup_contact *now) {
  if (now->body_a == now->body_b) return sup_v3_dot(old->normal, now->normal) < 0 ? -1 : 1;
  return now->body_a == a->body_a ? 1 : -1;
}

/** Weight of a contact for an anchor: its area, if it has one, times factors of distance and
 * normal. */
static double weight_of(const sup_anchor *a, const held *old, const sup_contact *now,
                        double length2) {
  sup_v3 d = sup_v3_sub(now->centroid, old->place);
  double q = sup_v3_dot(d, d) / length2, rest = 1 - q / (sup_constraint_numerics.anchor_reach *
                                                         sup_constraint_numerics.anchor_reach);
  if (!a->is_point && !(rest > 0)) return 0;
  double agree = orientation(a, old, now) * sup_v3_dot(old->normal, now->normal);
  if (!(agree > 0)) return 0;
  double near = agree * agree / (q * q + sup_constraint_numerics.anchor_place);
  return a->is_point ? near : now->area * rest * rest * near;
}

/** Mean size of the contacts by area [m^2]: slivers do not count. */
static double mean_area(const transfer *t, const entry *now, int num_now) {
  double sum = 0, squares = 0;
  for (int i = 0; i < num_now; i++) {
    double area = t->contacts->contact[now[i].index].area;
    sum += area, squares += area * area;
  }
  return sum > 0 ? squares / sum : 0;
}

/** Largest squared distance of a point's anchor from the contacts [m^2]. */
static double farthest(const transfer *t, const held *old, const entry *now, int num_now) {
  double most = 0;
  for (int i = 0; i < num_now; i++) {
    sup_v3 d = sup_v3_sub(t->contacts->contact[now[i].index].centroid, old->place);
    most = fmax(most, sup_v3_dot(d, d));
  }
  return most > 0 ? most : 1;
}

static int first_from(const entry *now, int num_now, double along) {
  int low = 0, high = num_now;
  while (low < high) {
    int middle = (low + high) / 2;
    if (now[middle].along < along)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** Distribute one anchor's force to the sorted contacts of its pair. */
static void deal(const transfer *t, const entry *now, int num_now, double area, const entry *old) {
  const sup_anchor *a = &t->anchor[old->index];
  const held       *h = &t->old[old->index];
  double length2 = a->is_point ? farthest(t, h, now, num_now) : area + a->area, far = HUGE_VAL;
  if (!a->is_point) far = sup_constraint_numerics.anchor_reach * sqrt(length2);
  int    first = first_from(now, num_now, old->along - far), end = first;
  double total = a->is_point ? 0 : sup_constraint_numerics.anchor_loss * a->area;
  for (; end < num_now && now[end].along <= old->along + far; end++) {
    t->weight[end] = weight_of(a, h, &t->contacts->contact[now[end].index], length2);
    total += t->weight[end];
  }
  for (int i = first; i < end; i++) {
    if (!(t->weight[i] > 0)) continue;
    sup_stick *stick = &t->stick[now[i].index];
    double     share = t->weight[i] / total * a->stiffness;
    double     sign = orientation(a, h, &t->contacts->contact[now[i].index]);
    stick->stretch = sup_v3_madd(stick->stretch, sign * share, h->stretch);
    stick->stiffness += share;
  }
}

static double component(sup_v3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

/** Sort along the axis in which the contacts of a pair extend farthest, so that few are within
 * reach. */
static void sort_along(const transfer *t, entry *now, int num_now, entry *old, int num_old) {
  double most = -1;
  int    axis = 0;
  for (int k = 0; k < 3; k++) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < num_now; i++) {
      double at = component(t->contacts->contact[now[i].index].centroid, k);
      low = fmin(low, at), high = fmax(high, at);
    }
    if (high - low > most) most = high - low, axis = k;
  }
  for (int i = 0; i < num_now; i++)
    now[i].along = component(t->contacts->contact[now[i].index].centroid, axis);
  for (int k = 0; k < num_old; k++) old[k].along = component(t->old[old[k].index].place, axis);
  sort(now, num_now), sort(old, num_old);
}

static void deal_pair(const transfer *t, entry *now, int num_now, entry *old, int num_old) {
  double area = mean_area(t, now, num_now);
  sort_along(t, now, num_now, old, num_old);
  for (int k = 0; k < num_old; k++) deal(t, now, num_now, area, &old[k]);
  for (int i = 0; i < num_now; i++) { /* sums of forces so far */
    sup_stick *stick = &t->stick[now[i].index];
    if (stick->stiffness > 0) stick->stretch = sup_v3_scale(1 / stick->stiffness, stick->stretch);
  }
}

static void deal_all(const transfer *t, entry *now, int num_now, entry *old, int num_old) {
  for (int i = 0, k = 0; i < num_now && k < num_old;) {
    int i_end = end_of_pair(now, i, num_now), k_end = end_of_pair(old, k, num_old),
        order = (now[i].pair > old[k].pair) - (now[i].pair < old[k].pair);
    if (order == 0) deal_pair(t, now + i, i_end - i, old + k, k_end - k);
    if (order <= 0) i = i_end;
    if (order >= 0) k = k_end;
  }
}

sup_status sup_anchor_match(const sup_contact_context *c, const sup_anchor *anchor, int num_anchors,
                            const sup_contact_list *contacts, sup_stick **stick) {
  entry    *now, *old;
  transfer  t = {.anchor = anchor, .contacts = contacts};
  last_side last[2] = {{NULL}};
  SUP_TRY(SUP_ARENA(c->arena, now, contacts->count));
  SUP_TRY(SUP_ARENA(c->arena, old, num_anchors));
  SUP_TRY(SUP_ARENA(c->arena, t.old, num_anchors));
  SUP_TRY(SUP_ARENA(c->arena, t.weight, contacts->count));
  SUP_TRY(SUP_ARENA(c->arena, t.stick, contacts->count));
  for (int i = 0; i < contacts->count; i++) {
    now[i] = (entry){contacts->contact[i].pair, i, 0};
    t.stick[i] = (sup_stick){{0, 0, 0}, 0};
  }
  for (int k = 0; k < num_anchors; k++) {
    old[k] = (entry){anchor[k].pair, k, 0};
    t.old[k] = place_anchor(c, &anchor[k], last);
  }
  sort(now, contacts->count), sort(old, num_anchors);
  deal_all(&t, now, contacts->count, old, num_anchors);
  *stick = t.stick;
  return SUP_OK;
}

void sup_stick_project(const sup_stick *stick, const sup_m3 *R, double stiffness,
                       double stretch[2]) {
  sup_v3 s = sup_m3_apply_t(*R, stick->stretch);
  double flat = hypot(s.x, s.y), length = sup_v3_norm(s);
  double scale = flat > 0 ? length / flat * fmin(1, stick->stiffness / stiffness) : 0;
  stretch[0] = scale * s.x, stretch[1] = scale * s.y;
}

/* ---- after the step -------------------------------------------------------------------------- */

static void keep_side(const sup_contact_context *c, const sup_contact *contact, bool is_b,
                      sup_v3 stretch, last_side *last, sup_anchor_side *out) {
  const sup_carrier *carrier = is_b ? &contact->carrier_b : &contact->carrier_a;
  int                is_soft = (is_b ? contact->geometry_b : contact->geometry_a) == SUP_NONE;
  out->body = is_b ? contact->body_b : contact->body_a;
  out->num_vertices = is_soft ? carrier->num_vertices : 0;
  for (int k = 0; k < out->num_vertices; k++)
    out->vertex[k] = carrier->vertex[k], out->weight[k] = carrier->weight[k];
  sup_frame X = frame_of(c, out, last);
  sup_v3_store(out->place, sup_frame_apply_inverse(&X, contact->centroid));
  sup_v3_store(out->stretch, sup_m3_apply_t(X.R, stretch));
  sup_v3_store(out->normal, sup_m3_apply_t(X.R, contact->normal));
}

static void set_anchor(const sup_contact_context *c, const sup_contact *contact, const sup_law *law,
                       const double *gamma, last_side last[2], sup_anchor *out) {
  *out = (sup_anchor){.pair = contact->pair,
                      .body_a = contact->body_a,
                      .is_point = !(contact->area > 0),
                      .area = contact->area,
                      .stiffness = sup_law_spring_stiffness(law)};
  sup_m3 R = sup_m3_frame_of_normal(contact->normal);
  double stretch[2];
  sup_law_spring_stretch(law, gamma, stretch);
  sup_v3 world = sup_m3_apply(R, sup_v3_make(stretch[0], stretch[1], 0));
  int    a_is_soft = contact->geometry_a == SUP_NONE, b_is_soft = contact->geometry_b == SUP_NONE;
  for (int is_b = 0; is_b < 2; is_b++)
    if (a_is_soft == b_is_soft || (is_b ? b_is_soft : a_is_soft))
      keep_side(c, contact, is_b, world, &last[is_b], &out->side[out->num_sides++]);
}

sup_status sup_anchor_update(const sup_contact_context *c, const sup_rows *rows,
                             const double *gamma, const sup_contact_list *contacts,
                             sup_state *state, double *energy) {
  last_side last[2] = {{NULL}};
  *energy = 0;
  state->num_anchors = 0;
  SUP_TRY(SUP_GROW(state->anchor, state->anchor_capacity, contacts->count));
  for (int i = 0; i < contacts->count; i++) {
    const double  *g = gamma + rows->constraint[i].first_vc; /* contacts come first */
    const sup_law *law = &rows->constraint[i].law;
    if (law->kind != SUP_LAW_ELASTIC_STICK || !(g[2] > 0)) continue; /* open: let go */
    sup_anchor *a = &state->anchor[state->num_anchors++];
    set_anchor(c, &contacts->contact[i], law, g, last, a);
    sup_v3 s = sup_v3_load(a->side[0].stretch);
    *energy += 0.5 * a->stiffness * sup_v3_dot(s, s);
  }
  return SUP_OK;
}
