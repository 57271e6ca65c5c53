#include "output/statistics_file.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

static const char prefix[] = "statistics.";

/** A member that has no pointers. */
#define MEMBER(name) sup_archive_list_add(list, #name, &s->name, sizeof s->name, 1)

static void list_energies(sup_archive_list *list, sup_statistics *s) {
  MEMBER(has_energy);
  MEMBER(energy_low);
  MEMBER(energy_growth);
  MEMBER(energy_growth_time);
  MEMBER(energy_growth_body);
  MEMBER(drive_work);
  MEMBER(soft_work);
  MEMBER(start_energy);
  MEMBER(gravity_low);
  MEMBER(gravity_high);
  MEMBER(explosion);
  MEMBER(energy_scale);
  MEMBER(kinetic_most);
  MEMBER(potential_first);
  MEMBER(account);
}

static void list_members(sup_archive_list *list, sup_statistics *s) {
  MEMBER(wall_output);
  MEMBER(phase);
  MEMBER(time);
  MEMBER(running);
  MEMBER(analyses);
  MEMBER(not_converged);
  MEMBER(not_converged_time);
  MEMBER(rounded);
  MEMBER(rounded_error_max);
  MEMBER(rounded_error_time);
  MEMBER(linear.iterations);
  MEMBER(linear.missed);
  MEMBER(linear.residual);
  MEMBER(linear_reason);
  MEMBER(linear_missed_time);
  MEMBER(law_missed);
  MEMBER(handed_over);
  MEMBER(stiff_penetration_max);
  MEMBER(stiff_penetration_time);
  MEMBER(stiff_penetration_body);
  MEMBER(discarded_small);
  MEMBER(discarded_backward);
  MEMBER(discarded_inverted);
  MEMBER(silent);
  MEMBER(passed);
  MEMBER(ambiguous);
  MEMBER(friction_cap);
  MEMBER(load_cuts);
  MEMBER(snaps);
  MEMBER(saddles);
  MEMBER(lengths);
  MEMBER(impacts);
  MEMBER(frames);
  MEMBER(overstretch);
  MEMBER(penetration.measures);
  MEMBER(penetration.looks);
  MEMBER(penetration.depth_max);
  MEMBER(penetration.rigid_depth_max);
  MEMBER(penetration.rigid_time);
  MEMBER(penetration.rigid_body);
  MEMBER(nonfinite);
  list_energies(list, s);
}

static void list_all(sup_archive_list *list, sup_statistics *s) {
  size_t pairs = (size_t)s->obs->num_pairs, softs = (size_t)s->model->num_softs;
  list_members(list, s);
  sup_archive_list_add(list, "softening", s->softening, sizeof *s->softening, pairs);
  sup_archive_list_add(list, "watch", s->watch, sizeof *s->watch, pairs);
  sup_archive_list_add(list, "flight", s->flight, sizeof *s->flight,
                       (size_t)s->model->num_trees + softs);
  sup_archive_list_add(list, "slide", s->slide, sizeof *s->slide,
                       (size_t)s->model->v_start[s->model->num_trees]);
  sup_archive_list_add(list, "spin", s->spin, sizeof *s->spin, softs);
  sup_archive_list_add(list, "step_seconds", s->step_seconds, sizeof *s->step_seconds,
                       (size_t)s->steps);
}

void sup_statistics_put(const sup_statistics *statistics, sup_archive_writer *writer) {
  sup_statistics   copy = *statistics;
  double           wall = sup_wall_time() - statistics->wall_start;
  sup_archive_list list = {.count = 0};
  memset(copy.linear_reason, 0, sizeof copy.linear_reason);
  if (statistics->linear.reason)
    snprintf(copy.linear_reason, sizeof copy.linear_reason, "%s", statistics->linear.reason);
  sup_archive_list_add(&list, "wall", &wall, sizeof wall, 1);
  list_all(&list, &copy);
  for (int i = 0; i < list.count; i++) sup_archive_put(writer, prefix, &list.item[i]);
}

sup_status sup_statistics_get(sup_statistics *s, const sup_archive *archive) {
  const sup_archive_entry *steps = sup_archive_find(archive, prefix, "step_seconds");
  double                   wall;
  sup_archive_list         list = {.count = 0};
  if (!steps) return SUP_FAIL(SUP_E_ARG, "%s: it has no statistics of a run", archive->path);
  SUP_TRY(SUP_GROW(s->step_seconds, s->step_seconds_capacity, steps->count + 1));
  s->steps = (long)steps->count;
  sup_archive_list_add(&list, "wall", &wall, sizeof wall, 1);
  list_all(&list, s);
  for (int i = 0; i < list.count; i++) SUP_TRY(sup_archive_get(archive, prefix, &list.item[i]));
  s->linear_reason[sizeof s->linear_reason - 1] = '\0';
  s->linear.reason = s->linear_reason[0] ? s->linear_reason : NULL;
  s->wall_start = sup_wall_time() - wall;
  return SUP_OK;
}

sup_status sup_statistics_branch(sup_statistics *s, const sup_archive *archive) {
  SUP_TRY(sup_archive_get(archive, prefix,
                          &(sup_archive_item){"account", &s->account, sizeof s->account, 1}));
  s->is_branch = 1;
  return SUP_OK;
}
