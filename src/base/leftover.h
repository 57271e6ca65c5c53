/** Cleanup registry: temporary files, folders and child processes to remove when the program ends
 * early.  Layer base. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/** A path of a file or folder, which stays where it is until it is dropped. */
void sup_leftover_add(const char *path);
void sup_leftover_drop(const char *path);
/** Make an empty folder below TMPDIR (/tmp), which is added. */
SUP_NODISCARD sup_status sup_temporary_folder(char *path, size_t size);
/** Remove and drop such a folder with the files in it. */
void sup_temporary_folder_remove(const char *path);

/** A child process. */
void sup_leftover_add_process(long id);
void sup_leftover_drop_process(long id);

/** End the registered processes and remove the files and folders, for a program that ends right
 * after: later calls to add or drop wait for ever. */
void sup_leftovers_remove(void);
