/* Contact problems as data: the Delassus matrix, a velocity form that has it, files, solvers. */
#include "solve/stored/stored_problem.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/npz.h"
#include "base/memory.h"
#include "dual_case.h"
#include "la/dense_cholesky.h"

static const sup_law rigid_contact = {.kind = SUP_LAW_SAP,
                                      .sap = {.Rt = .01, .Rn = .02, .vhat = .1}};

static void in_folder(char path[512], const char *name) {
  snprintf(path, 512, "%s/%s", test_folder(), name);
}

/** J A^-1 J^T by dense columns, bodies being blocks of six. */
static void dense_delassus(const dual_case *q, double *G) {
  double L[36 * CASE_BODIES], J[CASE_VC * CASE_SCALARS] = {0};
  int    n = q->problem.num_vc;
  memcpy(L, q->A, sizeof L);
  for (int b = 0; b < CASE_BODIES; b++) CU_ASSERT_FATAL(sup_dense_cholesky(6, L + 36 * b) == 6);
  for (int i = 0; i < q->problem.num_constraints; i++) {
    const sup_constraint *c = &q->constraint[i];
    for (int k = c->first_block; k < c->first_block + c->num_blocks; k++)
      for (int r = 0; r < sup_law_dimension(c->law.kind); r++)
        memcpy(J + (c->first_vc + r) * CASE_SCALARS + 6 * q->jacobian[k].block,
               q->value + q->jacobian[k].value + 6 * r, 6 * sizeof *J);
  }
  for (int j = 0; j < n; j++) {
    double x[CASE_SCALARS];
    memcpy(x, J + j * CASE_SCALARS, sizeof x);
    for (int b = 0; b < CASE_BODIES; b++) sup_dense_cholesky_solve(6, L + 36 * b, x + 6 * b);
    for (int i = 0; i < n; i++) {
      G[i * n + j] = 0;
      for (int k = 0; k < CASE_SCALARS; k++) G[i * n + j] += J[i * CASE_SCALARS + k] * x[k];
    }
  }
}

static sup_delassus_problem delassus_of(dual_case *q, sup_arena *arena) {
  sup_delassus_problem d;
  double               vc[CASE_VC];
  dual_case_velocity(q, vc);
  OK(sup_delassus_of_problem(&d, &q->problem, &(sup_dual_options){0}, vc, 1, arena));
  return d;
}

static void the_delassus_matrix_is_j_inverse_a_j_transposed(void) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    dual_case  q;
    double     G[CASE_VC * CASE_VC], free[CASE_SCALARS], c[CASE_VC];
    sup_arena *arena;
    OK(sup_arena_create(&arena, 1 << 16));
    dual_case_make(&q, seed, &rigid_contact, 1);
    sup_delassus_problem d = delassus_of(&q, arena);
    dense_delassus(&q, G);
    CU_ASSERT_FATAL(d.size == CASE_VC && d.num_contacts == CASE_CONTACTS && d.num_joints == 4);
    for (int i = 0; i < CASE_VC * CASE_VC; i++) NEAR(d.G[i], G[i], 1e-12, 1e-13);
    for (int i = 0; i < CASE_VC; i++)
      for (int j = 0; j < i; j++) CHECK(d.G[i * CASE_VC + j] == d.G[j * CASE_VC + i]);
    double L[36];
    for (int b = 0; b < CASE_BODIES; b++) {
      memcpy(L, q.A + 36 * b, sizeof L);
      sup_dense_cholesky(6, L);
      memcpy(free + 6 * b, q.p + 6 * b, 6 * sizeof *free);
      sup_dense_cholesky_solve(6, L, free + 6 * b);
    }
    sup_problem_constraint_velocity(&q.problem, free, 1, c);
    for (int i = 0; i < CASE_VC; i++) NEAR(d.g[i], c[i], 1e-12, 1e-13);
    CHECK(d.R[2] == .02 && d.R[0] == .01 && d.target[2] == .1 && d.target[0] == 0);
    CHECK(d.lower[0] == 0 && d.upper[0] == HUGE_VAL && d.lower[1] == -HUGE_VAL);
    NEAR(d.upper[3], .01 * 5, 1e-15, 0); /* the drive's impulse at its limit */
    sup_arena_destroy(&arena);
    dual_case_drop(&q);
  }
}

static void too_many_rows_are_refused_with_the_limit(void) {
  enum { ROWS = SUP_DELASSUS_MAX_ROWS / 3 + 1 };
  sup_constraint      *constraint = calloc(ROWS, sizeof *constraint);
  sup_jacobian_block  *jacobian = calloc(ROWS, sizeof *jacobian);
  double               A = 1, p = 0, J[3] = {0, 0, 1};
  sup_block_pattern    pattern = {0};
  sup_arena           *arena;
  sup_delassus_problem d;
  CU_ASSERT_FATAL(constraint && jacobian);
  OK(sup_arena_create(&arena, 1 << 16));
  OK(sup_block_pattern_build(&pattern, 1, &(int){1}, 0, NULL));
  for (int i = 0; i < ROWS; i++)
    constraint[i] = (sup_constraint){
        .law = rigid_contact, .first_vc = 3 * i, .first_block = i, .num_blocks = 1};
  double     *vc = calloc(3 * ROWS, sizeof *vc);
  sup_problem problem = {.A_pattern = &pattern,
                         .A = &A,
                         .p = &p,
                         .num_constraints = ROWS,
                         .num_vc = 3 * ROWS,
                         .num_jacobian_blocks = ROWS,
                         .constraint = constraint,
                         .jacobian = jacobian,
                         .jacobian_value = J};
  FAILS(
      sup_delassus_of_problem(&d, &problem, &(sup_dual_options){0}, vc, 1, arena), SUP_E_ARG,
      "the contact problem has 6003 rows (2001 contacts); its Delassus matrix is formed up to 6000 "
      "rows, beyond them there are only operators");
  OK(sup_delassus_of_problem(&d, &problem, &(sup_dual_options){0}, vc, 0, arena));
  CHECK(d.G == NULL && d.R[3 * ROWS - 1] == .02);
  free(vc);
  free(constraint);
  free(jacobian);
  sup_block_pattern_free(&pattern);
  sup_arena_destroy(&arena);
}

/** The problem, written and read again. */
static sup_stored_problem *through_a_file(dual_case *q, sup_arena *arena, const char *name) {
  static const char *const names[] = {"a - b", "b - c", "", "d"};
  static const double      zero[CASE_SCALARS];
  sup_stored_problem      *read, stored = {.has_dynamics = 1,
                                           .problem = q->problem,
                                           .v_start = zero,
                                           .impulse = q->gamma,
                                           .delassus = delassus_of(q, arena),
                                           .contact_name = names,
                                           .solver = "ncp_pgs",
                                           .scene = "x.yaml",
                                           .step = 7,
                                           .time = .07};
  char                     path[512];
  in_folder(path, name);
  OK(sup_stored_problem_write(&stored, path));
  OK(sup_stored_problem_read(&read, path));
  return read;
}

static void a_problem_survives_its_file(void) {
  static const sup_law contacts[] = {
      {.kind = SUP_LAW_SAP, .anisotropy = {1, 2, .3, .5}, .sap = {.5, .01, .02, .1, .011}},
      {.kind = SUP_LAW_LAGGED,
       .coulomb = {.normal = {SUP_NORMAL_HERTZ, .01, -1e-4, 3, 1e4, 20, 1e-3, 3e5, 1e-4, 1e-3},
                   .mu = .5,
                   .eps = 2e-4,
                   .gn0 = .3,
                   .slip = 1e-4,
                   .regularise = 1e-5}},
      {.kind = SUP_LAW_SIMILAR,
       .coulomb = {.normal = {SUP_NORMAL_KELVIN_VOIGT, .01, -1e-4, 3, 1e4, 20, 1e-3, 3e5, 0, 0},
                   .mu = .5,
                   .eps = 2e-4,
                   .slip = 1e-4}}};
  for (size_t k = 0; k < sizeof contacts / sizeof *contacts; k++) {
    dual_case  q;
    sup_arena *arena;
    OK(sup_arena_create(&arena, 1 << 16));
    dual_case_make(&q, 3 + k, &contacts[k], 1);
    sup_stored_problem *s = through_a_file(&q, arena, "case.npz");
    CU_ASSERT_FATAL(s->has_dynamics && s->problem.num_vc == CASE_VC);
    CHECK(sup_block_pattern_equal(s->problem.A_pattern, q.problem.A_pattern));
    for (int b = 0; b < CASE_BODIES; b++)
      for (int j = 0; j < 6; j++)
        for (int i = j; i < 6; i++)
          CHECK(s->problem.A[36 * b + 6 * j + i] == q.A[36 * b + 6 * j + i]);
    CHECK(memcmp(s->problem.p, q.p, sizeof q.p) == 0);
    CHECK(strcmp(s->contact_name[1], "b - c") == 0 && strcmp(s->solver, "ncp_pgs") == 0);
    CHECK(s->step == 7 && s->time == .07 && strcmp(s->scene, "x.yaml") == 0);
    test_random random = {k};
    for (int i = 0; i < CASE_ROWS; i++) {
      const sup_constraint *c = &s->problem.constraint[i];
      CHECK(memcmp(&c->law, &q.constraint[i].law, sizeof c->law) == 0);
      CHECK(memcmp(c->bias, q.constraint[i].bias, sizeof c->bias) == 0);
    }
    double v[CASE_SCALARS], ours[CASE_VC], theirs[CASE_VC];
    for (int i = 0; i < CASE_SCALARS; i++) v[i] = test_uniform(&random);
    sup_problem_constraint_velocity(&q.problem, v, 1, theirs);
    sup_problem_constraint_velocity(&s->problem, v, 1, ours);
    for (int i = 0; i < CASE_VC; i++) NEAR(ours[i], theirs[i], 1e-14, 1e-15);
    CHECK(memcmp(s->delassus.G, delassus_of(&q, arena).G, sizeof(double) * CASE_VC * CASE_VC) == 0);
    sup_stored_problem_destroy(&s);
    sup_arena_destroy(&arena);
    dual_case_drop(&q);
  }
}

/** The Delassus matrix alone leads all solvers to the contact velocities of the velocity form. */
static void both_forms_have_one_solution(void) {
  static const sup_contact_solver solvers[] = {
      SUP_CONTACT_SOLVER_NCP_PGS, SUP_CONTACT_SOLVER_CCP_ADMM, SUP_CONTACT_SOLVER_NEWTON};
  for (uint64_t seed = 1; seed <= 5; seed++)
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
      dual_case           q;
      sup_arena          *arena;
      sup_stored_solution out[2];
      sup_solve_options   options = dual_options(solvers[k], 1e-12);
      OK(sup_arena_create(&arena, 1 << 16));
      dual_case_make(&q, seed, &rigid_contact, 1);
      sup_stored_problem *s = through_a_file(&q, arena, "forms.npz");
      OK(sup_stored_problem_solve(s, &options, 0, &out[0]));
      OK(sup_stored_problem_solve(s, &options, 1, &out[1]));
      CHECK(out[0].report.reason > 0 && out[1].report.reason > 0);
      for (int i = 0; i < CASE_VC; i++) {
        NEAR(out[1].velocity[i], out[0].velocity[i], 1e-8, 1e-9);
        NEAR(out[1].impulse[i], out[0].impulse[i], 1e-8, 1e-8);
      }
      const sup_law_residual *own = k == 0 ? &out[0].ncp : &out[0].ccp;
      CHECK(own->relative < 1e-8); /* and newton on SAP solves the relaxation */
      sup_stored_problem_destroy(&s);
      sup_arena_destroy(&arena);
      dual_case_drop(&q);
    }
}

/* ---- cases of others ------------------------------------------------------------------------- */

static int solve_file(const char *name, sup_contact_solver solver, double tolerance,
                      sup_stored_problem **s, sup_stored_solution *out) {
  char              path[200];
  sup_solve_options options = dual_options(solver, tolerance);
  snprintf(path, sizeof path, "../shared/data/contactbench/%s.npz", name);
  if (access(path, R_OK) != 0) return 0;
  OK(sup_stored_problem_read(s, path));
  OK(sup_stored_problem_solve(*s, &options, 0, out));
  return 1;
}

static void S01_the_relaxation_of_the_sliding_cube_opens_its_contacts(void) {
  static const sup_contact_solver solvers[] = {SUP_CONTACT_SOLVER_CCP_PGS,
                                               SUP_CONTACT_SOLVER_CCP_ADMM};
  for (int k = 0; k < 2; k++) {
    sup_stored_problem *s;
    sup_stored_solution out;
    double              normal = 0;
    if (!solve_file("sliding_cube", solvers[k], 1e-11, &s, &out))
      SKIP("../shared/data is not there; ");
    CHECK(s->delassus.num_contacts == 4 && s->delassus.num_joints == 0);
    NEAR(out.ccp.energy, -0.389906353590, 1e-9, 0);
    for (int i = 0; i < 4; i++) {
      NEAR(out.velocity[3 * i], -0.0793353, 0, 1e-6);
      NEAR(out.velocity[3 * i + 1], 0.7140180, 0, 1e-6);
      NEAR(out.velocity[3 * i + 2], 0.6465708, 0, 1e-6);
      normal += out.impulse[3 * i + 2];
    }
    NEAR(normal, 0.65638080, 1e-6, 0);
    sup_stored_problem_destroy(&s);
  }
}

/** The same file by Coulomb's law: contacts stay closed, and normals are the last of three rows. */
static void S01_coulomb_s_law_keeps_the_sliding_cube_on_the_floor(void) {
  sup_stored_problem *s;
  sup_stored_solution out;
  if (!solve_file("sliding_cube", SUP_CONTACT_SOLVER_NCP_PGS, 1e-11, &s, &out))
    SKIP("../shared/data is not there; ");
  for (int i = 0; i < 4; i++) NEAR(out.velocity[3 * i + 2], 0, 0, 1e-9);
  CHECK(out.ncp.relative < 1e-10);
  sup_stored_problem_destroy(&s);
}

static void S02_a_mass_ratio_of_a_million_is_solved_by_admm(void) {
  sup_stored_problem *s;
  sup_stored_solution out;
  double              normal = 0;
  if (!solve_file("2cubes_t0", SUP_CONTACT_SOLVER_CCP_ADMM, 1e-14, &s, &out))
    SKIP("../shared/data is not there; ");
  NEAR(out.ccp.energy, -4.811807406843e-2, 1e-6, 0);
  for (int i = 0; i < s->delassus.num_contacts; i++) normal += out.impulse[3 * i + 2];
  for (int i = 0; i < s->delassus.size; i++) NEAR(out.velocity[i], 0, 0, 1e-9);
  NEAR(normal, 19.62001, 1e-6, 0);
  sup_stored_problem_destroy(&s);
}

/* ---- wrong files ----------------------------------------------------------------------------- */

typedef struct member {
  const char *name;
  size_t      count;
  double      value[144];
} member;

static sup_status read_members(const member *list, int count, sup_stored_problem **s) {
  char           path[512];
  sup_npz_writer w;
  in_folder(path, "wrong.npz");
  OK(sup_npz_create(&w, path));
  for (int k = 0; k < count; k++)
    sup_npz_add_numbers(&w, list[k].name, 1, &list[k].count, list[k].value);
  OK(sup_npz_commit(&w));
  return sup_stored_problem_read(s, path);
}

static void wrong_files_are_told_by_member(void) {
  const member        G = {"G", 9, {2, 0, 0, 0, 2, 0, 0, 0, 1}}, g = {"g", 3, {0, 0, -1}};
  const member        mus = {"mus", 1, {.5}};
  sup_stored_problem *s;
  sup_stored_solution out;
  sup_solve_options   options = dual_options(SUP_CONTACT_SOLVER_NEWTON, 1e-10);
  FAILS(read_members((member[]){G, g}, 2, &s), SUP_E_ARG, "the array mus is missing");
  FAILS(read_members((member[]){g, mus}, 2, &s), SUP_E_ARG, "the array G is missing");
  FAILS(read_members((member[]){{"G", 8, {0}}, g, mus}, 3, &s), SUP_E_ARG,
        "wrong.npz:G: found numbers of the shape (8), expected 9 finite numbers");
  FAILS(read_members((member[]){{"G", 9, {2, 1, 0, 0, 2, 0, 0, 0, 1}}, g, mus}, 3, &s), SUP_E_ARG,
        "expected a symmetric matrix");
  FAILS(read_members((member[]){G, g, {"mus", 1, {-.5}}}, 3, &s), SUP_E_ARG,
        "mus: found -0.5 at 0");
  FAILS(read_members((member[]){G, {"g", 3, {0, (double)NAN, 0}}, mus}, 3, &s), SUP_E_NONFINITE,
        "g: found nan at 1");
  FAILS(read_members((member[]){{"G", 9, {0}}, {"g", 3, {0}}, {"mus", 2, {0}}}, 3, &s), SUP_E_ARG,
        "one friction coefficient for every three components of g");
  FAILS(read_members((member[]){{"G", 9, {0}}, {"g", 3, {0}}, {"mus", 0, {0}}}, 3, &s), SUP_E_ARG,
        "expected lower and upper");
  OK(read_members((member[]){G, g, mus}, 3, &s));
  FAILS(sup_stored_problem_solve(s, &options, 0, &out), SUP_E_ARG,
        "newton needs a compliance R > 0");
  options.solver = SUP_CONTACT_SOLVER_NCP_PGS;
  OK(sup_stored_problem_solve(s, &options, 0, &out));
  NEAR(out.impulse[2], 1, 1e-12, 0);
  sup_stored_problem_destroy(&s);
  OK(read_members((member[]){{"G", 9, {2, 0, 0, 0, 2, 0, 0, 0, -1}}, g, mus}, 3, &s));
  FAILS(sup_stored_problem_solve(s, &options, 0, &out), SUP_E_ARG,
        "not positive semidefinite: its least eigenvalue is -1, its largest entry 2");
  sup_stored_problem_destroy(&s);
  OK(read_members((member[]){G, g, mus, {"R", 3, {1, 2, 3}}}, 4, &s));
  FAILS(sup_stored_problem_solve(s, &options, 0, &out), SUP_E_ARG,
        "tangential compliances 1 and 2");
  sup_stored_problem_destroy(&s);
}

/** Numbers of whole problems changed at random: what is read can be solved or is refused. */
static void damaged_problems_are_refused_or_solved(void) {
  const char *asked = getenv("SUPPLE_FUZZ");
  int         trials = asked ? atoi(asked) : 300, refused = 0;
  char        path[512], *data;
  size_t      size;
  dual_case   q;
  sup_arena  *arena;
  test_random random = {181};
  OK(sup_arena_create(&arena, 1 << 16));
  dual_case_make(&q, 1, &rigid_contact, 1);
  sup_stored_problem *s = through_a_file(&q, arena, "seed.npz");
  sup_stored_problem_destroy(&s);
  in_folder(path, "seed.npz");
  OK(sup_file_read(path, &data, &size));
  in_folder(path, "damaged.npz");
  for (int k = 0; k < trials; k++) {
    sup_npz       *npz;
    sup_npz_writer w;
    char           seed[512];
    in_folder(seed, "seed.npz");
    OK(sup_npz_read(&npz, seed));
    OK(sup_npz_create(&w, path));
    int victim = test_one_of(&random, npz->num_arrays);
    for (int i = 0; i < npz->num_arrays; i++) { /* what is no victim is as it was */
      sup_npy *a = &npz->array[i];
      if (i == victim && k % 3 == 0) continue;
      if (i == victim && a->number && a->count) {
        static const double strange[] = {-1, 1e9, 0, .5, -1e300, 3};
        a->number[test_one_of(&random, (int)a->count)] =
            k % 3 == 1 ? strange[test_one_of(&random, 6)] : (double)NAN;
      }
      if (a->number) sup_npz_add_numbers(&w, a->name, a->num_dimensions, a->shape, a->number);
      if (!a->text) continue;
      const char *text[CASE_ROWS];
      for (size_t j = 0; j < a->count; j++) text[j] = sup_npy_text(a, j);
      if (i == victim) text[0] = "no such law";
      sup_npz_add_texts(&w, a->name, a->count, text);
    }
    OK(sup_npz_commit(&w));
    sup_npz_destroy(&npz);
    sup_status status = sup_stored_problem_read(&s, path);
    refused += status != SUP_OK;
    if (status == SUP_OK) {
      sup_stored_solution out;
      sup_solve_options   options = dual_options(SUP_CONTACT_SOLVER_NCP_PGS, 1e-6);
      options.dual.max_iterations = 20;
      status = sup_stored_problem_solve(s, &options, k % 2, &out);
    }
    CHECK(status == SUP_OK || status == SUP_E_ARG || status == SUP_E_NONFINITE ||
          status == SUP_E_NOT_SPD);
    sup_stored_problem_destroy(&s);
  }
  CHECK(refused > trials / 4 && refused < trials);
  SUP_FREE(data);
  sup_arena_destroy(&arena);
  dual_case_drop(&q);
}

/* ---- problems of others ---------------------------------------------------------------------- */

/** G = J J^T of contacts on one body of 6 scalars, as single precision has it. */
static void single_precision(const double *J, int rows, double *G) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += J[6 * i + k] * J[6 * j + k];
      G[rows * i + j] = (double)(float)sum;
    }
}

/* Twelve rows of rank 6: what rounding to 24 bits leaves of the other six eigenvalues has either
 * sign. */
static void matrices_in_single_precision_are_taken(void) {
  test_random random = {3};
  for (int trial = 0; trial < 20; trial++) {
    double              J[72];
    member              G = {.name = "G", .count = 144}, g = {.name = "g", .count = 12};
    member              mus = {"mus", 4, {.5, .5, .5, .5}};
    sup_stored_problem *s;
    sup_stored_solution out;
    sup_solve_options   options = dual_options(SUP_CONTACT_SOLVER_CCP_ADMM, 1e-6);
    for (int k = 0; k < 72; k++) J[k] = test_uniform(&random);
    single_precision(J, 12, G.value);
    for (int i = 0; i < 12; i++) g.value[i] = -J[6 * i + 2];
    OK(read_members((member[]){G, g, mus}, 3, &s));
    OK(sup_stored_problem_solve(s, &options, 0, &out));
    CHECK(out.ccp.relative <= 1e-6);
    for (int i = 0; i < 12; i++) { /* with the G of the file */
      double c = g.value[i];
      for (int j = 0; j < 12; j++) c += G.value[12 * i + j] * out.impulse[j];
      NEAR(out.velocity[i], c, 0, 1e-4);
    }
    sup_stored_problem_destroy(&s);
  }
}

static void indefinite_matrices_are_refused_with_their_eigenvalue(void) {
  static const member saddle = {"G", 9, {1, 0, 2, 0, 1, 0, 2, 0, 1}};
  static const member no_diagonal = {"G", 9, {0, 1, 0, 1, 1, 0, 0, 0, 1}};
  member              g = {"g", 3, {0, 0, -1}}, mus = {"mus", 1, {.5}};
  sup_stored_solution out;
  sup_solve_options   options = dual_options(SUP_CONTACT_SOLVER_NCP_PGS, 1e-10);
  for (int k = 0; k < 2; k++) {
    sup_stored_problem *s;
    OK(read_members((member[]){k ? no_diagonal : saddle, g, mus}, 3, &s));
    FAILS(sup_stored_problem_solve(s, &options, 0, &out), SUP_E_ARG,
          k ? "its least eigenvalue is -0.618034" : "its least eigenvalue is -1, its");
    sup_stored_problem_destroy(&s);
  }
}

/* mujoco makes its compliance itself; a start from the solution takes no iteration. */
static void compliance_and_start_are_those_of_the_solver_and_of_the_file(void) {
  member              G = {"G", 9, {2, 0, 0, 0, 2, 0, 0, 0, 1}}, g = {"g", 3, {.1, 0, -1}};
  member              mus = {"mus", 1, {.5}}, lam0 = {"lam0", 3, {-.05, 0, 1}};
  sup_stored_problem *s;
  sup_stored_solution out;
  sup_solve_options   options = dual_options(SUP_CONTACT_SOLVER_MUJOCO, 1e-10);
  double              alpha = options.dual.alpha;
  OK(read_members((member[]){G, g, mus, lam0}, 4, &s));
  OK(sup_stored_problem_solve(s, &options, 0, &out));
  NEAR(out.impulse[2], 1 / (1 + alpha), 1e-9, 0);
  NEAR(out.impulse[0], -.05 / (1 + alpha), 1e-9, 0);
  options.solver = SUP_CONTACT_SOLVER_NCP_PGS;
  OK(sup_stored_problem_solve(s, &options, 0, &out));
  CHECK(out.report.iterations == 0 && out.ncp.relative < 1e-10);
  NEAR(out.impulse[0], -.05, 1e-12, 0);
  sup_stored_problem_destroy(&s);
}

/* A body between two walls, pulled along them: without wall forces it moves; with unbounded wall
 * forces it may also stick. */
static void a_jam_has_two_solutions_and_a_wall_one(void) {
  enum { FREE, JAM };
  static const double J[2][36] = {
      {0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0,  /* x, y along the wall, then normal */
       0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0}, /* the same wall twice */
      {0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1,  0, 0, 0, 0, 0,
       0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 0, 0}};
  member            mus = {"mus", 2, {.5, .5}};
  sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_NCP_PGS, 1e-10);
  for (int k = FREE; k <= JAM; k++) {
    member              G = {.name = "G", .count = 36}, g = {.name = "g", .count = 6};
    sup_stored_problem *s;
    sup_stored_solution found, other;
    int                 exists;
    single_precision(J[k], 6, G.value);
    for (int i = 0; i < 6; i++) g.value[i] = -J[k][6 * i + 2];
    OK(read_members((member[]){G, g, mus}, 3, &s));
    OK(sup_stored_problem_solve(s, &options, 0, &found));
    CHECK(found.ncp.relative == 0 && found.impulse[2] == 0);
    OK(sup_stored_problem_second(s, &options, 0, &found, &other, &exists));
    CHECK(exists == (k == JAM));
    if (exists) {
      CHECK(other.ncp.relative < 1e-8 && other.impulse[2] >= 1 - 1e-8);
      for (int i = 0; i < 6; i++) NEAR(other.velocity[i], 0, 0, 1e-8);
    }
    sup_stored_problem_destroy(&s);
  }
}

/* A ton that is pushed on cubes of a gram: turns of normals and friction stand still with the usual
 * proximal weight, 0.0098 m/s of tilt left (relative residual .0997). */
static void solvers_of_all_contacts_carry_a_ton_that_is_pushed_on_a_gram(void) {
  static const sup_contact_solver all[] = {SUP_CONTACT_SOLVER_NCP_STAGGERED,
                                           SUP_CONTACT_SOLVER_LCP_STAGGERED,
                                           SUP_CONTACT_SOLVER_CCP_PGS, SUP_CONTACT_SOLVER_CCP_ADMM};
  for (int m = 0; m < 4; m++) {
    sup_stored_problem *s;
    sup_stored_solution out;
    double              sum = 0;
    OK(sup_stored_problem_read(&s, "tests/data/problems/stack_1e6_push.npz"));
    sup_solve_options options = {.tolerance = 1e-8, .max_iterations = 100, .sweeps = 1};
    options.dual = sup_default_options().dual;
    options.dual.tolerance = 1e-6, options.dual.hand_over_above = 0, options.solver = all[m];
    OK(sup_stored_problem_solve(s, &options, 0, &out));
    CHECK(out.ncp.relative < 1e-4);
    for (int i = 0; i < out.problem->num_constraints; i++) sum += out.impulse[3 * i + 2];
    NEAR(sum, 196.2001, 1e-6, 0);
    sup_stored_problem_destroy(&s);
  }
}

SUITE_TESTS(stored_problem, TEST(the_delassus_matrix_is_j_inverse_a_j_transposed),
            TEST(too_many_rows_are_refused_with_the_limit), TEST(a_problem_survives_its_file),
            TEST(both_forms_have_one_solution),
            TEST(solvers_of_all_contacts_carry_a_ton_that_is_pushed_on_a_gram),
            TEST(S01_the_relaxation_of_the_sliding_cube_opens_its_contacts),
            TEST(S01_coulomb_s_law_keeps_the_sliding_cube_on_the_floor),
            TEST(S02_a_mass_ratio_of_a_million_is_solved_by_admm),
            TEST(matrices_in_single_precision_are_taken),
            TEST(indefinite_matrices_are_refused_with_their_eigenvalue),
            TEST(compliance_and_start_are_those_of_the_solver_and_of_the_file),
            TEST(a_jam_has_two_solutions_and_a_wall_one), TEST(wrong_files_are_told_by_member),
            TEST(damaged_problems_are_refused_or_solved));
