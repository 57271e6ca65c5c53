/* Profiles from DXF drawings (Autodesk, DXF Reference 2012): pairs of a group code and a value, a
 * line each.  The entities of the section ENTITIES that are lines and are shown, and blocks of
 * them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "profile/drawing.h"
#include "profile/formats.h"

enum { MAX_WORD = 256, MAX_DEGREE = 10, MAX_DEPTH = 16, MAX_INSERTS = 10000 };

/** A pair of the file, the last that was read. */
typedef struct pairs {
  const char *name, *at;
  long        line; /* of the value */
  int         code;
  char        value[MAX_WORD];
} pairs;

/** Numbers and points of an entity, by the codes of its lines. */
typedef struct entity {
  double  number[60]; /* by code, up to 59 */
  int     flag;       /* code 70 */
  int     degree;     /* 71 of a spline */
  int     num_points, num_knots, num_weights, num_fits;
  double *point; /* [num_points x 3]: x, y, bulge (code 42) */
  double *knot, *weight;
  double *fit; /* [num_fits x 2] points that a spline leads through */
  size_t  point_capacity, knot_capacity, weight_capacity, fit_capacity;
  bool    is_hidden;
  char    block[MAX_WORD]; /* of an INSERT */
} entity;

static void take_line(pairs *p, char *to) {
  size_t length = strcspn(p->at, "\n"), from = strspn(p->at, " \t");
  if (from > length) from = length;
  snprintf(to, MAX_WORD, "%.*s", (int)(length - from < MAX_WORD ? length - from : MAX_WORD - 1),
           p->at + from);
  for (size_t n = strlen(to); n > 0 && (to[n - 1] == '\r' || to[n - 1] == ' ');) to[--n] = '\0';
  p->at += p->at[length] ? length + 1 : length;
  p->line++;
}

/** The next pair; 0 at the end of the file. */
static int next_pair(pairs *p, sup_status *status) {
  char code[MAX_WORD], *end;
  if (!*p->at) return 0;
  take_line(p, code);
  long number = strtol(code, &end, 10);
  if (end == code || *end) {
    *status = SUP_FAIL(SUP_E_PARSE, "%s:%ld: found '%.40s', expected a group code of DXF", p->name,
                       p->line, code);
    return 0;
  }
  p->code = (int)number;
  take_line(p, p->value);
  return 1;
}

static sup_status number_of(const pairs *p, double *value) {
  if (sup_text_number(p->value, value)) return SUP_OK;
  const char *quote = p->value[0] ? "'" : "";
  return SUP_FAIL(SUP_E_PARSE, "%s:%ld: found %s%.40s%s, expected a number", p->name, p->line,
                  quote, p->value[0] ? p->value : "nothing", quote);
}

/** Flags and degrees are small; what is not is wrong in any case. */
static int small_integer(double value) { return (int)fmax(-1e6, fmin(1e6, value)); }

/* ---- entities -------------------------------------------------------------------------------- */

/** Points are counted by their code 10, knots by 40, weights by 41, points of a fit by 11. */
static sup_status take_pair(entity *e, const pairs *p, bool is_spline) {
  double value;
  if (p->code < 0 || (p->code > 59 && p->code != 70 && p->code != 71)) return SUP_OK;
  if (p->code < 10) return SUP_OK; /* words */
  SUP_TRY(number_of(p, &value));
  if (p->code == 70) e->flag = small_integer(value);
  if (p->code == 71) e->degree = small_integer(value);
  if (p->code >= 60) return SUP_OK;
  e->number[p->code] = value;
  if (p->code == 10) {
    SUP_TRY(SUP_GROW(e->point, e->point_capacity, 3 * ((size_t)e->num_points + 1)));
    memset(e->point + 3 * (size_t)e->num_points++, 0, 3 * sizeof *e->point);
    e->point[3 * e->num_points - 3] = value;
  }
  if (p->code == 20 && e->num_points > 0) e->point[3 * e->num_points - 2] = value;
  if (p->code == 42 && e->num_points > 0) e->point[3 * e->num_points - 1] = value;
  if (is_spline && p->code == 40) {
    SUP_TRY(SUP_GROW(e->knot, e->knot_capacity, e->num_knots + 1));
    e->knot[e->num_knots++] = value;
  }
  if (is_spline && p->code == 41) {
    SUP_TRY(SUP_GROW(e->weight, e->weight_capacity, e->num_weights + 1));
    e->weight[e->num_weights++] = value;
  }
  if (is_spline && p->code == 11) {
    SUP_TRY(SUP_GROW(e->fit, e->fit_capacity, 2 * ((size_t)e->num_fits + 1)));
    e->fit[2 * e->num_fits] = value, e->fit[2 * e->num_fits + 1] = 0;
    e->num_fits++;
  }
  if (is_spline && p->code == 21 && e->num_fits > 0) e->fit[2 * e->num_fits - 1] = value;
  return SUP_OK;
}

static double radians(double degrees) { return degrees * acos(-1) / 180; }

/** From t0 to the next place of t1 on the circle: more than 0, at most a whole turn. */
static double end_of_turn(double t0, double t1) {
  double turn = fmod(t1 - t0, 2 * acos(-1));
  return t0 + (turn > 1e-9 ? turn : turn + 2 * acos(-1));
}

static sup_status draw_arc(sup_drawing *d, const double *n, bool is_circle) {
  double centre[2] = {n[10], n[20]}, axis[2] = {n[40], n[40]};
  double t0 = is_circle ? 0 : radians(n[50]), t1 = is_circle ? 2 * acos(-1) : radians(n[51]);
  if (!is_circle) t1 = end_of_turn(t0, t1);
  SUP_TRY(sup_drawing_begin(d, centre[0] + axis[0] * cos(t0), centre[1] + axis[1] * sin(t0)));
  SUP_TRY(sup_drawing_ellipse(d, centre, axis, 0, t0, t1));
  return SUP_OK;
}

static sup_status draw_ellipse(sup_drawing *d, const double *n) {
  double centre[2] = {n[10], n[20]}, length = hypot(n[11], n[21]), turn = atan2(n[21], n[11]);
  double axis[2] = {length, length * n[40]}, t0 = n[41], t1 = end_of_turn(t0, n[42]);
  double u = axis[0] * cos(t0), v = axis[1] * sin(t0);
  SUP_TRY(sup_drawing_begin(d, centre[0] + cos(turn) * u - sin(turn) * v,
                            centre[1] + sin(turn) * u + cos(turn) * v));
  return sup_drawing_ellipse(d, centre, axis, turn, t0, t1);
}

/** A piece of a polyline: bulge is the tangent of a quarter of the arc's angle, positive to the
 * left. */
static sup_status draw_bulge(sup_drawing *d, const double *a, const double *b) {
  double bulge = a[2], length = hypot(b[0] - a[0], b[1] - a[1]);
  if (bulge == 0 || length == 0) return sup_drawing_line(d, b[0], b[1]);
  double angle = 4 * atan(bulge), radius = length / (2 * sin(angle / 2));
  double h = radius * cos(angle / 2), u = (b[0] - a[0]) / length, v = (b[1] - a[1]) / length;
  double centre[2] = {0.5 * (a[0] + b[0]) - v * h, 0.5 * (a[1] + b[1]) + u * h};
  double axis[2] = {fabs(radius), fabs(radius)}, t0 = atan2(a[1] - centre[1], a[0] - centre[0]);
  return sup_drawing_ellipse(d, centre, axis, 0, t0, t0 + angle);
}

static sup_status draw_polyline(sup_drawing *d, const entity *e) {
  int n = e->num_points, is_closed = e->flag & 1;
  if (n < 2) return SUP_OK;
  SUP_TRY(sup_drawing_begin(d, e->point[0], e->point[1]));
  for (int i = 0; i + 1 < n; i++) SUP_TRY(draw_bulge(d, e->point + 3 * i, e->point + 3 * (i + 1)));
  if (is_closed) SUP_TRY(draw_bulge(d, e->point + 3 * (n - 1), e->point));
  if (is_closed) sup_drawing_close(d);
  return SUP_OK;
}

/** A point of a B-spline by de Boor's recursion in homogeneous coordinates. */
static void spline_at(const entity *e, double t, double x[2]) {
  double q[MAX_DEGREE + 1][3];
  int    p = e->degree, k = p;
  while (k + 1 < e->num_points && t >= e->knot[k + 1]) k++;
  for (int j = 0; j <= p; j++) {
    int    i = k - p + j;
    double w = e->num_weights == e->num_points ? e->weight[i] : 1;
    q[j][0] = w * e->point[3 * i], q[j][1] = w * e->point[3 * i + 1], q[j][2] = w;
  }
  for (int r = 1; r <= p; r++)
    for (int j = p; j >= r; j--) {
      int    i = k - p + j;
      double width = e->knot[i + p - r + 1] - e->knot[i];
      double s = width > 0 ? (t - e->knot[i]) / width : 0;
      for (int c = 0; c < 3; c++) q[j][c] = (1 - s) * q[j - 1][c] + s * q[j][c];
    }
  x[0] = q[p][0] / q[p][2], x[1] = q[p][1] / q[p][2];
}

/** Second derivatives of the natural cubic spline through points at parameters t, of one
 * coordinate; `work` has room for n numbers. */
static void bend_spline(int n, const double *t, const double *x, double *second, double *work) {
  second[0] = work[0] = second[n - 1] = 0;
  for (int i = 1; i < n - 1; i++) {
    double h = t[i] - t[i - 1], next = t[i + 1] - t[i];
    double pivot = 2 * (h + next) - h * work[i - 1];
    double slope = (x[2 * i + 2] - x[2 * i]) / next - (x[2 * i] - x[2 * i - 2]) / h;
    work[i] = next / pivot;
    second[i] = (6 * slope - h * second[i - 1]) / pivot;
  }
  for (int i = n - 2; i > 0; i--) second[i] -= work[i] * second[i + 1];
}

/** A spline without control points: the natural cubic one through its points, by chord lengths. */
static sup_status draw_fit(sup_drawing *d, entity *e) {
  int               n = 0, pieces = 16;
  double           *x = e->fit;
  SUP_FREED double *of = NULL;          /* t, work, second derivatives of x and of y */
  for (int i = 0; i < e->num_fits; i++) /* points that coincide have no chord */
    if (n == 0 || hypot(x[2 * i] - x[2 * n - 2], x[2 * i + 1] - x[2 * n - 1]) > 0)
      memmove(x + 2 * (size_t)n++, x + 2 * (size_t)i, 2 * sizeof *x);
  if (n < 2) return SUP_OK;
  SUP_TRY(SUP_CALLOC(of, 4 * (size_t)n));
  double *t = of, *work = of + n, *second[2] = {of + 2 * n, of + 3 * n};
  for (int i = 1; i < n; i++)
    t[i] = t[i - 1] + hypot(x[2 * i] - x[2 * i - 2], x[2 * i + 1] - x[2 * i - 1]);
  for (int c = 0; c < 2; c++) bend_spline(n, t, x + c, second[c], work);
  SUP_TRY(sup_drawing_begin(d, x[0], x[1]));
  for (int i = 0; i + 1 < n; i++)
    for (int k = 1; k <= pieces; k++) {
      double b = (double)k / pieces, a = 1 - b, h = t[i + 1] - t[i], at[2];
      for (int c = 0; c < 2; c++)
        at[c] = a * x[2 * i + c] + b * x[2 * i + 2 + c] +
                h * h / 6 * ((a * a - 1) * a * second[c][i] + (b * b - 1) * b * second[c][i + 1]);
      SUP_TRY(sup_drawing_curve(d, at[0], at[1]));
    }
  return SUP_OK;
}

static sup_status draw_spline(sup_drawing *d, entity *e, const pairs *at) {
  int p = e->degree, n = e->num_points, pieces = 16;
  if (n == 0 && e->num_fits > 1 && !(e->flag & 1)) return draw_fit(d, e);
  if (p < 1 || p > MAX_DEGREE || n <= p || e->num_knots != n + p + 1)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s:%ld: the SPLINE that ends here has degree %d, %d control points and %d "
                    "knots; expected points + degree + 1 knots",
                    at->name, at->line, p, n, e->num_knots);
  double x[2];
  spline_at(e, e->knot[p], x);
  SUP_TRY(sup_drawing_begin(d, x[0], x[1]));
  for (int k = p; k < n; k++)
    for (int i = 1; i <= pieces && e->knot[k + 1] > e->knot[k]; i++) {
      spline_at(e, e->knot[k] + (e->knot[k + 1] - e->knot[k]) * i / pieces, x);
      if (i == pieces && k == n - 1) x[0] = e->point[3 * n - 3], x[1] = e->point[3 * n - 2];
      SUP_TRY(p == 1 ? sup_drawing_line(d, x[0], x[1]) : sup_drawing_curve(d, x[0], x[1]));
    }
  return SUP_OK;
}

static sup_status draw(sup_drawing *d, const char *type, entity *e, const pairs *at) {
  const double *n = e->number;
  if (strcmp(type, "LINE") == 0) {
    SUP_TRY(sup_drawing_begin(d, n[10], n[20]));
    return sup_drawing_line(d, n[11], n[21]);
  }
  if (strcmp(type, "ARC") == 0) return draw_arc(d, n, 0);
  if (strcmp(type, "CIRCLE") == 0) return draw_arc(d, n, 1);
  if (strcmp(type, "ELLIPSE") == 0) return draw_ellipse(d, n);
  if (strcmp(type, "SPLINE") == 0) return draw_spline(d, e, at);
  return draw_polyline(d, e);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_drawn(const char *type) {
  static const char *const types[] = {"LINE",   "ARC",        "CIRCLE",   "ELLIPSE",
                                      "SPLINE", "LWPOLYLINE", "POLYLINE", "INSERT"};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(type, types[k]) == 0) return 1;
  return 0;
}

/** [m] of $INSUNITS; 0: none. */
static double unit_of(int insunits) {
  static const double metres[] = {0, 0.0254, 0.3048, 0, 1e-3, 1e-2, 1};
  if (insunits >= 0 && insunits < 7) return metres[insunits];
  return insunits == 13 ? 1e-6 : 0;
}

typedef struct block {
  char   name[MAX_WORD];
  double base[2];
  pairs  start; /* before its first entity */
} block;

/** Layers that are not shown, and blocks. */
typedef struct tables {
  int num_hidden, num_blocks;
  char (*hidden)[MAX_WORD];
  block *block;
  size_t hidden_capacity, block_capacity;
} tables;

typedef struct reader {
  pairs         p;
  sup_drawing  *drawing;
  const tables *tables;
  int           depth;
  int          *num_inserts;
  long         *hidden;
  entity        e;
  char          type[MAX_WORD]; /* of the entity that is being read; "": none */
  int           is_in_entities, is_polyline;
  int           has_vertex, closing; /* of a POLYLINE: a VERTEX has come; its own flags */
  int           insunits;
  long          skipped;
  char          skipped_type[MAX_WORD];
} reader;

static void entity_free(entity *e) { SUP_FREE_ALL(&e->point, &e->knot, &e->weight, &e->fit); }

static sup_status read_pairs(reader *r);

/** a = a b: b is applied first. */
static void multiply(double a[6], const double b[6]) {
  double c[6] = {a[0] * b[0] + a[2] * b[1],        a[1] * b[0] + a[3] * b[1],
                 a[0] * b[2] + a[2] * b[3],        a[1] * b[2] + a[3] * b[3],
                 a[0] * b[4] + a[2] * b[5] + a[4], a[1] * b[4] + a[3] * b[5] + a[5]};
  memcpy(a, c, sizeof c);
}

/** The entities of a block, scaled, turned and shifted, in rows and columns. */
static sup_status draw_insert(reader *r) {
  const block  *b = NULL;
  const double *n = r->e.number;
  double        sx = n[41] != 0 ? n[41] : 1, sy = n[42] != 0 ? n[42] : 1, turn = radians(n[50]);
  int           columns = r->e.flag > 0 ? r->e.flag : 1, rows = r->e.degree > 0 ? r->e.degree : 1;
  for (int k = 0; k < r->tables->num_blocks; k++)
    if (strcmp(r->tables->block[k].name, r->e.block) == 0) b = &r->tables->block[k];
  if (!b)
    return SUP_FAIL(SUP_E_PARSE, "%s:%ld: found an INSERT of the block '%.60s', which there is not",
                    r->p.name, r->p.line, r->e.block);
  for (long i = 0; i < (long)columns * rows; i++) {
    double c = cos(turn), s = sin(turn), affine[6];
    double u = (double)(i % columns) * n[44], v = (double)(i / columns) * n[45];
    double place[6] = {
        c * sx, s * sx, -s * sy, c * sy, n[10] + c * u - s * v, n[20] + s * u + c * v};
    double shift[6] = {1, 0, 0, 1, -b->base[0], -b->base[1]};
    reader in = {.p = b->start,
                 .drawing = r->drawing,
                 .tables = r->tables,
                 .depth = r->depth + 1,
                 .num_inserts = r->num_inserts,
                 .hidden = r->hidden,
                 .is_in_entities = 1};
    if (in.depth > MAX_DEPTH || ++*r->num_inserts > MAX_INSERTS)
      return SUP_FAIL(SUP_E_PARSE,
                      "%s:%ld: found blocks more than %d deep in each other, or more than %d",
                      r->p.name, r->p.line, MAX_DEPTH, MAX_INSERTS);
    memcpy(affine, r->drawing->affine, sizeof affine);
    multiply(r->drawing->affine, place);
    multiply(r->drawing->affine, shift);
    sup_status status = read_pairs(&in);
    r->skipped += in.skipped;
    if (in.skipped) memcpy(r->skipped_type, in.skipped_type, sizeof r->skipped_type);
    entity_free(&in.e);
    memcpy(r->drawing->affine, affine, sizeof affine);
    SUP_TRY(status);
  }
  return SUP_OK;
}

static sup_status end_entity(reader *r) {
  sup_status status = SUP_OK;
  bool       is_insert = strcmp(r->type, "INSERT") == 0;
  if (r->type[0] && r->e.is_hidden)
    ++*r->hidden;
  else if (r->type[0])
    status = is_insert ? draw_insert(r) : draw(r->drawing, r->type, &r->e, &r->p);
  r->type[0] = r->e.block[0] = '\0', r->e.is_hidden = 0;
  r->e.num_points = r->e.num_knots = r->e.num_weights = r->e.num_fits = 0;
  r->e.flag = r->e.degree = 0;
  memset(r->e.number, 0, sizeof r->e.number);
  return status;
}

/** A pair with code 0 begins something; vertices of a POLYLINE belong to it until SEQEND. */
static sup_status begin_entity(reader *r) {
  const char *v = r->p.value;
  if (r->is_polyline && strcmp(v, "VERTEX") == 0) {
    if (!r->has_vertex) r->closing = r->e.flag, r->e.num_points = 0; /* its own point is zeros */
    r->has_vertex = 1;
    return SUP_OK;
  }
  if (r->has_vertex) r->e.flag = r->closing; /* flags of vertices are other ones */
  r->has_vertex = 0;
  SUP_TRY(end_entity(r));
  r->is_polyline = 0;
  if (strcmp(v, "ENDSEC") == 0 || strcmp(v, "ENDBLK") == 0) r->is_in_entities = 0;
  if (!r->is_in_entities || strcmp(v, "SEQEND") == 0) return SUP_OK;
  if (is_drawn(v)) {
    snprintf(r->type, sizeof r->type, "%s", v);
    r->drawing->id[0] = '\0';
    r->is_polyline = strcmp(v, "POLYLINE") == 0;
    return SUP_OK;
  }
  r->skipped++;
  snprintf(r->skipped_type, sizeof r->skipped_type, "%s", v);
  return SUP_OK;
}

/** Layer, block, and whether it is shown. */
static void take_word(reader *r) {
  const pairs *p = &r->p;
  if (p->code == 5) snprintf(r->drawing->id, sizeof r->drawing->id, "%.30s", p->value);
  if (p->code == 2 && strcmp(r->type, "INSERT") == 0)
    snprintf(r->e.block, sizeof r->e.block, "%s", p->value);
  if ((p->code == 60 || p->code == 67) && atoi(p->value) != 0) /* invisible; of a sheet's layout */
    r->e.is_hidden = 1;
  for (int k = 0; k < r->tables->num_hidden && p->code == 8; k++)
    if (strcmp(r->tables->hidden[k], p->value) == 0) r->e.is_hidden = 1;
}

/** Layers that are off or frozen, and where blocks begin. */
static sup_status find_tables(tables *t, pairs p) {
  char       what[MAX_WORD] = "", layer[MAX_WORD] = "";
  bool       is_hidden = 0;
  sup_status status = SUP_OK;
  for (pairs before = p; next_pair(&p, &status); before = p) {
    bool   is_layer = strcmp(what, "LAYER") == 0, is_block = strcmp(what, "BLOCK") == 0;
    block *b = is_block ? &t->block[t->num_blocks - 1] : NULL;
    if (p.code == 0) {
      if (is_layer && is_hidden) {
        SUP_TRY(SUP_GROW(t->hidden, t->hidden_capacity, t->num_hidden + 1));
        memcpy(t->hidden[t->num_hidden++], layer, sizeof layer);
      }
      if (b) b->start = before;
      memcpy(what, p.value, sizeof what);
      is_hidden = 0;
      if (strcmp(what, "BLOCK") != 0) continue;
      SUP_TRY(SUP_GROW(t->block, t->block_capacity, t->num_blocks + 1));
      t->block[t->num_blocks++] = (block){.start = p};
    } else if (is_layer) {
      if (p.code == 2) memcpy(layer, p.value, sizeof layer);
      is_hidden |= (p.code == 62 && atoi(p.value) < 0) || (p.code == 70 && (atoi(p.value) & 1));
    } else if (is_block) {
      if (p.code == 2) memcpy(b->name, p.value, sizeof b->name);
      if (p.code == 10 || p.code == 20) SUP_TRY(number_of(&p, &b->base[p.code == 20]));
    }
  }
  return status;
}

static sup_status read_pairs(reader *r) {
  sup_status status = SUP_OK;
  bool       is_section = 0, is_units = 0;
  while ((r->depth == 0 || r->is_in_entities) && next_pair(&r->p, &status)) {
    int code = r->p.code;
    if (code == 0) {
      SUP_TRY(begin_entity(r));
      is_section = strcmp(r->p.value, "SECTION") == 0;
    } else if (code == 2 && is_section) {
      r->is_in_entities = strcmp(r->p.value, "ENTITIES") == 0;
      is_section = 0;
    } else if (code == 9) {
      is_units = strcmp(r->p.value, "$INSUNITS") == 0;
    } else if (code == 70 && is_units) {
      r->insunits = atoi(r->p.value);
      is_units = 0;
    } else if (r->type[0]) {
      take_word(r);
      SUP_TRY(take_pair(&r->e, &r->p, strcmp(r->type, "SPLINE") == 0));
    }
  }
  return status;
}

sup_status sup_profile_parse_dxf(sup_profile **profile, const char *name, const char *data,
                                 double unit) {
  sup_drawing drawing = {.affine = {1, 0, 0, 1, 0, 0}};
  tables      found = {0};
  int         num_inserts = 0;
  long        hidden = 0;
  reader      r = {.p = {.name = name, .at = data},
                   .drawing = &drawing,
                   .tables = &found,
                   .num_inserts = &num_inserts,
                   .hidden = &hidden};
  *profile = NULL;
  sup_status status = find_tables(&found, r.p);
  if (status == SUP_OK) status = read_pairs(&r);
  if (status == SUP_OK && unit == 0) unit = unit_of(r.insunits);
  if (status == SUP_OK && unit == 0)
    status = SUP_FAIL(
        SUP_E_PARSE, "%s: $INSUNITS of the drawing names no known unit; expected one, or --unit mm",
        name);
  for (int k = 0; k < drawing.num_paths && status == SUP_OK; k++)
    for (int i = 0; i < 2 * drawing.path[k].line.num_points; i++) drawing.path[k].line.x[i] *= unit;
  drawing.scale[0] = drawing.scale[1] = unit;
  if (status == SUP_OK && r.skipped > 0)
    sup_log(SUP_LOG_NOTE, "%s: %ld entities that are no lines were passed over (the last: %s)",
            name, r.skipped, r.skipped_type);
  if (status == SUP_OK && hidden > 0)
    sup_log(SUP_LOG_NOTE,
            "%s: %ld entities of layers that are off or frozen, or invisible, were "
            "left out",
            name, hidden);
  if (status == SUP_OK) status = sup_drawing_finish(&drawing, name, profile);
  sup_drawing_free(&drawing);
  entity_free(&r.e);
  SUP_FREE_ALL(&found.hidden, &found.block);
  return status;
}
