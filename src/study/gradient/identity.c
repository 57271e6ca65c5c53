#include "study/gradient/identity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---- exponents ------------------------------------------------------------------------------- */

const char *sup_scale_name(sup_scale scale) {
  return scale == SUP_SCALE_STRESS ? "scale of stress" : "scale of length";
}

/* Forces are stress times length^2, of which equilibria know no time: speeds, rates and damping do
 * not act.  Weights are density times gravity times length^3. */
static const signed char exponents[SUP_NUM_DIMENSIONS][SUP_NUM_SCALES] = {
    [SUP_DIM_LENGTH] = {0, 1},    [SUP_DIM_MASS] = {0, 3},
    [SUP_DIM_FORCE] = {1, 2},     [SUP_DIM_TORQUE] = {1, 3},
    [SUP_DIM_PRESSURE] = {1, 0},  [SUP_DIM_ACCELERATION] = {1, -1},
    [SUP_DIM_STIFFNESS] = {1, 1}, [SUP_DIM_CONTACT_STIFFNESS] = {1, -1},
    [SUP_DIM_ENERGY] = {1, 3},    [SUP_DIM_ROTATION_STIFFNESS] = {1, 3},
    [SUP_DIM_INERTIA] = {0, 5}};

int sup_scale_exponent(sup_scale scale, sup_dimension dimension) {
  return exponents[dimension][scale];
}

/** Dimension of "1.0e-06 m", or of a unit behind "1 ". */
static bool read_dimension(const char *text, sup_dimension *dimension, double *value) {
  char        word[SUP_UNIT_WORD_SIZE];
  const char *found;
  for (int d = 0; d < SUP_NUM_DIMENSIONS; d++)
    if (sup_quantity_read(text, (sup_dimension)d, value, word, &found) == SUP_QUANTITY_OK) {
      *dimension = (sup_dimension)d;
      return true;
    }
  return false;
}

bool sup_scale_of_quantity(sup_scale scale, const sup_quantity_def *def, int *exponent) {
  char          text[SUP_UNIT_SIZE + 2];
  sup_dimension dimension = SUP_DIM_NUMBER;
  double        one;
  bool          is_known = def->unit[0] || !def->has_own_unit;
  snprintf(text, sizeof text, "1 %s", def->unit);
  if (def->take == SUP_WINDOW_TABLE || !is_known)
    return false; /* a table is no part of the scene */
  if (def->unit[0] && !read_dimension(text, &dimension, &one)) return false;
  *exponent = sup_scale_exponent(scale, dimension);
  return true;
}

/* ---- numbers of the scene -------------------------------------------------------------------- */

/** Search of a scene's tree. */
typedef struct search {
  const sup_study        *study;
  sup_scale               scale;
  const sup_number_probe *probe;
  sup_node               *root;
  char                   *text; /* [SUP_MISSING_SIZE] */
} search;

static bool is_key_of(const search *s, const sup_node *key, const sup_node *node) {
  return key->text && sup_node_find_path(s->root, key->text) == node;
}

static bool has_parameter(const search *s, const sup_node *node) {
  for (int p = 0; p < s->study->num_parameters; p++) {
    const sup_node *key = s->study->parameter[p].key;
    if (is_key_of(s, key, node)) return true;
    for (const sup_node *c = key->type == SUP_NODE_SEQUENCE ? key->child : NULL; c; c = c->next)
      if (is_key_of(s, c, node)) return true;
  }
  return false;
}

static void append(char text[SUP_MISSING_SIZE], const char *what) {
  size_t used = strlen(text);
  snprintf(text + used, SUP_MISSING_SIZE - used, "%s%s", used ? ", " : "", what);
}

static void look_at(const search *s, const sup_node *node, const char *key) {
  sup_dimension dimension = node->dimension;
  double        value = node->number;
  if (!node->is_number && !read_dimension(node->text, &dimension, &value)) return;
  if (value == 0 || !isfinite(value) || sup_scale_exponent(s->scale, dimension) == 0) return;
  if (!has_parameter(s, node) && s->probe->matters(s->probe->user, key, value))
    append(s->text, key);
}

static void search_below(const search *s, const sup_node *node, const char *key) {
  char below[1024];
  int  i = 0;
  if (node->type == SUP_NODE_SCALAR) look_at(s, node, key);
  for (const sup_node *c = node->child; c; c = c->next, i++) {
    if (node->type == SUP_NODE_MAPPING)
      snprintf(below, sizeof below, "%.900s%s%.100s", key, key[0] ? "." : "", c->key);
    else
      snprintf(below, sizeof below, "%.900s.%d", key, i);
    search_below(s, c, below);
  }
}

sup_status sup_scale_missing(const sup_study *study, sup_scale scale, const sup_number_probe *probe,
                             char text[SUP_MISSING_SIZE]) {
  const sup_level *level = &study->family[0].level[0];
  sup_scene       *scene = NULL;
  text[0] = '\0';
  SUP_TRY(sup_scene_load(&scene, study->scene, (const char *const *)level->set, level->num_sets));
  const search s = {study, scale, probe, scene->root, text};
  search_below(&s, scene->root, "");
  for (int i = 1; i < scene->num_inputs; i++) { /* YAML is part of the tree */
    bool is_robot = sup_text_ends_with(scene->input[i], ".urdf");
    if ((is_robot || scale == SUP_SCALE_LENGTH) && !sup_text_ends_with(scene->input[i], ".yaml"))
      append(text, scene->input[i]);
  }
  sup_scene_destroy(&scene);
  return SUP_OK;
}
