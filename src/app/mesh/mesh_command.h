/** Functions that the subcommands of `supple mesh` share.  Layer app, private. */
#pragma once

#include "app/app.h"
#include "app/options.h"
#include "base/vec.h"
#include "mesh/distribute/refine_part.h"

enum { DONE = SUP_EXIT_OK, BAD_INPUT = SUP_EXIT_INPUT };

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))
#define LENGTH(name, target, help) APP_ROW(name, APP_OPTION_LENGTH, target, help, NULL)
#define ANGLE(name, target, help) APP_ROW(name, APP_OPTION_ANGLE, target, help, NULL)
#define COUNT(name, target, help) APP_ROW(name, APP_OPTION_COUNT, target, help, NULL)
#define NUMBER(name, target, help) APP_ROW(name, APP_OPTION_NUMBER, target, help, NULL)
#define ORDER(target, choices, num_choices)                             \
  {                                                                     \
    "--order", APP_OPTION_CHOICE, 1, target, choices, num_choices,      \
        "of tetrahedra; 2: a vertex on each edge, straight (T10)", NULL \
  }
#define OUTPUT(target) APP_TEXT("-o, --output", target, "the file to write (needed)", "NAME.vtk")
#define ASCII(target) APP_FLAG("--ascii", target, "write .vtk as text instead of binary")

/** Orders of tetrahedra as words: "same", "1", "2". */
enum { ORDER_SAME, ORDER_LINEAR, ORDER_QUADRATIC, NUM_ORDERS };
extern const char *const sup_app_mesh_orders[NUM_ORDERS];

/** Help texts of a subcommand. */
typedef struct sup_mesh_words {
  const char *command; /* "supple mesh convert" */
  const char *operand; /* of the file that it reads; NULL: none */
  const char *text;    /* purpose, in lines */
  const char *example;
} sup_mesh_words;

/** Read the words behind the command and print its help when that is asked for.
 *  @param output  in `options`, too; NULL: it writes no mesh
 *  @param path    of the file that it reads; NULL: none
 *  @return SUP_NONE, or the exit code with which the command ends here */
int sup_app_mesh_parse(int argc, char **argv, const sup_mesh_words *words,
                       const app_option *options, int num_options, const char **output,
                       const char **path);
/** Write the mesh, with its tetrahedra of this order, and report its size and sets; the mesh is
 * destroyed. Returns the exit code. */
int sup_app_mesh_write(sup_mesh *given, int order, const char *path, bool is_ascii);

/** E_ARG: several ranks cannot write a file of this name. */
SUP_NODISCARD sup_status sup_app_mesh_check_pieces(const char *output);
/** NAME.vtk of all ranks together, each NAME_rank<R>.vtk; says what they are. */
SUP_NODISCARD sup_status sup_app_mesh_write_piece(const sup_mesh_piece *piece, const char *output,
                                                  bool is_ascii);

/** Lengths in millimetres below a metre, in metres from there on, with a warning beyond 10 m. */
void sup_app_print_bounds(sup_v3 lower, sup_v3 upper);
/** `supple mesh info` of a surface.  Returns the exit code. */
int sup_app_surface_info(const char *path);

int sup_app_mesh_convert(int argc, char **argv);
int sup_app_mesh_refine(int argc, char **argv);
int sup_app_mesh_extract(int argc, char **argv);
int sup_app_mesh_info(int argc, char **argv);
int sup_app_mesh_extrude(int argc, char **argv);
int sup_app_mesh_repair(int argc, char **argv);
