/* Scenes from seeds: laws, options, and the order in which parts are drawn. */
#include "meta_scene.h"

sup_v3 meta_direction(meta_scene *s) {
  for (;;) {
    double x = test_uniform(&s->r), y = test_uniform(&s->r), z = test_uniform(&s->r);
    double n = sqrt(x * x + y * y + z * z);
    if (n > 0.1 && n < 1) return sup_v3_make(x / n, y / n, z / n);
  }
}

sup_v3 meta_within(meta_scene *s, double longest) {
  double length = longest * test_uniform(&s->r);
  return sup_v3_scale(length, meta_direction(s));
}

void *meta_own(meta_scene *s, size_t bytes) {
  CU_ASSERT_FATAL(s->num_owned < META_MAX_OWNED);
  void *p = calloc(1, bytes);
  CU_ASSERT_PTR_NOT_NULL_FATAL(p);
  return s->owned[s->num_owned++] = p;
}

static int is_rigid_role(meta_role role) { return role <= META_MIXED; }

void meta_contact(meta_scene *s, sup_contact_def *c, int has_field) {
  double dt = s->options.dt;
  *c = sup_default_contact_def();
  c->friction = meta_chance(s, .15) ? 0 : meta_between(s, .1, 1);
  if (meta_chance(s, .2)) c->static_friction = 1.3 * c->friction;
  c->dissipation = meta_chance(s, .2) ? 0 : meta_between(s, .3, 20);
  c->relaxation_time = dt * meta_between(s, .05, 2);
  c->stiffness = 1e7 * meta_between(s, .5, 20);
  c->resolution = s->size * meta_between(s, .2, .5);
  c->point_stiffness = s->role == META_POINT ? meta_between(s, 3e2, 3e4) : 0;
  c->hertz_modulus = meta_between(s, 3e5, 3e6);
  if (has_field) c->modulus = meta_between(s, 5e4, 2e6);
  c->field_resolution = s->size * meta_between(s, .3, .6);
  c->field_margin = s->size * meta_between(s, .05, .2);
  c->field_thickness = s->size * meta_between(s, .5, 1);
  c->anisotropy_ratio = 1;
  if (meta_chance(s, .15)) {
    sup_v3_store(c->anisotropy_axis, meta_direction(s));
    c->anisotropy_ratio = meta_between(s, .5, 2);
  }
  if (meta_chance(s, .2)) sup_v3_store(c->surface_velocity, meta_within(s, .3));
  if (s->role != META_POINT || s->seed % 5 != 1) return; /* others keep their draws */
  c->rolling_friction = s->size * meta_between(s, 1e-3, .02);
  c->torsional_friction = s->size * meta_between(s, 1e-3, .1);
}

/** Solvers other than Newton's: those that go from contact to contact where contacts are few. */
static void choose_solver(meta_scene *s) {
  static const sup_contact_solver other[] = {SUP_CONTACT_SOLVER_TAMSI, SUP_CONTACT_SOLVER_CCP_PGS,
                                             SUP_CONTACT_SOLVER_CCP_ADMM,
                                             SUP_CONTACT_SOLVER_NCP_PGS};
  sup_options                    *o = &s->options;
  if (!is_rigid_role(s->role) || !meta_chance(s, .25)) return;
  o->contact_solver = other[s->role == META_POINT ? meta_one_of(s, 4) : 0];
  o->dual.tolerance = 1e-12, o->dual.max_iterations = 5000;
  s->def.contact.model = SUP_MODEL_LAGGED;
  s->def.contact.normal_law = SUP_NORMAL_KELVIN_VOIGT;
}

void meta_add_options(meta_scene *s) {
  sup_options *o = &s->options;
  int          rigid = is_rigid_role(s->role), choice = meta_one_of(s, 4);
  *o = sup_default_options();
  o->dt = meta_between(s, 5e-4, 2e-3);
  sup_v3_store(o->gravity, sup_v3_make(0, 0, -9.81));
  o->tolerance = 1e-12, o->max_iterations = 500;
  o->stiction_tolerance = meta_between(s, 1e-4, 1e-3);
  o->delassus = (sup_delassus)meta_one_of(s, SUP_NUM_DELASSUS);
  o->newton = (sup_newton_kind)meta_one_of(s, SUP_NUM_NEWTONS);
  o->softening = (sup_friction_softening)meta_one_of(s, SUP_NUM_FRICTION_SOFTENINGS);
  if (choice == 1) o->scheme = sup_scheme_implicit_euler();
  if (choice == 2 && rigid) o->scheme = sup_scheme_midpoint();
  if (choice == 2 && !rigid) o->soft_bdf2 = 1;
  o->patch_thirds = meta_chance(s, .1);
  o->patch_triangles = meta_chance(s, .3);
  s->def.contact.model = (sup_contact_model)meta_one_of(s, SUP_NUM_CONTACT_MODELS);
  s->def.contact.normal_law =
      meta_chance(s, .4) ? SUP_NORMAL_KELVIN_VOIGT : SUP_NORMAL_HUNT_CROSSLEY;
  if (s->role == META_POINT && meta_chance(s, .2)) {
    s->def.contact.normal_law =
        meta_chance(s, .5) ? SUP_NORMAL_IPC_BARRIER : SUP_NORMAL_LOG_BARRIER;
    s->def.contact.barrier_energy = meta_between(s, 1e-5, 1e-4);
    s->def.contact.barrier_range = .1 * s->size, s->def.contact.barrier_margin = .3 * s->size;
  }
  s->def.contact.soft_surface =
      s->role == META_VERTICES ? SUP_SOFT_SURFACE_VERTICES : SUP_SOFT_SURFACE_POLYGONS;
  if (s->def.contact.model == SUP_MODEL_LAGGED || s->def.contact.model == SUP_MODEL_COUPLED)
    o->stick = meta_chance(s, .2) ? SUP_STICK_ELASTIC : SUP_STICK_SOFT;
  choose_solver(s);
}

void meta_scene_create(meta_scene *s, uint64_t seed, meta_change change) {
  memset(s, 0, sizeof *s);
  s->seed = seed, s->r = (test_random){seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
  s->def = sup_default_model_def();
  s->def.trees = s->tree, s->def.softs = s->soft, s->def.actuators = s->actuator;
  s->def.springs = s->spring, s->def.loads = s->load;
  s->role = (meta_role)(seed % META_NUM_ROLES);
  s->size = meta_between(s, .012, .03);
  s->num_steps = is_rigid_role(s->role) ? 40 : 20;
  s->threads = 1;
  meta_add_options(s);
  meta_add_rigid(s);
  if (!is_rigid_role(s->role)) meta_add_soft(s);
  meta_fit(s, change);
}

void meta_scene_free(meta_scene *s) {
  for (int i = 0; i < s->num_owned; i++) free(s->owned[i]);
  for (int i = 0; i < s->num_hulls; i++) sup_hull_destroy(&s->hull[i]);
  for (int i = 0; i < s->num_cells; i++) sup_mesh_destroy(&s->cells[i]);
  for (int i = 0; i < s->def.num_softs; i++) sup_mesh_destroy(&s->mesh[i]);
}
