/* Contact problem from a file, with strict checks of all arrays. */
#include "solve/stored/stored_problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/npz.h"
#include "base/memory.h"
#include "law/parameter.h"

typedef struct reader {
  const sup_npz      *npz;
  sup_stored_problem *s;
  sup_arena          *arena;
} reader;

static sup_status wrong_shape(const reader *r, const char *name, const sup_npy *array,
                              const char *expected) {
  char   shape[120] = "(";
  size_t used = 1;
  for (int d = 0; d < array->num_dimensions; d++)
    used +=
        (size_t)snprintf(shape + used, sizeof shape - used, d ? ", %zu" : "%zu", array->shape[d]);
  return SUP_FAIL(SUP_E_ARG, "%s:%s: found %s of the shape %s), expected %s", r->npz->path, name,
                  array->number ? "numbers" : "texts", shape, expected);
}

/** Numbers of a member with `count` elements of any shape ((n,), (n, 1)); NULL: no such member. */
static sup_status take(const reader *r, const char *name, int count, const double **out) {
  const sup_npy *array = sup_npz_find(r->npz, name);
  char           text[60];
  double        *copy;
  *out = NULL;
  if (!array) return SUP_OK;
  snprintf(text, sizeof text, "%d finite numbers", count);
  if (!array->number || array->count != (size_t)count) return wrong_shape(r, name, array, text);
  SUP_TRY(SUP_ARENA(r->arena, copy, count));
  for (int k = 0; k < count; k++) copy[k] = array->number[k];
  *out = copy;
  return SUP_OK;
}

static sup_status check_finite(const reader *r, const char *name, int count, const double *value) {
  for (int k = 0; k < count && value; k++)
    if (!isfinite(value[k]))
      return SUP_FAIL(SUP_E_NONFINITE, "%s:%s: found %g at %d (from 0), expected finite numbers",
                      r->npz->path, name, value[k], k);
  return SUP_OK;
}

/** Read a required array of finite numbers. */
static sup_status need(const reader *r, const char *name, int count, const double **out) {
  SUP_TRY(take(r, name, count, out));
  if (!*out)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: the array %s is missing, expected G, g and mus, or A_data, "
                    "J_data and what belongs to them",
                    r->npz->path, name);
  SUP_TRY(check_finite(r, name, count, *out));
  return SUP_OK;
}

/** Read `count` integers from 0 to `most`; count SUP_NONE: any number, *num := their number. */
static sup_status need_integers(const reader *r, const char *name, int count, int most, int **out,
                                int *num) {
  const sup_npy *array = sup_npz_find(r->npz, name);
  const double  *value;
  int n = count != SUP_NONE ? count : array && array->count < 1u << 30 ? (int)array->count : 0;
  SUP_TRY(need(r, name, n, &value));
  SUP_TRY(SUP_ARENA(r->arena, *out, n));
  for (int k = 0; k < n; k++) {
    if (!(value[k] >= 0 && value[k] <= most && value[k] == floor(value[k])))
      return SUP_FAIL(SUP_E_ARG, "%s:%s: found %g at %d (from 0), expected integers from 0 to %d",
                      r->npz->path, name, value[k], k, most);
    (*out)[k] = (int)value[k];
  }
  if (num) *num = n;
  return SUP_OK;
}

static sup_status check_ascending(const reader *r, const char *name, int n, const int *value,
                                  int last) {
  for (int k = 0; k <= n; k++)
    if (value[k] < (k ? value[k - 1] : 0) || (k == 0 && value[0]) || (k == n && value[n] != last))
      return SUP_FAIL(SUP_E_ARG,
                      "%s:%s: found %d at %d (from 0), expected ascending numbers from 0 to %d",
                      r->npz->path, name, value[k], k, last);
  return SUP_OK;
}

static sup_status read_csr(const reader *r, const char *letter, int num_rows, int num_columns,
                           sup_csr *out) {
  char          name[16];
  int           num;
  const double *value;
  *out = (sup_csr){.num_rows = num_rows, .num_columns = num_columns};
  snprintf(name, sizeof name, "%s_indices", letter);
  SUP_TRY(need_integers(r, name, SUP_NONE, num_columns - 1, &out->column, &num));
  snprintf(name, sizeof name, "%s_indptr", letter);
  SUP_TRY(need_integers(r, name, num_rows + 1, num, &out->start, NULL));
  SUP_TRY(check_ascending(r, name, num_rows, out->start, num));
  snprintf(name, sizeof name, "%s_data", letter);
  SUP_TRY(need(r, name, num, &value));
  out->value = (double *)value; /* copy in the arena */
  return SUP_OK;
}

/** Numbers of contacts and joints from the lengths of mus and g. */
static sup_status count_rows(const reader *r, const char *name, sup_delassus_problem *q) {
  const sup_npy *mus = sup_npz_find(r->npz, "mus"), *g = sup_npz_find(r->npz, name);
  if (!mus || !g)
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: the array %s is missing, expected a contact problem: G, g and mus, or what "
        "supple export writes",
        r->npz->path, mus ? name : "mus");
  if (g->count > 1u << 28 || 3 * mus->count > g->count || mus->count > g->count)
    return wrong_shape(r, "mus", mus, "one friction coefficient for every three components of g");
  q->num_contacts = (int)mus->count, q->size = (int)g->count;
  q->num_joints = q->size - 3 * q->num_contacts;
  return SUP_OK;
}

static sup_status zeros(const reader *r, int count, const double **out) {
  double *x;
  if (*out) return SUP_OK;
  SUP_TRY(SUP_ARENA(r->arena, x, count));
  for (int k = 0; k < count; k++) x[k] = 0;
  *out = x;
  return SUP_OK;
}

/** Check the signs of mu and R, and the intervals. */
static sup_status check_ranges(const reader *r, const sup_delassus_problem *q) {
  for (int i = 0; i < q->num_contacts; i++)
    if (!(q->mu[i] >= 0))
      return SUP_FAIL(SUP_E_ARG, "%s:mus: found %g at %d (from 0), expected 0 or more",
                      r->npz->path, q->mu[i], i);
  for (int i = 0; i < q->size; i++)
    if (!(q->R[i] >= 0))
      return SUP_FAIL(SUP_E_ARG, "%s:R: found %g at %d (from 0), expected 0 or more", r->npz->path,
                      q->R[i], i);
  for (int j = 0; j < q->num_joints; j++)
    if (!(q->lower[j] <= q->upper[j]))
      return SUP_FAIL(SUP_E_ARG,
                      "%s:lower: found %g above %g at %d (from 0), expected lower <= upper",
                      r->npz->path, q->lower[j], q->upper[j], j);
  return SUP_OK;
}

static sup_status check_symmetric(const reader *r, const sup_delassus_problem *q) {
  size_t n = (size_t)q->size;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      double a = q->G[i * n + j], b = q->G[j * n + i];
      double size = sqrt(fabs(q->G[i * n + i] * q->G[j * n + j]));
      if (!(fabs(a - b) <= 1e-6 * fmax(size, fmax(fabs(a), fabs(b)))))
        return SUP_FAIL(SUP_E_ARG,
                        "%s:G: found %g at (%zu, %zu) and %g at its mirror image, expected a "
                        "symmetric matrix",
                        r->npz->path, a, i, j, b);
      q->G[i * n + j] = q->G[j * n + i] = 0.5 * (a + b);
    }
  return SUP_OK;
}

static sup_status read_delassus(const reader *r, sup_delassus_problem *q) {
  const sup_npy *G = sup_npz_find(r->npz, "G");
  const double  *g, *R, *target, *mu, *lower = NULL, *upper = NULL, *matrix = NULL;
  SUP_TRY(count_rows(r, "g", q));
  if (G && q->size > SUP_DELASSUS_MAX_ROWS)
    return SUP_FAIL(SUP_E_ARG, "%s:G: found %d rows, expected at most %d", r->npz->path, q->size,
                    SUP_DELASSUS_MAX_ROWS);
  SUP_TRY(need(r, "g", q->size, &g));
  SUP_TRY(need(r, "mus", q->num_contacts, &mu));
  SUP_TRY(take(r, "R", q->size, &R));
  SUP_TRY(take(r, "cstar", q->size, &target));
  SUP_TRY(zeros(r, q->size, &R));
  SUP_TRY(zeros(r, q->size, &target));
  SUP_TRY(check_finite(r, "R", q->size, R));
  SUP_TRY(check_finite(r, "cstar", q->size, target));
  SUP_TRY(take(r, "lower", q->num_joints, &lower));
  SUP_TRY(take(r, "upper", q->num_joints, &upper));
  if (q->num_joints > 0 && (!lower || !upper))
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: g has %d components more than three for each of %d contacts, expected lower "
        "and upper for them, or a friction coefficient in mus for every contact",
        r->npz->path, q->num_joints, q->num_contacts);
  if (G) SUP_TRY(need(r, "G", q->size * q->size, &matrix));
  q->g = (double *)g, q->mu = (double *)mu, q->R = (double *)R, q->target = (double *)target;
  q->lower = (double *)lower, q->upper = (double *)upper, q->G = (double *)matrix;
  SUP_TRY(check_ranges(r, q));
  if (G) SUP_TRY(check_symmetric(r, q));
  return SUP_OK;
}

/** Index of text j in the names of a table; SUP_NONE: not in the table. */
static int find_name(const sup_npy *array, size_t j, int num, const char *(*name)(int)) {
  for (int k = 0; k < num; k++)
    if (strcmp(sup_npy_text(array, j), name(k)) == 0) return k;
  return SUP_NONE;
}

static const char *law_name(int k) { return sup_law_name((sup_law_kind)k); }
static const char *softening_name(int k) {
  return sup_friction_softening_name((sup_friction_softening)k);
}
static const char *normal_law_name(int k) { return sup_normal_name((sup_normal_law)k); }

/** Texts of a member, one for each constraint. */
static sup_status need_names(const reader *r, const char *name, int num, const sup_npy **out) {
  *out = sup_npz_find(r->npz, name);
  if (!*out) return SUP_FAIL(SUP_E_ARG, "%s: the array %s is missing", r->npz->path, name);
  if (!(*out)->text || (*out)->count != (size_t)num)
    return wrong_shape(r, name, *out, "a name for each constraint");
  return SUP_OK;
}

static sup_status read_name(const reader *r, const sup_npy *array, int i, int num,
                            const char *(*name)(int), int *out) {
  *out = find_name(array, (size_t)i, num, name);
  if (*out == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s:%s: found '%s' at %d (from 0), expected a name of supple export",
                    r->npz->path, array->name, sup_npy_text(array, (size_t)i), i);
  return SUP_OK;
}

static sup_status read_kinds(const reader *r, int num, sup_constraint *c) {
  const sup_npy *kind, *normal, *softening;
  SUP_TRY(need_names(r, "law", num, &kind));
  SUP_TRY(need_names(r, "law_normal", num, &normal));
  SUP_TRY(need_names(r, "law_softening", num, &softening));
  for (int i = 0; i < num; i++) {
    int k;
    SUP_TRY(read_name(r, kind, i, SUP_LAW_IMPULSE, law_name, &k));
    c[i].law.kind = (sup_law_kind)k;
    if (!sup_law_normal_name(&c[i].law)[0]) continue;
    SUP_TRY(read_name(r, normal, i, SUP_NUM_NORMAL_LAWS, normal_law_name, &k));
    c[i].law.coulomb.normal.kind = (sup_normal_law)k;
    SUP_TRY(read_name(r, softening, i, SUP_NUM_FRICTION_SOFTENINGS, softening_name, &k));
    c[i].law.coulomb.softening = (sup_friction_softening)k;
  }
  return SUP_OK;
}

static sup_status read_parameters(const reader *r, int num, sup_constraint *c) {
  for (int k = 0; k < SUP_NUM_LAW_PARAMETERS; k++) {
    const char   *parameter = sup_law_parameters[k].name;
    const double *value;
    char          name[SUP_NPY_MAX_NAME];
    if (!sup_law_parameter_is_first(k)) continue;
    snprintf(name, sizeof name, "law_%s", parameter);
    SUP_TRY(take(r, name, num, &value));
    for (int i = 0; i < num; i++) {
      if (isnan(sup_law_parameter_get(parameter, &c[i].law)))
        continue; /* law without this parameter */
      if (!value || isnan(value[i]))
        return SUP_FAIL(SUP_E_ARG, "%s:%s: constraint %d (from 0) needs a number for its law %s",
                        r->npz->path, name, i, sup_law_name(c[i].law.kind));
      sup_law_parameter_set(parameter, &c[i].law, value[i]);
    }
  }
  for (int i = 0; i < num; i++) {
    sup_anisotropy *S = &c[i].law.anisotropy;
    bool            is_unset = S->xx == 0 && S->xy == 0 && S->yy == 0;
    S->on = !is_unset && !(S->xx == 1 && S->xy == 0 && S->yy == 1);
  }
  return SUP_OK;
}

/** List the block columns of the entries in rows first .. first + dim - 1, each once, in order of
 * appearance; returns their number. */
static int list_blocks(const sup_csr *J, int first, int dim, const int *of, int *mark, int stamp,
                       int *list) {
  int num = 0;
  for (int k = J->start[first]; k < J->start[first + dim]; k++) {
    int b = of[J->column[k]];
    if (mark[b] != stamp) mark[b] = stamp, list[num++] = b;
  }
  return num;
}

static sup_status set_jacobian(const reader *r, const sup_csr *J, const sup_block_pattern *P,
                               sup_problem *p, sup_constraint *c) {
  int                *of, *mark, *list, *place, count = 0;
  size_t              used = 0, most = 0;
  sup_jacobian_block *block;
  double             *value;
  SUP_TRY(SUP_ARENA(r->arena, of, P->num_scalars));
  SUP_TRY(SUP_ARENA(r->arena, mark, P->num_blocks));
  SUP_TRY(SUP_ARENA(r->arena, list, P->num_blocks));
  SUP_TRY(SUP_ARENA(r->arena, place, P->num_blocks));
  for (int b = 0; b < P->num_blocks; b++) {
    mark[b] = SUP_NONE;
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++) of[i] = b;
  }
  for (int i = 0; i < p->num_constraints; i++) {
    int dim = sup_law_dimension(c[i].law.kind);
    c[i].num_blocks = list_blocks(J, c[i].first_vc, dim, of, mark, i, list);
    for (int k = 0; k < c[i].num_blocks; k++) most += (size_t)(dim * sup_block_size(P, list[k]));
    count += c[i].num_blocks;
  }
  SUP_TRY(SUP_ARENA(r->arena, block, count));
  SUP_TRY(SUP_ARENA(r->arena, value, most));
  memset(value, 0, most * sizeof *value);
  p->jacobian = block, p->jacobian_value = value, p->num_jacobian_blocks = 0;
  for (int i = 0; i < p->num_constraints; i++) {
    int dim = sup_law_dimension(c[i].law.kind);
    c[i].first_block = p->num_jacobian_blocks;
    list_blocks(J, c[i].first_vc, dim, of, mark, p->num_constraints + i, list);
    for (int k = 0; k < c[i].num_blocks; k++) {
      place[list[k]] = p->num_jacobian_blocks;
      block[p->num_jacobian_blocks++] = (sup_jacobian_block){list[k], used};
      used += (size_t)(dim * sup_block_size(P, list[k]));
    }
    for (int q = 0; q < dim; q++)
      for (int k = J->start[c[i].first_vc + q]; k < J->start[c[i].first_vc + q + 1]; k++) {
        int b = of[J->column[k]];
        value[block[place[b]].value + (size_t)(q * sup_block_size(P, b) + J->column[k] -
                                               sup_block_first(P, b))] = J->value[k];
      }
  }
  return SUP_OK;
}

static sup_status read_constraints(const reader *r, const sup_delassus_problem *q,
                                   const sup_block_pattern *P, sup_problem *p) {
  const double   *bias;
  sup_constraint *c;
  sup_csr         J;
  int             num = q->num_contacts + q->num_joints, first = 0;
  SUP_TRY(SUP_ARENA(r->arena, c, num));
  for (int i = 0; i < num; i++) c[i] = (sup_constraint){.first_vc = 0};
  SUP_TRY(read_kinds(r, num, c));
  SUP_TRY(read_parameters(r, num, c));
  SUP_TRY(need(r, "b", q->size, &bias));
  for (int i = 0; i < num; i++) {
    int dim = sup_law_dimension(c[i].law.kind);
    if ((dim == 3) != (i < q->num_contacts))
      return SUP_FAIL(SUP_E_ARG,
                      "%s:law: found %s at %d (from 0), expected %d contacts, then joints",
                      r->npz->path, sup_law_name(c[i].law.kind), i, q->num_contacts);
    c[i].first_vc = first;
    for (int k = 0; k < dim; k++) c[i].bias[k] = bias[first + k];
    first += dim;
  }
  SUP_TRY(read_csr(r, "J", q->size, P->num_scalars, &J));
  p->constraint = c, p->num_constraints = num, p->num_vc = q->size;
  SUP_TRY(set_jacobian(r, &J, P, p, c));
  return SUP_OK;
}

static sup_status read_dynamics(const reader *r, sup_stored_problem *s) {
  const sup_npy *p_array = sup_npz_find(r->npz, "p");
  sup_problem   *p = &s->problem;
  sup_csr        A;
  int           *offset, num_offsets;
  if (!p_array || p_array->count == 0 || p_array->count > 1u << 28)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: the array p is missing or empty, expected what belongs to A_data",
                    r->npz->path);
  int n = (int)p_array->count;
  SUP_TRY(need(r, "p", n, &p->p));
  SUP_TRY(need_integers(r, "A_blocks", SUP_NONE, n, &offset, &num_offsets));
  if (num_offsets < 2)
    return SUP_FAIL(SUP_E_ARG, "%s:A_blocks: expected the first scalars of blocks", r->npz->path);
  SUP_TRY(check_ascending(r, "A_blocks", num_offsets - 1, offset, n));
  SUP_TRY(read_csr(r, "A", n, n, &A));
  SUP_TRY(sup_csr_to_blocks(&A, num_offsets - 1, offset, &s->pattern, &s->A));
  p->A_pattern = &s->pattern, p->A = s->A;
  SUP_TRY(read_constraints(r, &s->delassus, &s->pattern, p));
  SUP_TRY(take(r, "v_start", n, &s->v_start));
  SUP_TRY(zeros(r, n, &s->v_start));
  SUP_TRY(take(r, "v", n, &s->v));
  s->has_dynamics = 1;
  return SUP_OK;
}

/** `count` texts of a member; NULL: no such member. */
static sup_status take_texts(const reader *r, const char *name, int count,
                             const char *const **out) {
  const sup_npy *array = sup_npz_find(r->npz, name);
  const char   **list;
  char          *copy;
  if (!array) return SUP_OK;
  if (!array->text || array->count != (size_t)count)
    return wrong_shape(r, name, array, "one text for each of what it names");
  SUP_TRY(SUP_ARENA(r->arena, list, count));
  SUP_TRY(SUP_ARENA(r->arena, copy, array->count * (array->width + 1)));
  for (int k = 0; k < count; k++) {
    list[k] = copy + (size_t)k * (array->width + 1);
    memcpy(copy + (size_t)k * (array->width + 1), sup_npy_text(array, (size_t)k), array->width + 1);
  }
  *out = list;
  return SUP_OK;
}

/** Read shares from 0 to 1 that do not affect G. */
static sup_status read_options(const reader *r, sup_stored_problem *s) {
  static const char *const name[] = {"rigid", "baumgarte", "restitution"};
  double                   value[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    const double *one;
    SUP_TRY(take(r, name[k], 1, &one));
    if (one) value[k] = one[0];
    if (!(value[k] >= 0 && value[k] <= 1))
      return SUP_FAIL(SUP_E_ARG, "%s:%s: found %g, expected a number from 0 to 1", r->npz->path,
                      name[k], value[k]);
  }
  s->rigid = value[0] > 0, s->baumgarte = value[1], s->restitution = value[2];
  return SUP_OK;
}

static sup_status read_all(const reader *r) {
  sup_stored_problem   *s = r->s;
  sup_delassus_problem *q = &s->delassus;
  const char *const    *scene = NULL, *const *solver = NULL;
  const double         *step, *time;
  SUP_TRY(read_delassus(r, q));
  SUP_TRY(take(r, "lam", q->size, &s->impulse));
  SUP_TRY(take(r, "lam0", q->size, &s->start));
  SUP_TRY(check_finite(r, "lam0", q->size, s->start));
  if (sup_npz_find(r->npz, "A_data")) SUP_TRY(read_dynamics(r, s));
  if (!s->has_dynamics && !q->G)
    return SUP_FAIL(SUP_E_ARG, "%s: the array G is missing, expected G, or A_data, J_data and laws",
                    r->npz->path);
  SUP_TRY(take_texts(r, "contact_name", q->num_contacts, &s->contact_name));
  SUP_TRY(take_texts(r, "joint_name", q->num_joints, &s->joint_name));
  SUP_TRY(take(r, "contact_position", 3 * q->num_contacts, &s->position));
  SUP_TRY(take(r, "contact_normal", 3 * q->num_contacts, &s->normal));
  SUP_TRY(take_texts(r, "scene", 1, &scene));
  SUP_TRY(take_texts(r, "solver", 1, &solver));
  SUP_TRY(read_options(r, s));
  SUP_TRY(take(r, "step", 1, &step));
  SUP_TRY(take(r, "time", 1, &time));
  s->scene = scene ? scene[0] : NULL, s->solver = solver ? solver[0] : NULL;
  s->step = step && fabs(step[0]) < 1e15 ? (long)step[0] : 0, s->time = time ? time[0] : 0;
  return SUP_OK;
}

sup_status sup_stored_problem_read(sup_stored_problem **out, const char *path) {
  SUP_OWN(sup_npz)            *npz = NULL;
  SUP_OWN(sup_stored_problem) *s = NULL;
  *out = NULL;
  SUP_TRY(sup_npz_read(&npz, path));
  SUP_TRY(SUP_CALLOC(s, 1));
  SUP_TRY(sup_arena_create(&s->arena, 1 << 20));
  SUP_TRY(read_all(&(reader){npz, s, s->arena}));
  *out = s;
  s = NULL;
  return SUP_OK;
}

void sup_stored_problem_destroy(sup_stored_problem **handle) {
  sup_stored_problem *s = *handle;
  if (!s) return;
  sup_block_pattern_free(&s->pattern);
  sup_block_pattern_free(&s->delassus_pattern);
  SUP_FREE(s->A);
  sup_arena_destroy(&s->arena);
  SUP_FREE(*handle);
}
