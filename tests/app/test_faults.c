/* A whole run, from its scene file to its summary, in which the k-th allocation, or the k-th write,
 * flush or renaming of a file, fails: it ends with a status that says so, and every file that is
 * there afterwards is whole. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "output/format/array_file.h"
#include "output/output.h"
#include "scene/file/yaml.h"
#include "scene/scene.h"
#include "step/step.h"
#include "test.h"

enum { NUM_SETS = 4 };
static const char *format = "output.format=binary";

typedef struct whole_run {
  sup_scene   *scene;
  sup_model   *model;
  sup_state   *state;
  sup_stepper *stepper;
  sup_output  *output;
} whole_run;

static sup_status go(whole_run *r, const char *folder) {
  const char *const sets[NUM_SETS] = {"time.end=6 ms", "output.every=2 ms",
                                      "solver.backend=supernodal", format};
  sup_step_report   report;
  char              path[512];
  SUP_TRY(sup_scene_load(&r->scene, "tests/data/scene/drop.yaml", sets, NUM_SETS));
  SUP_TRY(sup_model_create(&r->model, &r->scene->model));
  SUP_TRY(sup_state_create(&r->state, r->model, &r->scene->options));
  SUP_TRY(sup_stepper_create(&r->stepper, r->model, &r->scene->options));
  SUP_TRY(sup_output_create(&r->output, r->model, &r->scene->options, folder, &r->scene->output,
                            "faults"));
  snprintf(path, sizeof path, "%s/resolved.yaml", folder);
  SUP_TRY(sup_scene_write_resolved(r->scene, path));
  SUP_TRY(sup_output_initial(r->output, r->state, NULL));
  while (r->state->step < 3) {
    SUP_TRY(sup_step(r->stepper, r->state, &report));
    SUP_TRY(sup_output_step(r->output, r->state, sup_stepper_result(r->stepper), &report));
  }
  return sup_output_finish(r->output, r->state, sup_stepper_result(r->stepper),
                           SUP_OUTCOME_COMPLETED, NULL);
}

static sup_status run(const char *folder) {
  whole_run  r = {NULL};
  sup_status status = go(&r, folder);
  sup_output_destroy(&r.output);
  sup_stepper_destroy(&r.stepper);
  sup_state_destroy(&r.state);
  sup_model_destroy(&r.model);
  sup_scene_destroy(&r.scene);
  return status;
}

/* ---- what stands afterwards ------------------------------------------------------------------ */

static int ends_with(const char *name, const char *ending) {
  size_t length = strlen(name), tail = strlen(ending);
  return length > tail && strcmp(name + length - tail, ending) == 0;
}

/** 1: the file is as long as its superblock says, of version 0 with offsets of 8 bytes: the end is
 * behind signature, versions and sizes, and two addresses. */
static int is_whole_hdf5(const char *data, size_t size) {
  uint64_t end = 0;
  if (size < 48 || memcmp(data, "\211HDF\r\n\032\n\0", 9) != 0 || data[13] != 8) return 0;
  memcpy(&end, data + 40, sizeof end);
  return end == size;
}

/** Whole by its format: JSON and YAML parse, tables end with a row, VTK has what its head promises.
 */
static int is_whole(const char *path) {
  char     *data = NULL;
  size_t    size;
  sup_node *root = NULL;
  int       good = sup_file_read(path, &data, &size) == SUP_OK;
  if (ends_with(path, ".json") || ends_with(path, ".series") || ends_with(path, ".yaml"))
    good = good && sup_yaml_read(&root, path) == SUP_OK;
  if (ends_with(path, ".csv")) good = good && (size == 0 || data[size - 1] == '\n');
  if (ends_with(path, ".vtk"))
    good = good && size > 100 && strncmp(data, "# vtk DataFile", 14) == 0 && data[size - 1] == '\n';
  if (ends_with(path, ".h5")) good = good && is_whole_hdf5(data, size);
  if (ends_with(path, ".xdmf")) good = good && ends_with(data, "</Xdmf>\n");
  if (ends_with(path, ".part")) good = 0;
  sup_node_destroy(&root);
  SUP_FREE(data);
  return good;
}

static void check_folder(const char *folder, const char *what, long k) {
  char           path[1024];
  struct dirent *entry;
  DIR           *handle = opendir(folder);
  while (handle && (entry = readdir(handle)) != NULL) {
    snprintf(path, sizeof path, "%.500s/%.400s", folder, entry->d_name);
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "vtk") == 0) continue;
    int good = is_whole(path);
    if (!good) printf("\n    %s %ld leaves %s\n", what, k, path);
    CHECK(good);
  }
  if (handle) closedir(handle);
}

static void check_all(const char *folder, const char *what, long k) {
  char path[600];
  check_folder(folder, what, k);
  snprintf(path, sizeof path, "%s/vtk", folder);
  check_folder(path, what, k);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void the_kth_allocation_fails(void) {
  char folder[300];
  long k = 1, step = 1;
  int  failures = 0;
  snprintf(folder, sizeof folder, "%s/fault_memory", test_folder());
  for (;; k += step) {
    sup_memory_fail_at(k);
    sup_status status = run(folder);
    sup_memory_fail_at(0);
    if (status == SUP_OK) break;
    if (status != SUP_E_MEMORY) printf("\n    allocation %ld: %s\n", k, sup_error_message());
    CHECK(status == SUP_E_MEMORY);
    failures++;
    if (failures > 300) step = 7; /* most are alike: bodies, steps, frames */
    if (failures % 16 == 0) check_all(folder, "allocation", k);
  }
  CHECK(failures > 300);
  check_all(folder, "allocation", k);
}

static char *file_of(const char *folder, const char *name) {
  char   path[600], *data = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  OK(sup_file_read(path, &data, &size));
  return data;
}

/** Check that a run with a failed call has the files of a whole run. */
static void check_equal(const char *folder, const char *whole) {
  int               is_xdmf = strstr(format, "xdmf") != NULL;
  const char *const names[] = {"history.csv", "contacts.csv", "vtk/rigid.vtk.series",
                               is_xdmf ? "vtk/cube.xdmf" : "vtk/cube.vtk.series"};
  for (int i = 0; i < 4; i++) {
    char *a = file_of(folder, names[i]), *b = file_of(whole, names[i]);
    CHECK(strcmp(a, b) == 0);
    SUP_FREE(a);
    SUP_FREE(b);
  }
}

/** A disk that stays full, one that fails once, a limit, writes that are short. */
static void the_kth_write_fails(void) {
  static const sup_file_fault kinds[] = {{0, ENOSPC, 1}, {0, EIO, 0}, {0, EFBIG, 1}, {0, 0, 0}};
  char                        folder[300], whole[300];
  snprintf(folder, sizeof folder, "%s/fault_write", test_folder());
  snprintf(whole, sizeof whole, "%s/fault_none", test_folder());
  OK(run(whole));
  for (int e = 0; e < 4; e++) {
    int failures = 0;
    for (long k = 1;; k++) {
      sup_file_fault fault = kinds[e];
      fault.at = k;
      sup_file_fail(fault);
      sup_status status = run(folder);
      long       calls = sup_file_fail((sup_file_fault){.at = 0});
      check_all(folder, strerror(fault.error), k);
      if (status == SUP_OK && !fault.lasts) check_equal(folder, whole);
      if (calls < k) break;
      if (status == SUP_OK && !fault.lasts) continue;
      CHECK(status == SUP_E_IO && strstr(sup_error_message(), strerror(fault.error)) != NULL);
      failures++;
    }
    CHECK(kinds[e].error == 0 ? failures == 0 : failures > 20);
  }
}

static void in_xdmf(void (*test)(void)) {
  if (sup_array_file_check() != SUP_OK) SKIP("no HDF5: `make hdf5` installs it");
  format = "output.format=xdmf";
  test();
  format = "output.format=binary";
}
static void the_kth_allocation_of_xdmf_fails(void) { in_xdmf(the_kth_allocation_fails); }
static void the_kth_write_of_xdmf_fails(void) { in_xdmf(the_kth_write_fails); }

SUITE_TESTS(faults, TEST(the_kth_allocation_fails), TEST(the_kth_write_fails),
            TEST(the_kth_allocation_of_xdmf_fails), TEST(the_kth_write_of_xdmf_fails));
