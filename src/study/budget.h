/** The section `budget` of a study: repeats of the scene for the parts of its error.  Layer
 * study. */
#pragma once

#include "study/study.h"

/** Half the step, meshes refined once, layers twice as stiff; no other models. */
sup_budget sup_default_budget(void);
/** Read the section, and the overrides of the study as the only level of its family "base".
 *  @param[in] node  the section
 *  @param[in] set   NULL: none */
SUP_NODISCARD sup_status sup_budget_read(sup_study *study, sup_node *node, const sup_node *set);
