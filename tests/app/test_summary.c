/* summary.json against the registries: each entry has a row, each row an entry; statistics are
 * those of the columns of history.csv. */
#include <math.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "output/summary.h"
#include "scene/file/yaml.h"
#include "solve/solver.h"
#include "study/quantity.h"

/* ---- entries and rows ------------------------------------------------------------------------ */

typedef struct search {
  sup_summary_table table;
  int               seen[SUP_SUMMARY_MAX];
  int               unknown;
} search;

static void look_up(search *s, const char *path) {
  const sup_summary_entry *entry = sup_summary_find(&s->table, path);
  if (entry) {
    s->seen[entry - s->table.entry] = 1;
  } else {
    printf("\n    no row for %s", path);
    s->unknown++;
  }
}

/** Numbers, texts and lists of texts are entries; objects and lists of objects lead to them. */
static void walk(search *s, const sup_node *node, const char *path) {
  char below[512];
  int  i = 0;
  if (node->type == SUP_NODE_SCALAR ||
      (node->child && node->child->type == SUP_NODE_SCALAR && node->type == SUP_NODE_SEQUENCE)) {
    look_up(s, path);
    return;
  }
  for (const sup_node *child = node->child; child; child = child->next, i++) {
    if (child->key)
      snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", child->key);
    else
      snprintf(below, sizeof below, "%s.%d", path, i);
    walk(s, child, below);
  }
}

static void read_entries(search *s, const char *folder) {
  char      path[512];
  sup_node *root = NULL;
  snprintf(path, sizeof path, "%s/%s/summary.json", test_folder(), folder);
  OK(sup_yaml_read(&root, path));
  walk(s, root, "");
  sup_node_destroy(&root);
}

/** A soft cube that begins inside a compliant plate and slides: all that a run can tell. */
static void write_scene(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/all.yaml", test_folder());
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(
      "supple: 1\ntime: {accuracy: 0.02, step: 1 ms, end: 20 ms, scheme: bdf2}\n"
      "solver: {certificate: true, report_condition: true}\n"
      "materials: {gel: {youngs_modulus: 1 MPa, poissons_ratio: 0.3, density: 1000,\n"
      "                  loss_factor: 0.1, loss_frequency: 10 Hz}}\n"
      "rigid:\n"
      "  plate: {shape: {box: {size: [80 mm, 80 mm, 20 mm]}}, fixed: true,\n"
      "          contact: {compliant: {modulus: 1 MPa}}, pose: {position: [0, 0, -10 mm]}}\n"
      "soft:\n"
      "  cube:\n"
      "    mesh: {box: {size: [20 mm, 20 mm, 20 mm], cells: [2, 2, 2], pattern: hex}}\n"
      "    material: gel\n"
      "    velocity: [0.2, 0, -0.5]\n"
      "    pose: {position: [0, 0, -1 mm]}\n",
      file);
  fclose(file);
}

/** Solvers with entries of their own. */
static const char *const other_solvers[] = {"contact.solver=tamsi", "contact.solver=ncp_pgs",
                                            "solver.backend=cg"};

static void run_with_solver(const char *solver, char *command, size_t size) {
  snprintf(command, size,
           "run FOLDER/all.yaml -q -o FOLDER/%s --set %s "
           "--set contact.tamsi.coupling=one_way --set contact.model=lagged --set time.end=5e-3",
           solver, solver);
  check_run(command, 0, "");
}

static void every_entry_has_a_row_and_every_row_an_entry(void) {
  search s = {.unknown = 0};
  write_scene();
  check_run("run FOLDER/all.yaml -q -o FOLDER/all", 0, "");
  sup_summary_table_make(&s.table);
  read_entries(&s, "all");
  for (size_t k = 0; k < sizeof other_solvers / sizeof *other_solvers; k++) {
    char command[256];
    run_with_solver(other_solvers[k], command, sizeof command);
    read_entries(&s, other_solvers[k]);
  }
  CHECK(s.unknown == 0 && s.table.count > 60);
  for (int i = 0; i < s.table.count; i++) {
    if (!s.seen[i]) printf("\n    no entry for %s", s.table.entry[i].path);
    CHECK(s.seen[i]);
  }
}

static void an_entry_has_a_path_of_its_own_a_unit_and_a_meaning(void) {
  sup_summary_table table;
  sup_summary_table_make(&table);
  for (int i = 0; i < table.count; i++) {
    const sup_summary_entry *e = &table.entry[i];
    char                     meaning[256];
    CHECK(e->unit[0] && strlen(sup_summary_meaning(e, meaning, sizeof meaning)) > 3 &&
          !e->put != !e->from);
    for (int k = 0; k < i; k++) CHECK(strcmp(e->path, table.entry[k].path) != 0);
  }
}

static void entries_are_found_by_paths_with_names_of_the_scene(void) {
  static const char *const known[][2] = {
      {"dofs.total", "-"},           {"energy_final", "J"},
      {"penetration_max", "m"},      {"newton.mean", "-"},
      {"wall.phases.solve", "s"},    {"stress.my.finger.von_mises_p99", "Pa"},
      {"series_softening.a.b", "-"}, {"angular_momentum_loss.toy.taken", "kg m^2/s"},
      {"warnings.3.time", "s"}};
  sup_summary_table table;
  sup_summary_table_make(&table);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const sup_summary_entry *e = sup_summary_find(&table, known[i][0]);
    CHECK(e && strcmp(e->unit, known[i][1]) == 0);
  }
  CHECK(!sup_summary_find(&table, "dofs") && !sup_summary_find(&table, "dofs.totl") &&
        !sup_summary_find(&table, "stress.finger") && !sup_summary_find(&table, "stress.") &&
        !sup_summary_find(&table, "energy_final.x") && !sup_summary_find(&table, ""));
}

/* ---- statistics ------------------------------------------------------------------------------ */

enum { MAX_ROWS = 256 };

/** Numbers of a column of FOLDER/history.csv without the row of the start; an empty field is 0. */
static int read_column(const char *csv, const char *name, double number[MAX_ROWS]) {
  int         index = 0, rows = 0;
  size_t      length = strlen(name);
  const char *p = csv;
  while (strncmp(p, name, length) != 0 || (p[length] != ',' && p[length] != '\n')) {
    p += strcspn(p, ",\n");
    if (*p != ',') printf("\n    no column %s", name);
    CU_ASSERT_FATAL(*p == ',');
    p++, index++;
  }
  p = strchr(strchr(csv, '\n') + 1, '\n') + 1;
  for (; *p; p = strchr(p, '\n') + 1, rows++) {
    const char *field = p;
    CU_ASSERT_FATAL(rows < MAX_ROWS);
    for (int i = 0; i < index; i++) field = strchr(field, ',') + 1;
    number[rows] = strtod(field, NULL);
  }
  return rows;
}

static double entry(const char *folder, const char *name, const char *below) {
  char   path[512], member[128];
  double value = nan("");
  snprintf(path, sizeof path, "%s/%s/summary.json", test_folder(), folder);
  snprintf(member, sizeof member, "%s%s", name, below);
  OK(sup_json_file_number(path, member, &value));
  return value;
}

/** The history of a run with a row for each step gives the numbers of its summary.
 * @param[in] with_certificate  1: those that the scene must ask for, too */
static void check_statistics(const char *folder, int with_certificate) {
  static const double         absolute = 1e-14; /* THEORY 5.2: such steps have no relative error */
  double                      number[MAX_ROWS], residual[MAX_ROWS];
  char                        path[512], column[SUP_COLUMN_MAX], *csv = NULL;
  size_t                      size;
  int                         compared = 0;
  const sup_observable_group *group;
  const sup_observable       *o;
  snprintf(path, sizeof path, "%s/%s/history.csv", test_folder(), folder);
  OK(sup_file_read(path, &csv, &size));
  CHECK(entry(folder, "round_off_steps", "") == 0);
  int rows = read_column(csv, "momentum_residual", residual);
  CHECK(rows > 0 && rows == (int)entry(folder, "steps", ""));
  for (int i = 0; (o = sup_observable_with_statistic(i, &group)) != NULL; i++) {
    double max = 0, sum = 0;
    int    is_asked = strstr(group->what, "with solver.") || strstr(group->what, "with time.");
    int    is_solvers = strstr(group->what, "contact.solver") ||
                     strstr(group->what, "solver.backend"); /* those of another one */
    CHECK(sup_observable_width(o) == 1);
    sup_observable_column(o, 0, group->pattern, column);
    if (!o->entry || (is_asked && !with_certificate)) continue;
    if (is_solvers && !strstr(csv, column)) continue;
    read_column(csv, column, number);
    for (int r = 0; r < rows; r++) {
      if (!o->counts || residual[r] > absolute) max = fmax(max, number[r]);
      sum += number[r];
    }
    if (o->statistic == SUP_STATISTIC_MEAN_AND_MAX) {
      NEAR(entry(folder, o->entry, ".mean"), sum / rows, 1e-11, 0);
      NEAR(entry(folder, o->entry, ".max"), max, 0, 0);
    } else if (o->statistic == SUP_STATISTIC_FINAL) {
      NEAR(entry(folder, o->entry, ""), number[rows - 1], 1e-11, 0);
    } else {
      NEAR(entry(folder, o->entry, ""), max, 1e-11, 0);
    }
    compared++;
  }
  CHECK(compared >= (with_certificate ? 17 : 10));
  SUP_FREE(csv);
}

static void statistics_are_those_of_the_history(void) {
  write_scene();
  check_run("run FOLDER/all.yaml -q -o FOLDER/all", 0, "");
  check_statistics("all", 1);
  CHECK(entry("all", "contacts", ".max") > 4 && entry("all", "newton", ".mean") > 1);
  check_run(
      "run examples/soft_stack.yaml -q -o FOLDER/stack --set time.end=0.1 "
      "--set output.every=0 --set output.format=none",
      0, "");
  check_statistics("stack", 0);
  for (size_t k = 0; k < sizeof other_solvers / sizeof *other_solvers; k++) {
    char command[256];
    run_with_solver(other_solvers[k], command, sizeof command);
    check_statistics(other_solvers[k], 1);
  }
  CHECK(entry("stack", "islands", ".max") >= 1 && entry("stack", "momentum_error_max", "") > 0);
}

/* ---- help ------------------------------------------------------------------------------------ */

static void help_explains_every_entry_and_column(void) {
  char              path[512], meaning[256];
  sup_summary_table table;
  const char       *said = check_run("help", 0, "\n  summary    entries of summary.json\n");
  sup_summary_table_make(&table);
  said = check_run("help summary", 0, "Entries of summary.json");
  for (int i = 0; i < table.count; i++) {
    snprintf(path, sizeof path, "\n  %s ", table.entry[i].path);
    CHECK(strstr(said, path) != NULL);
    CHECK(strstr(said, sup_summary_meaning(&table.entry[i], meaning, sizeof meaning)) != NULL);
  }
  check_run("help summary --format json", 0,
            "{\"name\": \"energy_final\", \"unit\": \"J\", \"meaning\": \"at the end: kinetic, ");
  check_run("help columns --format json", 0,
            "{\"name\": \"newton\", \"unit\": \"-\", \"meaning\": \"iterations of the ");
  check_run("help summary newton", 2, "expected 'supple help summary [--format json]'");
  check_run("help sumary", 2, "did you mean 'summary'?");
}

/** 1: `help solvers` lists `word` in the row of a solver; -1: there is no such row. */
static int takes(const char *said, const char *row, const char *word) {
  char        key[96];
  const char *line, *end, *found;
  snprintf(key, sizeof key, "\n  %s ", row);
  line = strstr(said, key);
  if (!line) return -1;
  end = strchr(line + 1, '\n');
  found = strstr(line + strlen(key), word);
  return found && found < end;
}

/* The rows say what the program refuses: test_options and the scenes of test_contact_solvers. */
static void help_lists_what_each_contact_solver_takes(void) {
  const char *said = check_run("help solvers", 0, "Features of each contact.solver");
  for (int i = 0; i < SUP_NUM_CONTACT_SOLVERS; i++) {
    const sup_contact_solver_row *row = sup_contact_solver_table((sup_contact_solver)i);
    char                          name[96];
    snprintf(name, sizeof name, "%s.joints", row->name);
    CHECK(takes(said, name, "limits, couplers, actuators") == 1);
    snprintf(name, sizeof name, "%s.models", row->name);
    CHECK(takes(said, name, "lagged") == 1);
    CHECK(takes(said, name, "sap") == (int)(row->models >> SUP_MODEL_SAP & 1));
    snprintf(name, sizeof name, "%s.normal_laws", row->name);
    CHECK(takes(said, name, "log_barrier") == row->takes_barriers);
    CHECK(takes(said, name, "hertz") == 1);
    snprintf(name, sizeof name, "%s.stick", row->name);
    CHECK(takes(said, name, "elastic") == row->accepts(SUP_LAW_ELASTIC_STICK));
    snprintf(name, sizeof name, "%s.iterates_on", row->name);
    CHECK(takes(said, name, "impulses") == row->iterates_on_impulses);
  }
  CHECK(takes(said, "tamsi.models", "sap") == 0 && takes(said, "newton.models", "sap") == 1);
  check_run("help solvers --format json", 0,
            "{\"name\": \"newton.models\", \"unit\": \"-\", \"meaning\": \"lagged, ");
}

/** history.csv with columns by name: the numbers and the order of the whole one, the same after a
 * resume. */
static void named_columns_are_those_of_all(void) {
  static const char *const column[] = {"cube.com_x", "cube.com_z", "energy.kinetic",
                                       "energy.total"};
  write_scene();
  check_run("run FOLDER/all.yaml -o FOLDER/whole", 0, "results: ");
  check_run(
      "run FOLDER/all.yaml -o FOLDER/named --set "
      "'output.history=[energy.total, energy.kinetic, cube.com_*]'",
      0, "results: ");
  for (size_t i = 0; i < sizeof column / sizeof *column; i++)
    CHECK(app_last_value("named", column[i]) == app_last_value("whole", column[i]));
  char *rows = app_read_file("named", "history.csv");
  CHECK(strncmp(rows, "time,cube.com_x,cube.com_y,cube.com_z,", 38) == 0);
  rows[strcspn(rows, "\n")] = '\0';
  CHECK(strstr(rows, "energy.kinetic") && strstr(rows, "energy.total"));
  CHECK(!strstr(rows, "newton") && !strstr(rows, "energy.elastic"));
  SUP_FREE(rows);
  check_run("run FOLDER/all.yaml --check --set 'output.history=[energy.kinetik]'", 2,
            "there is no column 'energy.kinetik'; did you mean 'energy.kinetic'?");
  check_run("run FOLDER/all.yaml --check --set 'output.history=[time, \"xy*\"]'", 2,
            "there is no column 'xy*' in history.csv");
}

SUITE_TESTS(summary, TEST(named_columns_are_those_of_all),
            TEST(every_entry_has_a_row_and_every_row_an_entry),
            TEST(an_entry_has_a_path_of_its_own_a_unit_and_a_meaning),
            TEST(entries_are_found_by_paths_with_names_of_the_scene),
            TEST(statistics_are_those_of_the_history), TEST(help_explains_every_entry_and_column),
            TEST(help_lists_what_each_contact_solver_takes));
