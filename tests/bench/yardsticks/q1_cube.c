/* A cube of n^3 bricks (Q1, eight points of Gauss, E = 1 MPa, nu = 0.25), assembled straight
 * through PETSc by MatSetValuesBlocked and solved by its CG: what a program does that is nothing
 * else.
 *
 *      q1_cube -n 32 [PETSc's options]
 *
 *  Each rank has planes of vertices, and of cells those below them.  The face x = 0 is held,
 * and all vertices bear the same force across, as in tests/bench/rank_work.c.  Prints name and
 * value of the slowest rank, seconds of wall and processor time and bytes. */
#include <math.h>
#include <petscksp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { CORNERS = 8, SIZE = 3 * CORNERS };

static const int place[CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/** Stiffness of a brick with edges h, sum over the points of B^T D B. */
static void stiffness(double h, PetscScalar K[SIZE * SIZE]) {
  const double E = 1e6, nu = .25, lambda = E * nu / ((1 + nu) * (1 - 2 * nu)),
               mu = E / (2 * (1 + nu)), point = 1 / sqrt(3.);
  memset(K, 0, SIZE * SIZE * sizeof *K);
  for (int q = 0; q < CORNERS; q++) {
    double g[CORNERS][3]; /* gradients of the shape functions */
    for (int a = 0; a < CORNERS; a++)
      for (int d = 0; d < 3; d++) {
        g[a][d] = 2 / h / 8;
        for (int e = 0; e < 3; e++) {
          double sign = 2 * place[a][e] - 1, x = point * (2 * place[q][e] - 1);
          g[a][d] *= e == d ? sign : 1 + sign * x;
        }
      }
    double weight = h * h * h / 8;
    for (int a = 0; a < CORNERS; a++)
      for (int b = 0; b < CORNERS; b++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) {
            double sum = lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i];
            for (int d = 0; d < 3 && i == j; d++) sum += mu * g[a][d] * g[b][d];
            K[(3 * a + i) * SIZE + 3 * b + j] += weight * sum;
          }
  }
}

typedef struct cube {
  PetscInt n, begin, end; /* cells a side; planes of vertices of this rank */
} cube;

/** Negative: held, PETSc passes over it. */
static PetscInt number(const cube *c, PetscInt i, PetscInt j, PetscInt k) {
  return i == 0 ? -1 : i - 1 + c->n * (j + (c->n + 1) * k);
}

static PetscErrorCode assemble(const cube *c, Mat A) {
  PetscScalar brick[SIZE * SIZE];
  stiffness(1. / (double)c->n, brick);
  for (PetscInt k = c->begin > 0 ? c->begin - 1 : 0; k < c->end - 1; k++)
    for (PetscInt j = 0; j < c->n; j++)
      for (PetscInt i = 0; i < c->n; i++) {
        PetscInt vertex[CORNERS];
        for (int a = 0; a < CORNERS; a++)
          vertex[a] = number(c, i + place[a][0], j + place[a][1], k + place[a][2]);
        PetscCall(MatSetValuesBlocked(A, CORNERS, vertex, CORNERS, vertex, brick, ADD_VALUES));
      }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return 0;
}

/** D A D with D = diag(A)^(-1/2), b := D b, and the rigid motions in the new unknowns. */
static PetscErrorCode scale(const cube *c, Mat A, Vec b) {
  Vec          D, x;
  MatNullSpace space;
  const Vec   *mode;
  PetscInt     modes;
  PetscScalar *at;
  PetscCall(VecDuplicate(b, &D));
  PetscCall(MatGetDiagonal(A, D));
  PetscCall(VecSqrtAbs(D));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecSetBlockSize(x, 3));
  PetscCall(VecGetArray(x, &at));
  for (PetscInt k = c->begin; k < c->end; k++)
    for (PetscInt j = 0; j <= c->n; j++)
      for (PetscInt i = 1; i <= c->n; i++) {
        *at++ = (double)i / (double)c->n;
        *at++ = (double)j / (double)c->n;
        *at++ = (double)k / (double)c->n;
      }
  at -= 3 * (c->end - c->begin) * c->n * (c->n + 1);
  PetscCall(VecRestoreArray(x, &at));
  PetscCall(MatNullSpaceCreateRigidBody(x, &space));
  PetscCall(MatNullSpaceGetVecs(space, NULL, &modes, &mode));
  Vec scaled[6];
  for (PetscInt m = 0; m < modes; m++) {
    PetscCall(VecDuplicate(mode[m], &scaled[m]));
    PetscCall(VecPointwiseMult(scaled[m], mode[m], D));
    for (PetscInt l = 0; l < m; l++) {
      PetscScalar dot;
      PetscCall(VecDot(scaled[m], scaled[l], &dot));
      PetscCall(VecAXPY(scaled[m], -dot, scaled[l]));
    }
    PetscCall(VecNormalize(scaled[m], NULL));
  }
  MatNullSpace near;
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, modes, scaled, &near));
  PetscCall(MatSetNearNullSpace(A, near));
  PetscCall(MatNullSpaceDestroy(&near));
  PetscCall(MatNullSpaceDestroy(&space));
  for (PetscInt m = 0; m < modes; m++) PetscCall(VecDestroy(&scaled[m]));
  PetscCall(VecReciprocal(D));
  PetscCall(MatDiagonalScale(A, D, D));
  PetscCall(VecPointwiseMult(b, b, D));
  PetscCall(VecDestroy(&D));
  PetscCall(VecDestroy(&x));
  return 0;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static double processor(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double wall_start, processor_start;

static void begin(void) {
  MPI_Barrier(PETSC_COMM_WORLD);
  wall_start = MPI_Wtime(), processor_start = processor();
}

static void print_largest(const char *name, double value) {
  double largest;
  MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  (void)PetscPrintf(PETSC_COMM_WORLD, "%s %.9g\n", name, largest);
}

static void end(const char *phase) {
  char   name[64];
  double seconds = MPI_Wtime() - wall_start, used = processor() - processor_start;
  snprintf(name, sizeof name, "%s.wall", phase);
  print_largest(name, seconds);
  snprintf(name, sizeof name, "%s.processor", phase);
  print_largest(name, used);
}

static PetscErrorCode run(const cube *c) {
  PetscInt planes = c->end - c->begin, layer = c->n * (c->n + 1), rows = 3 * layer * planes,
           iterations;
  struct rusage usage;
  Mat           A;
  Vec           x, b;
  KSP           ksp;
  begin();
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(A, 3));
  PetscCall(MatSetType(A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(A, 81, NULL));
  PetscCall(MatMPIAIJSetPreallocation(A, 81, NULL, 54, NULL));
  PetscCall(assemble(c, A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 0));
  PetscCall(VecStrideSet(b, 2, 1));
  end("assembly");
  begin();
  PetscCall(scale(c, A, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, 1000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetUp(ksp));
  end("setup");
  begin();
  PetscCall(KSPSolve(ksp, b, x));
  end("solve");
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  print_largest("iterations", (double)iterations);
  print_largest("unknowns", 3. * (double)c->n * pow((double)c->n + 1, 2));
  getrusage(RUSAGE_SELF, &usage);
  print_largest("bytes", 1024. * (double)usage.ru_maxrss);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  return 0;
}

int main(int argc, char **argv) {
  int  rank, size;
  cube c = {.n = 16};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &c.n, NULL));
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  c.begin = (c.n + 1) * rank / size, c.end = (c.n + 1) * (rank + 1) / size;
  PetscCall(run(&c));
  PetscCall(PetscFinalize());
  return 0;
}
