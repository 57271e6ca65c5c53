/** Profiles from drawings: SVG, DXF, CSV; bricks that are extruded of them.  Layer scene. */
#pragma once

#include "mesh/mesh.h"
#include "profile/extrude.h"
#include "profile/gmsh.h"
#include "profile/profile.h"

/** Read a profile by the end of the file's name: .svg, .dxf, .csv (.txt).  Every closed line is a
 * loop, ends of open ones are joined; what is no line (texts, dimensions) is passed over with a
 * note.  E_PARSE with file:line, E_GEOMETRY as sup_profile_finish.
 *  @param unit  [m] of the file's numbers; 0: that of the file.  SVG: its width and viewBox, else
 *               pixels of 1/96 inch; DXF: $INSUNITS; CSV: "x [mm], y [mm]" in the first line. */
SUP_NODISCARD sup_status sup_profile_read(sup_profile **profile, const char *path, double unit);
/** 1: the path has the ending of a drawing. */
bool sup_profile_is_file_name(const char *path);
/** sup_profile_read of SVG: path, polygon, polyline, line, rect, circle, ellipse within groups with
 * their transforms; y is turned upwards. */
SUP_NODISCARD sup_status sup_profile_read_svg(sup_profile **profile, const char *path, double unit);

/** Offset of a loop of the drawing along its normals. */
typedef struct sup_loop_offset {
  char   id[SUP_LOOP_ID_SIZE];
  double distance; /* [m] */
} sup_loop_offset;

/** Options of the extrusion of a drawing. */
enum { SUP_MOST_OFFSETS = 16 };
typedef struct sup_extrude_options {
  int               unit;   /* of sup_profile_units; 0: that of the file */
  double            fillet; /* radius of inner corners [m]; 0: sharp */
  sup_quads_options section;
  sup_extrusion     extrusion; /* num_layers 0: cells twice as deep as long */
  int               num_offsets;
  sup_loop_offset   offset[SUP_MOST_OFFSETS];
} sup_extrude_options;

enum { SUP_PROFILE_NUM_UNITS = 6 };
extern const char *const sup_profile_units[SUP_PROFILE_NUM_UNITS]; /* "file", "m", "cm", .. */

sup_extrude_options sup_default_extrude_options(void);
/** Bricks of a drawing, or of a plane section in .geo, .step (.stp), .iges (.igs), .brep, which
 * Gmsh reads.  E_ARG: no depth, a fillet for such a section, a .geo without a unit; otherwise as
 * sup_profile_read, sup_quads_of_profile, sup_mesh_extrude.
 *  @param[out] quads   the section; NULL: not asked for
 *  @param[out] drawn   the profile, for sup_mesh_onto_profile; NULL: not asked for
 *  @param[out] report  of it */
SUP_NODISCARD sup_status sup_mesh_of_drawing(sup_mesh **mesh, const char *path,
                                             const sup_extrude_options *options, sup_quads **quads,
                                             sup_profile **drawn, sup_quads_report *report);
