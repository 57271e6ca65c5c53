#include "base/memory.h"
#include "output/frame_file.h"

/** Contacts of one frame as flat arrays: point contacts first, as VTK wants vertices before
 * polygons. */
typedef struct polygons {
  const sup_observation *obs;
  int                    count, num_points;
  const sup_contact    **contact;                  /* [count] those that press */
  int                   *start, *corner, *integer; /* [count + 1], [num_points], [count] */
  double                *point, *value;            /* [num_points x 3], [count x 3] */
  double                *pressure;                 /* [num_points] at the corners [Pa] */
} polygons;

static sup_status collect(polygons *p, const sup_observation *obs) {
  *p = (polygons){.obs = obs};
  SUP_TRY(SUP_CALLOC(p->contact, obs->num_contacts));
  for (int is_polygon = 0; is_polygon < 2; is_polygon++) {
    for (int i = 0; i < obs->num_contacts; i++) {
      if (!sup_contact_presses(&obs->contact[i]) || (obs->contact[i].num_points > 1) != is_polygon)
        continue;
      p->contact[p->count++] = &obs->contact[i];
      p->num_points += obs->contact[i].num_points;
    }
  }
  SUP_TRY(SUP_CALLOC(p->start, p->count + 1));
  SUP_TRY(SUP_CALLOC(p->corner, p->num_points));
  SUP_TRY(SUP_CALLOC(p->integer, p->count));
  SUP_TRY(SUP_CALLOC(p->point, 3 * (size_t)p->num_points));
  SUP_TRY(SUP_CALLOC(p->value, 3 * (size_t)p->count));
  SUP_TRY(SUP_CALLOC(p->pressure, p->num_points));
  for (int i = 0; i < p->count; i++) {
    const sup_contact *contact = p->contact[i];
    p->start[i + 1] = p->start[i] + contact->num_points;
    for (int k = 0; k < contact->num_points; k++) {
      int at = p->start[i] + k;
      p->corner[at] = at;
      sup_v3_store(p->point + 3 * (size_t)at, contact->point[k]);
      p->pressure[at] = sup_contact_corner_pressure(contact, k);
    }
  }
  return SUP_OK;
}

static void release(polygons *p) {
  SUP_FREE_ALL(&p->contact, &p->start, &p->corner, &p->integer, &p->point, &p->value, &p->pressure);
}

/** -1: the bodies of the contact stand the other way round in the history and contacts.csv. */
static double sign_of(const polygons *p, const sup_contact *contact) {
  const sup_pair_sum *pair = &p->obs->pair[p->obs->body_pair[contact->pair]];
  return pair->a != pair->b && contact->body_b != pair->b ? -1 : 1;
}

static double area_or_one(const sup_contact *contact) {
  return contact->area > 0 ? contact->area : 1;
}

static double pressure_of(const sup_contact *contact) { return contact->pressure; }
static double penetration_of(const sup_contact *contact) { return sup_contact_depth(contact); }
static double area_of(const sup_contact *contact) { return contact->area; }
static sup_v3 traction_of(const sup_contact *contact) {
  return sup_v3_scale(1 / area_or_one(contact), contact->force);
}
static sup_v3 normal_of(const sup_contact *contact) { return contact->normal; }
static double gliding_offset_of(const sup_contact *contact) { return contact->gliding_offset; }
static double effective_stiffness_of(const sup_contact *contact) {
  return contact->effective_stiffness;
}
static double slip_tolerance_of(const sup_contact *contact) { return contact->slip_tolerance; }
static double stick_creep_of(const sup_contact *contact) { return contact->stick_creep; }
static sup_v3 slip_of(const sup_contact *contact) { return contact->slip; }

static sup_status put_scalars(sup_vtk_writer *writer, polygons *p, const char *name,
                              double (*value)(const sup_contact *)) {
  for (int i = 0; i < p->count; i++) p->value[i] = value(p->contact[i]);
  SUP_TRY(sup_vtk_scalars(writer, name, p->count, p->value));
  return SUP_OK;
}

static sup_status put_vectors(sup_vtk_writer *writer, polygons *p, const char *name,
                              sup_v3 (*value)(const sup_contact *)) {
  const sup_v3 zero = {0, 0, 0}; /* minus which nothing stays without a sign */
  for (int i = 0; i < p->count; i++) {
    sup_v3 v = value(p->contact[i]);
    sup_v3_store(p->value + 3 * (size_t)i, sign_of(p, p->contact[i]) < 0 ? sup_v3_sub(zero, v) : v);
  }
  SUP_TRY(sup_vtk_vectors(writer, name, p->count, p->value));
  return SUP_OK;
}

/** Write the properties of contacts that the scene asked the steps to measure. */
static sup_status put_properties(sup_vtk_writer *writer, polygons *p) {
  SUP_TRY(put_scalars(writer, p, "gliding_offset", gliding_offset_of));
  SUP_TRY(put_scalars(writer, p, "effective_stiffness", effective_stiffness_of));
  SUP_TRY(put_scalars(writer, p, "slip_tolerance", slip_tolerance_of));
  SUP_TRY(put_scalars(writer, p, "stick_creep", stick_creep_of));
  return SUP_OK;
}

static sup_status put_fields(sup_vtk_writer *writer, polygons *p, int certificate) {
  SUP_TRY(sup_vtk_data_begin(writer, 1, p->count));
  SUP_TRY(put_scalars(writer, p, "pressure", pressure_of));
  SUP_TRY(put_vectors(writer, p, "traction", traction_of));
  SUP_TRY(put_vectors(writer, p, "normal", normal_of));
  SUP_TRY(put_vectors(writer, p, "slip_velocity", slip_of));
  SUP_TRY(put_scalars(writer, p, "penetration", penetration_of));
  SUP_TRY(put_scalars(writer, p, "area", area_of));
  if (certificate) SUP_TRY(put_properties(writer, p));
  for (int is_b = 0; is_b < 2; is_b++) {
    for (int i = 0; i < p->count; i++) {
      const sup_contact *contact = p->contact[i];
      int                takes_b = is_b == (sign_of(p, contact) > 0);
      p->integer[i] = takes_b ? contact->body_b : contact->body_a;
    }
    SUP_TRY(sup_vtk_integers(writer, is_b ? "body_b" : "body_a", p->count, p->integer));
  }
  return SUP_OK;
}

sup_status sup_contact_polygons_write(sup_frame_target *place, const sup_observation *obs) {
  sup_vtk_writer writer = {.binary = 0};
  polygons       p;
  sup_status     status;
  SUP_TRY_GOTO(collect(&p, obs), status, done);
  SUP_TRY_GOTO(sup_frame_open(&writer, place, "contact", SUP_NONE), status, done);
  SUP_TRY_GOTO(sup_vtk_points(&writer, p.num_points, p.point), status, done);
  SUP_TRY_GOTO(sup_vtk_polygons(&writer, p.count, p.start, p.corner), status, done);
  SUP_TRY_GOTO(sup_vtk_data_begin(&writer, 0, p.num_points), status, done);
  SUP_TRY_GOTO(sup_vtk_scalars(&writer, "pressure", p.num_points, p.pressure), status, done);
  SUP_TRY_GOTO(put_fields(&writer, &p, obs->options.certificate), status, done);
  SUP_TRY_GOTO(sup_frame_close(&writer, place), status, done);
done:
  if (status != SUP_OK) sup_vtk_abandon(&writer);
  release(&p);
  return status;
}
