#include "collide/overlap.h"

#include <math.h>
#include <string.h>

#include "collide/broad.h"
#include "collide/numerics.h"
#include "collide/point/point.h"
#include "geom/depth.h"
#include "geom/surface_bvh.h"

sup_status sup_overlaps_create(sup_overlaps *o, const sup_model *model) {
  sup_status status;
  *o = (sup_overlaps){.model = model};
  SUP_TRY_GOTO(sup_arena_create(&o->arena, 1 << 16), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(o->depth, model->num_pairs), status, fail);
  return SUP_OK;
fail:
  sup_overlaps_free(o);
  return status;
}

void sup_overlaps_free(sup_overlaps *o) {
  sup_arena_destroy(&o->arena);
  SUP_FREE(o->depth);
  SUP_FREE(o->near);
  *o = (sup_overlaps){0};
}

/* ---- bodies at their positions
 * ------------------------------------------------------------------- */

/** Data of one measurement. */
typedef struct measurement {
  const sup_model *model;
  sup_arena       *arena;
  const sup_frame *X_WL;
  const double    *x;
  sup_box         *box;  /* [num_items] */
  sup_bvh_node   **node; /* [num_softs] of the faces at x, built on demand */
  int             *face; /* [faces of the largest surface] */
  long             evaluations;
} measurement;

/** Body of a pair. */
typedef struct side {
  const sup_shape *shape; /* shape that is convex and has a depth; or NULL */
  sup_frame        X_WG;  /* of the shape */
  sup_solid        solid; /* surface NULL: a half space */
  sup_frame        X_WS;  /* of the surface */
  const sup_box   *box;
} side;

static sup_status refit(measurement *m, int s) {
  const sup_soft *soft = &m->model->soft[s];
  sup_box        *box;
  if (m->node[s]) return SUP_OK;
  SUP_TRY(SUP_ARENA(m->arena, box, soft->surface->num_faces));
  SUP_TRY(SUP_ARENA(m->arena, m->node[s], 2 * soft->surface->num_faces - 1));
  sup_surface_boxes(soft->surface, m->x + 3 * soft->first_vertex, box);
  sup_bvh_refit(soft->bvh, box, m->node[s]);
  m->evaluations += soft->surface->num_faces;
  return SUP_OK;
}

static sup_status side_of(measurement *m, int body, int geometry, side *out) {
  const sup_model *model = m->model;
  *out =
      (side){.X_WS = sup_frame_identity(), .box = &m->box[sup_model_item(model, body, geometry)]};
  if (geometry == SUP_NONE) {
    int             s = model->body[body].soft;
    const sup_soft *soft = &model->soft[s];
    SUP_TRY(refit(m, s));
    out->solid = (sup_solid){soft->surface, m->x + 3 * soft->first_vertex, m->node[s]};
    return SUP_OK;
  }
  const sup_geometry *g = &model->geometry[geometry];
  out->X_WS = m->X_WL[body];
  out->X_WG = sup_frame_mul(&m->X_WL[body], &g->X_LG);
  if (g->shape.type != SUP_SHAPE_MESH) out->shape = &g->shape;
  if (g->surface) out->solid = (sup_solid){g->surface, g->points, g->bvh->node};
  return SUP_OK;
}

static sup_frame relative(const sup_frame *X_WA, const sup_frame *X_WB) {
  return (sup_frame){sup_m3_mul(sup_m3_transpose(X_WA->R), X_WB->R),
                     sup_frame_apply_inverse(X_WA, X_WB->p)};
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static double convex_depth(measurement *m, const side *a, const side *b) {
  enum { CLOSED_FORM = 5, GJK = 100 }; /* costs of operations, in units of `evaluations` */
  sup_posed_shape pa = {a->shape, a->X_WG}, pb = {b->shape, b->X_WG};
  sup_point_set   set;
  double          depth = 0;
  sup_collide_point(&pa, &pb, 0, 0, &set);
  for (int k = 0; k < set.count; k++) depth = sup_max(depth, -set.point[k].phi);
  int is_closed_form = a->shape->type == SUP_SHAPE_SPHERE || b->shape->type == SUP_SHAPE_SPHERE;
  m->evaluations += is_closed_form ? CLOSED_FORM : GJK;
  return depth;
}

double sup_overlap_of_shapes(const sup_model *model, const sup_pair *pair, const sup_frame *X_WL) {
  const int   body[2] = {pair->a, pair->b}, geometry[2] = {pair->geometry_a, pair->geometry_b};
  side        at[2] = {{.shape = NULL}};
  double      reach = 0;
  measurement m = {.model = model};
  for (int k = 0; k < 2; k++) {
    if (geometry[k] == SUP_NONE) return 0;
    const sup_geometry *g = &model->geometry[geometry[k]];
    if (g->shape.type == SUP_SHAPE_MESH) return 0;
    at[k] = (side){.shape = &g->shape, .X_WG = sup_frame_mul(&X_WL[body[k]], &g->X_LG)};
    reach += sup_shape_radius(&g->shape);
  }
  bool is_near = sup_v3_norm(sup_v3_sub(at[0].X_WG.p, at[1].X_WG.p)) < reach;
  return is_near ? convex_depth(&m, &at[0], &at[1]) : 0;
}

/** Depth of the deepest point of a's facets in the convex b. */
static double facet_depth(measurement *m, const side *a, const side *b,
                          const unsigned char *left_out, double tolerance) {
  sup_frame X_SG = relative(&a->X_WS, &b->X_WG);
  sup_v3    up = sup_m3_column(&X_SG.R, 2);
  int       count, parts = sup_surface_triangles_per_face(a->solid.surface);
  double    depth = 0;
  if (b->shape->type == SUP_SHAPE_HALF_SPACE) {
    count = sup_bvh_query_half_space(a->solid.node, up, sup_v3_dot(up, X_SG.p), m->face);
  } else {
    sup_box box;
    sup_shape_bounds(b->shape, &X_SG, 0, &box.lower, &box.upper);
    count = sup_bvh_query(a->solid.node, &box, m->face);
  }
  for (int i = 0; i < count; i++)
    for (int t = m->face[i] * parts;
         t < (m->face[i] + 1) * parts && !(left_out && left_out[m->face[i]]); t++) {
      sup_v3 corner[3];
      for (int k = 0; k < 3; k++)
        corner[k] = sup_frame_apply_inverse(
            &X_SG, sup_surface_corner(a->solid.surface, a->solid.points, t, k));
      depth = sup_triangle_depth(b->shape, corner, depth, tolerance, &m->evaluations);
    }
  return depth;
}

/** Depth in a of the inscribed ball about the middle of the convex b; 0: the middle is outside. */
static double swallowed_depth(measurement *m, const side *a, const side *b, double least) {
  sup_v3 middle;
  double radius = sup_shape_middle(b->shape, &middle);
  if (!(radius > 0)) return 0;
  sup_v3 p = sup_frame_apply_inverse(&a->X_WS, sup_frame_apply(&b->X_WG, middle));
  double depth = sup_solid_depth(&a->solid, p, sup_max(0, least - radius), &m->evaluations);
  return depth > 0 ? depth + radius : 0;
}

/** Depth of b's deepest point in a: facets of a inside a thin body b are no deeper than the body's
 * thickness.
 */
static double points_depth(measurement *m, const side *a, const side *b, double least) {
  enum { MOST = 2000 }; /* points tested; larger surfaces: every second, third, .. point */
  if (!b->solid.surface) return least; /* a half space has no points */
  sup_frame X_AB = relative(&a->X_WS, &b->X_WS);
  int       n = b->solid.surface->num_points, step = 1 + n / MOST;
  double    depth = least;
  for (int i = 0; i < n; i += step) {
    sup_v3 p = sup_frame_apply(&X_AB, sup_v3_load(b->solid.points + 3 * i));
    depth = sup_max(depth, sup_solid_depth(&a->solid, p, depth, &m->evaluations));
  }
  m->evaluations += n / step;
  return depth;
}

static sup_status pair_depth(measurement *m, const sup_pair *pair, double *depth) {
  side a, b;
  *depth = 0;
  if (pair->a == pair->b) return SUP_OK;
  SUP_TRY(side_of(m, pair->a, pair->geometry_a, &a));
  SUP_TRY(side_of(m, pair->b, pair->geometry_b, &b));
  if (a.shape && b.shape) {
    *depth = convex_depth(m, &a, &b);
    return SUP_OK;
  }
  if (pair->left_out && !b.shape) return SUP_OK;
  if (a.shape) { /* roles of a and b exchanged */
    side swap = a;
    a = b, b = swap;
  }
  if (b.shape) {
    *depth = facet_depth(m, &a, &b, pair->left_out,
                         sup_collide_numerics.overlap * sup_shape_middle(b.shape, &(sup_v3){0}));
    if (pair->left_out) return SUP_OK; /* its link may be within the body */
    *depth = sup_max(*depth, swallowed_depth(m, &a, &b, *depth));
  } else {
    *depth = points_depth(m, &b, &a, *depth);
  }
  *depth = points_depth(m, &a, &b, *depth);
  return SUP_OK;
}

/* ---- all pairs ------------------------------------------------------------------------------- */

static sup_box soft_box(const sup_soft *soft, const double *x) {
  sup_box box = sup_box_empty();
  for (int i = 0; i < soft->num_vertices; i++)
    box = sup_box_add(box, sup_v3_load(x + 3 * (soft->first_vertex + i)));
  return box;
}

static sup_status place(measurement *m) {
  const sup_model *model = m->model;
  int              faces = 1;
  SUP_TRY(SUP_ARENA(m->arena, m->box, sup_model_num_items(model)));
  SUP_TRY(SUP_ARENA(m->arena, m->node, model->num_softs));
  for (int g = 0; g < model->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[g];
    sup_frame           X = sup_frame_mul(&m->X_WL[geometry->body], &geometry->X_LG);
    sup_shape_bounds(&geometry->shape, &X, 0, &m->box[g].lower, &m->box[g].upper);
    if (geometry->surface && geometry->surface->num_faces > faces)
      faces = geometry->surface->num_faces;
  }
  for (int s = 0; s < model->num_softs; s++) {
    m->node[s] = NULL;
    m->box[model->num_geometries + s] = soft_box(&model->soft[s], m->x);
    if (model->soft[s].surface->num_faces > faces) faces = model->soft[s].surface->num_faces;
  }
  SUP_TRY(SUP_ARENA(m->arena, m->face, faces));
  m->evaluations = model->num_geometries + model->num_vertices / 10;
  return SUP_OK;
}

sup_status sup_overlaps_measure(sup_overlaps *o, const sup_frame *X_WL, const double *x) {
  measurement m = {.model = o->model, .arena = o->arena, .X_WL = X_WL, .x = x};
  for (int k = 0; k < o->num_near; k++) o->depth[o->near[k]] = 0;
  o->num_near = 0;
  SUP_TRY(sup_arena_reset(o->arena));
  SUP_TRY(place(&m));
  SUP_TRY(sup_broad_phase(o->model, m.box, o->arena, &o->near, &o->near_capacity, &o->num_near));
  for (int k = 0; k < o->num_near; k++) {
    int p = o->near[k];
    SUP_TRY(pair_depth(&m, &o->model->pair[p], &o->depth[p]));
  }
  o->evaluations = m.evaluations;
  return SUP_OK;
}
