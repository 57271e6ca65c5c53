/** Random scenes of all roles, what may be done to them without changing what happens, and the
 * comparison of two runs.
 *
 *  A scene follows from its seed, whatever the compiler: no expression draws two numbers whose
 * order C leaves open.  A pair is a scene and its image under a transformation: both are made from
 * the seed, one of them is transformed as definitions, both run, and the first one's trajectory,
 * mapped, must be the other's. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "supple.h"
#include "test.h"

enum { META_MAX_TREES = 5, META_MAX_LINKS = 3, META_MAX_SOFTS = 2, META_MAX_OWNED = 64 };

/** Role of contact between the bodies of a scene, by which bounds are chosen. */
#define META_ROLE_LIST(X)   \
  X(POINT, point)           \
  X(SURFACE, surface)       \
  X(FIELD, field)           \
  X(MIXED, mixed)           \
  X(VERTICES, vertices)     \
  X(POLYGONS, polygons)     \
  X(SOFT_FIELD, soft_field) \
  X(SOFT_SOFT, soft_soft)   \
  X(SELF, self)
typedef enum meta_role {
#define META_ENTRY(NAME, name) META_##NAME,
  META_ROLE_LIST(META_ENTRY)
#undef META_ENTRY
      META_NUM_ROLES
} meta_role;

/** Change of a scene. */
#define META_CHANGE_LIST(X)     \
  X(TURN, turn)                 \
  X(SHIFT, shift)               \
  X(MIRROR, mirror)             \
  X(SCALE, scale)               \
  X(BOOST, boost)               \
  X(ORDER, order)               \
  X(VERTEX_ORDER, vertex_order) \
  X(UNITS, units)               \
  X(THREADS, threads)
typedef enum meta_change {
#define META_ENTRY(NAME, name) META_##NAME,
  META_CHANGE_LIST(META_ENTRY)
#undef META_ENTRY
      META_NUM_CHANGES
} meta_change;

/** x' = length Q x + shift + boost t, t' = time t, masses times mass; Q is a rotation, after the
 * mirror x -> -x of world and bodies when is_mirror. */
typedef struct meta_map {
  sup_m3 Q;
  int    is_mirror;
  sup_v3 shift, boost;
  double length, time, mass;
  int    is_exact; /* 1: no digit changes but in roots of what is no power of 64 */
} meta_map;

typedef struct meta_scene {
  uint64_t          seed;
  test_random       r;
  meta_role         role;
  double            size; /* of its bodies [m] */
  int               num_steps;
  int               threads;
  double            top; /* height of what is stacked so far [m] */
  sup_model_def     def;
  sup_options       options;
  sup_tree_def      tree[META_MAX_TREES];
  sup_link_def      link[META_MAX_TREES][META_MAX_LINKS];
  sup_geometry_def  geometry[META_MAX_TREES][META_MAX_LINKS];
  sup_soft_def      soft[META_MAX_SOFTS];
  sup_dirichlet_def hold[META_MAX_SOFTS][2];
  sup_traction_def  traction[META_MAX_SOFTS][1];
  sup_attach_def    attachment[META_MAX_SOFTS][1];
  sup_actuator_def  actuator[META_MAX_LINKS];
  sup_spring_def    spring[1];
  sup_load_def      load[1];
  sup_mesh         *mesh[META_MAX_SOFTS];
  int      *vertex[META_MAX_SOFTS]; /* number of each vertex of the seed's mesh; NULL: kept */
  int       num_owned;
  void     *owned[META_MAX_OWNED]; /* tables */
  int       num_hulls;
  sup_hull *hull[2 * META_MAX_TREES];
  int       num_cells;
  sup_mesh *cells[2 * META_MAX_TREES];
} meta_scene;

/* ---- random numbers -------------------------------------------------------------------------- */

static inline int meta_chance(meta_scene *s, double p) {
  return 0.5 * (1 + test_uniform(&s->r)) < p;
}
static inline double meta_between(meta_scene *s, double low, double high) {
  return test_between(&s->r, low, high);
}
static inline int meta_one_of(meta_scene *s, int n) { return test_one_of(&s->r, n); }
sup_v3            meta_direction(meta_scene *s);
/** Vector of a length up to a bound. */
sup_v3 meta_within(meta_scene *s, double longest);
/** Memory that goes with the scene. */
void *meta_own(meta_scene *s, size_t bytes);

/* ---- scenes ---------------------------------------------------------------------------------- */

/** The definition that follows from a seed, without what the change cannot do to it. */
void meta_scene_create(meta_scene *s, uint64_t seed, meta_change change);
void meta_scene_free(meta_scene *s);
/** Parts of meta_scene_create: laws and options, rigid bodies and robots, soft bodies. */
void meta_add_options(meta_scene *s);
void meta_add_rigid(meta_scene *s);
void meta_add_soft(meta_scene *s);
void meta_fit(meta_scene *s, meta_change change);
void meta_contact(meta_scene *s, sup_contact_def *c, int has_field);

/** Transform the definition.  The map that takes the scene's trajectory to its own. */
meta_map meta_transform(meta_scene *s, meta_change change);
/** Reason for which a scene has no image under a change; NULL: it has. */
const char *meta_left_out(const meta_scene *s, meta_change change);
void        meta_scale(meta_scene *s, double length, double time, double mass);
void        meta_reorder_vertices(meta_scene *s);
/** Another start: each body a share of the size aside. */
void meta_disturb(meta_scene *s, double share);

/** Reason for which a scene cannot be written as a file; NULL: it can. */
const char *meta_why_no_file(const meta_scene *s);
/** Write it into a folder, in SI numbers or with units of any kind; centres of mass are the origins
 * there, moments of inertia principal. */
void meta_write(const meta_scene *s, const char *folder, int in_units, char *path, size_t size);

/* ---- runs ------------------------------------------------------------------------------------ */

/** Record of a run: of each step the channels of the scene's quantities. */
typedef struct meta_record {
  int      num_steps, num_channels;
  double  *value;   /* [num_steps x num_channels x 3] */
  void    *channel; /* [num_channels], record.c */
  uint64_t hash;
} meta_record;

/** Run a scene; its things are taken in the order of `names`, the seed's scene. */
sup_status meta_run(const meta_scene *s, const meta_scene *names, meta_record *record);
void       meta_record_free(meta_record *record);
/** Largest difference of the image of a and of b, relative to the largest of the quantity;
 * *place tells where. */
double meta_compare(const meta_scene *s, const meta_map *map, const meta_record *a,
                    const meta_record *b, char *place, size_t size);
