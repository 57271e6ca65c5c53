#include <string.h>

#include "base/memory.h"
#include "geom/shape.h"
#include "output/frame_file.h"

/** Box that holds everything but the half spaces; the unit box when there is nothing else. */
static void scene_extent(const sup_observation *obs, sup_v3 *centre, double *size) {
  const sup_model *model = obs->model;
  sup_v3 lower = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, upper = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < model->num_vertices; i++) {
    sup_v3 x = sup_v3_load(obs->x + 3 * (size_t)i);
    lower = (sup_v3){fmin(lower.x, x.x), fmin(lower.y, x.y), fmin(lower.z, x.z)};
    upper = (sup_v3){fmax(upper.x, x.x), fmax(upper.y, x.y), fmax(upper.z, x.z)};
  }
  for (int g = 0; g < model->num_geometries; g++) {
    const sup_geometry *geometry = &model->geometry[g];
    if (geometry->shape.type == SUP_SHAPE_HALF_SPACE) continue;
    sup_frame X = sup_frame_mul(&obs->X_WL[geometry->body], &geometry->X_LG);
    sup_v3    a, b;
    sup_shape_bounds(&geometry->shape, &X, 0, &a, &b);
    lower = (sup_v3){fmin(lower.x, a.x), fmin(lower.y, a.y), fmin(lower.z, a.z)};
    upper = (sup_v3){fmax(upper.x, b.x), fmax(upper.y, b.y), fmax(upper.z, b.z)};
  }
  *centre = sup_v3_scale(0.5, sup_v3_add(lower, upper));
  *size = sup_v3_norm(sup_v3_sub(upper, lower));
  if (!(*size > 0 && isfinite(*size))) *centre = sup_v3_make(0, 0, 0), *size = 1;
}

/** Counts first, arrays after them: polygons are the faces of the surfaces, four points a half
 * space. */
static sup_status allocate(sup_rigid_shapes *shapes, const sup_model *model) {
  size_t corners = 0;
  for (int g = 0; g < model->num_geometries; g++) {
    const sup_surface *surface = model->geometry[g].surface;
    if (sup_shape_is_point(&model->geometry[g].shape)) continue; /* nothing to see */
    shapes->num_points += surface ? surface->num_points : 4;
    shapes->num_polygons += surface ? surface->num_faces : 1;
    corners += surface ? (size_t)surface->num_faces * (size_t)surface->vertices_per_face : 4;
  }
  SUP_TRY(SUP_CALLOC(shapes->start, shapes->num_polygons + 1));
  SUP_TRY(SUP_CALLOC(shapes->corner, corners));
  SUP_TRY(SUP_CALLOC(shapes->body_id, shapes->num_polygons));
  SUP_TRY(SUP_CALLOC(shapes->link_id, shapes->num_polygons));
  SUP_TRY(SUP_CALLOC(shapes->point_body, shapes->num_points));
  SUP_TRY(SUP_CALLOC(shapes->local, 3 * (size_t)shapes->num_points));
  SUP_TRY(SUP_CALLOC(shapes->world, 3 * (size_t)shapes->num_points));
  SUP_TRY(SUP_CALLOC(shapes->velocity, 3 * (size_t)shapes->num_points));
  return SUP_OK;
}

/** Corners of a half space's patch in the body's frame: below the scene's centre, half as large
 * again as the scene. */
static void patch_corners(const sup_observation *obs, const sup_geometry *geometry, double *local) {
  static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  sup_v3              centre;
  double              size;
  scene_extent(obs, &centre, &size);
  sup_frame X = sup_frame_mul(&obs->X_WL[geometry->body], &geometry->X_LG);
  sup_v3    c = sup_frame_apply_inverse(&X, centre);
  for (int i = 0; i < 4; i++) {
    sup_v3 p = {c.x + 0.75 * size * sign[i][0], c.y + 0.75 * size * sign[i][1], 0};
    sup_v3_store(local + 3 * i, sup_frame_apply(&geometry->X_LG, p));
  }
}

/** Append the points and polygons of one geometry; the counts are where the next one begins. */
static void add_geometry(sup_rigid_shapes *shapes, const sup_observation *obs,
                         const sup_geometry *geometry) {
  static const int   square[4] = {0, 1, 2, 3};
  const sup_surface *surface = geometry->surface;
  int points = surface ? surface->num_points : 4, polygons = surface ? surface->num_faces : 1;
  int corners = surface ? surface->vertices_per_face : 4;
  const int *face = surface ? surface->face : square;
  double    *local = shapes->local + 3 * (size_t)shapes->num_points;
  if (surface)
    memcpy(local, geometry->points, 3 * (size_t)points * sizeof *local);
  else
    patch_corners(obs, geometry, local);
  for (int i = 0; i < points; i++) shapes->point_body[shapes->num_points + i] = geometry->body;
  for (int i = 0; i < polygons; i++) {
    int polygon = shapes->num_polygons + i, first = shapes->start[polygon];
    shapes->body_id[polygon] = geometry->body;
    shapes->link_id[polygon] = obs->model->body[geometry->body].link;
    for (int k = 0; k < corners; k++)
      shapes->corner[first + k] = shapes->num_points + face[corners * i + k];
    shapes->start[polygon + 1] = first + corners;
  }
  shapes->num_points += points;
  shapes->num_polygons += polygons;
}

sup_status sup_rigid_shapes_create(sup_rigid_shapes *shapes, const sup_observation *obs) {
  sup_status status;
  *shapes = (sup_rigid_shapes){.num_points = 0};
  SUP_TRY_GOTO(allocate(shapes, obs->model), status, fail);
  shapes->num_points = shapes->num_polygons = 0;
  for (int g = 0; g < obs->model->num_geometries; g++)
    if (!sup_shape_is_point(&obs->model->geometry[g].shape))
      add_geometry(shapes, obs, &obs->model->geometry[g]);
  return SUP_OK;
fail:
  sup_rigid_shapes_free(shapes);
  return status;
}

void sup_rigid_shapes_free(sup_rigid_shapes *shapes) {
  SUP_FREE(shapes->start);
  SUP_FREE(shapes->corner);
  SUP_FREE(shapes->body_id);
  SUP_FREE(shapes->link_id);
  SUP_FREE(shapes->point_body);
  SUP_FREE(shapes->local);
  SUP_FREE(shapes->world);
  SUP_FREE(shapes->velocity);
}

static void move_points(sup_rigid_shapes *shapes, const sup_observation *obs) {
  for (int i = 0; i < shapes->num_points; i++) {
    int    body = shapes->point_body[i];
    sup_v3 x = sup_frame_apply(&obs->X_WL[body], sup_v3_load(shapes->local + 3 * (size_t)i));
    sup_v3 arm = sup_v3_sub(x, obs->X_WL[body].p);
    sup_v3_store(shapes->world + 3 * (size_t)i, x);
    sup_v3_store(shapes->velocity + 3 * (size_t)i,
                 sup_v3_add(obs->velocity[body], sup_v3_cross(obs->w[body], arm)));
  }
}

sup_status sup_rigid_shapes_write(sup_rigid_shapes *shapes, sup_frame_place *place,
                                  const sup_observation *obs) {
  sup_vtk_writer writer = {.binary = 0};
  sup_status     status;
  int            points = shapes->num_points, polygons = shapes->num_polygons;
  move_points(shapes, obs);
  SUP_TRY_GOTO(sup_frame_open(&writer, place, "rigid", SUP_VTK_POLYDATA), status, fail);
  SUP_TRY_GOTO(sup_vtk_points(&writer, points, shapes->world), status, fail);
  SUP_TRY_GOTO(sup_vtk_polygons(&writer, polygons, shapes->start, shapes->corner), status, fail);
  SUP_TRY_GOTO(sup_vtk_data_begin(&writer, 0, points), status, fail);
  SUP_TRY_GOTO(sup_vtk_vectors(&writer, "velocity", points, shapes->velocity), status, fail);
  SUP_TRY_GOTO(sup_vtk_data_begin(&writer, 1, polygons), status, fail);
  SUP_TRY_GOTO(sup_vtk_integers(&writer, "body_id", polygons, shapes->body_id), status, fail);
  SUP_TRY_GOTO(sup_vtk_integers(&writer, "link_id", polygons, shapes->link_id), status, fail);
  SUP_TRY_GOTO(sup_frame_close(&writer, place), status, fail);
  return SUP_OK;
fail:
  sup_vtk_abandon(&writer);
  return status;
}
