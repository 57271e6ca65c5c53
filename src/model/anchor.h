/** Anchor of an elastic stick on both sides of a contact (constraint/anchor.h).  Layer model. */
#pragma once

#include "model/model.h"

/** One side, in the frame of its link or of the vertices that carry it. */
typedef struct sup_anchor_side {
  int    body;
  int    num_vertices; /* of a soft body that carry it; 0: of a link */
  int    vertex[SUP_CARRIER_MAX_VERTICES];
  double weight[SUP_CARRIER_MAX_VERTICES];
  double place[3];   /* of the contact [m] */
  double stretch[3]; /* of the stick [m] */
  double normal[3];  /* of the contact */
} sup_anchor_side;

struct sup_anchor {
  int             pair, body_a; /* of the model; whose side the normal leaves */
  int             num_sides;    /* that carry it: of soft and rigid the soft one alone */
  int             is_point;     /* the contact has no area */
  double          area;         /* of the contact [m^2] */
  double          stiffness;    /* [N/m] */
  sup_anchor_side side[2];      /* zero beyond num_sides */
};
