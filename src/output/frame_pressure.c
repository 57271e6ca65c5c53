/* Pressure on contact patches: faces of soft surfaces with it at their vertices, and the polygons
 * of all other pairs as they are. */
#include "base/memory.h"
#include "output/frame_file.h"

bool sup_contact_pressure_has_surfaces(const sup_model *model) {
  for (int p = 0; p < model->num_pairs; p++) {
    sup_contact any = {.pair = p, .geometry_a = model->pair[p].geometry_a};
    if (sup_contact_is_on_surface(&any, model)) return 1;
  }
  return 0;
}

/** Cells of the file. */
typedef struct cells {
  const sup_observation *obs;
  int                    num_points, count;
  double                *point, *pressure;                /* [num_points x 3], [num_points] */
  int                   *start;                           /* [count + 1] */
  double                *mean, *area, *normal, *traction; /* [count], x 3 of the last two */
  int                   *body[2];                         /* [count] a and b as in the history */
  size_t point_capacity, pressure_capacity, start_capacity, mean_capacity, area_capacity,
      normal_capacity, traction_capacity, body_capacity[2];
  unsigned char *is_taken; /* [faces of the largest soft surface] */
} cells;

/** Room for so many cells and points more. */
static sup_status reserve(cells *c, int count, int num_points) {
  size_t points = (size_t)(c->num_points + num_points), end = (size_t)(c->count + count);
  SUP_TRY(SUP_GROW(c->point, c->point_capacity, 3 * points));
  SUP_TRY(SUP_GROW(c->pressure, c->pressure_capacity, points));
  SUP_TRY(SUP_GROW(c->start, c->start_capacity, end + 1));
  SUP_TRY(SUP_GROW(c->mean, c->mean_capacity, end));
  SUP_TRY(SUP_GROW(c->area, c->area_capacity, end));
  SUP_TRY(SUP_GROW(c->normal, c->normal_capacity, 3 * end));
  SUP_TRY(SUP_GROW(c->traction, c->traction_capacity, 3 * end));
  SUP_TRY(SUP_GROW(c->body[0], c->body_capacity[0], end));
  SUP_TRY(SUP_GROW(c->body[1], c->body_capacity[1], end));
  return SUP_OK;
}

/** A cell of n points of the pair, in which the force acts on its body b along its normal into b;
 * for which there is room. */
static void add_cell(cells *c, const sup_pair_sum *pair, int n, double area, sup_v3 force,
                     sup_v3 normal) {
  size_t at = (size_t)c->count;
  c->mean[at] = sup_v3_dot(force, normal) / area, c->area[at] = area;
  sup_v3_store(c->normal + 3 * at, normal);
  sup_v3_store(c->traction + 3 * at, sup_v3_scale(1 / area, force));
  c->body[0][at] = pair->a, c->body[1][at] = pair->b;
  c->start[at] = c->num_points, c->start[at + 1] = c->num_points += n;
  c->count++;
}

/** A face with the loads of its corners by the area of each that it has. */
static void add_face(cells *c, const sup_pair_sum *pair, const sup_soft *soft, int f) {
  const sup_contact_pressure *p = c->obs->pressure;
  const double               *x = c->obs->x + 3 * (size_t)soft->first_vertex;
  sup_v3                      force = {0, 0, 0}, normal = {0, 0, 0};
  sup_v3                      share[SUP_FACE_MAX_VERTICES];
  double                      area = 0;
  sup_contact_pressure_shares(soft, x, f, share);
  for (int k = 0; k < sup_contact_pressure_num_corners(soft); k++) {
    size_t i = (size_t)(soft->first_vertex + sup_contact_pressure_corner(soft, f, k));
    if (!(p->pressure[i] > 0)) continue;
    sup_v3 on = sup_v3_unit(sup_v3_load(p->normal + 3 * i));
    double seen = sup_contact_pressure_projected_area(p, (int)i, share[k]);
    area += seen;
    force = sup_v3_madd(force, seen / p->area[i], sup_v3_load(p->force + 3 * i));
    normal = sup_v3_madd(normal, seen * p->pressure[i], on);
  }
  if (!(area > 0) || !(sup_v3_norm(normal) > 0)) return;
  double sign = pair->b == soft->body ? 1 : -1;
  int    first = c->num_points, vertex[SUP_FACE_OUTLINE_MAX_VERTICES],
      n = sup_contact_pressure_outline(soft, f, vertex);
  add_cell(c, pair, n, area, sup_v3_scale(sign, force), sup_v3_scale(sign, sup_v3_unit(normal)));
  for (int k = 0; k < n; k++) {
    for (int j = 0; j < 3; j++) c->point[3 * (first + k) + j] = x[3 * vertex[k] + j];
    c->pressure[first + k] = sup_contact_pressure_at(p, soft->first_vertex + vertex[k]);
  }
}

/** The faces of a soft body at its loaded vertices, in ascending order. */
static sup_status add_surface(cells *c, const sup_pair_sum *pair, const sup_soft *soft) {
  const sup_contact_pressure *p = c->obs->pressure;
  int                         count = 0, faces = sup_contact_pressure_num_faces(soft);
  for (int k = 0; k < p->num_loaded; k++) {
    int i = p->loaded[k];
    if (i < soft->first_vertex || i >= soft->first_vertex + soft->num_vertices) continue;
    for (int j = p->first_face[i]; j < p->first_face[i + 1]; j++) {
      count += !c->is_taken[p->face[j]];
      c->is_taken[p->face[j]] = 1;
    }
  }
  SUP_TRY(reserve(c, count, SUP_FACE_OUTLINE_MAX_VERTICES * count));
  for (int f = 0; count > 0 && f < faces; f++) {
    if (!c->is_taken[f]) continue;
    c->is_taken[f] = 0, count--;
    add_face(c, pair, soft, f);
  }
  return SUP_OK;
}

static sup_status add_polygon(cells *c, const sup_pair_sum *pair, const sup_contact *contact) {
  double sign = pair->a != pair->b && contact->body_b != pair->b ? -1 : 1;
  int    first = c->num_points, n = contact->num_points;
  SUP_TRY(reserve(c, 1, n));
  add_cell(c, pair, n, contact->area, sup_v3_scale(sign, contact->force),
           sup_v3_scale(sign, contact->normal));
  for (int k = 0; k < n; k++) {
    sup_v3_store(c->point + 3 * (size_t)(first + k), contact->point[k]);
    c->pressure[first + k] = sup_contact_corner_pressure(contact, k);
  }
  return SUP_OK;
}

static sup_status add_pair(cells *c, int pair) {
  const sup_observation *obs = c->obs;
  const sup_model       *model = obs->model;
  const sup_pair_sum    *sum = &obs->pair[pair];
  int                    surfaces = 0;
  for (int i = 0; i < obs->num_contacts; i++) {
    const sup_contact *contact = &obs->contact[i];
    if (obs->body_pair[contact->pair] != pair || !sup_contact_presses(contact)) continue;
    if (sup_contact_is_on_surface(contact, model))
      surfaces++;
    else if (contact->area > 0)
      SUP_TRY(add_polygon(c, sum, contact));
  }
  if (surfaces == 0) return SUP_OK;
  sup_contact_pressure_add(obs->pressure, obs->num_contacts, obs->contact, obs->body_pair, pair,
                           obs->x);
  int body[] = {sum->a, sum->b};
  for (int side = 0; side < 2; side++)
    if (model->body[body[side]].soft != SUP_NONE)
      SUP_TRY(add_surface(c, sum, &model->soft[model->body[body[side]].soft]));
  return SUP_OK;
}

static sup_status collect(cells *c) {
  const sup_model *model = c->obs->model;
  int              faces = 1;
  for (int s = 0; s < model->num_softs; s++)
    if (model->soft[s].surface->num_faces > faces) faces = model->soft[s].surface->num_faces;
  SUP_TRY(SUP_CALLOC(c->is_taken, faces));
  SUP_TRY(SUP_GROW(c->start, c->start_capacity, 1));
  c->start[0] = 0;
  for (int p = 0; p < c->obs->num_pairs; p++) SUP_TRY(add_pair(c, p));
  return SUP_OK;
}

static void release(cells *c) {
  SUP_FREE_ALL(&c->point, &c->pressure, &c->start, &c->mean, &c->area, &c->normal, &c->traction,
               &c->body[0], &c->body[1], &c->is_taken);
}

static sup_status put_polygons(sup_vtk_writer *writer, const cells *c) {
  SUP_FREED int *corner = NULL;
  SUP_TRY(SUP_CALLOC(corner, c->num_points));
  for (int k = 0; k < c->num_points; k++) corner[k] = k;
  SUP_TRY(sup_vtk_polygons(writer, c->count, c->start, corner));
  return SUP_OK;
}

static sup_status put_cells(sup_vtk_writer *writer, const cells *c) {
  SUP_TRY(sup_vtk_data_begin(writer, 1, c->count));
  SUP_TRY(sup_vtk_scalars(writer, "pressure", c->count, c->mean));
  SUP_TRY(sup_vtk_vectors(writer, "traction", c->count, c->traction));
  SUP_TRY(sup_vtk_vectors(writer, "normal", c->count, c->normal));
  SUP_TRY(sup_vtk_scalars(writer, "area", c->count, c->area));
  SUP_TRY(sup_vtk_integers(writer, "body_a", c->count, c->body[0]));
  SUP_TRY(sup_vtk_integers(writer, "body_b", c->count, c->body[1]));
  return SUP_OK;
}

sup_status sup_contact_pressure_write(sup_frame_target *place, const sup_observation *obs) {
  sup_vtk_writer writer = {.binary = 0};
  cells          c = {.obs = obs};
  sup_status     status;
  SUP_TRY_GOTO(collect(&c), status, done);
  SUP_TRY_GOTO(sup_frame_open(&writer, place, "pressure", SUP_NONE), status, done);
  SUP_TRY_GOTO(sup_vtk_points(&writer, c.num_points, c.point), status, done);
  SUP_TRY_GOTO(put_polygons(&writer, &c), status, done);
  SUP_TRY_GOTO(sup_vtk_data_begin(&writer, 0, c.num_points), status, done);
  SUP_TRY_GOTO(sup_vtk_scalars(&writer, "pressure", c.num_points, c.pressure), status, done);
  SUP_TRY_GOTO(put_cells(&writer, &c), status, done);
  SUP_TRY_GOTO(sup_frame_close(&writer, place), status, done);
done:
  if (status != SUP_OK) sup_vtk_abandon(&writer);
  release(&c);
  return status;
}
