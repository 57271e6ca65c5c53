/** Definitions of soft bodies: materials, loads, clamps and holds, attachments. */
#pragma once

#include "supple/contact.h"
#include "supple/event.h"
#include "supple/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Material models, THEORY 4.2; the names are those of scenes.  The first two are linear in a step:
 * small strains without rotation, and with the rotation of the step's start ("linear corotated").
 * The others are solved to the end of the step by Newton's method. */
#define SUP_MATERIAL_LIST(X)                                                                  \
  X(LINEAR, linear, "Hooke's law of small strains, without rotation")                         \
  X(LINEAR_COROTATIONAL, linear_corotational, "Hooke's law in axes that turn with each cell") \
  SUP_STRETCH_LAW_LIST(X)
/** Laws of the principal stretches: one file fem/law/law_NAME.c each. */
#define SUP_STRETCH_LAW_LIST(X)                                                                    \
  X(COROTATIONAL, corotational, "linear in the stretches and in their sum")                        \
  X(FIXED_COROTATIONAL, fixed_corotational, "linear in the stretches and in the change of volume") \
  X(SAINT_VENANT_KIRCHHOFF, saint_venant_kirchhoff,                                                \
    "linear in Green's strain; weak in compression")                                               \
  X(NEO_HOOKEAN, neo_hookean, "rubber, with the logarithm of the volume ratio")                    \
  X(STABLE_NEO_HOOKEAN, stable_neo_hookean, "rubber, defined for cells turned inside out, too")
typedef enum sup_material_model {
#define SUP_MATERIAL_ENTRY(NAME, name, meaning) SUP_MATERIAL_##NAME,
  SUP_MATERIAL_LIST(SUP_MATERIAL_ENTRY)
#undef SUP_MATERIAL_ENTRY
      SUP_NUM_MATERIALS
} sup_material_model;

/** Moduli of a viscoelastic material that youngs_modulus gives: those of slow loading, which last,
 * or those of a sudden one. */
typedef enum sup_moduli { SUP_MODULI_LONG_TERM, SUP_MODULI_INSTANTANEOUS } sup_moduli;

enum { SUP_PRONY_MAX = 10 };
/** One Maxwell element of a Prony series: of a stress at constant strain the share `share` of the
 * instantaneous one decays as exp(-t/time). */
typedef struct sup_prony_term {
  double share; /* g_i [-], 0 < g_i; all of them below 1 */
  double time;  /* tau_i [s] */
} sup_prony_term;

typedef struct sup_material_def {
  char               name[SUP_NAME_MAX];
  sup_material_model model;
  double             youngs_modulus;    /* E [Pa] */
  double             poissons_ratio;    /* nu [-], -1 < nu < 0.5 */
  double             density;           /* rho [kg/m^3] */
  double             mass_damping;      /* alpha of D = alpha M + beta K [1/s] */
  double             stiffness_damping; /* beta [s] */
  /* viscoelasticity: all moduli relax alike, of every model; a series, or the loss factor at a
   * frequency, which makes one term of it */
  int            num_prony; /* 0: none */
  sup_prony_term prony[SUP_PRONY_MAX];
  double         loss_factor;    /* tan delta = E''/E' [-], below 1; 0: none */
  double         loss_frequency; /* at which it is that [Hz] */
  double         strength;       /* tensile force at break over the initial area [Pa]; 0: unknown */
  double         strain_at_break; /* stretch less 1 [-]; 0: unknown */
  sup_moduli     moduli;
  int            marker; /* SUP_INITIALISED */
} sup_material_def;
#define SUP_DEFAULT_MATERIAL_DEF                                                             \
  {                                                                                          \
    .marker = SUP_INITIALISED, .name = "default", .model = SUP_MATERIAL_LINEAR_COROTATIONAL, \
    .youngs_modulus = 1e7, .poissons_ratio = 0.45, .density = 1200                           \
  }

/** A set of vertices of a soft body, chosen in the reference coordinates of its mesh or by the name
 * that the mesh has for them; a name of cells stands for their vertices. */
typedef enum sup_region_type {
  SUP_REGION_BOX,
  SUP_REGION_HALF_SPACE,
  SUP_REGION_NAMED
} sup_region_type;
typedef struct sup_region {
  sup_region_type type;
  double          lower[3], upper[3]; /* box: lower <= x <= upper [m] */
  double          normal[3], offset;  /* half space: normal . x <= offset [m] */
  char            name[SUP_NAME_MAX]; /* of a set of vertices, or else of cells */
} sup_region;

/** Loads on the boundary faces whose vertices all lie in the region, scaled by `scale` over time;
 * they add up. */
typedef struct sup_traction_def {
  sup_region region;
  double     total_force[3]; /* [N], spread by area over the region's faces */
  sup_table  scale;          /* width 1; empty: 1 */
  double     traction[3];    /* along the world's axes, on the area at rest [Pa] */
  double     pressure;       /* against the current outward normal, on the current area [Pa] */
  int        marker;         /* SUP_INITIALISED */
} sup_traction_def;
#define SUP_DEFAULT_TRACTION_DEF \
  { .marker = SUP_INITIALISED }

enum { SUP_AXIS_X = 1, SUP_AXIS_Y = 2, SUP_AXIS_Z = 4, SUP_AXIS_ALL = 7 };

/** Vertices held along axes of the world: at rest, or where a rigid motion of the region takes
 * them.  A component that two of them hold must be at the same place in both. */
typedef struct sup_dirichlet_def {
  char       name[SUP_NAME_MAX]; /* of its reaction; empty: its number, clamps counted first */
  sup_region region;
  int        axes;   /* bits SUP_AXIS_X, SUP_AXIS_Y, SUP_AXIS_Z */
  sup_table  motion; /* width 6: displacement [m] and rotation vector [rad] about `about`; empty: at
                        rest */
  int    has_about;  /* 0: about the mean of the region's vertices */
  double about[3]; /* like the region in the coordinates of the mesh; the reaction's moment is taken
                      there */
  sup_event_def from;  /* the hold begins there, with the vertices where they are then; NONE: at the
                          start */
  sup_event_def until; /* the hold ends; looked for once it has begun.  NONE: never */
  /* where a person wrote it, for messages; NULL: nowhere; line 0: file says it all */
  const char *file;
  int         line, column;
  int         marker; /* SUP_INITIALISED */
} sup_dirichlet_def;
#define SUP_DEFAULT_DIRICHLET_DEF \
  { .marker = SUP_INITIALISED, .axes = SUP_AXIS_ALL }

/** Vertices that ride on a link.  No vertex is on two links. */
typedef struct sup_attach_def {
  sup_region region;
  char       link[2 * SUP_NAME_MAX]; /* "ROBOT/LINK" or "BODY" */
  double     contact_beyond; /* faces farther than this from the attached vertices at rest touch the
                                link, too [m]; 0: the body does not touch it */
  /* where a person wrote it, as in sup_dirichlet_def */
  const char *file;
  int         line, column;
  int         marker; /* SUP_INITIALISED */
} sup_attach_def;
#define SUP_DEFAULT_ATTACH_DEF \
  { .marker = SUP_INITIALISED }

/** A named set of cells of another material than the rest of the body. */
typedef struct sup_part_def {
  char             set[SUP_NAME_MAX];
  sup_material_def material;
  int              marker; /* SUP_INITIALISED */
} sup_part_def;
#define SUP_DEFAULT_PART_DEF \
  { .marker = SUP_INITIALISED, .material = SUP_DEFAULT_MATERIAL_DEF }

/** Strain of cells that is free of stress: of heat, swelling, shrinkage, pre-stretch.  Growths of a
 * cell add up.  Materials with laws of stretches (neo-Hookean and others) do not grow. */
typedef struct sup_growth_def {
  int        has_region; /* 0: all cells grow */
  sup_region region;     /* a set of cells, or those whose vertices are all in it */
  double     strain[3];  /* along the axes of the mesh [-] */
  sup_table  scale;      /* width 1; empty: 1, in load steps their share */
  int        marker;     /* SUP_INITIALISED */
} sup_growth_def;
#define SUP_DEFAULT_GROWTH_DEF \
  { .marker = SUP_INITIALISED }

typedef struct sup_soft_def {
  char             name[SUP_NAME_MAX];
  const sup_mesh  *mesh; /* reference coordinates [m] */
  sup_material_def material;
  int              num_parts;
  sup_part_def    *parts;       /* sets that share no cell */
  int              lumped_mass; /* 1: row-sum, scaled diagonal for T10; 0: consistent */
  int mean_dilatation; /* T10: 1: one dilatation a cell, against locking near nu = 0.5 (THEORY 4.7)
                        */
  int solid_shell; /* H8: 1: thin cells are solid-shells, which do not lock in bending (THEORY 21)
                    */
  sup_pose X_WS;   /* pose of the mesh frame in the world; when attached in the frame of the
                      first of its links */
  double             v0[3]; /* initial velocity [m/s] */
  sup_contact_def    contact;
  int                num_clamps; /* vertices held where they are */
  sup_region        *clamps;
  int                num_dirichlet;
  sup_dirichlet_def *dirichlet;
  int                num_attachments;
  sup_attach_def    *attachments; /* several may name the same link */
  int                num_tractions;
  sup_traction_def  *tractions;
  int                num_growths;
  sup_growth_def    *growths;
  double
      manufactured[3]; /* amplitudes of a manufactured solution [m]; 0: none (fem/manufactured.h) */
  int marker;          /* SUP_INITIALISED */
} sup_soft_def;
#define SUP_DEFAULT_SOFT_DEF                                                           \
  {                                                                                    \
    .marker = SUP_INITIALISED, .material = SUP_DEFAULT_MATERIAL_DEF, .lumped_mass = 1, \
    .X_WS = {{0, 0, 0}, {1, 0, 0, 0}}, .contact = SUP_DEFAULT_CONTACT_DEF              \
  }

SUP_API sup_material_def  sup_default_material_def(void);
SUP_API sup_traction_def  sup_default_traction_def(void);
SUP_API sup_growth_def    sup_default_growth_def(void);
SUP_API sup_dirichlet_def sup_default_dirichlet_def(void); /* along all axes, at rest */
SUP_API sup_attach_def    sup_default_attach_def(void);
SUP_API sup_part_def      sup_default_part_def(void);
SUP_API sup_soft_def      sup_default_soft_def(void);

#ifdef __cplusplus
}
#endif
