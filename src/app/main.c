#include <stdio.h>
#include <string.h>

#include "app/mesh_command.h"

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {{"mesh", sup_app_mesh}};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
    if (strcmp(argv[1], commands[i].name) == 0) return commands[i].run(argc - 1, argv + 1);
  fprintf(stderr, "usage: supple mesh SUBCOMMAND ...\n");
  return 2;
}
