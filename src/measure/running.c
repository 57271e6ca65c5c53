#include "measure/running.h"

#include <math.h>

#include "supple.h"

void sup_running_begin(sup_running *running) { *running = (sup_running){.max_body = SUP_NONE}; }

void sup_running_add(sup_running *running, double value, double time, int body) {
  if (value > running->max)
    running->max = value, running->max_time = time, running->max_body = body;
  if (isfinite(value)) running->final = value;
  running->sum += value;
  running->count++;
}

double sup_running_mean(const sup_running *running) {
  return running->count > 0 ? running->sum / (double)running->count : 0;
}
