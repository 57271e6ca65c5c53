/* Ties of a model: regions, vertices inside another body, chains of ties, movers by body. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/body_point.h"
#include "model/build/build.h"
#include "model/event.h"
#include "model/numerics.h"
#include "model/tie.h"

enum { WHAT_SIZE = SUP_NAME_MAX + 16 };

/** Row of weights: a tied vertex and its entries. */
typedef struct row {
  int    soft, vertex, tie;
  size_t first, count;
  enum { ROW_NEW, ROW_OPEN, ROW_DONE } progress; /* of the replacement of tied movers */
} row;

/** Rows of all ties. */
typedef struct rows {
  sup_model     *model;
  row           *row;
  size_t         num_rows, row_capacity;
  int           *row_of; /* [num_vertices of the model] SUP_NONE: not tied */
  sup_tie_entry *entry;
  size_t         num_entries, capacity;
} rows;

/** One tie while it is built. */
typedef struct build {
  const sup_model_def *all;
  const sup_tie_def   *def;
  sup_tie             *tie;
  int                  index;
  int                  plane; /* bits SUP_AXIS_X .. along which all vertices of both bodies rest */
  char                 what[WHAT_SIZE];
} build;

/* ---- sides ----------------------------------------------------------------------------------- */

static sup_status find_side(const sup_model *model, const build *b, const sup_tie_side_def *side,
                            const char *role, int *soft) {
  int body = sup_model_find_body(model, side->body);
  if (body == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "%s: there is no body '%s'", b->what, side->body);
  *soft = model->body[body].soft;
  if (*soft != SUP_NONE) return SUP_OK;
  return SUP_FAIL(
      SUP_E_ARG,
      "%s: its %s '%s' is rigid; a tie joins two soft bodies, 'attach' puts a soft body "
      "on a link",
      b->what, role, side->body);
}

static sup_status select_side(const sup_model *model, const build *b, const sup_tie_side_def *side,
                              int soft, unsigned char *selected) {
  if (!side->has_region) {
    memset(selected, 1, (size_t)model->soft[soft].num_vertices);
    return SUP_OK;
  }
  sup_status status = sup_region_select(&side->region, b->all->softs[soft].mesh, 1, selected);
  if (status == SUP_OK) return SUP_OK;
  return SUP_FAIL(status, "%s: its region of '%s' %s", b->what, side->body, sup_error_message());
}

/** Bits SUP_AXIS_X .. along which all vertices of a body are held at rest at all times. */
static int axes_at_rest(const sup_soft *soft) {
  int axes = SUP_AXIS_ALL;
  for (int i = 0; i < 3 * soft->num_vertices; i++) {
    int k = soft->holder[i];
    if (k == SUP_NONE || soft->dirichlet[k].motion.num_rows > 0 ||
        sup_hold_has_event(&soft->dirichlet[k]))
      axes &= ~(1 << i % 3);
  }
  return axes;
}

/** True if a hold takes the vertex at some time along an axis other than those. */
static bool is_held(const sup_soft *soft, int i, int axes) {
  bool held = soft->kind[i] == SUP_VERTEX_HELD;
  for (int axis = 0; axis < 3; axis++)
    held = held || (soft->holder[3 * i + axis] != SUP_NONE && !(axes >> axis & 1));
  for (int k = 0; k < soft->num_dirichlet; k++)
    held = held || (soft->dirichlet[k].axes && soft->dirichlet[k].axes[i]);
  return held;
}

static int row_of(const rows *r, int soft, int vertex) {
  return r->row_of[r->model->soft[soft].first_vertex + vertex];
}

static sup_status add_row(rows *r, const build *b, int vertex) {
  SUP_TRY(SUP_GROW(r->row, r->row_capacity, r->num_rows + 1));
  r->row_of[r->model->soft[b->tie->slave].first_vertex + vertex] = (int)r->num_rows;
  r->row[r->num_rows++] =
      (row){.soft = b->tie->slave, .vertex = vertex, .tie = b->index, .first = r->num_entries};
  b->tie->num_tied++;
  return SUP_OK;
}

static sup_status add_mover(rows *r, int vertex, sup_mover mover) {
  SUP_TRY(SUP_GROW(r->entry, r->capacity, r->num_entries + 1));
  r->entry[r->num_entries++] = (sup_tie_entry){vertex, mover};
  return SUP_OK;
}

/* ---- inside another body --------------------------------------------------------------------- */

static sup_status check_inside(const rows *r, const build *b, int vertex) {
  const sup_soft *soft = &r->model->soft[b->tie->slave];
  int             other = row_of(r, b->tie->slave, vertex);
  const char     *has = other != SUP_NONE ? r->model->tie[r->row[other].tie].name
                        : soft->attach_of[vertex] != SUP_NONE ? "'attach'"
                        : is_held(soft, vertex, b->plane)     ? "a clamp or hold"
                                                              : NULL;
  const double   *x = soft->x0 + 3 * (size_t)vertex;
  if (!has) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "%s: the vertex of '%s' at (%.4g, %.4g, %.4g) m is moved by %s, too; leave that "
                  "out, what is inside another body follows it",
                  b->what, soft->name, x[0], x[1], x[2], has);
}

static sup_status tie_inside(rows *r, build *b, const unsigned char *selected) {
  const sup_soft *slave = &r->model->soft[b->tie->slave], *master = &r->model->soft[b->tie->master];
  for (int i = 0; i < slave->num_vertices; i++) {
    sup_body_point at;
    double         point[3];
    if (!selected[i]) continue;
    SUP_TRY(check_inside(r, b, i));
    sup_v3_store(point, sup_frame_apply_inverse(&master->X_WM, sup_v3_load(slave->x0 + 3 * i)));
    sup_status status = sup_body_point_find(&at, r->model, master->body, point, b->what);
    if (status != SUP_OK)
      return SUP_FAIL(status, "%s; name the vertices of '%s' inside by a region",
                      sup_error_message(), slave->name);
    status = add_row(r, b, i);
    for (int k = 0; k < at.num_vertices && status == SUP_OK; k++)
      if (at.weight[k] != 0)
        status = add_mover(
            r, i, (sup_mover){b->tie->master, at.vertex[k] - master->first_vertex, at.weight[k]});
    sup_body_point_free(&at);
    SUP_TRY(status);
    r->row[r->num_rows - 1].count = r->num_entries - r->row[r->num_rows - 1].first;
  }
  return SUP_OK;
}

/* ---- surface on surface ---------------------------------------------------------------------- */

static sup_status nothing_meets(const build *b, const sup_tie_surfaces *t) {
  const char *slave = b->def->slave.body, *master = b->def->master.body;
  if (t->covered > 0)
    return SUP_FAIL(
        SUP_E_ARG,
        "%s: all vertices of '%s' on '%s' have a clamp, hold, link or tie of their own; "
        "leave it out there, or, for plane strain, hold all vertices of both bodies "
        "along the axis, at rest",
        b->what, slave, master);
  if (t->nearest < HUGE_VAL)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: the nearest faces of '%s' and '%s' are %.4g m apart, more than %s; give "
                    "'within' a larger distance",
                    b->what, slave, master, t->nearest,
                    t->within > 0 ? "'within'" : "an edge of the larger face");
  return SUP_FAIL(
      SUP_E_ARG,
      "%s: no face of '%s' in the region lies in front of faces of '%s' that look the other way",
      b->what, slave, master);
}

static void note(const build *b, const sup_model *model, const sup_tie_surfaces *t) {
  const char *slave = b->def->slave.body, *master = b->def->master.body;
  if (t->size[0] > sup_model_numerics.tie_coarse * t->size[1])
    sup_log(SUP_LOG_NOTE,
            "%s: the slave '%s' has the larger faces, %.3g m against %.3g m: stresses are better "
            "with '%s' as slave",
            b->what, slave, t->size[0], t->size[1], master);
  if (t->gap_share > sup_model_numerics.tie_wide) {
    const double *x = model->soft[t->slave].x0 + 3 * (size_t)t->gap_vertex;
    sup_log(
        SUP_LOG_NOTE,
        "%s: '%s' is %.3g m off '%s' at (%.4g, %.4g, %.4g) m, %.2g edges; the gap stays and has "
        "no stiffness of its own",
        b->what, slave, t->gap, master, x[0], x[1], x[2], t->gap_share);
  }
  if (b->def->slave.has_region && t->covered < (1 - sup_model_numerics.tie_covered) * t->area)
    sup_log(SUP_LOG_NOTE, "%s: %.3g %% of the region of '%s' is in front of '%s' and tied", b->what,
            100 * t->covered / t->area, slave, master);
}

/** A strip narrower than its faces has one row of slaves: a hinge. */
static void warn_of_hinge(const build *b, const sup_tie_surfaces *t, size_t num_slaves) {
  if (!(t->num_left > sup_model_numerics.tie_left * (double)num_slaves)) return;
  sup_log(SUP_LOG_WARNING,
          "%s: %d vertices of '%s' on '%s' stay free beside %zu tied ones, as less than a fifth of "
          "their share is covered; the glue may turn like a hinge: smaller faces of '%s'",
          b->what, t->num_left, b->def->slave.body, b->def->master.body, num_slaves,
          b->def->slave.body);
}

static sup_status take_entries(rows *r, build *b, const sup_tie_surfaces *t) {
  size_t before = r->num_rows;
  for (size_t i = 0; i < t->num_entries;) {
    int s = t->entry[i].vertex;
    SUP_TRY(add_row(r, b, s));
    for (; i < t->num_entries && t->entry[i].vertex == s; i++)
      SUP_TRY(add_mover(r, s, t->entry[i].mover));
    r->row[r->num_rows - 1].count = r->num_entries - r->row[r->num_rows - 1].first;
  }
  warn_of_hinge(b, t, r->num_rows - before);
  return SUP_OK;
}

static sup_status tie_surfaces(rows *r, build *b, const unsigned char *is_slave,
                               const unsigned char *is_master) {
  const sup_soft          *soft = &r->model->soft[b->tie->slave];
  SUP_FREED unsigned char *stays = NULL;
  sup_tie_surfaces         t = {.slave = b->tie->slave,
                                .master = b->tie->master,
                                .is_slave = is_slave,
                                .is_master = is_master,
                                .within = b->def->within};
  if (sup_fem_mesh(soft->fem)->type == SUP_CELL_T10)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: the slave '%s' has quadratic cells (T10); a slave has T4 or H8, take '%s' "
                    "as master",
                    b->what, soft->name, soft->name);
  SUP_TRY(SUP_CALLOC(stays, soft->num_vertices));
  for (int i = 0; i < soft->num_vertices; i++)
    stays[i] = soft->attach_of[i] != SUP_NONE || is_held(soft, i, b->plane) ||
               row_of(r, b->tie->slave, i) != SUP_NONE;
  t.stays = stays;
  sup_status status = sup_tie_weigh(r->model, &t);
  if (status != SUP_OK) status = SUP_FAIL(status, "%s: %s", b->what, sup_error_message());
  if (status == SUP_OK && t.num_entries == 0) status = nothing_meets(b, &t);
  if (status == SUP_OK) {
    note(b, r->model, &t);
    b->tie->area = t.area, b->tie->covered = t.covered, b->tie->gap = t.gap;
    status = take_entries(r, b, &t);
  }
  SUP_FREE(t.entry);
  return status;
}

static sup_status build_tie(rows *r, build *b) {
  sup_model               *model = r->model;
  SUP_FREED unsigned char *mark = NULL;
  sup_tie                 *tie = b->tie;
  SUP_TRY(sup_text_copy(tie->name, sizeof tie->name, b->def->name));
  snprintf(b->what, sizeof b->what, "tie '%s'", tie->name);
  if (model->ranks) return SUP_FAIL(SUP_E_ARG, "%s: ties work on one rank", b->what);
  if (!(b->def->within >= 0) || !isfinite(b->def->within))
    return SUP_FAIL(SUP_E_ARG,
                    "%s: 'within' is %g m; a positive distance is expected, or 0: an edge", b->what,
                    b->def->within);
  SUP_TRY(find_side(model, b, &b->def->slave, "slave", &tie->slave));
  SUP_TRY(find_side(model, b, &b->def->master, "master", &tie->master));
  sup_soft *slave = &model->soft[tie->slave], *master = &model->soft[tie->master];
  if (slave == master)
    return SUP_FAIL(SUP_E_ARG, "%s: '%s' is tied to itself; a tie joins two bodies", b->what,
                    slave->name);
  for (int c = 0; c < 3; c++)
    if (slave->v0[c] != master->v0[c])
      return SUP_FAIL(
          SUP_E_ARG, "%s: '%s' and '%s' start with different velocities; tied bodies move together",
          b->what, slave->name, master->name);
  b->plane = axes_at_rest(slave) & axes_at_rest(master);
  SUP_TRY(SUP_CALLOC(mark, slave->num_vertices + master->num_vertices));
  SUP_TRY(select_side(model, b, &b->def->slave, tie->slave, mark));
  if (b->def->is_inside) return tie_inside(r, b, mark);
  SUP_TRY(select_side(model, b, &b->def->master, tie->master, mark + slave->num_vertices));
  return tie_surfaces(r, b, mark, mark + slave->num_vertices);
}

/* ---- chains ---------------------------------------------------------------------------------- */

/** Put the movers of tied movers in their place. */
static sup_status resolve(rows *r, size_t k) {
  row                     *own = &r->row[k];
  SUP_FREED sup_tie_entry *entry = NULL;
  size_t                   num = 0, capacity = 0;
  bool                     is_chain = false;
  if (own->progress == ROW_DONE) return SUP_OK;
  if (own->progress == ROW_OPEN)
    return SUP_FAIL(SUP_E_ARG,
                    "tie '%s': a vertex of '%s' moves itself by a ring of ties; exchange slave and "
                    "master in one of them",
                    r->model->tie[own->tie].name, r->model->soft[own->soft].name);
  own->progress = ROW_OPEN;
  for (size_t i = 0; i < own->count; i++) {
    const sup_tie_entry e = r->entry[own->first + i];
    int                 of = row_of(r, e.mover.soft, e.mover.vertex);
    size_t              count = 1;
    if (of != SUP_NONE) SUP_TRY(resolve(r, (size_t)of));
    if (of != SUP_NONE) count = r->row[of].count, is_chain = true;
    SUP_TRY(SUP_GROW(entry, capacity, num + count));
    for (size_t j = 0; j < count; j++) {
      sup_mover m = of == SUP_NONE ? e.mover : r->entry[r->row[of].first + j].mover;
      if (of != SUP_NONE) m.weight *= e.mover.weight;
      entry[num++] = (sup_tie_entry){own->vertex, m};
    }
  }
  own->progress = ROW_DONE;
  if (!is_chain) return SUP_OK;
  sup_tie_join_entries(entry, &num);
  own->first = r->num_entries, own->count = num;
  for (size_t i = 0; i < num; i++) SUP_TRY(add_mover(r, own->vertex, entry[i].mover));
  return SUP_OK;
}

/** Rows of one body into its own arrays. */
static sup_status store(rows *r, int s) {
  sup_soft *soft = &r->model->soft[s];
  int       num = 0, movers = 0;
  for (size_t k = 0; k < r->num_rows; k++)
    if (r->row[k].soft == s) soft->num_tied++, movers += (int)r->row[k].count;
  SUP_TRY(SUP_CALLOC(soft->tied_slot, soft->num_vertices));
  SUP_TRY(SUP_CALLOC(soft->tied_vertex, soft->num_tied));
  SUP_TRY(SUP_CALLOC(soft->tied_by, soft->num_tied));
  SUP_TRY(SUP_CALLOC(soft->mover_start, soft->num_tied + 1));
  SUP_TRY(SUP_CALLOC(soft->mover, movers));
  for (int i = 0; i < soft->num_vertices; i++) {
    int at = row_of(r, s, i);
    soft->tied_slot[i] = SUP_NONE;
    if (at == SUP_NONE) continue;
    for (int c = 0; c < 3; c++) soft->holder[3 * i + c] = SUP_NONE; /* its movers are held, too */
    const row *own = &r->row[at];
    soft->kind[i] = SUP_VERTEX_TIED, soft->tied_slot[i] = num;
    soft->tied_vertex[num] = i, soft->tied_by[num] = own->tie;
    int from = soft->mover_start[num++];
    for (size_t k = 0; k < own->count; k++) {
      soft->mover[from++] = r->entry[own->first + k].mover;
      r->model->soft[r->entry[own->first + k].mover.soft].in_tie = true;
    }
    soft->mover_start[num] = from;
  }
  soft->in_tie = soft->in_tie || num > 0;
  return SUP_OK;
}

static sup_status build_all(rows *r, const sup_model_def *def) {
  sup_model *model = r->model;
  SUP_TRY(SUP_CALLOC(model->tie, def->num_ties));
  SUP_TRY(SUP_CALLOC(r->row_of, model->num_vertices));
  for (int i = 0; i < model->num_vertices; i++) r->row_of[i] = SUP_NONE;
  for (int i = 0; i < def->num_ties; i++) {
    build b = {.all = def, .def = &def->ties[i], .tie = &model->tie[i], .index = i};
    for (int k = 0; k < i; k++)
      if (strcmp(def->ties[k].name, def->ties[i].name) == 0)
        return SUP_FAIL(SUP_E_ARG, "two ties have the name '%s'", def->ties[i].name);
    model->num_ties = i + 1;
    SUP_TRY(build_tie(r, &b));
  }
  for (size_t k = 0; k < r->num_rows; k++) SUP_TRY(resolve(r, k));
  for (int s = 0; s < model->num_softs; s++) SUP_TRY(store(r, s));
  return SUP_OK;
}

/** Groups of bodies that ties connect. */
static void find_groups(sup_model *model) {
  for (int s = 0; s < model->num_softs; s++) model->soft[s].group = s;
  for (int k = 0; k < model->num_ties; k++) {
    int a = model->soft[model->tie[k].slave].group, b = model->soft[model->tie[k].master].group;
    for (int s = 0; s < model->num_softs; s++)
      if (model->soft[s].group == a || model->soft[s].group == b)
        model->soft[s].group = a < b ? a : b;
  }
}

sup_status sup_model_build_ties(sup_model *model, const sup_model_def *def) {
  rows r = {.model = model};
  find_groups(model);
  if (def->num_ties == 0) return SUP_OK;
  sup_status status = build_all(&r, def);
  find_groups(model);
  SUP_FREE_ALL(&r.row, &r.row_of, &r.entry);
  return status;
}
