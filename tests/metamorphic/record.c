/* Runs of scenes, and how far apart two of them are. */
#include <math.h>

#include "mesh/mesh.h"
#include "meta_scene.h"

/** Kind of a channel of three numbers: its map, and the size it is compared with. */
typedef enum kind {
  POSITION,     /* against the size of bodies */
  DIRECTION,    /* axis k of a body: pure */
  VELOCITY,     /* against the largest in the scene */
  SPIN,         /* times the size likewise */
  FORCE,        /* against the largest of the thing, or a thousandth of that in the scene */
  VERTEX_FORCE, /* against the largest in the scene */
  MOMENT,       /* likewise as forces at the size of bodies */
  ENERGY,       /* elastic, contact, kinetic: against their largest sum */
  AREA,         /* of a pair that presses: against its largest, or a thousandth of the scene's */
  NORMAL,       /* sum of normal forces of a pair, like forces */
  OVERLAP,      /* of a pair that presses: against the size of bodies */
  NUM_KINDS
} kind;
static const char *const kind_name[NUM_KINDS] = {"position", "axis",         "velocity", "spin",
                                                 "force",    "vertex force", "moment",   "energy",
                                                 "area",     "normal force", "overlap"};

typedef struct channel {
  kind kind;
  int  axis; /* of DIRECTION */
  char name[2 * SUP_NAME_MAX + 8];
} channel;

typedef struct reader {
  sup_simulator    *simulator;
  const meta_scene *scene, *names;
  double           *out; /* NULL: count */
  channel          *channel;
  int               num;
} reader;

static void put(reader *r, kind what, int axis, const char *name, sup_v3 value) {
  if (r->out) sup_v3_store(r->out + 3 * r->num, value);
  if (r->channel) {
    channel *c = &r->channel[r->num];
    c->kind = what, c->axis = axis;
    snprintf(c->name, sizeof c->name, "%s", name);
  }
  r->num++;
}

static const double *value_of(reader *r, sup_quantity quantity, const char *name) {
  int       handle = 0;
  sup_array array;
  if (name) OK(sup_simulator_find(r->simulator, sup_quantity_object(quantity), name, &handle));
  OK(sup_simulator_read(r->simulator, quantity, handle, &array));
  return array.data;
}

/** Impulses of solvers that iterate on them have no compliance in friction: those of two points of
 * a body that does not turn are known by their sum alone. */
static int moments_are_known(const meta_scene *s) {
  int turns = 1;
  for (int t = 0; t < s->def.num_trees; t++)
    turns &= s->tree[t].links[0].joint != SUP_JOINT_TRANSLATION;
  return turns || s->options.contact_solver == SUP_CONTACT_SOLVER_NEWTON ||
         s->options.contact_solver == SUP_CONTACT_SOLVER_TAMSI;
}

static void read_body(reader *r, const char *name, int is_soft) {
  const double *pose = value_of(r, SUP_READ_POSE, name), *v = value_of(r, SUP_READ_VELOCITY, name);
  sup_quat      q = {pose[3], pose[4], pose[5], pose[6]};
  sup_m3        R = sup_quat_matrix(q);
  put(r, POSITION, 0, name, sup_v3_load(pose));
  put(r, VELOCITY, 0, name, sup_v3_load(v));
  if (!is_soft) {
    for (int k = 0; k < 3; k++) put(r, DIRECTION, k, name, sup_m3_column(&R, k));
    put(r, SPIN, 0, name, sup_v3_load(v + 3));
  }
  const double *f = value_of(r, SUP_READ_RESULTANT, name);
  put(r, FORCE, 0, name, sup_v3_load(f));
  if (moments_are_known(r->scene)) put(r, MOMENT, 0, name, sup_v3_load(f + 3));
}

/** Vertices in the order of the seed's mesh. */
static void read_vertices(reader *r, int soft, const char *name) {
  const double *x = value_of(r, SUP_READ_VERTICES, name),
               *v = value_of(r, SUP_READ_VERTEX_VELOCITIES, name),
               *f = value_of(r, SUP_READ_VERTEX_FORCES, name);
  for (int i = 0; i < r->scene->mesh[soft]->num_vertices; i++) {
    int k = r->scene->vertex[soft] ? r->scene->vertex[soft][i] : i;
    put(r, POSITION, 0, name, sup_v3_load(x + 3 * k));
    put(r, VELOCITY, 0, name, sup_v3_load(v + 3 * k));
    put(r, VERTEX_FORCE, 0, name, sup_v3_load(f + 3 * k));
  }
}

static void read_pair(reader *r, const char *a, const char *b) {
  char name[160], text[sizeof name];
  int  handle;
  snprintf(name, sizeof name, "%.70s+%.70s", a, b);
  if (sup_simulator_find(r->simulator, SUP_OBJECT_PAIR, name, &handle) != SUP_OK) return;
  sup_simulator_name(r->simulator, SUP_OBJECT_PAIR, handle, text, sizeof text);
  double        sign = strcmp(text, name) == 0 ? 1 : -1;
  const double *f = value_of(r, SUP_READ_PAIR_WRENCH, name),
               *c = value_of(r, SUP_READ_PAIR_CONTACT, name);
  put(r, FORCE, 0, name, sup_v3_scale(sign, sup_v3_load(f)));
  put(r, AREA, 0, name, sup_v3_make(c[1], 0, 0));
  put(r, NORMAL, 0, name, sup_v3_make(c[2], 0, 0));
  put(r, OVERLAP, 0, name, sup_v3_make(c[3], 0, 0));
}

static int list_bodies(const meta_scene *s, char (*name)[2 * SUP_NAME_MAX]) {
  int n = 0;
  for (int t = 0; t < s->def.num_trees; t++)
    for (int l = 0; l < s->tree[t].num_links; l++, n++)
      if (s->tree[t].is_rigid_body)
        snprintf(name[n], sizeof name[n], "%.30s", s->tree[t].name);
      else
        snprintf(name[n], sizeof name[n], "%.30s/%.30s", s->tree[t].name, s->tree[t].links[l].name);
  for (int i = 0; i < s->def.num_softs; i++)
    snprintf(name[n++], sizeof *name, "%.30s", s->soft[i].name);
  return n;
}

static void read_all(reader *r) {
  char name[META_MAX_TREES * META_MAX_LINKS + META_MAX_SOFTS][2 * SUP_NAME_MAX];
  int  n = list_bodies(r->names, name), first_soft = n - r->names->def.num_softs;
  r->num = 0;
  const double *e = value_of(r, SUP_READ_ENERGY, NULL);
  put(r, ENERGY, 0, "elastic energy", sup_v3_make(e[1], 0, 0));
  put(r, ENERGY, 0, "contact energy", sup_v3_make(e[3], 0, 0));
  put(r, ENERGY, 0, "kinetic energy", sup_v3_make(e[0], 0, 0));
  for (int b = 0; b < n; b++) read_body(r, name[b], b >= first_soft);
  for (int i = 0; i < r->names->def.num_softs; i++) read_vertices(r, i, name[first_soft + i]);
  for (int a = 0; a < n; a++)
    for (int b = a; b < n; b++) read_pair(r, name[a], name[b]);
}

static sup_status run(reader *r, meta_record *record) {
  for (int i = 0; i < r->scene->num_steps; i++) {
    SUP_TRY(sup_simulator_step(r->simulator, NULL));
    if (i == 0) {
      r->out = NULL, read_all(r);
      record->num_channels = r->num;
      record->value = calloc(3 * (size_t)r->num * (size_t)r->scene->num_steps, sizeof(double));
      record->channel = calloc((size_t)r->num, sizeof(channel));
      CU_ASSERT_FATAL(record->value && record->channel);
      r->channel = record->channel;
    }
    r->out = record->value + 3 * (size_t)record->num_channels * (size_t)i;
    read_all(r);
    record->num_steps = i + 1;
  }
  record->hash = sup_state_hash(sup_simulator_state(r->simulator));
  return SUP_OK;
}

sup_status meta_run(const meta_scene *s, const meta_scene *names, meta_record *record) {
  sup_model        *model;
  sup_simulator_def def = sup_default_simulator_def();
  reader            r = {.scene = s, .names = names};
  *record = (meta_record){0};
  SUP_TRY(sup_model_create(&model, &s->def));
  def.model = model, def.options = s->options;
  sup_threads_set(s->threads);
  sup_status status = sup_simulator_create(&r.simulator, &def);
  if (status == SUP_OK) status = run(&r, record);
  sup_simulator_destroy(&r.simulator);
  sup_model_destroy(&model);
  sup_threads_set(1);
  return status;
}

void meta_record_free(meta_record *record) {
  free(record->value), free(record->channel);
  *record = (meta_record){0};
}

/* ---- comparison ------------------------------------------------------------------------------ */

/** Image of a channel of the seed's scene at a time of the image [s]. */
static sup_v3 image(const meta_map *m, const channel *c, double t, sup_v3 a) {
  double L = m->length, T = m->time, force = m->mass * L / (T * T);
  int    is_axial = c->kind == SPIN || c->kind == MOMENT;
  double unit[NUM_KINDS] = {L,         1,         L / T, 1 / T, force, force,
                            force * L, force * L, L * L, force, L};
  if (c->kind >= ENERGY) return sup_v3_scale(unit[c->kind], a);
  if (m->is_mirror) a = is_axial ? sup_v3_make(a.x, -a.y, -a.z) : sup_v3_make(-a.x, a.y, a.z);
  if (m->is_mirror && c->kind == DIRECTION && c->axis == 0) a = sup_v3_scale(-1, a);
  a = sup_v3_scale(unit[c->kind], sup_m3_apply(m->Q, a));
  if (c->kind == VELOCITY) a = sup_v3_add(a, m->boost);
  if (c->kind == POSITION) a = sup_v3_add(a, sup_v3_madd(m->shift, t, m->boost));
  return a;
}

/** Largest values of the image's channels, of kinds and of channels. */
typedef struct most {
  double  of_kind[NUM_KINDS];
  double *of_channel;
} most;

static void find_most(const meta_record *b, most *m) {
  for (int i = 0; i < b->num_steps; i++)
    for (int k = 0; k < b->num_channels; k++) {
      const channel *c = (const channel *)b->channel + k;
      double         size = sup_v3_norm(sup_v3_load(b->value + 3 * (i * b->num_channels + k)));
      m->of_channel[k] = fmax(m->of_channel[k], size);
      m->of_kind[c->kind] = fmax(m->of_kind[c->kind], size);
    }
}

/** Reference of a channel's relative difference; `size` of the image's bodies. */
static double yardstick(const most *m, const channel *c, int k, double size) {
  double force = m->of_kind[FORCE], speed = fmax(m->of_kind[VELOCITY], m->of_kind[SPIN] * size);
  switch (c->kind) {
    case POSITION:
    case OVERLAP:
      return size;
    case DIRECTION:
      return 1;
    case VELOCITY:
      return speed;
    case SPIN:
      return speed / size;
    case FORCE:
    case NORMAL:
      return fmax(m->of_channel[k], 1e-3 * force);
    case VERTEX_FORCE:
      return force;
    case MOMENT:
      return force * size;
    case ENERGY:
      return m->of_kind[ENERGY];
    case AREA:
      return fmax(m->of_channel[k], 1e-3 * m->of_kind[AREA]);
    case NUM_KINDS:
      break;
  }
  return 1;
}

/** Does the pair of an area or overlap press in this step, by more than the round-off of forces?
 * Whether what does not press has one is a matter of round-off. */
static int presses(const most *m, const meta_record *r, int step, int k) {
  static const double least = 1e-9;
  const channel      *c = r->channel;
  int                 normal = c[k].kind == AREA ? k + 1 : c[k].kind == OVERLAP ? k - 1 : k;
  return normal == k || r->value[3 * ((size_t)step * (size_t)r->num_channels + (size_t)normal)] >
                            least * m->of_kind[FORCE];
}

double meta_compare(const meta_scene *s, const meta_map *map, const meta_record *a,
                    const meta_record *b, char *place, size_t size) {
  most m = {.of_channel = calloc((size_t)b->num_channels, sizeof(double))},
       of_a = {.of_channel = calloc((size_t)a->num_channels, sizeof(double))};
  double worst = 0, dt = s->options.dt * map->time;
  CU_ASSERT_FATAL(m.of_channel && of_a.of_channel && a->num_channels == b->num_channels);
  find_most(a, &of_a), find_most(b, &m);
  snprintf(place, size, "nowhere");
  for (int i = 0; i < b->num_steps; i++)
    for (int k = 0; k < b->num_channels; k++) {
      const channel *c = (const channel *)b->channel + k;
      size_t         at = 3 * ((size_t)i * (size_t)b->num_channels + (size_t)k);
      sup_v3         want = image(map, c, dt * (i + 1), sup_v3_load(a->value + at)),
             got = sup_v3_load(b->value + at);
      double yard = yardstick(&m, c, k, s->size * map->length),
             off = sup_v3_norm(sup_v3_sub(want, got));
      int is_kinetic = c->kind == ENERGY && strcmp(c->name, "kinetic energy") == 0;
      if (off == 0 || (is_kinetic && sup_v3_norm(map->boost) > 0)) continue;
      if (!presses(&of_a, a, i, k) || !presses(&m, b, i, k)) continue;
      if (!(off <= worst * yard)) {
        worst = off / yard;
        snprintf(place, size, "%s of %s at step %d: (%g, %g, %g), expected (%g, %g, %g)",
                 kind_name[c->kind], c->name, i + 1, got.x, got.y, got.z, want.x, want.y, want.z);
      }
      if (isnan(off)) worst = INFINITY;
    }
  free(m.of_channel), free(of_a.of_channel);
  return worst;
}
