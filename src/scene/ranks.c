/* Check of a scene for features that do not work on several ranks (base/collective.h). */
#include "scene/scene.h"
#include "solve/solver.h"

/** Source position of SECTION.KEY, of the section or of the scene, the first that there is. */
static sup_source_position place_of(const sup_scene *scene, const char *section, const char *key) {
  const sup_node *node = scene->root, *in = sup_node_find(node, section);
  if (in) node = in;
  in = in && key ? sup_node_find(in, key) : NULL;
  return in ? in->place : node->place;
}

static sup_status check_softs(const sup_scene *scene, int num_ranks) {
  const sup_model_def *model = &scene->model;
  if (model->num_softs == 0)
    return SUP_FAIL_AT(scene->root->place,
                       "the scene has no soft body whose cells %d ranks could share: run it "
                       "without mpiexec, and with --threads if it is large",
                       num_ranks);
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft_def *soft = &model->softs[s];
    if (soft->mesh->num_cells < num_ranks)
      return SUP_FAIL_AT(place_of(scene, "soft", soft->name),
                         "soft body '%s' has %d cell%s, and each of %d ranks needs at least one: "
                         "start fewer ranks",
                         soft->name, soft->mesh->num_cells, soft->mesh->num_cells == 1 ? "" : "s",
                         num_ranks);
    if (sup_v3_norm(sup_v3_load(soft->manufactured)) > 0)
      return SUP_FAIL_AT(place_of(scene, "soft", soft->name),
                         "soft body '%s': a manufactured solution is for one rank: run it without "
                         "mpiexec",
                         soft->name);
  }
  return SUP_OK;
}

sup_status sup_scene_check_ranks(const sup_scene *scene, int num_ranks) {
  const sup_options *o = &scene->options;
  SUP_TRY(check_softs(scene, num_ranks));
  if (o->backend != SUP_BACKEND_PETSC)
    return SUP_FAIL_AT(
        place_of(scene, "solver", "backend"),
        "this linear solver works on one rank, and there are %d: "
        "'solver.backend: petsc' works on several (--set solver.backend=petsc, 'set' of a study)",
        num_ranks);
  if (o->contact_solver != SUP_CONTACT_SOLVER_NEWTON)
    return SUP_FAIL_AT(place_of(scene, "contact", "solver"),
                       "the contact solver %s works on one rank, and there are %d: newton, the "
                       "default, works on several",
                       sup_contact_solver_table(o->contact_solver)->name, num_ranks);
  return SUP_OK;
}
