/** Events: times, and conditions on columns of the history. */
#pragma once

#include "supple/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sup_event_kind {
  SUP_EVENT_NONE,
  SUP_EVENT_TIME,  /* at a time */
  SUP_EVENT_ABOVE, /* when a column is above a value .. */
  SUP_EVENT_BELOW  /* .. or below it */
} sup_event_kind;

enum { SUP_EVENT_COLUMN_MAX = 4 * SUP_NAME_MAX };

/** Event at the end of a step; each happens once. */
typedef struct sup_event_def {
  sup_event_kind kind;
  double         time;                         /* SUP_EVENT_TIME, above 0 [s] */
  char           column[SUP_EVENT_COLUMN_MAX]; /* of history.csv */
  double         value;                        /* bound of the column, in the column's SI unit */
  double         duration; /* for which the column must be beyond the bound [s] */
  /* where a person wrote it, for messages; NULL: nowhere */
  const char *file;
  int         line, place;
} sup_event_def;

#ifdef __cplusplus
}
#endif
