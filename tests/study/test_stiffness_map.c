/* Stiffness along a face: beams and blocks in closed form, a column near its critical load,
 * contact, secants and their limit, turned and scaled scenes. */
#include <unistd.h>

#include "app/app_test.h"
#include "base/vec.h"

enum { MOST = 8, NORMAL = 8, ALONG, ACROSS, ADAPTIVITY, FORCE, SECANT, WIDTH = 24 };

typedef struct map {
  int    num;
  double row[MOST][WIDTH]; /* of stiffness.csv [mm, N/mm] */
} map;

static const double E = 2.5e6, EI = 2.5e6 * 1e-8 / 12, EA = 2.5e6 * 1e-4; /* of beams */

/** Scene of one soft body: mesh, supports and loads, further sections. */
static void write_scene(const char *name, double poisson, const char *soft, const char *rest) {
  char text[4096];
  snprintf(text, sizeof text,
           "supple: 1\ntime: {step: 10 ms, end: 1 s}\ngravity: [0, 0, 0]\n"
           "static: {tolerance: 1.0e-9}\nmaterials: [m: {youngs_modulus: 2.5 MPa, poissons_ratio: "
           "%g, density: 1000 kg/m^3}]\nsoft:\n  beam: {material: m, %s}\n%s",
           poisson, soft, rest);
  app_write_file(name, text);
}

/** Text of a result. */
static char *read_text(const char *folder, const char *name) {
  static char text[16384];
  char       *data = app_read_file(folder, name);
  snprintf(text, sizeof text, "%s", data);
  SUP_FREE(data);
  return text;
}

static map run_map(const char *scene, const char *section) {
  map  m = {0};
  char text[2048];
  snprintf(text, sizeof text, "supple: 1\nscene: %s\nstiffness: {body: beam, %s}\n", scene,
           section);
  app_write_file("map.yaml", text);
  check_run("stiffness FOLDER/map.yaml -o FOLDER/map -q --no-plot", 0, "normal");
  char *at = strchr(read_text("map", "stiffness.csv"), '\n');
  for (; at && at[1] && m.num < MOST; m.num++) {
    at++;
    for (int k = 0; k < WIDTH && *at != '\n'; k++, at += *at == ',')
      m.row[m.num][k] = *at == ',' ? (double)NAN : strtod(at, &at);
  }
  CU_ASSERT_FATAL(m.num > 0);
  return m;
}

static const char beam[] =
    "mesh: {box: {size: [100 mm, 10 mm, 10 mm], cells: [40, 4, 4], pattern: hex}}, "
    "clamp: [{named: x_min}]";

/** Mean over pairs of points of the strip a - r to a + r of the beam's Green's function. */
static double strip(double a, double r, double (*green)(double x, double s)) {
  enum { N = 100 };
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double x = a + r * (2 * i + 1 - N) / N, s = a + r * (2 * j + 1 - N) / N;
      sum += green(fmin(x, s), fmax(x, s)) / (N * N);
    }
  return sum;
}
static double bending(double s, double x) { /* Timoshenko, shear factor 5/6, G = E/2 */
  return s * s * (3 * x - s) / (6 * EI) + s / (5. / 6 * EA / 2);
}
static double stretching(double s, double x) { /* on the face, half a height off the axis */
  (void)x;
  return s / EA + s * 0.005 * 0.005 / EI;
}
static double twisting(double s, double x) { /* J = .1406 h^4 */
  return bending(s, x) + s * 0.005 * 0.005 / (E / 2 * 0.1406e-8);
}

static void a_cantilever_is_that_of_timoshenko(void) {
  write_scene("beam.yaml", 0, beam, "");
  map m = run_map("beam.yaml",
                  "from: [30 mm, 5 mm, 10 mm], to: [90 mm, 5 mm, 10 mm], count: 4, "
                  "radii: [5 mm], axis: [0, 1, 0]");
  CHECK(m.num == 4);
  for (int i = 0; i < 4; i++) {
    double a = 0.03 + 0.02 * i;
    NEAR(m.row[i][1], 1000 * (a - 0.03), 1e-12, 1e-12);
    NEAR(m.row[i][NORMAL] * 1000 * strip(a, 0.005, bending), 1, i ? 3e-3 : 1e-2, 0);
    NEAR(m.row[i][ALONG] * 1000 * strip(a, 0.005, stretching), 1, 2e-2, 0);
    NEAR(m.row[i][ACROSS] * 1000 * strip(a, 0.005, twisting), 1, 2e-2, 0);
    if (i < 3) { /* the end goes with the force, further than the position */
      double way = a * a * (3 * 0.09 - a) / (6 * EI) + a / (5. / 6 * EA / 2);
      NEAR(m.row[i][ADAPTIVITY], -way / strip(a, 0.005, bending), 1e-2, 0);
    }
  }
  NEAR(m.row[3][ADAPTIVITY], -1, 1e-12, 0);
  const char *json = read_text("map", "stiffness.json");
  CHECK(strtod(strstr(json, "\"asymmetry\":") + 12, NULL) < 1e-12); /* Maxwell, Betti */
}

static void a_uniform_block_is_exact(void) {
  static const char *const cells[] = {"pattern: hex}}", "pattern: kuhn}}",
                                      "pattern: kuhn}, order: 2}"};
  for (int k = 0; k < 3; k++) {
    char soft[512];
    snprintf(soft, sizeof soft,
             "mesh: {box: {size: [20 mm, 20 mm, 40 mm], cells: [2, 2, 3], %s, hold: [{region: "
             "{named: z_min}, axes: [z]}, {region: {named: x_min}, axes: [x]}, {region: {named: "
             "y_min}, axes: [y]}]",
             cells[k]);
    write_scene("block.yaml", 0.3, soft, "");
    map m = run_map("block.yaml",
                    "from: [5 mm, 10 mm, 40 mm], to: [15 mm, 10 mm, 40 mm], count: "
                    "2, radii: [1 m]");
    NEAR(m.row[0][NORMAL], 1e-3 * E * 4e-4 / 0.04, 1e-9, 0);
    NEAR(m.row[1][NORMAL], m.row[0][NORMAL], 1e-9, 0);
  }
}

static void patches_stay_on_their_face(void) {
  write_scene("beam.yaml", 0, beam, "");
  map m = run_map("beam.yaml",
                  "from: [50 mm, 9 mm, 10 mm], to: [98 mm, 9 mm, 10 mm], count: 3, "
                  "radii: [4 mm]");
  for (int i = 0; i < m.num; i++)
    for (int c = 0; c < 3; c++) NEAR(m.row[i][5 + c], c == 2, 0, 1e-12); /* no side, no end */
  /* the wall beyond a gap looks the same way and is within the radius */
  write_scene("finray.yaml", 0.3,
              "mesh: {finray: {height: 80 mm, base: 30 mm, tip: 6 mm, depth: 20 mm, wall: 2 mm, "
              "rib: 2 mm, ribs: 5, base_block: 4 mm, tip_block: 6 mm, pattern: hex, cells: {wall: "
              "1, inner: 4, cavity: 4, rib: 1, depth: 2}}}, clamp: [{half_space: {normal: [0, 1, "
              "0], offset: 0.1 mm}}]",
              "");
  m = run_map("finray.yaml",
              "from: [0, 40 mm, 10 mm], to: [0, 70 mm, 10 mm], count: 6, radii: "
              "[8 mm]");
  for (int i = 1; i < m.num; i++) CHECK(m.row[i][ALONG] < m.row[i - 1][ALONG]);
}

static const char quadratic[] =
    "mesh: {box: {size: [100 mm, 10 mm, 10 mm], cells: [40, 4, 4], pattern: kuhn}, order: 2}, "
    "clamp: [{named: x_min}]";

static void lines_that_end_at_an_edge_keep_their_face(void) {
  write_scene("beam.yaml", 0, quadratic, "");
  for (int count = 2; count < 4; count++) {
    char section[256];
    snprintf(section, sizeof section,
             "from: [20 mm, 5 mm, 10 mm], to: [100 mm, 5 mm, 10 mm], radii: [5 mm], count: %d",
             count);
    map m = run_map("beam.yaml", section);
    for (int i = 0; i < count; i++)
      for (int c = 0; c < 3; c++) NEAR(m.row[i][5 + c], c == 2, 0, 1e-12);
    double force = 0.1 - 8 * 0.005 / (6 * acos(-1.)); /* middle of the half disc's force */
    NEAR(m.row[count - 1][NORMAL] * 1000 * bending(force, force), 1, 2e-2, 0);
  }
}

static void doubtful_positions_are_told(void) {
  static const struct {
    const char *section, *text;
    int         code;
  } doubts[] = {
      {"from: [50 mm, 5 mm, 12 mm], to: [90 mm, 5 mm, 12 mm], radii: [5 mm]",
       "WARN  position 1 is 2 mm off the face of 'beam'", 0},
      {"from: [50 mm, 5 mm, 10 mm], to: [100 mm, 5 mm, 5 mm], radii: [5 mm]",
       "WARN  normals turn by 90 deg from position 1 to 2", 0},
      {"from: [50 mm, 5 mm, 10 mm], to: [90 mm, 5 mm, 10 mm], radii: [1 m]",
       "WARN  radius 1000 mm is larger than 'beam' (101 mm)", 0},
      {"from: [50 mm, 5 mm, 10 mm], to: [90 mm, 5 mm, 10 mm], radii: [5 mm], axis: [0, 1, 0], "
       "depths: [0.1 mm], steps: 1, contact: {friction: 0}",
       "secants are resolved from 0.16 mm on", 0},
      {"from: [50 mm, 5 mm, 10 mm], to: [90 mm, 5 mm, 10 mm], radii: [5 mm], axis: [0, 0.3, 1]",
       "axis is along the normal (0, 0, 1) of position 1", 2}};
  write_scene("beam.yaml", 0, beam, "contact: {layer: 1000}\n");
  for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "supple: 1\nscene: beam.yaml\nstiffness: {body: beam, count: 2, %s}\n",
             doubts[i].section);
    app_write_file("map.yaml", text);
    check_run("stiffness FOLDER/map.yaml -o FOLDER/map -q --no-plot", doubts[i].code,
              doubts[i].text);
    if (doubts[i].code == 0) CHECK(strstr(read_text("map", "stiffness.json"), doubts[i].text + 6));
  }
}

static void a_column_softens_towards_its_critical_load(void) {
  char soft[512], rest[] = "";
  map  m[2];
  for (int k = 0; k < 2; k++) {
    snprintf(soft, sizeof soft, "%s, tractions: [{region: {named: x_max}, force: [%g, 0, 0]}]",
             beam, k ? -0.25 : 0.);
    write_scene("column.yaml", 0, soft, rest);
    m[k] = run_map("column.yaml",
                   "from: [50 mm, 5 mm, 10 mm], to: [99 mm, 5 mm, 10 mm], count: "
                   "2, radii: [1 mm], axis: [0, 1, 0]");
  }
  double L = 0.1, kL = sqrt(0.25 / EI) * L;
  NEAR(m[1].row[1][NORMAL] / m[0].row[1][NORMAL], kL * kL * kL / (3 * (tan(kL) - kL)), 2e-2, 0);
}

static void secants_begin_at_the_loaded_equilibrium(void) {
  char soft[512];
  snprintf(soft, sizeof soft, "%s, tractions: [{region: {named: x_max}, force: [-0.25, 0, 0]}]",
           beam);
  write_scene("column.yaml", 0, soft,
              "contact: {layer: 1000}\nloads: {weight: {body: beam, point: [99 mm, 5 mm, 5 mm], "
              "force: [0, 0, -0.01]}}\n");
  map m = run_map("column.yaml",
                  "from: [60 mm, 5 mm, 10 mm], to: [80 mm, 5 mm, 10 mm], count: 2, "
                  "radii: [5 mm], axis: [0, 1, 0], depths: [0.5 mm, 1 mm], steps: "
                  "1, contact: {friction: 0, resolution: 0.5 mm}");
  for (int i = 0; i < 2; i++) /* 2 % by the depth; without loads 1.9 times as stiff */
    NEAR(m.row[i][SECANT], m.row[i][NORMAL], 3e-2, 0);
}

/** Height of the block's top under a pressing force [m]. */
static double height(double force) {
  char line[256];
  snprintf(line, sizeof line,
           "static FOLDER/pressed.yaml -o FOLDER/pressed -q --set "
           "soft.beam.tractions.0.force=[0,0,%.17g]",
           -force);
  check_run(line, 0, "");
  char *csv = read_text("pressed", "history.csv"), *last = strrchr(csv, '\n');
  *last = '\0';
  return strtod(strrchr(csv, ',') + 1, NULL);
}

static void contact_acts_by_its_tangent(void) {
  write_scene(
      "pressed.yaml", 0.3,
      "mesh: {box: {size: [20 mm, 20 mm, 20 mm], cells: [3, 3, 3], pattern: hex}}, "
      "contact: {friction: 0}, hold: [{region: {named: x_min}, axes: [x]}, {region: {named: "
      "y_min}, axes: [y]}], tractions: [{region: {named: z_max}, force: [0, 0, -20]}]",
      "rigid: {plate: {fixed: true, shape: {box: {size: [60 mm, 60 mm, 10 mm]}}, pose: "
      "{position: [0, 0, -5 mm]}, contact: {friction: 0}}}\n"
      "output: {format: none, digits: 17, history: [probe.top.z], probes: {top: {body: beam, "
      "point: [10 mm, 10 mm, 20 mm]}}}\n");
  map    m = run_map("pressed.yaml",
                     "from: [5 mm, 10 mm, 20 mm], to: [15 mm, 10 mm, 20 mm], count: "
                        "2, radii: [1 m]");
  double tangent = 0.02 / (height(19.99) - height(20.01));
  NEAR(m.row[0][NORMAL] * 1000 / tangent, 1, 1e-3, 0);
}

/** Without their layer contacts leave the line load's own dent, 4e-3 of the depth. */
static void secants_tend_to_tangents(void) {
  write_scene("beam.yaml", 0, beam, "contact: {layer: 1000}\n");
  map m = run_map("beam.yaml",
                  "from: [60 mm, 5 mm, 10 mm], to: [80 mm, 5 mm, 10 mm], count: 2, "
                  "radii: [5 mm], axis: [0, 1, 0], depths: [0.5 mm, 1 mm, 2 mm], "
                  "contact: {friction: 0, resolution: 0.5 mm}");
  for (int i = 0; i < 2; i++) {
    const double *row = m.row[i];
    NEAR(row[FORCE + 4], 2 * row[SECANT + 4], 1e-11, 0);
    NEAR(2 * row[SECANT] - row[SECANT + 2], row[NORMAL], 5e-3, 0);
    NEAR((row[SECANT + 4] - row[SECANT + 2]) / (row[SECANT + 2] - row[SECANT]), 2, 0.3, 0);
  }
}

static void a_turned_scene_is_the_same(void) {
  map            m[4]; /* strips, discs that end at the edges; both turned */
  const sup_quat q = sup_quat_unit((sup_quat){0.7, 0.3, -0.5, 0.4});
  char           soft[512], section[512];
  for (int k = 0; k < 4; k++) {
    const bool   is_turned = k / 2;
    const sup_m3 R = is_turned ? sup_quat_matrix(q) : sup_m3_identity();
    sup_v3       from = sup_m3_apply(R, (sup_v3){0.05, 0.005, 0.01}),
           to = sup_m3_apply(R, (sup_v3){0.08, 0.005, 0.01}),
           axis = sup_m3_apply(R, (sup_v3){0, 1, 0});
    snprintf(soft, sizeof soft, "%s%s", beam,
             is_turned ? ", pose: {quaternion: [0.7035264706814484, 0.30151134457776363, "
                         "-0.5025189076296061, 0.4020151261036849]}"
                       : "");
    snprintf(section, sizeof section,
             "from: [%.17g, %.17g, %.17g], to: [%.17g, %.17g, %.17g], count: 2, radii: [5 mm]",
             from.x, from.y, from.z, to.x, to.y, to.z);
    size_t used = strlen(section);
    if (k % 2 == 0)
      snprintf(section + used, sizeof section - used,
               ", axis: [%.17g, %.17g, %.17g], depths: [1 mm], contact: {friction: 0.5}", axis.x,
               axis.y, axis.z);
    write_scene("turned.yaml", 0.3, soft, "");
    m[k] = run_map("turned.yaml", section);
  }
  for (int i = 0; i < 2; i++) {
    for (int c = NORMAL; c <= SECANT + 1; c++)
      NEAR(m[2].row[i][c], m[0].row[i][c], c < FORCE ? 1e-6 : 1e-3, 0);
    for (int c = NORMAL; c < FORCE; c++) NEAR(m[3].row[i][c], m[1].row[i][c], 1e-6, 0);
  }
}

static void micrometres_and_kilometres_scale(void) {
  static const char *const unit[] = {"mm", "um", "m"};
  static const double      size[] = {1, 1e-3, 1e3};
  map                      m[3];
  for (int k = 0; k < 3; k++) {
    char soft[512], section[512];
    snprintf(soft, sizeof soft,
             "mesh: {box: {size: [100 %s, 10 %s, 10 %s], cells: [20, 2, 2], pattern: hex}}, clamp: "
             "[{named: x_min}]",
             unit[k], unit[k], unit[k]);
    snprintf(section, sizeof section,
             "from: [50 %s, 5 %s, 10 %s], to: [90 %s, 5 %s, 10 %s], count: 2, radii: [4.1 %s]",
             unit[k], unit[k], unit[k], unit[k], unit[k], unit[k], unit[k]);
    write_scene("scaled.yaml", 0.3, soft, "");
    m[k] = run_map("scaled.yaml", section);
    for (int c = NORMAL; c < FORCE; c++)
      NEAR(m[k].row[0][c], m[0].row[0][c] * (c < ADAPTIVITY ? size[k] : 1), 1e-8, 0);
  }
}

/** Tangent at a vertex [N/mm], and by two equilibria with forces along its normal. */
static void point_stiffness(const char *soft, const char *rest, const char *point, const char *to,
                            double *tangent, double *differences) {
  const double force = 1e-3;
  double       way = 0, sum[2] = {0, 0};
  char         text[2048], line[512];
  snprintf(text, sizeof text,
           "%sloads: {push: {body: beam, point: %s, force: [0, 0, 0]}}\noutput: {format: none, "
           "digits: 17, history: [probe.top.*], probes: {top: {body: beam, point: %s}}}\n",
           rest, point, point);
  write_scene("point.yaml", 0.3, soft, text);
  snprintf(text, sizeof text, "from: %s, to: %s, count: 2, radii: [1 um]", point, to);
  map           m = run_map("point.yaml", text);
  const double *n = m.row[0] + 5;
  for (int k = 0; k < 2; k++) {
    double f = k ? -force : force;
    snprintf(
        line, sizeof line,
        "static FOLDER/point.yaml -o FOLDER/point -q --set loads.push.force=[%.17g,%.17g,%.17g]"
        " --set static.tolerance=1e-10",
        f * n[0], f * n[1], f * n[2]);
    check_run(line, 0, "");
    const char *csv = read_text("point", "history.csv"), *row = csv;
    for (const char *next; (next = strchr(row, '\n')) != NULL && next[1];) row = next + 1;
    for (int c = 0; c < 3; c++) row = strchr(row, ',') + 1, sum[k] += n[c] * strtod(row, NULL);
  }
  way = sum[0] - sum[1];
  *tangent = m.row[0][NORMAL], *differences = 2e-3 * force / way;
}

/** Cables that pull with a given force, hold a length, yield or are slack; a ball; glued halves. */
static void cables_and_ties_act_by_their_tangents(void) {
  static const char half[] =
      "mesh: {box: {size: [80 mm, 10 mm, 10 mm], cells: [16, 2, 2], pattern: hex}}, clamp: "
      "[{named: x_min}]}\n  tip: {material: m, mesh: {box: {size: [20 mm, 10 mm, 10 mm], cells: "
      "[4, "
      "3, 3], pattern: hex}}, pose: {position: [80 mm, 0, 0]}";
  static const char *const rest[] = {
      "tension: 0.1 N",
      "added_length: [[0 s, 0], [1 s, -1 mm]]",
      "added_length: [[0 s, 0], [1 s, -1 mm]], stiffness: 20 N",
      "added_length: 2 mm",
      "constraints: {pin: {type: ball, bodies: [world, beam], point: [80 mm, 5 mm, 5 mm]}}\n",
      "ties: {glue: {slave: {body: tip, region: {named: x_min}}, master: {body: beam, region: "
      "{named: x_max}}}}\n"};
  double tangent[6], differences;
  for (int k = 0; k < 6; k++) {
    char text[512];
    snprintf(text, sizeof text,
             k < 4 ? "cables: {flexor: {path: [{world: [0, 5 mm, 15 mm]}, {beam: [80 mm, 5 mm, 9 "
                     "mm]}], %s}}\n"
                   : "%s",
             rest[k]);
    point_stiffness(k < 5 ? beam : half, text, "[60 mm, 5 mm, 10 mm]", "[50 mm, 5 mm, 10 mm]",
                    &tangent[k], &differences);
    NEAR(tangent[k], differences, 1e-5, 0);
  }
  CHECK(tangent[1] > 2 * tangent[0] && tangent[4] > 10 * tangent[3]);
}

/** An eighth of a balloon under a point force: what gas and liquid take of its compliance under a
 * given pressure, by the volume. */
static void fills_of_chambers_act_by_their_tangents(void) {
  static const char *const fill[] = {"pressure: [[0 s, 0], [1 s, 50 kPa]]",
                                     "gas: {pressure: 50 kPa}",
                                     "added_volume: [[0 s, 0], [1 s, 0.1 cm^3]]"};
  double                   tangent[3], differences[3];
  for (int k = 0; k < 3; k++) {
    char soft[1024], text[256], here[512];
    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(soft, sizeof soft,
             "mesh: {file: %s/meshes/balloon.msh, scale: 0.001}, hold: [{region: {named: x0}, "
             "axes: [x]}, {region: {named: y0}, axes: [y]}, {region: {named: z0}, axes: [z]}]",
             here);
    snprintf(text, sizeof text, "chambers: {air: {surface: [beam.inner], %s}}\n", fill[k]);
    point_stiffness(soft, text, "[8.057655194762093 mm, 8.74653404369131 mm, 7.387309048961765 mm]",
                    "[9.899494936611653 mm, 9.899494936611678 mm, 0]", &tangent[k],
                    &differences[k]);
    NEAR(tangent[k], differences[k], 2e-2, 0); /* the point is a small disc */
    if (k > 0)
      NEAR(1 / tangent[k] - 1 / tangent[0], 1 / differences[k] - 1 / differences[0],
           k == 1 ? 5e-3 : 1e-3, 0);
  }
}

static void bodies_without_tangents_keep_secants(void) {
  write_scene("cable.yaml", 0.3, beam,
              "cables: {flexor: {path: [{world: [0, 5 mm, 11 mm]}, {beam: [40 mm, 5 mm, 9 mm]}, "
              "{beam: [80 mm, 5 mm, 9 mm]}], added_length: 0, stiffness: 1 N, friction: 0.1}}\n");
  map m = run_map("cable.yaml",
                  "from: [60 mm, 5 mm, 10 mm], to: [80 mm, 5 mm, 10 mm], count: 2, "
                  "radii: [5 mm], axis: [0, 1, 0], depths: [0.5 mm]");
  CHECK(isnan(m.row[0][NORMAL]) && isnan(m.row[0][ADAPTIVITY]));
  CHECK(m.row[0][SECANT] > 0.02 && m.row[0][SECANT] < 0.04); /* 0.0285 N/mm without the cable */
  CHECK(strstr(read_text("map", "stiffness.json"), "friction of cable 'flexor'") != NULL);
  if (system("/usr/bin/python3 -c 'import vtk, numpy, yaml, matplotlib' 2>/dev/null") == 0)
    check_run("share FOLDER/map", 0, "2 points");
}

static void positions_are_on_the_surface(void) {
  write_scene("beam.yaml", 0, beam, "");
  app_write_file("map.yaml",
                 "supple: 1\nscene: beam.yaml\nstiffness: {body: beam, from: [50 mm, 5 mm, 50 mm], "
                 "to: [90 mm, 5 mm, 10 mm], radii: [4 mm]}\n");
  check_run("stiffness FOLDER/map.yaml -o FOLDER/map -q --no-plot", 2,
            "position 1, (0.05, 0.005, 0.05) m, is 0.04 m away from the surface of 'beam'");
}

/* Balls on facets of about their size, at edges of cells and at their middles. */
static void small_indenters_have_secants(void) {
  write_scene("bar.yaml", 0.3,
              "mesh: {box: {size: [10 mm, 10 mm, 60 mm], cells: [3, 3, 12], pattern: hex}}, clamp: "
              "[{named: z_min}]",
              "");
  map m = run_map("bar.yaml",
                  "from: [10 mm, 5 mm, 20 mm], to: [10 mm, 5 mm, 50 mm], count: 4, radii: [3 mm], "
                  "depths: [0.05 mm, 0.2 mm]");
  for (int i = 0; i < 4; i++)
    for (int c = SECANT; c <= SECANT + 3; c += 2) {
      CHECK(m.row[i][c] > 0.3 * m.row[i][NORMAL] && m.row[i][c] < 1.2 * m.row[i][NORMAL]);
      CHECK(i == 0 || m.row[i][c] < m.row[i - 1][c]);
    }
}

/** Shallow secants stay where the deepest fails or leaves the body, and both are told in a line. */
static void deep_secants_that_fail_leave_the_others(void) {
  static const char *const        clamp[] = {"x_min", "z_min"},
                           *const depths[] = {"1 mm, 12 mm", "3 mm, 30 mm"},
                           *const said[] = {"failed (radius 3 mm, position 30 mm): penetration",
                                            "position 0 mm: no contact at 30 mm"};
  for (int i = 0; i < 2; i++) {
    char text[400], *row;
    snprintf(text, sizeof text,
             "mesh: {box: {size: [10 mm, 10 mm, 60 mm], cells: [3, 3, 12], pattern: hex}}, clamp: "
             "[{named: %s}]",
             clamp[i]);
    write_scene("bar.yaml", 0.3, text, "");
    snprintf(
        text, sizeof text,
        "supple: 1\nscene: bar.yaml\nstiffness: {body: beam, from: [10 mm, 5 mm, 20 mm], to: [10 "
        "mm, 5 mm, 50 mm], count: 2, radii: [3 mm], depths: [0.5 mm, %s]}\n",
        depths[i]);
    app_write_file("map.yaml", text);
    const char *out =
        check_run("stiffness FOLDER/map.yaml -o FOLDER/map --no-plot", 1 - i, said[i]);
    for (const char *line = strstr(out, "supple: case"); line;
         line = strstr(line + 1, "supple: case"))
      CHECK(strcspn(line, "\n") < 400);
    row = strchr(read_text("map", "stiffness.csv"), '\n');
    double value[6] = {0};
    for (int k = 0; k < FORCE + 6; k++, row++) {
      if (k >= FORCE) value[k - FORCE] = strtod(row, NULL);
      row = strchr(row + 1, ',');
      CU_ASSERT_FATAL(row != NULL);
    }
    CHECK(value[0] > 0 && value[2] > value[0] && value[4] == 0);
  }
}

static void keys_of_indenters_are_checked(void) {
  static const char *const wrong[][2] = {
      {"depths: [1 mm], contact: {fiction: 1}",
       "3:120: unknown key 'fiction' in contact; did you mean"},
      {"contact: {friction: -1}", "friction is -1; it must not be negative"},
      {"contact: 5", "contact must be a mapping"},
      {"steps: 7", "3:101: steps is of indenters, and none are pressed: give depths"},
      {"contact: {friction: 1}", "3:103: contact is of indenters, and none are pressed"}};
  write_scene("beam.yaml", 0, beam, "");
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "supple: 1\nscene: beam.yaml\nstiffness: {body: beam, from: [50 mm, 5 mm, 10 mm], to: "
             "[90 mm, 5 mm, 10 mm], radii: [4 mm], %s}\n",
             wrong[k][0]);
    app_write_file("map.yaml", text);
    check_run("stiffness FOLDER/map.yaml --check", 2, wrong[k][1]);
  }
}

SUITE_TESTS(stiffness_map, TEST(a_cantilever_is_that_of_timoshenko), TEST(a_uniform_block_is_exact),
            TEST(patches_stay_on_their_face), TEST(lines_that_end_at_an_edge_keep_their_face),
            TEST(doubtful_positions_are_told), TEST(a_column_softens_towards_its_critical_load),
            TEST(secants_begin_at_the_loaded_equilibrium), TEST(contact_acts_by_its_tangent),
            TEST(secants_tend_to_tangents), TEST(a_turned_scene_is_the_same),
            TEST(micrometres_and_kilometres_scale), TEST(bodies_without_tangents_keep_secants),
            TEST(cables_and_ties_act_by_their_tangents),
            TEST(fills_of_chambers_act_by_their_tangents), TEST(positions_are_on_the_surface),
            TEST(small_indenters_have_secants), TEST(keys_of_indenters_are_checked),
            TEST(deep_secants_that_fail_leave_the_others));
