#include "la/factor.h"

#include "base/memory.h"
#include "la/backend.h"

struct sup_factor {
  const sup_factor_backend *backend;
  void                     *self;
  int                       has_last; /* the analysis had `last` blocks */
  int                       failed_block;
  enum {
    STATE_EMPTY,
    STATE_ANALYZED,
    STATE_LEADING,
    STATE_FACTORED
  } state; /* LEADING: eliminated, or an update failed */
};

sup_status sup_factor_create(sup_factor **out, sup_backend backend) {
  const sup_factor_backend *found = backend == SUP_BACKEND_CHOLMOD ? sup_cholmod_backend() : sup_supernodal_backend();
  sup_factor               *factor = NULL;
  sup_status                status;
  *out = NULL;
  if (!found)
    return SUP_FAIL(SUP_E_ARG, "backend cholmod: this program was built with CHOLMOD=0; use the supernodal backend");
  SUP_TRY(SUP_CALLOC(factor, 1));
  factor->backend = found;
  factor->failed_block = SUP_NONE;
  SUP_TRY_GOTO(factor->backend->create(&factor->self), status, fail);
  *out = factor;
  return SUP_OK;
fail:
  sup_factor_destroy(&factor);
  return status;
}

void sup_factor_destroy(sup_factor **factor) {
  if (!*factor) return;
  if ((*factor)->self) (*factor)->backend->destroy((*factor)->self);
  SUP_FREE(*factor);
}

void sup_factor_share(sup_factor *factor, sup_factor *lender) {
  if (factor->backend->share) factor->backend->share(factor->self, lender->self);
}

sup_status sup_factor_analyze(sup_factor *factor, const sup_block_pattern *pattern, const unsigned char *last) {
  SUP_TRY(sup_factor_analyze_from(factor, pattern, NULL, last));
  return SUP_OK;
}

sup_status sup_factor_analyze_from(sup_factor *factor, const sup_block_pattern *pattern, const sup_symbolic *base,
                                   const unsigned char *last) {
  factor->state = STATE_EMPTY;
  factor->failed_block = SUP_NONE;
  if (base && last && factor->backend->analyze_from)
    SUP_TRY(factor->backend->analyze_from(factor->self, pattern, base, last));
  else
    SUP_TRY(factor->backend->analyze(factor->self, pattern, last));
  factor->state = STATE_ANALYZED;
  factor->has_last = 0;
  for (int b = 0; last && b < pattern->num_blocks; b++) factor->has_last |= last[b] != 0;
  return SUP_OK;
}

static sup_status run_numeric(sup_factor *factor, const double *values, int trailing) {
  factor->failed_block = SUP_NONE;
  factor->state = trailing ? STATE_LEADING : STATE_ANALYZED;
  SUP_TRY(factor->backend->numeric(factor->self, values, trailing, &factor->failed_block));
  factor->state = STATE_FACTORED;
  return SUP_OK;
}

sup_status sup_factor_numeric(sup_factor *factor, const double *values) {
  if (factor->state < STATE_ANALYZED) return SUP_FAIL(SUP_E_ARG, "factorisation: analyse the pattern first");
  SUP_TRY(run_numeric(factor, values, 0));
  return SUP_OK;
}

sup_status sup_factor_update(sup_factor *factor, const double *values) {
  if (factor->state < STATE_LEADING)
    return SUP_FAIL(SUP_E_ARG, "factorisation: factor the whole matrix before an update");
  SUP_TRY(run_numeric(factor, values, factor->has_last));
  return SUP_OK;
}

sup_status sup_factor_solve(sup_factor *factor, double *b) {
  if (factor->state < STATE_FACTORED) return SUP_FAIL(SUP_E_ARG, "factorisation: there is no factor to solve with");
  SUP_TRY(factor->backend->solve(factor->self, b));
  return SUP_OK;
}

int sup_factor_can_eliminate(const sup_factor *factor) { return factor->backend->eliminate != NULL; }

sup_status sup_factor_schur_pattern(sup_factor *factor, sup_block_pattern *out) {
  if (factor->state < STATE_ANALYZED) return SUP_FAIL(SUP_E_ARG, "Schur complement: analyse the pattern first");
  SUP_TRY(factor->backend->schur_pattern(factor->self, out));
  return SUP_OK;
}

sup_status sup_factor_eliminate(sup_factor *factor, const double *values, const sup_block_pattern *pattern, double *S,
                                double *b) {
  if (factor->state < STATE_ANALYZED) return SUP_FAIL(SUP_E_ARG, "elimination: analyse the pattern first");
  factor->failed_block = SUP_NONE;
  factor->state = STATE_ANALYZED;
  SUP_TRY(factor->backend->eliminate(factor->self, values, pattern, S, b, &factor->failed_block));
  factor->state = STATE_LEADING;
  return SUP_OK;
}

sup_status sup_factor_forward(sup_factor *factor, double *b) {
  if (factor->state < STATE_LEADING) return SUP_FAIL(SUP_E_ARG, "elimination: the leading part is not factored");
  factor->backend->forward(factor->self, b);
  return SUP_OK;
}

sup_status sup_factor_backward(sup_factor *factor, double *b) {
  if (factor->state < STATE_LEADING) return SUP_FAIL(SUP_E_ARG, "elimination: the leading part is not factored");
  factor->backend->backward(factor->self, b);
  return SUP_OK;
}

int sup_factor_pivots(const sup_factor *factor, double *pivot) {
  if (factor->state < STATE_LEADING || !factor->backend->pivots) return 0;
  factor->backend->pivots(factor->self, factor->state == STATE_LEADING, pivot);
  return 1;
}

int sup_factor_failed_block(const sup_factor *factor) { return factor->failed_block; }

sup_factor_info sup_factor_get_info(const sup_factor *factor) {
  if (factor->state < STATE_ANALYZED) return (sup_factor_info){0};
  return factor->backend->info(factor->self);
}
