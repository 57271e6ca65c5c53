/* Profiles from SVG drawings (W3C, Scalable Vector Graphics 1.1, chapters 5, 7 to 9, 11): basic
 * shapes and paths that are shown, within groups, with their transforms, and clones of them. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/vec.h"
#include "profile/drawing.h"
#include "scene/file/xml.h"
#include "scene/profile_file.h"

enum { MAX_DEPTH = 64, MAX_CLONES = 10000 };
static const double pixel = 0.0254 / 96; /* CSS */

typedef struct svg {
  sup_drawing drawing;
  bool is_off, is_hidden; /* display: none, of all below; visibility, which they may change */
  long skipped, hidden, clones;
  const char *clone; /* id of the clone by which a shape is drawn; NULL: none */
} svg;

/* ---- numbers --------------------------------------------------------------------------------- */

static const char *skip(const char *at) {
  while (*at && (isspace((unsigned char)*at) || *at == ',')) at++;
  return at;
}

/** A number of a list that blanks or commas separate, or a sign; 0: there is none. */
static int take_number(const char **at, double *value) {
  static const char digits[] = "0123456789";
  char              word[64];
  size_t            n = 0;
  const char       *s = skip(*at);
  n += *s == '+' || *s == '-';
  n += strspn(s + n, digits);
  if (s[n] == '.') n += 1 + strspn(s + n + 1, digits);
  if (s[n] == 'e' || s[n] == 'E') {
    size_t sign = s[n + 1] == '+' || s[n + 1] == '-', more = strspn(s + n + 1 + sign, digits);
    if (more > 0) n += 1 + sign + more;
  }
  if (n == 0 || n >= sizeof word) return 0;
  memcpy(word, s, n), word[n] = '\0';
  char *end;
  *value = strtod(word, &end);
  *at = s + n;
  return *end == '\0' && end != word && isfinite(*value);
}

/** A length attribute in user units; `ratio` is the length of its own unit [m], 0: a plain number.
 */
static sup_status length_of(const sup_xml_node *node, const char *name, double *value,
                            double *ratio) {
  static const struct {
    const char *unit;
    double      metres;
  } units[] = {{"mm", 1e-3},        {"cm", 1e-2},        {"in", 0.0254},
               {"px", 0.0254 / 96}, {"pt", 0.0254 / 72}, {"pc", 0.0254 / 6}};
  const char *text = sup_xml_attribute(node, name), *at = text;
  *ratio = 0;
  if (!text) return SUP_OK;
  if (!take_number(&at, value))
    return SUP_XML_FAIL(node, "found %s=\"%.40s\", expected a length", name, text);
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (strncmp(at, units[k].unit, 2) == 0) *ratio = units[k].metres;
  return SUP_OK;
}

/** A length of a shape in the drawing's own units. */
static sup_status number_of(const sup_xml_node *node, const char *name, double *value) {
  double ratio;
  SUP_TRY(length_of(node, name, value, &ratio));
  if (ratio > 0) *value *= ratio / pixel;
  return SUP_OK;
}

static sup_status numbers_of(const sup_xml_node *node, const char *const *names, int n,
                             double *value) {
  for (int k = 0; k < n; k++) SUP_TRY(number_of(node, names[k], &value[k]));
  return SUP_OK;
}

/* ---- transforms ------------------------------------------------------------------------------ */

/** a = a b: b is applied first. */
static void multiply(double a[6], const double b[6]) {
  double c[6] = {a[0] * b[0] + a[2] * b[1],        a[1] * b[0] + a[3] * b[1],
                 a[0] * b[2] + a[2] * b[3],        a[1] * b[2] + a[3] * b[3],
                 a[0] * b[4] + a[2] * b[5] + a[4], a[1] * b[4] + a[3] * b[5] + a[5]};
  memcpy(a, c, sizeof c);
}

static int map_of(const char *name, size_t length, const double *v, int n, double m[6]) {
  const double one[6] = {1, 0, 0, 1, 0, 0};
  memcpy(m, one, sizeof one);
  if (length == 6 && strncmp(name, "matrix", 6) == 0 && n == 6) {
    memcpy(m, v, 6 * sizeof *v);
  } else if (length == 9 && strncmp(name, "translate", 9) == 0 && n >= 1) {
    m[4] = v[0], m[5] = n > 1 ? v[1] : 0;
  } else if (length == 5 && strncmp(name, "scale", 5) == 0 && n >= 1) {
    m[0] = v[0], m[3] = n > 1 ? v[1] : v[0];
  } else if (length == 6 && strncmp(name, "rotate", 6) == 0 && n >= 1) {
    double t = v[0] * acos(-1) / 180, x = n > 2 ? v[1] : 0, y = n > 2 ? v[2] : 0;
    m[0] = m[3] = cos(t), m[1] = sin(t), m[2] = -sin(t);
    m[4] = x - m[0] * x - m[2] * y, m[5] = y - m[1] * x - m[3] * y;
  } else if (length == 5 && strncmp(name, "skewX", 5) == 0 && n == 1) {
    m[2] = tan(v[0] * acos(-1) / 180);
  } else if (length == 5 && strncmp(name, "skewY", 5) == 0 && n == 1) {
    m[1] = tan(v[0] * acos(-1) / 180);
  } else {
    return 0;
  }
  return 1;
}

static sup_status apply_transform(const sup_xml_node *node, double affine[6]) {
  const char *text = sup_xml_attribute(node, "transform"), *at = text;
  while (text && *(at = skip(at))) {
    double      value[6], map[6];
    int         n = 0;
    const char *name = at;
    size_t      length = strspn(at, "abcdefghijklmnopqrstuvwxyzXY");
    at = skip(at + length);
    if (*at == '(') at++;
    while (n < 6 && take_number(&at, &value[n])) n++;
    at = skip(at);
    if (*at != ')' || !map_of(name, length, value, n, map))
      return SUP_XML_FAIL(node,
                          "found transform=\"%.60s\", expected matrix, translate, scale, rotate, "
                          "skewX or skewY with their numbers",
                          text);
    multiply(affine, map);
    at++;
  }
  return SUP_OK;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/** An elliptic arc by its ends (SVG 1.1, F.6.5). */
static sup_status draw_arc(sup_drawing *d, const double v[7]) {
  double a[2] = {d->at[0], d->at[1]}, b[2] = {v[5], v[6]}, turn = v[2] * acos(-1) / 180;
  double r[2] = {fabs(v[0]), fabs(v[1])}, c = cos(turn), s = sin(turn);
  if (r[0] == 0 || r[1] == 0 || (a[0] == b[0] && a[1] == b[1]))
    return sup_drawing_line(d, b[0], b[1]);
  double u = 0.5 * (c * (a[0] - b[0]) + s * (a[1] - b[1])),
         w = 0.5 * (-s * (a[0] - b[0]) + c * (a[1] - b[1]));
  double grow = u * u / (r[0] * r[0]) + w * w / (r[1] * r[1]);
  if (grow > 1) r[0] *= sqrt(grow), r[1] *= sqrt(grow);
  double p = r[0] * w, q = r[1] * u,
         k = sqrt(fmax(0, r[0] * r[0] * r[1] * r[1] / (p * p + q * q) - 1));
  if ((v[3] != 0) == (v[4] != 0)) k = -k;
  double x = k * r[0] * w / r[1], y = -k * r[1] * u / r[0];
  double centre[2] = {c * x - s * y + 0.5 * (a[0] + b[0]), s * x + c * y + 0.5 * (a[1] + b[1])};
  double t0 = atan2((w - y) / r[1], (u - x) / r[0]), t1 = atan2((-w - y) / r[1], (-u - x) / r[0]);
  if (v[4] != 0 && t1 < t0) t1 += 2 * acos(-1);
  if (v[4] == 0 && t1 > t0) t1 -= 2 * acos(-1);
  return sup_drawing_ellipse(d, centre, r, turn, t0, t1);
}

/** The state of a path: where it began, and the last control point of a curve. */
typedef struct path_state {
  double start[2], control[2];
  char   last;    /* the command before, in capitals */
  int    is_open; /* points have been put since the last begin or close */
} path_state;

static int num_values(char command) {
  static const char commands[] = "MLHVCSQTAZ";
  static const int  count[] = {2, 2, 1, 1, 6, 4, 4, 2, 7, 0};
  const char       *at = strchr(commands, command);
  return at ? count[at - commands] : SUP_NONE;
}

/** Convert relative coordinates of a command to absolute ones. */
static void make_absolute(const sup_drawing *d, char command, double *v, int n) {
  if (command == 'H' || command == 'V') {
    v[0] += d->at[command == 'V'];
    return;
  }
  for (int k = command == 'A' ? 5 : 0; k < n; k++) v[k] += d->at[(k + (command == 'A')) % 2];
}

/** A cubic curve from a quadratic one. */
static sup_status draw_quadratic(sup_drawing *d, const double q[2], const double end[2]) {
  double p[6];
  for (int c = 0; c < 2; c++) {
    p[c] = (d->at[c] + 2 * q[c]) / 3;
    p[2 + c] = (end[c] + 2 * q[c]) / 3;
    p[4 + c] = end[c];
  }
  return sup_drawing_bezier(d, p);
}

static sup_status draw_curve(sup_drawing *d, path_state *s, char command, const double *v) {
  double p[6], mirror[2] = {d->at[0], d->at[1]};
  bool   is_cubic = command == 'C' || command == 'S';
  if (strchr(is_cubic ? "CS" : "QT", s->last))
    for (int c = 0; c < 2; c++) mirror[c] = 2 * d->at[c] - s->control[c];
  if (is_cubic) {
    memcpy(p, command == 'C' ? v : mirror, 2 * sizeof *v);
    memcpy(p + 2, command == 'C' ? v + 2 : v, 4 * sizeof *v);
    memcpy(s->control, p + 2, sizeof s->control);
    return sup_drawing_bezier(d, p);
  }
  memcpy(s->control, command == 'Q' ? v : mirror, sizeof s->control);
  return draw_quadratic(d, s->control, command == 'Q' ? v + 2 : v);
}

static sup_status draw_command(sup_drawing *d, path_state *s, char command, const double *v) {
  double end[2] = {d->at[0], d->at[1]};
  if (command != 'M' && !s->is_open) SUP_TRY(sup_drawing_begin(d, s->start[0], s->start[1]));
  s->is_open = command != 'Z';
  switch (command) {
    case 'M':
      memcpy(s->start, v, sizeof s->start);
      return sup_drawing_begin(d, v[0], v[1]);
    case 'Z':
      sup_drawing_close(d);
      memcpy(d->at, s->start, sizeof d->at);
      return SUP_OK;
    case 'L':
      return sup_drawing_line(d, v[0], v[1]);
    case 'H':
      return sup_drawing_line(d, v[0], end[1]);
    case 'V':
      return sup_drawing_line(d, end[0], v[0]);
    case 'A':
      return draw_arc(d, v);
    default:
      return draw_curve(d, s, command, v);
  }
}

/** The flags of an arc may stand without blanks: "a1 1 0 0110 10". */
static int take_value(const char **at, char command, int k, double *value) {
  if (command != 'A' || (k != 3 && k != 4)) return take_number(at, value);
  const char *s = skip(*at);
  if (*s != '0' && *s != '1') return 0;
  *value = *s - '0';
  *at = s + 1;
  return 1;
}

static sup_status draw_path(svg *g, const sup_xml_node *node) {
  const char *text, *at;
  path_state  s = {.last = ' '};
  char        letter = ' ';
  SUP_TRY(sup_xml_text(node, "d", &text));
  g->drawing.at[0] = g->drawing.at[1] = 0; /* a path that begins with m begins from there */
  for (at = skip(text); *at; at = skip(at)) {
    double v[7];
    bool   is_letter = isalpha((unsigned char)*at);
    if (is_letter) letter = *at++;
    char command = (char)toupper((unsigned char)letter);
    int  n = num_values(command), k = 0;
    if (n != SUP_NONE && (is_letter || n > 0))
      while (k < n && take_value(&at, command, k, &v[k])) k++;
    if (n == SUP_NONE || (n == 0 && !is_letter)) /* numbers behind Z, which takes none */
      return SUP_XML_FAIL(node, "found '%.1s' in a path, expected a command such as M, L, C or Z",
                          is_letter ? at - 1 : at);
    if (k != n && !*at)
      return SUP_XML_FAIL(node, "a path ends behind %d of the %d numbers that '%c' takes", k, n,
                          letter);
    if (k != n)
      return SUP_XML_FAIL(node,
                          "found '%.20s' in a path, expected number %d of the %d that '%c' "
                          "takes",
                          at, k + 1, n, letter);
    if (s.last == ' ' && command != 'M')
      return SUP_XML_FAIL(node, "found a path that begins with '%c', expected M", letter);
    if (islower((unsigned char)letter)) make_absolute(&g->drawing, command, v, n);
    SUP_TRY(draw_command(&g->drawing, &s, command, v));
    if (command == 'M') letter = letter == 'M' ? 'L' : 'l'; /* what follows are lines */
    s.last = command;
  }
  return SUP_OK;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static sup_status draw_points(svg *g, const sup_xml_node *node, bool is_closed) {
  const char *text;
  double      x[2];
  int         n = 0;
  SUP_TRY(sup_xml_text(node, "points", &text));
  for (const char *at = text; take_number(&at, &x[0]) && take_number(&at, &x[1]); n++)
    SUP_TRY(n == 0 ? sup_drawing_begin(&g->drawing, x[0], x[1])
                   : sup_drawing_line(&g->drawing, x[0], x[1]));
  if (n > 0 && is_closed) sup_drawing_close(&g->drawing);
  return SUP_OK;
}

static sup_status draw_ellipse(svg *g, const sup_xml_node *node, bool is_circle) {
  static const char *const names[2][4] = {{"cx", "cy", "rx", "ry"}, {"cx", "cy", "r", "r"}};
  double                   v[4] = {0};
  SUP_TRY(numbers_of(node, names[is_circle], 4, v));
  if (!(v[2] > 0 && v[3] > 0)) return SUP_OK; /* draws nothing */
  SUP_TRY(sup_drawing_begin(&g->drawing, v[0] + v[2], v[1]));
  SUP_TRY(sup_drawing_ellipse(&g->drawing, v, v + 2, 0, 0, 2 * acos(-1)));
  return SUP_OK;
}

static sup_status draw_rectangle(svg *g, const sup_xml_node *node) {
  static const char *const names[] = {"x", "y", "width", "height", "rx", "ry"};
  double                   v[6] = {0, 0, 0, 0, -1, -1}, *r = v + 4, quarter = acos(0);
  SUP_TRY(numbers_of(node, names, 6, v));
  if (!(v[2] > 0 && v[3] > 0)) return SUP_OK;
  for (int k = 0; k < 2; k++)
    if (r[k] < 0) r[k] = fmax(r[1 - k], 0);
  for (int k = 0; k < 2; k++) r[k] = fmin(r[k], 0.5 * v[2 + k]);
  double x[2] = {v[0], v[0] + v[2]}, y[2] = {v[1], v[1] + v[3]};
  SUP_TRY(sup_drawing_begin(&g->drawing, x[0] + r[0], y[0]));
  for (int k = 0; k < 4; k++) { /* a side and the corner at its end */
    static const int right[] = {1, 1, 0, 0}, down[] = {0, 1, 1, 0};
    double cx = x[right[k]] + (right[k] ? -r[0] : r[0]), cy = y[down[k]] + (down[k] ? -r[1] : r[1]);
    double t = (k - 1) * quarter, centre[2] = {cx, cy};
    SUP_TRY(sup_drawing_line(&g->drawing, cx + r[0] * cos(t), cy + r[1] * sin(t)));
    if (r[0] > 0 && r[1] > 0)
      SUP_TRY(sup_drawing_ellipse(&g->drawing, centre, r, 0, t, t + quarter));
  }
  sup_drawing_close(&g->drawing);
  return SUP_OK;
}

static sup_status draw_line(svg *g, const sup_xml_node *node) {
  static const char *const names[] = {"x1", "y1", "x2", "y2"};
  double                   v[4] = {0};
  SUP_TRY(numbers_of(node, names, 4, v));
  SUP_TRY(sup_drawing_begin(&g->drawing, v[0], v[1]));
  return sup_drawing_line(&g->drawing, v[2], v[3]);
}

static bool is_group(const sup_xml_node *node) {
  return sup_xml_is(node, "g") || sup_xml_is(node, "svg") || sup_xml_is(node, "a");
}

static bool is_shape(const sup_xml_node *node) {
  static const char *const names[] = {"path",    "polygon", "polyline", "circle",
                                      "ellipse", "rect",    "line",     "use"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (sup_xml_is(node, names[k])) return 1;
  return 0;
}

/** True if a property has this value, in the style or else as an attribute; none: is not said. */
static bool has_style(const sup_xml_node *node, const char *property, const char *value) {
  const char *at = sup_xml_attribute(node, "style"), *plain = sup_xml_attribute(node, property);
  size_t      length = strlen(property);
  for (; at && *at; at += strcspn(at, ";"), at += *at == ';') {
    at += strspn(at, " \t\r\n");
    const char *behind = at + length + strspn(at + strnlen(at, length), " ");
    if (strncmp(at, property, length) != 0 || *behind != ':') continue;
    plain = behind + 1 + strspn(behind + 1, " ");
  }
  length = strlen(value);
  return plain && strncmp(plain, value, length) == 0 && !isalnum((unsigned char)plain[length]) &&
         plain[length] != '.';
}

static void apply_style(svg *g, const sup_xml_node *node) {
  g->is_off |= has_style(node, "display", "none") || has_style(node, "opacity", "0");
  g->is_hidden |=
      has_style(node, "visibility", "hidden") || has_style(node, "visibility", "collapse");
  g->is_hidden &= !has_style(node, "visibility", "visible");
}

static const sup_xml_node *find_id(const sup_xml_node *node, const char *id, int depth) {
  const char *own = sup_xml_attribute(node, "id");
  if (own && strcmp(own, id) == 0) return node;
  for (const sup_xml_node *c = sup_xml_first(node); c && depth < MAX_DEPTH; c = sup_xml_next(c)) {
    const sup_xml_node *found = find_id(c, id, depth + 1);
    if (found) return found;
  }
  return NULL;
}

static sup_status draw_node(svg *g, const sup_xml_node *node, int depth);

static sup_status draw_children(svg *g, const sup_xml_node *node, int depth) {
  for (const sup_xml_node *child = sup_xml_first(node); child; child = sup_xml_next(child))
    SUP_TRY(draw_node(g, child, depth + 1));
  return SUP_OK;
}

/** A clone: the element of this id, shifted. */
static sup_status draw_clone(svg *g, const sup_xml_node *node, int depth) {
  static const char *const names[] = {"x", "y"};
  const char              *id = sup_xml_attribute(node, "href");
  double                   shift[6] = {1, 0, 0, 1, 0, 0};
  if (!id || id[0] != '#')
    return SUP_XML_FAIL(node, "found <use> of '%.60s', expected #ID of this file", id ? id : "");
  const sup_xml_node *of = find_id(sup_xml_root(sup_xml_document(node)), id + 1, 0);
  if (!of) return SUP_XML_FAIL(node, "found <use> of '%.60s', an id that there is not", id);
  if (++g->clones > MAX_CLONES) return SUP_XML_FAIL(node, "found more than %d clones", MAX_CLONES);
  SUP_TRY(numbers_of(node, names, 2, shift + 4));
  multiply(g->drawing.affine, shift);
  if (!sup_xml_is(of, "symbol")) {
    const char *own = g->clone ? g->clone : sup_xml_attribute(node, "id");
    g->clone = is_shape(of) ? own : NULL;
    sup_status status = draw_node(g, of, depth + 1);
    g->clone = NULL;
    return status;
  }
  if (sup_xml_attribute(of, "viewBox"))
    return SUP_XML_FAIL(of,
                        "found a symbol with a viewBox (id %.60s), expected one without, or a "
                        "clone of a group",
                        id + 1);
  return draw_children(g, of, depth);
}

static sup_status draw_shape(svg *g, const sup_xml_node *node, int depth) {
  const char *id = g->clone ? g->clone : sup_xml_attribute(node, "id");
  snprintf(g->drawing.id, sizeof g->drawing.id, "%.38s", id ? id : "");
  if (sup_xml_is(node, "use")) return draw_clone(g, node, depth);
  if (sup_xml_is(node, "path")) return draw_path(g, node);
  if (sup_xml_is(node, "polygon") || sup_xml_is(node, "polyline"))
    return draw_points(g, node, sup_xml_is(node, "polygon"));
  if (sup_xml_is(node, "circle") || sup_xml_is(node, "ellipse"))
    return draw_ellipse(g, node, sup_xml_is(node, "circle"));
  return sup_xml_is(node, "rect") ? draw_rectangle(g, node) : draw_line(g, node);
}

static sup_status draw_node(svg *g, const sup_xml_node *node, int depth) {
  double affine[6];
  bool   is_off = g->is_off, is_hidden = g->is_hidden;
  if (depth > MAX_DEPTH)
    return SUP_XML_FAIL(node, "groups lie more than %d deep in each other", MAX_DEPTH);
  memcpy(affine, g->drawing.affine, sizeof affine);
  sup_status status = apply_transform(node, g->drawing.affine);
  if (status != SUP_OK) return status;
  apply_style(g, node);
  if (is_group(node))
    status = draw_children(g, node, depth);
  else if (is_shape(node) && (g->is_off || g->is_hidden))
    g->hidden++;
  else if (is_shape(node))
    status = draw_shape(g, node, depth);
  else
    g->skipped += sup_xml_is(node, "text") || sup_xml_is(node, "image");
  g->is_off = is_off, g->is_hidden = is_hidden;
  memcpy(g->drawing.affine, affine, sizeof affine);
  return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

/** Metres of a user unit, the width in its own unit over that of the viewBox; the origin is the
 * lower left corner of the drawing, y points up. */
static sup_status place(const sup_xml_node *root, double unit, double affine[6]) {
  double      size[2] = {0, 0}, ratio, other, box[4] = {0, 0, 0, 0};
  const char *view = sup_xml_attribute(root, "viewBox"), *at = view,
             *width = sup_xml_attribute(root, "width");
  SUP_TRY(length_of(root, "height", &size[1], &other));
  SUP_TRY(length_of(root, "width", &size[0], &ratio));
  if (ratio == 0) ratio = pixel;
  for (int k = 0; k < 4 && view; k++)
    if (!take_number(&at, &box[k]) || (k > 1 && !(box[k] > 0)))
      return SUP_XML_FAIL(root, "found viewBox=\"%.60s\", expected four numbers: x y width height",
                          view);
  if (!view) box[3] = size[1];
  if (unit == 0 && view && width && !strchr(width, '%')) unit = size[0] * ratio / box[2];
  if (unit == 0) unit = ratio;
  affine[0] = unit, affine[3] = -unit;
  affine[4] = -unit * box[0], affine[5] = unit * (box[1] + box[3]);
  return SUP_OK;
}

static void svg_free(svg *s) { sup_drawing_free(&s->drawing); }

sup_status sup_profile_read_svg(sup_profile **profile, const char *path, double unit) {
  SUP_OWN(sup_xml)  *xml = NULL;
  SUP_OWN_VALUE(svg) g = {.skipped = 0};
  *profile = NULL;
  SUP_TRY(sup_xml_read(&xml, path));
  const sup_xml_node *root = sup_xml_root(xml);
  if (!sup_xml_is(root, "svg") && !sup_xml_is(root, "svg:svg"))
    return SUP_XML_FAIL(root, "found <%s>, expected <svg>", sup_xml_name(root));
  SUP_TRY(place(root, unit, g.drawing.affine));
  for (int i = 0; i < 2; i++)
    g.drawing.scale[i] = g.drawing.affine[3 * i], g.drawing.shift[i] = g.drawing.affine[4 + i];
  SUP_TRY(draw_node(&g, root, 0));
  if (g.skipped > 0)
    sup_log(SUP_LOG_NOTE, "%s: %ld texts and images were passed over", path, g.skipped);
  if (g.hidden > 0) sup_log(SUP_LOG_NOTE, "%s: %ld hidden shapes were left out", path, g.hidden);
  return sup_drawing_finish(&g.drawing, path, profile);
}
