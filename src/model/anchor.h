/** Anchor of an elastic stick on both sides of a contact (constraint/anchor.h).  Layer model. */
#pragma once

#include "model/model.h"

/** One side, in the frame of its link or of the vertices that carry it. */
typedef struct sup_anchor_side {
  int body;
  int num_vertices; /* number of vertices of a soft body that carry the anchor; 0: a link carries it
                     */
  int    vertex[SUP_CARRIER_MAX_VERTICES];
  double weight[SUP_CARRIER_MAX_VERTICES];
  double place[3];   /* of the contact [m] */
  double stretch[3]; /* of the stick [m] */
  double normal[3];  /* of the contact */
} sup_anchor_side;

struct sup_anchor {
  int pair, body_a; /* pair of the model; side from which the normal points */
  int num_sides; /* number of sides that carry the anchor; soft-rigid contact: only the soft side */
  int is_point;  /* 1: the contact has no area */
  double          area;      /* of the contact [m^2] */
  double          stiffness; /* [N/m] */
  sup_anchor_side side[2];   /* sides beyond num_sides are zero */
};
