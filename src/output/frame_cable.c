#include <math.h>

#include "base/memory.h"
#include "model/body_point.h"
#include "model/cable.h"
#include "output/frame_file.h"

enum { ARC_MOST = 32 }; /* lines of an arc */

/** Paths of all cables: a line for each straight way, several for an arc, with their tension. */
typedef struct paths {
  int     num_points, num_lines;
  int    *start, *corner, *cable; /* [num_lines + 1], [num_lines x 2], [num_lines] */
  double *point, *tension;        /* [num_points x 3], [num_lines] */
} paths;

/** Add a corner of cable c, and the line that leads to it from the one before. */
static void add_corner(paths *p, int c, bool is_first, sup_v3 x, double tension) {
  int at = p->num_points++, line = p->num_lines;
  sup_v3_store(p->point + 3 * (size_t)at, x);
  if (is_first) return;
  p->corner[2 * line] = at - 1, p->corner[2 * line + 1] = at;
  p->start[line + 1] = 2 * (line + 1);
  p->cable[line] = c, p->tension[line] = tension, p->num_lines++;
}

/** Add the arc about a sheave from the end of the way before. */
static void add_arc(paths *p, int c, const sup_cable_node *node, double wrap, sup_v3 from,
                    const double tension[2]) {
  sup_v3 r = sup_v3_sub(from, node->x), across = sup_v3_cross(node->axis, r);
  int    n = (int)(wrap / acos(-1) * ARC_MOST / 2) + 1;
  for (int i = 1; i <= n; i++) {
    double share = (double)i / n, a = share * wrap;
    sup_v3 x = sup_v3_madd(sup_v3_madd(node->x, cos(a), r), sin(a), across);
    add_corner(p, c, false, x, tension[0] + (share - 0.5 / n) * (tension[1] - tension[0]));
  }
}

static void add_path(paths *p, const sup_observation *obs, int number) {
  const sup_cable  *c = &obs->model->cable[number];
  const sup_strand *strand = obs->strand + c->first_strand;
  sup_cable_leg     leg[SUP_CABLE_MOST_SHEAVES + 1];
  for (int k = 0; k + 1 < c->num_points; k = sup_cable_next(c, k)) {
    int num = sup_cable_legs_at(c, k, obs->X_WL, obs->x, leg);
    if (k == 0) add_corner(p, number, true, leg[0].end[0], 0);
    for (int i = 0; i < num; i++) {
      double T[2];
      for (int e = 0; e < 2; e++)
        T[e] = strand[sup_cable_strand_of(c, leg[i && !e ? i - 1 : i].from)].tension;
      sup_v3         x = sup_body_point_position(&c->point[leg[i].from], obs->X_WL, obs->x);
      sup_cable_node node = sup_cable_node_at(c, leg[i].from, x, obs->X_WL);
      if (i > 0) add_arc(p, number, &node, leg[i].wrap, leg[i - 1].end[1], T);
      add_corner(p, number, false, leg[i].end[1], T[1]);
    }
  }
}

static sup_status collect(paths *p, const sup_observation *obs) {
  const sup_model *model = obs->model;
  size_t           most = 0;
  *p = (paths){.num_points = 0};
  for (int i = 0; i < model->num_cables; i++)
    for (int k = 0; k < model->cable[i].num_points; k++)
      most += model->cable[i].sheave[k].radius > 0 ? ARC_MOST : 1;
  SUP_TRY(SUP_CALLOC(p->point, 3 * most));
  SUP_TRY(SUP_CALLOC(p->start, most + 1));
  SUP_TRY(SUP_CALLOC(p->corner, 2 * most));
  SUP_TRY(SUP_CALLOC(p->cable, most));
  SUP_TRY(SUP_CALLOC(p->tension, most));
  for (int i = 0; i < model->num_cables; i++) add_path(p, obs, i);
  return SUP_OK;
}

sup_status sup_cables_write(sup_frame_target *place, const sup_observation *obs) {
  sup_vtk_writer writer = {.binary = 0};
  paths          p;
  sup_status     status;
  SUP_TRY_GOTO(collect(&p, obs), status, done);
  SUP_TRY_GOTO(sup_frame_open(&writer, place, "cables", SUP_NONE), status, done);
  SUP_TRY_GOTO(sup_vtk_points(&writer, p.num_points, p.point), status, done);
  SUP_TRY_GOTO(sup_vtk_polygons(&writer, p.num_lines, p.start, p.corner), status, done);
  SUP_TRY_GOTO(sup_vtk_data_begin(&writer, 1, p.num_lines), status, done);
  SUP_TRY_GOTO(sup_vtk_scalars(&writer, "tension", p.num_lines, p.tension), status, done);
  SUP_TRY_GOTO(sup_vtk_integers(&writer, "cable", p.num_lines, p.cable), status, done);
  SUP_TRY_GOTO(sup_frame_close(&writer, place), status, done);
done:
  if (status != SUP_OK) sup_vtk_abandon(&writer);
  SUP_FREE_ALL(&p.point, &p.start, &p.corner, &p.cable, &p.tension);
  return status;
}
