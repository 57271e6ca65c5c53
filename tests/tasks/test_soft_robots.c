/* Soft robots of examples/, as users run them: what the pictures and pages say of them. */
#include <math.h>

#include "app/app_test.h"

enum { MOST_ROWS = 192 };
static const double kPa = 1e3, mm = 1e-3, pi = 3.14159265358979323846;

typedef struct history {
  char *text;
  int   rows;
} history;

/** history.csv of `COMMAND examples/NAME.yaml OPTIONS`. */
static history run(const char *command, const char *name, const char *options) {
  char line[512];
  snprintf(line, sizeof line, "%s examples/%s.yaml -o FOLDER/%s --set output.format=none %s",
           command, name, name, options);
  check_run(line, 0, "PASS");
  history h = {app_read_file(name, "history.csv"), -1};
  for (const char *at = h.text; (at = strchr(at, '\n')) != NULL; at++) h.rows++;
  CU_ASSERT_FATAL(h.rows > 3 && h.rows <= MOST_ROWS);
  return h;
}

/** Values of a column [rows]. */
static void read_column(const history *h, const char *name, double *value) {
  size_t      length = strlen(name);
  int         column = 0;
  const char *at = h->text;
  while (strncmp(at, name, length) != 0 || !strchr(",\n", at[length])) {
    at += strcspn(at, ",\n");
    if (*at != ',') printf("\n    there is no column %s", name);
    CU_ASSERT_FATAL(*at++ == ',');
    column++;
  }
  at = h->text;
  for (int i = 0; i < h->rows; i++) {
    at = strchr(at, '\n') + 1;
    const char *field = at;
    for (int k = 0; k < column; k++) field = strchr(field, ',') + 1;
    value[i] = strtod(field, NULL);
  }
}

/** Two chambers beside a body that a constraint holds: rows of gas are as exact as their round-off
 * lets them be, after Broyden's updates too. */
static void bubbles_beside_a_held_body_fill_by_the_law_of_the_gas(void) {
  double  p[2][MOST_ROWS], V[2][MOST_ROWS], t[MOST_ROWS], air = 101325;
  history h = run("run", "spatula_bubbles", "--set time.end=0.05 --set output.every=\"5 ms\"");
  read_column(&h, "time", t);
  read_column(&h, "chamber.left_air.pressure", p[0]);
  read_column(&h, "chamber.right_air.pressure", p[1]);
  read_column(&h, "chamber.left_air.volume", V[0]);
  read_column(&h, "chamber.right_air.volume", V[1]);
  for (int i = 1; i < h.rows; i++)
    for (int k = 0; k < 2; k++)
      NEAR((air + p[k][i]) * V[k][i] / (air * V[k][0]), 1 + 0.135 * t[i] / 0.3, 0, 1e-8);
  CHECK(p[0][h.rows - 1] > 10);
  SUP_FREE(h.text);
}

/* The field is fitted at a depth of 5 mm. A membrane gives F = p A with p almost constant, so that
   it is stiffer at first, where A grows as the depth; a field gives F ~ depth^2. Deep in, the air
   is compressed and the membrane stretched. */
static void a_bubble_presses_as_its_pressure_field(void) {
  double plate[MOST_ROWS], top[MOST_ROWS], F[MOST_ROWS], field[MOST_ROWS], p[MOST_ROWS],
      V[MOST_ROWS], height = 0, shallow = 0, most = 0, deep = 0;
  history h = run("static", "bubble_gripper", "--set static.steps=30");
  read_column(&h, "plate.z", plate), read_column(&h, "probe.top.z", top);
  read_column(&h, "contact.bubble.plate.fz", F),
      read_column(&h, "contact.field.field_plate.fz", field);
  read_column(&h, "chamber.air.pressure", p), read_column(&h, "chamber.air.volume", V);
  for (int i = 0; i < h.rows; i++) height = fmax(height, top[i]);
  for (int i = 0; i < h.rows; i++) {
    double depth = height - (plate[i] - 2 * mm), ratio = F[i] / field[i];
    if (depth > 1.5 * mm && depth < 2.5 * mm) shallow = fmax(shallow, ratio);
    if (depth > 4 * mm && depth < 8 * mm) most = fmax(most, fabs(ratio - 1));
    if (depth > 9.5 * mm) deep = ratio;
  }
  int last = h.rows - 1;
  printf("height %.2f mm, force over the field's %.3f at 2 mm, within %.3f, %.3f at the end ",
         height / mm, shallow, most, deep);
  NEAR(height, 17.18 * mm, 5e-3, 0);
  CHECK(shallow > 1.15 && most < .06 && deep > 1.1);
  double R = 55 * mm, r = plate[last] - 2 * mm + 37.8 * mm,
         sphere = 2 * pi * 71 * kPa * (R * R / 6 - r * r / 2 + r * r * r / (3 * R));
  NEAR(F[last], 21.56, 5e-3, 0);
  NEAR(field[last], sphere, .03, 0); /* pressure E (1 - r/R) on the plane at r from the middle */
  NEAR((101325 + p[last]) * V[last], 1.135 * 101325 * V[0], 1e-9, 0);
  SUP_FREE(h.text);
}

static void fingers_lift_an_egg_and_do_not_break_it(void) {
  double  z[MOST_ROWS], x[MOST_ROWS], floor[MOST_ROWS], f[2][3][MOST_ROWS], most = 0;
  history h = run("run", "pneunet_egg", "--set time.end=1");
  read_column(&h, "egg.z", z), read_column(&h, "egg.x", x),
      read_column(&h, "contact.floor.egg.fz", floor);
  for (int k = 0; k < 6; k++) {
    char name[64];
    snprintf(name, sizeof name, "contact.%s.egg.f%c", k < 3 ? "right" : "left", "xyz"[k % 3]);
    read_column(&h, name, f[k / 3][k % 3]);
  }
  int last = h.rows - 1;
  for (int i = 0; i <= last; i++)
    most = fmax(most,
                sqrt(f[0][0][i] * f[0][0][i] + f[0][1][i] * f[0][1][i] + f[0][2][i] * f[0][2][i]));
  printf("lifted %.2f mm, at most %.3f N a finger, which the shell bears %.0f times ", z[last] / mm,
         most, 34 / most);
  NEAR(z[last], 50 * mm / 3, .03, 0);
  NEAR(f[0][2][last] + f[1][2][last], .057 * 9.81, 1e-3, 0);
  NEAR(x[last], 0, 0, 1e-9);
  CHECK(floor[last] == 0 && most > .3 && most < 1);
  SUP_FREE(h.text);
}

/** Work of a pressure that grows evenly from 0: p V less the integral of V dp by Boole's rule. */
static double work(const double *p, const double *V, int rows) {
  double sum = 0, step = p[1] - p[0];
  for (int k = 0; k + 4 < rows; k += 4)
    sum +=
        2 * step / 45 * (7 * V[k] + 32 * V[k + 1] + 12 * V[k + 2] + 32 * V[k + 3] + 7 * V[k + 4]);
  return p[rows - 1] * V[rows - 1] - sum;
}

/* Without gravity the work of the pressure is the elastic energy; dF/dp at a given length is dV/dx
   at a given pressure (Maxwell), and a free bellows extends by p dV/dx over its stiffness. */
static void bellows_turn_volume_into_force(void) {
  static const char *const name[2] = {"free", "blocked"};
  double                   p[MOST_ROWS], V[MOST_ROWS], E[MOST_ROWS], F[MOST_ROWS], x[MOST_ROWS];
  char                     column[64];
  history                  h = run("static", "bellows", "");
  int                      last = h.rows - 1;
  CU_ASSERT_FATAL(last == 20);
  read_column(&h, "chamber.free_air.pressure", p);
  for (int b = 0; b < 2; b++) {
    snprintf(column, sizeof column, "chamber.%s_air.volume", name[b]), read_column(&h, column, V);
    snprintf(column, sizeof column, "%s.elastic_energy", name[b]), read_column(&h, column, E);
    NEAR(work(p, V, h.rows), E[last], 1e-8, 0);
  }
  read_column(&h, "chamber.pulled_air.volume", V), read_column(&h, "pulled_plate.z", x);
  double h1 = x[1] - x[0], area = (4 * (V[1] - V[0]) - (V[2] - V[0])) / (2 * h1);
  read_column(&h, "attach.pulled.fz", F);
  double stiffness = -(4 * F[1] - F[2]) / (2 * h1);
  read_column(&h, "attach.blocked.fz", F), read_column(&h, "free_plate.z", x);
  double blocked = (4 * F[1] - F[2]) / (2 * p[1]), free_way = x[1] - x[0],
         slope = (4 * free_way - (x[2] - x[0])) / (2 * p[1]);
  printf("dV/dx %.2f, dF/dp %.2f mm^2; %.4f and %.4f mm/kPa ", 1e6 * area, 1e6 * blocked,
         1e6 * slope, 1e6 * area / stiffness);
  NEAR(F[last], 15.22, 5e-3, 0);
  NEAR(x[last] - x[0], 8.90 * mm, 5e-3, 0);
  NEAR(blocked, area, 1e-4, 0);
  NEAR(slope, area / stiffness, 5e-3, 0);
  NEAR(area, pi / 3 * (20 * 20 + 20 * 12 + 12 * 12) * mm * mm, .08, 0); /* rigid cones */
  SUP_FREE(h.text);
}

/* In motion the pressures' work is what the books have; links keep none of their numerical
   dissipation, so that plates of 50 g would miss 2e-4. */
static void books_have_the_work_of_the_pressure(void) {
  static const char *const name[2] = {"free", "blocked"};
  static const char *const energy[4] = {"energy.kinetic", "energy.elastic", "energy.damping",
                                        "energy.numerical_dissipation"};
  double                   p[MOST_ROWS], V[MOST_ROWS], E[MOST_ROWS], put_in = 0, kept = 0;
  char                     column[64];
  history                  h = run("run", "bellows",
                                   "--set time.end=0.1 --set rigid.free_plate.mass=1e-6 --set "
                                                    "rigid.pulled_plate.motion=[[0,0,0,0,0,0,0]]");
  read_column(&h, "chamber.free_air.pressure", p);
  for (int b = 0; b < 2; b++) {
    snprintf(column, sizeof column, "chamber.%s_air.volume", name[b]), read_column(&h, column, V);
    for (int i = 1; i < h.rows; i++) put_in += p[i] * (V[i] - V[i - 1]);
  }
  for (int k = 0; k < 4; k++) read_column(&h, energy[k], E), kept += E[h.rows - 1];
  printf("%.6f mJ, off by %.1e ", 1e3 * put_in, kept / put_in - 1);
  NEAR(kept, put_in, 1e-6, 0);
  SUP_FREE(h.text);
}

/* The tip is where an arc of constant curvature has it, whose chords have the cables' lengths. */
static void three_cables_bend_an_arm_to_an_arc(void) {
  static const char *const point[3] = {"tip", "east", "west"};
  double                   t[MOST_ROWS], at[3][3][MOST_ROWS], off = 0, bent = 0;
  history                  h = run("run", "continuum_arm", "--set time.end=1.5");
  read_column(&h, "time", t);
  for (int k = 0; k < 9; k++) {
    char name[64];
    snprintf(name, sizeof name, "probe.%s.%c", point[k / 3], "xyz"[k % 3]);
    read_column(&h, name, at[k / 3][k % 3]);
  }
  for (int i = 1; i < h.rows; i++) {
    double angle = pi / 3 * fmin(1, t[i]), length = (200 - 8 * fmin(1, t[i])) * mm,
           R = length / angle, phi = pi / 6 * fmax(0, 4 * t[i] - 4), out = R * (1 - cos(angle));
    const double arc[3] = {out * cos(phi), out * sin(phi), R * sin(angle)};
    off = fmax(off, sqrt(pow(at[0][0][i] - arc[0], 2) + pow(at[0][1][i] - arc[1], 2) +
                         pow(at[0][2][i] - arc[2], 2)));
    if (phi > 0) continue;
    double turned = atan2(at[2][2][i] - at[1][2][i], at[1][0][i] - at[2][0][i]);
    bent = fmax(bent, fabs(turned - angle));
  }
  printf("tip off by at most %.2f of 200 mm, angle by %.2f of 60 degrees ", off / mm,
         bent * 180 / pi);
  CHECK(off < 3.2 * mm && bent < 1.6 * pi / 180);
  SUP_FREE(h.text);
}

static void stiff_ribs_double_the_force_of_a_finger(void) {
  double  plain[MOST_ROWS], stiff[MOST_ROWS];
  history h = run("static", "finray_insert", "");
  read_column(&h, "contact.plain_cylinder.plain.fx", plain);
  read_column(&h, "contact.stiff_cylinder.stiff.fx", stiff);
  int last = h.rows - 1;
  printf("%.2f and %.2f N at 10 mm, %.3f times as much ", plain[last], stiff[last],
         stiff[last] / plain[last]);
  NEAR(plain[last], 8.96, .02, 0);
  NEAR(stiff[last] / plain[last], 2.07, .02, 0);
  SUP_FREE(h.text);
}

/** Force of thin films at which a row of spots of 7.72 N lets go, 1 mm before the next [N]. */
static double peel_force(double angle) {
  double EI = 200e6 * 20 * mm * pow(.5 * mm, 3) / 12, low = 0, high = 7.72;
  while (high - low > 1e-9) {
    double F = (low + high) / 2, M = sqrt(2 * EI * F * (1 - cos(angle)));
    if (M / mm + F * sin(angle) < 7.72)
      low = F;
    else
      high = F;
  }
  return low;
}

static void glued_rows_let_go_at_the_force_of_thin_films(void) {
  history h = run("run", "tape_peel", "");
  char   *events = app_read_file("tape_peel", "events.csv");
  for (int angle = 60; angle <= 120; angle += 30) {
    char name[64];
    snprintf(name, sizeof name, ",hold 'row_0' of 'tape_%d'", angle);
    const char *at = strstr(events, name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    while (at > events && at[-1] != '\n') at--;
    double a = angle * pi / 180, force = .8 / (1 - cos(a)) * strtod(at, NULL);
    printf("%.3f of %.3f N, ", force, peel_force(a));
    NEAR(force, peel_force(a), .08, 0);
  }
  SUP_FREE(events), SUP_FREE(h.text);
}

static void meshes_are_those_of_their_script(void) {
  static const char *const name[] = {"bubble", "bellows", "arm", "pneunet"};
  char                     command[1024];
  if (system("command -v python3 >/dev/null") != 0) SKIP("python3 is not installed; ");
  snprintf(command, sizeof command, "python3 meshes/soft_robots.py %s", test_folder());
  CHECK(system(command) == 0);
  for (int i = 0; i < 4; i++) {
    snprintf(command, sizeof command, "cmp meshes/%s.vtk %s/%s.vtk", name[i], test_folder(),
             name[i]);
    CHECK(system(command) == 0);
  }
}

SUITE_TESTS(soft_robots, TEST(meshes_are_those_of_their_script),
            TEST(bubbles_beside_a_held_body_fill_by_the_law_of_the_gas),
            TEST(a_bubble_presses_as_its_pressure_field),
            TEST(fingers_lift_an_egg_and_do_not_break_it), TEST(bellows_turn_volume_into_force),
            TEST(books_have_the_work_of_the_pressure), TEST(three_cables_bend_an_arm_to_an_arc),
            TEST(stiff_ribs_double_the_force_of_a_finger),
            TEST(glued_rows_let_go_at_the_force_of_thin_films));
