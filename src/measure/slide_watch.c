#include "measure/slide_watch.h"
#include "measure/numerics.h"

#include <math.h>

/** Error that extrapolation leaves: of the third order by the change of the estimate, which is of
 * the second; a step far longer than the one before knows of no change. */
static double left_of(const sup_slide_watch *w, double off, double h) {
  double r = w->step > 0 ? h / w->step : 0;
  return r > 0 && r <= sup_measure_numerics.slide_longer
             ? sup_measure_numerics.slide * (off - w->before * r * r)
             : 0;
}

static void add(sup_slide_watch *w, double off, int slides, double time, double h, double length) {
  w->way += h * w->error;
  w->error = slides ? w->error + left_of(w, off, h) : 0;
  w->before = off, w->step = h;
  if (fabs(w->way) > w->carried * length) w->carried = fabs(w->way) / length, w->time = time;
}

void sup_slide_watch_step(sup_slide_watch *watch, const sup_model *model,
                          const sup_step_result *result, double accuracy_length) {
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    for (int l = 0; l < tree->num_links; l++) {
      const sup_tree_link *link = &tree->links[l];
      int                  v = model->v_start[t] + link->v_start;
      if (link->joint == SUP_JOINT_FLOATING) continue;
      for (int k = 0; k < link->nv; k++)
        add(&watch[v + k], result->joint_off[v + k], result->flight[t].slides, result->time,
            result->increment.h, sup_joint_turns(link, k) ? 1 : accuracy_length);
    }
  }
}
