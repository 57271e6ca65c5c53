/* Chambers (THEORY 4.9): volumes and rims, rows beside A, the gas as a spring, energies. */
#include "app/app_test.h"
#include "la/vector.h"
#include "mesh/mesh.h"
#include "model/chamber.h"
#include "model/state_file.h"
#include "scene_test.h"
#include "step/equations.h"
#include "step/static/modes.h"

static const double kPa = 1e3, mm = 1e-3;

/** A box of n cells with a hole through the cells from `from` to `to`. */
static sup_soft_def *add_hollow(test_scene *s, const char *name, const double size[3],
                                const int n[3], const int from[3], const int to[3], int kind) {
  int           i = s->def.num_softs, kept = 0;
  sup_soft_def *d =
      test_add_soft_box(s, name, size[0], size[1], size[2], n[0], n[1], n[2],
                        kind == 1 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN, 1e5, .3, 1000);
  sup_mesh       *mesh = s->mesh[i];
  int             m = sup_cell_num_vertices(mesh->type);
  sup_mesh_repair repair;
  for (int c = 0; c < mesh->num_cells; c++) {
    const int *cell = sup_mesh_cell(mesh, c);
    sup_v3     mean = {0, 0, 0};
    for (int a = 0; a < m; a++) mean = sup_v3_madd(mean, 1. / m, sup_mesh_vertex(mesh, cell[a]));
    const double x[3] = {mean.x, mean.y, mean.z};
    bool         is_hole = true;
    for (int k = 0; k < 3; k++) {
      double at = x[k] * n[k] / size[k];
      is_hole = is_hole && at > from[k] && at < to[k];
    }
    for (int a = 0; a < m && !is_hole; a++) mesh->cell[kept * m + a] = cell[a];
    kept += !is_hole;
  }
  mesh->num_cells = kept;
  OK(sup_mesh_clean(mesh, &repair));
  if (kind == 2) test_make_quadratic(s, i);
  d->material.model = SUP_MATERIAL_COROTATIONAL;
  return d;
}

/** A cube of 60 mm with a cavity of 20 mm: kind 0 T4, 1 H8, 2 T10. */
static sup_soft_def *add_cube(test_scene *s, const char *name, int kind) {
  const double size[3] = {60 * mm, 60 * mm, 60 * mm};
  return add_hollow(s, name, size, (int[]){3, 3, 3}, (int[]){1, 1, 1}, (int[]){2, 2, 2}, kind);
}

/** A square tube along z, outside 30 mm, inside 10 mm wide, open at both ends. */
static sup_soft_def *add_tube(test_scene *s, const char *name, double length, int cells, int kind) {
  const double size[3] = {30 * mm, 30 * mm, length};
  return add_hollow(s, name, size, (int[]){3, 3, cells}, (int[]){1, 1, 0}, (int[]){2, 2, cells},
                    kind);
}

static sup_region half_space(int axis, double sign, double offset) {
  sup_region r = {SUP_REGION_HALF_SPACE, {0}, {0}, {0}, offset, {0}};
  r.normal[axis] = sign;
  return r;
}

static sup_chamber_wall_def cavity_of(const char *body) {
  sup_chamber_wall_def wall = {.has_region = 0};
  snprintf(wall.body, sizeof wall.body, "%s", body);
  return wall;
}

static sup_chamber_def chamber(const char *name, sup_chamber_wall_def *wall, int num_walls,
                               sup_chamber_fill fill) {
  sup_chamber_def c = sup_default_chamber_def();
  snprintf(c.name, sizeof c.name, "%s", name);
  c.walls = wall, c.num_walls = num_walls, c.fill = fill;
  return c;
}

static void set_chambers(test_scene *s, sup_chamber_def *c, int num) {
  s->def.chambers = c, s->def.num_chambers = num;
}

/** x [n] := positions, each moved by up to 2 mm. */
static void shake(const sup_soft *soft, double seed, double *x) {
  for (int a = 0; a < 3 * soft->num_vertices; a++)
    x[a] = soft->x0[a] + 2 * mm * sin(seed + 1.7 * a + .3 * seed * a * a);
}

/* The volume of a cavity, and of a tube between held ends; its gradient by differences, without net
 * force and moment. */
static void volume_has_its_gradient(void) {
  for (int kind = 0; kind < 6; kind++) {
    test_scene           s;
    sup_region           ends[2] = {half_space(2, 1, 1e-9), half_space(2, -1, -80 * mm + 1e-9)};
    sup_chamber_wall_def wall = cavity_of("cube");
    sup_chamber_def      c = chamber("air", &wall, 1, SUP_CHAMBER_GAS);
    test_scene_init(&s);
    if (kind < 3) {
      add_cube(&s, "cube", kind);
    } else {
      sup_soft_def *d = add_tube(&s, "cube", 80 * mm, 3, kind - 3);
      d->num_clamps = 2, d->clamps = ends;
      wall.has_region = 1;
      wall.region = (sup_region){
          .type = SUP_REGION_BOX, .lower = {9 * mm, 9 * mm, -1}, .upper = {21 * mm, 21 * mm, 1}};
    }
    set_chambers(&s, &c, 1);
    test_start(&s);
    const sup_soft    *soft = &s.model->soft[0];
    const sup_chamber *at = &s.model->chamber[0];
    const double       h = 1e-4;
    int                n = 3 * soft->num_vertices;
    double            *x, *g, *none, sum[3] = {0};
    sup_v3             moment = {0, 0, 0};
    OK(SUP_CALLOC(x, n));
    OK(SUP_CALLOC(g, n));
    OK(SUP_CALLOC(none, n));
    NEAR(at->volume0, 8e-6, 1e-12, 0);
    shake(soft, 1, x);
    sup_chamber_wall_volume(at, 0, x, g);
    for (int a = 0; a < n; a += 7) { /* the volume is cubic: its third difference is below h^2 */
      double keep = x[a], up, down;
      x[a] = keep + h, up = sup_chamber_wall_volume(at, 0, x, none);
      x[a] = keep - h, down = sup_chamber_wall_volume(at, 0, x, none);
      x[a] = keep;
      NEAR(-g[a], (up - down) / (2 * h), 0, 1e-14);
    }
    for (int a = 0; a < n; a++) sum[a % 3] += g[a];
    for (int a = 0; a < n; a += 3)
      moment = sup_v3_add(moment, sup_v3_cross(sup_v3_load(x + a), sup_v3_load(g + a)));
    for (int k = 0; k < 3; k++) NEAR(sum[k], 0, 0, 1e-18);
    NEAR(sup_v3_norm(moment), 0, 0, 1e-19);
    SUP_FREE_ALL(&x, &g, &none);
    test_end(&s);
  }
}

/** Message of a model that is refused; OK: the empty text. */
static const char *refusal(test_scene *s) {
  sup_status status = sup_model_create(&s->model, &s->def);
  if (status == SUP_OK) sup_model_destroy(&s->model);
  for (int i = 0; i < s->def.num_softs; i++) sup_mesh_destroy(&s->mesh[i]);
  return status == SUP_OK ? "" : sup_error_message();
}

/** A tube with its inner walls as a chamber, its ends held or not. */
static const char *tube_with(int clamps, double wall_to) {
  static sup_region    ends[2];
  test_scene           s;
  sup_chamber_wall_def wall = {.body = "tube", .has_region = 1};
  sup_chamber_def      c = chamber("air", &wall, 1, SUP_CHAMBER_GAS);
  wall.region = (sup_region){
      .type = SUP_REGION_BOX, .lower = {9 * mm, 9 * mm, -1}, .upper = {21 * mm, 21 * mm, wall_to}};
  ends[0] = half_space(2, 1, 1e-9), ends[1] = half_space(2, -1, -40 * mm + 1e-9);
  test_scene_init(&s);
  sup_soft_def *d = add_tube(&s, "tube", 40 * mm, 4, 1);
  d->num_clamps = clamps, d->clamps = ends;
  set_chambers(&s, &c, 1);
  return refusal(&s);
}

/* A rim that nothing carries is a hole, with its place; held ones are closed. */
static void walls_with_holes_are_refused_with_their_place(void) {
  CHECK(tube_with(2, 1)[0] == 0);
  const char *text = tube_with(1, 1);
  CHECK(strstr(text, "chamber 'air' is open") && strstr(text, "'tube'") &&
        strstr(text, " 0.04) m"));
  text = tube_with(2, 31 * mm);
  CHECK(strstr(text, "chamber 'air' is open") && strstr(text, " 0.03) m"));
}

/* Walls seen from outside, bodies without a cavity, small strains: refused by name. */
static void what_is_no_chamber_is_refused(void) {
  for (int kind = 0; kind < 4; kind++) {
    static const char *const says[] = {"no closed inner surface", "encloses -", "linear",
                                       "leave no volume"};
    test_scene               s;
    sup_chamber_wall_def     wall = cavity_of("cube");
    sup_chamber_def c = chamber("air", &wall, 1, kind == 3 ? SUP_CHAMBER_VOLUME : SUP_CHAMBER_GAS);
    test_scene_init(&s);
    sup_soft_def *d = kind == 0 ? test_add_soft_box(&s, "cube", .1, .1, .1, 1, 1, 1,
                                                    SUP_PATTERN_HEX, 1e5, .3, 1000)
                                : add_cube(&s, "cube", 1);
    if (kind == 1) wall.has_region = 1, wall.region = half_space(0, 1, 1);
    if (kind == 2) d->material.model = SUP_MATERIAL_LINEAR;
    if (kind == 3) c.is_added = 1, c.volume = -9e-6;
    set_chambers(&s, &c, 1);
    const char *text = refusal(&s);
    CHECK(strstr(text, "chamber 'air'") && strstr(text, says[kind]));
  }
}

/* One wall in two chambers would feel both pressures. */
static void a_face_bounds_one_chamber(void) {
  test_scene           s;
  sup_chamber_wall_def wall = cavity_of("cube");
  sup_chamber_def      c[2] = {chamber("left", &wall, 1, SUP_CHAMBER_GAS),
                               chamber("right", &wall, 1, SUP_CHAMBER_GAS)};
  test_scene_init(&s);
  add_cube(&s, "cube", 1);
  set_chambers(&s, c, 2);
  CHECK(strstr(refusal(&s), "chambers 'left' and 'right' have a face of 'cube' at (0.02") != NULL);
}

/* A closed body that a chamber moves keeps its momentum, in all fills. */
static void chambers_give_no_momentum(void) {
  for (int fill = 0; fill < 3; fill++) {
    test_scene           s;
    sup_chamber_wall_def wall = cavity_of("cube");
    sup_chamber_def      c = chamber("air", &wall, 1, (sup_chamber_fill)fill);
    double               time[] = {0, 20e-3}, volume[] = {0, 4e-6};
    c.pressure = 8 * kPa;
    if (fill == SUP_CHAMBER_VOLUME) c.is_added = 1, c.schedule = (sup_table){2, 1, time, volume};
    test_scene_init(&s);
    sup_soft_def *d = add_cube(&s, "cube", 0);
    d->v0[0] = .1;
    s.options.gravity[2] = 0, s.options.dt = 2e-3, s.options.tolerance = 1e-10;
    set_chambers(&s, &c, 1);
    test_start(&s);
    sup_v3 before = test_soft_momentum(&s, 0);
    double size = sup_v3_norm(before), rest = s.model->chamber[0].volume0;
    for (int k = 0; k < 10; k++) test_step(&s);
    double *scratch;
    OK(SUP_CALLOC(scratch, 3 * s.model->num_vertices));
    double grown = sup_chamber_volume(&s.model->chamber[0], s.model, s.state->x, scratch) - rest;
    SUP_FREE(scratch);
    CHECK(grown > 2e-7);
    if (fill == SUP_CHAMBER_VOLUME)
      NEAR(grown, 4e-6 - s.state->chamber_pressure[0] / 2.2e9 * 12e-6, 1e-9, 0);
    NEAR(sup_v3_norm(sup_v3_sub(test_soft_momentum(&s, 0), before)), 0, 0, 1e-11 * size);
    test_end(&s);
  }
}

/* After a step the pressure of the state is that of the law at the vertices' volume, and the forces
 * balance with it. */
static void rows_hold_their_laws(void) {
  for (int fill = 1; fill < 3; fill++) {
    test_scene           s;
    sup_chamber_wall_def wall = cavity_of("cube");
    sup_chamber_def      c = chamber("air", &wall, 1, (sup_chamber_fill)fill);
    int                  inverted;
    c.pressure = 30 * kPa, c.exponent = 1.4;
    if (fill == SUP_CHAMBER_VOLUME) c.is_added = 1, c.volume = 3e-6;
    test_scene_init(&s);
    add_cube(&s, "cube", 1);
    s.options.gravity[2] = 0, s.options.dt = 2e-3, s.options.tolerance = 1e-11;
    set_chambers(&s, &c, 1);
    test_start(&s);
    const sup_soft *soft = &s.model->soft[0];
    int             n = 3 * soft->num_vertices;
    double         *v0, *f, *dv, *g, **array[] = {&v0, &f, &dv, &g}, size = 0, error = 0;
    sup_m3         *R;
    for (int i = 0; i < 4; i++) OK(SUP_CALLOC(*array[i], n));
    OK(SUP_CALLOC(R, sup_fem_mesh(soft->fem)->num_cells));
    for (int step = 0; step < 3; step++) {
      memcpy(v0, s.state->xdot, (size_t)n * sizeof *v0);
      test_step(&s);
      memset(g, 0, (size_t)n * sizeof *g);
      double volume = sup_chamber_wall_volume(&s.model->chamber[0], 0, s.state->x, g);
      double p = s.state->chamber_pressure[0];
      if (fill == SUP_CHAMBER_GAS)
        NEAR((101325 + p) * pow(volume, 1.4), (101325 + 30 * kPa) * pow(8e-6, 1.4), 1e-12, 0);
      else
        NEAR(volume, 11e-6 * (1 - p / 2.2e9), 1e-10, 0);
      sup_fem_rotations(soft->fem, s.state->x, R, &inverted);
      sup_fem_energy_force(soft->fem, R, s.state->x, f);
      for (int i = 0; i < n; i++) dv[i] = s.state->xdot[i] - v0[i];
      sup_fem_mass_multiply(soft->fem, dv, v0);
      for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(p * g[i]));
        error = fmax(error, fabs(v0[i] / s.options.dt - f[i] + p * g[i]));
      }
    }
    if (!(error < 1e-7 * size)) printf("fill %d: %g of %g\n", fill, error, size);
    CHECK(error < 1e-7 * size);
    for (int i = 0; i < 4; i++) SUP_FREE(*array[i]);
    SUP_FREE(R);
    test_end(&s);
  }
}

/** Frequency of a piston of 2 g on a tube of massless, soft walls that stretch along z [Hz]. */
static double piston_frequency(double exponent, double *expected) {
  static sup_region        inner;
  static sup_dirichlet_def sides;
  const double             L = 40 * mm, m = 2e-3, E = 10, area = 1e-4, wall = 8e-4, P = 101325;
  test_scene               s;
  sup_chamber_wall_def     walls = {.body = "tube", .has_region = 1};
  sup_chamber_def          c = chamber("air", &walls, 1, SUP_CHAMBER_GAS);
  c.exponent = exponent;
  inner = (sup_region){
      .type = SUP_REGION_BOX, .lower = {9 * mm, 9 * mm, -1}, .upper = {21 * mm, 21 * mm, 1}};
  walls.region = inner;
  test_scene_init(&s);
  sup_link_def *piston = &test_add_tree(&s, "piston", 1)->links[0];
  piston->joint = SUP_JOINT_PRISMATIC, piston->mass = m;
  piston->axis[0] = 0, piston->axis[1] = 0, piston->axis[2] = 1;
  piston->inertia[0] = piston->inertia[1] = piston->inertia[2] = 1e-6;
  sup_soft_def *d = add_tube(&s, "tube", L, 2, 1);
  d->material.youngs_modulus = E, d->material.poissons_ratio = 0, d->material.density = 1e-3;
  sides = sup_default_dirichlet_def();
  sides.region =
      (sup_region){.type = SUP_REGION_BOX, .lower = {-1, -1, -1}, .upper = {1, 1, L - 1e-6}};
  sides.axes = SUP_AXIS_X | SUP_AXIS_Y;
  d->num_dirichlet = 1, d->dirichlet = &sides;
  static sup_region foot;
  foot = half_space(2, 1, 1e-9);
  d->num_clamps = 1, d->clamps = &foot;
  test_attach(&s, 0, "piston/link0", half_space(2, -1, -L + 1e-9));
  set_chambers(&s, &c, 1);
  double w = sqrt((exponent * P * area / L + E * wall / L) / (m + 1e-3 * wall * L / 3));
  *expected = w / (2 * acos(-1));
  s.options.gravity[2] = 0, s.options.dt = 1 / (*expected * 1500), s.options.tolerance = 1e-10;
  test_start(&s);
  NEAR(s.model->chamber[0].volume0, area * L, 1e-12, 0);
  sup_static_options load_steps = sup_default_static_options();
  sup_modes          modes;
  OK(sup_modes_find(sup_stepper_layout(s.stepper), s.state, &load_steps, 0, 1, &modes));
  NEAR(modes.mode[0].frequency, *expected, 1e-6, 0);
  NEAR(modes.mode[0].residual, 0, 0, 1e-6);
  sup_modes_free(&modes);
  CHECK(sup_modes_buckle(sup_stepper_layout(s.stepper), s.state, s.state, 1e-3, &load_steps, 1,
                         &modes) == SUP_E_ARG &&
        strstr(sup_error_message(), "cables of a given tension, not 'air', whose force"));
  s.state->v[0] = 1e-4 * L * w; /* an amplitude of 1e-4 of the length */
  for (int a = 0; a < s.model->num_vertices; a++)
    s.state->xdot[3 * a + 2] = s.state->v[0] * s.state->x[3 * a + 2] / L;
  double first = 0, last = 0, before = 0;
  int    crossings = 0;
  while (crossings < 3) { /* the piston rests at 0: upward crossings of it */
    test_step(&s);
    double now = s.state->q[0];
    if (before < 0 && now >= 0) {
      last = s.state->time - s.options.dt * now / (now - before);
      if (crossings++ == 0) first = last;
    }
    before = now;
  }
  test_end(&s);
  return 2 / (last - first);
}

/* A piston on a chamber: the gas is a spring of kappa P S^2/V. */
static void gas_is_a_spring(void) {
  for (int k = 0; k < 2; k++) {
    double expected, f = piston_frequency(k ? 1.4 : 1, &expected);
    NEAR(f, expected, 1e-3, 0);
  }
}

/* Energies of the gas, of motion and of strain add up with what the scheme takes, which falls with
 * the step. */
static void energies_of_gas_add_up(void) {
  double taken[2], most = 0;
  for (int k = 0; k < 2; k++) {
    test_scene           s;
    sup_chamber_wall_def wall = cavity_of("cube");
    sup_chamber_def      c = chamber("air", &wall, 1, SUP_CHAMBER_GAS);
    c.pressure = 10 * kPa;
    test_scene_init(&s);
    add_cube(&s, "cube", 1);
    s.options.gravity[2] = 0, s.options.dt = k ? 1e-5 : 2e-5, s.options.tolerance = 1e-10;
    set_chambers(&s, &c, 1);
    test_start(&s);
    double work = 0, *scratch, volume = s.model->chamber[0].volume0;
    OK(SUP_CALLOC(scratch, 3 * s.model->num_vertices));
    double first = sup_chamber_energy(&s.model->chamber[0], volume, 10 * kPa);
    while (s.state->time < 1e-3 - 1e-9) test_step(&s), work += s.report.soft_work;
    double last = sup_model_chamber_energy(s.model, s.state->chamber_pressure, s.state->x, scratch);
    NEAR(work, first - last, 1e-9, 0); /* what the gas loses is done on the walls */
    const sup_soft *soft = &s.model->soft[0];
    double          kinetic = 0;
    sup_m3         *R;
    int             inverted;
    OK(SUP_CALLOC(R, sup_fem_mesh(soft->fem)->num_cells));
    sup_fem_mass_multiply(soft->fem, s.state->xdot, scratch);
    kinetic = .5 * sup_dot(scratch, s.state->xdot, 3 * soft->num_vertices);
    sup_fem_rotations(soft->fem, s.state->x, R, &inverted);
    taken[k] = work - kinetic - sup_fem_elastic_energy(soft->fem, R, s.state->x);
    most = work;
    SUP_FREE_ALL(&R, &scratch);
    test_end(&s);
  }
  CHECK(taken[1] > 0 && taken[1] < .2 * most);
  NEAR(taken[0] / taken[1], 2, .1, 0);
}

/* A resumed run goes on with the same bits: the pressure is state, the volume that of the vertices.
 */
static void resumed_runs_have_the_same_bits(void) {
  static const char *const fill[] = {"gas.pressure=20000",
                                     "={surface: [sphere.inner], "
                                     "added_volume: [[0 s, 0], [20 ms, 1 cm^3]]}"};
  for (int k = 0; k < 2; k++) {
    char command[1024];
    snprintf(command, sizeof command,
             "run tests/data/chambers/sphere.yaml -q --set 'chambers.air%s%s' "
             "--set output.checkpoint.every=0.01 -o FOLDER/chamber_",
             k ? "" : ".", fill[k]);
    char straight[1100], half[1200];
    snprintf(straight, sizeof straight, "%sstraight", command);
    snprintf(half, sizeof half, "%shalf --set time.end=0.01", command);
    check_run(straight, 0, "");
    check_run(half, 0, "");
    check_run("run --resume FOLDER/chamber_half -q --set time.end=0.02", 0, "");
    char *a = app_read_file("chamber_straight", "history.csv"),
         *b = app_read_file("chamber_half", "history.csv");
    CHECK(strstr(a, "chamber.air.pressure") && strcmp(a, b) == 0);
    SUP_FREE_ALL(&a, &b);
    CHECK(system(app_arguments("rm -rf FOLDER/chamber_half FOLDER/chamber_straight")) == 0);
  }
}

/* Solvers and reports that lack rows of chambers are refused by name. */
static void what_does_not_go_with_chambers_is_named(void) {
  static const char *const set[][2] = {
      {"contact.solver=ncp_pgs", "the contact solver ncp_pgs does not take chamber 'air'"},
      {"solver.report_condition=true", "solver.report_condition"},
      {"time.accuracy=1e-3 --set time.max_step=2ms", "time.accuracy: the pressure of chamber"}};
  for (int k = 0; k < 3; k++) {
    char command[512];
    snprintf(command, sizeof command,
             "run tests/data/chambers/sphere.yaml -o FOLDER/chamber_no --set %s", set[k][0]);
    check_run(command, 2, set[k][1]);
  }
}

/** Number k of a line of history.csv. */
static double number_of(const char *line, int k) {
  for (; k > 0; k--) line = strchr(line, ',') + 1;
  return strtod(line, NULL);
}

static int column_of(const char *data, const char *name) {
  const char *at = strstr(data, name);
  int         column = 0;
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  for (const char *c = data; c < at; c++) column += *c == ',';
  return column;
}

/* Equilibria of a thick sphere with given volumes, before and beyond the greatest pressure 13.74
 * kPa of the incompressible neo-Hookean one: p over the inner stretch. */
static void a_given_volume_passes_the_greatest_pressure(void) {
  const double mu = 100 * kPa / (2 * 1.499);
  check_run(
      "static tests/data/chambers/sphere.yaml -o FOLDER/chamber_limit --set "
      "materials.silicone.poissons_ratio=0.499 --set time.end=1 --set static.steps=10 "
      "--set 'chambers.air={surface: [sphere.inner], added_volume: [[0 s, 0], [1 s, 3 cm^3]]}'",
      0, "10 load steps to 1 s");
  char  *data = app_read_file("chamber_limit", "history.csv"), *line = strchr(data, '\n');
  int    V = column_of(data, "chamber.air.volume"), P = column_of(data, "chamber.air.pressure");
  double rest = 0, most = 0, p = 0;
  int    rows = 0;
  for (; line && line[1]; line = strchr(line + 1, '\n'), rows++) {
    double volume = number_of(line + 1, V);
    if (rows == 0) rest = volume;
    p = number_of(line + 1, P), most = fmax(most, p);
    double a = cbrt(volume / rest), b = cbrt(1 + (a * a * a - 1) * pow(10. / 14, 3));
    NEAR(p, mu * ((2 / b + .5 / pow(b, 4)) - (2 / a + .5 / pow(a, 4))), 1e-2, 0);
  }
  CHECK(rows == 11 && p < .95 * most);
  SUP_FREE(data);
}

/* A given pressure has a limit, which is named with the chamber and its pressure. */
static void a_limit_of_given_pressure_is_named(void) {
  double      p;
  const char *text = check_run(
                 "static tests/data/chambers/sphere.yaml -o FOLDER/chamber_most --set "
                 "materials.silicone.poissons_ratio=0.499 --set time.end=1 --set static.steps=4 "
                 "--set 'chambers.air={surface: [sphere.inner], pressure: 14 kPa}'",
                 1, "the load reaches its maximum at 0.98"),
             *at = strstr(text, " of 1 at ");
  CHECK(at && sscanf(at, " of 1 at %lf kPa in 'air'", &p) == 1);
  NEAR(p, 13.737, 2e-3, 0);
}

/* Held walls: two chambers and a source fall to each other as exponentials of any step, isothermal
 * amounts stay; walls that give: amounts stay, pressures end equal. */
static void chambers_exchange_their_gas(void) {
  enum { N = 20 };
  for (int gives = 0; gives < 2; gives++) {
    test_scene           s;
    sup_region           all = half_space(2, 1, 1);
    sup_chamber_wall_def wall[3] = {cavity_of("a"), cavity_of("b"), cavity_of("c")};
    sup_chamber_def      c[3];
    double dt = .02, G = gives ? 1e-3 : 1e-5, p[3] = {20 * kPa, -5 * kPa, 0}, source = 8 * kPa;
    test_scene_init(&s);
    for (int i = 0; i < 3; i++) {
      char          name[2] = {(char)('a' + i), 0};
      sup_soft_def *d = add_cube(&s, name, 1);
      d->X_WS.p[0] = .2 * i;
      if (!gives) d->num_clamps = 1, d->clamps = &all;
      d->material.stiffness_damping = .02;
      c[i] = chamber(name, &wall[i], 1, SUP_CHAMBER_GAS);
      c[i].pressure = p[i];
    }
    c[1].conductance = c[2].conductance = G;
    snprintf(c[1].inlet, sizeof c[1].inlet, "a");
    c[2].source = source;
    set_chambers(&s, c, 3);
    s.options.gravity[2] = 0, s.options.dt = dt, s.options.tolerance = 1e-11;
    test_start(&s);
    double  V = s.model->chamber[0].volume0, amount = (2 * 101325 + p[0] + p[1]) * V, now[2];
    double *scratch;
    OK(SUP_CALLOC(scratch, 3 * s.model->num_vertices));
    CHECK(s.model->chamber[0].flows && !(s.model->chamber[0].conductance > 0));
    for (int i = 1; i <= N; i++) {
      double fallen = exp(-2 * G / V * dt * i), filled = exp(-G / V * dt * i);
      test_step(&s);
      const double *q = s.state->chamber_pressure;
      for (int k = 0; k < 2; k++)
        now[k] = sup_chamber_volume(&s.model->chamber[k], s.model, s.state->x, scratch);
      NEAR((101325 + q[0]) * now[0] + (101325 + q[1]) * now[1], amount, 1e-12, 0);
      if (gives) continue;
      NEAR(q[0] - q[1], (p[0] - p[1]) * fallen, 1e-9, 1e-6);
      NEAR(q[2], source + (p[2] - source) * filled, 1e-9, 1e-6);
    }
    if (gives) NEAR(s.state->chamber_pressure[0], s.state->chamber_pressure[1], 0, 1);
    if (gives) NEAR(s.state->chamber_pressure[2], source, 1e-3, 0);
    SUP_FREE(scratch);
    test_end(&s);
  }
}

static void inlets_of_other_gas_are_refused(void) {
  static const char *const said[] = {"is no other chamber", "needs isothermal gas",
                                     "have different ambients"};
  for (int k = 0; k < 3; k++) {
    test_scene           s;
    sup_chamber_wall_def wall[2] = {cavity_of("a"), cavity_of("b")};
    sup_chamber_def      c[2];
    test_scene_init(&s);
    for (int i = 0; i < 2; i++) {
      char name[2] = {(char)('a' + i), 0};
      add_cube(&s, name, 1)->X_WS.p[0] = .2 * i;
      c[i] = chamber(name, &wall[i], 1, SUP_CHAMBER_GAS);
    }
    c[1].conductance = 1e-5;
    snprintf(c[1].inlet, sizeof c[1].inlet, k == 0 ? "b" : "a");
    if (k == 1) c[0].exponent = 1.4;
    if (k == 2) c[0].ambient = 2e5;
    set_chambers(&s, c, 2);
    CHECK(sup_model_create(&s.model, &s.def) == SUP_E_ARG);
    CHECK(strstr(sup_error_message(), said[k]) != NULL);
    test_end(&s);
  }
}

SUITE_TESTS(chambers, TEST(chambers_exchange_their_gas), TEST(inlets_of_other_gas_are_refused),
            TEST(volume_has_its_gradient), TEST(walls_with_holes_are_refused_with_their_place),
            TEST(what_is_no_chamber_is_refused), TEST(a_face_bounds_one_chamber),
            TEST(chambers_give_no_momentum), TEST(rows_hold_their_laws), TEST(gas_is_a_spring),
            TEST(energies_of_gas_add_up), TEST(resumed_runs_have_the_same_bits),
            TEST(what_does_not_go_with_chambers_is_named),
            TEST(a_given_volume_passes_the_greatest_pressure),
            TEST(a_limit_of_given_pressure_is_named));
