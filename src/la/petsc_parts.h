/** What the files of the PETSc plug-in share: petsc.c (the solver), petsc_gamg.c (smoothed
 * aggregation as this program uses it).  Private to the plug-in. */
#pragma once

#include <petscksp.h>

/** Where GAMG is the preconditioner: set what makes it positive definite for every positive
 * definite matrix, as far as `options` say nothing of it, and solve the contact zone exactly before
 * and after its cycle.  Call after KSPSetFromOptions and KSPSetOperators; does nothing for other
 * preconditioners.
 *  @param[in] options  those that are pushed
 *  @param[in] zone     unknowns of this rank that contact stiffens; NULL: no rank has any */
PetscErrorCode sup_petsc_gamg_choose(KSP ksp, PetscOptions options, IS zone);

/** KSPSetUp, and then a diagonal for coarse unknowns that stand for nothing. */
PetscErrorCode sup_petsc_gamg_set_up(KSP ksp);
