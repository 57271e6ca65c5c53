/* `supple sweep`: what it leaves, what it keeps, what fails. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/app_test.h"
#include "base/file/file.h"
#include "base/memory.h"

static const char study_text[] =
    "supple: 1\n"
    "title: drop\n"
    "scene: %s/tests/data/scene/drop.yaml\n"
    "mode: run\n"
    "set: {output.format: none, time.end: %s}\n"
    "parameters:\n"
    "  E: {key: soft.cube.material.youngs_modulus, values: [50 kPa, 100 kPa]}\n"
    "  friction: {key: [rigid.floor.contact.friction, soft.cube.contact.friction], values: [0.2, "
    "-1, 0.4]}\n"
    "quantities:\n"
    "  height: {column: ball.z, take: end, scale: 1000, unit: mm}\n";

static void write_study(const char *end) {
  char path[512], folder[4096];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(path, sizeof path, "%s/drop_sweep.yaml", test_folder());
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fprintf(file, study_text, folder, end);
  fclose(file);
}

static char *table(void) {
  char   path[512], *data = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/swept/sweep.csv", test_folder());
  OK(sup_file_read(path, &data, &size));
  return data;
}

static int count_words(const char *text, const char *word) {
  int count = 0;
  for (; (text = strstr(text, word)) != NULL; text += strlen(word)) count++;
  return count;
}

static long modified(const char *name) {
  char  path[512], command[600], text[64] = "";
  FILE *pipe;
  snprintf(path, sizeof path, "%s/swept/%s", test_folder(), name);
  snprintf(command, sizeof command, "stat -c %%Y%%y '%s' | tr -dc 0-9 | tail -c 12", path);
  pipe = popen(command, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
  CHECK(fgets(text, sizeof text, pipe) != NULL);
  pclose(pipe);
  return atol(text);
}

static void failures_are_rows_and_what_has_ended_is_kept(void) {
  write_study("10 ms");
  check_run("sweep FOLDER/drop_sweep.yaml -o FOLDER/swept", 1, "4 cases done, 2 failed: ");
  char *csv = table();
  CHECK(strncmp(csv, "case,E [kPa],friction,height [mm],status,message,", 49) == 0);
  CHECK(count_words(csv, ",done,") == 4 && count_words(csv, ",failed,") == 2);
  CHECK(strstr(csv, "2,50,-1,,failed,--set rigid.floor.contact.friction=-1: friction is -1; ") !=
        NULL);
  CHECK(access(app_arguments("FOLDER/swept/sweep.png"), F_OK) == 0);
  long before = modified("case_00006/history.csv");
  check_run("sweep FOLDER/drop_sweep.yaml -o FOLDER/swept --no-plot", 1, "4 cases done, 2 failed");
  CHECK(modified("case_00006/history.csv") == before);
  char *again = table();
  CHECK(strcmp(csv, again) == 0);
  SUP_FREE(csv);
  SUP_FREE(again);
  write_study("20 ms"); /* another study: nothing is kept */
  check_run("sweep FOLDER/drop_sweep.yaml -o FOLDER/swept --no-plot -q", 1, "case_00002 failed");
  CHECK(modified("case_00006/history.csv") != before);
}

static void parts_are_run_beside_each_other_and_collected(void) {
  write_study("10 ms");
  check_run("sweep FOLDER/drop_sweep.yaml -o FOLDER/parts --slurm 2", 0, "sbatch ");
  char  *script = NULL;
  size_t size;
  OK(sup_file_read(app_arguments("FOLDER/parts/sweep.slurm"), &script, &size));
  CHECK(strstr(script, "#SBATCH --array=0-1\n") && strstr(script, "\"$SLURM_ARRAY_TASK_ID/2\""));
  SUP_FREE(script);
  check_run("sweep FOLDER/drop_sweep.yaml -o FOLDER/parts --part 1/2 -q", 1, "case_00002 failed");
  CHECK(access(app_arguments("FOLDER/parts/case_00004"), F_OK) == 0);
  CHECK(access(app_arguments("FOLDER/parts/case_00003"), F_OK) != 0);
  int state =
      system(app_arguments("SLURM_ARRAY_TASK_ID=0 sh FOLDER/parts/sweep.slurm >/dev/null 2>&1"));
  CHECK(WEXITSTATUS(state) == 1); /* a case of each part fails */
  CHECK(access(app_arguments("FOLDER/parts/case_00003/level.json"), F_OK) == 0);
  check_run("sweep FOLDER/drop_sweep.yaml -o FOLDER/parts --no-plot", 1, "4 cases done, 2 failed");
}

static void an_interrupted_sweep_goes_on(void) {
  char              study[512], folder[512];
  const char *const argv[] = {app_program(), "sweep", study, "-o", folder, "-j", "1", "-q", NULL};
  sup_process_end   end;
  write_study("20 s");
  snprintf(study, sizeof study, "%s/drop_sweep.yaml", test_folder());
  snprintf(folder, sizeof folder, "%s/interrupted_sweep", test_folder());
  long id = app_start(argv, "/dev/null");
  for (int k = 0;
       k < 2000 &&
       access(app_arguments("FOLDER/interrupted_sweep/case_00001/history.csv"), F_OK) != 0;
       k++)
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  kill((pid_t)id, SIGTERM);
  while (!sup_process_poll(id, &end)) nanosleep(&(struct timespec){0, 5000000}, NULL);
  CHECK(end.exit_code == 4);
  CHECK(access(app_arguments("FOLDER/interrupted_sweep/sweep.csv"), F_OK) == 0);
}

static void wrong_words_are_named(void) {
  write_study("10 ms");
  check_run("sweep", 2, "a study is missing");
  check_run("sweep FOLDER/drop_sweep.yaml --part 2/2", 2, "expected K/N with 0 <= K < N");
  check_run("sweep FOLDER/drop_sweep.yaml --check", 0, "6 cases, about ");
  check_run("converge FOLDER/drop_sweep.yaml", 2, "it is run by `supple sweep` or");
  check_run("sweep examples/studies/cantilever.yaml", 2, "run by `supple converge`");
}

static const char beam_text[] =
    "supple: 1\nscene: %s/examples/studies/cantilever_bar.yaml\nmode: static\n"
    "set: {soft.bar.mesh.box.cells: [10, 1, 1]}\n%s\n"
    "quantities: {tip: {column: probe.tip.z, take: change, scale: 1000, unit: mm}}\n";

static void write_cases(const char *cases) {
  char text[2048], folder[1024];
  CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(folder, sizeof folder));
  snprintf(text, sizeof text, beam_text, folder, cases);
  app_write_file("cases.yaml", text);
}

/** Number in the last field of the part of row `name`, before the status. */
static double tip_of(const char *csv, const char *name) {
  const char *at = strstr(csv, name);
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  return strtod(at + strlen(name), NULL);
}

static void named_cases_are_rows(void) {
  static const char *const wrong[][2] = {{"cases: {soft: 3}", "soft must be a mapping"},
                                         {"cases: {a b: {}}", "case"},
                                         {"cases: {a: {soft.bar.mesch: 3}}", "mesch"}};
  write_cases(
      "parameters: {f: {key: soft.bar.tractions.0.force.2, values: [-1.0e-5, -2.0e-5]}}\n"
      "cases: {it: {}, soft: {materials.rubber.youngs_modulus: 1 MPa}, two: "
      "{materials.rubber.youngs_modulus: 1 MPa, soft.bar.mesh.box.size.1: 5 mm}}");
  check_run("sweep FOLDER/cases.yaml --check", 0,
            "case_00002  soft  soft.bar.tractions.0.force.2=-1.0e-5 "
            "materials.rubber.youngs_modulus=1 MPa");
  check_run("sweep FOLDER/cases.yaml -o FOLDER/cases --no-plot", 0, "6 cases done, 0 failed");
  char *csv = app_read_file("cases", "sweep.csv");
  CHECK(strncmp(csv, "case,f,load case,tip [mm],", 26) == 0);
  double it = tip_of(csv, "1,-1e-05,it,");
  NEAR(tip_of(csv, "2,-1e-05,soft,"), 2.5 * it, 1e-5, 0); /* 2.5 MPa of the scene; small loads */
  NEAR(tip_of(csv, "3,-1e-05,two,"), 5 * it, 2e-2, 0);    /* half as wide */
  NEAR(tip_of(csv, "5,-2e-05,soft,"), 5 * it, 1e-4, 0);
  SUP_FREE(csv);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_cases(wrong[i][0]);
    check_run("sweep FOLDER/cases.yaml --check", 2, wrong[i][1]);
  }
}

static void tables_have_the_digits_of_error_bars(void) {
  char command[2048];
  if (access("/usr/bin/python3", X_OK) != 0) SKIP("python3 is not installed; ");
  CHECK(system(app_arguments("mkdir -p FOLDER/bars FOLDER/sweep FOLDER/pulls")) == 0);
  app_write_file(
      "bars/manifest.json",
      "{\"title\": \"t\", \"tolerance\": 0.02, \"quantities\": {\"f\": {\"unit\": \"N/m^2\"}}}");
  app_write_file(
      "bars/convergence.json",
      "{\"families\": {\"a_1\": {\"quantities\": {\"f\": {\"values\": [1, 1.23456], \"gci\": "
      "0.01}}}, \"b\": {\"quantities\": {\"f\": {\"values\": [12345], \"gci\": 0.055}}}, "
      "\"c\": {\"quantities\": {\"f\": {\"values\": [0.0123456], \"gci\": null}}}}}");
  app_write_file(
      "sweep/sweep.json",
      "{\"title\": \"t\", \"tolerance\": 0.001, \"parameters\": [{\"column\": \"x [mm]\"}]}");
  app_write_file("sweep/sweep.csv", "case,x [mm],f [N],status\n1,0.25,1.23456,done\n2,1,,failed\n");
  app_write_file("pulls/holding.json", "{\"title\": \"t\", \"tolerance\": 0.02, \"levels\": 2}");
  app_write_file("pulls/holding.csv",
                 "level,pull,x,peak force [N],peak moment [N m],peak bar [N or N m],energy [J]\n"
                 "1,pull,1,20,0,0.5,2\n2,pull,6.12e-17,9.998,3e-15,0.13,1.5e-7\n"
                 "2,turn,1,2.5e-15,0.12345678,0.0012,9.998\n");
  snprintf(command, sizeof command,
           "cd FOLDER && for d in bars sweep pulls; do /usr/bin/python3 %s/postproc/table.py $d -o "
           "$d.tex && "
           "/usr/bin/python3 %s/postproc/table.py $d -o $d.csv; done >/dev/null",
           "$OLDPWD", "$OLDPWD");
  CHECK(system(app_arguments(command)) == 0);
  static const char *const wrong[][2] = {
      {"-c x foo", "no column begins with foo: x [mm], f [N]"},
      {"-o table.pdf", "table.pdf ends with '.pdf'; expected .tex or .csv"}};
  for (int k = 0; k < 2; k++) {
    snprintf(command, sizeof command,
             "/usr/bin/python3 postproc/table.py FOLDER/sweep %s 2>&1 >/dev/null | grep -F \"%s\" "
             ">/dev/null",
             wrong[k][0], wrong[k][1]);
    CHECK(system(app_arguments(command)) == 0);
  }
  static const struct {
    const char *file, *text;
  } expected[] = {
      {"bars.tex",
       "family & f [N/m\\textsuperscript{2}] \\\\\n\\midrule\na\\_1 & $1.235 \\pm 0.012$ \\\\\n"},
      {"bars.tex", "b & $12340 \\pm 680$"},
      {"bars.tex", "c & $0.0123$"},
      {"bars.csv", "family,f [N/m^2]\na_1,1.235 +- 0.012\nb,12340 +- 680\nc,0.0123\n"},
      {"pulls.csv",
       "energy [J]\npull,0,10.00 +- 0.13,0,1.50e-07\n"
       "turn,1.00,0,0.1235 +- 0.0012,10.0\n"},
      {"pulls.tex", "$10.00 \\pm 0.13$ & $0$ & $1.50 \\times 10^{-7}$"},
      {"sweep.csv", "x [mm],f [N]\n0.25,1.235\n1,failed\n"}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    char *text = app_read_file(".", expected[i].file);
    CHECK(strstr(text, expected[i].text) != NULL);
    SUP_FREE(text);
  }
}

static void tables_are_typeset(void) {
  if (system("pdflatex --version >/dev/null 2>&1 && kpsewhich booktabs.sty >/dev/null") != 0)
    SKIP("pdflatex with booktabs is not installed; ");
  tables_have_the_digits_of_error_bars();
  app_write_file("page.tex",
                 "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
                 "\\input{bars}\n\n\\input{sweep}\n\n\\input{pulls}\n\\end{document}\n");
  CHECK(system(app_arguments("cd FOLDER && pdflatex -halt-on-error page >/dev/null")) == 0);
  char *log = app_read_file(".", "page.log");
  CHECK(strstr(log, "Overfull") == NULL && strstr(log, "Missing") == NULL);
  SUP_FREE(log);
}

SUITE_TESTS(sweep_command, TEST(named_cases_are_rows), TEST(tables_have_the_digits_of_error_bars),
            TEST(tables_are_typeset), TEST(failures_are_rows_and_what_has_ended_is_kept),
            TEST(parts_are_run_beside_each_other_and_collected), TEST(an_interrupted_sweep_goes_on),
            TEST(wrong_words_are_named));
