/** Definitions of ties: soft bodies glued to each other where their meshes do not match. */
#pragma once

#include "supple/soft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Part of a soft body. */
typedef struct sup_tie_side_def {
  char       body[SUP_NAME_MAX];
  int        has_region; /* 0: the whole surface, or all vertices of a body inside another */
  sup_region region;     /* in the coordinates of its mesh */
} sup_tie_side_def;

typedef struct sup_tie_def {
  char name[SUP_NAME_MAX];
  int  is_inside;          /* 1: each vertex of the slave moves with the master's cell around it */
  sup_tie_side_def slave;  /* the finer mesh: its vertices give up their own unknowns */
  sup_tie_side_def master; /* inside: without region */
  double           within; /* farthest faces that are tied [m]; 0: an edge of the larger face */
  int              marker; /* SUP_INITIALISED */
} sup_tie_def;
#define SUP_DEFAULT_TIE_DEF \
  { .marker = SUP_INITIALISED }

SUP_API sup_tie_def sup_default_tie_def(void);

#ifdef __cplusplus
}
#endif
