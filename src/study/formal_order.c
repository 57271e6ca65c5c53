#include "study/formal_order.h"

#include "study/numerics.h"

#include <string.h>

/** Kind of a quantity, by the name of its column or entry. */
typedef enum kind { PLACE, ENERGY, STRESS } kind;

static kind kind_of(const sup_quantity_def *def) {
  static const char *const stresses[] = {"von_mises", "stress", "strain", "pressure"};
  for (size_t i = 0; i < sizeof stresses / sizeof *stresses; i++)
    if (strstr(def->source, stresses[i])) return STRESS;
  return strstr(def->source, "energy") ? ENERGY : PLACE;
}

/* Shape functions of degree p err in displacements by h^(p + 1), in their gradients by h^p, and in
 * energies by the square of that (Aubin and Nitsche).  Forces of contact end at lines that no mesh
 * follows: with contact and at corners orders are lower, never higher. */
static const double mesh_order[3][3] = {
    /* p =  -  1  2 */
    [PLACE] = {2, 2, 3},
    [ENERGY] = {2, 2, 4},
    [STRESS] = {1, 1, 2},
};

double sup_layer_factor(const sup_quantity_def *def) {
  double      safety = sup_study_numerics.safety;
  kind        of = kind_of(def);
  bool        is_way = def->take == SUP_WINDOW_CHANGE || def->take == SUP_WINDOW_EXCURSION;
  const char *dot = strrchr(def->source, '.');
  bool is_force = dot && (dot[1] == 'f' || dot[1] == 't') && dot[2] && !dot[3]; /* fx, tz, fn */
  if (def->is_summary && of == PLACE) return 0;
  return of == ENERGY ? 2 * safety : of == STRESS || is_way || is_force ? safety : 0;
}

int sup_degree_of_meshes(const sup_model_def *model) {
  int degree = 0;
  for (int i = 0; i < model->num_softs; i++) {
    int own = model->softs[i].mesh->type == SUP_CELL_T10 ? 2 : 1;
    if (degree == 0 || own < degree) degree = own;
  }
  return degree;
}

/** Soft bodies go by implicit Euler or BDF2, trees by the scheme. */
double sup_order_in_time(const sup_model_def *model, const sup_options *options) {
  int trees = model->num_trees == 0 || (options->scheme.theta == 0.5);
  int softs = model->num_softs == 0 || options->soft_bdf2;
  return trees && softs ? 2 : 1;
}

double sup_formal_order(sup_size_kind size, const sup_level *level, const sup_quantity_def *def) {
  switch (size) {
    case SUP_SIZE_STEP:
      return level->order_in_time;
    case SUP_SIZE_ACCURACY: /* that is how accuracy is meant */
      return 1;
    case SUP_SIZE_CELLS:
      return mesh_order[kind_of(def)][level->degree];
    case SUP_SIZE_AUTO:
    case SUP_SIZE_GIVEN: /* of what is refined nothing is known */
      break;
  }
  return 2;
}
