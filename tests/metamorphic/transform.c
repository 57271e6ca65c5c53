/* Changes of a scene's definitions that leave the motion as it is. */
#include "mesh/mesh.h"
#include "meta_scene.h"

static const sup_v3 axial_sign = {1, -1, -1};

/** Images in the mirror x -> -x, of numbers in a frame that is mirrored itself. */
static void mirror_polar(double *a) { a[0] = -a[0]; }
static void mirror_axial(double *a) { a[1] *= axial_sign.y, a[2] *= axial_sign.z; }
static void mirror_pose(sup_pose *X) { mirror_polar(X->p), mirror_axial(X->q + 1); }

static void mirror_table(sup_table *t) {
  for (int row = 0; row < t->num_rows; row++) {
    double *v = t->value + t->width * row;
    if (t->width >= 3) mirror_polar(v);
    if (t->width == 6) mirror_axial(v + 3);
  }
}

static void mirror_points(int n, double *x) {
  for (int i = 0; i < n; i++) mirror_polar(x + 3 * i);
}

/** Cells whose vertices were mirrored, turned outside out again. */
static void mirror_cells(sup_mesh *mesh) {
  static const int swap[2][3][2] = {{{0, 1}}, {{0, 1}, {5, 6}, {7, 8}}}; /* T4, T10 */
  int              corners = sup_cell_num_vertices(mesh->type);
  mirror_points(mesh->num_vertices, mesh->x);
  for (int c = 0; c < mesh->num_cells; c++) {
    int *cell = mesh->cell + corners * c, old[SUP_CELL_MAX_VERTICES];
    memcpy(old, cell, (size_t)corners * sizeof *old);
    const int(*pairs)[2] = swap[mesh->type == SUP_CELL_T10];
    if (mesh->type == SUP_CELL_H8)
      for (int k = 0; k < 8; k++) cell[k] = old[(k + 4) % 8];
    else
      for (int k = 0; k < 3 && pairs[k][1] > 0; k++)
        cell[pairs[k][0]] = old[pairs[k][1]], cell[pairs[k][1]] = old[pairs[k][0]];
  }
}

static void mirror_hull(sup_hull *hull) {
  mirror_points(hull->num_points, hull->point), mirror_points(hull->num_triangles, hull->normal);
  for (int t = 0; t < hull->num_triangles; t++) {
    int *v = hull->triangle + 3 * t, first = v[1];
    v[1] = v[2], v[2] = first;
  }
}

static void mirror_contact(sup_contact_def *c) {
  mirror_polar(c->surface_velocity), mirror_polar(c->surface_amplitude);
  mirror_polar(c->anisotropy_axis);
}

static void mirror_region(sup_region *r) {
  double lower = r->lower[0];
  r->lower[0] = -r->upper[0], r->upper[0] = -lower;
  mirror_polar(r->normal);
}

static void mirror_link(sup_link_def *l) {
  mirror_pose(&l->X_PJ);
  mirror_polar(l->axis);
  if (l->joint == SUP_JOINT_REVOLUTE) /* an axial vector: the same angles about its image */
    for (int c = 0; c < 3; c++) l->axis[c] = -l->axis[c];
  mirror_polar(l->com);
  l->inertia[3] = -l->inertia[3], l->inertia[4] = -l->inertia[4];
  if (l->joint == SUP_JOINT_FLOATING) {
    mirror_polar(l->q0), mirror_axial(l->q0 + 4);
    mirror_axial(l->v0), mirror_polar(l->v0 + 3);
  }
  if (l->joint == SUP_JOINT_TRANSLATION) mirror_polar(l->q0), mirror_polar(l->v0);
  for (int g = 0; g < l->num_geometries; g++)
    mirror_pose(&l->geometries[g].X_LG), mirror_contact(&l->geometries[g].contact);
}

static void mirror_soft(sup_soft_def *d, sup_mesh *mesh) {
  mirror_cells(mesh);
  mirror_pose(&d->X_WS), mirror_polar(d->v0);
  mirror_contact(&d->contact);
  for (int k = 0; k < d->num_dirichlet; k++)
    mirror_region(&d->dirichlet[k].region), mirror_table(&d->dirichlet[k].motion);
  for (int k = 0; k < d->num_attachments; k++) mirror_region(&d->attachments[k].region);
  for (int k = 0; k < d->num_tractions; k++) {
    mirror_region(&d->tractions[k].region);
    mirror_polar(d->tractions[k].total_force), mirror_polar(d->tractions[k].traction);
  }
}

static void mirror(meta_scene *s) {
  mirror_polar(s->options.gravity);
  for (int t = 0; t < s->def.num_trees; t++) {
    mirror_pose(&s->tree[t].X_WB), mirror_table(&s->tree[t].motion);
    for (int l = 0; l < s->tree[t].num_links; l++) mirror_link(&s->tree[t].links[l]);
  }
  for (int i = 0; i < s->num_hulls; i++) mirror_hull(s->hull[i]);
  for (int i = 0; i < s->num_cells; i++) mirror_cells(s->cells[i]);
  for (int i = 0; i < s->def.num_softs; i++) mirror_soft(&s->soft[i], s->mesh[i]);
  for (int i = 0; i < s->def.num_springs; i++) {
    mirror_polar(s->spring[i].point_a), mirror_polar(s->spring[i].point_b);
    mirror_polar(s->spring[i].rest);
  }
  for (int i = 0; i < s->def.num_loads; i++)
    mirror_polar(s->load[i].point), mirror_table(&s->load[i].force);
}

/* ---- motions of the whole -------------------------------------------------------------------- */

static void move_pose(const sup_frame *X, sup_pose *pose) {
  sup_frame local = sup_frame_from_pose(pose), world = sup_frame_mul(X, &local);
  *pose = sup_pose_from_frame(&world);
}

static void turn_vector(const sup_frame *X, double *a) {
  sup_v3_store(a, sup_m3_apply(X->R, sup_v3_load(a)));
}

static void turn_table(const sup_frame *X, sup_table *t) {
  for (int k = 0; k + 2 < t->width * t->num_rows; k += 3) turn_vector(X, t->value + k);
}

/** Is the body where its joint is, its base in the world's frame? */
static int is_placed_by_joint(const sup_tree_def *d) {
  sup_pose identity = sup_pose_identity();
  return d->links[0].joint == SUP_JOINT_FLOATING &&
         memcmp(&d->X_WB, &identity, sizeof identity) == 0;
}

static void move(meta_scene *s, const sup_frame *X) {
  turn_vector(X, s->options.gravity);
  for (int t = 0; t < s->def.num_trees; t++) {
    sup_tree_def *d = &s->tree[t];
    turn_table(X, &d->motion);
    if (!is_placed_by_joint(d)) {
      move_pose(X, &d->X_WB);
      continue;
    }
    sup_pose pose;
    memcpy(pose.p, d->links[0].q0, sizeof pose.p),
        memcpy(pose.q, d->links[0].q0 + 3, sizeof pose.q);
    move_pose(X, &pose);
    memcpy(d->links[0].q0, pose.p, sizeof pose.p),
        memcpy(d->links[0].q0 + 3, pose.q, sizeof pose.q);
  }
  for (int i = 0; i < s->def.num_softs; i++) {
    sup_soft_def *d = &s->soft[i];
    if (d->num_attachments == 0) move_pose(X, &d->X_WS);
    turn_vector(X, d->v0);
    for (int k = 0; k < d->num_dirichlet; k++) turn_table(X, &d->dirichlet[k].motion);
    for (int k = 0; k < d->num_tractions; k++)
      turn_vector(X, d->tractions[k].total_force), turn_vector(X, d->tractions[k].traction);
  }
  for (int i = 0; i < s->def.num_springs; i++) turn_vector(X, s->spring[i].rest);
  for (int i = 0; i < s->def.num_loads; i++) turn_table(X, &s->load[i].force);
}

/** Bodies at rest move with V, by a table. */
static void boost_table(meta_scene *s, sup_v3 V, sup_table *t) {
  if (t->num_rows == 0) {
    double *time = meta_own(s, 2 * sizeof *time), *value = meta_own(s, 12 * sizeof *value);
    time[1] = 2 * s->options.dt * s->num_steps;
    *t = (sup_table){2, 6, time, value, 0, 0};
  }
  for (int row = 0; row < t->num_rows; row++)
    sup_v3_accumulate(t->value + 6 * row, t->time[row], V);
}

static void boost(meta_scene *s, sup_v3 V) {
  for (int t = 0; t < s->def.num_trees; t++) {
    sup_tree_def *d = &s->tree[t];
    sup_link_def *l = &d->links[0];
    sup_m3        R = sup_frame_from_pose(&d->X_WB).R;
    if (l->joint == SUP_JOINT_FLOATING) {
      sup_quat q = {l->q0[3], l->q0[4], l->q0[5], l->q0[6]};
      R = sup_m3_mul(R, sup_quat_matrix(q));
      sup_v3_accumulate(l->v0 + 3, 1, sup_m3_apply_t(R, V));
    } else if (l->joint == SUP_JOINT_TRANSLATION) {
      sup_v3_accumulate(l->v0, 1, sup_m3_apply_t(R, V));
    } else {
      boost_table(s, V, &d->motion);
    }
  }
  for (int i = 0; i < s->def.num_softs; i++) {
    sup_soft_def *d = &s->soft[i];
    sup_v3_accumulate(d->v0, 1, V);
    for (int k = 0; k < d->num_dirichlet; k++) boost_table(s, V, &d->dirichlet[k].motion);
  }
}

/** Bodies from the last to the first. */
static void reverse_bodies(meta_scene *s) {
  for (int a = 0, b = s->def.num_trees - 1; a < b; a++, b--) {
    sup_tree_def d = s->tree[a];
    s->tree[a] = s->tree[b], s->tree[b] = d;
  }
  if (s->def.num_softs == 2) {
    sup_soft_def d = s->soft[0];
    s->soft[0] = s->soft[1], s->soft[1] = d;
  }
  if (s->def.num_actuators == 2) {
    sup_actuator_def a = s->actuator[0];
    s->actuator[0] = s->actuator[1], s->actuator[1] = a;
  }
}

static void turn(meta_scene *s, meta_map *map) {
  sup_frame X = {sup_quat_matrix(sup_quat_exp(meta_within(s, 3))), meta_within(s, 10 * s->size)};
  move(s, &X);
  map->Q = X.R, map->shift = X.p;
}

void meta_disturb(meta_scene *s, double share) {
  for (int t = 0; t < s->def.num_trees; t++) {
    sup_tree_def *d = &s->tree[t];
    sup_v3        aside = meta_within(s, share * s->size);
    sup_v3_accumulate(is_placed_by_joint(d) ? d->links[0].q0 : d->X_WB.p, 1, aside);
  }
  for (int i = 0; i < s->def.num_softs; i++) {
    sup_v3 aside = meta_within(s, share * s->size);
    if (s->soft[i].num_attachments == 0) sup_v3_accumulate(s->soft[i].X_WS.p, 1, aside);
  }
}

/** 2^low to 2^high. */
static double power_of_two(meta_scene *s, int unit, int low, int high) {
  return ldexp(1, unit * (low / unit + meta_one_of(s, (high - low) / unit + 1)));
}

/** From fractions of a micrometre to tens of metres; every other scene by powers of 64, whose
 * square and cube roots are powers of two: no digit changes then. */
static void scale(meta_scene *s, meta_map *map) {
  int unit = meta_chance(s, .5) ? 6 : 1;
  map->is_exact = unit == 6;
  map->length = power_of_two(s, unit, -20, 10);
  map->time = power_of_two(s, unit, -8, 8), map->mass = power_of_two(s, unit, -8, 8);
  meta_scale(s, map->length, map->time, map->mass);
}

meta_map meta_transform(meta_scene *s, meta_change change) {
  meta_map map = {sup_m3_identity(), 0, {0, 0, 0}, {0, 0, 0}, 1, 1, 1, 0};
  switch (change) {
    case META_TURN:
      turn(s, &map);
      break;
    case META_SHIFT: {
      sup_frame X = {sup_m3_identity(), meta_within(s, 50 * s->size)};
      move(s, &X);
      map.shift = X.p;
      break;
    }
    case META_MIRROR:
      mirror(s);
      map.is_mirror = 1;
      turn(s, &map);
      break;
    case META_SCALE:
      scale(s, &map);
      break;
    case META_BOOST:
      boost(s, map.boost = meta_within(s, 1));
      break;
    case META_ORDER:
      reverse_bodies(s);
      break;
    case META_VERTEX_ORDER:
      meta_reorder_vertices(s);
      break;
    case META_THREADS:
      s->threads = 2;
      break;
    case META_UNITS:
    case META_NUM_CHANGES:
      break;
  }
  return map;
}
