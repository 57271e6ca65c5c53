#include "collide/origin.h"

#include <string.h>

#include "base/memory.h"

void sup_origins_begin(sup_origins *o, int pair, int is_turned, unsigned motions) {
  o->now = (sup_pair_origin){.pair = pair,
                             .is_turned = is_turned,
                             .motions = motions,
                             .contact = o->num_contacts,
                             .face = o->num_faces,
                             .facet = o->num_facets,
                             .piece = o->num_pieces,
                             .join = o->num_joins};
}

sup_status sup_origins_end(sup_origins *o, int has_contacts) {
  if (!has_contacts) {
    sup_origins_undo(o);
    return SUP_OK;
  }
  SUP_TRY(SUP_GROW(o->pair, o->pair_capacity, o->num_pairs + 1));
  o->pair[o->num_pairs++] = o->now;
  return SUP_OK;
}

void sup_origins_undo(sup_origins *o) {
  o->num_contacts = o->now.contact, o->num_faces = o->now.face;
  o->num_facets = o->now.facet, o->num_pieces = o->now.piece;
  o->num_joins = o->now.join;
}

sup_status sup_origins_add(sup_origins *o, sup_origin_kind kind, int item, int other, int part) {
  SUP_TRY(SUP_GROW(o->contact, o->contact_capacity, o->num_contacts + 1));
  o->contact[o->num_contacts++] = (sup_contact_origin){kind, item, other, part, {1, 1}};
  return SUP_OK;
}

sup_status sup_origins_add_join(sup_origins *o, int to, int from) {
  SUP_TRY(SUP_GROW(o->join, o->join_capacity, o->num_joins + 1));
  o->join[o->num_joins++] = (sup_join_origin){to, from};
  return SUP_OK;
}

sup_status sup_origins_add_faces(sup_origins *o, int count) {
  o->num_faces = o->now.face + count;
  return SUP_GROW(o->face, o->face_capacity, o->num_faces);
}

/* Items of an array from `first` on; NULL if the array is NULL. */
#define ITEMS(array, first) ((array) ? (array) + (first) : NULL)

sup_pair_origins sup_origins_of_pair(const sup_origins *o, int k) {
  const sup_pair_origin *p = &o->pair[k], *next = k + 1 < o->num_pairs ? p + 1 : NULL;
  return (sup_pair_origins){.pair = p,
                            .contact = ITEMS(o->contact, p->contact),
                            .face = ITEMS(o->face, p->face),
                            .facet = ITEMS(o->facet, p->facet),
                            .piece = o->piece,
                            .join = ITEMS(o->join, p->join),
                            .num_joins = (next ? next->join : o->num_joins) - p->join,
                            .num_contacts = (next ? next->contact : o->num_contacts) - p->contact,
                            .num_faces = (next ? next->face : o->num_faces) - p->face,
                            .num_facets = (next ? next->facet : o->num_facets) - p->facet};
}

/* Append the items of another array to one of `o`, which SUP_GROW makes long enough. */
#define APPEND(array, count, capacity)                                                  \
  do {                                                                                  \
    SUP_TRY(SUP_GROW(o->array, o->capacity, o->count + more->count));                   \
    if (more->count > 0)                                                                \
      memcpy(o->array + o->count, more->array, (size_t)more->count * sizeof *o->array); \
  } while (0)

sup_status sup_origins_append(sup_origins *o, const sup_origins *more) {
  APPEND(pair, num_pairs, pair_capacity);
  APPEND(contact, num_contacts, contact_capacity);
  APPEND(face, num_faces, face_capacity);
  APPEND(facet, num_facets, facet_capacity);
  APPEND(piece, num_pieces, piece_capacity);
  APPEND(join, num_joins, join_capacity);
  for (int k = 0; k < more->num_pairs; k++) {
    sup_pair_origin *p = &o->pair[o->num_pairs++];
    p->contact += o->num_contacts, p->face += o->num_faces;
    p->facet += o->num_facets, p->piece += o->num_pieces, p->join += o->num_joins;
  }
  for (int k = 0; k < more->num_facets; k++)
    for (int time = 0; time < 2; time++)
      o->facet[o->num_facets + k].first_piece[time] += o->num_pieces;
  o->num_contacts += more->num_contacts, o->num_faces += more->num_faces;
  o->num_facets += more->num_facets, o->num_pieces += more->num_pieces;
  o->num_joins += more->num_joins;
  return SUP_OK;
}

void sup_origins_clear(sup_origins *o) {
  o->num_pairs = o->num_contacts = o->num_faces = o->num_facets = o->num_pieces = 0;
  o->num_joins = 0;
}

void sup_origins_free(sup_origins *o) {
  SUP_FREE(o->pair);
  SUP_FREE(o->contact);
  SUP_FREE(o->face);
  SUP_FREE(o->facet);
  SUP_FREE(o->piece);
  SUP_FREE(o->join);
  *o = (sup_origins){0};
}
