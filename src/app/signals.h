/** Signals that end the program, Ctrl-C and others: at the next good place, or at once.  Layer
 * app. */
#pragma once

#include <signal.h>

/** Set by SIGINT, SIGTERM and SIGHUP once they are caught. */
extern volatile sig_atomic_t sup_app_interrupted;

/** For commands that complete the step or level under way.  A signal that nohup or a shell ignores
 * stays ignored.
 *  @param[in] twice  a second Ctrl-C ends the program at once */
void sup_app_catch_signals(int twice);
/** sup_app_catch_signals(1) as long as only inputs are open: reading a pipe that nobody writes to
 * fails at a signal.  Until sup_app_catch_signals. */
void sup_app_catch_signals_while_reading(void);
/** For commands that write their files at their end: from now on these signals end the program with
 * the exit code for interruption, and nothing half done stays behind.  Others stay ignored. */
void sup_app_end_at_signals(void);
