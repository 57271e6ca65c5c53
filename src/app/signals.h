/** Ctrl-C and its like: what runs ends at the next good place.  Layer app. */
#pragma once

#include <signal.h>

/** Set by SIGINT, SIGTERM and SIGHUP once they are caught. */
extern volatile sig_atomic_t sup_app_interrupted;

/** What nohup or a shell ignores stays ignored.
 *  @param[in] twice  a second Ctrl-C ends the program at once */
void sup_app_catch_signals(int twice);
