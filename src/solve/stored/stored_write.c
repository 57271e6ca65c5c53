/* The contact problem of a step into a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/npz.h"
#include "base/memory.h"
#include "law/parameter.h"
#include "solve/stored/stored_problem.h"

static void add_vector(sup_npz_writer *w, const char *name, int count, const double *value) {
  size_t shape = (size_t)count;
  if (value) sup_npz_add_numbers(w, name, 1, &shape, value);
}

static void add_points(sup_npz_writer *w, const char *name, int count, const double *value) {
  size_t shape[2] = {(size_t)count, 3};
  if (value) sup_npz_add_numbers(w, name, 2, shape, value);
}

static void add_csr(sup_npz_writer *w, const char *name, const sup_csr *csr) {
  char   text[16];
  size_t num = (size_t)csr->start[csr->num_rows];
  snprintf(text, sizeof text, "%s_data", name);
  sup_npz_add_numbers(w, text, 1, &num, csr->value);
  snprintf(text, sizeof text, "%s_indices", name);
  sup_npz_add_integers(w, text, num, csr->column);
  snprintf(text, sizeof text, "%s_indptr", name);
  sup_npz_add_integers(w, text, (size_t)csr->num_rows + 1, csr->start);
}

sup_status sup_problem_jacobian_csr(sup_csr *out, const sup_problem *p) {
  size_t num = 0, at = 0;
  *out = (sup_csr){.num_rows = p->num_vc, .num_columns = p->A_pattern->num_scalars};
  for (int i = 0; i < p->num_constraints; i++)
    for (int k = 0; k < p->constraint[i].num_blocks; k++)
      num += (size_t)(sup_law_dimension(p->constraint[i].law.kind) *
                      sup_block_size(p->A_pattern,
                                     p->jacobian[p->constraint[i].first_block + k].block));
  SUP_TRY(SUP_CALLOC(out->start, p->num_vc + 1));
  SUP_TRY(SUP_CALLOC(out->column, num));
  SUP_TRY(SUP_CALLOC(out->value, num));
  for (int i = 0; i < p->num_constraints; i++) {
    const sup_constraint *c = &p->constraint[i];
    for (int r = 0; r < sup_law_dimension(c->law.kind); r++) {
      for (int k = c->first_block; k < c->first_block + c->num_blocks; k++) {
        int b = p->jacobian[k].block, size = sup_block_size(p->A_pattern, b);
        for (int j = 0; j < size; j++, at++) {
          out->column[at] = sup_block_first(p->A_pattern, b) + j;
          out->value[at] = p->jacobian_value[p->jacobian[k].value + (size_t)(r * size + j)];
        }
      }
      out->start[c->first_vc + r + 1] = (int)at;
    }
  }
  return SUP_OK;
}

static sup_status add_laws(sup_npz_writer *w, const sup_problem *p) {
  SUP_FREED const char **text = NULL;
  SUP_FREED double      *value = NULL;
  size_t                 n = (size_t)p->num_constraints;
  SUP_TRY(SUP_CALLOC(text, n));
  SUP_TRY(SUP_CALLOC(value, n));
  for (size_t i = 0; i < n; i++) text[i] = sup_law_name(p->constraint[i].law.kind);
  sup_npz_add_texts(w, "law", n, text);
  for (size_t i = 0; i < n; i++) text[i] = sup_law_normal_name(&p->constraint[i].law);
  sup_npz_add_texts(w, "law_normal", n, text);
  for (size_t i = 0; i < n; i++) text[i] = sup_law_softening_name(&p->constraint[i].law);
  sup_npz_add_texts(w, "law_softening", n, text);
  for (int k = 0; k < SUP_NUM_LAW_PARAMETERS; k++) {
    char name[SUP_NPY_MAX_NAME];
    if (!sup_law_parameter_is_first(k)) continue;
    snprintf(name, sizeof name, "law_%s", sup_law_parameters[k].name);
    for (size_t i = 0; i < n; i++)
      value[i] = sup_law_parameter_get(sup_law_parameters[k].name, &p->constraint[i].law);
    sup_npz_add_numbers(w, name, 1, &n, value);
  }
  return SUP_OK;
}

static sup_status add_dynamics(sup_npz_writer *w, const sup_stored_problem *s) {
  const sup_problem     *p = &s->problem;
  SUP_OWN_VALUE(sup_csr) A = {0}, J = {0};
  SUP_FREED double      *bias = NULL;
  SUP_TRY(sup_csr_of_blocks(&A, p->A_pattern, p->A));
  SUP_TRY(sup_problem_jacobian_csr(&J, p));
  SUP_TRY(SUP_CALLOC(bias, p->num_vc));
  for (int i = 0; i < p->num_constraints; i++)
    memcpy(bias + p->constraint[i].first_vc, p->constraint[i].bias,
           (size_t)sup_law_dimension(p->constraint[i].law.kind) * sizeof *bias);
  add_csr(w, "A", &A);
  sup_npz_add_integers(w, "A_blocks", (size_t)p->A_pattern->num_blocks + 1, p->A_pattern->offset);
  add_vector(w, "p", p->A_pattern->num_scalars, p->p);
  add_csr(w, "J", &J);
  add_vector(w, "b", p->num_vc, bias);
  SUP_TRY(add_laws(w, p));
  add_vector(w, "v_start", p->A_pattern->num_scalars, s->v_start);
  add_vector(w, "v", p->A_pattern->num_scalars, s->v);
  return SUP_OK;
}

static void add_delassus(sup_npz_writer *w, const sup_delassus_problem *q) {
  size_t shape[2] = {(size_t)q->size, (size_t)q->size};
  if (q->G) sup_npz_add_numbers(w, "G", 2, shape, q->G);
  add_vector(w, "g", q->size, q->g);
  add_vector(w, "mus", q->num_contacts, q->mu);
  add_vector(w, "R", q->size, q->R);
  add_vector(w, "cstar", q->size, q->target);
  if (q->num_joints == 0) return; /* as contactbench's */
  add_vector(w, "lower", q->num_joints, q->lower);
  add_vector(w, "upper", q->num_joints, q->upper);
}

static sup_status add_all(sup_npz_writer *w, const sup_stored_problem *s) {
  const sup_delassus_problem *q = &s->delassus;
  double                      step = (double)s->step;
  add_delassus(w, q);
  add_vector(w, "lam", q->size, s->impulse);
  if (s->has_dynamics) {
    double rigid = s->rigid;
    SUP_TRY(add_dynamics(w, s));
    sup_npz_add_numbers(w, "rigid", 0, NULL, &rigid);
    sup_npz_add_numbers(w, "baumgarte", 0, NULL, &s->baumgarte);
    sup_npz_add_numbers(w, "restitution", 0, NULL, &s->restitution);
  }
  if (s->contact_name)
    sup_npz_add_texts(w, "contact_name", (size_t)q->num_contacts, s->contact_name);
  add_points(w, "contact_position", q->num_contacts, s->position);
  add_points(w, "contact_normal", q->num_contacts, s->normal);
  if (s->joint_name) sup_npz_add_texts(w, "joint_name", (size_t)q->num_joints, s->joint_name);
  if (s->scene) sup_npz_add_texts(w, "scene", 1, &s->scene);
  if (s->solver) sup_npz_add_texts(w, "solver", 1, &s->solver);
  if (s->scene) {
    sup_npz_add_numbers(w, "step", 0, NULL, &step);
    sup_npz_add_numbers(w, "time", 0, NULL, &s->time);
  }
  return SUP_OK;
}

sup_status sup_stored_problem_write(const sup_stored_problem *s, const char *path) {
  sup_npz_writer writer;
  SUP_TRY(sup_npz_create(&writer, path));
  sup_status status = add_all(&writer, s);
  if (status != SUP_OK) {
    sup_npz_abandon(&writer);
    return status;
  }
  SUP_TRY(sup_npz_commit(&writer));
  return SUP_OK;
}
