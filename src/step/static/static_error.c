/* Residual forces at an iterate, relative to the forces that act there (THEORY 18.2). */
#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "step/static/equilibrium.h"
#include "step/static/numerics.h"

typedef struct sup_static_iteration iteration;

/** Norm of the elastic forces on all vertices, also held ones: a residual that is small against
 * this norm is within round-off or accuracy. */
static double elastic_forces(const iteration *it, int i) {
  return sup_norm(it->cost.force[i], 3 * it->start.model->soft[i].num_vertices);
}

/** Round-off of elastic forces [N]: stiffness of each vertex, which is large in slender cells,
 * times the round-off of positions. */
static double round_off(const iteration *it, int i) {
  const sup_soft          *soft = &it->start.model->soft[i];
  const sup_block_pattern *P = sup_fem_pattern(soft->fem);
  double                   h = it->start.inc->h, sum = 0, farthest = it->trust.size;
  for (int a = 0; a < soft->num_vertices; a++) {
    size_t at = it->start.layout->is_free ? 9 * (size_t)a : sup_block_diagonal(P, a);
    double stiffness = sup_norm(it->assembly->soft[i].A + at, 9) / (h * h);
    sum += stiffness * stiffness;
  }
  sum = sup_sum_of_ranks(it->start.model->ranks,
                         sum); /* a vertex attached to two trees counts for each */
  for (int a = 0; a < 3 * soft->num_vertices; a++)
    farthest = fmax(farthest, fabs(it->assembly->soft[i].x[a]));
  return sup_static_numerics.round_off * sqrt(sum) * farthest;
}

/** Forces on a tree from attached bodies: sum of the sizes of each vertex's generalized force [N];
 * at least their round-off over the tolerance. */
static double carried_forces(const iteration *it, int tree, double tolerance) {
  double sum = 0, floor = 0;
  for (int i = 0; i < it->start.model->num_softs; i++) {
    const sup_soft       *soft = &it->start.model->soft[i];
    const sup_attachment *a = &it->assembly->soft[i].attachment;
    double                lever = 0;
    int                   nv = it->start.model->tree[tree]->nv;
    for (int b = 0; b < soft->num_vertices; b++) {
      if (soft->attach_of[b] == SUP_NONE || soft->attachment[soft->attach_of[b]].tree != tree)
        continue;
      const double *J = sup_attachment_jacobian(a, soft, b), *f = it->cost.force[i] + 3 * b;
      double        square = 0;
      for (int j = 0; j < nv; j++) {
        double g = J[j] * f[0] + J[nv + j] * f[1] + J[2 * nv + j] * f[2];
        square += g * g;
      }
      sum += sqrt(square), lever = fmax(lever, sup_norm(J, 3 * nv));
    }
    floor += lever * round_off(it, i) / tolerance;
  }
  return fmax(sum, floor);
}

/** Elastic forces of a soft body or forces on a tree; at least their round-off over the tolerance.
 */
static double forces_of(const iteration *it, const sup_body *body, double tolerance) {
  if (body->soft != SUP_NONE)
    return fmax(elastic_forces(it, body->soft), round_off(it, body->soft) / tolerance);
  return carried_forces(it, body->tree, tolerance) +
         sup_static_trees_force(&it->trees, body->tree, tolerance);
}

/** Sum of the sizes of the impulses of each constraint on each block column [N s]: the vector sum
 * is no scale, since a drive and a contact on one link may cancel. */
static void gather_pushes(const sup_problem *p, const double *gamma, double *push) {
  memset(push, 0, (size_t)p->A_pattern->num_blocks * sizeof *push);
  for (int i = 0; i < p->num_constraints; i++) {
    const sup_constraint *c = &p->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    for (int k = 0; k < c->num_blocks; k++) {
      const sup_jacobian_block *b = &p->jacobian[c->first_block + k];
      int                       n = sup_block_size(p->A_pattern, b->block);
      double                    square = 0;
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int r = 0; r < dim; r++)
          sum += p->jacobian_value[b->value + (size_t)(r * n + j)] * gamma[c->first_vc + r];
        square += sum * sum;
      }
      push[b->block] += sqrt(square);
    }
  }
}

int sup_statics_is_touched(const iteration *it, int b) {
  const int *body = it->start.model->block_body;
  double     push = 0;
  for (int k = 0; k < it->start.layout->A_pattern.num_blocks; k++)
    if (body[k] == body[b]) push += it->push[k];
  return push > 0;
}

void sup_statics_measure(iteration *it) {
  const sup_model         *model = it->start.model;
  const sup_block_pattern *P = &it->start.layout->A_pattern;
  const sup_step_solution *x = it->solution;
  sup_equilibrium         *out = &it->out;
  double                   h = it->start.inc->h, tolerance = it->options->tolerance, largest = 0;
  double                  *impulse = it->cost.impulse;
  sup_assembly_multiply(it->assembly, x->v, it->r);
  sup_problem_constraint_velocity(&it->problem, x->v, 1, x->vc);
  sup_problem_evaluate(&it->problem, x->law, x->vc, x->gamma, NULL);
  sup_problem_generalized_impulse(&it->problem, x->gamma, impulse);
  gather_pushes(&it->problem, x->gamma, it->push);
  for (int i = 0; i < P->num_scalars; i++) {
    it->r[i] = (it->r[i] - it->assembly->p[i] - impulse[i]) / h;
    largest = fmax(largest, fabs(impulse[i]) / h);
  }
  for (int i = 0; i < model->num_softs; i++) largest = fmax(largest, elastic_forces(it, i));
  out->error = 0, out->worst_block = SUP_NONE;
  for (int b = 0, begin = 0; b < P->num_blocks; b = begin) { /* blocks of one body are contiguous */
    double scale = 0, sum = 0, worst = 0;
    int    worst_block = b;
    for (begin = b; begin < P->num_blocks && model->block_body[begin] == model->block_body[b];
         begin++) {
      double size = sup_norm(it->r + sup_block_first(P, begin), sup_block_size(P, begin));
      double push = it->push[begin] / h;
      sum += size * size, scale += push * push;
      if (size > worst) worst = size, worst_block = begin;
    }
    scale = fmax(sqrt(scale), forces_of(it, &model->body[model->block_body[b]], tolerance));
    double error = sup_static_error(sqrt(sum), scale, largest);
    if (!(error <= out->error)) out->error = error, out->worst_block = worst_block;
  }
}
