/* Numbers of pulls from the histories of their cases, and error bars on the ladder. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/vec.h"
#include "study/holding/holding.h"
#include "study/numerics.h"
#include "study/quantity.h"

/** Columns of a pull: contact force and moment on the object, contacts, share that slides. */
typedef enum column { TIME, FX, FY, FZ, TX, TY, TZ, COUNT, SHARE, NUM_COLUMNS } column;

typedef struct rows {
  int     num;
  double *column[NUM_COLUMNS];
} rows;

static void free_rows(rows *r) {
  for (int c = 0; c < NUM_COLUMNS; c++) SUP_FREE(r->column[c]);
}

static sup_status read_rows(const sup_holding *h, const char *folder, rows *r) {
  static const char *const names[] = {"time", ".fx", ".fy",    ".fz",        ".tx",
                                      ".ty",  ".tz", ".count", ".slip_share"};
  for (int c = 0; c < NUM_COLUMNS; c++) {
    char             text[3 * SUP_NAME_MAX];
    sup_quantity_def def = {.source = c == TIME ? "time" : text, .scale = 1};
    snprintf(text, sizeof text, "contact.all.%.100s%s", h->object, names[c]);
    SUP_TRY(sup_quantity_series(&def, folder, &r->num, &r->column[c]));
  }
  return SUP_OK;
}

/** Load of the contacts against a pull at a row. */
static sup_pull_state state_at(const sup_holding *h, const sup_pull *pull, const rows *r, int i,
                               double share) {
  double *const *c = r->column;
  sup_v3         f = {c[FX][i], c[FY][i], c[FZ][i]}, m = {c[TX][i], c[TY][i], c[TZ][i]},
         a = sup_v3_load(pull->axis);
  return (sup_pull_state){.path = share * (pull->turns ? h->angle : h->travel),
                          .force = pull->turns ? sup_v3_norm(f) : 0 - sup_v3_dot(f, a),
                          .moment = pull->turns ? 0 - sup_v3_dot(m, a) : sup_v3_norm(m)};
}

/** A grip that ended sliding slips where it slides after it stuck, else from the start on. */
static void follow(const sup_holding *h, const sup_pull *pull, const rows *r, double begin,
                   double duration, sup_pull_result *out) {
  sup_pull_state last = {SUP_NO_NUMBER, SUP_NO_NUMBER, SUP_NO_NUMBER};
  double most = pull->turns ? h->moment : h->force, limit = pull->turns ? h->angle : h->travel;
  int    sticks = 0; /* 1: it stuck, 2: and slipped then */
  *out = (sup_pull_result){
      .at = {last, last, last, last}, .path = SUP_NO_NUMBER, .held = SUP_NO_NUMBER};
  for (int i = 0; i < r->num && out->end != SUP_PULL_LOST && out->end != SUP_PULL_LOAD; i++) {
    double share = (r->column[TIME][i] - begin) / duration, before = last.path;
    if (share < -1e-9) continue;
    sup_pull_state now = state_at(h, pull, r, i, fmax(0, share));
    double         load = sup_pull_load(pull, &now), old = sup_pull_load(pull, &last);
    bool           is_pulled = share > 1e-9;
    if (is_pulled) out->end = SUP_PULL_STOPPED, out->path = now.path;
    if (isfinite(before)) out->energy += .5 * (load + old) * (now.path - before);
    if (!(r->column[COUNT][i] > 0)) {
      if (!isfinite(before)) break; /* it was not gripped */
      out->at[SUP_PULL_LOSS] = last, out->end = SUP_PULL_LOST;
      break;
    }
    bool slides = !(r->column[SHARE][i] < h->slip_share); /* no share: there is no friction */
    if (is_pulled && slides && (!isfinite(out->at[SUP_PULL_SLIP].path) || sticks == 1))
      out->at[SUP_PULL_SLIP] = now, sticks *= 2;
    if (!slides && sticks == 0) sticks = 1;
    if (is_pulled && !(load <= sup_pull_load(pull, &out->at[SUP_PULL_PEAK])))
      out->at[SUP_PULL_PEAK] = now;
    if (is_pulled && load >= most)
      out->end = SUP_PULL_LOAD;
    else if (now.path >= limit * (1 - 1e-9))
      out->end = SUP_PULL_TRAVEL;
    if (!is_pulled) out->at[SUP_PULL_GRIP] = now;
    last = now;
  }
  if (out->end == SUP_PULL_MISSING) out->energy = SUP_NO_NUMBER;
}

/** A case whose run failed has the rows up to there. */
static sup_status collect_pull(sup_study *study, const char *folder, int i) {
  sup_holding     *h = study->holding;
  char             path[SUP_STUDY_PATH_SIZE], file[SUP_STUDY_PATH_SIZE + 16];
  rows             r = {0};
  const sup_level *level = &study->family[0].level[i];
  sup_pull_result *out = &h->result[i];
  follow(h, &h->pull[i % h->num_pulls], &r, 0, 1, out);
  sup_level_folder(study, &study->family[0], i, folder, path);
  snprintf(file, sizeof file, "%s/history.csv", path);
  if (!(level->status == SUP_LEVEL_FAILED || sup_level_is_complete(level)) ||
      access(file, R_OK) != 0)
    return SUP_OK;
  sup_status status = read_rows(h, path, &r);
  if (status == SUP_OK) follow(h, &h->pull[i % h->num_pulls], &r, h->begin[i], h->duration[i], out);
  free_rows(&r);
  return status;
}

/** Curves of a pull of one case over the levels of the ladder. */
static void judge(sup_study *study, int first) {
  static const sup_quantity_def load = {.source = "contact.fx", .take = SUP_WINDOW_END};
  sup_holding                  *h = study->holding;
  sup_level                     rung[SUP_MAX_LEVELS];
  sup_family                    ladder = {.level = rung, .num_levels = h->ladder.num_levels};
  const sup_pull               *pull = &h->pull[first % h->num_pulls];
  int                           last = first + (h->ladder.num_levels - 1) * h->num_pulls;
  for (int q = 0; q < 2; q++) {
    for (int k = 0; k < ladder.num_levels; k++) {
      int    i = first + k * h->num_pulls;
      double value = sup_pull_load(pull, &h->result[i].at[q ? SUP_PULL_PEAK : SUP_PULL_SLIP]);
      rung[k] = study->family[0].level[i];
      rung[k].value[0] = value;
      rung[k].status = isfinite(value) ? SUP_LEVEL_DONE : SUP_LEVEL_FAILED;
    }
    sup_curve_judge(study, &ladder, 0, &load, q ? &h->result[last].peak : &h->result[last].slip);
  }
}

double sup_pull_bar(const sup_curve *curve) {
  int    n = curve->num_levels;
  double change = 0;
  if (n < 2) return SUP_NO_NUMBER;
  if (isfinite(curve->convergence.band)) return curve->convergence.band;
  for (int k = n > 2 ? n - 3 : 0; k < n; k++)
    change = fmax(change, fabs(curve->value[k] - curve->value[n - 1]));
  return sup_study_numerics.safety * change;
}

sup_status sup_holding_collect(sup_study *study, const char *folder) {
  sup_holding *h = study->holding;
  int          size = h->num_pulls * sup_holding_num_rungs(h);
  for (int i = 0; i < study->family[0].num_levels; i++) SUP_TRY(collect_pull(study, folder, i));
  for (int c = 1; study->is_static && c <= h->num_cases; c++)
    if (h->result[c * size - h->num_pulls].end != SUP_PULL_MISSING)
      SUP_TRY(sup_holding_weigh(study, c * size - h->num_pulls));
  for (int i = 0; h->ladder.num_levels > 0 && i < study->family[0].num_levels; i++)
    if (i % size < h->num_pulls) judge(study, i);
  return SUP_OK;
}
