/* A step and an equilibrium on two ranks are those of one, by MUMPS and by multigrid; by multigrid
 * they have equal bits when they are done again. */
#include "cases/example.h"
#include "model/internal_file.h"
#include "model/model.h"
#include "ranks/ranks_test.h"
#include "step/step.h"

#define MULTIGRID "-ksp_type cg -ksp_norm_type unpreconditioned -pc_type gamg"

enum { MAX_SETS = 10 };

typedef struct rank_case {
  const char *example;
  double      time;           /* the state, reached by the supernodal solver on one rank [s] */
  int         is_static;      /* the equilibrium after a load step */
  int         num_steps;      /* from there on; 0: one */
  int         has_grid;       /* by multigrid, too */
  const char *sets[MAX_SETS]; /* overrides, besides the tolerance */
} rank_case;

static double vector_difference(sup_v3 a, sup_v3 b) { return sup_v3_norm(sup_v3_sub(a, b)); }

/** Reactions and attachment forces. */
static double wrench_difference(const sup_wrench *a, const sup_wrench *b, int n) {
  double most = 0, size = 1e-3;
  for (int i = 0; i < n; i++) {
    most = fmax(most, vector_difference(a[i].force, b[i].force));
    size = fmax(size, sup_v3_norm(b[i].force));
  }
  return most / size;
}

static void advance(const rank_case *c, test_scene *s) {
  int n = c->num_steps ? c->num_steps : 1;
  while (n-- > 0) test_advance(s, c->is_static, 1);
}

/** As `one` and from the same state, on all ranks. */
static void start_on_ranks(const sup_collective *ranks, const test_scene *one, const char *petsc,
                           test_scene *two) {
  *two = *one, two->model = NULL, two->state = NULL, two->stepper = NULL;
  two->def.ranks = ranks, two->options.backend = SUP_BACKEND_PETSC, two->options.petsc = petsc;
  OK(sup_model_create(&two->model, &two->def));
  OK(sup_state_create(&two->state, two->model, &two->options));
  OK(sup_stepper_create(&two->stepper, two->model, &two->options));
}

static void end_on_ranks(test_scene *two) {
  sup_stepper_destroy(&two->stepper);
  sup_state_destroy(&two->state);
  sup_model_destroy(&two->model);
}

/** The state of one rank to each: what relaxes is with the rank that has the cell. */
static void hand_over(const test_scene *two, const sup_state *whole) {
  sup_state own = *whole;
  own.num_internal = two->state->num_internal;
  own.internal = calloc(own.num_internal + 1, sizeof *own.internal);
  if (whole->num_internal)
    sup_internal_get(two->model, (const char *)whole->internal, own.internal);
  OK(sup_state_copy(two->state, &own));
  free(own.internal);
}

static int are_same_bits(const double *a, const double *b, int n) {
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

/** The same once more on a stepper of its own. */
static void check_bits(const sup_collective *ranks, const rank_case *c, const test_scene *one,
                       const sup_state *start, const test_scene *first) {
  test_scene again;
  start_on_ranks(ranks, one, first->options.petsc, &again);
  hand_over(&again, start);
  advance(c, &again);
  const sup_state *x = again.state, *y = first->state;
  int              n = 3 * y->num_vertices;
  CHECK(are_same_bits(x->x, y->x, n) && are_same_bits(x->xdot, y->xdot, n));
  CHECK(are_same_bits(x->q, y->q, y->num_q) && are_same_bits(x->v, y->v, y->num_v));
  CHECK(are_same_bits(sup_stepper_result(again.stepper)->contact_force,
                      sup_stepper_result(first->stepper)->contact_force, n));
  end_on_ranks(&again);
}

static void check_difference(const sup_collective *ranks, const rank_case *c, const char *petsc,
                             const test_scene *one, const test_scene *two) {
  const sup_step_result *a = sup_stepper_result(two->stepper),
                        *b = sup_stepper_result(one->stepper);
  const sup_state *x = two->state, *y = one->state;
  const char      *what = c->sets[0] ? c->sets[0] : "";
  int              n = 3 * y->num_vertices;
  double           speed = 9.81 * one->options.dt;
  double           places = test_difference(x->x, y->x, n, 0);
  double           joints = test_difference(x->q, y->q, y->num_q, 1e-3);
  double           speeds = c->is_static ? 0 : test_difference(x->xdot, y->xdot, n, speed),
         turns = c->is_static ? 0 : test_difference(x->v, y->v, y->num_v, speed);
  double forces = test_difference(a->contact_force, b->contact_force, n, 1e-6);
  double held = wrench_difference(a->reaction, b->reaction, one->model->num_dirichlet),
         links = wrench_difference(a->attach_wrench, b->attach_wrench, one->model->num_attachments);
  if (ranks->rank == 0)
    printf(
        "\n= %-20s %.40s %s %d contacts; places %.1e, joints %.1e, velocities %.1e %.1e, forces "
        "%.1e, reactions %.1e, attachments %.1e\n",
        c->example, what, petsc ? "GAMG" : "MUMPS", one->report.num_contacts, places, joints,
        speeds, turns, forces, held, links);
  CHECK(places < 1e-9 && joints < 1e-9 && speeds < 1e-9 && turns < 1e-9);
  CHECK(forces < 1e-9 && held < 1e-9 && links < 1e-9);
  CHECK(two->report.num_contacts == one->report.num_contacts);
  if (!petsc) return;
  CHECK(two->report.linear.iterations > 0 && two->report.linear.missed == 0);
  CHECK(two->report.linear.residual > 0 && strstr(two->report.linear.reason, "CONVERGED"));
}

static void compare(const sup_collective *ranks, const rank_case *c) {
  static const char *const petsc[] = {NULL, MULTIGRID};
  const char              *sets[MAX_SETS + 1] = {"solver.tolerance=1e-12"};
  int                      num_sets = 1;
  test_example             e;
  test_scene               two;
  sup_state               *start = NULL;
  for (; num_sets <= MAX_SETS && c->sets[num_sets - 1]; num_sets++)
    sets[num_sets] = c->sets[num_sets - 1];
  test_example_start(&e, c->example, sets, num_sets);
  OK(sup_state_create(&start, e.s.model, &e.s.options));
  while (e.s.state->time < c->time - 1e-9) test_step(&e.s);
  OK(sup_state_copy(start, e.s.state));
  advance(c, &e.s);
  for (int k = 0; k <= c->has_grid; k++) {
    start_on_ranks(ranks, &e.s, petsc[k], &two);
    hand_over(&two, start);
    advance(c, &two);
    check_difference(ranks, c, petsc[k], &e.s, &two);
    if (petsc[k]) check_bits(ranks, c, &e.s, start, &two); /* MUMPS has not the same in two runs */
    end_on_ranks(&two);
  }
  sup_state_destroy(&start);
  test_example_end(&e);
}

static void compare_all(const sup_collective *ranks, const rank_case *cases, size_t num) {
  for (size_t k = 0; k < num; k++) compare(ranks, &cases[k]);
}
#define COMPARE(...)                       \
  const rank_case cases[] = {__VA_ARGS__}; \
  compare_all(c, cases, sizeof cases / sizeof *cases)

#define CELLS(body, inner, cavity)                 \
  "soft." body ".mesh.finray.cells.inner=" #inner, \
      "soft." body ".mesh.finray.cells.cavity=" #cavity, "soft." body ".mesh.finray.cells.depth=1"
#define SMALL_PRESS CELLS("finger", 3, 2)
#define SMALL_GRASP CELLS("left_finger", 3, 2), CELLS("right_finger", 3, 2)
#define SMALL_BARRIER "soft.block.mesh.box.cells=[8, 8, 3]"
/* Reached by steps that are solved several times; of a grasp at rest, less is the rounding of the
 * residual, to which CG does not come. */
#define BY_NEWTON "solver.tolerance=1e-11"
#define SMALL_CUBE "soft.cube.mesh.box.cells=[3, 3, 3]"

static void a_step_of_each_example_is_that_of_one_rank(void) {
  ON_RANKS("rank_cases.a_step_of_each_example_is_that_of_one_rank");
  COMPARE({"soft_cube_drop", .time = 0.2}, {"soft_stack", .time = 0.1},
          {"finray_grasp", .time = 1.3}, {"finray_grasp_ball", .time = 1.3},
          {"finray_grasp_box", .time = 1.3}, {"arm_grasp", .time = 0.1},
          {"finray_self_contact", .time = 0.2}, {"soft_barrier", .time = 0.1},
          {"finray_press", .time = 0.2}, {"finray_stiffness", .time = 0.1},
          {"own_finger", .time = 0.2}, {"relaxation", .time = 0.05},
          {"spring_finger", .time = 0.05});
}

static void an_equilibrium_of_each_example_is_that_of_one_rank(void) {
  ON_RANKS("rank_cases.an_equilibrium_of_each_example_is_that_of_one_rank");
  COMPARE({"finray_stiffness", .is_static = 1}, {"finray_press", .is_static = 1},
          {"soft_stack", .time = 0.1, .is_static = 1}, {"own_finger", .time = 0.95, .is_static = 1},
          {"relaxation", .time = 0.05, .is_static = 1});
}

/* Contact of the floor with a column, which one rank knows nothing of, of a barrier, of an object
 * that two attached bodies hold; a linear equilibrium, and one with friction, whose directions are
 * solved for with the coupling beside H. */
static void multigrid_leads_to_the_same_in_the_same_bits(void) {
  ON_RANKS("rank_cases.multigrid_leads_to_the_same_in_the_same_bits");
#define COLUMN                                                                          \
  "soft.cube.mesh.box.cells=[2, 2, 12]", "soft.cube.mesh.box.size=[4 cm, 4 cm, 24 cm]", \
      "soft.cube.pose={position: [20 mm, -30 mm, 0.1 mm]}"
  COMPARE({"soft_cube_drop", .time = 0.03, .has_grid = 1, .sets = {COLUMN}},
          {"soft_barrier", .time = 0.1, .has_grid = 1, .sets = {SMALL_BARRIER}},
          {"finray_grasp", .time = 1.3, .has_grid = 1, .sets = {BY_NEWTON, SMALL_GRASP}},
          {"finray_stiffness", .is_static = 1, .has_grid = 1, .sets = {SMALL_PRESS}},
          {"finray_press", .is_static = 1, .has_grid = 1, .sets = {SMALL_PRESS}});
}

/* BDF2, whose momenta of the step before are part of the state; steps of controlled length by
 * halves and by BDF2; trees and soft bodies together. */
static void a_step_of_each_scheme_is_that_of_one_rank(void) {
  ON_RANKS("rank_cases.a_step_of_each_scheme_is_that_of_one_rank");
  COMPARE(
      {"soft_cube_drop", .time = 0.2, .sets = {"time.scheme=implicit_euler", SMALL_CUBE}},
      {"soft_cube_drop", .time = 0.1, .num_steps = 3,
       .sets = {"time.scheme=bdf2", BY_NEWTON, SMALL_CUBE}},
      {"soft_cube_drop", .time = 0.18, .num_steps = 4,
       .sets = {"time.scheme=bdf2", BY_NEWTON, SMALL_CUBE}},
      {"finray_grasp", .time = 1, .num_steps = 3, .sets = {"time.scheme=bdf2", SMALL_GRASP}},
      {"soft_cube_drop", .time = 0.2, .num_steps = 2, .sets = {"time.accuracy=1e-3", SMALL_CUBE}},
      {"soft_barrier", .time = 0.05, .num_steps = 3,
       .sets = {"time.accuracy=1e-3", "time.scheme=bdf2", BY_NEWTON, SMALL_BARRIER}});
}

/* Each law, T10 pointwise and of a mean dilatation, T4; and the consistent mass. */
static void a_step_of_each_material_and_cell_is_that_of_one_rank(void) {
  ON_RANKS("rank_cases.a_step_of_each_material_and_cell_is_that_of_one_rank");
#define GEL(law, ...)                                                                              \
  {                                                                                                \
    "soft_cube_drop", .time = 0.2, .sets = { "materials.gel.model=" law, SMALL_CUBE, __VA_ARGS__ } \
  }
#define T4 "soft.cube.mesh.box.pattern=mirror", BY_NEWTON
#define T10 T4, "soft.cube.mesh.order=2"
  COMPARE(GEL("linear", "soft.cube.pose={position: [-30 mm, -30 mm, 110 mm]}"),
          GEL("corotational", BY_NEWTON), GEL("fixed_corotational", T4),
          GEL("saint_venant_kirchhoff", T4), GEL("neo_hookean", T4), GEL("stable_neo_hookean", T10),
          GEL("linear_corotational", T4), GEL("linear_corotational", T10),
          GEL("neo_hookean", T10, "soft.cube.dilatation=mean", "materials.gel.poissons_ratio=0.49"),
          GEL("linear_corotational", "soft.cube.mass=consistent"),
          GEL("linear_corotational", "soft.cube.mesh.box.cells=[2, 2, 8]",
              "soft.cube.element=solid_shell"),
          GEL("corotational", BY_NEWTON, "soft.cube.mesh.box.cells=[2, 2, 8]",
              "soft.cube.element=solid_shell"));
#undef T4
#undef T10
}

static void an_equilibrium_of_each_material_is_that_of_one_rank(void) {
  ON_RANKS("rank_cases.an_equilibrium_of_each_material_is_that_of_one_rank");
#define PRESS(...)                                                       \
  {                                                                      \
    "finray_press", .is_static = 1, .sets = { __VA_ARGS__, SMALL_PRESS } \
  }
#define T4 "soft.finger.mesh.finray.pattern=mirror"
  COMPARE({"finray_stiffness", .is_static = 1, .sets = {"materials.icf_finray.model=linear"}},
          PRESS("materials.tpu_85a.model=corotational"),
          PRESS("materials.tpu_85a.model=neo_hookean", T4), PRESS(T4, "soft.finger.mesh.order=2"));
#undef T4
}

SUITE_TESTS(rank_cases, TEST(a_step_of_each_example_is_that_of_one_rank),
            TEST(an_equilibrium_of_each_example_is_that_of_one_rank),
            TEST(multigrid_leads_to_the_same_in_the_same_bits),
            TEST(a_step_of_each_scheme_is_that_of_one_rank),
            TEST(a_step_of_each_material_and_cell_is_that_of_one_rank),
            TEST(an_equilibrium_of_each_material_is_that_of_one_rank));
