/* Reason of a load step that found no equilibrium: place, force and advice. */
#include <math.h>
#include <stdio.h>

#include "la/vector.h"
#include "step/static/equilibrium.h"
#include "step/static/static_softs.h"

typedef struct sup_static_iteration iteration;

enum { ADVICE = 384 };

/** Largest residual of a joint of a tree: forces and moments apart. */
static void joint_force(const sup_tree *tree, const double *r, char *text, size_t size) {
  double force = 0, moment = 0;
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    double               part[2] = {0, 0};
    for (int k = 0; k < link->nv; k++)
      part[sup_joint_turns(link, k)] += r[link->v_start + k] * r[link->v_start + k];
    force = fmax(force, sqrt(part[0])), moment = fmax(moment, sqrt(part[1]));
  }
  snprintf(text, size, "%.4g %s", force > 0 ? force : moment, force > 0 ? "N" : "N m");
}

/** Force by which block b is off: "0.1 N m". */
static void residual_force(const iteration *it, int b, char *text, size_t size) {
  const sup_model *model = it->start.model;
  const sup_body  *body = &model->body[model->block_body[b]];
  const double    *at = it->r + sup_block_first(&it->start.layout->A_pattern, b);
  if (body->soft == SUP_NONE)
    joint_force(model->tree[body->tree], at, text, size);
  else
    snprintf(text, size, "%.4g N", sup_norm(at, 3));
}

/** True if contacts are polygons of the soft body's surface: their number changes along edges of
 * the other shape (DECISIONS, One contact a vertex). */
static int is_pressed_by_polygons(const iteration *it, int body) {
  const sup_model        *model = it->start.model;
  const sup_contact_list *list = &it->contacts->list;
  if (body == SUP_NONE || model->body[body].soft == SUP_NONE ||
      model->contact.soft_surface != SUP_SOFT_SURFACE_POLYGONS)
    return 0;
  for (int i = 0; i < list->count; i++) {
    const sup_pair *pair = &model->pair[list->contact[i].pair];
    if (pair->touch == SUP_TOUCH_SURFACE_DEPTH && (pair->a == body || pair->b == body)) return 1;
  }
  return 0;
}

/** Name of the rigid body with an edge beside a face at the place x of the soft body: the normal
 * there is that of another side of the shape; NULL: none. */
static const char *find_edge(const iteration *it, const sup_soft *soft, sup_v3 x) {
  const double            beside = 1.1; /* corners from the middle of the face, outwards */
  const sup_model        *model = it->start.model;
  const sup_contact_list *list = &it->contacts->list;
  const double           *at = it->end->next->x + 3 * (size_t)soft->first_vertex;
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    if (model->pair[c->pair].touch != SUP_TOUCH_SURFACE_DEPTH || c->body_a != soft->body ||
        c->item_a == SUP_NONE || c->item_a >= soft->surface->num_triangles) /* a vertex */
      continue;
    const sup_geometry *shape = &model->geometry[c->geometry_b];
    sup_frame           X = sup_frame_mul(&it->start.kin.X_WL[shape->body], &shape->X_LG);
    sup_v3              corner[3], middle = {0, 0, 0}, normal;
    bool                touches = 0, turns = 0;
    for (int k = 0; k < 3; k++) {
      corner[k] = sup_surface_corner(soft->surface, at, c->item_a, k);
      middle = sup_v3_madd(middle, 1. / 3, corner[k]);
      touches |= sup_v3_norm(sup_v3_sub(corner[k], x)) == 0;
    }
    for (int k = 0; k < 3 && touches; k++) {
      sup_v3 out = sup_v3_madd(middle, beside, sup_v3_sub(corner[k], middle));
      sup_shape_depth(&shape->shape, sup_frame_apply_inverse(&X, out), &normal);
      turns |= -sup_v3_dot(sup_m3_apply(X.R, normal), c->normal) < .5;
    }
    if (turns) return model->body[c->body_b].name;
  }
  return NULL;
}

/** Advice for the body of the largest residual, or any in place of it. */
static sup_status advise(const iteration *it, int body, char advice[ADVICE]) {
  const sup_model *model = it->start.model;
  const sup_soft  *soft = body == SUP_NONE || model->body[body].soft == SUP_NONE
                              ? NULL
                              : &model->soft[model->body[body].soft];
  int              open = 0;
  for (int k = 0; soft && k < soft->num_tractions && open == 0; k++)
    SUP_TRY(sup_static_softs_open_edges(soft, k, &open));
  const char *text =
      open > 0 ? "a pressure turns with its free edges: it has no energy, by whose least value "
                 "equilibria are found; `supple run` with damping shows where it goes"
      : soft && it->out.reason == SUP_REASON_NOT_SPD
          ? "is every part of its mesh connected and held, with a Poisson's ratio below 0.5?"
      : is_pressed_by_polygons(it, body)
          ? "'contact: {soft_surface: vertices}', more load steps (static.steps) or a finer "
            "mesh may help"
          : "more load steps (static.steps) or a finer mesh may help";
  const char *edge = NULL;
  for (int a = 0; soft && a < soft->num_vertices && open == 0; a++)
    if (soft->block[a] == it->out.worst_block)
      edge =
          find_edge(it, soft, sup_v3_load(it->end->next->x + 3 * (size_t)(soft->first_vertex + a)));
  snprintf(advice, ADVICE, "%s", text);
  if (edge)
    snprintf(advice, ADVICE,
             "it is at an edge of '%s', where the normal jumps from one side to the other: let one "
             "body end half a cell before the other, give '%s' other cells, or take fewer load "
             "steps",
             edge, soft->name);
  return SUP_OK;
}

sup_status sup_equilibrium_explain(iteration *it) {
  const sup_model *model = it->start.model;
  sup_equilibrium *out = &it->out;
  int              b = out->worst_block, body = b == SUP_NONE ? SUP_NONE : model->block_body[b];
  int              is_tree = body != SUP_NONE && model->body[body].soft == SUP_NONE;
  char             place[SUP_BLOCK_NAME_SIZE], force[32] = "";
  char             advice[ADVICE];
  SUP_TRY(sup_step_describe_block(&it->start, it->assembly, it->end->next, b, it->r, place));
  SUP_TRY(advise(it, body, advice));
  if (b != SUP_NONE) residual_force(it, b, force, sizeof force);
  if (out->end == SUP_STATIC_FALLS)
    snprintf(out->text, sizeof out->text,
             "%s is pulled by %s and nothing holds it; give it a %s, or something to touch that is "
             "not far away (`supple run` lets it fall)",
             place, force, is_tree ? "spring, a drive" : "clamp, a hold");
  else if (out->end == SUP_STATIC_SLIDES)
    snprintf(out->text, sizeof out->text,
             "%s slides, rolls or falls on, %s on it find no balance; more friction or a %s may "
             "hold it, and `supple run` shows where it goes",
             place, force, is_tree ? "spring" : "hold");
  else
    snprintf(out->text, sizeof out->text,
             "the forces at %s are off by %s, %.2g of their size (tolerance %.2g); %s", place,
             force, out->error, it->options->tolerance, advice);
  return SUP_OK;
}
