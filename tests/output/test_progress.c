/* Progress on a terminal.  The file under test is part of the program, not of the library. */
#include "app/progress.c"

#include "test.h"

static const sup_step_report some_step = {
    .reason = SUP_REASON_TOLERANCE, .iterations = 4, .num_contacts = 312};

/** Text that was written to the stream so far, in a static buffer. */
static const char *contents(FILE *stream) {
  static char text[8192];
  fflush(stream);
  rewind(stream);
  text[fread(text, 1, sizeof text - 1, stream)] = '\0';
  return text;
}

/** Running statistics of a column, to be written by hand. */
static sup_running *kept(sup_statistics *s, const char *column) {
  return &s->running[sup_statistics_index(column)];
}

static sup_statistics good_run(void) {
  static double seconds[500];
  for (int i = 0; i < 500; i++) seconds[i] = 1.5e-3;
  sup_statistics s = {.step_seconds = seconds,
                      .tolerance = 1e-5,
                      .feature_size = 1e-3,
                      .steps = 500,
                      .time = 5,
                      .stiff_penetration_max = 2e-5,
                      .energy_scale = 1,
                      .overstretch = {.soft = SUP_NONE},
                      .stiff_penetration_body = {SUP_NONE, SUP_NONE},
                      .phase = {0.25, 0.5}};
  for (int i = 0; i < SUP_MAX_STATISTICS; i++) sup_running_begin(&s.running[i]);
  *kept(&s, "momentum_error") = (sup_running){.max = 9e-6, .max_time = 1.25, .max_body = SUP_NONE};
  *kept(&s, "newton") = (sup_running){.max = 9, .sum = 1500, .count = 500};
  *kept(&s, "contacts") = (sup_running){.max = 300, .sum = 50000, .count = 500};
  kept(&s, "penetration")->max = 3e-4;
  kept(&s, "energy.total")->final = 0.5;
  return s;
}

/** Table and verdicts, of which so many are no PASS. */
static const char *closing_lines(const sup_statistics *statistics, int warnings) {
  static char  text[8192];
  FILE        *file = tmpfile();
  sup_progress progress;
  sup_verdicts verdicts;
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  sup_progress_begin(&progress, file, 0, 5, SUP_CONTACT_SOLVER_NEWTON);
  sup_progress_end(&progress, statistics);
  sup_verdicts_evaluate(&verdicts, statistics);
  sup_progress_verdicts(file, 0, &verdicts);
  CHECK(verdicts.num_warnings + verdicts.num_failures == warnings);
  snprintf(text, sizeof text, "%s", contents(file));
  fclose(file);
  return text;
}

static void file_gets_a_plain_line_every_few_seconds(void) {
  FILE        *file = tmpfile();
  sup_progress progress;
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  sup_progress_begin(&progress, file, 0, 5, SUP_CONTACT_SOLVER_NEWTON);
  sup_progress_step(&progress, 0.01, &some_step);
  CHECK(contents(file)[0] == '\0');
  progress.start -= 10, progress.last -= 6; /* ten seconds ago */
  sup_progress_step(&progress, 1.25, &some_step);
  sup_progress_step(&progress, 1.26, &some_step);
  const char *text = contents(file);
  CHECK(strstr(text, "t 1.25 of 5 s (25 %)") == text);
  CHECK(strstr(text, "0.12 x real time, Newton 4, contacts 312, ETA 30 s\n") != NULL);
  CHECK(strchr(text, '\n')[1] == '\0' && !strchr(text, '\r') && !strchr(text, '\033'));
  fclose(file);
}

static void line_names_the_solver(void) {
  FILE        *file = tmpfile();
  sup_progress progress;
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  sup_progress_begin(&progress, file, 0, 5, SUP_CONTACT_SOLVER_CCP_ADMM);
  progress.start -= 10, progress.last -= 6;
  sup_progress_step(&progress, 1.25, &some_step);
  CHECK(strstr(contents(file), "real time, ccp_admm 4, contacts 312") != NULL);
  fclose(file);
}

static void terminal_line_is_rewritten_and_cleared(void) {
  FILE        *file = tmpfile();
  sup_progress progress;
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  sup_progress_begin(&progress, file, 0, 5, SUP_CONTACT_SOLVER_NEWTON);
  progress.is_terminal = 1; /* as on a terminal of unknown width */
  progress.last -= .2;
  sup_progress_step(&progress, 1, &some_step);
  int length = progress.line_length;
  CHECK(length > 40 && length <= 79);
  sup_progress_step(&progress, 1.01, &some_step); /* within a tenth of a second: nothing */
  CHECK(strlen(contents(file)) == (size_t)length + 1);
  sup_progress_clear(&progress);
  sup_progress_clear(&progress);
  CHECK(strlen(contents(file)) == 2 * (size_t)length + 3);
  CHECK(strchr(contents(file), '\n') == NULL);
  fclose(file);
}

static void quiet_run_prints_nothing(void) {
  sup_progress   progress;
  sup_statistics statistics = good_run();
  sup_progress_begin(&progress, NULL, 0, 5, SUP_CONTACT_SOLVER_NEWTON);
  progress.last -= 100;
  sup_progress_step(&progress, 1, &some_step);
  sup_progress_clear(&progress);
  sup_progress_end(&progress, &statistics); /* nor does it write to a stream that is not there */
  CHECK(progress.stream == NULL && progress.line_length == 0);
}

static void quiet_run_prints_what_is_wrong_and_its_remedy(void) {
  FILE          *file = tmpfile();
  sup_statistics s = good_run();
  sup_verdicts   verdicts;
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  sup_verdicts_evaluate(&verdicts, &s);
  sup_progress_verdicts(file, 1, &verdicts);
  CHECK(contents(file)[0] == '\0' && verdicts.num_warnings == 0 && verdicts.num_failures == 0);
  kept(&s, "inverted_elements")->max = 3, kept(&s, "inverted_elements")->max_time = .5;
  sup_verdicts_evaluate(&verdicts, &s);
  sup_progress_verdicts(file, 1, &verdicts);
  const char *text = contents(file);
  CHECK(strstr(text, "WARN  inverted elements: up to 3 at t = 0.5 s; smaller loads") == text);
  CHECK(strchr(text, '\n')[1] == '\0');
  fclose(file);
}

static void good_run_passes(void) {
  sup_statistics statistics = good_run();
  const char    *text = closing_lines(&statistics, 0);
  CHECK(strstr(text, "500 steps to 5 s") != NULL);
  CHECK(strstr(text, "Newton iterations: mean 3.0, most 9; contacts: mean 100, most 300\n"));
  CHECK(strstr(text, "kinematics") != NULL && strstr(text, "0.500 ms") != NULL &&
        strstr(text, "output") != NULL);
  CHECK(strstr(text, "step: median 1.500 ms, mean 1.500 ms, longest 1.500 ms") != NULL);
  CHECK(strstr(text, "PASS  momentum error: at most 9e-06 at t = 1.25 s (tolerance 1e-05)\n") !=
        NULL);
  CHECK(
      strstr(
          text,
          "PASS  penetration (not into compliant bodies): at most 0.02 mm, 2 % of the smallest") !=
      NULL);
  CHECK(strstr(text, "PASS  inverted elements: 0\n") != NULL);
  CHECK(strstr(text, "PASS  energy: 0.5 J at the end") != NULL);
  CHECK(strstr(text, "WARN") == NULL && strchr(text, '\033') == NULL);
}

static void each_fault_is_a_warning(void) {
  sup_statistics s = good_run();
  kept(&s, "momentum_error")->max = 2e-5;
  CHECK(strstr(closing_lines(&s, 1), "WARN  momentum error") != NULL);
  s = good_run();
  s.stiff_penetration_max = 2e-4;
  CHECK(strstr(closing_lines(&s, 1),
               "WARN  penetration (not into compliant bodies): at most 0.2 mm, 20 %") != NULL);
  s = good_run();
  kept(&s, "inverted_elements")->max = 3;
  CHECK(strstr(closing_lines(&s, 1), "WARN  inverted elements: up to 3 at t = 0 s; ") != NULL);
  s = good_run();
  s.silent = (sup_incidents){2, .25, {"plate", "floor"}};
  CHECK(strstr(closing_lines(&s, 1),
               "WARN  pressure fields: in 2 steps, first at t = 0.25 s between 'plate' and "
               "'floor', bodies overlapped too deep to touch") != NULL);
  s = good_run();
  s.energy_growth = 0.01;
  CHECK(strstr(closing_lines(&s, 1), "WARN  energy") != NULL);
  s.is_explicit = 1;
  CHECK(strstr(closing_lines(&s, 0), "swings by 0.01 J (springs of an explicit scheme)") != NULL);
  s.is_driven = 1;
  CHECK(strstr(closing_lines(&s, 0), "driven from outside") != NULL);
  s.nonfinite = 2;
  CHECK(strstr(closing_lines(&s, 1), "WARN  energy: 2 numbers were not finite") != NULL);
  CHECK(strstr(closing_lines(&s, 1), "PASS  energy") == NULL);
  s = good_run();
  s.not_converged = 4;
  CHECK(strstr(closing_lines(&s, 1), "4 of 500 steps did not converge") != NULL);
}

static void void_results_fail(void) {
  sup_statistics s = good_run();
  kept(&s, "momentum_error")->max = 9e-3;
  CHECK(strstr(closing_lines(&s, 1),
               "WARN  momentum error: at most 0.009 at t = 1.25 s (tolerance 1e-05); masses "));
  kept(&s, "momentum_error")->max = 1.1e-2;
  CHECK(strstr(closing_lines(&s, 1),
               "FAIL  momentum error: at most 0.011 at t = 1.25 s (tolerance 1e-05): above 0.01 "
               "the result is void; masses ") != NULL);
  kept(&s, "momentum_error")->max = nan("");
  CHECK(strstr(closing_lines(&s, 1), "FAIL  momentum error") != NULL);
  s = good_run();
  s.explosion =
      (sup_explosion){.ratio = 999, .energy = 999, .put_in = 1, .time = 2, .body = SUP_NONE};
  CHECK(strstr(closing_lines(&s, 0), "times the") == NULL);
  s.explosion.ratio = 1001;
  s.is_driven = 1; /* then, too */
  CHECK(strstr(closing_lines(&s, 1),
               "FAIL  energy: 999 J at t = 2 s, 1e+03 times the 1 J that were put in") != NULL);
}

static void soft_contacts_are_listed_and_judged(void) {
  sup_body        body[] = {{.name = "floor", .soft = SUP_NONE}, {.name = "cube", .soft = 0}};
  sup_pair        of[] = {{.touch = SUP_TOUCH_SURFACE_DEPTH}, {.touch = SUP_TOUCH_FIELD_FIELD}};
  sup_model       model = {.body = body, .num_pairs = 2, .pair = of, .contact = {.layer = 10}};
  sup_pair_sum    pair[] = {{.a = 1, .b = 0}, {.a = 1, .b = 1}};
  int             body_pair[] = {0, 1};
  sup_observation obs = {.model = &model, .num_pairs = 2, .pair = pair, .body_pair = body_pair};
  sup_softening   softening[] = {{.layer = 3e-3, .field = .2, .own = 1}, {.layer = 1e-3, .own = 2}};
  sup_statistics  s = good_run();
  s.obs = &obs, s.softening = softening;
  const char *text = closing_lines(&s, 0);
  CHECK(strstr(text, "cube, floor                          0.3 %      20 %\n") != NULL);
  CHECK(strstr(text, "cube, cube                          0.05 %         -\n") != NULL);
  CHECK(strstr(text,
               "PASS  contact layers: yield at most 0.3 % of the soft bodies' own deflection, "
               "between 'cube' and 'floor' (limit 1 %)\n") != NULL);
  softening[0].layer = .02;
  text = closing_lines(&s, 1);
  CHECK(strstr(text, "WARN  contact layers: yield at most 2 %") != NULL);
  CHECK(strstr(text,
               "; more cells across the soft body, or where ten of its vertices and more "
               "press 'contact: {soft_surface: vertices, layer: 22}' in place of 10\n") != NULL);
  of[0].stiffness = 1e9;
  CHECK(strstr(closing_lines(&s, 1),
               "'contact: {soft_surface: vertices}' and a 'stiffness' of "
               "their contact 2.2 times as large\n") != NULL);
  of[0].stiffness = 0, model.contact.soft_surface = SUP_SOFT_SURFACE_VERTICES;
  CHECK(strstr(closing_lines(&s, 1), ", or 'contact: {layer: 22}' in place of 10\n") != NULL);
  softening[1].layer = .2;
  text = closing_lines(&s, 1);
  CHECK(strstr(text, "between 'cube' and 'cube'") != NULL &&
        strstr(text, "more cells across the soft bodies") != NULL);
  softening[0] = softening[1] = (sup_softening){0};
  CHECK(strstr(closing_lines(&s, 0), "contact layers") == NULL);
}

static void run_without_steps_divides_by_nothing(void) {
  sup_statistics s = {.tolerance = 1e-5};
  const char    *text = closing_lines(&s, 0);
  CHECK(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
}

SUITE_TESTS(progress, TEST(file_gets_a_plain_line_every_few_seconds), TEST(line_names_the_solver),
            TEST(terminal_line_is_rewritten_and_cleared), TEST(quiet_run_prints_nothing),
            TEST(quiet_run_prints_what_is_wrong_and_its_remedy), TEST(good_run_passes),
            TEST(each_fault_is_a_warning), TEST(void_results_fail),
            TEST(soft_contacts_are_listed_and_judged), TEST(run_without_steps_divides_by_nothing));
