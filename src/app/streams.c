#include "app/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"

/** Open the closed ones of descriptors 0 to 2 in ascending order, since open() returns the lowest
 * free descriptor.  Writing to a closed stdout is an error; output to a closed stderr is dropped.
 */
void sup_streams_begin(void) {
  static const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++)
    if (fcntl(k, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[k]) < 0) return;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

int sup_streams_end(int code) {
  int before = ferror(stdout), bad = fflush(stdout) != 0, reason = errno;
  if (!bad && !before) return code;
  fprintf(stderr, "supple: error: cannot write standard output%s%s\n", bad ? ": " : "",
          bad ? strerror(reason) : "");
  return code == SUP_EXIT_OK || code == SUP_EXIT_WARNINGS ? SUP_EXIT_FILE : code;
}
