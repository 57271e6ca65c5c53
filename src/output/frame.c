#include "output/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/material.h"

static const char *const group_stem[] = {"rigid", "contact", "fields"};
static const char *const group_text[] = {"rigid shapes", "contact patches", "pressure fields"};
enum { NUM_GROUPS = sizeof group_stem / sizeof *group_stem };

sup_status sup_frame_open(sup_vtk_writer *writer, const sup_frame_place *place, const char *stem,
                          sup_vtk_dataset dataset) {
  char name[256], path[sizeof place->folder + sizeof name], title[256];
  SUP_TRY(sup_series_frame_name(name, sizeof name, stem, place->frame));
  snprintf(path, sizeof path, "%s/%s", place->folder, name);
  snprintf(title, sizeof title, "%.180s: %.60s", place->title, stem);
  SUP_TRY(sup_vtk_open(writer, path, title, place->binary, dataset));
  writer->out.is_one_of_many = 1;
  SUP_TRY(sup_vtk_time(writer, place->time, place->step));
  return SUP_OK;
}

sup_status sup_frame_close(sup_vtk_writer *writer, sup_frame_place *place) {
  place->nonfinite += writer->nonfinite;
  SUP_TRY(sup_vtk_close(writer));
  return SUP_OK;
}

/* ---- soft bodies ----------------------------------------------------------------------------- */

static sup_status write_failure(sup_frames *frames, sup_vtk_writer *writer, const sup_soft *soft,
                                const sup_observation *obs, const sup_frame_failure *failure) {
  int           n = soft->num_vertices;
  size_t        first = 3 * (size_t)soft->first_vertex;
  const double *residual = failure->residual ? failure->residual + first : obs->zero;
  for (int i = 0; i < n; i++) {
    frames->integers[i] = 0;
    for (int k = 3 * i; k < 3 * i + 3; k++) {
      if (!isfinite(residual[k]) || !isfinite((obs->x + first)[k])) frames->integers[i] = 1;
      frames->numbers[k] = isfinite(residual[k]) ? residual[k] : 0;
    }
  }
  SUP_TRY(sup_vtk_vectors(writer, "residual", n, frames->numbers));
  SUP_TRY(sup_vtk_integers(writer, "nonfinite", n, frames->integers));
  return SUP_OK;
}

/** Recovered stress, its principal values and its von Mises stress. */
static sup_status write_recovered(sup_frames *frames, sup_vtk_writer *writer, int n,
                                  const double *six) {
  double *number = frames->numbers;
  for (int i = 0; i < n; i++) {
    sup_m3 S = sup_fem_tensor(six + 6 * i);
    for (int k = 0; k < 9; k++) number[9 * i + k] = S.m[k / 3][k % 3];
  }
  SUP_TRY(sup_vtk_tensors(writer, "cauchy_stress_recovered", n, number));
  sup_fem_principal(n, six, number);
  SUP_TRY(sup_vtk_vectors(writer, "principal_stress", n, number));
  for (int i = 0; i < n; i++) {
    sup_m3 S = sup_fem_tensor(six + 6 * i);
    number[i] = sup_fem_von_mises(&S);
  }
  SUP_TRY(sup_vtk_scalars(writer, "von_mises_recovered", n, number));
  return SUP_OK;
}

static sup_status write_points(sup_frames *frames, sup_vtk_writer *writer, int s,
                               const sup_observation *obs, const sup_frame_failure *failure) {
  const sup_soft *soft = &obs->model->soft[s];
  int             n = soft->num_vertices;
  size_t          first = 3 * (size_t)soft->first_vertex;
  SUP_TRY(sup_vtk_data_begin(writer, 0, n));
  for (int i = 0; i < 3 * n; i++) frames->numbers[i] = (obs->x + first)[i] - soft->x0[i];
  SUP_TRY(sup_vtk_vectors(writer, "displacement", n, frames->numbers));
  SUP_TRY(sup_vtk_vectors(writer, "velocity", n, obs->xdot + first));
  SUP_TRY(sup_vtk_vectors(writer, "contact_force", n, obs->contact_force + first));
  for (int i = 0; i < n; i++) {
    double force = sup_v3_norm(sup_v3_load(obs->contact_force + first + 3 * i));
    frames->numbers[i] = soft->vertex_area[i] > 0 ? force / soft->vertex_area[i] : 0;
  }
  SUP_TRY(sup_vtk_scalars(writer, "contact_pressure", n, frames->numbers));
  sup_fem_vertex_average(soft->fem, obs->von_mises + obs->cell_start[s], frames->numbers);
  SUP_TRY(sup_vtk_scalars(writer, "von_mises_nodal", n, frames->numbers));
  SUP_TRY(write_recovered(frames, writer, n, obs->vertex_cauchy + 6 * (size_t)soft->first_vertex));
  if (failure) SUP_TRY(write_failure(frames, writer, soft, obs, failure));
  return SUP_OK;
}

static sup_status write_cells(sup_frames *frames, sup_vtk_writer *writer, int s,
                              const sup_observation *obs) {
  int c0 = obs->cell_start[s], n = obs->cell_start[s + 1] - c0;
  SUP_TRY(sup_vtk_data_begin(writer, 1, n));
  SUP_TRY(sup_vtk_tensors(writer, "cauchy_stress", n, obs->cauchy + 9 * (size_t)c0));
  SUP_TRY(sup_vtk_scalars(writer, "von_mises", n, obs->von_mises + c0));
  SUP_TRY(sup_vtk_scalars(writer, "strain_energy_density", n, obs->energy_density + c0));
  SUP_TRY(sup_vtk_scalars(writer, "volume_ratio", n, obs->volume_ratio + c0));
  SUP_TRY(sup_vtk_scalars(writer, "stress_error", n, obs->stress_error + c0));
  const int *material = sup_fem_cell_material(obs->model->soft[s].fem),
            *id = frames->material_id + frames->first_material[s];
  for (int c = 0; c < n; c++) frames->integers[c] = id[material[c]];
  SUP_TRY(sup_vtk_integers(writer, "material_id", n, frames->integers));
  return SUP_OK;
}

static sup_status write_soft(sup_frames *frames, int s, const sup_observation *obs,
                             const sup_frame_failure *failure) {
  const sup_soft *soft = &obs->model->soft[s];
  sup_vtk_writer  writer = {.binary = 0};
  sup_status      status;
  SUP_TRY_GOTO(sup_frame_open(&writer, &frames->place, soft->name, SUP_VTK_UNSTRUCTURED_GRID),
               status, fail);
  SUP_TRY_GOTO(sup_vtk_points(&writer, soft->num_vertices, soft->x0), status, fail);
  SUP_TRY_GOTO(sup_vtk_cells(&writer, sup_fem_mesh(soft->fem)), status, fail);
  SUP_TRY_GOTO(write_points(frames, &writer, s, obs, failure), status, fail);
  SUP_TRY_GOTO(write_cells(frames, &writer, s, obs), status, fail);
  SUP_TRY_GOTO(sup_frame_close(&writer, &frames->place), status, fail);
  return SUP_OK;
fail:
  sup_vtk_abandon(&writer);
  return status;
}

/* ---- all groups ------------------------------------------------------------------------------ */

/** A soft body names its files: no folder in it, nothing hidden, not the name of another group. */
static sup_status check_name(const char *name) {
  if (name[0] == '\0' || name[0] == '.' || strchr(name, '/'))
    return SUP_FAIL(SUP_E_ARG,
                    "soft body '%s': the name is used for files, so it must not be empty, begin "
                    "with '.' or hold '/'",
                    name);
  for (int g = 0; g < NUM_GROUPS; g++)
    if (strcmp(name, group_stem[g]) == 0)
      return SUP_FAIL(SUP_E_ARG,
                      "soft body '%s': vtk/%s_NNNN.vtk already holds the %s; choose another name",
                      name, name, group_text[g]);
  return SUP_OK;
}

sup_status sup_frames_check_names(const sup_model *model) {
  for (int s = 0; s < model->num_softs; s++) SUP_TRY(check_name(model->soft[s].name));
  return SUP_OK;
}

static sup_status number_materials(sup_frames *frames, const sup_model *model) {
  const char **name = NULL;
  int          count = 0, used = 0;
  for (int s = 0; s < model->num_softs; s++) count += sup_fem_num_materials(model->soft[s].fem);
  SUP_TRY(SUP_CALLOC(frames->first_material, model->num_softs));
  SUP_TRY(SUP_CALLOC(frames->material_id, count));
  SUP_TRY(SUP_CALLOC(name, count));
  for (int s = 0; s < model->num_softs; s++) {
    const sup_fem_body *fem = model->soft[s].fem;
    frames->first_material[s] = used;
    for (int k = 0; k < sup_fem_num_materials(fem); k++, used++) {
      int same = 0;
      name[used] = sup_fem_material(fem, k)->name;
      while (strcmp(name[same], name[used]) != 0) same++;
      frames->material_id[used] = same;
    }
  }
  SUP_FREE(name);
  return SUP_OK;
}

static sup_status allocate(sup_frames *frames, const sup_model *model) {
  int vertices = 0, cells = 0;
  for (int s = 0; s < model->num_softs; s++) {
    int n = sup_fem_mesh(model->soft[s].fem)->num_cells;
    if (n > cells) cells = n;
    if (model->soft[s].num_vertices > vertices) vertices = model->soft[s].num_vertices;
  }
  SUP_TRY(SUP_CALLOC(frames->integers, cells > vertices ? cells : vertices));
  SUP_TRY(SUP_CALLOC(frames->numbers, 9 * (size_t)vertices));
  SUP_TRY(number_materials(frames, model));
  return SUP_OK;
}

static sup_status prepare(sup_frames *frames, const sup_observation *obs, const char *folder,
                          long first) {
  const sup_model *model = obs->model;
  SUP_TRY(sup_text_copy(frames->place.folder, sizeof frames->place.folder, folder));
  SUP_TRY(allocate(frames, model));
  SUP_TRY(sup_rigid_shapes_create(&frames->rigid, obs));
  SUP_TRY(sup_make_folder(folder));
  for (int s = 0; s < model->num_softs; s++)
    SUP_TRY(sup_series_remove(folder, model->soft[s].name, first));
  for (int g = 0; g < NUM_GROUPS; g++) SUP_TRY(sup_series_remove(folder, group_stem[g], first));
  return SUP_OK;
}

static const char *stem_of(const sup_observation *obs, int group) {
  int num_softs = obs->model->num_softs;
  return group < num_softs ? obs->model->soft[group].name : group_stem[group - num_softs];
}

/** The frames of an earlier run are as if they had been written here. */
static sup_status go_on(sup_frames *frames, const sup_observation *obs,
                        const sup_frames_mark *from) {
  if (from->count == 0) return SUP_OK;
  SUP_TRY(SUP_GROW(frames->time, frames->time_capacity, from->count));
  memcpy(frames->time, from->time, (size_t)from->count * sizeof *frames->time);
  frames->place.frame = from->count, frames->place.nonfinite = from->nonfinite;
  frames->last_time = frames->time[from->count - 1];
  for (int g = 0; g < frames->num_groups; g++)
    SUP_TRY(sup_series_go_on(&frames->series[g], frames->place.folder, stem_of(obs, g),
                             frames->time, from->count));
  return SUP_OK;
}

sup_status sup_frames_create(sup_frames *frames, const sup_observation *obs, const char *folder,
                             const char *title, int binary, int fields,
                             const sup_frames_mark *from) {
  sup_status status;
  *frames = (sup_frames){.place = {.binary = binary}};
  snprintf(frames->place.title, sizeof frames->place.title, "%.200s", title ? title : "Supple");
  for (char *c = frames->place.title; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' '; /* the title of a VTK file is one line */
  SUP_TRY_GOTO(prepare(frames, obs, folder, from ? from->count : 0), status, fail);
  if (fields) SUP_TRY_GOTO(sup_field_cells_create(&frames->fields, obs->model), status, fail);
  frames->num_groups = obs->model->num_softs + (frames->fields.mesh ? NUM_GROUPS : NUM_GROUPS - 1);
  SUP_TRY_GOTO(SUP_CALLOC(frames->series, frames->num_groups), status, fail);
  if (from) SUP_TRY_GOTO(go_on(frames, obs, from), status, fail);
  return SUP_OK;
fail:
  sup_frames_free(frames);
  return status;
}

void sup_frames_free(sup_frames *frames) {
  for (int g = 0; g < frames->num_groups && frames->series; g++)
    sup_series_free(&frames->series[g]);
  SUP_FREE(frames->series);
  SUP_FREE(frames->time);
  SUP_FREE(frames->first_material);
  SUP_FREE(frames->material_id);
  SUP_FREE(frames->integers);
  SUP_FREE(frames->numbers);
  sup_rigid_shapes_free(&frames->rigid);
  sup_field_cells_free(&frames->fields);
}

sup_status sup_frames_write(sup_frames *frames, const sup_observation *obs, double time,
                            const sup_frame_failure *failure) {
  sup_frame_place *place = &frames->place;
  int              num_softs = obs->model->num_softs;
  if (place->frame > 0 && !(time > frames->last_time))
    return SUP_FAIL(SUP_E_ARG, "a frame at %g s cannot follow one at %g s", time,
                    frames->last_time);
  place->time = time, place->step = obs->step;
  for (int s = 0; s < num_softs; s++) SUP_TRY(write_soft(frames, s, obs, failure));
  SUP_TRY(sup_rigid_shapes_write(&frames->rigid, place, obs));
  SUP_TRY(sup_contact_polygons_write(place, obs));
  if (frames->fields.mesh) SUP_TRY(sup_field_cells_write(&frames->fields, place, obs));
  SUP_TRY(SUP_GROW(frames->time, frames->time_capacity, place->frame + 1));
  frames->last_time = frames->time[place->frame++] = time;
  for (int g = 0; g < frames->num_groups; g++)
    SUP_TRY(sup_series_add(&frames->series[g], place->folder, stem_of(obs, g), time));
  return SUP_OK;
}
