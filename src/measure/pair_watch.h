/** History of the contacts of two bodies over the steps of a run: penetration, creep while
 * sticking.  Layer measure. */
#pragma once

#include "measure/observation.h"

typedef struct sup_pair_watch {
  double overlap;          /* at the start, before any step [m] */
  double penetration;      /* deepest of any step [m] */
  double penetration_time; /* [s] */
  int    is_limited;       /* 1: the step limits the stiffness at that time (contact.beta) */
  double came;             /* fastest approach of any contact [m/s] */
  double creep, creep_time,
      creep_for; /* largest creep in one period of sticking [m], its end [s], its duration [s] */
  double creep_share;                     /* friction over its bound, mean of that spell [-] */
  sup_v3 way;                             /* of the present spell [m] */
  double stored, normal, lost, lost_time; /* energy of its contacts and sum of their normal forces
                                             at the end of the last step [J, N]; what they took
                                             beyond their law while they lasted [J], until [s] */
  double spell, share_sum; /* duration of this period [s]; integral over time of friction over its
                              bound [s] */
} sup_pair_watch;

/** 1: friction of the pair grows over a slip that is proportional to sigma, or to mujoco's
 * alpha. */
int sup_creeps_by_compliance(const sup_observation *obs, const sup_pair *pair);
/** Depths of the pairs in reach at the start; watch [obs->num_pairs]. */
void sup_pair_watch_start(sup_pair_watch *watch, const sup_observation *obs, int num_contacts,
                          const sup_contact *contact);
typedef struct sup_stick_sum sup_stick_sum;
struct sup_stick_sum {
  double normal, sticking; /* sums of normal force [N] */
  double friction, bound;  /* of friction and its bound [N] */
  double stored, taken;    /* energy [J]; power that bodies give against elastic forces [W] */
  sup_v3 slip;             /* of normal force times slip of sticking contacts [N m/s] */
};
/** Add the contacts of a step of `dt` that ended at `time`.  A pair sticks while most of its normal
 * force is carried by contacts below 99 % of their friction bound, and creeps by their mean slip,
 * weighted by normal force, as a vector: what swings to and fro comes back.  Counted while the
 * friction of all is between 0.1 and 0.9 of its bound; what slides begins anew.  Of a pair that
 * lasts elastic forces may take what is stored more than before; the rest is lost, as by edges of
 * polyhedra that roll, and is counted.
 *  @param scratch  [obs->num_pairs] zeros before and after
 *  @param is_idle  [obs->num_pairs] true: no contact since a step without any, most of many pairs;
 * all false at first */
void sup_pair_watch_step(sup_pair_watch *watch, const sup_observation *obs, int num_contacts,
                         const sup_contact *contact, double time, double dt, sup_stick_sum *scratch,
                         bool *is_idle);
