/** Search of files that a URDF names: package://, model://, file:// and plain paths.  Layer
 * scene. */
#pragma once

#include "base/status.h"

/** Path of the file that `uri` names in the file `from` into out.  package://NAME/REST, or
 * model://, is looked for as FOLDER/NAME/REST, or FOLDER/REST when FOLDER itself is called NAME, in
 * the given folders in order, then in the folders above `from`; plain paths are relative to `from`.
 * E_IO when there is no such file; the message says where it was looked for. */
SUP_NODISCARD sup_status sup_package_find(char *out, size_t size, const char *from, const char *uri,
                                          const char *const *package_paths, int num_package_paths);
