/** Heading of a study's JSON files.  Layer study, private. */
#pragma once

#include "output/format/json.h"
#include "study/study.h"

/** Open `path` with an object that has title, study, scene and mode; the caller ends it. */
SUP_NODISCARD sup_status sup_study_open_json(sup_json *json, const sup_study *study,
                                             const char *path);
