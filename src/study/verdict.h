/** Verdicts in words on a study.  Layer study. */
#pragma once

#include <stddef.h>

#include "study/convergence.h"

enum { SUP_VERDICT_SIZE = 1000, SUP_MAX_FAMILIES = 16 };

/** Grade of a verdict; a study has the worst grade of its quantities. */
typedef enum sup_verdict_grade {
  SUP_VERDICT_CONVERGED,
  SUP_VERDICT_OPEN,
  SUP_VERDICT_BAD
} sup_verdict_grade;

/** One quantity on one ladder, for instance "converged: the error of the finest level is 0.8 %
 * (GCI)".
 *  @param[in] tolerance  relative error that is asked for */
sup_verdict_grade sup_verdict_ladder(const sup_ladder_values *ladder,
                                     const sup_convergence *convergence, double tolerance,
                                     char text[SUP_VERDICT_SIZE]);

/** Limits of one quantity on the ladders of several families of levels, for instance of two
 * elements. */
typedef struct sup_family_limits {
  int         num_families;
  const char *name[SUP_MAX_FAMILIES];
  const char *why[SUP_MAX_FAMILIES];    /* there is no limit; NULL: there is */
  double      limit[SUP_MAX_FAMILIES];  /* Richardson's value; not read where there is none */
  double      finest[SUP_MAX_FAMILIES]; /* value of the finest level; SUP_NO_NUMBER: none */
  double      reference;                /* SUP_NO_NUMBER: none */
} sup_family_limits;

/** Reason why a ladder's Richardson value cannot be compared with others: orders that still change
 * give any number.  NULL: it can. */
const char *sup_family_lacks_limit(const sup_convergence *convergence);
/** Numbers that depend on the family are no result (F25): the limits that there are, against each
 * other and against the reference; the other families by name. */
sup_verdict_grade sup_verdict_families(const sup_family_limits *families, double tolerance,
                                       char text[SUP_VERDICT_SIZE]);
