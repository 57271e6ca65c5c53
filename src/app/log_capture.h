/** Warnings of the log for summary.json, printed on stderr or not.  Layer app. */
#pragma once

#include "measure/verdict.h"
#include "output/output.h"

typedef struct sup_log_capture {
  int  is_quiet; /* keeps them without a line on stderr */
  int  count;
  char text[SUP_MAX_WARNINGS][SUP_VERDICT_TEXT];
} sup_log_capture;

/** Messages of the log go there, until sup_app_log says otherwise. */
void sup_log_capture_start(sup_log_capture *told);
void sup_log_capture_forward(const sup_log_capture *told, sup_output *output);
