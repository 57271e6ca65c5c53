/** Standard streams and signals of writing to files.  Layer app. */
#pragma once

/** Descriptors 0 to 2 are open afterwards, so that no file of a run takes the place of one that was
 * closed.  A reader that went and a file that is too large are errors of a write, no signals. */
void sup_streams_begin(void);
/** Flush stdout; a failure is an error of a command that has succeeded so far.
 *  @return exit code */
int sup_streams_end(int code);
