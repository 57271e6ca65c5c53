/* Fits to the stress at points of the cells around each vertex, made once. */
#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"
#include "fem/numerics.h"
#include "fem/patch.h"
#include "fem/recovery/recovery_parts.h"
#include "mesh/surface.h"

/* Cells around a vertex, and around these, that a fit may take. */
enum { LAYERS = 2 };
/* Layers of cells around a vertex that affect its stress: its value may use patches at corners of
 * the second layer; the third layer decides which of these corners are inside, and their fits need
 * further layers. */
enum { REACH = 2 + LAYERS };

/* ---- patches --------------------------------------------------------------------------------- */

/** One polynomial, fitted around a vertex. */
typedef struct patch {
  int    vertex;
  int    num_cells, num_terms; /* 1 term: a mean */
  int    layers;               /* of cells around the vertex */
  size_t first_cell, first_weight;
  sup_m3 axes; /* of its coordinates from the places about the vertex [1/m] */
} patch;

typedef struct builder {
  sup_recovery        *recovery;
  const sup_mesh      *mesh;
  const sup_cell_kind *kind;
  int                  degree; /* of the polynomials; 0: means */
  int                  num_points, first_sample, num_samples;
  double              *place;          /* [num_cells x num_points x 3] reference [m] */
  int                 *start, *around; /* cells around vertex i: around[start[i]] .. */
  patch               *patch;          /* [num_patches] */
  int                  num_patches;
  int                 *cell;     /* cells of each patch */
  double              *weight;   /* [num_terms x num_cells x samples] of each patch */
  int                 *patch_of; /* [num_vertices] or SUP_NONE */
  char                *is_outer; /* [num_vertices] */
  int                  mark;     /* number of the list that is being made */
  int                 *cell_mark, *vertex_mark;
  int                 *list; /* cells */
  int                  num_listed;
  int                 *speaker; /* patches */
  int                  num_speakers;
  char                *is_own;  /* [vertices] of own cells */
  int                 *slot_of; /* [num_cells] place in the row under way, or SUP_NONE */
  double              *x, *Q, *W;
  size_t               x_capacity, Q_capacity, W_capacity, cells_used, cell_capacity, weights_used,
      weight_capacity, row_capacity, row_weight_capacity;
} builder;

static sup_status list_around(builder *b) {
  const sup_mesh *mesh = b->mesh;
  SUP_TRY(SUP_CALLOC(b->start, mesh->num_vertices + 1));
  SUP_TRY(SUP_CALLOC(b->around, b->kind->num_vertices * mesh->num_cells));
  sup_mesh_cells_around(mesh, b->start, b->around);
  return SUP_OK;
}

static sup_status place_points(builder *b) {
  const sup_fem_body *body = b->recovery->body;
  size_t              points = (size_t)b->num_points;
  SUP_TRY(SUP_CALLOC(b->place, 3 * points * (size_t)b->mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->recovery->share, points * (size_t)body->mesh->num_cells));
  sup_fem_stress_at(body, body->mesh->x, NULL, &(sup_fem_stress){.weight = b->recovery->share});
  for (int c = 0; c < b->mesh->num_cells; c++) {
    const int *cell = sup_mesh_cell(b->mesh, c);
    for (size_t q = 0; q < points; q++) {
      double N[SUP_CELL_MAX_VERTICES];
      size_t k = points * (size_t)c + q;
      body->element->shape((int)q, N);
      for (int a = 0; a < b->kind->num_vertices; a++)
        sup_v3_accumulate(b->place + 3 * k, N[a], sup_mesh_vertex(b->mesh, cell[a]));
    }
  }
  return SUP_OK;
}

static sup_status find_outer(builder *b) {
  sup_surface *surface = NULL;
  SUP_TRY(SUP_CALLOC(b->is_outer, b->mesh->num_vertices));
  SUP_TRY(sup_surface_of_mesh(&surface, b->mesh));
  for (int i = 0; i < surface->num_faces * surface->vertices_per_face; i++)
    b->is_outer[surface->face[i]] = 1;
  sup_surface_destroy(&surface);
  return SUP_OK;
}

static void list_cells_around(builder *b, int vertex) {
  if (b->vertex_mark[vertex] == b->mark) return;
  b->vertex_mark[vertex] = b->mark;
  for (int k = b->start[vertex]; k < b->start[vertex + 1]; k++) {
    int c = b->around[k];
    if (b->cell_mark[c] == b->mark) continue;
    b->cell_mark[c] = b->mark, b->list[b->num_listed++] = c;
  }
}

static void begin_list(builder *b, int vertex) {
  b->mark++, b->num_listed = 0;
  list_cells_around(b, vertex);
}

/** List one more layer of cells around the listed ones. */
static void enlarge(builder *b) {
  int before = b->num_listed;
  for (int k = 0; k < before; k++)
    for (int a = 0; a < b->kind->num_corners; a++)
      list_cells_around(b, sup_mesh_cell(b->mesh, b->list[k])[a]);
}

static sup_status make_workspace(builder *b) {
  size_t num = (size_t)b->num_samples * (size_t)b->num_listed;
  SUP_TRY(SUP_GROW(b->x, b->x_capacity, 3 * num));
  SUP_TRY(SUP_GROW(b->Q, b->Q_capacity, SUP_PATCH_MAX_TERMS * num));
  SUP_TRY(SUP_GROW(b->W, b->W_capacity, SUP_PATCH_MAX_TERMS * num));
  return SUP_OK;
}

/** Places of the samples of the listed cells, in the patch's coordinates; their number. */
static int gather_samples(builder *b, patch *p) {
  sup_v3 origin = sup_mesh_vertex(b->mesh, p->vertex);
  int    num = b->num_samples * b->num_listed;
  double length = 0;
  for (int k = 0; k < num; k++) {
    int sample = b->num_points * b->list[k / b->num_samples] + b->first_sample + k % b->num_samples;
    sup_v3 way = sup_v3_sub(sup_v3_load(b->place + 3 * (size_t)sample), origin);
    sup_v3_store(b->x + 3 * k, way);
    length = fmax(length, sup_v3_norm(way));
  }
  for (int k = 0; k < 3 * num; k++) b->x[k] /= length;
  p->axes = sup_m3_scale(1 / length, sup_m3_identity());
  return num;
}

/** The mean of the cells around, by volume. */
static sup_status take_mean(builder *b, patch *p) {
  const double *volume = b->recovery->area.volume;
  double        sum = 0;
  begin_list(b, p->vertex);
  SUP_TRY(make_workspace(b));
  for (int k = 0; k < b->num_listed; k++) sum += volume[b->list[k]];
  for (int k = 0; k < b->num_samples * b->num_listed; k++)
    b->W[k] = volume[b->list[k / b->num_samples]] / (sum * b->num_samples);
  p->num_terms = 1, p->axes = sup_m3_identity();
  return SUP_OK;
}

/** Fit to the means of the eight bricks around an inner corner, which know the products of their
 * coordinates, along the edges of one of them, too: points of a brick that bends tell no slope
 * along it. */
static bool fit_means(builder *b, patch *p) {
  const int n = b->num_samples, num = n * b->num_listed, terms = 7;
  double    x[3 * 8] = {0}, W[7 * 8], far = -HUGE_VAL;
  sup_m3    axes = p->axes;
  if (b->mesh->type != SUP_CELL_H8 || b->is_outer[p->vertex] || b->num_listed != 8) return 0;
  for (int k = 0; k < 8; k++) {
    for (int i = 0; i < 3 * n; i++) x[3 * k + i % 3] += b->x[3 * n * k + i] / n;
    const double way = x[3 * k] + x[3 * k + 1] / 2 + x[3 * k + 2] / 4; /* one on every rank */
    const int   *cell = sup_mesh_cell(b->mesh, b->list[k]);
    const sup_v3 at = sup_mesh_vertex(b->mesh, cell[0]);
    if (way > far)
      far = way,
      axes = sup_m3_inverse(sup_m3_columns(sup_v3_sub(sup_mesh_vertex(b->mesh, cell[1]), at),
                                           sup_v3_sub(sup_mesh_vertex(b->mesh, cell[3]), at),
                                           sup_v3_sub(sup_mesh_vertex(b->mesh, cell[4]), at)));
  }
  const sup_m3 turn = sup_m3_mul(axes, sup_m3_inverse(p->axes));
  for (int k = 0; k < 8; k++) sup_v3_store(x + 3 * k, sup_m3_apply(turn, sup_v3_load(x + 3 * k)));
  if (!sup_patch_fit(x, 8, terms, b->Q, W)) return 0;
  for (int k = 0; k < terms * num; k++) b->W[k] = W[k / n] / n;
  p->num_terms = terms, p->axes = axes;
  return 1;
}

/** Fit of the highest degree that the cells around a corner, or one more layer, can determine. */
static sup_status fit(builder *b, patch *p) {
  static const int    num_terms[] = {1, 4, 10};
  static const double here[3] = {0, 0, 0};
  for (int degree = b->degree; degree > 0; degree--) {
    begin_list(b, p->vertex);
    for (int layer = 0; layer < LAYERS; layer++) {
      if (layer > 0) enlarge(b);
      SUP_TRY(make_workspace(b));
      int num = gather_samples(b, p);
      p->num_terms = num_terms[degree], p->layers = layer + 1;
      if (layer == 0 && fit_means(b, p)) return SUP_OK;
      if (sup_patch_fit(b->x, num, p->num_terms, b->Q, b->W) &&
          sup_patch_amplification(b->W, num, p->num_terms, here) <= sup_fem_numerics.throw)
        return SUP_OK;
    }
  }
  SUP_TRY(take_mean(b, p));
  return SUP_OK;
}

/** Keep the lists of a patch. */
static sup_status keep(builder *b, patch *p) {
  size_t cells = (size_t)b->num_listed, num = (size_t)p->num_terms * (size_t)b->num_samples * cells;
  p->first_cell = b->cells_used, p->first_weight = b->weights_used, p->num_cells = b->num_listed;
  SUP_TRY(SUP_GROW(b->cell, b->cell_capacity, b->cells_used + cells));
  SUP_TRY(SUP_GROW(b->weight, b->weight_capacity, b->weights_used + num));
  memcpy(b->cell + b->cells_used, b->list, cells * sizeof *b->list);
  memcpy(b->weight + b->weights_used, b->W, num * sizeof *b->W);
  b->cells_used += cells, b->weights_used += num;
  return SUP_OK;
}

static bool is_corner(const builder *b, int vertex) {
  const int *cell = sup_mesh_cell(b->mesh, b->around[b->start[vertex]]);
  for (int a = 0; a < b->kind->num_corners; a++)
    if (cell[a] == vertex) return 1;
  return 0;
}

/** A patch for each corner; of means, for every vertex. */
static sup_status make_patches(builder *b) {
  SUP_TRY(SUP_CALLOC(b->patch, b->mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->patch_of, b->mesh->num_vertices));
  for (int i = 0; i < b->mesh->num_vertices; i++) {
    b->patch_of[i] = SUP_NONE;
    if (b->start[i] == b->start[i + 1] || (b->degree > 0 && !is_corner(b, i))) continue;
    b->patch_of[i] = b->num_patches;
    patch *p = &b->patch[b->num_patches++];
    p->vertex = i;
    SUP_TRY(fit(b, p));
    SUP_TRY(keep(b, p));
  }
  return SUP_OK;
}

/* ---- patches of each vertex ------------------------------------------------------------- */

/** Place of a vertex in the coordinates of a patch. */
static void place_in(const builder *b, const patch *p, int vertex, double x[3]) {
  sup_v3 way = sup_v3_sub(sup_mesh_vertex(b->mesh, vertex), sup_mesh_vertex(b->mesh, p->vertex));
  sup_v3_store(x, sup_m3_apply(p->axes, way));
}

/** 1: the polynomial of a patch amplifies errors at the vertex by at most MAX_THROW. */
static bool is_sound(const builder *b, const patch *p, int vertex) {
  double x[3];
  place_in(b, p, vertex, x);
  return p->num_terms > 1 &&
         sup_patch_amplification(b->weight + p->first_weight, p->num_cells * b->num_samples,
                                 p->num_terms, x) <= sup_fem_numerics.throw;
}

static int ends_at(const sup_cell_kind *kind, const int *cell, int mid, int corner) {
  for (int e = 0; e < kind->num_edges; e++)
    if (cell[kind->num_corners + e] == mid &&
        (kind->edge[e][0] == corner || kind->edge[e][1] == corner))
      return 1;
  return 0;
}

/** Conditions on corners whose patches give the stress of a vertex between them. */
enum { ENDS = 1 /* of its edge only */, INNER = 2, SOUND = 4 };

static int list_speakers(builder *b, int vertex, int which, int layers) {
  begin_list(b, vertex);
  for (; layers > 1; layers--) enlarge(b);
  b->mark++, b->num_speakers = 0;
  for (int k = 0; k < b->num_listed; k++) {
    const int *cell = sup_mesh_cell(b->mesh, b->list[k]);
    for (int a = 0; a < b->kind->num_corners; a++) {
      int corner = cell[a], there = b->patch_of[corner];
      if (b->vertex_mark[corner] == b->mark || ((which & INNER) && b->is_outer[corner]) ||
          ((which & ENDS) && !ends_at(b->kind, cell, vertex, a)))
        continue;
      b->vertex_mark[corner] = b->mark;
      if (!(which & SOUND) || is_sound(b, &b->patch[there], vertex))
        b->speaker[b->num_speakers++] = there;
    }
  }
  return b->num_speakers;
}

/** List the patches whose mean is the value of the vertex. */
static void find_speakers(builder *b, int vertex) {
  const patch *own = b->patch_of[vertex] == SUP_NONE ? NULL : &b->patch[b->patch_of[vertex]];
  if (!own && list_speakers(b, vertex, ENDS | INNER | SOUND, 1) > 0) return;
  if (!own || (b->degree > 0 && b->is_outer[vertex])) {
    int knows_itself = own && own->num_terms > 1 && own->layers == 1 && b->num_samples > 1;
    if (list_speakers(b, vertex, INNER | SOUND, 1) > 0) return;
    if (!knows_itself && list_speakers(b, vertex, INNER | SOUND, 2) > 0) return;
  }
  if (own)
    b->speaker[0] = b->patch_of[vertex], b->num_speakers = 1;
  else if (list_speakers(b, vertex, ENDS | SOUND, 1) == 0)
    list_speakers(b, vertex, ENDS, 1);
}

/** Reserve a cell in the current row; returns its weights. */
static sup_status find_slot(builder *b, int cell, size_t first, size_t *used, double **weight) {
  sup_recovery *r = b->recovery;
  size_t        samples = (size_t)b->num_samples;
  if (b->slot_of[cell] == SUP_NONE) {
    SUP_TRY(SUP_GROW(r->cell, b->row_capacity, *used + 1));
    SUP_TRY(SUP_GROW(r->weight, b->row_weight_capacity, samples * (*used + 1)));
    memset(r->weight + samples * *used, 0, samples * sizeof *r->weight);
    b->slot_of[cell] = (int)(*used - first);
    r->cell[(*used)++] = cell;
  }
  *weight = r->weight + samples * (first + (size_t)b->slot_of[cell]);
  return SUP_OK;
}

/** Add the weights of a patch's value at a vertex, times `share`. */
static sup_status add_speaker(builder *b, const patch *p, int vertex, double share, size_t first,
                              size_t *used) {
  double x[3], value[SUP_PATCH_MAX_TERMS], *to;
  size_t samples = (size_t)b->num_samples, of_term = samples * (size_t)p->num_cells;
  place_in(b, p, vertex, x);
  sup_patch_monomials(x, p->num_terms, value);
  for (int k = 0; k < p->num_cells; k++) {
    const double *w = b->weight + p->first_weight + samples * (size_t)k;
    SUP_TRY(find_slot(b, b->cell[p->first_cell + (size_t)k], first, used, &to));
    for (int t = 0; t < p->num_terms; t++)
      for (size_t q = 0; q < samples; q++) to[q] += share * value[t] * w[of_term * (size_t)t + q];
  }
  return SUP_OK;
}

/** 1: the vertex is counted on this rank, the lowest one with a cell there. */
static bool is_counted(const builder *b, int vertex) {
  const int *rank = b->recovery->area.rank;
  for (int k = b->start[vertex]; k < b->start[vertex + 1] && rank; k++)
    if (rank[b->around[k]] < rank[0]) return 0;
  return 1;
}

/** List the cells whose stress determines that of the vertex; finally by their indices among the
 * stresses. */
static sup_status make_row(builder *b, int vertex, size_t *used) {
  sup_recovery *r = b->recovery;
  size_t        first = *used;
  find_speakers(b, vertex);
  r->num_means += b->patch[b->speaker[0]].num_terms == 1 && is_counted(b, vertex);
  for (int k = 0; k < b->num_speakers; k++)
    SUP_TRY(add_speaker(b, &b->patch[b->speaker[k]], vertex, 1.0 / b->num_speakers, first, used));
  for (size_t k = first; k < *used; k++) {
    b->slot_of[r->cell[k]] = SUP_NONE;
    r->cell[k] = r->area.place[r->cell[k]];
  }
  return SUP_OK;
}

static sup_status make_rows(builder *b) {
  sup_recovery *r = b->recovery;
  size_t        used = 0;
  int           n = b->mesh->num_vertices, corners = b->kind->num_vertices;
  SUP_TRY(SUP_CALLOC(b->is_own, r->area.mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->slot_of, b->mesh->num_cells));
  SUP_TRY(SUP_CALLOC(r->row, n + 1));
  for (int c = 0; c < b->mesh->num_cells; c++) b->slot_of[c] = SUP_NONE;
  /* at an interface also the site of a material that only other ranks have there */
  for (int k = 0; k < corners * r->area.num_own; k++) b->is_own[r->area.mesh->cell[k]] = 1;
  for (int i = 0; i < n; i++) {
    if (b->is_own[r->sites.mesh ? r->sites.vertex[i] : i]) SUP_TRY(make_row(b, i, &used));
    r->row[i + 1] = used;
  }
  return SUP_OK;
}

/* ---- creation -------------------------------------------------------------------------------- */

static sup_status build(builder *b) {
  SUP_TRY(SUP_CALLOC(b->cell_mark, b->mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->vertex_mark, b->mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->list, b->mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->speaker, b->mesh->num_vertices));
  SUP_TRY(list_around(b));
  SUP_TRY(place_points(b));
  SUP_TRY(find_outer(b));
  SUP_TRY(make_patches(b));
  SUP_TRY(make_rows(b));
  return SUP_OK;
}

static void free_builder(builder *b) {
  SUP_FREE_ALL(&b->patch, &b->cell, &b->weight, &b->is_own, &b->slot_of, &b->place, &b->start,
               &b->around, &b->patch_of, &b->is_outer, &b->cell_mark, &b->vertex_mark, &b->list,
               &b->speaker, &b->x, &b->Q, &b->W);
}

sup_status sup_recovery_build(sup_recovery *r, sup_recovery_method method) {
  const sup_fem_body *body = r->body;
  const sup_element  *element = body->element;
  SUP_TRY(sup_recovery_area_create(&r->area, body, REACH));
  if (body->num_materials > 1)
    SUP_TRY(sup_agree(body->ranks, sup_fem_sites_create(&r->sites, r->area.mesh, r->area.material,
                                                        r->area.volume, body->vertex_volume)));
  r->mesh = r->sites.mesh ? r->sites.mesh : r->area.mesh;
  r->num_samples = element->num_points - element->first_sample;
  builder    b = {.recovery = r,
                  .mesh = r->mesh,
                  .kind = sup_cell_kind_of(r->mesh->type),
                  .degree = method == SUP_RECOVERY_MEAN     ? 0
                            : r->mesh->type == SUP_CELL_T10 ? 2
                                                            : 1,
                  .num_points = element->num_points,
                  .first_sample = element->first_sample,
                  .num_samples = r->num_samples};
  sup_status status = sup_agree(body->ranks, build(&b));
  free_builder(&b);
  sup_recovery_area_trim(&r->area);
  r->mesh = r->sites.mesh ? r->sites.mesh : body->mesh;
  if (status == SUP_OK) r->num_means = (int)sup_sum_of_ranks(body->ranks, r->num_means);
  return status;
}
