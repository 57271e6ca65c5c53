/** Strategies around a solver's plain iteration, each with a cap.  Layer solve.
 *
 *  A loop that ends at its cap is no failure (solve/accept.h judges its residual), but it is
 * reported. */
#pragma once

/** X(NAME, name for summary.json, cap, what its rounds are) */
#define SUP_STRATEGY_LIST(X)                                                                      \
  X(DOMAIN, domain, 7,                                                                            \
    "rounds of springs in the place of barriers, which lead the start inside their domain")       \
  X(CONTINUATION, continuation, 20,                                                               \
    "rounds of near-rigid contact made softer, ten times stiffer from round to round")            \
  X(COUPLING, coupling, 80, "Newton iterations with friction coupled to the normal impulse")      \
  X(VISITS, visits, 6,                                                                            \
    "batches of Gauss-Seidel visits to contacts, with Newton iterations from where they end")     \
  X(RELAXATION, relaxation, 100,                                                                  \
    "relaxed sweeps for the friction that goes by the normal impulse of the solution")            \
  X(SWEEPS, sweeps, 0,                                                                            \
    "solutions with friction by the last normal impulses: as many as contact.friction_sweeps "    \
    "asks for")                                                                                   \
  X(SUBSTEPS, substeps, 0,                                                                        \
    "substeps of tamsi where Newton does not converge: as many as contact.tamsi.substeps allows") \
  X(REFINEMENT, refinement, 3, "solutions for what the elimination left in round-off")            \
  X(SETTLING, settling, 3,                                                                        \
    "solutions with a smaller tolerance for light bodies beside heavy ones")                      \
  X(LINEARISATION, linearisation, 60,                                                             \
    "linear problems of a nonlinear material or static equilibrium")

typedef enum sup_strategy {
#define SUP_STRATEGY_ENUM(NAME, name, cap, what) SUP_STRATEGY_##NAME,
  SUP_STRATEGY_LIST(SUP_STRATEGY_ENUM)
#undef SUP_STRATEGY_ENUM
      SUP_NUM_STRATEGIES
} sup_strategy;

/** Largest number of rounds of a strategy; 0: set by the options. */
int sup_strategy_cap(sup_strategy strategy);
/** "sweeps": stable, for summary.json. */
const char *sup_strategy_name(sup_strategy strategy);
