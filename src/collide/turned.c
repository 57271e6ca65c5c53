#include "collide/turned.h"

#include "fem/body.h"

static void turn_link(sup_turned *out, const sup_model *model, const sup_kinematics *kin,
                      sup_v3 *lead_w, sup_v3 *lead_v, double h, int b) {
  const sup_body  *body = &model->body[b];
  const sup_frame *X = &kin->X_WL[b];
  sup_v3           com = model->tree[body->tree]->links[body->link].com, w = kin->w[b];
  sup_v3           centre = sup_frame_apply(X, com);
  sup_frame        Y = *X;
  sup_m3           turn = sup_quat_matrix(sup_quat_exp(sup_v3_scale(h, w)));
  if (sup_v3_norm(w) > 0) {
    Y.R = sup_m3_mul(turn, X->R);
    Y.p = sup_v3_sub(centre, sup_m3_apply(Y.R, com));
  }
  out->kin.X_WL[b] = Y, out->kin.w[b] = lead_w[b] = w;
  lead_v[b] = sup_v3_cross(w, sup_v3_sub(Y.p, centre));
  out->kin.v[b] = sup_v3_add(kin->v[b], sup_v3_cross(w, sup_v3_sub(Y.p, X->p)));
}

static sup_v3 soft_drift(const sup_soft *soft, const double *xdot) {
  const double *m = sup_fem_vertex_mass(soft->fem);
  sup_v3        momentum = {0, 0, 0};
  double        mass = 0;
  for (int a = 0; a < soft->num_vertices; a++)
    momentum = sup_v3_madd(momentum, m[a], sup_v3_load(xdot + 3 * a)), mass += m[a];
  return sup_v3_scale(1 / mass, momentum);
}

sup_status sup_turned_create(sup_turned *out, const sup_model *model, const sup_increment *inc,
                             const sup_kinematics *kin, const double *xdot, sup_arena *arena) {
  sup_v3 *w, *v, *drift;
  double *still;
  *out = (sup_turned){.stands = kin, .kin = {.time = kin->time, .base = kin->base}};
  SUP_TRY(SUP_ARENA(arena, out->kin.X_WL, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, out->kin.w, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, out->kin.v, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, w, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, v, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, drift, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, still, 3 * model->num_vertices));
  for (int i = 0; i < 3 * model->num_vertices; i++) still[i] = 0;
  out->lead_w = w, out->lead_v = v, out->drift = drift, out->still = still;
  for (int b = 0; b < model->num_bodies; b++) {
    out->kin.X_WL[b] = kin->X_WL[b];
    out->kin.w[b] = out->kin.v[b] = w[b] = v[b] = sup_v3_make(0, 0, 0);
    if (model->body[b].soft != SUP_NONE) continue;
    turn_link(out, model, kin, w, v, inc->h, b);
    drift[b] = sup_v3_sub(out->kin.v[b], v[b]);
  }
  for (int i = 0; i < model->num_softs; i++)
    drift[model->soft[i].body] =
        soft_drift(&model->soft[i], xdot + 3 * (size_t)model->soft[i].first_vertex);
  return SUP_OK;
}

static double curvature(const sup_model *model, int g) {
  return g == SUP_NONE ? 0 : model->geometry[g].curvature;
}

/** Bit 1: normals come from a, bit 2: from b; 0: the pair is not shifted. */
static int curved_sides(const sup_model *model, const sup_pair *pair) {
  int is_soft = pair->geometry_a == SUP_NONE, is_depth = pair->touch == SUP_TOUCH_SURFACE_DEPTH;
  if (pair->geometry_b == SUP_NONE) return 0;
  if (is_soft) /* soft facets lie on flat surfaces */
    return is_depth && model->body[pair->b].movable &&
                   sup_shape_is_round(&model->geometry[pair->geometry_b].shape)
               ? 2
               : 0;
  return (!is_depth && curvature(model, pair->geometry_a) > 0) |
         (curvature(model, pair->geometry_b) > 0) << 1;
}

sup_v3 sup_turned_shift(const sup_turned *turned, const sup_model *model, const sup_pair *pair,
                        const sup_increment *inc, sup_v3 *lever) {
  sup_v3 shift = {0, 0, 0};
  int    sides = turned ? curved_sides(model, pair) : 0;
  *lever = shift;
  if (!sides || (pair->geometry_a == SUP_NONE && inc->is_controlled)) return shift;
  int curved = sides & 2 ? pair->geometry_b : pair->geometry_a;
  shift = sup_v3_scale(inc->h, sup_v3_sub(turned->drift[pair->b], turned->drift[pair->a]));
  if (!(sup_v3_norm(shift) < sup_shape_radius(&model->geometry[curved].shape)))
    return (sup_v3){0, 0, 0};
  double a = curvature(model, pair->geometry_a), b = curvature(model, pair->geometry_b);
  *lever = sup_v3_scale(sides & 2 ? b / (a + b) : 0, shift);
  return shift;
}

static sup_v3 turning_at(const sup_turned *turned, int body, sup_v3 p) {
  return sup_v3_add(turned->lead_v[body],
                    sup_v3_cross(turned->lead_w[body], sup_v3_sub(p, turned->kin.X_WL[body].p)));
}

/** Centre of a geometry's shape with the links of `kin`. */
static sup_v3 centre_of(const sup_model *model, const sup_kinematics *kin, int g) {
  return sup_frame_apply(&kin->X_WL[model->geometry[g].body], model->geometry[g].X_LG.p);
}

/** 1: fields of two spheres, or of a sphere and a half space. */
static int has_known_normal(const sup_model *model, const sup_pair *pair) {
  if (pair->touch != SUP_TOUCH_FIELD_FIELD || pair->geometry_a == SUP_NONE ||
      pair->geometry_b == SUP_NONE)
    return 0;
  sup_shape_type a = model->geometry[pair->geometry_a].shape.type,
                 b = model->geometry[pair->geometry_b].shape.type;
  return a == SUP_SHAPE_SPHERE && (b == SUP_SHAPE_SPHERE || b == SUP_SHAPE_HALF_SPACE);
}

int sup_turned_approach(const sup_turned *turned, const sup_model *model, const sup_pair *pair,
                        const sup_increment *inc, double *way) {
  if (!has_known_normal(model, pair)) return 0;
  int                 ga = pair->geometry_a, gb = pair->geometry_b;
  const sup_geometry *plane = &model->geometry[gb];
  double              ra = model->geometry[ga].shape.size[0], reach = ra + plane->shape.size[0];
  sup_v3              lever, shift = sup_turned_shift(turned, model, pair, inc, &lever), n, foot;
  sup_v3 a = centre_of(model, &turned->kin, ga), b = centre_of(model, &turned->kin, gb);
  if (plane->shape.type == SUP_SHAPE_HALF_SPACE) {
    sup_frame X = sup_frame_mul(&turned->kin.X_WL[pair->b], &plane->X_LG);
    n = sup_v3_scale(-1, sup_m3_column(&X.R, 2)), foot = sup_v3_madd(a, ra, n), reach = ra;
  } else {
    n = sup_v3_unit(
        sup_v3_sub(centre_of(model, turned->stands, gb), centre_of(model, turned->stands, ga)));
    foot = b;
  }
  if (!(sup_v3_dot(n, sup_v3_sub(sup_v3_add(b, shift), a)) < reach)) return 0;
  sup_v3 turning = sup_v3_sub(turning_at(turned, pair->b, foot), turning_at(turned, pair->a, a));
  *way = -sup_v3_dot(n, sup_v3_madd(shift, inc->h, turning));
  return 1;
}
