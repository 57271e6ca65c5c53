/* Observables of attachments, clamps and holds, ties, chambers, cables, constraints, tasks, and
 * probes. */
#include <stdio.h>

#include "measure/observable_parts.h"
#include "model/cable.h"
#include "model/chamber.h"
#include "model/constraint.h"
#include "model/task.h"

static int num_attachments(const sup_observed_scene *scene) {
  return scene->model->num_attachments;
}

static int attach_prefix(const sup_observed_scene *scene, int i, char *text) {
  const sup_soft *soft = scene->model->soft;
  while (i >= soft->num_attachments) i -= (soft++)->num_attachments;
  if (soft->num_attachments == 1)
    snprintf(text, SUP_COLUMN_MAX, "attach.%s.", soft->name);
  else
    snprintf(text, SUP_COLUMN_MAX, "attach.%s.%s.", soft->name,
             scene->model->body[soft->attachment[i].body].name);
  return 1;
}

VECTOR(attach_force, at->obs->attach_wrench[at->index].force)
VECTOR(attach_moment, at->obs->attach_wrench[at->index].moment)
static const sup_observable attachments[] = {
    {"fx fy fz", "N", "force of the soft body on its link", attach_force, SUP_QUOTED_FORCE},
    {"tx ty tz", "N m", "moment of the soft body on its link about the link's origin",
     attach_moment, SUP_QUOTED_NOT}};

static int num_dirichlet(const sup_observed_scene *scene) { return scene->model->num_dirichlet; }

static int hold_prefix(const sup_observed_scene *scene, int i, char *text) {
  const sup_model *model = scene->model;
  int              s = 0;
  while (i >= model->soft[s].num_dirichlet) i -= model->soft[s++].num_dirichlet;
  snprintf(text, SUP_COLUMN_MAX, "reaction.%s.%s.", model->soft[s].name,
           model->soft[s].dirichlet[i].name);
  return 1;
}

VECTOR(reaction_force, at->obs->reaction[at->index].force)
VECTOR(reaction_moment, at->obs->reaction[at->index].moment)
static const sup_observable reactions[] = {
    {"fx fy fz", "N", "force of the clamp or hold on the soft body", reaction_force,
     SUP_QUOTED_FORCE},
    {"tx ty tz", "N m", "moment of the clamp or hold about its `about`", reaction_moment,
     SUP_QUOTED_NOT}};

NAMED(ties, tie)

static const sup_wrench *wrench_of(const sup_observed *at) {
  return &at->obs->attach_wrench[sup_model_first_tie_wrench(at->obs->model) + at->index];
}

VECTOR(tie_force, wrench_of(at)->force)
VECTOR(tie_moment, wrench_of(at)->moment)
static const sup_observable ties[] = {
    {"fx fy fz", "N", "force of the slave on the master", tie_force, SUP_QUOTED_FORCE},
    {"tx ty tz", "N m", "moment of the slave on the master about the mean of the tied vertices",
     tie_moment, SUP_QUOTED_NOT}};

static int num_probes(const sup_observed_scene *scene) { return scene->def->num_probes; }

static int probe_prefix(const sup_observed_scene *scene, int i, char *text) {
  snprintf(text, SUP_COLUMN_MAX, "probe.%s.", scene->def->probes[i].name);
  return 1;
}

VECTOR(probe_position, sup_probe_position(&at->probe[at->index], at->obs))
static const sup_observable probes[] = {
    {"x y z", "m", "position of the probe", probe_position, SUP_QUOTED_PROBE}};

NAMED(chambers, chamber)

static double volume_of(const sup_observed *at) {
  return sup_chamber_volume(&at->obs->model->chamber[at->index], at->obs->model, at->obs->x,
                            at->obs->scratch);
}

static double chamber_energy(const sup_observed *at) {
  return sup_chamber_energy(&at->obs->model->chamber[at->index], volume_of(at),
                            at->obs->chamber_pressure[at->index]);
}

NUMBER(chamber_volume, volume_of(at))
NUMBER(chamber_pressure, at->obs->chamber_pressure[at->index])
NUMBER(chamber_stored, chamber_energy(at))
static const sup_observable chambers[] = {
    {"volume", "m^3", "volume of the chamber", chamber_volume, SUP_QUOTED_NOT},
    {"pressure", "Pa", "pressure in the chamber over that outside", chamber_pressure,
     SUP_QUOTED_NOT},
    {"energy", "J", "energy of its gas or liquid above that at the pressure outside",
     chamber_stored, SUP_QUOTED_NOT}};

NAMED(cables, cable)

static double length_of(const sup_observed *at) {
  return sup_cable_length(&at->obs->model->cable[at->index], at->obs->X_WL, at->obs->x);
}

static const sup_strand *first_strand(const sup_observed *at) {
  return at->obs->strand + at->obs->model->cable[at->index].first_strand;
}

static double far_tension(const sup_observed *at) {
  return first_strand(at)[at->obs->model->cable[at->index].num_strands - 1].tension;
}

static double slip_work(const sup_observed *at) {
  double sum = 0;
  for (int i = 0; i < at->obs->model->cable[at->index].num_strands; i++)
    sum += first_strand(at)[i].slip_work;
  return sum;
}

NUMBER(cable_tension, first_strand(at)->tension)
NUMBER(cable_length, length_of(at))
NUMBER(cable_stored, sup_cable_stored(&at->obs->model->cable[at->index], first_strand(at),
                                      at->obs->X_WL, at->obs->x))
NUMBER(cable_far_tension, far_tension(at))
NUMBER(cable_slip_energy, slip_work(at))
static const sup_observable cables[] = {
    {"tension", "N", "tension of the cable at its first point", cable_tension, SUP_QUOTED_NOT},
    {"length", "m", "length of its path", cable_length, SUP_QUOTED_NOT},
    {"energy", "J", "energy of an elastic cable", cable_stored, SUP_QUOTED_NOT},
    {"far_tension", "N", "its tension at its last point", cable_far_tension, SUP_QUOTED_NOT},
    {"slip_energy", "J", "energy taken by friction at its points since the start",
     cable_slip_energy, SUP_QUOTED_NOT}};

NAMED(constraints, constraint)

static const sup_wrench *constraint_wrench(const sup_observed *at) {
  return &at->obs->attach_wrench[at->obs->model->num_attachments + at->index];
}

VECTOR(constraint_force, constraint_wrench(at)->force)
VECTOR(constraint_moment, constraint_wrench(at)->moment)
static double gap_of(const sup_observed *at) {
  const sup_observation     *obs = at->obs;
  const sup_body_constraint *c = &obs->model->constraint[at->index];
  if (!sup_constraint_is_active(c, obs->event)) return 0;
  return sup_constraint_gap(obs->model, c, obs->constraint_place + c->first_place, obs->X_WL,
                            obs->x, obs->q);
}

static double angle_of(const sup_observed *at) {
  const sup_observation     *obs = at->obs;
  const sup_body_constraint *c = &obs->model->constraint[at->index];
  if (!sup_constraint_is_active(c, obs->event)) return 0;
  return sup_constraint_angle(c, obs->constraint_place + c->first_place, obs->X_WL);
}

NUMBER(constraint_angle, angle_of(at))
NUMBER(constraint_size, sup_v3_norm(constraint_wrench(at)->force))
NUMBER(constraint_gap, gap_of(at))
static const sup_observable constraints[] = {
    {"fx fy fz", "N", "force of the constraint on its second body", constraint_force,
     SUP_QUOTED_FORCE},
    {"tx ty tz", "N m",
     "moment on its second body about its point or mean of points; x of a coupler: its effort",
     constraint_moment, SUP_QUOTED_NOT},
    {"force", "N", "length of that force", constraint_size, SUP_QUOTED_NOT},
    {"gap", "m", "largest distance of its points from their places", constraint_gap,
     SUP_QUOTED_NOT},
    {"angle", "rad", "rotation from its place, of a weld or hinge", constraint_angle,
     SUP_QUOTED_NOT}};

NAMED(tasks, task)
NUMBER(task_phase, at->obs->task[at->index].phase)
static const sup_observable tasks[] = {
    {"phase", "-", "phase of the task, from 0; their number: done; -1: stopped", task_phase,
     SUP_QUOTED_NOT}};

const sup_observable_group sup_observable_devices[SUP_NUM_DEVICE_GROUPS] = {
    {"attach.BODY.", "each soft body that is attached to a link; with several attach.BODY.LINK.",
     num_attachments, attach_prefix, ROWS(attachments)},
    {"reaction.BODY.NAME.",
     "each clamp and hold (NAME, a drawing's side_1, hole_1, or its number from 0, clamps first)",
     num_dirichlet, hold_prefix, ROWS(reactions)},
    {"tie.NAME.", "each tie", num_ties, tie_prefix, ROWS(ties)},
    {"chamber.NAME.", "each chamber", num_chambers, chamber_prefix, ROWS(chambers)},
    {"cable.NAME.", "each cable", num_cables, cable_prefix, ROWS(cables)},
    {"constraint.NAME.", "each constraint between bodies", num_constraints, constraint_prefix,
     ROWS(constraints)},
    {"task.NAME.", "each task", num_tasks, task_prefix, ROWS(tasks)},
    {"probe.NAME.", "each entry of output.probes", num_probes, probe_prefix, ROWS(probes)}};
