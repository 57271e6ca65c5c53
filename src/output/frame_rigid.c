#include <string.h>

#include "base/memory.h"
#include "geom/shape.h"
#include "output/frame_file.h"
#include "output/shape_display.h"

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

/** Count points, polygons and corners of a shape; a half space has four points and one polygon. */
static void count(const sup_shape_display *d, int *points, int *polygons, int *corners) {
  *points = d->surface ? d->surface->num_points : 4;
  *polygons = d->surface ? d->surface->num_faces : 1;
  *corners = d->surface ? d->surface->vertices_per_face : 4;
}

sup_status sup_rigid_shape_size(const sup_geometry *geometry, int *points, int *polygons,
                                int *corners) {
  sup_shape_display d;
  *points = *polygons = 0, *corners = 3;
  if (sup_shape_is_point(&geometry->shape)) return SUP_OK;
  SUP_TRY(sup_shape_display_create(&d, geometry, 0)); /* as fine as any scene has it */
  count(&d, points, polygons, corners);
  sup_shape_display_free(&d);
  return SUP_OK;
}

/** Room for one geometry more. */
static sup_status reserve(sup_rigid_shapes *s, const sup_shape_display *d) {
  int points, polygons, corners;
  count(d, &points, &polygons, &corners);
  size_t num_points = (size_t)s->num_points + (size_t)points,
         num_polygons = (size_t)s->num_polygons + (size_t)polygons,
         num_corners = (size_t)s->start[s->num_polygons] + (size_t)(polygons * corners);
  SUP_TRY(SUP_GROW(s->start, s->start_capacity, num_polygons + 1));
  SUP_TRY(SUP_GROW(s->corner, s->corner_capacity, num_corners));
  SUP_TRY(SUP_GROW(s->body_id, s->body_capacity, num_polygons));
  SUP_TRY(SUP_GROW(s->link_id, s->link_capacity, num_polygons));
  SUP_TRY(SUP_GROW(s->point_body, s->point_capacity, num_points));
  SUP_TRY(SUP_GROW(s->local, s->local_capacity, 3 * num_points));
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
                         const sup_geometry *geometry, const sup_shape_display *d) {
  static const int square[4] = {0, 1, 2, 3};
  int              points, polygons, corners;
  count(d, &points, &polygons, &corners);
  const int *face = d->surface ? d->surface->face : square;
  double    *local = shapes->local + 3 * (size_t)shapes->num_points;
  if (d->surface)
    memcpy(local, d->points, 3 * (size_t)points * sizeof *local);
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

static sup_status create(sup_rigid_shapes *shapes, const sup_observation *obs,
                         const unsigned char *is_hidden) {
  sup_v3 centre;
  double extent;
  scene_extent(obs, &centre, &extent);
  SUP_TRY(SUP_GROW(shapes->start, shapes->start_capacity, 1));
  for (int g = 0; g < sup_num_shown(obs->model); g++) {
    const sup_geometry *geometry = sup_shown_geometry(obs->model, g);
    sup_shape_display   d;
    if (!geometry || sup_shape_is_point(&geometry->shape) || is_hidden[geometry->body]) continue;
    SUP_TRY(sup_shape_display_create(&d, geometry, extent));
    sup_status status = reserve(shapes, &d);
    if (status == SUP_OK) add_geometry(shapes, obs, geometry, &d);
    sup_shape_display_free(&d);
    SUP_TRY(status);
  }
  SUP_TRY(SUP_CALLOC(shapes->world, 3 * (size_t)shapes->num_points));
  SUP_TRY(SUP_CALLOC(shapes->velocity, 3 * (size_t)shapes->num_points));
  return SUP_OK;
}

sup_status sup_rigid_shapes_create(sup_rigid_shapes *shapes, const sup_observation *obs,
                                   const unsigned char *is_hidden) {
  *shapes = (sup_rigid_shapes){.num_points = 0};
  sup_status status = create(shapes, obs, is_hidden);
  if (status != SUP_OK) sup_rigid_shapes_free(shapes);
  return status;
}

void sup_rigid_shapes_free(sup_rigid_shapes *shapes) {
  SUP_FREE_ALL(&shapes->start, &shapes->corner, &shapes->body_id, &shapes->link_id,
               &shapes->point_body, &shapes->local, &shapes->world, &shapes->velocity);
  sup_vtk_record_free(&shapes->polygons);
  sup_vtk_record_free(&shapes->ids);
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

static sup_status put_polygons(sup_vtk_writer *writer, sup_rigid_shapes *shapes) {
  if (sup_vtk_record_begin(writer, &shapes->polygons)) return SUP_OK;
  SUP_TRY(sup_vtk_polygons(writer, shapes->num_polygons, shapes->start, shapes->corner));
  SUP_TRY(sup_vtk_record_end(writer));
  return SUP_OK;
}

static sup_status put_ids(sup_vtk_writer *writer, sup_rigid_shapes *shapes) {
  int polygons = shapes->num_polygons;
  SUP_TRY(sup_vtk_data_begin(writer, 1, polygons));
  if (sup_vtk_record_begin(writer, &shapes->ids)) return SUP_OK;
  SUP_TRY(sup_vtk_integers(writer, "body_id", polygons, shapes->body_id));
  SUP_TRY(sup_vtk_integers(writer, "link_id", polygons, shapes->link_id));
  SUP_TRY(sup_vtk_record_end(writer));
  return SUP_OK;
}

sup_status sup_rigid_shapes_write(sup_rigid_shapes *shapes, sup_frame_target *place,
                                  const sup_observation *obs) {
  SUP_SCOPED(sup_vtk_abandon) sup_vtk_writer writer = {.binary = 0};
  int                                        points = shapes->num_points;
  move_points(shapes, obs);
  SUP_TRY(sup_frame_open(&writer, place, "rigid", SUP_NONE));
  SUP_TRY(sup_vtk_points(&writer, points, shapes->world));
  SUP_TRY(put_polygons(&writer, shapes));
  SUP_TRY(sup_vtk_data_begin(&writer, 0, points));
  SUP_TRY(sup_vtk_vectors(&writer, "velocity", points, shapes->velocity));
  SUP_TRY(put_ids(&writer, shapes));
  SUP_TRY(sup_frame_close(&writer, place));
  return SUP_OK;
}
