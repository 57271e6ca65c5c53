/* Ladders of PETSc: a cantilever of bricks (4:1:1, nu = 0.3), a cube that is PETSc's example ex56
 * but for its cells (nu = 0.25, held on one face), a FinRay finger and a cantilever of T10, each
 * from some 10^3 unknowns on; and some of them without a matrix (plugin/petsc_free.c).  Each rung
 * is a process of its own, whose memory tells what it needed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "bench.h"
#include "fem/cell_operator.h"
#include "mesh/format/convert.h"
#include "mesh/generate/generate.h"

#define GAMG "-ksp_type cg -ksp_norm_type unpreconditioned -pc_type gamg"
#define UNPRECONDITIONED "-ksp_type cg -ksp_norm_type unpreconditioned -pc_type none -ksp_max_it 1"

typedef enum body_kind { CANTILEVER, CUBE, FINGER, TETRAHEDRA, NUM_KINDS } body_kind;

typedef struct rung {
  body_kind kind;
  int       n, is_free; /* 1: without a matrix */
} rung;

typedef struct cost {
  int    unknowns, iterations, is_missed;
  double assembly, fill, setup, solve; /* [s] of processor time; fill: of PETSc's matrix alone */
  double bytes, residual;
} cost;

static const char *const kind_names[NUM_KINDS] = {"cantilever", "cube", "finger", "tetrahedra"};
static const double      tolerance = 1e-8;

static sup_status make_mesh(const rung *r, sup_mesh **mesh) {
  const double bar[3] = {4, 1, 1}, cube[3] = {1, 1, 1};
  const int    n = r->n, bar_cells[3] = {4 * n, n, n}, cube_cells[3] = {n, n, n};
  if (r->kind == CANTILEVER) return sup_mesh_box(mesh, bar, bar_cells, SUP_PATTERN_HEX);
  if (r->kind == CUBE) return sup_mesh_box(mesh, cube, cube_cells, SUP_PATTERN_HEX);
  if (r->kind == TETRAHEDRA) {
    sup_mesh *linear = NULL;
    SUP_TRY(sup_mesh_box(&linear, bar, bar_cells, SUP_PATTERN_MIRROR));
    sup_status status = sup_mesh_to_t10(mesh, linear);
    sup_mesh_destroy(&linear);
    return status;
  }
  sup_finray finray = sup_default_finray();
  finray.pattern = SUP_PATTERN_HEX;
  finray.wall_cells = finray.rib_cells = n;
  finray.inner_cells = finray.cavity_cells = 6 * n, finray.depth_cells = 3 * n;
  return sup_mesh_finray(mesh, &finray);
}

/** Is a vertex held?  The cantilever and the cube at x = 0, the finger at its base. */
static int is_held(const rung *r, const double *x) { return x[r->kind == FINGER ? 1 : 0] < 1e-9; }

/** Everything but what is solved with. */
typedef struct linear_problem {
  sup_fem_body *body;
  sup_m3       *R;
  double       *K, *b, *x;
  int          *whose;
  double        assembly;
} linear_problem;

static void free_problem(linear_problem *p) {
  sup_fem_body_destroy(&p->body);
  SUP_FREE(p->R), SUP_FREE(p->K), SUP_FREE(p->b), SUP_FREE(p->x), SUP_FREE(p->whose);
}

/** Stiffness at rest under a weight across the body; held vertices are made stiff. */
static sup_status make_problem(const rung *r, linear_problem *p) {
  sup_material_def material = sup_default_material_def();
  sup_mesh        *mesh = NULL;
  int              inverted;
  material.youngs_modulus = 1e6, material.density = 1000;
  material.poissons_ratio = r->kind == CUBE ? .25 : .3;
  SUP_TRY(make_mesh(r, &mesh));
  sup_status status = sup_fem_body_create(&p->body, mesh, &material, SUP_FEM_LUMPED);
  int        num_cells = mesh->num_cells;
  sup_mesh_destroy(&mesh);
  if (status != SUP_OK) return status;
  const sup_block_pattern *P = sup_fem_pattern(p->body);
  const sup_mesh          *of = sup_fem_mesh(p->body);
  SUP_TRY(SUP_CALLOC(p->R, num_cells));
  if (!r->is_free) SUP_TRY(SUP_CALLOC(p->K, sup_block_pattern_num_values(P)));
  SUP_TRY(SUP_CALLOC(p->b, P->num_scalars));
  SUP_TRY(SUP_CALLOC(p->x, P->num_scalars));
  SUP_TRY(SUP_CALLOC(p->whose, P->num_blocks));
  double start = bench_thread_time();
  sup_fem_rotations(p->body, of->x, p->R, &inverted);
  if (!r->is_free) sup_fem_stiffness(p->body, p->R, of->x, p->K);
  p->assembly = bench_thread_time() - start;
  for (int v = 0; v < P->num_blocks; v++) {
    p->whose[v] = r->is_free && is_held(r, of->x + 3 * v) ? SUP_NONE : 0;
    for (int i = 0; !r->is_free && is_held(r, of->x + 3 * v) && i < 3; i++)
      p->K[sup_block_diagonal(P, v) + (size_t)(4 * i)] *= 1e6;
    p->b[3 * v + (r->kind == FINGER ? 0 : 2)] = 1;
  }
  return SUP_OK;
}

/** Processor time of taking the values [s], the second time: the first analyses. */
static sup_status measure_setup(const linear_problem *p, const char *options, double *first,
                                double *second, cost *c) {
  const sup_block_pattern *P = sup_fem_pattern(p->body);
  sup_block_space          space = {sup_fem_mesh(p->body)->x, p->whose, 1};
  sup_linear_operator      A = {.pattern = P, .values = p->K, .space = &space};
  sup_linear_solver       *petsc = NULL;
  sup_linear_report        report;
  sup_status               status;
  SUP_TRY(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, options));
  double start = bench_process_time();
  SUP_TRY_GOTO(sup_linear_solver_analyse(petsc, P, NULL), status, done);
  SUP_TRY_GOTO(sup_linear_solver_setup(petsc, &A), status, done);
  *first = bench_process_time() - start;
  if (second) {
    start = bench_process_time();
    SUP_TRY_GOTO(sup_linear_solver_setup(petsc, &A), status, done);
    *second = bench_process_time() - start;
  }
  if (c) {
    memcpy(p->x, p->b, (size_t)P->num_scalars * sizeof *p->x);
    start = bench_process_time();
    SUP_TRY_GOTO(sup_linear_solver_solve(petsc, tolerance, p->x, &report), status, done);
    c->solve = bench_process_time() - start;
    c->iterations = report.iterations, c->residual = report.residual;
    c->is_missed = report.is_missed;
  }
done:
  sup_linear_solver_destroy(&petsc);
  return status;
}

/* ---- without a matrix ------------------------------------------------------------------------ */

/** Matrix that is solved with: held vertices are firm, the rest is that of the cells. */
typedef struct unstored {
  const linear_problem *of;
  sup_fem_cells         cells;
  sup_block_pattern     alone;
  double               *values, *known, *product;
  int                  *size;
} unstored;

static const double firm = 1e6; /* of the vertices that are held, beside Young's modulus [N/m] */

static void add_rest(const sup_block_rest *rest, const double *x, double *y) {
  const unstored *p = rest->self;
  sup_fem_cells_multiply(&p->cells, x, p->product);
  for (int v = 0; v < p->alone.num_blocks; v++)
    for (int i = 0; i < 3; i++) {
      const double *K = p->known + 9 * (size_t)v + i, *in = x + 3 * (size_t)v;
      y[3 * v + i] += p->product[3 * v + i] - (K[0] * in[0] + K[3] * in[1] + K[6] * in[2]);
    }
}

static void visit_rest(const sup_block_rest *rest, bool is_valued, sup_clique_visitor *visit,
                       void *user) {
  const unstored *p = rest->self;
  sup_fem_cells_visit(&p->cells, is_valued, visit, user);
}

static sup_status make_free(unstored *f) {
  int num = sup_fem_mesh(f->of->body)->num_vertices;
  f->cells = sup_fem_cells_of_stiffness(f->of->body, f->of->R, 1);
  SUP_TRY(SUP_CALLOC(f->size, num));
  SUP_TRY(SUP_CALLOC(f->known, 9 * (size_t)num));
  SUP_TRY(SUP_CALLOC(f->values, 9 * (size_t)num));
  SUP_TRY(SUP_CALLOC(f->product, 3 * (size_t)num));
  for (int v = 0; v < num; v++) f->size[v] = 3;
  SUP_TRY(sup_block_pattern_build(&f->alone, num, f->size, 0, NULL));
  sup_fem_cells_diagonal(&f->cells, f->known);
  memcpy(f->values, f->known, 9 * (size_t)num * sizeof *f->values);
  for (int v = 0; v < num; v++)
    for (int i = 0; i < 3 && f->of->whose[v] == SUP_NONE; i++) f->values[9 * v + 4 * i] += firm;
  return SUP_OK;
}

static void destroy_free(unstored *f) {
  sup_block_pattern_free(&f->alone);
  SUP_FREE(f->values), SUP_FREE(f->known), SUP_FREE(f->product), SUP_FREE(f->size);
}

static sup_status solve_free(const rung *r, const linear_problem *p, cost *c) {
  const double    d = r->kind == FINGER ? 0.003 / r->n : (r->kind == TETRAHEDRA ? 0.5 : 1) / r->n;
  const double    distance[] = {d, d, d}, *X = sup_fem_mesh(p->body)->x;
  unstored        f = {.of = p};
  sup_block_space space = {X, p->whose, 1, NULL, X, distance};
  sup_block_rest  rest = {add_rest, visit_rest, &f};
  sup_linear_solver *petsc = NULL;
  sup_linear_report  report;
  sup_status         status;
  int                num = sup_fem_pattern(p->body)->num_scalars;
  double             start = bench_process_time();
  SUP_TRY_GOTO(make_free(&f), status, done);
  sup_linear_operator A = {&f.alone, f.values, &rest, &space, NULL};
  SUP_TRY_GOTO(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, NULL), status, done);
  SUP_TRY_GOTO(sup_linear_solver_analyse(petsc, &f.alone, NULL), status, done);
  SUP_TRY_GOTO(sup_linear_solver_setup(petsc, &A), status, done);
  c->setup = bench_process_time() - start;
  memcpy(p->x, p->b, (size_t)num * sizeof *p->x);
  start = bench_process_time();
  SUP_TRY_GOTO(sup_linear_solver_solve(petsc, tolerance, p->x, &report), status, done);
  c->solve = bench_process_time() - start;
  c->iterations = report.iterations, c->residual = report.residual, c->is_missed = report.is_missed;
done:
  sup_linear_solver_destroy(&petsc);
  destroy_free(&f);
  return status;
}

static sup_status climb(const rung *r, cost *c) {
  linear_problem p = {0};
  struct rusage  usage;
  double         first;
  sup_status     status;
  SUP_TRY_GOTO(make_problem(r, &p), status, done);
  c->unknowns = sup_fem_pattern(p.body)->num_scalars, c->assembly = p.assembly;
  if (r->is_free)
    SUP_TRY_GOTO(solve_free(r, &p, c), status, done);
  else
    SUP_TRY_GOTO(measure_setup(&p, GAMG, &c->setup, NULL, c), status, done);
  if (getrusage(RUSAGE_SELF, &usage) == 0) c->bytes = 1024. * (double)usage.ru_maxrss;
  if (!r->is_free)
    SUP_TRY_GOTO(measure_setup(&p, UNPRECONDITIONED, &first, &c->fill, NULL), status, done);
done:
  free_problem(&p);
  return status;
}

/** Without a plug-in there is nothing to measure. */
static int is_missing(void) {
  sup_linear_solver *petsc = NULL;
  sup_status         status = sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, NULL);
  sup_linear_solver_destroy(&petsc);
  return status != SUP_OK;
}

/** 0: it told its cost; or, with c == NULL, there is a plug-in.  MPI starts in no other process. */
static int run_in_child(const rung *r, cost *c) {
  int ends[2], code = 0;
  if (pipe(ends)) return 1;
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    close(ends[0]);
    if (!c) exit(is_missing());
    code = climb(r, c) == SUP_OK ? write(ends[1], c, sizeof *c) != sizeof *c : bench_fail();
    exit(code);
  }
  close(ends[1]);
  ssize_t wanted = c ? (ssize_t)sizeof *c : 0, got = c ? read(ends[0], c, sizeof *c) : 0;
  close(ends[0]);
  if (waitpid(child, &code, 0) != child) return 1;
  return got != wanted || code != 0;
}

static void report(const rung *r, const cost *c) {
  char               name[64];
  double             n = c->unknowns;
  const double       value[] = {n,
                                c->iterations,
                                1e6 * c->assembly / n,
                                1e6 * c->fill / n,
                                c->fill / (c->assembly + c->setup),
                                1e6 * c->setup / n,
                                1e6 * c->solve / n,
                                c->bytes / n};
  static const char *what[] = {"unknowns",   "iterations", "assembly", "fill",
                               "fill_share", "setup",      "solve",    "bytes"},
                    *unit[] = {"1", "1", "us", "us", "1", "us", "us", "B"};
  for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
    snprintf(name, sizeof name, "petsc.%s%s.%d.%s", kind_names[r->kind], r->is_free ? "_free" : "",
             r->n, what[k]);
    bench_report(name, value[k], unit[k], 1);
  }
}

int bench_petsc(void) {
  static const rung rungs[] = {
      {CANTILEVER, 4, 0},  {CANTILEVER, 8, 0},  {CANTILEVER, 16, 0}, {CANTILEVER, 32, 0},
      {CANTILEVER, 62, 0}, {CUBE, 16, 0},       {CUBE, 32, 0},       {CUBE, 64, 0},
      {FINGER, 1, 0},      {FINGER, 2, 0},      {FINGER, 4, 0},      {FINGER, 8, 0},
      {FINGER, 14, 0},     {TETRAHEDRA, 4, 0},  {TETRAHEDRA, 8, 0},  {TETRAHEDRA, 16, 0},
      {CANTILEVER, 8, 1},  {CANTILEVER, 16, 1}, {CANTILEVER, 32, 1}, {CANTILEVER, 62, 1},
      {FINGER, 2, 1},      {FINGER, 4, 1},      {FINGER, 8, 1},      {TETRAHEDRA, 4, 1},
      {TETRAHEDRA, 8, 1},  {TETRAHEDRA, 16, 1}};
  const char *most = getenv("SUPPLE_BENCH_UNKNOWNS");
  cost        before = {0};
  if (run_in_child(&rungs[0], NULL)) {
    printf("petsc: skipped, there is no plug-in: make petsc\n");
    return 0;
  }
  for (size_t k = 0; k < sizeof rungs / sizeof *rungs; k++) {
    cost c = {0};
    /* the next rung of a ladder has eight times the unknowns */
    if (most && k > 0 && rungs[k].kind == rungs[k - 1].kind &&
        rungs[k].is_free == rungs[k - 1].is_free && 8. * before.unknowns > strtod(most, NULL))
      continue;
    if (run_in_child(&rungs[k], &c)) return 1;
    report(&rungs[k], &c);
    before = c;
    if (c.is_missed) return fprintf(stderr, "bench: the iteration missed its tolerance\n"), 1;
  }
  return 0;
}
