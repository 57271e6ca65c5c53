/* `supple help scene` and `supple help study`: what the program says about the keys of files. */
#include <string.h>

#include "app/app_test.h"
#include "scene/file/yaml.h"

/** Every line has at most 100 letters. */
static void check_width(const char *text) {
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    if (length > 100) printf("\n    %.*s", (int)length, line);
    CHECK(length <= 100);
    line += length + (line[length] == '\n');
  }
}

static void help_lists_sections_and_their_keys(void) {
  static const char *const topics[] = {"scene",
                                       "scene time",
                                       "scene contact",
                                       "scene contact.defaults",
                                       "scene contact.pairs",
                                       "scene rigid",
                                       "scene soft",
                                       "scene output",
                                       "scene soft.mesh",
                                       "scene soft.mesh.finray",
                                       "scene materials",
                                       "study",
                                       "study ladder",
                                       "scene static",
                                       "scene soft.hold",
                                       "scene rigid.motion",
                                       "study quantities"};
  char                     arguments[256];
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    snprintf(arguments, sizeof arguments, "help %s", topics[i]);
    check_width(check_run(arguments, 0, ""));
  }
  check_run("help scene", 0, "contact.barrier, contact.patch, contact.defaults,");
  check_run("help scene", 0, "\n  time        Steps, end of the run, time scheme.");
  check_run("help scene contact", 0,
            "\n  sigma               -        0.001          Regularisation of friction");
  check_run("help scene contact.defaults", 0,
            "\n  stiffness           Pa/m     2e+10 Pa/m  Pressure a metre");
  check_run("help scene contact.defaults.compliant", 0, "\n  margin      m      0.005 m");
  check_run("help study quantities", 0, "excursion");
  check_run("help help", 0, "supple help TOPIC");
}

static void help_tells_all_of_one_key(void) {
  check_run("help scene time.step", 0, "a time, positive");
  check_run("help scene time.step", 0, "default   needed");
  check_run("help scene time.scheme", 0, "bdf2                    second order for soft bodies");
  check_run("help scene soft.finger.mesh.finray.ribs", 0, "soft.mesh.finray.ribs: Number of ribs.");
  check_run("help scene solver.tolerance", 0, "positive, below 1\n  default   1e-05");
  check_run("help scene static.steps", 0,
            "default   1; 20 when motions, targets or loads have tables");
  check_run("help study tolerance", 0, "default   0.02");
}

/** The lines behind "example" are YAML, a value at this path. */
static void example_leads_to(const char *key, const char *const *path, int length) {
  char        arguments[256], text[APP_TEXT_SIZE];
  sup_node   *root = NULL;
  const char *head = "\n  example\n";
  snprintf(arguments, sizeof arguments, "help scene %s", key);
  const char *found = strstr(check_run(arguments, 0, head), head);
  if (!found) return;
  snprintf(text, sizeof text, "%s", found + strlen(head));
  char *end = strstr(text, "\n\n");
  if (end) *end = '\0';
  OK(sup_yaml_parse(&root, text, strlen(text), "help", 1));
  const sup_node *node = root;
  for (int i = 0; i < length && node; i++)
    node = path[i] ? sup_node_find(node, path[i]) : sup_node_at(node, 0);
  CHECK(node != NULL);
  sup_node_destroy(&root);
}

static void examples_can_be_pasted(void) {
  example_leads_to("time.step", (const char *const[]){"time", "step"}, 2);
  example_leads_to("contact.pairs.friction",
                   (const char *const[]){"contact", "pairs", NULL, "friction"}, 4);
  example_leads_to("soft.mesh.box.corners",
                   (const char *const[]){"soft", "NAME", "mesh", "box", "corners"}, 5);
  example_leads_to("soft.clamp.box.lower",
                   (const char *const[]){"soft", "NAME", "clamp", NULL, "box", "lower"}, 6);
  example_leads_to("robots.contact.friction",
                   (const char *const[]){"robots", "NAME", "contact", "NAME", "friction"}, 5);
  example_leads_to("soft", (const char *const[]){"soft", "cube", "mesh", "box", "cells"}, 5);
}

static void unknown_keys_get_the_nearest_or_their_place(void) {
  check_run("help scene contct", 2,
            "a scene has no key 'contct'; did you mean 'contact'? known: supple, title");
  check_run("help scene contact.frction_sweeps", 2, "in contact; did you mean 'friction_sweeps'?");
  check_run("help scene contact.friction", 2,
            "did you mean contact.defaults.friction or contact.pairs.friction?");
  check_run("help scene youngs_modulus", 2, "did you mean materials.youngs_modulus");
  check_run("help scene soft.friction", 2, "did you mean soft.contact.friction?");
  check_run("help scene time.step.x", 2, "a scene has no key 'x' in time.step");
  check_run("help study laddr", 2, "a study has no key 'laddr'; did you mean 'ladder'?");
  check_run("help scnee", 2, "did you mean 'scene'?");
  check_run("help scene --format yaml", 2, "supple help scene [SECTION[.KEY]]");
}

static void keys_come_as_json(void) {
  sup_node   *root = NULL;
  char        command[64];
  static char text[400000];
  for (int i = 0; i < 2; i++) {
    snprintf(command, sizeof command, "help %s --format json", i ? "study" : "scene");
    CHECK(test_run_program(command, text, sizeof text) == 0);
    OK(sup_yaml_parse(&root, text, strlen(text), "json", 1)); /* JSON is YAML */
    CHECK(root->type == SUP_NODE_SEQUENCE && root->num_children > (i ? 20 : 300));
    for (const sup_node *c = root->child; c; c = c->next) {
      CHECK(sup_node_find(c, "path") && sup_node_find(c, "meaning") && sup_node_find(c, "example"));
      CHECK(sup_node_find(c, "unit") && sup_node_find(c, "default") && sup_node_find(c, "range"));
    }
    sup_node_destroy(&root);
  }
}

SUITE_TESTS(help_keys, TEST(help_lists_sections_and_their_keys), TEST(help_tells_all_of_one_key),
            TEST(examples_can_be_pasted), TEST(unknown_keys_get_the_nearest_or_their_place),
            TEST(keys_come_as_json));
