#include "app/check.h"

#include <math.h>

#include "app/app_numerics.h"
#include "app/ranks.h"
#include "app/study/levels.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "base/timer.h"
#include "collide/collide.h"
#include "collide/travel.h"
#include "measure/numerics.h"
#include "model/constraint.h"
#include "model/task.h"
#include "study/level_runner.h"
#include "study/memory.h"
#include "study/numerics.h"

/* ---- bodies ---------------------------------------------------------------------------------- */

static void print_material(const sup_soft *soft, int k) {
  const sup_material_def *m = sup_fem_material(soft->fem, k);
  int                     count = 0;
  for (int c = 0; c < sup_fem_mesh(soft->fem)->num_cells; c++)
    count += sup_fem_cell_material(soft->fem)[c] == k;
  count = (int)sup_sum_of_ranks(sup_app_ranks(), count);
  printf("  material '%s': E %.4g MPa, nu %.3g, rho %.4g kg/m^3", m->name, 1e-6 * m->youngs_modulus,
         m->poissons_ratio, m->density);
  if (sup_fem_num_materials(soft->fem) > 1) printf(", %d cells", count);
  printf("\n");
}

static void print_softs(const sup_model *model) {
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    const sup_mesh *mesh = sup_fem_mesh(soft->fem);
    int             kind[4] = {0, 0, 0, 0}, poor = 0;
    double          worst = 1, mean = 0;
    for (int i = 0; i < mesh->num_vertices; i++) kind[soft->kind[i]]++;
    for (int c = 0; c < mesh->num_cells; c++) {
      double quality = sup_mesh_cell_quality(mesh, c);
      worst = fmin(worst, quality);
      poor += quality < sup_app_numerics.quality;
      mean += quality / soft->num_cells;
    }
    worst = -sup_max_of_ranks(sup_app_ranks(), -worst),
    mean = sup_sum_of_ranks(sup_app_ranks(), mean);
    poor = (int)sup_sum_of_ranks(sup_app_ranks(), poor);
    double volume = sup_sum_of_ranks(sup_app_ranks(), sup_mesh_volume(mesh));
    printf("soft '%s': %d %s cells, %d vertices (%d attached, %d clamped), %.4g kg, %.4g cm^3\n",
           soft->name, soft->num_cells, sup_cell_name(mesh->type), mesh->num_vertices,
           kind[SUP_VERTEX_ATTACHED], kind[SUP_VERTEX_HELD], sup_fem_mass(soft->fem), 1e6 * volume);
    for (int k = 0; k < sup_fem_num_materials(soft->fem); k++) print_material(soft, k);
    printf("  cell quality: worst %.3f, mean %.3f of 1", worst, mean);
    if (poor) printf("; %d cell%s below %g", poor, poor == 1 ? "" : "s", sup_app_numerics.quality);
    printf("\n");
  }
}

static void print_trees(const sup_model *model, const sup_model_def *def) {
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    double          mass = 0;
    for (int l = 0; l < tree->num_links; l++) mass += tree->links[l].mass;
    bool is_driven = tree->motion.num_rows > 1;
    if (!def->trees[t].is_rigid_body)
      printf("robot '%s': %d link%s, %d unknown%s, %.4g kg%s\n", tree->name, tree->num_links,
             tree->num_links == 1 ? "" : "s", tree->nv, tree->nv == 1 ? "" : "s", mass,
             is_driven ? ", base driven" : "");
    else if (tree->nv == 0)
      printf("rigid '%s': %s\n", tree->name, is_driven ? "driven" : "fixed");
    else
      printf("rigid '%s': free, %d unknowns, %.4g kg\n", tree->name, tree->nv, mass);
  }
}

/** Deepest overlap of each pair of shapes at the start. */
static sup_status print_overlaps(const sup_model *model, const sup_options *options,
                                 const sup_state *state) {
  SUP_OWN(sup_arena)             *arena = NULL;
  SUP_OWN_VALUE(sup_contact_list) list = {0};
  sup_kinematics                  kin;
  sup_travel                     *travel;
  int                             overlaps = 0;
  sup_increment                   inc = sup_increment_of_state(options, state);
  SUP_TRY(sup_arena_create(&arena, 1 << 16));
  SUP_TRY(sup_kinematics_compute(&kin, model, &inc, state->q, state->v, arena));
  SUP_TRY(sup_travel_start(model, &inc, &kin, arena, &travel));
  SUP_TRY(sup_collide(&list, model, &inc, &kin, state->x, state->xdot, travel, arena));
  for (int p = 0; p < model->num_pairs; p++) {
    double deepest = 0;
    for (int i = 0; i < list.count; i++)
      if (list.contact[i].pair == p) deepest = fmax(deepest, list.contact[i].penetration);
    if (deepest < sup_measure_numerics.overlap) continue;
    printf("overlap: '%s' is %.4g mm inside '%s'\n", model->body[model->pair[p].a].name,
           1e3 * deepest, model->body[model->pair[p].b].name);
    overlaps++;
  }
  if (!overlaps) printf("no bodies overlap at the start\n");
  return SUP_OK;
}

/* ---- preview of a run ------------------------------------------------------------------------ */

static void print_plan(const sup_simulation *s, double end_time) {
  char            steps[100];
  sup_output_plan plan =
      sup_output_plan_of(s->model, &s->scene->output, &s->scene->options, end_time);
  sup_simulation_warn_of_size(s);
  printf("%s; ", sup_simulation_steps(s, steps, sizeof steps));
  if (plan.frames > 0)
    printf("%ld frame%s of %d VTK files, about %.3g MB without contact patches\n", plan.frames,
           plan.frames == 1 ? "" : "s", plan.files, 1e-6 * plan.bytes);
  else
    printf("a frame of %d VTK files after each\n", plan.files);
}

static void print_actuation(const sup_model *model) {
  static const char *const fill[] = {[SUP_CHAMBER_PRESSURE] = "a given pressure",
                                     [SUP_CHAMBER_VOLUME] = "a liquid of given volume",
                                     [SUP_CHAMBER_GAS] = "a gas"};
  for (int c = 0; c < model->num_chambers; c++)
    printf("chamber '%s': %.4g cm^3 of %s behind %d wall%s\n", model->chamber[c].name,
           1e6 * model->chamber[c].volume0, fill[model->chamber[c].fill],
           model->chamber[c].num_walls, model->chamber[c].num_walls == 1 ? "" : "s");
  for (int t = 0; t < model->num_ties; t++) {
    const sup_tie *tie = &model->tie[t];
    printf("tie '%s': %d vertices of '%s' on '%s'", tie->name, tie->num_tied,
           model->soft[tie->slave].name, model->soft[tie->master].name);
    if (tie->area > 0)
      printf(", %.4g cm^2, largest gap %.3g mm", 1e4 * tie->covered, 1e3 * tie->gap);
    printf("\n");
  }
  for (int c = 0; c < model->num_constraints; c++) {
    const sup_body_constraint *at = &model->constraint[c];
    printf("constraint '%s': %s", at->name, sup_constraint_name(at->kind));
    if (at->num_points > 0)
      printf(" of '%s' on '%s'", model->body[at->point[0].body].name,
             at->a.body == SUP_NONE ? "world" : model->body[at->a.body].name);
    printf("%s\n", at->from != SUP_NONE || at->until != SUP_NONE ? ", by events" : "");
  }
  for (int c = 0; c < model->num_cables; c++)
    printf("cable '%s': %.4g mm through %d points\n", model->cable[c].name,
           1e3 * model->cable[c].length0, model->cable[c].num_points);
}

static void print_goal(const sup_phase *phase, const sup_model *model) {
  const sup_phase_def *d = &phase->def;
  const double        *p = d->position;
  if (d->moves)
    printf(" frame%s %s%s%s (%.4g, %.4g, %.4g) m;", d->is_line ? " on a line" : "",
           d->is_offset ? "by" : "to", phase->body == SUP_NONE ? "" : " ",
           phase->body == SUP_NONE ? "" : model->body[phase->body].name, p[0], p[1], p[2]);
  for (int k = 0; k < d->num_drives; k++) {
    const sup_actuator  *a = &model->actuator[phase->actuator[k]];
    const sup_tree_link *joint = &model->tree[a->tree]->links[a->link];
    bool                 turns = sup_joint_turns(joint, 0);
    if (d->drives[k].has_target)
      printf(" %s to %.4g %s;", d->drives[k].joint, d->drives[k].target, turns ? "rad" : "m");
    if (d->drives[k].effort > 0)
      printf(" %s at most %.4g %s;", d->drives[k].joint, d->drives[k].effort, turns ? "N m" : "N");
  }
}

static void print_tasks(const sup_model *model) {
  for (int t = 0; t < model->num_tasks; t++) {
    const sup_task *task = &model->task[t];
    printf("task '%s': %d phase%s\n", task->name, task->num_phases,
           task->num_phases == 1 ? "" : "s");
    for (int p = 0; p < task->num_phases; p++) {
      const sup_phase     *phase = &task->phase[p];
      const sup_phase_def *d = &phase->def;
      const sup_event_def *until = &d->until;
      const char          *unit =
          until->kind > SUP_EVENT_TIME ? sup_observable_find(until->column)->unit : "-";
      printf("  %d '%s':", p, d->name);
      print_goal(phase, model);
      if (d->speed > 0)
        printf(" at most %.4g %s;", d->speed, d->turns ? "rad/s" : "m/s");
      else if (d->duration > 0)
        printf(" %.4g s;", d->duration);
      if (until->kind == SUP_EVENT_TIME) printf(" until %.4g s", until->time);
      if (until->kind > SUP_EVENT_TIME)
        printf(" until %s is %s %.4g%s%s", until->column,
               until->kind == SUP_EVENT_ABOVE ? "above" : "below", until->value,
               unit[0] == '-' ? "" : " ", unit[0] == '-' ? "" : unit);
      if (until->duration > 0) printf(" for %.4g s", until->duration);
      if (d->timeout > 0)
        printf(", at most %.4g s, otherwise %s;", d->timeout,
               d->otherwise[0] ? d->otherwise : "stop");
      if (d->then[0]) printf(" then %s", d->then);
      printf("\n");
    }
  }
}

static sup_status print_bodies(const sup_simulation *s) {
  int unknowns = 0;
  print_trees(s->model, &s->scene->model);
  print_softs(s->model);
  print_actuation(s->model);
  print_tasks(s->model);
  for (int b = 0; b < s->model->num_blocks; b++) unknowns += s->model->block_size[b];
  printf("%d unknowns, %d pair%s of shapes that may touch\n", unknowns, s->model->num_pairs,
         s->model->num_pairs == 1 ? "" : "s");
  return print_overlaps(s->model, &s->scene->options, s->state);
}

/* ---- cost ------------------------------------------------------------------------------------ */

static const char *backend_name(sup_backend backend) {
  static const char *const name[] = {[SUP_BACKEND_SUPERNODAL] = "supernodal",
                                     [SUP_BACKEND_CHOLMOD] = "cholmod",
                                     [SUP_BACKEND_CONJUGATE_GRADIENT] = "cg",
                                     [SUP_BACKEND_PETSC] = "petsc"};
  return name[backend];
}

static void print_memory(const sup_memory_estimate *e, const sup_options *options) {
  int ranks = sup_app_ranks() ? sup_app_ranks()->size : 1;
  printf("memory: about %.3g MB by %s", e->total / SUP_MEGA, backend_name(options->backend));
  if (options->petsc_matrix == SUP_PETSC_MATRIX_FREE) printf(" without the matrix");
  if (ranks > 1) printf(" on each of %d ranks", ranks);
  printf("%s: program %.3g, elements %.3g, assembly %.3g, ", e->is_rough ? ", roughly" : "",
         e->program / SUP_MEGA, e->elements / SUP_MEGA, e->assembly / SUP_MEGA);
  if (e->nonzeros > 0)
    printf("factor %.3g MB (%.3g nonzeros)", e->solver / SUP_MEGA, e->nonzeros);
  else
    printf("solver %.3g MB", e->solver / SUP_MEGA);
  printf(", output %.3g MB; %.3g kB an unknown\n", e->output / SUP_MEGA,
         1e-3 * (e->total - e->program) / e->unknowns);
}

/** 1: the solution would take more than seconds.  A factorisation of 3e7 nonzeros takes a few; the
 * iterations of conjugate gradients without inertia grow with the size of the body. */
static bool is_large(const sup_memory_estimate *e, sup_backend backend, bool is_static) {
  if (backend == SUP_BACKEND_CONJUGATE_GRADIENT && is_static)
    return e->unknowns > sup_app_numerics.static_unknowns;
  return e->nonzeros > 0 ? e->nonzeros > sup_app_numerics.nonzeros
                         : e->unknowns > sup_app_numerics.unknowns;
}

static int is_time_up(void *user) {
  const double *start = user;
  return sup_max_of_ranks(sup_app_ranks(), sup_wall_time() - *start) > sup_app_numerics.seconds;
}

static void print_taken(double seconds) {
  printf(" %.3g ms; memory %.3g MB\n", 1e3 * seconds, 1e-6 * sup_process_peak());
}

static sup_status try_step(sup_simulation *s) {
  sup_step_report report;
  double          start = sup_wall_time();
  SUP_TRY(sup_simulation_step(s, &report));
  printf("the first step takes %d Newton iteration%s and", report.iterations,
         report.iterations == 1 ? "" : "s");
  print_taken(sup_wall_time() - start);
  return SUP_OK;
}

static sup_status try_solution(sup_simulation *s) {
  sup_static_options o = s->scene->statics;
  double             start = sup_wall_time();
  o.should_stop = is_time_up, o.user = &start;
  SUP_TRY(sup_static(s->stepper, s->state, &o));
  if (sup_state_time(s->state) < o.end)
    printf("the solution was given up at load %.3g %%, after",
           100 * sup_state_time(s->state) / o.end);
  else
    printf("the solution takes");
  print_taken(sup_wall_time() - start);
  return SUP_OK;
}

static void print_title(const sup_scene *scene, const sup_simulation *s) {
  printf("%s (%s)\n", scene->title, s->options.scene);
}

static void print_not_built(double free_bytes) {
  printf("not built: this machine has %.3g MB to spare\n", free_bytes / SUP_MEGA);
}

/** 1: the meshes need more memory than the machine has, so that the scene is not read; 0 also where
 * this cannot be foreseen. */
static bool is_hopeless(const sup_simulation *s) {
  const sup_run_options *o = &s->options;
  sup_memory_estimate    need = {0};
  sup_scene             *scene = NULL;
  double                 free_bytes = sup_memory_available();
  if (sup_app_ranks()) return 0;
  sup_app_log(0); /* reading says the same */
  sup_status status =
      sup_scene_plan(&scene, o->scene, o->sets.word, o->sets.count, sup_study_numerics.planned);
  sup_app_log(1);
  bool is_coarser = status == SUP_OK && sup_scene_is_coarser(scene);
  if (is_coarser) status = sup_memory_of_model(&scene->model, scene->cells, &scene->options, &need);
  int too_large = is_coarser && status == SUP_OK && free_bytes > 0 && need.total > free_bytes;
  if (too_large) {
    print_title(scene, s);
    print_memory(&need, &scene->options);
    print_not_built(free_bytes);
  }
  sup_scene_destroy(&scene);
  return too_large;
}

/** Check a scene that is loaded: print its sizes, build it, and solve the first step or the
 * equilibrium, as far as its size allows. */
static sup_status check(sup_simulation *s, bool is_static) {
  sup_memory_estimate need = {0};
  sup_backend         backend = s->scene->options.backend;
  print_title(s->scene, s);
  SUP_TRY(sup_memory_of_model(&s->scene->model, NULL, &s->scene->options, &need));
  if (need.unknowns > 0) print_memory(&need, &s->scene->options);
  fflush(stdout);
  double free_bytes = -sup_max_of_ranks(sup_app_ranks(), -sup_memory_available());
  bool   is_too_large = free_bytes > 0 && sup_app_local_ranks() * need.total > free_bytes;
  if (sup_max_of_ranks(sup_app_ranks(), is_too_large) > 0) {
    print_not_built(free_bytes);
    return SUP_OK;
  }
  SUP_TRY(sup_simulation_build(s));
  SUP_TRY(print_bodies(s));
  if (!is_static) print_plan(s, s->scene->end_time);
  fflush(stdout);
  if (is_large(&need, backend, is_static)) {
    printf("not solved: with so many unknowns %s would take more than seconds; memory %.3g MB\n",
           backend_name(backend), 1e-6 * sup_process_peak());
    return SUP_OK;
  }
  return is_static ? try_solution(s) : try_step(s);
}

int sup_app_check(sup_simulation *s, bool is_static) {
  if (is_hopeless(s)) {
    fflush(stdout);
    return SUP_EXIT_OK;
  }
  sup_status status = sup_simulation_load(s);
  if (status == SUP_OK) status = check(s, is_static);
  fflush(stdout);
  if (status == SUP_OK) return SUP_EXIT_OK;
  if (s->failure.code == SUP_EXIT_OK) sup_simulation_record_failure(s, status);
  return sup_simulation_finish(s, SUP_OUTCOME_FAILED, NULL);
}
