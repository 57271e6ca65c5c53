/* Cost of one rank of several, started by tests/bench/ranks.py under mpiexec: a linear
 * equilibrium of a bar of bricks in its phases, or what messages, sums and memory cost.
 * $SUPPLE_BENCH_WORK says which: "NX,NY,NZ", bricks along each axis, or "messages".  The first rank
 * prints names and values: seconds of the slowest rank, bytes of the largest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/timer.h"
#include "bench.h"
#include "fem/body.h"
#include "mesh/distribute/distribute.h"
#include "mesh/distribute/part.h"
#include "mesh/generate/generate.h"

#define GAMG "-ksp_type cg -ksp_norm_type unpreconditioned -pc_type gamg"
static const double tolerance = 1e-8;

/* ---- clocks ---------------------------------------------------------------------------------- */

typedef struct clocks {
  double wall, processor;
} clocks;

static clocks together(const sup_collective *c) {
  double zero = 0;
  c->sum(c, 1, &zero);
  return (clocks){sup_wall_time(), bench_process_time()};
}

static void say(const sup_collective *c, const char *name, double value) {
  if (c->rank == 0)
    printf("%s %.9g\n", name, sup_max_of_ranks(c, value));
  else
    (void)sup_max_of_ranks(c, value);
}

static void say_since(const sup_collective *c, const char *phase, clocks start) {
  char   name[64];
  double wall = sup_wall_time() - start.wall, used = bench_process_time() - start.processor;
  snprintf(name, sizeof name, "%s.wall", phase);
  say(c, name, wall);
  snprintf(name, sizeof name, "%s.processor", phase);
  say(c, name, used);
}

/* ---- a bar ----------------------------------------------------------------------------------- */

typedef struct bar {
  const sup_collective *ranks; /* of which there is at least one */
  sup_mesh             *own;   /* cells of this rank, all vertices */
  int                  *part, *cell_number, *owner, *whose;
  unsigned char        *touched;
  sup_fem_body         *body;
  sup_m3               *R;
  double               *K, *b;
} bar;

static void free_bar(bar *b) {
  sup_fem_body_destroy(&b->body);
  sup_mesh_destroy(&b->own);
  SUP_FREE(b->part), SUP_FREE(b->cell_number), SUP_FREE(b->owner), SUP_FREE(b->whose);
  SUP_FREE(b->touched), SUP_FREE(b->R), SUP_FREE(b->K), SUP_FREE(b->b);
}

/** Cells of this rank, and who has which vertex; prints how many vertices ranks share. */
static sup_status share(bar *b, const sup_mesh *mesh) {
  int rank = b->ranks->rank, n = sup_cell_num_vertices(mesh->type), shared = 0, own = 0;
  SUP_TRY(SUP_CALLOC(b->part, mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->owner, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->touched, mesh->num_vertices));
  SUP_TRY(sup_mesh_distribute(mesh, b->ranks, b->part));
  SUP_TRY(sup_mesh_cells_of_part(&b->own, mesh, b->part, rank));
  SUP_TRY(SUP_CALLOC(b->cell_number, b->own->num_cells));
  for (int v = 0; v < mesh->num_vertices; v++) b->owner[v] = SUP_NONE;
  for (int c = 0; c < mesh->num_cells; c++) {
    int part = b->part[c];
    if (part == rank) b->cell_number[own++] = c;
    for (int a = 0; a < n; a++) {
      int v = sup_mesh_cell(mesh, c)[a];
      if (b->owner[v] != SUP_NONE && b->owner[v] != part && b->touched[v] < 2)
        b->touched[v] = 2, shared++;
      if (b->owner[v] == SUP_NONE || part < b->owner[v]) b->owner[v] = part;
    }
  }
  memset(b->touched, 0, (size_t)mesh->num_vertices);
  for (int k = 0; k < n * b->own->num_cells; k++) b->touched[b->own->cell[k]] = 1;
  say(b->ranks, "shared", shared);
  say(b->ranks, "cells", mesh->num_cells);
  SUP_FREE(b->part);
  return SUP_OK;
}

static sup_status make_bar(bar *b, const int n[3]) {
  sup_material_def material = sup_default_material_def();
  const double     size[3] = {(double)n[0] / n[1], 1, (double)n[2] / n[1]};
  sup_mesh        *mesh = NULL;
  material.youngs_modulus = 1e6, material.density = 1000, material.poissons_ratio = .25;
  SUP_TRY(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  sup_status status = share(b, mesh);
  sup_mesh_destroy(&mesh);
  if (status != SUP_OK) return status;
  SUP_TRY(sup_fem_body_create_on(&b->body, b->own, 1, &material, NULL, SUP_FEM_LUMPED,
                                 b->cell_number, sup_has_ranks(b->ranks) ? b->ranks : NULL));
  const sup_block_pattern *P = sup_fem_pattern(b->body);
  SUP_TRY(SUP_CALLOC(b->R, b->own->num_cells));
  SUP_TRY(SUP_CALLOC(b->K, sup_block_pattern_num_values(P)));
  SUP_TRY(SUP_CALLOC(b->b, P->num_scalars));
  SUP_TRY(SUP_CALLOC(b->whose, P->num_blocks));
  return SUP_OK;
}

/** Stiffness at rest under a force across at each vertex; those at x = 0 are made stiff. */
static void assemble(bar *b) {
  const sup_block_pattern *P = sup_fem_pattern(b->body);
  const sup_mesh          *mesh = sup_fem_mesh(b->body);
  int                      inverted;
  sup_fem_rotations(b->body, mesh->x, b->R, &inverted); /* the first pages of memory */
  sup_fem_stiffness(b->body, b->R, mesh->x, b->K);
  clocks start = together(b->ranks);
  sup_fem_rotations(b->body, mesh->x, b->R, &inverted);
  sup_fem_stiffness(b->body, b->R, mesh->x, b->K);
  say_since(b->ranks, "assembly", start);
  for (int v = 0; v < P->num_blocks; v++) {
    for (int i = 0; mesh->x[3 * v] < 1e-9 && i < 3; i++)
      b->K[sup_block_diagonal(P, v) + (size_t)(4 * i)] *= 1e6;
    b->b[3 * v + 2] = 1;
  }
}

static sup_status solve(bar *b) {
  const sup_block_pattern *P = sup_fem_pattern(b->body);
  sup_block_ranks     ranks = {.collective = b->ranks, .owner = b->owner, .touched = b->touched};
  sup_block_space     space = {sup_fem_mesh(b->body)->x, b->whose, 1};
  sup_linear_operator A = {.pattern = P, .values = b->K, .space = &space};
  sup_linear_solver  *petsc = NULL;
  sup_linear_report   report = {0};
  sup_status          status;
  SUP_TRY(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, GAMG));
  if (sup_has_ranks(b->ranks)) SUP_TRY_GOTO(sup_linear_solver_spread(petsc, &ranks), status, done);
  clocks start = together(b->ranks);
  SUP_TRY_GOTO(sup_linear_solver_analyse(petsc, P, NULL), status, done);
  SUP_TRY_GOTO(sup_linear_solver_setup(petsc, &A), status, done);
  say_since(b->ranks, "setup", start);
  start = together(b->ranks);
  SUP_TRY_GOTO(sup_linear_solver_solve(petsc, tolerance, b->b, &report), status, done);
  say_since(b->ranks, "solve", start);
  say(b->ranks, "iterations", report.iterations);
  say(b->ranks, "unknowns", P->num_scalars);
done:
  sup_linear_solver_destroy(&petsc);
  return status;
}

static int run_bar(const sup_collective *ranks, const int n[3]) {
  bar           b = {.ranks = ranks};
  struct rusage usage;
  sup_status    status = make_bar(&b, n);
  if (status == SUP_OK) {
    assemble(&b);
    status = solve(&b);
  }
  if (getrusage(RUSAGE_SELF, &usage) == 0) say(ranks, "bytes", 1024. * (double)usage.ru_maxrss);
  free_bar(&b);
  return status == SUP_OK ? 0 : bench_fail();
}

/* ---- messages, sums, memory ------------------------------------------------------------------ */

enum { BURSTS = 7 };

/** Seconds of a message to the other of the first two ranks while one comes from it: least of the
 * means of several bursts. */
static double exchange_time(const sup_collective *c, size_t bytes, int times, char *out, char *in) {
  double      least = 1e9;
  sup_message message = {1 - c->rank, bytes, out, in};
  for (int burst = 0; burst < BURSTS; burst++) {
    double start = together(c).wall;
    for (int k = 0; k < times; k++) c->exchange(c, c->rank < 2 ? 1 : 0, &message);
    double seconds = (sup_wall_time() - start) / times;
    least = seconds < least ? seconds : least;
  }
  return least;
}

/** Sums over all ranks, likewise. */
static double sum_time(const sup_collective *c, size_t count, int times, double *x) {
  double least = 1e9;
  for (int burst = 0; burst < BURSTS; burst++) {
    double start = together(c).wall;
    for (int k = 0; k < times; k++) c->sum(c, count, x);
    double seconds = (sup_wall_time() - start) / times;
    least = seconds < least ? seconds : least;
  }
  return least;
}

/** a := a + s b by all ranks at once [byte/s of each]. */
static double stream_rate(const sup_collective *c, size_t count, double *a, const double *b) {
  double best = 0;
  for (int burst = 0; burst < BURSTS; burst++) {
    double start = together(c).wall;
    for (size_t i = 0; i < count; i++) a[i] += .5 * b[i];
    double rate = 3 * sizeof *a * (double)count / (sup_wall_time() - start);
    best = rate > best ? rate : best;
  }
  return best;
}

static int run_messages(const sup_collective *c) {
  enum { COUNT = 1 << 24, SMALL = 8, TIMES = 1000, FEW = 2 };
  double *a = NULL, *b = NULL;
  if (SUP_CALLOC(a, COUNT) != SUP_OK || SUP_CALLOC(b, COUNT) != SUP_OK) return bench_fail();
  say(c, "stream", -stream_rate(c, COUNT, a, b)); /* the least */
  say(c, "sum.one", sum_time(c, 1, TIMES, a));
  say(c, "sum.many", sum_time(c, COUNT, FEW, a) / COUNT);
  if (c->size > 1) {
    say(c, "message", exchange_time(c, SMALL, TIMES, (char *)a, (char *)b));
    say(c, "byte",
        exchange_time(c, sizeof *a * COUNT, FEW, (char *)a, (char *)b) /
            (double)(sizeof *a * COUNT));
  }
  SUP_FREE(a);
  SUP_FREE(b);
  return 0;
}

int bench_rank_work(void) {
  const sup_collective *ranks;
  const char           *work = getenv("SUPPLE_BENCH_WORK");
  int                   n[3];
  if (!work) return fprintf(stderr, "bench: rank_work is started by tests/bench/ranks.py\n"), 1;
  if (sup_ranks_start(&ranks) != SUP_OK) return bench_fail();
  if (strcmp(work, "messages") == 0) return run_messages(ranks);
  if (sscanf(work, "%d,%d,%d", &n[0], &n[1], &n[2]) != 3)
    return fprintf(stderr, "bench: found '%s', expected NX,NY,NZ or messages\n", work), 1;
  return run_bar(ranks, n);
}
