/** Observer of a run: files of a simulation.  Layer output: reads model, state and
 * step results, changes none of them, knows no solver and no scene file.
 *
 *  FOLDER/vtk/<soft body>_NNNN.vtk, rigid_NNNN.vtk, contact_NNNN.vtk, fields_NNNN.vtk,
 * cables_NNNN.vtk   one frame each, with a .vtk.series for each group; soft bodies also as
 * _NNNN.h5, _mesh.h5 with a .xdmf
 *  FOLDER/history.csv    one row a step, or every so often
 *  FOLDER/contacts.csv   one row a touching pair per frame
 *  FOLDER/events.csv     one row an event: time, what began or ended, column, value
 *  FOLDER/summary.json, manifest.json
 *
 *  Files on disk stay readable if the program is killed at any moment: VTK, series and JSON files
 * are replaced atomically, CSV files grow by whole lines.  No file ever holds NaN or infinity: VTK
 * gets 0, CSV an empty field, JSON null, and summary.json has their number.  Numbers are written in
 * the C locale whatever the process uses.
 *
 *  Order of calls: create, [manifest], initial, step ..., [failed_step], finish, destroy. */
#pragma once

#include "base/file/archive.h"
#include "measure/observable.h"
#include "measure/verdict.h"
#include "step/result.h"

/** Format of frames; NONE: only the frame of a failed step, histories and summary. */
typedef enum sup_vtk_format {
  SUP_VTK_ASCII,
  SUP_VTK_BINARY,
  SUP_VTK_XDMF, /* soft bodies in HDF5, all else binary */
  SUP_VTK_NONE,
  SUP_NUM_VTK_FORMATS
} sup_vtk_format;

/** Schedule of checkpoints. */
typedef struct sup_checkpoint_def {
  double wall_interval; /* of the clock between two; 0: after each step [s] */
  double every;         /* simulated time between checkpoints that are kept; 0: none are kept [s] */
  int    keep;          /* number of other checkpoints kept; 0: no checkpoints at all */
} sup_checkpoint_def;

/** Precision of the arrays of frames. */
typedef enum sup_precision {
  SUP_PRECISION_FLOAT, /* 7 digits */
  SUP_PRECISION_DOUBLE,
  SUP_NUM_PRECISIONS
} sup_precision;

/** Bit of sup_output_def.arrays for the default arrays: all but those of recovered stress; with
 * load steps von_mises_recovered and stress_error, too. */
#define SUP_ARRAYS_USUAL (UINT32_C(1) << 31)

typedef struct sup_output_def {
  double         every;         /* time between frames [s]; 0: a frame each step */
  double         history_every; /* time between rows of history.csv [s]; 0: a row each step */
  int            digits;        /* of numbers in history.csv and contacts.csv; above 15: all */
  sup_vtk_format format;
  sup_precision  precision;
  uint32_t       arrays; /* of soft bodies in frames: bit k for row k of sup_frame_array_name */
  int            num_bodies;
  char (*body)[2 * SUP_NAME_MAX]; /* [num_bodies] that have frames; none: all */
  int                fields; /* 1: frames of the pressure fields of compliant rigid bodies, too */
  int                timing; /* 1: a column of the time that the step took */
  double             static_tolerance; /* of load steps, sup_static_options; 0: steps of motion */
  sup_checkpoint_def checkpoint;
  int                num_pairs;
  char (*pair)[2][2 * SUP_NAME_MAX]; /* [num_pairs] bodies A (or SUP_COLUMNS_ALL), B of the
                                        contact.A.B.* columns */
  int            num_probes;
  sup_probe_def *probes; /* [num_probes] */
  int            num_columns;
  char (*column)[SUP_COLUMN_MAX]; /* [num_columns] of history.csv, sup_column_def.name; none: all */
  char *column_place;             /* of them in a scene; NULL: none */
} sup_output_def;
#define SUP_DEFAULT_OUTPUT_DEF                                                            \
  {                                                                                       \
    .digits = SUP_CSV_DIGITS, .format = SUP_VTK_BINARY, .precision = SUP_PRECISION_FLOAT, \
    .arrays = SUP_ARRAYS_USUAL, .checkpoint = {                                           \
      .wall_interval = 60,                                                                \
      .keep = 2                                                                           \
    }                                                                                     \
  }

sup_output_def sup_default_output_def(void);
/** Columns of history.csv. */
sup_column_def sup_output_columns(const sup_output_def *def);

/** Name of array k of the soft bodies' frames, points before cells; NULL behind the last. */
const char *sup_frame_array_name(int k);
/** Components of array k. */
int sup_frame_array_width(int k, bool *is_of_cells);
/** Arrays of the frames as bits, with SUP_ARRAYS_USUAL resolved. */
uint32_t sup_frame_arrays(const sup_output_def *def);
/** 1: one of the frames' arrays needs recovered stress. */
int sup_frame_recovers(const sup_output_def *def);

/** Estimate of the files that a run will write.  With steps of controlled length `steps` is 0, and
 * `frames` counts only those that are due at times of their own. */
typedef struct sup_output_plan {
  long   steps, frames;
  int    files; /* VTK files a frame */
  double bytes; /* of all VTK files, without contact patches; an estimate for text */
} sup_output_plan;

sup_output_plan sup_output_plan_of(const sup_model *model, const sup_output_def *def,
                                   const sup_options *options, double end_time);

/** Facts for manifest.json that only the caller knows; any string or list may be NULL or empty.
 * Copied. */
typedef struct sup_manifest_def {
  int                argc;
  const char *const *argv;     /* the command line */
  const char        *version;  /* of the program */
  const char        *compiler; /* and its flags */
  int                threads;
  int                num_libraries;
  const char *const *library; /* [num_libraries x 2] name, version */
  int                num_inputs;
  const char *const *input; /* [num_inputs] paths of the files that were read; hashed (FNV-1a) */
  /* of a run that goes on from a checkpoint, which must outlive sup_output_manifest alone */
  const sup_archive *before;    /* NULL: it begins */
  int                is_branch; /* 1: another run, 0: the same one */
  long               step;      /* of its state .. */
  double             time;      /* .. and its time [s] */
} sup_manifest_def;

typedef enum sup_outcome {
  SUP_OUTCOME_COMPLETED,
  SUP_OUTCOME_FAILED,
  SUP_OUTCOME_INTERRUPTED
} sup_outcome;

typedef struct sup_output sup_output;

/** Check the definition against the model and write nothing: E_ARG as of
 * sup_output_create. */
SUP_NODISCARD sup_status sup_output_check(const sup_model *model, const sup_options *options,
                                          const sup_output_def *def);
/** Make the folders, remove frames that an earlier run left there, open the CSV files.  The model
 * must outlive the output.
 *  @param[in] folder  NULL: no files, statistics and verdicts alone
 *  @param[in] title  first words of every VTK file, at most 200 characters are used
 *  E_ARG names an unknown body of a pair or probe with the nearest known one, a probe outside its
 * body, a soft body whose name cannot be a file name; E_IO the folder or file. */
SUP_NODISCARD sup_status sup_output_create(sup_output **out, const sup_model *model,
                                           const sup_options *options, const char *folder,
                                           const sup_output_def *def, const char *title);
/** Resume a run in its own folder, in the place of sup_output_create: files and statistics up to
 * sup_output_put stay, later rows and frames are removed.  Instead of sup_output_initial. E_ARG:
 * the file is of another model or definition; E_IO: a file of the run is not there. */
SUP_NODISCARD sup_status sup_output_resume(sup_output **out, const sup_model *model,
                                           const sup_options *options, const char *folder,
                                           const sup_output_def *def, const char *title,
                                           const sup_archive *archive);
/** Continue the account of energies of another run, from whose checkpoint this one begins; before
 * sup_output_initial. */
SUP_NODISCARD sup_status sup_output_branch(sup_output *output, const sup_archive *archive);
void                     sup_output_destroy(sup_output **out);
/** Write the state of the output that a resumed run needs, between two steps; afterwards all rows
 * are on the disk.  E_IO. */
SUP_NODISCARD sup_status sup_output_put(sup_output *out, sup_archive_writer *writer);
/** Write manifest.json; finish completes it.  E_IO when an input file cannot be read again. */
SUP_NODISCARD sup_status sup_output_manifest(sup_output *out, const sup_manifest_def *def);
/** Check that these files, meshes and robots, are as they were when the run of a checkpoint began.
 * Scenes and materials (.yaml) are compared by their keys instead.  E_ARG names the first file that
 * has changed. */
SUP_NODISCARD sup_status sup_output_check_inputs(const sup_archive *archive,
                                                 const char *const *input, int num_inputs);
/** Frame and row of the start.  result NULL: no contact, poses and energies from the state. */
SUP_NODISCARD sup_status sup_output_initial(sup_output *out, const sup_state *state,
                                            const sup_step_result *result);
/** Time of the next frame or row [s]; infinite: after every step.  Steps of controlled length end
 * at this time. */
double sup_output_next_time(const sup_output *out);
/** Frames written so far. */
long sup_output_frames(const sup_output *out);
/** Observe a successful step: statistics, a frame when due, a row when due or with a frame. */
SUP_NODISCARD sup_status sup_output_step(sup_output *out, const sup_state *state,
                                         const sup_step_result *result,
                                         const sup_step_report *report);
/** Frame and row of the present state, due or not, unless there are any of its time. */
SUP_NODISCARD sup_status sup_output_frame(sup_output *out, const sup_state *state,
                                          const sup_step_result *result);
/** Frame of a step that failed: the state before it, at the time it would have reached, with the
 * point fields `residual` and `nonfinite` on the soft bodies.  No history row.
 *  @param[in] residual  [num_vertices x 3] momentum residual [N s], may hold NaN; NULL: not known,
 * written as 0
 *  @param[in] report    of the failed step; NULL: none */
SUP_NODISCARD sup_status sup_output_failed_step(sup_output *out, const sup_state *state,
                                                const double          *residual,
                                                const sup_step_report *report);
/** Write buffered rows of tables, which otherwise wait up to some 20 ms. */
SUP_NODISCARD sup_status sup_output_flush(sup_output *out);
/** A warning of the log for `warnings` in summary.json; once, and no more than SUP_MAX_WARNINGS. */
void sup_output_warn(sup_output *out, const char *message);
/** Last frame and row when the last step was not due, summary.json, manifest.json completed.
 *  @param[in] result   of the last successful step; NULL: no last frame
 *  @param[in] message  why the run failed, or NULL
 *  A FAIL among the verdicts makes COMPLETED a FAILED in both files: the run came to its end, its
 * result is void. */
SUP_NODISCARD sup_status sup_output_finish(sup_output *out, const sup_state *state,
                                           const sup_step_result *result, sup_outcome outcome,
                                           const char *message);
/** Verdicts on the steps so far, which live as long as out. */
const sup_verdicts *sup_output_judge(sup_output *out, const sup_state *state,
                                     const sup_step_result *result);
/** Verdicts of sup_output_finish; none before. */
const sup_verdicts *sup_output_verdicts(const sup_output *out);
/** Statistics gathered so far; they live as long as out. */
const sup_statistics *sup_output_statistics(const sup_output *out);
/** "completed", "failed", "interrupted" */
const char *sup_outcome_text(sup_outcome outcome);
