#include "collide/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geom/polygon.h"

/** Cosine of the angle between normals of pieces that are joined. */
static const double min_cosine = 0.97;

/** The vertex with the largest weight; SUP_NONE: rigid.  Of equals, such as the two corners of a triangle about a
 * quad's centre, the one with the lowest number: round-off must not choose. */
static int nearest_vertex(const sup_carrier *carrier) {
  static const double equal = 1e-6;
  double              most = 0;
  int                 best = SUP_NONE;
  for (int k = 0; k < carrier->num_vertices; k++) most = sup_max(most, carrier->weight[k]);
  for (int k = 0; k < carrier->num_vertices; k++)
    if (carrier->weight[k] > most - equal && (best == SUP_NONE || carrier->vertex[k] < best)) best = carrier->vertex[k];
  return best;
}

static int compare(const void *a, const void *b) {
  const sup_piece *p = a, *q = b;
  for (int i = 0; i < 4; i++)
    if (p->key[i] != q->key[i]) return p->key[i] < q->key[i] ? -1 : 1;
  for (int i = 0; i < 2; i++)
    if (p->item[i] != q->item[i]) return p->item[i] < q->item[i] ? -1 : 1;
  return p->index - q->index; /* triangles of one fan */
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

/** The pressure at a corner of the joined outline, which is a corner of one of both. */
static double level_at(sup_v3 corner, const sup_contact *a, const sup_contact *b) {
  for (int i = 0; i < a->num_points; i++)
    if (memcmp(&a->point[i], &corner, sizeof corner) == 0) return a->level[i];
  for (int i = 0; i < b->num_points; i++)
    if (memcmp(&b->point[i], &corner, sizeof corner) == 0) return b->level[i];
  return 0;
}

/** Put one piece into another; `area` is the sum of the joined pieces' areas, not the size of its vector. */
static void join(sup_contact *to, double *area, const sup_contact *piece) {
  double      ka = to->slope * *area, kb = piece->slope * piece->area, k = ka + kb, part = kb / k;
  double      share = force_share(to, ka, piece, kb), phi = to->phi + part * (piece->phi - to->phi);
  double      spread = to->spread + part * (piece->spread - to->spread), apart = piece->phi - to->phi;
  sup_v3      vector = sup_v3_madd(sup_v3_scale(to->area, to->normal), piece->area, piece->normal);
  sup_polygon outline = {to->num_points, {{0}}}, other = {piece->num_points, {{0}}};
  memcpy(outline.point, to->point, sizeof to->point);
  memcpy(other.point, piece->point, sizeof piece->point);
  *area += piece->area;
  to->area = sup_v3_norm(vector);
  to->normal = sup_v3_scale(1 / to->area, vector);
  to->slope = k / *area;
  to->spread = spread + (to->phi < 0 && piece->phi < 0 ? part * (1 - part) * apart * apart : 0);
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

/** Is there one body of pieces?  Those that press do not join those across a gap: the mean depth would lose force. */
static int belong_together(const sup_contact *a, const sup_contact *b) {
  return (a->phi < 0) == (b->phi < 0) && sup_v3_dot(a->normal, b->normal) >= min_cosine;
}

/** Pieces with one key: each joins the first before it that it belongs to. */
static void join_group(sup_contact *contact, const sup_piece *piece, int count) {
  enum { MOST = 8 };
  int    to[MOST], num_to = 0;
  double area[MOST];
  for (int i = 0; i < count; i++) {
    sup_contact *c = &contact[piece[i].index];
    int          k = 0;
    while (k < num_to && !belong_together(&contact[to[k]], c)) k++;
    if (k < num_to) {
      join(&contact[to[k]], &area[k], c);
      c->num_points = 0;
    } else if (num_to < MOST) {
      to[num_to] = piece[i].index, area[num_to++] = c->area;
    }
  }
}

sup_status sup_contacts_merge(sup_contact_list *list, int first) {
  int          count = list->count - first, end;
  sup_contact *contact = list->contact + first;
  if (count < 2) return SUP_OK;
  SUP_TRY(SUP_GROW(list->piece, list->piece_capacity, count));
  for (int i = 0; i < count; i++) {
    const sup_contact *c = &contact[i];
    list->piece[i] = (sup_piece){{c->cell_a, nearest_vertex(&c->carrier_a), c->cell_b, nearest_vertex(&c->carrier_b)},
                                 {c->item_a, c->item_b},
                                 i};
  }
  qsort(list->piece, (size_t)count, sizeof *list->piece, compare);
  for (int i = 0; i < count; i = end) {
    for (end = i + 1; end < count && memcmp(list->piece[i].key, list->piece[end].key, sizeof list->piece[i].key) == 0;)
      end++;
    join_group(contact, &list->piece[i], end - i);
  }
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (contact[i].num_points > 0) contact[kept++] = contact[i];
  list->count = first + kept;
  return SUP_OK;
}
