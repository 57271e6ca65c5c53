/* Files and verdicts of a simulator's steps are those of `supple run`. */
#include "app/app_test.h"
#include "simulator/simulator_parts.h"
#include "supple.h"

typedef struct recorded {
  sup_scene     *scene;
  sup_model     *model;
  sup_simulator *sim;
  sup_record    *record;
} recorded;

static void load(recorded *r, const char *path, int num_sets, const char *const *sets) {
  *r = (recorded){.scene = NULL};
  OK(sup_scene_load(&r->scene, path, sets, num_sets));
  OK(sup_model_create(&r->model, sup_scene_model_def(r->scene)));
  OK(sup_scene_simulator_create(&r->sim, r->scene, r->model));
}

static void start(recorded *r, const char *name) {
  char folder[600];
  snprintf(folder, sizeof folder, "%s/%s", test_folder(), name ? name : "");
  OK(sup_record_create(&r->record, r->scene, r->sim, name ? folder : NULL));
}

static void end(recorded *r) {
  sup_record_destroy(&r->record);
  sup_simulator_destroy(&r->sim);
  sup_model_destroy(&r->model);
  sup_scene_destroy(&r->scene);
}

static void same_file(const char *a, const char *b, const char *name) {
  char *one = app_read_file(a, name), *other = app_read_file(b, name);
  CHECK(strcmp(one, other) == 0);
  SUP_FREE_ALL(&one, &other);
}

/** The verdict of this name; NULL: there is none. */
static const sup_finding *verdict(sup_record *record, const char *name) {
  static sup_finding found;
  int                count = 0;
  OK(sup_record_verdicts(record, &count));
  for (int i = 0; i < count; i++) {
    OK(sup_record_verdict(record, i, &found));
    if (strcmp(found.name, name) == 0) return &found;
  }
  FAILS(sup_record_verdict(record, count, &found), SUP_E_ARG, "there is no verdict");
  return NULL;
}

/** `warnings` and its surroundings in summary.json; times of the machine stand elsewhere. */
static void same_warnings(const char *a, const char *b) {
  char *one = app_read_file(a, "summary.json"), *other = app_read_file(b, "summary.json");
  char *from = strstr(one, "\"warnings\""), *to = strstr(other, "\"warnings\"");
  CU_ASSERT_FATAL(from && to);
  CHECK(strcmp(from, to) == 0 && strstr(one, "\"completed\""));
  SUP_FREE_ALL(&one, &other);
}

static void records_have_the_files_of_a_run(void) {
  static const char *const sets[] = {"output.every=20 ms", "time.end=0.05", "output.format=ascii"};
  static const char *const frames[] = {"vtk/rigid_0002.vtk",   "vtk/left_finger_0003.vtk",
                                       "vtk/contact_0001.vtk", "vtk/left_finger.vtk.series",
                                       "history.csv",          "contacts.csv"};
  recorded                 r;
  check_run(
      "run examples/finray_grasp.yaml -q -o FOLDER/run --set output.every=20ms "
      "--set time.end=0.05 --set output.format=ascii",
      0, "");
  load(&r, "examples/finray_grasp.yaml", 3, sets);
  start(&r, "record");
  OK(sup_simulator_run(r.sim, 0.05, NULL, NULL));
  const sup_finding *error = verdict(r.record, "momentum_error");
  CU_ASSERT_FATAL(error != NULL);
  CHECK(strcmp(error->severity, "PASS") == 0 && error->value < error->limit && error->text[0]);
  OK(sup_record_finish(r.record, 1));
  OK(sup_record_finish(r.record, 1));
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) same_file("run", "record", frames[i]);
  same_warnings("run", "record");
  CHECK(app_exists("record", "manifest.json") && app_exists("record", "resolved.yaml"));
  CHECK(verdict(r.record, "momentum_error") != NULL);
  FAILS(sup_record_frame(r.record), SUP_E_ARG, "the record is finished");
  OK(sup_simulator_reset(r.sim)); /* it is free again */
  end(&r);
}

static void controlled_steps_end_at_frames(void) {
  static const char *const sets[] = {"time.end=0.1", "time.accuracy=1e-3", "output.every=0.03",
                                     "output.format=ascii"};
  recorded                 r;
  check_run(
      "run examples/falling_sphere.yaml -q -o FOLDER/run_c --set time.end=0.1 "
      "--set time.accuracy=1e-3 --set output.every=0.03 --set output.format=ascii",
      0, "");
  load(&r, "examples/falling_sphere.yaml", 4, sets);
  start(&r, "record_c");
  OK(sup_simulator_run(r.sim, 0.1, NULL, NULL));
  sup_simulator_destroy(&r.sim); /* finishes the record */
  OK(sup_record_finish(r.record, 1));
  same_file("run_c", "record_c", "history.csv");
  same_file("run_c", "record_c", "vtk/rigid.vtk.series");
  end(&r);
}

/** Without a folder verdicts alone, of what happened so far. */
static void verdicts_need_no_files(void) {
  static const char *const sets[] = {"time.step=20 ms"};
  recorded                 r;
  sup_record              *second = NULL;
  load(&r, "examples/soft_cube_drop.yaml", 1, sets);
  start(&r, NULL);
  CHECK(verdict(r.record, "momentum_error") == NULL); /* no step was made */
  FAILS(sup_record_create(&second, r.scene, r.sim, NULL), SUP_E_ARG, "recorded already");
  for (int i = 0; i < 40; i++) OK(sup_simulator_step(r.sim, NULL));
  CHECK(verdict(r.record, "momentum_error") != NULL);
  const sup_finding *loss = verdict(r.record, "numerical_dissipation");
  CU_ASSERT_FATAL(loss != NULL);
  CHECK(strcmp(loss->severity, "WARN") == 0 && loss->value > loss->limit && loss->remedy[0]);
  FAILS(sup_simulator_reset(r.sim), SUP_E_ARG, "finish the record");
  sup_static_options load_steps = sup_scene_static_options(r.scene);
  FAILS(sup_simulator_equilibrate(r.sim, &load_steps, NULL, NULL), SUP_E_ARG, "records are of");
  OK(sup_record_finish(r.record, 1));
  end(&r);
}

/** A step that fails is in the files, unless another one follows. */
static void a_step_that_fails_is_recorded(void) {
  const double huge[6] = {1e300, 1e300, 1e300};
  recorded     r;
  int          body;
  load(&r, "examples/finray_grasp.yaml", 0, NULL);
  start(&r, "failed");
  OK(sup_simulator_step(r.sim, NULL));
  OK(sup_record_frame(r.record));
  OK(sup_simulator_find(r.sim, SUP_OBJECT_BODY, "cylinder", &body));
  OK(sup_simulator_set(r.sim, SUP_SET_WRENCH, body, huge, 6, 0));
  CHECK(sup_simulator_step(r.sim, NULL) != SUP_OK);
  OK(sup_record_finish(r.record, 1));
  char *summary = app_read_file("failed", "summary.json");
  CHECK(strstr(summary, "\"failed\"") && strstr(summary, "step 2"));
  SUP_FREE(summary);
  CHECK(app_exists("failed", "vtk/left_finger_0002.vtk"));
  CHECK(!app_exists("failed", "vtk/left_finger_0003.vtk"));
  end(&r);
}

SUITE_TESTS(record, TEST(records_have_the_files_of_a_run), TEST(controlled_steps_end_at_frames),
            TEST(verdicts_need_no_files), TEST(a_step_that_fails_is_recorded));
