/* Opening of a patch's gap by the turning of links (THEORY 33). */
#include <math.h>

#include "collide/surface/numerics.h"
#include "collide/surface/surface_depth.h"
#include "geom/clip.h"

/** A patch per stiffness of its pressure. */
typedef struct press {
  double area, force, energy; /* [m^2], [m^3], [m^4] */
} press;

/** A surface with the points of a search. */
typedef struct side {
  const sup_moving_surface    *a;
  const sup_surface_query     *query;
  const sup_surface_workspace *workspace;
  int                          num_faces, falls;
} side;

/** Gap of a point at the end of the step but for contact, with links at the poses of the start or
 * turned. */
static double gap_of(const side *s, const sup_surface_point *p, int stood) {
  return p->last - (s->falls ? sup_v3_dot(p->gradient, s->query->fall) : 0) +
         (stood ? p->stood - p->phi : 0);
}

static void add_triangle(press *out, const side *s, const sup_surface_point *const p[3], int stood,
                         double way) {
  sup_clipped part;
  double      level[3], depth = 0;
  for (int c = 0; c < 3; c++) level[c] = gap_of(s, p[c], stood) - way;
  if (!(level[0] < 0 || level[1] < 0 || level[2] < 0)) return;
  sup_v3 cross = sup_v3_cross(sup_v3_sub(p[1]->at, p[0]->at), sup_v3_sub(p[2]->at, p[0]->at));
  sup_clip_triangle(level, &part);
  double area = -0.5 * part.fraction * sup_v3_dot(cross, p[0]->gradient);
  if (part.num_points == 0 || !(area > 0)) return;
  for (int c = 0; c < 3; c++) depth -= part.centroid[c] * level[c];
  out->area += area, out->force += area * depth;
  out->energy += 0.5 * area * (depth * depth + sup_clipped_spread(&part, level));
}

/** Patch at the end of the step with b moved nearer by `way`. */
static press press_of(const side *s, int stood, double way) {
  press out = {0, 0, 0};
  for (int i = 0; i < s->num_faces; i++) {
    const int               *vertex = s->a->surface->face + 3 * s->workspace->face[i];
    const sup_surface_point *p[3];
    for (int c = 0; c < 3; c++) p[c] = &s->workspace->point[vertex[c]];
    add_triangle(&out, s, p, stood, way);
  }
  return out;
}

static double least_gap(const side *s, int stood) {
  double least = HUGE_VAL;
  for (int i = 0; i < s->num_faces; i++)
    for (int c = 0; c < 3; c++) {
      int vertex = s->a->surface->face[3 * s->workspace->face[i] + c];
      least = sup_min(least, gap_of(s, &s->workspace->point[vertex], stood));
    }
  return least;
}

double sup_surface_opened(const sup_moving_surface *a, const sup_surface_query *query,
                          const sup_surface_workspace *workspace, int num_faces) {
  enum { MOST = 20 };
  side s = {a, query, workspace, num_faces, 0};
  if (num_faces == 0 || a->surface->vertices_per_face != 3) return HUGE_VAL;
  press end = press_of(&s, 0, 0);
  if (!(end.force > 0)) s.falls = 1, end = press_of(&s, 0, 0);
  double way = least_gap(&s, 1) - least_gap(&s, 0);
  if (!(end.force > 0)) return -way;
  press begin = press_of(&s, 1, way);
  for (int k = 0;
       k < MOST && fabs(begin.force - end.force) > sup_surface_numerics.opened * end.force; k++) {
    if (!(begin.area > 0)) return -way;
    way += (end.force - begin.force) / begin.area;
    begin = press_of(&s, 1, way);
  }
  return -way - (end.energy - begin.energy) / end.force;
}
