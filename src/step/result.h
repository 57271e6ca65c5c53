/** What a step leaves for those who look: contacts with their forces, wrenches, efforts, energies.  Layer step.
 *
 *  Memory belongs to the stepper and is valid until its next step.  Forces are means over the step: impulse / dt. */
#pragma once

#include "model/model.h"

enum { SUP_CONTACT_MAX_POINTS = 8, SUP_CONTACT_MAX_VERTICES = 4 };

/** One contact polygon: a piece of body a's surface inside body b (THEORY 15.3). */
typedef struct sup_contact {
  int    pair;           /* of the model */
  int    body_a, body_b; /* n points from a to b */
  int    geometry_a;     /* SUP_NONE when a is soft */
  int    geometry_b;
  int    triangle;                      /* of a's surface */
  int    num_points;                    /* corners of the polygon */
  sup_v3 point[SUP_CONTACT_MAX_POINTS]; /* world [m] */
  sup_v3 centroid, normal;              /* world */
  double area;                          /* [m^2] */
  double phi;                           /* signed depth at the centroid, negative inside [m] */
  double stiffness;                     /* k [N/m] after the near-rigid rule */
  double friction, dissipation;
  int    num_vertices; /* soft side: vertices of the body and weights of the centroid */
  int    vertex[SUP_CONTACT_MAX_VERTICES];
  double weight[SUP_CONTACT_MAX_VERTICES];
  sup_v3 force;    /* on b, world [N] */
  double pressure; /* normal force / area [Pa] */
  sup_v3 slip;     /* tangential velocity of b relative to a at the end of the step, world [m/s] */
} sup_contact;

typedef struct sup_step_result {
  double             time; /* of the state after the step [s] */
  long               step;
  int                num_contacts;
  const sup_contact *contact;
  const double      *joint_effort;    /* [num_v] actuator and limit effort on each joint velocity [N or N m] */
  const sup_wrench  *attach_wrench;   /* [num_softs] on the link, moment about the link's origin; 0 when not attached */
  const double      *contact_force;   /* [num_vertices x 3] on the soft vertices [N] */
  const sup_frame   *X_WL;            /* [num_bodies] poses of links after the step; soft bodies: identity */
  const sup_v3      *link_w, *link_v; /* [num_bodies] velocities of links after the step, world */
  double             kinetic, elastic, potential; /* [J] after the step */
} sup_step_result;
