#include <string.h>

#include "base/memory.h"
#include "la/backend.h"
#include "la/kernel.h"
#include "la/plan.h"
#include "la/schur.h"

/* Left-looking: a panel is assembled, updated by all earlier panels in their order, and factored while it is in the
 * cache.  For a trailing panel the updates of the leading panels are kept, so that an update starts from them. */
typedef struct supernodal {
  const sup_block_pattern *pattern;
  const sup_kernels       *kernels;
  sup_symbolic             symbolic;
  sup_plan                 plan;
  sup_schur                schur;
  double                  *memory;
  size_t                   capacity;
  double                  *value; /* [plan.num_values] panels, 64-byte aligned like the arrays below */
  double                  *kept;  /* trailing panels: minus what the leading panels take from them */
  double                  *strip; /* [max_height x SUP_KERNEL_STRIP] */
  double                  *x;     /* [num_scalars] right-hand side in the new order */
  double                  *top;   /* [max_top] */
  double                  *below; /* [max_height] */
} supernodal;

static sup_status supernodal_create(void **out) {
  supernodal *self = NULL;
  SUP_TRY(SUP_CALLOC(self, 1));
  self->kernels = sup_kernel_select();
  *out = self;
  return SUP_OK;
}

static void supernodal_destroy(void *object) {
  supernodal *self = object;
  sup_symbolic_free(&self->symbolic);
  sup_plan_free(&self->plan);
  sup_schur_free(&self->schur);
  SUP_FREE(self->memory);
  SUP_FREE(self);
}

static size_t align_up(size_t count) { return (count + SUP_PANEL_ALIGN - 1) / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN; }

static sup_status supernodal_analyze(void *object, const sup_block_pattern *pattern, const unsigned char *last) {
  supernodal *self = object;
  self->pattern = pattern;
  SUP_TRY(sup_symbolic_analyze(&self->symbolic, pattern, last));
  SUP_TRY(sup_plan_build(&self->plan, &self->symbolic, pattern));
  const sup_plan *plan = &self->plan;
  size_t          total = plan->num_values, height = (size_t)plan->max_height;
  size_t          first_kept =
      self->symbolic.num_leading < plan->num_panels ? plan->panel[self->symbolic.num_leading].start : total;
  size_t scalars = align_up((size_t)pattern->num_scalars);
  SUP_TRY(SUP_GROW(self->memory, self->capacity,
                   total + (total - first_kept) + height * (SUP_KERNEL_STRIP + 1) + scalars + (size_t)plan->max_top +
                       SUP_PANEL_ALIGN));
  self->value = self->memory;
  while ((uintptr_t)self->value % (SUP_PANEL_ALIGN * sizeof(double)) != 0) self->value++;
  self->kept = self->value + total;
  self->strip = self->kept + (total - first_kept);
  self->below = self->strip + height * SUP_KERNEL_STRIP;
  self->top = self->below + height;
  self->x = self->top + plan->max_top;
  return SUP_OK;
}

static void add_block(const sup_placement *block, const double *from, double *to, ptrdiff_t ld) {
  int rows = block->rows, cols = block->cols;
  for (int j = 0; j < cols; j++, to += ld) {
    if (block->kind == SUP_PLACE_TRANSPOSED)
      for (int i = 0; i < rows; i++) to[i] += from[i * cols + j];
    else
      for (int i = block->kind == SUP_PLACE_DIAGONAL ? j : 0; i < rows; i++) to[i] += from[j * rows + i];
  }
}

/** Add the matrix's blocks to a panel; those of two FEM vertices, by far the most, without loops. */
static void assemble(const supernodal *self, int k, const double *values) {
  const sup_panel *panel = &self->plan.panel[k];
  double          *value = self->value + panel->start;
  ptrdiff_t        ld = panel->ld;
  for (int p = panel->placement; p < panel[1].placement; p++) {
    const sup_placement *block = &self->plan.placement[p];
    const double        *a = values + block->value;
    double              *to = value + block->place;
    if (block->rows != 3 || block->cols != 3 || block->kind == SUP_PLACE_DIAGONAL) {
      add_block(block, a, to, ld);
    } else if (block->kind == SUP_PLACE_PLAIN) {
      to[0] += a[0], to[1] += a[1], to[2] += a[2];
      to[ld] += a[3], to[ld + 1] += a[4], to[ld + 2] += a[5];
      to[2 * ld] += a[6], to[2 * ld + 1] += a[7], to[2 * ld + 2] += a[8];
    } else {
      to[0] += a[0], to[1] += a[3], to[2] += a[6];
      to[ld] += a[1], to[ld + 1] += a[4], to[ld + 2] += a[7];
      to[2 * ld] += a[2], to[2 * ld + 1] += a[5], to[2 * ld + 2] += a[8];
    }
  }
}

/** Subtract what one earlier panel contributes from a panel's values `to`, strip by strip. */
static void apply_segment(const supernodal *self, const sup_panel *target, const sup_segment *segment, double *to) {
  const sup_panel *source = &self->plan.panel[segment->source];
  const sup_run   *run = &self->plan.run[segment->run], *end = &self->plan.run[segment[1].run];
  const double    *below = self->value + source->start + source->top;
  double          *column[SUP_KERNEL_STRIP];
  int              last = segment->first + segment->count;
  for (int first = segment->first; first < last; first += SUP_KERNEL_STRIP) {
    int cols = last - first < SUP_KERNEL_STRIP ? last - first : SUP_KERNEL_STRIP;
    int base = first / SUP_PANEL_ALIGN * SUP_PANEL_ALIGN, rows = source->height - source->top - base;
    while (run->source + run->length <= first) run++;
    const sup_run *at = run;
    for (int j = 0; j < cols; j++) {
      if (first + j >= at->source + at->length) at++;
      column[j] = to + (ptrdiff_t)(at->target + first + j - at->source) * target->ld;
    }
    self->kernels->update(rows, cols, source->width, below + base, source->ld, below + first, source->ld, self->strip);
    self->kernels->scatter(run, end, base, first, rows, cols, self->strip, column);
  }
}

static sup_status factor_panel(const supernodal *self, int k, int *failed_block) {
  const sup_panel *panel = &self->plan.panel[k];
  double           pivot;
  int failed = self->kernels->factor(panel->height, panel->width, self->value + panel->start, panel->ld, &pivot);
  if (failed == SUP_NONE) return SUP_OK;
  const sup_symbolic *s = &self->symbolic;
  int                 block = s->super_start[k];
  while (s->offset[block + 1] <= panel->first + failed) block++;
  *failed_block = s->order[block];
  return SUP_FAIL(SUP_E_NOT_SPD, "the matrix is not positive definite: pivot %g at scalar %d of block column %d", pivot,
                  panel->first + failed - s->offset[block], s->order[block]);
}

static size_t panel_bytes(const sup_panel *panel) { return (size_t)panel->ld * (size_t)panel->width * sizeof(double); }

static sup_status factor_leading(const supernodal *self, int k, const double *values, int *failed_block) {
  const sup_panel *panel = &self->plan.panel[k];
  double          *value = self->value + panel->start;
  memset(value, 0, panel_bytes(panel));
  assemble(self, k, values);
  for (int g = panel->segment; g < panel[1].segment; g++) apply_segment(self, panel, &self->plan.segment[g], value);
  SUP_TRY(factor_panel(self, k, failed_block));
  return SUP_OK;
}

static double *kept_values(const supernodal *self, const sup_panel *panel) {
  return self->kept + (panel->start - self->plan.panel[self->symbolic.num_leading].start);
}

/** What the leading panels take from trailing panel k, for as many updates as there will be. */
static void gather_leading(const supernodal *self, int k) {
  const sup_panel *panel = &self->plan.panel[k];
  double          *kept = kept_values(self, panel);
  memset(kept, 0, panel_bytes(panel));
  for (int g = panel->segment; g < panel[1].segment && self->plan.segment[g].source < self->symbolic.num_leading; g++)
    apply_segment(self, panel, &self->plan.segment[g], kept);
}

static sup_status factor_trailing(const supernodal *self, int k, const double *values, int *failed_block) {
  const sup_panel *panel = &self->plan.panel[k];
  double          *value = self->value + panel->start;
  memcpy(value, kept_values(self, panel), panel_bytes(panel));
  assemble(self, k, values);
  for (int g = panel->segment; g < panel[1].segment; g++)
    if (self->plan.segment[g].source >= self->symbolic.num_leading)
      apply_segment(self, panel, &self->plan.segment[g], value);
  SUP_TRY(factor_panel(self, k, failed_block));
  return SUP_OK;
}

static sup_status supernodal_numeric(void *object, const double *values, int trailing, int *failed_block) {
  supernodal *self = object;
  int         num_leading = self->symbolic.num_leading;
  for (int k = 0; k < num_leading && !trailing; k++) SUP_TRY(factor_leading(self, k, values, failed_block));
  for (int k = num_leading; k < self->plan.num_panels; k++) {
    if (!trailing) gather_leading(self, k);
    SUP_TRY(factor_trailing(self, k, values, failed_block));
  }
  return SUP_OK;
}

static void permute(const supernodal *self, double *b, int back) {
  const sup_symbolic *s = &self->symbolic;
  for (int k = 0; k < s->num_blocks; k++) {
    double *old = b + self->pattern->offset[s->order[k]], *new = self->x + s->offset[k];
    size_t  bytes = (size_t)(s->offset[k + 1] - s->offset[k]) * sizeof *b;
    if (back)
      memcpy(old, new, bytes);
    else
      memcpy(new, old, bytes);
  }
}

/** x := L^-1 x with the first panels. */
static void go_forward(supernodal *self, int num_panels) {
  const sup_plan *plan = &self->plan;
  for (int k = 0; k < num_panels; k++) {
    const sup_panel *panel = &plan->panel[k];
    size_t           bytes = (size_t)panel->width * sizeof *self->x;
    memcpy(self->top, self->x + panel->first, bytes);
    self->kernels->forward(panel->height, panel->width, panel->top, self->value + panel->start, panel->ld, self->top,
                           self->below);
    memcpy(self->x + panel->first, self->top, bytes);
    for (int r = panel->row_run; r < panel[1].row_run; r++) {
      const sup_run *run = &plan->row_run[r];
      for (int i = 0; i < run->length; i++) self->x[run->target + i] += self->below[run->source + i];
    }
  }
}

/** x := L^-T x with the first panels. */
static void go_backward(supernodal *self, int num_panels) {
  const sup_plan *plan = &self->plan;
  for (int k = num_panels - 1; k >= 0; k--) {
    const sup_panel *panel = &plan->panel[k];
    for (int r = panel->row_run; r < panel[1].row_run; r++) {
      const sup_run *run = &plan->row_run[r];
      memcpy(self->below + run->source, self->x + run->target, (size_t)run->length * sizeof *self->x);
    }
    memset(self->below + panel->below, 0, (size_t)(panel->height - panel->top - panel->below) * sizeof *self->x);
    self->kernels->backward(panel->height, panel->width, panel->top, self->value + panel->start, panel->ld,
                            self->x + panel->first, self->below);
  }
}

static sup_status supernodal_solve(void *object, double *b) {
  supernodal *self = object;
  permute(self, b, 0);
  go_forward(self, self->plan.num_panels);
  go_backward(self, self->plan.num_panels);
  permute(self, b, 1);
  return SUP_OK;
}

/* ---- the leading part alone ---- */

static sup_status supernodal_schur_pattern(void *object, sup_block_pattern *out) {
  supernodal *self = object;
  SUP_TRY(sup_schur_build(&self->schur, &self->symbolic, &self->plan, self->pattern, out));
  return SUP_OK;
}

static sup_status supernodal_eliminate(void *object, const double *values, const sup_block_pattern *pattern, double *S,
                                       int *failed_block) {
  supernodal     *self = object;
  const sup_plan *plan = &self->plan;
  int             num_leading = self->symbolic.num_leading;
  for (int k = 0; k < num_leading; k++) SUP_TRY(factor_leading(self, k, values, failed_block));
  for (int k = num_leading; k < plan->num_panels; k++) gather_leading(self, k);
  sup_schur_extract(&self->schur, &self->symbolic, plan, self->pattern, values, self->kept, pattern, S);
  return SUP_OK;
}

static void supernodal_forward(void *object, double *b) {
  supernodal *self = object;
  permute(self, b, 0);
  go_forward(self, self->symbolic.num_leading);
  permute(self, b, 1);
}

static void supernodal_backward(void *object, double *b) {
  supernodal *self = object;
  permute(self, b, 0);
  go_backward(self, self->symbolic.num_leading);
  permute(self, b, 1);
}

static sup_factor_info supernodal_info(const void *object) {
  const sup_symbolic *s = &((const supernodal *)object)->symbolic;
  return (sup_factor_info){s->nonzeros, s->flops, s->trailing_flops, s->num_supernodes};
}

static const sup_factor_backend backend = {
    supernodal_create, supernodal_destroy,       supernodal_analyze,   supernodal_numeric, supernodal_solve,
    supernodal_info,   supernodal_schur_pattern, supernodal_eliminate, supernodal_forward, supernodal_backward};

const sup_factor_backend *sup_supernodal_backend(void) { return &backend; }
