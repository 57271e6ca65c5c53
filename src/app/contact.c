/* supple contact: a stored contact problem and one of the solvers. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "app/app.h"
#include "app/app_numerics.h"
#include "app/options.h"
#include "app/signals.h"
#include "base/text.h"
#include "output/format/csv.h"
#include "output/solver_log.h"
#include "solve/accept.h"
#include "solve/stored/stored_problem.h"

typedef struct contact_options {
  const char *file, *solver, *log, *output;
  double      tolerance;
  int         max_iterations, delassus, own, quiet, verbose;
} contact_options;

static const char *const solver_names[] = {
#define NAME(NAME_, name, ...) #name,
    SUP_CONTACT_SOLVER_LIST(NAME)
#undef NAME
};

/** Exit code, SUP_NONE where it is known. */
static int find_solver(const contact_options *o, const sup_stored_problem *s,
                       sup_contact_solver *out) {
  char        text[400];
  const char *name = o->solver ? o->solver : s->solver ? s->solver : "ncp_pgs";
  for (int k = 0; k < SUP_NUM_CONTACT_SOLVERS; k++)
    if (strcmp(name, solver_names[k]) == 0) {
      *out = (sup_contact_solver)k;
      return SUP_NONE;
    }
  fprintf(stderr, "supple contact: unknown solver '%s'%s\n", name,
          sup_known_text(name, solver_names, SUP_NUM_CONTACT_SOLVERS, text, sizeof text));
  return SUP_EXIT_INPUT;
}

/* ---- results --------------------------------------------------------------------------------- */

static void print_residual(const char *name, const sup_law_residual *r) {
  printf("  %-34s eps_p %.3e N s  eps_d %.3e m/s  eps_c %.3e J  relative %.3e\n", name, r->primal,
         r->dual, r->complementarity, r->relative);
}

static void print(const contact_options *o, const sup_stored_problem *s, const char *solver,
                  const sup_stored_solution *q, sup_reason reason) {
  const sup_delassus_problem *d = &s->delassus;
  double                      normal = 0;
  for (int i = 0; i < d->num_contacts; i++) normal += q->impulse[3 * i + 2];
  printf("%s: %d contact%s, %d joint row%s, %s\n", o->file, d->num_contacts,
         d->num_contacts == 1 ? "" : "s", d->num_joints, d->num_joints == 1 ? "" : "s",
         s->has_dynamics && !o->delassus ? "velocity form A, J" : "Delassus matrix G");
  printf("%s: %s, %d iteration%s (%d of all %d island%s), %.3g ms\n", solver,
         sup_reason_text(reason), q->report.iterations, q->report.iterations == 1 ? "" : "s",
         q->report.iterations_sum, q->report.islands, q->report.islands == 1 ? "" : "s",
         1e3 * q->seconds);
  printf("  sum of normal impulses %.9g N s, energy %.12g J, momentum error %.2g\n", normal,
         q->ccp.energy, q->report.momentum_error);
  print_residual("Coulomb's law (NCP):", &q->ncp);
  print_residual("its convex relaxation (CCP):", &q->ccp);
}

/** Remark on the law of the solution, where the solver's name does not give it. */
static void print_law(const contact_options *o, const sup_stored_problem *s,
                      sup_contact_solver solver) {
  if (solver == SUP_CONTACT_SOLVER_NEWTON && (o->delassus || !s->has_dynamics))
    printf(
        "  G, R and cstar alone are SAP's law: newton solves the convex relaxation of Coulomb's\n");
  if (sup_contact_solver_difference(solver))
    printf("  %s: %s\n", solver_names[solver], sup_contact_solver_difference(solver));
}

/** Another solution of Coulomb's law: the start of a step decides between them. */
static void print_other(const sup_stored_problem *s, const sup_stored_solution *found,
                        const sup_stored_solution *other) {
  double sum[2] = {0, 0};
  for (int i = 0; i < s->delassus.num_contacts; i++)
    sum[0] += found->impulse[3 * i + 2], sum[1] += other->impulse[3 * i + 2];
  printf(
      "  another solution of Coulomb's law, by ncp_pgs: sum of normal impulses %.9g N s in place "
      "of %.9g, relative residual %.2g\n",
      sum[1], sum[0], other->ncp.relative);
}

static sup_status write_table(const contact_options *o, const sup_stored_problem *s,
                              const sup_stored_solution *q) {
  static const char *const    header[] = {"row",         "name",      "lam_x (N s)", "lam_y (N s)",
                                          "lam_n (N s)", "c_x (m/s)", "c_y (m/s)",   "c_n (m/s)"};
  const sup_delassus_problem *d = &s->delassus;
  sup_csv                     csv;
  sup_csv_begin(&csv);
  for (size_t k = 0; k < sizeof header / sizeof *header; k++) sup_csv_text(&csv, header[k]);
  sup_csv_end_row(&csv);
  for (int i = 0; i < d->num_contacts + d->num_joints; i++) {
    int                is_contact = i < d->num_contacts, j = i - d->num_contacts;
    int                at = is_contact ? 3 * i : 3 * d->num_contacts + j;
    const char *const *names = is_contact ? s->contact_name : s->joint_name;
    sup_csv_integer(&csv, i);
    sup_csv_text(&csv, names ? names[is_contact ? i : j] : "");
    for (int side = 0; side < 2; side++) {
      const double *x = side ? q->velocity : q->impulse;
      for (int k = 0; k < 3; k++) /* joints have the last component only */
        sup_csv_number(&csv, is_contact ? x[at + k] : k == 2 ? x[at] : (double)NAN);
    }
    sup_csv_end_row(&csv);
  }
  SUP_TRY(sup_csv_save(&csv, o->output));
  return SUP_OK;
}

/** Look for another solution of problems that are small enough to be solved twice. */
static sup_status look_for_another(const contact_options *o, sup_stored_problem *s,
                                   const sup_solve_options   *options,
                                   const sup_stored_solution *found) {
  enum { MOST = 200 /* contacts */ };
  sup_stored_solution other;
  int                 exists;
  if (s->delassus.num_contacts > MOST || found->report.reason < 0) return SUP_OK;
  SUP_TRY(sup_stored_problem_second(s, options, o->delassus, found, &other, &exists));
  if (exists) print_other(s, found, &other);
  return SUP_OK;
}

/** Other solver that meets Coulomb's law to the tolerance, else the one with the least residual and
 * no FAIL, else SUP_NONE.  Prints the obstacle to newton. */
static int find_other(const contact_options *o, sup_stored_problem *s,
                      const sup_solve_options *options, sup_stored_solution *out) {
  static const sup_contact_solver others[] = {
      SUP_CONTACT_SOLVER_NEWTON, SUP_CONTACT_SOLVER_NCP_STAGGERED, SUP_CONTACT_SOLVER_CCP_ADMM,
      SUP_CONTACT_SOLVER_NCP_PGS};
  double            least = sup_app_numerics.residual;
  int               best = SUP_NONE;
  sup_solve_options own = *options;
  own.log = 0, own.max_iterations = sup_default_options().max_iterations;
  own.dual.max_iterations = 0; /* the solver's own */
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    sup_stored_solution other;
    own.solver = others[k];
    if (own.solver == options->solver || least <= o->tolerance) continue;
    if (sup_stored_problem_solve(s, &own, o->delassus, &other) != SUP_OK) {
      if (own.solver == SUP_CONTACT_SOLVER_NEWTON)
        fprintf(stderr, "newton cannot take over: %s\n", sup_error_message());
    } else if (other.report.reason > 0 && other.ncp.relative < least)
      least = other.ncp.relative, best = (int)own.solver, *out = other;
  }
  return best;
}

/** Report the residual of the solver's law; a large one goes to another solver. */
static void settle(const contact_options *o, sup_stored_problem *s,
                   const sup_solve_options *options, sup_stored_solution *solution, int *code) {
  const char         *name = solver_names[options->solver];
  double              left = solution->report.law.relative;
  int                 fails = left > sup_app_numerics.residual, other = SUP_NONE;
  sup_stored_solution taken;
  if (left > options->dual.hand_over_above) other = find_other(o, s, options, &taken);
  int takes = other != SUP_NONE && !o->own;
  fprintf(stderr, "%s  %s leaves the relative residual %.2g of its law, above the tolerance %.2g",
          fails && !takes ? "FAIL" : "WARN", name, left, o->tolerance);
  if (other != SUP_NONE)
    fprintf(stderr,
            takes ? ": handed over to %s, which leaves %.2g of Coulomb's"
                  : "; --solver %s leaves %.2g of Coulomb's",
            solver_names[other], taken.ncp.relative);
  fprintf(stderr, "\n");
  if (fails && !takes) *code = SUP_EXIT_SOLVER;
  if (!takes) return;
  *solution = taken;
  if (!o->quiet) print(o, s, solver_names[other], solution, solution->report.reason);
}

/* ---- the command ----------------------------------------------------------------------------- */

static sup_status solve(const contact_options *o, sup_contact_solver solver, sup_stored_problem *s,
                        int *code) {
  sup_options         defaults = sup_default_options();
  sup_stored_solution solution;
  sup_solve_options   options = {
        .tolerance = o->tolerance,
        .max_iterations = o->max_iterations ? o->max_iterations : defaults.max_iterations,
        .sweeps = defaults.friction_sweeps,
        .sweep_tolerance = defaults.sweep_tolerance,
        .solver = solver,
        .dual = defaults.dual,
        .tamsi = defaults.tamsi};
  options.dual.tolerance = o->tolerance;
  options.dual.max_iterations = o->max_iterations;
  options.log = o->log != NULL;
  omp_set_num_threads(1);
  SUP_TRY(sup_stored_problem_solve(s, &options, o->delassus, &solution));
  if (o->log) SUP_TRY(sup_solver_log_save(o->log, &solution.report.log));
  sup_reason reason =
      sup_accept_law(solution.report.reason, solution.report.law.relative, o->tolerance);
  if (!o->quiet) {
    print(o, s, solver_names[solver], &solution, reason);
    print_law(o, s, solver);
    SUP_TRY(look_for_another(o, s, &options, &solution));
  }
  if (reason < 0) {
    fprintf(stderr, "supple contact: %s did not converge: %s\n", solver_names[solver],
            sup_reason_text(reason));
    *code = SUP_EXIT_SOLVER;
  } else if (reason == SUP_REASON_RESIDUAL)
    settle(o, s, &options, &solution, code);
  if (solver == SUP_CONTACT_SOLVER_MUJOCO && reason > 0 &&
      solution.ccp.relative > sup_app_numerics.residual) {
    fprintf(stderr,
            "FAIL  mujoco's own compliance leaves the relative residual %.2g of the law that it "
            "softens\n",
            solution.ccp.relative);
    *code = SUP_EXIT_SOLVER;
  }
  if (solution.report.substeps > 1 && reason > 0)
    fprintf(stderr,
            "WARN  %s divided the step into %d: its impulses are the sum of theirs, and Coulomb's "
            "law at the end is met to %.2g only\n",
            solver_names[solver], solution.report.substeps, solution.ncp.relative);
  if (o->output) SUP_TRY(write_table(o, s, &solution));
  return SUP_OK;
}

static int contact(const contact_options *o) {
  sup_stored_problem *stored;
  sup_contact_solver  solver;
  sup_status          status = sup_stored_problem_read(&stored, o->file);
  if (status != SUP_OK) return sup_app_report(status, o->verbose);
  int code = find_solver(o, stored, &solver);
  if (code == SUP_NONE) {
    code = SUP_EXIT_OK;
    status = solve(o, solver, stored, &code);
  }
  sup_stored_problem_destroy(&stored);
  return status == SUP_OK ? code : sup_app_report(status, o->verbose);
}

int sup_app_contact(int argc, char **argv) {
  static const char usage[] =
      "usage: supple contact FILE.npz [options]\n\n"
      "Solve a stored contact problem: one of `supple export`, or another's with G, g and mus "
      "(contactbench; contacts\n"
      "of three rows each, normal last).  Prints the residuals of the solution in Coulomb's law "
      "and "
      "in its convex\n"
      "relaxation, for every law of the solver.\n\n";
  contact_options  o = {.tolerance = 1e-8};
  const app_option options[] = {
      APP_TEXT("--solver", &o.solver,
               "as contact.solver of scenes; default: the file's own, else ncp_pgs", "NAME"),
      APP_NUMBER("--tolerance", &o.tolerance,
                 "of the momentum error and of the solver's law, relative", NULL),
      APP_COUNT("--max-iterations", &o.max_iterations, "default: the solver's own", "N"),
      APP_FLAG("--delassus", &o.delassus,
               "take G, g, mus, R and cstar where the file also has A and J"),
      APP_FLAG("--own", &o.own,
               "keep the solver's own result where it leaves more than 1e-3 of its law, which "
               "another solver takes over otherwise"),
      APP_TEXT("--log", &o.log, "a row for every iteration, as in solver.csv", "FILE.csv"),
      APP_TEXT("-o, --output", &o.output, "impulses and velocities of all rows", "FILE.csv"),
      APP_FLAG("-q, --quiet", &o.quiet, "print nothing but errors and WARN lines"),
      APP_FLAG("-v, --verbose", &o.verbose, "source lines of errors")};
  enum { NUM_OPTIONS = sizeof options / sizeof *options };
  static const app_help help = {usage, "",
                                "contact examples/incline_contact.npz --solver ncp_pgs -o lam.csv"};
  int                   code = app_parse_command(argc, argv, &help, options, NUM_OPTIONS, &o.file);
  if (code != SUP_NONE) return code;
  if (!o.file || o.max_iterations < 0) {
    fprintf(stderr, "supple contact: %s\n",
            o.file ? "found a negative number for --max-iterations, expected 0 or more"
                   : "a file is missing, expected supple contact FILE.npz");
    return SUP_EXIT_INPUT;
  }
  sup_app_end_at_signals();
  return contact(&o);
}
