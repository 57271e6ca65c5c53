/** The materials that come with the program, files of its folder `materials`.  Layer scene. */
#pragma once

#include "scene/file/node.h"
#include "supple/soft.h"

/** Numbers of a material that have a range. */
typedef enum sup_material_number {
  SUP_MATERIAL_YOUNGS_MODULUS,
  SUP_MATERIAL_POISSONS_RATIO,
  SUP_MATERIAL_DENSITY,
  SUP_MATERIAL_NUM_RANGES
} sup_material_number;

typedef struct sup_material_range {
  double low, high; /* SI; both 0: none is known */
} sup_material_range;

typedef struct sup_library_material {
  sup_material_def   def;
  sup_material_range range[SUP_MATERIAL_NUM_RANGES];
  const char        *file; /* name within the folder */
  const sup_node    *node; /* its entry: `source`, `uncertainty` */
} sup_library_material;

enum { SUP_LIBRARY_MAX_FILES = 64 };

typedef struct sup_material_library {
  char                  folder[4096];
  int                   num_files, num_materials;
  char                 *file[SUP_LIBRARY_MAX_FILES]; /* names, in the order of the alphabet */
  sup_node             *root[SUP_LIBRARY_MAX_FILES];
  sup_library_material *material;
  size_t                capacity;
} sup_material_library;

/** Folder of the library: SUPPLE_MATERIALS, or beside the program where `make` or `make install`
 * has put it; 0: not found. */
int sup_material_library_folder(char *folder, size_t size);
/** Read all files of the library.  E_IO: its folder is not found; E_PARSE as for any file of
 * materials. */
SUP_NODISCARD sup_status sup_material_library_read(sup_material_library **library);
void                     sup_material_library_destroy(sup_material_library **library);
/** Remark of a material on one of its numbers, key `source` or `uncertainty`; NULL: none. */
const char *sup_library_remark(const sup_library_material *material, const char *key,
                               const char *number);
