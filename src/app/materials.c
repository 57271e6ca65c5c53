/* The library of materials, as a table or one of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "base/text.h"
#include "scene/material_library.h"

static const struct {
  const char *key, *unit;
  double      scale; /* units in an SI unit */
} numbers[SUP_MATERIAL_NUM_RANGES] = {
    {"youngs_modulus", "MPa", 1e-6}, {"poissons_ratio", "", 1}, {"density", "kg/m^3", 1}};

static double value_of(const sup_material_def *m, int k) {
  return k == SUP_MATERIAL_YOUNGS_MODULUS ? m->youngs_modulus
         : k == SUP_MATERIAL_DENSITY      ? m->density
                                          : m->poissons_ratio;
}

/** "0.43 (0.4 to 0.5)" */
static void print_cell(const sup_library_material *m, int k, int width) {
  char                      text[96];
  const sup_material_range *r = &m->range[k];
  double                    scale = numbers[k].scale;
  int                       n = snprintf(text, sizeof text, "%.6g", scale * value_of(&m->def, k));
  if (r->high > 0)
    snprintf(text + n, sizeof text - (size_t)n, " (%.6g to %.6g)", scale * r->low, scale * r->high);
  printf("  %-*s", width, text);
}

static void print_table(const sup_material_library *library) {
  printf("materials of %s; value (range)\n", library->folder);
  printf("%-20s  %-28s  %-22s  %-20s  %s\n", "material", "Young's modulus [MPa]",
         "Poisson's ratio [-]", "density [kg/m^3]", "file");
  for (int i = 0; i < library->num_materials; i++) {
    const sup_library_material *m = &library->material[i];
    printf("%-20s", m->def.name);
    print_cell(m, SUP_MATERIAL_YOUNGS_MODULUS, 28);
    print_cell(m, SUP_MATERIAL_POISSONS_RATIO, 22);
    print_cell(m, SUP_MATERIAL_DENSITY, 20);
    printf("  %s\n", m->file);
  }
  printf(
      "`supple materials NAME` tells where the numbers come from.  In a scene: materials: "
      "[FILE]\n");
}

static void print_remarks(const sup_library_material *m, const char *key) {
  const char *source = sup_library_remark(m, "source", key),
             *uncertainty = sup_library_remark(m, "uncertainty", key);
  if (source) printf("    source: %s\n", source);
  if (uncertainty) printf("    uncertainty: %s\n", uncertainty);
}

/** Print what a material of the library breaks at. */
static void print_strength(const sup_library_material *m) {
  if (m->def.strength > 0) printf("  strength         %.6g MPa\n", 1e-6 * m->def.strength);
  print_remarks(m, "strength");
  if (m->def.strain_at_break > 0) printf("  strain_at_break  %.6g\n", m->def.strain_at_break);
  print_remarks(m, "strain_at_break");
}

/** Print the viscoelasticity of a material of the library. */
static void print_relaxation(const sup_library_material *m) {
  if (m->def.loss_factor > 0)
    printf("  loss_factor  %.4g at %.4g Hz\n", m->def.loss_factor, m->def.loss_frequency);
  else if (sup_library_remark(m, "source", "loss_factor"))
    printf("  loss_factor  none set\n");
  print_remarks(m, "loss_factor");
  for (int i = 0; i < m->def.num_prony; i++)
    printf("  prony  share %.4g, time %.4g s\n", m->def.prony[i].share, m->def.prony[i].time);
  if (m->def.num_prony == 0 && sup_library_remark(m, "source", "prony"))
    printf("  prony  none set\n");
  print_remarks(m, "prony");
}

static void print_material(const sup_material_library *library, const sup_library_material *m) {
  printf("%s, in %s/%s\n", m->def.name, library->folder, m->file);
  for (int k = 0; k < SUP_MATERIAL_NUM_RANGES; k++) {
    printf("  %-15s", numbers[k].key);
    print_cell(m, k, 0);
    printf("%s%s\n", numbers[k].unit[0] ? " " : "", numbers[k].unit);
    print_remarks(m, numbers[k].key);
  }
  if (m->def.stiffness_damping > 0)
    printf("  stiffness_damping  %.4g ms\n", 1e3 * m->def.stiffness_damping);
  print_strength(m);
  print_relaxation(m);
  printf("in a scene:\n  materials: [%s]\n  soft: {NAME: {material: %s}}\n", m->file, m->def.name);
}

static int print_named(const sup_material_library *library, const char *name) {
  const char *known[256];
  char        text[1024];
  int         num = 0;
  for (int i = 0; i < library->num_materials; i++) {
    if (strcmp(library->material[i].def.name, name) == 0) {
      print_material(library, &library->material[i]);
      return SUP_EXIT_OK;
    }
    if (num < 256) known[num++] = library->material[i].def.name;
  }
  fprintf(stderr, "supple materials: no material '%s'%s\n", name,
          sup_known_text(name, known, num, text, sizeof text));
  return SUP_EXIT_INPUT;
}

int sup_app_materials(int argc, char **argv) {
  const char           *name = NULL;
  sup_material_library *library;
  static const app_help help = {
      "usage: supple materials [NAME]\n\n"
      "The materials that come with the program: Young's modulus, Poisson's ratio, density, each "
      "with its range; of\n"
      "NAME also where the numbers come from and how uncertain they are.  A scene lists their "
      "files: materials: [tpu.yaml].\n"
      "SUPPLE_MATERIALS names another folder of such files.\n\n",
      SUP_EXIT_HELP, "materials tpu_85a"};
  int code = app_parse_command(argc, argv, &help, NULL, 0, &name);
  if (code != SUP_NONE) return code;
  sup_status status = sup_material_library_read(&library);
  if (status != SUP_OK) return sup_app_report(status, 0);
  code = SUP_EXIT_OK;
  if (name)
    code = print_named(library, name);
  else
    print_table(library);
  sup_material_library_destroy(&library);
  return code;
}
