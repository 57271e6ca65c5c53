/** One VTK file of a frame.  Layer output, between the files frame*.c. */
#pragma once

#include "mesh/vtk.h"
#include "output/observation.h"

/** Where the frames of a run go. */
typedef struct sup_frame_place {
  char   folder[4096];
  char   title[256];
  int    binary;
  long   frame; /* number of the frame under way */
  double time;  /* its time [s] */
  long   step;
  long   nonfinite; /* numbers kept out of the files so far */
} sup_frame_place;

/** Open STEM_NNNN.vtk with its time. */
SUP_NODISCARD sup_status sup_frame_open(sup_vtk_writer *writer, const sup_frame_place *place,
                                        const char *stem, sup_vtk_dataset dataset);
SUP_NODISCARD sup_status sup_frame_close(sup_vtk_writer *writer, sup_frame_place *place);

/** All rigid shapes as polygons whose points are fixed to bodies. */
typedef struct sup_rigid_shapes {
  int     num_points, num_polygons;
  int    *start;             /* [num_polygons + 1] */
  int    *corner;            /* points of the polygons */
  int    *body_id, *link_id; /* [num_polygons] */
  int    *point_body;        /* [num_points] */
  double *local;             /* [num_points x 3] in the body's frame */
  double *world, *velocity;  /* [num_points x 3] scratch of a frame */
} sup_rigid_shapes;

/** Half spaces become a square patch about the scene's extent at obs. */
SUP_NODISCARD sup_status sup_rigid_shapes_create(sup_rigid_shapes      *shapes,
                                                 const sup_observation *obs);
void                     sup_rigid_shapes_free(sup_rigid_shapes *shapes);
SUP_NODISCARD sup_status sup_rigid_shapes_write(sup_rigid_shapes *shapes, sup_frame_place *place,
                                                const sup_observation *obs);
/** The pressure fields of all compliant rigid shapes as tetrahedra whose points are fixed to
 * bodies. */
typedef struct sup_field_cells {
  sup_mesh *mesh;       /* world positions, of the last frame; NULL: there are none */
  double   *local;      /* [points x 3] in the body's frame [m] */
  double   *pressure;   /* [points] p(x) of the body alone, negative in the margin [Pa] */
  int      *point_body; /* [points] */
  int      *body_id;    /* [cells] */
} sup_field_cells;

SUP_NODISCARD sup_status sup_field_cells_create(sup_field_cells *cells, const sup_model *model);
void                     sup_field_cells_free(sup_field_cells *cells);
SUP_NODISCARD sup_status sup_field_cells_write(sup_field_cells *cells, sup_frame_place *place,
                                               const sup_observation *obs);
/** Contact polygons of the observation; an empty file with the same fields when there are none. */
SUP_NODISCARD sup_status sup_contact_polygons_write(sup_frame_place       *place,
                                                    const sup_observation *obs);
