#define _GNU_SOURCE /* dladdr */
#include "base/file/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/process.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

/** Folder of the library that has this code, of a program of others; of our own program its own. */
static void library_folder(char *folder, size_t size) {
  static const char here[] = "";
  Dl_info           info;
  folder[0] = '\0';
  if (!dladdr(here, &info) || !info.dli_fname) return;
  snprintf(folder, size, "%s", info.dli_fname);
  char *end = strrchr(folder, '/');
  *(end ? end : folder) = '\0';
}

/* Memory that constructors of foreign libraries keep is hidden from the leak sanitizer. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

static void *open_in(const sup_plugin_def *def, const char *folder, const char *below,
                     char *failure, size_t size) {
  char path[4096 + 64];
  if (!folder || !folder[0]) return NULL;
  snprintf(path, sizeof path, "%s%s/%s", folder, below, def->file);
  if (access(path, R_OK) != 0) return NULL;
  if (__lsan_disable) __lsan_disable();
  void *object = dlopen(path, RTLD_NOW | (def->is_global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (__lsan_enable) __lsan_enable();
  if (!object) snprintf(failure, size, "%s", dlerror());
  return object;
}

/** Return freed memory to the system.  SuperLU_DIST, which
 * PETSc loads, disables this for the whole process (M_MMAP_MAX 0, M_TRIM_THRESHOLD -1): memory
 * freed between live blocks would remain, a tenth of all memory of a large equilibrium. */
static void set_allocator(void) {
#ifdef __GLIBC__
  enum { LARGE = 1 << 20, MOST = 1 << 16 };
  mallopt(M_MMAP_MAX, MOST);
  mallopt(M_MMAP_THRESHOLD, LARGE);
  mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
}

sup_status sup_plugin_load(const sup_plugin_def *def, const void **table) {
  char  folder[4096], failure[512] = "";
  void *object = open_in(def, getenv("SUPPLE_PLUGINS"), "", failure, sizeof failure);
  if (!sup_program_folder(folder, sizeof folder)) folder[0] = '\0';
  if (!object) object = open_in(def, folder, "", failure, sizeof failure);
  if (!object) object = open_in(def, folder, "/../lib/supple", failure, sizeof failure);
  library_folder(folder, sizeof folder);
  if (!object) object = open_in(def, folder, "/supple", failure, sizeof failure);
  if (!object && failure[0])
    return SUP_FAIL(SUP_E_ARG, "%s: %s; %s", def->what, failure, def->remedy);
  if (!object)
    return SUP_FAIL(SUP_E_ARG,
                    "%s: there is no %s beside the program, in ../lib/supple, in supple beside "
                    "libsupple or in $SUPPLE_PLUGINS; %s",
                    def->what, def->file, def->remedy);
  set_allocator();
  const void *symbol = dlsym(object, def->symbol);
  size_t      size = 0;
  if (symbol) memcpy(&size, symbol, sizeof size);
  if (size != def->size)
    return SUP_FAIL(SUP_E_ARG, "%s: %s is of another version; %s", def->what, def->file,
                    def->remedy);
  *table = symbol;
  return SUP_OK;
}
