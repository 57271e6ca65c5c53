/** Bodies with fields on their cells, for tests of the narrow phase. */
#pragma once

#include "field_test.h"
#include "geom/boundary.h"
#include "geom/field/volume_field.h"
#include "solids.h"

/** A body by its cells: the surface, its field. */
typedef struct mesh_solid {
  sup_hull    *hull;
  sup_surface *surface;
  sup_boundary boundary;
  sup_field   *field;
  double       depth, modulus;
  int          num_cells;
} mesh_solid;

static inline mesh_solid solid_of_cells(const sup_mesh *cells, double modulus, sup_field_kind kind,
                                        double margin) {
  mesh_solid s = {.modulus = modulus, .num_cells = cells->num_cells};
  sup_mesh  *mesh;
  double    *p;
  OK(sup_mesh_of_volume_field(&mesh, &p, &s.depth, cells, kind, margin));
  for (int i = 0; i < mesh->num_vertices; i++) p[i] *= modulus;
  OK(sup_field_create(&s.field, mesh->num_vertices, mesh->x, p, mesh->num_cells, mesh->cell,
                      margin));
  sup_mesh_destroy(&mesh);
  SUP_FREE(p);
  OK(sup_polyhedron_of_mesh(&s.hull, cells));
  OK(sup_surface_create(&s.surface, s.hull->num_points, s.hull->num_triangles, 3));
  memcpy(s.surface->face, s.hull->triangle,
         3 * (size_t)s.hull->num_triangles * sizeof *s.surface->face);
  OK(sup_boundary_create(&s.boundary, s.surface, s.hull->point));
  return s;
}

/** A surface, filled. */
static inline mesh_solid solid_filled(const solid_surface *surface, double edge, double modulus,
                                      sup_field_kind kind, double margin) {
  sup_hull  *hull = solid_hull(surface);
  sup_mesh  *cells = solid_cells(hull, edge);
  mesh_solid s = solid_of_cells(cells, modulus, kind, margin);
  sup_hull_destroy(&hull);
  sup_mesh_destroy(&cells);
  return s;
}

static inline void solid_forget(mesh_solid *s) {
  sup_boundary_free(&s->boundary);
  sup_surface_destroy(&s->surface);
  sup_hull_destroy(&s->hull);
  sup_field_destroy(&s->field);
}

/** Distance of a point outside of the body [m]; 0 inside, by the solid angle of the surface seen
 * from it (van Oosterom, Strackee 1983). */
static inline double solid_outside(const mesh_solid *s, sup_v3 p) {
  double angle = 0;
  for (int t = 0; t < s->hull->num_triangles; t++) {
    sup_v3 r[3];
    double l[3];
    for (int k = 0; k < 3; k++)
      r[k] = sup_v3_sub(sup_hull_corner(s->hull, t, k), p), l[k] = sup_v3_norm(r[k]);
    double above = sup_v3_dot(r[0], sup_v3_cross(r[1], r[2]));
    double below = l[0] * l[1] * l[2] + sup_v3_dot(r[0], r[1]) * l[2] +
                   sup_v3_dot(r[1], r[2]) * l[0] + sup_v3_dot(r[2], r[0]) * l[1];
    angle += 2 * atan2(above, below);
  }
  return angle > 6.283 ? 0 : sup_boundary_distance(&s->boundary, p);
}

/** Result of a narrow phase. */
typedef struct solid_outcome {
  int    count;
  double area;
  sup_v3 force, moment; /* on b, about the world's origin */
} solid_outcome;

/** Contacts of a's field with another; both frames to the world.  b NULL: the field is that of a
 * half space. */
static inline solid_outcome solid_touch(const mesh_solid *a, const sup_frame *X,
                                        const mesh_solid *b, const sup_field *field,
                                        const sup_frame *Y, int triangles) {
  solid_outcome     out = {0};
  sup_contact_list  list = {0};
  sup_contact       prototype = {0};
  sup_patch_options options = {.candidate = item,
                               .highest = HUGE_VAL,
                               .workspace_a = workspace_a,
                               .workspace_faces = workspace_faces,
                               .workspace_b = workspace_b,
                               .triangles = triangles,
                               .at_pressure = 1};
  sup_moving_field  from = placed(a->field, *X), to = placed(field, *Y);
  OK(sup_collide_field_field(&list, &prototype, &from, &to, &options));
  out.count = list.count;
  for (int i = 0; i < list.count; i++) {
    const sup_contact *c = &list.contact[i];
    double             p = -c->phi * c->slope;
    sup_v3             f = sup_v3_scale(p * c->area, c->normal);
    CHECK(isfinite(c->slope) && c->slope > 0 && isfinite(c->area) && c->area > 0);
    CHECK(p >= -1e-12 * a->modulus && p <= a->modulus * (1 + 1e-9));
    CHECK(fabs(sup_v3_norm(c->normal) - 1) < 1e-12);
    int is_looked_at =
        !triangles && i % (1 + list.count / 20) == 0; /* each takes a look at all triangles */
    for (int k = 0; k < c->num_points && is_looked_at; k++) {
      double slack = 1e-9 * (a->field->size + (b ? b->field->size : 0));
      CHECK(solid_outside(a, sup_frame_apply_inverse(X, c->point[k])) < slack);
      if (b) CHECK(solid_outside(b, sup_frame_apply_inverse(Y, c->point[k])) < slack);
    }
    out.area += c->area;
    out.force = sup_v3_add(out.force, f),
    out.moment = sup_v3_add(out.moment, sup_v3_cross(c->centroid, f));
  }
  sup_contact_list_free(&list);
  return out;
}
