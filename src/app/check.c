#include "app/check.h"

#include <math.h>
#include <stdio.h>

#include "collide/collide.h"

static void print_softs(const sup_model *model) {
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft         *soft = &model->soft[s];
    const sup_mesh         *mesh = sup_fem_mesh(soft->fem);
    const sup_material_def *m = sup_fem_material(soft->fem);
    int                     kind[3] = {0, 0, 0};
    double                  worst = 1, mean = 0;
    for (int i = 0; i < mesh->num_vertices; i++) kind[soft->kind[i]]++;
    for (int c = 0; c < mesh->num_cells; c++) {
      double quality = sup_mesh_cell_quality(mesh, c);
      worst = fmin(worst, quality);
      mean += quality / mesh->num_cells;
    }
    printf("soft '%s': %d %s cells, %d vertices (%d attached, %d clamped), %.4g kg, %.4g m^3\n", soft->name,
           mesh->num_cells, sup_cell_name(mesh->type), mesh->num_vertices, kind[SUP_VERTEX_ATTACHED],
           kind[SUP_VERTEX_CLAMPED], sup_fem_mass(soft->fem), sup_mesh_volume(mesh));
    printf("  material '%s': E %.4g MPa, nu %.3g, rho %.4g kg/m^3; cell quality: worst %.3f, mean %.3f\n", m->name,
           1e-6 * m->youngs_modulus, m->poissons_ratio, m->density, worst, mean);
    if (mesh->type == SUP_CELL_T4)
      printf(
          "  note: plain T4 cells are too stiff in bending (about four times with one cell through a wall): prefer "
          "H8\n");
  }
}

static void print_trees(const sup_model *model) {
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    double          mass = 0;
    for (int l = 0; l < tree->num_links; l++) mass += tree->links[l].mass;
    printf("%s '%s': %d link%s, %d unknown%s, %.4g kg\n", tree->num_links > 1 ? "robot" : "rigid", tree->name,
           tree->num_links, tree->num_links == 1 ? "" : "s", tree->nv, tree->nv == 1 ? "" : "s", mass);
  }
}

/** Deepest overlap of each pair of bodies at the start. */
static sup_status print_overlaps(const sup_model *model, const sup_state *state) {
  sup_arena       *arena = NULL;
  sup_contact_list list = {0};
  sup_kinematics   kin;
  sup_status       status;
  int              overlaps = 0;
  SUP_TRY(sup_arena_create(&arena, 1 << 16));
  SUP_TRY_GOTO(sup_kinematics_compute(&kin, model, state->time, state->q, state->v, arena), status, done);
  SUP_TRY_GOTO(sup_collide(&list, model, &kin, state->x, state->xdot, arena), status, done);
  for (int p = 0; p < model->num_pairs; p++) {
    double deepest = 0;
    for (int i = 0; i < list.count; i++)
      if (list.contact[i].pair == p) deepest = fmax(deepest, -list.contact[i].phi);
    if (deepest < 1e-6) continue;
    printf("overlap: '%s' is %.4g mm inside '%s'\n", model->body[model->pair[p].a].name, 1e3 * deepest,
           model->body[model->pair[p].b].name);
    overlaps++;
  }
  if (!overlaps) printf("no bodies overlap at the start\n");
done:
  SUP_FREE(list.contact);
  sup_arena_destroy(&arena);
  return status;
}

sup_status sup_app_check(const sup_model *model, const sup_state *state) {
  int total = 0;
  print_trees(model);
  print_softs(model);
  for (int b = 0; b < model->num_blocks; b++) total += model->block_size[b];
  printf("%d unknowns, %d pairs that may touch, time step %g s\n", total, model->num_pairs, model->options.dt);
  return print_overlaps(model, state);
}
