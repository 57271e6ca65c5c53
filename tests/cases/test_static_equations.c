/* Equations of load steps as functions of values (THEORY 18.8): the residual of what an iteration
 * accepted, its derivative and the transpose. */
#include "step/static/static_equations.h"

#include "example.h"
#include "la/vector.h"
#include "step/stepper.h"

/** A balance after some load steps, seen from outside of its iteration. */
typedef struct balance {
  test_example         e;
  sup_state           *before;
  sup_increment        inc;
  double              *q; /* [num_scalars] displacements of the last load step */
  int                  n;
  sup_arena           *arena;
  sup_static_equations equations;
} balance;

/** A load step of `share` of a whole one from the state before; q [num_scalars] := its
 * displacements, or NULL. */
static void solve(balance *b, double share, double *q) {
  test_scene         *s = &b->e.s;
  sup_static_options *o = &b->e.scene->statics;
  double              h = share * o->end / o->steps;
  OK(sup_state_copy(s->state, b->before));
  s->state->load_step = h;
  OK(sup_static_step(s->stepper, s->state, o, &s->report));
  NEAR(s->state->time, b->before->time + h, 1e-12, 0);
  for (int i = 0; i < b->n && q; i++) q[i] = h * s->stepper->solution.v[i];
}

static void create(balance *b, double share, sup_static_equations *out) {
  const sup_static_options *o = &b->e.scene->statics;
  b->inc = b->e.s.stepper->end.result.increment;
  b->inc.inputs = sup_increment_of_state(&b->e.s.options, b->before).inputs;
  b->inc.h = b->inc.reference = share * o->end / o->steps, b->inc.t1 = b->inc.t0 + b->inc.h;
  OK(sup_static_equations_create(out, b->e.s.stepper->layout, &b->inc, b->before,
                                 &b->e.s.stepper->contact.list.origins, b->q));
  out->options.tolerance = o->tolerance;
}

enum { PART = 9 }; /* tenths of a load step */

/** The balance in the load step after `steps` of examples/NAME.yaml. */
static void start(balance *b, const char *name, const char *const *sets, int num_sets, int steps) {
  test_example_start(&b->e, name, sets, num_sets);
  test_scene *s = &b->e.s;
  b->e.scene->statics.tolerance = 1e-12;
  b->n = s->stepper->layout->A_pattern.num_scalars;
  OK(sup_arena_create(&b->arena, 1 << 20));
  OK(SUP_ARENA(b->arena, b->q, b->n));
  OK(sup_state_create(&b->before, s->model, &s->options));
  OK(sup_state_copy(b->before, s->state));
  for (int k = 0; k < steps; k++) {
    solve(b, 1, NULL);
    OK(sup_state_copy(b->before, s->state));
  }
  solve(b, .1 * PART, b->q);
  create(b, .1 * PART, &b->equations);
}

static void end(balance *b) {
  sup_static_equations_free(&b->equations);
  sup_state_destroy(&b->before);
  sup_arena_destroy(&b->arena);
  test_example_end(&b->e);
}

static double *vector(balance *b) {
  double *x;
  OK(SUP_ARENA(b->arena, x, b->n));
  return x;
}

/** Random displacements; held components 0. */
static double *random_vector(balance *b, unsigned seed) {
  const sup_step_layout   *layout = b->e.s.stepper->layout;
  const sup_block_pattern *P = &layout->A_pattern;
  test_random              random = {seed};
  double                  *x = vector(b);
  for (int k = 0; k < P->num_blocks; k++)
    for (int i = sup_block_first(P, k); i < sup_block_first(P, k + 1); i++) {
      double u = test_uniform(&random);
      x[i] = layout->held_axes[k] >> (i - sup_block_first(P, k)) & 1 ? 0 : u;
    }
  return x;
}

/** At the balance the residual is that of the iteration; beside it it is not. */
static void check_residual(balance *b) {
  double *r = vector(b), *beside = vector(b), told = b->e.s.report.momentum_error;
  OK(sup_static_equations_residual(&b->equations, b->q, r));
  double error = b->equations.it.out.error;
  for (int i = 0; i < b->n; i++) beside[i] = 1.001 * b->q[i];
  OK(sup_static_equations_residual(&b->equations, beside, r));
  printf("\n    %d scalars, %d contacts: error %.3g, the iteration's %.3g, beside it %.2g", b->n,
         b->equations.contacts.list.count, error, told, b->equations.it.out.error);
  CHECK(error <= 1.01 * told + 1e-12);
  CHECK(b->equations.it.out.error > 1e4 * error);
}

/** x . (K_T^T y) is y . (K_T x).  Returns y . (K_T x) - x . (K_T y) over the norms: 0 for a
 * symmetric K_T. */
static double check_transposed(balance *b, double tolerance) {
  double *x = random_vector(b, 3), *y = random_vector(b, 5), *Kx = vector(b), *Ky = vector(b);
  OK(sup_static_equations_multiply(&b->equations, x, Kx));
  OK(sup_static_equations_multiply_transposed(&b->equations, y, Ky));
  double left = sup_dot(y, Kx, b->n), right = sup_dot(x, Ky, b->n);
  double size = sup_norm(y, b->n) * sup_norm(Kx, b->n);
  printf("\n    y.Kx %.10g, x.K'y %.10g: %.2g of the norms, %d columns", left, right,
         fabs(left - right) / size, b->equations.num_columns);
  CHECK(fabs(left - right) <= tolerance * size);
  OK(sup_static_equations_multiply(&b->equations, y, Ky));
  double turned = fabs(left - sup_dot(x, Ky, b->n)) / size;
  printf("; K_T less its transpose: %.2g", turned);
  return turned;
}

/** l := K_T^-T of c, by the factor that a load step leaves.  Returns the residual over c after some
 * rounds. */
static double solve_transposed(balance *b, const double *c, double *l) {
  enum { ROUNDS = 20 };
  double *left = vector(b), *Kl = vector(b), error = 0;
  memcpy(left, c, (size_t)b->n * sizeof *left);
  for (int i = 0; i < b->n; i++) l[i] = 0;
  for (int k = 0; k < ROUNDS; k++) {
    OK(sup_static_equations_solve(&b->equations, left));
    for (int i = 0; i < b->n; i++) l[i] += left[i];
    OK(sup_static_equations_multiply_transposed(&b->equations, l, Kl));
    for (int i = 0; i < b->n; i++) left[i] = c[i] - Kl[i];
    double before = error;
    error = sup_norm(left, b->n) / sup_norm(c, b->n);
    if (k == 1) printf("\n    the factor leaves %.2g of a residual", error / before);
  }
  return error;
}

/** Motion of bodies farther by a share of the load step: dq of the balance, and dr at one q. */
static void change(balance *b, double share, double *dq, double *dr) {
  sup_static_equations other;
  double              *q = vector(b);
  memset(dq, 0, (size_t)b->n * sizeof *dq), memset(dr, 0, (size_t)b->n * sizeof *dr);
  for (int side = -1; side <= 1; side += 2) {
    create(b, .1 * PART + side * share, &other);
    OK(sup_static_equations_residual(&other, b->q, q));
    for (int i = 0; i < b->n; i++) dr[i] += side * q[i] / (2 * share);
    sup_static_equations_free(&other);
  }
  for (int side = -1; side <= 1; side += 2) {
    solve(b, .1 * PART + side * share, q);
    for (int i = 0; i < b->n; i++) dq[i] += side * q[i] / (2 * share);
  }
  solve(b, .1 * PART, q); /* with its contacts */
}

/** K_T dq = -dr, and -l . dr = dq . dq with K_T^T l = dq. */
static void check_change(balance *b, double share, double tolerance) {
  double *dq = vector(b), *dr = vector(b), *K = vector(b), *l = vector(b);
  change(b, share, dq, dr);
  OK(sup_static_equations_multiply(&b->equations, dq, K));
  for (int i = 0; i < b->n; i++) K[i] += dr[i];
  double error = sup_norm(K, b->n) / sup_norm(dr, b->n), rest = solve_transposed(b, dq, l);
  double direct = sup_dot(dq, dq, b->n), adjoint = -sup_dot(l, dr, b->n);
  printf(", %.2g after 20 rounds; K_T dq + dr: %.2g of dr; dq.dq %.9g, -l.dr %.9g", rest, error,
         direct, adjoint);
  CHECK(error <= tolerance && rest <= 1e-6);
  NEAR(adjoint, direct, tolerance, 0);
}

static void the_balance_follows_its_derivative(void) {
  balance b;
  start(&b, "studies/finray_pressed", NULL, 0, 3);
  check_residual(&b);
  CHECK(check_transposed(&b, 1e-9) < 1e-5);
  check_change(&b, 3e-6, 1e-5);
  end(&b);
}

/* Friction is bounded by the normal force, which does not depend on slip: K_T is not symmetric. */
static void friction_is_transposed_too(void) {
  const char *const sets[] = {"soft.finger.contact.friction=.5",
                              "rigid.cylinder.contact.friction=.5"};
  balance           b;
  start(&b, "studies/finray_pressed", sets, 2, 3);
  check_residual(&b);
  CHECK(check_transposed(&b, 1e-9) > 1e-5);
  check_change(&b, 3e-6, 1e-5);
  end(&b);
}

/* A flat layer under a plate; a drive and friction on one joint; an arm that sags. */
static void joints_and_flat_faces_are_transposed(void) {
  static const char *const names[] = {"../tests/data/gradient/layer",
                                      "../tests/data/gradient/slider",
                                      "../tests/data/gradient/pend"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    balance b;
    start(&b, names[i], NULL, 0, 1);
    check_residual(&b);
    check_transposed(&b, 1e-7);
    end(&b);
  }
}

/* Bodies on a shell, which turn freely. */
static void attached_bodies_are_transposed(void) {
  const char *const sets[] = {"static.steps=2", "time.end=0.1 s"};
  balance           b;
  start(&b, "spring_finger", sets, 2, 1);
  check_residual(&b);
  check_transposed(&b, 1e-9);
  end(&b);
}

/* Small strains: K_T is the matrix of the linear material, whatever the displacements. */
static void the_derivative_is_the_tangent_where_it_is_exact(void) {
  balance b;
  start(&b, "studies/cook_membrane", NULL, 0, 0);
  double *x = random_vector(&b, 3), *Kx = vector(&b), *Ax = vector(&b), h = b.inc.h;
  OK(sup_static_equations_multiply(&b.equations, x, Kx));
  sup_assembly_multiply(&b.equations.assembly, x, Ax);
  for (int i = 0; i < b.n; i++) Ax[i] = Ax[i] / (h * h) - Kx[i];
  double error = sup_norm(Ax, b.n) / sup_norm(Kx, b.n);
  printf("\n    %d scalars: K_T x by differences less A x/h^2: %.2g of it", b.n, error);
  CHECK(error <= 1e-8);
  end(&b);
}

SUITE_TESTS(static_equations, TEST(the_balance_follows_its_derivative),
            TEST(friction_is_transposed_too), TEST(joints_and_flat_faces_are_transposed),
            TEST(attached_bodies_are_transposed),
            TEST(the_derivative_is_the_tangent_where_it_is_exact));
