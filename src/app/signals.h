/** Signals that end the program, Ctrl-C and others: at the next good place, or at once.  Layer
 * app. */
#pragma once

#include <signal.h>

/** Set by SIGINT, SIGTERM and SIGHUP once they are caught. */
extern volatile sig_atomic_t sup_app_interrupted;

/** For commands that complete the present step or level.  A signal that nohup or a shell ignores
 * stays ignored.
 *  @param[in] twice  a second Ctrl-C ends the program at once */
void sup_app_catch_signals(int twice);
/** Variant of sup_app_catch_signals(1) for the time when only inputs are open: a signal interrupts
 * reading from a pipe without a writer.  In force until sup_app_catch_signals is called. */
void sup_app_catch_signals_while_reading(void);
/** For commands that write their files at their end: from now on these signals end the program with
 * the exit code for interruption, and unfinished files are removed.  Ignored signals stay ignored.
 */
void sup_app_end_at_signals(void);
