/** One deformable body: elements on a mesh, their assembly into forces and matrices, stress.  Layer
 * fem: no contact, no robots.  Constant after creation; positions and velocities come from the
 * caller, 3 numbers a vertex [m, m/s].
 *
 *  Cells and vertices have the numbers of the given mesh.  Rotations, strains and other data read
 * only by the body are in the body's own order, in which neighbours are near in number
 * (fem/arrangement.c).
 *
 *  Linear corotational elements: the rotation of each cell is frozen at the step's start
 * (THEORY 4.2), so that force is linear in x and K(R) is positive semidefinite: f(x) = -Rb K0 (Rb^T
 * x - X).  T4, H8 with incompatible modes (15.1) or as solid-shell
 * (THEORY 21), T10 (4.6). */
#pragma once

#include "base/collective.h"
#include "base/vec.h"
#include "la/block_matrix.h"
#include "mesh/mesh.h"
#include "supple/soft.h"

typedef struct sup_fem_body sup_fem_body;

/** Options of a body: bits. */
enum { SUP_FEM_MAX_MATERIALS = 32, SUP_FEM_MAX_GROWTHS = 32 /* bits of a number */ };
enum {
  SUP_FEM_CONSISTENT = 0,
  SUP_FEM_LUMPED =
      1, /* lumped mass: row sums; T10, whose row sums are negative: scaled diagonal (THEORY 4.6) */
  SUP_FEM_MEAN_DILATATION =
      2, /* T10: mean dilatation of a cell, against locking near nu = 0.5 (4.7) */
  SUP_FEM_SOLID_SHELL =
      4 /* H8: solid-shells for thin cells, without locking in bending (THEORY 21) */
};

/** @param[in] form  SUP_FEM_LUMPED, SUP_FEM_MEAN_DILATATION, SUP_FEM_SOLID_SHELL
 *  E_ARG names the material constant out of range; E_GEOMETRY the cell that is inverted or
 * degenerate. */
SUP_NODISCARD sup_status sup_fem_body_create(sup_fem_body **body, const sup_mesh *mesh,
                                             const sup_material_def *material, int form);
/** Create a body of several materials, SUP_FEM_MAX_MATERIALS at most.  E_ARG: also for models
 * linear in a step combined with others.
 *  @param[in] material       [num_materials]
 *  @param[in] cell_material  [num_cells] material of each cell; NULL: the first */
SUP_NODISCARD sup_status sup_fem_body_create_parts(sup_fem_body **body, const sup_mesh *mesh,
                                                   int                     num_materials,
                                                   const sup_material_def *material,
                                                   const int *cell_material, int form);
/** Create a body whose cells are distributed over the ranks; each rank has all vertices. Collective
 * as all functions below with positions or velocities.  Results are whole and equal on all ranks,
 * except matrices, which are sums over the ranks, and arrays of cells.
 *  @param[in] mesh           own cells and all vertices
 *  @param[in] cell_number    [num_cells] numbers in the mesh of all, for messages; kept by the
 * caller; NULL: one rank
 *  @param[in] ranks          NULL: one rank */
SUP_NODISCARD sup_status sup_fem_body_create_on(sup_fem_body **body, const sup_mesh *mesh,
                                                int num_materials, const sup_material_def *material,
                                                const int *cell_material, int form,
                                                const int            *cell_number,
                                                const sup_collective *ranks);
/** y := A x of a matrix of the pattern below, which is the sum over the ranks. */
void sup_fem_multiply(const sup_fem_body *body, const double *values, const double *x, double *y);
/** E_ARG: cells of this type do not support the material's model. */
SUP_NODISCARD sup_status sup_fem_check_cells(sup_cell_type type, const sup_material_def *material);
/** E_ARG: one model is linear in a step and the other is not, while a body has a single solution
 * method. */
SUP_NODISCARD sup_status sup_fem_check_mixed(const sup_material_def *a, const sup_material_def *b);
void                     sup_fem_body_destroy(sup_fem_body **body);
/** Estimate of the number of cells whose stiffness a body of one material stores; congruent cells
 * share one.  The mesh may be coarser than that of the body with `num_cells` cells: the number of
 * kinds of cells is then extrapolated as in an extruded mesh.  E_MEMORY. */
SUP_NODISCARD sup_status sup_fem_count_stored(const sup_mesh *mesh, double num_cells, double *kept);
const sup_mesh          *sup_fem_mesh(const sup_fem_body *body);
int                      sup_fem_num_materials(const sup_fem_body *body);
const sup_material_def  *sup_fem_material(const sup_fem_body *body, int k);
/** [num_cells] the material of each cell. */
const int *sup_fem_cell_material(const sup_fem_body *body);
/** 1: forces are linear in the positions while rotations are frozen.  All materials of a body agree
 * in this. */
bool sup_fem_body_is_linear(const sup_fem_body *body);
/** Vertex graph, 3x3 blocks: the pattern of every matrix below. */
const sup_block_pattern *sup_fem_pattern(const sup_fem_body *body);
/** Threads for a pass over all cells, at most the idle ones. */
int    sup_fem_threads(const sup_fem_body *body);
double sup_fem_mass(const sup_fem_body *body);
/** Mass of each vertex for gravity and averages: row sum of the mass matrix.  Sums to sup_fem_mass;
 * negative at the corners of T10 with consistent mass. */
const double *sup_fem_vertex_mass(const sup_fem_body *body);
/** Mean by mass of a vector a vertex, x [3 num_vertices]: of positions the centre of mass [m]. */
sup_v3 sup_fem_mean(const sup_fem_body *body, const double *x);
/** Stiffness per area of cell c behind one of its faces: (lambda + 2 mu) / h [Pa/m], h = 3V/A (T4)
 * or V/A (H8) with the face's area A (THEORY 15.3); T10: of one of its eight straight parts, A a
 * triangle of four. */
double sup_fem_face_stiffness(const sup_fem_body *body, int c, double face_area);

/** Rotation of every cell at x: polar factor of its mean deformation gradient, a rotation also when
 * inverted.
 *  @param[out] R              [num_cells] in the body's own order; the identity for
 * SUP_MATERIAL_LINEAR
 *  @param[out] num_inverted   cells with det F <= 0 at any stress point */
void sup_fem_rotations(const sup_fem_body *body, const double *x, sup_m3 *R, int *num_inverted);
/** scale (M + dt D) + C M C - M of a step, C = diag(c), D the sum of alpha M. */
typedef struct sup_fem_mass_terms {
  double        scale;
  const double *damping; /* sums of alpha m as the mass in use; NULL: they are in the scale */
  double        dt;      /* [s] */
  const double *c;       /* [num_vertices]; NULL: 1 */
} sup_fem_mass_terms;
/** Mass terms of sup_fem_step_mass. */
sup_fem_mass_terms sup_fem_mass_of_step(const sup_fem_body *body, double dt, const double *c);
/** values := scale M. */
void sup_fem_mass_matrix(const sup_fem_body *body, double scale, double *values);
/** values := C M C + dt sum of alpha M, C = diag(c), one number a vertex; NULL: 1.
 *  @param[in] place  [entries of the pattern] where their blocks begin in the values; NULL: as in
 * the pattern */
void sup_fem_step_mass(const sup_fem_body *body, double dt, const double *c, const size_t *place,
                       double *values);
/** 1: a material has mass or stiffness damping; 1: a material has stiffness damping. */
bool sup_fem_is_damped(const sup_fem_body *body);
bool sup_fem_has_stiffness_damping(const sup_fem_body *body);
/** f += scale times the force of stiffness damping at the velocities v, - sum of beta K(R) v over
 * the materials [N], of a body that is linear in a step: the matrix times v without the matrix. */
void sup_fem_add_damping_force(const sup_fem_body *body, const sup_m3 *R, const double *v,
                               double scale, double *f);
/** values += scale K(R) [N/m]; of a nonlinear material on tetrahedra the tangent at x, projected to
 * be positive semidefinite. */
void sup_fem_add_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                           double *values);
/** Stress of a viscoelastic body at a step's end (THEORY 22; fem/viscoelastic.h): m times the
 * instantaneous stress at the end positions plus a history that is constant in the step. */
typedef struct sup_fem_relaxation {
  double        share[SUP_FEM_MAX_MATERIALS]; /* m of each material; elastic: 1 */
  const double *history; /* [sup_fem_history_size] 64-byte aligned; NULL: nothing relaxes */
} sup_fem_relaxation;
static inline double sup_fem_share(const sup_fem_relaxation *relaxation, int material) {
  return relaxation ? relaxation->share[material] : 1;
}
/** Stiffness damping of bodies that are solved to the step's end, by increments of the strain e of
 * cells in their own axes (THEORY 23.2a; fem/increment.c): D(x) = rate/2 sum of beta (e - start) .
 * K0 (e - start) beside the elastic energy, K0 of small strains whatever the law.  Rotations, also
 * finite ones of strained cells, dissipate nothing. */
typedef struct sup_fem_increment {
  const double             *start; /* [sup_fem_strain_size] 64-byte aligned; NULL: no damping */
  double                    rate;  /* 1/dt, of BDF2 3/(2 dt); no damping: 0 [1/s] */
  const sup_fem_relaxation *relaxation; /* NULL: elastic */
} sup_fem_increment;
/** values += scale d^2 E/dx^2 at x, R the rotations there [N/m]: symmetric, indefinite under
 * compression, as a body that buckles is; exact for T4 and for laws at the points of T10, for cells
 * with one rotation and K0 but for what the moment of their forces about that rotation adds: at
 * strains of 1 % and 10 % 4e-6 and 4e-4 of H8, 1e-4 and 1e-2 of T10.
 *  @param[in] inc  damping of dense cells (H8, T10 with one rotation) in the same sense, and the
 * moduli of a viscoelastic body; NULL: none
 */
void   sup_fem_add_tangent(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                           const sup_fem_increment *inc, double *values);
size_t sup_fem_strain_size(const sup_fem_body *body);
/** strain := e at x with the rotations R there, 64-byte aligned. */
void sup_fem_strains(const sup_fem_body *body, const sup_m3 *R, const double *x, double *strain);
/** sum of beta (e - a) . K0 (e - b) of strains [J s]. */
double sup_fem_strain_work(const sup_fem_body *body, const double *e, const double *a,
                           const double *b);
/** E + D at x up to a constant [J], f := negative derivative [N], values += scale times the second
 * derivative: exact as in sup_fem_add_tangent, or positive semidefinite.  inc NULL: D = 0. */
double sup_fem_step_energy(const sup_fem_body *body, const sup_m3 *R, const double *x,
                           const sup_fem_increment *inc);
void   sup_fem_step_force(const sup_fem_body *body, const sup_m3 *R, const double *x,
                          const sup_fem_increment *inc, double *f);
void   sup_fem_add_step_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x,
                                  double scale, const sup_fem_increment *inc, bool is_exact,
                                  double *values);
/** Angular velocity of the rigid motion nearest to v at x [rad/s]; 0: a body thin as a line. */
sup_v3 sup_fem_spin(const sup_fem_body *body, const double *x, const double *v);
/** values += scale times T, positive part of the cells' geometric stiffness by the stress at x
 * [N/m]; f, unless NULL, += scale times T times the velocities of a rigid turn with w [rad/s].
 * No effect for laws of the stretches, whose tangent contains T, and for the linear material
 * (fem/tension.c). */
void sup_fem_add_tension(const sup_fem_body *body, const sup_m3 *R, const double *x, double scale,
                         sup_v3 w, const sup_fem_relaxation *relaxation, double *values, double *f);
/** values := K(R), as above. */
void sup_fem_stiffness(const sup_fem_body *body, const sup_m3 *R, const double *x, double *values);
/** values := C M C + damping dt D + dt^2 K(R), D = alpha M + beta K(R) [kg], of a step from q0 to
 * q0 + dt u whose velocities are C u, in the damping force damping u, plus known terms: 1 and 1
 * for implicit Euler (THEORY 2.3), 3/2 and 3/2 for BDF2 (15.5, there in terms of v). */
void sup_fem_step_matrix(const sup_fem_body *body, const sup_m3 *R, const double *x, double dt,
                         const double *c, double damping, double *values);
/** Rotations predicted for a step, subtracted from the displacements that cause forces, y = (Q - 1)
 * x about each cell, Q the rotation: f += K(R) y of the elastic forces, + beta/dt K(R) y of
 * damping.  Elastic forces use the rotation of the whole body, w of the step's system
 * (THEORY 23.3), damping each cell's own, from its velocities (23.2c). */
typedef struct sup_fem_prediction {
  const double *v; /* [num_vertices x 3] velocities at the step's start [m/s]; NULL: no damping */
  double       *damping;   /* [num_vertices x 3] := sum of beta/dt K(R) y [N] .. */
  double       *cell_work; /* [num_cells] := and beta/dt y . K(R) y of each cell [J] .. */
  double        work;      /* .. := their sum */
} sup_fem_prediction;

/** Step matrix with tension, dt^2 T, and f := the energy force at x (below) plus dt T times the
 * velocities of a rotation with w, in one pass over the cells.
 *  @param[in] ahead  NULL: no turns are predicted; not for laws of the stretches
 *  @param[out] values  NULL: f and pull alone (fem/cell_operator.h); not for laws of the stretches
 *  @param[in] place  as in sup_fem_step_mass: the blocks may be put straight into a larger matrix;
 * not for laws of the stretches
 *  @param[in] relaxation  NULL: elastic; not for laws of the stretches
 *  @param[out] pull  [sup_fem_tension_size] data of T for sup_fem_tension_work, aligned to 64
 * bytes; NULL: nothing
 */
void sup_fem_step_system(const sup_fem_body *body, const sup_m3 *R, const double *x, double dt,
                         const double *c, double damping, sup_v3 w, sup_fem_prediction *ahead,
                         const sup_fem_relaxation *relaxation, const size_t *place, double *values,
                         double *f, double *pull);

size_t sup_fem_tension_size(const sup_fem_body *body);
/** u . T u of the T of `pull` and R [N m], in a small part of the time of the matrix. */
double sup_fem_tension_work(const sup_fem_body *body, const sup_m3 *R, double *pull,
                            const double *u);
/** f := elastic force at x with frozen rotations [N]. */
void sup_fem_elastic_force(const sup_fem_body *body, const sup_m3 *R, const double *x, double *f);
/** f := -dE/dx at x, with R the rotations there [N]: the elastic force and the term from the
 * dependence of rotations on x.  Without this term strained bricks, whose mean rotation is not that
 * of least energy, rotate by themselves; tetrahedra and the linear material have no such term. */
void sup_fem_energy_force(const sup_fem_body *body, const sup_m3 *R, const double *x, double *f);
/** out := M v. */
void sup_fem_mass_multiply(const sup_fem_body *body, const double *v, double *out);
/** out := (M + dt sum of alpha M) v. */
void sup_fem_damped_mass_multiply(const sup_fem_body *body, double dt, const double *v,
                                  double *out);
/** Stored energy at x [J]. */
double sup_fem_elastic_energy(const sup_fem_body *body, const sup_m3 *R, const double *x);

/** Stress at x with the rotation of the current x, of a viscoelastic body with its internal
 * variables; any pointer may be NULL.  H8 and T10: volume
 * means over the points of integration; the internal modes of H8 are included.  Linear material:
 * the stress of small strains.  Finite for every finite x. */
typedef struct sup_fem_stress {
  double *cauchy;         /* [num_cells x 9] row-major [Pa] */
  double *von_mises;      /* [num_cells] [Pa] */
  double *energy_density; /* [num_cells] [J/m^3] */
  double *volume_ratio;   /* [num_cells] [-] */
  double *point;  /* [num_cells x sup_fem_num_points x 6] Cauchy stress xx yy zz xy yz xz at the
                     points [Pa] */
  double *weight; /* [num_cells x sup_fem_num_points] of each point, its share of the cell's volume
                     at rest */
  double *strain; /* [num_cells] |F^T F - I| of the mean deformation, an upper bound of |stretch^2 -
                     1|; INFINITY: inverted [-] */
} sup_fem_stress;
/** Vertices of a body against the strength of the materials of the cells around. */
typedef struct sup_fem_strength {
  double stress; /* largest principal stress over the initial area [Pa] */
  double strain; /* largest principal strain, stretch less 1 [-] */
  double use;    /* largest share of strength or strain at break; 0: nothing is pulled [-] */
  sup_v3 place;  /* of that vertex [m] */
} sup_fem_strength;
/** 1: a material of the body has a strength or a strain at break. */
bool sup_fem_has_strength(const sup_fem_body *body);
/** Number of stress points of a cell: T4 1, H8 8, T10 12. */
int sup_fem_num_points(const sup_fem_body *body);
/** @param[in] internal  [sup_fem_num_internal]; NULL: of the instantaneous moduli */
void sup_fem_stress_at(const sup_fem_body *body, const double *x, const double *internal,
                       sup_fem_stress *stress);
/** Principal stretches of the mean deformation of the cells of a material [-]; below zero: turned
 * inside out. */
typedef struct sup_stretch_range {
  double least,
      most; /* range at x if it exceeds the trusted range; otherwise any values inside it */
  double trusted_least, trusted_most; /* trusted range of the material's law */
} sup_stretch_range;
/** @param[in] strain  sup_fem_stress.strain at x */
sup_stretch_range sup_fem_stretches(const sup_fem_body *body, int material, const double *x,
                                    const double *strain);
/** Volume-weighted mean of cell values at each vertex. */
void sup_fem_vertex_average(const sup_fem_body *body, const double *cell_value,
                            double *vertex_value);
/** Boundary faces on which a load acts: their vertices, outward; T10: three corners, then those on
 * the edges. */
typedef struct sup_fem_faces {
  int            num_faces, vertices_per_face;
  int           *vertex; /* [num_faces x vertices_per_face] */
  unsigned char *is_own; /* [num_faces] 1: this rank has the cell */
} sup_fem_faces;

/** The faces of a body's mesh whose vertices are all selected [num_vertices]; E_ARG when there is
 * none.
 *  @param[in] own_cell  [num_cells] 1: a cell of this rank; NULL: all are */
SUP_NODISCARD sup_status sup_fem_faces_create(sup_fem_faces *faces, const sup_mesh *mesh,
                                              const unsigned char *selected,
                                              const unsigned char *own_cell);
void                     sup_fem_faces_free(sup_fem_faces *faces);
/** f += nodal forces of a traction [Pa] that is the same everywhere on the faces at x; returns
 * their area [m^2]. */
double sup_fem_faces_spread(const sup_fem_faces *faces, const double *x, const double traction[3],
                            double *f);
/** f += nodal forces of a pressure [Pa] against the faces' outward normals at x. */
void sup_fem_faces_press(const sup_fem_faces *faces, const double *x, double pressure, double *f);
/** Volume of the cone from `centre` to the faces at x [num_vertices x 3], positive behind their
 * outward normals [m^3]; g [num_vertices x 3] += int N n dA, its gradient where the faces are
 * closed [m^2]. */
double sup_fem_faces_volume(const sup_fem_faces *faces, const double *x, sup_v3 centre, double *g);
/** Edge of a face, along its outline. */
typedef struct sup_fem_edge {
  int from, to, middle; /* vertices; middle: T10, else SUP_NONE */
} sup_fem_edge;

/** edge [*num_edges] := edges that no other face has in the opposite direction, freed by the caller
 * with SUP_FREE. */
SUP_NODISCARD sup_status sup_fem_faces_rim(const sup_fem_faces *faces, sup_fem_edge **edge,
                                           int *num_edges);
/** Volume of the cone from `centre` to the fan between a loop of edges and the mean of their first
 * vertices [m^3], signed as of a face with the loop reversed; x, g as of sup_fem_faces_volume. */
double sup_fem_fan_volume(const sup_fem_edge *edge, int num_edges, const double *x, sup_v3 centre,
                          double *g);
/** Mark the vertices of cavities, closed parts of the boundary with the mesh outside; *num_cavities
 * := their number.
 *  @param[in,out] selected  [num_vertices] */
SUP_NODISCARD sup_status sup_fem_select_cavities(const sup_mesh *mesh, unsigned char *selected,
                                                 int *num_cavities);
/** Volume that the faces sweep along the straight way from x0 to x1, outwards [m^3].
 *  @param[in] linear  share of the first order at x0 that is left out, 0 or 1 */
double sup_fem_faces_swept(const sup_fem_faces *faces, const double *x0, const double *x1,
                           double linear);
/** values += stiffness -df/dx of a pressure [Pa] on the faces at x, face by face its symmetric part
 * (THEORY 4.8) [N/m]: the sum is exact where the faces are closed, or their rim is held or slides
 * in a plane. */
void sup_fem_faces_add_stiffness(const sup_fem_faces *faces, const double *x, double pressure,
                                 const sup_block_pattern *pattern, double *values);
/** Nodal forces of a uniform force spread by area over boundary faces whose vertices are all
 * selected.
 *  @param[in]  selected  [num_vertices]
 *  @param[out] f         [num_vertices x 3] [N];  E_ARG when no face is selected */
SUP_NODISCARD sup_status sup_fem_traction(const sup_fem_body *body, const unsigned char *selected,
                                          const double force[3], double *f);
