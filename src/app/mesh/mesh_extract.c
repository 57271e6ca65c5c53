/* The mesh of a soft body as a scene makes it. */
#include <stdio.h>
#include <string.h>

#include "app/mesh/mesh_command.h"
#include "app/ranks.h"
#include "base/text.h"
#include "mesh/distribute/refine_part.h"
#include "scene/scene.h"

/** The number of the body with that name, of the only one without a name; SUP_NONE is explained. */
static int find_body(const sup_model_def *model, const char *scene, const char *name) {
  enum { MOST = 8 };
  const char *names[MOST];
  int         num = 0;
  for (int s = 0; s < model->num_softs; s++) {
    if (name ? strcmp(model->softs[s].name, name) == 0 : model->num_softs == 1) return s;
    if (num < MOST) names[num++] = model->softs[s].name;
  }
  fprintf(stderr, "supple mesh extract: ");
  if (num == 0)
    fprintf(stderr, "found no soft body in %s, expected a scene with one", scene);
  else if (name)
    fprintf(stderr, "found '%s' for --body, expected a soft body of %s", name, scene);
  else
    fprintf(stderr, "found %d soft bodies in %s, expected --body NAME", model->num_softs, scene);
  for (int k = 0; k < num; k++) fprintf(stderr, "%s %s", k ? "," : ":", names[k]);
  fprintf(stderr, "%s\n", model->num_softs > num && num > 0 ? ", .." : "");
  return SUP_NONE;
}

/** The whole mesh on each rank becomes pieces, which are written. */
static sup_status write_pieces(const sup_mesh *mesh, const char *output, bool is_ascii) {
  const sup_collective *ranks = sup_app_ranks();
  sup_mesh_piece       *piece = NULL;
  SUP_TRY(sup_app_mesh_check_pieces(output));
  sup_status status = sup_agree(ranks, sup_mesh_piece_create(&piece, mesh, ranks));
  if (status == SUP_OK) status = sup_app_mesh_write_piece(piece, output, is_ascii);
  sup_mesh_piece_destroy(&piece);
  return status;
}

int sup_app_mesh_extract(int argc, char **argv) {
  static const sup_mesh_words words = {
      "supple mesh extract", "SCENE.yaml",
      "Write the mesh of a soft body as a scene makes it: read or generated, scaled, refined, of "
      "its order, with its named\n"
      "sets.  Nothing is built or solved.  `mpiexec -n N supple mesh extract ..` shares the "
      "refinement among N processes and\n"
      "writes the cells of each, NAME_rank0.vtk and so on, which postproc/gather.py joins.\n",
      "mesh extract examples/finray_stiffness.yaml -o finger.vtk"};
  app_word_list    sets = {0};
  const char      *body = NULL, *output = NULL, *path = NULL;
  int              is_ascii = 0;
  sup_scene       *scene = NULL;
  sup_mesh        *mesh = NULL;
  const app_option options[] = {
      APP_TEXT("--body", &body, "the soft body, where there are several", "NAME"), APP_SETS(&sets),
      OUTPUT(&output), ASCII(&is_ascii)};
  int code = sup_app_mesh_parse(argc, argv, &words, options, COUNT_OF(options), &output, &path);
  if (code != SUP_NONE) return code;
  sup_status status = sup_agree(
      sup_app_ranks(), sup_scene_load_on(&scene, path, sets.word, sets.count, sup_app_ranks()));
  if (status != SUP_OK) return sup_app_report(status, 0);
  int number = find_body(&scene->model, path, body);
  if (number != SUP_NONE) {
    mesh = scene->mesh[number];
    scene->mesh[number] = NULL;
  }
  sup_scene_destroy(&scene);
  if (!mesh) return BAD_INPUT;
  if (!sup_app_ranks()) return sup_app_mesh_write(mesh, ORDER_SAME, output, is_ascii);
  status = write_pieces(mesh, output, is_ascii);
  sup_mesh_destroy(&mesh);
  return status == SUP_OK ? DONE : sup_app_report(status, 0);
}
