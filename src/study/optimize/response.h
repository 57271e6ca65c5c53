/** Values of a study's quantities as functions of its parameters, with derivatives.  Layer study,
 * private. */
#pragma once

#include "study/level_runner.h"

/** Quantities at a point of the parameters. */
typedef struct sup_response {
  double x[SUP_MAX_PARAMETERS]; /* [unit of each] */
  bool   is_there;              /* the run is complete, */
  bool   has_gradient;          /* and so is one beside it for each parameter at least */
  bool   is_asked;              /* derivatives were asked for */
  double value[SUP_MAX_QUANTITIES];
  double gradient[SUP_MAX_QUANTITIES][SUP_MAX_PARAMETERS]; /* [unit/unit] */
  char   message[512];                                     /* why it is not there */
  int    start;                                            /* start that asked for it first */
} sup_response;

/** All responses of a search, in the order of their first runs. */
typedef struct sup_responses {
  sup_study              *study;
  const sup_level_runner *runner;
  double                  need; /* estimated memory of a run [bytes] */
  int                     num;
  size_t                  capacity;
  sup_response           *list;     /* [num] */
  int                     start;    /* under way */
  int                     runs;     /* that they took */
  bool                    is_new;   /* the last one took runs that no folder held */
  bool                    is_first; /* and is the last of the list since */
} sup_responses;

/** Value and derivatives of all quantities at x, by the run there and then one on each side in each
 * parameter, within its bounds, as many at a time as the runner has jobs.  A point that is known
 * takes no run; each has its folder below the runner's, so that the same command goes on.
 *  @param[out] index  of the response in the list */
SUP_NODISCARD sup_status sup_responses_take(sup_responses *responses, const double *x,
                                            bool with_gradient, int *index);
void                     sup_responses_free(sup_responses *responses);
