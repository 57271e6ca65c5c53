/* Check of the pages of the manual: their commands run, their keys, options, names and files exist
 * (tests/app/manual.py).  The man pages and completions have every key and option. */
#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "scene/schema/schema.h"

static int has_python(void) {
  return system("/usr/bin/python3 -c 'import yaml' >/dev/null 2>&1") == 0;
}

/** Runs that the sanitizers make ten times slower are left to the release build. */
#ifdef SUP_SANITIZED
static const char how[] = "--no-run";
#else
static const char how[] = "";
#endif

/** Pages by their paths, separated by blanks. */
static void check_pages(const char *pages) {
  char command[2048];
  if (!has_python()) SKIP("python3-yaml is not installed; ");
  snprintf(command, sizeof command,
           "/usr/bin/python3 tests/app/manual.py %s %s --program %s --folder %s/manual "
           ">%s/manual.txt 2>&1 || { cat %s/manual.txt; exit 1; }",
           pages, how, app_program(), test_folder(), test_folder(), test_folder());
  CHECK(system(command) == 0);
}

static void readme_is_true(void) { check_pages("README.md"); }
static void examples_are_true(void) { check_pages("examples/README.md"); }
static void writing_a_scene_is_true(void) { check_pages("examples/SCENE.md"); }
static void studies_are_true(void) {
  check_pages("examples/studies/README.md examples/studies/CALIBRATION.md");
}
static void meshes_are_true(void) { check_pages("meshes/README.md"); }
static void materials_are_true(void) { check_pages("materials/README.md"); }
static void results_are_true(void) { check_pages("postproc/README.md"); }
static void validation_is_true(void) { check_pages("tests/README.md"); }
static void map_is_true(void) { check_pages("src/README.md"); }
static void decisions_are_true(void) { check_pages("src/DECISIONS.md"); }
static void theory_is_true(void) {
  check_pages(
      "src/THEORY.md src/tree/THEORY.md src/fem/THEORY.md src/law/THEORY.md "
      "src/la/THEORY.md src/solve/THEORY.md src/collide/THEORY.md src/step/THEORY.md "
      "src/step/static/THEORY.md src/adjoint/THEORY.md src/control/THEORY.md");
}
/** Numbers of sections that comments cite are headings of the theory. */
static void cited_sections_exist(void) {
  CHECK(system("cited=$(grep -rhoE 'THEORY [0-9.]+((,| and| to) [1-9][0-9.]*)*' src tests postproc "
               "| "
               "grep -oE '[0-9]+(\\.[0-9]+)?' | sort -u); missing=; "
               "for n in $cited; do grep -qE \"^##+ $n \" src/THEORY.md src/*/THEORY.md "
               "src/*/*/THEORY.md || "
               "missing=\"$missing $n\"; done; "
               "grep -rqE 'THEORY_[0-9]' src tests postproc && missing=\"$missing THEORY_n\"; "
               "[ -n \"$cited\" ] && [ -z \"$missing\" ] || "
               "{ echo \"no section of the theory:$missing\" >&2; exit 1; }") == 0);
}

/* ---- man pages and completions --------------------------------------------------------------- */

static char *made(const char *name) {
  char   path[512], *data = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/share/%s", test_folder(), name);
  OK(sup_file_read(path, &data, &size));
  return data;
}

typedef struct search {
  const char *man, *bash, *zsh;
  int         count, missing;
} search;

static int look_for(const sup_schema_step *step, void *user) {
  search *s = user;
  char    head[SUP_SCHEMA_PATH_SIZE + 16];
  s->count++;
  snprintf(head, sizeof head, "\\fB%s\\fR", step->path);
  int is_missing =
      !strstr(s->man, head) || !strstr(s->bash, step->path) || !strstr(s->zsh, step->path);
  if (is_missing) printf("\n    missing: %s", step->path);
  s->missing += is_missing;
  return 0;
}

static void man_pages_and_completions_have_every_key(void) {
  char command[1024];
  if (!has_python()) SKIP("python3 is not installed; ");
  if (app_exists("share", "man/man1/supple.1")) return; /* by a test before */
  snprintf(command, sizeof command, "/usr/bin/python3 .ci/manual %s %s/share", app_program(),
           test_folder());
  CHECK(system(command) == 0);
  char *scene = made("man/man5/supple-scene.5"), *page = made("man/man1/supple.1"),
       *summary = made("man/man5/supple-summary.5"), *columns = made("man/man5/supple-columns.5"),
       *bash = made("bash-completion/completions/supple"),
       *zsh = made("zsh/site-functions/_supple");
  search s = {scene, bash, zsh, 0, 0};
  (void)sup_schema_walk(&sup_schema_scene, look_for, &s);
  CHECK(s.count > 300 && s.missing == 0);
  CHECK(strstr(page, "\\fB\\-\\-estimate\\fR") && strstr(page, ".SH SUPPLE MESH FINRAY"));
  CHECK(strstr(bash, "mesh_refine_options|") && strstr(zsh, "run_options|"));
  CHECK(strstr(summary, "\\fBenergy_final\\fR [J]\nat the end: kinetic, ") != NULL);
  CHECK(strstr(columns, "\\fBmomentum_residual\\fR [sqrt(J)]\n") &&
        strstr(page, "supple\\-summary"));
  char *library = made("man/man3/libsupple.3");
  CHECK(strstr(library, "\\fBSUP_READ_PAIR_WRENCH\\fR\nof a pair: 1 x 6") != NULL);
  SUP_FREE(summary), SUP_FREE(columns), SUP_FREE(library);
  SUP_FREE(scene), SUP_FREE(page), SUP_FREE(bash), SUP_FREE(zsh);
}

/** Check the completions that a shell offers behind the words of a line. */
static void check_offer(const char *command, const char *line, const char *expected) {
  char  out[1024] = "";
  FILE *pipe = popen(command, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
  size_t length = fread(out, 1, sizeof out - 1, pipe);
  out[length] = '\0';
  pclose(pipe);
  if (strcmp(out, expected) != 0) printf("\n    %s: %s", line, out);
  CHECK(strcmp(out, expected) == 0);
}

static void bash_offers(const char *line, const char *expected) {
  char command[2048];
  snprintf(command, sizeof command,
           "bash -c '. %s/share/bash-completion/completions/supple; COMP_LINE=\"%s\"; "
           "COMP_POINT=${#COMP_LINE}; _supple 2>/dev/null; echo \"${COMPREPLY[*]}\"'",
           test_folder(), line);
  check_offer(command, line, expected);
}

static void zsh_offers(const char *line, const char *expected) {
  char command[2048];
  snprintf(command, sizeof command,
           "zsh tests/app/completion.zsh %s/share/zsh/site-functions/_supple \"%s\" 2>&1",
           test_folder(), line);
  check_offer(command, line, expected);
}

static const char grasp[] = "supple run examples/finray_grasp.yaml --set ";

static const char *after_grasp(const char *word) {
  static char line[256];
  snprintf(line, sizeof line, "%s%s", grasp, word);
  return line;
}

static void check_shell(void (*offers)(const char *line, const char *expected)) {
  offers("supple conv", "converge\n");
  offers("supple run --est", "--estimate\n");
  offers("supple mesh finray --rib-",
         "--rib-angle --rib-angles --rib-cells --rib-fan --rib-heights --rib-thicknesses\n");
  offers(after_grasp("time.st"), "time.step=\n");
  offers(after_grasp("rigid."), "rigid.floor. rigid.cylinder.\n");
  offers(after_grasp("rigid.cylinder.contact.fr"), "rigid.cylinder.contact.friction=\n");
  offers(after_grasp("contact.model=si"), "similar similar_regularized\n");
  offers(after_grasp("soft.left_finger.mass=l"), "lumped\n");
  offers("supple help su", "summary\n");
  offers("supple help scene contact.patch.", "contact.patch.cut contact.patch.force_at\n");
}

static void bash_completes_commands_options_keys_and_names(void) {
  man_pages_and_completions_have_every_key();
  if (system("command -v bash >/dev/null") != 0) SKIP("bash is not installed; ");
  check_shell(bash_offers);
  bash_offers("supple run examples/finray_pr", "examples/finray_press.yaml\n");
}

static void zsh_completes_commands_options_keys_and_names(void) {
  man_pages_and_completions_have_every_key();
  if (system("command -v zsh >/dev/null") != 0) SKIP("zsh is not installed; ");
  check_shell(zsh_offers);
  zsh_offers("supple run examples/finray_pr", "files -g *.yaml(-.)\n");
}

SUITE_TESTS(manual, TEST(readme_is_true), TEST(examples_are_true), TEST(writing_a_scene_is_true),
            TEST(studies_are_true), TEST(meshes_are_true), TEST(materials_are_true),
            TEST(results_are_true), TEST(validation_is_true), TEST(map_is_true),
            TEST(decisions_are_true), TEST(theory_is_true), TEST(cited_sections_exist),
            TEST(man_pages_and_completions_have_every_key),
            TEST(bash_completes_commands_options_keys_and_names),
            TEST(zsh_completes_commands_options_keys_and_names));
