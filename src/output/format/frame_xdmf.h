/** Frames of soft bodies as XDMF: BODY.xdmf lists them, BODY_mesh.h5 has what is alike in all and
 * BODY_NNNN.h5 the arrays of one.  Layer output.
 *
 *  With ranks the first one writes, from pieces of what the others have: it never holds more than a
 * block of theirs, and the files are those of one rank. */
#pragma once

#include "base/row_gather.h"
#include "output/frame_file.h"

typedef struct sup_xdmf_frames {
  int num_bodies;
  struct sup_xdmf_body {
    int           *own; /* vertices that this rank hands in; NULL: all */
    sup_row_gather points, cells;
  } * body;    /* [num_softs] */
  char *block; /* of an array, on the first rank */
} sup_xdmf_frames;

/** Collective. */
SUP_NODISCARD sup_status sup_xdmf_frames_create(sup_xdmf_frames *frames, const sup_model *model);
void                     sup_xdmf_frames_free(sup_xdmf_frames *frames);
/** BODY_mesh.h5 of all bodies that have frames.  Collective. */
SUP_NODISCARD sup_status sup_xdmf_frames_begin(sup_xdmf_frames *frames, sup_frame_target *place,
                                               const sup_soft_frames *soft);
/** BODY_NNNN.h5 of body s.  Collective.  failure NULL: an ordinary frame. */
SUP_NODISCARD sup_status sup_xdmf_frames_write(sup_xdmf_frames *frames, sup_frame_target *place,
                                               sup_soft_frames *soft, int s,
                                               const sup_observation   *obs,
                                               const sup_frame_failure *failure);
/** Item of a frame in BODY.xdmf; the caller frees it with free().  E_MEMORY */
SUP_NODISCARD sup_status sup_xdmf_item(const sup_frame_target *place, int s, long frame,
                                       double time, bool is_failure, char **text);
