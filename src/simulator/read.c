/* Reading of quantities after a step, as arrays. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "measure/numerics.h"
#include "measure/thickness.h"
#include "model/inputs.h"
#include "simulator/simulator_parts.h"
#include "step/assembly.h"

static const struct {
  const char *name;
  sup_object  object;
} quantities[] = {
#define SUP_QUANTITY_ENTRY(NAME, name, OBJECT) {#name, SUP_OBJECT_##OBJECT},
    SUP_QUANTITY_LIST(SUP_QUANTITY_ENTRY)
#undef SUP_QUANTITY_ENTRY
};

sup_object  sup_quantity_object(sup_quantity quantity) { return quantities[quantity].object; }
const char *sup_quantity_name(sup_quantity quantity) {
  return (int)quantity >= 0 && quantity < SUP_NUM_QUANTITIES ? quantities[quantity].name : NULL;
}

/* ---- arrays that are there ------------------------------------------------------------------- */

static sup_array array_of_soft(const sup_simulator *s, const double *all, int soft, int width) {
  const sup_soft *b = &s->model->soft[soft];
  return (sup_array){all + (size_t)width * (size_t)b->first_vertex, b->num_vertices, width};
}

static sup_array array_of_cells(const sup_simulator *s, const double *all, int soft, int width) {
  int first = s->obs.cell_start[soft];
  return (sup_array){all + (size_t)width * (size_t)first, s->obs.cell_start[soft + 1] - first,
                     width};
}

static sup_array array_of_tree(const double *all, const int *start, int tree) {
  return (sup_array){all + start[tree], 1, start[tree + 1] - start[tree]};
}

static sup_array array_of_joint(const sup_simulator *s, const double *all, int joint, bool is_q) {
  int tree, link;
  sup_simulator_link(s, joint, &tree, &link);
  const sup_tree_link *l = &s->model->tree[tree]->links[link];
  return is_q ? (sup_array){all + sup_model_link_q(s->model, tree, link), 1, l->nq}
              : (sup_array){all + sup_model_link_v(s->model, tree, link), 1, l->nv};
}

/* ---- arrays that are filled ------------------------------------------------------------------ */

static void put6(double *out, sup_v3 a, sup_v3 b) {
  sup_v3_store(out, a);
  sup_v3_store(out + 3, b);
}

static void fill_poses(sup_simulator *s, double *out) {
  for (int b = 0; b < s->model->num_bodies; b++, out += 7) {
    const sup_frame *X = &s->obs.X_WL[b];
    sup_v3_store(out, X->p);
    sup_quat q = sup_quat_from_matrix(X->R);
    out[3] = q.w, out[4] = q.x, out[5] = q.y, out[6] = q.z;
  }
}

static void fill_velocities(sup_simulator *s, double *out) {
  for (int b = 0; b < s->model->num_bodies; b++) {
    const sup_soft *soft = s->model->soft + s->model->body[b].soft;
    bool            is_soft = s->model->body[b].soft != SUP_NONE;
    size_t          first = is_soft ? 3 * (size_t)soft->first_vertex : 0;
    put6(out + 6 * b, s->obs.velocity[b],
         is_soft ? sup_soft_angular_velocity(soft, s->obs.x + first, s->obs.xdot + first)
                 : s->obs.w[b]);
  }
}

static void fill_resultants(sup_simulator *s, double *out) {
  for (int b = 0; b < s->model->num_bodies; b++) {
    sup_pair_sum sum = sup_observation_sum_on(&s->obs, b);
    put6(out + 6 * b, sum.force, sum.moment_b);
  }
}

static void fill_efforts(sup_simulator *s, double *out) {
  if (s->state->num_v) memcpy(out, s->obs.joint_effort, (size_t)s->state->num_v * sizeof *out);
}

static void fill_vertex_forces(sup_simulator *s, double *out) {
  if (s->model->num_vertices)
    memcpy(out, s->obs.contact_force, 3 * (size_t)s->model->num_vertices * sizeof *out);
}

static void fill_attachments(sup_simulator *s, double *out) {
  for (int i = 0; i < s->model->num_attachments; i++)
    put6(out + 6 * i, s->obs.attach_wrench[i].force, s->obs.attach_wrench[i].moment);
}

static void fill_reactions(sup_simulator *s, double *out) {
  for (int i = 0; i < s->model->num_dirichlet; i++)
    put6(out + 6 * i, s->obs.reaction[i].force, s->obs.reaction[i].moment);
}

static void fill_pair_wrenches(sup_simulator *s, double *out) {
  for (int i = 0; i < s->obs.num_pairs; i++)
    put6(out + 6 * i, s->obs.pair[i].force, s->obs.pair[i].moment_b);
}

static void fill_pair_contacts(sup_simulator *s, double *out) {
  for (int i = 0; i < s->obs.num_pairs; i++, out += 4) {
    const sup_pair_sum *sum = &s->obs.pair[i];
    out[0] = sum->count, out[1] = sum->area, out[2] = sum->normal, out[3] = sum->penetration;
  }
}

static void fill_energies(sup_simulator *s, double *out) {
  const sup_observation *o = &s->obs;
  out[0] = o->kinetic, out[1] = o->elastic, out[2] = o->potential, out[3] = o->contact_energy;
  out[4] = o->kinetic + o->elastic + o->contact_energy + o->potential;
}

static void fill_gravity(sup_simulator *s, double *out) { sup_v3_store(out, s->obs.gravity); }

static void fill_probes(sup_simulator *s, double *out) {
  for (int i = 0; i < s->num_probes; i++)
    sup_v3_store(out + 3 * i, sup_probe_position(&s->probe[i], &s->obs));
}

/** Deepest overlap of the shapes of each pair of bodies; a thickness takes milliseconds, so of what
 * merely touches it is not asked for. */
static void fill_overlaps(sup_simulator *s, double *out) {
  const sup_model *model = s->model;
  memset(out, 0, 2 * (size_t)s->obs.num_pairs * sizeof *out);
  for (int p = 0; p < model->num_pairs; p++) {
    double *deepest = out + 2 * s->obs.body_pair[p];
    deepest[0] = fmax(deepest[0], s->overlaps.depth[p]);
  }
  for (int i = 0; i < s->obs.num_pairs; i++)
    if (out[2 * i] > sup_measure_numerics.overlap)
      out[2 * i + 1] = out[2 * i] / fmin(sup_body_thickness(model, s->obs.pair[i].a),
                                         sup_body_thickness(model, s->obs.pair[i].b));
}

static sup_status measure_overlaps(sup_simulator *s) {
  if (s->read[SUP_READ_OVERLAP].is_fresh) return SUP_OK;
  if (!s->overlaps.model) SUP_TRY(sup_overlaps_create(&s->overlaps, s->model));
  sup_simulator_update_observation(s, 0);
  SUP_TRY(sup_overlaps_measure(&s->overlaps, s->obs.X_WL, s->state->x));
  return SUP_OK;
}

typedef struct filler {
  void (*fill)(sup_simulator *s, double *out);
  int width, with_stress;
} filler;

/** Numbers of a quantity of all objects, after the first call in memory of their own. */
static sup_status fill(sup_simulator *s, sup_quantity quantity, const filler *how, size_t count) {
  sup_read_buffer *buffer = &s->read[quantity];
  if (!buffer->value) SUP_TRY(SUP_CALLOC(buffer->value, count * (size_t)how->width));
  if (buffer->is_fresh) return SUP_OK;
  sup_simulator_update_observation(s, how->with_stress);
  how->fill(s, buffer->value);
  buffer->is_fresh = 1;
  return SUP_OK;
}

static const filler fillers[SUP_NUM_QUANTITIES] = {
    [SUP_READ_POSE] = {fill_poses, 7, 0},
    [SUP_READ_VELOCITY] = {fill_velocities, 6, 0},
    [SUP_READ_RESULTANT] = {fill_resultants, 6, 0},
    [SUP_READ_TREE_EFFORT] = {fill_efforts, 1, 0},
    [SUP_READ_VERTEX_FORCES] = {fill_vertex_forces, 3, 0},
    [SUP_READ_ATTACHMENT] = {fill_attachments, 6, 0},
    [SUP_READ_REACTION] = {fill_reactions, 6, 0},
    [SUP_READ_PAIR_WRENCH] = {fill_pair_wrenches, 6, 0},
    [SUP_READ_PAIR_CONTACT] = {fill_pair_contacts, 4, 0},
    [SUP_READ_ENERGY] = {fill_energies, 5, 1},
    [SUP_READ_OVERLAP] = {fill_overlaps, 2, 0},
    [SUP_READ_GRAVITY] = {fill_gravity, 3, 0},
    [SUP_READ_PROBE_POSITION] = {fill_probes, 3, 0}};

static sup_status read_filled(sup_simulator *s, sup_quantity quantity, int handle,
                              sup_array *array) {
  const filler *how = &fillers[quantity];
  SUP_TRY(fill(s, quantity, how, (size_t)sup_simulator_count(s, quantities[quantity].object)));
  *array =
      (sup_array){s->read[quantity].value + (size_t)how->width * (size_t)handle, 1, how->width};
  return SUP_OK;
}

/** Quantities of positions and velocities alone, which need no look at contacts. */
static bool is_of_state(sup_quantity q) {
  return q == SUP_READ_POSE || q == SUP_READ_VELOCITY || q == SUP_READ_OVERLAP ||
         q == SUP_READ_TREE_POSITION || q == SUP_READ_TREE_VELOCITY ||
         q == SUP_READ_JOINT_POSITION || q == SUP_READ_JOINT_VELOCITY || q == SUP_READ_VERTICES ||
         q == SUP_READ_VERTEX_VELOCITIES;
}

sup_status sup_simulator_read(sup_simulator *s, sup_quantity quantity, int handle,
                              sup_array *array) {
  const sup_model *model = s->model;
  *array = (sup_array){NULL, 0, 0};
  if ((int)quantity < 0 || quantity >= SUP_NUM_QUANTITIES)
    return SUP_FAIL(SUP_E_ARG, "there is no quantity %d: there are %d, from 0 on", (int)quantity,
                    (int)SUP_NUM_QUANTITIES);
  SUP_TRY(sup_simulator_check(s, quantities[quantity].object, handle));
  if (!is_of_state(quantity)) SUP_TRY(sup_simulator_arrive(s));
  switch (quantity) {
    case SUP_READ_TREE_POSITION:
      *array = array_of_tree(s->state->q, model->q_start, handle);
      break;
    case SUP_READ_TREE_VELOCITY:
      *array = array_of_tree(s->state->v, model->v_start, handle);
      break;
    case SUP_READ_TREE_EFFORT:
    case SUP_READ_JOINT_EFFORT:
      SUP_TRY(
          fill(s, SUP_READ_TREE_EFFORT, &fillers[SUP_READ_TREE_EFFORT], (size_t)s->state->num_v));
      *array = quantity == SUP_READ_TREE_EFFORT
                   ? array_of_tree(s->read[SUP_READ_TREE_EFFORT].value, model->v_start, handle)
                   : array_of_joint(s, s->read[SUP_READ_TREE_EFFORT].value, handle, 0);
      break;
    case SUP_READ_JOINT_POSITION:
      *array = array_of_joint(s, s->state->q, handle, 1);
      break;
    case SUP_READ_JOINT_VELOCITY:
      *array = array_of_joint(s, s->state->v, handle, 0);
      break;
    case SUP_READ_VERTICES:
      *array = array_of_soft(s, s->state->x, handle, 3);
      break;
    case SUP_READ_VERTEX_VELOCITIES:
      *array = array_of_soft(s, s->state->xdot, handle, 3);
      break;
    case SUP_READ_VERTEX_FORCES:
      SUP_TRY(fill(s, quantity, &fillers[quantity], (size_t)model->num_vertices));
      *array = array_of_soft(s, s->read[quantity].value, handle, 3);
      break;
    case SUP_READ_ATTACHMENT:
      SUP_TRY(fill(s, quantity, &fillers[quantity], (size_t)model->num_attachments));
      *array =
          (sup_array){s->read[quantity].value + 6 * (size_t)model->soft[handle].first_attachment,
                      model->soft[handle].num_attachments, 6};
      break;
    case SUP_READ_VERTEX_STRESS:
      sup_simulator_update_observation(s, 1);
      *array = array_of_soft(s, s->obs.vertex_cauchy, handle, 6);
      break;
    case SUP_READ_CELL_STRESS:
      sup_simulator_update_observation(s, 1);
      *array = array_of_cells(s, s->obs.cauchy, handle, 9);
      break;
    case SUP_READ_VON_MISES:
      sup_simulator_update_observation(s, 1);
      *array = array_of_cells(s, s->obs.von_mises, handle, 1);
      break;
    case SUP_READ_ENERGY_DENSITY:
      sup_simulator_update_observation(s, 1);
      *array = array_of_cells(s, s->obs.energy_density, handle, 1);
      break;
    case SUP_READ_VOLUME_RATIO:
      sup_simulator_update_observation(s, 1);
      *array = array_of_cells(s, s->obs.volume_ratio, handle, 1);
      break;
    default:
      if (quantity == SUP_READ_OVERLAP) SUP_TRY(measure_overlaps(s));
      SUP_TRY(read_filled(s, quantity, handle, array));
      break;
  }
  return SUP_OK;
}

sup_status sup_simulator_cells(const sup_simulator *s, int soft, const int **cell, int *num_cells,
                               int *corners) {
  SUP_TRY(sup_simulator_check(s, SUP_OBJECT_SOFT, soft));
  const sup_mesh *mesh = sup_fem_mesh(s->model->soft[soft].fem);
  *cell = mesh->cell, *num_cells = mesh->num_cells;
  *corners = sup_cell_num_vertices(mesh->type);
  return SUP_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

static void scaled(double *out, double scale, sup_v3 a) {
  sup_v3_store(out, sup_v3_scale(scale, a));
}

/** Fill a patch with the bodies in the pair's order; a contact of the pair may have them in the
 * other. */
static void set_patch(sup_contact_patch *to, const sup_contact *c, int pair, int b) {
  double sign = c->body_b == b ? 1 : -1, load = sup_v3_dot(c->force, c->normal);
  double over = c->area > 0 ? 1 / c->area : 0;
  *to = (sup_contact_patch){.pair = pair,
                            .num_points = c->num_points,
                            .area = c->area,
                            .pressure = load * over,
                            .overlap = c->penetration};
  for (int k = 0; k < c->num_points; k++) sup_v3_store(to->point[k], c->point[k]);
  sup_v3_store(to->centre, c->centroid);
  scaled(to->normal, sign, c->normal);
  scaled(to->force, sign, c->force);
  scaled(to->traction, sign * over, c->force);
  scaled(to->slip, sign, c->slip);
}

/** Sort the contact patches by pairs; those of one pair keep the order of the step's contacts. */
static sup_status gather_patches(sup_simulator *s) {
  const sup_observation *o = &s->obs;
  int                   *start = s->patch_start;
  sup_simulator_update_observation(s, 0);
  memset(start, 0, ((size_t)o->num_pairs + 1) * sizeof *start);
  for (int i = 0; i < o->num_contacts; i++)
    if (sup_contact_presses(&o->contact[i])) start[o->body_pair[o->contact[i].pair] + 1]++;
  for (int p = 0; p < o->num_pairs; p++) start[p + 1] += start[p];
  SUP_TRY(SUP_GROW(s->patch, s->patch_capacity, start[o->num_pairs] + 1));
  for (int i = 0; i < o->num_contacts; i++) {
    if (!sup_contact_presses(&o->contact[i])) continue;
    int pair = o->body_pair[o->contact[i].pair];
    set_patch(&s->patch[start[pair]++], &o->contact[i], pair, o->pair[pair].b);
  }
  for (int p = o->num_pairs; p > 0; p--) start[p] = start[p - 1];
  start[0] = 0;
  s->has_patches = 1;
  return SUP_OK;
}

sup_status sup_simulator_contacts(sup_simulator *s, int pair, const sup_contact_patch **patch,
                                  int *count) {
  if (pair != SUP_NONE) SUP_TRY(sup_simulator_check(s, SUP_OBJECT_PAIR, pair));
  SUP_TRY(sup_simulator_arrive(s));
  if (!s->has_patches) SUP_TRY(gather_patches(s));
  int first = pair == SUP_NONE ? 0 : s->patch_start[pair],
      last = s->patch_start[pair == SUP_NONE ? s->obs.num_pairs : pair + 1];
  *patch = s->patch + first, *count = last - first;
  return SUP_OK;
}
