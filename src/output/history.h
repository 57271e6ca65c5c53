/** history.csv, one row a step or every so often, and contacts.csv, one row a touching pair of
 * bodies in each frame.  Layer output.
 *
 *  The columns of history.csv are those of measure/observable.c, in its order; contacts.csv has
 * time, a, b and for each pair that touches the force on b, its moment about b's origin, count,
 * area and penetration. */
#pragma once

#include "measure/columns.h"
#include "output/format/csv.h"

/** An observable of one thing: as many columns as it is wide. */
typedef struct sup_history_entry {
  const sup_observable *observable;
  int                   index;         /* of the thing within its group */
  int                   column, width; /* the first column and how many */
  int                   is_there;      /* in the row under way: it has a value */
} sup_history_entry;

typedef struct sup_history {
  sup_csv            rows, contacts;
  sup_column_pair   *pair; /* output.pairs */
  int                num_probes;
  sup_probe         *probe; /* [num_probes] output.probes */
  sup_history_entry *entry; /* [num_entries] in the order of the columns */
  size_t             num_entries, capacity;
  int                num_columns;
  double            *value; /* [num_columns] of the row under way */
} sup_history;

/** The names of the columns of history.csv, separated by commas, as its first line will be; freed
 * by the caller. */
SUP_NODISCARD sup_status sup_history_columns(const sup_model *model, const sup_options *options,
                                             const sup_column_def *def, char **line);
/** Lengths of both files of a run, and numbers kept out of them, at a checkpoint. */
typedef struct sup_history_mark {
  long rows, contacts;                     /* bytes */
  long rows_nonfinite, contacts_nonfinite; /* sup_csv.nonfinite */
} sup_history_mark;

sup_history_mark sup_history_mark_of(const sup_history *history);
/** Open both files in the folder and write their headers.  def: passes sup_columns_check.
 *  E_IO names the file.
 *  @param[in] from  go on behind what an earlier run wrote until there; NULL: begin anew */
SUP_NODISCARD sup_status sup_history_create(sup_history *history, const sup_observation *obs,
                                            const char *folder, const sup_column_def *def,
                                            const sup_history_mark *from);
void                     sup_history_free(sup_history *history);
/** Rows that wait for others are written (sup_csv_flush_often). */
SUP_NODISCARD sup_status sup_history_flush(sup_history *history);
/** Append a row to history.csv.  report: of the last step; zero before it. */
SUP_NODISCARD sup_status sup_history_write(sup_history *history, const sup_observation *obs,
                                           const sup_step_report  *report,
                                           const sup_soft_account *account);
/** Append the touching pairs to contacts.csv. */
SUP_NODISCARD sup_status sup_history_write_contacts(sup_history           *history,
                                                    const sup_observation *obs);
