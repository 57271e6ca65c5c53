/** Frames as legacy VTK files in one folder, each group with its series.  Layer output.
 *
 *  STEM_NNNN.vtk: soft bodies as unstructured grids at their initial positions with the point field
 * `displacement`; all rigid shapes as polygons in world positions; contact polygons with cell
 * fields; on request pressure fields. */
#pragma once

#include "output/frame_file.h"
#include "output/series.h"

/** What a step that failed adds to the soft bodies' frames. */
typedef struct sup_frame_failure {
  const double *residual; /* [num_vertices x 3] [N s]; NULL: not known */
} sup_frame_failure;

typedef struct sup_frames {
  sup_frame_place  place;
  double           last_time; /* of the frames written */
  double          *time;      /* [place.frame] of all frames written [s] */
  size_t           time_capacity;
  int              num_groups;     /* soft bodies, then those of all bodies together */
  sup_series      *series;         /* [num_groups] */
  int             *first_material; /* [num_softs] place of a body's materials in a list of all */
  int             *material_id;    /* of each in that list: the place of the first of that name */
  int             *integers;       /* [cells or vertices of the largest soft body] scratch */
  double          *numbers;        /* [vertices of the largest soft body x 9] scratch */
  sup_rigid_shapes rigid;
  sup_field_cells  fields; /* when they were asked for */
} sup_frames;

/** E_ARG: a soft body's name cannot be a file name. */
SUP_NODISCARD sup_status sup_frames_check_names(const sup_model *model);
/** Frames that a run wrote so far. */
typedef struct sup_frames_mark {
  long          count, nonfinite; /* frames; sup_frame_place.nonfinite */
  const double *time;             /* [count] [s] */
} sup_frames_mark;

/** Prepare the folder and remove the frames of an earlier run.  obs: of the start.  fields: 1: also
 * the pressure fields of compliant rigid shapes.
 *  @param[in] from  these frames stay, and the next one follows them; NULL: begin anew */
SUP_NODISCARD sup_status sup_frames_create(sup_frames *frames, const sup_observation *obs,
                                           const char *folder, const char *title, int binary,
                                           int fields, const sup_frames_mark *from);
void                     sup_frames_free(sup_frames *frames);
/** Write the next frame of every group; its time must lie after the last one's.  failure NULL: an
 * ordinary frame. */
SUP_NODISCARD sup_status sup_frames_write(sup_frames *frames, const sup_observation *obs,
                                          double time, const sup_frame_failure *failure);
