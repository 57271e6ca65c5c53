/* Pairs that a step excludes cannot act: one step as it is, and one with every pair, facet and cell
 * and no bound on the reach, over random scenes.  SUPPLE_FUZZ=100000 sets their number,
 * SUPPLE_FUZZ_SEED the first seed. */
#include "random_scene.h"
#include "step/stepper.h"

/** One step of a scene. */
typedef struct outcome {
  sup_status status;
  int        num_contacts;
  double     residual, scale; /* ||D r|| and the momenta it is measured by [sqrt(J)] */
  double    *v, *xdot;
} outcome;

/** Print the contacts of the last step after a failure. */
static void print_contacts(const random_scene *k) {
  const sup_contact_list *list = &k->s.stepper->contact.list;
  const sup_model        *model = k->s.model;
  const sup_increment     inc = test_increment(&k->s);
  for (int g = 0; g < model->num_geometries; g++)
    printf("      %s: %s of %g m, %g rad a step, %g m a step, mu T/dt %g\n",
           model->body[model->geometry[g].body].name, sup_shape_name(model->geometry[g].shape.type),
           k->size[g], inc.h * sup_v3_norm(k->s.stepper->end.kin_next.w[model->geometry[g].body]),
           inc.h * sup_v3_norm(k->s.stepper->end.kin_next.v[model->geometry[g].body]),
           sup_travel_slide(&model->geometry[g], &inc));
  for (int i = 0; i < list->count; i++) {
    const sup_contact *c = &list->contact[i];
    const sup_pair    *p = &model->pair[c->pair];
    printf(
        "      %s %s touch %d model %d law %d: items %d %d phi %g area %g force %g at %g %g %g, mu "
        "%g, T/dt %g\n",
        model->body[p->a].name, model->body[p->b].name, p->touch, p->model, p->normal_law,
        c->item_a, c->item_b, c->phi, c->area, sup_v3_norm(c->force), c->centroid.x, c->centroid.y,
        c->centroid.z, p->friction.mu, 1 + p->relaxation_time / inc.h);
  }
}

static outcome step(random_scene *k, int everything) {
  outcome    out = {.status = SUP_OK};
  sup_state *state;
  OK(sup_state_create(&state, k->s.model, &k->s.options));
  OK(sup_state_copy(state, k->s.state));
  k->s.stepper->contact.list.everything = everything;
  out.status = sup_step(k->s.stepper, state, &k->s.report);
  const sup_step_report *r = &k->s.report;
  out.num_contacts = r->num_contacts;
  out.residual = r->momentum_residual;
  out.scale = r->momentum_error > 0 ? r->momentum_residual / r->momentum_error : 0;
  OK(SUP_CALLOC(out.v, state->num_v + 1));
  OK(SUP_CALLOC(out.xdot, 3 * state->num_vertices + 1));
  memcpy(out.v, state->v, (size_t)state->num_v * sizeof *out.v);
  if (state->num_vertices)
    memcpy(out.xdot, state->xdot, 3 * (size_t)state->num_vertices * sizeof *out.xdot);
  sup_state_destroy(&state);
  if (random_num_scenes(0) == 1)
    printf("\n    %s:\n", everything ? "everything" : "as it is"), print_contacts(k);
  return out;
}

static void forget(outcome *o) {
  SUP_FREE(o->v);
  SUP_FREE(o->xdot);
}

/** ||v - w|| in the metric of the masses; w NULL: 0 [sqrt(J)]. */
static double distance(const random_scene *k, const double *v, const double *w) {
  const sup_model *model = k->s.model;
  double           sum = 0;
  for (int t = 0; t < model->num_trees; t++) {
    const sup_link_def *l = &k->s.tree[t].links[0];
    int                 n = model->tree[t]->nv, at = model->v_start[t];
    for (int j = 0; j < n; j++) {
      double d = v[at + j] - (w ? w[at + j] : 0);
      sum += d * d * (n == 6 && j < 3 ? l->inertia[0] : l->mass);
    }
  }
  return sqrt(sum);
}

static double soft_distance(const random_scene *k, const double *v, const double *w) {
  const sup_model *model = k->s.model;
  double           sum = 0;
  for (int s = 0; s < model->num_softs; s++) {
    int     n = 3 * model->soft[s].num_vertices, at = 3 * model->soft[s].first_vertex;
    double *d, *Md;
    OK(SUP_CALLOC(d, n));
    OK(SUP_CALLOC(Md, n));
    for (int i = 0; i < n; i++) d[i] = v[at + i] - (w ? w[at + i] : 0);
    sup_fem_mass_multiply(model->soft[s].fem, d, Md);
    for (int i = 0; i < n; i++) sum += d[i] * Md[i];
    SUP_FREE(d);
    SUP_FREE(Md);
  }
  return sqrt(sum);
}

/** Both solutions minimise one convex cost, whose Hessian is at least A >= M: they differ by at
 * most the sum of their residuals in the norm of A^-1, which is that of D up to the square root of
 * the condition number of D A D, taken as 1e4; and by round-off of the momenta. */
static double tolerance_of(const outcome *a, const outcome *b, double momentum) {
  return 100 * (a->residual + b->residual) + 1e-10 * fmax(momentum, fmax(a->scale, b->scale));
}

/** 1: mu T |w| of a body is above 1/2, the largest value in sup_travel_reach. */
static int spins_too_fast(const random_scene *k) {
  const sup_model    *model = k->s.model;
  const sup_increment inc = test_increment(&k->s);
  for (int g = 0; g < model->num_geometries; g++) {
    double turn = inc.h * sup_v3_norm(k->s.stepper->end.kin_next.w[model->geometry[g].body]);
    if (sup_travel_slide(&model->geometry[g], &inc) * turn > .5) return 1;
  }
  return 0;
}

/** @return 1: compared; 0: refused, or the solver did not converge */
static int compare(uint64_t seed, long *more, long *touching) {
  static random_scene k;
  int                 is_compared = 0;
  if (random_scene_start(&k, seed) == SUP_OK) {
    outcome a = step(&k, 0), b = step(&k, 1);
    if (a.status == SUP_OK && b.status == SUP_OK && !spins_too_fast(&k)) {
      double off = distance(&k, a.v, b.v) + soft_distance(&k, a.xdot, b.xdot);
      double most = tolerance_of(&a, &b, distance(&k, a.v, NULL) + soft_distance(&k, a.xdot, NULL));
      is_compared = 1, *more += b.num_contacts - a.num_contacts, *touching += a.num_contacts > 0;
      CHECK(off <= most);
      if (!(off <= most))
        printf(
            "    seed %llu: off by %g, tolerance %g, momenta %g sqrt(J); %d contacts, %d of "
            "everything\n",
            (unsigned long long)seed, off, most, a.scale, a.num_contacts, b.num_contacts);
    }
    forget(&a), forget(&b);
  }
  random_scene_free(&k);
  return is_compared;
}

static void what_is_left_out_of_a_step_cannot_act(void) {
  const char *first = getenv("SUPPLE_FUZZ_SEED");
  uint64_t    seed = first ? strtoull(first, NULL, 10) : 1;
  long        n = random_num_scenes(1000), compared = 0, more = 0, touching = 0;
  for (long i = 0; i < n; i++) compared += compare(seed + (uint64_t)i, &more, &touching);
  printf("%ld of %ld scenes compared, %ld with contacts, %ld contacts more; ", compared, n,
         touching, more);
  CHECK(n < 100 || (compared > n / 2 && touching > n / 4 && more > n));
}

SUITE_TESTS(fuzz_reach, TEST(what_is_left_out_of_a_step_cannot_act));
