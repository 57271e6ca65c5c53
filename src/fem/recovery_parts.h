/** What recovered stress is made of: fits around vertices, and which of them speak for which
 * vertex.  Private to layer fem. */
#pragma once

#include "base/ranges.h"
#include "fem/recovery.h"
#include "fem/site.h"

/** One polynomial, fitted around a vertex. */
typedef struct sup_recovery_patch {
  int    vertex;
  int    num_cells, num_terms; /* 1 term: a mean */
  int    layers;               /* of cells around the vertex */
  size_t first_cell, first_weight;
  double length; /* places from the vertex are divided by it [m] */
} sup_recovery_patch;

/** A vertex of which a patch says the stress, alone or with others. */
typedef struct sup_recovery_served {
  int    vertex;
  double share;
} sup_recovery_served;

struct sup_recovery {
  const sup_fem_body  *body;
  const sup_mesh      *mesh;  /* of the body, or of its sites: vertices are sites from here on */
  sup_fem_sites        sites; /* of several materials */
  int                  num_patches, num_means;
  sup_recovery_patch  *patch;        /* [num_patches] */
  int                 *cell;         /* cells of each patch, numbers of the given mesh */
  double              *weight;       /* [num_terms x num_cells x samples] of each patch */
  size_t              *first_served; /* [num_patches + 1] */
  sup_recovery_served *served;
  sup_ranges           ranges; /* patches, and the vertices for which they speak */
  double              *share;  /* [num_cells x num_points] of the cell's volume, as `cell` */
};

/** Fill a recovery whose body is set. */
SUP_NODISCARD sup_status sup_recovery_build(sup_recovery *recovery, sup_recovery_method method);
/** Place of a vertex in the coordinates of a patch. */
static inline void sup_recovery_place(const sup_recovery *r, const sup_recovery_patch *p,
                                      int vertex, double x[3]) {
  sup_v3 way = sup_v3_sub(sup_mesh_vertex(r->mesh, vertex), sup_mesh_vertex(r->mesh, p->vertex));
  sup_v3_store(x, sup_v3_scale(1 / p->length, way));
}
