#include "app/told.h"

#include "app/app.h"
#include "base/log.h"

/** Threads of a step may warn, too. */
static void hear(sup_log_level level, const char *message, void *user) {
  sup_told *told = user;
#pragma omp critical(sup_told)
  {
    if (!told->is_quiet) sup_app_print_log(level, message);
    if (level == SUP_LOG_WARNING && told->count < SUP_MAX_TOLD)
      snprintf(told->text[told->count++], SUP_VERDICT_TEXT, "%s", message);
  }
}

void sup_told_listen(sup_told *told) { sup_log_set(hear, told); }

void sup_told_pass_on(const sup_told *told, sup_output *output) {
  for (int i = 0; i < told->count; i++) sup_output_tell(output, told->text[i]);
}
