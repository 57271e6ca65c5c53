#include "app/resume.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/checkpoint.h"
#include "app/ranks.h"
#include "app/simulation.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/state_file.h"

/* ---- the checkpoint -------------------------------------------------------------------------- */

static double time_of(const sup_archive *archive) {
  double time = HUGE_VAL;
  if (sup_archive_get(archive, SUP_RESUME_STATE,
                      &(sup_archive_item){"time", &time, sizeof time, 1}) != SUP_OK)
    return HUGE_VAL;
  return time;
}

/** The newest checkpoint of the folder that is whole and not later than `at`. */
static sup_status open_newest(sup_resume *r, double at) {
  sup_checkpoint_file *file;
  size_t               count, i;
  double               earliest = HUGE_VAL;
  char                 damage[1024] = ""; /* of the newest one that is not whole */
  sup_status           status = sup_checkpoint_list(r->folder, NULL, &file, &count);
  for (i = 0; i < count && status == SUP_OK; i++) {
    char path[SUP_CHECKPOINT_PATH];
    snprintf(path, sizeof path, "%s/checkpoint/%s", r->folder, file[i].name);
    if (sup_archive_open(&r->archive, path, SUP_CHECKPOINT_KIND, SUP_CHECKPOINT_VERSION) !=
        SUP_OK) {
      if (!damage[0]) snprintf(damage, sizeof damage, "%s", sup_error_message());
      if (i + 1 < count)
        sup_log(SUP_LOG_WARNING, "%s; the one before it is taken", sup_error_message());
      continue;
    }
    earliest = time_of(&r->archive);
    if (earliest <= at * (1 + 1e-9)) break;
    sup_archive_close(&r->archive);
  }
  SUP_FREE(file);
  SUP_TRY(status);
  if (i < count) return SUP_OK;
  if (earliest < HUGE_VAL)
    return SUP_FAIL(SUP_E_ARG, "%s: the first checkpoint is at %g s, later than --at, %g s",
                    r->folder, earliest, at);
  if (damage[0]) return SUP_FAIL(SUP_E_IO, "%s: no checkpoint of the folder is complete", damage);
  return SUP_FAIL(SUP_E_IO,
                  "%s: there is no checkpoint: a run writes one when it is interrupted, when a "
                  "step fails, and as often as output.checkpoint says",
                  r->folder);
}

static sup_status name_folder(sup_resume *r, const sup_run_options *o) {
  const char *from = r->kind == SUP_GOES_ON ? o->resume : o->from;
  int         length = snprintf(r->folder, sizeof r->folder, "%s", from);
  if (length < 1 || length > (int)sizeof r->folder - 64)
    return SUP_FAIL(SUP_E_ARG, "the path '%.60s' is empty or too long", from);
  while (length > 1 && r->folder[length - 1] == '/') r->folder[--length] = '\0';
  return SUP_OK;
}

static sup_status open_checkpoint(sup_resume *r, const sup_run_options *o) {
  struct stat info;
  if (stat(r->folder, &info) != 0)
    return SUP_FAIL(SUP_E_IO, "%s: there is no such folder of results", r->folder);
  if (S_ISDIR(info.st_mode)) {
    SUP_TRY(open_newest(r, o->at > 0 ? o->at : HUGE_VAL));
    return SUP_OK;
  }
  if (r->kind == SUP_GOES_ON)
    return SUP_FAIL(SUP_E_ARG, "%s: --resume expects the folder of a run, found a file", r->folder);
  SUP_TRY(sup_archive_open(&r->archive, r->folder, SUP_CHECKPOINT_KIND, SUP_CHECKPOINT_VERSION));
  return SUP_OK;
}

static sup_status check_command(const sup_resume *r, const char *command) {
  char *before = NULL;
  SUP_TRY(sup_archive_get_text(&r->archive, "command", &before));
  bool is_same = strcmp(before, command) == 0;
  bool is_static = strcmp(before, "static") == 0;
  SUP_FREE(before);
  if (is_same) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "%s: found results of `supple %s`, expected those of `supple %s`",
                  r->archive.path, is_static ? "static" : "run", command);
}

/** Scene and overrides of the run before, then those of the command line. */
static sup_status complete_options(sup_resume *r, sup_run_options *o) {
  app_word_list sets = {.count = 0};
  char          name[SUP_ARCHIVE_NAME];
  SUP_TRY(sup_archive_get_text(&r->archive, "scene", &r->scene));
  if (!o->scene) o->scene = r->scene;
  for (int i = 0; i < APP_MAX_WORDS; i++) {
    snprintf(name, sizeof name, "set.%d", i);
    if (!sup_archive_find(&r->archive, "", name)) break;
    SUP_TRY(sup_archive_get_text(&r->archive, name, &r->set[i]));
    r->num_sets = i + 1;
    sets.word[sets.count++] = r->set[i];
  }
  if (sets.count + o->sets.count > APP_MAX_WORDS)
    return SUP_FAIL(SUP_E_ARG, "%d overrides of the run before and %d new ones: %d are possible",
                    sets.count, o->sets.count, APP_MAX_WORDS);
  for (int i = 0; i < o->sets.count; i++) sets.word[sets.count++] = o->sets.word[i];
  o->sets = sets;
  return SUP_OK;
}

static sup_status check_folders(const sup_resume *r, const sup_run_options *o) {
  struct stat own, other;
  if (r->kind != SUP_BRANCHES) return SUP_OK;
  if (stat(r->folder, &own) != 0 || stat(o->folder, &other) != 0) return SUP_OK;
  if (own.st_dev == other.st_dev && own.st_ino == other.st_ino)
    return SUP_FAIL(SUP_E_ARG, "%s is the folder of --from: give the branch another folder",
                    o->folder);
  return SUP_OK;
}

/** The first rank reads for all. */
static sup_status open_shared(sup_resume *r, const sup_run_options *o) {
  sup_status status = SUP_OK;
  if (sup_is_first_rank(sup_app_ranks())) {
    status = open_checkpoint(r, o);
    if (status == SUP_OK) status = check_folders(r, o);
  }
  return sup_archive_broadcast(&r->archive, sup_app_ranks(), status);
}

static sup_status open_all(sup_resume *r, sup_run_options *o, const char *command) {
  if (o->resume && o->from)
    return SUP_FAIL(SUP_E_ARG,
                    "--resume continues a run, --from begins a branch: give one of the two");
  if (o->resume && o->folder)
    return SUP_FAIL(
        SUP_E_ARG,
        "--resume continues in the folder %s: leave -o out; --from writes to another folder",
        o->resume);
  if (o->from && !o->folder)
    return SUP_FAIL(SUP_E_ARG, "--from needs a folder for the results of the branch: -o DIR");
  SUP_TRY(name_folder(r, o));
  SUP_TRY(open_shared(r, o));
  SUP_TRY(check_command(r, command));
  SUP_TRY(complete_options(r, o));
  if (r->kind == SUP_GOES_ON) o->folder = r->folder;
  return SUP_OK;
}

int sup_resume_open(sup_resume *r, sup_run_options *o, const char *command) {
  *r = (sup_resume){.kind = o->resume ? SUP_GOES_ON : o->from ? SUP_BRANCHES : SUP_BEGINS};
  if (r->kind == SUP_BEGINS) return SUP_NONE;
  sup_status status = open_all(r, o, command);
  if (status == SUP_OK) return SUP_NONE;
  sup_app_report(status, o->verbose);
  sup_resume_close(r);
  return status == SUP_E_IO ? SUP_EXIT_FILE : SUP_EXIT_INPUT;
}

void sup_resume_close(sup_resume *r) {
  sup_archive_close(&r->archive);
  SUP_FREE(r->scene);
  for (int i = 0; i < r->num_sets; i++) SUP_FREE(r->set[i]);
  r->num_sets = 0;
}

/* ---- conditions ------------------------------------------------------------------------------ */

typedef struct line {
  const char *text;
  int         key, length; /* of the name before ": "; of the whole line */
} line;

static line line_at(const char *text) {
  const char *colon = strstr(text, ": ");
  int         length = (int)strcspn(text, "\n");
  return (line){text, colon && colon - text < length ? (int)(colon - text) : length, length};
}

static const char *next_line(const line *l) {
  return l->text + l->length + (l->text[l->length] != 0);
}

/** The line of the same key; text NULL: none. */
static line find_key(const char *text, const line *of) {
  for (line l = line_at(text); *l.text; l = line_at(next_line(&l)))
    if (l.key == of->key && strncmp(l.text, of->text, (size_t)l.key) == 0) return l;
  return (line){NULL, 0, 0};
}

/** Permission for keys to differ between two texts of a scene. */
typedef struct permission {
  int is_wanted;         /* 0: nothing */
  int is_static;         /* the run is */
  int has_another_count; /* of ranks than the run before */
} permission;

static int begins(const char *key, int length, const char *with) {
  return (size_t)length >= strlen(with) && strncmp(key, with, strlen(with)) == 0;
}

static bool is_key(const char *key, int length, const char *name) {
  return (size_t)length == strlen(name) && begins(key, length, name);
}

/** 1: a resumed run may change the key, which acts on nothing that was computed or written.  The
 * end of statics may not change, since loads grow towards it.  On another number of ranks PETSc may
 * solve in another way, to the same tolerance; another backend would leave other columns in
 * history.csv. */
static int may_differ(const permission *p, const char *key, int length) {
  if (is_key(key, length, "time.end")) return p->is_wanted && !p->is_static;
  if (is_key(key, length, "solver.threads") || is_key(key, length, "title") ||
      begins(key, length, "output.checkpoint."))
    return p->is_wanted;
  return p->has_another_count && begins(key, length, "solver.petsc");
}

/** The first line of `a` that `b` has otherwise or not at all.
 *  @return 0: there is none */
static int find_difference(const char *a, const char *b, const permission *p, line *in_a,
                           line *in_b) {
  for (line l = line_at(a); *l.text; l = line_at(next_line(&l))) {
    line other = find_key(b, &l);
    if (other.text && other.length == l.length &&
        strncmp(other.text, l.text, (size_t)l.length) == 0)
      continue;
    if (may_differ(p, l.text, l.key)) continue;
    *in_a = l, *in_b = other;
    return 1;
  }
  return 0;
}

static void value_of(const line *l, char text[80]) {
  if (!l->text)
    snprintf(text, 80, "not there");
  else
    snprintf(text, 80, "%.*s", l->length - l->key > 70 ? 70 : l->length - l->key - 2,
             l->text + l->key + 2);
}

int sup_resume_num_ranks(void) { return sup_app_ranks() ? sup_app_ranks()->size : 1; }

/** Number of ranks of the run before. */
static sup_status get_num_ranks(const sup_archive *archive, int *count) {
  SUP_TRY(sup_archive_get(archive, "", &(sup_archive_item){"ranks", count, sizeof *count, 1}));
  return SUP_OK;
}

static sup_status check_keys(const sup_simulation *s, const char *before, const char *now) {
  char old[80], new[80];
  line a, b;
  int  num_ranks;
  SUP_TRY(get_num_ranks(&s->resume.archive, &num_ranks));
  permission may = {1, s->is_static, num_ranks != sup_resume_num_ranks()};
  bool       is_lost = find_difference(before, now, &may, &a, &b);
  if (!is_lost && !find_difference(now, before, &may, &b, &a)) return SUP_OK;
  value_of(&a, old), value_of(&b, new);
  const line *named = a.text ? &a : &b;
  return SUP_FAIL(SUP_E_ARG,
                  "%s cannot be resumed: '%.*s' was %s and is %s now; --from %s -o DIR begins a "
                  "branch with other keys",
                  s->resume.folder, named->key, named->text, old, new, s->resume.folder);
}

sup_status sup_resume_check_scene(const sup_simulation *s) {
  const sup_resume *r = &s->resume;
  char             *before = NULL, *now = NULL;
  if (r->kind != SUP_GOES_ON) return SUP_OK;
  SUP_TRY(sup_archive_get_text(&r->archive, "keys", &before));
  sup_status status = sup_scene_keys(s->scene, &now);
  if (status == SUP_OK) status = check_keys(s, before, now);
  if (status == SUP_OK)
    status = sup_output_check_inputs(&r->archive, (const char *const *)s->scene->input,
                                     s->scene->num_inputs);
  free(now);
  SUP_FREE(before);
  SUP_TRY(status);
  return SUP_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/** Hash of this rank's cells with their numbers in the whole body; the sum over ranks is
 * independent of their order. */
static uint64_t hash_cells(const sup_soft *soft) {
  const sup_mesh *mesh = sup_fem_mesh(soft->fem);
  size_t          corners = (size_t)sup_cell_kind_of(mesh->type)->num_vertices;
  uint64_t        sum = 0;
  for (int c = 0; c < mesh->num_cells; c++) {
    int      number = soft->cell_number ? soft->cell_number[c] : c;
    uint64_t hash = sup_hash_bytes(sup_hash_begin(), &number, sizeof number);
    sum += sup_hash_bytes(hash, sup_mesh_cell(mesh, c), corners * sizeof(int));
  }
  return sum;
}

/** Modulo 2^64, in halves, whose sums need fewer than 63 bits. */
static uint64_t sum_hashes(const sup_collective *ranks, uint64_t hash) {
  const uint64_t low = UINT64_C(0xffffffff);
  int64_t        half[2] = {(int64_t)(hash & low), (int64_t)(hash >> 32)};
  if (!sup_has_ranks(ranks)) return hash;
  ranks->sum_integers(ranks, 2, half);
  return (uint64_t)half[0] + ((uint64_t)half[1] << 32);
}

static uint64_t hash_soft(const sup_soft *soft, const sup_collective *ranks) {
  uint64_t cells = sum_hashes(ranks, hash_cells(soft)), hash = sup_hash_begin();
  hash = sup_hash_bytes(hash, &cells, sizeof cells);
  return sup_hash_bytes(hash, soft->x0, 3 * (size_t)soft->num_vertices * sizeof *soft->x0);
}

static uint64_t hash_tree(const sup_tree *tree) {
  uint64_t hash = sup_hash_begin();
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    hash = sup_hash_bytes(hash, link->joint_name, strlen(link->joint_name));
    hash = sup_hash_bytes(hash, &link->nv, sizeof link->nv);
    hash = sup_hash_bytes(hash, &link->parent, sizeof link->parent);
  }
  return hash;
}

sup_status sup_resume_bodies(const sup_model *model, char **text) {
  size_t size;
  FILE  *file = open_memstream(text, &size);
  for (int i = 0; i < model->num_softs; i++) { /* also without a file: the other ranks wait */
    uint64_t hash = hash_soft(&model->soft[i], model->ranks);
    if (file) fprintf(file, "soft body '%s': %016" PRIx64 "\n", model->soft[i].name, hash);
  }
  for (int t = 0; t < model->num_trees && file; t++)
    fprintf(file, "'%s': %016" PRIx64 "\n", model->tree[t]->name, hash_tree(model->tree[t]));
  if (file && fclose(file) == 0) return SUP_OK;
  if (file) free(*text);
  *text = NULL;
  return SUP_FAIL(SUP_E_MEMORY, "no memory for the list of bodies");
}

static sup_status check_bodies(const sup_simulation *s) {
  const permission nothing = {0};
  char            *before = NULL, *now = NULL;
  line             a, b;
  sup_status       status = sup_resume_bodies(s->model, &now);
  if (status == SUP_OK) status = sup_archive_get_text(&s->resume.archive, "bodies", &before);
  if (status == SUP_OK) {
    bool is_lost = find_difference(before, now, &nothing, &a, &b);
    if (is_lost || find_difference(now, before, &nothing, &b, &a)) {
      const line *named = a.text ? &a : &b;
      const char *what = !a.text   ? "was not there"
                         : !b.text ? "is not there any more"
                                   : "has another mesh, place at the start or other joints";
      status = SUP_FAIL(SUP_E_ARG, "%s does not fit the scene: %.*s %s", s->resume.archive.path,
                        named->key, named->text, what);
    }
  }
  free(now);
  SUP_FREE(before);
  SUP_TRY(status);
  return SUP_OK;
}

/* ---- the state ------------------------------------------------------------------------------- */

/** Steps of fixed length end at multiples of it. */
static sup_status count_steps(const sup_simulation *s, sup_state *state) {
  const sup_options *o = &s->scene->options;
  if (s->resume.kind == SUP_GOES_ON || s->is_static || o->accuracy.tolerance > 0) return SUP_OK;
  double steps = round(state->time / o->dt);
  if (fabs(steps * o->dt - state->time) > 1e-6 * o->dt)
    return SUP_FAIL(SUP_E_ARG,
                    "the checkpoint is at %.9g s, no whole number of steps of %g s: choose a "
                    "time.step that divides this time, or another time with --at",
                    state->time, o->dt);
  state->step = (long)steps;
  return SUP_OK;
}

sup_status sup_resume_load_state(sup_simulation *s) {
  sup_state *state = NULL;
  if (s->resume.kind == SUP_BEGINS) return SUP_OK;
  SUP_TRY(check_bodies(s));
  SUP_TRY(
      sup_state_get(&state, s->model, &s->scene->options, &s->resume.archive, SUP_RESUME_STATE));
  sup_status status = count_steps(s, state);
  if (status != SUP_OK) {
    sup_state_destroy(&state);
    return status;
  }
  sup_state_destroy(&s->state);
  s->state = state;
  if (!sup_simulation_is_over(s)) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "%s is at %g s and the run ends at %g s: nothing is left to do%s",
                  s->resume.archive.path, state->time, s->scene->end_time,
                  s->is_static ? "" : "; --set time.end=... makes it longer");
}
