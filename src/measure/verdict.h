/** Verdicts on the result of a run by its numbers: PASS, WARN, or FAIL where the result is void.
 * Layer measure.
 *
 *  One table in verdict.c holds all of them: a row is a name, a unit, two limits, a function that
 * measures (verdict_contact.c, verdict_soft.c, verdict_energy.c), a remedy. `run` and `static`
 * share it; the closing lines of the program and the `warnings` of summary.json come from it. */
#pragma once

#include "measure/statistics.h"

typedef enum sup_severity {
  SUP_SEVERITY_PASS,
  SUP_SEVERITY_WARN,
  SUP_SEVERITY_FAIL,
  SUP_SEVERITY_LOG /* a warning of the log: no verdict, and in summary.json alone */
} sup_severity;

enum { SUP_VERDICT_TEXT = 512, SUP_MAX_WARNINGS = 32 };

typedef struct sup_verdict {
  const char  *name; /* of the table's row: stable, for scripts */
  const char  *unit;
  sup_severity severity;
  double       value;
  double warn, fail; /* above the first it is a WARN, above the second a FAIL; HUGE_VAL: never */
  double time;       /* time [s]; NaN: not of a single time */
  char   body[2][2 * SUP_NAME_MAX]; /* bodies concerned, both of a pair; empty: none or unknown */
  char   text[SUP_VERDICT_TEXT];    /* finding */
  char   remedy[320];               /* remedy */
} sup_verdict;

enum { SUP_MAX_VERDICTS = 96 + SUP_MAX_WARNINGS };

typedef struct sup_verdicts {
  int         count;
  int         num_warnings, num_failures;
  sup_verdict list[SUP_MAX_VERDICTS];
} sup_verdicts;

/** "PASS", "WARN", "FAIL". */
const char *sup_severity_text(sup_severity severity);
/** Limit that the value exceeded; for a PASS, the limit that it would exceed first. */
double sup_verdict_limit(const sup_verdict *verdict);
/** Make the verdicts on the statistics, in the order of the table; verdicts without a finding are
 * left out. */
void sup_verdicts_evaluate(sup_verdicts *verdicts, const sup_statistics *statistics);
/** Warnings of the log [count] behind them; num_warnings does not count those. */
void sup_verdicts_add_log(sup_verdicts *verdicts, int count, char text[][SUP_VERDICT_TEXT]);
/** The first FAIL, or NULL. */
const sup_verdict *sup_verdicts_failure(const sup_verdicts *verdicts);
