/** Surfaces that are seen, for frames.  Layer scene; visual_file.c is the only file that knows the
 * program assimp. */
#pragma once

#include "base/status.h"
#include "supple/mesh.h"

/** Triangles of a file, which need not close: .obj, .stl, .ply as they are; others (.dae, .gltf,
 * .glb) through assimp, whose y points up, turned to z.  E_IO: the file or assimp is missing;
 * E_PARSE: the file cannot be read. */
SUP_NODISCARD sup_status sup_visual_of_file(sup_hull **surface, const char *path,
                                            const double scale[3]);
