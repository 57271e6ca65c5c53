/** Progress of a run on the terminal: one line during the run, a table and verdicts at the end.
 * Layer app.
 *
 *  On a terminal the line is rewritten in place, at most ten times a second; a pipe or file gets a
 * plain line every five seconds.  Colour only on a terminal and without NO_COLOR
 * (https://no-color.org). */
#pragma once

#include <stdio.h>

#include "measure/verdict.h"

typedef struct sup_progress {
  FILE       *stream;               /* NULL: quiet */
  int         is_terminal;          /* rewrite in place */
  int         line_length;          /* of the line now on the terminal */
  double      start, last;          /* sup_wall_time(); last line written */
  double      time_start, time_end; /* simulated [s] */
  const char *solver;               /* with the iterations of the line */
} sup_progress;

/** @param[in] stream  stderr; NULL: quiet
 *  @param[in] time    where the simulation stands and where it will end [s] */
void sup_progress_begin(sup_progress *progress, FILE *stream, double time, double time_end,
                        sup_contact_solver solver);
/** Name of a solver in lines of text: "Newton", "ncp_pgs". */
const char *sup_progress_solver(sup_contact_solver solver);
/** Update the line after a step. */
void sup_progress_step(sup_progress *progress, double time, const sup_step_report *report);
/** Print a line after a load step. */
void sup_progress_load(sup_progress *progress, double time, const sup_step_report *report);
/** Clear the line, so that other text can be printed; the next step writes it again. */
void sup_progress_clear(sup_progress *progress);
/** Clear the line after the last step and print the table of phases. */
void sup_progress_end(sup_progress *progress, const sup_statistics *statistics);
/** The PASS, WARN and FAIL lines; quiet: without PASS. */
void sup_progress_verdicts(FILE *stream, int quiet, const sup_verdicts *verdicts);
