/** Interface of the plug-in for live pages: a server of HTTP as a table of functions.  Layer base.
 *
 *  libmicrohttpd brings GnuTLS and its libraries.  So it is no part of the program: `plugin/http.c`
 * is built into a shared object of its own, which app/live/live.c loads for `supple run --live`.
 * The plug-in knows transport alone: addresses and their answers are the caller's. */
#pragma once

#include <stddef.h>

typedef struct sup_http_answer {
  int         status; /* 200, 403, .. */
  const char *type;   /* "text/html; charset=utf-8" */
  int         file;   /* descriptor, which the server closes; -1: the text */
  char        text[1024];
} sup_http_answer;

/** Answer to a request; called in threads of the server, several at a time. */
typedef void sup_http_handler(void *user, const char *method, const char *path,
                              sup_http_answer *answer);

typedef struct sup_http_plugin {
  size_t      size;    /* of this struct, so that a plug-in of another build is noticed */
  const char *version; /* of libmicrohttpd */
  /** Listen on 127.0.0.1, no other interface.  No thread of the server takes signals.
   *  @param[in,out] port  0: a free one, which is returned
   *  @return the server; NULL: errno says why */
  void *(*start)(int *port, sup_http_handler *handler, void *user);
  /** Close all connections and wait for the handlers. */
  void (*stop)(void *server);
} sup_http_plugin;

#define SUP_HTTP_PLUGIN_FILE "supple-http.so"
#define SUP_HTTP_PLUGIN_SYMBOL "sup_http_plugin_table"
