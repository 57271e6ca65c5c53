#include "app/log_capture.h"

#include "app/app.h"
#include "base/log.h"

/** Threads of a step may warn, too. */
static void hear(sup_log_level level, const char *message, void *user) {
  sup_log_capture *told = user;
#pragma omp critical(sup_log_capture)
  {
    if (!told->is_quiet) sup_app_print_log(level, message);
    if (level == SUP_LOG_WARNING && told->count < SUP_MAX_WARNINGS)
      snprintf(told->text[told->count++], SUP_VERDICT_TEXT, "%s", message);
  }
}

void sup_log_capture_start(sup_log_capture *told) { sup_log_set(hear, told); }

void sup_log_capture_forward(const sup_log_capture *told, sup_output *output) {
  for (int i = 0; i < told->count; i++) sup_output_warn(output, told->text[i]);
}
