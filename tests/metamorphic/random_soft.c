/* Soft bodies of all elements and laws: boxes that fall, that are held or ride on a slider, and a
 * clip whose legs are pressed together. */
#include "mesh/format/convert.h"
#include "mesh/mesh.h"
#include "meta_scene.h"

/** Bricks take the first three models (fem/element/element.h). */
static void random_material(meta_scene *s, const sup_mesh *mesh, sup_material_def *m) {
  int num_models = mesh->type == SUP_CELL_H8 ? SUP_MATERIAL_COROTATIONAL + 1 : SUP_NUM_MATERIALS;
  snprintf(m->name, sizeof m->name, "material%d", s->def.num_softs);
  m->model = (sup_material_model)meta_one_of(s, num_models);
  m->youngs_modulus = meta_between(s, 5e4, 1e6);
  m->poissons_ratio = .2 + .12 * (1 + test_uniform(&s->r));
  m->density = meta_between(s, 800, 2000);
  if (meta_chance(s, .4)) m->stiffness_damping = meta_between(s, 1e-4, 3e-3);
  if (meta_chance(s, .3)) m->mass_damping = meta_between(s, .1, 3);
  if (!meta_chance(s, .2)) return;
  m->num_prony = 2;
  for (int i = 0; i < 2; i++) {
    m->prony[i].share = meta_between(s, .1, .4);
    m->prony[i].time = meta_between(s, 3e-3, .3);
  }
  m->moduli = (sup_moduli)meta_one_of(s, 2);
}

/** The clip: a box of 3 layers of bricks without the middle one, but for its closed end; the slot
 * is made thin, its faces uneven, so that no edge lies on another. */
static void cut_slot(meta_scene *s, sup_mesh **mesh, const double size[3], double slot) {
  sup_mesh *box = *mesh;
  int       corners = sup_cell_num_vertices(box->type), kept = 0;
  for (int c = 0; c < box->num_cells; c++) {
    sup_v3 centre = {0, 0, 0};
    for (int k = 0; k < corners; k++)
      centre = sup_v3_madd(centre, 1. / corners, sup_mesh_vertex(box, sup_mesh_cell(box, c)[k]));
    if (centre.x > .25 * size[0] && centre.z > size[2] / 3 && centre.z < 2 * size[2] / 3) continue;
    memmove(box->cell + corners * kept++, sup_mesh_cell(box, c), (size_t)corners * sizeof(int));
  }
  for (int i = 0; i < box->num_vertices; i++) {
    double *z = &box->x[3 * i + 2], middle = .5 * size[2], from = *z - middle;
    double  half = size[2] / 6;
    *z = middle + (fabs(from) <= half + 1e-9 * half
                       ? from * slot / (2 * half)
                       : copysign(.5 * slot + (fabs(from) - half), from));
  }
  for (int i = 0; i < 3 * box->num_vertices; i++) box->x[i] += .2 * slot * test_uniform(&s->r);
  OK(sup_mesh_of_cells(mesh, box->type, box->num_vertices, box->x, kept, box->cell));
  sup_mesh_destroy(&box);
}

/** Random size and cells; the size in `size`. */
static sup_mesh *random_cells(meta_scene *s, double size[3]) {
  static const sup_mesh_pattern pattern[] = {SUP_PATTERN_HEX, SUP_PATTERN_KUHN, SUP_PATTERN_MIRROR};
  int                           kind = meta_one_of(s, 4), n[3], is_self = s->role == META_SELF;
  sup_mesh                     *mesh, *quadratic;
  for (int c = 0; c < 3; c++)
    size[c] = s->size * meta_between(s, .8, 2), n[c] = 1 + meta_one_of(s, kind == 3 ? 2 : 3);
  if (is_self) n[0] = 4, n[1] = 1, n[2] = 3, size[0] = 3 * s->size;
  OK(sup_mesh_box(&mesh, size, n, pattern[kind == 3 ? 1 : kind]));
  if (is_self) cut_slot(s, &mesh, size, .02 * s->size);
  if (kind != 3) return mesh;
  OK(sup_mesh_to_t10(&quadratic, mesh));
  sup_mesh_destroy(&mesh);
  return quadratic;
}

static sup_region upper_face(const meta_scene *s, const sup_mesh *mesh) {
  sup_v3 lower, upper;
  sup_mesh_bounds(mesh, &lower, &upper);
  return (sup_region){SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, -1}, -upper.z + .1 * s->size, ""};
}

/** Its upper face is held and goes down. */
static void hold(meta_scene *s, sup_soft_def *d) {
  int                i = s->def.num_softs - 1;
  sup_dirichlet_def *h = &s->hold[i][d->num_dirichlet++];
  double            *time = meta_own(s, 2 * sizeof *time), *value = meta_own(s, 12 * sizeof *value);
  *h = sup_default_dirichlet_def();
  snprintf(h->name, sizeof h->name, "grip");
  h->region = upper_face(s, d->mesh);
  time[1] = 1.5 * s->options.dt * s->num_steps;
  value[6 + 2] = -.1 * s->size, value[6 + 3] = .05 * test_uniform(&s->r);
  h->motion = (sup_table){2, 6, time, value, 0, 0};
  d->dirichlet = s->hold[i];
}

/** Its upper face rides on a slider that moves along the vertical. */
static void ride(meta_scene *s, sup_soft_def *d) {
  int             i = s->def.num_softs - 1, t = s->def.num_trees++;
  sup_tree_def   *tree = &s->tree[t];
  sup_link_def   *l = &s->link[t][0];
  sup_attach_def *a = &s->attachment[i][d->num_attachments++];
  *tree = sup_default_tree_def(), *l = sup_default_link_def(), *a = sup_default_attach_def();
  snprintf(tree->name, sizeof tree->name, "slider%d", i);
  tree->num_links = 1, tree->links = l;
  snprintf(l->name, sizeof l->name, "link0"),
      snprintf(l->joint_name, sizeof l->joint_name, "joint0");
  l->parent = SUP_NONE, l->joint = SUP_JOINT_PRISMATIC, l->axis[0] = l->axis[1] = 0, l->axis[2] = 1;
  l->mass = 1000 * s->size * s->size * s->size, l->damping = .1, l->v0[0] = d->v0[2];
  for (int c = 0; c < 3; c++) l->inertia[c] = .4 * l->mass * s->size * s->size;
  tree->X_WB = d->X_WS;
  d->X_WS = sup_pose_identity();
  a->region = upper_face(s, d->mesh);
  snprintf(a->link, sizeof a->link, "slider%d/link0", i);
  d->attachments = s->attachment[i];
}

static void press(meta_scene *s, sup_soft_def *d) {
  int               i = s->def.num_softs - 1;
  sup_traction_def *t = &s->traction[i][d->num_tractions++];
  *t = sup_default_traction_def();
  t->region = upper_face(s, d->mesh);
  if (s->role == META_SELF)
    t->pressure = 3e3 * meta_between(s, .5, 2);
  else
    sup_v3_store(t->total_force, meta_within(s, .3));
  d->tractions = s->traction[i];
}

static void add_soft(meta_scene *s) {
  int           i = s->def.num_softs++;
  double        size[3], lowest = 0, highest = 0;
  sup_soft_def *d = &s->soft[i];
  *d = sup_default_soft_def();
  snprintf(d->name, sizeof d->name, "s%d", i);
  s->mesh[i] = random_cells(s, size);
  d->mesh = s->mesh[i];
  random_material(s, s->mesh[i], &d->material);
  meta_contact(s, &d->contact, 0);
  d->contact.modulus = 0, d->contact.point_stiffness = 0, d->contact.anisotropy_ratio = 1;
  d->contact.stiffness = 0;
  memset(d->contact.anisotropy_axis, 0, sizeof d->contact.anisotropy_axis);
  memset(d->contact.surface_velocity, 0, sizeof d->contact.surface_velocity);
  d->contact.self = s->role == META_SELF;
  d->lumped_mass = meta_chance(s, .4);
  if (s->mesh[i]->type == SUP_CELL_H8) d->solid_shell = meta_chance(s, .2);
  if (s->mesh[i]->type == SUP_CELL_T10) d->mean_dilatation = meta_chance(s, .3);
  sup_frame X = {sup_quat_matrix(sup_quat_exp(meta_within(s, .7))), {0, 0, 0}};
  if (d->material.model == SUP_MATERIAL_LINEAR) X.R = sup_m3_identity(); /* a turn is a strain */
  for (int k = 0; k < s->mesh[i]->num_vertices; k++) {
    double z = sup_frame_apply(&X, sup_mesh_vertex(s->mesh[i], k)).z;
    lowest = fmin(lowest, z), highest = fmax(highest, z);
  }
  sup_v3 half = {.5 * size[0], .5 * size[1], 0}, aside = meta_within(s, .2 * s->size);
  X.p = sup_v3_sub(aside, sup_m3_apply(X.R, half));
  X.p.z = s->top - lowest + s->size * meta_between(s, .003, .03);
  if (s->role == META_SELF) X.p.z += s->size * (meta_chance(s, .5) ? 1 : 0);
  s->top = X.p.z + highest;
  d->X_WS = sup_pose_from_frame(&X);
  sup_v3_store(d->v0, meta_within(s, .1));
  d->v0[2] = -meta_between(s, .1, .6);
  if (s->role == META_SELF || meta_chance(s, .2)) press(s, d);
  if (i > 0 || s->role == META_SELF) return;
  if (meta_chance(s, .2))
    hold(s, d);
  else if (meta_chance(s, .2))
    ride(s, d);
}

void meta_add_soft(meta_scene *s) {
  add_soft(s);
  if (s->role == META_SOFT_SOFT) add_soft(s);
}
