/** Ties of soft bodies: vertices that move as weighted means of others (THEORY 4.11).  Layer model.
 */
#pragma once

#include "model/model.h"

/** Weight of a mover in the motion of a vertex of the slave. */
typedef struct sup_tie_entry {
  int       vertex; /* of the slave */
  sup_mover mover;
} sup_tie_entry;

/** Two surfaces at time 0 that are tied, and what comes of it. */
typedef struct sup_tie_surfaces {
  int                  slave, master;  /* soft bodies */
  const unsigned char *is_slave;       /* [num_vertices] of the region on each side */
  const unsigned char *is_master;      /* [num_vertices] */
  const unsigned char *stays;          /* [num_vertices] 1: keeps its unknowns */
  double               within;         /* sup_tie_def.within */
  double               area, covered;  /* of the slave's region, and its part on the master [m^2] */
  double               gap, gap_share; /* largest of a slave, and over the master's edge there */
  int                  gap_vertex;     /* slave with that share; SUP_NONE: no slave */
  int                  num_left; /* vertices on the master that stay, as little of their hats is */
  double               size[2];  /* mean edges of the faces that met, slave and master [m] */
  double               nearest;  /* distance of faces that were too far; HUGE_VAL: none [m] */
  sup_tie_entry       *entry;    /* by vertex, then mover; weights of a vertex have the sum 1 */
  size_t               num_entries, capacity;
} sup_tie_surfaces;

/** Weights by the dual mortar on clipped polygons; rest gaps are carried by the edges of the cells
 * behind the master: sum of weights times places = place of the slave.  E_GEOMETRY: part of the
 * slave is covered twice.  Free entry with SUP_FREE. */
SUP_NODISCARD sup_status sup_tie_weigh(const sup_model *model, sup_tie_surfaces *t);
/** Sort by vertex and mover, and join equal ones. */
void sup_tie_join_entries(sup_tie_entry *entry, size_t *num);
