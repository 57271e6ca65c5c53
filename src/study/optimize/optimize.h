/** Best parameters of a scene: objective and constraints of a study's quantities, searches from
 * several starts, what they found.  Layer study. */
#pragma once

#include "scene/schema/reader.h"
#include "study/optimize/optimizer.h"
#include "study/optimize/response.h"

enum { SUP_MAX_REQUIREMENTS = 4 * SUP_MAX_QUANTITIES, SUP_MAX_STARTS = 64 };

/** Bound of a quantity: at most or at least a number, or a multiple of its value at the start. */
typedef struct sup_requirement {
  int                 quantity;
  bool                is_least, is_of_start;
  double              given; /* [unit of the quantity], or of its value at the start [-] */
  double              bound; /* [unit] */
  sup_source_position place;
} sup_requirement;

/** A search. */
typedef struct sup_start {
  sup_node            *node; /* {PARAMETER: value}, or NULL */
  double               x[SUP_MAX_PARAMETERS];
  int                  best; /* its best feasible response; SUP_NONE: none */
  sup_optimizer_report report;
} sup_start;

struct sup_optimize {
  bool                 is_greatest; /* the objective is maximized */
  double               weight[SUP_MAX_QUANTITIES];
  int                  num_requirements;
  sup_requirement      requirement[SUP_MAX_REQUIREMENTS];
  sup_optimizer_method method;
  int                  evaluations; /* most of a start */
  int                  drawn, seed; /* starts at random */
  double               tolerance, feasible;
  int                  num_starts;
  sup_start            start[SUP_MAX_STARTS];
  double               need; /* estimated memory of a run [bytes] */
  sup_responses        responses;
  int                  best; /* response; SUP_NONE: none is feasible */
  /** Called after each evaluation that took runs, with its index. */
  void (*tell)(const sup_study *study, int response);
};

/** Read `optimize` and `parameters`, after `quantities`. */
SUP_NODISCARD sup_status sup_optimize_read(sup_study *study, const sup_section *section);
void                     sup_optimize_destroy(sup_optimize **optimize);
/** Values, units and bounds of the parameters by the scene, and all starts. */
SUP_NODISCARD sup_status sup_optimize_prepare(sup_study *study, sup_scene *scene);
/** Search from all starts, then run the best scene into FOLDER/best.  The log optimize.csv of the
 * runner's folder has a row for each evaluation at any time; the same command goes on.
 * E_GEOMETRY: the first start cannot be run; E_INTERRUPTED, E_IO. */
SUP_NODISCARD sup_status sup_optimize_run(sup_study *study, const sup_level_runner *runner);

/** Weighted sum of the response's quantities. */
double sup_optimize_objective(const sup_study *study, const sup_response *response);
/** Excess of a response over a limit, over its bound [-]; above 0: violated. */
double sup_optimize_excess(const sup_study *study, const sup_response *response, int limit);
/** Largest excess, at least 0; infinite where the run failed. */
double sup_optimize_violation(const sup_study *study, const sup_response *response);
/** "force", "volume + 2 mass" */
void sup_optimize_name(const sup_study *study, char *text, size_t size);
/** Unit of the objective; "": none, or sums of several. */
const char *sup_optimize_unit(const sup_study *study);
/** "volume at most" */
void        sup_requirement_name(const sup_study *study, int limit, char *text, size_t size);
const char *sup_optimizer_end_text(sup_optimizer_end end);
/** optimize.csv: a row for each evaluation. */
SUP_NODISCARD sup_status sup_optimize_write_log(const sup_study *study, const char *folder);
/** optimize.json: definition, starts and the best. */
SUP_NODISCARD sup_status sup_optimize_write(const sup_study *study, const char *folder);
