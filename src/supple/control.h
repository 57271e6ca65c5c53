/** The map of a step, x+ = f(x, u), and its linearisation, for control.
 *
 *  x has the positions of all joints, then their velocities; of a floating joint the variation of
 * its position is a rotation vector in the link's axes and a displacement in the world's, as its
 * velocity is.  Variations dx of states have num_x = 2 nv numbers, nv the sum of the trees'. */
#pragma once

#include "supple/options.h"
#include "supple/state.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sup_control_kind {
  SUP_CONTROL_EFFORT, /* of a joint of one velocity, beside drives and limits [N or N m] */
  SUP_CONTROL_TARGET  /* of an actuator [m or rad]; it stays over the step */
} sup_control_kind;

typedef struct sup_control_def {
  sup_control_kind kind;
  char             name[2 * SUP_NAME_MAX]; /* "ROBOT/JOINT", or the actuator */
} sup_control_def;

/** The map of a step of one model, and workspace: one a thread. */
typedef struct sup_transition sup_transition;

/** The model must outlive the transition.  E_ARG: an unknown name; soft bodies, steps of controlled
 * length, steps in ranks, which have no such map.
 *  @param[in] controls  [num_controls] entries of u */
SUP_API SUP_NODISCARD sup_status sup_transition_create(sup_transition       **transition,
                                                       const sup_model       *model,
                                                       const sup_options     *options,
                                                       const sup_control_def *controls,
                                                       int                    num_controls);
SUP_API void                     sup_transition_destroy(sup_transition **transition);
SUP_API int                      sup_transition_num_x(const sup_transition *transition);
SUP_API int                      sup_transition_num_u(const sup_transition *transition);
/** next := f(state, u): one step.
 *  @param[in] u  [num_u]
 *  @param[out] next  may be `state` itself
 *  E_NOT_CONVERGED: the step has no solution. */
SUP_API SUP_NODISCARD sup_status sup_transition_step(sup_transition  *transition,
                                                     const sup_state *state, const double *u,
                                                     sup_state *next);
/** dx [num_x] := to - from. */
SUP_API void sup_transition_difference(const sup_transition *transition, const sup_state *from,
                                       const sup_state *to, double *dx);
/** out := state + dx, with its time and inputs. */
SUP_API SUP_NODISCARD sup_status sup_transition_vary(const sup_transition *transition,
                                                     const sup_state *state, const double *dx,
                                                     sup_state *out);
/** One step, and its derivatives by the implicit function theorem: contacts keep the decisions of
 * the step (pieces, corners, branches).  What that does not hold for (loads and springs on links,
 * elastic sticks, other schemes and contact solvers) is differentiated by steps.
 *  @param[out] next  another state
 *  @param[out] A  [num_x x num_x] dx+/dx, row-major
 *  @param[out] B  [num_x x num_u] dx+/du */
SUP_API SUP_NODISCARD sup_status sup_linearise(sup_transition *transition, const sup_state *state,
                                               const double *u, sup_state *next, double *A,
                                               double *B);
/** The same by central differences of 2 (num_x + num_u) steps: slow, and the judge of the other.
 *  @param[in] size  of the variations [m or rad], of velocities size/step; below 0: 1e-6 */
SUP_API SUP_NODISCARD sup_status sup_linearise_by_steps(sup_transition  *transition,
                                                        const sup_state *state, const double *u,
                                                        double size, double *A, double *B);

#ifdef __cplusplus
}
#endif
