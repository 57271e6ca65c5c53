#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "la/backend.h"
#include "la/supernodal/reroot.h"
#include "la/supernodal/schedule.h"
#include "la/supernodal/schur.h"
#include "la/supernodal/substitution.h"
#include "la/supernodal/update.h"
#include "la/vector.h"

enum {
  FREE_BODY = 6, /* scalars of its block column */
  AHEAD = 24, /* number of blocks of A to prefetch, since the order of elimination differs from that
                 of A */
  THREAD_FLOPS = 500000 /* least work of a thread: some 0.02 ms */
};

/** Panels that the numeric phase processes. */
typedef enum task { TASK_ALL, TASK_TRAILING, TASK_ELIMINATE } task;

/** First panel that could not be factored; later panels are irrelevant. */
typedef struct failure {
  int    panel, column; /* panel: num_panels when there is none */
  double pivot;
} failure;

/* Left-looking: a panel is assembled, updated by all earlier panels in their order, and factored
 * while it is in the cache.  The updates of trailing panels by leading panels are stored, so that a
 * refactorisation starts from them. */
typedef struct supernodal {
  const sup_block_pattern *pattern;
  const sup_kernels       *kernels;
  sup_symbolic             symbolic;
  sup_reroot               reroot;
  sup_plan                 plan;
  sup_schedule             schedule;
  sup_schur                schur;
  failure                  failed;
  double                  *memory;
  size_t                   capacity;
  double          *value;     /* [plan.num_values] panels, 64-byte aligned like the arrays below */
  double          *pivot;     /* [num_scalars] 1 / L_ii in the order of elimination */
  double          *kept;      /* trailing panels: minus the contributions of the leading panels */
  double          *workspace; /* [num_workspaces x sup_update_workspace_size] of the threads */
  int              num_workspaces;
  sup_substitution substitution; /* threads, with one workspace each */
} supernodal;

static sup_status supernodal_create(void **out, const char *options) {
  supernodal *self = NULL;
  (void)options; /* it has none */
  SUP_TRY(SUP_CALLOC(self, 1));
  self->kernels = sup_kernel_select();
  *out = self;
  return SUP_OK;
}

static void supernodal_destroy(void *object) {
  supernodal *self = object;
  sup_symbolic_free(&self->symbolic);
  sup_reroot_free(&self->reroot);
  sup_plan_free(&self->plan);
  sup_schedule_free(&self->schedule);
  sup_schur_free(&self->schur);
  sup_substitution_free(&self->substitution);
  SUP_FREE_ALL(&self->memory, &self);
}

/** Number of threads for this amount of work. */
static int count_threads(double flops) {
  double enough = flops / THREAD_FLOPS;
  int    most = sup_team_size();
  return enough < 2 ? 1 : enough < most ? (int)enough : most;
}

/** Lay out the arrays from `from` on; returns their total size in doubles. */
static size_t carve(supernodal *self, double *from) {
  const sup_plan   *plan = &self->plan;
  sup_substitution *s = &self->substitution;
  size_t            total = plan->num_values, first_kept = total;
  if (self->symbolic.num_leading < plan->num_panels)
    first_kept = plan->panel[self->symbolic.num_leading].start;
  double **array[] = {&self->value, &self->pivot,  &self->kept,     &s->y,
                      &s->x,        &s->workspace, &self->workspace};
  size_t   size[] = {total,
                     sup_panel_align((size_t)self->pattern->num_scalars),
                     total - first_kept,
                     s->start[plan->num_panels],
                     sup_panel_align((size_t)self->pattern->num_scalars),
                     (size_t)self->num_workspaces * sup_substitution_workspace_size(plan),
                     (size_t)self->num_workspaces * sup_update_workspace_size(plan)},
         sum = 0;
  for (size_t k = 0; k < sizeof array / sizeof *array; sum += size[k++])
    *array[k] = from ? from + sum : NULL;
  s->value = self->value;
  return sum;
}

/** Plan, schedule and memory of the numeric phase, from the symbolic one. */
static sup_status prepare(supernodal *self, const sup_block_pattern *pattern) {
  self->pattern = pattern;
  SUP_TRY(sup_plan_build(&self->plan, &self->symbolic, pattern));
  SUP_TRY(sup_schedule_build(&self->schedule, &self->symbolic, &self->plan));
  SUP_TRY(sup_substitution_build(&self->substitution, self->kernels, &self->symbolic, &self->plan,
                                 &self->schedule));
  int threads = sup_substitution_threads(self->symbolic.nonzeros);
  self->num_workspaces = count_threads(self->symbolic.flops);
  if (self->num_workspaces < threads) self->num_workspaces = threads;
  self->substitution.num_workspaces = self->num_workspaces;
  SUP_TRY(SUP_GROW(self->memory, self->capacity, carve(self, NULL) + SUP_PANEL_ALIGN));
  double *from = self->memory;
  while ((uintptr_t)from % (SUP_PANEL_ALIGN * sizeof *from) != 0) from++;
  carve(self, from);
  return SUP_OK;
}

static sup_status supernodal_analyse(void *object, const sup_block_pattern *pattern,
                                     const unsigned char *last) {
  supernodal *self = object;
  SUP_TRY(sup_symbolic_analyze(&self->symbolic, pattern, last));
  SUP_TRY(prepare(self, pattern));
  return SUP_OK;
}

static sup_status supernodal_analyse_from(void *object, const sup_block_pattern *pattern,
                                          const sup_symbolic *base, const unsigned char *last) {
  supernodal *self = object;
  SUP_TRY(sup_reroot_analyze(&self->reroot, &self->symbolic, base, pattern, last));
  SUP_TRY(prepare(self, pattern));
  return SUP_OK;
}

static size_t panel_bytes(const sup_panel *panel) {
  return (size_t)panel->ld * (size_t)panel->width * sizeof(double);
}

/** Copy a block to a panel that is zero, in the block's order. */
static void place_block(const sup_placement *block, const double *from, double *to, ptrdiff_t ld) {
  int rows = block->rows, cols = block->cols, is_turned = block->kind == SUP_PLACE_TRANSPOSED;
  int height = is_turned ? cols : rows, width = is_turned ? rows : cols;
  for (int c = 0; c < width; c++, from += height) {
    int first = block->kind == SUP_PLACE_DIAGONAL ? c : 0,
        end = sup_nonzero_end(from, first, height);
    for (int r = first; r < end; r++) {
      int i = sup_plan_scalar(rows, is_turned ? c : r),
          j = sup_plan_scalar(cols, is_turned ? r : c);
      if (block->kind == SUP_PLACE_DIAGONAL && i < j)
        to[i * ld + j] = from[r];
      else
        to[j * ld + i] = from[r];
    }
  }
}

/** The diagonal block of a FEM vertex. */
static void place_vertex(const double *from, double *to, ptrdiff_t ld) {
  double *to1 = to + ld, *to2 = to1 + ld;
  to[0] = from[0], to[1] = from[1], to[2] = from[2];
  to1[1] = from[4], to1[2] = from[5];
  to2[2] = from[8];
}

/** Copy the block of two FEM vertices, plain or transposed, without a branch, since both cases are
 * equally frequent. */
static void place_pair(const double *from, int step, double *to, ptrdiff_t ld) {
  const double *down = from + step, *across = from + (4 - step);
  double       *to1 = to + ld, *to2 = to1 + ld;
  to[0] = from[0], to[1] = down[0], to[2] = down[step];
  to1[0] = across[0], to1[1] = from[4], to1[2] = down[4];
  to2[0] = across[4 - step], to2[1] = across[4], to2[2] = from[8];
}

/** Copy the block of two free bodies, of a diagonal block the lower triangle. */
static void place_bodies(const sup_placement *block, const double *from, double *to, ptrdiff_t ld) {
  if (block->kind == SUP_PLACE_TRANSPOSED)
    for (int r = 0; r < FREE_BODY; r++, to += ld)
      for (int c = 0; c < FREE_BODY; c++) to[c] = from[FREE_BODY * c + r];
  else if (block->kind == SUP_PLACE_PLAIN)
    for (int c = 0; c < FREE_BODY; c++, from += FREE_BODY, to += ld)
      memcpy(to, from, FREE_BODY * sizeof *to);
  else
    for (int c = 0; c < FREE_BODY; c++, from += FREE_BODY, to += ld)
      for (int r = c; r < FREE_BODY; r++) to[r] = from[r];
}

/** Zero a panel, above its diagonal from the rows that the kernels read: tiles of up to 6 columns
 * begin in the aligned row at or before their first column. */
static void clear(const sup_panel *panel, double *value) {
  enum { STEP = SUP_PANEL_ALIGN };
  for (int first = 0, end; first < panel->width; first = end) {
    int row = first < STEP ? 0 : first - STEP;
    end = first + STEP < panel->width ? first + STEP : panel->width;
    for (int j = first; j < end; j++)
      memset(value + (ptrdiff_t)j * panel->ld + row, 0, (size_t)(panel->ld - row) * sizeof *value);
  }
}

/** Assemble a panel of the matrix; blocks of FEM vertices, by far the most frequent, without loops.
 */
static void assemble(const supernodal *self, int k, const double *values) {
  const sup_panel     *panel = &self->plan.panel[k];
  const sup_placement *block = self->plan.placement + panel->placement,
                      *end = self->plan.placement + panel[1].placement;
  const sup_placement *last =
      self->plan.placement + self->plan.panel[self->plan.num_panels].placement;
  const sup_placement *pairs =
      block + (self->symbolic.super_start[k + 1] - self->symbolic.super_start[k]);
  double *value = self->value + panel->start;
  clear(panel, value);
  for (; block < pairs; block++) {
    if (block->rows == 3)
      place_vertex(values + block->value, value + block->place, panel->ld);
    else if (block->rows == FREE_BODY)
      place_bodies(block, values + block->value, value + block->place, panel->ld);
    else
      place_block(block, values + block->value, value + block->place, panel->ld);
  }
  for (; block < end; block++) {
    const double *ahead = values + (last - block > AHEAD ? block[AHEAD] : *block).value;
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + SUP_PANEL_ALIGN); /* 72 bytes: two lines of the cache */
    if (block->rows == 3 && block->cols == 3)
      place_pair(values + block->value, block->kind, value + block->place, panel->ld);
    else if (block->rows == FREE_BODY && block->cols == FREE_BODY)
      place_bodies(block, values + block->value, value + block->place, panel->ld);
    else
      place_block(block, values + block->value, value + block->place, panel->ld);
  }
}

static double *kept_values(const supernodal *self, const sup_panel *panel) {
  return self->kept + (panel->start - self->plan.panel[self->symbolic.num_leading].start);
}

/** Subtract from values of panel k the contributions of panels first .. end, if any. */
static void apply_updates(const supernodal *self, const sup_update_workspace *workspace, int k,
                          int first, int end, double *to) {
  const sup_plan *plan = &self->plan;
  for (int g = plan->panel[k].segment; g < plan->panel[k + 1].segment; g++) {
    const sup_segment *segment = &plan->segment[g];
    if (segment->source < first || segment->source >= end) continue;
    sup_schedule_await(&self->schedule, segment->source);
    sup_update_apply(self->kernels, plan, workspace, segment, self->value, plan->panel[k].ld, to);
  }
}

static void factor_panel(supernodal *self, int k) {
  const sup_panel *panel = &self->plan.panel[k];
  double           pivot;
  const double    *value = self->value + panel->start;
  int column = self->kernels->factor(panel->height, panel->width, self->value + panel->start,
                                     panel->ld, &pivot);
  for (int i = 0; i < panel->width; i++)
    self->pivot[panel->first + i] = value[i * (ptrdiff_t)(panel->ld + 1)];
  if (column == SUP_NONE) return;
#pragma omp        critical(sup_supernodal_failure)
  if (k < self->failed.panel) {
           self->failed.column = column;
           self->failed.pivot = pivot;
#pragma omp atomic write
    self->failed.panel = k;
  }
}

static void factor_leading(supernodal *self, const sup_update_workspace *workspace, int k,
                           const double *values) {
  const sup_panel *panel = &self->plan.panel[k];
  double          *value = self->value + panel->start;
  assemble(self, k, values);
  apply_updates(self, workspace, k, 0, k, value);
  factor_panel(self, k);
}

/** Sum the updates of trailing panel k by the leading panels, kept for later refactorisations. */
static void gather_leading(const supernodal *self, const sup_update_workspace *workspace, int k) {
  const sup_panel *panel = &self->plan.panel[k];
  double          *kept = kept_values(self, panel);
  memset(kept, 0, panel_bytes(panel));
  apply_updates(self, workspace, k, 0, self->symbolic.num_leading, kept);
}

static void factor_trailing(supernodal *self, const sup_update_workspace *workspace, int k,
                            const double *values) {
  const sup_panel *panel = &self->plan.panel[k];
  const double    *kept = kept_values(self, panel);
  double          *value = self->value + panel->start;
  size_t           count = self->symbolic.num_leading > 0 ? panel_bytes(panel) / sizeof *value : 0;
  assemble(self, k, values);
#pragma omp simd
  for (size_t i = 0; i < count; i++) value[i] += kept[i];
  apply_updates(self, workspace, k, self->symbolic.num_leading, k, value);
  factor_panel(self, k);
}

/** Data shared by the threads. */
typedef struct job {
  supernodal   *self;
  task          what;
  int           has_rhs; /* 1: the forward substitution of x is included */
  const double *values;
} job;

static void do_panel(const job *j, const sup_update_workspace *workspace, int thread, int k) {
  supernodal *self = j->self;
  int         failed;
#pragma omp atomic read
  failed = self->failed.panel;
  if (k < failed && k < self->symbolic.num_leading) {
    factor_leading(self, workspace, k, j->values);
    if (j->has_rhs) sup_substitution_forward_panel(&self->substitution, k, thread);
  } else if (k < failed) {
    if (j->what != TASK_TRAILING) gather_leading(self, workspace, k);
    if (j->what != TASK_ELIMINATE) factor_trailing(self, workspace, k, j->values);
    if (j->has_rhs) sup_substitution_gather(&self->substitution, k);
  }
  sup_schedule_finish(&self->schedule, k);
}

static void do_items(void *user, int thread) {
  job                 *j = user;
  supernodal          *self = j->self;
  size_t               size = sup_update_workspace_size(&self->plan);
  sup_update_workspace workspace =
      sup_update_workspace_carve(&self->plan, self->workspace + (size_t)thread * size);
  for (const sup_item *item; (item = sup_schedule_pop(&self->schedule));) {
    if (j->what == TASK_TRAILING && item->first < self->symbolic.num_leading) continue;
    for (int k = item->first; k < item->end; k++) do_panel(j, &workspace, thread, k);
  }
}

static sup_status report_failure(const supernodal *self, int *failed_block) {
  const sup_symbolic *s = &self->symbolic;
  int                 block = s->super_start[self->failed.panel];
  int                 scalar = self->plan.panel[self->failed.panel].first + self->failed.column;
  while (s->offset[block + 1] <= scalar) block++;
  *failed_block = s->order[block];
  return SUP_FAIL(SUP_E_NOT_SPD,
                  "the matrix is not positive definite: pivot %g at scalar %d of block column %d",
                  self->failed.pivot,
                  sup_plan_scalar(sup_symbolic_size(s, block), scalar - s->offset[block]),
                  s->order[block]);
}

/** Run the numeric phase.  The first panel that fails is reported, for any threads: all panels
 * before it are done. */
static sup_status run(supernodal *self, task what, const double *values, double *b,
                      int *failed_block) {
  const sup_symbolic *s = &self->symbolic;
  int                 threads = count_threads(what == TASK_TRAILING ? s->trailing_flops : s->flops);
  if (threads > self->num_workspaces) threads = self->num_workspaces;
  self->failed.panel = self->plan.num_panels;
  sup_schedule_start(&self->schedule);
  if (b) sup_substitution_load(&self->substitution, self->pattern, b);
  sup_team_run(threads, do_items, &(job){self, what, b != NULL, values});
  if (b) sup_substitution_store(&self->substitution, self->pattern, b);
  if (self->failed.panel < self->plan.num_panels) SUP_TRY(report_failure(self, failed_block));
  return SUP_OK;
}

static sup_status supernodal_setup(void *object, const sup_linear_operator *A, int trailing,
                                   int *failed_block) {
  if (!A->values) return SUP_FAIL(SUP_E_ARG, "supernodal backend: the matrix is not stored");
  SUP_TRY(run(object, trailing ? TASK_TRAILING : TASK_ALL, A->values, NULL, failed_block));
  return SUP_OK;
}

static sup_status supernodal_solve(void *object, double tolerance, double *b,
                                   sup_linear_report *report) {
  supernodal *self = object;
  (void)tolerance, (void)report; /* to round-off */
  sup_substitution_load(&self->substitution, self->pattern, b);
  sup_substitution_forward(&self->substitution, SUP_PART_WHOLE);
  sup_substitution_backward(&self->substitution, SUP_PART_WHOLE);
  sup_substitution_store(&self->substitution, self->pattern, b);
  return SUP_OK;
}

/* ---- the leading part alone ------------------------------------------------------------------ */

static sup_status supernodal_schur_pattern(void *object, sup_block_pattern *out) {
  supernodal *self = object;
  SUP_TRY(sup_schur_build(&self->schur, &self->symbolic, &self->plan, self->pattern, out));
  return SUP_OK;
}

static sup_status supernodal_eliminate(void *object, const double *values,
                                       const sup_block_pattern *pattern, double *S, double *b,
                                       int *failed_block) {
  supernodal *self = object;
  SUP_TRY(run(self, TASK_ELIMINATE, values, b, failed_block));
  sup_schur_extract(&self->schur, &self->symbolic, &self->plan, self->pattern, values, self->kept,
                    pattern, S);
  return SUP_OK;
}

static void supernodal_forward(void *object, double *b) {
  supernodal *self = object;
  sup_substitution_load(&self->substitution, self->pattern, b);
  sup_substitution_forward(&self->substitution, SUP_PART_LEADING);
  sup_substitution_store(&self->substitution, self->pattern, b);
}

static void supernodal_backward(void *object, double *b) {
  supernodal *self = object;
  sup_substitution_load(&self->substitution, self->pattern, b);
  sup_substitution_backward(&self->substitution, SUP_PART_LEADING);
  sup_substitution_store(&self->substitution, self->pattern, b);
}

static sup_linear_info supernodal_info(const void *object) {
  const sup_symbolic *s = &((const supernodal *)object)->symbolic;
  return (sup_linear_info){s->nonzeros, s->flops, s->trailing_flops, s->num_supernodes};
}

/** The kernels leave 1 / L_ii on the diagonal. */
static void supernodal_pivots(const void *object, int leading_only, double *pivot) {
  const supernodal   *self = object;
  const sup_symbolic *s = &self->symbolic;
  int                 end = s->super_start[leading_only ? s->num_leading : self->plan.num_panels];
  for (int b = 0; b < end; b++) {
    double *to = pivot + self->pattern->offset[s->order[b]];
    int     size = sup_symbolic_size(s, b);
    for (int i = 0; i < size; i++) {
      double inverse = self->pivot[s->offset[b] + i];
      to[sup_plan_scalar(size, i)] = 1 / (inverse * inverse);
    }
  }
}

static const sup_linear_backend backend = {.create = supernodal_create,
                                           .destroy = supernodal_destroy,
                                           .analyse = supernodal_analyse,
                                           .analyse_from = supernodal_analyse_from,
                                           .setup = supernodal_setup,
                                           .solve = supernodal_solve,
                                           .info = supernodal_info,
                                           .pivots = supernodal_pivots,
                                           .schur_pattern = supernodal_schur_pattern,
                                           .eliminate = supernodal_eliminate,
                                           .forward = supernodal_forward,
                                           .backward = supernodal_backward};

const sup_linear_backend *sup_supernodal_backend(void) { return &backend; }
