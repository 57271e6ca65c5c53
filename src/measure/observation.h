/** Observation: data of a frame and a history row, computed once: poses, energies, stress, sums
 * over the contacts of each pair. Layer measure.  Memory is allocated at creation.
 *
 *  Contacts and their forces belong to the configuration of the step's start (step/step.c), poses
 * and stress to its end. Moments refer to the body's origin (a soft body's centre of mass) where it
 * was when the contacts were found. */
#pragma once

#include "fem/recovery/recovery.h"
#include "measure/contact_pressure.h"
#include "measure/percentile.h"
#include "step/result.h"

/** 1: the contact carries a force.  A step also has polygons that could touch within the step;
 * files and sums omit these. */
static inline int sup_contact_presses(const sup_contact *contact) {
  return !((contact->area > 0 ? contact->pressure : sup_v3_dot(contact->force, contact->normal)) <=
           0);
}

/** Contacts of two bodies: all their shapes together; or of a soft body with itself (a == b), whose
 * forces cancel. */
typedef struct sup_pair_sum {
  int    a, b;               /* bodies, ordered as in sup_pair or as asked for */
  sup_v3 force;              /* on b, world [N]; a == b: 0 */
  sup_v3 moment_a, moment_b; /* of the force on a about a's origin, on b about b's origin, world [N
                                m]; a == b: 0 */
  double normal;             /* sum of |f_n| [N] */
  int    count;
  double area;        /* [m^2] */
  double penetration; /* deepest [m] */
  int    is_touched;  /* 1: listed as nonzero */
} sup_pair_sum;

/** Centre of pressure, wrap angle and length of the contacts of two bodies. */
typedef struct sup_pair_arc {
  int    is_loaded; /* 0: nothing presses, the rest is 0 */
  sup_v3 centre;    /* of pressure: sum |f_n| x / sum |f_n|, world [m] */
  sup_v3 mean;      /* of the normals into b by |f_n|; of length 1 where all are alike */
  double seen;      /* area of the contacts along that mean, of those that face it [m^2] */
  double wrap;      /* [rad], see sup_observation_arc */
  double length;    /* between the two centroids farthest from each other [m] */
} sup_pair_arc;

/** Friction of the pressing contacts of two bodies against its bound mu |f_n|. */
typedef struct sup_pair_slip {
  double bound, friction; /* sums of mu |f_n| and |f_t| [N]; bound NAN: anisotropic friction */
  double least;           /* smallest 1 - |f_t|/(mu |f_n|) of a contact with friction */
  double share;           /* of the area, of points of the normal force, whose friction is at its
                             bound */
  double power;           /* dissipated by friction [W] */
} sup_pair_slip;

/** Cache of the last pair, since neighbouring columns request the same one. */
typedef struct sup_arc_cache {
  int           is_known, a, b;
  sup_pair_arc  arc;
  sup_pair_slip slip;
} sup_arc_cache;

/** Sums over one soft body. */
typedef struct sup_soft_sum {
  sup_v3 com, com_velocity; /* [m], [m/s] */
  double volume;            /* [m^3] */
  double elastic_energy;    /* [J] */
  double von_mises_max;     /* of the cells [Pa] */
  double
      von_mises_p99;   /* of the cells, weighted by reference volume: 99 % have at most this [Pa] */
  double stress_error; /* sup_stress_error.relative, where stress is recovered [-] */
  double error_l2,
      error_h1; /* from the manufactured solution [m^2.5], [m^1.5]; 0 when there is none */
  sup_fem_strength strength; /* with sup_fem_has_strength */
} sup_soft_sum;

typedef struct sup_observation {
  const sup_model *model;
  sup_options      options; /* of the run */
  double        time, h; /* of the state; duration of the increment that led there, 0: none [s] */
  long          step;
  const double *q, *v, *x, *xdot, *internal;      /* of the state */
  const double *chamber_pressure;                 /* [num_chambers] over ambient [Pa] */
  const struct sup_strand      *strand;           /* [num_strands] of cables */
  const double                 *constraint_place; /* of the state, model/constraint.h */
  const struct sup_event_state *event;            /* [num_events] of the state */
  const struct sup_task_state  *task;             /* [num_tasks] of the state */
  const sup_inputs             *inputs;           /* of the state; NULL: none are set */
  sup_v3                        gravity;          /* that acts [m/s^2] */
  sup_frame *X_WL;         /* [num_bodies]; soft bodies: identity rotation at the centre of mass */
  sup_v3    *w, *velocity; /* [num_bodies] of the origin; soft bodies: of the centre of mass */
  int        num_contacts;
  const sup_contact *contact;
  const double      *contact_force; /* [num_vertices x 3] */
  const double      *joint_effort;  /* [num_v] */
  const sup_wrench  *attach_wrench; /* [num_attachments], and of constraints behind */
  const sup_wrench  *reaction;      /* [num_holds] of clamps and holds */
  double             kinetic, elastic, potential, contact_energy; /* [J]; elastic: of soft bodies */
  double             stick_energy; /* share of elastic sticks in contact_energy [J] */
  double             soft_kinetic; /* share of soft bodies in kinetic [J] */
  double spring_energy; /* share of springs, also of joints, chambers and cables in potential [J] */
  int    energy_body;   /* rigid body, robot or soft body with the most energy of motion and strain;
                           SUP_NONE */
  int    *cell_start;   /* [num_softs + 1] into the cell arrays */
  double *cauchy;       /* [cells x 9] */
  double *von_mises, *energy_density, *volume_ratio, *strain; /* [cells] */
  double *cell_volume;                                        /* [cells] reference [m^3] */
  int     recovers; /* 1: every update of stress recovers it; 0: sup_observation_recover alone */
  sup_recovery **recovery;      /* [num_softs] */
  double        *vertex_cauchy; /* [num_vertices x 6] recovered, xx yy zz xy yz xz */
  double        *stress_error;  /* [cells] of the recovered stress [J] */
  double        *site_cauchy;   /* [sites of the soft body that has most x 6] scratch */
  double        *of_sites;      /* [as many x 2] scratch */
  double        *point_cauchy;  /* [points of the largest soft body x 6] scratch */
  sup_weighted  *weighted;      /* [cells of the largest soft body] scratch */
  double        *of_ranks;      /* [2 x cells of the largest soft body] with ranks, scratch */
  sup_soft_sum  *soft;          /* [num_softs] */
  int            num_pairs;     /* of bodies */
  sup_pair_sum  *pair;          /* [num_pairs] in the order of the model's pairs */
  int           *body_pair;     /* [model->num_pairs] index into pair */
  int            num_touched;
  int           *touched; /* [num_touched] pairs that are not zero; room for all */
  sup_contact_pressure
                *pressure; /* pressure on soft surfaces, and the pair of its last computation */
  sup_arc_cache *arc;
  double        *zero;    /* zeros in place of arrays of a missing result */
  double        *scratch; /* [num_vertices x 3] */
} sup_observation;

SUP_NODISCARD sup_status sup_observation_create(sup_observation *obs, const sup_model *model,
                                                const sup_options *options);
/** An observation for sup_observation_update_motion alone, without the recovery of stress. */
SUP_NODISCARD sup_status sup_observation_create_motion(sup_observation *obs, const sup_model *model,
                                                       const sup_options *options);
void                     sup_observation_free(sup_observation *obs);
/** Index of the pair of two bodies in either order, SUP_NONE when they never touch. */
int sup_observation_find_pair(const sup_observation *obs, int a, int b);
/** Order the pair of a and b: from now on forces of the pair are those on b, everywhere. */
void sup_observation_order_pair(sup_observation *obs, int a, int b);
/** Sum of the contacts of body b with all others; a = SUP_NONE, moment_a = 0. */
sup_pair_sum sup_observation_sum_on(const sup_observation *obs, int b);
/** Centre of pressure and wrap angle of the contacts of bodies a and b, a = SUP_NONE: of all
 * contacts of b with others. The wrap angle is the largest angle between two normals of loaded
 * contacts, seen in the plane through the mean normal (weighted by |f_n|) in which they spread
 * most: 0 on a flat face, the contact arc of a cylinder whatever its length. Angles count from the
 * mean, so that arcs up to a full turn are told from their complements. */
sup_pair_arc sup_observation_arc(const sup_observation *obs, int a, int b);
/** Friction of the contacts of bodies a and b, a = SUP_NONE: of all contacts of b with others. */
sup_pair_slip sup_observation_slip(const sup_observation *obs, int a, int b);
/** Largest pressure between a and b, a = SUP_NONE: between b and all others [Pa]: of a soft surface
 * with the depth of a rigid shape at its vertices (contact_pressure.h), else at the corners of the
 * polygons. */
double sup_observation_peak_pressure(const sup_observation *obs, int a, int b);
/** Compute all data at the state. result NULL: poses and energies from the state alone, no forces.
 */
void sup_observation_update(sup_observation *obs, const sup_state *state,
                            const sup_step_result *result);
/** First part of sup_observation_update: poses, centres of mass, contacts and the sums over pairs.
 */
void sup_observation_update_motion(sup_observation *obs, const sup_state *state,
                                   const sup_step_result *result);
/** Second part of sup_observation_update, which costs more: stress and energies. */
void sup_observation_update_stress(sup_observation *obs);
/** Recovered stress and its error at the last update.  Collective with ranks. */
void sup_observation_recover(sup_observation *obs);
