#include "study/gradient/adjoint.h"

#include <math.h>
#include <string.h>

#include "adjoint/motion_gradient.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "study/gradient/point.h"
#include "study/ladder.h"
#include "study/numerics.h"

bool sup_gradient_wants_adjoint(const sup_study *study) {
  return study->gradient.method == SUP_GRADIENT_ADJOINT ||
         study->gradient.method == SUP_GRADIENT_TANGENT ||
         (study->gradient.method == SUP_GRADIENT_AUTO &&
          study->num_parameters > sup_study_numerics.adjoint_parameters);
}

/** The way that has all columns. */
static sup_status choose_way(const sup_study *study, const sup_load_scene *scene,
                             const sup_study_objectives *o, sup_load_way *way) {
  sup_observer observer;
  SUP_TRY(
      sup_observer_create(&observer, scene->model, scene->options, scene->def, o->column, o->num));
  *way = study->gradient.method == SUP_GRADIENT_TANGENT ? SUP_LOAD_TANGENT : SUP_LOAD_ADJOINT;
  for (int t = 0; t < o->num; t++)
    if (!sup_observer_is_of_motion(&observer, t)) *way = SUP_LOAD_TANGENT;
  sup_observer_free(&observer);
  return SUP_OK;
}

/** Width of differences of the residual [unit of the parameter]: in proportion to the study's; what
 * moves a contact at equal positions moves it by a share of its depth.
 *  @param[out] is_small  too small to tell a kink from round-off */
static double width_of_load(const sup_study *study, const sup_load_gradient *gradient,
                            const sup_parameter *parameter, bool *is_small) {
  const char *unit = parameter->unit;
  bool        is_adjoint = gradient->way == SUP_LOAD_ADJOINT, is_length = strcmp(unit, "m") == 0;
  bool        is_place = is_length || strcmp(unit, "rad") == 0 || strcmp(unit, "deg") == 0;
  double      share = is_place && is_adjoint ? sup_study_numerics.adjoint_place
                      : is_place             ? sup_study_numerics.tangent_place
                                             : sup_study_numerics.adjoint_width;
  double      width = share / study->gradient.width * sup_gradient_width(parameter, 0);
  *is_small = is_length && is_adjoint && width > gradient->place;
  return *is_small ? gradient->place : width;
}

/** Scenes with the k-th parameter beside its value. */
typedef struct sides {
  sup_study_point point[SUP_DIFFERENCE_POINTS];
  sup_load_scene  scene[SUP_DIFFERENCE_POINTS];
} sides;

static void free_sides(sides *s) {
  for (int i = 0; i < SUP_DIFFERENCE_POINTS; i++) sup_study_point_free(&s->point[i]);
}

/** *s := the k-th parameter at its value and at[i] widths more, for i from first to end. */
static sup_status create_sides(const sup_study *study, const double *at, int k, double width,
                               int first, int end, sides *s) {
  double value[SUP_MAX_PARAMETERS];
  for (int p = 0; p < study->num_parameters; p++) value[p] = study->parameter[p].value;
  for (int i = first; i < end; i++) {
    value[k] = study->parameter[k].value + at[i] * width;
    sup_study_point_free(&s->point[i]);
    SUP_TRY(sup_study_point_create(&s->point[i], study, value));
    s->scene[i] = s->point[i].load;
  }
  return SUP_OK;
}

/** slope [num_terms] := derivatives by the k-th parameter. */
static sup_status differentiate(const sup_study *study, sup_load_gradient *gradient, int num_terms,
                                int k, sup_load_slope *slope) {
  sides                beside = {0};
  const sup_parameter *parameter = &study->parameter[k];
  bool                 is_small;
  double               at[SUP_DIFFERENCE_POINTS];
  double               width = width_of_load(study, gradient, parameter, &is_small);
  for (int i = 0; i < SUP_DIFFERENCE_POINTS; i++) at[i] = sup_difference[i].at;
  sup_status status = create_sides(study, at, k, width, 0, SUP_DIFFERENCE_POINTS, &beside);
  if (status == SUP_OK) status = sup_load_gradient_by(gradient, beside.scene, width, slope);
  for (int t = 0; t < num_terms && is_small; t++) slope[t].below = slope[t].above = SUP_NO_NUMBER;
  free_sides(&beside);
  return status == SUP_OK ? SUP_OK : SUP_FAIL_WRAP(status, parameter->place);
}

static void add(sup_load_slope *to, double weight, const sup_load_slope *from) {
  to->gradient += weight * from->gradient;
  to->below += weight * from->below, to->above += weight * from->above;
  to->error += fabs(weight) * from->error;
}

/** Derivatives of quantities by parameter p from those of their terms, and of sums from those of
 * their parts. */
static void gather(sup_study *study, const sup_study_objectives *o, const sup_load_slope *term,
                   int p) {
  sup_load_slope slope[SUP_MAX_QUANTITIES];
  for (int q = 0; q < study->num_quantities; q++) slope[q] = (sup_load_slope){0};
  for (int t = 0; t < o->num; t++) add(&slope[o->quantity[t]], 1, &term[t]);
  for (int q = 0; q < study->num_quantities; q++) {
    const sup_quantity_def *def = &study->quantity[q];
    for (int k = 0; def->sum && k < def->sum->num; k++)
      add(&slope[q], def->scale * def->sum->weight[k], &slope[def->sum->part[k] - study->quantity]);
  }
  for (int q = 0; q < study->num_quantities; q++) {
    sup_slope *to = &study->gradient.adjoint[q * study->num_parameters + p];
    *to =
        sup_slope_of_point(slope[q].gradient, slope[q].below, slope[q].above, study->gradient.kink);
    if (slope[q].error > 0) to->error = slope[q].error;
    to->is_zero |= fabs(to->gradient) <= sup_study_numerics.deviations * slope[q].error;
  }
}

static sup_status differentiate_all(sup_study *study, const sup_study_objectives *o,
                                    sup_load_gradient *gradient) {
  sup_load_slope term[SUP_MAX_TERMS];
  for (int p = 0; p < study->num_parameters; p++) {
    SUP_TRY(differentiate(study, gradient, o->num, p, term));
    gather(study, o, term, p);
  }
  return SUP_OK;
}

static sup_status run_path(sup_study *study, const sup_study_point *p, const sup_load_path *path,
                           const sup_study_objectives *o) {
  sup_load_gradient gradient;
  sup_load_way      way;
  SUP_TRY(choose_way(study, &p->load, o, &way));
  SUP_TRY(sup_load_gradient_create(&gradient, way, path, o->column, o->objective, o->num));
  study->gradient.is_tangent = way == SUP_LOAD_TANGENT;
  sup_status status = differentiate_all(study, o, &gradient);
  study->gradient.residual = gradient.residual;
  sup_load_gradient_free(&gradient);
  return status;
}

static sup_status run_point(sup_study *study, const sup_study_point *p) {
  sup_load_path        path;
  sup_study_objectives o;
  SUP_TRY(sup_study_point_run(p, study, NULL, 0, 0, &path, &o));
  sup_status status = run_path(study, p, &path, &o);
  sup_load_path_free(&path);
  sup_study_objectives_free(&o);
  return status;
}

/* ---- runs of motion -------------------------------------------------------------------------- */

enum {
  BATCH = 8, /* parameters whose runs beside the point are there at the same time */
  BESIDE = 1 + 2 * BATCH
};

/** Runs at the point itself, then below and above it for each parameter of a batch. */
typedef struct batch {
  int               first, num;
  double            width[BATCH];
  sup_study_point   point[BESIDE];
  sup_motion_beside beside[BESIDE];
} batch;

static void close_batch(batch *b) {
  for (int k = 0; k < BESIDE; k++) {
    sup_study_point_free(&b->point[k]);
    sup_motion_beside_free(&b->beside[k]);
  }
}

static sup_status open_batch(batch *b, const sup_study *study, int first) {
  double value[SUP_MAX_PARAMETERS];
  int    left = study->num_parameters - first;
  *b = (batch){.first = first, .num = left < BATCH ? left : BATCH};
  for (int p = 0; p < study->num_parameters; p++) value[p] = study->parameter[p].value;
  for (int k = 0; k < 1 + 2 * b->num; k++) {
    const sup_parameter *p = &study->parameter[first + (k - 1) / 2];
    double              *width = &b->width[(k - 1) / 2];
    if (k > 0) *width = sup_gradient_width(p, SUP_NUM_WIDTHS - 1);
    if (k > 0) value[p - study->parameter] = p->value + (k % 2 ? -*width : *width);
    sup_status status = sup_study_point_create(&b->point[k], study, value);
    value[p - study->parameter] = p->value;
    if (status != SUP_OK) return SUP_FAIL_WRAP(status, p->place);
    b->beside[k].scene = &b->point[k].load;
  }
  return SUP_OK;
}

/** Term t by the rows of run k. */
static double term_of(const batch *b, int k, int t, const sup_load_path *path,
                      const sup_study_objectives *o) {
  double sum = 0;
  for (int row = 0; row <= path->num_steps; row++)
    if (o->objective[t].weight[row] != 0)
      sum += o->objective[t].weight[row] * b->beside[k].value[row * path->num_columns + t];
  return sum;
}

static void take_slopes(sup_study *study, const batch *b, const sup_load_path *path,
                        const sup_study_objectives *o) {
  sup_load_slope term[SUP_MAX_TERMS];
  for (int i = 0; i < b->num; i++) {
    for (int t = 0; t < o->num; t++) {
      double at = term_of(b, 0, t, path, o), below = term_of(b, 1 + 2 * i, t, path, o),
             above = term_of(b, 2 + 2 * i, t, path, o), h = b->width[i];
      term[t] = (sup_load_slope){(above - below) / (2 * h), (at - below) / h, (above - at) / h};
    }
    gather(study, o, term, b->first + i);
  }
}

static sup_status run_batch(sup_study *study, const sup_study_point *p, batch *b) {
  sup_load_path        path;
  sup_study_objectives o;
  SUP_TRY(sup_study_point_run(p, study, b->beside, 1 + 2 * b->num, 0, &path, &o));
  take_slopes(study, b, &path, &o);
  sup_load_path_free(&path);
  sup_study_objectives_free(&o);
  return SUP_OK;
}

static sup_status run_motion(sup_study *study, const sup_study_point *p) {
  SUP_FREED batch *b = NULL;
  SUP_TRY(SUP_CALLOC(b, 1));
  study->gradient.is_tangent = 1;
  for (int first = 0; first < study->num_parameters; first += BATCH) {
    sup_status status = open_batch(b, study, first);
    if (status == SUP_OK) status = run_batch(study, p, b);
    close_batch(b);
    SUP_TRY(status);
  }
  return SUP_OK;
}

/** Sides of a run of motion no farther than it allows; *width: theirs [unit of the parameter]. */
static sup_status create_near(const sup_study *study, const sup_motion_gradient *gradient, int k,
                              double *width, sides *s) {
  static const double at[] = {-1, 1};
  double              reach;
  *width = sup_study_numerics.motion_width / study->gradient.width *
           sup_gradient_width(&study->parameter[k], 0);
  SUP_TRY(create_sides(study, at, k, *width, 1, 2, s));
  SUP_TRY(sup_motion_gradient_reach(gradient, &s->scene[1], &reach));
  if (!(reach > 1)) return create_sides(study, at, k, *width, 0, 1, s);
  *width /= reach;
  return create_sides(study, at, k, *width, 0, 2, s);
}

/** Parameters whose sides are there at the same time. */
typedef struct crowd {
  int                   num;
  sides                *beside;    /* [num_parameters] */
  sup_motion_parameter *parameter; /* [num_parameters] */
  sup_load_slope       *slope;     /* [num_parameters x num_terms] */
} crowd;

/** Sides of the parameters from the first on, as many as the memory takes; one at least. */
static sup_status open_crowd(crowd *c, const sup_study *study, const sup_motion_gradient *g,
                             int first) {
  double before = sup_process_peak(), most = 0,
         room = g->path->records.memory - g->path->records.back;
  for (c->num = 0; first + c->num < study->num_parameters; c->num++) {
    if (c->num > 0 && before + most > room) break;
    sides *s = &c->beside[c->num];
    double width;
    *s = (sides){0};
    SUP_TRY(create_near(study, g, first + c->num, &width, s));
    c->parameter[c->num] = (sup_motion_parameter){s->scene, width};
    double now = sup_process_peak();
    most = fmax(most, now - before), before = now;
  }
  return SUP_OK;
}

static void close_crowd(crowd *c) {
  for (int i = 0; i <= c->num; i++) free_sides(&c->beside[i]);
}

/** Derivatives by the adjoint of a run: one way back, or several where memory is short. */
static sup_status differentiate_motion(sup_study *study, const sup_study_objectives *o,
                                       sup_motion_gradient *g, crowd *c) {
  for (int first = 0; first < study->num_parameters; first += c->num) {
    int        failed = SUP_NONE;
    sup_status status = open_crowd(c, study, g, first);
    if (status != SUP_OK) failed = c->num;
    if (status == SUP_OK)
      status = sup_motion_gradient_by(g, c->parameter, c->num, c->slope, &failed);
    close_crowd(c);
    if (status != SUP_OK && failed != SUP_NONE)
      return SUP_FAIL_WRAP(status, study->parameter[first + failed].place);
    SUP_TRY(status);
    for (int p = 0; p < c->num; p++) gather(study, o, c->slope + p * o->num, first + p);
  }
  return SUP_OK;
}

static sup_status run_motion_back(sup_study *study, sup_load_path *path,
                                  const sup_study_objectives *o) {
  sup_motion_gradient gradient;
  crowd               c = {0};
  int                 num = study->num_parameters;
  SUP_TRY(sup_motion_gradient_create(&gradient, path, o->column, o->objective, o->num));
  sup_status status = SUP_CALLOC(c.beside, num + 1);
  if (status == SUP_OK) status = SUP_CALLOC(c.parameter, num);
  if (status == SUP_OK) status = SUP_CALLOC(c.slope, num * o->num);
  if (status == SUP_OK) status = differentiate_motion(study, o, &gradient, &c);
  SUP_FREE_ALL(&c.beside, &c.parameter, &c.slope);
  study->gradient.residual = gradient.residual;
  study->gradient.records[0] = path->records.bytes,
  study->gradient.records[1] = path->records.whole;
  study->gradient.interval = path->records.interval;
  sup_motion_gradient_free(&gradient);
  return status;
}

/** The run at the point and its adjoint. */
static sup_status run_motion_adjoint(sup_study *study, sup_study_point *p,
                                     const sup_point_files *files) {
  sup_study_objectives o;
  sup_load_path        path;
  double               memory = study->gradient.memory > 0 ? study->gradient.memory : HUGE_VAL;
  sup_status           run = files ? files->begin(files->watch.user, p) : SUP_OK;
  if (files) p->load.watch = &files->watch;
  if (run == SUP_OK) run = sup_study_point_run(p, study, NULL, 0, memory, &path, &o);
  if (files) files->end(files->watch.user, run == SUP_OK);
  SUP_TRY(run);
  sup_status status = run_motion_back(study, &path, &o);
  sup_load_path_free(&path);
  sup_study_objectives_free(&o);
  return status;
}

static sup_status run_any(sup_study *study, sup_study_point *p, const sup_point_files *files) {
  bool is_adjoint = study->gradient.method != SUP_GRADIENT_TANGENT;
  study->gradient.is_tangent = 0;
  if (study->is_static) return run_point(study, p);
  return is_adjoint ? run_motion_adjoint(study, p, files) : run_motion(study, p);
}

static sup_status run_study(sup_study *study, const sup_point_files *files) {
  sup_study_point p;
  double          value[SUP_MAX_PARAMETERS];
  for (int k = 0; k < study->num_parameters; k++) value[k] = study->parameter[k].value;
  SUP_TRY(sup_study_point_create(&p, study, value));
  sup_status status = run_any(study, &p, files);
  sup_study_point_free(&p);
  return status;
}

/** Steps of motion are solved to round-off. */
sup_status sup_gradient_run_adjoint(sup_study *study, const sup_point_files *files) {
  sup_level *level = &study->family[0].level[0];
  double     tolerance = level->tolerance, most = sup_study_numerics.motion_tolerance;
  bool       is_loose =
      !study->is_static && study->gradient.method != SUP_GRADIENT_TANGENT && tolerance > most;
  SUP_FREE(study->gradient.adjoint);
  SUP_TRY(SUP_CALLOC(study->gradient.adjoint, study->num_quantities * study->num_parameters));
  if (is_loose) SUP_TRY(sup_level_print(level, "solver.tolerance=%g", level->tolerance = most));
  sup_status status = run_study(study, files);
  if (status == SUP_OK) return SUP_OK;
  SUP_FREE(study->gradient.adjoint);
  if (is_loose) SUP_FREE(level->set[--level->num_sets]);
  level->tolerance = tolerance;
  return status;
}
