/* Estimate of the files and bytes that a run will write. */
#include <math.h>
#include <string.h>

#include "output/frame_file.h"
#include "output/shape_display.h"

/* Bytes of an integer, binary and as text; of the words of a file, and for a body in it. */
enum { INTEGER = 4, TEXT_INTEGER = 5, WORDS = 500, BODY_WORDS = 40 };

typedef struct sizes {
  double numbers, integers;
} sizes;

/** Points and fields of frame_soft.c. */
static sizes soft_frame(const sup_mesh *mesh, uint32_t arrays) {
  double points = mesh->num_vertices, cells = mesh->num_cells,
         corners = sup_cell_num_vertices(mesh->type), numbers = 3 * points;
  for (int k = 0; sup_frame_array_name(k); k++) {
    bool is_of_cells;
    int  width = sup_frame_array_width(k, &is_of_cells);
    if (arrays >> k & 1) numbers += width * (is_of_cells ? cells : points);
  }
  return (sizes){numbers, cells * (corners + 3)};
}

/** Polygons and fields of frame_rigid.c. */
static sizes rigid_frame(const sup_geometry *geometry) {
  int points = 0, polygons = 0, corners = 0;
  if (sup_rigid_shape_size(geometry, &points, &polygons, &corners) != SUP_OK) return (sizes){0, 0};
  return (sizes){6. * points, (double)polygons * (corners + 1 + 3)};
}

/** Points and cells of frame_field.c. */
static sizes field_frame(const sup_field *field) {
  return (sizes){4. * field->num_points, 7. * field->num_tets};
}

static double bytes_of(sizes size, const sup_output_def *def) {
  bool   is_binary = def->format != SUP_VTK_ASCII, is_float = def->precision == SUP_PRECISION_FLOAT;
  double number = is_binary ? (is_float ? 4 : 8) : (is_float ? 13 : 20);
  return size.numbers * number + size.integers * (is_binary ? INTEGER : TEXT_INTEGER);
}

static bool is_shown(const sup_model *model, const sup_output_def *def, int body) {
  for (int i = 0; i < def->num_bodies; i++)
    if (strcmp(def->body[i], model->body[body].name) == 0) return 1;
  return def->num_bodies == 0;
}

sup_output_plan sup_output_plan_of(const sup_model *model, const sup_output_def *def,
                                   const sup_options *options, double end_time) {
  double          bytes = 0, dt = options->dt;
  bool            is_fixed = !(options->accuracy.tolerance > 0);
  sup_output_plan plan = {.steps = is_fixed ? (long)floor(end_time / dt + 0.5) : 0,
                          .files = model->num_softs + 2 + sup_contact_pressure_has_surfaces(model)};
  if (def->every > 0) {
    double end = is_fixed ? (double)plan.steps * dt : end_time, tiny = 1e-6 * dt,
           whole = floor((end + tiny) / def->every);
    plan.frames =
        (long)whole + 1 + (end - whole * def->every > tiny); /* the last step always has a frame */
  } else if (is_fixed) {
    plan.frames = plan.steps + 1;
  }
  for (int s = 0; s < model->num_softs; s++) {
    if (is_shown(model, def, model->soft[s].body))
      bytes += bytes_of(soft_frame(sup_fem_mesh(model->soft[s].fem), sup_frame_arrays(def)), def);
    else
      plan.files--;
  }
  for (int g = 0; g < sup_num_shown(model); g++) {
    const sup_geometry *geometry = sup_shown_geometry(model, g);
    if (geometry && is_shown(model, def, geometry->body))
      bytes += bytes_of(rigid_frame(geometry), def);
  }
  bool has_fields = 0;
  for (int g = 0; g < model->num_geometries; g++) {
    const sup_field *field = model->geometry[g].field;
    if (!is_shown(model, def, model->geometry[g].body)) continue;
    if (!def->fields || !field || field->num_tets == 0) continue;
    bytes += bytes_of(field_frame(field), def), has_fields = 1;
  }
  plan.files += has_fields;
  if (def->format == SUP_VTK_NONE) plan.files = 0, bytes = 0;
  double shared = 2 + sup_contact_pressure_has_surfaces(model) + has_fields,
         words = plan.files * WORDS + shared * BODY_WORDS * model->num_bodies;
  plan.bytes = plan.files > 0 ? (bytes + words) * (double)plan.frames : 0;
  return plan;
}
