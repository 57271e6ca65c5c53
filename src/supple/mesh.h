/** Volume meshes and closed surfaces: from files, by generators, of points and cells. */
#pragma once

#include "supple/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Cell types.  T4: linear tetrahedron.  H8: trilinear hexahedron.  T10: quadratic tetrahedron (VTK
 * vertex order). */
typedef enum sup_cell_type { SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10 } sup_cell_type;

typedef struct sup_mesh sup_mesh; /* volume mesh, mesh/mesh.h */

/** A polyhedron: the convex hull of given points, made by sup_hull_create, or a closed surface as
 * it is, made by sup_polyhedron_create; triangles are outward. */
typedef struct sup_hull {
  int     num_points;
  double *point; /* [num_points x 3] the corners [m] */
  int     num_triangles;
  int    *triangle; /* [num_triangles x 3] */
  double *normal;   /* [num_triangles x 3] unit, outward; right for slivers, too */
} sup_hull;

/** Convex hull of points [num_points x 3]; points inside it or on its faces, to within 2^-23 of the
 * largest coordinate, are dropped, the others keep their order.  E_GEOMETRY: fewer than four
 * points, or all in one plane. */
SUP_API SUP_NODISCARD sup_status sup_hull_create(sup_hull **hull, int num_points,
                                                 const double *points);
/** A polyhedron from a closed surface, unchanged.  E_GEOMETRY: open edges (their number), or no
 * volume inside. */
SUP_API SUP_NODISCARD sup_status sup_polyhedron_create(sup_hull **hull, int num_points,
                                                       const double *points, int num_triangles,
                                                       const int *triangles);
SUP_API void                     sup_hull_destroy(sup_hull **hull);

/** Closed surface inside of another: its cells are the set `name`. */
typedef struct sup_insert {
  const sup_hull *surface;
  const char     *name;
} sup_insert;

/** Options for filling a closed surface with tetrahedra. */
typedef struct sup_tetgen_options {
  double quality;    /* largest ratio of a cell's circumradius and shortest edge, > 1 (1.4) */
  double max_volume; /* of a cell [m^3]; 0: no bound (0) */
  double time_limit; /* wall time after which the mesher is stopped [s] (120) */
  int    num_inserts;
  const sup_insert *insert; /* [num_inserts] may be inside of each other; none touches another or
                               the surface */
  int marker;               /* SUP_INITIALISED */
} sup_tetgen_options;
#define SUP_DEFAULT_TETGEN_OPTIONS \
  { .quality = 1.4, .time_limit = 120, .marker = SUP_INITIALISED }

SUP_API sup_tetgen_options sup_default_tetgen_options(void);
/** Bound on the volume that gives cells with edges of this length [m] in the mean [m^3]: twice that
 * of the regular tetrahedron. */
SUP_API double sup_tetgen_volume(double edge);
/** T4 cells that fill a closed surface, by the program `tetgen`, which must be on the PATH: it is
 * run as a child process on files of its own in TMPDIR.  The surface keeps its shape; its triangles
 * may be cut. E_GEOMETRY: the surface is open, badly oriented, has flat or double triangles or cuts
 * itself, with the numbers of the triangles; or tetgen failed (and what it said) or took too long.
 * E_ARG: options out of range.  E_IO: tetgen is missing (and what to install). */
SUP_API SUP_NODISCARD sup_status sup_mesh_of_polyhedron(sup_mesh **mesh, const sup_hull *surface,
                                                        const sup_tetgen_options *options);
/** Cells of a brick.  HEX: one H8.  KUHN: six T4 about the diagonal (0,0,0)-(1,1,1), all alike:
 * that of tests/CASES.md.  MIRROR: Kuhn with its diagonals mirrored from brick to brick, without a
 * preferred direction. */
typedef enum sup_mesh_pattern {
  SUP_PATTERN_HEX,
  SUP_PATTERN_KUHN,
  SUP_PATTERN_MIRROR
} sup_mesh_pattern;

/** Box [0,size] with the sides x_min, x_max, y_min ... as sets of vertices and n bricks a
 * direction; vertex (i,j,k) is number (i (ny+1) + j) (nz+1) + k. */
SUP_API SUP_NODISCARD sup_status sup_mesh_box(sup_mesh **mesh, const double size[3], const int n[3],
                                              sup_mesh_pattern pattern);

/** A mesh of given vertices and cells; inverted cells are turned.
 *  @param[in] x     [num_vertices x 3] [m]
 *  @param[in] cell  [num_cells x vertices of a cell], VTK order
 *  E_ARG: a vertex that is none.  E_GEOMETRY names the first cell that cannot be used. */
SUP_API SUP_NODISCARD sup_status sup_mesh_of_cells(sup_mesh **mesh, sup_cell_type type,
                                                   int num_vertices, const double *x, int num_cells,
                                                   const int *cell);
/** The cells of a file: legacy VTK, Gmsh .msh, TetGen .node with .ele, Abaqus and CalculiX .inp.
 * Warnings go to sup_log_set's receiver.  E_IO.  E_PARSE: "file:line: the value found, the values
 * allowed".  E_GEOMETRY. */
SUP_API SUP_NODISCARD sup_status sup_mesh_load(sup_mesh **mesh, const char *path);
/** FinRay finger.  x: across, contact face at x = 0, body at x > 0; y: up, base at y = 0, tip at y
 * = height; z: depth, 0 .. depth.  Front wall, vertical unless it is tilted, back wall leaning from
 * width `base` at the bottom to `tip` at the top, horizontal or tilted ribs.  Sets of vertices:
 * front, back, base, tip, z_min, z_max; of cells: walls, ribs, blocks (the solid ends, walls
 * included). */
enum { SUP_FINRAY_MOST_SINGLE = 64 };

typedef struct sup_finray {
  double height, base, tip, depth; /* [m] */
  double wall;                     /* thickness of front and back wall, along x [m] */
  double front_wall, back_wall;    /* of one of them; 0: wall [m] */
  double rib;                      /* thickness of the ribs, along y [m] */
  int    is_perpendicular;         /* 1: both are measured across what they are the thickness of */
  int    num_ribs;
  double
      front_angle;  /* by which the front wall leans towards +x; widths stay those along x [rad] */
  double rib_angle; /* by which ribs rise from the front to the back wall [rad] */
  double rib_fan;   /* difference of the angles of the last and the first rib [rad] */
  double front_bow, back_bow;   /* outward bulge of the walls at half height, as parabolas [m] */
  double base_block, tip_block; /* height of the solid blocks at both ends [m] */
  double
      cavity; /* height of one cavity [m]; 0: from the other heights; otherwise they must add up */
  double cavity_ratio; /* height of the last cavity over that of the first, geometric between */
  double hinge; /* thickness of the ribs where they meet the walls, along y; 0: as elsewhere [m] */
  double hinge_length;   /* along which ribs grow from there to their thickness [m] */
  int    num_rib_angles; /* 0: rib_angle and rib_fan; else the number of ribs */
  double rib_angles[SUP_FINRAY_MOST_SINGLE]; /* of each rib from the base on [rad] */
  int    num_rib_heights; /* 0: cavity and cavity_ratio; else the number of ribs */
  double rib_heights[SUP_FINRAY_MOST_SINGLE];     /* of the middle of each rib, half-way between the
                                                     walls, over the bottom [m] */
  int    num_rib_thicknesses;                     /* 0: rib; else the number of ribs */
  double rib_thicknesses[SUP_FINRAY_MOST_SINGLE]; /* of each rib from the base on [m] */
  int    num_front_notches, num_back_notches;     /* grooves over the depth, beside cavities */
  double front_notches[SUP_FINRAY_MOST_SINGLE];   /* heights of their middles, ascending [m] */
  double back_notches[SUP_FINRAY_MOST_SINGLE];
  double notch_length, notch_depth; /* along and into the wall: an arc of a circle [m] */
  int    notch_is_inside;           /* 0: outer face of the wall, 1: the one at the cavities */
  double tip_radius;                /* of the two outer corners at the tip; 0: sharp [m] */
  double fillet;                    /* radius of the corners of the cavities; 0: sharp [m] */
  int    wall_cells;                /* bricks through a wall */
  int    inner_cells;               /* bricks across between the walls, in ribs and blocks */
  int    cavity_cells;              /* bricks along y beside a cavity */
  int    rib_cells;                 /* bricks through a rib */
  int    depth_cells;               /* bricks along z */
  int    fillet_cells; /* bricks along half of a fillet, beside those between the fillets */
  int    notch_cells;  /* bricks along half of a notch */
  double grading;      /* 1: equal bricks; g: line i of n in half a wall, rib, cavity, depth is at
                          (i/n)^g */
  sup_mesh_pattern pattern;
  int              marker; /* SUP_INITIALISED */
} sup_finray;
#define SUP_DEFAULT_FINRAY                                                                         \
  {                                                                                                \
    .marker = SUP_INITIALISED, .height = 0.08, .base = 0.03, .tip = 0.006, .depth = 0.02,          \
    .wall = 0.002, .rib = 0.002, .num_ribs = 5, .base_block = 0.004, .tip_block = 0.006,           \
    .cavity_ratio = 1, .hinge_length = 0.002, .wall_cells = 1, .inner_cells = 3,                   \
    .cavity_cells = 3, .rib_cells = 1, .depth_cells = 4, .fillet_cells = 2, .notch_length = 0.003, \
    .notch_depth = 0.001, .notch_cells = 2, .grading = 1, .pattern = SUP_PATTERN_HEX               \
  }

/** FinRay-S, G01 of tests/CASES.md: 80 x 30 x 20 mm, walls and ribs 2 mm, (1,3,3,1,4) bricks. */
SUP_API sup_finray               sup_default_finray(void);
SUP_API SUP_NODISCARD sup_status sup_mesh_finray(sup_mesh **mesh, const sup_finray *finray);
SUP_API void                     sup_mesh_destroy(sup_mesh **mesh);

#ifdef __cplusplus
}
#endif
