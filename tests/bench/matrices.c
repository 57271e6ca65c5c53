#include "matrices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fem/body.h"
#include "scene/scene.h"
#include "step/stepper.h"

/** Source of a matrix. */
typedef struct recipe {
  const char *name, *scene, *set; /* an override or NULL */
  const char
        *soft; /* the free vertices of this body alone; NULL: everything, in the pattern of H */
  double time; /* of the frame [s] */
} recipe;

static const recipe recipes[] = {
    {"finger1k", "examples/finray_grasp.yaml", "contact.stick=soft", "left_finger", 2},
    {"grasp", "examples/finray_grasp.yaml", "contact.stick=soft", NULL, 2},
    {"cube1k", "tests/bench/cube.yaml", "soft.cube.mesh.box.cells=[9, 9, 9]", "cube", 0},
    {"cube8k", "tests/bench/cube.yaml", "soft.cube.mesh.box.cells=[19, 19, 19]", "cube", 0},
    {"cube27k", "tests/bench/cube.yaml", "soft.cube.mesh.box.cells=[29, 29, 29]", "cube", 0},
    {"peer_finray", "examples/peers/finray.yaml", NULL, NULL, 1.5},
    {"peer_block1050", "examples/peers/block1050.yaml", NULL, NULL, .5},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };
static const char known_path[] = "tests/bench/matrices.txt";

/* ---- making ---------------------------------------------------------------------------------- */

/** Blocks of a pattern whose rows and columns are all in `place`, renumbered; then their values. */
static sup_status restrict_to(bench_matrix *m, const sup_block_pattern *P, const double *values,
                              const int *place, int num_blocks) {
  size_t count = 0;
  int   *pair = NULL, *size = NULL;
  SUP_TRY(SUP_CALLOC(pair, 2 * (size_t)P->col_start[P->num_blocks]));
  SUP_TRY(SUP_CALLOC(size, num_blocks));
  for (int b = 0; b < P->num_blocks; b++) {
    if (place[b] == SUP_NONE) continue;
    size[place[b]] = P->offset[b + 1] - P->offset[b];
    for (int e = P->col_start[b]; e < P->col_start[b + 1]; e++)
      if (place[P->row[e]] != SUP_NONE)
        pair[2 * count] = place[b], pair[2 * count + 1] = place[P->row[e]], count++;
  }
  SUP_TRY(sup_block_pattern_build(&m->pattern, num_blocks, size, count, pair));
  SUP_TRY(SUP_CALLOC(m->values, sup_block_pattern_num_values(&m->pattern)));
  double *to = m->values; /* places ascend with the blocks, so that entries keep their order */
  for (int b = 0; b < P->num_blocks; b++)
    for (int e = P->col_start[b]; place[b] != SUP_NONE && e < P->col_start[b + 1]; e++) {
      size_t num = P->value_start[e + 1] - P->value_start[e];
      if (place[P->row[e]] == SUP_NONE) continue;
      memcpy(to, values + P->value_start[e], num * sizeof *to);
      to += num;
    }
  SUP_FREE(pair);
  SUP_FREE(size);
  return SUP_OK;
}

/** M + dt D + dt^2 K of the free vertices of a soft body. */
static sup_status matrix_of_body(bench_matrix *m, const sup_model *model, double dt,
                                 const sup_state *state, const char *name) {
  int i = 0, num = 0, inverted, *place = NULL;
  while (i < model->num_softs && strcmp(model->soft[i].name, name) != 0) i++;
  if (i == model->num_softs) return SUP_FAIL(SUP_E_ARG, "the scene has no soft body '%s'", name);
  const sup_soft          *soft = &model->soft[i];
  const sup_block_pattern *P = sup_fem_pattern(soft->fem);
  const double            *x = state->x + 3 * (size_t)soft->first_vertex;
  double                  *A = NULL;
  sup_m3                  *R = NULL;
  SUP_TRY(SUP_CALLOC(R, sup_fem_mesh(soft->fem)->num_cells));
  SUP_TRY(SUP_CALLOC(A, sup_block_pattern_num_values(P)));
  SUP_TRY(SUP_CALLOC(place, P->num_blocks));
  sup_fem_rotations(soft->fem, x, R, &inverted);
  sup_fem_step_matrix(soft->fem, R, x, dt, NULL, 1, A);
  for (int a = 0; a < P->num_blocks; a++) place[a] = soft->block[a] == SUP_NONE ? SUP_NONE : num++;
  sup_status status = restrict_to(m, P, A, place, num);
  SUP_FREE(R);
  SUP_FREE(A);
  SUP_FREE(place);
  return status;
}

/** Pattern of A and of every pair of block columns that a constraint couples. */
static sup_status build_hessian_pattern(const sup_stepper *s, sup_block_pattern *H) {
  const sup_block_pattern *A = &s->layout->A_pattern;
  size_t                   most = (size_t)A->col_start[A->num_blocks], count = 0;
  int                     *pair = NULL, *size = NULL;
  for (int i = 0; i < s->contact.rows.num_constraints; i++)
    most += (size_t)(s->contact.rows.constraint[i].num_blocks *
                     s->contact.rows.constraint[i].num_blocks);
  SUP_TRY(SUP_CALLOC(pair, 2 * most));
  SUP_TRY(SUP_CALLOC(size, A->num_blocks));
  for (int j = 0; j < A->num_blocks; j++) {
    size[j] = A->offset[j + 1] - A->offset[j];
    for (int e = A->col_start[j]; e < A->col_start[j + 1]; e++)
      pair[2 * count] = A->row[e], pair[2 * count++ + 1] = j;
  }
  for (int i = 0; i < s->contact.rows.num_constraints; i++) {
    const sup_constraint     *c = &s->contact.rows.constraint[i];
    const sup_jacobian_block *b = s->contact.rows.jacobian + c->first_block;
    for (int k = 0; k < c->num_blocks; k++)
      for (int l = 0; l < k; l++) pair[2 * count] = b[k].block, pair[2 * count++ + 1] = b[l].block;
  }
  sup_status status = sup_block_pattern_build(H, A->num_blocks, size, count, pair);
  SUP_FREE(pair);
  SUP_FREE(size);
  return status;
}

/** The last step's A in the pattern of its H, and which block columns its constraints touch. */
static sup_status matrix_of_step(bench_matrix *m, const sup_stepper *s) {
  sup_block_pattern H = {0};
  double           *values = NULL;
  int              *place = NULL;
  SUP_TRY(build_hessian_pattern(s, &H));
  SUP_TRY(SUP_CALLOC(values, sup_block_pattern_num_values(&H)));
  SUP_TRY(SUP_CALLOC(place, H.num_blocks));
  SUP_TRY(SUP_CALLOC(m->last, H.num_blocks));
  for (int j = 0; j < H.num_blocks; j++)
    for (int e = s->layout->A_pattern.col_start[j]; e < s->layout->A_pattern.col_start[j + 1];
         e++) {
      const size_t *from = s->layout->A_pattern.value_start + e;
      int           to = sup_block_pattern_find(&H, s->layout->A_pattern.row[e], j);
      memcpy(values + H.value_start[to], s->assembly.A + from[0],
             (from[1] - from[0]) * sizeof *values);
    }
  for (int b = 0; b < H.num_blocks; b++) place[b] = b;
  for (int k = 0; k < s->contact.rows.num_jacobian_blocks; k++)
    m->last[s->contact.rows.jacobian[k].block] = 1;
  m->contacts = s->contact.list.count;
  sup_status status = restrict_to(m, &H, values, place, H.num_blocks);
  sup_block_pattern_free(&H);
  SUP_FREE(values);
  SUP_FREE(place);
  return status;
}

static sup_status follow(bench_matrix *m, const recipe *r) {
  sup_scene      *scene = NULL;
  sup_model      *model = NULL;
  sup_state      *state = NULL;
  sup_stepper    *stepper = NULL;
  sup_step_report report;
  sup_status      status = SUP_OK;
  SUP_TRY_GOTO(sup_scene_load(&scene, r->scene, &r->set, r->set != NULL), status, done);
  SUP_TRY_GOTO(sup_model_create(&model, &scene->model), status, done);
  SUP_TRY_GOTO(sup_state_create(&state, model, &scene->options), status, done);
  if (r->time > 0) SUP_TRY_GOTO(sup_stepper_create(&stepper, model, &scene->options), status, done);
  while (sup_state_time(state) < r->time - .5 * scene->options.dt)
    SUP_TRY_GOTO(sup_step(stepper, state, &report), status, done);
  if (r->soft)
    status = matrix_of_body(m, model, scene->options.dt, state, r->soft);
  else
    status = matrix_of_step(m, stepper);
done:
  sup_stepper_destroy(&stepper);
  sup_state_destroy(&state);
  sup_model_destroy(&model);
  sup_scene_destroy(&scene);
  return status;
}

void bench_matrix_free(bench_matrix *m) {
  sup_block_pattern_free(&m->pattern);
  SUP_FREE(m->values);
  SUP_FREE(m->last);
}

/* ---- telling them apart ---------------------------------------------------------------------- */

/** FNV-1a. */
static uint64_t hash(uint64_t h, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) h = (h ^ byte[i]) * 1099511628211ull;
  return h;
}

typedef struct identity {
  int      scalars;
  uint64_t pattern, values;
  double   norm; /* Frobenius, of the lower triangle by blocks */
} identity;

static identity identify(const bench_matrix *m) {
  const sup_block_pattern *P = &m->pattern;
  const uint64_t           start = 14695981039346656037ull;
  size_t                   n = sup_block_pattern_num_values(P);
  identity id = {P->num_scalars, start, hash(start, m->values, n * sizeof *m->values), 0};
  id.pattern = hash(id.pattern, P->offset, ((size_t)P->num_blocks + 1) * sizeof *P->offset);
  id.pattern = hash(id.pattern, P->row, (size_t)P->col_start[P->num_blocks] * sizeof *P->row);
  for (size_t i = 0; i < n; i++) id.norm += m->values[i] * m->values[i];
  id.norm = sqrt(id.norm);
  return id;
}

/** Compare with the line of the file that is kept. */
static void compare(const char *name, const identity *id) {
  FILE              *file = fopen(known_path, "r");
  char               line[256], found[64];
  int                scalars, known = 0;
  unsigned long long pattern, values;
  double             norm;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "%63s %d %llx %llx %lf", found, &scalars, &pattern, &values, &norm) == 5 &&
        !strcmp(found, name)) {
      known = 1;
      double change = fabs(id->norm / norm - 1);
      if (scalars != id->scalars || pattern != id->pattern)
        fprintf(stderr,
                "bench: %s is another matrix than that of %s: %d scalars, there %d; or other "
                "neighbours\n",
                name, known_path, id->scalars, scalars);
      else if (values != id->values)
        fprintf(stderr,
                "bench: %s has other numbers than that of %s; its norm differs by %.1e of it\n",
                name, known_path, change);
    }
  if (!known) fprintf(stderr, "bench: %s does not name the matrix %s\n", known_path, name);
  if (file) fclose(file);
}

sup_status bench_matrix_create(bench_matrix *matrix, const char *name) {
  for (int k = 0; k < RECIPES; k++) {
    if (strcmp(recipes[k].name, name) != 0) continue;
    *matrix = (bench_matrix){.name = recipes[k].name};
    SUP_TRY(follow(matrix, &recipes[k]));
    identity id = identify(matrix);
    compare(name, &id);
    return SUP_OK;
  }
  return SUP_FAIL(SUP_E_ARG, "there is no matrix '%s'", name);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int write_scalars(FILE *file, const bench_matrix *m, int count_only) {
  const sup_block_pattern *P = &m->pattern;
  int                      count = 0;
  for (int b = 0; b < P->num_blocks; b++)
    for (int c = P->offset[b]; c < P->offset[b + 1]; c++)
      for (int e = P->col_start[b]; e < P->col_start[b + 1]; e++) {
        int first = P->offset[P->row[e]], size = P->offset[P->row[e] + 1] - first;
        for (int r = 0; r < size; r++) {
          if (first + r < c) continue;
          count++;
          if (!count_only)
            fprintf(file, "%d %d %.17g\n", first + r + 1, c + 1,
                    m->values[P->value_start[e] + (size_t)((c - P->offset[b]) * size + r)]);
        }
      }
  return count;
}

static sup_status write_matrix(const char *folder, const bench_matrix *m) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.mtx", folder, m->name);
  FILE *file = fopen(path, "w");
  if (!file) return SUP_FAIL(SUP_E_IO, "%s: cannot be written", path);
  fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n",
          m->pattern.num_scalars, m->pattern.num_scalars, write_scalars(NULL, m, 1));
  write_scalars(file, m, 0);
  return fclose(file) ? SUP_FAIL(SUP_E_IO, "%s: writing failed", path) : SUP_OK;
}

sup_status bench_matrices_write(const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/matrices.txt", folder);
  FILE *list = fopen(path, "w");
  if (!list) return SUP_FAIL(SUP_E_IO, "%s: cannot be written", path);
  fprintf(list,
          "# name scalars hash_of_pattern hash_of_values norm; written by make bench T=matrices\n");
  for (int k = 0; k < RECIPES; k++) {
    bench_matrix m;
    SUP_TRY(bench_matrix_create(&m, recipes[k].name));
    SUP_TRY(write_matrix(folder, &m));
    identity id = identify(&m);
    fprintf(list, "%s %d %016llx %016llx %.12g\n", m.name, id.scalars,
            (unsigned long long)id.pattern, (unsigned long long)id.values, id.norm);
    printf("%-16s %7d scalars, %3d contacts -> %s/%s.mtx\n", m.name, id.scalars, m.contacts, folder,
           m.name);
    bench_matrix_free(&m);
  }
  return fclose(list) ? SUP_FAIL(SUP_E_IO, "%s: writing failed", path) : SUP_OK;
}
