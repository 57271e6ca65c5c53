/* Numbers that decide in commands. */
#pragma once

#include "base/numerics.h"

#define SUP_APP_NUMERICS(X)                                                                        \
  X(locks, 5, "-", "aspect of bricks in a layer of one from which locking is told", "unmeasured",  \
    "mesh_command.info_counts_parts_and_cells_through_walls")                                      \
  X(quality, .1, "-", "quality of cells below which they are reported",                            \
    "slivers reduce accuracy and the condition of the matrix", "")                                 \
  X(nonzeros, 3e7, "-", "nonzeros of a factor from which no step is tried",                        \
    "a factorisation of these takes a few seconds", "")                                            \
  X(unknowns, 1e5, "-", "unknowns from which no step is tried, where no factor is known",          \
    "some seconds", "")                                                                            \
  X(static_unknowns, 1e4, "-", "the same of conjugate gradients without inertia",                  \
    "iterations grow with the size of the body",                                                   \
    "run.what_takes_more_than_seconds_is_not_solved_by_a_check")                                   \
  X(seconds, 30, "s", "time after which a trial of statics ends", "people wait for it", "")        \
  X(residual, .1, "-", "residual of a solver's law above which a solution is void",                \
    "as the verdict law_residual of runs has it",                                                  \
    "contact_command.a_compliance_that_gives_way_is_a_failure")                                    \
  X(patience, 10, "s", "time that processes wait for one that failed", "unmeasured", "")           \
  X(terminal, .1, "s", "time between lines of progress in a terminal", "ten a second look steady", \
    "progress.terminal_line_is_rewritten_and_cleared")                                             \
  X(plain, 5, "s", "time between lines of progress in a file", "unmeasured",                       \
    "progress.file_gets_a_plain_line_every_few_seconds")                                           \
  X(page, 10, "s", "time that the end of a run waits for a live page that asked so long ago",      \
    "pages ask every three seconds or sooner", "live.a_page_follows_pauses_and_stops_a_run")       \
  X(buckling, 1e-4, "-", "share of the load at which its stiffness is taken",                      \
    "bodies turn little", "modes_command.a_column_buckles_at_its_load")                            \
  X(buckling_near, 100, "-", "factor to that share of the buckling load, above which it is anew",  \
    "six digits of the stiffness are left", "modes_command.a_column_buckles_at_its_load")          \
  X(buckling_least, 1e-7, "-", "least share of the load that is made smaller",                     \
    "shares are one of 2e9 load steps", "modes_command.a_column_buckles_at_its_load")              \
  X(memory, .8, "-", "share of the available memory that levels may take",                         \
    "the rest is for the system", "")

SUP_NUMERICS(sup_app_numerics, SUP_APP_NUMERICS);
