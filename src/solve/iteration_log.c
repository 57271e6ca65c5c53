#include "solve/iteration_log.h"

sup_status sup_iteration_log_add(sup_iteration_log *log, sup_arena *arena,
                                 const sup_iteration *row) {
  sup_iteration *own;
  SUP_TRY(SUP_ARENA(arena, own, 1));
  *own = *row;
  own->next = NULL;
  if (log->last)
    log->last->next = own;
  else
    log->first = own;
  log->last = own;
  return SUP_OK;
}

sup_status sup_iteration_log_add_island(sup_iteration_log *log, sup_arena *arena,
                                        const sup_iteration_log *own, int island) {
  for (const sup_iteration *row = own->first; row; row = row->next) {
    SUP_TRY(sup_iteration_log_add(log, arena, row));
    log->last->island = island;
  }
  return SUP_OK;
}

void sup_iteration_log_prepend(sup_iteration_log *log, const sup_iteration_log *before) {
  if (!before->first) return;
  int first = 0;
  for (const sup_iteration *row = before->first; row; row = row->next)
    if (row->solution >= first) first = row->solution + 1;
  for (sup_iteration *row = log->first; row; row = row->next) row->solution += first;
  before->last->next = log->first;
  if (!log->first) log->last = before->last;
  log->first = before->first;
}
