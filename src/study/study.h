/** A study: one scene on ladders of ever finer levels, or with values of parameters (a sweep, a
 * gradient), the numbers that are taken from each level, and what they say. Layer study.  `supple
 * help study` lists the keys of the file.
 *
 *  Life cycle: load, prepare (reads every level's scene), run (each level by a process of its own),
 * analyse, write, destroy. */
#pragma once

#include <stdint.h>

#include "scene/scene.h"
#include "scene/schema/section.h"
#include "study/convergence.h"
#include "study/verdict.h"

enum {
  SUP_MAX_QUANTITIES = 16,
  SUP_MAX_PARAMETERS = 64,
  SUP_MAX_HALVINGS = 3,
  SUP_UNIT_SIZE = 16,
  SUP_NUM_WIDTHS = 3,
  SUP_STUDY_PATH_SIZE = 4096
};

/** Reduction of a column of history.csv to a number, over the rows of the window. */
typedef enum sup_window_value {
  SUP_WINDOW_END,
  SUP_WINDOW_CHANGE, /* last value - first value */
  SUP_WINDOW_MAX,
  SUP_WINDOW_MIN,
  SUP_WINDOW_MEAN,      /* over time, trapezoidal */
  SUP_WINDOW_PEAK,      /* the value that is farthest from 0, with its sign */
  SUP_WINDOW_EXCURSION, /* largest change from the first value, with its sign */
  SUP_WINDOW_INTEGRAL,  /* over time, trapezoidal */
  SUP_WINDOW_NORM,      /* (sum over the rows of |value|^exponent)^(1/exponent) */
  SUP_WINDOW_AT,        /* one time, between two rows on their chord; its key is `at` */
  SUP_WINDOW_TABLE,     /* mean square of the difference to a table; its key is `table` */
  SUP_WINDOW_SUM,       /* of other quantities, with weights; its key is `sum` */
  SUP_NUM_WINDOW_VALUES
} sup_window_value;

const char *sup_window_value_name(sup_window_value take);

/** Table that a column should meet. */
typedef struct sup_target {
  const char *by;            /* column of its first numbers; NULL: time */
  bool        is_from_start; /* of both columns the change since the first row counts */
  int         num;
  double     *x, *y; /* [num] in SI */
} sup_target;

/** Weighted sum of quantities that stand above it. */
typedef struct sup_combination {
  int                            num;
  const struct sup_quantity_def *part[SUP_MAX_QUANTITIES]; /* of the study */
  double                         weight[SUP_MAX_QUANTITIES];
  char                           text[512];
} sup_combination;

typedef struct sup_quantity_def {
  char                name[SUP_NAME_MAX];
  const char         *source;     /* column of history.csv, or path in summary.json */
  int                 is_summary; /* 1: of summary.json */
  sup_window_value    take;
  double              from, to; /* window of a column [s]; infinite: all of it */
  double              at;       /* of SUP_WINDOW_AT [s] */
  double              exponent; /* of SUP_WINDOW_NORM, at least 1 [-] */
  sup_target         *target;   /* of SUP_WINDOW_TABLE, else NULL */
  sup_combination    *sum;      /* of SUP_WINDOW_SUM, else NULL; source: the sum in words */
  double              scale;    /* factor on the number */
  int                 has_reference;
  double              reference;
  char                unit[SUP_UNIT_SIZE]; /* after scaling */
  bool                has_own_unit;        /* given, or unknown for a scale */
  sup_source_position place;
} sup_quantity_def;

typedef enum sup_level_status {
  SUP_LEVEL_PENDING,
  SUP_LEVEL_RUNNING,
  SUP_LEVEL_DONE,
  SUP_LEVEL_KEPT, /* done in an earlier run of the study */
  SUP_LEVEL_FAILED
} sup_level_status;

typedef struct sup_level {
  int                 num_sets;
  char              **set;   /* [num_sets] "KEY=VALUE", those of the study and the family first */
  const char         *name;  /* of a case among `cases`, else NULL */
  char               *label; /* the ladder's own overrides, joined by blanks */
  sup_source_position place; /* in the study file */
  double              h;     /* given in the study, or found by prepare */
  double              edge, step; /* mean edge of the cells [m], 0: no soft body; time step [s] */
  double              tolerance;  /* of the solver [-] */
  double              accuracy;   /* of steps of controlled length, else 0 [-] */
  int                 degree;     /* of the cells' shape functions; 0: no soft body */
  double              order_in_time;
  double              need;      /* estimated memory [bytes] */
  uint64_t            signature; /* of all that its results depend on */
  /* results */
  sup_level_status status;
  char             message[512]; /* why it failed */
  int              exit_code;    /* when it failed; 0: by a signal or the like */
  int              num_warnings; /* WARN lines of its run */
  char             warning[900]; /* the first of them, with its remedy */
  double           unknowns;
  double           layer;  /* most that contact layers yield, over the bodies' own deflection [-] */
  double           wall;   /* [s] */
  double           memory; /* the most that its process held [bytes] */
  double           value[SUP_MAX_QUANTITIES];
  double           steps, contacts; /* of a gradient: their number, and its mean over steps */
} sup_level;

typedef struct sup_family {
  char                name[SUP_NAME_MAX]; /* "": the study has no families */
  int                 num_levels;
  sup_level          *level; /* [num_levels] */
  sup_source_position place;
} sup_family;

/** Parameter that a sweep or a gradient varies. */
typedef struct sup_parameter {
  char                name[SUP_NAME_MAX];
  int                 set;                 /* its first override among those of a case */
  int                 is_cases;            /* named cases: its values are their names */
  int                 is_number;           /* in all cases, with one unit */
  char                unit[SUP_UNIT_SIZE]; /* as the study has it; "": none */
  sup_source_position place;
  /* of gradients, fits and searches */
  sup_node     *key;         /* one, or a list of them */
  sup_node     *given_value; /* NULL: that of the scene */
  sup_node     *given_width; /* NULL: that of the study */
  sup_dimension dimension;
  double        scale;                 /* SI units in one `unit`: pi/180 of degrees */
  double        value;                 /* at which the gradient is taken [unit] */
  double        width;                 /* the largest of the central differences [unit] */
  sup_node     *given_from, *given_to; /* bounds of fits and searches; NULL: none */
  double        low, high;             /* infinite: none [unit] */
} sup_parameter;

/** Way to a gradient. */
typedef enum sup_gradient_method {
  SUP_GRADIENT_AUTO,
  SUP_GRADIENT_DIFFERENCES, /* central, of whole runs */
  SUP_GRADIENT_ADJOINT,     /* of the equations of load steps, once for all parameters */
  SUP_GRADIENT_TANGENT,     /* of the same, once a parameter for all quantities */
  SUP_NUM_GRADIENT_METHODS
} sup_gradient_method;

/** Gradient of all quantities by all parameters. */
typedef struct sup_gradient {
  sup_gradient_method method;
  struct sup_slope   *adjoint; /* [num_quantities x num_parameters] by the adjoint or tangent; NULL:
                          by   differences */
  bool              is_tangent; /* the way of `adjoint` */
  double            residual;   /* largest of its linear systems, over their right side [-] */
  double            memory;     /* of the process for the adjoint of a run [byte]; 0: no bound */
  double            records[2]; /* bytes of its records at a time, and of all of them; 0: none */
  int               interval;   /* steps from one state that is kept to the next */
  double            width;      /* the largest, over the value of the parameter [-] */
  double            kink;       /* difference of slopes over the slope that is told [-] */
  sup_family        ladder; /* its levels have their own overrides alone; without any: no ladder */
  int               level;  /* of the ladder, whose overrides all cases have */
  struct sup_curve *curve;  /* [num_quantities x num_parameters] slopes of all levels; NULL: none */
} sup_gradient;

/** Design of a sweep: the combinations of the parameters' values that are its cases. */
typedef enum sup_design {
  SUP_DESIGN_GRID,           /* each with each */
  SUP_DESIGN_LIST,           /* the first of all, the second of all, ... */
  SUP_DESIGN_LATIN_HYPERCUBE /* of n cases one in each n-th of every parameter's range */
} sup_design;

/** Source of a numerical error, the model aside. */
typedef enum sup_source {
  SUP_SOURCE_STEP, /* of time, or load steps */
  SUP_SOURCE_MESH,
  SUP_SOURCE_LAYER, /* of contact on soft bodies */
  SUP_NUM_SOURCES
} sup_source;

/** Refinements and models with which an error budget repeats the scene. */
typedef struct sup_budget {
  int                 is_given;
  int                 halvings[SUP_NUM_SOURCES]; /* 0 to SUP_MAX_HALVINGS */
  unsigned            models; /* bits 1 << sup_contact_model: besides the scene's own */
  sup_source_position place;
} sup_budget;

/** One quantity, or one of its slopes, over the complete levels of one family. */
typedef struct sup_curve {
  int               num_levels;
  int               level[SUP_MAX_LEVELS]; /* of the family */
  double            h[SUP_MAX_LEVELS], value[SUP_MAX_LEVELS];
  sup_convergence   convergence; /* when there are levels */
  sup_verdict_grade grade;
  char              verdict[SUP_VERDICT_SIZE];
} sup_curve;

/** Definition of the size h of a level. */
typedef enum sup_size_kind {
  SUP_SIZE_AUTO,
  SUP_SIZE_CELLS,
  SUP_SIZE_STEP,
  SUP_SIZE_GIVEN,
  SUP_SIZE_ACCURACY /* the step, where an accuracy sets it */
} sup_size_kind;

/** Measured curves and the search for parameters that meet them (fit.h). */
typedef struct sup_fit sup_fit;
/** Objective, constraints and search of the best parameters (optimize/optimize.h). */
typedef struct sup_optimize sup_optimize;

/** Optimal control of the scene (control.h). */
typedef struct sup_control_study sup_control_study;

/** Pulls and turns of a held object (holding/holding.h). */
typedef struct sup_holding sup_holding;

/** Stiffness along a face (stiffness/stiffness.h). */
typedef struct sup_stiffness sup_stiffness;

/** Command that a study belongs to. */
typedef enum sup_study_kind {
  SUP_STUDY_CONVERGE, /* ladders, or an error budget */
  SUP_STUDY_SWEEP,
  SUP_STUDY_GRADIENT,
  SUP_STUDY_FIT,
  SUP_STUDY_OPTIMIZE,
  SUP_STUDY_CONTROL,
  SUP_STUDY_HOLDING,
  SUP_STUDY_STIFFNESS,
  SUP_NUM_STUDY_KINDS
} sup_study_kind;

typedef struct sup_study {
  sup_study_kind      kind;      /* by which it was read */
  char                name[256]; /* of the file, without folder and ending */
  char                title[SUP_TITLE_MAX + 1];
  char                path[SUP_STUDY_PATH_SIZE];
  char                scene[SUP_STUDY_PATH_SIZE];
  sup_source_position scene_place;
  int                 is_static;
  double              tolerance, formal_order;
  sup_size_kind       size;
  char                size_unit[SUP_UNIT_SIZE];
  sup_budget          budget;
  int                 has_families;
  int        num_families; /* at least 1; of a budget "base", whose repeats estimate.h makes */
  sup_family family[SUP_MAX_FAMILIES];
  int        num_quantities;
  sup_quantity_def   quantity[SUP_MAX_QUANTITIES];
  int                num_parameters; /* more than 0: one family, whose levels are the cases */
  sup_parameter      parameter[SUP_MAX_PARAMETERS];
  sup_design         design;
  sup_gradient       gradient;
  sup_fit           *fit;       /* of a fit, else NULL */
  sup_optimize      *optimize;  /* of a search, else NULL */
  sup_control_study *control;   /* of an optimal control, else NULL */
  sup_holding       *holding;   /* of pulls, else NULL: one family, whose levels are the cases */
  sup_stiffness     *stiffness; /* of stiffness along a face, else NULL */
  const sup_node    *set;       /* of these: overrides of all runs, or NULL */
  uint64_t           program;   /* hash of the program that runs the levels */
  int                threads;   /* of the scene; most of all levels */
  int                num_ranks; /* that do each level together; 0, 1: one */
  sup_node          *root;
  /* analysis */
  sup_curve        *curve; /* [num_families x num_quantities] */
  sup_verdict_grade grade;
  char              comparison[SUP_MAX_QUANTITIES]
                 [SUP_VERDICT_SIZE]; /* of two families or more; "": none, of errors */
  char family_verdict[SUP_MAX_FAMILIES][2 * SUP_VERDICT_SIZE];
  char verdict[4 * SUP_VERDICT_SIZE];
} sup_study;

/** The keys of all studies (study.c), and of the parts that other files read. */
extern const sup_schema sup_schema_study, sup_schema_ladder, sup_schema_quantity,
    sup_schema_parameter, sup_schema_budget, sup_schema_gradient, sup_schema_fit,
    sup_schema_optimize, sup_schema_control, sup_schema_cost, sup_schema_holding,
    sup_schema_stiffness;

/** "time step", "mean edge", "accuracy" or "size" */
const char *sup_size_name(sup_size_kind size);
/** Read STUDY.yaml for a command; a study with parameters is read as a sweep unless it is asked for
 * as a gradient.  E_IO, or E_PARSE "file:line:column: the value found, the values allowed". */
SUP_NODISCARD sup_status sup_study_load(sup_study **study, const char *path, sup_study_kind kind);
void                     sup_study_destroy(sup_study **study);
/** Load the scene of every level (of a sweep the first that can be): what is wrong with an override
 * or with the name of a column is told before anything runs.  Finds h, estimates memory, signs the
 * levels.
 *  @param[in] program  of which the results depend, too: the file that is run */
SUP_NODISCARD sup_status sup_study_prepare(sup_study *study, const char *program);
/** Orders, limits and verdicts from the results of the levels. */
void sup_study_analyse(sup_study *study);
/** Order, limit, error bar and verdict of a number of the family's levels by the place of its
 * value.
 */
void sup_curve_judge(const sup_study *study, const sup_family *family, int quantity,
                     const sup_quantity_def *def, sup_curve *curve);
/** convergence.csv, convergence.json and manifest.json. */
SUP_NODISCARD sup_status sup_study_write(const sup_study *study, const char *folder);

/** Folder of a level below the study's: "level_02", or "T4/level_02"; the only level of a family:
 * "T4"; of a sweep "case_00001". */
void sup_level_folder(const sup_study *study, const sup_family *family, int level,
                      const char *folder, char path[SUP_STUDY_PATH_SIZE]);
/** "level_02 of T4", or "T4" when it is the only one, for messages. */
void sup_level_name(const sup_study *study, const sup_family *family, int level,
                    char name[2 * SUP_NAME_MAX]);
/** 1: levels are cases, each of which may fail. */
static inline bool sup_study_has_cases(const sup_study *s) { return s->kind != SUP_STUDY_CONVERGE; }
static inline bool sup_level_is_complete(const sup_level *l) {
  return l->status == SUP_LEVEL_DONE || l->status == SUP_LEVEL_KEPT;
}
/** Place of a level of the family in the curve; SUP_NONE when it is not complete. */
int sup_curve_find(const sup_curve *curve, int level);
/** Order at the k-th level of the curve: with the level before it, or the two before it;
 * SUP_NO_NUMBER: none. */
double                   sup_curve_order(const sup_curve *curve, int k);
static inline sup_curve *sup_study_curve(const sup_study *s, int family, int quantity) {
  return s->curve + family * s->num_quantities + quantity;
}
