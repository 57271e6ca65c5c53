/* Texts of the error bars of an estimate: a line for each row, and advice. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "study/estimate.h"

/** Text that is cut off at its end. */
typedef struct line {
  char  *text;
  size_t size, used;
} line;

__attribute__((format(printf, 2, 3))) static void say(line *l, const char *format, ...) {
  va_list arguments;
  if (l->used >= l->size) return;
  va_start(arguments, format);
  l->used += (size_t)vsnprintf(l->text + l->used, l->size - l->used, format, arguments);
  va_end(arguments);
}

static double share(const sup_estimate_row *row, double error) {
  return 100 * error / fabs(row->value);
}

static int largest_part(const sup_estimate_row *row) {
  int largest = 0;
  for (int s = 1; s < SUP_NUM_SOURCES; s++)
    if (row->part[s].error > row->part[largest].error) largest = s;
  return largest;
}

/* ---- a row ----------------------------------------------------------------------------------- */

static void say_open(line *l, const sup_estimate_row *row) {
  int first = 1;
  for (int s = 0; s < SUP_NUM_SOURCES; s++) {
    if (!isnan(row->part[s].error)) continue;
    say(l, "%s%s", first ? " not converged, no error bar: " : " and ",
        sup_source_name((sup_source)s));
    first = 0;
  }
  if (first) say(l, " no error bar, for want of a repeat");
}

static void say_parts(line *l, const sup_estimate *e, const sup_estimate_row *row) {
  static const sup_source order[] = {SUP_SOURCE_MESH, SUP_SOURCE_STEP, SUP_SOURCE_LAYER};
  int                     first = 1;
  for (int i = 0; i < SUP_NUM_SOURCES; i++) {
    if (e->num[order[i]] == 0) continue;
    say(l, "%s %s %.2g %%", first ? "" : ",", sup_source_name(order[i]),
        share(row, row->part[order[i]].error));
    first = 0;
  }
}

static void say_row(const sup_estimate *e, sup_estimate_row *row) {
  line        l = {row->text, sizeof row->text, 0};
  const char *unit = row->def.unit, *blank = unit[0] ? " " : "";
  say(&l, "%s = %.4g%s%s", e->has_base ? row->def.name : row->def.source, row->value, blank, unit);
  if (isnan(row->error)) {
    say(&l, ":");
    say_open(&l, row);
  } else {
    say(&l, " +- %.2g%s%s (%.2g %%):", row->error, blank, unit, share(row, row->error));
    say_parts(&l, e, row);
  }
  if (e->num_models > 0) say(&l, "; contact models within %.2g %%", share(row, row->spread));
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/** Counts and extremes over the rows. */
typedef struct tally {
  int                     open, good;            /* without a bar; within the tolerance */
  int                     most[SUP_NUM_SOURCES]; /* rows whose error it makes most of */
  const sup_estimate_row *worst, *widest;        /* bar; spread over models */
} tally;

static void count_row(const sup_estimate *e, const sup_estimate_row *row, tally *t) {
  int unclear = 0;
  for (int s = 0; s < SUP_NUM_SOURCES; s++) unclear += isnan(row->part[s].error);
  for (int s = 0; s < SUP_NUM_SOURCES && unclear == 1; s++) t->most[s] += isnan(row->part[s].error);
  if (unclear == 0) t->most[largest_part(row)]++;
  if (e->num_models > 0 &&
      (!t->widest || share(row, row->spread) > share(t->widest, t->widest->spread)))
    t->widest = row;
  if (isnan(row->error)) {
    t->open++;
    return;
  }
  t->good += row->error <= e->tolerance * fabs(row->value);
  if (!t->worst || share(row, row->error) > share(t->worst, t->worst->error)) t->worst = row;
}

/** Write the name of a row. */
static void say_name(line *l, const sup_estimate *e, const sup_estimate_row *row) {
  if (e->has_base)
    say(l, "%s", row->def.name);
  else
    say(l, "%s, %s", row->def.source, sup_window_value_name(row->def.take));
}

static const char *name_of(const sup_estimate *e, int source) {
  return source != SUP_SOURCE_STEP ? source == SUP_SOURCE_MESH ? "mesh" : "contact layer"
         : e->study->is_static     ? "load step"
         : e->has_accuracy         ? "accuracy of steps"
                                   : "time step";
}

/** The source that makes most of the error in the most rows. */
static int main_source(const tally *t) {
  static const int order[] = {SUP_SOURCE_MESH, SUP_SOURCE_STEP, SUP_SOURCE_LAYER};
  int              main = SUP_SOURCE_MESH;
  for (int i = 1; i < SUP_NUM_SOURCES; i++)
    if (t->most[order[i]] > t->most[main]) main = order[i];
  return main;
}

/** The largest bar, its cause, and remainder and cost of halving it. */
static void say_worst(line *l, const sup_estimate *e, const sup_estimate_row *row) {
  int source = largest_part(row), f = sup_estimate_find(e, (sup_source)source, 1);
  say(l, "largest error bar: %.2g %% (", share(row, row->error));
  say_name(l, e, row);
  if (!(row->error > 0)) {
    say(l, "); ");
    return;
  }
  double left =
      row->error - row->part[source].error + sup_error_bar_after_halving(&row->part[source]);
  say(l, "), of which the %s makes %.0f %%: half of it would leave %.2g %%", name_of(e, source),
      100 * row->part[source].error / row->error, share(row, left));
  if (f != SUP_NONE && isfinite(e->cost[f]))
    say(l, " for %.2g times the time", fmax(e->cost[f], 1));
  say(l, "; ");
}

static void say_models(line *l, const sup_estimate *e, const tally *t) {
  if (!t->widest) return;
  say(l, "; contact models, which are a choice and no error, differ by at most %.2g %% (",
      share(t->widest, t->widest->spread));
  say_name(l, e, t->widest);
  say(l, ")");
}

static void say_nothing_depends(line *l, const sup_estimate *e) {
  say(l, "no key quantity depends on the %s", name_of(e, SUP_SOURCE_STEP));
  if (e->num[SUP_SOURCE_LAYER])
    say(l, ", the mesh or the contact layer");
  else if (e->num[SUP_SOURCE_MESH])
    say(l, " or the mesh");
}

static void say_advice(sup_estimate *e) {
  line  l = {e->advice, sizeof e->advice, 0};
  tally t = {0};
  int   kinds = 0;
  e->advice[0] = '\0';
  for (int i = 0; i < e->num_rows; i++) count_row(e, &e->row[i], &t);
  for (int s = 0; s < SUP_NUM_SOURCES; s++) kinds += e->num[s] > 0;
  if (e->num_rows == 0) {
    say_nothing_depends(&l, e);
    return;
  }
  if (e->tolerance > 0)
    say(&l, "%d of %d quantities are within %.3g %%; ", t.good, e->num_rows, 100 * e->tolerance);
  if (t.worst) say_worst(&l, e, t.worst);
  if (t.open)
    say(&l, "%d of %d quantities %s no error bar; ", t.open, e->num_rows,
        t.open == 1 ? "has" : "have");
  int main = main_source(&t);
  if (kinds > 1)
    say(&l, "the %s makes most of the error in %d of %d; ", name_of(e, main), t.most[main],
        e->num_rows);
  if (e->remedy[main][0]) say(&l, "to reduce it: %s", e->remedy[main]);
  say_models(&l, e, &t);
}

void sup_estimate_format(sup_estimate *e) {
  for (int i = 0; i < e->num_rows; i++) say_row(e, &e->row[i]);
  say_advice(e);
}
