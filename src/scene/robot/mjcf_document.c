/* The document of an MJCF model: included files, frames, classes of defaults, orientations. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "scene/robot/mjcf_parts.h"

/* ---- children -------------------------------------------------------------------------------- */

sup_mjcf_children sup_mjcf_children_of(const sup_xml_node *node, int childclass) {
  sup_mjcf_children at = {.depth = 0};
  at.level[0].next = sup_xml_first(node);
  at.level[0].file = sup_xml_path(node);
  at.level[0].X = sup_frame_identity();
  at.level[0].childclass = childclass;
  return at;
}

/** An included file by its path; it is read once. */
static sup_status find_file(sup_mjcf *m, const sup_xml_node *node, const char *path,
                            const sup_xml_node **root) {
  for (int i = 0; i < m->num_files; i++) {
    *root = sup_xml_root(m->file[i]);
    if (strcmp(sup_xml_path(*root), path) == 0) return SUP_OK;
  }
  if (m->num_files == SUP_MJCF_MAX_FILES)
    return SUP_XML_FAIL(node, "more than %d included files are not possible", SUP_MJCF_MAX_FILES);
  sup_status status = sup_xml_read(&m->file[m->num_files], path);
  if (status == SUP_E_IO)
    return SUP_XML_FAIL(node, "the included file cannot be read: %s", sup_error_message());
  SUP_TRY(status);
  *root = sup_xml_root(m->file[m->num_files++]);
  if (m->r->context->on_file) SUP_TRY(m->r->context->on_file(m->r->context->user, path));
  return SUP_OK;
}

/** The children of a file's root in place of the <include>, at the level that was opened for them.
 */
static sup_status include(sup_mjcf *m, const sup_xml_node *node, sup_mjcf_children *at) {
  const char         *name;
  const sup_xml_node *root = NULL;
  char                path[SUP_ROBOT_PATH_SIZE];
  SUP_TRY(sup_xml_text(node, "file", &name));
  SUP_TRY(sup_path_relative_to(path, sizeof path, m->r->path, name));
  SUP_TRY(find_file(m, node, path, &root));
  for (int i = 0; i < at->depth; i++)
    if (strcmp(at->level[i].file, sup_xml_path(root)) == 0)
      return SUP_XML_FAIL(node, "the file '%s' includes itself", name);
  at->level[at->depth].file = sup_xml_path(root);
  at->level[at->depth].next = sup_xml_first(root);
  return SUP_OK;
}

sup_status sup_mjcf_next(sup_mjcf *m, sup_mjcf_children *at, const sup_xml_node **child) {
  for (;;) {
    const sup_xml_node *node = at->level[at->depth].next;
    *child = node;
    if (!node && at->depth == 0) return SUP_OK;
    if (!node) {
      at->depth--;
      continue;
    }
    at->level[at->depth].next = sup_xml_next(node);
    bool is_frame = sup_xml_is(node, "frame");
    if (!is_frame && !sup_xml_is(node, "include")) return SUP_OK;
    if (at->depth + 1 == SUP_MJCF_DEPTH)
      return SUP_XML_FAIL(node, "<%s> is nested more than %d times", sup_xml_name(node),
                          SUP_MJCF_DEPTH - 1);
    at->level[at->depth + 1] = at->level[at->depth];
    at->depth++;
    if (is_frame) {
      sup_frame X;
      int *class = &at->level[at->depth].childclass;
      SUP_TRY(sup_mjcf_class(m, node, "childclass", *class, class));
      SUP_TRY(sup_mjcf_place(m, node, SUP_NONE, &X));
      at->level[at->depth].X = sup_frame_mul(&at->level[at->depth].X, &X);
      at->level[at->depth].next = sup_xml_first(node);
    } else {
      SUP_TRY(include(m, node, at));
    }
  }
}

/* ---- classes --------------------------------------------------------------------------------- */

static int find_class(const sup_mjcf *m, const char *name) {
  for (int i = 0; i < m->num_defaults; i++)
    if (strcmp(m->defaults[i].name, name) == 0) return i;
  return SUP_NONE;
}

static sup_status add_default(sup_mjcf *m, const sup_xml_node *node, int parent) {
  const char *name = sup_xml_attribute(node, "class");
  if (!name && parent != SUP_NONE) SUP_TRY(sup_xml_text(node, "class", &name));
  SUP_TRY(SUP_GROW(m->defaults, m->default_capacity, m->num_defaults + 1));
  m->defaults[m->num_defaults++] = (sup_mjcf_default){name ? name : "main", node, parent};
  return SUP_OK;
}

sup_status sup_mjcf_read_defaults(sup_mjcf *m, const sup_xml_node *root) {
  const sup_xml_node *child;
  sup_mjcf_children   top = sup_mjcf_children_of(root, SUP_NONE);
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &top, &child));
    if (!child) break;
    if (sup_xml_is(child, "default")) SUP_TRY(add_default(m, child, SUP_NONE));
  }
  for (int i = 0; i < m->num_defaults; i++) { /* the list grows by the children of its own */
    sup_mjcf_children inner = sup_mjcf_children_of(m->defaults[i].node, SUP_NONE);
    for (;;) {
      SUP_TRY(sup_mjcf_next(m, &inner, &child));
      if (!child) break;
      int first = find_class(m, m->defaults[i].name); /* of a class that is written in parts */
      if (sup_xml_is(child, "default")) SUP_TRY(add_default(m, child, first));
    }
  }
  return SUP_OK;
}

sup_status sup_mjcf_class(const sup_mjcf *m, const sup_xml_node *node, const char *attribute,
                          int otherwise, int *found) {
  const char *name = sup_xml_attribute(node, attribute);
  *found = name ? find_class(m, name) : otherwise;
  if (name && *found == SUP_NONE)
    return SUP_XML_FAIL(node, "%s '%s' of <%s> is not defined; <default class=\"%s\"> would do",
                        attribute, name, sup_xml_name(node), name);
  return SUP_OK;
}

static int attribute_of(const sup_xml_node *node, const char *const *names, int n) {
  for (int k = 0; k < n; k++)
    if (sup_xml_attribute(node, names[k])) return k;
  return SUP_NONE;
}

/** The last of the class's elements of this kind that says one of the attributes. */
static const sup_xml_node *find_in_class(const sup_mjcf *m, const char *kind, const char *class,
                                         const char *const *names, int n) {
  const sup_xml_node *found = NULL;
  for (int i = 0; i < m->num_defaults; i++) {
    if (strcmp(m->defaults[i].name, class) != 0) continue;
    for (const sup_xml_node *c = sup_xml_first(m->defaults[i].node); c; c = sup_xml_next(c))
      if (sup_xml_is(c, kind) && attribute_of(c, names, n) != SUP_NONE) found = c;
  }
  return found;
}

static bool is_drive(const sup_xml_node *node) {
  return sup_xml_is(node, "motor") || sup_xml_is(node, "position") || sup_xml_is(node, "velocity");
}

const sup_xml_node *sup_mjcf_find(const sup_mjcf *m, const sup_xml_node *node, int class,
                                  const char *const *names, int n, int *which) {
  const sup_xml_node *found = attribute_of(node, names, n) == SUP_NONE ? NULL : node;
  if (class == SUP_NONE) class = m->num_defaults > 0 ? 0 : SUP_NONE;
  for (; !found && class != SUP_NONE; class = m->defaults[class].parent) {
    const char *name = m->defaults[class].name;
    found = find_in_class(m, sup_xml_name(node), name, names, n);
    if (!found && is_drive(node)) found = find_in_class(m, "general", name, names, n);
  }
  if (found) *which = attribute_of(found, names, n);
  return found;
}

const sup_xml_node *sup_mjcf_holder(const sup_mjcf *m, const sup_xml_node *node, int class,
                                    const char *name) {
  int which;
  return sup_mjcf_find(m, node, class, &name, 1, &which);
}

const char *sup_mjcf_text(const sup_mjcf *m, const sup_xml_node *node, int class,
                          const char *name) {
  const sup_xml_node *holder = sup_mjcf_holder(m, node, class, name);
  return holder ? sup_xml_attribute(holder, name) : NULL;
}

sup_status sup_mjcf_numbers(const sup_mjcf *m, const sup_xml_node *node, int class,
                            const char *name, int n, double *to) {
  const sup_xml_node *holder = sup_mjcf_holder(m, node, class, name);
  int                 count;
  if (!holder) return SUP_OK;
  SUP_TRY(sup_xml_number_list(holder, name, n, to, &count));
  if (count > n)
    return SUP_XML_FAIL(holder, "attribute '%s' of <%s> has %d numbers; it must have %d at most",
                        name, sup_xml_name(holder), count, n);
  return SUP_OK;
}

/* ---- orientations ---------------------------------------------------------------------------- */

sup_quat sup_mjcf_turn_z(sup_v3 to) {
  sup_v3 axis = sup_v3_cross(sup_v3_make(0, 0, 1), to);
  double sine = sup_v3_norm(axis);
  if (!(sine > 0)) return to.z < 0 ? (sup_quat){0, 1, 0, 0} : (sup_quat){1, 0, 0, 0};
  return sup_quat_exp(sup_v3_scale(atan2(sine, to.z) / sine, axis));
}

/** A letter of the compiler's eulerseq is an axis that turns with the body, a capital one of the
 * frame about it. */
static sup_quat turn_euler(const sup_mjcf *m, const double angle[3]) {
  sup_quat q = {1, 0, 0, 0};
  for (int k = 0; k < 3; k++) {
    int      letter = m->compiler.eulerseq[k], axis = tolower(letter);
    sup_v3   e = sup_v3_make(axis == 'x', axis == 'y', axis == 'z');
    sup_quat turn = sup_quat_exp(sup_v3_scale(angle[k], e));
    q = islower(letter) ? sup_quat_mul(q, turn) : sup_quat_mul(turn, q);
  }
  return q;
}

static sup_status turn(const sup_mjcf *m, const sup_xml_node *holder, int which,
                       const char *const *names, sup_m3 *R) {
  static const int size[] = {4, 4, 3, 6, 3};
  const double     unit = m->compiler.is_radian ? 1 : acos(-1.0) / 180;
  double           a[6];
  SUP_TRY(sup_xml_numbers(holder, names[which], size[which], a));
  sup_v3 first = sup_v3_load(a), last = sup_v3_load(a + 3);
  if (which == 0) {
    *R = sup_quat_matrix(sup_quat_unit((sup_quat){a[0], a[1], a[2], a[3]}));
  } else if (which == 1) {
    *R = sup_quat_matrix(sup_quat_exp(sup_v3_scale(unit * a[3], sup_v3_unit(first))));
  } else if (which == 2) {
    for (int k = 0; k < 3; k++) a[k] *= unit;
    *R = sup_quat_matrix(turn_euler(m, a));
  } else if (which == 3) {
    sup_v3 x = sup_v3_unit(first), y = sup_v3_unit(sup_v3_madd(last, -sup_v3_dot(x, last), x));
    *R = sup_m3_columns(x, y, sup_v3_cross(x, y));
  } else {
    *R = sup_quat_matrix(sup_mjcf_turn_z(first));
  }
  if (!(fabs(sup_m3_det(R) - 1) < 1e-6))
    return SUP_XML_FAIL(holder, "'%s' of <%s> gives no rotation: %s", names[which],
                        sup_xml_name(holder), sup_xml_attribute(holder, names[which]));
  return SUP_OK;
}

sup_status sup_mjcf_place(const sup_mjcf *m, const sup_xml_node *node, int class, sup_frame *X) {
  static const char *const names[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  int                      which = 0;
  double                   p[3] = {0};
  const sup_xml_node      *holder = sup_mjcf_find(m, node, class, names, 5, &which);
  *X = sup_frame_identity();
  SUP_TRY(sup_mjcf_numbers(m, node, class, "pos", 3, p));
  X->p = sup_v3_load(p);
  if (holder) SUP_TRY(turn(m, holder, which, names, &X->R));
  return SUP_OK;
}

/* ---- what is not used ------------------------------------------------------------------------ */

/** 1: the word is in the list, whose words blanks separate. */
static bool is_listed(const char *word, const char *list) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

void sup_mjcf_note_attributes(sup_mjcf *m, const sup_xml_node *node, const char *used) {
  static const char looks[] = "name class childclass group rgba material user margin gap hfield";
  const char       *name;
  for (int k = 0; (name = sup_xml_attribute_name(node, k)) != NULL; k++) {
    char what[SUP_ROBOT_NOTED_SIZE];
    if (is_listed(name, used) || is_listed(name, looks)) continue;
    snprintf(what, sizeof what, "%.50s %.50s", sup_xml_name(node), name);
    if (sup_robot_first_mention(m->r, what))
      sup_log(SUP_LOG_NOTE, "%s:%ld: '%s' of <%s> is not used", sup_xml_path(node),
              sup_xml_line(node), name, sup_xml_name(node));
  }
}
