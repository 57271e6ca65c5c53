/** summary.json: the run in a few numbers, stable names.  Layer output.
 *
 *  One table holds all of them: its rows stand in summary_table.c, but for statistics of
 * observables, whose rows are those of measure/observable.c.  The file, units of the quantities of
 * studies, `supple help summary` and the table of postproc/README.md come from it: a new entry is
 * one row. */
#pragma once

#include "measure/observable.h"
#include "measure/verdict.h"
#include "output/format/json.h"
#include "output/output.h"

typedef struct sup_summary_entry sup_summary_entry;

/** Sources of the summary. */
typedef struct sup_summary {
  const sup_statistics *statistics;
  const sup_state      *state;
  sup_outcome           outcome;
  const char           *message; /* why it failed; NULL */
  const char           *title;
  const sup_verdicts   *verdicts;
  /* set by sup_summary_write */
  sup_step_seconds         step;
  const sup_summary_entry *entry; /* that is being written .. */
  int                      index; /* .. and the thing of its list whose it is */
} sup_summary;

enum { SUP_SUMMARY_PATH = 64, SUP_SUMMARY_MAX = 128, SUP_SUMMARY_NAME = 5 * SUP_NAME_MAX };

typedef enum sup_summary_kind {
  SUP_SUMMARY_INT,
  SUP_SUMMARY_LONG,
  SUP_SUMMARY_DOUBLE,
  SUP_SUMMARY_TEXT, /* const char * */
  SUP_SUMMARY_ARRAY /* char [] */
} sup_summary_kind;

struct sup_summary_entry {
  /** "dofs.total"; a word in capitals stands for each thing of a list: "stress.BODY.stress_error".
   */
  char        path[SUP_SUMMARY_PATH];
  const char *unit; /* "-" for none */
  const char *meaning;
  /** Write the member `key`, which is derived; NULL: it stands in a struct. */
  void (*put)(sup_json *json, const char *key, const sup_summary *of);
  /** 1: this run has the entry; NULL: each run has it. */
  bool (*applies)(const sup_summary *of);
  /* of what stands in a struct: which, where, and its type */
  const void *(*from)(const sup_summary *of);
  size_t           offset;
  sup_summary_kind kind;
  /* of a statistic: which, of which observable */
  const sup_observable       *observable;
  const sup_observable_group *group;
  int                         index; /* in sup_statistics.running */
};

/** All entries in the order of the file. */
typedef struct sup_summary_table {
  int               count;
  sup_summary_entry entry[SUP_SUMMARY_MAX];
} sup_summary_table;

/** The things that a word in capitals stands for. */
typedef struct sup_summary_list {
  const char *path;     /* that ends with the word */
  int         is_array; /* 1: things without names */
  int (*count)(const sup_summary *of);
  /** Name of the i-th into text [SUP_SUMMARY_NAME]; 0: it has no such entries. */
  int (*name)(const sup_summary *of, int i, char *text);
} sup_summary_list;

void sup_summary_table_make(sup_summary_table *table);
/** Meaning of an entry into text, of a statistic with the kind of statistic; returns text. */
char *sup_summary_meaning(const sup_summary_entry *entry, char *text, size_t size);
/** The list of the word that the first `length` letters of a path end with. */
const sup_summary_list *sup_summary_list_of(const char *path, size_t length);
/** The entry of a path in a file, "stress.finger.stress_error"; NULL: there is none. */
const sup_summary_entry *sup_summary_find(const sup_summary_table *table, const char *path);

SUP_NODISCARD sup_status sup_summary_write(const char *path, const sup_summary *summary);
