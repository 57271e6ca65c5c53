/** Normal laws: the impulse n(v) of one contact as a convex cost of its normal velocity.  Layer
 * law.
 *
 *  With the gap phi = phi0 + dt v at the end of the step, n = dt f(phi, v) and f falls with both,
 * so that l = -int n dv is convex (THEORY 6.3, P0 VI).  Costs are 0 out of contact.  Adding a law:
 * one file with its row, and its name in SUP_NORMAL_LAW_LIST of supple.h; every friction model and
 * every test of the table then knows it. */
#pragma once

#include "supple/contact.h"

/** Parameters of a normal law; each law reads those of its formula. */
typedef struct sup_normal {
  sup_normal_law kind;
  double         dt;   /* [s] */
  double         phi0; /* gap at the step's start, negative inside [m] */
  double
      f0;   /* elastic force of linear laws at the step's start, -k phi0; negative when apart [N] */
  double k; /* stiffness of linear laws [N/m], >= 0; 0 keeps f0 */
  double d; /* Hunt-Crossley dissipation [s/m], >= 0 */
  double tau;            /* relaxation time [s], >= 0 */
  double hertz;          /* 4/3 E* sqrt(R*) [N/m^1.5] */
  double barrier_energy; /* f -> barrier_energy/phi as phi -> 0; of a surface by its area [J] */
  double barrier_range; /* gap at which the IPC barrier begins and the logarithmic one's energy is 0
                           [m] */
} sup_normal;

/** Parameters that a law's impulse depends on, besides the gap. */
typedef enum sup_normal_uses {
  SUP_USES_STIFFNESS = 1,
  SUP_USES_DISSIPATION = 2,
  SUP_USES_RELAXATION = 4,
  SUP_USES_HERTZ_STIFFNESS = 8,
  SUP_USES_BARRIER_ENERGY = 16,
  SUP_USES_BARRIER_RANGE = 32
} sup_normal_uses;

/** Row of the table. */
typedef struct sup_normal_row {
  int needs_point; /* 1: for points only, since k is not proportional to an area */
  int is_barrier;  /* defined for phi0 + dt v > 0 only */
  int uses;        /* bits sup_normal_uses: a law with relaxation looks ahead, a barrier
                       without range acts at any gap */
  /** Cost [J], impulse n = -cost' [N s] and slope n' <= 0 [kg] at normal velocity v [m/s]. */
  void (*evaluate)(const sup_normal *law, double v, double *cost, double *n, double *slope);
  /** Impulse dt f(phi0, v): gn0 of THEORY 6.4 with v the normal velocity at the step's start. */
  double (*lagged)(const sup_normal *law, double v);
  /** Potential of the law's elastic part at the gap phi, -d/dphi = f without dissipation; 0 out of
   * contact [J]. */
  double (*energy)(const sup_normal *law, double phi);
} sup_normal_row;

#define SUP_NORMAL_ROW(NAME, name, meaning) extern const sup_normal_row sup_normal_##name;
SUP_NORMAL_LAW_LIST(SUP_NORMAL_ROW)
#undef SUP_NORMAL_ROW

const sup_normal_row *sup_normal_table(sup_normal_law kind);
/** Name in scenes: "hunt_crossley". */
const char *sup_normal_name(sup_normal_law kind);

/** 1: a barrier without a range, which acts at any gap. */
static inline bool sup_normal_is_endless(sup_normal_law kind) {
  const sup_normal_row *row = sup_normal_table(kind);
  return row->is_barrier && !(row->uses & SUP_USES_BARRIER_RANGE);
}
static inline void sup_normal_evaluate(const sup_normal *law, double v, double *cost, double *n,
                                       double *slope) {
  sup_normal_table(law->kind)->evaluate(law, v, cost, n, slope);
}
static inline double sup_normal_energy(const sup_normal *law, double phi) {
  return sup_normal_table(law->kind)->energy(law, phi);
}
static inline double sup_normal_lagged(const sup_normal *law, double v) {
  return sup_normal_table(law->kind)->lagged(law, v);
}
