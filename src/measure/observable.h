/** Table of the columns of history.csv (observable.c).  Headers and values of the file, units, the
 * key quantities of error bars, the largest, mean and final values in summary.json, and `supple
 * help columns` all come from this table: a new column is one row.  Layer measure.
 *
 *  A group is a kind of thing of which a scene has several (rigid bodies, joints, pairs ...) or one
 * (energies, the solver); the columns of each thing are adjacent.  SI units, world axes. */
#pragma once

#include "measure/probe.h"
#include "measure/statistics.h"

enum { SUP_OBSERVABLE_MAX_WIDTH = 4, SUP_COLUMN_MAX = 8 * SUP_NAME_MAX };

/** Columns of one pair of output.pairs. */
typedef struct sup_column_pair {
  int a, b; /* bodies as they are named; a = SUP_NONE: everything on b; a == b: a soft body with
               itself */
  int pair; /* of the observation; SUP_NONE: of all, or the two never touch: zeros */
  int b_is_first; /* the named B is the pair's a */
} sup_column_pair;

/** Stands for A of a pair: everything that touches B. */
#define SUP_COLUMNS_ALL "all"

/** Columns that a run is asked for. */
typedef struct sup_column_def {
  int num_pairs;
  char (*pair)[2][2 * SUP_NAME_MAX]; /* [num_pairs] bodies A (or SUP_COLUMNS_ALL) and B */
  int            num_probes;
  sup_probe_def *probes;   /* [num_probes] */
  int            timing;   /* 1: a column of the time that a step took */
  int            recovers; /* 1: columns of recovered stress */
  int            num_names;
  char (*name)[SUP_COLUMN_MAX]; /* [num_names] columns besides the time, or patterns of them as
                                   fnmatch has them; none: all */
  const char *names_place;      /* of the names in the scene; NULL: output.history */
} sup_column_def;

/** Scene whose things have columns. */
typedef struct sup_observed_scene {
  const sup_model      *model;
  const sup_options    *options;
  const sup_column_def *def;
} sup_observed_scene;

/** Sources of the numbers of a column, and the thing that the column belongs to. */
typedef struct sup_observed {
  const sup_observation  *obs;
  const sup_step_report  *report;
  const sup_soft_account *account;
  const sup_column_pair  *pair;  /* [num_pairs] of the definition */
  const sup_probe        *probe; /* [num_probes] */
  int                     index; /* within its group */
} sup_observed;

/** Kind of a key quantity; studies choose the peak, the change ... of a column by its kind. */
typedef enum sup_quoted {
  SUP_QUOTED_NOT,
  SUP_QUOTED_FORCE,
  SUP_QUOTED_PROBE,
  SUP_QUOTED_ENERGY,
  SUP_QUOTED_CENTRE,
  SUP_QUOTED_RIGID,
  SUP_QUOTED_STRESS,
  SUP_QUOTED_EFFORT
} sup_quoted;

typedef struct sup_observable {
  const char *names;   /* of its columns, separated by blanks: "fx fy fz" */
  const char *unit;    /* "-" for none */
  const char *meaning; /* one sentence */
  /** [width] numbers; 0: no value at this moment, empty fields. */
  int (*value)(const sup_observed *at, double *out);
  sup_quoted quoted;
  /** 1: the i-th thing of the group has this observable; NULL: each has it. */
  bool (*applies)(const sup_observed_scene *scene, int i);
  /* statistic, of groups with one thing and columns of one number alone */
  sup_statistic statistic;
  const char   *entry; /* its name in summary.json, with `mean` and `max` below it where both are
                          kept; NULL: it is not there */
  bool (*counts)(const sup_step_report *report); /* does this step?  NULL: each does */
  int (*body)(const sup_step_report *report);    /* whom it concerns; NULL: nobody */
} sup_observable;

typedef struct sup_observable_group {
  const char
      *pattern; /* of its columns' names before the observable's own: "contact.A.B."; "": nothing */
  const char *what; /* whose they are, for help */
  int (*count)(const sup_observed_scene *scene);
  /** The i-th prefix with its dot into text [SUP_COLUMN_MAX]; 0: that thing has no such columns. */
  int (*prefix)(const sup_observed_scene *scene, int i, char *text);
  const sup_observable *row;
  int                   num_rows;
  int is_of_step; /* 1: the report of a step alone has the numbers, statistics are over all steps;
                     0: over all rows */
} sup_observable_group;

/** Group i in the order of the columns; NULL behind the last. */
const sup_observable_group *sup_observable_group_at(int i);
/** 1: the i-th thing of the observable's group has it. */
bool sup_observable_applies(const sup_observable *observable, const sup_observed_scene *scene,
                            int i);
/** Columns of an observable, at most SUP_OBSERVABLE_MAX_WIDTH. */
int sup_observable_width(const sup_observable *observable);
/** Name k of an observable, appended to prefix, into text [SUP_COLUMN_MAX]. */
void sup_observable_column(const sup_observable *observable, int k, const char *prefix, char *text);
/** The observable of a column of history.csv by its name; NULL: there is none of such a name. */
const sup_observable *sup_observable_find(const char *column);
/** The i-th observable with a statistic, and its group; NULL behind the last. */
const sup_observable *sup_observable_with_statistic(int i, const sup_observable_group **group);
