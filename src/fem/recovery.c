#include "fem/recovery.h"

#include <string.h>

#include "base/memory.h"
#include "fem/body_parts.h"
#include "fem/patch.h"
#include "fem/site.h"
#include "fem/stretch_law.h"
#include "mesh/quadratic.h"
#include "mesh/surface.h"

/** One polynomial, fitted around a vertex. */
typedef struct patch {
  int    vertex;
  int    num_cells, num_terms; /* 1 term: a mean */
  int    layers;               /* of cells around the vertex */
  size_t first_cell, first_weight;
  double length; /* places from the vertex are divided by it [m] */
} patch;

/** A vertex of which a patch says the stress, alone or with others. */
typedef struct served {
  int    vertex;
  double share;
} served;

struct sup_recovery {
  const sup_fem_body *body;
  const sup_mesh     *mesh;  /* of the body, or of its sites: vertices are sites from here on */
  sup_fem_sites       sites; /* of several materials */
  int                 num_patches, num_means;
  patch              *patch;        /* [num_patches] */
  int                *cell;         /* cells of each patch */
  double             *weight;       /* [num_terms x num_cells x samples] of each patch */
  size_t             *first_served; /* [num_patches + 1] */
  served             *served;
  double             *share; /* [num_cells x num_points] of the cell's volume */
};

/* Cells around a vertex, and around these, that a fit may take. */
enum { LAYERS = 2 };
/* Sum of the sizes of a value's weights: extrapolation to a corner of a brick from its own points has 2.6. */
static const double MAX_THROW = 5;
/* Strains below are round-off of a body at rest or turned: no stress of which there could be an error. */
static const double LEAST_STRAIN = 1e-10;

/* ---- patches ----------------------------------------------------------------------------------------------------- */

typedef struct builder {
  sup_recovery        *recovery;
  const sup_mesh      *mesh;
  const sup_cell_kind *kind;
  int                  degree; /* of the polynomials; 0: means */
  int                  num_points, first_sample, num_samples;
  double              *place;          /* [num_cells x num_points x 3] reference [m] */
  int                 *start, *around; /* cells around vertex i: around[start[i]] .. */
  int                 *patch_of;       /* [num_vertices] or SUP_NONE */
  char                *is_outer;       /* [num_vertices] */
  int                  mark;           /* number of the list that is being made */
  int                 *cell_mark, *vertex_mark;
  int                 *list; /* cells */
  int                  num_listed;
  int                 *speaker; /* patches */
  int                  num_speakers;
  double              *x, *Q, *W;
  size_t               x_capacity, Q_capacity, W_capacity, cells_used, cell_capacity, weights_used, weight_capacity;
} builder;

static sup_status list_around(builder *b) {
  const sup_mesh *mesh = b->mesh;
  int             total = b->kind->num_vertices * mesh->num_cells;
  SUP_TRY(SUP_CALLOC(b->start, mesh->num_vertices + 1));
  SUP_TRY(SUP_CALLOC(b->around, total));
  for (int i = 0; i < total; i++) b->start[mesh->cell[i] + 1]++;
  for (int i = 0; i < mesh->num_vertices; i++) b->start[i + 1] += b->start[i];
  for (int i = 0; i < total; i++) b->around[b->start[mesh->cell[i]]++] = i / b->kind->num_vertices;
  for (int i = mesh->num_vertices; i > 0; i--) b->start[i] = b->start[i - 1];
  b->start[0] = 0;
  return SUP_OK;
}

static sup_status place_points(builder *b) {
  const sup_fem_body *body = b->recovery->body;
  size_t              points = (size_t)b->num_points;
  sup_point_stress    point[SUP_ELEMENT_MAX_POINTS];
  SUP_TRY(SUP_CALLOC(b->place, 3 * points * (size_t)b->mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->recovery->share, points * (size_t)b->mesh->num_cells));
  for (int c = 0; c < b->mesh->num_cells; c++) {
    const int *cell = sup_mesh_cell(b->mesh, c);
    sup_fem_point_stress(body, c, b->mesh->x, point);
    for (size_t q = 0; q < points; q++) {
      double N[SUP_CELL_MAX_VERTICES];
      size_t k = points * (size_t)c + q;
      body->element->shape((int)q, N);
      for (int a = 0; a < b->kind->num_vertices; a++)
        sup_v3_accumulate(b->place + 3 * k, N[a], sup_mesh_vertex(b->mesh, cell[a]));
      b->recovery->share[k] = point[q].weight;
    }
  }
  return SUP_OK;
}

static sup_status find_outer(builder *b) {
  sup_surface *surface = NULL;
  SUP_TRY(SUP_CALLOC(b->is_outer, b->mesh->num_vertices));
  SUP_TRY(sup_surface_of_mesh(&surface, b->mesh));
  for (int i = 0; i < surface->num_faces * surface->vertices_per_face; i++) b->is_outer[surface->face[i]] = 1;
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

/** One more layer of cells around those that are listed. */
static void enlarge(builder *b) {
  int before = b->num_listed;
  for (int k = 0; k < before; k++)
    for (int a = 0; a < b->kind->num_corners; a++) list_cells_around(b, sup_mesh_cell(b->mesh, b->list[k])[a]);
}

static sup_status make_room(builder *b) {
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
  p->length = 0;
  for (int k = 0; k < num; k++) {
    int    sample = b->num_points * b->list[k / b->num_samples] + b->first_sample + k % b->num_samples;
    sup_v3 way = sup_v3_sub(sup_v3_load(b->place + 3 * (size_t)sample), origin);
    sup_v3_store(b->x + 3 * k, way);
    p->length = fmax(p->length, sup_v3_norm(way));
  }
  for (int k = 0; k < 3 * num; k++) b->x[k] /= p->length;
  return num;
}

/** The mean of the cells around, by volume. */
static sup_status take_mean(builder *b, patch *p) {
  const double *volume = b->recovery->body->volume;
  double        sum = 0;
  begin_list(b, p->vertex);
  SUP_TRY(make_room(b));
  for (int k = 0; k < b->num_listed; k++) sum += volume[b->list[k]];
  for (int k = 0; k < b->num_samples * b->num_listed; k++)
    b->W[k] = volume[b->list[k / b->num_samples]] / (sum * b->num_samples);
  p->num_terms = 1, p->length = 1;
  return SUP_OK;
}

/** The highest degree that the cells around, or one more layer, bear. */
static sup_status fit(builder *b, patch *p) {
  static const int    num_terms[] = {1, 4, 10};
  static const double here[3] = {0, 0, 0};
  for (int degree = b->degree; degree > 0; degree--) {
    begin_list(b, p->vertex);
    for (int layer = 0; layer < LAYERS; layer++) {
      if (layer > 0) enlarge(b);
      SUP_TRY(make_room(b));
      int num = gather_samples(b, p);
      p->num_terms = num_terms[degree], p->layers = layer + 1;
      if (sup_patch_fit(b->x, num, p->num_terms, b->Q, b->W) &&
          sup_patch_throw(b->W, num, p->num_terms, here) <= MAX_THROW)
        return SUP_OK;
    }
  }
  SUP_TRY(take_mean(b, p));
  return SUP_OK;
}

/** Keep the lists of a patch. */
static sup_status keep(builder *b, patch *p) {
  sup_recovery *r = b->recovery;
  size_t        cells = (size_t)b->num_listed, num = (size_t)p->num_terms * (size_t)b->num_samples * cells;
  p->first_cell = b->cells_used, p->first_weight = b->weights_used, p->num_cells = b->num_listed;
  SUP_TRY(SUP_GROW(r->cell, b->cell_capacity, b->cells_used + cells));
  SUP_TRY(SUP_GROW(r->weight, b->weight_capacity, b->weights_used + num));
  memcpy(r->cell + b->cells_used, b->list, cells * sizeof *b->list);
  memcpy(r->weight + b->weights_used, b->W, num * sizeof *b->W);
  b->cells_used += cells, b->weights_used += num;
  return SUP_OK;
}

static int is_corner(const builder *b, int vertex) {
  const int *cell = sup_mesh_cell(b->mesh, b->around[b->start[vertex]]);
  for (int a = 0; a < b->kind->num_corners; a++)
    if (cell[a] == vertex) return 1;
  return 0;
}

/** A patch for each corner; of means, for every vertex. */
static sup_status make_patches(builder *b) {
  sup_recovery *r = b->recovery;
  SUP_TRY(SUP_CALLOC(r->patch, b->mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->patch_of, b->mesh->num_vertices));
  for (int i = 0; i < b->mesh->num_vertices; i++) {
    b->patch_of[i] = SUP_NONE;
    if (b->degree > 0 && !is_corner(b, i)) continue;
    b->patch_of[i] = r->num_patches;
    patch *p = &r->patch[r->num_patches++];
    p->vertex = i;
    SUP_TRY(fit(b, p));
    SUP_TRY(keep(b, p));
  }
  return SUP_OK;
}

/* ---- who speaks for which vertex --------------------------------------------------------------------------------- */

/** Place of a vertex in the coordinates of a patch. */
static void place_in(const sup_recovery *r, const patch *p, int vertex, double x[3]) {
  sup_v3 way = sup_v3_sub(sup_mesh_vertex(r->mesh, vertex), sup_mesh_vertex(r->mesh, p->vertex));
  sup_v3_store(x, sup_v3_scale(1 / p->length, way));
}

/** Is the polynomial of a patch sound at the vertex? */
static int is_sound(const builder *b, const patch *p, int vertex) {
  double x[3];
  place_in(b->recovery, p, vertex, x);
  return p->num_terms > 1 && sup_patch_throw(b->recovery->weight + p->first_weight, p->num_cells * b->num_samples,
                                             p->num_terms, x) <= MAX_THROW;
}

static int ends_at(const sup_cell_kind *kind, const int *cell, int mid, int corner) {
  for (int e = 0; e < kind->num_edges; e++)
    if (cell[kind->num_corners + e] == mid && (kind->edge[e][0] == corner || kind->edge[e][1] == corner)) return 1;
  return 0;
}

/** Which corners of the cells around a vertex may speak for it. */
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
      if (!(which & SOUND) || is_sound(b, &b->recovery->patch[there], vertex)) b->speaker[b->num_speakers++] = there;
    }
  }
  return b->num_speakers;
}

/** The patches of which the vertex takes the mean. */
static void find_speakers(builder *b, int vertex) {
  const patch *own = b->patch_of[vertex] == SUP_NONE ? NULL : &b->recovery->patch[b->patch_of[vertex]];
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

static sup_status assign_vertices(builder *b) {
  sup_recovery *r = b->recovery;
  int           n = b->mesh->num_vertices;
  SUP_TRY(SUP_CALLOC(r->first_served, r->num_patches + 1));
  for (int i = 0; i < n; i++) {
    find_speakers(b, i);
    for (int k = 0; k < b->num_speakers; k++) r->first_served[b->speaker[k] + 1]++;
    r->num_means += r->patch[b->speaker[0]].num_terms == 1;
  }
  for (int k = 0; k < r->num_patches; k++) r->first_served[k + 1] += r->first_served[k];
  SUP_TRY(SUP_CALLOC(r->served, r->first_served[r->num_patches]));
  for (int i = 0; i < n; i++) {
    find_speakers(b, i);
    for (int k = 0; k < b->num_speakers; k++)
      r->served[r->first_served[b->speaker[k]]++] = (served){i, 1.0 / b->num_speakers};
  }
  for (int k = r->num_patches; k > 0; k--) r->first_served[k] = r->first_served[k - 1];
  r->first_served[0] = 0;
  return SUP_OK;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static sup_status build(builder *b) {
  SUP_TRY(SUP_CALLOC(b->cell_mark, b->mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->vertex_mark, b->mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->list, b->mesh->num_cells));
  SUP_TRY(SUP_CALLOC(b->speaker, b->mesh->num_vertices));
  SUP_TRY(list_around(b));
  SUP_TRY(place_points(b));
  SUP_TRY(find_outer(b));
  SUP_TRY(make_patches(b));
  SUP_TRY(assign_vertices(b));
  return SUP_OK;
}

static void free_builder(builder *b) {
  SUP_FREE(b->place);
  SUP_FREE(b->start);
  SUP_FREE(b->around);
  SUP_FREE(b->patch_of);
  SUP_FREE(b->is_outer);
  SUP_FREE(b->cell_mark);
  SUP_FREE(b->vertex_mark);
  SUP_FREE(b->list);
  SUP_FREE(b->speaker);
  SUP_FREE(b->x);
  SUP_FREE(b->Q);
  SUP_FREE(b->W);
}

static sup_status make(sup_recovery *r, sup_recovery_method method) {
  const sup_fem_body *body = r->body;
  const sup_element  *element = body->element;
  if (body->num_materials > 1) SUP_TRY(sup_fem_sites_create(&r->sites, body));
  r->mesh = r->sites.mesh ? r->sites.mesh : body->mesh;
  builder    b = {.recovery = r,
                  .mesh = r->mesh,
                  .kind = sup_cell_kind_of(r->mesh->type),
                  .degree = method == SUP_RECOVERY_MEAN     ? 0
                            : r->mesh->type == SUP_CELL_T10 ? 2
                                                            : 1,
                  .num_points = element->num_points,
                  .first_sample = element->first_sample,
                  .num_samples = element->num_points - element->first_sample};
  sup_status status = build(&b);
  free_builder(&b);
  return status;
}

sup_status sup_recovery_create(sup_recovery **recovery, const sup_fem_body *body, sup_recovery_method method) {
  *recovery = NULL;
  sup_recovery *r = NULL;
  SUP_TRY(SUP_CALLOC(r, 1));
  r->body = body;
  sup_status status = make(r, method);
  if (status != SUP_OK) sup_recovery_destroy(&r);
  *recovery = r;
  return status;
}

void sup_recovery_destroy(sup_recovery **recovery) {
  sup_recovery *r = *recovery;
  if (!r) return;
  sup_fem_sites_free(&r->sites);
  SUP_FREE(r->patch);
  SUP_FREE(r->cell);
  SUP_FREE(r->weight);
  SUP_FREE(r->first_served);
  SUP_FREE(r->served);
  SUP_FREE(r->share);
  SUP_FREE(*recovery);
}

int sup_recovery_num_sites(const sup_recovery *recovery) { return recovery->mesh->num_vertices; }

int sup_recovery_num_means(const sup_recovery *recovery) { return recovery->num_means; }

/* ---- stress at vertices ------------------------------------------------------------------------------------------ */

/** out := coefficient t of a patch's polynomial, of each component. */
static void coefficient(const sup_recovery *r, const patch *p, int t, const double *point, double out[6]) {
  size_t        points = (size_t)r->body->element->num_points, first = (size_t)r->body->element->first_sample;
  size_t        samples = points - first;
  const double *w = r->weight + p->first_weight + (size_t)t * samples * (size_t)p->num_cells;
  for (int i = 0; i < 6; i++) out[i] = 0;
  for (int k = 0; k < p->num_cells; k++) {
    const double *s = point + 6 * (points * (size_t)r->cell[p->first_cell + (size_t)k] + first);
    for (size_t q = 0; q < samples; q++, s += 6, w++)
      for (int i = 0; i < 6; i++) out[i] += *w * s[i];
  }
}

void sup_recovery_apply(const sup_recovery *r, const double *point, double *site) {
  memset(site, 0, 6 * (size_t)r->mesh->num_vertices * sizeof *site);
  for (int k = 0; k < r->num_patches; k++) {
    const patch *p = &r->patch[k];
    double       c[SUP_PATCH_MAX_TERMS][6];
    if (r->first_served[k] == r->first_served[k + 1]) continue;
    for (int t = 0; t < p->num_terms; t++) coefficient(r, p, t, point, c[t]);
    for (size_t m = r->first_served[k]; m < r->first_served[k + 1]; m++) {
      double x[3], value[SUP_PATCH_MAX_TERMS], *to = site + 6 * (size_t)r->served[m].vertex;
      place_in(r, p, r->served[m].vertex, x);
      sup_patch_monomials(x, p->num_terms, value);
      for (int t = 0; t < p->num_terms; t++)
        for (int i = 0; i < 6; i++) to[i] += r->served[m].share * value[t] * c[t][i];
    }
  }
}

void sup_recovery_mean(const sup_recovery *r, const double *site, double *vertex) {
  size_t size = 6 * (size_t)r->body->mesh->num_vertices * sizeof *vertex;
  if (!r->sites.mesh) {
    if (vertex != site) memcpy(vertex, site, size);
    return;
  }
  memset(vertex, 0, size);
  for (int s = 0; s < r->mesh->num_vertices; s++)
    for (int i = 0; i < 6; i++) vertex[6 * r->sites.vertex[s] + i] += r->sites.share[s] * site[6 * s + i];
}

/* ---- error ------------------------------------------------------------------------------------------------------- */

/** 1/2 s : C^-1 s [J/m^3]. */
static double energy_density(const sup_lame *lame, const double s[6]) {
  double trace = s[0] + s[1] + s[2], square = 0;
  for (int i = 0; i < 3; i++) square += s[i] * s[i] + 2 * s[3 + i] * s[3 + i];
  return (square - lame->lambda / (3 * lame->lambda + 2 * lame->mu) * trace * trace) / (4 * lame->mu);
}

/** Recovered stress less the computed one s at a point with shape functions N; v: [n] stress at the vertices. */
static void difference(int n, const double *N, const double *v, const double *s, double d[6]) {
  for (int i = 0; i < 6; i++) {
    d[i] = -s[i];
    for (int a = 0; a < n; a++) d[i] += N[a] * v[6 * a + i];
  }
}

/** Mean over a cell of the energy of the difference d, which is linear: the integrals of its products are V/20, twice
 *  that for a vertex with itself. */
static double t4_difference(const sup_lame *lame, const double *v, const double *s) {
  double mean = 0, d[6], sum[6] = {0};
  for (int a = 0; a < 4; a++) {
    for (int i = 0; i < 6; i++) d[i] = v[6 * a + i] - s[i], sum[i] += d[i];
    mean += energy_density(lame, d) / 20;
  }
  return mean + energy_density(lame, sum) / 20;
}

/** The same of a brick, at its points; share: [8] of the volume. */
static double h8_difference(const sup_element *element, const sup_lame *lame, const double *v, const double *s,
                            const double *share) {
  double mean = 0, N[8], d[6];
  for (int q = 0; q < 8; q++) {
    element->shape(q, N);
    difference(8, N, v, s + 6 * q, d);
    mean += share[q] * energy_density(lame, d);
  }
  return mean;
}

/** The same of a T10, whose d is of degree 2: Walkington's rule of degree 5.  The computed stress is the linear
 *  interpolation of its values at the corners, the first four points; so it is in straight cells. */
static double t10_difference(const sup_lame *lame, const double *v, const double *s) {
  static const double weight[3] = {0.11268792571801585, 0.073493043116361949, 0.042546020777081466};
  static const double inner[2] = {0.31088591926330061, 0.092735250310891226}, edge = 0.45449629587435037;
  static const int    pair[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  double              mean = 0;
  for (int q = 0; q < 14; q++) {
    int    kind = q / 4 < 2 ? q / 4 : 2;
    double L[4], N[10], d[6], computed[6];
    for (int a = 0; a < 4; a++) L[a] = kind == 2 ? 0.5 - edge : inner[kind];
    if (kind == 2)
      L[pair[q - 8][0]] = L[pair[q - 8][1]] = edge;
    else
      L[q % 4] = 1 - 3 * inner[kind];
    sup_t10_shape(L, N);
    for (int i = 0; i < 6; i++) computed[i] = L[0] * s[i] + L[1] * s[6 + i] + L[2] * s[12 + i] + L[3] * s[18 + i];
    difference(10, N, v, computed, d);
    mean += weight[kind] * energy_density(lame, d);
  }
  return mean;
}

sup_stress_error sup_recovery_error(const sup_recovery *r, const double *point, const double *site, double *cell) {
  const sup_fem_body *body = r->body;
  size_t              points = (size_t)body->element->num_points;
  sup_stress_error    sum = {.energy = 0};
  double              least = 0; /* energy of a strain that counts as none */
  for (int c = 0; c < body->mesh->num_cells; c++) {
    const sup_lame *lame = &sup_fem_matter_of(body, c)->lame;
    const double   *s = point + 6 * points * (size_t)c, *share = r->share + points * (size_t)c;
    double          v[6 * SUP_CELL_MAX_VERTICES], mean = 0;
    for (int a = 0; a < body->element->num_vertices; a++)
      memcpy(v + 6 * a, site + 6 * (size_t)sup_mesh_cell(r->mesh, c)[a], 6 * sizeof *v);
    for (size_t q = 0; q < points; q++) mean += share[q] * energy_density(lame, s + 6 * q);
    sum.stress_energy += body->volume[c] * mean;
    if (body->mesh->type == SUP_CELL_T4)
      mean = t4_difference(lame, v, s);
    else if (body->mesh->type == SUP_CELL_H8)
      mean = h8_difference(body->element, lame, v, s, share);
    else
      mean = t10_difference(lame, v, s);
    cell[c] = body->volume[c] * mean;
    sum.energy += cell[c];
    least += LEAST_STRAIN * LEAST_STRAIN * lame->mu * body->volume[c];
  }
  double total = sum.energy + sum.stress_energy;
  sum.relative = total > least ? sqrt(sum.energy / total) : 0;
  return sum;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

sup_m3 sup_fem_tensor(const double s[6]) {
  return (sup_m3){{{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}};
}

void sup_fem_principal(const double six[6], double value[3]) {
  sup_m3 S = sup_fem_tensor(six);
  double V[3][3];
  sup_fem_eigen(S.m, value, V);
  for (int k = 0; k < 3; k++) { /* neighbours 0 1, 1 2, 0 1 */
    double *v = value + k % 2, low = v[1];
    if (v[0] < low) v[1] = v[0], v[0] = low;
  }
}
