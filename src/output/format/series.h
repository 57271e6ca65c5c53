/** ParaView's .vtk.series files, and .xdmf: the times of a group of frames.  Layer output. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/** Name of frame k of a group, "STEM_0007.vtk".  E_IO when it does not fit. */
SUP_NODISCARD sup_status sup_series_frame_name(char *out, size_t size, const char *stem, long k);

/** Texts of a list's file: head, separator of its items, end. */
typedef struct sup_series_kind {
  const char *ending; /* of its name */
  const char *head, *between, *end;
} sup_series_kind;
extern const sup_series_kind sup_series_vtk, sup_series_xdmf;

/** List of one group's frames, extended in place: one call overwrites the few bytes of the list's
 * end by the next frames and a new end, within one page of 4,096 bytes, so that no reader or signal
 * finds a partial write.  If this would cross a page, the whole file is replaced.  A run thus
 * writes about a 50th of the bytes of replacing the file for each frame. */
typedef struct sup_series {
  const sup_series_kind *kind;   /* NULL: of VTK files */
  char                  *text;   /* all of the file but its end; NULL before the first frame */
  char                  *before; /* of a VTK item, up to the frame's number; NULL: not known yet */
  size_t                 size, capacity, before_capacity;
  size_t                 saved;    /* bytes of the text that the file has */
  size_t                 replaced; /* .. and that it had when it was last written anew */
  long                   count;    /* frames in the list */
  long frame; /* number of the next one; larger where others wrote the frames before */
} sup_series;

/** Add the next frame, in memory alone, as all that appends.
 *  @param[in] time  later than the last one (ParaView drops equal times) */
SUP_NODISCARD sup_status sup_series_append_frame(sup_series *series, const char *stem, double time);
/** sup_series_append_frame with the time as text, which all groups of a frame share. */
SUP_NODISCARD sup_status sup_series_append_frame_at(sup_series *series, const char *stem,
                                                    const char *time);
/** Append an item of any kind. */
SUP_NODISCARD sup_status sup_series_append(sup_series *series, const char *item);
/** Write the items that the file FOLDER/STEM, with the kind's ending, lacks.  E_IO names the file,
 * which then stays as it was. */
SUP_NODISCARD sup_status sup_series_save(sup_series *series, const char *folder, const char *stem);
/** sup_series_save during a run: a file that cannot grow in place is replaced once it has grown by
 * a 64th since its last replacement.  All replacements of a run together write at most some 65
 * times the file's last size, however many frames there are. */
SUP_NODISCARD sup_status sup_series_extend(sup_series *series, const char *folder,
                                           const char *stem);
/** Restore the list of a group from the frames of an earlier run, and write its file with these
 * frames alone; no file when there are none.  The series is empty before.
 *  @param[in] time      [count] of all frames of that run [s]
 *  @param[in] is_there  [count] 1: the group has this one; NULL: all of them */
SUP_NODISCARD sup_status sup_series_restore(sup_series *series, const char *folder,
                                            const char *stem, const double *time,
                                            const unsigned char *is_there, long count);
/** Write the whole file anew; no file when the list is empty. */
SUP_NODISCARD sup_status sup_series_write(sup_series *series, const char *folder, const char *stem);
void                     sup_series_free(sup_series *series);
/** Remove the frames from number `first` on that an earlier run left for this group, and the
 * series, of either kind, also the pieces of its ranks; other files stay. */
SUP_NODISCARD sup_status sup_series_remove(const char *folder, const char *stem, long first);
/** sup_series_remove for every group whose series is in the folder, also of bodies that no longer
 * exist. A folder that is not there holds none. */
SUP_NODISCARD sup_status sup_series_remove_all(const char *folder);
