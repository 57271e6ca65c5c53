#include "scene/robot/package.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"

static bool is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/** folder/rest when that is a file. */
static int try_path(char *out, size_t size, const char *folder, size_t folder_length,
                    const char *rest) {
  int length = snprintf(out, size, "%.*s/%s", (int)folder_length, folder, rest);
  return length > 0 && (size_t)length < size && is_file(out);
}

/** The package NAME of "NAME/rest" below `folder`, or `folder` itself when it has that name. */
static int try_folder(char *out, size_t size, const char *folder, size_t length,
                      const char *name_and_rest) {
  const char *slash = strchr(name_and_rest, '/');
  while (length > 1 && folder[length - 1] == '/') length--;
  if (try_path(out, size, folder, length, name_and_rest)) return 1;
  if (!slash) return 0;
  size_t name = (size_t)(slash - name_and_rest);
  if (length < name || strncmp(folder + length - name, name_and_rest, name) != 0) return 0;
  if (length > name && folder[length - name - 1] != '/') return 0;
  return try_path(out, size, folder, length, slash + 1);
}

static sup_status fail_absent(const char *uri, const char *const *package_paths, int n) {
  char   list[512] = "";
  size_t used = 0;
  for (int i = 0; i < n && used < sizeof list; i++)
    used +=
        (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", package_paths[i]);
  return SUP_FAIL(SUP_E_IO, "'%s' was not found in %s%s%s; give the folder that holds the package",
                  uri, n ? "the package folders " : "", n ? list : "",
                  n ? " nor above the file" : "the folders above the file");
}

sup_status sup_package_find(char *out, size_t size, const char *from, const char *uri,
                            const char *const *package_paths, int num_package_paths) {
  static const char package[] = "package://", model[] = "model://", file[] = "file://";
  const char       *rest = uri;
  if (strncmp(uri, package, strlen(package)) == 0)
    rest = uri + strlen(package);
  else if (strncmp(uri, model, strlen(model)) == 0)
    rest = uri + strlen(model);
  if (rest == uri) {
    const char *plain = strncmp(uri, file, strlen(file)) == 0 ? uri + strlen(file) : uri;
    SUP_TRY(sup_path_relative_to(out, size, from, plain));
    if (!is_file(out)) return SUP_FAIL(SUP_E_IO, "there is no file '%s'", out);
    return SUP_OK;
  }
  for (int i = 0; i < num_package_paths; i++)
    if (try_folder(out, size, package_paths[i], strlen(package_paths[i]), rest)) return SUP_OK;
  for (size_t length = strlen(from); length > 0; length--)
    if (from[length - 1] == '/' && length > 1 && try_folder(out, size, from, length - 1, rest))
      return SUP_OK;
  return fail_absent(uri, package_paths, num_package_paths);
}
