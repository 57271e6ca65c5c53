#include "collide/merge.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "geom/polygon.h"

/** Cosine of the angle between normals of pieces that are joined. */
static const double min_cosine = 0.97;

/** The vertex with the largest weight; SUP_NONE: rigid.  Of equals, such as the two corners of a
 * triangle about a quad's centre, the one with the lowest number: round-off must not choose. */
static int nearest_vertex(const sup_carrier *carrier) {
  static const double equal = 1e-6;
  double              most = 0;
  int                 best = SUP_NONE;
  for (int k = 0; k < carrier->num_vertices; k++) most = sup_max(most, carrier->weight[k]);
  for (int k = 0; k < carrier->num_vertices; k++)
    if (carrier->weight[k] > most - equal && (best == SUP_NONE || carrier->vertex[k] < best))
      best = carrier->vertex[k];
  return best;
}

/** 1: piece p precedes q in their group.  Triangles of one fan keep their order. */
static int is_before(const sup_piece *p, const sup_piece *q) {
  return p->item[0] != q->item[0] ? p->item[0] < q->item[0] : p->item[1] < q->item[1];
}

static void join_carriers(sup_carrier *to, const sup_carrier *from, double share) {
  for (int k = 0; k < to->num_vertices; k++) to->weight[k] *= 1 - share;
  sup_carrier_add(to, from, share);
}

/** Force at the step's start, which positions are weighted by; stiffness where there is none. */
static double force_share(const sup_contact *a, double ka, const sup_contact *b, double kb) {
  double fa = sup_max(0, -ka * a->phi), fb = sup_max(0, -kb * b->phi);
  return fa + fb > 0 ? fb / (fa + fb) : kb / (ka + kb);
}

static int is_same(sup_v3 a, sup_v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/** The pressure at a corner of the joined outline, which is a corner of one of both. */
static double level_at(sup_v3 corner, const sup_contact *a, const sup_contact *b) {
  for (int i = 0; i < a->num_points; i++)
    if (is_same(a->point[i], corner)) return a->level[i];
  for (int i = 0; i < b->num_points; i++)
    if (is_same(b->point[i], corner)) return b->level[i];
  return 0;
}

/** Put one piece into another; `area` is the sum of the joined pieces' areas, not the size of its
 * vector. */
static void join(sup_contact *to, double *area, const sup_contact *piece) {
  double ka = to->slope * *area, kb = piece->slope * piece->area, k = ka + kb, part = kb / k;
  double share = force_share(to, ka, piece, kb), phi = to->phi + part * (piece->phi - to->phi);
  double spread = to->spread + part * (piece->spread - to->spread);
  double apart =
      sup_contact_stored_share(piece) * piece->phi - sup_contact_stored_share(to) * to->phi;
  sup_v3      vector = sup_v3_madd(sup_v3_scale(to->area, to->normal), piece->area, piece->normal);
  sup_polygon outline = {to->num_points, {{0}}}, other = {piece->num_points, {{0}}};
  memcpy(outline.point, to->point, sizeof to->point);
  memcpy(other.point, piece->point, sizeof piece->point);
  *area += piece->area;
  to->area = sup_v3_norm(vector);
  to->normal = sup_v3_scale(1 / to->area, vector);
  to->slope = k / *area;
  to->spread = spread + (to->phi < 0 && piece->phi < 0 ? part * (1 - part) * apart * apart : 0);
  to->beyond += part * (piece->beyond - to->beyond);
  to->phi = phi;
  to->penetration += part * (piece->penetration - to->penetration);
  to->centroid = sup_v3_madd(to->centroid, share, sup_v3_sub(piece->centroid, to->centroid));
  join_carriers(&to->carrier_a, &piece->carrier_a, share);
  join_carriers(&to->carrier_b, &piece->carrier_b, share);
  sup_polygon_join(&outline, &other, to->normal);
  double level[SUP_CONTACT_MAX_POINTS] = {0};
  for (int i = 0; i < outline.num_points; i++) level[i] = level_at(outline.point[i], to, piece);
  to->num_points = outline.num_points;
  memcpy(to->point, outline.point, sizeof to->point);
  memcpy(to->level, level, sizeof to->level);
}

/** 1: two pieces can be merged.  Pieces in overlap are not merged with pieces across a gap: the
 * mean depth would lose force. */
static int belong_together(const sup_contact *a, const sup_contact *b) {
  return (a->phi < 0) == (b->phi < 0) && sup_v3_dot(a->normal, b->normal) >= min_cosine;
}

/** Pieces with one key: each joins the first before it that it belongs to. */
static void join_group(sup_contact *contact, const sup_piece *piece, int first) {
  enum { MOST = 8 };
  int    to[MOST], num_to = 0;
  double area[MOST];
  for (int i = first; i != SUP_NONE; i = piece[i].next) {
    sup_contact *c = &contact[i];
    int          k = 0;
    while (k < num_to && !belong_together(&contact[to[k]], c)) k++;
    if (k < num_to) {
      join(&contact[to[k]], &area[k], c);
      c->num_points = 0;
    } else if (num_to < MOST) {
      to[num_to] = i, area[num_to++] = c->area;
    }
  }
}

static int has_key(const sup_piece *p, const int key[4]) {
  return p->key[0] == key[0] && p->key[1] == key[1] && p->key[2] == key[2] && p->key[3] == key[3];
}

/** Table entry of the group with this key, or the empty entry for it. */
static int *find_group(const sup_contact_list *list, size_t mask, const int key[4]) {
  uint64_t hash = 0;
  for (int i = 0; i < 4; i++) hash = (hash ^ (uint32_t)key[i]) * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(hash >> 32) & mask;
  while (list->group[at] != SUP_NONE && !has_key(&list->piece[list->group[at]], key))
    at = (at + 1) & mask;
  return &list->group[at];
}

/** Groups of the contacts, each in the order of its pieces; returns the size of their table. */
static sup_status group_pieces(sup_contact_list *list, const sup_contact *contact, int count,
                               size_t *size) {
  *size = 16;
  while (*size < 2 * (size_t)count) *size *= 2;
  SUP_TRY(SUP_GROW(list->piece, list->piece_capacity, count));
  SUP_TRY(SUP_GROW(list->group, list->group_capacity, *size));
  for (size_t i = 0; i < *size; i++) list->group[i] = SUP_NONE;
  for (int i = 0; i < count; i++) {
    const sup_contact *c = &contact[i];
    sup_piece         *p = &list->piece[i];
    *p = (sup_piece){
        {c->cell_a, nearest_vertex(&c->carrier_a), c->cell_b, nearest_vertex(&c->carrier_b)},
        {c->item_a, c->item_b},
        SUP_NONE};
    int *link = find_group(list, *size - 1, p->key);
    while (*link != SUP_NONE && !is_before(p, &list->piece[*link])) link = &list->piece[*link].next;
    p->next = *link, *link = i;
  }
  return SUP_OK;
}

sup_status sup_contacts_merge(sup_contact_list *list, int first) {
  int    count = list->count - first, kept = 0;
  size_t size;
  if (count < 2) return SUP_OK;
  sup_contact *contact = list->contact + first;
  SUP_TRY(group_pieces(list, contact, count, &size));
  for (size_t i = 0; i < size; i++) join_group(contact, list->piece, list->group[i]);
  for (int i = 0; i < count; i++) {
    if (contact[i].num_points == 0) continue;
    if (kept < i) contact[kept] = contact[i];
    kept++;
  }
  list->count = first + kept;
  return SUP_OK;
}
