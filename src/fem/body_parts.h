/** Members of sup_fem_body, for the files of this folder.  Layer fem. */
#pragma once

#include <string.h>

#include "base/collective.h"
#include "base/ranges.h"
#include "fem/body.h"
#include "fem/kernel/batch.h"

/** A material of the body. */
typedef struct sup_fem_matter {
  sup_material_def              material;
  sup_lame                      lame; /* of the instantaneous moduli */
  sup_prony                     prony;
  const struct sup_stretch_law *law; /* at the points of tetrahedra; NULL: K0 */
} sup_fem_matter;

/** Growths of cells (fem/growth.h). */
typedef struct sup_growths {
  int       num;
  double    strain[SUP_FEM_MAX_GROWTHS][3]; /* [num] along the axes of the mesh at share 1 */
  unsigned *of_cell; /* [num_cells] bit k: growth k is one of the cell; NULL: no growth */
} sup_growths;

struct sup_fem_body {
  sup_mesh *given; /* in the caller's order */
  const sup_mesh
          *mesh;       /* mesh with cells in the order of this folder: the given mesh or `sorted` */
  sup_mesh sorted;     /* vertices of the given mesh, without sets */
  int *number, *place; /* [num_cells] number of each cell in the given mesh, and the inverse; NULL:
                          both orders are equal */
  int                num_materials;
  sup_fem_matter    *matter;                         /* [num_materials] */
  int               *cell_material, *given_material; /* [num_cells] the latter in given order */
  const sup_element *element;
  int is_hyperelastic; /* 1: all cells have stretch laws; 0: rotations and K0 of the element */
  sup_block_pattern pattern;
  int    *vertex;      /* [num_cells x num_vertices] vertex of each slot, ascending in a cell */
  int    *entry;       /* [num_cells x num_pairs] entry of the pattern of each pair of slots */
  int    *lanes_of;    /* [num_batches] where its cells' numbers are, 0 .. num_lanes - 1 */
  int     num_lanes;   /* batches that differ (fem/congruent.c) */
  double *lane_memory; /* memory of the next four arrays, aligned; zeros in lanes without a cell */
  double *stiffness;   /* [num_lanes x stiffness_size x SUP_BATCH] */
  double *lane_gradient; /* [num_lanes x num_vertices x 3 x SUP_BATCH] mean shape gradients, slot
                            order; zero of cells that do not turn */
  double *compliance;    /* [num_lanes x compliance_size x SUP_BATCH] */
  double *lane_moduli;   /* [num_lanes x 2 x SUP_BATCH] volume times lambda and mu; zero as well */
  double
      *gradient;  /* [num_lanes x SUP_BATCH x num_vertices x 3] mean shape gradients, cell order */
  double *volume; /* [num_lanes x SUP_BATCH] */
  double *vertex_volume; /* [num_vertices] sum of the volumes of the cells around */
  double *vertex_mass;   /* [num_vertices] row sums of the mass in use */
  double *own_mass;      /* the same of this rank's cells: vertex_mass, or an array of its own */
  double *entry_mass;    /* consistent: [entries of the pattern] m of the block m I; lumped: NULL */
  double *damping; /* of materials with different mass damping: sums of alpha m, as entry_mass or
                      vertex_mass; NULL: one alpha */
  sup_growths           growth;
  double                mass;
  const sup_collective *ranks; /* ranks that have the other cells; NULL: one rank */
  const int *number_of_all; /* [num_cells] of the given mesh among all ranks' cells; NULL: itself */
  int       *idle;          /* [num_idle] vertices at which only other ranks have cells */
  int        num_idle;
  sup_ranges batch_ranges; /* batches, and the vertices whose columns and forces they add to */
};

/** Number that cell c of this folder has in the given mesh. */
static inline int sup_fem_given(const sup_fem_body *body, int c) {
  return body->number ? body->number[c] : c;
}
/* Cells may be on several ranks: sums over cells are then summed over ranks, and all results except
 * matrices and data of cells are complete on all ranks. */

/** Prepare a complete f [num_vertices x 3] for addition: one rank keeps f, the others set f to 0.
 */
static inline void sup_fem_begin_sum(const sup_fem_body *body, double *f) {
  if (!sup_is_first_rank(body->ranks))
    memset(f, 0, 3 * (size_t)body->mesh->num_vertices * sizeof *f);
}
static inline void sup_fem_end_sum(const sup_fem_body *body, double *f) {
  if (body->ranks) body->ranks->sum(body->ranks, 3 * (size_t)body->mesh->num_vertices, f);
}
/** Reorder cells so that neighbours are near in number, and list the vertices to which each batch
 * adds (fem/arrangement.c).  E_GEOMETRY names a cell without sound vertices. */
SUP_NODISCARD sup_status sup_fem_arrange(sup_fem_body *body);
/** Give batches of congruent cells one set of lanes: lanes_of, num_lanes (fem/congruent.c).  After
 * materials are set. */
SUP_NODISCARD sup_status sup_fem_find_congruent(sup_fem_body *body);
/** Number of vertex pairs in all cells that justify one more thread: some 0.1 ms of rotations,
 * forces and stiffness. */
enum { SUP_FEM_THREAD_PAIRS = 10000 };

/** Points of a cell that have a history: places, of which elements may leave some unused. */
static inline int sup_fem_history_points(const sup_fem_body *body) {
  return body->element == &sup_element_t4 ? 1 : SUP_ELEMENT_MAX_POINTS;
}
/** Batches of SUP_BATCH cells. */
static inline int sup_fem_num_batches(const sup_fem_body *body) {
  return (body->mesh->num_cells + SUP_BATCH - 1) / SUP_BATCH;
}
/** Slots of the cells of batch k that a range owns; returns 0 if there are none.
 *  @param[out] owned  [num_cells x num_vertices] of the batch */
int sup_fem_owned(const sup_fem_body *body, const sup_range *range, int k, unsigned char *owned);
/** Batch k, of cells from SUP_BATCH k on. */
sup_batch sup_fem_batch(const sup_fem_body *body, int k);
/** Lanes of cell c, in the numbers of its batch. */
static inline size_t sup_fem_lanes(const sup_fem_body *body, int c) {
  return (size_t)body->lanes_of[c / SUP_BATCH];
}
/** First number of cell c in lanes of `size` numbers; the next is SUP_BATCH behind. */
static inline const double *sup_fem_lane_of(const sup_fem_body *body, const double *lanes,
                                            size_t size, int c) {
  return lanes + SUP_BATCH * size * sup_fem_lanes(body, c) + c % SUP_BATCH;
}
/** Stiffness of cell c as sup_element.force reads it. */
static inline const double *sup_fem_stiffness_of(const sup_fem_body *body, int c) {
  return sup_fem_lane_of(body, body->stiffness, (size_t)body->element->stiffness_size, c);
}
/** Mean shape gradients of cell c in its own order, [num_vertices x 3]. */
static inline const double *sup_fem_gradient_of(const sup_fem_body *body, int c) {
  return body->gradient + 3 * (size_t)body->element->num_vertices *
                              (SUP_BATCH * sup_fem_lanes(body, c) + (size_t)(c % SUP_BATCH));
}
/** Volume at rest [m^3]. */
static inline double sup_fem_volume_of(const sup_fem_body *body, int c) {
  return body->volume[SUP_BATCH * sup_fem_lanes(body, c) + (size_t)(c % SUP_BATCH)];
}

/** True if cell c may have a stress beside that of its positions. */
static inline bool sup_fem_has_history(const sup_fem_body *body, int c) {
  return body->growth.num > 0 || body->matter[body->cell_material[c]].prony.num > 0;
}

/** Place of each slot's vertex in the cell's own order. */
void                                sup_fem_cell_order(const sup_fem_body *body, int c, int *at);
static inline const sup_fem_matter *sup_fem_matter_of(const sup_fem_body *body, int c) {
  return body->matter + body->cell_material[c];
}

/** Masses, and the damping that goes with them (fem/mass.c). */
SUP_NODISCARD sup_status sup_fem_build_mass(sup_fem_body *body, int lumped);
/** Sum the vertices' masses over the ranks; sum the mass of the body. */
void sup_fem_sum_mass(sup_fem_body *body);

/** Block column j of the values := that of the mass terms; every number is written.
 *  @param[in] place  [entries of the pattern] where their blocks begin in the values */
void sup_fem_put_mass_column(const sup_fem_body *body, const sup_fem_mass_terms *terms, int j,
                             const size_t *place, double *values);

/** The number on the diagonal of the block at an entry of column j. */
double sup_fem_mass_of_entry(const sup_fem_body *body, const sup_fem_mass_terms *terms, int j,
                             int entry);
/** block [num_vertices x 9] := the diagonal blocks alone. */
void sup_fem_put_mass_diagonal(const sup_fem_body *body, const sup_fem_mass_terms *terms,
                               double *block);
/** out := matrix of this rank's cells times v, both [num_vertices x 3]. */
void sup_fem_terms_multiply(const sup_fem_body *body, const sup_fem_mass_terms *terms,
                            const double *v, double *out);
/** P of the tension at x, as computed by sup_fem_step_system. */
void sup_fem_find_tension(const sup_fem_body *body, const sup_m3 *R, const double *x,
                          const sup_fem_relaxation *relaxation, double *pull);

/** Mean deformation gradient of cell c. */
sup_m3 sup_fem_deformation(const sup_fem_body *body, int c, const double *x);

/** E of this rank's cells with one rotation and a K0, damping and relaxation included, up to a
 * constant [J] (fem/tangent.c).  inc NULL: elastic. */
double sup_fem_dense_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                            const sup_fem_increment *inc);

/* Cells with one rotation and a K0: with damping by increments (fem/increment.c) the energy of
 * another shape at rest.
 */

/** sup_fem_elastic_energy of this rank's cells [J]. */
double sup_fem_local_energy(const sup_fem_body *body, const sup_m3 *R, const double *x);
/** sup_fem_step_force of this rank's cells. */
void sup_fem_cells_force(const sup_fem_body *body, const sup_m3 *R, const double *x,
                         const sup_fem_increment *inc, double *f);
/** values += scale K(R), of dense cells with their damping; others: without.  Moduli of a
 * viscoelastic body are those of the step. */
void sup_fem_add_projected(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                           const sup_fem_increment *inc, double *values);

/* Bodies with a stretch law (fem/law/hyperelastic.c). */

/** Terms at the points of tetrahedra (fem/points.c). */
typedef struct sup_fem_point_terms {
  double law; /* factor of laws and history; 0: there are none.  T4 that are linear but for
                 their rotation have the corotational law, without their history */
  const double             *scale;      /* [num_materials] beside it; NULL: 1 */
  const sup_fem_relaxation *relaxation; /* of laws; NULL: nothing relaxes */
  double                    damping;    /* factor of damping: of the arrays below */
  const double *start;  /* [sup_fem_strain_size] beta times damping by increments of strain from
                           it; NULL: there is none */
  const double *turned; /* [sup_fem_history_size] history of linear T4: only its rotation terms in
                           the stiffness, without damping and laws; NULL: none */
} sup_fem_point_terms;

/** values += second derivative of the points' energy; project: positive semidefinite. */
void sup_fem_points_stiffness(const sup_fem_body *body, const double *x, int project,
                              const sup_fem_point_terms *terms, double *values);
/** f += minus the first derivative of the points' energy, cells of this rank. */
void sup_fem_points_force(const sup_fem_body *body, const double *x,
                          const sup_fem_point_terms *terms, double *f);
/** Energy of the points, cells of this rank [J]; INFINITY where the law is undefined. */
double sup_fem_points_energy(const sup_fem_body *body, const double *x,
                             const sup_fem_point_terms *terms);
/** strain [sup_fem_strain_size] := S = sym(R^T F). */
void sup_fem_points_strain(const sup_fem_body *body, const double *x, double *strain);
/** Points of a cell with a stretch law at which stress is known, those of integration first, of the
 * instantaneous moduli. */
typedef struct sup_fem_points {
  int    num;
  double weight[SUP_ELEMENT_MAX_POINTS]; /* of the rest volume, 0 beyond integration [m^3] */
  sup_m3 F[SUP_ELEMENT_MAX_POINTS];
  sup_m3 S[SUP_ELEMENT_MAX_POINTS]; /* second Piola stress F^-1 P [Pa]; stretches below .1 count as
                                       that, so that it is finite */
} sup_fem_points;
/** Returns the energy of cell c [J]. */
double sup_fem_hyperelastic_points(const sup_fem_body *body, int c, const double *x,
                                   sup_fem_points *points);
/** Stress at the points of cell c.
 *  @param[in]  terms  [6 x num_points] second Piola stress of the terms of a Prony
 * series; NULL: elastic
 *  @param[out] point  [element->num_points] */
void sup_fem_hyperelastic_stress(const sup_fem_body *body, int c, const double *x,
                                 const double *terms, sup_point_stress *point);

/** Stress of the history of a viscoelastic cell of linear T4, in its own axes (fem/viscoelastic.h):
 * with the potential V tau : S. */
sup_m3 sup_fem_history_stress(const sup_fem_body *body, int c, const double *history);

/** Displacements y [3 x num_vertices] of slots of cell c, minus those of its growths at the shares
 * [num]; K0 y is their force. */
void sup_fem_growth_of_cell(const sup_fem_body *body, int c, const double *share, double *y);

/* Viscoelastic bodies (fem/viscoelastic.c). */

/** Place of the set of growths among the internal variables. */
size_t sup_fem_growth_set(const sup_fem_body *body);

/** Stored energy of cell c at x with the rotation *R [J]. */
double sup_fem_stored_by_cell(const sup_fem_body *body, int c, const sup_m3 *R, const double *x,
                              const double *internal);
/** out := sum of the terms' internal variables of cell c: [3 x num_vertices] displacements in slot
 * order, or [6 x SUP_ELEMENT_MAX_POINTS] stresses (T4: 6). */
void sup_fem_sum_terms(const sup_fem_body *body, int c, const double *internal, double *out);

/** Copy the 3-vectors of the listed vertices side by side. */
static inline void sup_fem_gather(const double *from, const int *vertex, int num_vertices,
                                  double *to) {
  for (int a = 0; a < num_vertices; a++) {
    const double *v = from + 3 * (size_t)vertex[a];
    to[3 * a] = v[0], to[3 * a + 1] = v[1], to[3 * a + 2] = v[2];
  }
}

/** Rotation of cell c for its vertex positions in cell order: polar factor of the mean deformation
 * gradient. */
sup_m3 sup_fem_cell_rotation(const sup_fem_body *body, int c, const double *cell_x);
