/* A run that a browser shows while it goes on. */
#include "app_test.h"

static bool has(const char *command) {
  char line[256];
  snprintf(line, sizeof line, "%s >/dev/null 2>&1", command);
  return system(line) == 0;
}

static void a_page_follows_pauses_and_stops_a_run(void) {
  char line[9000];
  if (!has("test -f $(dirname ${SUPPLE:-build/release/supple})/supple-http.so"))
    SKIP("no libmicrohttpd: `make live` installs it");
  if (!has("/usr/bin/python3 -c 'import vtk, numpy, yaml, matplotlib'"))
    SKIP("python3-vtk9 or python3-matplotlib is not installed; ");
  bool has_browser =
      has("command -v chromium chromedriver") && has("/usr/bin/python3 -c 'import selenium'");
  snprintf(line, sizeof line, "/usr/bin/python3 tests/app/live.py %s %s%s >%s/log 2>&1",
           app_program(), test_folder(), has_browser ? " browser" : "", test_folder());
  CHECK(system(line) == 0 || system(app_arguments("cat FOLDER/log")) < 0);
  if (!has_browser) SKIP("chromium, chromium-driver or python3-selenium is not installed; ");
}

static void options_are_checked(void) {
  check_run("run examples/balloon.yaml --port 8000", 2, "expected 0 to 65535 and --live");
  check_run("run examples/balloon.yaml --live --port 70000", 2, "found 70000 for --port");
}

SUITE_TESTS(live, TEST(a_page_follows_pauses_and_stops_a_run), TEST(options_are_checked));
