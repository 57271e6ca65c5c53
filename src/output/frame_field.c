#include <string.h>

#include "base/memory.h"
#include "output/frame_file.h"

static bool is_drawn(const sup_geometry *geometry, const unsigned char *is_hidden) {
  return geometry->field && geometry->field->num_tets > 0 && !is_hidden[geometry->body];
}

/** Append points and cells of one geometry's field; the counts are where the next one begins. */
static void add_field(sup_field_cells *cells, const sup_geometry *geometry) {
  const sup_field *field = geometry->field;
  sup_mesh        *mesh = cells->mesh;
  int              p0 = mesh->num_vertices, c0 = mesh->num_cells;
  memcpy(cells->local + 3 * (size_t)p0, field->x, 3 * (size_t)field->num_points * sizeof *field->x);
  memcpy(cells->pressure + p0, field->p, (size_t)field->num_points * sizeof *field->p);
  for (int i = 0; i < field->num_points; i++) cells->point_body[p0 + i] = geometry->body;
  for (int i = 0; i < 4 * field->num_tets; i++)
    mesh->cell[4 * (size_t)c0 + (size_t)i] = p0 + field->tet[i];
  for (int i = 0; i < field->num_tets; i++) cells->body_id[c0 + i] = geometry->body;
  mesh->num_vertices += field->num_points, mesh->num_cells += field->num_tets;
}

sup_status sup_field_cells_create(sup_field_cells *cells, const sup_model *model,
                                  const unsigned char *is_hidden) {
  int        points = 0, tets = 0;
  sup_status status;
  *cells = (sup_field_cells){.mesh = NULL};
  for (int g = 0; g < model->num_geometries; g++)
    if (is_drawn(&model->geometry[g], is_hidden))
      points += model->geometry[g].field->num_points, tets += model->geometry[g].field->num_tets;
  if (tets == 0) return SUP_OK;
  SUP_TRY(sup_mesh_create(&cells->mesh, SUP_CELL_T4, points, tets));
  SUP_TRY_GOTO(SUP_CALLOC(cells->local, 3 * (size_t)points), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(cells->pressure, points), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(cells->point_body, points), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(cells->body_id, tets), status, fail);
  cells->mesh->num_vertices = cells->mesh->num_cells = 0;
  for (int g = 0; g < model->num_geometries; g++)
    if (is_drawn(&model->geometry[g], is_hidden)) add_field(cells, &model->geometry[g]);
  return SUP_OK;
fail:
  sup_field_cells_free(cells);
  return status;
}

void sup_field_cells_free(sup_field_cells *cells) {
  sup_mesh_destroy(&cells->mesh);
  SUP_FREE_ALL(&cells->local, &cells->pressure, &cells->point_body, &cells->body_id);
}

sup_status sup_field_cells_write(sup_field_cells *cells, sup_frame_target *place,
                                 const sup_observation *obs) {
  SUP_SCOPED(sup_vtk_abandon) sup_vtk_writer writer = {.binary = 0};
  sup_mesh                                  *mesh = cells->mesh;
  for (int i = 0; i < mesh->num_vertices; i++) {
    const sup_frame *X = &obs->X_WL[cells->point_body[i]];
    sup_v3_store(mesh->x + 3 * (size_t)i,
                 sup_frame_apply(X, sup_v3_load(cells->local + 3 * (size_t)i)));
  }
  SUP_TRY(sup_frame_open(&writer, place, "fields", SUP_NONE));
  SUP_TRY(sup_vtk_points(&writer, mesh->num_vertices, mesh->x));
  SUP_TRY(sup_vtk_cells(&writer, mesh));
  SUP_TRY(sup_vtk_data_begin(&writer, 0, mesh->num_vertices));
  SUP_TRY(sup_vtk_scalars(&writer, "pressure", mesh->num_vertices, cells->pressure));
  SUP_TRY(sup_vtk_data_begin(&writer, 1, mesh->num_cells));
  SUP_TRY(sup_vtk_integers(&writer, "body_id", mesh->num_cells, cells->body_id));
  SUP_TRY(sup_frame_close(&writer, place));
  return SUP_OK;
}
