/** Warnings of the log for summary.json, told on stderr or not.  Layer app. */
#pragma once

#include "measure/verdict.h"
#include "output/output.h"

typedef struct sup_told {
  int  is_quiet; /* keeps them without a line on stderr */
  int  count;
  char text[SUP_MAX_TOLD][SUP_VERDICT_TEXT];
} sup_told;

/** Messages of the log go there, until sup_app_log says otherwise. */
void sup_told_listen(sup_told *told);
void sup_told_pass_on(const sup_told *told, sup_output *output);
