#include "measure/flight_watch.h"
#include "measure/numerics.h"

#include <math.h>

/** The touch ends in which the body bounced, or rested. */
static void take_off(sup_flight_watch *w) {
  w->error += sup_measure_numerics.kink * w->peak;
  w->peak = w->touched = w->flown = 0;
}

static void touch(sup_flight_watch *w, const sup_flight *f, double dt) {
  w->touched += dt, w->peak = fmax(w->peak, f->error);
  if (w->touched < w->flown) return;
  w->error = w->way = 0, w->peak = f->touches ? 0 : f->error;
}

static void add(sup_flight_watch *w, const sup_flight *f, double time, double dt, double scale) {
  if (!f->flies) {
    touch(w, f, dt);
    return;
  }
  if (w->touched > 0) take_off(w);
  w->flown += dt, w->way += w->error * dt / scale;
  if (w->error + w->way > w->carried) w->carried = w->error + w->way, w->time = time;
}

static void slide(sup_flight_watch *w, const sup_flight *f, double time, double dt, double scale) {
  if (!f->slides)
    w->held = fmax(f->error, sup_measure_numerics.held * w->held);
  else if (w->held > 0)
    w->slid += w->held * dt / scale, w->slid_time = time;
}

void sup_flight_watch_step(sup_flight_watch *watch, int count, const sup_flight *flight,
                           double time, double dt, double accuracy_time) {
  for (int i = 0; i < count; i++)
    if (flight[i].is_free) {
      add(&watch[i], &flight[i], time, dt, accuracy_time);
      slide(&watch[i], &flight[i], time, dt, accuracy_time);
    }
}
