/* Sections `solver` and `static` of a scene. */
#include "scene/build.h"

static const sup_word hessians[] = {
    {"full", "that of the iteration"},
    {"quasi",
     "that of an earlier iteration with its factor, while the residual decreases "
     "fast enough"}};
static const sup_word newtons[] = {/* in the order of sup_newton_kind */
                                   {"primal_dual",
                                    "with the directions of slip as unknowns, where friction is "
                                    "softened by soft_norm: fewer iterations in stiction"},
                                   {"primal", "in velocities alone"}};
static const sup_word line_searches[] = {
    {"exact", "until the slope is a tenth of that at the start"},
    {"armijo", "from 1 on, shorter by a fifth each time, up to the least cost"}};
static const sup_word backends[] =
    {/* in the order of sup_backend */
     {"supernodal", "supernodal Cholesky factorisation of this program"},
     {"cholmod", "SuiteSparse's CHOLMOD"},
     {"cg", "conjugate gradients: the same results, slower"},
     {"petsc",
      "PETSc: conjugate gradients with algebraic multigrid for large "
      "soft bodies, MUMPS for small systems"}};

static const sup_word petsc_matrices[] = {
    /* in the order of sup_petsc_matrix */
    {"stored", "all entries, for PETSc's preconditioner"},
    {"free",
     "products cell by cell: less memory and more time; bricks and T10 that are "
     "linear or linear_corotational, on one rank"}};
static const sup_key solver_keys[] = {
    SUP_NUMBER(
        "tolerance", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_scene, options.tolerance), "1.0e-5",
        "Momentum error, relative to the momenta of the step, at which Newton's method ends; with "
        "time.accuracy at most a thousandth of that."),
    SUP_INTEGER("max_iterations", 1, SUP_AT(sup_scene, options.max_iterations), "100",
                "Largest number of Newton iterations of a step."),
    SUP_WORD("backend", backends, SUP_AT(sup_scene, options.backend), "cholmod",
             "Linear solver of Newton's method."),
    SUP_CUSTOM("petsc", SUP_KEY_TEXT, "-pc_type hypre -pc_hypre_type boomeramg",
               "Options for PETSc, as on a command line, with 'backend: petsc'.",
               .absent = "none: conjugate gradients and GAMG"),
    SUP_WORD("petsc_matrix", petsc_matrices, SUP_AT(sup_scene, options.petsc_matrix), "free",
             "Form of the matrix of soft bodies for PETSc, with 'backend: petsc'."),
    SUP_INTEGER("threads", 0, SUP_AT(sup_scene, threads), "2",
                "Threads that share soft bodies, pairs and islands; the results have the same bits "
                "for any number.",
                .absent = "0: one"),
    SUP_BOOLEAN("certificate", SUP_AT(sup_scene, options.certificate), "true",
                "Distance of the contact model from Coulomb's law in every step, as columns of "
                "history.csv."),
    SUP_BOOLEAN("report_condition", SUP_AT(sup_scene, options.report_condition), "true",
                "Estimated condition number of the Hessian in every step, as a column of "
                "history.csv."),
    SUP_WORD("newton", newtons, SUP_AT(sup_scene, options.newton), "primal",
             "Unknowns of Newton's method."),
    SUP_WORD("line_search", line_searches, SUP_AT(sup_scene, options.line_search), "armijo",
             "Line search of Newton's method: step length of an iteration."),
    SUP_WORD("hessian", hessians, SUP_AT(sup_scene, options.quasi_newton), "quasi",
             "Hessian of a Newton iteration."),
    SUP_BOOLEAN("convergence_control", SUP_AT(sup_scene, options.convergence_control), "true",
                "Division of a step of fixed length in which Newton's method fails into 2, 4, "
                ".. 64 parts; false: the run ends there.")};
const sup_schema sup_schema_solver =
    SUP_SCHEMA("solver", solver_keys, "Newton's method and its linear solver.");

static const sup_word static_moduli[] = {
    {"long_term", "relaxed moduli, for loads that have acted for long"},
    {"instantaneous", "moduli of a sudden strain, for new loads"}};
static const sup_key static_keys[] = {
    SUP_INTEGER("steps", 1, SUP_AT(sup_scene, statics.steps), "20",
                "Load steps up to time.end; each is cut in half, down to a thousandth, where it "
                "does not converge.",
                .absent = "1; 20 when motions, targets or loads have tables"),
    SUP_NUMBER(
        "tolerance", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_scene, statics.tolerance), "1.0e-8",
        "Largest residual force on a body, over the forces in it, at which a load step ends."),
    SUP_BOOLEAN("ramp", SUP_AT(sup_scene, statics.ramp), "false",
                "Gravity and loads without a table grow linearly to their full value, instead of "
                "acting at once."),
    SUP_NUMBER("ramp_end", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_scene, statics.ramp_end), "1 s",
               "Time at which they have grown to their full value.", .absent = "time.end",
               .need = SUP_OPTIONAL),
    SUP_WORD("moduli", static_moduli, SUP_AT(sup_scene, statics.moduli), "instantaneous",
             "Moduli of viscoelastic materials in equilibrium.")};
const sup_schema sup_schema_static =
    SUP_SCHEMA("static", static_keys, "Load steps of `supple static`.");

/** A section all of whose keys have a place in the scene. */
static sup_status read_simple(sup_scene_build *b, const char *key, const sup_schema *schema) {
  sup_node *node;
  SUP_TRY(sup_section_mapping(&b->root, key, &node));
  SUP_TRY(sup_section_load(node, schema, NULL, b->scene));
  return SUP_OK;
}

sup_status sup_scene_read_solver(sup_scene_build *b) {
  sup_options *options = &b->scene->options;
  sup_section  solver;
  SUP_TRY(read_simple(b, "solver", &sup_schema_solver));
  SUP_TRY(
      sup_section_open(&solver, sup_section_entry(&b->root, "solver"), &sup_schema_solver, NULL));
  sup_node *matrix = sup_section_entry(&solver, "petsc_matrix");
  if (options->petsc_matrix == SUP_PETSC_MATRIX_FREE && options->backend != SUP_BACKEND_PETSC)
    return SUP_FAIL_AT(matrix->place, "petsc_matrix: free needs 'backend: petsc'");
  sup_node *petsc = sup_section_entry(&solver, "petsc");
  if (!petsc) return SUP_OK;
  SUP_TRY(sup_node_text(petsc, "petsc", &options->petsc));
  if (options->backend != SUP_BACKEND_PETSC)
    return SUP_FAIL_AT(petsc->place, "petsc has no effect without 'backend: petsc'");
  return SUP_OK;
}

/** 1: a motion or load follows a table, which a single load step to the end would skip. */
static int follows_tables(const sup_model_def *model) {
  int rows = 0;
  for (int t = 0; t < model->num_trees; t++) rows |= model->trees[t].motion.num_rows > 1;
  for (int i = 0; i < model->num_actuators; i++) rows |= model->actuators[i].target.num_rows > 1;
  for (int i = 0; i < model->num_loads; i++)
    rows |= model->loads[i].force.num_rows > 1 || model->loads[i].torque.num_rows > 1;
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft_def *soft = &model->softs[s];
    for (int k = 0; k < soft->num_tractions; k++) rows |= soft->tractions[k].scale.num_rows > 1;
    for (int k = 0; k < soft->num_dirichlet; k++) rows |= soft->dirichlet[k].motion.num_rows > 1;
  }
  return rows;
}

sup_status sup_scene_read_static(sup_scene_build *b) {
  enum { STEPS_ALONG_TABLES = 20 };
  sup_static_options *o = &b->scene->statics;
  o->end = b->scene->end_time;
  if (follows_tables(&b->scene->model)) o->steps = STEPS_ALONG_TABLES;
  SUP_TRY(read_simple(b, "static", &sup_schema_static));
  return SUP_OK;
}
