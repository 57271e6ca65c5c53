#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/finray_fillet.h"
#include "mesh/grid.h"

enum { MAX_CELLS_A_PART = 10000, MAX_RIBS = 1000 };

sup_finray sup_default_finray(void) {
  return (sup_finray){.marker = SUP_INITIALISED,
                      .height = 0.08,
                      .base = 0.03,
                      .tip = 0.006,
                      .depth = 0.02,
                      .wall = 0.002,
                      .rib = 0.002,
                      .num_ribs = 5,
                      .base_block = 0.004,
                      .tip_block = 0.006,
                      .cavity = 0,
                      .wall_cells = 1,
                      .inner_cells = 3,
                      .cavity_cells = 3,
                      .rib_cells = 1,
                      .depth_cells = 4,
                      .fillet_cells = 2,
                      .grading = 1,
                      .pattern = SUP_PATTERN_HEX};
}

static sup_status check_numbers(const sup_finray *f) {
  const struct {
    const char *name;
    double      value;
  } length[] = {{"height", f->height},         {"base width", f->base},
                {"tip width", f->tip},         {"depth", f->depth},
                {"wall thickness", f->wall},   {"rib thickness", f->rib},
                {"base block", f->base_block}, {"tip block", f->tip_block}};
  const struct {
    const char *name;
    int         value;
  } count[] = {{"wall", f->wall_cells}, {"inner", f->inner_cells}, {"cavity", f->cavity_cells},
               {"rib", f->rib_cells},   {"depth", f->depth_cells}, {"fillet", f->fillet_cells}};
  for (size_t i = 0; i < sizeof length / sizeof *length; i++)
    if (!(length[i].value > 0) || !isfinite(length[i].value))
      return SUP_FAIL(SUP_E_ARG, "finray: %s is %g m; expected a positive length", length[i].name,
                      length[i].value);
  for (size_t i = 0; i < sizeof count / sizeof *count; i++)
    if (count[i].value < 1 || count[i].value > MAX_CELLS_A_PART)
      return SUP_FAIL(SUP_E_ARG, "finray: %d %s cells; expected 1 to %d", count[i].value,
                      count[i].name, MAX_CELLS_A_PART);
  if (f->num_ribs < 0 || f->num_ribs > MAX_RIBS)
    return SUP_FAIL(SUP_E_ARG, "finray: %d ribs; expected 0 to %d", f->num_ribs, MAX_RIBS);
  if (!(f->cavity >= 0) || !isfinite(f->cavity))
    return SUP_FAIL(
        SUP_E_ARG,
        "finray: cavity height is %g m; expected a positive height, or 0 for what the rest leaves",
        f->cavity);
  if (!(f->fillet >= 0) || !isfinite(f->fillet))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: fillet is %g m; expected a positive radius, or 0 for sharp corners",
                    f->fillet);
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

/** What the front (0) or back wall (1) takes along x. */
static double wall_width(const sup_finray *f, int wall) {
  double lean = tan(f->front_angle) - (wall ? (f->base - f->tip) / f->height : 0);
  return f->is_perpendicular ? f->wall * sqrt(1 + lean * lean) : f->wall;
}

/** What a rib takes along y. */
static double rib_height(const sup_finray *f) {
  return f->is_perpendicular ? f->rib / cos(f->rib_angle) : f->rib;
}

/** Bricks of fillets across or along a cavity, between walls or ribs. */
static int arc_cells(const sup_finray *f) { return f->fillet > 0 ? 2 * f->fillet_cells : 0; }

/** The two walls must not meet: the finger is narrowest at one of its ends. */
static sup_status check_widths(const sup_finray *f) {
  double narrow = fmin(f->base, f->tip), walls = wall_width(f, 0) + wall_width(f, 1);
  if (narrow > walls) return SUP_OK;
  return SUP_FAIL(
      SUP_E_ARG,
      "finray: the back wall meets the front wall: at the %s the finger is %g mm wide and the two "
      "walls take %g mm of it; expected a width above %g mm or walls below %g mm",
      f->tip <= f->base ? "tip" : "base", 1e3 * narrow, 1e3 * walls, 1e3 * walls,
      1e3 * narrow * f->wall / walls);
}

/** Height of one cavity from the other heights, or the given one when they add up. */
static sup_status cavity_height(const sup_finray *f, double *cavity) {
  int    n = f->num_ribs + 1;
  double rib = rib_height(f), solid = f->base_block + f->num_ribs * rib + f->tip_block;
  *cavity = f->cavity > 0 ? f->cavity : (f->height - solid) / n;
  if (!(*cavity > 1e-6 * f->height))
    return SUP_FAIL(SUP_E_ARG,
                    "finray: no height is left for the %d cavities: base block %g mm + %d ribs of "
                    "%g mm + tip block %g mm = %g mm, height %g mm",
                    n, 1e3 * f->base_block, f->num_ribs, 1e3 * rib, 1e3 * f->tip_block, 1e3 * solid,
                    1e3 * f->height);
  double total = solid + n * *cavity;
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
  unsigned char *is_hollow; /* [num_rows] row beside a cavity (y), column between the walls (x) */
  int            num_rows;
} lines;

/** Where line i of n lies between start and end: graded lines gather at both, where the corners
 * are. */
static double line_at(double start, double end, int i, int n, double grading) {
  if (grading == 1) return start + (end - start) * i / n;
  double s = (double)i / n;
  return start + (end - start) *
                     (s < 0.5 ? 0.5 * pow(2 * s, grading) : 1 - 0.5 * pow(2 * (1 - s), grading));
}

static void add_band(lines *l, double end, int rows, double grading, int is_hollow) {
  double start = l->at[l->num_rows];
  for (int r = 1; r <= rows; r++) {
    l->is_hollow[l->num_rows] = (unsigned char)is_hollow;
    l->at[++l->num_rows] = r == rows ? end : line_at(start, end, r, rows, grading);
  }
}

static sup_status lines_init(lines *l, int num_rows) {
  *l = (lines){0};
  SUP_TRY(SUP_CALLOC(l->at, num_rows + 1));
  SUP_TRY(SUP_CALLOC(l->is_hollow, num_rows));
  return SUP_OK;
}

static void lines_free(lines *l) {
  SUP_FREE(l->at);
  SUP_FREE(l->is_hollow);
}

/** A solid block has as many rows as a rib, but two when ribs have more than one: it is thicker. */
static int block_cells(const sup_finray *f) {
  return f->rib_cells > 2 ? f->rib_cells : f->rib_cells > 1 ? 2 : 1;
}

static void fill_heights(lines *y, const sup_finray *f, double cavity) {
  double end = f->base_block;
  add_band(y, end, block_cells(f), f->grading, 0);
  for (int i = 0; i <= f->num_ribs; i++) {
    add_band(y, end += cavity, f->cavity_cells + arc_cells(f), f->grading, 1);
    if (i < f->num_ribs) add_band(y, end += rib_height(f), f->rib_cells, f->grading, 0);
  }
  add_band(y, f->height, block_cells(f), f->grading, 0);
}

/** Faces of the walls at the height y, from front to back: outer, inner, inner, outer (cases.md
 * G01, fmap). */
static void wall_faces(const sup_finray *f, double y, double x[4]) {
  double front = tan(f->front_angle) * y, back = f->base - (f->base - f->tip) * y / f->height;
  x[0] = front, x[1] = front + wall_width(f, 0), x[2] = front + (back - wall_width(f, 1)),
  x[3] = front + back;
}

/** Rows rise by their slope about this x, so that the faces of a rib are parallel. */
static double pivot(const sup_finray *f) {
  double x[4];
  wall_faces(f, 0.5 * f->height, x);
  return 0.5 * (x[1] + x[2]);
}

/** Where the row of height y at the pivot meets the inner faces of the walls: their heights. */
static void row_ends(const sup_finray *f, double y, double slope, double end[2]) {
  double front = tan(f->front_angle), at = pivot(f);
  double lean[2] = {front, front - (f->base - f->tip) / f->height},
         foot[2] = {wall_width(f, 0), f->base - wall_width(f, 1)};
  for (int k = 0; k < 2; k++) { /* x = foot + lean y' and y' = y + slope (x - at) */
    double x = (foot[k] + lean[k] * (y - slope * at)) / (1 - lean[k] * slope);
    end[k] = y + slope * (x - at);
  }
}

/** The slope of row j: that of the ribs between the first and the last, level at the blocks, linear
 * in between. */
static double row_slope(const sup_finray *f, const lines *y, int j) {
  double slope = tan(f->rib_angle), first = f->base_block, last = f->height - f->tip_block;
  double length = (y->at[block_cells(f) + f->cavity_cells + arc_cells(f)] - first);
  if (f->num_ribs == 0 || y->at[j] <= first || y->at[j] >= last) return 0;
  return slope * fmin(1, fmin((y->at[j] - first) / length, (last - y->at[j]) / length));
}

/** The point of column coordinate u (0-1 front wall, 1-2 between the walls, 2-3 back wall) in row
 * j. */
static sup_v3 side_point(const sup_finray *f, const lines *y, double u, int j) {
  double end[2], front[4], back[4];
  int    part = u < 1 ? 0 : u < 2 ? 1 : 2;
  row_ends(f, y->at[j], row_slope(f, y, j), end);
  wall_faces(f, end[0], front);
  wall_faces(f, end[1], back);
  double x[4] = {front[0], front[1], back[2], back[3]},
         height[4] = {end[0], end[0], end[1], end[1]};
  return sup_v3_make(x[part] + (x[part + 1] - x[part]) * (u - part),
                     height[part] + (height[part + 1] - height[part]) * (u - part), 0);
}

static sup_status check_angle(const char *name, double angle) {
  const double degree = 57.295779513082320877;
  if (fabs(angle) * degree <= 60) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "finray: %s is %g degrees; expected -60 to 60", name, angle * degree);
}

/** Tilted ribs must leave space for the cavities at both walls. */
static sup_status check_rows(const sup_finray *f, const lines *y) {
  for (int j = 1; j <= y->num_rows; j++) {
    double low[2], high[2];
    row_ends(f, y->at[j - 1], row_slope(f, y, j - 1), low);
    row_ends(f, y->at[j], row_slope(f, y, j), high);
    for (int k = 0; k < 2; k++)
      if (!(high[k] - low[k] > 1e-6 * f->height))
        return SUP_FAIL(
            SUP_E_ARG,
            "finray: ribs tilted by %g degrees meet the %s block at the %s wall: their ends rise "
            "by %g mm there and a cavity is %g mm high; expected a smaller rib angle, higher "
            "cavities or a narrower finger",
            57.295779513082320877 * f->rib_angle, j <= y->num_rows / 2 ? "base" : "tip",
            k ? "back" : "front", 1e3 * (high[k] - y->at[j]),
            1e3 * (y->at[block_cells(f) + f->cavity_cells + arc_cells(f)] - f->base_block));
  }
  return SUP_OK;
}

enum { PART_HOLLOW, PART_WALLS, PART_RIBS, PART_BLOCKS };
static const char *const part_names[] = {NULL, "walls", "ribs", "blocks"};
static const char *const side_names[6] = {"front", "back", "base", "tip", "z_min", "z_max"};

/** What a brick between or in the walls is part of, in row j. */
static unsigned char part_of(const sup_finray *f, const int n[3], int is_between,
                             int is_beside_cavity, int j) {
  if (j < block_cells(f) || j >= n[1] - block_cells(f)) return PART_BLOCKS;
  if (!is_between) return PART_WALLS;
  return is_beside_cavity ? PART_HOLLOW : PART_RIBS;
}

/** The side view. */
static sup_status fill_side(sup_v3 *side, const sup_finray *f, const lines *u, const lines *y) {
  int             n = u->num_rows, first = f->wall_cells;
  sup_finray_side view = {
      .n = {n, y->num_rows}, .between = {first, n - first}, .is_hollow = y->is_hollow, .x = side};
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= y->num_rows; j++) *side++ = side_point(f, y, u->at[i], j);
  if (f->fillet > 0) SUP_TRY(sup_finray_round(&view, f->fillet, f->fillet_cells));
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
  double     cavity;
  sup_grid   grid = {0};
  lines      u = {0}, y = {0};
  sup_v3    *side = NULL;
  sup_status status;
  *mesh = NULL;
  if (f->marker != SUP_INITIALISED)
    return SUP_FAIL(SUP_E_ARG, "the finger's definition was not begun with sup_default_finray");
  SUP_TRY(check_numbers(f));
  SUP_TRY(check_angle("front angle", f->front_angle));
  SUP_TRY(check_angle("rib angle", f->rib_angle));
  SUP_TRY(check_widths(f));
  SUP_TRY(cavity_height(f, &cavity));
  int cavity_rows = f->cavity_cells + arc_cells(f), inner = f->inner_cells + arc_cells(f);
  int n[3] = {2 * f->wall_cells + inner,
              2 * block_cells(f) + (f->num_ribs + 1) * cavity_rows + f->num_ribs * f->rib_cells,
              f->depth_cells};
  SUP_TRY(sup_grid_check(n, f->pattern));
  SUP_TRY_GOTO(lines_init(&u, n[0]), status, done);
  SUP_TRY_GOTO(lines_init(&y, n[1]), status, done);
  add_band(&u, 1, f->wall_cells, f->grading, 0);
  add_band(&u, 2, inner, f->grading, 1);
  add_band(&u, 3, f->wall_cells, f->grading, 0);
  fill_heights(&y, f, cavity);
  SUP_TRY_GOTO(check_rows(f, &y), status, done);
  SUP_TRY_GOTO(sup_grid_init(&grid, n, f->pattern), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(side, (n[0] + 1) * (n[1] + 1)), status, done);
  SUP_TRY_GOTO(fill_side(side, f, &u, &y), status, done);
  fill_grid(&grid, f, &u, &y, side);
  SUP_TRY_GOTO(sup_grid_mesh(mesh, &grid), status, done);
done:
  sup_grid_free(&grid);
  SUP_FREE(side);
  lines_free(&u);
  lines_free(&y);
  return status;
}
