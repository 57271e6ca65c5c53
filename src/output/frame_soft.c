#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fem/material.h"
#include "output/frame_file.h"

/* ---- arrays ---------------------------------------------------------------------------------- */

/** A soft body in the frame under way. */
typedef struct soft_frame {
  sup_soft_frames       *frames;
  const sup_observation *obs;
  const sup_soft        *soft;
  int                    s;
} soft_frame;

/** Values of all vertices of the body, or of the cells that this rank has, where they stand or in
 * frames->numbers. */
typedef const double *take(const soft_frame *f);

static const double *of_vertices(const soft_frame *f, const double *all, int width) {
  return all + (size_t)width * (size_t)f->soft->first_vertex;
}

static const double *displacement(const soft_frame *f) {
  const double *x = of_vertices(f, f->obs->x, 3);
  for (int i = 0; i < 3 * f->soft->num_vertices; i++) f->frames->numbers[i] = x[i] - f->soft->x0[i];
  return f->frames->numbers;
}

static const double *velocity(const soft_frame *f) { return of_vertices(f, f->obs->xdot, 3); }

static const double *contact_force(const soft_frame *f) {
  return of_vertices(f, f->obs->contact_force, 3);
}

static const double *contact_pressure(const soft_frame *f) {
  const sup_observation *obs = f->obs;
  sup_contact_pressure_add(obs->pressure, obs->num_contacts, obs->contact, obs->body_pair, SUP_NONE,
                           obs->x);
  for (int i = 0; i < f->soft->num_vertices; i++)
    f->frames->numbers[i] = sup_contact_pressure_at(obs->pressure, f->soft->first_vertex + i);
  return f->frames->numbers;
}

static const double *von_mises_nodal(const soft_frame *f) {
  sup_fem_vertex_average(f->soft->fem, f->obs->von_mises + f->obs->cell_start[f->s],
                         f->frames->numbers);
  return f->frames->numbers;
}

static const double *recovered(const soft_frame *f) {
  return of_vertices(f, f->obs->vertex_cauchy, 6);
}

static const double *cauchy_stress_recovered(const soft_frame *f) {
  const double *six = recovered(f);
  for (int i = 0; i < f->soft->num_vertices; i++) {
    sup_m3 S = sup_fem_tensor(six + 6 * i);
    for (int k = 0; k < 9; k++) f->frames->numbers[9 * i + k] = S.m[k / 3][k % 3];
  }
  return f->frames->numbers;
}

static const double *principal_stress(const soft_frame *f) {
  sup_fem_principal(f->soft->num_vertices, recovered(f), f->frames->numbers);
  return f->frames->numbers;
}

static const double *von_mises_recovered(const soft_frame *f) {
  const double *six = recovered(f);
  for (int i = 0; i < f->soft->num_vertices; i++) {
    sup_m3 S = sup_fem_tensor(six + 6 * i);
    f->frames->numbers[i] = sup_fem_von_mises(&S);
  }
  return f->frames->numbers;
}

static size_t        first_cell(const soft_frame *f) { return (size_t)f->obs->cell_start[f->s]; }
static const double *cauchy_stress(const soft_frame *f) {
  return f->obs->cauchy + 9 * first_cell(f);
}
static const double *von_mises(const soft_frame *f) { return f->obs->von_mises + first_cell(f); }
static const double *strain_energy_density(const soft_frame *f) {
  return f->obs->energy_density + first_cell(f);
}
static const double *volume_ratio(const soft_frame *f) {
  return f->obs->volume_ratio + first_cell(f);
}
static const double *stress_error(const soft_frame *f) {
  return f->obs->stress_error + first_cell(f);
}

/** Default of an array that no scene names.  Recovered stress takes as long as all other arrays: by
 * default only frames of load steps have any. */
typedef enum usual { ALWAYS, OF_STATICS, ON_REQUEST } usual;

/** Arrays of soft bodies in the files, in this order: those of points before those of cells. */
static const struct array {
  const char *name;
  int         is_of_cells, width;
  usual       usual;
  take       *take;
} arrays[] = {{"displacement", 0, 3, ALWAYS, displacement},
              {"velocity", 0, 3, ALWAYS, velocity},
              {"contact_force", 0, 3, ALWAYS, contact_force},
              {"contact_pressure", 0, 1, ALWAYS, contact_pressure},
              {"von_mises_nodal", 0, 1, ALWAYS, von_mises_nodal},
              {"cauchy_stress_recovered", 0, 9, ON_REQUEST, cauchy_stress_recovered},
              {"principal_stress", 0, 3, ON_REQUEST, principal_stress},
              {"von_mises_recovered", 0, 1, OF_STATICS, von_mises_recovered},
              {"cauchy_stress", 1, 9, ALWAYS, cauchy_stress},
              {"von_mises", 1, 1, ALWAYS, von_mises},
              {"strain_energy_density", 1, 1, ALWAYS, strain_energy_density},
              {"volume_ratio", 1, 1, ALWAYS, volume_ratio},
              {"stress_error", 1, 1, OF_STATICS, stress_error}};
enum { NUM_ARRAYS = sizeof arrays / sizeof *arrays };
_Static_assert(NUM_ARRAYS < 31, "a bit each, and SUP_ARRAYS_USUAL");

const char *sup_frame_array_name(int k) { return k < NUM_ARRAYS ? arrays[k].name : NULL; }

int sup_frame_array_width(int k, bool *is_of_cells) {
  *is_of_cells = arrays[k].is_of_cells;
  return arrays[k].width;
}

static uint32_t usual_up_to(usual last) {
  uint32_t bits = 0;
  for (int k = 0; k < NUM_ARRAYS; k++)
    if (arrays[k].usual <= last) bits |= UINT32_C(1) << k;
  return bits;
}

uint32_t sup_frame_arrays(const sup_output_def *def) {
  uint32_t more = 0;
  if (def->arrays & SUP_ARRAYS_USUAL)
    more = usual_up_to(def->static_tolerance > 0 ? OF_STATICS : ALWAYS);
  return (def->arrays & ~SUP_ARRAYS_USUAL) | more;
}

int sup_frame_recovers(const sup_output_def *def) {
  return (sup_frame_arrays(def) & ~usual_up_to(ALWAYS)) != 0;
}

void sup_soft_frames_array(sup_soft_frames *frames, int s, const sup_observation *obs, int k,
                           const double **rows) {
  const soft_frame f = {frames, obs, &obs->model->soft[s], s};
  *rows = arrays[k].take(&f);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static int piece_points(const sup_soft_piece *piece, const sup_soft *soft) {
  return piece->vertex ? piece->num_points : soft->num_vertices;
}

/** The rows of the piece's points among those of all vertices: in place when they stand in
 * `rows`. */
static const double *choose(const sup_soft_piece *piece, int width, const double *all,
                            double *rows) {
  if (!piece->vertex) return all;
  for (int i = 0; i < piece->num_points; i++)
    memmove(rows + (size_t)width * (size_t)i, all + (size_t)width * (size_t)piece->vertex[i],
            (size_t)width * sizeof *rows);
  return rows;
}

/** Own vertices, those of own cells. */
static sup_status list_points(sup_soft_piece *piece, const sup_soft *soft) {
  const sup_mesh *own = sup_fem_mesh(soft->fem);
  size_t          corners = (size_t)own->num_cells * (size_t)sup_cell_num_vertices(own->type);
  char           *is_own = NULL;
  SUP_TRY(SUP_CALLOC(is_own, own->num_vertices));
  for (size_t k = 0; k < corners; k++) is_own[own->cell[k]] = 1;
  for (int i = 0; i < own->num_vertices; i++) piece->num_points += is_own[i];
  sup_status status = SUP_CALLOC(piece->vertex, piece->num_points);
  for (int i = 0, count = 0; i < own->num_vertices && status == SUP_OK; i++)
    if (is_own[i]) piece->vertex[count++] = i;
  SUP_FREE(is_own);
  return status;
}

/** Own cells on the points of the piece, at the reference positions. */
static sup_status cut_piece(const sup_soft_piece *piece, const sup_soft *soft, sup_mesh **mesh) {
  const sup_mesh *own = sup_fem_mesh(soft->fem);
  size_t          corners = (size_t)own->num_cells * (size_t)sup_cell_num_vertices(own->type);
  int            *place = NULL;
  SUP_TRY(SUP_CALLOC(place, own->num_vertices));
  sup_status status = sup_mesh_create(mesh, own->type, piece->num_points, own->num_cells);
  for (int i = 0; i < piece->num_points && status == SUP_OK; i++) {
    const double *x = soft->x0 + 3 * (size_t)piece->vertex[i];
    memcpy((*mesh)->x + 3 * (size_t)i, x, 3 * sizeof *x);
    place[piece->vertex[i]] = i;
  }
  for (size_t k = 0; k < corners && status == SUP_OK; k++) (*mesh)->cell[k] = place[own->cell[k]];
  SUP_FREE(place);
  return status;
}

void sup_soft_piece_stem(char stem[SUP_NAME_MAX + 24], const sup_soft *soft, int rank) {
  if (rank == SUP_NONE)
    snprintf(stem, SUP_NAME_MAX + 24, "%s", soft->name);
  else
    snprintf(stem, SUP_NAME_MAX + 24, "%s_rank%d", soft->name, rank);
}

static sup_status create_pieces(sup_soft_frames *frames, const sup_model *model, bool is_whole) {
  SUP_TRY(SUP_CALLOC(frames->piece, model->num_softs));
  for (int s = 0; s < model->num_softs; s++) {
    sup_soft_piece *piece = &frames->piece[s];
    frames->num_pieces++;
    bool is_cut = model->ranks && !is_whole;
    sup_soft_piece_stem(piece->stem, &model->soft[s], is_cut ? model->ranks->rank : SUP_NONE);
    if (is_cut) SUP_TRY(list_points(piece, &model->soft[s]));
  }
  return SUP_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

static sup_status number_materials(sup_soft_frames *frames, const sup_model *model) {
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

static sup_status create(sup_soft_frames *frames, const sup_model *model, uint32_t chosen,
                         bool is_whole) {
  int vertices = 0, cells = 0, widest = 3; /* the residual of a step that failed */
  for (int s = 0; s < model->num_softs; s++) {
    int n = sup_fem_mesh(model->soft[s].fem)->num_cells;
    if (n > cells) cells = n;
    if (model->soft[s].num_vertices > vertices) vertices = model->soft[s].num_vertices;
  }
  for (int k = 0; k < NUM_ARRAYS; k++)
    if ((chosen >> k & 1) && !arrays[k].is_of_cells && arrays[k].width > widest)
      widest = arrays[k].width;
  SUP_TRY(SUP_CALLOC(frames->integers, cells > vertices ? cells : vertices));
  SUP_TRY(SUP_CALLOC(frames->numbers, (size_t)widest * (size_t)vertices));
  SUP_TRY(number_materials(frames, model));
  SUP_TRY(create_pieces(frames, model, is_whole));
  return SUP_OK;
}

sup_status sup_soft_frames_create(sup_soft_frames *frames, const sup_model *model, uint32_t chosen,
                                  bool is_whole) {
  *frames = (sup_soft_frames){.num_pieces = 0};
  sup_status status = create(frames, model, chosen, is_whole);
  if (status != SUP_OK) sup_soft_frames_free(frames);
  return status;
}

void sup_soft_frames_free(sup_soft_frames *frames) {
  for (int s = 0; s < frames->num_pieces; s++) {
    SUP_FREE(frames->piece[s].vertex);
    sup_vtk_record_free(&frames->piece[s].grid);
    sup_vtk_record_free(&frames->piece[s].point_numbers);
    sup_vtk_record_free(&frames->piece[s].cell_numbers);
  }
  frames->num_pieces = 0;
  SUP_FREE_ALL(&frames->piece, &frames->first_material, &frames->material_id, &frames->integers,
               &frames->numbers);
}

/* ---- a frame --------------------------------------------------------------------------------- */

/** The cells of a piece are cut when they are written: a record has them for the frames after. */
static sup_status put_grid(sup_vtk_writer *writer, sup_soft_piece *piece, const sup_soft *soft) {
  sup_mesh  *cut = NULL;
  sup_status status = SUP_OK;
  if (sup_vtk_record_begin(writer, &piece->grid)) return SUP_OK;
  if (piece->vertex) status = cut_piece(piece, soft, &cut);
  if (status == SUP_OK)
    status = sup_vtk_points(writer, piece_points(piece, soft), cut ? cut->x : soft->x0);
  if (status == SUP_OK) status = sup_vtk_cells(writer, cut ? cut : sup_fem_mesh(soft->fem));
  if (status == SUP_OK) status = sup_vtk_record_end(writer);
  sup_mesh_destroy(&cut);
  return status;
}

static sup_status put_array(sup_vtk_writer *writer, const char *name, int width, int count,
                            const double *value) {
  return width == 1   ? sup_vtk_scalars(writer, name, count, value)
         : width == 3 ? sup_vtk_vectors(writer, name, count, value)
                      : sup_vtk_tensors(writer, name, count, value);
}

/** The arrays of points, or those of cells.  Ranks visit all of them, also after a failed write. */
static sup_status put_arrays(sup_vtk_writer *writer, const soft_frame *f, uint32_t chosen,
                             bool is_of_cells) {
  const sup_soft_piece *piece = &f->frames->piece[f->s];
  int count = is_of_cells ? sup_fem_mesh(f->soft->fem)->num_cells : piece_points(piece, f->soft);
  sup_status status = sup_vtk_data_begin(writer, is_of_cells, count);
  for (int k = 0; k < NUM_ARRAYS; k++) {
    if (!(chosen >> k & 1) || arrays[k].is_of_cells != is_of_cells) continue;
    const double *value = arrays[k].take(f);
    if (!is_of_cells) value = choose(piece, arrays[k].width, value, f->frames->numbers);
    if (status == SUP_OK) status = put_array(writer, arrays[k].name, arrays[k].width, count, value);
  }
  return status;
}

static sup_status put_failure(sup_vtk_writer *writer, const soft_frame *f,
                              const sup_frame_failure *failure) {
  const sup_soft_piece *piece = &f->frames->piece[f->s];
  int                   n = piece_points(piece, f->soft);
  const double         *x = of_vertices(f, f->obs->x, 3),
               *residual = failure->residual ? of_vertices(f, failure->residual, 3) : f->obs->zero;
  for (int i = 0; i < n; i++) {
    int vertex = piece->vertex ? piece->vertex[i] : i;
    f->frames->integers[i] = 0;
    for (int k = 0; k < 3; k++) {
      double value = residual[3 * vertex + k];
      if (!isfinite(value) || !isfinite(x[3 * vertex + k])) f->frames->integers[i] = 1;
      f->frames->numbers[3 * i + k] = isfinite(value) ? value : 0;
    }
  }
  SUP_TRY(sup_vtk_vectors(writer, "residual", n, f->frames->numbers));
  SUP_TRY(sup_vtk_integers(writer, "nonfinite", n, f->frames->integers));
  return SUP_OK;
}

/** Numbers of a piece's points in the whole body. */
static sup_status put_point_numbers(sup_vtk_writer *writer, sup_soft_piece *piece) {
  if (!piece->vertex || sup_vtk_record_begin(writer, &piece->point_numbers)) return SUP_OK;
  SUP_TRY(sup_vtk_integers(writer, SUP_VTK_GLOBAL_VERTEX, piece->num_points, piece->vertex));
  SUP_TRY(sup_vtk_record_end(writer));
  return SUP_OK;
}

static sup_status put_cell_numbers(sup_vtk_writer *writer, const soft_frame *f) {
  sup_soft_piece *piece = &f->frames->piece[f->s];
  int             n = sup_fem_mesh(f->soft->fem)->num_cells;
  if (sup_vtk_record_begin(writer, &piece->cell_numbers)) return SUP_OK;
  const int *material = sup_fem_cell_material(f->soft->fem),
            *id = f->frames->material_id + f->frames->first_material[f->s];
  for (int c = 0; c < n; c++) f->frames->integers[c] = id[material[c]];
  SUP_TRY(sup_vtk_integers(writer, "material_id", n, f->frames->integers));
  if (piece->vertex)
    SUP_TRY(sup_vtk_integers(writer, SUP_VTK_GLOBAL_CELL, n, f->soft->cell_number));
  SUP_TRY(sup_vtk_record_end(writer));
  return SUP_OK;
}

/** On ranks one that cannot open its file still takes part in the sums of the others. */
static void take_part(const soft_frame *f, uint32_t chosen) {
  for (int k = 0; k < NUM_ARRAYS && f->obs->model->ranks; k++)
    if (chosen >> k & 1) (void)arrays[k].take(f);
}

sup_status sup_soft_frames_write(sup_soft_frames *frames, sup_frame_target *place, int s,
                                 const sup_observation *obs, const sup_frame_failure *failure) {
  const sup_soft *soft = &obs->model->soft[s];
  sup_soft_piece *piece = &frames->piece[s];
  soft_frame      f = {frames, obs, soft, s};
  sup_vtk_writer  writer = {.binary = 0};
  sup_status      status = sup_frame_open(&writer, place, piece->stem, soft->body);
  if (status == SUP_OK) status = put_grid(&writer, piece, soft);
  if (status != SUP_OK) {
    take_part(&f, place->arrays);
    goto fail;
  }
  sup_status points = put_arrays(&writer, &f, place->arrays, 0);
  SUP_TRY_GOTO(points, status, fail);
  if (failure) SUP_TRY_GOTO(put_failure(&writer, &f, failure), status, fail);
  SUP_TRY_GOTO(put_point_numbers(&writer, piece), status, fail);
  SUP_TRY_GOTO(put_arrays(&writer, &f, place->arrays, 1), status, fail);
  SUP_TRY_GOTO(put_cell_numbers(&writer, &f), status, fail);
  SUP_TRY_GOTO(sup_frame_close(&writer, place), status, fail);
  return SUP_OK;
fail:
  sup_vtk_abandon(&writer);
  return status;
}
