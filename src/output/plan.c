/* What a run will leave on the disk, before it starts. */
#include <math.h>

#include "geom/shape.h"
#include "output/output.h"

/* Bytes of a number, binary and as text; of the words of a file. */
enum { NUMBER = 8, INTEGER = 4, TEXT_NUMBER = 20, TEXT_INTEGER = 5, WORDS = 500 };

typedef struct sizes {
  double numbers, integers;
} sizes;

/** Points and fields of frame.c. */
static sizes soft_frame(const sup_mesh *mesh) {
  double points = mesh->num_vertices, cells = mesh->num_cells,
         corners = sup_cell_num_vertices(mesh->type);
  return (sizes){points * (5 * 3 + 9 + 3) + cells * (9 + 4), cells * (corners + 3)};
}

/** Polygons and fields of frame_rigid.c. */
static sizes rigid_frame(const sup_geometry *geometry) {
  const sup_surface *surface = geometry->surface;
  if (sup_shape_is_point(&geometry->shape)) return (sizes){0, 0};
  double points = surface ? surface->num_points : 4, polygons = surface ? surface->num_faces : 1;
  double corners = surface ? surface->vertices_per_face : 4;
  return (sizes){2 * 3 * points, polygons * (corners + 1 + 2)};
}

/** Points and cells of frame_field.c. */
static sizes field_frame(const sup_field *field) {
  return (sizes){4. * field->num_points, 7. * field->num_tets};
}

static double bytes_of(sizes size, int binary) {
  return size.numbers * (binary ? NUMBER : TEXT_NUMBER) +
         size.integers * (binary ? INTEGER : TEXT_INTEGER);
}

sup_output_plan sup_output_plan_of(const sup_model *model, const sup_output_def *def,
                                   const sup_options *options, double end_time) {
  double          bytes = 0, dt = options->dt;
  int             is_fixed = !(options->accuracy.tolerance > 0);
  sup_output_plan plan = {.steps = is_fixed ? (long)floor(end_time / dt + 0.5) : 0,
                          .files = model->num_softs + 2};
  if (def->every > 0) {
    double end = is_fixed ? (double)plan.steps * dt : end_time, tiny = 1e-6 * dt,
           whole = floor((end + tiny) / def->every);
    plan.frames =
        (long)whole + 1 + (end - whole * def->every > tiny); /* the last step always has a frame */
  } else if (is_fixed) {
    plan.frames = plan.steps + 1;
  }
  for (int s = 0; s < model->num_softs; s++)
    bytes += bytes_of(soft_frame(sup_fem_mesh(model->soft[s].fem)), def->format == SUP_VTK_BINARY);
  for (int g = 0; g < model->num_geometries; g++)
    bytes += bytes_of(rigid_frame(&model->geometry[g]), def->format == SUP_VTK_BINARY);
  int has_fields = 0;
  for (int g = 0; g < model->num_geometries && def->fields; g++) {
    const sup_field *field = model->geometry[g].field;
    if (!field || field->num_tets == 0) continue;
    bytes += bytes_of(field_frame(field), def->format == SUP_VTK_BINARY), has_fields = 1;
  }
  plan.files += has_fields;
  if (def->format == SUP_VTK_NONE) plan.files = 0, bytes = 0;
  plan.bytes = (bytes + plan.files * WORDS) * (double)plan.frames;
  return plan;
}
