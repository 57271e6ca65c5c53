#include "fem/body.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/kernel/polar.h"
#include "fem/law/stretch_law.h"

/* ---- creation -------------------------------------------------------------------------------- */

static sup_status check_vertices(const sup_mesh *mesh, const double *vertex_volume) {
  for (int i = 0; i < mesh->num_vertices; i++)
    if (!(vertex_volume[i] > 0))
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "vertex %d belongs to no cell; every vertex of a soft body must carry mass",
                      i);
  return SUP_OK;
}

/* Slots of the vertices of cell c: ranks by vertex number. */
static void sort_cell(const sup_mesh *mesh, int c, int *slot, int *vertex) {
  const int *cell = sup_mesh_cell(mesh, c);
  int        n = sup_cell_num_vertices(mesh->type);
  for (int a = 0; a < n; a++) {
    slot[a] = 0;
    for (int b = 0; b < n; b++) slot[a] += cell[b] < cell[a];
    vertex[slot[a]] = cell[a];
  }
}

/* Store the element data of cell c in its lane. */
static void put_lane(sup_fem_body *body, int c, const sup_element_data *data, const int *slot) {
  size_t  n = (size_t)body->element->num_vertices, size = (size_t)body->element->stiffness_size;
  size_t  compliance_size = (size_t)body->element->compliance_size;
  size_t  batch = sup_fem_lanes(body, c), lane = (size_t)c % SUP_BATCH;
  double *k = body->stiffness + SUP_BATCH * size * batch + lane,
         *g = body->lane_gradient + SUP_BATCH * 3 * n * batch;
  double *moduli = body->lane_moduli + 2 * SUP_BATCH * batch + lane;
  double *compliance = body->compliance + SUP_BATCH * compliance_size * batch + lane;
  for (size_t i = 0; i < size; i++) k[SUP_BATCH * i] = data->stiffness[i];
  for (size_t i = 0; i < compliance_size; i++) compliance[SUP_BATCH * i] = data->compliance[i];
  const sup_fem_matter *matter = sup_fem_matter_of(body, c);
  if (matter->material.model == SUP_MATERIAL_LINEAR) return;
  moduli[0] = data->volume * matter->lame.lambda,
  moduli[SUP_BATCH] = data->volume * matter->lame.mu;
  for (size_t a = 0; a < n; a++)
    for (size_t i = 0; i < 3; i++)
      g[SUP_BATCH * (3 * (size_t)slot[a] + i) + lane] = data->gradient[3 * a + i];
}

/** Number of cell c of this folder to the user. */
static int number_of(const sup_fem_body *body, int c) {
  int given = sup_fem_given(body, c);
  return body->number_of_all ? body->number_of_all[given] : given;
}

/** Compute and store the element data of cell c. */
static sup_status prepare_cell(sup_fem_body *body, int c, const int *slot) {
  const sup_mesh *mesh = body->mesh;
  size_t          at = SUP_BATCH * sup_fem_lanes(body, c) + (size_t)c % SUP_BATCH,
         n = (size_t)body->element->num_vertices;
  double           X[3 * SUP_CELL_MAX_VERTICES], stiffness[9 * SUP_CELL_MAX_PAIRS];
  double           compliance[SUP_ELEMENT_MAX_COMPLIANCE];
  sup_element_data data = {
      .stiffness = stiffness, .compliance = compliance, .gradient = body->gradient + 3 * n * at};
  sup_fem_gather(mesh->x, sup_mesh_cell(mesh, c), body->element->num_vertices, X);
  double jacobian = body->element->prepare(&sup_fem_matter_of(body, c)->lame, X, slot, &data);
  if (!(jacobian > SUP_ELEMENT_MIN_JACOBIAN))
    return SUP_FAIL(SUP_E_GEOMETRY,
                    "cell %d (%s, first vertex %d) is inverted or flat: its smallest Jacobian is "
                    "%.3g of its longest edge cubed, it must be above %g",
                    number_of(body, c), sup_cell_name(mesh->type), sup_mesh_cell(mesh, c)[0],
                    jacobian, SUP_ELEMENT_MIN_JACOBIAN);
  put_lane(body, c, &data, slot);
  body->volume[at] = data.volume;
  return SUP_OK;
}

static sup_status prepare_cells(sup_fem_body *body) {
  const sup_mesh *mesh = body->mesh;
  size_t          n = (size_t)body->element->num_vertices;
  int             next = 0; /* lanes come up in their order */
  for (int c = 0; c < mesh->num_cells; c++) {
    size_t i = (size_t)c;
    int    slot[SUP_CELL_MAX_VERTICES], lanes = body->lanes_of[c / SUP_BATCH];
    sort_cell(mesh, c, slot, body->vertex + n * i);
    if (lanes >= next) SUP_TRY(prepare_cell(body, c, slot));
    if (lanes == next && (c % SUP_BATCH == SUP_BATCH - 1)) next++;
    for (size_t a = 0; a < n; a++)
      body->vertex_volume[body->vertex[n * i + a]] += sup_fem_volume_of(body, c);
  }
  return SUP_OK;
}

/* Pattern of the vertex graph, and the entry of every pair of slots. */
static sup_status build_pattern(sup_fem_body *body) {
  const sup_mesh *mesh = body->mesh;
  size_t          n = (size_t)body->element->num_vertices, pairs = (size_t)body->element->num_pairs;
  size_t          num_pairs = pairs * (size_t)mesh->num_cells;
  SUP_FREED int  *size = NULL, *pair = NULL;
  SUP_TRY(SUP_CALLOC(size, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(pair, 2 * num_pairs));
  for (int i = 0; i < mesh->num_vertices; i++) size[i] = 3;
  int *next = pair;
  for (int c = 0; c < mesh->num_cells; c++) {
    const int *vertex = body->vertex + n * (size_t)c;
    for (size_t a = 0; a < n; a++)
      for (size_t b = 0; b <= a; b++) *next++ = vertex[a], *next++ = vertex[b];
  }
  SUP_TRY(sup_block_pattern_build(&body->pattern, mesh->num_vertices, size, num_pairs, pair));
  sup_block_pattern_finish(&body->pattern);
  for (size_t k = 0; k < num_pairs; k++) {
    int entry = sup_block_pattern_find(&body->pattern, pair[2 * k], pair[2 * k + 1]);
    SUP_ASSERT(entry != SUP_NONE && sup_block_value(&body->pattern, entry) == 9 * (size_t)entry);
    body->entry[k] = entry;
  }
  return SUP_OK;
}

static sup_status choose_element(sup_cell_type type, int form, const sup_element **element) {
  static const sup_element *const elements[SUP_NUM_CELL_TYPES] = {
      [SUP_CELL_T4] = &sup_element_t4,
      [SUP_CELL_H8] = &sup_element_h8,
      [SUP_CELL_T10] = &sup_element_t10};
  *element = elements[type];
  if (form & SUP_FEM_SOLID_SHELL) {
    if (type != SUP_CELL_H8)
      return SUP_FAIL(SUP_E_ARG, "solid-shells need H8 cells; the mesh is made of %s",
                      sup_cell_name(type));
    *element = &sup_element_shell;
  }
  if (!(form & SUP_FEM_MEAN_DILATATION)) return SUP_OK;
  if (type != SUP_CELL_T10)
    return SUP_FAIL(SUP_E_ARG, "the mean dilatation needs T10 cells; the mesh is made of %s",
                    sup_cell_name(type));
  *element = &sup_element_t10b;
  return SUP_OK;
}

/* Lanes begin at multiples of a batch, as vectors want them. */
static sup_status allocate_lanes(sup_fem_body *body) {
  size_t batch = SUP_BATCH * sizeof(double), batches = (size_t)body->num_lanes;
  size_t stiffness = SUP_BATCH * (size_t)body->element->stiffness_size * batches;
  size_t gradient = SUP_BATCH * 3 * (size_t)body->element->num_vertices * batches;
  size_t compliance = SUP_BATCH * (size_t)body->element->compliance_size * batches;
  SUP_TRY(SUP_CALLOC(body->lane_memory,
                     stiffness + gradient + compliance + SUP_BATCH * (2 * batches + 1)));
  body->stiffness =
      body->lane_memory + (batch - (uintptr_t)body->lane_memory % batch) / sizeof(double);
  body->lane_gradient = body->stiffness + stiffness;
  body->compliance = body->lane_gradient + gradient;
  body->lane_moduli = body->compliance + compliance;
  return SUP_OK;
}

static sup_status allocate(sup_fem_body *body) {
  size_t cells = (size_t)body->mesh->num_cells, n = (size_t)body->element->num_vertices;
  SUP_TRY(SUP_CALLOC(body->vertex, cells * n));
  SUP_TRY(SUP_CALLOC(body->entry, cells * (size_t)body->element->num_pairs));
  SUP_TRY(sup_fem_find_congruent(body));
  SUP_TRY(allocate_lanes(body));
  SUP_TRY(SUP_CALLOC(body->gradient, SUP_BATCH * (size_t)body->num_lanes * n * 3));
  SUP_TRY(SUP_CALLOC(body->volume, SUP_BATCH * (size_t)body->num_lanes));
  SUP_TRY(SUP_CALLOC(body->vertex_volume, body->mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(body->vertex_mass, body->mesh->num_vertices));
  return SUP_OK;
}

/** Check the law of a cell type: tetrahedra support every law.  Bricks have a K0 whose internal
 * modes are condensed once, in the state at rest. */
sup_status sup_fem_check_cells(sup_cell_type type, const sup_material_def *material) {
  if (type != SUP_CELL_H8 || sup_fem_is_linear(material->model) ||
      material->model == SUP_MATERIAL_COROTATIONAL)
    return SUP_OK;
  return SUP_FAIL(
      SUP_E_ARG,
      "material '%s': the model %s needs T4 or T10 cells; H8 cells, whose incompatible modes are "
      "condensed in the state at rest, take linear, linear_corotational and corotational",
      material->name, sup_fem_material_name(material->model));
}

sup_status sup_fem_check_mixed(const sup_material_def *a, const sup_material_def *b) {
  if (sup_fem_is_linear(a->model) == sup_fem_is_linear(b->model)) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "material '%s' has the model %s and '%s' %s: in one body all models must be "
                  "linear in a step (linear, linear_corotational) or none",
                  a->name, sup_fem_material_name(a->model), b->name,
                  sup_fem_material_name(b->model));
}

/** 1: cells may have stretch laws at their points: T4, and T10 unless all materials are linear or
 * corotational (one rotation a cell). */
static bool has_laws(sup_cell_type type, int num_materials, const sup_material_def *material) {
  int has = type == SUP_CELL_T4;
  for (int k = 0; k < num_materials && type == SUP_CELL_T10; k++)
    has |= !sup_fem_is_linear(material[k].model) && material[k].model != SUP_MATERIAL_COROTATIONAL;
  return has;
}

static sup_status take_materials(sup_fem_body *body, int num_materials,
                                 const sup_material_def *material, const int *cell_material) {
  SUP_TRY(SUP_CALLOC(body->matter, num_materials));
  SUP_TRY(SUP_CALLOC(body->cell_material, body->mesh->num_cells));
  SUP_TRY(SUP_CALLOC(body->given_material, body->mesh->num_cells));
  body->num_materials = num_materials;
  for (int k = 0; k < num_materials; k++) {
    sup_fem_matter *m = &body->matter[k];
    m->material = material[k];
    m->prony = sup_fem_prony(&material[k]);
    m->lame = sup_fem_lame(sup_fem_instantaneous_modulus(&material[k]), material[k].poissons_ratio);
    if (has_laws(body->mesh->type, num_materials, material))
      m->law = sup_fem_stretch_law_of(material[k].model);
  }
  body->is_hyperelastic = body->matter[0].law != NULL;
  for (int c = 0; c < body->mesh->num_cells && cell_material; c++) {
    if (cell_material[c] < 0 || cell_material[c] >= num_materials)
      return SUP_FAIL(SUP_E_ARG, "cell %d has the material %d of %d, counted from 0", c,
                      cell_material[c], num_materials);
    body->given_material[c] = cell_material[c];
  }
  for (int c = 0; c < body->mesh->num_cells; c++)
    body->cell_material[c] = body->given_material[sup_fem_given(body, c)];
  return SUP_OK;
}

sup_status sup_fem_body_create(sup_fem_body **body, const sup_mesh *mesh,
                               const sup_material_def *material, int form) {
  SUP_TRY(sup_fem_body_create_parts(body, mesh, 1, material, NULL, form));
  return SUP_OK;
}

sup_status sup_fem_body_create_parts(sup_fem_body **out, const sup_mesh *mesh, int num_materials,
                                     const sup_material_def *material, const int *cell_material,
                                     int form) {
  SUP_TRY(
      sup_fem_body_create_on(out, mesh, num_materials, material, cell_material, form, NULL, NULL));
  return SUP_OK;
}

/** Vertices without cells on this rank, and sums over all cells of a vertex. */
static sup_status share_vertices(sup_fem_body *body) {
  size_t n = (size_t)body->mesh->num_vertices;
  SUP_TRY(SUP_CALLOC(body->idle, n));
  for (size_t i = 0; i < n; i++)
    if (!(body->vertex_volume[i] > 0)) body->idle[body->num_idle++] = (int)i;
  return SUP_OK;
}

/** Create a body from the cells of this rank. */
static sup_status create_own(sup_fem_body *body, const sup_mesh *mesh, int num_materials,
                             const sup_material_def *material, const int *cell_material, int form) {
  SUP_TRY(choose_element(mesh->type, form, &body->element));
  SUP_TRY(sup_mesh_copy(&body->given, mesh));
  SUP_TRY(sup_fem_arrange(body));
  SUP_TRY(take_materials(body, num_materials, material, cell_material));
  SUP_TRY(allocate(body));
  SUP_TRY(prepare_cells(body));
  if (body->ranks) SUP_TRY(share_vertices(body));
  return SUP_OK;
}

sup_status sup_fem_body_create_on(sup_fem_body **out, const sup_mesh *mesh, int num_materials,
                                  const sup_material_def *material, const int *cell_material,
                                  int form, const int *cell_number, const sup_collective *ranks) {
  *out = NULL;
  SUP_OWN(sup_fem_body) *body = NULL;
  if (num_materials < 1 || num_materials > SUP_FEM_MAX_MATERIALS)
    return SUP_FAIL(SUP_E_ARG, "a soft body of %d materials; expected 1 to %d", num_materials,
                    SUP_FEM_MAX_MATERIALS);
  for (int k = 0; k < num_materials; k++) {
    SUP_TRY(sup_fem_check_material(&material[k]));
    SUP_TRY(sup_fem_check_cells(mesh->type, &material[k]));
    SUP_TRY(sup_fem_check_mixed(&material[0], &material[k]));
  }
  if (mesh->num_cells < 1)
    return SUP_FAIL(SUP_E_GEOMETRY, "a soft body needs a mesh with at least one cell");
  SUP_TRY(SUP_CALLOC(body, 1));
  body->ranks = sup_has_ranks(ranks) ? ranks : NULL, body->number_of_all = cell_number;
  sup_status status = create_own(body, mesh, num_materials, material, cell_material, form);
  SUP_TRY(sup_agree(body->ranks, status));
  if (body->ranks) body->ranks->sum(body->ranks, (size_t)mesh->num_vertices, body->vertex_volume);
  SUP_TRY(check_vertices(mesh, body->vertex_volume));
  status = build_pattern(body);
  if (status == SUP_OK) status = sup_fem_build_mass(body, form & SUP_FEM_LUMPED);
  SUP_TRY(sup_agree(body->ranks, status));
  sup_fem_sum_mass(body);
  *out = body;
  body = NULL;
  return SUP_OK;
}

void sup_fem_body_destroy(sup_fem_body **body) {
  if (!*body) return;
  sup_fem_body *b = *body;
  sup_mesh_destroy(&b->given);
  SUP_FREE_ALL(&b->sorted.cell, &b->number, &b->place);
  sup_block_pattern_free(&b->pattern);
  sup_ranges_free(&b->batch_ranges);
  SUP_FREE_ALL(&b->vertex, &b->entry, &b->lanes_of, &b->lane_memory, &b->gradient, &b->volume,
               &b->vertex_volume);
  if (b->own_mass != b->vertex_mass) SUP_FREE(b->own_mass);
  SUP_FREE_ALL(&b->vertex_mass, &b->idle, &b->entry_mass, &b->damping, &b->growth.of_cell,
               &b->matter, &b->cell_material, &b->given_material, body);
}

/* ---- properties ------------------------------------------------------------------------------ */

const sup_mesh *sup_fem_mesh(const sup_fem_body *body) { return body->given; }
int             sup_fem_num_materials(const sup_fem_body *body) { return body->num_materials; }
const sup_material_def *sup_fem_material(const sup_fem_body *body, int k) {
  return &body->matter[k].material;
}
const int *sup_fem_cell_material(const sup_fem_body *body) { return body->given_material; }
const sup_block_pattern *sup_fem_pattern(const sup_fem_body *body) { return &body->pattern; }
double                   sup_fem_mass(const sup_fem_body *body) { return body->mass; }
const double            *sup_fem_vertex_mass(const sup_fem_body *body) { return body->vertex_mass; }

sup_v3 sup_fem_mean(const sup_fem_body *body, const double *x) {
  sup_v3 sum = {0, 0, 0};
  double total = 0;
  for (int i = 0; i < body->mesh->num_vertices; i++) {
    total += body->vertex_mass[i];
    sum = sup_v3_madd(sum, body->vertex_mass[i], sup_v3_load(x + 3 * i));
  }
  return sup_v3_scale(1 / total, sum);
}

bool sup_fem_body_is_linear(const sup_fem_body *body) {
  return sup_fem_is_linear(body->matter[0].material.model);
}

void sup_fem_multiply(const sup_fem_body *body, const double *values, const double *x, double *y) {
  sup_block_multiply(&body->pattern, values, x, y);
  sup_fem_end_sum(body, y);
}

double sup_fem_face_stiffness(const sup_fem_body *body, int c, double face_area) {
  static const double height[SUP_NUM_CELL_TYPES] = {
      [SUP_CELL_T4] = 3, [SUP_CELL_H8] = 1, [SUP_CELL_T10] = 3. / 8};
  int             at = body->place ? body->place[c] : c;
  double          h = height[body->mesh->type] * sup_fem_volume_of(body, at) / face_area;
  const sup_lame *lame = &sup_fem_matter_of(body, at)->lame;
  return (lame->lambda + 2 * lame->mu) / h;
}

sup_batch sup_fem_batch(const sup_fem_body *body, int k) {
  const sup_element *element = body->element;
  size_t             batch = (size_t)body->lanes_of[k], cell = SUP_BATCH * (size_t)k,
         n = (size_t)element->num_vertices;
  int rest = body->mesh->num_cells - k * SUP_BATCH;
  return (sup_batch){
      .num_cells = rest < SUP_BATCH ? rest : SUP_BATCH,
      .num_vertices = element->num_vertices,
      .num_pairs = element->num_pairs,
      .stiffness = body->stiffness + SUP_BATCH * (size_t)element->stiffness_size * batch,
      .gradient = body->lane_gradient + SUP_BATCH * 3 * n * batch,
      .moduli = body->lane_moduli + SUP_BATCH * 2 * batch,
      .cell = body->mesh->cell + n * cell,
      .vertex = body->vertex + n * cell,
      .entry = body->entry + (size_t)element->num_pairs * cell};
}

int sup_fem_threads(const sup_fem_body *body) {
  return sup_threads_worth((size_t)body->mesh->num_cells * (size_t)body->element->num_pairs,
                           SUP_FEM_THREAD_PAIRS);
}

int sup_fem_owned(const sup_fem_body *body, const sup_range *range, int k, unsigned char *owned) {
  sup_batch batch = sup_fem_batch(body, k);
  int       any = 0;
  for (int i = 0; i < batch.num_cells * batch.num_vertices; i++)
    any |= owned[i] = (unsigned char)sup_range_owns(range, batch.vertex[i]);
  return any;
}

/* ---- rotations ------------------------------------------------------------------------------- */

sup_m3 sup_fem_cell_rotation(const sup_fem_body *body, int c, const double *cell_x) {
  if (sup_fem_matter_of(body, c)->material.model == SUP_MATERIAL_LINEAR) return sup_m3_identity();
  int           n = body->element->num_vertices;
  const double *g = sup_fem_gradient_of(body, c);
  sup_m3        F = sup_m3_zero();
  for (int a = 1; a < n; a++) { /* the gradients add up to zero: vertex 0 as origin */
    double d[3] = {cell_x[3 * a] - cell_x[0], cell_x[3 * a + 1] - cell_x[1],
                   cell_x[3 * a + 2] - cell_x[2]};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) F.m[i][j] += d[i] * g[3 * a + j];
  }
  return sup_fem_polar(&F);
}

/** Data shared by threads. */
typedef struct turn {
  const sup_fem_body *body;
  const double       *x;
  sup_m3             *R;
  atomic_int          num_inverted;
} turn;

/** Cells of pairs of batches first .. end: two batches at a time keep the processor busy. */
static void rotate_pairs(void *user, int first, int end) {
  turn               *t = user;
  const sup_fem_body *body = t->body;
  sup_batch_rotate   *rotate = sup_batch_rotate_select();
  int                 num_inverted = 0, num = sup_fem_num_batches(body);
  for (int k = 2 * first, count = 0; k < num && k < 2 * end; k += count) {
    sup_batch batch[2];
    for (count = 0; count < 2 && k + count < num; count++)
      batch[count] = sup_fem_batch(body, k + count);
    num_inverted += rotate(batch, count, t->x, t->R + SUP_BATCH * (size_t)k);
  }
  atomic_fetch_add(&t->num_inverted, num_inverted);
}

void sup_fem_rotations(const sup_fem_body *body, const double *x, sup_m3 *R, int *num_inverted) {
  turn t = {.body = body, .x = x, .R = R};
  atomic_init(&t.num_inverted, 0);
  sup_share_run(sup_fem_threads(body), (sup_fem_num_batches(body) + 1) / 2, rotate_pairs, &t);
  int64_t inverted = t.num_inverted;
  if (body->ranks) body->ranks->sum_integers(body->ranks, 1, &inverted);
  *num_inverted = (int)inverted;
}
