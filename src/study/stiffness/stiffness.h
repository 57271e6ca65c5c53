/** Stiffness of a soft body at positions along its face: the tangent about the scene's equilibrium,
 * and secants of indenters that are pressed in from there.  Layer study. */
#pragma once

#include "study/level_runner.h"

enum { SUP_MAX_RADII = 8, SUP_MAX_DEPTHS = 8, SUP_MAX_STATIONS = 256, SUP_MAX_DOUBTS = 5 };
enum { SUP_MILLI = 1000 }; /* mm in a metre */

/** A position and a radius: a row of the table. */
typedef struct sup_station {
  double along, radius;         /* from the first position; of patch and indenter [m] */
  sup_v3 at, axis[3];           /* of the equilibrium, as of sup_patch */
  double tangent[3];            /* force on the patch over its displacement, by axis [N/m] */
  double adaptivity;            /* way of the last position against the force, over its own [-] */
  double force[SUP_MAX_DEPTHS]; /* of the indenter, against the normal [N]; SUP_NO_NUMBER: its run
                                   failed */
  double secant_along;          /* of the indenter at the last depth, moved along the face [N/m] */
} sup_station;

typedef struct sup_stiffness {
  const char     *body;
  double          from[3], to[3], axis[3]; /* [m]; axis 0: spheres and discs */
  int             count, steps;
  int             num_radii, num_depths;
  double          radius[SUP_MAX_RADII], depth[SUP_MAX_DEPTHS]; /* [m] */
  const sup_node *contact;                                      /* of indenters, or NULL */
  /* results */
  double       need;           /* estimated memory of a run [bytes] */
  double       time, ramp_end; /* of the equilibrium; when loads have grown [s] */
  double       reach;          /* diagonal of the body's box [m] */
  int          num;
  sup_station *station;             /* [num] by radius, then position */
  char         refusal[256];        /* why there are no tangents; "": there are */
  double       residual, asymmetry; /* of the compliances, over the largest [-] */
  int          num_warnings;
  char         warning[SUP_MAX_DOUBTS][256];
} sup_stiffness;

/** Read `stiffness`. */
SUP_NODISCARD sup_status sup_stiffness_read(sup_study *study, const sup_section *section);
void                     sup_stiffness_destroy(sup_stiffness **stiffness);
/** E_PARSE: no such soft body, or an indenter of the scene's own. */
SUP_NODISCARD sup_status sup_stiffness_prepare(const sup_study *study, sup_scene *scene);
/** Find the equilibrium and all tangents, then press the indenters, each by a run of its own.
 * E_GEOMETRY: a position away from the face; E_INTERRUPTED, E_NOT_CONVERGED, E_IO. */
SUP_NODISCARD sup_status sup_stiffness_run(sup_study *study, const sup_level_runner *runner);
/** stiffness.csv and stiffness.json. */
SUP_NODISCARD sup_status sup_stiffness_write(const sup_study *study, const char *folder);
