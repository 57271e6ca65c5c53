#include "study/gradient/gradient.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "study/ladder.h"
#include "study/numerics.h"
#include "study/parameter.h"

/** Cases: the scene itself, then for each parameter and width, the largest first, below and
 * above. */
enum { CASES_A_PARAMETER = 2 * SUP_NUM_WIDTHS };

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word methods[] = {
    {"auto", "the adjoint where it has all and pays, or else differences"},
    {"differences", "central differences of whole runs, of any solver, scheme and body"},
    {"adjoint",
     "of the equations of load steps (mode: static), or of steps by Euler's schemes, solved once "
     "for all parameters"},
    {"tangent",
     "of the same equations, or of steps of motion, solved for each parameter, of any "
     "column"}};

static const sup_key gradient_keys[] = {
    SUP_WORD("method", methods, SUP_AT(sup_gradient, method), "auto", "Way to the derivatives."),
    SUP_NUMBER("width", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_gradient, width), "1.0e-3",
               "Largest width of the central differences, over the parameter's value; the other "
               "two are a tenth and a hundredth of it."),
    SUP_NUMBER("kink", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_gradient, kink), "1 %",
               "Difference of slopes of two sides or widths, over the slope, that is told.")};
static void defaults(void *target) {
  *(sup_gradient *)target = (sup_gradient){.width = 1e-3, .kink = 0.01};
}
const sup_schema sup_schema_gradient = SUP_SCHEMA(
    "gradient", gradient_keys, "Derivatives by parameters.", SUP_DEFAULTS(defaults, sup_gradient));

/* ---- the study ------------------------------------------------------------------------------- */

sup_status sup_gradient_read_section(sup_study *study, const sup_section *section) {
  sup_node   *gradient = sup_section_entry(section, "gradient");
  sup_section s;
  defaults(&study->gradient);
  if (!gradient) return SUP_OK;
  SUP_TRY(sup_section_open(&s, gradient, &sup_schema_gradient, NULL));
  SUP_TRY(sup_section_read(&s, &study->gradient));
  return SUP_OK;
}

static sup_status read_ladder(sup_study *study, sup_node *ladder) {
  if (!ladder) return SUP_OK;
  SUP_TRY(sup_ladder_read(ladder, NULL, 0, &study->gradient.ladder));
  study->gradient.level = study->gradient.ladder.num_levels - 1;
  return SUP_OK;
}

sup_status sup_gradient_read(sup_study *study, const sup_section *section, const sup_node *set) {
  sup_family *family = &study->family[0];
  SUP_TRY(sup_gradient_read_section(study, section));
  SUP_TRY(sup_parameters_read(study, section));
  SUP_TRY(read_ladder(study, sup_section_entry(section, "ladder")));
  study->num_families = 1;
  SUP_TRY(SUP_CALLOC(family->level, 1 + CASES_A_PARAMETER * study->num_parameters));
  family->num_levels = 1 + CASES_A_PARAMETER * study->num_parameters;
  for (int i = 0; i < family->num_levels; i++)
    SUP_TRY(sup_level_begin(&family->level[i], set, study->parameter[0].place));
  return SUP_OK;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static int case_of(int parameter, int width, int above) {
  return 1 + CASES_A_PARAMETER * parameter + 2 * width + above;
}

double sup_gradient_width(const sup_parameter *parameter, int k) {
  return parameter->width * pow(sup_study_numerics.shrink, k);
}

static double place_of(const sup_parameter *p, int width, int above) {
  double h = sup_gradient_width(p, width);
  return p->value + (above ? h : -h);
}

static sup_status fill_case(sup_study *study, int i) {
  sup_level *level = &study->family[0].level[i];
  int        first = level->num_sets, own = i > 0 ? (i - 1) / CASES_A_PARAMETER : SUP_NONE;
  for (int p = 0; p < study->num_parameters; p++)
    if (p != own && study->parameter[p].given_value)
      SUP_TRY(sup_level_set(level, &study->parameter[p], study->parameter[p].value));
  if (own != SUP_NONE) {
    int k = (i - 1) % CASES_A_PARAMETER;
    SUP_TRY(sup_level_set(level, &study->parameter[own],
                          place_of(&study->parameter[own], k / 2, k % 2)));
  }
  SUP_TRY(sup_level_label(level, first));
  return SUP_OK;
}

sup_status sup_gradient_refine(sup_study *study) {
  const sup_gradient *g = &study->gradient;
  if (g->ladder.num_levels == 0) return SUP_OK;
  const sup_level *own = &g->ladder.level[g->level];
  for (int i = 0; i < study->family[0].num_levels; i++) {
    sup_level *level = &study->family[0].level[i];
    size_t     capacity = (size_t)level->num_sets;
    SUP_TRY(SUP_GROW(level->set, capacity, level->num_sets + own->num_sets));
    for (int k = 0; k < own->num_sets; k++, level->num_sets++)
      SUP_TRY(sup_text_new(&level->set[level->num_sets], own->set[k]));
  }
  return SUP_OK;
}

sup_status sup_gradient_fill(sup_study *study, sup_scene *scene) {
  for (int p = 0; p < study->num_parameters; p++)
    SUP_TRY(sup_parameter_find(study, &study->parameter[p], scene));
  for (int i = 0; i < study->family[0].num_levels; i++) SUP_TRY(fill_case(study, i));
  return SUP_OK;
}

const char *sup_gradient_method_name(const sup_study *study) {
  return methods[!study->gradient.adjoint     ? SUP_GRADIENT_DIFFERENCES
                 : study->gradient.is_tangent ? SUP_GRADIENT_TANGENT
                                              : SUP_GRADIENT_ADJOINT]
      .name;
}

/* ---- slopes ---------------------------------------------------------------------------------- */

static double value_of(const sup_study *study, int i, int quantity) {
  const sup_level *level = &study->family[0].level[i];
  return sup_level_is_complete(level) ? level->value[quantity] : SUP_NO_NUMBER;
}

sup_slope sup_gradient_slope(const sup_study *study, int quantity, int parameter) {
  const sup_parameter *p = &study->parameter[parameter];
  if (study->gradient.adjoint)
    return study->gradient.adjoint[quantity * study->num_parameters + parameter];
  sup_slope_samples s = {.x = p->value, .f = value_of(study, 0, quantity)};
  for (int k = 0; k < SUP_NUM_WIDTHS; k++) {
    s.x_below[k] = place_of(p, k, 0), s.x_above[k] = place_of(p, k, 1);
    s.f_below[k] = value_of(study, case_of(parameter, k, 0), quantity);
    s.f_above[k] = value_of(study, case_of(parameter, k, 1), quantity);
  }
  return sup_slope_measure(&s, study->gradient.kink);
}

double sup_gradient_logarithmic(const sup_study *study, int quantity, int parameter,
                                const sup_slope *slope) {
  double f = value_of(study, 0, quantity), x = study->parameter[parameter].value;
  return f != 0 && x != 0 ? slope->gradient * x / f : SUP_NO_NUMBER;
}

void sup_gradient_unit(const sup_study *study, int quantity, int parameter,
                       char unit[SUP_GRADIENT_UNIT_SIZE]) {
  const char *top = study->quantity[quantity].unit, *below = study->parameter[parameter].unit;
  bool        is_sum = strpbrk(top, " /") != NULL, is_product = strpbrk(below, " /*") != NULL;
  if (!below[0])
    snprintf(unit, SUP_GRADIENT_UNIT_SIZE, "%s", top[0] ? top : "-");
  else
    snprintf(unit, SUP_GRADIENT_UNIT_SIZE, "%s%s%s/%s%s%s", is_sum ? "(" : "", top[0] ? top : "1",
             is_sum ? ")" : "", is_product ? "(" : "", below, is_product ? ")" : "");
}

/** First difference of a count beside the point from that at it, from the smallest width on. */
static void append_change(const sup_study *study, int parameter, bool is_steps,
                          char text[SUP_GRADIENT_TEXT_SIZE]) {
  const sup_level     *level = study->family[0].level;
  const sup_parameter *p = &study->parameter[parameter];
  size_t               used = strlen(text);
  for (int i = CASES_A_PARAMETER - 1; i >= 0; i--) {
    const sup_level *beside = &level[1 + CASES_A_PARAMETER * parameter + i];
    double           from = is_steps ? level->steps : level->contacts,
           to = is_steps ? beside->steps : beside->contacts;
    if (!sup_level_is_complete(beside) || to == from) continue;
    snprintf(text + used, SUP_GRADIENT_TEXT_SIZE - used, "; %s %.6g, %.6g at %+.3g%s%s",
             is_steps ? "steps" : "contacts", from, to, place_of(p, i / 2, i % 2) - p->value,
             p->unit[0] ? " " : "", p->unit);
    return;
  }
}

/** Message of the first case of a side that failed. */
static const char *failure(const sup_study *study, int parameter, int above) {
  for (int k = 0; k < SUP_NUM_WIDTHS; k++) {
    const sup_level *l = &study->family[0].level[case_of(parameter, k, above)];
    if (!sup_level_is_complete(l)) return l->message;
  }
  return "";
}

void sup_gradient_remark(const sup_study *study, int parameter, const sup_slope *slope,
                         char text[SUP_GRADIENT_TEXT_SIZE]) {
  bool is_above = slope->sides == SUP_SLOPE_ABOVE;
  text[0] = '\0';
  if (slope->sides == SUP_SLOPE_OF_POINT) {
    if (slope->sides_differ)
      snprintf(text, SUP_GRADIENT_TEXT_SIZE,
               "kink: slopes %.6g below, %.6g above at equal positions", slope->left, slope->right);
    else if (slope->is_zero && isfinite(slope->error))
      snprintf(text, SUP_GRADIENT_TEXT_SIZE, "not above its error");
    return;
  }
  if (slope->sides == SUP_SLOPE_NO_SIDE)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "no slope: %.300s",
             study->family[0].level[0].message[0] ? study->family[0].level[0].message
                                                  : failure(study, parameter, 1));
  else if (slope->sides != SUP_SLOPE_BOTH_SIDES)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "from %s alone: on the other side %.300s",
             is_above ? "above" : "below", failure(study, parameter, is_above ? 0 : 1));
  else if (slope->sides_differ)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "kink: slopes %.6g below, %.6g above", slope->left,
             slope->right);
  else if (slope->widths_differ)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "kink or jump nearby: slopes %.6g, %.6g, %.6g by width",
             slope->of_width[0], slope->of_width[1], slope->of_width[2]);
  else if (slope->is_zero)
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "not above its error");
  else if (slope->error > study->gradient.kink * fabs(slope->gradient))
    snprintf(text, SUP_GRADIENT_TEXT_SIZE, "noise %.2g of the value; a larger width has less",
             slope->noise);
  if (!slope->sides_differ && !slope->widths_differ) return;
  append_change(study, parameter, true, text);
  append_change(study, parameter, false, text);
}
