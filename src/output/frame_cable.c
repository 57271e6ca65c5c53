#include "base/memory.h"
#include "model/body_point.h"
#include "model/cable.h"
#include "output/frame_file.h"

/** Paths of all cables: a line for each segment, with the tension of its cable. */
typedef struct paths {
  int     num_points, num_lines;
  int    *start, *corner, *cable; /* [num_lines + 1], [num_lines x 2], [num_lines] */
  double *point, *tension;        /* [num_points x 3], [num_lines] */
} paths;

static sup_status collect(paths *p, const sup_observation *obs) {
  const sup_model *model = obs->model;
  *p = (paths){.num_points = 0};
  for (int i = 0; i < model->num_cables; i++) p->num_points += model->cable[i].num_points;
  SUP_TRY(SUP_CALLOC(p->point, 3 * (size_t)p->num_points));
  SUP_TRY(SUP_CALLOC(p->start, p->num_points + 1));
  SUP_TRY(SUP_CALLOC(p->corner, 2 * (size_t)p->num_points));
  SUP_TRY(SUP_CALLOC(p->cable, p->num_points));
  SUP_TRY(SUP_CALLOC(p->tension, p->num_points));
  for (int i = 0, at = 0; i < model->num_cables; i++)
    for (int k = 0; k < model->cable[i].num_points; k++, at++) {
      sup_v3_store(p->point + 3 * (size_t)at,
                   sup_body_point_position(&model->cable[i].point[k], obs->X_WL, obs->x));
      if (k == 0) continue;
      int line = p->num_lines++;
      p->corner[2 * line] = at - 1, p->corner[2 * line + 1] = at;
      p->start[line + 1] = 2 * (line + 1);
      const sup_cable *c = &model->cable[i];
      p->cable[line] = i;
      p->tension[line] = obs->strand[c->first_strand + sup_cable_strand_of(c, k - 1)].tension;
    }
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
