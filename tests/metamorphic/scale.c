/* A scene in other units of length, time and mass: with powers of two no digit changes. */
#include <math.h>

#include "mesh/mesh.h"
#include "meta_scene.h"

typedef struct units {
  double length, time, mass, force, torque, pressure;
} units;

static void scale_by(double *a, int n, double by) {
  for (int i = 0; i < n; i++) a[i] *= by;
}

/** The first `lengths` numbers of each row are in `unit`, the others pure. */
static void scale_table(const units *u, sup_table *t, int lengths, double unit) {
  scale_by(t->time, t->num_rows, u->time);
  for (int row = 0; row < t->num_rows; row++) scale_by(t->value + t->width * row, lengths, unit);
}

static void scale_contact(const units *u, sup_contact_def *c) {
  double L = u->length, T = u->time;
  c->dissipation *= T / L, c->relaxation_time *= T;
  c->hertz_modulus *= u->pressure, c->modulus *= u->pressure;
  scale_by(c->surface_velocity, 3, L / T), scale_by(c->surface_amplitude, 3, L / T);
  c->surface_frequency /= T;
  c->stiffness *= u->pressure / L, c->point_stiffness *= u->force / L;
  c->rolling_friction *= L, c->torsional_friction *= L;
  c->resolution *= L, c->field_resolution *= L, c->field_margin *= L, c->field_thickness *= L;
}

static void scale_link(const units *u, sup_link_def *l) {
  double L = u->length, T = u->time;
  int    turns = l->joint == SUP_JOINT_REVOLUTE;
  double q = turns ? 1 : L, effort = turns ? u->torque : u->force;
  scale_by(l->X_PJ.p, 3, L), scale_by(l->com, 3, L), scale_by(l->inertia, 6, u->mass * L * L);
  l->lower *= q, l->upper *= q, l->effort_limit *= effort, l->velocity_limit *= q / T;
  l->damping *= effort * T / q, l->spring *= effort / q, l->armature *= effort * T * T / q;
  l->mass *= u->mass;
  scale_by(l->q0, l->joint == SUP_JOINT_FLOATING ? 3 : turns ? 0 : 7, L);
  scale_by(l->v0, 6, 1 / T);
  if (l->joint == SUP_JOINT_FLOATING)
    scale_by(l->v0 + 3, 3, L);
  else
    scale_by(l->v0, 6, q);
  for (int g = 0; g < l->num_geometries; g++) {
    scale_by(l->geometries[g].X_LG.p, 3, L), scale_by(l->geometries[g].shape.size, 3, L);
    scale_contact(u, &l->geometries[g].contact);
  }
}

static void scale_region(const units *u, sup_region *r) {
  scale_by(r->lower, 3, u->length), scale_by(r->upper, 3, u->length);
  r->offset *= u->length;
}

static void scale_soft(const units *u, sup_soft_def *d, sup_mesh *mesh) {
  double            L = u->length, T = u->time;
  sup_material_def *m = &d->material;
  scale_by(mesh->x, 3 * mesh->num_vertices, L);
  scale_by(d->X_WS.p, 3, L), scale_by(d->v0, 3, L / T);
  m->youngs_modulus *= u->pressure, m->density *= u->mass / (L * L * L);
  m->mass_damping /= T, m->stiffness_damping *= T, m->loss_frequency /= T;
  for (int i = 0; i < m->num_prony; i++) m->prony[i].time *= T;
  scale_contact(u, &d->contact);
  for (int k = 0; k < d->num_dirichlet; k++) {
    scale_region(u, &d->dirichlet[k].region);
    scale_table(u, &d->dirichlet[k].motion, 3, L);
  }
  for (int k = 0; k < d->num_attachments; k++) scale_region(u, &d->attachments[k].region);
  for (int k = 0; k < d->num_tractions; k++) {
    sup_traction_def *t = &d->tractions[k];
    scale_region(u, &t->region);
    scale_by(t->total_force, 3, u->force), scale_by(t->traction, 3, u->pressure);
    t->pressure *= u->pressure;
  }
}

static void scale_rules(const units *u, sup_contact_rules *c) {
  c->barrier_energy *= u->torque, c->barrier_surface_energy *= u->force / u->length;
  c->barrier_range *= u->length, c->barrier_margin *= u->length;
}

static void scale_drive(const units *u, const meta_scene *s, sup_actuator_def *a) {
  int t = 0, link = atoi(a->name + strlen("drive"));
  while (strcmp(s->tree[t].name, "robot") != 0) t++;
  int    turns = s->tree[t].links[link].joint == SUP_JOINT_REVOLUTE;
  double q = turns ? 1 : u->length, effort = turns ? u->torque : u->force;
  a->kp *= effort / q, a->kd *= effort * u->time / q, a->effort *= effort;
  scale_table(u, &a->target, 1, q);
}

void meta_scale(meta_scene *s, double length, double time, double mass) {
  double       force = mass * length / (time * time);
  units        u = {length, time, mass, force, force * length, force / (length * length)};
  sup_options *o = &s->options;
  o->dt *= time, o->stiction_tolerance *= length / time;
  scale_by(o->gravity, 3, length / (time * time));
  scale_rules(&u, &s->def.contact);
  for (int i = 0; i < s->def.num_actuators; i++) scale_drive(&u, s, &s->actuator[i]);
  for (int t = 0; t < s->def.num_trees; t++) {
    scale_by(s->tree[t].X_WB.p, 3, length), scale_table(&u, &s->tree[t].motion, 3, length);
    for (int l = 0; l < s->tree[t].num_links; l++) scale_link(&u, &s->tree[t].links[l]);
  }
  for (int i = 0; i < s->num_hulls; i++)
    scale_by(s->hull[i]->point, 3 * s->hull[i]->num_points, length);
  for (int i = 0; i < s->num_cells; i++)
    scale_by(s->cells[i]->x, 3 * s->cells[i]->num_vertices, length);
  for (int i = 0; i < s->def.num_softs; i++) scale_soft(&u, &s->soft[i], s->mesh[i]);
  for (int i = 0; i < s->def.num_springs; i++) {
    sup_spring_def *p = &s->spring[i];
    scale_by(p->stiffness, 3, force / length), scale_by(p->damping, 3, force * time / length);
    scale_by(p->rest, 3, length), scale_by(p->point_a, 3, length), scale_by(p->point_b, 3, length);
  }
  for (int i = 0; i < s->def.num_loads; i++)
    scale_by(s->load[i].point, 3, length), scale_table(&u, &s->load[i].force, 3, force);
}
