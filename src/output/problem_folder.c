#include "output/problem_folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "law/parameter.h"
#include "output/format/csv.h"
#include "output/format/number.h"

static sup_status path_of(char path[4096], const char *folder, const char *name) {
  int length = snprintf(path, 4096, "%s/%s", folder, name);
  return length > 0 && length < 4096 ? SUP_OK
                                     : SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", folder);
}

/* ---- matrices -------------------------------------------------------------------------------- */

static void put_number(FILE *file, double value) {
  char text[SUP_NUMBER_SIZE];
  sup_number_text(text, value, 0);
  fputs(text, file);
  fputc('\n', file);
}

/** Matrix Market, coordinate format from 1; of a symmetric one the lower triangle. */
static sup_status write_sparse(const sup_csr *m, bool is_symmetric, const char *path) {
  sup_file_writer w;
  int             count = 0;
  SUP_TRY(sup_file_open(&w, path));
  for (int i = 0; i < m->num_rows; i++)
    for (int k = m->start[i]; k < m->start[i + 1]; k++) count += !is_symmetric || m->column[k] <= i;
  fprintf(w.file, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n",
          is_symmetric ? "symmetric" : "general", m->num_rows, m->num_columns, count);
  for (int i = 0; i < m->num_rows; i++)
    for (int k = m->start[i]; k < m->start[i + 1]; k++) {
      if (is_symmetric && m->column[k] > i) continue;
      fprintf(w.file, "%d %d ", i + 1, m->column[k] + 1);
      put_number(w.file, m->value[k]);
    }
  SUP_TRY(sup_file_commit(&w));
  return SUP_OK;
}

/** Array format: columns of the lower triangle. */
static sup_status write_dense(const sup_delassus_problem *q, const char *path) {
  sup_file_writer w;
  size_t          n = (size_t)q->size;
  SUP_TRY(sup_file_open(&w, path));
  fprintf(w.file, "%%%%MatrixMarket matrix array real symmetric\n%zu %zu\n", n, n);
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) put_number(w.file, q->G[i * n + j]);
  SUP_TRY(sup_file_commit(&w));
  return SUP_OK;
}

static sup_status write_matrices(const sup_stored_problem *s, const char *folder) {
  char       path[4096];
  sup_csr    csr = {0};
  sup_status status = SUP_OK;
  if (s->delassus.G) {
    SUP_TRY(path_of(path, folder, "G.mtx"));
    SUP_TRY(write_dense(&s->delassus, path));
  }
  for (int k = 0; k < 2 && s->has_dynamics && status == SUP_OK; k++) {
    status = k ? sup_problem_jacobian_csr(&csr, &s->problem)
               : sup_csr_of_blocks(&csr, s->problem.A_pattern, s->problem.A);
    if (status == SUP_OK) status = path_of(path, folder, k ? "J.mtx" : "A.mtx");
    if (status == SUP_OK) status = write_sparse(&csr, k == 0, path);
    sup_csr_free(&csr);
  }
  return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_header(sup_csv *csv, const char *const *name, int count) {
  for (int k = 0; k < count; k++) sup_csv_text(csv, name[k]);
}

static void put_component(sup_csv *csv, const sup_stored_problem *s, int at, int dim) {
  const sup_delassus_problem *q = &s->delassus;
  const double               *value[] = {q->g, q->R, q->target, s->impulse};
  for (size_t k = 0; k < sizeof value / sizeof *value; k++)
    for (int r = 0; r < dim; r++) sup_csv_number(csv, value[k] ? value[k][at + r] : (double)NAN);
}

static void put_contacts(sup_csv *csv, const sup_stored_problem *s) {
  static const char *const header[] = {
      "contact",     "name",        "x (m)",      "y (m)",         "z (m)",         "n_x (-)",
      "n_y (-)",     "n_z (-)",     "mu (-)",     "g_x (m/s)",     "g_y (m/s)",     "g_n (m/s)",
      "R_x (1/kg)",  "R_y (1/kg)",  "R_n (1/kg)", "cstar_x (m/s)", "cstar_y (m/s)", "cstar_n (m/s)",
      "lam_x (N s)", "lam_y (N s)", "lam_n (N s)"};
  put_header(csv, header, (int)(sizeof header / sizeof *header));
  sup_csv_end_row(csv);
  for (int i = 0; i < s->delassus.num_contacts; i++) {
    sup_csv_integer(csv, i);
    sup_csv_text(csv, s->contact_name ? s->contact_name[i] : "");
    for (int k = 0; k < 3; k++)
      sup_csv_number(csv, s->position ? s->position[3 * i + k] : (double)NAN);
    for (int k = 0; k < 3; k++) sup_csv_number(csv, s->normal ? s->normal[3 * i + k] : (double)NAN);
    sup_csv_number(csv, s->delassus.mu[i]);
    put_component(csv, s, 3 * i, 3);
    sup_csv_end_row(csv);
  }
}

/** Bounds that are infinite are empty fields. */
static void put_joints(sup_csv *csv, const sup_stored_problem *s) {
  static const char *const    header[] = {"joint",
                                          "name",
                                          "g (m/s or rad/s)",
                                          "R (1/kg or 1/(kg m^2))",
                                          "cstar (m/s or rad/s)",
                                          "lam (N s or N m s)",
                                          "lower (N s or N m s)",
                                          "upper (N s or N m s)"};
  const sup_delassus_problem *q = &s->delassus;
  put_header(csv, header, (int)(sizeof header / sizeof *header));
  sup_csv_end_row(csv);
  for (int j = 0; j < q->num_joints; j++) {
    sup_csv_integer(csv, j);
    sup_csv_text(csv, s->joint_name ? s->joint_name[j] : "");
    put_component(csv, s, 3 * q->num_contacts + j, 1);
    sup_csv_number(csv, q->lower[j]);
    sup_csv_number(csv, q->upper[j]);
    sup_csv_end_row(csv);
  }
}

static void put_velocities(sup_csv *csv, const sup_stored_problem *s) {
  static const char *const header[] = {"scalar", "block", "p (N s or N m s)",
                                       "v_start (m/s or rad/s)", "v (m/s or rad/s)"};
  const sup_block_pattern *P = s->problem.A_pattern;
  put_header(csv, header, (int)(sizeof header / sizeof *header));
  sup_csv_end_row(csv);
  for (int b = 0; b < P->num_blocks; b++)
    for (int k = sup_block_first(P, b); k < sup_block_first(P, b + 1); k++) {
      sup_csv_integer(csv, k);
      sup_csv_integer(csv, b);
      sup_csv_number(csv, s->problem.p[k]);
      sup_csv_number(csv, s->v_start[k]);
      sup_csv_number(csv, s->v ? s->v[k] : (double)NAN);
      sup_csv_end_row(csv);
    }
}

static void put_laws(sup_csv *csv, const sup_stored_problem *s) {
  static const char *const first[] = {"constraint",
                                      "law",
                                      "normal law",
                                      "softening",
                                      "b_x (m/s)",
                                      "b_y (m/s)",
                                      "b_n or b (m/s or rad/s)"};
  put_header(csv, first, 7);
  for (int k = 0; k < SUP_NUM_LAW_PARAMETERS; k++) {
    char text[80];
    if (!sup_law_parameter_is_first(k)) continue;
    snprintf(text, sizeof text, "%s (%s)", sup_law_parameters[k].name, sup_law_parameters[k].unit);
    sup_csv_text(csv, text);
  }
  sup_csv_end_row(csv);
  for (int i = 0; i < s->problem.num_constraints; i++) {
    const sup_constraint *c = &s->problem.constraint[i];
    bool                  is_contact = sup_law_dimension(c->law.kind) == 3;
    sup_csv_integer(csv, i);
    sup_csv_text(csv, sup_law_name(c->law.kind));
    sup_csv_text(csv, sup_law_normal_name(&c->law));
    sup_csv_text(csv, sup_law_softening_name(&c->law));
    sup_csv_number(csv, is_contact ? c->bias[0] : (double)NAN);
    sup_csv_number(csv, is_contact ? c->bias[1] : (double)NAN);
    sup_csv_number(csv, c->bias[is_contact ? 2 : 0]);
    for (int k = 0; k < SUP_NUM_LAW_PARAMETERS; k++)
      if (sup_law_parameter_is_first(k))
        sup_csv_number(csv, sup_law_parameter_get(sup_law_parameters[k].name, &c->law));
    sup_csv_end_row(csv);
  }
}

static sup_status write_table(const sup_stored_problem *s, const char *folder, const char *name,
                              void (*put)(sup_csv *csv, const sup_stored_problem *s)) {
  sup_csv csv;
  char    path[4096];
  SUP_TRY(path_of(path, folder, name));
  sup_csv_begin(&csv);
  put(&csv, s);
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}

sup_status sup_problem_folder_write(const sup_stored_problem *s, const char *folder) {
  SUP_TRY(sup_make_folder(folder));
  SUP_TRY(write_matrices(s, folder));
  SUP_TRY(write_table(s, folder, "contacts.csv", put_contacts));
  SUP_TRY(write_table(s, folder, "joints.csv", put_joints));
  if (!s->has_dynamics) return SUP_OK;
  SUP_TRY(write_table(s, folder, "velocities.csv", put_velocities));
  SUP_TRY(write_table(s, folder, "laws.csv", put_laws));
  return SUP_OK;
}
