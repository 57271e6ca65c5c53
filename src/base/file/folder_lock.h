/** A folder that one process at a time writes into.  Layer base. */
#pragma once

#include <limits.h>

#include "base/status.h"

/** Zeroed: of no folder.  The lock (flock of FOLDER/.lock) ends with the process, also with a
 * killed one; the file is removed when the lock is released. */
typedef struct sup_folder_lock {
  int  is_held;
  int  file, folder; /* descriptors; file: -1 where the file system has no locks */
  char path[PATH_MAX];
} sup_folder_lock;

/** Create the folder if needed, and lock it.  E_IO names the other run that holds the lock. */
SUP_NODISCARD sup_status sup_folder_lock_acquire(sup_folder_lock *lock, const char *path);
/** E_IO: the folder at the path was removed, moved or replaced. */
SUP_NODISCARD sup_status sup_folder_lock_check(const sup_folder_lock *lock);
/** Harmless without a folder. */
void sup_folder_lock_release(sup_folder_lock *lock);
