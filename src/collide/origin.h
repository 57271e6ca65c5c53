/** Origins of contacts: decisions of a search as plain data, without positions.  Measured at the
 * positions of the search, they give its contacts bit by bit; at other positions, contacts by the
 * same decisions (THEORY 19.7).  Layer collide. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum sup_origin_kind {
  SUP_ORIGIN_POINT,   /* item: feature of the manifold (point.h) */
  SUP_ORIGIN_POLYGON, /* item: triangle; other: corners inside; part: 0, or 1 .. 3 of its thirds */
  SUP_ORIGIN_FACET,   /* item: number in the pair's facets; part: (time bands + band) 3 + point */
  SUP_ORIGIN_VERTEX,  /* item: vertex */
  SUP_ORIGIN_PATCH,   /* item, other: triangle or cell of a, cell of b; part: of its fan */
  SUP_ORIGIN_KINDS
} sup_origin_kind;

/** Origin of one contact, or of one piece of a contact that was merged. */
typedef struct sup_contact_origin {
  sup_origin_kind kind;
  int             item, other, part;
  double share[2]; /* shares of its area: the rest belongs to contacts at vertices and to pieces of
                      its facet */
} sup_contact_origin;

/** Face with contacts at its vertices, and the share of its area in these contacts. */
typedef struct sup_face_origin {
  int    face;
  double share;
} sup_face_origin;

/** Facet cut into pieces: ranges of its pieces now and within the step, its share of the area. */
typedef struct sup_facet_origin {
  int    triangle, first_piece[2], num_pieces[2];
  double share;
} sup_facet_origin;

/** Piece of a facet: path of quarters from the facet down, two bits a level, 32 levels a word. */
typedef struct sup_piece_origin {
  int      level;
  uint64_t quarter[2];
} sup_piece_origin;

/** Piece merged into another piece; numbers among the contact origins of the pair. */
typedef struct sup_join_origin {
  int to, from;
} sup_join_origin;

/** Origins of a pair: counts of the arrays before the pair, and decisions for all its contacts. */
typedef struct sup_pair_origin {
  int      pair;
  int      is_turned; /* 1: links are turned before the search */
  int      drops;     /* 1: the search includes the fall distance within the step */
  int      balances;  /* 1: levers are balanced by the opening of the gap */
  unsigned motions;   /* bit k: motion k of the search is included */
  int      is_far;    /* 1: fields use their far cells */
  int      contact, face, facet, piece, join; /* indices of the pair's first items */
} sup_pair_origin;

/** All origins of a search, in its order.  Memory is kept from step to step. */
typedef struct sup_origins {
  sup_pair_origin     now; /* pair under search */
  sup_pair_origin    *pair;
  sup_contact_origin *contact;
  sup_face_origin    *face;
  sup_facet_origin   *facet;
  sup_piece_origin   *piece;
  sup_join_origin    *join;
  int                 num_pairs, num_contacts, num_faces, num_facets, num_pieces, num_joins;
  size_t pair_capacity, contact_capacity, face_capacity, facet_capacity, piece_capacity,
      join_capacity;
} sup_origins;

/** Origins of one pair. */
typedef struct sup_pair_origins {
  const sup_pair_origin    *pair;
  const sup_contact_origin *contact; /* [num_contacts] */
  const sup_face_origin    *face;    /* [num_faces] */
  const sup_facet_origin   *facet;   /* [num_facets] */
  const sup_piece_origin   *piece;   /* of all pairs */
  const sup_join_origin    *join;    /* [num_joins] */
  int                       num_contacts, num_faces, num_facets, num_joins;
} sup_pair_origins;

/** Origins of pair k of the search. */
sup_pair_origins sup_origins_of_pair(const sup_origins *o, int k);
/** Begin the origins of a pair: o->now. */
void sup_origins_begin(sup_origins *o, int pair, int is_turned, unsigned motions);
/** Keep the origins of o->now, or remove them if the pair has no contacts. */
SUP_NODISCARD sup_status sup_origins_end(sup_origins *o, int has_contacts);
/** Remove the origins added since the start of o->now. */
void sup_origins_undo(sup_origins *o);
/** Append the origins of another search. */
SUP_NODISCARD sup_status sup_origins_append(sup_origins *o, const sup_origins *more);
/** Remove all origins; memory is kept. */
void sup_origins_clear(sup_origins *o);
void sup_origins_free(sup_origins *o);
/** Append a contact's origin with its whole area. */
SUP_NODISCARD sup_status sup_origins_add(sup_origins *o, sup_origin_kind kind, int item, int other,
                                         int part);
/** Reserve places for the pair's faces; the caller fills them. */
SUP_NODISCARD sup_status sup_origins_add_faces(sup_origins *o, int count);
/** Append a merge of two pieces of the pair under search. */
SUP_NODISCARD sup_status sup_origins_add_join(sup_origins *o, int to, int from);
