/** Choices of a run that layers below the step read: time scheme, diagonal of the Delassus matrix,
 * linear solver. */
#pragma once

#include "supple/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Weights of a time scheme (THEORY 2.2), 0 .. 1: dynamics, loads and springs at q_th = q0 (+)
 * theta dt N v_thvq and v_th = theta v + (1 - theta) v0, joint springs and dampers and springs with
 * theta_stiff in the place of theta, q = q0 (+) dt N (theta_vq v + (1 - theta_vq) v0).  Soft bodies
 * need theta_stiff = theta_vq = 1. */
typedef struct sup_scheme {
  double theta, theta_stiff, theta_vq;
} sup_scheme;

SUP_API sup_scheme sup_scheme_symplectic_euler(void); /* (0, 1, 1): first order, energy bounded */
SUP_API sup_scheme sup_scheme_implicit_euler(void);   /* (1, 1, 1): first order, damps */
SUP_API sup_scheme sup_scheme_midpoint(void);         /* (1/2, 1/2, 1/2): second order */

/** W of the estimate w of a contact's inverse mass, THEORY 5.4: J diag(A)^-1 J^T, or with the
 * inverse of each block column's diagonal block (a whole tree, a vertex). */
typedef enum sup_delassus {
  SUP_DELASSUS_DIAGONAL,
  SUP_DELASSUS_FULL,
  SUP_NUM_DELASSUS
} sup_delassus;

typedef enum sup_backend {
  SUP_BACKEND_SUPERNODAL,
  SUP_BACKEND_CHOLMOD,
  SUP_BACKEND_CONJUGATE_GRADIENT,
  SUP_BACKEND_PETSC /* loads a plug-in, and MPI with it */
} sup_backend;

#ifdef __cplusplus
}
#endif
