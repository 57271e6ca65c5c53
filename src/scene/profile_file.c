/* Drawings by the end of their names, and their extrusion. */
#include "scene/profile_file.h"

#include <math.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "profile/formats.h"

const char *const sup_profile_units[SUP_PROFILE_NUM_UNITS] = {"file", "m", "cm", "mm", "um", "in"};
static const double metres[SUP_PROFILE_NUM_UNITS] = {0, 1, 1e-2, 1e-3, 1e-6, 0.0254};

bool sup_profile_is_file_name(const char *path) {
  return sup_text_ends_with(path, ".svg") || sup_text_ends_with(path, ".dxf") ||
         sup_text_ends_with(path, ".csv") || sup_text_ends_with(path, ".txt");
}

sup_status sup_profile_read(sup_profile **profile, const char *path, double unit) {
  char      *data;
  size_t     size;
  sup_status status;
  *profile = NULL;
  if (!sup_profile_is_file_name(path))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: this is not the name of a drawing; expected .svg, .dxf or .csv (or .geo, "
                    ".step for Gmsh)",
                    path);
  if (sup_text_ends_with(path, ".svg")) return sup_profile_read_svg(profile, path, unit);
  SUP_TRY(sup_file_read_most(path, SUP_FILE_MOST_TEXT, &data, &size));
  if (strlen(data) != size)
    status = SUP_FAIL(SUP_E_PARSE, "%s: found a binary file, expected text", path);
  else
    status = sup_text_ends_with(path, ".dxf") ? sup_profile_parse_dxf(profile, path, data, unit)
                                              : sup_profile_parse_csv(profile, path, data, unit);
  SUP_FREE(data);
  return status;
}

/* ---- bricks ---------------------------------------------------------------------------------- */

sup_extrude_options sup_default_extrude_options(void) {
  return (sup_extrude_options){.section = sup_default_quads_options(), .extrusion = {.grading = 1}};
}

/** Files that Gmsh reads itself. */
static bool is_geometry(const char *path) {
  static const char *const endings[] = {".geo", ".step", ".stp", ".iges", ".igs", ".brep"};
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
    if (sup_text_ends_with(path, endings[k])) return 1;
  return 0;
}

static sup_status quads_of_geometry(sup_quads **quads, const char *path,
                                    const sup_extrude_options *o, sup_profile **drawn,
                                    sup_quads_report *report) {
  double unit = metres[o->unit];
  if (o->fillet > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: fillets are made at corners of drawings (.svg, .dxf, .csv); expected them "
                    "in the geometry itself",
                    path);
  if (o->num_offsets > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: loops of drawings (.svg, .dxf) have offsets; expected them in the "
                    "geometry itself",
                    path);
  if (unit == 0 && sup_text_ends_with(path, ".geo"))
    return SUP_FAIL(SUP_E_ARG, "%s: the unit of its numbers is not known; expected a unit: mm",
                    path);
  return sup_quads_of_geometry(quads, path, unit > 0 ? unit : 1e-3, &o->section, drawn, report);
}

static sup_status quads_of_drawing(sup_quads **quads, const char *path,
                                   const sup_extrude_options *o, sup_profile **drawn,
                                   sup_quads_report *report) {
  sup_profile *profile;
  SUP_TRY(sup_profile_read(&profile, path, metres[o->unit]));
  sup_status status = SUP_OK;
  for (int k = 0; k < o->num_offsets && status == SUP_OK; k++)
    status = sup_profile_offset(profile, o->offset[k].id, o->offset[k].distance, path);
  if (status != SUP_OK) {
    sup_profile_destroy(&profile);
    return status;
  }
  status = o->fillet > 0 ? sup_profile_fillet(profile, o->fillet) : SUP_OK;
  if (status == SUP_OK) status = sup_quads_of_profile(quads, profile, &o->section, report);
  if (status != SUP_OK) status = SUP_FAIL(status, "%s: %s", path, sup_error_message());
  if (status == SUP_OK && drawn) *drawn = profile, profile = NULL;
  sup_profile_destroy(&profile);
  return status;
}

/** Number of layers for bricks about twice as deep as they are long. */
static int layers_of(const sup_extrusion *e, const sup_quads *quads) {
  double depth = e->is_symmetric ? 0.5 * e->depth : e->depth;
  double edge = sqrt(sup_quads_area(quads) / quads->num_quads);
  return (int)fmin(fmax(2, round(depth / (2 * edge))), 1000);
}

sup_status sup_mesh_of_drawing(sup_mesh **mesh, const char *path,
                               const sup_extrude_options *options, sup_quads **quads,
                               sup_profile **drawn, sup_quads_report *report) {
  sup_extrusion e = options->extrusion;
  sup_quads    *made = NULL;
  *mesh = NULL;
  if (quads) *quads = NULL;
  if (drawn) *drawn = NULL;
  if (!(e.depth > 0))
    return SUP_FAIL(SUP_E_ARG, "%s: found a depth of %g m, expected a positive length", path,
                    e.depth);
  sup_status status = is_geometry(path) ? quads_of_geometry(&made, path, options, drawn, report)
                                        : quads_of_drawing(&made, path, options, drawn, report);
  if (status == SUP_OK && e.num_layers == 0) e.num_layers = layers_of(&e, made);
  if (status == SUP_OK) status = sup_mesh_extrude(mesh, made, &e);
  if (status == SUP_OK && quads) *quads = made, made = NULL;
  sup_quads_destroy(&made);
  return status;
}
