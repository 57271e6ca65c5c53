/** A run as a page in a browser while it goes on: `--live`.  Layer app.
 *
 *  A server on 127.0.0.1 answers below an address with a random token: GET the page of `supple
 * share` with the frames so far, status, frames and rows that a page does not have yet, POST pause,
 * resume and stop.  A process beside the run reads its files.  The run hands over where it is and
 * never waits for a client, except for one that pauses it. */
#pragma once

#include "app/simulation.h"

/** Start the server and print its address, if --live asks for it and this is the first rank.
 * E_ARG: the plug-in is not there or the port is in use. */
SUP_NODISCARD sup_status sup_live_start(sup_simulation *simulation);
/** Publish the state before the next step; wait while the run is paused.  A stop counts as SIGINT.
 */
void sup_live_step(const sup_simulation *simulation);
/** End of the server.  A page that asked in the last seconds gets the complete results first; it
 * has a minute at most, and Ctrl-C ends that. */
void sup_live_end(sup_simulation *simulation);
