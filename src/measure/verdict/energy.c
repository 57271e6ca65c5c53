/* Verdicts on energy: gains, losses, numbers that are not finite. */
#include <math.h>

#include "measure/numerics.h"
#include "measure/verdict/measure.h"

/** Name the soft body of a sum over all soft bodies if there is only one. */
static void name_only_soft(sup_verdict *v, const sup_statistics *s) {
  if (s->model && s->model->num_softs == 1) sup_verdict_name(v, 0, s, s->model->soft[0].body);
}

int sup_measure_nonfinite_numbers(const sup_statistics *s, int k, sup_verdict *v) {
  v->value = (double)s->nonfinite;
  if (k > 0 || s->nonfinite == 0) return 0;
  sup_verdict_append(v, "energy: %ld numbers were not finite and are missing in the files",
                     s->nonfinite);
  return 1;
}

int sup_measure_energy_blowup(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  v->value = s->explosion.ratio, v->time = s->explosion.time;
  if (k > 0 || s->is_static || !(v->value > v->fail)) return 0;
  sup_verdict_name(v, 0, s, s->explosion.body);
  sup_verdict_advise(
      v, s->is_explicit ? "an implicit scheme for springs, a smaller time.step or softer springs"
                        : "a smaller time.step, smaller stiffnesses or velocities");
  sup_verdict_append(
      v,
      "energy: %.4g J at t = %.4g s%s, %.2g times the %.4g J that were put in: above %.0f times "
      "the result is void",
      s->explosion.energy, v->time, sup_verdict_whose(v, whom), v->value, s->explosion.put_in,
      v->fail);
  return 1;
}

int sup_measure_scheme_energy(const sup_statistics *s, int k, sup_verdict *v) {
  const sup_soft_account *account = &s->account;
  if (k > 0 || s->is_static || !(account->numerical < -sup_measure_numerics.no_energy)) return 0;
  v->value = -account->numerical / account->most;
  if (!(v->value > v->warn)) return 0;
  v->time = s->time;
  name_only_soft(v, s);
  bool rides = s->model && s->model->num_attachments > 0;
  if (rides) sup_verdict_advise(v, "a smaller time.step");
  sup_verdict_append(
      v,
      "energy: the time scheme put %.3g mJ into soft bodies, %.2g %% of what all else did (limit "
      "%.0f %%): %s",
      -1e3 * account->numerical, 100 * v->value, 100 * v->warn,
      rides ? "what is pressed while its link turns gains in each step"
            : "with rotations of the step's start walls that are pulled hard swing");
  return 1;
}

/** Verdict on a loss of energy, relative to the energy put in. */
static int loss(const sup_statistics *s, double lost, const char *to, sup_verdict *v) {
  double put_in = fmax(s->account.most, sup_statistics_energy_input(s));
  if (s->is_static || !(put_in > sup_measure_numerics.no_energy)) return 0;
  v->value = lost / put_in, v->time = s->time;
  if (!(v->value > v->warn)) return 0;
  name_only_soft(v, s);
  sup_verdict_append(
      v,
      "energy: %s took %.3g mJ from soft bodies, %.2g %% of what was put in (limit %.0f %%), up to "
      "t = %.4g s",
      to, 1e3 * lost, 100 * v->value, 100 * v->warn, v->time);
  return 1;
}

int sup_measure_numerical_dissipation(const sup_statistics *s, int k, sup_verdict *v) {
  if (s->obs && s->obs->options.soft_bdf2) sup_verdict_advise(v, "a smaller time.step");
  return k == 0 && loss(s, s->account.numerical, "the time scheme", v);
}

int sup_measure_material_damping(const sup_statistics *s, int k, sup_verdict *v) {
  return k == 0 && loss(s, s->account.damping, "material damping", v);
}

int sup_measure_energy(const sup_statistics *s, int k, sup_verdict *v) {
  char whom[5 * SUP_NAME_MAX];
  if (k > 0 || s->is_static || s->nonfinite > 0 ||
      s->explosion.ratio > sup_measure_numerics.explosion)
    return 0;
  double at_end = sup_statistics_of(s, "energy.total")->final;
  v->value = s->energy_growth, v->time = s->energy_growth_time;
  if (s->is_driven) {
    sup_verdict_append(
        v, "energy: %.4g J at the end, finite throughout (the scene is driven from outside)",
        at_end);
  } else if (s->is_explicit) {
    sup_verdict_append(
        v,
        "energy: %.4g J at the end, finite throughout; swings by %.2g J (springs of an explicit "
        "scheme)",
        at_end, s->energy_growth);
  } else {
    v->warn = sup_measure_numerics.growth * s->energy_scale;
    sup_verdict_name(v, 0, s, s->energy_growth_body);
    if (s->obs && s->obs->options.soft_bdf2)
      sup_verdict_advise(v, "'scheme: symplectic_euler', by which impacts give no energy");
    if (v->value > v->warn)
      sup_verdict_append(
          v,
          "energy: %.4g J at the end; grew by at most %.2g J up to t = %.4g s%s, without a drive "
          "(limit %.2g J)",
          at_end, v->value, v->time, sup_verdict_whose(v, whom), v->warn);
    else
      sup_verdict_append(
          v, "energy: %.4g J at the end; grew by at most %.2g J without a drive (limit %.2g J)",
          at_end, v->value, v->warn);
  }
  return 1;
}
