/** Standard streams and what the system says about files by signals.  Layer app. */
#pragma once

/** Descriptors 0 to 2 are open afterwards, so that no file of a run takes the place of one that was
 * closed.  A reader that went and a file that is too large are errors of a write, no signals. */
void sup_streams_begin(void);
/** What was printed has reached stdout, or it is an error of a command that was good so far.
 *  @return exit code */
int sup_streams_end(int code);
