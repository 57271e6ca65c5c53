#include "output/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/timer.h"
#include "measure/probe.h"
#include "output/format/array_file.h"
#include "output/format/number.h"
#include "output/numerics.h"

enum { RIGID, CONTACT, PRESSURE, FIELDS, CABLES, NUM_GROUPS };
static const char *const group_stem[NUM_GROUPS] = {[RIGID] = "rigid",
                                                   [CONTACT] = "contact",
                                                   [PRESSURE] = "pressure",
                                                   [FIELDS] = "fields",
                                                   [CABLES] = "cables"};
static const char *const group_text[NUM_GROUPS] = {[RIGID] = "rigid shapes",
                                                   [CONTACT] = "contact patches",
                                                   [PRESSURE] = "pressures",
                                                   [FIELDS] = "pressure fields",
                                                   [CABLES] = "cables"};

/* ---- a file ---------------------------------------------------------------------------------- */

/** `body.NAME` as a number of the file: body_id, body_a and body_b of its cells. */
static sup_status put_body(sup_vtk_writer *writer, const sup_model *model, int body) {
  char name[2 * SUP_NAME_MAX + 8];
  SUP_TRY(sup_text_join(name, sizeof name, (const char *[]){"body.", model->body[body].name}, 2));
  SUP_TRY(sup_vtk_field_number(writer, name, body));
  return SUP_OK;
}

static sup_status put_bodies(sup_vtk_writer *writer, sup_frame_target *place) {
  if (sup_vtk_record_begin(writer, &place->names)) return SUP_OK;
  for (int b = 0; b < place->model->num_bodies; b++) SUP_TRY(put_body(writer, place->model, b));
  SUP_TRY(sup_vtk_record_end(writer));
  return SUP_OK;
}

/** TITLE: WHAT, cut off where it is long. */
/** Meaning of a series of all bodies: two have an array `pressure`. */
static const char *meaning_of(const char *stem) {
  if (strcmp(stem, "contact") == 0) return "contact polygons, each with a pressure of its own";
  return strcmp(stem, "pressure") == 0 ? "contact pressure, on faces of soft bodies" : stem;
}

static void put_title(char to[256], const char *title, const char *what) {
  size_t length = strnlen(title, 180), more = strnlen(what, 60);
  memcpy(to, title, length);
  memcpy(to + length, ": ", 2);
  memcpy(to + length + 2, what, more);
  to[length + 2 + more] = '\0';
}

sup_status sup_frame_open(sup_vtk_writer *writer, sup_frame_target *place, const char *stem,
                          int body) {
  char name[256], path[sizeof place->folder + sizeof name], title[256];
  SUP_TRY(sup_series_frame_name(name, sizeof name, stem, place->frame));
  SUP_TRY(sup_text_join(path, sizeof path, (const char *[]){place->folder, "/", name}, 3));
  /* of a body in pieces: the title of the whole */
  put_title(title, place->title,
            body == SUP_NONE ? meaning_of(stem) : place->model->body[body].name);
  SUP_TRY(sup_vtk_open_frame(writer, path, title, place->is_binary));
  writer->is_single = place->is_single;
  SUP_TRY(sup_vtk_time(writer, place->time, place->step,
                       body == SUP_NONE ? place->model->num_bodies : 1));
  if (body == SUP_NONE)
    SUP_TRY(put_bodies(writer, place));
  else
    SUP_TRY(put_body(writer, place->model, body));
  return SUP_OK;
}

sup_status sup_frame_close(sup_vtk_writer *writer, sup_frame_target *place) {
  place->nonfinite += writer->nonfinite;
  SUP_TRY(sup_vtk_close(writer));
  return SUP_OK;
}

/* ---- all groups ------------------------------------------------------------------------------ */

/** The name of a soft body is that of its files: without a folder, not hidden, not that of another
 * group. */
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

/** XDMF says FILE:/ARRAY. */
static sup_status check_xdmf(const sup_model *model) {
  for (int s = 0; s < model->num_softs; s++)
    if (strchr(model->soft[s].name, ':'))
      return SUP_FAIL(SUP_E_ARG, "soft body '%s': with output.format xdmf no name can hold ':'",
                      model->soft[s].name);
  return model->num_softs > 0 ? sup_array_file_check() : SUP_OK;
}

sup_status sup_frames_check(const sup_model *model, const sup_output_def *def) {
  if (def->format == SUP_VTK_XDMF) SUP_TRY(check_xdmf(model));
  for (int s = 0; s < model->num_softs; s++) SUP_TRY(check_name(model->soft[s].name));
  for (int i = 0; i < def->num_bodies; i++) {
    int body;
    SUP_TRY(sup_output_find_body(&body, model, def->body[i], "output bodies"));
  }
  return SUP_OK;
}

static sup_status hide_bodies(sup_frame_target *place, const sup_output_def *def) {
  SUP_TRY(SUP_CALLOC(place->is_hidden, place->model->num_bodies));
  if (def->num_bodies == 0) return SUP_OK;
  memset(place->is_hidden, 1, (size_t)place->model->num_bodies);
  for (int i = 0; i < def->num_bodies; i++)
    place->is_hidden[sup_model_find_body(place->model, def->body[i])] = 0;
  return SUP_OK;
}

static sup_status prepare_folder(const sup_model *model, const char *folder, long first) {
  if (!sup_is_first_rank(model->ranks)) return SUP_OK;
  SUP_TRY(sup_make_folder(folder));
  for (int s = 0; s < model->num_softs; s++)
    SUP_TRY(sup_series_remove(folder, model->soft[s].name, first));
  for (int g = 0; g < NUM_GROUPS; g++) SUP_TRY(sup_series_remove(folder, group_stem[g], first));
  return SUP_OK;
}

/** Stem of the group's files; NULL: the group has none, or another rank writes them. */
static const char *stem_of(const sup_frames *frames, int group) {
  const sup_model *model = frames->place.model;
  int              shared = group - model->num_softs;
  if (shared == PRESSURE && !frames->has_pressure) return NULL;
  if (shared == FIELDS && !frames->fields.mesh) return NULL;
  if (shared == CABLES && model->num_cables == 0) return NULL;
  if ((shared >= 0 || frames->place.is_xdmf) && !sup_is_first_rank(model->ranks)) return NULL;
  if (shared >= 0) return group_stem[shared];
  return frames->place.is_hidden[model->soft[group].body] ? NULL : frames->soft.piece[group].stem;
}

/* ---- frames of the run before ---------------------------------------------------------------- */

/** 1: a run on num_ranks ranks has a piece of this rank; rank SUP_NONE: of a run without ranks. */
static bool has_piece(int num_ranks, int rank) {
  return rank == SUP_NONE ? num_ranks == 1 : num_ranks > 1 && rank < num_ranks;
}

/** The pieces that rank `rank` of the run before has left of a soft body, or of all groups that are
 * not in pieces (stem_of), listed as they are. */
static sup_status list_pieces(sup_frames *frames, sup_series *series, const char *stem, int rank,
                              const sup_frames_mark *from) {
  unsigned char *is_there = NULL;
  SUP_TRY(SUP_CALLOC(is_there, from->count));
  for (long k = 0; k < from->count; k++) is_there[k] = has_piece(from->num_ranks[k], rank) != 0;
  sup_status status =
      sup_series_restore(series, frames->place.folder, stem, from->time, is_there, from->count);
  SUP_FREE(is_there);
  return status;
}

/** Lists of pieces of ranks that no longer exist; they get no further frames. */
static sup_status list_left_pieces(sup_frames *frames, int s, const sup_frames_mark *from) {
  const sup_model *model = frames->place.model;
  int              now = model->ranks ? model->ranks->size : 1, most = 1;
  for (long k = 0; k < from->count; k++)
    if (from->num_ranks[k] > most) most = from->num_ranks[k];
  for (int rank = SUP_NONE; rank < most; rank++) {
    char       stem[SUP_NAME_MAX + 24];
    sup_series series = {.text = NULL};
    if (has_piece(now, rank)) continue; /* its own list */
    sup_soft_piece_stem(stem, &model->soft[s], rank);
    sup_status status = list_pieces(frames, &series, stem, rank, from);
    sup_series_free(&series);
    SUP_TRY(status);
  }
  return SUP_OK;
}

/** One that was written as XDMF, by whatever ranks. */
static sup_status list_xdmf(sup_frames *frames, int s, const sup_frames_mark *from) {
  sup_series *series = &frames->series[s];
  for (long k = 0; k < from->count; k++) {
    char *item = NULL;
    SUP_TRY(sup_xdmf_item(&frames->place, s, k, from->time[k], 0, &item));
    sup_status status = sup_series_append(series, item);
    free(item); /* the C library's own */
    SUP_TRY(status);
  }
  SUP_TRY(sup_series_write(series, frames->place.folder, frames->soft.piece[s].stem));
  return SUP_OK;
}

/** Restore each group's list as if this run had written all frames. */
static sup_status list_all(sup_frames *frames, const sup_frames_mark *from) {
  const sup_model *model = frames->place.model;
  int              rank = model->ranks ? model->ranks->rank : SUP_NONE;
  for (int g = 0; g < frames->num_series; g++) {
    const char *stem = stem_of(frames, g);
    if (g < model->num_softs && frames->place.is_xdmf) {
      if (stem) SUP_TRY(list_xdmf(frames, g, from));
      continue;
    }
    if (stem && g < model->num_softs)
      SUP_TRY(list_pieces(frames, &frames->series[g], stem, rank, from));
    else if (stem)
      SUP_TRY(sup_series_restore(&frames->series[g], frames->place.folder, stem, from->time, NULL,
                                 from->count));
    if (stem && g < model->num_softs && sup_is_first_rank(model->ranks))
      SUP_TRY(list_left_pieces(frames, g, from));
  }
  return SUP_OK;
}

/** The frames of an earlier run are as if they had been written here. */
static sup_status go_on(sup_frames *frames, const sup_frames_mark *from) {
  size_t count = (size_t)from->count;
  if (count == 0) return SUP_OK;
  SUP_TRY(SUP_GROW(frames->time, frames->time_capacity, count));
  SUP_TRY(SUP_GROW(frames->num_ranks, frames->ranks_capacity, count));
  memcpy(frames->time, from->time, count * sizeof *frames->time);
  memcpy(frames->num_ranks, from->num_ranks, count * sizeof *frames->num_ranks);
  frames->place.frame = from->count, frames->place.nonfinite = from->nonfinite;
  frames->last_time = frames->time[count - 1];
  SUP_TRY(list_all(frames, from));
  return SUP_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

static sup_status prepare(sup_frames *frames, const sup_observation *obs, const char *folder,
                          const sup_output_def *def, const sup_frames_mark *from) {
  const sup_model  *model = obs->model;
  sup_frame_target *place = &frames->place;
  SUP_TRY(sup_text_copy(place->folder, sizeof place->folder, folder));
  SUP_TRY(hide_bodies(place, def));
  SUP_TRY(sup_soft_frames_create(&frames->soft, model, place->arrays, place->is_xdmf));
  SUP_TRY(sup_rigid_shapes_create(&frames->rigid, obs, place->is_hidden));
  if (def->fields) SUP_TRY(sup_field_cells_create(&frames->fields, model, place->is_hidden));
  frames->has_pressure = sup_contact_pressure_has_surfaces(model);
  frames->num_series = model->num_softs + NUM_GROUPS;
  SUP_TRY(SUP_CALLOC(frames->series, frames->num_series));
  for (int s = 0; s < model->num_softs && place->is_xdmf; s++)
    frames->series[s].kind = &sup_series_xdmf;
  SUP_TRY(sup_agree(model->ranks, prepare_folder(model, folder, from ? from->count : 0)));
  if (place->is_xdmf) {
    SUP_TRY(sup_xdmf_frames_create(&frames->xdmf, model));
    SUP_TRY(sup_xdmf_frames_begin(&frames->xdmf, place, &frames->soft));
  }
  if (from) SUP_TRY(go_on(frames, from));
  return SUP_OK;
}

sup_status sup_frames_create(sup_frames *frames, const sup_observation *obs, const char *folder,
                             const char *title, const sup_output_def *def,
                             const sup_frames_mark *from) {
  *frames = (sup_frames){.place = {.model = obs->model,
                                   .is_binary = def->format != SUP_VTK_ASCII,
                                   .is_xdmf = def->format == SUP_VTK_XDMF,
                                   .is_single = def->precision == SUP_PRECISION_FLOAT,
                                   .arrays = sup_frame_arrays(def)}};
  snprintf(frames->place.title, sizeof frames->place.title, "%.200s", title ? title : "Supple");
  for (char *c = frames->place.title; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' '; /* the title of a VTK file is one line */
  sup_status status = prepare(frames, obs, folder, def, from);
  if (status != SUP_OK) sup_frames_free(frames);
  return status;
}

void sup_frames_free(sup_frames *frames) {
  (void)!sup_frames_flush(frames); /* of a run that ended early */
  for (int g = 0; g < frames->num_series && frames->series; g++)
    sup_series_free(&frames->series[g]);
  SUP_FREE_ALL(&frames->series, &frames->time, &frames->num_ranks);
  frames->num_series = 0;
  SUP_FREE(frames->place.is_hidden);
  sup_vtk_record_free(&frames->place.names);
  sup_soft_frames_free(&frames->soft);
  sup_xdmf_frames_free(&frames->xdmf);
  sup_rigid_shapes_free(&frames->rigid);
  sup_field_cells_free(&frames->fields);
}

/** Write the files of a frame that have all ranks' data: rigid shapes, contacts, pressure,
 * fields, cables. */
static sup_status write_shared(sup_frames *frames, const sup_observation *obs) {
  sup_frame_target *place = &frames->place;
  SUP_TRY(sup_rigid_shapes_write(&frames->rigid, place, obs));
  SUP_TRY(sup_contact_polygons_write(place, obs));
  if (frames->has_pressure) SUP_TRY(sup_contact_pressure_write(place, obs));
  if (obs->model->num_cables > 0) SUP_TRY(sup_cables_write(place, obs));
  if (frames->fields.mesh) SUP_TRY(sup_field_cells_write(&frames->fields, place, obs));
  return SUP_OK;
}

static sup_status add_xdmf(sup_frames *frames, int s, double time, bool is_failure) {
  char       *item = NULL;
  sup_series *series = &frames->series[s];
  SUP_TRY(sup_xdmf_item(&frames->place, s, series->frame, time, is_failure, &item));
  sup_status status = sup_series_append(series, item);
  free(item); /* the C library's own */
  return status;
}

typedef sup_status save_series(sup_series *series, const char *folder, const char *stem);

static sup_status save(sup_frames *frames, save_series *with) {
  for (int g = 0; g < frames->num_series && frames->series; g++) {
    const char *stem = stem_of(frames, g);
    if (stem) SUP_TRY(with(&frames->series[g], frames->place.folder, stem));
  }
  return SUP_OK;
}

sup_status sup_frames_flush(sup_frames *frames) {
  SUP_TRY(save(frames, sup_series_save));
  return SUP_OK;
}

/** Append the complete frame to each series, and write the series' files at most every 20 ms. */
static sup_status add_to_series(sup_frames *frames, double time, bool is_failure) {
  double now = sup_wall_time();
  char   text[SUP_NUMBER_SIZE];
  sup_number_text(text, time, 0);
  for (int g = 0; g < frames->num_series; g++) {
    const char *stem = stem_of(frames, g);
    if (stem && frames->place.is_xdmf && g < frames->place.model->num_softs)
      SUP_TRY(add_xdmf(frames, g, time, is_failure));
    else if (stem)
      SUP_TRY(sup_series_append_frame_at(&frames->series[g], stem, text));
  }
  if (now < frames->saved + sup_output_numerics.pause) return SUP_OK;
  frames->saved = now;
  SUP_TRY(save(frames, sup_series_extend));
  return SUP_OK;
}

static sup_status write_soft(sup_frames *frames, int s, const sup_observation *obs,
                             const sup_frame_failure *failure) {
  sup_frame_target *place = &frames->place;
  return place->is_xdmf
             ? sup_xdmf_frames_write(&frames->xdmf, place, &frames->soft, s, obs, failure)
             : sup_soft_frames_write(&frames->soft, place, s, obs, failure);
}

static sup_status write_own(sup_frames *frames, const sup_observation *obs,
                            const sup_frame_failure *failure) {
  const sup_model *model = obs->model;
  sup_status       status = SUP_OK;
  for (int s = 0; s < model->num_softs; s++) { /* all ranks take part in what sums over them */
    sup_status of_body = SUP_OK;
    if (!frames->place.is_hidden[model->soft[s].body])
      of_body = write_soft(frames, s, obs, failure);
    if (status == SUP_OK) status = of_body;
    if (status != SUP_OK && !model->ranks) return status;
  }
  SUP_TRY(status);
  if (sup_is_first_rank(model->ranks)) SUP_TRY(write_shared(frames, obs));
  return SUP_OK;
}

sup_status sup_frames_write(sup_frames *frames, const sup_observation *obs, double time,
                            const sup_frame_failure *failure) {
  sup_frame_target *place = &frames->place;
  if (place->frame > 0 && !(time > frames->last_time))
    return SUP_FAIL(SUP_E_ARG, "a frame at %g s cannot follow one at %g s", time,
                    frames->last_time);
  place->time = time, place->step = obs->step;
  SUP_TRY(SUP_GROW(frames->time, frames->time_capacity, place->frame + 1));
  SUP_TRY(SUP_GROW(frames->num_ranks, frames->ranks_capacity, place->frame + 1));
  long nonfinite = place->nonfinite;
  SUP_TRY(sup_agree(obs->model->ranks, write_own(frames, obs, failure)));
  double more = (double)(place->nonfinite - nonfinite); /* of all ranks' pieces */
  place->nonfinite = nonfinite + (long)sup_sum_of_ranks(obs->model->ranks, more);
  frames->num_ranks[place->frame] = obs->model->ranks ? obs->model->ranks->size : 1;
  frames->last_time = frames->time[place->frame++] = time;
  SUP_TRY(sup_agree(obs->model->ranks, add_to_series(frames, time, failure != NULL)));
  return SUP_OK;
}
