/* Chambers of a model: walls, rims, fills. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "model/build/build.h"
#include "model/chamber.h"
#include "model/event.h"
#include "model/numerics.h"

enum { WHAT_SIZE = SUP_NAME_MAX + 16 };

/* ---- numbers --------------------------------------------------------------------------------- */

/** E_ARG: a given pressure, or one of its rows, is below a vacuum. */
static sup_status check_vacuum(const sup_chamber_def *def, double constant, const sup_table *rows,
                               const char *what) {
  for (int i = 0; i == 0 || i < rows->num_rows; i++) {
    double pressure = rows->num_rows > 0 ? rows->value[i] : constant;
    if (!(pressure >= 0 || pressure > -def->ambient))
      return SUP_FAIL(
          SUP_E_ARG,
          "%s: found a pressure of %g Pa over ambient; it must be above %g Pa, which is "
          "a vacuum",
          what, pressure, -def->ambient);
  }
  return SUP_OK;
}

static sup_status check_schedule(const sup_chamber_def *def, const char *what) {
  const sup_table *table = &def->schedule;
  bool             is_content = def->fill != SUP_CHAMBER_PRESSURE && !def->is_added;
  if (table->num_rows > 0 && table->width != 1)
    return SUP_FAIL(SUP_E_ARG, "%s: a row of its schedule has %d values; 1 is expected", what,
                    table->width);
  for (int i = 0; i < table->num_rows; i++)
    if (!isfinite(table->value[i]) || (is_content && !(table->value[i] > 0)))
      return SUP_FAIL(SUP_E_ARG, "%s: its schedule has %g at %g s; %s is expected", what,
                      table->value[i], table->time[i],
                      is_content ? "a positive number" : "a number");
  return SUP_OK;
}

static sup_status check_numbers(const sup_chamber_def *def, const char *what) {
  bool is_gas = def->fill == SUP_CHAMBER_GAS, is_given = def->schedule.num_rows == 0;
  if (!isfinite(def->pressure)) return SUP_FAIL(SUP_E_ARG, "%s: its pressure is not finite", what);
  if (is_gas && !(def->exponent >= 1 && isfinite(def->exponent)))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: its adiabatic exponent is %g; 1 (isothermal) or more is expected", what,
                    def->exponent);
  if (is_gas && !(def->ambient > 0 && def->ambient + def->pressure > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: the gas has %g Pa over an ambient pressure of %g Pa; ambient and absolute "
                    "pressure must be positive",
                    what, def->pressure, def->ambient);
  SUP_TRY(check_schedule(def, what));
  if (def->fill == SUP_CHAMBER_PRESSURE)
    return check_vacuum(def, def->pressure, &def->schedule, what);
  if (is_gas) return check_vacuum(def, def->source, &def->source_schedule, what);
  if (!(def->bulk_modulus > 0) || !isfinite(def->bulk_modulus))
    return SUP_FAIL(SUP_E_ARG, "%s: its bulk modulus is %g Pa; it must be positive", what,
                    def->bulk_modulus);
  if (is_given && !def->is_added && !(def->volume > 0))
    return SUP_FAIL(SUP_E_ARG, "%s: its volume is %g m^3; it must be positive", what, def->volume);
  return SUP_OK;
}

/* ---- rims ------------------------------------------------------------------------------------ */

/** Rim of a wall, and the planes in which the rims of a chamber slide. */
typedef struct rims {
  const char   *what;
  int           num_edges;
  sup_fem_edge *edge;
  bool          has_plane[3]; /* across the axes */
  double        plane[3];     /* [m] */
} rims;

static bool is_carried(const sup_soft *soft, int a) {
  return soft->attach_of[a] != SUP_NONE || soft->kind[a] == SUP_VERTEX_HELD;
}

/** Axis along which both vertices are held at rest at the same place; SUP_NONE. */
static int plane_of(const sup_soft *soft, const int edge[2], double size) {
  for (int axis = 0; axis < 3; axis++) {
    bool holds = true;
    for (int e = 0; e < 2; e++) {
      int hold = soft->attach_of[edge[e]] == SUP_NONE ? soft->holder[3 * edge[e] + axis] : SUP_NONE;
      holds = holds && hold != SUP_NONE && soft->dirichlet[hold].motion.num_rows == 0 &&
              !sup_hold_has_event(&soft->dirichlet[hold]);
    }
    double way = soft->x0[3 * edge[0] + axis] - soft->x0[3 * edge[1] + axis];
    if (holds && fabs(way) <= sup_model_numerics.same_plane * size) return axis;
  }
  return SUP_NONE;
}

static sup_status refuse_rim(const rims *r, const sup_soft *soft, int a, const char *why) {
  const double *x = soft->x0 + 3 * a;
  return SUP_FAIL(SUP_E_ARG,
                  "%s is open: one face alone has the edge of '%s' at (%.4g, %.4g, %.4g) m%s; name "
                  "the whole inner surface, attach the rim to a link, or hold it",
                  r->what, soft->name, x[0], x[1], x[2], why);
}

/** Add the plane in which an edge slides.  E_ARG: another plane across this axis. */
static sup_status add_plane(rims *r, const sup_soft *soft, const int edge[2], int axis,
                            double size) {
  double place = soft->x0[3 * edge[0] + axis];
  if (r->has_plane[axis] && fabs(place - r->plane[axis]) > sup_model_numerics.same_plane * size)
    return refuse_rim(r, soft, edge[0], ", and its rims slide in two planes across one axis");
  r->has_plane[axis] = true, r->plane[axis] = place;
  return SUP_OK;
}

/** Take the loop of carried edges that begins with the first edge, and drop it from the rim. */
static sup_status take_loop(rims *r, const sup_soft *soft, sup_chamber_fan *fan) {
  int first = r->edge[0].from, at = first;
  SUP_TRY(SUP_CALLOC(fan->edge, r->num_edges));
  do {
    int e = 0;
    while (e < r->num_edges && r->edge[e].from != at) e++;
    if (e == r->num_edges)
      return refuse_rim(r, soft, at, ", and a link or holds carry a part of its rim only");
    fan->edge[fan->num_edges++] = r->edge[e], at = r->edge[e].to;
    r->edge[e] = r->edge[--r->num_edges];
  } while (at != first);
  for (int e = 0; e < fan->num_edges; e++)
    if (soft->attach_of[fan->edge[e].from] != soft->attach_of[first])
      return refuse_rim(r, soft, fan->edge[e].from,
                        ", and two links, or a link and holds, carry its rim");
  return SUP_OK;
}

/** Close the rims of a wall: fans where they are carried, planes where they slide. */
static sup_status close_rims(rims *r, const sup_soft *soft, double size, sup_chamber_wall *wall) {
  int left = 0;
  for (int e = 0; e < r->num_edges; e++) {
    const sup_fem_edge edge = r->edge[e];
    const int          end[2] = {edge.from, edge.to};
    bool               carried[2] = {is_carried(soft, edge.from), is_carried(soft, edge.to)};
    if (carried[0] && carried[1] && (edge.middle == SUP_NONE || is_carried(soft, edge.middle))) {
      r->edge[left++] = edge;
      continue;
    }
    int axis = plane_of(soft, end, size);
    if (axis == SUP_NONE) return refuse_rim(r, soft, end[carried[0]], "");
    SUP_TRY(add_plane(r, soft, end, axis, size));
  }
  r->num_edges = left;
  SUP_TRY(SUP_CALLOC(wall->fan, left));
  while (r->num_edges > 0) SUP_TRY(take_loop(r, soft, &wall->fan[wall->num_fans++]));
  return SUP_OK;
}

/* ---- walls ----------------------------------------------------------------------------------- */

/** Mark the vertices of one entry of `surface`. */
static sup_status select_entry(const sup_mesh *mesh, const sup_chamber_wall_def *def,
                               const char *what, unsigned char *selected) {
  int count;
  if (def->has_region) {
    sup_status status = sup_region_select(&def->region, mesh, 1, selected);
    if (status != SUP_OK)
      return SUP_FAIL(status, "%s: its region on '%s' %s", what, def->body, sup_error_message());
    return SUP_OK;
  }
  SUP_TRY(sup_fem_select_cavities(mesh, selected, &count));
  if (count == 0)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: '%s' has no closed inner surface; name the part of its surface that "
                    "bounds the chamber",
                    what, def->body);
  return SUP_OK;
}

/** Wall of the body of entry `first`, with all entries of this body. */
static sup_status build_wall(sup_model *model, const sup_chamber_def *chamber, int first, rims *r,
                             sup_chamber_wall *wall) {
  SUP_FREED unsigned char    *selected = NULL;
  const sup_chamber_wall_def *def = &chamber->walls[first];
  int                         body = sup_model_find_body(model, def->body);
  if (body == SUP_NONE || model->body[body].soft == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s: there is no soft body '%s'", r->what, def->body);
  sup_soft       *soft = &model->soft[wall->soft = model->body[body].soft];
  const sup_mesh *mesh = sup_fem_mesh(soft->fem);
  if (sup_fem_material(soft->fem, 0)->model == SUP_MATERIAL_LINEAR)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: the walls of '%s' have the material model linear, whose surface keeps its "
                    "first shape; corotational and the hyperelastic models take chambers",
                    r->what, def->body);
  wall->num_vertices = soft->num_vertices, soft->bounds_chamber = 1;
  SUP_TRY(SUP_CALLOC(selected, soft->num_vertices));
  for (int w = first; w < chamber->num_walls; w++)
    if (strcmp(chamber->walls[w].body, def->body) == 0)
      SUP_TRY(select_entry(mesh, &chamber->walls[w], r->what, selected));
  sup_status status = sup_fem_faces_create(&wall->faces, mesh, selected, NULL);
  if (status == SUP_E_ARG)
    return SUP_FAIL(SUP_E_ARG, "%s: no boundary face of '%s' has all its vertices in the region",
                    r->what, def->body);
  SUP_TRY(status);
  double size = cbrt(sup_fem_mass(soft->fem) / sup_fem_material(soft->fem, 0)->density);
  SUP_FREE(r->edge);
  SUP_TRY(sup_fem_faces_rim(&wall->faces, &r->edge, &r->num_edges));
  return close_rims(r, soft, size, wall);
}

/** Mean of the walls' vertices, moved into the planes of open rims. */
static sup_v3 centre_of(const sup_model *model, const sup_chamber *c, const rims *r) {
  double sum[3] = {0, 0, 0};
  int    count = 0;
  for (int w = 0; w < c->num_walls; w++) {
    const sup_fem_faces *faces = &c->wall[w].faces;
    const double        *x0 = model->soft[c->wall[w].soft].x0;
    for (int k = 0; k < faces->num_faces * faces->vertices_per_face; k++, count++)
      for (int axis = 0; axis < 3; axis++) sum[axis] += x0[3 * faces->vertex[k] + axis];
  }
  for (int axis = 0; axis < 3; axis++)
    sum[axis] = r->has_plane[axis] ? r->plane[axis] : sum[axis] / count;
  return sup_v3_load(sum);
}

static sup_status measure_rest(const sup_model *model, sup_chamber *c, const char *what) {
  SUP_FREED double *x = NULL, *scratch = NULL;
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)model->num_vertices));
  SUP_TRY(SUP_CALLOC(scratch, 3 * (size_t)model->num_vertices));
  for (int i = 0; i < model->num_softs; i++)
    memcpy(x + 3 * (size_t)model->soft[i].first_vertex, model->soft[i].x0,
           3 * (size_t)model->soft[i].num_vertices * sizeof *x);
  c->volume0 = sup_chamber_volume(c, model, x, scratch);
  if (!(c->volume0 > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: its surface encloses %.4g m^3, where the walls of a chamber enclose a "
                    "positive volume outside of their bodies; name the inner surface",
                    what, c->volume0);
  for (int k = 0; c->is_added && k < c->schedule.num_rows; k++)
    if (!(c->volume0 + c->schedule.value[k] > 0))
      return SUP_FAIL(SUP_E_ARG, "%s: %.4g m^3 added to its %.4g m^3 leave no volume", what,
                      c->schedule.value[k], c->volume0);
  if (c->is_added && !(c->volume0 + c->volume > 0))
    return SUP_FAIL(SUP_E_ARG, "%s: %.4g m^3 added to its %.4g m^3 leave no volume", what,
                    c->volume, c->volume0);
  return SUP_OK;
}

static sup_status build_walls(sup_model *model, const sup_chamber_def *def, rims *r,
                              sup_chamber *c) {
  SUP_TRY(SUP_CALLOC(c->wall, def->num_walls));
  for (int w = 0; w < def->num_walls; w++) {
    bool is_first = true;
    for (int v = 0; v < w; v++)
      is_first = is_first && strcmp(def->walls[v].body, def->walls[w].body) != 0;
    if (is_first) SUP_TRY(build_wall(model, def, w, r, &c->wall[c->num_walls++]));
  }
  c->centre = centre_of(model, c, r);
  return measure_rest(model, c, r->what);
}

static sup_status build_chamber(sup_model *model, const sup_chamber_def *def, sup_chamber *c) {
  char what[WHAT_SIZE];
  SUP_TRY(sup_text_copy(c->name, sizeof c->name, def->name));
  snprintf(what, sizeof what, "chamber '%s'", c->name);
  if (model->ranks) return SUP_FAIL(SUP_E_ARG, "%s: chambers work on one rank", what);
  if (def->num_walls == 0) return SUP_FAIL(SUP_E_ARG, "%s has no surface", what);
  SUP_TRY(check_numbers(def, what));
  c->fill = def->fill, c->is_added = def->is_added;
  c->pressure = def->pressure, c->volume = def->volume, c->bulk_modulus = def->bulk_modulus;
  c->exponent = def->exponent, c->ambient = def->ambient;
  c->conductance = def->conductance, c->source = def->source, c->inlet = SUP_NONE;
  c->flows = def->conductance > 0;
  SUP_TRY(sup_table_copy(&c->schedule, &def->schedule));
  SUP_TRY(sup_table_copy(&c->source_schedule, &def->source_schedule));
  rims       r = {.what = what};
  sup_status status = build_walls(model, def, &r, c);
  SUP_FREE(r.edge);
  return status;
}

/** First vertex of a face that two walls have in common; SUP_NONE: none. */
static int shared_vertex(const sup_chamber_wall *a, const sup_chamber_wall *b) {
  size_t size = (size_t)a->faces.vertices_per_face * sizeof *a->faces.vertex;
  if (a->soft != b->soft) return SUP_NONE;
  for (int i = 0; i < a->faces.num_faces; i++) {
    const int *face = a->faces.vertex + (ptrdiff_t)i * a->faces.vertices_per_face;
    for (int k = 0; k < b->faces.num_faces; k++)
      if (memcmp(face, b->faces.vertex + (ptrdiff_t)k * b->faces.vertices_per_face, size) == 0)
        return face[0];
  }
  return SUP_NONE;
}

/** E_ARG: a face bounds a chamber and an earlier one. */
static sup_status check_shared(const sup_model *model, const sup_chamber *c) {
  for (const sup_chamber *d = model->chamber; d < c; d++)
    for (int i = 0; i < c->num_walls; i++)
      for (int k = 0; k < d->num_walls; k++) {
        int vertex = shared_vertex(&c->wall[i], &d->wall[k]);
        if (vertex == SUP_NONE) continue;
        const sup_soft *soft = &model->soft[c->wall[i].soft];
        sup_v3          x = sup_mesh_vertex(sup_fem_mesh(soft->fem), vertex);
        return SUP_FAIL(SUP_E_ARG,
                        "chambers '%s' and '%s' have a face of '%s' at (%g, %g, %g) m in common; a "
                        "face bounds one chamber: name the surface of each",
                        d->name, c->name, soft->name, x.x, x.y, x.z);
      }
  return SUP_OK;
}

/** Find the chamber of the other end of an inlet.  E_ARG: gas of which the law or the amount is
 * another. */
static sup_status join(sup_model *model, const sup_chamber_def *def, int i) {
  sup_chamber *c = &model->chamber[i], *other = c;
  if (def->conductance == 0) return SUP_OK;
  if (!(def->conductance > 0 && isfinite(def->conductance)))
    return SUP_FAIL(SUP_E_ARG, "chamber '%s': the conductance of its inlet is %g m^3/s", c->name,
                    def->conductance);
  if (def->inlet[0]) {
    c->inlet = sup_model_find_chamber(model, def->inlet);
    if (c->inlet == SUP_NONE || c->inlet == i)
      return SUP_FAIL(SUP_E_ARG,
                      "chamber '%s': its inlet comes from '%s', which is no other chamber", c->name,
                      def->inlet);
    other = &model->chamber[c->inlet];
    other->flows = true;
  }
  for (const sup_chamber *end = c;; end = other) {
    if (end->fill != SUP_CHAMBER_GAS || end->exponent != 1 || end->schedule.num_rows > 0)
      return SUP_FAIL(SUP_E_ARG,
                      "chamber '%s' of an inlet needs isothermal gas without a given amount",
                      end->name);
    if (end == other) break;
  }
  if (other->ambient != c->ambient)
    return SUP_FAIL(SUP_E_ARG, "chambers '%s' and '%s' are joined and have different ambients",
                    c->name, other->name);
  return SUP_OK;
}

sup_status sup_model_build_chambers(sup_model *model, const sup_model_def *def) {
  SUP_TRY(SUP_CALLOC(model->chamber, def->num_chambers));
  for (int i = 0; i < def->num_chambers; i++) {
    model->num_chambers = i + 1;
    if (sup_model_find_chamber(&(sup_model){.num_chambers = i, .chamber = model->chamber},
                               def->chambers[i].name) != SUP_NONE)
      return SUP_FAIL(SUP_E_ARG, "two chambers have the name '%s'", def->chambers[i].name);
    SUP_TRY(build_chamber(model, &def->chambers[i], &model->chamber[i]));
    SUP_TRY(check_shared(model, &model->chamber[i]));
  }
  for (int i = 0; i < def->num_chambers; i++) SUP_TRY(join(model, &def->chambers[i], i));
  return SUP_OK;
}

void sup_chamber_free(sup_chamber *c) {
  for (int w = 0; w < c->num_walls; w++) {
    for (int k = 0; k < c->wall[w].num_fans; k++) SUP_FREE(c->wall[w].fan[k].edge);
    SUP_FREE(c->wall[w].fan);
    sup_fem_faces_free(&c->wall[w].faces);
  }
  SUP_FREE(c->wall);
  sup_table_free(&c->schedule);
  sup_table_free(&c->source_schedule);
}
