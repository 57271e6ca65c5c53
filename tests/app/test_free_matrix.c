/* Runs without a stored matrix (solver.petsc_matrix: free): what they refuse, and that they say
 * what they hold. */
#include "app/app_test.h"

#define BAR "static tests/data/bar.yaml --check --set soft.bar.mesh.box.cells=[20,4,4] "
#define FREE "--set solver.backend=petsc --set solver.petsc_matrix=free "

static void a_matrix_is_left_out_by_petsc_alone(void) {
  check_run(BAR "--set solver.petsc_matrix=free", 2, "petsc_matrix: free needs 'backend: petsc'");
  check_run(BAR "--set solver.petsc_matrix=fre", 2, "did you mean 'free'");
}

static void what_needs_a_matrix_is_refused_by_name(void) {
  NEED_PETSC;
  check_run(BAR FREE "--set soft.bar.mesh.box.pattern=kuhn", 2,
            "'bar' has cells without a constant stiffness matrix");
  check_run(BAR FREE
            "--set materials.rubber.model=stable_neo_hookean --set "
            "soft.bar.mesh.box.pattern=kuhn",
            2, "'bar' has cells without a constant stiffness matrix");
  check_run(BAR FREE "--set soft.bar.element=solid_shell", 2, "'bar' has solid-shells");
  check_run(BAR FREE "--set contact.solver=ncp_pgs", 2, "newton does not");
  check_run(BAR FREE "--set 'solver.petsc=-pc_type hypre'", 2, "leave -pc_type out");
  check_run("export tests/data/bar.yaml --set soft.bar.mesh.box.cells=[4,2,2] " FREE
            "-o FOLDER/problem.npz",
            2, "a contact problem is stored with its matrix");
}

/** Memory that is foreseen is the memory that the process held, with cells that share no stiffness:
 * the grid is so small that each has its own. */
static void memory_without_the_matrix_is_foreseen(void) {
  NEED_PETSC;
  const char *text =
      check_run("static tests/data/bar.yaml --check --set soft.bar.mesh.box.cells=[40,10,10] " FREE,
                0, " by petsc without the matrix: program ");
#ifndef SUP_SANITIZED /* sanitizers hold memory of their own */
  const char *held = strstr(text, "; memory ");
  CU_ASSERT_PTR_NOT_NULL_FATAL(held);
  double need = strtod(strstr(text, "memory: about ") + 14, NULL),
         output = strtod(strstr(text, ", output ") + 9, NULL); /* of which a check has none */
  double ratio = (need - output) / strtod(held + 9, NULL);
  CHECK(ratio > 0.9 && ratio < 1.25);
#else
  (void)text;
#endif
}

SUITE_TESTS(free_matrix, TEST(a_matrix_is_left_out_by_petsc_alone),
            TEST(what_needs_a_matrix_is_refused_by_name),
            TEST(memory_without_the_matrix_is_foreseen));
