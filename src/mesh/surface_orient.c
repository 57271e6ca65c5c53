#include "mesh/surface_orient.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/edge_key.h"

/** Triangles that are connected by edges of two. */
typedef struct part {
  int    first, count; /* in `order` */
  int    is_closed;    /* no open edge */
  int    was_divided;  /* 1: the file had triangles of both orientations */
  int    is_one_sided; /* 1: no consistent orientation exists */
  int    turned;       /* 1: all its triangles are to be turned once more */
  double volume;       /* after its triangles agree */
  sup_v3 lower, upper;
} part;

typedef struct orient {
  const double *point;
  int           num_triangles, *triangle;
  int          *neighbour; /* [num_triangles x 3] triangle behind an edge; SUP_NONE */
  unsigned char
      *opposes; /* [num_triangles x 3] 1: the neighbour uses the edge in the same direction */
  unsigned char *is_turned; /* [num_triangles] */
  int           *part_of;   /* [num_triangles] SUP_NONE: not reached yet */
  int           *order;     /* [num_triangles] part by part */
  int            num_parts;
  size_t         capacity;
  part          *part;
} orient;

static sup_v3 corner_of(const orient *o, int t, int c) {
  return sup_v3_load(o->point + 3 * (size_t)o->triangle[3 * (size_t)t + (size_t)c]);
}

/* ---- neighbours ------------------------------------------------------------------------------ */

static sup_status find_neighbours(orient *o) {
  enum { OPEN = -2 };
  sup_edge_key *edge = NULL;
  int           total = 3 * o->num_triangles;
  SUP_TRY(SUP_CALLOC(edge, total));
  for (int i = 0; i < total; i++)
    edge[i] = sup_edge_key_of(o->triangle[i], o->triangle[i - i % 3 + (i + 1) % 3], i);
  sup_edge_keys_sort(edge, total);
  for (int first = 0, last; first < total; first = last) {
    last = sup_edge_keys_end(edge, first, total);
    for (int k = first; k < last; k++) o->neighbour[edge[k].side] = SUP_NONE;
    if (last - first == 1) o->neighbour[edge[first].side] = OPEN;
    if (last - first != 2) continue;
    int p = edge[first].side, q = edge[first + 1].side;
    o->neighbour[p] = q / 3, o->neighbour[q] = p / 3;
    o->opposes[p] = o->opposes[q] = edge[first].direction == edge[first + 1].direction;
  }
  SUP_FREE(edge);
  return SUP_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/** Walk through a part from one of its triangles, each on the side of the one before it. */
static void walk(orient *o, int start, part *p) {
  int end = p->first;
  o->part_of[start] = o->num_parts;
  o->order[end++] = start;
  for (int k = p->first; k < end; k++) {
    int t = o->order[k];
    for (int e = 3 * t; e < 3 * t + 3; e++) {
      int other = o->neighbour[e], turned = o->is_turned[t] ^ o->opposes[e];
      if (other < 0) {
        p->is_closed &= other == SUP_NONE;
      } else if (o->part_of[other] == SUP_NONE) {
        o->part_of[other] = o->num_parts;
        o->is_turned[other] = (unsigned char)turned;
        o->order[end++] = other;
      } else {
        p->is_one_sided |= o->is_turned[other] != turned;
      }
    }
  }
  p->count = end - p->first;
}

/** Size of a part whose triangles agree. */
static void measure(const orient *o, part *p) {
  p->lower = sup_v3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL);
  p->upper = sup_v3_scale(-1, p->lower);
  sup_v3 about = corner_of(o, o->order[p->first], 0); /* far from the origin digits would be lost */
  for (int k = p->first; k < p->first + p->count; k++) {
    int    t = o->order[k];
    sup_v3 x[3];
    for (int c = 0; c < 3; c++) {
      sup_v3 y = corner_of(o, t, c);
      p->lower = sup_v3_make(fmin(p->lower.x, y.x), fmin(p->lower.y, y.y), fmin(p->lower.z, y.z));
      p->upper = sup_v3_make(fmax(p->upper.x, y.x), fmax(p->upper.y, y.y), fmax(p->upper.z, y.z));
      x[c] = sup_v3_sub(y, about);
    }
    double volume = sup_v3_dot(x[0], sup_v3_cross(x[1], x[2])) / 6;
    p->volume += o->is_turned[t] ? -volume : volume;
  }
}

static sup_status find_parts(orient *o) {
  for (int t = 0, first = 0; t < o->num_triangles; t++) {
    if (o->part_of[t] != SUP_NONE) continue;
    part p = {.first = first, .is_closed = 1};
    int  turned = 0;
    walk(o, t, &p);
    for (int k = p.first; k < p.first + p.count; k++) turned += o->is_turned[o->order[k]];
    p.was_divided = turned > 0;
    if (p.is_one_sided)
      for (int k = p.first; k < p.first + p.count; k++) o->is_turned[o->order[k]] = 0;
    else
      p.turned = 2 * turned > p.count; /* orientation of the majority */
    measure(o, &p);
    first += p.count;
    SUP_TRY(SUP_GROW(o->part, o->capacity, (size_t)o->num_parts + 1));
    o->part[o->num_parts++] = p;
  }
  return SUP_OK;
}

/* ---- outwards -------------------------------------------------------------------------------- */

/** 1: the point is inside a closed part.  The solid angle of the triangles is 4 pi inside and 0
 * outside (van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30, 1983, eq. 8). */
static bool is_inside(const orient *o, const part *p, sup_v3 x) {
  const double pi = 3.14159265358979323846;
  double       angle = 0;
  if (x.x < p->lower.x || x.y < p->lower.y || x.z < p->lower.z || x.x > p->upper.x ||
      x.y > p->upper.y || x.z > p->upper.z)
    return 0;
  for (int k = p->first; k < p->first + p->count; k++) {
    int    t = o->order[k];
    sup_v3 a = sup_v3_sub(corner_of(o, t, 0), x), b = sup_v3_sub(corner_of(o, t, 1), x),
           c = sup_v3_sub(corner_of(o, t, 2), x);
    double la = sup_v3_norm(a), lb = sup_v3_norm(b), lc = sup_v3_norm(c);
    double solid = 2 * atan2(sup_v3_dot(a, sup_v3_cross(b, c)),
                             la * lb * lc + lc * sup_v3_dot(a, b) + lb * sup_v3_dot(a, c) +
                                 la * sup_v3_dot(b, c));
    angle += o->is_turned[t] ? -solid : solid;
  }
  return fabs(angle) > 2 * pi;
}

/** Closed parts about part i: how many, and the largest of them. */
static int parts_about(const orient *o, int i, int *outermost) {
  sup_v3 x = corner_of(o, o->order[o->part[i].first], 0);
  int    depth = 0;
  *outermost = SUP_NONE;
  for (int k = 0; k < o->num_parts; k++) {
    const part *p = &o->part[k];
    if (k == i || !p->is_closed || p->is_one_sided || fabs(p->volume) <= fabs(o->part[i].volume) ||
        !is_inside(o, p, x))
      continue;
    if (*outermost == SUP_NONE || fabs(p->volume) > fabs(o->part[*outermost].volume))
      *outermost = k;
    depth++;
  }
  return depth;
}

static void turn_outwards(orient *o) {
  for (int i = 0; i < o->num_parts; i++) {
    part *p = &o->part[i];
    int   outermost;
    if (!p->is_closed || p->is_one_sided || p->volume == 0) continue;
    int depth = parts_about(o, i, &outermost);
    if (depth == 0 || p->was_divided)
      p->turned = depth % 2 == 0 ? p->volume < 0 : p->volume > 0;
    else /* consistent with the part around it */
      p->turned = !o->part[outermost].was_divided && o->part[outermost].volume < 0;
  }
}

static void turn(int *v) {
  int keep = v[1];
  v[1] = v[2], v[2] = keep;
}

static void orient_free(orient *o) {
  SUP_FREE_ALL(&o->neighbour, &o->opposes, &o->is_turned, &o->part_of, &o->order, &o->part);
}

sup_status sup_surface_orient(const double *point, int num_triangles, int *triangle,
                              int *num_turned) {
  SUP_OWN_VALUE(orient) o = {.point = point, .num_triangles = num_triangles, .triangle = triangle};
  *num_turned = 0;
  SUP_TRY(SUP_CALLOC(o.neighbour, 3 * (size_t)num_triangles));
  SUP_TRY(SUP_CALLOC(o.opposes, 3 * (size_t)num_triangles));
  SUP_TRY(SUP_CALLOC(o.is_turned, num_triangles));
  SUP_TRY(SUP_CALLOC(o.part_of, num_triangles));
  SUP_TRY(SUP_CALLOC(o.order, num_triangles));
  for (int t = 0; t < num_triangles; t++) o.part_of[t] = SUP_NONE;
  SUP_TRY(find_neighbours(&o));
  SUP_TRY(find_parts(&o));
  turn_outwards(&o);
  for (int t = 0; t < num_triangles; t++) {
    if (o.is_turned[t] == o.part[o.part_of[t]].turned) continue;
    turn(triangle + 3 * (size_t)t);
    ++*num_turned;
  }
  return SUP_OK;
}
