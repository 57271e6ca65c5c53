/* Graphs in parts, by PT-Scotch (Chevalier, Pellegrini, Parallel Computing 34, 2008) through
 * PETSc.  The same graph is cut alike whenever it comes: Scotch draws random numbers from a state
 * that it keeps from one graph to the next, and its threads, as many as there are cores for each
 * rank, match vertices in the order in which they happen to run. */
#include <dlfcn.h>
#include <petscmat.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/petsc_parts.h"

static void set_back(void) {
  void (*reset)(void) = NULL;
  void *program = dlopen(NULL, RTLD_LAZY); /* and all that it has loaded: PETSc needs Scotch */
  void *symbol = program ? dlsym(program, "SCOTCH_randomReset") : NULL;
  memcpy(&reset, &symbol, sizeof reset);
  if (reset) reset();
  if (program) dlclose(program);
  setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
}

/** The graph as PETSc's matrix of adjacency, which takes the arrays over. */
static PetscErrorCode make_adjacency(const sup_graph_share *graph, Mat *adjacency) {
  PetscInt *start, *neighbour, n = graph->num_own, edges = graph->start[n];
  PetscCall(PetscMalloc1(n + 1, &start));
  PetscCall(PetscMalloc1(edges + 1, &neighbour));
  for (PetscInt i = 0; i <= n; i++) start[i] = graph->start[i];
  for (PetscInt k = 0; k < edges; k++) neighbour[k] = graph->neighbour[k];
  PetscCall(
      MatCreateMPIAdj(PETSC_COMM_WORLD, n, graph->num_vertices, start, neighbour, NULL, adjacency));
  return 0;
}

static PetscErrorCode cut(const sup_graph_share *graph, int num_parts, int *part) {
  Mat             adjacency;
  MatPartitioning partitioning;
  IS              parts;
  const PetscInt *index;
  PetscCall(make_adjacency(graph, &adjacency));
  PetscCall(MatPartitioningCreate(PETSC_COMM_WORLD, &partitioning));
  PetscCall(MatPartitioningSetAdjacency(partitioning, adjacency));
  PetscCall(MatPartitioningSetNParts(partitioning, num_parts));
  PetscCall(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH));
  PetscCall(MatPartitioningApply(partitioning, &parts));
  PetscCall(ISGetIndices(parts, &index));
  for (int i = 0; i < graph->num_own; i++) part[i] = (int)index[i];
  PetscCall(ISRestoreIndices(parts, &index));
  PetscCall(ISDestroy(&parts));
  PetscCall(MatPartitioningDestroy(&partitioning));
  PetscCall(MatDestroy(&adjacency));
  return 0;
}

int sup_petsc_cut(const sup_collective *self, const sup_graph_share *graph, int num_parts,
                  int *part) {
  set_back();
  int64_t has_failed = cut(graph, num_parts, part) != 0;
  self->max_integers(self, 1, &has_failed);
  return !has_failed;
}
