#include "app/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "app/app_numerics.h"
#include "app/ranks.h"
#include "app/script.h"
#include "app/signals.h"
#include "base/file/cleanup.h"
#include "base/file/http_plugin.h"
#include "base/file/plugin.h"
#include "base/file/process.h"
#include "base/memory.h"
#include "base/timer.h"

#define MOST_FRAMES "100" /* of a page when it opens, evenly chosen: a second or two of work */
enum { TOKEN = 16 };      /* bytes */

struct sup_live {
  const sup_http_plugin *http;
  void                  *server;
  char                   token[2 * TOKEN + 1];
  const char            *folder; /* of the results */
  char                   temporary[4096];
  char                   page[4096 + 32], log[4096 + 32];
  pthread_mutex_t        lock; /* of what follows, held for a few instructions */
  bool                   is_paused, is_stopped, is_over, is_seen;
  long                   frames;      /* written .. */
  double                 time, end;   /* .. until this of [s] */
  double                 asked;       /* last request of the status, of the clock [s] */
  int                    num_waiting; /* requests of frames that have no answer yet */
  pthread_mutex_t        making;      /* of an answer: one at a time */
  long                   helper;      /* process that reads the frames .. */
  int                    line;        /* .. and the connection with it */
};

/* ---- answers, in threads of the server ------------------------------------------------------- */

/** Ask the helper for what is new to a page of so many frames and bytes of history; of 0 frames,
 * for a page.  @return '+' and '-': a good or a bad answer is in live->page; 0: the helper has
 * ended */
static char ask_helper(sup_live *live, long frames, long bytes) {
  char    text[64], word = 0;
  ssize_t size = snprintf(text, sizeof text, "%ld %ld\n", frames, bytes);
  if (send(live->line, text, (size_t)size, MSG_NOSIGNAL) != size) return 0;
  while (recv(live->line, &word, 1, 0) < 0 && errno == EINTR) continue;
  return word;
}

static void count_waiting(sup_live *live, int change) {
  pthread_mutex_lock(&live->lock);
  live->num_waiting += change, live->asked = sup_wall_time();
  pthread_mutex_unlock(&live->lock);
}

static void answer_frames(sup_live *live, long frames, long bytes, sup_http_answer *answer) {
  count_waiting(live, 1);
  pthread_mutex_lock(&live->making);
  char word = ask_helper(live, frames, bytes);
  answer->file = open(word ? live->page : live->log, O_RDONLY | O_CLOEXEC);
  pthread_mutex_unlock(&live->making);
  count_waiting(live, -1);
  bool is_good = word == '+' && answer->file >= 0;
  answer->status = is_good ? 200 : 503;
  if (is_good) answer->type = frames ? "application/json" : "text/html; charset=utf-8";
}

static void answer_status(sup_live *live, sup_http_answer *answer) {
  pthread_mutex_lock(&live->lock);
  const char *state = live->is_over ? "over" : live->is_paused ? "paused" : "running";
  live->asked = sup_wall_time();
  answer->status = 200, answer->type = "application/json";
  snprintf(answer->text, sizeof answer->text,
           "{\"state\": \"%s\", \"frames\": %ld, \"time\": %.9g, \"end\": %.9g}\n", state,
           live->frames, live->time, live->end);
  pthread_mutex_unlock(&live->lock);
}

/** Pause, resume, stop, or the word that all results are seen; 0: the word is another. */
static bool answer_command(sup_live *live, const char *word, sup_http_answer *answer) {
  bool is_pause = strcmp(word, "pause") == 0, is_resume = strcmp(word, "resume") == 0,
       is_stop = strcmp(word, "stop") == 0, is_seen = strcmp(word, "seen") == 0;
  pthread_mutex_lock(&live->lock);
  if (is_pause || is_resume) live->is_paused = is_pause;
  live->is_stopped |= is_stop;
  live->is_seen |= is_seen;
  pthread_mutex_unlock(&live->lock);
  if (is_pause || is_resume || is_stop || is_seen) answer_status(live, answer);
  return is_pause || is_resume || is_stop || is_seen;
}

/** Compare the begin of a word with the token, in a time that tells nothing of it. */
static bool has_token(const sup_live *live, const char *word) {
  int difference = 0;
  if (strlen(word) < 2 * TOKEN) return 0;
  for (int i = 0; i < 2 * TOKEN; i++) difference |= word[i] ^ live->token[i];
  return difference == 0;
}

static void answer_request(void *user, const char *method, const char *path,
                           sup_http_answer *answer) {
  sup_live   *live = user;
  bool        is_get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
  const char *word = path + 2 + 2 * TOKEN;
  long        frames, bytes;
  char        more;
  if (path[0] != '/' || !has_token(live, path + 1) || word[-1] != '/') {
    answer->status = 403;
    snprintf(answer->text, sizeof answer->text, "the address is that which the run printed\n");
    return;
  }
  if (is_get && !word[0])
    answer_frames(live, 0, 0, answer);
  else if (is_get && sscanf(word, "since/%9ld/%15ld%c", &frames, &bytes, &more) == 2 &&
           frames > 0 && bytes >= 0)
    answer_frames(live, frames, bytes, answer);
  else if (is_get && strcmp(word, "status") == 0)
    answer_status(live, answer);
  else if (strcmp(method, "POST") != 0 || !answer_command(live, word, answer))
    snprintf(
        answer->text, sizeof answer->text,
        "expected GET of the page, status or since/FRAMES/BYTES, POST of pause, resume, stop\n");
}

/* ---- the run --------------------------------------------------------------------------------- */

static sup_status load(const sup_http_plugin **out) {
  static const sup_plugin_def def = {
      .file = SUP_HTTP_PLUGIN_FILE,
      .symbol = SUP_HTTP_PLUGIN_SYMBOL,
      .size = sizeof **out,
      .what = "--live",
      .remedy = "`make live` installs libmicrohttpd-dev and builds it"};
  const void *table = NULL;
  SUP_TRY(sup_plugin_load(&def, &table));
  *out = table;
  return SUP_OK;
}

static sup_status start_helper(sup_live *live, const char *script) {
  const char *const argv[] = {
      "env",      "--ignore-signal=INT", SUP_PYTHON, script,     live->folder, "--live",
      "--frames", MOST_FRAMES,           "-o",       live->page, NULL};
  SUP_TRY(sup_process_connect(argv, live->log, &live->helper, &live->line));
  if (!live->helper) return SUP_FAIL(SUP_E_IO, "--live: the program env is not there");
  sup_cleanup_add_process(live->helper);
  return SUP_OK;
}

static sup_status set_up(sup_live *live, const sup_simulation *s) {
  unsigned char random[TOKEN];
  char          script[4096 + 64];
  int           port = s->options.port;
  pthread_mutex_init(&live->lock, NULL), pthread_mutex_init(&live->making, NULL);
  live->folder = s->folder, live->end = s->is_static ? s->scene->statics.end : s->scene->end_time;
  SUP_TRY(load(&live->http));
  if (!sup_app_find_script("share.py", script, sizeof script))
    return SUP_FAIL(SUP_E_IO, "--live: the script postproc/share.py is not there");
  if (getrandom(random, sizeof random, 0) != sizeof random)
    return SUP_FAIL(SUP_E_IO, "--live: no random numbers: %s", strerror(errno));
  for (int i = 0; i < TOKEN; i++) snprintf(live->token + 2 * i, 3, "%02x", random[i]);
  SUP_TRY(sup_temporary_folder(live->temporary, sizeof live->temporary));
  snprintf(live->page, sizeof live->page, "%s/page", live->temporary);
  snprintf(live->log, sizeof live->log, "%s/log", live->temporary);
  SUP_TRY(start_helper(live, script));
  live->server = live->http->start(&port, answer_request, live);
  if (!live->server)
    return SUP_FAIL(SUP_E_ARG,
                    "--live: port %d of 127.0.0.1: %s; --port takes another, 0 a free one", port,
                    strerror(errno));
  fprintf(stderr, "live: http://127.0.0.1:%d/%s/\n", port, live->token);
  return SUP_OK;
}

sup_status sup_live_start(sup_simulation *s) {
  if (!s->options.live || !sup_is_first_rank(sup_app_ranks())) return SUP_OK;
  SUP_TRY(SUP_CALLOC(s->live, 1));
  return set_up(s->live, s);
}

/** Time passes while the run is paused. */
static bool is_paused(sup_live *live) {
  pthread_mutex_lock(&live->lock);
  bool is_paused = live->is_paused && !live->is_stopped && !sup_app_interrupted;
  pthread_mutex_unlock(&live->lock);
  if (is_paused) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  return is_paused;
}

static void publish(sup_live *live, const sup_simulation *s, bool is_over) {
  pthread_mutex_lock(&live->lock);
  live->time = sup_state_time(s->state), live->frames = sup_output_frames(s->output);
  live->is_over = is_over;
  if (live->is_stopped) sup_app_interrupted = 1;
  pthread_mutex_unlock(&live->lock);
}

void sup_live_step(const sup_simulation *s) {
  if (!s->live) return;
  publish(s->live, s, 0);
  if (!is_paused(s->live)) return;
  if (!s->options.quiet) fprintf(stderr, "%slive: paused\n", isatty(STDERR_FILENO) ? "\n" : "");
  while (is_paused(s->live)) continue;
  publish(s->live, s, 0);
}

/** A page that was there in the last seconds gets the end of the run. */
static void wait_for_page(sup_live *live) {
  const double recent = sup_app_numerics.page;
  double       now = sup_wall_time(), until = now + 6 * recent;
  sig_atomic_t before = sup_app_interrupted;
  bool         is_awaited = live->is_stopped || !before;
  sup_app_interrupted = 0; /* Ctrl-C ends the wait */
  while (is_awaited && !sup_app_interrupted && now < until) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    now = sup_wall_time();
    pthread_mutex_lock(&live->lock);
    is_awaited = !live->is_seen && (live->num_waiting || now < live->asked + recent);
    pthread_mutex_unlock(&live->lock);
  }
  if (before) sup_app_interrupted = before;
}

/** Answers that wait for it are bad ones from here on. */
static void stop_helper(sup_live *live) {
  sup_process_end end;
  if (!live->helper) return;
  sup_process_stop(live->helper, 1);
  while (!sup_process_poll(live->helper, &end))
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  sup_cleanup_forget_process(live->helper);
}

void sup_live_end(sup_simulation *s) {
  sup_live *live = s->live;
  if (!live) return;
  if (live->server && s->output) {
    publish(live, s, 1);
    wait_for_page(live);
  }
  stop_helper(live);
  if (live->server) live->http->stop(live->server);
  if (live->helper) close(live->line);
  if (live->temporary[0]) sup_temporary_folder_remove(live->temporary);
  pthread_mutex_destroy(&live->lock), pthread_mutex_destroy(&live->making);
  SUP_FREE(s->live);
}
