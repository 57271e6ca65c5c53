/** history.csv, one row an output time, and contacts.csv, one row a touching pair of bodies.  Layer output.
 *
 *  Columns of history.csv, in this order (SI units, world axes):
 *  time; per rigid body and per robot link on a floating joint BODY.x y z qw qx qy qz vx vy vz wx wy wz; per robot
 * joint of one coordinate ROBOT.JOINT.q v tau; per soft body BODY.com_x com_y com_z volume elastic_energy
 * von_mises_max von_mises_p99 stress_error; per named pair contact.A.B.fx fy fz tx ty tz count area penetration (force
 * on B, moment about B's origin or centre of mass) cpx cpy cpz wrap (centre of pressure; wrap angle in degrees,
 * sup_observation_arc; empty when nothing presses), of a soft body with itself contact.A.A.fn count area penetration
 * (fn: sum of |f_n|); energy.kinetic elastic potential contact; newton; momentum_error momentum_residual; per attached
 * soft body attach.BODY.fx fy fz tx ty tz (on the link, about its origin); per probe probe.NAME.x y z. */
#pragma once

#include "output/csv.h"
#include "output/probe.h"
#include "output/statistics.h"

/** Columns of one named pair. */
typedef struct sup_history_pair {
  int a, b;       /* bodies as they are named; a = SUP_NONE: everything on b; a == b: a soft body with itself */
  int pair;       /* of the observation; SUP_NONE: of all, or the two never touch: zeros */
  int b_is_first; /* the named B is the pair's a */
} sup_history_pair;

typedef struct sup_history {
  sup_csv           rows, contacts;
  int               num_pairs;
  sup_history_pair *pair;
  int               num_probes;
  sup_probe        *probe;
} sup_history;

/** E_ARG names what the definition's pairs and probes get wrong. */
SUP_NODISCARD sup_status sup_history_check(const sup_model *model, const sup_output_def *def);
/** The names of the columns of history.csv, separated by commas, as its first line will be; freed by the caller. */
SUP_NODISCARD sup_status sup_history_columns(const sup_model *model, const sup_output_def *def, char **line);
/** Open both files in the folder and write their headers.  def: passes sup_history_check.  E_IO names the file. */
SUP_NODISCARD sup_status sup_history_create(sup_history *history, const sup_observation *obs, const char *folder,
                                            const sup_output_def *def);
void                     sup_history_free(sup_history *history);
/** Append a row to history.csv and the touching pairs to contacts.csv.  report: of the last step; zero before it. */
SUP_NODISCARD sup_status sup_history_write(sup_history *history, const sup_observation *obs,
                                           const sup_step_report *report, const sup_soft_account *account);
