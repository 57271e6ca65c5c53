/** ParaView's .vtk.series files: the times of a group of frames.  Layer output. */
#pragma once

#include "base/status.h"

/** Name of frame k of a group, "STEM_0007.vtk".  E_IO when it does not fit. */
SUP_NODISCARD sup_status sup_series_frame_name(char *out, size_t size, const char *stem, long k);
/** Replace FOLDER/STEM.vtk.series by the list of frames 0 .. num_frames - 1.
 *  @param[in] time  [num_frames], strictly increasing (ParaView drops equal times) */
SUP_NODISCARD sup_status sup_series_write(const char *folder, const char *stem, long num_frames, const double *time);
/** Remove the frames and the series that an earlier run left for this group; other files stay. */
SUP_NODISCARD sup_status sup_series_remove(const char *folder, const char *stem);
