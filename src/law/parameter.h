/** Parameters of laws by name, as tables and files have them.  Layer law.
 *
 *  Each parameter of a law needs a row here; without it a law changes when written and read, and
 * the test laws_survive_their_tables fails. */
#pragma once

#include "law/law.h"

typedef struct sup_law_parameter {
  const char *name, *unit, *meaning;
  unsigned    forms;      /* bits 1 << sup_law_form of laws that have it in this row */
  int         only;       /* normal law with this parameter; SUP_NONE: all */
  size_t      offset;     /* in sup_law */
  int         is_integer; /* 1: the member is an int; 0: a double */
} sup_law_parameter;

enum { SUP_NUM_LAW_PARAMETERS = 34 };
/** A name may have several rows, each for other laws; those of one name follow each other. */
extern const sup_law_parameter sup_law_parameters[SUP_NUM_LAW_PARAMETERS];

/** Name of the normal law in scenes; "": the law has none. */
const char *sup_law_normal_name(const sup_law *law);
/** Name of the friction softening in scenes; "": the law has none. */
const char *sup_law_softening_name(const sup_law *law);
/** 1: row k is the first row of its name. */
bool sup_law_parameter_is_first(int k);
/** The value of the parameter of this name; NAN: the law has none. */
double sup_law_parameter_get(const char *name, const sup_law *law);
/** No effect on a law that has none; integers are 0 or 1. */
void sup_law_parameter_set(const char *name, sup_law *law, double value);
