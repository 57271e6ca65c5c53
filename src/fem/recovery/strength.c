/* Nominal principal stress and strain at the vertices of cells against the strength of their
 * materials. */
#include <math.h>

#include "fem/body_parts.h"
#include "fem/law/stretch_law.h"
#include "fem/recovery/recovery_parts.h"

bool sup_fem_has_strength(const sup_fem_body *body) {
  for (int k = 0; k < sup_fem_num_materials(body); k++) {
    const sup_material_def *m = sup_fem_material(body, k);
    if (m->strength > 0 || m->strain_at_break > 0) return true;
  }
  return false;
}

/** Mean deformation of a cell and its stress. */
typedef struct cell_state {
  sup_m3 B;              /* left Cauchy-Green tensor */
  double J, least, most; /* det F, bounds of the stretches */
  double cauchy[6];
  double soft, lateral; /* strain is soft (stress - lateral trace) [1/Pa], [-] */
  double mean, half;    /* of B / 2 most less the strain of Hooke's law of `cauchy`, which the
                           stress at a vertex gives back */
  bool is_linear;       /* small strains: areas do not change */
} cell_state;

static void eigen(const sup_m3 *A, double value[3], double V[3][3]) {
  double S[3][3];
  for (int i = 0; i < 9; i++) S[i / 3][i % 3] = A->m[i / 3][i % 3];
  sup_fem_eigen(S, value, V);
}

/** Half the width of the interval about the mean that has the eigenvalues of a tensor: sqrt(2/3) of
 * the norm of its deviator. Its upper end is exact where the other two are equal. */
static double spread_of(const double a[6], double *mean) {
  const double x = a[0] - a[1], y = a[1] - a[2], z = a[2] - a[0];
  *mean = (a[0] + a[1] + a[2]) / 3;
  return sqrt(2. / 9 * (x * x + y * y + z * z) +
              4. / 3 * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]));
}

static cell_state state_of(const sup_fem_body *body, int c, const double *x, const double *cauchy) {
  static const int      place[6] = {0, 4, 8, 1, 5, 2};
  sup_m3                F = sup_fem_deformation(body, c, x);
  const sup_fem_matter *matter = sup_fem_matter_of(body, c);
  cell_state            s = {.B = sup_m3_mul(F, sup_m3_transpose(F)),
                             .J = fabs(sup_m3_det(&F)),
                             .is_linear = matter->material.model == SUP_MATERIAL_LINEAR};
  const double          mu = matter->lame.mu, lambda = matter->lame.lambda;
  double                mean, B[6], rest[6]; /* xx yy zz xy yz zx */
  for (int i = 0; i < 6; i++) {
    B[i] = s.B.m[place[i] / 3][place[i] % 3];
    s.cauchy[i] = cauchy[place[i]];
  }
  const double off = spread_of(B, &mean);
  s.least = sqrt(fmax(0, mean - off)), s.most = sqrt(mean + off);
  s.soft = 0.5 / mu, s.lateral = lambda / (3 * lambda + 2 * mu);
  for (int i = 0; i < 6; i++) rest[i] = B[i] / (2 * s.most) - s.soft * s.cauchy[i];
  s.half = spread_of(rest, &s.mean);
  s.mean += s.soft * s.lateral * (s.cauchy[0] + s.cauchy[1] + s.cauchy[2]);
  return s;
}

/** Strain by which the stress at a vertex differs from that of the cell, by Hooke's law. */
static void strain_beyond(const cell_state *s, const double cauchy[6], double strain[6]) {
  for (int i = 0; i < 6; i++) strain[i] = s->soft * (cauchy[i] - s->cauchy[i]);
  const double lateral = s->lateral * (strain[0] + strain[1] + strain[2]);
  for (int i = 0; i < 3; i++) strain[i] -= lateral;
}

/** Largest principal stress over the initial area [Pa]. */
static double nominal_stress(const cell_state *s, const double cauchy[6]) {
  double       value[3], V[3][3], stress = -HUGE_VAL;
  const sup_m3 S = sup_fem_tensor(cauchy);
  eigen(&S, value, V);
  for (int k = 0; k < 3; k++) {
    sup_v3 n = sup_v3_make(V[0][k], V[1][k], V[2][k]);
    double area = s->is_linear ? 1 : s->J / sqrt(sup_v3_dot(n, sup_m3_apply(s->B, n)));
    stress = fmax(stress, value[k] * area);
  }
  return stress;
}

/** Largest principal strain, stretch less 1. */
static double nominal_strain(const cell_state *s, const double cauchy[6]) {
  double value[3], V[3][3], beyond[6];
  strain_beyond(s, cauchy, beyond);
  sup_m3 U = sup_fem_tensor(beyond);
  eigen(&s->B, value, V);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 9; i++)
      U.m[i / 3][i % 3] += sqrt(fmax(0, value[k])) * V[i / 3][k] * V[i % 3][k];
  eigen(&U, value, V);
  return fmax(value[0], fmax(value[1], value[2])) - 1;
}

/** Share of a strength, 0: unknown, that is used; 0: nothing is pulled. */
static double use_of(double strength, double value) {
  return strength > 0 && value > 0 ? value / strength : 0;
}

/** Value that is the largest one or a larger share of its strength than any other, if exceeded. */
static double limit_of(double largest, double strength, double use) {
  return strength > 0 && use * strength < largest ? use * strength : largest;
}

/** The interval of the eigenvalues of a tensor. */
typedef struct interval {
  double mean, half;
} interval;

/** Bound of the nominal stress at a vertex [Pa]. */
static double stress_bound(const cell_state *s, interval cauchy) {
  const double top = cauchy.mean + cauchy.half;
  return s->is_linear ? top : top * s->J / (top > 0 ? s->least : s->most);
}

/** Bound of the strain at a vertex. The square of U - t is not negative, so that U is at most
 * B / 2 t + t / 2; spreads of a sum are at most the sum of the spreads. */
static double strain_bound(const cell_state *s, interval cauchy) {
  return s->mean + s->half + s->soft * ((1 - 3 * s->lateral) * cauchy.mean + cauchy.half) +
         s->most / 2 - 1;
}

/** Add what a vertex of a cell has: bounds first, as eigenvalues cost more. */
static void add_vertex(sup_fem_strength *most, const cell_state *s, const sup_material_def *m,
                       const double cauchy[6], interval bounds, const double *x) {
  const double least_stress = limit_of(most->stress, m->strength, most->use),
               least_strain = limit_of(most->strain, m->strain_at_break, most->use);
  const bool is_pulled = stress_bound(s, bounds) > least_stress,
             is_strained = strain_bound(s, bounds) > least_strain;
  if (!is_pulled && !is_strained) return;
  const double stress = is_pulled ? nominal_stress(s, cauchy) : -HUGE_VAL,
               strain = is_strained ? nominal_strain(s, cauchy) : -HUGE_VAL;
  most->stress = fmax(most->stress, stress), most->strain = fmax(most->strain, strain);
  const double use = fmax(use_of(m->strength, stress), use_of(m->strain_at_break, strain));
  if (use > most->use) most->use = use, most->place = sup_v3_load(x);
}

/** Sources of the largest values: positions, stress and strain of cells, stress at sites with
 * the intervals of its eigenvalues. */
typedef struct strength_data {
  const double   *x, *cauchy, *strain, *site;
  const interval *bounds;
} strength_data;

/** Bounds of nominal stress [Pa] and strain. */
typedef struct cell_bounds {
  double stress, strain;
} cell_bounds;

/** Bounds at the vertices of a cell by the norm of its strain: areas grow by the product of two
 * stretches, the strain at a vertex is at most the sum of that of the cell and what the stress
 * differs by. */
static cell_bounds bounds_of(const sup_recovery *r, int c, const strength_data *d) {
  const sup_fem_matter *matter = sup_fem_matter_of(r->body, c);
  const double *s = d->cauchy + 9 * (size_t)sup_fem_given(r->body, c), soft = 0.5 / matter->lame.mu,
               dilated = 2 * matter->lame.mu / (3 * matter->lame.lambda + 2 * matter->lame.mu),
               mean = (s[0] + s[4] + s[8]) / 3, own[6] = {s[0], s[4], s[8], s[1], s[5], s[2]},
               stretch2 = 1 + d->strain[sup_fem_given(r->body, c)];
  const int *site = sup_mesh_cell(r->mesh, c);
  double     unused, top = 0, beyond = -HUGE_VAL;
  for (int a = 0; a < r->body->element->num_vertices; a++) {
    const interval b = d->bounds[site[a]];
    const double   more = dilated * (b.mean - mean) + b.half;
    if (b.mean + b.half > top) top = b.mean + b.half;
    if (more > beyond) beyond = more;
  }
  const double strain = sqrt(stretch2) - 1 + soft * (beyond + spread_of(own, &unused));
  return (cell_bounds){top * stretch2, strain};
}

static void add_cell(sup_fem_strength *most, const sup_recovery *r, int c, const strength_data *d) {
  const sup_fem_body     *body = r->body;
  const sup_material_def *m = &sup_fem_matter_of(body, c)->material;
  const cell_state s = state_of(body, c, d->x, d->cauchy + 9 * (size_t)sup_fem_given(body, c));
  const int       *site = sup_mesh_cell(r->mesh, c), *vertex = sup_mesh_cell(body->mesh, c);
  for (int a = 0; a < body->element->num_vertices; a++)
    add_vertex(most, &s, m, d->site + 6 * (size_t)site[a], d->bounds[site[a]],
               d->x + 3 * (size_t)vertex[a]);
}

/** The cell of the largest strain, by bounds, and that of the largest stress. */
static void find_most(const sup_recovery *r, const strength_data *d, int cell[2]) {
  cell_bounds most = {-HUGE_VAL, -HUGE_VAL};
  cell[0] = cell[1] = 0;
  for (int c = 0; c < r->body->mesh->num_cells; c++) {
    const cell_bounds b = bounds_of(r, c, d);
    if (b.strain > most.strain) most.strain = b.strain, cell[0] = c;
    if (b.stress > most.stress) most.stress = b.stress, cell[1] = c;
  }
}

sup_fem_strength sup_recovery_strength(const sup_recovery *r, const double *x,
                                       const sup_fem_stress *stress, const double *site,
                                       double *scratch) {
  sup_fem_strength most = {-HUGE_VAL, -HUGE_VAL, 0, {0, 0, 0}};
  interval        *bounds = (interval *)scratch;
  int              first[2];
  for (int i = 0; i < r->mesh->num_vertices; i++)
    bounds[i].half = spread_of(site + 6 * (size_t)i, &bounds[i].mean);
  const strength_data d = {x, stress->cauchy, stress->strain, site, bounds};
  find_most(r, &d, first);
  for (int k = 0; k < 2; k++) add_cell(&most, r, first[k], &d);
  for (int c = 0; c < r->body->mesh->num_cells; c++) {
    const cell_bounds       b = bounds_of(r, c, &d);
    const sup_material_def *m = &sup_fem_matter_of(r->body, c)->material;
    if (b.stress > limit_of(most.stress, m->strength, most.use) ||
        b.strain > limit_of(most.strain, m->strain_at_break, most.use))
      add_cell(&most, r, c, &d);
  }
  return most;
}
