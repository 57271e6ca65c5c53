/* Measures of modes: effective masses, damping, the body that moves; displaced states. */
#include "step/static/mode_shapes.h"

#include <math.h>
#include <string.h>

#include "fem/material.h"
#include "la/vector.h"
#include "step/column/carried.h"
#include "step/static/numerics.h"

#define PI 3.14159265358979323846

/** Work of measuring modes. */
typedef struct measure {
  sup_mode_shapes *s;
  const sup_model *model;
  double          *velocity; /* [num_vertices x 3] of a mode at rate 1 [m] */
  double          *work;     /* [num_vertices x 3] */
  double          *rates;    /* [num_v] of joints */
  double           mass;     /* of all bodies that can move [kg] */
  double          *H;        /* [nv x nv] of the largest tree */
  double         **K;        /* [materials of all bodies] values of each one's stiffness */
  sup_v3          *w, *v;    /* [num_bodies] of links */
  sup_frame       *X;
} measure;

void sup_mode_shapes_free(sup_mode_shapes *s) {
  sup_static_equations_free(&s->equations);
  sup_state_destroy(&s->state);
  sup_block_pattern_free(&s->pattern);
  sup_eigen_pairs_free(&s->pairs);
  SUP_FREE_ALL(&s->K, &s->M);
}

/** Velocities of vertices, joints and links by the block velocities u. */
static void spread(measure *m, const double *u) {
  const sup_model       *model = m->model;
  const sup_step_layout *layout = m->s->equations.it.start.layout;
  for (int i = 0; i < model->num_softs; i++)
    sup_assembly_vertex_velocity(&m->s->equations.assembly, i, u,
                                 m->velocity + 3 * (size_t)model->soft[i].first_vertex);
  for (int t = 0; t < model->num_trees; t++) {
    sup_base_motion base = {.X_WB = m->s->equations.it.start.kin.base[t].X_WB};
    int             first = model->tree_body[t];
    double         *rate = m->rates + model->v_start[t];
    if (model->tree_block[t] != SUP_NONE)
      memcpy(rate, u + sup_block_first(&layout->A_pattern, model->tree_block[t]),
             (size_t)model->tree[t]->nv * sizeof *rate);
    sup_tree_kinematics(model->tree[t], &base, m->s->state->q + model->q_start[t], rate,
                        &(sup_tree_kinematics_data){m->X + first, m->w + first, m->v + first});
  }
}

static sup_v3 centre_velocity(const measure *m, int t, int l) {
  const sup_tree_link *link = &m->model->tree[t]->links[l];
  int                  body = m->model->tree_body[t] + l;
  return sup_v3_add(m->v[body], sup_v3_cross(m->w[body], sup_m3_apply(m->X[body].R, link->com)));
}

static void add_kinetic(int body, double kinetic, double *most, sup_mode *mode) {
  if (kinetic > *most) *most = kinetic, mode->body = body;
}

static void add_momentum(double mass, const double v[3], double momentum[3], double *reach) {
  for (int c = 0; c < 3; c++) momentum[c] += mass * v[c];
  *reach = fmax(*reach, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
}

/** Effective masses, reach and the body that moves most of mode u of modal mass `modal`. */
static void measure_motion(measure *m, double modal, sup_mode *mode) {
  const sup_model *model = m->model;
  double           momentum[3] = {0}, most = 0;
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    double          kinetic = 0;
    const double   *rate = m->rates + model->v_start[t];
    sup_tree_mass_matrix(tree, m->s->state->q + model->q_start[t], m->H);
    for (int i = 0; i < tree->nv; i++)
      kinetic += rate[i] * sup_dot(m->H + i * tree->nv, rate, tree->nv);
    for (int l = 0; l < tree->num_links; l++) {
      double v[3];
      sup_v3_store(v, centre_velocity(m, t, l));
      add_momentum(tree->links[l].mass, v, momentum, &mode->reach);
    }
    add_kinetic(t, kinetic, &most, mode);
  }
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    const double   *v = m->velocity + 3 * (size_t)soft->first_vertex,
                 *mass = sup_fem_vertex_mass(soft->fem);
    for (int a = 0; a < soft->num_vertices; a++)
      add_momentum(mass[a], v + 3 * a, momentum, &mode->reach);
    sup_fem_mass_multiply(soft->fem, v, m->work);
    add_kinetic(model->num_trees + i, sup_dot(v, m->work, 3 * soft->num_vertices), &most, mode);
  }
  mode->share = most / modal;
  for (int c = 0; c < 3; c++) {
    double mass = momentum[c] * momentum[c] / modal;
    mode->mass[c] = mass > sup_static_numerics.mode_mass * m->mass ? mass : 0;
  }
}

/* ---- damping --------------------------------------------------------------------------------- */

/** Storage and loss moduli at w over the instantaneous one. */
static void moduli_at(const sup_prony *prony, double w, double *storage, double *loss) {
  *storage = prony->long_term, *loss = 0;
  for (int i = 0; i < prony->num; i++) {
    double a = w * prony->time[i];
    *storage += prony->share[i] * a * a / (1 + a * a), *loss += prony->share[i] * a / (1 + a * a);
  }
}

/** Twice the elastic energy of material k of soft body i, as by its instantaneous moduli. */
static sup_status material_energy(measure *m, int i, int k, double *energy) {
  const sup_soft          *soft = &m->model->soft[i];
  const sup_soft_work     *work = &m->s->equations.assembly.soft[i];
  const sup_block_pattern *P = sup_fem_pattern(soft->fem);
  double                 **K = &m->K[i * SUP_FEM_MAX_MATERIALS + k];
  const double            *v = m->velocity + 3 * (size_t)soft->first_vertex;
  if (!*K) {
    sup_fem_relaxation only = {.history = work->relaxing.history};
    SUP_TRY(SUP_ARENA(m->s->equations.arena, *K, sup_block_pattern_num_values(P)));
    memset(*K, 0, sup_block_pattern_num_values(P) * sizeof **K);
    only.share[k] = 1;
    sup_fem_add_step_stiffness(soft->fem, work->R, work->x, 1,
                               &(sup_fem_increment){.relaxation = &only}, 0, *K);
  }
  sup_block_multiply(P, *K, v, m->work);
  *energy = sup_sum_of_ranks(m->model->ranks, sup_dot(v, m->work, 3 * soft->num_vertices));
  return SUP_OK;
}

/** Frequency and damping with materials that relax: the storage modulus at the mode's frequency
 * adds to the stiffness, the loss modulus dissipates; exact for one material.
 *  @param[in,out] loss  power lost over the square of the rates at omega [N/m] */
static sup_status relax(measure *m, double modal, sup_mode *mode, double *loss) {
  enum { ROUNDS = 50 };
  const bool is_long = m->s->equations.it.start.inc->rest > 0;
  double     more = 0, lost = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double w = sqrt(fmax(mode->omega2 + more, 0)), before = more;
    more = lost = 0;
    for (int i = 0; i < m->model->num_softs; i++)
      for (int k = 0; k < sup_fem_num_materials(m->model->soft[i].fem); k++) {
        sup_prony prony = sup_fem_prony(sup_fem_material(m->model->soft[i].fem, k));
        double    storage, of_loss, energy;
        if (prony.num == 0) continue;
        SUP_TRY(material_energy(m, i, k, &energy));
        moduli_at(&prony, w, &storage, &of_loss);
        more += (storage - (is_long ? prony.long_term : 1)) * energy / modal;
        lost += of_loss * energy / modal;
      }
    if (fabs(more - before) <= 1e-12 * fabs(mode->omega2)) break;
  }
  mode->omega2 += more, *loss += lost;
  return SUP_OK;
}

/** Power lost by damping over the squares of the rates u [N s/m]: materials, joints, drives,
 * springs.
 */
static double viscous(measure *m, const double *u, double modal) {
  const sup_model *model = m->model;
  double           sum = 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    const double   *v = m->velocity + 3 * (size_t)soft->first_vertex;
    int             n = 3 * soft->num_vertices;
    if (!sup_fem_is_damped(soft->fem)) continue;
    sup_fem_damped_mass_multiply(soft->fem, 1, v, m->work);
    sum += sup_dot(v, m->work, n);
    sup_fem_mass_multiply(soft->fem, v, m->work);
    sum -= sup_dot(v, m->work, n);
    memset(m->work, 0, (size_t)n * sizeof *m->work);
    sup_fem_add_damping_force(soft->fem, m->s->equations.assembly.soft[i].R, v, -1, m->work);
    sum += sup_dot(v, m->work, n);
  }
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      const sup_tree_link *link = &model->tree[t]->links[l];
      for (int k = 0; k < link->nv; k++) {
        double rate = m->rates[model->v_start[t] + link->v_start + k];
        sum += link->damping * rate * rate;
      }
    }
  for (int a = 0; a < model->num_actuators; a++) {
    const sup_actuator *drive = &model->actuator[a];
    double              rate = m->rates[sup_model_link_v(model, drive->tree, drive->link)];
    sum += drive->kp > 0 ? drive->kd * rate * rate : 0;
  }
  for (int i = 0; i < model->num_springs; i++) {
    const sup_assembly *assembly = &m->s->equations.assembly;
    const sup_carried  *way = &assembly->spring[i];
    double              rate[3];
    sup_v3_store(rate, sup_v3_sub(sup_carried_velocity(assembly, way, u), way->base));
    for (int r = 0; r < 3; r++) sum += model->spring[i].damping[r] * rate[r] * rate[r];
  }
  return sum / modal;
}

/* ---- modes ----------------------------------------------------------------------------------- */

static sup_status measure_mode(measure *m, int k, sup_modes *modes) {
  const sup_eigen_pairs *pairs = &m->s->pairs;
  int                    n = m->s->pattern.num_scalars;
  double                *u = pairs->X + (ptrdiff_t)k * n, modal, loss = 0;
  sup_mode              *mode = &modes->mode[k];
  spread(m, u);
  sup_block_multiply_all(sup_assembly_ranks(&m->s->equations.assembly), &m->s->pattern, m->s->M, u,
                         m->work);
  modal = sup_dot(u, m->work, n);
  *mode = (sup_mode){.omega2 = pairs->lambda[k], .residual = pairs->residual[k]};
  measure_motion(m, modal, mode);
  if (!modes->is_buckling && mode->omega2 > 0) {
    double before = mode->omega2;
    SUP_TRY(relax(m, modal, mode, &loss));
    modes->relaxes |= mode->omega2 != before;
    double w = sqrt(mode->omega2);
    mode->damping = (viscous(m, u, modal) + loss / w) / (2 * w);
  }
  mode->frequency = sqrt(fabs(mode->omega2)) / (2 * PI) * (mode->omega2 < 0 ? -1 : 1);
  modes->num_zero += mode->omega2 == 0;
  return SUP_OK;
}

/** Mass of all bodies that can move [kg]. */
static double total_mass(const sup_model *model) {
  double sum = 0;
  for (int i = 0; i < model->num_softs; i++) sum += sup_fem_mass(model->soft[i].fem);
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++)
      if (model->body[model->tree_body[t] + l].movable) sum += model->tree[t]->links[l].mass;
  return sum;
}

/** Order modes and their vectors by frequency, which relaxing materials shift. */
static void sort(sup_modes *modes) {
  int     n = modes->shapes->pattern.num_scalars;
  double *X = modes->shapes->pairs.X;
  for (int k = 0; k < modes->num; k++) {
    int least = k;
    for (int i = k + 1; i < modes->num; i++)
      if (modes->mode[i].omega2 < modes->mode[least].omega2) least = i;
    if (least == k) continue;
    sup_mode mode = modes->mode[k];
    modes->mode[k] = modes->mode[least], modes->mode[least] = mode;
    for (ptrdiff_t i = 0; i < n; i++) {
      double x = X[k * (ptrdiff_t)n + i];
      X[k * (ptrdiff_t)n + i] = X[least * (ptrdiff_t)n + i], X[least * (ptrdiff_t)n + i] = x;
    }
  }
}

sup_status sup_mode_shapes_measure(sup_modes *modes) {
  sup_mode_shapes *s = modes->shapes;
  const sup_model *model = s->equations.it.start.model;
  sup_arena       *arena = s->equations.arena;
  size_t           bodies = (size_t)model->num_softs * SUP_FEM_MAX_MATERIALS;
  measure          m = {.s = s, .model = model, .mass = total_mass(model)};
  SUP_TRY(SUP_ARENA_VECTORS(arena, 3 * model->num_vertices, &m.velocity));
  SUP_TRY(SUP_ARENA_VECTORS(arena, 3 * model->num_vertices + s->pattern.num_scalars, &m.work));
  SUP_TRY(SUP_ARENA(arena, m.rates, s->state->num_v));
  SUP_TRY(SUP_ARENA(arena, m.H, s->state->num_v * s->state->num_v));
  SUP_TRY(SUP_ARENA(arena, m.K, bodies));
  SUP_TRY(SUP_ARENA(arena, m.w, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, m.v, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, m.X, model->num_bodies));
  for (size_t k = 0; k < bodies; k++) m.K[k] = NULL;
  for (int i = 0; i < s->state->num_v; i++) m.rates[i] = 0;
  modes->num = s->pairs.num, modes->unknowns = s->pattern.num_scalars;
  modes->mass = m.mass;
  modes->below = s->pairs.below;
  modes->bound = modes->is_buckling ? s->pairs.bound : sqrt(s->pairs.bound) / (2 * PI);
  SUP_TRY(SUP_CALLOC(modes->mode, modes->num));
  for (int k = 0; k < modes->num; k++) SUP_TRY(measure_mode(&m, k, modes));
  if (modes->relaxes) sort(modes);
  return SUP_OK;
}

sup_status sup_modes_displace(const sup_modes *modes, int k, double size, sup_state *to) {
  sup_mode_shapes  *s = modes->shapes;
  const sup_model  *model = s->equations.it.start.model;
  const double     *u = s->pairs.X + (ptrdiff_t)k * s->pattern.num_scalars;
  double            a = modes->mode[k].reach > 0 ? size / modes->mode[k].reach : 0;
  SUP_FREED double *v = NULL;
  SUP_TRY(sup_state_copy(to, s->state));
  SUP_TRY(SUP_CALLOC(v, 3 * model->num_vertices));
  for (int i = 0; i < model->num_softs; i++) {
    size_t first = 3 * (size_t)model->soft[i].first_vertex;
    sup_assembly_vertex_velocity(&s->equations.assembly, i, u, v + first);
    for (int c = 0; c < 3 * model->soft[i].num_vertices; c++)
      to->x[first + (size_t)c] += a * v[first + (size_t)c];
  }
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE)
      sup_tree_integrate(
          model->tree[t], to->q + model->q_start[t],
          u + sup_block_first(&s->equations.it.start.layout->A_pattern, model->tree_block[t]), a);
  return SUP_OK;
}

const char *sup_mode_body_name(const sup_model *model, int body) {
  return body < model->num_trees ? model->tree[body]->name
                                 : model->soft[body - model->num_trees].name;
}
