#include "output/format/frame_xdmf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/format/array_file.h"
#include "output/format/number.h"

/* ---- arrays ---------------------------------------------------------------------------------- */

enum { RESIDUAL = -1, NONFINITE = -2, WIDEST = 9 };

/** Arrays in a frame of a soft body, those of points before those of cells. */
typedef struct content {
  int           count, num_points, num_cells; /* arrays; those of points and cells */
  sup_array_def array[SUP_ARRAY_FILE_MOST];
  int           kind[SUP_ARRAY_FILE_MOST]; /* row of sup_frame_array_name, RESIDUAL, NONFINITE */
} content;

static sup_array_type type_of(const sup_frame_target *place) {
  return place->is_single ? SUP_ARRAY_FLOAT : SUP_ARRAY_DOUBLE;
}

static sup_array_def array_of(const char *group, const char *name, int rows, int columns,
                              sup_array_type type) {
  sup_array_def array = {.num_rows = (size_t)rows, .num_columns = columns, .type = type};
  snprintf(array.name, sizeof array.name, "%s%s", group, name);
  return array;
}

static void add(content *c, int kind, sup_array_def array) {
  SUP_ASSERT(c->count < SUP_ARRAY_FILE_MOST);
  c->kind[c->count] = kind, c->array[c->count++] = array;
}

static content content_of(const sup_frame_target *place, const sup_soft *soft, bool is_failure) {
  content c = {.count = 0};
  for (int is_of_cells = 0; is_of_cells < 2; is_of_cells++) {
    for (int k = 0; sup_frame_array_name(k); k++) {
      bool is_cells;
      int  width = sup_frame_array_width(k, &is_cells);
      if (!(place->arrays >> k & 1) || is_cells != is_of_cells) continue;
      add(&c, k,
          array_of(is_cells ? "cell/" : "point/", sup_frame_array_name(k),
                   is_cells ? soft->num_cells : soft->num_vertices, width, type_of(place)));
    }
    if (is_failure && !is_of_cells) {
      add(&c, RESIDUAL, array_of("point/", "residual", soft->num_vertices, 3, type_of(place)));
      add(&c, NONFINITE, array_of("point/", "nonfinite", soft->num_vertices, 1, SUP_ARRAY_INTEGER));
    }
    if (!is_of_cells) c.num_points = c.count;
  }
  c.num_cells = c.count - c.num_points;
  return c;
}

/** Numbers as the file has them: 0 for what is not finite, and that is counted. */
static void convert(sup_frame_target *place, const double *value, size_t count, char *to) {
  for (size_t i = 0; i < count; i++) {
    double d = value[i];
    if (!isfinite(d)) place->nonfinite++, d = 0;
    float f = (float)fmin(fmax(d, -(double)FLT_MAX), (double)FLT_MAX);
    if (place->is_single)
      memcpy(to + i * sizeof f, &f, sizeof f);
    else
      memcpy(to + i * sizeof d, &d, sizeof d);
  }
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *name_of(const sup_frame_target *place, int s) {
  return place->model->soft[s].name;
}

static sup_status open_file(sup_array_file *file, const sup_frame_target *place, int s,
                            const char *ending, int count, const sup_array_def *array) {
  char path[sizeof place->folder + SUP_NAME_MAX + 64];
  snprintf(path, sizeof path, "%s/%s_%s.h5", place->folder, name_of(place, s), ending);
  SUP_TRY(sup_array_file_open(file, path, count, array));
  return SUP_OK;
}

/** Rows of some arrays side by side to their places in each.  All ranks visit all blocks, also
 * after a failed write.
 *  @param[in,out] file  NULL: not the first rank
 *  @param[in]     array  [count] those from number `first` of the file on */
static void put_rows(sup_xdmf_frames *frames, sup_row_gather *gather, sup_array_file *file,
                     int first, int count, const sup_array_def *array,
                     void (*pack)(void *self, int own, char *row), void *self) {
  size_t bytes = 0;
  for (int k = 0; k < count; k++) bytes += sup_array_row(&array[k]);
  for (int b = 0; b < gather->num_blocks && count > 0; b++) {
    const char *row = sup_row_gather_collect(gather, b, bytes, pack, self);
    size_t      n = (size_t)sup_row_gather_block(gather, b), before = 0;
    for (int k = 0; k < count && file; before += sup_array_row(&array[k++])) {
      size_t size = sup_array_row(&array[k]);
      for (size_t i = 0; i < n && count > 1; i++)
        memcpy(frames->block + i * size, row + i * bytes + before, size);
      if (sup_array_file_put(file, first + k, (size_t)b * SUP_ROW_BLOCK, n,
                             count > 1 ? frames->block : row) != SUP_OK)
        break; /* it remembers */
    }
  }
}

/** Values of all vertices of a body, of which this rank hands in its own. */
typedef struct point_values {
  sup_frame_target *place;
  const double     *value; /* [vertices x width] */
  size_t            width;
  const int        *own; /* NULL: all */
} point_values;

static void pack_point(void *self, int own, char *row) {
  point_values *v = self;
  size_t        vertex = (size_t)(v->own ? v->own[own] : own);
  convert(v->place, v->value + vertex * v->width, v->width, row);
}

/* ---- parts equal in all frames --------------------------------------------------------------- */

enum { POINTS, CELLS, MATERIAL, NUM_OF_MESH };

static void mesh_arrays(sup_array_def array[NUM_OF_MESH], const sup_frame_target *place,
                        const sup_soft *soft) {
  int corners = sup_cell_num_vertices(sup_fem_mesh(soft->fem)->type);
  array[POINTS] = array_of("", "points", soft->num_vertices, 3, type_of(place));
  array[CELLS] = array_of("", "cells", soft->num_cells, corners, SUP_ARRAY_INTEGER);
  array[MATERIAL] = array_of("cell/", "material_id", soft->num_cells, 1, SUP_ARRAY_INTEGER);
}

typedef struct topology {
  const sup_mesh *mesh;
  const int      *material, *id; /* of cells; numbers of materials */
} topology;

static void pack_topology(void *self, int own, char *row) {
  const topology *t = self;
  size_t          bytes = (size_t)sup_cell_num_vertices(t->mesh->type) * sizeof(int);
  memcpy(row, sup_mesh_cell(t->mesh, own), bytes);
  memcpy(row + bytes, &t->id[t->material[own]], sizeof(int));
}

static sup_status write_mesh(sup_xdmf_frames *frames, sup_frame_target *place, int s,
                             const sup_soft_frames *soft_frames) {
  const sup_soft *soft = &place->model->soft[s];
  sup_array_def   array[NUM_OF_MESH];
  sup_array_file  file, *to = NULL;
  point_values    points = {place, soft->x0, 3, frames->body[s].own};
  topology        t = {sup_fem_mesh(soft->fem), sup_fem_cell_material(soft->fem),
                       soft_frames->material_id + soft_frames->first_material[s]};
  mesh_arrays(array, place, soft);
  if (sup_is_first_rank(place->model->ranks)) {
    to = &file;
    (void)open_file(to, place, s, "mesh", NUM_OF_MESH, array); /* it remembers */
  }
  put_rows(frames, &frames->body[s].points, to, POINTS, 1, &array[POINTS], pack_point, &points);
  put_rows(frames, &frames->body[s].cells, to, CELLS, NUM_OF_MESH - CELLS, &array[CELLS],
           pack_topology, &t);
  return to ? sup_array_file_close(to) : SUP_OK;
}

sup_status sup_xdmf_frames_begin(sup_xdmf_frames *frames, sup_frame_target *place,
                                 const sup_soft_frames *soft) {
  const sup_model *model = place->model;
  for (int s = 0; s < model->num_softs; s++)
    if (!place->is_hidden[model->soft[s].body])
      SUP_TRY(sup_agree(model->ranks, write_mesh(frames, place, s, soft)));
  return SUP_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

/** Each vertex is handed in by its owner, which has cells about it. */
static sup_status choose_own(struct sup_xdmf_body *body, const sup_soft *soft, int rank,
                             int *count) {
  *count = soft->num_vertices;
  if (!soft->owner) return SUP_OK;
  SUP_TRY(SUP_CALLOC(body->own, soft->num_vertices));
  *count = 0;
  for (int i = 0; i < soft->num_vertices; i++)
    if (soft->owner[i] == rank) body->own[(*count)++] = i;
  return SUP_OK;
}

static sup_status create_body(struct sup_xdmf_body *body, const sup_model *model, int s) {
  const sup_soft       *soft = &model->soft[s];
  const sup_collective *ranks = model->ranks;
  size_t                widest = WIDEST * sizeof(double), all = 0,
         mesh_row = (SUP_CELL_MAX_VERTICES + 1) * sizeof(int);
  int num_own = 0;
  for (int k = 0; sup_frame_array_name(k); k++) {
    bool is_of_cells;
    all += (size_t)sup_frame_array_width(k, &is_of_cells) * sizeof(double);
  }
  SUP_TRY(sup_agree(ranks, choose_own(body, soft, ranks ? ranks->rank : 0, &num_own)));
  SUP_TRY(
      sup_row_gather_create(&body->points, ranks, body->own, num_own, soft->num_vertices, widest));
  SUP_TRY(sup_row_gather_create(&body->cells, ranks, soft->cell_number,
                                sup_fem_mesh(soft->fem)->num_cells, soft->num_cells,
                                all > mesh_row ? all : mesh_row));
  return SUP_OK;
}

static sup_status create(sup_xdmf_frames *frames, const sup_model *model) {
  if (sup_is_first_rank(model->ranks))
    SUP_TRY(SUP_CALLOC(frames->block, SUP_ROW_BLOCK * WIDEST * sizeof(double)));
  SUP_TRY(SUP_CALLOC(frames->body, model->num_softs));
  frames->num_bodies = model->num_softs;
  return SUP_OK;
}

sup_status sup_xdmf_frames_create(sup_xdmf_frames *frames, const sup_model *model) {
  *frames = (sup_xdmf_frames){.num_bodies = 0};
  sup_status status = sup_agree(model->ranks, create(frames, model));
  for (int s = 0; s < model->num_softs && status == SUP_OK; s++)
    status = create_body(&frames->body[s], model, s);
  if (status != SUP_OK) sup_xdmf_frames_free(frames);
  return status;
}

void sup_xdmf_frames_free(sup_xdmf_frames *frames) {
  for (int s = 0; s < frames->num_bodies; s++) {
    SUP_FREE(frames->body[s].own);
    sup_row_gather_free(&frames->body[s].points);
    sup_row_gather_free(&frames->body[s].cells);
  }
  SUP_FREE_ALL(&frames->body, &frames->block);
  frames->num_bodies = 0;
}

/* ---- a frame --------------------------------------------------------------------------------- */

typedef struct cell_values {
  sup_frame_target *place;
  int               count;
  const double     *value[SUP_ARRAY_FILE_MOST]; /* of own cells */
  size_t            width[SUP_ARRAY_FILE_MOST];
} cell_values;

static void pack_cell(void *self, int own, char *row) {
  cell_values *v = self;
  size_t       size = sup_array_type_size(type_of(v->place));
  for (int k = 0; k < v->count; k++) {
    convert(v->place, v->value[k] + (size_t)own * v->width[k], v->width[k], row);
    row += v->width[k] * size;
  }
}

/** Source of the array that marks vertices where a failed step left numbers that are not finite. */
typedef struct bad_values {
  const double *residual, *x; /* [vertices x 3] */
  const int    *own;
} bad_values;

static void pack_bad(void *self, int own, char *row) {
  const bad_values *v = self;
  int               vertex = v->own ? v->own[own] : own, is_bad = 0;
  for (int a = 3 * vertex; a < 3 * vertex + 3; a++)
    is_bad |= !isfinite(v->residual[a]) || !isfinite(v->x[a]);
  memcpy(row, &is_bad, sizeof is_bad);
}

/** An array of points. */
static void put_points(sup_xdmf_frames *frames, sup_array_file *file, const content *c, int k,
                       int s, point_values *v, const sup_observation *obs,
                       const sup_frame_failure *failure) {
  const sup_soft  *soft = &obs->model->soft[s];
  sup_row_gather  *gather = &frames->body[s].points;
  sup_frame_target uncounted = *v->place; /* `nonfinite` tells of a residual's */
  size_t           first = 3 * (size_t)soft->first_vertex;
  const double    *residual = failure && failure->residual ? failure->residual + first : obs->zero;
  bad_values       bad = {residual, obs->x + first, v->own};
  point_values     left = {&uncounted, residual, 3, v->own};
  if (c->kind[k] == NONFINITE)
    put_rows(frames, gather, file, k, 1, &c->array[k], pack_bad, &bad);
  else
    put_rows(frames, gather, file, k, 1, &c->array[k], pack_point,
             c->kind[k] == RESIDUAL ? &left : v);
}

sup_status sup_xdmf_frames_write(sup_xdmf_frames *frames, sup_frame_target *place,
                                 sup_soft_frames *soft, int s, const sup_observation *obs,
                                 const sup_frame_failure *failure) {
  content        c = content_of(place, &place->model->soft[s], failure != NULL);
  cell_values    v = {.place = place, .count = c.num_cells};
  sup_array_file file, *to = NULL;
  char           number[24];
  snprintf(number, sizeof number, "%04ld", place->frame);
  if (sup_is_first_rank(place->model->ranks)) {
    to = &file;
    (void)open_file(to, place, s, number, c.count, c.array); /* it remembers */
  }
  for (int k = 0; k < c.num_points; k++) {
    point_values points = {place, NULL, (size_t)c.array[k].num_columns, frames->body[s].own};
    if (c.kind[k] >= 0) sup_soft_frames_array(soft, s, obs, c.kind[k], &points.value);
    put_points(frames, to, &c, k, s, &points, obs, failure);
  }
  for (int k = 0; k < c.num_cells; k++) {
    sup_soft_frames_array(soft, s, obs, c.kind[c.num_points + k], &v.value[k]);
    v.width[k] = (size_t)c.array[c.num_points + k].num_columns;
  }
  put_rows(frames, &frames->body[s].cells, to, c.num_points, c.num_cells, c.array + c.num_points,
           pack_cell, &v);
  return to ? sup_array_file_close(to) : SUP_OK;
}

/* ---- the list -------------------------------------------------------------------------------- */

static void put_word(FILE *file, const char *text) {
  for (const char *c = text; *c; c++) {
    if (*c == '&' || *c == '<' || *c == '>' || *c == '"')
      fprintf(file, "&#%d;", *c);
    else
      fputc(*c, file);
  }
}

static void put_data(FILE *file, const char *body, const char *ending, const sup_array_def *array) {
  fprintf(file, "<DataItem Dimensions=\"%zu", array->num_rows);
  if (array->num_columns > 1) fprintf(file, " %d", array->num_columns);
  fprintf(file, "\" NumberType=\"%s\" Precision=\"%zu\" Format=\"HDF\">",
          array->type == SUP_ARRAY_INTEGER ? "Int" : "Float", sup_array_type_size(array->type));
  put_word(file, body);
  fprintf(file, "_%s.h5:/%s</DataItem>", ending, array->name);
}

static void put_attribute(FILE *file, const char *body, const char *ending,
                          const sup_array_def *array) {
  const char *slash = strchr(array->name, '/');
  fprintf(file, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", slash + 1,
          array->num_columns == 1   ? "Scalar"
          : array->num_columns == 3 ? "Vector"
                                    : "Tensor",
          array->name[0] == 'p' ? "Node" : "Cell");
  put_data(file, body, ending, array);
  fputs("</Attribute>\n", file);
}

static void put_item(FILE *file, const sup_frame_target *place, int s, const char *time,
                     const char *ending, const content *c) {
  const sup_soft *soft = &place->model->soft[s];
  sup_array_def   mesh[NUM_OF_MESH];
  sup_cell_type   type = sup_fem_mesh(soft->fem)->type;
  mesh_arrays(mesh, place, soft);
  fputs("<Grid Name=\"", file);
  put_word(file, soft->name);
  fprintf(file,
          "\" GridType=\"Uniform\"><Time Value=\"%s\"/>\n<Topology TopologyType=\"%s\" "
          "NumberOfElements=\"%zu\">",
          time,
          type == SUP_CELL_H8    ? "Hexahedron"
          : type == SUP_CELL_T10 ? "Tetrahedron_10"
                                 : "Tetrahedron",
          mesh[CELLS].num_rows);
  put_data(file, soft->name, "mesh", &mesh[CELLS]);
  fputs("</Topology>\n<Geometry GeometryType=\"XYZ\">", file);
  put_data(file, soft->name, "mesh", &mesh[POINTS]);
  fputs("</Geometry>\n", file);
  for (int k = 0; k < c->count; k++) put_attribute(file, soft->name, ending, &c->array[k]);
  put_attribute(file, soft->name, "mesh", &mesh[MATERIAL]);
  fputs("</Grid>", file);
}

sup_status sup_xdmf_item(const sup_frame_target *place, int s, long frame, double time,
                         bool is_failure, char **text) {
  content c = content_of(place, &place->model->soft[s], is_failure);
  char    number[SUP_NUMBER_SIZE], ending[24];
  size_t  size = 0;
  FILE   *stream = open_memstream(text, &size);
  if (!stream) return SUP_FAIL(SUP_E_MEMORY, "no memory for the list of frames");
  sup_number_text(number, time, 0);
  snprintf(ending, sizeof ending, "%04ld", frame);
  put_item(stream, place, s, number, ending, &c);
  if (fclose(stream) == 0) return SUP_OK;
  free(*text);
  *text = NULL;
  return SUP_FAIL(SUP_E_MEMORY, "no memory for a list of %ld frames", frame);
}
