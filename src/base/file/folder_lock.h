/** A folder that one process at a time writes into.  Layer base. */
#pragma once

#include <limits.h>

#include "base/status.h"

/** Zeroed: of no folder.  The lock (flock of FOLDER/.lock) goes with the process, so that one that
 * was killed leaves none; the file is removed when the folder is given back. */
typedef struct sup_folder_lock {
  int  is_held;
  int  file, folder; /* descriptors; file: -1 where the file system has no locks */
  char path[PATH_MAX];
} sup_folder_lock;

/** Make the folder when it is not there, and take it.  E_IO: another run has it, and which. */
SUP_NODISCARD sup_status sup_folder_lock_acquire(sup_folder_lock *lock, const char *path);
/** E_IO: the folder at the path is another by now, or none: it was removed, moved or replaced. */
SUP_NODISCARD sup_status sup_folder_lock_check(const sup_folder_lock *lock);
/** Harmless without a folder. */
void sup_folder_lock_release(sup_folder_lock *lock);
