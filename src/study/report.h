/** Heading of a study's JSON files.  Layer study, private. */
#pragma once

#include "output/format/json.h"
#include "study/study.h"

/** Open `path` with an object that has title, study, scene and mode; the caller ends it. */
SUP_NODISCARD sup_status sup_study_open_json(sup_json *json, const sup_study *study,
                                             const char *path);
/** A file of results, with what writes it. */
typedef struct sup_study_file {
  const char *name;
  sup_status (*write)(const sup_study *study, const char *path);
} sup_study_file;
/** Write the files [num] to the folder, which is made where it is missing. */
SUP_NODISCARD sup_status sup_study_write_files(const sup_study *study, const char *folder,
                                               const sup_study_file *file, int num);
