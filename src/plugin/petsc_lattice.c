/* Trilinear functions of lattices that are laid over the bodies as a coarse level (Xu 1996,
 * auxiliary space): they have the rigid motions whatever the cells are, need no graph of the matrix
 * and no memory, and are evaluated where they are needed, from the coordinates.  Each body has a
 * lattice of its own, so that bodies beside each other move as they like.  It is laid over the
 * undeformed body: there the points of a grid of cells lie on nodes and half way between them, and
 * a node meets 26 others, at other places some 90. */
#include "plugin/petsc_lattice.h"
#include "la/petsc_numerics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  DIM = SUP_TILE,
  CORNERS = SUP_LATTICE_CORNERS,
  MOST_PLACES = 64, /* of a lattice for each point */
  MOST_NODES = CORNERS * SUP_CLIQUE_MOST,
  AROUND = 125, /* nodes at most two away in each direction */
  PASSES = 6
};

/** Nodes that have a share of block column b, and the shares, which add up to one; their number;
 * 0 for a block column that is no point. */
static int nodes_of(const sup_petsc_lattice *l, int b, PetscInt node[CORNERS],
                    double share[CORNERS]) {
  int body = l->space->body[b], count = 0;
  if (body == SUP_NONE || sup_block_size(l->system->pattern, b) != DIM) return 0;
  const sup_petsc_lattice_box *box = &l->box[body];
  PetscInt                     first[3];
  double                       along[3], sum = 0;
  for (int k = 0; k < 3; k++) {
    double at = (l->space->reference[3 * b + k] - box->lower[k]) / box->H[k];
    first[k] = (PetscInt)floor(at);
    if (first[k] > box->n[k] - 2) first[k] = box->n[k] - 2;
    along[k] = at - (double)first[k];
  }
  for (int c = 0; c < CORNERS; c++) {
    int    at[3] = {c & 1, c >> 1 & 1, c >> 2};
    double w = 1;
    for (int k = 0; k < 3; k++) w *= at[k] ? along[k] : 1 - along[k];
    if (w < sup_petsc_numerics.no_share) continue;
    PetscInt place = ((first[0] + at[0]) * box->n[1] + first[1] + at[1]) * box->n[2] + first[2];
    node[count] = l->node[box->first + place + at[2]];
    share[count++] = w, sum += w;
  }
  for (int c = 0; c < count; c++) share[c] /= sum;
  return count;
}

/** 1: component k of block column b is one that the lattice moves. */
static int moves(const sup_petsc_lattice *l, int b, int k) {
  return !l->space->held || !(l->space->held[b] >> k & 1);
}

/* ---- size ------------------------------------------------------------------------------------ */

typedef struct bounds {
  double lower[3], upper[3];
} bounds;

static void find_bounds(const sup_petsc_lattice *l, bounds *body) {
  for (int i = 0; i < l->space->num_bodies; i++)
    for (int k = 0; k < 3; k++) body[i].lower[k] = HUGE_VAL, body[i].upper[k] = -HUGE_VAL;
  for (int b = 0; b < l->system->pattern->num_blocks; b++) {
    if (l->space->body[b] == SUP_NONE) continue;
    bounds *of = &body[l->space->body[b]];
    for (int k = 0; k < 3; k++) {
      double x = l->space->reference[3 * b + k];
      of->lower[k] = fmin(of->lower[k], x), of->upper[k] = fmax(of->upper[k], x);
    }
  }
}

/** The lattice of a body, whose cells are wider where that would have more than `most` places. */
static void size_box(sup_petsc_lattice_box *box, const bounds *of, const double *distance,
                     double most) {
  double n[3], all, width = sup_petsc_numerics.lattice;
  do {
    all = 1;
    for (int k = 0; k < 3; k++) {
      box->H[k] = width * distance[k];
      n[k] = fmax(2, ceil((of->upper[k] - of->lower[k]) / box->H[k] * (1 - 1e-9)) + 1);
      all *= n[k];
    }
    width *= sup_petsc_numerics.wider;
  } while (all > most);
  for (int k = 0; k < 3; k++) box->lower[k] = of->lower[k], box->n[k] = (PetscInt)n[k];
}

static PetscErrorCode size_boxes(sup_petsc_lattice *l) {
  int      num = l->space->num_bodies;
  bounds  *body = calloc((size_t)num + 1, sizeof *body);
  double  *most = calloc((size_t)num + 1, sizeof *most); /* places */
  PetscInt places = 0;
  if (body && most) {
    find_bounds(l, body);
    for (int b = 0; b < l->system->pattern->num_blocks; b++)
      if (l->space->body[b] != SUP_NONE) most[l->space->body[b]] += MOST_PLACES;
    for (int i = 0; i < num; i++) {
      sup_petsc_lattice_box *box = &l->box[i];
      box->first = places;
      if (!(body[i].upper[0] >= body[i].lower[0])) continue; /* all its points are held */
      size_box(box, &body[i], l->space->distance + 3 * (size_t)i, most[i]);
      places += box->n[0] * box->n[1] * box->n[2];
    }
  }
  PetscErrorCode code = body && most ? 0 : PETSC_ERR_MEM;
  l->num_places = places;
  free(body), free(most);
  return code;
}

/** Nodes that some point has a share in are numbered. */
static PetscErrorCode number_nodes(sup_petsc_lattice *l) {
  unsigned char *is_used = calloc((size_t)l->num_places + 1, 1);
  if (!is_used) return PETSC_ERR_MEM;
  for (PetscInt i = 0; i < l->num_places; i++) l->node[i] = i; /* for the moment, of places */
  for (int b = 0; b < l->system->pattern->num_blocks; b++) {
    PetscInt node[CORNERS];
    double   share[CORNERS];
    for (int c = nodes_of(l, b, node, share); c-- > 0;) is_used[node[c]] = 1;
  }
  l->num_nodes = 0;
  for (PetscInt i = 0; i < l->num_places; i++) l->node[i] = is_used[i] ? l->num_nodes++ : -1;
  free(is_used);
  l->place = malloc((size_t)l->num_nodes * sizeof *l->place + 1);
  l->body = malloc((size_t)l->num_nodes * sizeof *l->body + 1);
  if (!l->place || !l->body) return PETSC_ERR_MEM;
  for (int body = 0; body < l->space->num_bodies; body++) {
    const sup_petsc_lattice_box *box = &l->box[body];
    for (PetscInt i = 0; i < box->n[0] * box->n[1] * box->n[2]; i++) {
      PetscInt node = l->node[box->first + i];
      if (node >= 0) l->place[node] = i, l->body[node] = body;
    }
  }
  return 0;
}

PetscErrorCode sup_petsc_lattice_lay(sup_petsc_lattice *l, const sup_petsc_system *system,
                                     const sup_block_space *space) {
  l->system = system, l->space = space;
  l->box = calloc((size_t)space->num_bodies + 1, sizeof *l->box);
  if (!l->box) return PETSC_ERR_MEM;
  PetscErrorCode code = size_boxes(l);
  if (code) return code;
  l->node = malloc((size_t)l->num_places * sizeof *l->node + 1);
  return l->node ? number_nodes(l) : PETSC_ERR_MEM;
}

void sup_petsc_lattice_free(sup_petsc_lattice *l) {
  free(l->box), free(l->node), free(l->place), free(l->body);
  free(l->row), free(l->col), free(l->start), free(l->scalar_col), free(l->value);
  free(l->constant);
  *l = (sup_petsc_lattice){0};
}

/* ---- interpolation --------------------------------------------------------------------------- */

PetscErrorCode sup_petsc_lattice_prolong(const sup_petsc_lattice *l, Vec in, Vec out) {
  const sup_petsc_system *of = l->system;
  const PetscScalar      *x;
  PetscScalar            *y;
  PetscCall(VecZeroEntries(out));
  PetscCall(VecGetArrayRead(in, &x));
  PetscCall(VecGetArray(out, &y));
  for (int b = 0; b < of->pattern->num_blocks; b++) {
    PetscInt node[CORNERS], row = DIM * of->first[b];
    double   share[CORNERS], sum[DIM] = {0, 0, 0};
    int      num = nodes_of(l, b, node, share);
    if (!num) continue;
    for (int c = num; c-- > 0;)
      for (int k = 0; k < DIM; k++) sum[k] += share[c] * x[DIM * node[c] + k];
    for (int k = 0; k < DIM; k++)
      if (moves(l, b, k)) y[row + k] = sum[k] / of->scale[row + k];
  }
  PetscCall(VecRestoreArray(out, &y));
  PetscCall(VecRestoreArrayRead(in, &x));
  return 0;
}

PetscErrorCode sup_petsc_lattice_restrict(const sup_petsc_lattice *l, Vec in, Vec out) {
  const sup_petsc_system *of = l->system;
  const PetscScalar      *x;
  PetscScalar            *y;
  PetscCall(VecZeroEntries(out));
  PetscCall(VecGetArrayRead(in, &x));
  PetscCall(VecGetArray(out, &y));
  for (int b = 0; b < of->pattern->num_blocks; b++) {
    PetscInt node[CORNERS], row = DIM * of->first[b];
    double   share[CORNERS];
    for (int c = nodes_of(l, b, node, share); c-- > 0;)
      for (int k = 0; k < DIM; k++)
        if (moves(l, b, k)) y[DIM * node[c] + k] += share[c] * x[row + k] / of->scale[row + k];
  }
  PetscCall(VecRestoreArray(out, &y));
  PetscCall(VecRestoreArrayRead(in, &x));
  return 0;
}

/* ---- P^T A P --------------------------------------------------------------------------------- */

/** Nodes of a cell, and the shares of its points in them. */
typedef struct cell_nodes {
  int      num;
  PetscInt node[MOST_NODES];
  double   share[SUP_CLIQUE_MOST][MOST_NODES];
} cell_nodes;

static void gather_nodes(const sup_petsc_lattice *l, int n, const int *block, cell_nodes *cell) {
  cell->num = 0;
  for (int a = 0; a < n; a++) {
    PetscInt node[CORNERS];
    double   share[CORNERS];
    int      count = nodes_of(l, block[a], node, share);
    for (int c = 0; c < count; c++) {
      int at = 0;
      while (at < cell->num && cell->node[at] != node[c]) at++;
      if (at == cell->num) {
        cell->node[cell->num++] = node[c];
        for (int i = 0; i < n; i++) cell->share[i][at] = 0;
      }
      cell->share[a][at] = share[c];
    }
  }
}

/** The nodes that each node meets: of those around it which, and the others one by one. */
typedef struct links {
  const sup_petsc_lattice *l;
  unsigned char (*met)[AROUND];
  int64_t       *far; /* [num_far] a * num_nodes + b */
  size_t         num_far, capacity;
  PetscErrorCode code;
  cell_nodes     cell;
} links;

/** Index of node b among the AROUND nodes about node a; -1: not among them. */
static int offset(const sup_petsc_lattice *l, PetscInt a, PetscInt b) {
  if (l->body[a] != l->body[b]) return -1;
  const PetscInt *n = l->box[l->body[a]].n, slab = n[1] * n[2];
  PetscInt        from = l->place[a], to = l->place[b], i = to / slab - from / slab,
           j = to / n[2] % n[1] - from / n[2] % n[1], k = to % n[2] - from % n[2];
  if (i < -2 || i > 2 || j < -2 || j > 2 || k < -2 || k > 2) return -1;
  return (int)((i + 2) * 25 + (j + 2) * 5 + k + 2);
}

/** The node at that offset. */
static PetscInt neighbour(const sup_petsc_lattice *l, PetscInt a, int at) {
  const sup_petsc_lattice_box *box = &l->box[l->body[a]];
  PetscInt place = l->place[a] + ((at / 25 - 2) * box->n[1] + at / 5 % 5 - 2) * box->n[2];
  return l->node[box->first + place + at % 5 - 2];
}

static void add_far(links *of, PetscInt a, PetscInt b) {
  if (of->num_far == of->capacity) {
    size_t more = 2 * of->capacity + 64;
    void  *grown = realloc(of->far, more * sizeof *of->far);
    if (!grown) {
      of->code = PETSC_ERR_MEM;
      return;
    }
    of->far = grown, of->capacity = more;
  }
  of->far[of->num_far++] = (int64_t)a * of->l->num_nodes + b;
}

static void link_nodes(void *user, int n, const int *block, const double *K) {
  links      *of = user;
  cell_nodes *cell = &of->cell;
  (void)K;
  gather_nodes(of->l, n, block, cell);
  for (int a = 0; a < cell->num; a++)
    for (int b = 0; b < cell->num; b++) {
      int at = offset(of->l, cell->node[a], cell->node[b]);
      if (at >= 0)
        of->met[cell->node[a]][at] = 1;
      else
        add_far(of, cell->node[a], cell->node[b]);
    }
}

/** Entries stored beside the diagonal, as cells of two. */
static void visit_stored(const sup_linear_operator *op, sup_clique_visitor *visit, void *user) {
  const sup_block_pattern *P = op->pattern;
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j) + 1; e < sup_block_column(P, j + 1); e++) {
      int           i = sup_block_row(P, e), pair[2] = {j, i};
      const double *A = op->values + sup_block_value(P, e);
      double        K[4 * DIM * DIM] = {0};
      if (sup_block_size(P, i) != DIM || sup_block_size(P, j) != DIM) continue;
      for (int c = 0; c < DIM; c++)
        for (int r = 0; r < DIM; r++)
          K[2 * DIM * (DIM + r) + c] = K[2 * DIM * c + DIM + r] = A[DIM * c + r];
      visit(user, 2, pair, K);
    }
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/** Blocks of node a's row, ascending, into `to` unless it is NULL; their number.  Nodes around it
 * ascend as their offsets do.
 *  @param[in,out] next  the next of the far links, which are sorted */
static PetscInt list_row(const links *of, PetscInt a, size_t *next, PetscInt *to) {
  const sup_petsc_lattice *l = of->l;
  PetscInt                 num = 0;
  int64_t                  end = (int64_t)(a + 1) * l->num_nodes, last = -1;
  for (int at = 0; at <= AROUND; at++) {
    if (at < AROUND && !of->met[a][at]) continue;
    PetscInt near = at < AROUND ? neighbour(l, a, at) : l->num_nodes;
    for (; *next < of->num_far && of->far[*next] < end; ++*next) {
      PetscInt b = (PetscInt)(of->far[*next] % l->num_nodes);
      if (b > near) break;
      if (b == last) continue;
      if (to) to[num] = b;
      last = b, num++;
    }
    if (at == AROUND) break;
    if (to) to[num] = near;
    num++;
  }
  return num;
}

/** Rows of blocks: row and col. */
static PetscErrorCode make_rows(sup_petsc_lattice *l, const links *of) {
  size_t next = 0;
  double all = 0;
  l->row = malloc(((size_t)l->num_nodes + 1) * sizeof *l->row);
  if (!l->row) return PETSC_ERR_MEM;
  l->row[0] = 0;
  for (PetscInt a = 0; a < l->num_nodes; a++) {
    PetscInt num = list_row(of, a, &next, NULL);
    all += DIM * DIM * (double)num;
    if (all > PETSC_MAX_INT) return PETSC_ERR_ARG_OUTOFRANGE;
    l->row[a + 1] = l->row[a] + num;
  }
  l->col = malloc((size_t)l->row[l->num_nodes] * sizeof *l->col + 1);
  if (!l->col) return PETSC_ERR_MEM;
  next = 0;
  for (PetscInt a = 0; a < l->num_nodes; a++) (void)list_row(of, a, &next, l->col + l->row[a]);
  return 0;
}

static PetscErrorCode find_rows(sup_petsc_lattice *l, const sup_linear_operator *op) {
  links         *of = calloc(1, sizeof *of);
  PetscErrorCode code = PETSC_ERR_MEM;
  if (!of) return code;
  of->l = l, of->met = calloc((size_t)l->num_nodes + 1, sizeof *of->met);
  if (of->met) {
    for (int b = 0; b < op->pattern->num_blocks; b++) link_nodes(of, 1, &b, NULL);
    visit_stored(op, link_nodes, of);
    op->rest->cliques(op->rest, 0, link_nodes, of);
    if (of->num_far > 0) qsort(of->far, of->num_far, sizeof *of->far, ascending);
    code = of->code ? of->code : make_rows(l, of);
  }
  free(of->met), free(of->far), free(of);
  return code;
}

/** P^T K P of cells, into `value`: scalar rows as AIJ has them. */
typedef struct projection {
  const sup_petsc_lattice *l;
  PetscScalar             *value;
  cell_nodes               cell;
  double half[DIM * SUP_CLIQUE_MOST * DIM * MOST_NODES], sum[DIM * MOST_NODES * DIM * MOST_NODES];
} projection;

/** Block (a, b) of nodes += the block at `from`, whose rows are `width` apart. */
static void add_block(const projection *p, PetscInt a, PetscInt b, int width, const double *from) {
  const sup_petsc_lattice *l = p->l;
  PetscInt low = l->row[a], high = l->row[a + 1] - 1, size = l->row[a + 1] - l->row[a];
  while (low < high) {
    PetscInt middle = low + (high - low) / 2;
    if (l->col[middle] < b)
      low = middle + 1;
    else
      high = middle;
  }
  PetscScalar *to = p->value + DIM * DIM * l->row[a] + DIM * (low - l->row[a]);
  for (int i = 0; i < DIM; i++)
    for (int j = 0; j < DIM; j++) to[DIM * size * i + j] += from[width * i + j];
}

/** Add P^T K P: of one block its diagonal block, of several the blocks between them. */
static void project(void *user, int n, const int *block, const double *K) {
  projection *p = user;
  cell_nodes *cell = &p->cell;
  gather_nodes(p->l, n, block, cell);
  int size = DIM * n, width = DIM * cell->num;
  memset(p->half, 0, (size_t)(size * width) * sizeof *p->half);
  for (int i = 0; i < size; i++)
    for (int b = 0; b < n; b++)
      for (int m = 0; m < cell->num; m++) {
        double share = cell->share[b][m];
        if (share == 0 || (n > 1 && b == i / DIM)) continue;
        for (int k = 0; k < DIM; k++)
          if (moves(p->l, block[b], k))
            p->half[i * width + DIM * m + k] += K[i * size + DIM * b + k] * share;
      }
  memset(p->sum, 0, (size_t)(width * width) * sizeof *p->sum);
  for (int a = 0; a < n; a++)
    for (int m = 0; m < cell->num; m++) {
      double share = cell->share[a][m];
      if (share == 0) continue;
      for (int k = 0; k < DIM; k++)
        for (int j = 0; j < width && moves(p->l, block[a], k); j++)
          p->sum[(DIM * m + k) * width + j] += share * p->half[(DIM * a + k) * width + j];
    }
  for (int a = 0; a < cell->num; a++)
    for (int b = 0; b < cell->num; b++)
      add_block(p, cell->node[a], cell->node[b], width, p->sum + DIM * (a * width + b));
}

/** Project the diagonal blocks of the columns that change, or of the others. */
static void project_diagonal(projection *p, const sup_linear_operator *op, int do_change) {
  const sup_block_pattern *P = op->pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    const double *A = op->values + sup_block_diagonal(P, b);
    double        K[DIM * DIM];
    if (p->l->space->body[b] == SUP_NONE || sup_block_size(P, b) != DIM) continue;
    if (p->l->changes[b] != do_change) continue;
    for (int r = 0; r < DIM; r++)
      for (int c = 0; c < DIM; c++) K[DIM * r + c] = r < c ? A[DIM * r + c] : A[DIM * c + r];
    project(p, 1, &b, K);
  }
}

static PetscErrorCode project_all(sup_petsc_lattice *l, const sup_linear_operator *op,
                                  int is_update) {
  projection *p = malloc(sizeof *p);
  if (!p) return PETSC_ERR_MEM;
  p->l = l, p->value = l->value;
  size_t bytes = DIM * DIM * (size_t)l->row[l->num_nodes] * sizeof *l->value;
  if (!is_update) {
    project_diagonal(p, op, 0);
    op->rest->cliques(op->rest, 1, project, p);
    if (l->constant) memcpy(l->constant, l->value, bytes);
  } else if (l->constant) {
    memcpy(l->value, l->constant, bytes);
  }
  if (!is_update || l->constant) {
    project_diagonal(p, op, 1);
    visit_stored(op, project, p);
  }
  free(p);
  return 0;
}

/** Stabilise the diagonal: some functions are dependent or zero where a lattice has more nodes than
 * there are points, or its points are held.  Zeros become the largest entry. */
static PetscErrorCode steady(Mat A) {
  Vec          d;
  PetscScalar *x;
  PetscReal    largest;
  PetscInt     n;
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(VecMax(d, NULL, &largest));
  PetscCall(VecGetLocalSize(d, &n));
  PetscCall(VecGetArray(d, &x));
  for (PetscInt i = 0; i < n; i++)
    x[i] = x[i] > sup_petsc_numerics.nothing * largest ? (1 + sup_petsc_numerics.steady) * x[i]
                                                       : largest;
  PetscCall(VecRestoreArray(d, &x));
  PetscCall(MatDiagonalSet(A, d, INSERT_VALUES));
  PetscCall(VecDestroy(&d));
  return 0;
}

/** Residual of the interpolation from the nodes at x: for each node the sum of share times residual
 * over its points, then the sum of shares, [4 x num_nodes]. */
static void find_misses(const sup_petsc_lattice *l, const PetscScalar *x, double *miss) {
  memset(miss, 0, 4 * (size_t)l->num_nodes * sizeof *miss);
  for (int b = 0; b < l->system->pattern->num_blocks; b++) {
    PetscInt node[CORNERS];
    double   share[CORNERS], r[DIM];
    int      num = nodes_of(l, b, node, share);
    for (int k = 0; k < DIM && num; k++) {
      r[k] = l->space->coordinate[DIM * b + k];
      for (int c = 0; c < num; c++) r[k] -= share[c] * x[DIM * node[c] + k];
    }
    for (int c = 0; c < num; c++) {
      for (int k = 0; k < DIM; k++) miss[4 * node[c] + k] += share[c] * r[k];
      miss[4 * node[c] + DIM] += share[c];
    }
  }
}

/** Places x of the nodes that nearly interpolate the points' places: from the places in the
 * undeformed body on, each node gets the mean residual of its points (SIRT, Gilbert 1972). */
static PetscErrorCode place_nodes(const sup_petsc_lattice *l, PetscScalar *x) {
  double *miss = malloc(4 * (size_t)l->num_nodes * sizeof *miss + 1);
  if (!miss) return PETSC_ERR_MEM;
  for (PetscInt i = 0; i < l->num_nodes; i++) {
    const sup_petsc_lattice_box *box = &l->box[l->body[i]];
    PetscInt at[3] = {l->place[i] / (box->n[1] * box->n[2]), l->place[i] / box->n[2] % box->n[1],
                      l->place[i] % box->n[2]};
    for (int k = 0; k < DIM; k++) x[DIM * i + k] = box->lower[k] + box->H[k] * (double)at[k];
  }
  for (int pass = 0; pass < PASSES; pass++) {
    find_misses(l, x, miss);
    for (PetscInt i = 0; i < l->num_nodes; i++)
      for (int k = 0; k < DIM; k++) x[DIM * i + k] += miss[4 * i + k] / miss[4 * i + DIM];
  }
  free(miss);
  return 0;
}

static PetscErrorCode set_modes(const sup_petsc_lattice *l, Mat coarse) {
  Vec          place;
  PetscScalar *x;
  MatNullSpace nearly;
  PetscCall(MatCreateVecs(coarse, &place, NULL));
  PetscCall(VecSetBlockSize(place, DIM));
  PetscCall(VecGetArray(place, &x));
  PetscCall(place_nodes(l, x));
  PetscCall(VecRestoreArray(place, &x));
  PetscCall(MatNullSpaceCreateRigidBody(place, &nearly));
  PetscCall(MatSetNearNullSpace(coarse, nearly));
  PetscCall(MatNullSpaceDestroy(&nearly));
  PetscCall(VecDestroy(&place));
  return 0;
}

/** Rows of scalars of those of blocks. */
static PetscErrorCode make_scalar_rows(sup_petsc_lattice *l) {
  size_t entries = DIM * DIM * (size_t)l->row[l->num_nodes];
  l->start = malloc((DIM * (size_t)l->num_nodes + 1) * sizeof *l->start);
  l->scalar_col = malloc(entries * sizeof *l->scalar_col + 1);
  l->value = calloc(entries + 1, sizeof *l->value);
  if (!l->start || !l->scalar_col || !l->value) return PETSC_ERR_MEM;
  int any = 0;
  for (int b = 0; b < l->system->pattern->num_blocks; b++) any |= l->changes[b];
  if (any) l->constant = malloc(entries * sizeof *l->constant + 1);
  if (any && !l->constant) return PETSC_ERR_MEM;
  l->start[0] = 0;
  for (PetscInt a = 0; a < l->num_nodes; a++)
    for (int i = 0; i < DIM; i++) {
      PetscInt r = DIM * a + i, *to = l->scalar_col + l->start[r];
      for (PetscInt k = l->row[a]; k < l->row[a + 1]; k++)
        for (int j = 0; j < DIM; j++) *to++ = DIM * l->col[k] + j;
      l->start[r + 1] = l->start[r] + DIM * (l->row[a + 1] - l->row[a]);
    }
  return 0;
}

PetscErrorCode sup_petsc_lattice_update(sup_petsc_lattice *l, const sup_linear_operator *op,
                                        Mat coarse) {
  PetscScalar *same; /* l->value; PETSc notices the change */
  PetscCall(MatSeqAIJGetArray(coarse, &same));
  PetscErrorCode code = project_all(l, op, 1);
  PetscCall(MatSeqAIJRestoreArray(coarse, &same));
  if (code) return code;
  return steady(coarse);
}

PetscErrorCode sup_petsc_lattice_matrix(sup_petsc_lattice *l, const sup_linear_operator *op,
                                        const unsigned char *changes, Mat *coarse) {
  PetscInt n = DIM * l->num_nodes;
  l->changes = changes;
  PetscErrorCode code = find_rows(l, op);
  if (!code) code = make_scalar_rows(l);
  if (!code) code = project_all(l, op, 0);
  if (code) return code;
  PetscCall(
      MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, l->start, l->scalar_col, l->value, coarse));
  PetscCall(MatSetBlockSize(*coarse, DIM));
  PetscCall(steady(*coarse));
  PetscCall(MatSetOption(*coarse, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*coarse, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  return set_modes(l, *coarse);
}
