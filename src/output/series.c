#include "output/series.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/json.h"

enum { PATH_SIZE = 4096 };

static sup_status join(char *out, size_t size, const char *folder, const char *name) {
  int length = snprintf(out, size, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= size) return SUP_FAIL(SUP_E_IO, "the path %.60s... is too long", folder);
  return SUP_OK;
}

sup_status sup_series_frame_name(char *out, size_t size, const char *stem, long k) {
  int length = snprintf(out, size, "%s_%04ld.vtk", stem, k);
  if (length < 0 || (size_t)length >= size) return SUP_FAIL(SUP_E_IO, "the name %.60s... is too long", stem);
  return SUP_OK;
}

sup_status sup_series_write(const char *folder, const char *stem, long num_frames, const double *time) {
  char     name[PATH_SIZE], path[PATH_SIZE];
  sup_json json;
  snprintf(name, sizeof name, "%.200s.vtk.series", stem);
  SUP_TRY(join(path, sizeof path, folder, name));
  SUP_TRY(sup_json_open(&json, path));
  sup_json_begin_object(&json, NULL);
  sup_json_text(&json, "file-series-version", "1.0");
  sup_json_begin_array(&json, "files");
  for (long k = 0; k < num_frames; k++) {
    snprintf(name, sizeof name, "%.200s_%04ld.vtk", stem, k);
    sup_json_begin_object(&json, NULL);
    sup_json_text(&json, "name", name);
    sup_json_number(&json, "time", time[k]);
    sup_json_end(&json);
  }
  sup_json_end(&json);
  sup_json_end(&json);
  SUP_TRY(sup_json_close(&json));
  return SUP_OK;
}

/** STEM_<digits>.vtk or STEM.vtk.series, perhaps with the .part of an interrupted write. */
static int belongs(const char *name, const char *stem) {
  size_t length = strlen(stem);
  if (strncmp(name, stem, length) != 0) return 0;
  const char *rest = name + length;
  if (*rest == '_') {
    size_t digits = strspn(rest + 1, "0123456789");
    if (digits < 4) return 0;
    rest += 1 + digits;
    return strcmp(rest, ".vtk") == 0 || strcmp(rest, ".vtk.part") == 0;
  }
  return strcmp(rest, ".vtk.series") == 0 || strcmp(rest, ".vtk.series.part") == 0;
}

sup_status sup_series_remove(const char *folder, const char *stem) {
  DIR *handle = opendir(folder);
  if (!handle) return SUP_FAIL(SUP_E_IO, "cannot read folder %s: %s", folder, strerror(errno));
  sup_status status = SUP_OK;
  for (struct dirent *entry = readdir(handle); entry && status == SUP_OK; entry = readdir(handle)) {
    char path[PATH_SIZE];
    if (!belongs(entry->d_name, stem)) continue;
    status = join(path, sizeof path, folder, entry->d_name);
    if (status == SUP_OK && unlink(path) != 0)
      status = SUP_FAIL(SUP_E_IO, "cannot remove %s of an earlier run: %s", path, strerror(errno));
  }
  closedir(handle);
  return status;
}
