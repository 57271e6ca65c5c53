/* supple export and supple contact: from a step to a file to a solution, without the step. */
#include <math.h>
#include <unistd.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "solve/stored/stored_problem.h"

#define CUBE "examples/soft_cube_drop.yaml"

static sup_stored_problem *read_problem(const char *name) {
  char                path[512];
  sup_stored_problem *s = NULL;
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  OK(sup_stored_problem_read(&s, path));
  return s;
}

/** Columns 3 to 8 of a table of impulses and velocities. */
static int read_table(const char *name, double value[][6], int most) {
  char path[512], line[1024];
  int  rows = 0;
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "r");
  CU_ASSERT_FATAL(file && fgets(line, sizeof line, file));
  while (rows < most && fgets(line, sizeof line, file)) {
    char *at = strchr(strchr(line, ',') + 1, ',');
    for (int k = 0; k < 6; k++) {
      value[rows][k] = strtod(at + 1, NULL);
      at = strchr(at + 1, ',');
    }
    rows++;
  }
  fclose(file);
  return rows;
}

/** Solved from its file a step has the impulses and the velocities that the step had. */
static void check_own_solution(const char *scene, const char *step, const char *solver,
                               double tolerance) {
  enum { MOST = 1000 };
  static double value[MOST][6];
  char          line[1024];
  snprintf(line, sizeof line,
           "export %s --step %s -o FOLDER/step.npz --set solver.tolerance=1e-10 "
           "--set contact.solver=%s",
           scene, step, solver);
  check_run(line, 0, "contacts");
  check_run("contact FOLDER/step.npz --tolerance 1e-10 -o FOLDER/lam.csv", 0, solver);
  sup_stored_problem *s = read_problem("step.npz");
  int                 n = s->delassus.num_contacts, rows = n + s->delassus.num_joints;
  double             *c = malloc((size_t)(s->delassus.size + 1) * sizeof *c), speed = 0, force = 0;
  CU_ASSERT_FATAL(c && n > 0 && rows <= MOST && s->v && s->impulse);
  CHECK(read_table("lam.csv", value, MOST) == rows);
  sup_problem_constraint_velocity(&s->problem, s->v, 1, c);
  for (int k = 0; k < s->delassus.size; k++)
    speed = fmax(speed, fabs(c[k])), force = fmax(force, fabs(s->impulse[k]));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) {
      NEAR(value[i][k], s->impulse[3 * i + k], 0, tolerance * force);
      NEAR(value[i][3 + k], c[3 * i + k], 0, tolerance * speed);
    }
  for (int j = 0; j < rows - n; j++)
    NEAR(value[n + j][2], s->impulse[3 * n + j], tolerance, tolerance * force);
  free(c);
  sup_stored_problem_destroy(&s);
}

static void a_step_from_its_file_has_the_step_s_own_solution(void) {
  check_own_solution(CUBE, "40", "newton", 1e-6);
  check_own_solution("examples/shaken_mug.yaml", "100", "newton", 1e-6); /* with drives */
  check_own_solution("examples/incline.yaml", "50", "newton", 1e-6);
}

static void others_read_what_is_exported(void) {
  if (system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") != 0)
    SKIP("python3-numpy is not installed; ");
  char command[2048];
  check_run("export " CUBE " --step 40 -o FOLDER/cube.npz", 0, "cube.npz: step 40 at 0.2 s");
  snprintf(command, sizeof command,
           "/usr/bin/python3 -c \"import numpy as n; z=n.load('%s/cube.npz'); N=len(z['p']); "
           "D=lambda s,r: (lambda M: [M.__setitem__((i, z[s+'_indices'][z[s+'_indptr'][i]:"
           "z[s+'_indptr'][i+1]]), z[s+'_data'][z[s+'_indptr'][i]:z[s+'_indptr'][i+1]]) "
           "for i in range(r)] and M)(n.zeros((r,N))); A=D('A',N); J=D('J',len(z['g'])); "
           "G=J@n.linalg.solve(A,J.T); assert abs(G-z['G']).max()<1e-9*abs(G).max(); "
           "v=n.linalg.solve(A,z['p']); assert abs(J@v+z['b']-z['g']).max()<1e-9; "
           "w=n.linalg.solve(A,z['p']+J.T@z['lam']); assert abs(w-z['v']).max()<1e-4*abs(w).max(); "
           "assert len(z['mus'])*3==len(z['g'])==len(z['R'])==len(z['cstar']); "
           "assert z['contact_name'][0] and abs((z['contact_normal']**2).sum(1)-1).max()<1e-12\"",
           test_folder());
  CHECK(system(command) == 0);
}

static void a_folder_has_matrix_market_and_tables(void) {
  static const char *const files[] = {"A.mtx",      "J.mtx",          "G.mtx",   "contacts.csv",
                                      "joints.csv", "velocities.csv", "laws.csv"};
  check_run("export examples/incline.yaml --step 20 -o FOLDER/folder", 0, "16 contacts");
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    char path[512];
    snprintf(path, sizeof path, "%s/folder/%s", test_folder(), files[k]);
    CHECK(access(path, R_OK) == 0);
  }
  char  *data, path[512];
  size_t size;
  snprintf(path, sizeof path, "%s/folder/J.mtx", test_folder());
  OK(sup_file_read(path, &data, &size));
  CHECK(strncmp(data, "%%MatrixMarket matrix coordinate real general\n48 24 288\n", 56) == 0);
  SUP_FREE(data);
}

static void without_the_matrix_there_are_operators(void) {
  check_run("export examples/incline.yaml --step 20 --operators -q -o FOLDER/op.npz", 0, "");
  sup_stored_problem *s = read_problem("op.npz");
  CHECK(s->delassus.G == NULL && s->has_dynamics && s->delassus.size == 48);
  sup_stored_problem_destroy(&s);
  check_run("contact FOLDER/op.npz", 0, "velocity form");
  check_run("contact FOLDER/op.npz --delassus", 2, "the file has no G");
}

static void residuals_of_iterations_are_a_table(void) {
  char  *data, path[512];
  size_t size;
  check_run("export examples/incline.yaml --step 20 -q -o FOLDER/i.npz", 0, "");
  check_run(
      "contact FOLDER/i.npz --solver ncp_pgs --delassus --max-iterations 12 --log FOLDER/log.csv",
      0, "WARN  ncp_pgs leaves the relative residual");
  snprintf(path, sizeof path, "%s/log.csv", test_folder());
  OK(sup_file_read(path, &data, &size));
  int rows = 0;
  for (size_t k = 0; k < size; k++) rows += data[k] == '\n';
  CHECK(rows == 14); /* the header, the start, 12 iterations */
  CHECK(strncmp(data, "solution,island,strategy,iteration,momentum_error [-],energy [J],", 64) ==
        0);
  SUP_FREE(data);
}

/* Impacts in piles of 80 and 160 bodies, steps of a fall at 2 ms whose friction has one solution:
 * Newton's own iterates took 68 and 130 iterations to the same sums.  Visits find what presses. */
static void impacts_of_piles_are_found(void) {
  static const struct {
    const char *name;
    double      sum; /* of normal impulses [N s] */
  } pile[] = {{"80", 2.32280412}, {"160", 10.56012}};
  for (int k = 0; k < 2; k++) {
    char        line[256];
    const char *out, *at;
    snprintf(line, sizeof line, "contact tests/data/problems/pile_%s.npz --tolerance 1e-8",
             pile[k].name);
    out = check_run(line, 0, "below the tolerance");
    at = strstr(out, "tolerance, ");
    int iterations = at ? atoi(at + 11) : 0;
    at = strstr(out, "normal impulses ");
    double sum = at ? strtod(at + 16, NULL) : 0;
    printf("%d iterations ", iterations);
    CHECK(iterations > 0 && iterations <= 40);
    NEAR(sum, pile[k].sum, 1e-7, 0);
  }
}

static void mistakes_end_with_code_2(void) {
  check_run("export " CUBE, 2, "-o FILE is missing");
  check_run("export -o x.npz", 2, "a scene is missing");
  check_run("export " CUBE " --step 0 -o x.npz", 2, "found 0 for --step, expected 1 or more");
  check_run("export examples/incline.yaml --step 9999 -o x.npz", 2,
            "found 9999 for --step, expected 1 to 100");
  check_run("export " CUBE " -o x.mat", 2, "found the ending of x.mat, expected .npz, or none");
  check_run("export " CUBE " -o /nowhere/x.npz", 3, "cannot write /nowhere/x.npz");
  check_run("contact", 2, "a file is missing");
  check_run("contact " CUBE, 2, "found no zip archive");
  check_run("contact absent.npz", 3, "cannot read absent.npz");
  check_run("export examples/incline.yaml -q -o FOLDER/m.npz", 0, "");
  check_run("contact FOLDER/m.npz --solver ncp_pgd", 2, "did you mean 'ncp_pgs'?");
}

/* A ton on a gram: mujoco's compliance, a share of the gram's inverse mass, carries nothing. */
static void a_compliance_that_gives_way_is_a_failure(void) {
  check_run("export examples/papers/cube_stack.yaml --step 5 -o FOLDER/stack.npz", 0, "contacts");
  check_run("contact FOLDER/stack.npz --solver mujoco", 1, "FAIL  mujoco's own compliance");
  check_run("contact FOLDER/stack.npz --solver ncp_staggered", 0, "momentum error below");
}

/* A pushed block on one of a millionth of its mass, as a bare G without compliance: (1000 kg +
 * 1 g) 9.81 m/s^2 times 10 ms on the ground, 1000 kg on the gram. */
static void a_law_that_is_left_is_handed_over(void) {
  static const char *const solvers[] = {"ncp_pgs", "lcp_pgs", "raisim"};
  for (int k = 0; k < 3; k++) {
    char command[128];
    snprintf(command, sizeof command, "contact tests/data/stack_push.npz --solver %s", solvers[k]);
    const char *out = check_run(command, 0, "handed over to ccp_admm, which leaves 8.8e-09");
    CHECK(strstr(out, "newton cannot take over: newton needs a compliance R > 0 in every row"));
    const char *last = strstr(out, "ccp_admm: ");
    CU_ASSERT_FATAL(last && (last = strstr(last, "normal impulses ")));
    NEAR(strtod(last + 16, NULL), 196.2, 1e-4, 0);
    strcat(command, " --own");
    check_run(command, 1, "--solver ccp_admm leaves 8.8e-09 of Coulomb's");
  }
  check_run("contact tests/data/stack_push.npz --solver ccp_admm", 0, "relative 8.8");
  check_run("export examples/papers/cube_stack.yaml --step 5 -q -o FOLDER/few.npz", 0, "");
  check_run("contact FOLDER/few.npz --solver ncp_pgs --max-iterations 5", 0,
            "handed over to newton, which leaves");
}

SUITE_TESTS(contact_command, TEST(a_law_that_is_left_is_handed_over),
            TEST(a_step_from_its_file_has_the_step_s_own_solution),
            TEST(others_read_what_is_exported), TEST(a_folder_has_matrix_market_and_tables),
            TEST(without_the_matrix_there_are_operators), TEST(residuals_of_iterations_are_a_table),
            TEST(impacts_of_piles_are_found), TEST(a_compliance_that_gives_way_is_a_failure),
            TEST(mistakes_end_with_code_2));
