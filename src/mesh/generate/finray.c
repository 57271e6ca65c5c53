#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/generate/finray_fillet.h"
#include "mesh/generate/finray_notch.h"
#include "mesh/generate/grid.h"
#include "mesh/numerics.h"

enum { MAX_CELLS_A_PART = 10000, MAX_RIBS = 1000 };

sup_finray sup_default_finray(void) { return (sup_finray)SUP_DEFAULT_FINRAY; }

static bool is_bowed(const sup_finray *f) { return f->front_bow != 0 || f->back_bow != 0; }

/** Thickness of the front (0) or back wall (1). */
static double wall_of(const sup_finray *f, int wall) {
  double own = wall ? f->back_wall : f->front_wall;
  return own > 0 ? own : f->wall;
}

/** Thickness of rib i, from 0. */
static double rib_of(const sup_finray *f, int i) {
  return f->num_rib_thicknesses > 0 ? f->rib_thicknesses[i] : f->rib;
}

static sup_status check_hinge(const sup_finray *f) {
  if (f->fillet > 0 && (f->hinge > 0 || is_bowed(f)))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: fillets of %g mm with %s; fillets need straight walls and ribs: "
                    "expected one of the two",
                    1e3 * f->fillet, f->hinge > 0 ? "hinges" : "bowed walls");
  double thinnest = f->num_ribs > 0 ? HUGE_VAL : f->rib;
  for (int i = 0; i < f->num_ribs; i++) thinnest = fmin(thinnest, rib_of(f, i));
  if (!(f->hinge >= 0 && f->hinge <= thinnest))
    return SUP_FAIL(
        SUP_E_ARG,
        "finray: hinges are %g mm thick; expected at most the ribs' %g mm, or 0 for none",
        1e3 * f->hinge, 1e3 * thinnest);
  if (f->hinge == 0) return SUP_OK;
  if (!(f->hinge_length > 0) || !isfinite(f->hinge_length))
    return SUP_FAIL(SUP_E_ARG, "finray: hinges are %g m long; expected a positive length",
                    f->hinge_length);
  if (f->inner_cells < 3 || f->grading > 1)
    return SUP_FAIL(SUP_E_ARG,
                    "finray: hinges with %d inner cells and grading %g; expected at least 3, one "
                    "along each hinge, and equal cells (grading 1)",
                    f->inner_cells, f->grading);
  return SUP_OK;
}

static sup_status check_lengths(const sup_finray *f) {
  const struct {
    const char *name;
    double      value;
  } length[] = {{"height", f->height},         {"base width", f->base},
                {"tip width", f->tip},         {"depth", f->depth},
                {"wall thickness", f->wall},   {"rib thickness", f->rib},
                {"base block", f->base_block}, {"tip block", f->tip_block}};
  for (size_t i = 0; i < sizeof length / sizeof *length; i++)
    if (!(length[i].value > 0) || !isfinite(length[i].value))
      return SUP_FAIL(SUP_E_ARG, "finray: %s is %g m; expected a positive length", length[i].name,
                      length[i].value);
  if (!(f->front_wall >= 0) || !(f->back_wall >= 0) || !isfinite(f->front_wall + f->back_wall))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: thickness of front and back wall is %g and %g m; expected positive "
                    "lengths, or 0 for that of both",
                    f->front_wall, f->back_wall);
  if (!(fabs(f->front_bow) <= f->height) || !(fabs(f->back_bow) <= f->height))
    return SUP_FAIL(
        SUP_E_ARG, "finray: the %s wall is bowed by %g mm; expected at most the height, %g mm",
        fabs(f->front_bow) <= f->height ? "back" : "front",
        1e3 * (fabs(f->front_bow) <= f->height ? f->back_bow : f->front_bow), 1e3 * f->height);
  if (!(f->fillet >= 0) || !isfinite(f->fillet))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: fillet is %g m; expected a positive radius, or 0 for sharp corners",
                    f->fillet);
  if (!(f->tip_radius >= 0) || !isfinite(f->tip_radius))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: the tip's corners have a radius of %g m; expected a positive radius, "
                    "or 0 for sharp corners",
                    f->tip_radius);
  return SUP_OK;
}

static sup_status check_counts(const sup_finray *f) {
  const struct {
    const char *name;
    int         value;
  } count[] = {{"wall", f->wall_cells},  {"inner", f->inner_cells}, {"cavity", f->cavity_cells},
               {"rib", f->rib_cells},    {"depth", f->depth_cells}, {"fillet", f->fillet_cells},
               {"notch", f->notch_cells}};
  for (size_t i = 0; i < sizeof count / sizeof *count; i++)
    if (count[i].value < 1 || count[i].value > MAX_CELLS_A_PART)
      return SUP_FAIL(SUP_E_ARG, "finray: %d %s cells; expected 1 to %d", count[i].value,
                      count[i].name, MAX_CELLS_A_PART);
  if (f->num_ribs < 0 || f->num_ribs > MAX_RIBS)
    return SUP_FAIL(SUP_E_ARG, "finray: %d ribs; expected 0 to %d", f->num_ribs, MAX_RIBS);
  if (!(f->grading >= 1 && f->grading <= 4))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: grading is %g; expected 1 (equal cells) to 4 (finest at the corners)",
                    f->grading);
  if (f->grading > 1 && f->fillet > 0)
    return SUP_FAIL(SUP_E_ARG,
                    "finray: grading %g and a fillet of %g mm: cells gather at sharp corners, "
                    "which fillets take away; expected one of the two",
                    f->grading, 1e3 * f->fillet);
  return SUP_OK;
}

static sup_status check_cavities(const sup_finray *f) {
  if (!(f->cavity >= 0) || !isfinite(f->cavity))
    return SUP_FAIL(
        SUP_E_ARG,
        "finray: cavity height is %g m; expected a positive height, or 0 for what the rest leaves",
        f->cavity);
  if (!(f->cavity_ratio >= 0.05 && f->cavity_ratio <= 20))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: the last cavity is %g times as high as the first; expected 0.05 to 20",
                    f->cavity_ratio);
  if (f->cavity > 0 && f->cavity_ratio != 1)
    return SUP_FAIL(SUP_E_ARG,
                    "finray: cavities of %g mm whose last is %g times as high as the first; "
                    "expected a height of 0, for what the other heights leave, or a ratio of 1",
                    1e3 * f->cavity, f->cavity_ratio);
  return SUP_OK;
}

/** Offset of the front (0) or back wall (1) towards +x at the height y by its bow: a parabola, 0 at
 * both ends. */
static double bow(const sup_finray *f, int wall, double y) {
  double s = y / f->height;
  return (wall ? f->back_bow : -f->front_bow) * 4 * s * (1 - s);
}

/** Slope dx/dy of the outer face of a wall. */
static double lean(const sup_finray *f, int wall, double y) {
  double rate = (wall ? f->back_bow : -f->front_bow) * 4 * (1 - 2 * y / f->height) / f->height;
  return tan(f->front_angle) - (wall ? (f->base - f->tip) / f->height : 0) + rate;
}

/** Width of the front (0) or back wall (1) along x. */
static double wall_width(const sup_finray *f, int wall, double y) {
  double slope = lean(f, wall, y);
  return wall_of(f, wall) * (f->is_perpendicular ? sqrt(1 + slope * slope) : 1);
}

/** Angle of rib i, from 0. */
static double rib_angle(const sup_finray *f, int i) {
  if (f->num_rib_angles > 0) return f->rib_angles[i];
  return f->num_ribs < 2 ? f->rib_angle : f->rib_angle + f->rib_fan * i / (f->num_ribs - 1);
}

/** Extent of a rib along y. */
static double rib_height(const sup_finray *f, int i) {
  return f->is_perpendicular ? rib_of(f, i) / cos(rib_angle(f, i)) : rib_of(f, i);
}

/** Bricks of fillets across or along a cavity, between walls or ribs. */
static int arc_cells(const sup_finray *f) { return f->fillet > 0 ? 2 * f->fillet_cells : 0; }

/** The two walls must not meet; straight ones are nearest at an end. */
static sup_status check_widths(const sup_finray *f) {
  enum { STATIONS = 64 };
  double least = HUGE_VAL, narrow = 0, walls = 0, at = 0;
  char   place[40];
  for (int k = 0; k <= STATIONS; k++) {
    double y = f->height * k / STATIONS;
    double width = f->base - (f->base - f->tip) * y / f->height + bow(f, 1, y) - bow(f, 0, y);
    double taken = wall_width(f, 0, y) + wall_width(f, 1, y);
    if (width - taken > least) continue;
    least = width - taken, narrow = width, walls = taken, at = y;
  }
  if (least > 0) return SUP_OK;
  snprintf(place, sizeof place, "%s", at == 0 ? "at the base" : "at the tip");
  if (at > 0 && at < f->height) snprintf(place, sizeof place, "at y = %.3g mm", 1e3 * at);
  return SUP_FAIL(
      SUP_E_ARG,
      "finray: the back wall meets the front wall: %s the finger is %g mm wide and the two "
      "walls take %g mm of it; expected a width above %g mm or walls below %g mm",
      place, 1e3 * narrow, 1e3 * walls, 1e3 * walls,
      500 * fmax(0, narrow) * (wall_of(f, 0) + wall_of(f, 1)) / walls);
}

/** Height of cavity i relative to the first; with given rib heights: in metres. */
static double cavity_share(const sup_finray *f, int i) {
  if (f->num_rib_heights == 0)
    return f->num_ribs > 0 ? pow(f->cavity_ratio, (double)i / f->num_ribs) : 1;
  double low = i == 0 ? f->base_block : f->rib_heights[i - 1] + 0.5 * rib_height(f, i - 1);
  return (i == f->num_ribs ? f->height - f->tip_block
                           : f->rib_heights[i] - 0.5 * rib_height(f, i)) -
         low;
}

/** Check the numbers of heights and angles of single ribs. */
static sup_status check_single_ribs(const sup_finray *f) {
  const struct {
    const char *name;
    int         num;
  } list[] = {{"angles", f->num_rib_angles},
              {"heights", f->num_rib_heights},
              {"thicknesses", f->num_rib_thicknesses}};
  for (int k = 0; k < 3; k++)
    if (list[k].num != 0 && (list[k].num != f->num_ribs || list[k].num > SUP_FINRAY_MOST_SINGLE))
      return SUP_FAIL(SUP_E_ARG,
                      "finray: %d %s of single ribs and %d ribs; expected one for each, at most %d",
                      list[k].num, list[k].name, f->num_ribs, SUP_FINRAY_MOST_SINGLE);
  for (int i = 0; i < f->num_rib_thicknesses; i++)
    if (!(f->rib_thicknesses[i] > 0) || !isfinite(f->rib_thicknesses[i]))
      return SUP_FAIL(SUP_E_ARG,
                      "finray: rib %d from the base is %g m thick; expected a positive length",
                      i + 1, f->rib_thicknesses[i]);
  if (f->num_rib_angles > 0 && (f->rib_angle != 0 || f->rib_fan != 0))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: angles of single ribs beside an angle of all or a fan; expected one "
                    "of the two");
  if (f->num_rib_heights == 0) return SUP_OK;
  if (f->cavity > 0 || f->cavity_ratio != 1)
    return SUP_FAIL(SUP_E_ARG,
                    "finray: heights of single ribs beside a height or a ratio of the cavities; "
                    "expected one of the two");
  for (int i = 0; i <= f->num_ribs; i++)
    if (!(cavity_share(f, i) > 1e-6 * f->height))
      return SUP_FAIL(
          SUP_E_ARG,
          "finray: the middle of rib %d from the base is at %g mm: cavity %d would be %g mm high "
          "between a base block of %g mm, ribs of %g mm and a tip block of %g mm below %g mm; "
          "expected ascending heights that leave space",
          i < f->num_ribs ? i + 1 : i, 1e3 * f->rib_heights[i < f->num_ribs ? i : i - 1], i + 1,
          1e3 * cavity_share(f, i), 1e3 * f->base_block,
          1e3 * rib_of(f, i < f->num_ribs ? i : i - 1), 1e3 * f->tip_block, 1e3 * f->height);
  return SUP_OK;
}

/** Height of the first cavity from the other heights, or the given one when they add up. */
static sup_status cavity_height(const sup_finray *f, double *cavity) {
  int    n = f->num_ribs + 1;
  double ribs = 0, shares = 0;
  for (int i = 0; i < f->num_ribs; i++) ribs += rib_height(f, i);
  for (int i = 0; i < n; i++) shares += cavity_share(f, i);
  double rib = f->num_ribs ? ribs / f->num_ribs : f->rib,
         solid = f->base_block + ribs + f->tip_block;
  *cavity = f->cavity > 0 ? f->cavity : (f->height - solid) / shares;
  if (f->num_rib_heights > 0) *cavity = 1;
  if (!(*cavity > 1e-6 * f->height))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: no height is left for the %d cavities: base block %g mm + %d ribs of "
                    "%g mm + tip block %g mm = %g mm, height %g mm",
                    n, 1e3 * f->base_block, f->num_ribs, 1e3 * rib, 1e3 * f->tip_block, 1e3 * solid,
                    1e3 * f->height);
  double total = solid + shares * *cavity;
  if (fabs(total - f->height) > 1e-9 * f->height)
    return SUP_FAIL(
        SUP_E_ARG,
        "finray: the heights do not add up: base block %g mm + %d cavities of %g mm + %d ribs of "
        "%g mm + tip block %g mm = %g mm, height %g mm; cavities of %g mm would fit",
        1e3 * f->base_block, n, 1e3 * *cavity, f->num_ribs, 1e3 * rib, 1e3 * f->tip_block,
        1e3 * total, 1e3 * f->height, 1e3 * (f->height - solid) / n);
  return SUP_OK;
}

/** Grid lines over one direction, row by row of bricks. */
typedef struct lines {
  double        *at;        /* [num_rows + 1] */
  double        *slope;     /* [num_rows + 1] of the line, of heights */
  unsigned char *is_hollow; /* [num_rows] row beside a cavity (y), column between the walls (x) */
  int            num_rows;
} lines;

/** Position of line i of n between start and end: graded lines gather at both, where the corners
 * are. */
static double line_at(double start, double end, int i, int n, double grading) {
  if (grading == 1) return start + (end - start) * i / n;
  double s = (double)i / n;
  return start + (end - start) *
                     (s < 0.5 ? 0.5 * pow(2 * s, grading) : 1 - 0.5 * pow(2 * (1 - s), grading));
}

static void add_band(lines *l, double end, int rows, double grading, bool is_hollow) {
  double start = l->at[l->num_rows];
  for (int r = 1; r <= rows; r++) {
    l->is_hollow[l->num_rows] = (unsigned char)is_hollow;
    l->at[++l->num_rows] = r == rows ? end : line_at(start, end, r, rows, grading);
  }
}

static sup_status lines_init(lines *l, int num_rows) {
  *l = (lines){0};
  SUP_TRY(SUP_CALLOC(l->at, num_rows + 1));
  SUP_TRY(SUP_CALLOC(l->slope, num_rows + 1));
  SUP_TRY(SUP_CALLOC(l->is_hollow, num_rows));
  return SUP_OK;
}

static void lines_free(lines *l) { SUP_FREE_ALL(&l->at, &l->slope, &l->is_hollow); }

/** Rows of a solid block: as many as a rib, but two if ribs have more than one, since the block is
 * thicker. */
static int block_cells(const sup_finray *f) {
  return f->rib_cells > 2 ? f->rib_cells : f->rib_cells > 1 ? 2 : 1;
}

/** Depth below the tip at which the arcs of its corners begin; 0: no arcs, or ones that take nearly
 * all of the block. */
static double tip_arc(const sup_finray *f) {
  double longest = 0;
  for (int wall = 0; wall < 2; wall++) {
    double slope = lean(f, wall, f->height), length = sqrt(1 + slope * slope);
    double angle = acos((wall ? slope : -slope) / length); /* of the corner, inside */
    longest = fmax(longest, f->tip_radius / (tan(0.5 * angle) * length));
  }
  return longest < sup_mesh_numerics.tip * f->tip_block ? longest : 0;
}

/** Put a grid line at the start of the arcs, so that the sides below are straight. */
static int tip_cells(const sup_finray *f) { return block_cells(f) + (tip_arc(f) > 0); }

/** The last `rows` lines have slopes from one to the other, linear in the height. */
static void slope_band(lines *y, int rows, double from, double to) {
  const double *at = y->at + y->num_rows - rows;
  double       *slope = y->slope + y->num_rows - rows;
  for (int r = 0; r <= rows; r++)
    slope[r] = from == to ? from : from + (to - from) * (at[r] - at[0]) / (at[rows] - at[0]);
}

static void fill_heights(lines *y, const sup_finray *f, double cavity) {
  double end = f->base_block, slope = 0;
  int    rows = f->cavity_cells + arc_cells(f);
  add_band(y, end, block_cells(f), f->grading, 0);
  for (int i = 0; i <= f->num_ribs; i++) {
    double next = i < f->num_ribs ? tan(rib_angle(f, i)) : 0;
    add_band(y, end += cavity * cavity_share(f, i), rows, f->grading, 1);
    slope_band(y, rows, slope, next);
    slope = next;
    if (i == f->num_ribs) break;
    add_band(y, end += rib_height(f, i), f->rib_cells, f->grading, 0);
    slope_band(y, f->rib_cells, slope, slope);
  }
  add_band(y, f->height - tip_arc(f), block_cells(f), f->grading, 0);
  if (tip_arc(f) > 0) add_band(y, f->height, 1, f->grading, 0);
}

/** Faces of the walls at the height y, from front to back: outer, inner, inner, outer (G01 of
 * tests/CASES.md). */
static void wall_faces(const sup_finray *f, double y, double x[4]) {
  double front = tan(f->front_angle) * y, back = f->base - (f->base - f->tip) * y / f->height;
  x[0] = front + bow(f, 0, y), x[1] = x[0] + wall_width(f, 0, y),
  x[2] = front + (back - wall_width(f, 1, y)) + bow(f, 1, y), x[3] = front + back + bow(f, 1, y);
}

/** Rows rise by their slope about this x, so that the faces of a rib are parallel. */
static double pivot(const sup_finray *f) {
  double x[4];
  wall_faces(f, 0.5 * f->height, x);
  return 0.5 * (x[1] + x[2]);
}

/** Heights at which the row of height y at the pivot meets the inner faces of the walls. */
static void row_ends(const sup_finray *f, double y, double slope, double end[2]) {
  enum { MOST_STEPS = 30 };
  double front = tan(f->front_angle), at = pivot(f), face[4];
  double slant[2] = {front, front - (f->base - f->tip) / f->height},
         foot[2] = {wall_width(f, 0, 0), f->base - wall_width(f, 1, 0)};
  for (int k = 0; k < 2; k++) { /* x = foot + slant y' and y' = y + slope (x - at) */
    double x = (foot[k] + slant[k] * (y - slope * at)) / (1 - slant[k] * slope);
    for (int step = 0; step < MOST_STEPS && is_bowed(f);
         step++) { /* Newton's method, without the width's change */
      double height = y + slope * (x - at);
      wall_faces(f, height, face);
      x -= (x - face[1 + k]) / (1 - lean(f, k, height) * slope);
    }
    end[k] = y + slope * (x - at);
  }
}

/** Position of line u between the walls (0..1) on a row of this length: each hinge has a column,
 * unless a block is too narrow for hinges. */
static double across(const sup_finray *f, double u, double length) {
  double column = 1.0 / f->inner_cells, share = f->hinge_length / length;
  if (f->hinge == 0 || share > sup_mesh_numerics.hinge) return u;
  if (u <= column) return share * u / column;
  if (u >= 1 - column) return 1 - share * (1 - u) / column;
  return share + (1 - 2 * share) * (u - column) / (1 - 2 * column);
}

/** The point of column coordinate u (0-1 front wall, 1-2 between the walls, 2-3 back wall) in row
 * j. */
static sup_v3 side_point(const sup_finray *f, const lines *y, double u, int j) {
  double end[2], front[4], back[4];
  int    part = u < 1 ? 0 : u < 2 ? 1 : 2;
  row_ends(f, y->at[j], y->slope[j], end);
  wall_faces(f, end[0], front);
  wall_faces(f, end[1], back);
  double x[4] = {front[0], front[1], back[2], back[3]},
         height[4] = {end[0], end[0], end[1], end[1]};
  double share = u - part;
  if (part == 1) share = across(f, share, hypot(x[2] - x[1], height[2] - height[1]));
  return sup_v3_make(x[part] + (x[part + 1] - x[part]) * share,
                     height[part] + (height[part + 1] - height[part]) * share, 0);
}

static const double degree = 57.295779513082320877;

static sup_status check_angle(const char *name, double angle) {
  if (fabs(angle) * degree <= 60) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "finray: %s is %g degrees; expected -60 to 60", name, angle * degree);
}

/** Tilted ribs must leave space for the cavities at both walls. */
static sup_status check_rows(const sup_finray *f, const lines *y) {
  for (int j = 1; j <= y->num_rows; j++) {
    double low[2], high[2];
    row_ends(f, y->at[j - 1], y->slope[j - 1], low);
    row_ends(f, y->at[j], y->slope[j], high);
    for (int k = 0; k < 2; k++)
      if (!(high[k] - low[k] > 1e-6 * f->height))
        return SUP_FAIL(
            SUP_E_ARG,
            "finray: ribs tilted by %g degrees meet the %s block at the %s wall: their ends rise "
            "by %g mm there and a cavity is %g mm high; expected a smaller rib angle, higher "
            "cavities or a narrower finger",
            degree * rib_angle(f, j <= y->num_rows / 2 ? 0 : f->num_ribs - 1),
            j <= y->num_rows / 2 ? "base" : "tip", k ? "back" : "front", 1e3 * (high[k] - y->at[j]),
            1e3 * (y->at[block_cells(f) + f->cavity_cells + arc_cells(f)] - f->base_block));
  }
  return SUP_OK;
}

enum { PART_HOLLOW, PART_WALLS, PART_RIBS, PART_BLOCKS };
static const char *const part_names[] = {NULL, "walls", "ribs", "blocks"};
static const char *const side_names[6] = {"front", "back", "base", "tip", "z_min", "z_max"};

/** Part that a brick between or in the walls belongs to, in row j. */
static unsigned char part_of(const sup_finray *f, const int n[3], bool is_between,
                             bool is_beside_cavity, int j) {
  if (j < block_cells(f) || j >= n[1] - tip_cells(f)) return PART_BLOCKS;
  if (!is_between) return PART_WALLS;
  return is_beside_cavity ? PART_HOLLOW : PART_RIBS;
}

/** Ribs are thinner where they meet the walls: their faces move towards their middle. */
static sup_status thin_hinges(const sup_finray *f, const lines *u, const lines *y, sup_v3 *side) {
  int rows = y->num_rows + 1, first = f->wall_cells, last = u->num_rows - f->wall_cells;
  int row = block_cells(f) + f->cavity_cells;
  for (int rib = 0; rib < f->num_ribs; rib++, row += f->rib_cells + f->cavity_cells)
    for (int end = 0; end < 2; end++) {
      int     i = end ? last : first;
      sup_v3 *x = side + i * rows + row,
             middle = sup_v3_scale(0.5, sup_v3_add(x[0], x[f->rib_cells]));
      double length = sup_v3_norm(sup_v3_sub(side[last * rows + row], side[first * rows + row]));
      if (!(f->hinge_length < sup_mesh_numerics.hinge * length))
        return SUP_FAIL(SUP_E_ARG,
                        "finray: hinges of %g mm at both ends of rib %d from the base, which is %g "
                        "mm long; expected less than 45 %% of that",
                        1e3 * f->hinge_length, rib + 1, 1e3 * length);
      for (int r = 0; r <= f->rib_cells; r++)
        x[r] = sup_v3_madd(middle, f->hinge / rib_of(f, rib), sup_v3_sub(x[r], middle));
    }
  return SUP_OK;
}

/** Grid points within the walls: on straight lines between their faces. */
static void fill_walls(const sup_finray *f, const lines *u, const lines *y, sup_v3 *side) {
  int rows = y->num_rows + 1, n = u->num_rows, w = f->wall_cells;
  for (int j = 0; j < rows; j++)
    for (int i = 1; i < w; i++) {
      sup_v3 *x = side + j;
      double  s = u->at[i];
      x[i * rows] = sup_v3_add(sup_v3_scale(1 - s, x[0]), sup_v3_scale(s, x[w * rows]));
      x[(n - i) * rows] =
          sup_v3_add(sup_v3_scale(1 - s, x[n * rows]), sup_v3_scale(s, x[(n - w) * rows]));
    }
}

/** The side view. */
static sup_status fill_side(sup_v3 *side, const sup_finray *f, const lines *u, const lines *y) {
  int             n = u->num_rows, first = f->wall_cells;
  sup_finray_side view = {
      .n = {n, y->num_rows}, .between = {first, n - first}, .is_hollow = y->is_hollow, .x = side};
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= y->num_rows; j++)
      side[i * (y->num_rows + 1) + j] = side_point(f, y, u->at[i], j);
  if (f->hinge > 0) {
    SUP_TRY(thin_hinges(f, u, y, side));
    fill_walls(f, u, y, side);
  }
  if (f->fillet > 0) SUP_TRY(sup_finray_round(&view, f->fillet, f->fillet_cells));
  if (f->num_front_notches != 0 || f->num_back_notches != 0)
    SUP_TRY(sup_finray_notch(&view, f, wall_faces));
  if (f->tip_radius > 0) SUP_TRY(sup_finray_round_tip(&view, f->tip_radius, f->tip_block));
  return SUP_OK;
}

static void fill_grid(sup_grid *grid, const sup_finray *f, const lines *u, const lines *y,
                      const sup_v3 *side) {
  double        *x = grid->x;
  unsigned char *keep = grid->keep;
  memcpy(grid->part, part_names, sizeof part_names);
  memcpy(grid->side, side_names, sizeof side_names);
  for (int p = 0; p < (grid->n[0] + 1) * (grid->n[1] + 1); p++)
    for (int k = 0; k <= grid->n[2]; k++, x += 3)
      sup_v3_store(
          x, sup_v3_add(side[p],
                        sup_v3_make(0, 0, line_at(0, f->depth, k, f->depth_cells, f->grading))));
  for (int i = 0; i < grid->n[0]; i++)
    for (int j = 0; j < grid->n[1]; j++)
      for (int k = 0; k < grid->n[2]; k++)
        *keep++ = part_of(f, grid->n, u->is_hollow[i], y->is_hollow[j], j);
}

sup_status sup_mesh_finray(sup_mesh **mesh, const sup_finray *f) {
  double                  cavity;
  SUP_OWN_VALUE(sup_grid) grid = {0};
  SUP_OWN_VALUE(lines)    u = {0}, y = {0};
  SUP_FREED sup_v3       *side = NULL;
  *mesh = NULL;
  if (f->marker != SUP_INITIALISED)
    return SUP_FAIL(SUP_E_ARG, "the finger's definition was not begun with sup_default_finray");
  SUP_TRY(check_lengths(f));
  SUP_TRY(check_counts(f));
  SUP_TRY(check_cavities(f));
  SUP_TRY(check_angle("front angle", f->front_angle));
  SUP_TRY(check_single_ribs(f));
  SUP_TRY(check_hinge(f));
  for (int i = 0; i < f->num_rib_angles; i++)
    SUP_TRY(check_angle("a single rib's angle", f->rib_angles[i]));
  SUP_TRY(check_angle("rib angle", f->rib_angle));
  SUP_TRY(check_angle("last rib's angle", f->rib_angle + f->rib_fan));
  SUP_TRY(check_widths(f));
  SUP_TRY(cavity_height(f, &cavity));
  int cavity_rows = f->cavity_cells + arc_cells(f), inner = f->inner_cells + arc_cells(f);
  int n[3] = {
      2 * f->wall_cells + inner,
      block_cells(f) + (f->num_ribs + 1) * cavity_rows + f->num_ribs * f->rib_cells + tip_cells(f),
      f->depth_cells};
  SUP_TRY(sup_grid_check(n, f->pattern));
  SUP_TRY(lines_init(&u, n[0]));
  SUP_TRY(lines_init(&y, n[1]));
  add_band(&u, 1, f->wall_cells, f->grading, 0);
  add_band(&u, 2, inner, f->grading, 1);
  add_band(&u, 3, f->wall_cells, f->grading, 0);
  fill_heights(&y, f, cavity);
  SUP_TRY(check_rows(f, &y));
  SUP_TRY(sup_grid_init(&grid, n, f->pattern));
  SUP_TRY(SUP_CALLOC(side, (n[0] + 1) * (n[1] + 1)));
  SUP_TRY(fill_side(side, f, &u, &y));
  fill_grid(&grid, f, &u, &y, side);
  SUP_TRY(sup_grid_mesh(mesh, &grid));
  return SUP_OK;
}
