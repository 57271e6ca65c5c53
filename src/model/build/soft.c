#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "fem/growth.h"
#include "fem/viscoelastic.h"
#include "geom/surface_bvh.h"
#include "mesh/distribute/distribute.h"
#include "mesh/distribute/part.h"
#include "mesh/named_set.h"
#include "mesh/surface_curvature.h"
#include "model/body_point.h"
#include "model/build/build.h"
#include "model/cable.h"
#include "model/inputs.h"

sup_status sup_model_select_region(const sup_mesh *mesh, const sup_region *region, const char *body,
                                   const char *what, unsigned char value, unsigned char *mark) {
  sup_status status = sup_region_select(region, mesh, value, mark);
  if (status != SUP_OK)
    return SUP_FAIL(status, "soft body '%s': the %s region %s", body, what, sup_error_message());
  return SUP_OK;
}

/** Dead loads become nodal forces here: force per area of the faces, and traction. */
static sup_status build_traction(sup_traction *traction, const sup_soft *soft, const sup_mesh *mesh,
                                 const sup_traction_def *def, unsigned char *selected,
                                 const unsigned char *own_cell) {
  static const double one[3] = {1, 0, 0};
  size_t              n = 3 * (size_t)soft->num_vertices;
  memset(selected, 0, (size_t)soft->num_vertices);
  SUP_TRY(sup_model_select_region(mesh, &def->region, soft->name, "traction", 1, selected));
  SUP_TRY(sup_fem_faces_create(&traction->faces, mesh, selected, own_cell));
  SUP_TRY(SUP_CALLOC(traction->force, n));
  double area = sup_fem_faces_spread(&traction->faces, mesh->x, one, traction->force);
  for (size_t i = 0; i < n; i += 3) {
    double share = traction->force[i];
    for (size_t k = 0; k < 3; k++)
      traction->force[i + k] = share * (def->total_force[k] / area + def->traction[k]);
  }
  traction->pressure = def->pressure;
  SUP_TRY(sup_table_copy(&traction->scale, &def->scale));
  return SUP_OK;
}

static sup_status build_tractions(sup_soft *soft, const sup_soft_def *def) {
  SUP_FREED unsigned char *selected = NULL, *own_cell = NULL;
  SUP_TRY(SUP_CALLOC(soft->traction, def->num_tractions));
  SUP_TRY(SUP_CALLOC(selected, soft->num_vertices));
  if (soft->cell_number) SUP_TRY(SUP_CALLOC(own_cell, soft->num_cells));
  for (int c = 0; own_cell && c < sup_fem_mesh(soft->fem)->num_cells; c++)
    own_cell[soft->cell_number[c]] = 1;
  for (int k = 0; k < def->num_tractions; k++) {
    soft->num_tractions = k + 1;
    SUP_TRY(build_traction(&soft->traction[k], soft, def->mesh, &def->tractions[k], selected,
                           own_cell));
  }
  return SUP_OK;
}

/** Body force of a manufactured solution, defined along the axes of the mesh. */
static sup_status build_manufactured(sup_soft *soft, const sup_soft_def *def) {
  if (!(sup_v3_norm(sup_v3_load(def->manufactured)) > 0)) return SUP_OK;
  if (soft->cell_number)
    return SUP_FAIL(SUP_E_ARG, "soft body '%s': a manufactured solution is for one rank",
                    soft->name);
  if (def->material.model != SUP_MATERIAL_LINEAR)
    return SUP_FAIL(
        SUP_E_ARG,
        "soft body '%s' has a manufactured solution, which is one of the material model linear",
        soft->name);
  SUP_TRY(SUP_CALLOC(soft->body_force, 3 * soft->num_vertices));
  soft->manufactured = sup_fem_manufactured(soft->fem, def->manufactured);
  sup_fem_manufactured_load(soft->fem, &soft->manufactured, soft->body_force);
  for (int i = 0; i < soft->num_vertices; i++) {
    double *f = soft->body_force + 3 * i;
    sup_v3_store(f, sup_m3_apply(soft->X_WM.R, sup_v3_load(f)));
  }
  return SUP_OK;
}

/** Scale of traction k at time t. */
static double scale_of(const sup_soft *soft, const sup_inputs *inputs, int k, double t,
                       double constant) {
  sup_table table = sup_inputs_table(inputs, SUP_DRIVEN_TRACTION, soft->first_traction + k,
                                     &soft->traction[k].scale);
  sup_table_at(&table, t, &constant);
  return constant;
}

void sup_soft_add_tractions(const sup_soft *soft, const sup_inputs *inputs, double t,
                            const double *x, double weight, double constant, double *f) {
  for (int a = 0; soft->body_force && a < 3 * soft->num_vertices; a++)
    f[a] += weight * constant * soft->body_force[a];
  for (int k = 0; k < soft->num_tractions; k++) {
    const sup_traction *traction = &soft->traction[k];
    double              scale = scale_of(soft, inputs, k, t, constant);
    for (int a = 0; a < 3 * soft->num_vertices; a++) f[a] += weight * scale * traction->force[a];
    if (traction->pressure != 0)
      sup_fem_faces_press(&traction->faces, x,
                          weight * sup_soft_pressure(soft, inputs, k, t, constant), f);
  }
  if (!inputs) return;
  const double *force = inputs->vertex_force + 3 * (size_t)soft->first_vertex;
  for (int a = 0; a < 3 * soft->num_vertices; a++) f[a] += weight * constant * force[a];
}

double sup_soft_pressure(const sup_soft *soft, const sup_inputs *inputs, int k, double t,
                         double constant) {
  return scale_of(soft, inputs, k, t, constant) * soft->traction[k].pressure;
}

int sup_soft_has_follower(const sup_soft *soft) {
  int any = 0;
  for (int k = 0; k < soft->num_tractions; k++) any |= soft->traction[k].pressure != 0;
  return (any && sup_fem_material(soft->fem, 0)->model != SUP_MATERIAL_LINEAR) ||
         soft->bounds_chamber;
}

void sup_soft_add_load_stiffness(const sup_soft *soft, const sup_inputs *inputs, double t,
                                 const double *x, double weight, double constant, double *values) {
  for (int k = 0; k < soft->num_tractions; k++)
    if (soft->traction[k].pressure != 0)
      sup_fem_faces_add_stiffness(&soft->traction[k].faces, x,
                                  weight * sup_soft_pressure(soft, inputs, k, t, constant),
                                  sup_fem_pattern(soft->fem), values);
}

double sup_soft_pressure_energy(const sup_soft *soft, const sup_inputs *inputs, double t,
                                const double *x0, const double *x1, double constant) {
  double sum = 0;
  for (int k = 0; k < soft->num_tractions; k++)
    if (soft->traction[k].pressure != 0)
      sum += sup_soft_pressure(soft, inputs, k, t, constant) *
             sup_fem_faces_swept(&soft->traction[k].faces, x0, x1, 1);
  return sum;
}

/** Stiffness of the triangles: each rank knows those of its cells. */
static sup_status set_stiffness(sup_soft *soft, double layer, const double *face_area,
                                const sup_collective *ranks) {
  const sup_surface *surface = soft->surface;
  int               *place = NULL;
  if (ranks) {
    SUP_TRY(SUP_CALLOC(place, soft->num_cells));
    for (int c = 0; c < soft->num_cells; c++) place[c] = SUP_NONE;
    for (int c = 0; c < sup_fem_mesh(soft->fem)->num_cells; c++) place[soft->cell_number[c]] = c;
  }
  for (int t = 0; t < surface->num_triangles; t++) {
    int face = surface->triangle_face[t], cell = surface->face_cell[face];
    if (place) cell = place[cell];
    if (cell != SUP_NONE)
      soft->triangle_stiffness[t] =
          layer * sup_fem_face_stiffness(soft->fem, cell, face_area[face]);
  }
  SUP_FREE(place);
  if (ranks) ranks->sum(ranks, (size_t)surface->num_triangles, soft->triangle_stiffness);
  return SUP_OK;
}

/** Area of every triangle at rest goes to the vertices that carry it; each face's area gives C of
 * its triangles. */
static sup_status build_contact_surface(sup_soft *soft, const sup_mesh *mesh, double layer,
                                        const sup_collective *ranks) {
  const sup_surface *surface = soft->surface;
  int                n = surface->vertices_per_face;
  SUP_FREED double  *face_area = NULL;
  SUP_TRY(SUP_CALLOC(face_area, surface->num_faces));
  SUP_TRY(SUP_CALLOC(soft->triangle_stiffness, surface->num_triangles));
  SUP_TRY(SUP_CALLOC(soft->vertex_area, soft->num_vertices));
  SUP_TRY(SUP_CALLOC(soft->vertex_face, soft->num_vertices));
  for (int i = 0; i < soft->num_vertices; i++) soft->vertex_face[i] = SUP_NONE;
  for (int k = n * surface->num_faces - 1; k >= 0; k--) soft->vertex_face[surface->face[k]] = k / n;
  for (int t = 0; t < surface->num_triangles; t++) {
    int           face = surface->triangle_face[t];
    const double *weight = sup_surface_weights(surface, t);
    sup_v3        corner[3];
    for (int c = 0; c < 3; c++) corner[c] = sup_surface_corner(surface, mesh->x, t, c);
    double area = 0.5 * sup_v3_norm(sup_v3_cross(sup_v3_sub(corner[1], corner[0]),
                                                 sup_v3_sub(corner[2], corner[0])));
    face_area[face] += area;
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < n; k++)
        soft->vertex_area[surface->face[face * n + k]] +=
            area / 3 * weight[c * SUP_FACE_MAX_VERTICES + k];
  }
  SUP_TRY(set_stiffness(soft, layer, face_area, ranks));
  SUP_TRY(SUP_CALLOC(soft->curvature, soft->num_vertices));
  SUP_TRY(sup_surface_curvature(surface, mesh->x, soft->curvature));
  return SUP_OK;
}

/** Pressure C times the distance to the boundary, C the mean of the surface's (THEORY 10.1, 15.3).
 */
static sup_status build_field(sup_soft *soft, const sup_mesh *mesh) {
  double            slope = 0;
  SUP_FREED double *x = NULL, *p = NULL;
  SUP_FREED sup_v3 *normal = NULL;
  SUP_TRY(sup_mesh_field_create(&soft->mesh_field, mesh, soft->surface));
  const sup_mesh_field *f = soft->mesh_field;
  for (int t = 0; t < soft->surface->num_triangles; t++)
    slope += soft->triangle_stiffness[t] / soft->surface->num_triangles;
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)f->num_points));
  SUP_TRY(SUP_CALLOC(p, f->num_points));
  SUP_TRY(SUP_CALLOC(normal, f->num_shell));
  sup_mesh_field_points(f, mesh->x, x);
  sup_mesh_field_raise(f, f->shell_width, normal, x);
  for (int i = 0; i < f->num_points; i++) p[i] = slope * f->distance[i];
  SUP_TRY(sup_field_create(&soft->field, f->num_points, x, p, f->num_tets, f->tet, 0));
  return SUP_OK;
}

/** Cells of this rank, and the owner of each vertex. */
static sup_status take_part(sup_soft *soft, const sup_mesh *mesh, const sup_collective *ranks,
                            int *cell_material, sup_mesh **own) {
  int            n = sup_cell_num_vertices(mesh->type), count = 0;
  SUP_FREED int *part = NULL;
  SUP_TRY(SUP_CALLOC(part, mesh->num_cells));
  SUP_TRY(sup_mesh_distribute(mesh, ranks, part));
  SUP_TRY(sup_mesh_cells_of_part(own, mesh, part, ranks->rank));
  SUP_TRY(SUP_CALLOC(soft->cell_number, (*own)->num_cells));
  SUP_TRY(SUP_CALLOC(soft->owner, mesh->num_vertices));
  for (int i = 0; i < mesh->num_vertices; i++) soft->owner[i] = ranks->size;
  for (int c = 0; c < mesh->num_cells; c++) {
    for (int a = 0; a < n; a++) {
      int *owner = &soft->owner[sup_mesh_cell(mesh, c)[a]];
      *owner = part[c] < *owner ? part[c] : *owner;
    }
    if (part[c] != ranks->rank) continue;
    cell_material[count] = cell_material[c]; /* those behind it are not needed any more */
    soft->cell_number[count++] = c;
  }
  return SUP_OK;
}

/** The body of its materials: the default, then those of the parts. */
static sup_status build_fem(sup_soft *soft, const sup_soft_def *def, int form,
                            const sup_collective *ranks) {
  sup_mesh         *own = NULL;
  sup_material_def *material = NULL;
  int              *cell = NULL;
  sup_status        status;
  SUP_TRY_GOTO(SUP_CALLOC(material, def->num_parts + 1), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(cell, def->mesh->num_cells), status, done);
  material[0] = def->material;
  for (int k = 0; k < def->num_parts; k++) {
    material[k + 1] = def->parts[k].material;
    status = sup_region_assign(def->mesh, def->parts[k].set, k + 1, cell);
    if (status != SUP_OK) {
      status = SUP_FAIL(status, "soft body '%s': materials %s", def->name, sup_error_message());
      goto done;
    }
  }
  if (ranks) {
    status = sup_agree(ranks, take_part(soft, def->mesh, ranks, cell, &own));
    if (status != SUP_OK) {
      status = SUP_FAIL(status, "soft body '%s': %s", def->name, sup_error_message());
      goto done;
    }
  }
  SUP_TRY_GOTO(sup_fem_body_create_on(&soft->fem, own ? own : def->mesh, def->num_parts + 1,
                                      material, cell, form, soft->cell_number, ranks),
               status, done);
done:
  sup_mesh_destroy(&own);
  SUP_FREE_ALL(&material, &cell);
  return status;
}

/** Mark the cells of a region: those of a named set of cells, or those with all vertices in it. */
static sup_status select_cells(const sup_soft_def *def, const sup_growth_def *g,
                               unsigned char *is_cell) {
  SUP_FREED unsigned char *mark = NULL;
  const sup_mesh          *mesh = def->mesh;
  const sup_named_set     *set = NULL;
  int                      n = sup_cell_num_vertices(mesh->type), count = 0;
  if (g->has_region && g->region.type == SUP_REGION_NAMED)
    set = sup_mesh_find_set(mesh, SUP_SET_CELLS, g->region.name);
  SUP_TRY(SUP_CALLOC(mark, mesh->num_vertices));
  if (g->has_region && !set)
    SUP_TRY(sup_model_select_region(mesh, &g->region, def->name, "growth", 1, mark));
  for (int c = 0; c < mesh->num_cells; c++) {
    int in = 0;
    for (int k = 0; k < n; k++) in += mark[sup_mesh_cell(mesh, c)[k]];
    is_cell[c] = !g->has_region || (set ? set->member[c] : in == n);
    count += is_cell[c];
  }
  if (count > 0) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG,
                  "soft body '%s': no cell has all its vertices in the region of its growth",
                  def->name);
}

static sup_status build_growths(sup_soft *soft, const sup_soft_def *def) {
  SUP_FREED unsigned char *is_cell = NULL;
  if (def->num_growths > 0 && soft->cell_number)
    return SUP_FAIL(SUP_E_ARG, "soft body '%s': growth is for one rank", def->name);
  SUP_TRY(SUP_CALLOC(soft->growth, def->num_growths));
  SUP_TRY(SUP_CALLOC(is_cell, def->mesh->num_cells));
  for (int k = 0; k < def->num_growths; k++) {
    const sup_growth_def *g = &def->growths[k];
    SUP_TRY(select_cells(def, g, is_cell));
    sup_status status = sup_fem_add_growth(soft->fem, g->strain, is_cell);
    if (status != SUP_OK)
      return SUP_FAIL(status, "soft body '%s': %s", def->name, sup_error_message());
    for (int r = 0; r < (g->scale.num_rows ? g->scale.num_rows : 1); r++)
      for (int i = 0; i < 3; i++)
        if (!((g->scale.num_rows ? g->scale.value[r] : 1) * g->strain[i] > -1))
          return SUP_FAIL(SUP_E_ARG,
                          "soft body '%s': a growth of %g with the scale %g leaves no length; a "
                          "cell cannot shrink by -1",
                          def->name, g->strain[i], g->scale.num_rows ? g->scale.value[r] : 1);
    SUP_TRY(sup_table_copy(&soft->growth[k], &g->scale));
  }
  return SUP_OK;
}

void sup_soft_growth(const sup_soft *soft, double t, double constant, double *share) {
  for (int k = 0; k < sup_fem_num_growths(soft->fem); k++) {
    share[k] = constant;
    sup_table_at(&soft->growth[k], t, &share[k]);
  }
}

static sup_status build_soft(sup_model *model, sup_soft *soft, const sup_soft_def *def,
                             bool needs_field) {
  memcpy(soft->name, def->name, sizeof soft->name);
  soft->contact = def->contact;
  memcpy(soft->v0, def->v0, sizeof soft->v0);
  int form = (def->lumped_mass ? SUP_FEM_LUMPED : 0) |
             (def->mean_dilatation ? SUP_FEM_MEAN_DILATATION : 0) |
             (def->solid_shell ? SUP_FEM_SOLID_SHELL : 0);
  SUP_TRY(build_fem(soft, def, form, model->ranks));
  SUP_TRY(build_growths(soft, def));
  soft->num_vertices = def->mesh->num_vertices, soft->num_cells = def->mesh->num_cells;
  soft->num_internal = sup_fem_num_internal(soft->fem);
  soft->first_internal = model->num_internal, model->num_internal += soft->num_internal;
  soft->first_vertex = model->num_vertices;
  SUP_TRY(SUP_CALLOC(soft->kind, soft->num_vertices));
  SUP_TRY(SUP_CALLOC(soft->block, soft->num_vertices));
  SUP_TRY(SUP_CALLOC(soft->x0, 3 * soft->num_vertices));
  SUP_TRY(sup_surface_of_mesh(&soft->surface, def->mesh));
  SUP_TRY(sup_surface_turn_faces(soft->surface, def->mesh->x));
  SUP_TRY(sup_model_build_attachments(model, soft, def));
  SUP_TRY(sup_model_build_dirichlet(model, soft, def));
  SUP_TRY(build_tractions(soft, def));
  SUP_TRY(build_manufactured(soft, def));
  SUP_TRY(build_contact_surface(soft, def->mesh, model->contact.layer, model->ranks));
  if (needs_field) SUP_TRY(build_field(soft, def->mesh));
  if (def->contact.self) SUP_TRY(sup_mesh_near_create(&soft->near, def->mesh));
  SUP_TRY(sup_surface_bvh_create(&soft->bvh, soft->surface, soft->x0));
  SUP_TRY(sup_model_build_left_out(model, soft, def));
  return SUP_OK;
}

sup_status sup_model_build_softs(sup_model *model, const sup_model_def *def) {
  SUP_TRY(SUP_CALLOC(model->soft, def->num_softs));
  for (int s = 0; s < def->num_softs; s++) {
    sup_soft *soft = &model->soft[s];
    model->num_softs = s + 1;
    soft->body = model->num_bodies;
    sup_body *body = &model->body[model->num_bodies++];
    *body = (sup_body){.tree = SUP_NONE, .link = SUP_NONE, .soft = s};
    snprintf(body->name, sizeof body->name, "%s", def->softs[s].name);
    SUP_TRY(
        build_soft(model, soft, &def->softs[s], def->num_softs > 1 || def->softs[s].contact.self));
    for (int i = 0; i < soft->num_vertices; i++) {
      if (soft->kind[i] != SUP_VERTEX_ATTACHED)
        soft->attach_of[i] = SUP_NONE; /* the vertex is held */
      soft->attach_slot[i] = soft->attach_of[i] == SUP_NONE ? SUP_NONE : soft->num_attached++;
      if (soft->kind[i] == SUP_VERTEX_FREE) body->movable = 1;
    }
    for (int k = 0; k < soft->num_attachments; k++)
      body->movable |= model->body[soft->attachment[k].body].movable;
    model->num_vertices += soft->num_vertices;
    soft->first_traction = model->num_tractions;
    model->num_tractions += soft->num_tractions;
  }
  return SUP_OK;
}

void sup_model_number_vertices(sup_model *model) {
  for (int s = 0; s < model->num_softs; s++)
    for (int i = 0; i < model->soft[s].num_vertices; i++) {
      sup_soft *soft = &model->soft[s];
      soft->block[i] = soft->kind[i] == SUP_VERTEX_FREE ? model->num_blocks++ : SUP_NONE;
    }
}

/** Assign rows to ranks: trees and other terms without cells belong to the first rank. */
static sup_status share_blocks(sup_model *model) {
  if (!model->ranks) return SUP_OK;
  SUP_TRY(SUP_CALLOC(model->owner, model->num_blocks));
  SUP_TRY(SUP_CALLOC(model->touched, model->num_blocks));
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft *soft = &model->soft[s];
    const sup_mesh *own = sup_fem_mesh(soft->fem);
    for (int i = 0; i < soft->num_vertices; i++)
      if (soft->block[i] != SUP_NONE) model->owner[soft->block[i]] = soft->owner[i];
    for (int c = 0; c < own->num_cells; c++)
      for (int a = 0; a < sup_cell_num_vertices(own->type); a++) {
        int block = sup_soft_moving_block(model, soft, sup_mesh_cell(own, c)[a]);
        if (block != SUP_NONE) model->touched[block] = 1;
      }
  }
  return SUP_OK;
}

static sup_status number_blocks(sup_model *model) {
  SUP_TRY(SUP_CALLOC(model->block_size, model->num_blocks));
  SUP_TRY(SUP_CALLOC(model->block_body, model->num_blocks));
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree_block[t] != SUP_NONE) {
      model->block_size[model->tree_block[t]] = model->tree[t]->nv;
      model->block_body[model->tree_block[t]] = model->tree_body[t];
    }
  for (int s = 0; s < model->num_softs; s++)
    for (int i = 0; i < model->soft[s].num_vertices; i++)
      if (model->soft[s].block[i] != SUP_NONE) {
        model->block_size[model->soft[s].block[i]] = 3;
        model->block_body[model->soft[s].block[i]] = model->soft[s].body;
      }
  return SUP_OK;
}

static void add_base_pair(sup_model *model, int a, int b) {
  if (a == SUP_NONE || b == SUP_NONE || a == b) return;
  model->base_pair[2 * model->num_base_pairs] = a;
  model->base_pair[2 * model->num_base_pairs + 1] = b;
  model->num_base_pairs++;
}

/** Block columns that move a vertex: its own or its movers'; returns their number. */
static int blocks_of(const sup_model *model, const sup_soft *soft, int i, int *block) {
  int              n;
  const sup_mover *mover = sup_soft_movers(soft, i, &n);
  for (int k = 0; k < n; k++)
    block[k] = sup_soft_moving_block(model, &model->soft[mover[k].soft], mover[k].vertex);
  if (!mover) block[0] = sup_soft_moving_block(model, soft, i);
  return mover ? n : 1;
}

static int most_movers(const sup_soft *soft) {
  int most = 1;
  for (int k = 0; k < soft->num_tied; k++) {
    int n = soft->mover_start[k + 1] - soft->mover_start[k];
    most = n > most ? n : most;
  }
  return most;
}

/** Pairs of blocks of a body's cells. */
static sup_status add_cells(sup_model *model, const sup_soft *soft) {
  const sup_block_pattern *P = sup_fem_pattern(soft->fem);
  SUP_FREED int           *row = NULL;
  int                      most = most_movers(soft);
  SUP_TRY(SUP_CALLOC(row, 2 * most));
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
      int n = blocks_of(model, soft, sup_block_row(P, e), row);
      int m = blocks_of(model, soft, j, row + most);
      for (int a = 0; a < n; a++)
        for (int b = 0; b < m; b++) add_base_pair(model, row[a], row[most + b]);
    }
  return SUP_OK;
}

/** Largest number of pairs of a body's cells. */
static size_t count_pairs(const sup_soft *soft) {
  const sup_block_pattern *P = sup_fem_pattern(soft->fem);
  size_t                   sum = 0;
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
      int n, m;
      sup_soft_movers(soft, sup_block_row(P, e), &n), sup_soft_movers(soft, j, &m);
      sum += (size_t)(n > 0 ? n : 1) * (size_t)(m > 0 ? m : 1);
    }
  return sum;
}

/** All pairs of blocks that move the ends of a spring. */
static sup_status add_springs(sup_model *model) {
  for (int i = 0; i < model->num_springs; i++) {
    const sup_spring *spring = &model->spring[i];
    SUP_FREED int    *block = NULL;
    SUP_TRY(SUP_CALLOC(block, sup_spring_most_blocks(spring)));
    int n = sup_body_point_blocks(&spring->end[0], model, block);
    n += sup_body_point_blocks(&spring->end[1], model, block + n);
    for (int a = 0; a < n; a++)
      for (int b = 0; b < a; b++) add_base_pair(model, block[a], block[b]);
  }
  return SUP_OK;
}

/** All pairs of blocks that move neighbours on the path of a cable, or the ends of a line. */
static sup_status add_cables(sup_model *model) {
  for (int i = 0; i < model->num_cables + model->num_lines; i++) {
    const sup_cable *cable = &model->cable[i];
    SUP_FREED int   *block = NULL;
    SUP_TRY(SUP_CALLOC(block, sup_cable_most_blocks(cable)));
    for (int k = 0; k + 1 < cable->num_points; k++) {
      int n = sup_body_point_blocks(&cable->point[k], model, block);
      for (int to = k + 1; to <= sup_cable_next(cable, k); to++) {
        int all = n + sup_body_point_blocks(&cable->point[to], model, block + n);
        for (int a = 0; a < all; a++)
          for (int b = 0; b < a; b++) add_base_pair(model, block[a], block[b]);
      }
    }
  }
  return SUP_OK;
}

sup_status sup_model_build_pattern(sup_model *model) {
  size_t capacity = 0;
  SUP_TRY(number_blocks(model));
  SUP_TRY(share_blocks(model));
  for (int s = 0; s < model->num_softs; s++) capacity += count_pairs(&model->soft[s]);
  for (int i = 0; i < model->num_springs; i++) {
    size_t n = (size_t)sup_spring_most_blocks(&model->spring[i]);
    capacity += n * (n - 1) / 2;
  }
  for (int i = 0; i < model->num_cables + model->num_lines; i++) {
    size_t n = (size_t)sup_cable_most_blocks(&model->cable[i]);
    for (int k = 0; k + 1 < model->cable[i].num_points; k++)
      capacity += (size_t)(sup_cable_next(&model->cable[i], k) - k) * n * (n - 1) / 2;
  }
  SUP_TRY(SUP_CALLOC(model->base_pair, 2 * capacity));
  for (int s = 0; s < model->num_softs; s++) SUP_TRY(add_cells(model, &model->soft[s]));
  SUP_TRY(add_springs(model));
  return add_cables(model);
}
