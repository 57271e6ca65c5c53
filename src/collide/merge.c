#include "collide/merge.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "collide/numerics.h"
#include "geom/polygon.h"

/** Vertices with the largest weight, ascending, then SUP_NONE. Vertices of equal weight, such as
 * the two corners of a triangle about a quad's centre, form a key together: a choice among them
 * would depend on numbering. */
static void nearest_vertices(const sup_carrier *carrier, int to[SUP_PIECE_NEAREST]) {
  double most = 0;
  int    n = 0;
  for (int k = 0; k < SUP_PIECE_NEAREST; k++) to[k] = SUP_NONE;
  for (int k = 0; k < carrier->num_vertices; k++) most = sup_max(most, carrier->weight[k]);
  for (int k = 0; k < carrier->num_vertices; k++) {
    if (!(carrier->weight[k] > most - sup_collide_numerics.merged_equal)) continue;
    int at = n < SUP_PIECE_NEAREST ? n++ : SUP_PIECE_NEAREST;
    for (; at > 0 && to[at - 1] > carrier->vertex[k]; at--)
      if (at < SUP_PIECE_NEAREST) to[at] = to[at - 1];
    if (at < SUP_PIECE_NEAREST) to[at] = carrier->vertex[k];
  }
}

/** 1: piece p precedes q in their group.  Triangles of one fan keep their order. */
static int is_before(const sup_piece *p, const sup_piece *q) {
  return p->item[0] != q->item[0] ? p->item[0] < q->item[0] : p->item[1] < q->item[1];
}

static void join_carriers(sup_carrier *to, const sup_carrier *from, double share) {
  for (int k = 0; k < to->num_vertices; k++) to->weight[k] *= 1 - share;
  sup_carrier_add(to, from, share);
}

/** Weight of positions: force at the step's start; stiffness without force. */
static double force_share(const sup_contact *a, double ka, const sup_contact *b, double kb) {
  double fa = sup_max(0, -ka * a->phi), fb = sup_max(0, -kb * b->phi);
  return fa + fb > 0 ? fb / (fa + fb) : kb / (ka + kb);
}

static int is_same(sup_v3 a, sup_v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/** Pressure at a corner of the joined outline, which is a corner of one of both pieces. */
static double level_at(sup_v3 corner, const sup_contact *a, const sup_contact *b) {
  for (int i = 0; i < a->num_points; i++)
    if (is_same(a->point[i], corner)) return a->level[i];
  for (int i = 0; i < b->num_points; i++)
    if (is_same(b->point[i], corner)) return b->level[i];
  return 0;
}

static double top_of(const sup_contact *c) {
  double top = c->top;
  for (int i = 0; i < c->num_points; i++) top = sup_max(top, c->level[i]);
  return top;
}

/** Merge one piece into another; `area` is the sum of the pieces' areas, not the norm of the area
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
  to->top = sup_max(top_of(to), top_of(piece));
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

/** 1: the piece overlaps.  Pieces in overlap are not merged with pieces across a gap, since the
 * mean depth would lose force. */
static int is_overlap(const sup_contact *c) { return c->phi < 0; }

/** Mean direction of the pieces of a list that are or are not in overlap, of at least this
 * stiffness. */
static sup_v3 mean_normal(const sup_contact *contact, const sup_piece *piece, int first, int inside,
                          double least) {
  sup_v3 sum = {0, 0, 0};
  for (int i = first; i != SUP_NONE; i = piece[i].next)
    if (is_overlap(&contact[i]) == inside && contact[i].slope * contact[i].area >= least)
      sum = sup_v3_madd(sum, contact[i].area, contact[i].normal);
  return sup_v3_unit(sum);
}

/** Merge the pieces of a group with nearly this normal into the first of them and remove the
 * others; *num := number of merged pieces.  Merges are stored as origins. */
static sup_status join_along(sup_contact_list *list, sup_contact *contact, int *first, int inside,
                             sup_v3 n, int *num) {
  sup_piece *piece = list->piece;
  int        to = SUP_NONE;
  double     area = 0;
  *num = 0;
  for (int *link = first; *link != SUP_NONE;) {
    int          i = *link;
    sup_contact *c = &contact[i];
    if (is_overlap(c) != inside ||
        !(sup_v3_dot(c->normal, n) >= sup_collide_numerics.merged_cosine)) {
      link = &piece[i].next;
      continue;
    }
    *link = piece[i].next;
    if ((*num)++ == 0) {
      to = i, area = c->area;
      continue;
    }
    join(&contact[to], &area, c);
    c->num_points = 0;
    SUP_TRY(sup_origins_add_join(&list->origins, to, i));
  }
  return SUP_OK;
}

/** Remove the pieces of at least this stiffness from a list. */
static void leave_alone(const sup_contact *contact, sup_piece *piece, int *first, int inside,
                        double least) {
  for (int *link = first; *link != SUP_NONE;) {
    const sup_contact *c = &contact[*link];
    if (is_overlap(c) == inside && c->slope * c->area >= least)
      *link = piece[*link].next;
    else
      link = &piece[*link].next;
  }
}

/** Merge pieces with one key: first pieces near the mean normal, then pieces near the mean normal
 * of the rest; if no piece is near the mean, pieces near the normal of the stiffest.  The result
 * does not depend on the order of the pieces. */
static sup_status join_group(sup_contact_list *list, sup_contact *contact, int first) {
  const sup_piece *piece = list->piece;
  while (first != SUP_NONE && piece[first].next != SUP_NONE) {
    int    inside = is_overlap(&contact[first]), num;
    double most = 0;
    sup_v3 n = mean_normal(contact, piece, first, inside, 0);
    SUP_TRY(join_along(list, contact, &first, inside, n, &num));
    if (num > 0) continue;
    for (int i = first; i != SUP_NONE; i = piece[i].next)
      if (is_overlap(&contact[i]) == inside)
        most = sup_max(most, contact[i].slope * contact[i].area);
    most *= 1 - sup_collide_numerics.merged_equal;
    n = mean_normal(contact, piece, first, inside, most);
    SUP_TRY(join_along(list, contact, &first, inside, n, &num));
    if (num == 0) leave_alone(contact, list->piece, &first, inside, most);
  }
  return SUP_OK;
}

static int has_key(const sup_piece *p, const sup_piece_key *key) {
  return memcmp(&p->key, key, sizeof *key) == 0;
}

/** Table entry of the group with this key, or the empty entry for it. */
static int *find_group(const sup_contact_list *list, size_t mask, const sup_piece_key *key) {
  uint64_t hash = 0;
  for (int side = 0; side < 2; side++) {
    hash = (hash ^ (uint32_t)key->cell[side]) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < SUP_PIECE_NEAREST; k++)
      hash = (hash ^ (uint32_t)key->nearest[side][k]) * 0x9e3779b97f4a7c15u;
  }
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
    *p = (sup_piece){{{c->cell_a, c->cell_b}, {{0}}}, {c->item_a, c->item_b}, SUP_NONE};
    nearest_vertices(&c->carrier_a, p->key.nearest[0]);
    nearest_vertices(&c->carrier_b, p->key.nearest[1]);
    int *link = find_group(list, *size - 1, &p->key);
    while (*link != SUP_NONE && !is_before(p, &list->piece[*link])) link = &list->piece[*link].next;
    p->next = *link, *link = i;
  }
  return SUP_OK;
}

/** Remove the contacts since `first` that were merged into others. */
static void take_out_joined(sup_contact_list *list, int first) {
  int kept = first;
  for (int i = first; i < list->count; i++) {
    if (list->contact[i].num_points == 0) continue;
    if (kept < i) list->contact[kept] = list->contact[i];
    kept++;
  }
  list->count = kept;
}

sup_status sup_contacts_merge(sup_contact_list *list, int first) {
  int    count = list->count - first;
  size_t size;
  if (count < 2) return SUP_OK;
  sup_contact *contact = list->contact + first;
  SUP_TRY(group_pieces(list, contact, count, &size));
  for (size_t i = 0; i < size; i++) SUP_TRY(join_group(list, contact, list->group[i]));
  take_out_joined(list, first);
  return SUP_OK;
}

void sup_contacts_join(sup_contact_list *list, int first, const sup_join_origin *origin,
                       int count) {
  double area = 0;
  for (int k = 0; k < count; k++) {
    sup_contact *to = &list->contact[first + origin[k].to],
                *piece = &list->contact[first + origin[k].from];
    if (k == 0 || origin[k].to != origin[k - 1].to) area = to->area;
    if (area > 0 && piece->area > 0)
      join(to, &area, piece);
    else if (piece->area > 0)
      *to = *piece, area = piece->area;
    piece->num_points = 0;
  }
  take_out_joined(list, first);
}
