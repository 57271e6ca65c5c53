/** Holding study: pulls and turns of a held object, each of which is a case with the scene's grip
 * before it.  Layer study.
 *
 *  The object's motion is prescribed: it stands (or follows its own motion) to the end of the
 * scene's time, and then is driven along a line, or about an axis through its origin, as in a
 * testing machine, and held in its other degrees of freedom or some of them.  Sliding is then an
 * equilibrium.
 *
 *  Life cycle: read, fill (reads the scene of every case), run by a level_runner, collect, write.
 */
#pragma once

#include "scene/schema/reader.h"
#include "study/study.h"

/** Freedom of a pulled object besides its path. */
typedef enum sup_pull_guide { SUP_GUIDE_HELD, SUP_GUIDE_LOOSE, SUP_GUIDE_ACROSS } sup_pull_guide;

/** One direction or axis. */
typedef struct sup_pull {
  int    turns;   /* 1: about the axis, 0: along it */
  double angle;   /* of a circle, from its first direction [rad]; SUP_NO_NUMBER: none */
  double axis[3]; /* of length 1, in world axes */
} sup_pull;

/** Moment of a pull. */
typedef enum sup_pull_event {
  SUP_PULL_GRIP, /* its start: what the grip alone does to the object */
  SUP_PULL_SLIP, /* end of the first step in which the stated share of the contact area slides,
                   after it stuck */
  SUP_PULL_PEAK, /* the greatest load */
  SUP_PULL_LOSS, /* the last contact before there is none */
  SUP_NUM_PULL_EVENTS
} sup_pull_event;

/** Reason why a pull ended. */
typedef enum sup_pull_end {
  SUP_PULL_MISSING, /* it has no rows: it did not run, or the grip failed */
  SUP_PULL_LOST,    /* no contact is left */
  SUP_PULL_TRAVEL,  /* at the largest displacement or rotation */
  SUP_PULL_LOAD,    /* at the largest force or moment */
  SUP_PULL_STOPPED  /* the run ended before: no equilibrium */
} sup_pull_end;

/** Numbers at a moment; SUP_NO_NUMBER: there was none. */
typedef struct sup_pull_state {
  double path;   /* [m] or [rad] */
  double force;  /* that the contacts resist: along the line; of a turn its norm [N] */
  double moment; /* about the object's origin: about the axis; of a pull its norm [N m] */
} sup_pull_state;

/** Force along the line, or moment about the axis. */
static inline double sup_pull_load(const sup_pull *pull, const sup_pull_state *at) {
  return pull->turns ? at->moment : at->force;
}

typedef struct sup_pull_result {
  sup_pull_state at[SUP_NUM_PULL_EVENTS];
  sup_pull_end   end;
  double         path, energy; /* there; work of the pull [m or rad], [J] */
  double         held; /* load by friction at the pressures of the grip; SUP_NO_NUMBER: not known */
  sup_curve      slip, peak; /* loads on the ladder, of the finest level of a ladder alone */
} sup_pull_result;

/** Contacts at the end of the grip of one case. */
typedef struct sup_grasp {
  int    num;     /* contacts */
  double load;    /* sum of their normal forces [N] */
  double length;  /* by which moments are divided [m] */
  double epsilon; /* quality of Ferrari and Canny [N] */
  double guide;   /* norm of the sum of forces, with or without the weight, the lesser one [N] */
} sup_grasp;

struct sup_holding {
  const char *object;
  sup_node   *object_node;
  int         guide;         /* sup_pull_guide */
  double      slip_share;    /* of the area that slides at first slip */
  double      travel, angle; /* the largest [m], [rad] */
  double      force, moment; /* the largest; infinite: none [N], [N m] */
  double      length;        /* of moments in the quality of a grasp [m]; 0: the contacts' reach */
  double      time;          /* of a pull [s]; 0: as long as the scene's */
  int         num_pulls;
  sup_pull   *pull; /* [num_pulls] */
  size_t      pull_capacity;
  sup_family  ladder;    /* its levels have their own overrides alone; without any: no ladder */
  int         num_cases; /* combinations of the parameters' values, at least 1 */
  /* by the scene, and results */
  double          *begin, *duration; /* [levels] of the pull [s] */
  sup_grasp       *grasp;            /* [num_cases] of the finest level, `mode: static` */
  sup_pull_result *result;           /* [levels] case by case, level by level, pull by pull */
};

/** Read `holding`, with `parameters` and `ladder` as they are given. */
SUP_NODISCARD sup_status sup_holding_read(sup_study *study, const sup_section *section,
                                          const sup_node *set);
void                     sup_holding_destroy(sup_holding **holding);
/** Read the scene of every case and level, and make the pulls of it. */
SUP_NODISCARD sup_status sup_holding_fill(sup_study *study);
/** Results from the folders of all cases, and error bars of slip and peak. */
SUP_NODISCARD sup_status sup_holding_collect(sup_study *study, const char *folder);
/** Grasp of a case and `held` of its pulls, of which `first` is the first, by load steps to the end
 * of the grip. */
SUP_NODISCARD sup_status sup_holding_weigh(sup_study *study, int first);
/** holding.csv and holding.json. */
SUP_NODISCARD sup_status sup_holding_write(const sup_study *study, const char *folder);
/** "can along (1, 0, 0)" */
void        sup_pull_name(const sup_holding *holding, const sup_pull *pull, char text[200]);
const char *sup_pull_end_name(sup_pull_end end);
/** Number of levels of the ladder, 1 without. */
static inline int sup_holding_num_rungs(const sup_holding *h) {
  return h->ladder.num_levels > 0 ? h->ladder.num_levels : 1;
}
/** Half width of an error bar: that of convergence, else by the largest change to the finest of the
 * last levels as of one repeat; SUP_NO_NUMBER without a ladder. */
double sup_pull_bar(const sup_curve *curve);
