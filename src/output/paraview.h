/** A script that opens a run in ParaView.  Layer output. */
#pragma once

#include "base/status.h"

/** FOLDER/paraview.py: every series of FOLDER/vtk, soft bodies warped and coloured.  E_IO. */
SUP_NODISCARD sup_status sup_paraview_write(const char *folder);
