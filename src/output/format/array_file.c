#include "output/format/array_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file/plugin.h"

static sup_status load(const sup_hdf5_plugin **out) {
  static const sup_plugin_def def = {.file = SUP_HDF5_PLUGIN_FILE,
                                     .symbol = SUP_HDF5_PLUGIN_SYMBOL,
                                     .size = sizeof **out,
                                     .what = "output.format xdmf",
                                     .remedy = "`make hdf5` installs HDF5 and builds it"};
  const void                 *table = NULL;
  SUP_TRY(sup_plugin_load(&def, &table));
  *out = table;
  return SUP_OK;
}

sup_status sup_array_file_check(void) {
  const sup_hdf5_plugin *plugin;
  SUP_TRY(load(&plugin));
  return SUP_OK;
}

static sup_status put_at(sup_array_file *file, uint64_t offset, const void *bytes, size_t size) {
  off_t at = (off_t)offset;
  if (lseek(file->out.descriptor, at, SEEK_SET) == at &&
      sup_file_put(file->out.descriptor, bytes, size) >= 0)
    return SUP_OK;
  return SUP_FAIL(SUP_E_IO, "cannot write %s: %s", file->out.path, strerror(errno));
}

static sup_status lay_out(sup_array_file *file) {
  static const char      zero = 0;
  const sup_hdf5_plugin *plugin;
  sup_hdf5_layout        layout;
  SUP_TRY(load(&plugin));
  const char *why = plugin->lay_out(file->num_arrays, file->array, file->offset, &layout);
  if (why) return SUP_FAIL(SUP_E_EXTERNAL, "cannot write %s: HDF5: %s", file->out.path, why);
  SUP_TRY(put_at(file, layout.size - 1, &zero, 1)); /* no file that ends early */
  for (int i = 0; i < layout.num_pieces; i++)
    SUP_TRY(put_at(file, layout.piece[i].offset, layout.piece[i].bytes, layout.piece[i].size));
  return SUP_OK;
}

sup_status sup_array_file_open(sup_array_file *file, const char *path, int num_arrays,
                               const sup_array_def *array) {
  SUP_ASSERT(num_arrays <= SUP_ARRAY_FILE_MOST);
  file->num_arrays = num_arrays, file->array = array;
  file->status = sup_file_open(&file->out, path);
  SUP_TRY(file->status);
  file->out.is_one_of_many = 1;
  file->status = lay_out(file);
  if (file->status != SUP_OK) sup_file_abandon(&file->out);
  return file->status;
}

sup_status sup_array_file_put(sup_array_file *file, int k, size_t first, size_t count,
                              const void *rows) {
  if (file->status != SUP_OK) return file->status;
  size_t row = sup_array_row(&file->array[k]);
  SUP_ASSERT(first + count <= file->array[k].num_rows);
  file->status = put_at(file, file->offset[k] + (uint64_t)first * row, rows, count * row);
  if (file->status != SUP_OK) sup_file_abandon(&file->out);
  return file->status;
}

sup_status sup_array_file_close(sup_array_file *file) {
  if (file->status != SUP_OK) return file->status;
  file->status = sup_file_commit(&file->out);
  return file->status;
}
