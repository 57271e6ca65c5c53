#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "scene/file/yaml.h"
#include "scene/schema/set.h"
#include "test.h"

static sup_status parse(sup_node **root, const char *text) {
  sup_status status = sup_yaml_parse(root, text, strlen(text), "a.yaml", 0);
  return status;
}

static void values_keep_their_places(void) {
  sup_node *root;
  OK(parse(&root, "# comment\na: 1\nb:\n  - x\n  - {c: \"2 mm\"}\n"));
  CHECK(root->type == SUP_NODE_MAPPING && root->num_children == 2);
  const sup_node *c = sup_node_find(sup_node_at(sup_node_find(root, "b"), 1), "c");
  CHECK(strcmp(c->text, "2 mm") == 0 && !c->is_plain);
  CHECK(c->place.line == 5 && c->place.column == 9);
  CHECK(c->key_place.line == 5 && c->key_place.column == 6);
  CHECK(sup_node_at(root, -1) == NULL && sup_node_find(root, "c") == NULL);
  sup_node_destroy(&root);
}

static void aliases_and_merges_become_copies(void) {
  sup_node *root;
  OK(parse(&root,
           "base: &b {x: 1, y: 2}\nbelow: {<<: *b, y: 3}\nlist: [*b, *b]\nmany: {<<: [*b, {z: 9}], "
           "w: 0}\n"
           "nested: {<<: &d {p: 1}}\nagain: *d\n"));
  const sup_node *below = sup_node_find(root, "below"), *many = sup_node_find(root, "many");
  CHECK(below->num_children == 2 && !sup_node_find(below, "<<"));
  CHECK(strcmp(sup_node_find(below, "x")->text, "1") == 0 &&
        strcmp(sup_node_find(below, "y")->text, "3") == 0);
  CHECK(sup_node_find(root, "list")->num_children == 2);
  CHECK(many->num_children == 4 && strcmp(sup_node_find(many, "z")->text, "9") == 0);
  CHECK(strcmp(sup_node_find(sup_node_find(root, "again"), "p")->text, "1") == 0);
  sup_node_destroy(&root);
}

static void broken_text_is_reported_with_its_place(void) {
  const struct {
    const char *text, *expected;
  } bad[] = {
      {"a: 1\nb: 2\na: 3\n", "a.yaml:3:1: the key 'a' was already given at a.yaml:1:1"},
      {"a: [1, 2\nb: 3\n",
       "a.yaml:2:2: did not find expected ',' or ']' while parsing a flow sequence that begins in "
       "line 1"},
      {"a:\n\tb: 1\n", "a.yaml:2:1: found a tab where a line begins"},
      {"a: *x\n", "a.yaml:1:4: there is no anchor '&x'"},
      {"a: &x [*x]\n", "a.yaml:1:8: the alias '*x' stands inside its own anchor (a.yaml:1:4)"},
      {"a: !!str 5\n", "a.yaml:1:4: the tag 'tag:yaml.org,2002:str' is not understood"},
      {"a: 1\n---\nb: 2\n", "a.yaml:2:1: a second document begins here"},
      {"", "a.yaml:1:1: there is nothing in it"},
      {"# only\n", "a.yaml:1:1: there is nothing in it"},
      {"? [a]\n: 1\n", "a.yaml:1:3: a key must be a word"},
      {"'': 1\n", "a.yaml:1:1: a key is missing before ':'"},
      {"&k a: 1\n", "a.yaml:1:1: the key 'a' may have no anchor"},
      {"a: \"x\\0y\"\n", "a.yaml:1:4: a text may not hold a zero character"},
      {"a: {<<: 5}\n", "a.yaml:1:9: '<<' merges mappings; found '5'"},
      {"a: \xff\xfe\n", "a.yaml:1:4: invalid leading UTF-8 octet"},
      {"a: %b\n", "a.yaml:1:4: found character that cannot start any token"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sup_node *root;
    FAILS(parse(&root, bad[i].text), SUP_E_PARSE, bad[i].expected);
    CHECK(root == NULL);
  }
}

static void depth_and_aliases_are_limited(void) {
  char      text[8192] = "a: ";
  sup_node *root;
  for (int i = 0; i < 100; i++) strcat(text, "[");
  FAILS(parse(&root, text), SUP_E_PARSE, "nested deeper than 64 levels");
  strcpy(text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
  for (int i = 1; i < 12; i++) {
    char line[256];
    snprintf(line, sizeof line, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i,
             i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    strcat(text, line);
  }
  FAILS(parse(&root, text), SUP_E_PARSE,
        "the aliases of this file expand to more than 100000 values");
}

static void written_trees_read_back_equal(void) {
  sup_node *root, *again;
  char      path[256], *first, *second;
  size_t    size, again_size;
  OK(parse(&root,
           "a: {x: \"quo\\\"te: #\", y: '', z: ~, w: \"\\u00e9\\U0001F600\\n\"}\nb: [[1, 2], [3, "
           "{c: [d, e]}]]\n"
           "c:\n  - k: a very long text that makes the line too long for one line of flow style, "
           "really\n"
           "    l: another very long text that makes the line too long for one line of flow "
           "style\n  - []\n"
           "  - - nested one with a text that is longer than what fits into a line of the writer, "
           "so it is split\n"
           "    - two with a text that is longer than what fits into a line of the writer, so it "
           "is split\n"
           "d: {}\n'odd: key': 1\ne: true\nf: '-x'\ng: 'null'\n"));
  snprintf(path, sizeof path, "%s/tree.yaml", test_folder());
  OK(sup_node_write(root, path, "a test"));
  OK(sup_yaml_read(&again, path));
  OK(sup_file_read(path, &first, &size));
  CHECK(strcmp(sup_node_find(sup_node_find(again, "a"), "w")->text, "\xc3\xa9\xf0\x9f\x98\x80\n") ==
        0);
  CHECK(strcmp(sup_node_find(sup_node_find(again, "a"), "x")->text, "quo\"te: #") == 0);
  CHECK(sup_node_is_empty(sup_node_find(sup_node_find(again, "a"), "z")));
  CHECK(!sup_node_is_empty(sup_node_find(sup_node_find(again, "a"), "y")));
  CHECK(!sup_node_is_empty(sup_node_find(again, "g")));
  CHECK(sup_node_count(root) == sup_node_count(again));
  OK(sup_node_write(again, path, "a test"));
  OK(sup_file_read(path, &second, &again_size));
  CHECK(size == again_size && strcmp(first, second) == 0);
  SUP_FREE(first);
  SUP_FREE(second);
  sup_node_destroy(&root);
  sup_node_destroy(&again);
}

static void overrides_reach_lists_and_new_keys(void) {
  sup_node *root;
  OK(parse(&root,
           "time: {step: 1, end: 2}\ncontact:\n  pairs: [{friction: 1}, {friction: "
           "2}]\nsolver:\nrigid: {ball: {mass: 1}}\n"));
  OK(sup_set_apply(root, "time.step=5 ms", "--set time.step=5 ms"));
  CHECK(strcmp(sup_node_find(sup_node_find(root, "time"), "step")->text, "5 ms") == 0);
  CHECK(sup_node_find(root, "time")->num_children == 2);
  OK(sup_set_apply(root, "contact.pairs.1.friction=[7]", "--set"));
  const sup_node *pair = sup_node_at(sup_node_find(sup_node_find(root, "contact"), "pairs"), 1);
  CHECK(strcmp(sup_node_at(sup_node_find(pair, "friction"), 0)->text, "7") == 0);
  OK(sup_set_apply(root, "solver.tolerance=1e-8", "--set"));
  CHECK(sup_node_find(sup_node_find(root, "solver"), "tolerance") != NULL);
  OK(sup_set_apply(root, "output.probes={tip: {body: x}}", "--set"));
  OK(sup_set_apply(root, "rigid.ball.contact.friction=1", "--set"));
  CHECK(sup_node_find(sup_node_find(sup_node_find(root, "rigid"), "ball"), "contact") != NULL);
  sup_node_destroy(&root);
}

static void overrides_that_lead_nowhere_are_reported(void) {
  sup_node *root;
  OK(parse(&root, "time: {step: 1}\nlist: [1, 2]\nrigid: {ball: {mass: 1}}\n"));
  const struct {
    const char *argument, *expected;
  } bad[] = {{"time.step", "expected KEY=VALUE"},
             {"=5", "keys joined by dots"},
             {"time..step=5", "keys joined by dots"},
             {"time.=5", "keys joined by dots"},
             {"time.step=", "a value is missing"},
             {"time.step.x=1", "'time.step' is the single value '1' (a.yaml:1:14) without keys"},
             {"time.step.x.y=1", "'time.step' is the single value '1' (a.yaml:1:14) without keys"},
             {"list.2=1", "'2' is no entry of the list 'list', which has the entries 0 to 1"},
             {"list.x.y=1", "'x' is no entry of the list 'list'"},
             {"rigid.bal.mass=1", "there is no 'bal' in rigid; did you mean 'ball'? known: ball"},
             {"time.step=[1", "did not find expected ',' or ']'"},
             {"time.step=*x", "there is no anchor"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    FAILS(sup_set_apply(root, bad[i].argument, "--set"), SUP_E_PARSE, bad[i].expected);
  sup_node_destroy(&root);
}

static void every_failed_allocation_is_a_status(void) {
  const char *text = "base: &b {x: 1, y: [2]}\nbelow: {<<: *b, y: 3}\nlist: [*b, &c d, *c]\n";
  for (long k = 1; k < 1000; k++) {
    sup_node *root;
    sup_memory_fail_at(k);
    sup_status status = parse(&root, text);
    if (status == SUP_OK) status = sup_set_apply(root, "new.key={a: b}", "--set");
    sup_memory_fail_at(0);
    sup_node_destroy(&root);
    if (status == SUP_OK) return;
    CHECK(status == SUP_E_MEMORY);
  }
  CU_FAIL("it never succeeded");
}

SUITE_TESTS(yaml, TEST(values_keep_their_places), TEST(aliases_and_merges_become_copies),
            TEST(broken_text_is_reported_with_its_place), TEST(depth_and_aliases_are_limited),
            TEST(written_trees_read_back_equal), TEST(overrides_reach_lists_and_new_keys),
            TEST(overrides_that_lead_nowhere_are_reported),
            TEST(every_failed_allocation_is_a_status));
