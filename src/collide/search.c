#include "collide/collide.h"

#include <string.h>

#include "base/team.h"
#include "collide/broad.h"
#include "collide/pair_parts.h"
#include "collide/turned.h"

static void clear(sup_contact_list *list) {
  list->count = 0;
  list->discarded_small = list->discarded_backward = list->discarded_inverted = list->num_silent =
      0;
  list->num_passed = 0, list->silent_pair = list->passed_pair = SUP_NONE;
  sup_origins_clear(&list->origins);
}

static sup_status collide_pairs(sup_contact_list *list, const sup_collision *c,
                                sup_collision_workspace *workspace, const int *pair,
                                int num_pairs) {
  for (int k = 0; k < num_pairs; k++) SUP_TRY(sup_collide_turned_pair(list, c, workspace, pair[k]));
  return SUP_OK;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Number of parts.  Candidates are divided into the same parts for any number of threads, and the
 * parts' contacts are concatenated: result and order do not depend on the number of threads. */
enum { PARTS = 64 };

/** Number of threads by the work, estimated from the candidates and the contacts of the step
 * before: each costs 0.25 us (points) to 3 us (patches), the search in a soft body some 20 us. */
static int count_threads(const sup_model *model, const int *pair, int num_pairs,
                         int num_contacts_before) {
  enum { SHARE = 100, SOFT = 100 };
  int most = sup_team_size(), work = num_pairs + num_contacts_before;
  for (int k = 0; k < num_pairs && work < most * SHARE; k++)
    if (model->pair[pair[k]].geometry_a == SUP_NONE) work += SOFT;
  if (most > PARTS) most = PARTS;
  return most < work / SHARE ? most : work / SHARE;
}

static int part_start(int num_pairs, int k) { return (int)((long)num_pairs * k / PARTS); }

typedef struct copy {
  sup_contact_list *list;
  const int        *first; /* [PARTS] place of a part's first contact */
} copy;

static void copy_part(void *user, int k, int thread) {
  const copy             *c = user;
  const sup_contact_list *part = &c->list->part[k];
  (void)thread;
  if (part->count > 0)
    memcpy(c->list->contact + c->first[k], part->contact,
           (size_t)part->count * sizeof *part->contact);
}

static sup_status join_parts(sup_contact_list *list, int threads) {
  const sup_contact_list *part = list->part;
  int                     first[PARTS], count = list->count;
  for (int k = 0; k < PARTS; k++) {
    first[k] = count, count += part[k].count;
    list->discarded_small += part[k].discarded_small;
    list->discarded_backward += part[k].discarded_backward;
    list->discarded_inverted += part[k].discarded_inverted;
    if (list->num_silent == 0) list->silent_pair = part[k].silent_pair;
    if (list->num_passed == 0) list->passed_pair = part[k].passed_pair;
    list->num_silent += part[k].num_silent, list->num_passed += part[k].num_passed;
    SUP_TRY(sup_origins_append(&list->origins, &part[k].origins));
  }
  SUP_TRY(SUP_GROW(list->contact, list->capacity, count));
  list->count = count;
  sup_team_for(threads, PARTS, copy_part, &(copy){list, first});
  return SUP_OK;
}

/** Data shared by threads. */
typedef struct job {
  sup_contact_list        *list;
  const sup_collision     *c;
  sup_collision_workspace *workspace; /* [threads] */
  const int               *pair;      /* [num_pairs] */
  int                      num_pairs;
  sup_status               status[PARTS];
} job;

static void collide_part(void *user, int k, int thread) {
  job *j = user;
  int  first = part_start(j->num_pairs, k), end = part_start(j->num_pairs, k + 1);
  clear(&j->list->part[k]);
  j->status[k] =
      collide_pairs(&j->list->part[k], j->c, &j->workspace[thread], j->pair + first, end - first);
}

static sup_status collide_parts(sup_contact_list *list, const sup_collision *c, const int *pair,
                                int num_pairs, int threads, sup_arena *arena) {
  sup_collision_workspace *workspace;
  SUP_TRY(SUP_ARENA(arena, workspace, threads)); /* the arena is for one thread */
  for (int t = 0; t < threads; t++)
    SUP_TRY(sup_collision_workspace_create(&workspace[t], c->model, arena));
  if (!list->part) SUP_TRY(SUP_CALLOC(list->part, PARTS));
  job j = {list, c, workspace, pair, num_pairs, {SUP_OK}};
  sup_team_for(threads, PARTS, collide_part, &j);
  for (int k = 0; k < PARTS; k++) /* error messages are thread-local */
    if (j.status[k] != SUP_OK)
      return SUP_FAIL(j.status[k], "contacts: %s", sup_status_text(j.status[k]));
  SUP_TRY(join_parts(list, threads));
  return SUP_OK;
}

/** Add the contacts of these pairs to the list. */
static sup_status collide_all(sup_contact_list *list, const sup_collision *c, const int *pair,
                              int num_pairs, int num_before, sup_arena *arena) {
  sup_collision_workspace workspace;
  int                     threads = count_threads(c->model, pair, num_pairs, num_before);
  if (num_pairs == 0) return SUP_OK;
  if (threads > 1) {
    SUP_TRY(collide_parts(list, c, pair, num_pairs, threads, arena));
    return SUP_OK;
  }
  SUP_TRY(sup_collision_workspace_create(&workspace, c->model, arena));
  SUP_TRY(collide_pairs(list, c, &workspace, pair, num_pairs));
  return SUP_OK;
}

/** Collide all pairs of list->candidate: pairs seen turned first, then the others. */
static sup_status collide_candidates(sup_contact_list *list, int num_before, sup_arena *arena) {
  sup_collision *c = list->of;
  int           *late, num_late = 0;
  SUP_TRY(collide_all(list, c, list->candidate, list->num_candidates, num_before, arena));
  if (!c->turned) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, late, list->num_candidates));
  for (int k = 0; k < list->num_candidates; k++)
    if (c->seen[list->candidate[k]] == SUP_POSES_OF_START) late[num_late++] = list->candidate[k];
  if (num_late == 0) return SUP_OK;
  if (!c->start) SUP_TRY(sup_collision_at_start(c, arena));
  c->start->motion = c->motion, c->start->missed = c->missed;
  SUP_TRY(collide_all(list, c->start, late, num_late, 0, arena));
  return SUP_OK;
}

/** Broad phase, and the data of the pairs that it finds. */
static sup_status find_candidates(sup_contact_list *list, sup_arena *arena) {
  sup_collision *c = list->of;
  int            found, kept = 0;
  SUP_TRY(sup_broad_phase(c->model, c->box, arena, &list->candidate, &list->candidate_capacity,
                          &found));
  for (int k = 0; k < found; k++)
    if (!sup_collision_is_apart(c, &c->model->pair[list->candidate[k]]))
      list->candidate[kept++] = list->candidate[k];
  list->num_candidates = kept;
  SUP_TRY(sup_collision_place_fields(c, list->candidate, list->num_candidates, arena));
  return SUP_OK;
}

/** Collision data at the step's start, and with turned links if the increment is a step of motion.
 */
static sup_status place_bodies(const sup_model *model, const sup_increment *inc,
                               const sup_kinematics *kin, const double *x, const double *xdot,
                               const sup_travel *travel, int everything, sup_arena *arena,
                               sup_collision **out) {
  sup_turned *turned = NULL;
  SUP_TRY(SUP_ARENA(arena, *out, 1));
  if (model->has_patches && inc->motion > 0) {
    SUP_TRY(SUP_ARENA(arena, turned, 1));
    SUP_TRY(sup_turned_create(turned, model, inc, kin, xdot, arena));
  }
  return sup_collision_create(*out, model, inc, kin, x, xdot, turned, travel, everything, arena);
}

sup_status sup_collide(sup_contact_list *list, const sup_model *model, const sup_increment *inc,
                       const sup_kinematics *kin, const double *x, const double *xdot,
                       const sup_travel *travel, sup_arena *arena) {
  sup_collision *c;
  int            before = list->count;
  clear(list);
  SUP_TRY(place_bodies(model, inc, kin, x, xdot, travel, list->everything, arena, &c));
  if (c->turned) {
    SUP_TRY(SUP_ARENA(arena, c->seen, model->num_pairs));
    memset(c->seen, 0, (size_t)model->num_pairs * sizeof *c->seen);
  }
  list->of = c;
  SUP_TRY(find_candidates(list, arena));
  SUP_TRY(collide_candidates(list, before, arena));
  return SUP_OK;
}

sup_status sup_collide_check(sup_contact_list *list, const sup_motion *motion, int num_motions,
                             sup_arena *arena, int *num_missed) {
  sup_collision          *c = list->of;
  sup_collision_workspace workspace;
  unsigned                last = 1u << (num_motions - 1);
  SUP_ASSERT(0 < num_motions && num_motions <= SUP_MAX_MOTIONS);
  *num_missed = 0;
  c->motion = motion;
  if (c->start) {
    c->start->motion = motion, c->start->missed = c->missed;
    (void)sup_collision_grow(c->start, &motion[num_motions - 1]);
  }
  if (sup_collision_grow(c, &motion[num_motions - 1])) SUP_TRY(find_candidates(list, arena));
  SUP_TRY(sup_collision_workspace_create(&workspace, c->model, arena));
  for (int k = 0; k < list->num_candidates; k++) {
    int             p = list->candidate[k];
    const sup_pair *pair = &c->model->pair[p];
    if (pair->touch != SUP_TOUCH_SURFACE_DEPTH) continue;
    const sup_collision *at = c->turned && c->seen[p] == SUP_POSES_OF_START ? c->start : c;
    if (!sup_collide_pair_missed(at, &workspace, pair, (c->missed ? c->missed[p] : 0) | last))
      continue;
    if (!c->missed) {
      SUP_TRY(SUP_ARENA(arena, c->missed, c->model->num_pairs));
      memset(c->missed, 0, (size_t)c->model->num_pairs);
    }
    c->missed[p] |= (unsigned char)last;
    ++*num_missed;
  }
  return SUP_OK;
}

sup_status sup_collide_again(sup_contact_list *list, sup_arena *arena) {
  int before = list->count;
  clear(list);
  SUP_TRY(collide_candidates(list, before, arena));
  return SUP_OK;
}

/** Fields of soft bodies in the pairs of these origins. */
static sup_status place_fields(sup_collision *c, const sup_origins *origins, sup_arena *arena) {
  int *pair;
  SUP_TRY(SUP_ARENA(arena, pair, origins->num_pairs));
  for (int k = 0; k < origins->num_pairs; k++) pair[k] = origins->pair[k].pair;
  return sup_collision_place_fields(c, pair, origins->num_pairs, arena);
}

sup_status sup_collide_measure(const sup_origins *origins, const sup_model *model,
                               const sup_increment *inc, const sup_kinematics *kin, const double *x,
                               const double *xdot, const sup_motion *motion, sup_arena *arena,
                               sup_contact_list *out) {
  sup_collision          *c;
  sup_collision_workspace workspace;
  clear(out);
  SUP_TRY(place_bodies(model, inc, kin, x, xdot, NULL, 0, arena, &c));
  c->motion = motion;
  SUP_TRY(place_fields(c, origins, arena));
  if (c->turned) SUP_TRY(sup_collision_at_start(c, arena));
  SUP_TRY(sup_collision_workspace_create(&workspace, model, arena));
  for (int k = 0; k < origins->num_pairs; k++) {
    sup_pair_origins     of_pair = sup_origins_of_pair(origins, k);
    const sup_collision *at = of_pair.pair->is_turned || !c->turned ? c : c->start;
    SUP_TRY(sup_collide_measure_pair(out, at, &workspace, &of_pair));
  }
  return SUP_OK;
}

sup_status sup_collide_gradient(const sup_origins *origins, const sup_model *model,
                                const sup_increment *inc, const sup_kinematics *kin,
                                const double *x, const double *xdot,
                                const sup_contact_slopes *slopes, sup_arena *arena,
                                sup_place_slopes *out, sup_gradient_lack *lack) {
  sup_collision          *c;
  sup_collision_workspace workspace;
  *lack = (sup_gradient_lack){NULL, SUP_NONE};
  SUP_TRY(place_bodies(model, inc, kin, x, xdot, NULL, 0, arena, &c));
  if (c->turned) SUP_TRY(sup_collision_at_start(c, arena));
  SUP_TRY(sup_collision_workspace_create(&workspace, model, arena));
  for (int k = 0; k < origins->num_pairs; k++) {
    sup_pair_origins     of_pair = sup_origins_of_pair(origins, k);
    const sup_collision *at = of_pair.pair->is_turned || !c->turned ? c : c->start;
    SUP_TRY(sup_collide_gradient_pair(at, &workspace, &of_pair, slopes + of_pair.pair->contact,
                                      arena, out, lack));
  }
  return SUP_OK;
}

static int is_same_place(sup_v3 a, sup_v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

int sup_contacts_are_same(const sup_contact *a, const sup_contact *b, int count) {
  for (int i = 0; i < count; i++)
    if (a[i].pair != b[i].pair || a[i].phi != b[i].phi || a[i].area != b[i].area ||
        !is_same_place(a[i].centroid, b[i].centroid) || !is_same_place(a[i].normal, b[i].normal))
      return 0;
  return 1;
}

void sup_contact_list_free(sup_contact_list *list) {
  for (int k = 0; k < PARTS && list->part; k++) sup_contact_list_free(&list->part[k]);
  SUP_FREE(list->part);
  SUP_FREE(list->contact);
  SUP_FREE(list->candidate);
  SUP_FREE(list->piece);
  SUP_FREE(list->group);
  SUP_FREE(list->facet);
  SUP_FREE(list->facet_piece);
  sup_origins_free(&list->origins);
  *list = (sup_contact_list){0};
}
