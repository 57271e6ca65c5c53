/** Parametric volume meshes: boxes and FinRay fingers.  Layer mesh. */
#pragma once

#include "mesh/mesh.h"

/** How a brick is filled.  HEX: one H8.  KUHN: six T4 about the diagonal (0,0,0)-(1,1,1), all
 * alike: the split of cases.md.  MIRROR: Kuhn with its diagonals mirrored from brick to brick,
 * without a preferred direction. */
typedef enum sup_mesh_pattern {
  SUP_PATTERN_HEX,
  SUP_PATTERN_KUHN,
  SUP_PATTERN_MIRROR
} sup_mesh_pattern;

/** Box [0,size] with the sides x_min, x_max, y_min ... as sets of vertices and n bricks a
 * direction; vertex (i,j,k) is number (i (ny+1) + j) (nz+1) + k. */
SUP_NODISCARD sup_status sup_mesh_box(sup_mesh **mesh, const double size[3], const int n[3],
                                      sup_mesh_pattern pattern);

/** A box whose corners [8 x 3] lie anywhere, straight between them: the trilinear map, corners in
 * VTK order (000 100 110 010 001 101 111 011).  Numbered like a box. */
SUP_NODISCARD sup_status sup_mesh_between_corners(sup_mesh **mesh, const double corner[24],
                                                  const int n[3], sup_mesh_pattern pattern);

/** Part of a thick ring about the z axis, from the x axis on: z in [0, length]. */
typedef struct sup_ring {
  double inner_radius, outer_radius, length; /* [m] */
  double angle;                              /* [rad] below 2 pi */
} sup_ring;
/** n bricks along the radius, around and along the axis, numbered like a box. */
SUP_NODISCARD sup_status sup_mesh_ring(sup_mesh **mesh, const sup_ring *ring, const int n[3],
                                       sup_mesh_pattern pattern);

/** FinRay finger.  x: across, contact face at x = 0, body at x > 0; y: up, base at y = 0, tip at y
 * = height; z: depth, 0 .. depth.  Front wall, vertical unless it is tilted, back wall leaning from
 * width `base` at the bottom to `tip` at the top, horizontal or tilted ribs.  Sets of vertices:
 * front, back, base, tip, z_min, z_max; of cells: walls, ribs, blocks (the solid ends, walls
 * included). */
typedef struct sup_finray {
  double height, base, tip, depth; /* [m] */
  double wall;                     /* thickness of front and back wall, along x [m] */
  double rib;                      /* thickness of the ribs, along y [m] */
  int    is_perpendicular;         /* 1: both are measured across what they are the thickness of */
  int    num_ribs;
  double
      front_angle;  /* by which the front wall leans towards +x; widths stay those along x [rad] */
  double rib_angle; /* by which ribs rise from the front to the back wall [rad] */
  double base_block, tip_block; /* height of the solid blocks at both ends [m] */
  double
      cavity; /* height of one cavity [m]; 0: from the other heights; otherwise they must add up */
  double fillet;       /* radius of the corners of the cavities; 0: sharp [m] */
  int    wall_cells;   /* bricks through a wall */
  int    inner_cells;  /* bricks across between the walls, in ribs and blocks */
  int    cavity_cells; /* bricks along y beside a cavity */
  int    rib_cells;    /* bricks through a rib */
  int    depth_cells;  /* bricks along z */
  int    fillet_cells; /* bricks along half of a fillet, beside those between the fillets */
  double grading;      /* 1: equal bricks; g: line i of n in half a wall, rib, cavity, depth is at
                          (i/n)^g */
  sup_mesh_pattern pattern;
} sup_finray;

/** FinRay-S of cases.md G01: 80 x 30 x 20 mm, walls and ribs 2 mm, (1,3,3,1,4) bricks. */
sup_finray               sup_default_finray(void);
SUP_NODISCARD sup_status sup_mesh_finray(sup_mesh **mesh, const sup_finray *finray);
