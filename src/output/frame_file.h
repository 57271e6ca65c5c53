/** One VTK file of a frame.  Layer output, between the files frame*.c. */
#pragma once

#include "measure/observation.h"
#include "mesh/format/vtk.h"
#include "output/output.h"

/** Destination and contents of the frames of a run. */
typedef struct sup_frame_target {
  const sup_model *model;
  char             folder[4096];
  char             title[256];
  int              is_binary, is_single;
  int              is_xdmf;   /* soft bodies, that is; all else is VTK */
  uint32_t         arrays;    /* of soft bodies: bit k for row k of sup_frame_array_name */
  unsigned char   *is_hidden; /* [num_bodies] 1: no frames of this body */
  sup_vtk_record   names;     /* the numbers of all bodies */
  long             frame;     /* number of the frame under way */
  double           time;      /* its time [s] */
  long             step;
  long             nonfinite; /* numbers kept out of the files so far */
} sup_frame_target;

/** Open STEM_NNNN.vtk with its time and the numbers of bodies that its cells have.
 *  @param[in] body  the one whose file it is; SUP_NONE: all */
SUP_NODISCARD sup_status sup_frame_open(sup_vtk_writer *writer, sup_frame_target *place,
                                        const char *stem, int body);
SUP_NODISCARD sup_status sup_frame_close(sup_vtk_writer *writer, sup_frame_target *place);

/** Data that a failed step adds to the frames of soft bodies. */
typedef struct sup_frame_failure {
  const double *residual; /* [num_vertices x 3] [N s]; NULL: not known */
} sup_frame_failure;

/** Piece of a soft body that a rank writes: its cells with their vertices; without ranks all
 * cells. */
typedef struct sup_soft_piece {
  char           stem[SUP_NAME_MAX + 24];
  int           *vertex; /* [num_points] ascending numbers in the body; NULL: all vertices */
  int            num_points;
  sup_vtk_record grid, point_numbers, cell_numbers;
} sup_soft_piece;

/** "BODY_rank<R>"; rank SUP_NONE: "BODY", of a run without ranks. */
void sup_soft_piece_stem(char stem[SUP_NAME_MAX + 24], const sup_soft *soft, int rank);

/** Soft bodies as unstructured grids. */
typedef struct sup_soft_frames {
  int             num_pieces;
  sup_soft_piece *piece;          /* [num_softs] */
  int            *first_material; /* [num_softs] place of a body's materials in a list of all */
  int            *material_id;    /* of each in that list: the place of the first of that name */
  int            *integers;       /* [cells or vertices of the largest soft body] scratch */
  double         *numbers;        /* [vertices of the largest soft body x widest array] scratch */
} sup_soft_frames;

/** @param[in] is_whole  1: bodies are not written in pieces, whatever ranks there are */
SUP_NODISCARD sup_status sup_soft_frames_create(sup_soft_frames *frames, const sup_model *model,
                                                uint32_t arrays, bool is_whole);
void                     sup_soft_frames_free(sup_soft_frames *frames);
/** Array k of sup_frame_array_name of body s: of all its vertices, on all ranks, or of the cells of
 * this rank.  Those of vertices stand until the next call.  Collective. */
void sup_soft_frames_array(sup_soft_frames *frames, int s, const sup_observation *obs, int k,
                           const double **rows);
/** Body s; with ranks each writes its piece.  failure NULL: an ordinary frame. */
SUP_NODISCARD sup_status sup_soft_frames_write(sup_soft_frames *frames, sup_frame_target *place,
                                               int s, const sup_observation *obs,
                                               const sup_frame_failure *failure);

/** All rigid shapes as polygons whose points are fixed to bodies. */
typedef struct sup_rigid_shapes {
  int     num_points, num_polygons;
  int    *start;             /* [num_polygons + 1] */
  int    *corner;            /* points of the polygons */
  int    *body_id, *link_id; /* [num_polygons] */
  int    *point_body;        /* [num_points] */
  double *local;             /* [num_points x 3] in the body's frame */
  double *world, *velocity;  /* [num_points x 3] scratch of a frame */
  size_t  start_capacity, corner_capacity, body_capacity, link_capacity, point_capacity,
      local_capacity;
  sup_vtk_record polygons, ids; /* bytes of the files */
} sup_rigid_shapes;

/** Shapes are tessellated for display, no finer than contact sees them; half spaces become a square
 * patch about the scene's extent at obs. */
SUP_NODISCARD sup_status sup_rigid_shapes_create(sup_rigid_shapes      *shapes,
                                                 const sup_observation *obs,
                                                 const unsigned char   *is_hidden);
void                     sup_rigid_shapes_free(sup_rigid_shapes *shapes);
SUP_NODISCARD sup_status sup_rigid_shapes_write(sup_rigid_shapes *shapes, sup_frame_target *place,
                                                const sup_observation *obs);
/** Points and polygons that a shape has in the files, at most; also of a point, which has none.
 * E_MEMORY */
SUP_NODISCARD sup_status sup_rigid_shape_size(const sup_geometry *geometry, int *points,
                                              int *polygons, int *corners);

/** The pressure fields of all compliant rigid shapes as tetrahedra whose points are fixed to
 * bodies. */
typedef struct sup_field_cells {
  sup_mesh *mesh;       /* world positions, of the last frame; NULL: there are none */
  double   *local;      /* [points x 3] in the body's frame [m] */
  double   *pressure;   /* [points] p(x) of the body alone, negative in the margin [Pa] */
  int      *point_body; /* [points] */
  int      *body_id;    /* [cells] */
} sup_field_cells;

SUP_NODISCARD sup_status sup_field_cells_create(sup_field_cells *cells, const sup_model *model,
                                                const unsigned char *is_hidden);
void                     sup_field_cells_free(sup_field_cells *cells);
SUP_NODISCARD sup_status sup_field_cells_write(sup_field_cells *cells, sup_frame_target *place,
                                               const sup_observation *obs);
/** Paths of cables as lines with their tension. */
SUP_NODISCARD sup_status sup_cables_write(sup_frame_target *place, const sup_observation *obs);
/** Contact polygons of the observation; an empty file with the same fields when there are none. */
SUP_NODISCARD sup_status sup_contact_polygons_write(sup_frame_target      *place,
                                                    const sup_observation *obs);
/** 1: a pair has a soft surface on which contacts are a pressure (measure/contact_pressure.h). */
bool sup_contact_pressure_has_surfaces(const sup_model *model);
/** Faces of soft surfaces that are pressed by rigid shapes, with the pressure at their vertices,
 * and the polygons of all other pairs. */
SUP_NODISCARD sup_status sup_contact_pressure_write(sup_frame_target      *place,
                                                    const sup_observation *obs);
