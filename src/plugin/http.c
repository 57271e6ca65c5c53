/* The one file that calls libmicrohttpd: a plug-in of its own (base/file/http_plugin.h), which
 * calls nothing of the program. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/http_plugin.h"

enum { MOST_CONNECTIONS = 16, SECONDS_IDLE = 5 };

typedef struct server {
  struct MHD_Daemon *daemon;
  sup_http_handler  *handler;
  void              *user;
} server;

static struct MHD_Response *response_of(sup_http_answer *answer) {
  struct stat about;
  if (answer->file < 0)
    return MHD_create_response_from_buffer(strlen(answer->text), answer->text,
                                           MHD_RESPMEM_MUST_COPY);
  if (fstat(answer->file, &about) == 0)
    return MHD_create_response_from_fd64((uint64_t)about.st_size, answer->file);
  close(answer->file);
  return NULL;
}

static enum MHD_Result answer(void *self, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *data,
                              size_t *data_size, void **begun) {
  const server *s = self;
  (void)version, (void)data;
  if (!*begun) { /* the body comes in later calls */
    *begun = self;
    return MHD_YES;
  }
  if (*data_size) {
    *data_size = 0;
    return MHD_YES;
  }
  sup_http_answer what = {.status = MHD_HTTP_NOT_FOUND, .type = "text/plain", .file = -1};
  s->handler(s->user, method, path, &what);
  struct MHD_Response *response = response_of(&what);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", what.type);
  MHD_add_response_header(response, "Cache-Control", "no-store");
  MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
  if (what.status == MHD_HTTP_SERVICE_UNAVAILABLE) /* the browser asks again */
    MHD_add_response_header(response, "Refresh", "2");
  enum MHD_Result result = MHD_queue_response(connection, (unsigned)what.status, response);
  MHD_destroy_response(response);
  return result;
}

/** A socket that listens on 127.0.0.1; -1: errno says why. */
static int listen_at(int *port) {
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_port = htons((uint16_t)*port),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t          size = sizeof at;
  int                on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener >= 0 && setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      bind(listener, (struct sockaddr *)&at, size) == 0 &&
      listen(listener, MOST_CONNECTIONS) == 0 &&
      getsockname(listener, (struct sockaddr *)&at, &size) == 0) {
    *port = ntohs(at.sin_port);
    return listener;
  }
  int error = errno;
  if (listener >= 0) close(listener);
  errno = error;
  return -1;
}

static void be_silent(void *user, const char *format, va_list list) {
  (void)user, (void)format, (void)list;
}

static void *start(int *port, sup_http_handler *handler, void *user) {
  const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
  server        *s = calloc(1, sizeof *s);
  int            listener = s ? listen_at(port) : -1;
  sigset_t       every, before;
  if (listener < 0) {
    free(s);
    return NULL;
  }
  s->handler = handler, s->user = user;
  sigfillset(&every); /* threads inherit this */
  pthread_sigmask(SIG_SETMASK, &every, &before);
  s->daemon =
      MHD_start_daemon(flags | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, s,
                       MHD_OPTION_EXTERNAL_LOGGER, be_silent, NULL, MHD_OPTION_LISTEN_SOCKET,
                       listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
                       MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SECONDS_IDLE, MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (s->daemon) return s;
  close(listener);
  free(s);
  errno = ENOMEM;
  return NULL;
}

static void stop(void *self) {
  MHD_stop_daemon(((server *)self)->daemon);
  free(self);
}

extern const sup_http_plugin                                 sup_http_plugin_table;
__attribute__((visibility("default"))) const sup_http_plugin sup_http_plugin_table = {
    .size = sizeof(sup_http_plugin), .version = "libmicrohttpd", .start = start, .stop = stop};
