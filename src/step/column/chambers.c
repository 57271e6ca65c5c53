#include "step/column/chambers.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"

typedef struct sup_chamber_work chamber_work;

/* ---- start ----------------------------------------------------------------------------------- */

static sup_status begin(const sup_step_start *s, int c, chamber_work *work) {
  const sup_chamber *chamber = &s->model->chamber[c];
  *work = (chamber_work){
      .law = sup_chamber_law_at(s->model, s->inc->inputs, c, s->inc->t0 + s->inc->h, s->inc->load),
      .row = {
          .name = chamber->name, .multiplier = s->state->chamber_pressure[c], .lowest = -HUGE_VAL}};
  if (chamber->flows) { /* isothermal */
    double *scratch, volume;
    SUP_TRY(SUP_ARENA(s->arena, scratch, 3 * s->model->num_vertices));
    volume = sup_chamber_volume(chamber, s->model, s->state->x, scratch);
    work->law.content = (chamber->ambient + s->state->chamber_pressure[c]) * volume;
  }
  work->row.is_given = work->law.fill == SUP_CHAMBER_VOLUME;
  SUP_TRY(SUP_ARENA(s->arena, work->area, chamber->num_walls));
  for (int w = 0; w < chamber->num_walls; w++)
    SUP_TRY(SUP_ARENA(s->arena, work->area[w], 3 * chamber->wall[w].num_vertices));
  return SUP_ARENA(s->arena, work->row.column, s->layout->A_pattern.num_scalars);
}

sup_status sup_chambers_begin(const sup_step_start *s, sup_assembly *assembly) {
  int n = s->model->num_chambers;
  assembly->chamber = NULL;
  SUP_TRY(SUP_ARENA(s->arena, assembly->chamber, n));
  if (n == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->arena, assembly->chamber_volume, n));
  SUP_TRY(SUP_ARENA(s->arena, assembly->known_v, s->layout->A_pattern.num_scalars));
  for (int c = 0; c < n; c++) SUP_TRY(begin(s, c, &assembly->chamber[c]));
  return SUP_OK;
}

/* ---- linearisation --------------------------------------------------------------------------- */

/** Pressure at a volume [Pa], by the law; liquid: by the last row. */
static double pressure_at(const chamber_work *work, double volume) {
  if (work->law.fill != SUP_CHAMBER_VOLUME) return sup_chamber_pressure(&work->law, volume);
  double excess = volume - work->law.volume + work->row.multiplier / work->law.stiffness;
  return work->row.multiplier - work->row.penalty * excess;
}

/** Gradient of the volume by the unknowns; held components: 0. */
static void set_column(sup_assembly *assembly, const sup_chamber *chamber, chamber_work *work) {
  const sup_model *model = assembly->layout->model;
  int              n = assembly->layout->A_pattern.num_scalars;
  double          *p = assembly->p;
  memset(work->row.column, 0, (size_t)n * sizeof *work->row.column);
  assembly->p = work->row.column;
  for (int w = 0; w < chamber->num_walls; w++) {
    const sup_soft *soft = &model->soft[chamber->wall[w].soft];
    for (int a = 0; a < soft->num_vertices; a++) {
      double g[3];
      for (int k = 0; k < 3; k++) g[k] = -work->area[w][3 * a + k];
      if (g[0] != 0 || g[1] != 0 || g[2] != 0)
        sup_assembly_add_free_momentum(assembly, chamber->wall[w].soft, a, g);
    }
  }
  assembly->p = p;
}

static void linearise(const sup_step_start *s, sup_assembly *assembly, int c, const double *v,
                      const double *at) {
  const sup_chamber *chamber = &s->model->chamber[c];
  chamber_work      *work = &assembly->chamber[c];
  work->row.way = 0, work->row.known = 0;
  for (int w = 0; w < chamber->num_walls; w++) {
    const sup_chamber_wall *wall = &chamber->wall[w];
    const double           *x0 = s->state->x + 3 * s->model->soft[wall->soft].first_vertex;
    double                 *x = assembly->soft[wall->soft].x, *u = assembly->soft[wall->soft].v;
    int                     n = 3 * wall->num_vertices;
    sup_assembly_vertex_velocity(assembly, wall->soft, at, u);
    for (int a = 0; a < n; a++) x[a] = v ? x0[a] + s->inc->h * u[a] : x0[a];
    memset(work->area[w], 0, (size_t)n * sizeof *work->area[w]);
    work->row.way += sup_chamber_wall_volume(chamber, w, x, work->area[w]);
    if (!v) work->row.known -= sup_dot(work->area[w], u, n);
  }
  work->row.force = pressure_at(work, work->row.way);
  work->row.stiffness = sup_chamber_stiffness(&work->law, work->row.way);
  work->row.excess = work->law.volume - work->row.way;
  set_column(assembly, chamber, work);
  work->row.known -= sup_dot(work->row.column, at, s->layout->A_pattern.num_scalars);
}

void sup_chambers_linearise(const sup_step_start *s, sup_assembly *assembly, const double *v) {
  const double *at = v;
  if (s->model->num_chambers == 0) return;
  if (!v) { /* at rest but for held components and bases */
    memset(assembly->known_v, 0,
           (size_t)s->layout->A_pattern.num_scalars * sizeof *assembly->known_v);
    sup_assembly_dirichlet_velocity(assembly, assembly->known_v);
    at = assembly->known_v;
  }
  for (int c = 0; c < s->model->num_chambers; c++) linearise(s, assembly, c, v, at);
}

void sup_chambers_add_forces(const sup_assembly *assembly, int i, double scale, double *out) {
  const sup_model *model = assembly->layout->model;
  for (int c = 0; c < model->num_chambers; c++)
    for (int w = 0; w < model->chamber[c].num_walls; w++) {
      const sup_chamber_wall *wall = &model->chamber[c].wall[w];
      const chamber_work     *work = &assembly->chamber[c];
      for (int a = 0; a < 3 * wall->num_vertices && wall->soft == i; a++)
        out[a] -= scale * work->row.force * work->area[w][a];
    }
}

void sup_chambers_add_stiffness(const sup_assembly *assembly, int i, double scale, double *values) {
  const sup_model *model = assembly->layout->model;
  for (int c = 0; c < model->num_chambers; c++)
    for (int w = 0; w < model->chamber[c].num_walls; w++)
      if (model->chamber[c].wall[w].soft == i)
        sup_fem_faces_add_stiffness(&model->chamber[c].wall[w].faces, assembly->soft[i].x,
                                    scale * assembly->chamber[c].row.force,
                                    sup_fem_pattern(model->soft[i].fem), values);
}

/* ---- cost ------------------------------------------------------------------------------------ */

/** Energy at a volume less that at the linearisation [J]. */
static double energy_beyond(const chamber_work *work, double volume) {
  if (work->law.fill != SUP_CHAMBER_VOLUME)
    return sup_chamber_energy_between(&work->law, work->row.way, volume);
  double target = work->law.volume - work->row.multiplier / work->law.stiffness;
  return (volume - work->row.way) *
         (work->row.penalty * (0.5 * (volume + work->row.way) - target) - work->row.multiplier);
}

static double excess(const sup_step_start *s, sup_assembly *assembly, int c, const double *v) {
  const sup_chamber *chamber = &s->model->chamber[c];
  chamber_work      *work = &assembly->chamber[c];
  double             volume = 0, first = 0;
  bool               is_base = true;
  for (int w = 0; w < chamber->num_walls; w++) {
    const sup_chamber_wall *wall = &chamber->wall[w];
    sup_soft_work          *soft = &assembly->soft[wall->soft];
    const double           *x0 = s->state->x + 3 * s->model->soft[wall->soft].first_vertex;
    sup_assembly_vertex_velocity(assembly, wall->soft, v, soft->v);
    for (int a = 0; a < 3 * wall->num_vertices; a++) {
      soft->f[a] = x0[a] + s->inc->h * soft->v[a];
      first -= work->area[w][a] * (soft->f[a] - soft->x[a]);
      is_base = is_base && soft->f[a] == soft->x[a];
    }
    volume += sup_chamber_wall_volume(chamber, w, soft->f, soft->g);
  }
  if (is_base) return 0;
  return volume > 0 ? energy_beyond(work, volume) + work->row.force * first : HUGE_VAL;
}

double sup_chambers_excess(const sup_step_start *s, sup_assembly *assembly, const double *v) {
  double sum = 0;
  for (int c = 0; c < s->model->num_chambers; c++) sum += excess(s, assembly, c, v);
  return sum;
}

double sup_chambers_size(const sup_assembly *assembly) {
  double sum = 0;
  for (int c = 0; c < assembly->layout->model->num_chambers; c++)
    sum += fabs(assembly->chamber[c].row.force) * assembly->chamber[c].row.way;
  return sum;
}

/* ---- end ------------------------------------------------------------------------------------- */

/** Energy of the chambers at given pressures [J]. */
static double energy_at(const sup_model *model, const double *volume, const double *pressure) {
  double sum = 0;
  for (int c = 0; c < model->num_chambers; c++)
    sum += sup_chamber_energy(&model->chamber[c], volume[c], pressure[c]);
  return sum;
}

/** Energy of gas that a schedule adds at the volume of the start [J]. */
static double added_energy(const sup_chamber *chamber, const chamber_work *now, double volume,
                           double pressure) {
  if (now->law.fill != SUP_CHAMBER_GAS) return 0;
  return sup_chamber_energy(chamber, volume, sup_chamber_pressure(&now->law, volume)) -
         sup_chamber_energy(chamber, volume, pressure);
}

double sup_chambers_end(const sup_step_start *s, const sup_assembly *assembly, sup_state *next,
                        double *inflow) {
  double work = 0, added = 0;
  for (int c = 0; c < s->model->num_chambers; c++) {
    const sup_chamber  *chamber = &s->model->chamber[c];
    const chamber_work *now = &assembly->chamber[c];
    double              volume[2] = {0, 0};
    for (int w = 0; w < chamber->num_walls; w++)
      for (int k = 0; k < 2; k++)
        volume[k] += sup_chamber_wall_volume(
            chamber, w,
            (k ? next->x : s->state->x) + 3 * s->model->soft[chamber->wall[w].soft].first_vertex,
            assembly->soft[chamber->wall[w].soft].g);
    next->chamber_pressure[c] = pressure_at(now, volume[1]);
    assembly->chamber_volume[c] = volume[1];
    added += added_energy(chamber, now, volume[0], s->state->chamber_pressure[c]);
    work += now->law.fill == SUP_CHAMBER_VOLUME
                ? next->chamber_pressure[c] * (volume[1] - volume[0])
                : -sup_chamber_energy_between(&now->law, volume[0], volume[1]);
  }
  added -= energy_at(s->model, assembly->chamber_volume, next->chamber_pressure);
  sup_chambers_flow(s->model, s->inc->inputs, s->inc->t1, s->inc->h, assembly->chamber_volume,
                    next->chamber_pressure);
  added += energy_at(s->model, assembly->chamber_volume, next->chamber_pressure);
  *inflow = fabs(added);
  return work;
}
