/** Numbers gathered over the steps of a run, for summary.json and the closing lines of the program.
 * Layer output. */
#pragma once

#include "base/status.h"
#include "measure/flight_watch.h"
#include "measure/numerics.h"
#include "measure/pair_watch.h"
#include "measure/penetration.h"
#include "measure/running.h"
#include "measure/slide_watch.h"
#include "measure/softening.h"

/** A principal stretch outside of the range of its material law; soft SUP_NONE:
 * none. */
typedef struct sup_overstretch {
  int    soft, material;     /* the material among those of the body */
  double value, least, most; /* the farthest one over the law's bounds, and these */
  double time;               /* [s] */
} sup_overstretch;

/** Load steps in which a body was unstable on the path and snapped to another equilibrium. */
typedef struct sup_snaps {
  long   steps;
  double time;   /* of the first [s] */
  double energy; /* set free in all of them [J] */
} sup_snaps;

/** Steps of controlled length. */
typedef struct sup_step_lengths {
  long   rejected, unresolved; /* attempts; steps */
  double least;                /* length [s] */
  double unresolved_time;      /* of the first [s] */
  double unresolved_error;     /* largest, as accuracy.tolerance [-] */
} sup_step_lengths;

/** Load steps that met a saddle of the energy. */
typedef struct sup_saddles {
  long   steps;
  double time;       /* of the first [s] */
  int    directions; /* in which the energy falls from there */
  int    stays;      /* load steps that could not leave it */
  char   place[200]; /* vertex of the largest motion */
} sup_saddles;

/** Steps in which contact failed somewhere. */
typedef struct sup_incidents {
  long   steps;
  double time;                      /* of the first [s] */
  char   body[2][2 * SUP_NAME_MAX]; /* between which bodies it was */
} sup_incidents;

/** Steps in which friction was not bounded by the step's own normal impulses as requested, since
 * sweeps or their relaxation ended at their cap. */
typedef struct sup_friction_caps {
  long   steps;
  double lag;  /* largest sup_step_report.friction_lag of them [-] */
  double time; /* when that was [s] */
} sup_friction_caps;

/** Kinetic and elastic energy of the soft bodies: input and losses [J]. */
typedef struct sup_soft_account {
  double first;      /* at the first frame */
  double work;       /* of weight, tractions, contacts and links, all steps */
  double most;       /* largest first + work of any step: the energy put in */
  double damping;    /* taken by stiffness and mass damping, all steps */
  double relaxation; /* by viscoelastic materials, all steps */
  double holds;      /* by holds that began, all steps */
  double joints;     /* of robots, by dry friction of joints, all steps */
  double rolling;    /* of links, by rolling and torsional friction, all steps */
  double numerical;  /* first + work - damping - relaxation - holds - present energy: by
                        the time scheme, up to the last frame */
} sup_soft_account;

/** Angular momentum of a soft body about its centre of mass, over all steps. */
typedef struct sup_spin_account {
  sup_v3 taken;  /* by the time scheme [kg m^2/s] */
  double most;   /* largest that it had [kg m^2/s] */
  double turned; /* sum of the squares of the angles of the steps [rad^2]: what implicit Euler
                    takes, as a share */
} sup_spin_account;

/** Energy of motion, soft bodies and springs against what was put in: what there was of these and
 * in contacts at the start, the range of the potential of gravity, and the work of what drives the
 * scene (sup_drive_work) and, when something does, all that is done on soft bodies.  That of
 *  contacts later on does not count: of patches that see a field edge-on it is no energy. */
typedef struct sup_explosion {
  double ratio;          /* largest of energy / put_in over the frames [-] */
  double energy, put_in; /* there [J] */
  double time; /* when the ratio first was above sup_measure_numerics.explosion, else when it was
                  largest [s] */
  int body;    /* body with most of the energy at that time; SUP_NONE */
} sup_explosion;

/** Pair with requested forces that can never push. */
typedef struct sup_mute_pair {
  int         a, b; /* bodies */
  const char *why;
} sup_mute_pair;

enum { SUP_MAX_STATISTICS = 32 };

/** A row of measure/observable.h with a statistic, and its group. */
typedef struct sup_recorded_observable {
  const struct sup_observable       *row;
  const struct sup_observable_group *group;
} sup_recorded_observable;

typedef struct sup_statistics {
  /* facts of the model */
  const sup_model *model;
  int              is_static; /* load steps, no motion */
  double           tolerance; /* of the momentum error; of statics the force error */
  double feature_size; /* shortest edge of a soft element or smallest size of a rigid shape [m]; 0:
                          neither */
  int is_driven;       /* actuators, base motions, loads, tractions or belts may add energy */
  int is_explicit; /* springs of an explicit scheme: the energy swings by the order of omega dt */
  /* wall time */
  double  wall_start;            /* sup_wall_time() at creation */
  double  wall_output;           /* spent in the output layer [s] */
  double  phase[SUP_NUM_PHASES]; /* sums of sup_step_report.seconds [s] */
  double *step_seconds;          /* [steps] */
  size_t  step_seconds_capacity;
  /* over all steps */
  long   steps;
  double time; /* after the last step [s] */
  /** Running statistics of the observables that keep one, in their order; of energies over all
   * frames.  Read by sup_statistics_of. */
  sup_running             running[SUP_MAX_STATISTICS];
  int                     num_observables, contacts; /* the number of that column */
  sup_recorded_observable observable[SUP_MAX_STATISTICS];
  long                    analyses;           /* steps in which the symbolic analysis was redone */
  long                    not_converged;      /* steps with a negative reason */
  double                  not_converged_time; /* of the first [s] */
  long                    rounded; /* steps that ended as round-off above the tolerance .. */
  double                  rounded_error_max;  /* .. and their largest momentum error */
  double                  rounded_error_time; /* when it was largest [s] */
  sup_linear_work         linear;             /* of a backend that iterates */
  char                    linear_reason[80];  /* text of linear.reason in a resumed run */
  double linear_missed_time; /* of its first solution that missed the tolerance [s] */
  long   law_missed;  /* steps in which the solver's law has a residual above its tolerance */
  long   handed_over; /* steps with islands that another solver took */
  double stiff_penetration_max;     /* of contacts without a compliant rigid body [m] */
  double stiff_penetration_time;    /* [s] */
  int    stiff_penetration_body[2]; /* SUP_NONE: nothing touched */
  long discarded_small, discarded_backward, discarded_inverted; /* sums over the reports of steps */
  sup_incidents     silent;    /* some pair overlapped too deep to give any contact */
  sup_incidents     passed;    /* some pair passed each other within the step */
  sup_incidents     ambiguous; /* coupled friction had several solutions */
  sup_friction_caps friction_cap;
  long              load_cuts; /* times that a load step was cut in half */
  sup_snaps         snaps;
  sup_saddles       saddles;
  sup_step_lengths  lengths;
  long              impacts; /* steps of first order that BDF2 gave way to, over all bodies */
  /* over all frames */
  long   frames;
  int    has_energy;
  double energy_low;         /* lowest [J] */
  double energy_growth;      /* largest rise above the lowest before it [J] */
  double energy_growth_time; /* [s] */
  int    energy_growth_body; /* that has most energy of motion and strain then, or SUP_NONE */
  double drive_work;         /* sup_drive_work of all steps [J] */
  double soft_work;          /* |done on soft bodies| in each step, summed; of driven scenes [J] */
  double start_energy;       /* of motion, soft bodies, springs and contacts at the start [J] */
  double gravity_low, gravity_high; /* range of the potential of gravity [J] */
  sup_explosion explosion;
  double
      energy_scale; /* largest of kinetic + elastic + contact and |change of the potential| [J] */
  double            kinetic_most;    /* largest kinetic energy [J] */
  double            potential_first; /* [J] */
  sup_soft_account  account;
  int               is_branch; /* whose account began in another run */
  sup_spin_account *spin;      /* [num_softs] of bodies that turn; others: 0 */
  sup_overstretch   overstretch;
  sup_penetration   penetration; /* by geometry */
  /* of pairs of bodies, with the observation that names them */
  const sup_observation *obs;
  sup_softening         *softening;     /* [obs->num_pairs] */
  double                *contact_force; /* [num_softs] scratch */
  sup_pair_watch        *watch;         /* [obs->num_pairs] */
  sup_flight_watch      *flight;        /* [num_trees + num_softs] */
  sup_slide_watch       *slide;         /* [num_v] */
  sup_stick_sum         *stick;         /* [obs->num_pairs] scratch */
  bool                  *is_idle;       /* [obs->num_pairs] of the watch */
  int                    num_mute;
  size_t                 mute_capacity;
  sup_mute_pair         *mute; /* [num_mute] */
  long nonfinite;              /* numbers that were NaN or infinite and kept out of the files */
} sup_statistics;

/** Facts of the model; everything else zero.  `obs` must outlive the statistics.
 *  @param[in] static_tolerance  of load steps; 0: steps of motion */
SUP_NODISCARD sup_status sup_statistics_begin(sup_statistics        *statistics,
                                              const sup_observation *obs, double static_tolerance);
SUP_NODISCARD sup_status sup_statistics_step(sup_statistics *statistics, double time,
                                             const sup_step_report *report);
/** Index in `running` of the observable of a column, "momentum_error", "energy.total"; it must keep
 * a statistic. */
int sup_statistics_index(const char *column);
/** Running statistics of that column so far. */
const sup_running *sup_statistics_of(const sup_statistics *statistics, const char *column);
/** Note a pair whose columns are asked for when it can never push. */
SUP_NODISCARD sup_status sup_statistics_request_pair(sup_statistics *statistics, int a, int b);
/** Note the contacts at the start, before any step. */
void sup_statistics_start(sup_statistics *statistics, const sup_step_result *result);
/** Add the contacts, poses and velocities of the step; after sup_statistics_step.  `result` as of
 * the step. */
void sup_statistics_result(sup_statistics *statistics, const sup_state *state,
                           const sup_step_result *result, const sup_step_report *report);
/** Energy put into the scene so far [J]: energy at the start, range of the potential of gravity,
 * work of drives; without the work of holds and tractions on soft bodies. */
double sup_statistics_energy_input(const sup_statistics *statistics);
/** Energies of the present observation. */
void sup_statistics_energy(sup_statistics *statistics);
/** Stretches of a frame, and contributions of its contacts to the sums of their pairs. */
void sup_statistics_frame(sup_statistics *statistics);
/** Measure the penetration in the geometry of a state; statistics keep the larger of it and that of
 * the contacts.
 *  @param[in] X_WL  [num_bodies] of the links
 *  @param[in] x     [num_vertices x 3] of the soft bodies
 *  @param[in] must  whatever it costs */
SUP_NODISCARD sup_status sup_statistics_penetration(sup_statistics *statistics, double time,
                                                    const sup_frame *X_WL, const double *x,
                                                    bool must);
/** The pair of bodies with the largest share of contact layers, or SUP_NONE. */
int sup_statistics_softest(const sup_statistics *statistics);
/** Share of a body's largest angular momentum that the time scheme took. */
double sup_spin_share(const sup_spin_account *account);
void   sup_statistics_free(sup_statistics *statistics);

/** Wall time of a step [s]. */
typedef struct sup_step_seconds {
  double mean, median, max;
} sup_step_seconds;
SUP_NODISCARD sup_status sup_statistics_seconds(const sup_statistics *statistics,
                                                sup_step_seconds     *seconds);
