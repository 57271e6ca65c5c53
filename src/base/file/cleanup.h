/** Cleanup registry: temporary files, folders and child processes to remove when the program ends
 * early.  Layer base. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/** Register or drop the path of a file or folder; the string stays where it is until it is dropped.
 */
void sup_cleanup_add(const char *path);
void sup_cleanup_forget(const char *path);
/** Make and register an empty folder below TMPDIR (/tmp); those that killed processes left there
 * go.
 */
SUP_NODISCARD sup_status sup_temporary_folder(char *path, size_t size);
/** Remove and drop a temporary folder with the files in it. */
void sup_temporary_folder_remove(const char *path);

/** Register or drop a child process. */
void sup_cleanup_add_process(long id);
void sup_cleanup_forget_process(long id);

/** End the registered processes and remove the files and folders, for a program that ends right
 * after: later calls to add or drop wait for ever. */
void sup_cleanup_run(void);
