/* Ties (THEORY 4.11): weights, patch test, forces and moments, gaps, equilibria, what is refused.
 */
#include "app/app_test.h"
#include "la/vector.h"
#include "model/tie.h"
#include "scene_test.h"

/** A scene with ties. */
typedef struct tied {
  test_scene        s;
  sup_tie_def       tie[3];
  sup_dirichlet_def hold[4][4];
  sup_traction_def  traction[4];
} tied;

static sup_region box_of(double x0, double y0, double z0, double x1, double y1, double z1) {
  return (sup_region){SUP_REGION_BOX, {x0, y0, z0}, {x1, y1, z1}, {0}, 0, {0}};
}

static void shift(test_scene *s, int soft, double x, double y, double z) {
  sup_mesh    *mesh = s->mesh[soft];
  const double by[3] = {x, y, z};
  for (int i = 0; i < 3 * mesh->num_vertices; i++) mesh->x[i] += by[i % 3];
}

static sup_tie_def *add_tie(tied *t, const char *slave, const char *master) {
  int          k = t->s.def.num_ties++;
  sup_tie_def *d = &t->tie[k];
  *d = sup_default_tie_def();
  snprintf(d->name, sizeof d->name, "glue%d", k);
  snprintf(d->slave.body, SUP_NAME_MAX, "%s", slave);
  snprintf(d->master.body, SUP_NAME_MAX, "%s", master);
  t->s.def.ties = t->tie;
  return d;
}

static sup_dirichlet_def *add_hold(tied *t, int soft, sup_region region, int axes) {
  sup_soft_def      *d = &t->s.soft[soft];
  sup_dirichlet_def *h = &t->hold[soft][d->num_dirichlet++];
  *h = sup_default_dirichlet_def();
  h->region = region, h->axes = axes;
  d->dirichlet = t->hold[soft];
  return h;
}

static void pull(tied *t, int soft, sup_region region, double x, double y, double z) {
  sup_traction_def *f = &t->traction[soft];
  *f = (sup_traction_def)SUP_DEFAULT_TRACTION_DEF;
  f->region = region, f->traction[0] = x, f->traction[1] = y, f->traction[2] = z;
  t->s.soft[soft].tractions = f, t->s.soft[soft].num_tractions = 1;
}

/** Two blocks of this size along z, the lower of n, the upper of m bricks an edge, cut into
 * tetrahedra at will; the upper is the slave. */
static void two_blocks(tied *t, double size, int n, int m, sup_mesh_pattern lower,
                       sup_mesh_pattern upper) {
  memset(t, 0, sizeof *t);
  test_scene_init(&t->s);
  t->s.options.gravity[2] = 0;
  test_add_soft_box(&t->s, "lower", size, size, size, n, n, n, lower, 1e6, .3, 1000);
  test_add_soft_box(&t->s, "upper", size, size, size, m, m, m, upper, 1e6, .3, 1000);
  shift(&t->s, 1, 0, 0, size);
  add_tie(t, "upper", "lower");
}

static sup_v3 place_of(const sup_model *model, const double *x, const sup_mover *m) {
  return sup_v3_load(x + 3 * (model->soft[m->soft].first_vertex + m->vertex));
}

/** Errors of the weights of all ties: sum 1, sum of weights times places, and the least weight. */
static void check_weights(const sup_model *model, double size, int num_tied, double tolerance) {
  double sum_error = 0, place_error = 0;
  int    count = 0;
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    for (int k = 0; k < soft->num_tied; k++, count++) {
      sup_v3 x = sup_v3_load(soft->x0 + 3 * soft->tied_vertex[k]), mean = {0, 0, 0};
      double sum = 0;
      for (int j = soft->mover_start[k]; j < soft->mover_start[k + 1]; j++) {
        const sup_mover *m = &soft->mover[j];
        CHECK(model->soft[m->soft].kind[m->vertex] != SUP_VERTEX_TIED);
        sum += m->weight;
        mean = sup_v3_madd(mean, m->weight, sup_v3_load(model->soft[m->soft].x0 + 3 * m->vertex));
      }
      sum_error = fmax(sum_error, fabs(sum - 1));
      place_error = fmax(place_error, sup_v3_norm(sup_v3_sub(mean, x)));
    }
  }
  NEAR(sum_error, 0, 0, tolerance);
  NEAR(place_error / size, 0, 0, tolerance);
  if (num_tied >= 0) CHECK(count == num_tied);
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Tetrahedra and bricks, quadratic masters, finer and coarser slaves, from micrometres to
 * kilometres: sums of weights are 1, slaves lie at the means of their movers. */
static void weights_are_exact(void) {
  static const struct {
    int              n, m, quadratic;
    sup_mesh_pattern lower, upper;
  } with[] = {{2, 3, 0, SUP_PATTERN_KUHN, SUP_PATTERN_KUHN},
              {3, 2, 0, SUP_PATTERN_KUHN, SUP_PATTERN_KUHN},
              {3, 7, 0, SUP_PATTERN_MIRROR, SUP_PATTERN_KUHN},
              {2, 3, 0, SUP_PATTERN_HEX, SUP_PATTERN_HEX},
              {2, 5, 0, SUP_PATTERN_HEX, SUP_PATTERN_KUHN},
              {2, 3, 1, SUP_PATTERN_KUHN, SUP_PATTERN_HEX}};
  static const double sizes[] = {1e-6, .01, 1e3};
  for (size_t k = 0; k < sizeof with / sizeof *with; k++)
    for (int z = 0; z < 3; z++) {
      tied t;
      int  m = with[k].m;
      two_blocks(&t, sizes[z], with[k].n, m, with[k].lower, with[k].upper);
      if (with[k].quadratic) test_make_quadratic(&t.s, 0);
      OK(sup_model_create(&t.s.model, &t.s.def));
      check_weights(t.s.model, sizes[z], (m + 1) * (m + 1), 1e-13);
      NEAR(t.s.model->tie[0].covered, sizes[z] * sizes[z], 1e-12, 0);
      test_end(&t.s);
    }
}

/* Equal meshes merge: one mover each, with the weight 1. */
static void equal_meshes_merge(void) {
  for (int k = 0; k < 2; k++) {
    tied t;
    two_blocks(&t, .01, 3, 3, k ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN,
               k ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN);
    OK(sup_model_create(&t.s.model, &t.s.def));
    const sup_soft *upper = &t.s.model->soft[1];
    CHECK(upper->num_tied == 16 && upper->mover_start[16] == 16);
    for (int i = 0; i < upper->num_tied; i++) NEAR(upper->mover[i].weight, 1, 0, 1e-12);
    test_end(&t.s);
  }
}

/* The slave is larger than the master: vertices in front of it are tied, those beyond are free. */
static void a_part_of_the_surface_is_tied(void) {
  tied t;
  two_blocks(&t, .01, 3, 5, SUP_PATTERN_KUHN, SUP_PATTERN_KUHN);
  shift(&t.s, 1, .0033, .0012, 0);
  OK(sup_model_create(&t.s.model, &t.s.def));
  check_weights(t.s.model, .01, -1, 1e-12);
  const sup_soft *upper = &t.s.model->soft[1];
  CHECK(upper->num_tied > 16 && upper->num_tied < 30);
  for (int k = 0; k < upper->mover_start[upper->num_tied]; k++)
    CHECK(fabs(upper->mover[k].weight) < 4);
  NEAR(t.s.model->tie[0].covered, .0067 * .0088, .05, 0);
  test_end(&t.s);
}

/* A gap is carried by the cell behind the master; slaves stay exact means, also of bricks. */
static void gaps_are_carried(void) {
  for (int k = 0; k < 2; k++) {
    tied t;
    two_blocks(&t, .01, 3, 4, k ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN,
               k ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN);
    shift(&t.s, 1, 0, 0, .001);
    OK(sup_model_create(&t.s.model, &t.s.def));
    check_weights(t.s.model, .01, 25, 1e-13);
    NEAR(t.s.model->tie[0].gap, .001, 1e-9, 0);
    test_end(&t.s);
  }
}

/* ---- patch test ------------------------------------------------------------------------------ */

/** Worst error of the stress over a stress that is uniform along an axis. */
static double stress_error(const test_scene *s, int axis, double stress) {
  double worst = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    int             cells = sup_fem_mesh(soft->fem)->num_cells;
    sup_fem_stress  at = {0};
    OK(SUP_CALLOC(at.cauchy, 9 * (size_t)cells));
    sup_fem_stress_at(soft->fem, s->state->x + 3 * soft->first_vertex,
                      s->state->internal + soft->first_internal, &at);
    for (int c = 0; c < 9 * cells; c++)
      worst = fmax(worst, fabs(at.cauchy[c] / stress - (c % 9 == 4 * axis)));
    SUP_FREE(at.cauchy);
  }
  return worst;
}

/** Symmetry planes x = 0, y = 0 of both blocks and z = 0 of the lower. */
static void hold_symmetry(tied *t, double size) {
  for (int i = 0; i < 2; i++) {
    add_hold(t, i, box_of(-1, -1, -1, 1e-9 * size, 1, 1), SUP_AXIS_X);
    add_hold(t, i, box_of(-1, -1, -1, 1, 1e-9 * size, 1), SUP_AXIS_Y);
  }
  add_hold(t, 0, box_of(-1, -1, -1, 1, 1, 1e-9 * size), SUP_AXIS_Z);
}

/** Hold what six supports need on the lower block alone. */
static void hold_six(tied *t, double size) {
  double e = 1e-6 * size;
  add_hold(t, 0, box_of(-e, -e, -e, 2 * size, 2 * size, e), SUP_AXIS_Z);
  add_hold(t, 0, box_of(-e, -e, -e, e, e, e), SUP_AXIS_X | SUP_AXIS_Y);
  add_hold(t, 0, box_of(size - e, -e, -e, size + e, e, e), SUP_AXIS_Y);
}

/* Two blocks of unlike meshes under a uniform tension have uniform stress, finer or coarser slave,
 * tetrahedra, bricks, quadratic master; also where symmetry planes hold vertices of the interface,
 * whose multipliers go to their neighbours. */
static void unlike_meshes_pass_the_patch_test(void) {
  static const struct {
    int              n, m, quadratic, symmetry;
    sup_mesh_pattern lower, upper;
  } with[] = {{2, 3, 0, 0, SUP_PATTERN_KUHN, SUP_PATTERN_KUHN},
              {4, 3, 0, 0, SUP_PATTERN_KUHN, SUP_PATTERN_MIRROR},
              {2, 3, 0, 0, SUP_PATTERN_HEX, SUP_PATTERN_HEX},
              {3, 4, 0, 0, SUP_PATTERN_HEX, SUP_PATTERN_KUHN},
              {2, 3, 1, 0, SUP_PATTERN_KUHN, SUP_PATTERN_KUHN},
              {2, 3, 0, 1, SUP_PATTERN_KUHN, SUP_PATTERN_KUHN}};
  const double size = .01, stress = 1e4;
  for (size_t k = 0; k < sizeof with / sizeof *with; k++) {
    tied t;
    two_blocks(&t, size, with[k].n, with[k].m, with[k].lower, with[k].upper);
    if (with[k].quadratic) test_make_quadratic(&t.s, 0);
    for (int i = 0; i < 2; i++) t.s.soft[i].material.model = SUP_MATERIAL_LINEAR;
    if (with[k].symmetry)
      hold_symmetry(&t, size);
    else
      hold_six(&t, size);
    pull(&t, 1, box_of(-1, -1, 2 * size - 1e-9, 1, 1, 1), 0, 0, stress);
    test_start(&t.s);
    test_static(&t.s, 1);
    NEAR(stress_error(&t.s, 2, stress), 0, 0, 1e-9);
    const sup_wrench *w =
        &sup_stepper_result(t.s.stepper)->attach_wrench[sup_model_first_tie_wrench(t.s.model)];
    NEAR(w->force.z, stress * size * size, with[k].symmetry ? 1 : 1e-9, 0);
    test_end(&t.s);
  }
}

/* Two materials in series: the end moves by stress times the sum of lengths over moduli. */
static void a_bar_of_two_materials_has_both_compliances(void) {
  const double size = .01, stress = 1e3, E[2] = {1e6, 3e5};
  for (int k = 0; k < 3; k++) {
    tied t;
    two_blocks(&t, size, 2, 3, k == 1 ? SUP_PATTERN_KUHN : SUP_PATTERN_HEX, SUP_PATTERN_KUHN);
    if (k == 2) shift(&t.s, 1, 0, 0, .1 * size);
    for (int i = 0; i < 2; i++) {
      t.s.soft[i].material.model = SUP_MATERIAL_LINEAR;
      t.s.soft[i].material.youngs_modulus = E[i], t.s.soft[i].material.poissons_ratio = 0;
    }
    hold_six(&t, size);
    pull(&t, 1, box_of(-1, -1, 2 * size - 1e-9, 1, 1, 1), 0, 0, stress);
    test_start(&t.s);
    test_static(&t.s, 1);
    const sup_soft *upper = &t.s.model->soft[1];
    /* a gap g is strained as the cell of height h behind the master, whose stress is 1 + g/h */
    double way = stress * size * (1 / E[0] + 1 / E[1]) + (k == 2) * .22 * size * stress / E[0];
    for (int a = 0; a < upper->num_vertices; a++)
      if (upper->x0[3 * a + 2] > (k == 2 ? 2.1 : 2) * size - 1e-9)
        NEAR(t.s.state->x[3 * (upper->first_vertex + a) + 2] - upper->x0[3 * a + 2], way,
             k == 2 ? 5e-3 : 1e-9, 0);
    test_end(&t.s);
  }
}

/* ---- motion ---------------------------------------------------------------------------------- */

/** Sum over the bodies' vertices of x cross M v about the origin. */
static sup_v3 spin_of(const test_scene *s) {
  sup_v3 sum = {0, 0, 0};
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    const double   *x = s->state->x + 3 * soft->first_vertex,
                 *v = s->state->xdot + 3 * soft->first_vertex;
    double *p;
    OK(SUP_CALLOC(p, 3 * soft->num_vertices));
    sup_fem_mass_multiply(soft->fem, v, p);
    for (int a = 0; a < soft->num_vertices; a++)
      sum = sup_v3_add(sum, sup_v3_cross(sup_v3_load(x + 3 * a), sup_v3_load(p + 3 * a)));
    SUP_FREE(p);
  }
  return sum;
}

/** Largest distance of tied vertices from the means of their movers. */
static double off_movers(const test_scene *s) {
  double worst = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    for (int k = 0; k < soft->num_tied; k++) {
      sup_v3 off = sup_v3_load(s->state->x + 3 * (soft->first_vertex + soft->tied_vertex[k]));
      for (int j = soft->mover_start[k]; j < soft->mover_start[k + 1]; j++)
        off = sup_v3_madd(off, -soft->mover[j].weight,
                          place_of(s->model, s->state->x, &soft->mover[j]));
      worst = fmax(worst, sup_v3_norm(off));
    }
  }
  return worst;
}

/* A tied pair with a gap turns freely by half a turn: momentum exact, angular momentum but for the
 * share of the scheme, small strains; tie forces are the rate of each body's momentum. */
static void a_tied_pair_turns_freely(void) {
  const double size = .01, w = 60;
  for (int k = 0; k < 3; k++) { /* Euler, BDF2, nonlinear with BDF2 */
    tied t;
    two_blocks(&t, size, 2, 3, SUP_PATTERN_HEX, SUP_PATTERN_KUHN);
    shift(&t.s, 1, 0, 0, .05 * size);
    t.s.options.dt = 5e-4, t.s.options.soft_bdf2 = k > 0;
    for (int i = 0; i < 2 && k == 2; i++) t.s.soft[i].material.model = SUP_MATERIAL_NEO_HOOKEAN;
    if (k == 2) t.s.soft[0].material.model = SUP_MATERIAL_LINEAR_COROTATIONAL; /* bricks */
    test_start(&t.s);
    for (int i = 0; i < 2; i++) {
      const sup_soft *soft = &t.s.model->soft[i];
      for (int a = 0; a < soft->num_vertices; a++) {
        double *x = t.s.state->x + 3 * (soft->first_vertex + a);
        sup_v3  v =
            sup_v3_cross((sup_v3){0, w, 0}, sup_v3_sub(sup_v3_load(x), (sup_v3){.005, .005, .01}));
        sup_v3_store(t.s.state->xdot + 3 * (soft->first_vertex + a), v);
      }
    }
    sup_v3 L0 = spin_of(&t.s);
    sup_v3 p0 = sup_v3_add(test_soft_momentum(&t.s, 0), test_soft_momentum(&t.s, 1));
    double mass = sup_fem_mass(t.s.model->soft[0].fem), scale = mass * w * size;
    for (int step = 0; step < 105; step++) {
      sup_v3 before = test_soft_momentum(&t.s, 0);
      test_step(&t.s);
      const sup_wrench *tie = sup_stepper_result(t.s.stepper)->attach_wrench;
      sup_v3            d = sup_v3_sub(test_soft_momentum(&t.s, 0), before);
      if (k == 0)
        NEAR(sup_v3_norm(sup_v3_madd(d, -t.s.options.dt, tie->force)), 0, 0, 1e-9 * scale);
    }
    sup_v3 L = spin_of(&t.s);
    sup_v3 p = sup_v3_add(test_soft_momentum(&t.s, 0), test_soft_momentum(&t.s, 1));
    NEAR(sup_v3_norm(sup_v3_sub(p, p0)), 0, 0, 1e-10 * scale);
    NEAR(sup_v3_norm(sup_v3_sub(L, L0)) / sup_v3_norm(L0), 0, 0, k == 0 ? 1e-4 : 3e-3);
    NEAR(off_movers(&t.s), 0, 0, 1e-14);
    test_end(&t.s);
  }
}

/* A dead load on the slave does its work, the tie none; the tie hands the load on; a settled run is
 * the equilibrium. */
static void a_tie_hands_on_forces_and_does_no_work(void) {
  const double size = .01, load = 1e3;
  tied         t[2];
  for (int k = 0; k < 2; k++) { /* motion, statics */
    two_blocks(&t[k], size, 2, 3, SUP_PATTERN_HEX, SUP_PATTERN_KUHN);
    add_hold(&t[k], 0, box_of(-1, -1, -1, 1, 1, 1e-9), SUP_AXIS_ALL);
    pull(&t[k], 1, box_of(-1, -1, 2 * size - 1e-9, 1, 1, 1), load, 0, 0);
    for (int i = 0; i < 2; i++) {
      t[k].s.soft[i].material.stiffness_damping = 5e-3;
      t[k].s.soft[i].material.model = SUP_MATERIAL_COROTATIONAL;
    }
    t[k].s.options.tolerance = 1e-10;
  }
  test_scene *s = &t[0].s;
  s->options.dt = 2e-3;
  test_start(s);
  double work = 0;
  for (int step = 0; step < 400; step++) test_step(s), work += s->report.soft_work;
  const sup_soft *upper = &s->model->soft[1];
  double          done = 0;
  const double   *F = upper->traction[0].force;
  for (int a = 0; a < 3 * upper->num_vertices; a++)
    done += F[a] * (s->state->x[3 * upper->first_vertex + a] - upper->x0[a]);
  NEAR(work, done, 1e-9, 0);
  const sup_step_result *r = sup_stepper_result(s->stepper);
  double                 all = load * size * size;
  NEAR(r->attach_wrench[0].force.x, all, 1e-6, 0);
  NEAR(r->reaction[0].force.x, -all, 1e-6, 0);
  test_start(&t[1].s);
  test_static(&t[1].s, 3);
  for (int a = 0; a < 3 * s->model->num_vertices; a++)
    NEAR(s->state->x[a], t[1].s.state->x[a], 0, 2e-8 * size);
  r = sup_stepper_result(t[1].s.stepper);
  NEAR(r->attach_wrench[0].force.x, all, 1e-6, 0);
  NEAR(r->reaction[0].force.x, -all, 1e-6, 0);
  for (int k = 0; k < 2; k++) test_end(&t[k].s);
}

/* ---- one inside another ---------------------------------------------------------------------- */

/* A core along a bar adds its stiffness: rule of mixtures, nu = 0, equal strain. */
static void a_core_obeys_the_rule_of_mixtures(void) {
  const double L = .02, w = .004, E = 1e6, Ec = 2e7, stress = 1e3;
  for (int k = 0; k < 2; k++) {
    tied t;
    memset(&t, 0, sizeof t);
    test_scene_init(&t.s);
    t.s.options.gravity[2] = 0;
    test_add_soft_box(&t.s, "host", L, w, w, 5, 2, 2, k ? SUP_PATTERN_KUHN : SUP_PATTERN_HEX, E, 0,
                      1000);
    test_add_soft_box(&t.s, "core", L, w / 2, w / 2, 7, 3, 3, SUP_PATTERN_KUHN, Ec, 0, 1000);
    shift(&t.s, 1, 0, w / 4, w / 4);
    for (int i = 0; i < 2; i++) t.s.soft[i].material.model = SUP_MATERIAL_LINEAR;
    add_tie(&t, "core", "host")->is_inside = 1;
    add_hold(&t, 0, box_of(-1, -1, -1, 1e-9, 1, 1), SUP_AXIS_ALL);
    sup_dirichlet_def *pulled = add_hold(&t, 0, box_of(L - 1e-9, -1, -1, 1, 1, 1), SUP_AXIS_X);
    static double      time[2] = {0, 1}, motion[12];
    double             strain = stress / E;
    memset(motion, 0, sizeof motion);
    motion[6] = strain * L;
    pulled->motion = (sup_table){2, 6, time, motion};
    test_start(&t.s);
    check_weights(t.s.model, L, t.s.mesh[1]->num_vertices, 1e-12);
    test_static(&t.s, 1);
    const sup_step_result *r = sup_stepper_result(t.s.stepper);
    NEAR(r->reaction[1].force.x, strain * (E * w * w + Ec * w * w / 4), 1e-9, 0);
    NEAR(r->reaction[0].force.x, -r->reaction[1].force.x, 1e-9, 0);
    test_end(&t.s);
  }
}

/* A master on a moved link carries its slave, and the link gets the forces of both. */
static void a_slave_rides_on_an_attached_master(void) {
  tied t;
  two_blocks(&t, .01, 2, 3, SUP_PATTERN_HEX, SUP_PATTERN_KUHN);
  t.s.options.gravity[2] = -9.81;
  test_add_rigid(&t.s, "table", (sup_shape){SUP_SHAPE_BOX, {.02, .02, .01}}, .1, 0);
  test_attach(&t.s, 0, "table", box_of(-1, -1, -1, 1, 1, 1)); /* all of it: also the interface */
  for (int i = 0; i < 2; i++) t.s.soft[i].material.stiffness_damping = 5e-3;
  t.s.options.dt = 2e-3;
  test_start(&t.s);
  for (int step = 0; step < 50; step++) test_step(&t.s);
  double fall = -9.81 * t.s.state->time;
  for (int i = 0; i < 2; i++) {
    const sup_soft *soft = &t.s.model->soft[i];
    NEAR(test_soft_momentum(&t.s, i).z, sup_fem_mass(soft->fem) * fall, 1e-9, 0);
  }
  NEAR(t.s.state->v[5], fall, 1e-9, 0);
  NEAR(off_movers(&t.s), 0, 0, 1e-15);
  test_end(&t.s);
  two_blocks(&t, .01, 2, 3, SUP_PATTERN_HEX, SUP_PATTERN_KUHN); /* held up: the weights of both */
  t.s.options.gravity[2] = -9.81;
  test_add_rigid(&t.s, "table", (sup_shape){SUP_SHAPE_BOX, {.02, .02, .01}}, .1, 1);
  test_attach(&t.s, 0, "table", box_of(-1, -1, -1, 1, 1, 1));
  for (int i = 0; i < 2; i++) t.s.soft[i].material.stiffness_damping = 5e-3;
  test_start(&t.s);
  for (int step = 0; step < 60; step++) test_step(&t.s);
  double weight =
      9.81 * (sup_fem_mass(t.s.model->soft[0].fem) + sup_fem_mass(t.s.model->soft[1].fem));
  NEAR(sup_stepper_result(t.s.stepper)->attach_wrench[0].force.z, -weight, 1e-6, 0);
  test_end(&t.s);
}

/* Blocks in plane strain, held along y everywhere, are as stiff as E / (1 - nu^2), and
 * their holds carry a load along y. */
static void blocks_in_plane_strain_are_tied(void) {
  const double size = .01, stress = 1e4, nu = .3, E = 1e6;
  for (int k = 0; k < 2; k++) { /* surface on surface, and inside */
    tied t;
    two_blocks(&t, size, 2, 3, SUP_PATTERN_HEX, SUP_PATTERN_KUHN);
    if (k == 1) shift(&t.s, 1, 0, 0, -size), t.tie[0].is_inside = 1;
    for (int i = 0; i < 2; i++) {
      t.s.soft[i].material.model = SUP_MATERIAL_LINEAR;
      add_hold(&t, i, box_of(-1, -1, -1, 1, 1, 1), SUP_AXIS_Y);
    }
    add_hold(&t, 0, box_of(-1, -1, -1, 1, 1, 1e-9), SUP_AXIS_Z);
    add_hold(&t, 0, box_of(-1, -1, -1, 1e-9, 1, 1e-9), SUP_AXIS_X);
    t.s.options.gravity[1] = k ? 5 : 0;
    if (k == 0) pull(&t, 1, box_of(-1, -1, 2 * size - 1e-9, 1, 1, 1), 0, 0, stress);
    test_start(&t.s);
    CHECK(t.s.model->soft[1].num_tied == (k ? t.s.mesh[1]->num_vertices : 16));
    test_static(&t.s, 1);
    const sup_step_result *r = sup_stepper_result(t.s.stepper);
    double                 sum = 0, weight = 0;
    for (int h = 0; h < t.s.model->num_dirichlet; h++) sum += r->reaction[h].force.y;
    for (int i = 0; i < 2; i++) weight += 5 * sup_fem_mass(t.s.model->soft[i].fem);
    NEAR(sum, k ? -weight : 0, 1e-9, 1e-9);
    const sup_soft *upper = &t.s.model->soft[1];
    for (int a = 0; a < upper->num_vertices; a++) {
      const double *x = t.s.state->x + 3 * (upper->first_vertex + a), *x0 = upper->x0 + 3 * a;
      NEAR(x[1], x0[1], 0, 1e-15);
      if (k == 0) NEAR(x[2] - x0[2], stress * (1 - nu * nu) / E * x0[2], 1e-9, 0);
    }
    test_end(&t.s);
  }
}

/* A skin around a core, tied on all sides at once and over the edges. */
static void a_skin_is_tied_to_all_sides_of_its_core(void) {
  tied t;
  memset(&t, 0, sizeof t);
  test_scene_init(&t.s);
  test_add_soft_box(&t.s, "core", .01, .01, .01, 3, 3, 3, SUP_PATTERN_HEX, 1e6, .3, 1000);
  test_add_soft_box(&t.s, "skin", .014, .014, .014, 7, 7, 7, SUP_PATTERN_HEX, 1e6, .3, 1000);
  shift(&t.s, 1, -.002, -.002, -.002);
  sup_mesh *m = t.s.mesh[1]; /* a box with a hollow: cells outside the core */
  int       kept = 0, *cell = m->cell;
  for (int c = 0; c < m->num_cells; c++) {
    double x[3] = {0, 0, 0};
    for (int k = 0; k < 24; k++) x[k % 3] += m->x[3 * m->cell[8 * c + k / 3] + k % 3] / 8;
    bool inner = true;
    for (int k = 0; k < 3; k++) inner = inner && x[k] > 0 && x[k] < .01;
    if (!inner) memmove(cell + 8 * kept++, m->cell + 8 * c, 8 * sizeof *cell);
  }
  m->num_cells = kept;
  int *number, num = 0; /* vertices of no cell leave */
  OK(SUP_CALLOC(number, m->num_vertices));
  for (int k = 0; k < 8 * kept; k++) number[m->cell[k]] = 1;
  for (int i = 0; i < m->num_vertices; i++) {
    if (!number[i]) continue;
    memmove(m->x + 3 * num, m->x + 3 * i, 3 * sizeof *m->x);
    number[i] = num++;
  }
  for (int k = 0; k < 8 * kept; k++) m->cell[k] = number[m->cell[k]];
  m->num_vertices = num;
  SUP_FREE(number);
  add_tie(&t, "skin", "core");
  OK(sup_model_create(&t.s.model, &t.s.def));
  check_weights(t.s.model, .01, 6 * 6 * 6 - 4 * 4 * 4, 1e-12);
  NEAR(t.s.model->tie[0].covered, 6e-4, 1e-9, 0);
  test_end(&t.s);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void expect_refused(tied *t, const char *text) {
  CHECK(sup_model_create(&t->s.model, &t->s.def) == SUP_E_ARG ||
        strstr(sup_error_message(), text) != NULL);
  CHECK(strstr(sup_error_message(), text) != NULL);
  if (!strstr(sup_error_message(), text)) printf("\n    %s", sup_error_message());
  test_end(&t->s);
}

static void what_is_no_tie_is_refused(void) {
  tied t;
  for (int k = 0; k < 12; k++) {
    static const char *const text[] = {"apart, more than an edge",
                                       "look the other way",
                                       "tied to itself",
                                       "quadratic cells",
                                       "different velocities",
                                       "ring of ties",
                                       "no body 'foam'",
                                       "lies outside",
                                       "a clamp or hold, too",
                                       "two ties have the name",
                                       "hold all vertices of both",
                                       "hold all vertices of both"};
    static double            time[2] = {0, 1}, motion[12];
    two_blocks(&t, .01, 2, 3, SUP_PATTERN_KUHN, SUP_PATTERN_KUHN);
    if (k == 0) shift(&t.s, 1, 0, 0, .006);
    if (k == 1) shift(&t.s, 1, .05, 0, 0);
    if (k == 2) snprintf(t.tie[0].master.body, SUP_NAME_MAX, "upper");
    if (k == 3) test_make_quadratic(&t.s, 1);
    if (k == 4) t.s.soft[1].v0[0] = 1;
    if (k == 5) add_tie(&t, "lower", "upper")->within = .001;
    if (k == 6) snprintf(t.tie[0].master.body, SUP_NAME_MAX, "foam");
    if (k >= 7) t.tie[0].is_inside = k < 9;
    if (k == 8)
      shift(&t.s, 1, 0, 0, -.01), add_hold(&t, 1, box_of(-1, -1, -1, 1, 1, .001), SUP_AXIS_X);
    if (k == 9) snprintf(add_tie(&t, "lower", "upper")->name, SUP_NAME_MAX, "glue0");
    for (int i = 0; i < 2 && k >= 10; i++) {
      add_hold(&t, i, box_of(-1, k == 10 && i == 0 ? .001 : -1, -1, 1, 1, 1), SUP_AXIS_Y);
      if (k == 11) t.hold[i][0].motion = (sup_table){2, 6, time, motion};
    }
    expect_refused(&t, text[k]);
  }
}

/** A box of 3 x 3 x 3 bricks without the middle one. */
static void make_hollow(sup_mesh **mesh) {
  sup_mesh      *box = *mesh;
  SUP_FREED int *cell = NULL;
  int            num = 0;
  OK(SUP_CALLOC(cell, 8 * box->num_cells));
  for (int c = 0; c < box->num_cells; c++)
    if (c != box->num_cells / 2) memcpy(cell + 8 * num++, box->cell + 8 * c, 8 * sizeof *cell);
  OK(sup_mesh_of_cells(mesh, SUP_CELL_H8, box->num_vertices, box->x, num, cell));
  sup_mesh_destroy(&box);
}

/* The ceiling of a cavity looks at the master, too. */
static void two_layers_of_the_slave_are_refused(void) {
  tied t;
  memset(&t, 0, sizeof t);
  test_scene_init(&t.s);
  test_add_soft_box(&t.s, "lower", .03, .03, .009, 3, 3, 3, SUP_PATTERN_HEX, 1e6, .3, 1000);
  test_add_soft_box(&t.s, "upper", .03, .03, .009, 3, 3, 3, SUP_PATTERN_HEX, 1e6, .3, 1000);
  make_hollow(&t.s.mesh[1]);
  t.s.soft[1].mesh = t.s.mesh[1];
  shift(&t.s, 1, 0, 0, .009);
  add_tie(&t, "upper", "lower");
  expect_refused(&t, "two layers of faces of 'upper' are in reach");
}

/* Vertices of the slave that are held have their part: the tie's force is what the master's hold
 * bears. */
static void forces_are_those_on_the_master(void) {
  tied t;
  two_blocks(&t, .01, 2, 3, SUP_PATTERN_HEX, SUP_PATTERN_HEX);
  add_hold(&t, 0, box_of(-1, -1, -1, 1, 1, 1e-6), SUP_AXIS_ALL);
  add_hold(&t, 1, box_of(-1, -1, -1, 1e-6, 1, 1), SUP_AXIS_X);
  pull(&t, 1, box_of(-1, -1, .02 - 1e-6, 1, 1, 1), 0, 0, -1e4);
  test_start(&t.s);
  test_static(&t.s, 1);
  const sup_step_result *r = sup_stepper_result(t.s.stepper);
  double                 tie = r->attach_wrench[sup_model_first_tie_wrench(t.s.model)].force.z;
  NEAR(tie, -1, 1e-8, 0);
  NEAR(r->reaction[0].force.z, 1, 1e-8, 0);
  test_end(&t.s);
}

/* A resumed run goes on with the same bits, and any number of threads has those of one. */
static void resumed_and_threaded_runs_have_the_same_bits(void) {
  static const char run[] = "run tests/data/ties/press.yaml -q --set output.checkpoint.every=0.04 ";
  static const char *const rest[] = {"-o FOLDER/tie_straight",
                                     "-o FOLDER/tie_half --set time.end=0.04",
                                     "-o FOLDER/tie_threads --set solver.threads=2"};
  char                     command[512], *data[3];
  for (int k = 0; k < 3; k++) {
    snprintf(command, sizeof command, "%s%s", run, rest[k]);
    check_run(command, 0, "");
  }
  check_run("run --resume FOLDER/tie_half -q --set time.end=0.08", 0, "");
  static const char *const folder[] = {"tie_straight", "tie_half", "tie_threads"};
  for (int k = 0; k < 3; k++) data[k] = app_read_file(folder[k], "history.csv");
  CHECK(strstr(data[0], "tie.glue.fx") && strcmp(data[0], data[1]) == 0);
  CHECK(strcmp(data[0], data[2]) == 0);
  for (int k = 0; k < 3; k++) SUP_FREE(data[k]);
  CHECK(system(app_arguments("rm -rf FOLDER/tie_*")) == 0);
}

/* Notes name a coarse slave, a wide gap and a region that is tied in part. */
static void notes_name_gaps_and_coarse_slaves(void) {
  check_run(
      "run tests/data/ties/press.yaml -o FOLDER/tie_note --set time.end=4ms --set "
      "'soft.pad.mesh={box: {size: [20 mm, 20 mm, 4 mm], cells: [2, 2, 1]}}'",
      0, "the slave 'pad' has the larger faces");
  check_run(
      "run tests/data/ties/press.yaml -o FOLDER/tie_note --set time.end=4ms --set "
      "'soft.pad.pose.position=[0, 0, 13 mm]'",
      0, "off 'block'");
  check_run(
      "run tests/data/ties/press.yaml -o FOLDER/tie_note --set time.end=4ms --set "
      "'soft.pad.pose.position=[-6 mm, 0, 10 mm]'",
      0, "of the region of 'pad' is in front of 'block'");
  check_run(
      "run tests/data/ties/press.yaml -o FOLDER/tie_note --set time.end=4ms --set "
      "'soft.pad.mesh={box: {size: [20 mm, 20 mm, 4 mm], cells: [2, 2, 1]}}' --set "
      "'soft.pad.pose.position=[-18.5 mm, 0, 10 mm]'",
      0, "the glue may turn like a hinge");
  CHECK(system(app_arguments("rm -rf FOLDER/tie_*")) == 0);
}

SUITE_TESTS(tied, TEST(weights_are_exact), TEST(equal_meshes_merge),
            TEST(a_part_of_the_surface_is_tied), TEST(gaps_are_carried),
            TEST(unlike_meshes_pass_the_patch_test),
            TEST(a_bar_of_two_materials_has_both_compliances), TEST(a_tied_pair_turns_freely),
            TEST(a_tie_hands_on_forces_and_does_no_work), TEST(a_core_obeys_the_rule_of_mixtures),
            TEST(a_slave_rides_on_an_attached_master), TEST(blocks_in_plane_strain_are_tied),
            TEST(a_skin_is_tied_to_all_sides_of_its_core), TEST(what_is_no_tie_is_refused),
            TEST(two_layers_of_the_slave_are_refused), TEST(forces_are_those_on_the_master),
            TEST(resumed_and_threaded_runs_have_the_same_bits),
            TEST(notes_name_gaps_and_coarse_slaves));
