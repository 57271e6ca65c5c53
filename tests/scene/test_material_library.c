#include "scene/material_library.h"

#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "scene/scene.h"
#include "test.h"

static void every_material_has_ranges_and_sources(void) {
  static const char *const numbers[] = {"youngs_modulus", "poissons_ratio", "density"};
  sup_material_library    *library;
  OK(sup_material_library_read(&library));
  CHECK(library->num_materials >= 19 && library->num_files >= 6);
  for (int i = 0; i < library->num_materials; i++) {
    const sup_library_material *m = &library->material[i];
    if (strcmp(m->def.name, "icf_finray") == 0) continue; /* an input of a paper */
    for (int k = 0; k < SUP_MATERIAL_NUM_RANGES; k++) {
      CHECK(m->range[k].high > 0 && m->range[k].high >= m->range[k].low);
      CHECK(sup_library_remark(m, "source", numbers[k]) != NULL);
      CHECK(sup_library_remark(m, "uncertainty", numbers[k]) != NULL);
    }
    CHECK(sup_library_remark(m, "source", "mass_damping") == NULL);
    CHECK((m->def.strength > 0) == (sup_library_remark(m, "source", "strength") != NULL));
    CHECK((m->def.strain_at_break > 0) ==
          (sup_library_remark(m, "source", "strain_at_break") != NULL));
  }
  sup_material_library_destroy(&library);
}

static void write_scene(char *path, size_t size, const char *materials, const char *name) {
  sup_file_writer out;
  snprintf(path, size, "%s/scene.yaml", test_folder());
  OK(sup_file_open(&out, path));
  sup_file_print(
      out.file,
      "supple: 1\ntime: {step: 1 ms, end: 1 s}\nmaterials: %s\nsoft:\n  cube:\n    mesh: "
      "{box: {size: [1 cm, 1 cm, 1 cm], cells: [1, 1, 1]}}\n    material: %s\n",
      materials, name);
  OK(sup_file_commit(&out));
}

static void scenes_anywhere_name_files_of_the_library(void) {
  char       path[1024];
  sup_scene *scene;
  write_scene(path, sizeof path, "[silicone.yaml, metals.yaml]", "dragon_skin_30");
  OK(sup_scene_load(&scene, path, NULL, 0));
  NEAR(scene->model.softs[0].material.youngs_modulus, 538e3, 1e-12, 0);
  sup_scene_destroy(&scene);
  write_scene(path, sizeof path, "[silicone.yml]", "dragon_skin_30");
  FAILS(sup_scene_load(&scene, path, NULL, 0), SUP_E_IO, "silicone.yml");
}

static void ranges_that_are_none_are_refused_by_place(void) {
  char       path[1024];
  sup_scene *scene;
  write_scene(path, sizeof path,
              "{m: {youngs_modulus: 5 MPa, poissons_ratio: 0.4, density: 1000, range: "
              "{youngs_modulus: [6 MPa, 8 MPa]}}}",
              "m");
  FAILS(sup_scene_load(&scene, path, NULL, 0), SUP_E_PARSE,
        "range of youngs_modulus is 6e+06 to 8e+06; expected the lowest value first, and 5e+06 "
        "between them");
  write_scene(path, sizeof path,
              "{m: {youngs_modulus: 5 MPa, poissons_ratio: 0.4, density: 1000, range: {density: "
              "[1000]}}}",
              "m");
  FAILS(sup_scene_load(&scene, path, NULL, 0), SUP_E_PARSE, "expected two: [lowest, highest]");
}

static void the_command_lists_and_explains(void) {
  static char out[20000];
  CHECK(test_run_program("materials", out, sizeof out) == 0);
  CHECK(strstr(out, "ecoflex_00_30") && strstr(out, "Young's modulus [MPa]"));
  CHECK(test_run_program("materials tpu_85a", out, sizeof out) == 0);
  CHECK(strstr(out, "22.7 (7.6 to 68) MPa") && strstr(out, "Shore hardness"));
  CHECK(strstr(out, "strength         7 MPa\n    source: ") &&
        strstr(out, "strain_at_break  2.5\n"));
  CHECK(test_run_program("materials tpu", out, sizeof out) == 2);
  CHECK(strstr(out, "no material 'tpu'; ") && strstr(out, "tpu_95a"));
}

static void a_library_that_is_elsewhere_is_said(void) {
  sup_material_library *library;
  setenv("SUPPLE_MATERIALS", "/nowhere", 1);
  FAILS(sup_material_library_read(&library), SUP_E_IO, "SUPPLE_MATERIALS");
  CHECK(library == NULL);
  unsetenv("SUPPLE_MATERIALS");
}

SUITE_TESTS(material_library, TEST(every_material_has_ranges_and_sources),
            TEST(scenes_anywhere_name_files_of_the_library),
            TEST(ranges_that_are_none_are_refused_by_place), TEST(the_command_lists_and_explains),
            TEST(a_library_that_is_elsewhere_is_said));
