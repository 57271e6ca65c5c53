/** Weights of recovered stress: of the stresses around each vertex.  Private to layer fem. */
#pragma once

#include "fem/recovery/recovery.h"
#include "fem/recovery/recovery_area.h"
#include "fem/site.h"

struct sup_recovery {
  const sup_fem_body *body;
  sup_recovery_area   area;
  const sup_mesh *mesh; /* the body's own, or that of the area's sites: vertices are sites here; of
                           the area while the fits are made */
  sup_fem_sites sites;  /* of several materials */
  int           num_means;
  int           num_samples; /* of a cell */
  size_t       *row;  /* [vertices + 1] into `cell`: none of vertices that only other ranks have */
  int          *cell; /* whose stress a vertex gets, places among the stresses of points */
  double       *weight; /* [num_samples] of each of them */
  double       *share;  /* [own cells x points] of the cell's volume, as the stresses of points */
};

/** Fill a recovery whose body is set. */
SUP_NODISCARD sup_status sup_recovery_build(sup_recovery *recovery, sup_recovery_method method);
