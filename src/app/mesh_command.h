/** What the subcommands of `supple mesh` share.  Layer app, private. */
#pragma once

#include "app/app.h"
#include "app/options.h"

enum { DONE = SUP_EXIT_OK, BAD_INPUT = SUP_EXIT_INPUT };

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))
#define LENGTH(name, target, help) \
  { name, APP_OPTION_LENGTH, 1, target, NULL, 0, help, NULL }
#define ANGLE(name, target, help) \
  { name, APP_OPTION_ANGLE, 1, target, NULL, 0, help, NULL }
#define COUNT(name, target, help) \
  { name, APP_OPTION_COUNT, 1, target, NULL, 0, help, NULL }
#define NUMBER(name, target, help) \
  { name, APP_OPTION_NUMBER, 1, target, NULL, 0, help, NULL }
#define ORDER(target, choices, num_choices)                             \
  {                                                                     \
    "--order", APP_OPTION_CHOICE, 1, target, choices, num_choices,      \
        "of tetrahedra; 2: a vertex on each edge, straight (T10)", NULL \
  }
#define OUTPUT(target) \
  { "-o, --output", APP_OPTION_TEXT, 1, target, NULL, 0, "the file to write (needed)", "NAME.vtk" }
#define ASCII(target) \
  { "--ascii", APP_OPTION_FLAG, 1, target, NULL, 0, "write .vtk as text instead of binary", NULL }

/** Orders of tetrahedra as words: "same", "1", "2". */
enum { ORDER_SAME, ORDER_LINEAR, ORDER_QUADRATIC, NUM_ORDERS };
extern const char *const sup_app_mesh_orders[NUM_ORDERS];

/** Is it the name of a mesh file to write?  Says what would be, when not. */
int sup_app_mesh_check_output(const char *command, const char *path);
/** Write the mesh, with its tetrahedra of this order, and say what it is; the mesh is destroyed.  Returns the exit
 * code. */
int sup_app_mesh_write(sup_mesh *given, int order, const char *path, int is_ascii);

int sup_app_mesh_convert(int argc, char **argv);
int sup_app_mesh_refine(int argc, char **argv);
int sup_app_mesh_info(int argc, char **argv);
