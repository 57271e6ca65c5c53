/* A scene as a file, in SI numbers or in units of any kind. */
#include "geom/shape.h"
#include "mesh/format/mesh_file.h"
#include "meta_scene.h"

typedef enum dimension {
  NUMBER,
  LENGTH,
  TIME,
  MASS,
  ANGLE,
  PRESSURE,
  DENSITY,
  VELOCITY,
  ANGULAR_VELOCITY,
  ACCELERATION,
  DISSIPATION,
  CONTACT_STIFFNESS,
  STIFFNESS,
  DAMPING,
  FORCE,
  ENERGY,
  INERTIA,
  RATE,
  NUM_DIMENSIONS
} dimension;

enum { MOST_UNITS = 4 };
/** Units and how large they are in SI. */
static const struct {
  const char *name;
  double      size;
} units[NUM_DIMENSIONS][MOST_UNITS] = {
    [NUMBER] = {{"%", 1e-2}},
    [LENGTH] = {{"mm", 1e-3}, {"cm", 1e-2}, {"um", 1e-6}, {"m", 1}},
    [TIME] = {{"ms", 1e-3}, {"us", 1e-6}, {"s", 1}, {"min", 60}},
    [MASS] = {{"g", 1e-3}, {"mg", 1e-6}, {"t", 1e3}, {"kg", 1}},
    [ANGLE] = {{"deg", 3.14159265358979323846 / 180}, {"rad", 1}},
    [PRESSURE] = {{"kPa", 1e3}, {"MPa", 1e6}, {"bar", 1e5}, {"N/mm^2", 1e6}},
    [DENSITY] = {{"g/cm^3", 1e3}, {"t/m^3", 1e3}, {"mg/mm^3", 1e3}, {"kg/m^3", 1}},
    [VELOCITY] = {{"mm/s", 1e-3}, {"cm/ms", 10}, {"m/min", 1. / 60}, {"um/us", 1}},
    [ANGULAR_VELOCITY] = {{"deg/s", 3.14159265358979323846 / 180}, {"rad/ms", 1e3}},
    [ACCELERATION] = {{"mm/s^2", 1e-3}, {"um/ms^2", 1}, {"cm/s^2", 1e-2}},
    [DISSIPATION] = {{"s/mm", 1e3}, {"ms/m", 1e-3}, {"us/um", 1}},
    [CONTACT_STIFFNESS] = {{"MPa/mm", 1e9}, {"N/mm^3", 1e9}, {"kPa/um", 1e9}},
    [STIFFNESS] = {{"N/mm", 1e3}, {"kN/m", 1e3}, {"mN/um", 1e3}},
    [DAMPING] = {{"N s/mm", 1e3}, {"mN ms/um", 1}},
    [FORCE] = {{"mN", 1e-3}, {"kN", 1e3}, {"N", 1}},
    [ENERGY] = {{"mJ", 1e-3}, {"J", 1}},
    [INERTIA] = {{"g mm^2", 1e-9}, {"kg mm^2", 1e-6}},
    [RATE] = {{"1/ms", 1e3}, {"1/min", 1. / 60}}};

typedef struct writer {
  FILE *file;
  int   in_units, count;
} writer;

static void number(writer *w, dimension d, double value) {
  int n = 0;
  if (!w->in_units) {
    fprintf(w->file, "%.17g", value);
    return;
  }
  while (n < MOST_UNITS && units[d][n].name) n++;
  int k = w->count++ % n;
  fprintf(w->file, "\"%.17g %s\"", value / units[d][k].size, units[d][k].name);
}

static void put(writer *w, const char *key, dimension d, double value) {
  fprintf(w->file, "%s: ", key);
  number(w, d, value);
  fprintf(w->file, ", ");
}

static void put3(writer *w, const char *key, dimension d, const double *value) {
  fprintf(w->file, "%s: [", key);
  for (int c = 0; c < 3; c++) fprintf(w->file, "%s", c ? ", " : ""), number(w, d, value[c]);
  fprintf(w->file, "], ");
}

static void put_pose(writer *w, const sup_pose *X) {
  fprintf(w->file, "pose: {");
  put3(w, "position", LENGTH, X->p);
  fprintf(w->file, "quaternion: [%.17g, %.17g, %.17g, %.17g]}, ", X->q[0], X->q[1], X->q[2],
          X->q[3]);
}

static void put_shape(writer *w, const sup_shape *shape) {
  const double *z = shape->size;
  fprintf(w->file, "shape: {%s: {", sup_shape_name(shape->type));
  if (shape->type == SUP_SHAPE_BOX) put3(w, "size", LENGTH, z);
  if (shape->type == SUP_SHAPE_ELLIPSOID) put3(w, "radii", LENGTH, z);
  if (shape->type == SUP_SHAPE_SPHERE) put(w, "radius", LENGTH, z[0]);
  if (shape->type == SUP_SHAPE_CYLINDER || shape->type == SUP_SHAPE_CAPSULE)
    put(w, "radius", LENGTH, z[0]), put(w, "length", LENGTH, z[1]);
  if (shape->type == SUP_SHAPE_CONVEX) {
    fprintf(w->file, "vertices: [");
    for (int i = 0; i < shape->hull->num_points; i++) {
      fprintf(w->file, "%s[", i ? ", " : "");
      for (int c = 0; c < 3; c++) {
        fprintf(w->file, "%s", c ? ", " : "");
        number(w, LENGTH, shape->hull->point[3 * i + c]);
      }
      fprintf(w->file, "]");
    }
    fprintf(w->file, "]");
  }
  fprintf(w->file, "}}, ");
}

static void put_contact(writer *w, const sup_contact_def *c, sup_shape_type type, int is_soft) {
  fprintf(w->file, "contact: {");
  put(w, "friction", NUMBER, c->friction);
  if (c->static_friction > c->friction) put(w, "static_friction", NUMBER, c->static_friction);
  put(w, "dissipation", DISSIPATION, c->dissipation);
  put(w, "relaxation_time", TIME, c->relaxation_time);
  if (c->self) fprintf(w->file, "self: true, ");
  if (!is_soft) {
    put(w, "stiffness", CONTACT_STIFFNESS, c->stiffness);
    put(w, "rolling_friction", LENGTH, c->rolling_friction);
    put(w, "torsional_friction", LENGTH, c->torsional_friction);
    if (type != SUP_SHAPE_HALF_SPACE) put(w, "resolution", LENGTH, c->resolution);
    put3(w, "surface_velocity", VELOCITY, c->surface_velocity);
    if (c->anisotropy_ratio != 1) {
      fprintf(w->file, "anisotropy: {axis: [%.17g, %.17g, %.17g], ", c->anisotropy_axis[0],
              c->anisotropy_axis[1], c->anisotropy_axis[2]);
      put(w, "ratio", NUMBER, c->anisotropy_ratio), fprintf(w->file, "}, ");
    }
    if (c->point_stiffness > 0) {
      fprintf(w->file, "point: {");
      put(w, "stiffness", STIFFNESS, c->point_stiffness), fprintf(w->file, "}, ");
    }
  }
  if (c->modulus > 0) {
    fprintf(w->file, "compliant: {");
    put(w, "modulus", PRESSURE, c->modulus), put(w, "margin", LENGTH, c->field_margin);
    if (type == SUP_SHAPE_HALF_SPACE)
      put(w, "thickness", LENGTH, c->field_thickness);
    else if (type != SUP_SHAPE_BOX && type != SUP_SHAPE_CONVEX)
      put(w, "resolution", LENGTH, c->field_resolution);
    fprintf(w->file, "}, ");
  }
  fprintf(w->file, "}");
}

static void put_motion(writer *w, const sup_table *t) {
  fprintf(w->file, "motion: [");
  for (int row = 0; row < t->num_rows; row++) {
    fprintf(w->file, "%s[", row ? ", " : "");
    number(w, TIME, t->time[row]);
    for (int c = 0; c < 6; c++)
      fprintf(w->file, ", "), number(w, c < 3 ? LENGTH : ANGLE, t->value[6 * row + c]);
    fprintf(w->file, "]");
  }
  fprintf(w->file, "], ");
}

/** The file has principal moments about an origin that is the centre of mass. */
static void put_rigid(writer *w, const sup_tree_def *d) {
  const sup_link_def *l = &d->links[0];
  sup_frame           X = sup_frame_from_pose(&d->X_WB);
  const double       *v = l->v0;
  fprintf(w->file, "  %s: {", d->name);
  put_shape(w, &l->geometries[0].shape);
  if (l->joint == SUP_JOINT_FLOATING) {
    sup_pose pose;
    memcpy(pose.p, l->q0, sizeof pose.p), memcpy(pose.q, l->q0 + 3, sizeof pose.q);
    sup_frame local = sup_frame_from_pose(&pose);
    double    spin[3];
    X = sup_frame_mul(&X, &local);
    sup_v3_store(spin, sup_m3_apply(X.R, sup_v3_load(l->v0)));
    put3(w, "angular_velocity", ANGULAR_VELOCITY, spin), v += 3;
  }
  sup_pose pose = sup_pose_from_frame(&X);
  put_pose(w, &pose);
  if (d->motion.num_rows > 0) put_motion(w, &d->motion);
  if (l->joint == SUP_JOINT_FIXED && d->motion.num_rows == 0) fprintf(w->file, "fixed: true, ");
  if (l->joint == SUP_JOINT_TRANSLATION) fprintf(w->file, "joint: translation, ");
  if (l->joint != SUP_JOINT_FIXED) {
    double velocity[3];
    sup_v3_store(velocity, sup_m3_apply(X.R, sup_v3_load(v)));
    put3(w, "velocity", VELOCITY, velocity), put(w, "mass", MASS, l->mass);
    put3(w, "inertia", INERTIA, l->inertia);
  }
  put_contact(w, &l->geometries[0].contact, l->geometries[0].shape.type, 0);
  fprintf(w->file, "}\n");
}

static const char *const material_model[] = {
#define ENTRY(NAME, name, ...) #name,
    SUP_MATERIAL_LIST(ENTRY)
#undef ENTRY
};

static void put_material(writer *w, const sup_material_def *m) {
  fprintf(w->file, "material: {model: %s, ", material_model[m->model]);
  put(w, "youngs_modulus", PRESSURE, m->youngs_modulus), put(w, "density", DENSITY, m->density);
  put(w, "poissons_ratio", NUMBER, m->poissons_ratio);
  put(w, "mass_damping", RATE, m->mass_damping);
  put(w, "stiffness_damping", TIME, m->stiffness_damping);
  if (m->num_prony > 0) {
    fprintf(w->file, "moduli: %s, prony: [", m->moduli ? "instantaneous" : "long_term");
    for (int i = 0; i < m->num_prony; i++) {
      fprintf(w->file, "%s[%.17g, ", i ? ", " : "", m->prony[i].share);
      number(w, TIME, m->prony[i].time), fprintf(w->file, "]");
    }
    fprintf(w->file, "], ");
  }
  fprintf(w->file, "}, ");
}

static void put_soft(writer *w, const sup_soft_def *d, const char *mesh) {
  fprintf(w->file, "  %s: {mesh: {file: %s}, mass: %s, ", d->name, mesh,
          d->lumped_mass ? "lumped" : "consistent");
  if (d->solid_shell) fprintf(w->file, "element: solid_shell, ");
  if (d->mean_dilatation) fprintf(w->file, "dilatation: mean, ");
  put_material(w, &d->material), put_pose(w, &d->X_WS);
  put3(w, "velocity", VELOCITY, d->v0);
  put_contact(w, &d->contact, SUP_SHAPE_MESH, 1);
  fprintf(w->file, "}\n");
}

static void put_contact_rules(writer *w, const meta_scene *s) {
  static const char *const model[] = {
#define ENTRY(NAME, name, ...) #name,
      SUP_CONTACT_MODEL_LIST(ENTRY)};
  static const char *const law[] = {SUP_NORMAL_LAW_LIST(ENTRY)};
  static const char *const softening[] = {SUP_FRICTION_SOFTENING_LIST(ENTRY)
#undef ENTRY
  };
  const sup_options       *o = &s->options;
  const sup_contact_rules *c = &s->def.contact;
  fprintf(w->file, "contact: {model: %s, ", model[c->model]);
  if (c->model != SUP_MODEL_SAP)
    fprintf(w->file, "normal_law: %s, softening: %s, ", law[c->normal_law],
            softening[o->softening]);
  if (s->def.num_softs > 0)
    fprintf(w->file, "soft_surface: %s, ", c->soft_surface ? "vertices" : "polygons");
  fprintf(w->file, "delassus: %s, stick: %s, patch: {cut: %s}, ", o->delassus ? "full" : "diagonal",
          o->stick ? "elastic" : "soft", o->patch_triangles ? "triangles" : "polygons");
  put(w, "stiction_tolerance", VELOCITY, o->stiction_tolerance), fprintf(w->file, "}\n");
}

const char *meta_why_no_file(const meta_scene *s) {
  for (int t = 0; t < s->def.num_trees; t++) {
    const sup_tree_def *d = &s->tree[t];
    if (!d->is_rigid_body) return "sliders are in files of their own, in SI units";
    if (d->links[0].geometries[0].shape.type == SUP_SHAPE_MESH)
      return "meshes of rigid bodies are not written";
  }
  return NULL;
}

static const char *scheme_of(const sup_options *o) {
  return o->soft_bdf2            ? "bdf2"
         : o->scheme.theta == .5 ? "midpoint"
         : o->scheme.theta == 1  ? "implicit_euler"
                                 : "symplectic_euler";
}

void meta_write(const meta_scene *s, const char *folder, int in_units, char *path, size_t size) {
  char   mesh[META_MAX_SOFTS][40], text[400];
  writer w = {.in_units = in_units};
  snprintf(path, size, "%s/%s.yaml", folder, in_units ? "units" : "si");
  w.file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(w.file);
  fprintf(w.file, "supple: 1\ntime: {");
  put(&w, "step", TIME, s->options.dt), put(&w, "end", TIME, s->options.dt * s->num_steps);
  fprintf(w.file, "scheme: %s}\n", scheme_of(&s->options));
  put3(&w, "gravity", ACCELERATION, s->options.gravity);
  fseek(w.file, -2, SEEK_CUR); /* no section: no comma */
  fprintf(w.file, "  \nsolver: {tolerance: %.17g, max_iterations: %d, newton: %s}\n",
          s->options.tolerance, s->options.max_iterations,
          s->options.newton == SUP_NEWTON_PRIMAL ? "primal" : "primal_dual");
  put_contact_rules(&w, s);
  fprintf(w.file, "rigid:\n");
  for (int t = 0; t < s->def.num_trees; t++) put_rigid(&w, &s->tree[t]);
  if (s->def.num_softs > 0) fprintf(w.file, "soft:\n");
  for (int i = 0; i < s->def.num_softs; i++) {
    snprintf(mesh[i], sizeof mesh[i], "s%d.vtk", i);
    snprintf(text, sizeof text, "%s/%s", folder, mesh[i]);
    OK(sup_mesh_write(s->mesh[i], text, 1));
    put_soft(&w, &s->soft[i], mesh[i]);
  }
  fprintf(w.file, "output: {format: none}\n");
  fclose(w.file);
}
