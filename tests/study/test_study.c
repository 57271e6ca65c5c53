/* Studies: their files, the numbers of a level, ladders.  The files of tests/data/bad_studies say
 * in their first line what reading them must say. */
#include "study/study.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "study/memory.h"
#include "study/quantity.h"
#include "test.h"

static const char program[] = "Makefile"; /* any file: only its content counts */

static void write_file(const char *name, const char *text, char path[512]) {
  snprintf(path, 512, "%s/%s", test_folder(), name);
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fputs(text, file);
  fclose(file);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void check_file(const char *name) {
  static const char mark[] = "# EXPECT: ";
  char              path[512], expected[2048], *text = NULL;
  size_t            size;
  sup_study        *study = NULL;
  snprintf(path, sizeof path, "tests/data/bad_studies/%.200s", name);
  OK(sup_file_read(path, &text, &size));
  CU_ASSERT_FATAL(strncmp(text, mark, strlen(mark)) == 0);
  const char *words = text + strlen(mark);
  snprintf(expected, sizeof expected, "%s:%.*s", path, (int)strcspn(words, "\n"), words);
  bool           is_gradient = strncmp(name, "gradient", 8) == 0;
  bool           is_control = strncmp(name, "control", 7) == 0;
  bool           is_holding = strncmp(name, "holding", 7) == 0;
  bool           is_stiffness = strncmp(name, "stiffness", 9) == 0;
  sup_study_kind kind = is_control     ? SUP_STUDY_CONTROL
                        : is_gradient  ? SUP_STUDY_GRADIENT
                        : is_holding   ? SUP_STUDY_HOLDING
                        : is_stiffness ? SUP_STUDY_STIFFNESS
                                       : SUP_STUDY_CONVERGE;
  sup_status     status = sup_study_load(&study, path, kind);
  if (status == SUP_OK) status = sup_study_prepare(study, program);
  int good = status == SUP_E_PARSE && strncmp(sup_error_message(), expected, strlen(expected)) == 0;
  if (!good)
    printf("\n    %s\n      said     %s\n      expected %s", path, sup_error_message(), expected);
  CU_ASSERT(good);
  sup_study_destroy(&study);
  SUP_FREE(text);
}

static void bad_studies_say_where_what_and_what_would_be_right(void) {
  int            count = 0;
  struct dirent *entry;
  DIR           *folder = opendir("tests/data/bad_studies");
  CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
  while ((entry = readdir(folder)) != NULL)
    if (strstr(entry->d_name, ".yaml")) check_file(entry->d_name), count++;
  closedir(folder);
  CHECK(count >= 40);
}

/* ---- ladders --------------------------------------------------------------------------------- */

static sup_study *study_of(const char *text) {
  char       path[512], scene[4096], whole[8192];
  sup_study *study = NULL;
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(scene, sizeof scene));
  snprintf(whole, sizeof whole,
           "supple: 1\nscene: %s/examples/studies/oscillator.yaml\nquantities: {place: mass.x}\n%s",
           scene, text);
  write_file("study.yaml", whole, path);
  OK(sup_study_load(&study, path, SUP_STUDY_CONVERGE));
  return study;
}

/** Overrides of the family's levels, "a | b | c"; the study is destroyed. */
static void check_levels(const char *text, int family, const char *expected) {
  sup_study *study = study_of(text);
  char       all[2048] = "";
  for (int i = 0; i < study->family[family].num_levels; i++)
    for (int k = 0; k < study->family[family].level[i].num_sets; k++) {
      size_t used = strlen(all);
      snprintf(all + used, sizeof all - used, "%s%s",
               k   ? " "
               : i ? " | "
                   : "",
               study->family[family].level[i].set[k]);
    }
  if (strcmp(all, expected) != 0) printf("\n    levels   %s\n    expected %s\n", all, expected);
  CHECK(strcmp(all, expected) == 0);
  sup_study_destroy(&study);
}

static void ladders_become_overrides(void) {
  check_levels("ladder: {key: time.step, start: 10 ms, levels: 3}", 0,
               "time.step=10 ms | time.step=5 ms | time.step=2.5 ms");
  check_levels("ladder: {key: a.cells, start: [10, 1, 1], factor: 2, levels: 3}", 0,
               "a.cells=[10, 1, 1] | a.cells=[20, 2, 2] | a.cells=[40, 4, 4]");
  check_levels("ladder: {key: a.cells, values: [{wall: 1, rib: 2}, {wall: 2, rib: 4}]}", 0,
               "a.cells={wall: 1, rib: 2} | a.cells={wall: 2, rib: 4}");
  check_levels("ladder: {key: [time.step, a.cells], values: [[1 ms, [1, 2]], [0.5 ms, [2, 4]]]}", 0,
               "time.step=1 ms a.cells=[1, 2] | time.step=0.5 ms a.cells=[2, 4]");
  check_levels("ladder: [{time.step: 10 ms, title: \"it's, a\"}, {time.step: 5 ms}]", 0,
               "time.step=10 ms title='it''s, a' | time.step=5 ms");
  check_levels(
      "set: {a: 1}\nladder: [{t: 2}, {t: 1}]\nfamilies: {x: {set: {b: 2}}, y: {ladder: [{u: 4}, "
      "{u: 3}]}}",
      0, "a=1 b=2 t=2 | a=1 b=2 t=1");
  check_levels(
      "set: {a: 1}\nladder: [{t: 2}, {t: 1}]\nfamilies: {x: {set: {b: 2}}, y: {ladder: [{u: 4}, "
      "{u: 3}]}}",
      1, "a=1 u=4 | a=1 u=3");
}

static void sizes_are_steps_edges_or_given(void) {
  sup_study *study = study_of("ladder: {key: time.step, start: 10 ms, levels: 3}");
  OK(sup_study_prepare(study, program));
  NEAR(study->family[0].level[2].h, 2.5e-3, 1e-15, 0);
  CHECK(strcmp(study->size_unit, "s") == 0);
  sup_study_destroy(&study);
  study = study_of("ladder: {key: solver.tolerance, values: [1.0e-3, 1.0e-4]}\nsize: [2 mm, 1 mm]");
  OK(sup_study_prepare(study, program));
  NEAR(study->family[0].level[1].h, 1e-3, 1e-15, 0);
  CHECK(strcmp(study->size_unit, "m") == 0);
  sup_study_destroy(&study);
  OK(sup_study_load(&study, "examples/studies/cantilever.yaml", SUP_STUDY_CONVERGE));
  OK(sup_study_prepare(study, program));
  NEAR(study->family[0].level[0].h, cbrt(1e-6 / 6), 1e-12,
       0); /* bricks of 1 cm^3, six tetrahedra each */
  NEAR(study->family[1].level[4].h, 1e-2 / 8, 1e-12, 0);
  sup_study_destroy(&study);
}

static void signatures_are_of_program_overrides_and_files(void) {
  static const char ladder[] = "ladder: {key: time.step, start: 10 ms, levels: 2}";
  sup_study        *study = study_of(ladder);
  OK(sup_study_prepare(study, program));
  uint64_t first = study->family[0].level[0].signature,
           second = study->family[0].level[1].signature;
  CHECK(first != second);
  OK(sup_study_prepare(study, program));
  CHECK(study->family[0].level[0].signature == first);
  OK(sup_study_prepare(study, "README.md"));
  CHECK(study->family[0].level[0].signature != first);
  sup_study_destroy(&study);
}

/* ---- numbers of a level ---------------------------------------------------------------------- */

static void check_number(const char *keys, double expected) {
  char       path[512], whole[1024];
  double     value = SUP_NO_NUMBER;
  sup_study *study = NULL;
  snprintf(whole, sizeof whole,
           "supple: 1\nscene: a.yaml\nladder: [{t: 2}, {t: 1}]\nquantities: {q: {%s}}\n", keys);
  write_file("number.yaml", whole, path);
  OK(sup_study_load(&study, path, SUP_STUDY_CONVERGE));
  OK(sup_quantity_value(&study->quantity[0], test_folder(), &value));
  NEAR(value, expected, 1e-12, 0);
  sup_study_destroy(&study);
}

static void numbers_come_from_history_and_summary(void) {
  char path[512];
  write_file("history.csv", "time,a.x,b\n0,1,\n1,3,7\n1.5,-4,\n3,2,5\n", path);
  write_file(
      "summary.json",
      "{\"steps\": 12, \"dofs\": {\"total\": 99}, \"part\": {\"A.B\": 0.25}, \"none\": null}\n",
      path);
  check_number("column: a.x", 2);
  check_number("column: a.x, take: change", 1);
  check_number("column: a.x, take: max", 3);
  check_number("column: a.x, take: min", -4);
  check_number("column: a.x, take: mean", (2 - 0.25 - 1.5) / 3); /* trapezia */
  check_number("column: a.x, take: mean, from: 1 s, to: 1500 ms", -0.5);
  check_number("column: a.x, to: 1 s", 3);
  check_number("column: a.x, take: change, from: 1 s, scale: -10", 10);
  check_number("column: b, take: max", 7); /* rows without a number do not count */
  check_number("column: b, take: change", -2);
  check_number("column: a.x, at: 1 s", 3);
  check_number("column: a.x, at: 0 s", 1);
  check_number("column: a.x, at: 2 s", -2); /* a third of the way from -4 to 2 */
  check_number("column: a.x, at: 3 s, scale: 2", 4);
  check_number("column: a.x, take: integral", 2 - 0.25 - 1.5);
  check_number("column: a.x, take: norm, exponent: 1", 10);
  check_number("column: a.x, take: norm, exponent: 2, scale: -2", -2 * sqrt(1 + 9 + 16 + 4));
  check_number("column: a.x, take: norm, exponent: 400", 4);
  write_file("target.csv", "t [ms],x [mm]\n1000,2000\n2000,-1000\n", path);
  check_number("column: a.x, table: target.csv", (1 + 1) / 2.);                  /* 3 - 2, -2 + 1 */
  check_number("column: a.x, take: change, table: target.csv, scale: 2", 0 + 4); /* 2, -3 */
  write_file("along.csv", "t [ms],b,x\n250,0,2\n1250,0,-0.5\n", path);
  check_number("column: time, table: along.csv, by: a.x, columns: [x, t]", 0.25 * 0.25 / 2);
  check_number("summary: dofs.total", 99);
  check_number("summary: part.A.B, scale: 4", 1);
}

static void numbers_that_are_not_there_list_what_is(void) {
  char             path[512];
  double           value;
  sup_quantity_def def = {
      .name = "q", .source = "b", .from = 0, .to = 0.5, .scale = 1, .place = {"s.yaml", 3, 4}};
  write_file("history.csv", "time,a.x,b\n0,1,\n1,3,7\n", path);
  write_file("summary.json",
             "{\"steps\": 12, \"dofs\": {\"total\": 99}, \"status\": \"completed\"}\n", path);
  FAILS(sup_quantity_value(&def, test_folder(), &value), SUP_E_PARSE,
        "s.yaml:3:4: quantity 'q': the column b holds no number in the window");
  def.take = SUP_WINDOW_AT, def.at = 1.5, def.to = 2, def.source = "a.x";
  FAILS(sup_quantity_value(&def, test_folder(), &value), SUP_E_PARSE,
        "s.yaml:3:4: quantity 'q': history.csv goes from 0 s to 1 s, not to 1.5 s");
  def.source = "a.y";
  FAILS(sup_quantity_value(&def, test_folder(), &value), SUP_E_PARSE,
        "history.csv has no column 'a.y'; did you mean 'a.x'? known: time, a.x, b");
  def.source = "dofs.totl", def.is_summary = 1;
  FAILS(sup_quantity_value(&def, test_folder(), &value), SUP_E_PARSE,
        "has no number 'dofs.totl'; known: steps, dofs.total");
  def.source = "status";
  FAILS(sup_quantity_value(&def, test_folder(), &value), SUP_E_PARSE, "has no number 'status'");
}

/* ---- plans ----------------------------------------------------------------------------------- */

static const char planned_scene[] =
    "supple: 1\ntime: {step: 10 ms, end: 1 s}\n"
    "soft:\n  part:\n    material: {youngs_modulus: 1 MPa, poissons_ratio: 0.3, density: 1000}\n"
    "    mesh: {box: {size: [10 cm, 2 cm, 2 cm], cells: [10, 2, 2]}}\n"
    "    clamp: [{half_space: {normal: [1, 0, 0], offset: 3 mm}}]\n";

/** A plan has fewer cells and knows how many there would be, and what they would take. */
static void plans_know_the_cells_that_they_leave_out(void) {
  static const char *const mesh[] = {
      "soft.part.mesh={box: {size: [0.1, 0.02, 0.02], cells: [32, 8, 8]}}",
      "soft.part.mesh={box: {size: [0.1, 0.02, 0.02], cells: [33, 7, 9], pattern: mirror}}",
      "soft.part.mesh={box: {size: [0.1, 0.02, 0.02], cells: [8, 2, 2]}, refine: 2}",
      ("soft.part.mesh={ring: {inner_radius: 1 mm, outer_radius: 0.02, length: 0.02, "
       "angle: 90 deg, cells: [12, 16, 12]}}"),
      "soft.part.mesh={finray: {cells: {depth: 16}}, refine: 1}"};
  char path[512];
  write_file("planned.yaml", planned_scene, path);
  for (size_t k = 0; k < sizeof mesh / sizeof *mesh; k++) {
    const double        few = 500;
    sup_options         cg = sup_default_options();
    sup_scene          *plan = NULL, *scene = NULL;
    sup_memory_estimate foreseen, counted;
    cg.backend = SUP_BACKEND_CONJUGATE_GRADIENT;
    OK(sup_scene_plan(&plan, path, &mesh[k], 1, few));
    OK(sup_scene_load(&scene, path, &mesh[k], 1));
    CHECK(sup_scene_is_coarser(plan) && !sup_scene_is_coarser(scene));
    CHECK(plan->mesh[0]->num_cells < scene->mesh[0]->num_cells / 2);
    NEAR(plan->cells[0], scene->mesh[0]->num_cells, 0, 0);
    NEAR(scene->cells[0], scene->mesh[0]->num_cells, 0, 0);
    OK(sup_memory_of_model(&plan->model, plan->cells, &cg, &foreseen));
    OK(sup_memory_of_model(&scene->model, NULL, &cg, &counted));
    NEAR(foreseen.cells, counted.cells, 0, 0);
    /* of how many cells the stiffness is shared, a coarse mesh knows roughly */
    NEAR(foreseen.elements / counted.elements, 1, 0, 0.45);
    NEAR(foreseen.total / counted.total, 1, 0, 0.3);
    sup_scene_destroy(&plan);
    sup_scene_destroy(&scene);
  }
}

/** Estimate of a bar of 32 cells with these options of PETSc. */
static sup_memory_estimate memory_by_petsc(const sup_scene *scene, const char *words,
                                           sup_petsc_matrix matrix) {
  sup_options         o = sup_default_options();
  sup_memory_estimate e;
  o.backend = SUP_BACKEND_PETSC, o.petsc = words, o.petsc_matrix = matrix;
  OK(sup_memory_of_model(&scene->model, NULL, &o, &e));
  return e;
}

/* 178, 100, 330 and 40 bytes a block, 450 and 320 an unknown, 45 and 10 MB of libraries. */
static void memory_is_that_of_blocks_unknowns_and_libraries(void) {
  const char *bar = "soft.part.mesh={box: {size: [0.1, 0.02, 0.02], cells: [8, 2, 2]}}";
  char        path[512];
  sup_scene  *scene = NULL;
  write_file("planned.yaml", planned_scene, path);
  OK(sup_scene_load(&scene, path, &bar, 1));
  sup_memory_estimate e = memory_by_petsc(scene, "-pc_type gamg", SUP_PETSC_MATRIX_STORED);
  CHECK(e.blocks > 100 && e.unknowns > 100 && e.nonzeros == 0);
  NEAR(e.program, 56e6, 1e-12, 0);
  NEAR(e.assembly, 278 * e.blocks + 450 * e.unknowns, 1e-12, 0);
  NEAR(e.solver, 330 * e.blocks, 1e-12, 0);
  e = memory_by_petsc(scene, "-pc_type cholesky", SUP_PETSC_MATRIX_STORED);
  CHECK(e.nonzeros > 0);
  CHECK(e.solver > 10e6 && e.solver < 12e6); /* MUMPS, and the factor of a small bar */
  e = memory_by_petsc(scene, "-pc_type gamg", SUP_PETSC_MATRIX_FREE);
  NEAR(e.assembly, 40 * e.blocks + 450 * e.unknowns, 1e-12, 0);
  NEAR(e.solver, 320 * e.unknowns, 1e-12, 0);
  sup_scene_destroy(&scene);
}

/** The clamp holds vertices of the finer mesh alone. */
static void what_a_plan_can_not_have_is_read_whole(void) {
  static const char *const sets[] = {
      "soft.part.mesh={box: {size: [0.1, 0.02, 0.02], cells: [32, 8, 8]}}",
      "soft.part.clamp=[{box: {lower: [0.003, 0, 0], upper: [0.004, 1, 1]}}]"};
  char       path[512];
  sup_scene *plan = NULL;
  write_file("planned.yaml", planned_scene, path);
  OK(sup_scene_plan(&plan, path, sets, 2, 500));
  CHECK(!sup_scene_is_coarser(plan));
  NEAR(plan->mesh[0]->num_cells, 32 * 8 * 8, 0, 0);
  sup_scene_destroy(&plan);
}

SUITE_TESTS(study, TEST(bad_studies_say_where_what_and_what_would_be_right),
            TEST(ladders_become_overrides), TEST(sizes_are_steps_edges_or_given),
            TEST(signatures_are_of_program_overrides_and_files),
            TEST(numbers_come_from_history_and_summary),
            TEST(numbers_that_are_not_there_list_what_is),
            TEST(plans_know_the_cells_that_they_leave_out),
            TEST(memory_is_that_of_blocks_unknowns_and_libraries),
            TEST(what_a_plan_can_not_have_is_read_whole));
