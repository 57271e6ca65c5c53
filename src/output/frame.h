/** Frames as legacy VTK files in one folder, each group with its series.  Layer output.
 *
 *  STEM_NNNN.vtk: soft bodies as unstructured grids at their initial positions with the point field
 * `displacement`; all rigid shapes as polygons in world positions; contact polygons with cell
 * fields; the pressure on soft surfaces; on request pressure fields.  With ranks each writes its
 * cells of the soft bodies, STEM_rank<R>_NNNN.vtk, and the first rank all else; postproc/gather.py
 * joins them.  On request soft bodies are XDMF instead (output/format/frame_xdmf.h), by the first
 * rank. */
#pragma once

#include "output/format/frame_xdmf.h"
#include "output/format/series.h"
#include "output/frame_file.h"

typedef struct sup_frames {
  sup_frame_target place;
  double           last_time; /* of the frames written */
  double          *time;      /* [place.frame] of all frames written [s] */
  int             *num_ranks; /* [place.frame] that wrote them */
  size_t           time_capacity, ranks_capacity;
  sup_soft_frames  soft;
  sup_xdmf_frames  xdmf; /* when that is the format */
  sup_rigid_shapes rigid;
  sup_field_cells  fields;       /* when they were asked for */
  int              has_pressure; /* soft surfaces may touch rigid shapes */
  int              num_series;   /* soft bodies, then those of all bodies together */
  sup_series      *series;       /* [num_series] */
  double           saved;        /* when their files were, of the clock [s] */
} sup_frames;

/** E_ARG: a soft body's name cannot be a file name, an unknown body of the definition's. */
SUP_NODISCARD sup_status sup_frames_check(const sup_model *model, const sup_output_def *def);
/** Frames that a run wrote so far. */
typedef struct sup_frames_mark {
  long          count, nonfinite; /* frames; sup_frame_target.nonfinite */
  const double *time;             /* [count] [s] */
  const int    *num_ranks;        /* [count] that wrote them */
} sup_frames_mark;

/** Prepare the folder and remove the frames of an earlier run.  obs: of the start.
 *  @param[in] from  these frames stay, and the next one follows them, with other pieces where there
 * are other ranks; NULL: begin anew */
SUP_NODISCARD sup_status sup_frames_create(sup_frames *frames, const sup_observation *obs,
                                           const char *folder, const char *title,
                                           const sup_output_def *def, const sup_frames_mark *from);
void                     sup_frames_free(sup_frames *frames);
/** Write the next frame of every group; its time must lie after the last one's.  The lists share a
 * write within 20 ms, as rows do: those of a run that is killed may lack the frames since then.
 * Collective with ranks.  failure NULL: an ordinary frame. */
SUP_NODISCARD sup_status sup_frames_write(sup_frames *frames, const sup_observation *obs,
                                          double time, const sup_frame_failure *failure);
/** Write the frames that the files of the lists lack.  E_IO names one of the files. */
SUP_NODISCARD sup_status sup_frames_flush(sup_frames *frames);
