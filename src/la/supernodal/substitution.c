#include "la/supernodal/substitution.h"

#include <string.h>

#include "base/memory.h"
#include "base/team.h"

enum { THREAD_NONZEROS = 40000 /* least work of a thread: some 0.02 ms */ };

sup_status sup_substitution_build(sup_substitution *s, const sup_kernels *kernels,
                                  const sup_symbolic *symbolic, const sup_plan *plan,
                                  sup_schedule *schedule) {
  s->kernels = kernels, s->symbolic = symbolic, s->plan = plan, s->schedule = schedule;
  SUP_TRY(SUP_GROW(s->start, s->capacity, (size_t)plan->num_panels + 1));
  s->start[0] = 0;
  for (int k = 0; k < plan->num_panels; k++)
    s->start[k + 1] = s->start[k] + (size_t)(plan->panel[k].height - plan->panel[k].top);
  return SUP_OK;
}

void sup_substitution_free(sup_substitution *s) {
  SUP_FREE(s->start);
  memset(s, 0, sizeof *s);
}

size_t sup_substitution_workspace_size(const sup_plan *plan) {
  return sup_panel_align((size_t)plan->max_height);
}

int sup_substitution_threads(double nonzeros) {
  double enough = nonzeros / THREAD_NONZEROS;
  int    most = sup_team_size();
  return enough < 2 ? 1 : enough < most ? (int)enough : most;
}

/** A block column from the matrix's order to the new one, or back. */
static void copy_block(int size, const double *from, double *to) {
  for (int i = 0; i < size; i++) to[i] = from[sup_plan_scalar(size, i)];
}

void sup_substitution_load(sup_substitution *s, const sup_block_pattern *pattern, const double *b) {
  const sup_symbolic *y = s->symbolic;
  for (int k = 0; k < y->num_blocks; k++)
    copy_block(sup_symbolic_size(y, k), b + pattern->offset[y->order[k]], s->x + y->offset[k]);
}

void sup_substitution_store(const sup_substitution *s, const sup_block_pattern *pattern,
                            double *b) {
  const sup_symbolic *y = s->symbolic;
  for (int k = 0; k < y->num_blocks; k++)
    copy_block(sup_symbolic_size(y, k), s->x + y->offset[k], b + pattern->offset[y->order[k]]);
}

/** Add the contributions of the first panels to panel k's part of x, source by source. */
static void gather(sup_substitution *s, int k, int num_sources) {
  const sup_plan *plan = s->plan;
  double         *x = s->x + plan->panel[k].first;
  for (int g = plan->panel[k].segment; g < plan->panel[k + 1].segment; g++) {
    const sup_segment *segment = &plan->segment[g];
    if (segment->source >= num_sources) break; /* panels ascend */
    const double *y = s->y + s->start[segment->source] + segment->first, *end = y + segment->count;
    const sup_piece *piece = &plan->piece[segment->piece];
    sup_schedule_await(s->schedule, segment->source);
    for (; y < end; piece++) /* the first rows are the panel's columns */
      for (unsigned mask = piece->mask; mask && y < end; mask &= mask - 1)
        x[piece->target + __builtin_ctz(mask)] += *y++;
  }
}

void sup_substitution_gather(sup_substitution *s, int k) { gather(s, k, s->symbolic->num_leading); }

void sup_substitution_forward_panel(sup_substitution *s, int k, int thread) {
  const sup_panel *panel = &s->plan->panel[k];
  double          *top = s->workspace +
                (size_t)thread * sup_substitution_workspace_size(s->plan); /* padded and aligned */
  size_t bytes = (size_t)panel->width * sizeof *s->x;
  gather(s, k, k);
  memcpy(top, s->x + panel->first, bytes);
  s->kernels->forward(panel->height, panel->width, panel->top, s->value + panel->start, panel->ld,
                      top, s->y + s->start[k]);
  memcpy(s->x + panel->first, top, bytes);
}

static void backward_panel(sup_substitution *s, int k, int thread) {
  const sup_panel *panel = &s->plan->panel[k];
  double          *below = s->workspace + (size_t)thread * sup_substitution_workspace_size(s->plan);
  for (int r = panel->row_run; r < panel[1].row_run; r++) {
    const sup_run *run = &s->plan->row_run[r];
    memcpy(below + run->source, s->x + run->target, (size_t)run->length * sizeof *s->x);
  }
  memset(below + panel->below, 0,
         (size_t)(panel->height - panel->top - panel->below) * sizeof *s->x);
  s->kernels->backward(panel->height, panel->width, panel->top, s->value + panel->start, panel->ld,
                       s->x + panel->first, below);
}

/* ---- threads --------------------------------------------------------------------------------- */

/** Data shared by the threads. */
typedef struct job {
  sup_substitution *s;
  int               num_panels; /* of the part */
} job;

static void go_up(void *user, int thread) {
  const job        *j = user;
  sup_substitution *s = j->s;
  for (const sup_item *item; (item = sup_schedule_pop(s->schedule));)
    for (int k = item->first; k < item->end; k++) {
      if (k < j->num_panels)
        sup_substitution_forward_panel(s, k, thread);
      else
        gather(s, k, j->num_panels);
      sup_schedule_finish(s->schedule, k);
    }
}

/** A panel's ancestors are done when its parent is. */
static void go_down(void *user, int thread) {
  const job        *j = user;
  sup_substitution *s = j->s;
  for (const sup_item *item; (item = sup_schedule_pop_reverse(s->schedule));)
    for (int k = item->end - 1; k >= item->first; k--) {
      int parent = sup_schedule_parent(s->symbolic, k);
      if (k >= j->num_panels) continue;
      if (parent != SUP_NONE && parent < j->num_panels) sup_schedule_await(s->schedule, parent);
      backward_panel(s, k, thread);
      sup_schedule_finish(s->schedule, k);
    }
}

static void run(sup_substitution *s, sup_substitution_part part, sup_team_work *work) {
  int threads = sup_substitution_threads(s->symbolic->nonzeros);
  job j = {s, part == SUP_PART_LEADING ? s->symbolic->num_leading : s->plan->num_panels};
  sup_schedule_start(s->schedule);
  sup_team_run(threads < s->num_workspaces ? threads : s->num_workspaces, work, &j);
}

void sup_substitution_forward(sup_substitution *s, sup_substitution_part part) {
  run(s, part, go_up);
}

void sup_substitution_backward(sup_substitution *s, sup_substitution_part part) {
  run(s, part, go_down);
}
