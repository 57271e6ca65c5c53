/* The one file that calls HDF5: a plug-in of its own (output/format/hdf5_plugin.h), which calls
 * nothing of the program.
 *
 * A write that fails leaves HDF5 1.10 with an open file that it closes once more, and dies, when
 * the process ends.  So the library never sees a disk: a file driver of ours keeps what it writes,
 * a few kilobytes of headers, and the program puts that into the file. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "output/format/hdf5_plugin.h"

static char message[512];

/* ---- the file driver ------------------------------------------------------------------------- */

enum { MOST_PIECES = 512 };

/** Pieces that HDF5 wrote, in its order. */
static struct {
  int            count;
  sup_hdf5_piece piece[MOST_PIECES];
  void          *bytes[MOST_PIECES];
  uint64_t       size;
} kept;

static void forget(void) {
  for (int i = 0; i < kept.count; i++) free(kept.bytes[i]);
  kept.count = 0, kept.size = 0;
}

typedef struct kept_file {
  H5FD_t  base; /* the library's own part comes first */
  haddr_t end_of_space, end_of_file;
} kept_file;

static H5FD_t *open_kept(const char *name, unsigned flags, hid_t access, haddr_t most) {
  (void)name, (void)flags, (void)access, (void)most;
  forget();
  return calloc(1, sizeof(kept_file));
}

static herr_t close_kept(H5FD_t *file) {
  kept.size = ((kept_file *)file)->end_of_space;
  free(file);
  return 0;
}

static haddr_t get_end_of_space(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const kept_file *)file)->end_of_space;
}

static herr_t set_end_of_space(H5FD_t *file, H5FD_mem_t type, haddr_t end) {
  (void)type;
  ((kept_file *)file)->end_of_space = end;
  return 0;
}

static haddr_t get_end_of_file(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const kept_file *)file)->end_of_file;
}

static herr_t read_kept(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                        void *to) {
  (void)file, (void)type, (void)transfer;
  memset(to, 0, size);
  for (int i = 0; i < kept.count; i++) { /* later ones lie over those before */
    const sup_hdf5_piece *p = &kept.piece[i];
    haddr_t               first = p->offset > at ? p->offset : at,
            end = p->offset + p->size < at + size ? p->offset + p->size : at + size;
    if (first < end)
      memcpy((char *)to + (first - at), (const char *)p->bytes + (first - p->offset), end - first);
  }
  return 0;
}

static herr_t write_kept(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                         const void *from) {
  kept_file *k = (kept_file *)file;
  (void)type, (void)transfer;
  void *copy = kept.count < MOST_PIECES ? malloc(size + 1) : NULL;
  if (!copy) return -1;
  memcpy(copy, from, size);
  kept.bytes[kept.count] = copy;
  kept.piece[kept.count++] = (sup_hdf5_piece){at, size, copy};
  if (at + size > k->end_of_file) k->end_of_file = at + size;
  return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 601, /* of those that are free for own drivers */
#endif
    .name = "supple",
    .maxaddr = ((haddr_t)1 << 62) - 1,
    .fc_degree = H5F_CLOSE_WEAK,
    .open = open_kept,
    .close = close_kept,
    .get_eoa = get_end_of_space,
    .set_eoa = set_end_of_space,
    .get_eof = get_end_of_file,
    .read = read_kept,
    .write = write_kept,
    .fl_map = H5FD_FLMAP_DICHOTOMY};

static hid_t access_list(void) {
  static hid_t id = -1;
  hid_t        list = H5Pcreate(H5P_FILE_ACCESS);
  if (id < 0) id = H5FDregister(&driver);
  if (list < 0 || id < 0 || H5Pset_driver(list, id, NULL) < 0) {
    if (list >= 0) H5Pclose(list);
    return -1;
  }
  return list;
}

/* ---- messages -------------------------------------------------------------------------------- */

/** The innermost reason. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *user) {
  (void)user;
  if (n == 0) snprintf(message, sizeof message, "%s", error->desc ? error->desc : "");
  return 0;
}

static const char *reason(void) {
  message[0] = '\0';
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, NULL);
  H5Eclear2(H5E_DEFAULT);
  for (char *c = message; *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  return message[0] ? message : "HDF5 does not say why";
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static hid_t type_of(sup_array_type type) {
  return type == SUP_ARRAY_INTEGER ? H5T_NATIVE_INT32
         : type == SUP_ARRAY_FLOAT ? H5T_NATIVE_FLOAT
                                   : H5T_NATIVE_DOUBLE;
}

/** Property lists of HDF5: arrays get their place at once and are not filled.  No times are stored:
 * equal layouts have equal bytes. */
typedef struct manner {
  hid_t file, access, links, dataset;
} manner;

static int prepare(manner *m) {
  m->file = H5Pcreate(H5P_FILE_CREATE);
  m->access = access_list();
  m->links = H5Pcreate(H5P_LINK_CREATE);
  m->dataset = H5Pcreate(H5P_DATASET_CREATE);
  return m->file >= 0 && m->access >= 0 && m->links >= 0 && m->dataset >= 0 &&
         H5Pset_obj_track_times(m->file, 0) >= 0 &&
         H5Pset_create_intermediate_group(m->links, 1) >= 0 &&
         H5Pset_layout(m->dataset, H5D_CONTIGUOUS) >= 0 &&
         H5Pset_alloc_time(m->dataset, H5D_ALLOC_TIME_EARLY) >= 0 &&
         H5Pset_fill_time(m->dataset, H5D_FILL_TIME_NEVER) >= 0 &&
         H5Pset_obj_track_times(m->dataset, 0) >= 0;
}

static void release(manner *m) {
  if (m->file >= 0) H5Pclose(m->file);
  if (m->access >= 0) H5Pclose(m->access);
  if (m->links >= 0) H5Pclose(m->links);
  if (m->dataset >= 0) H5Pclose(m->dataset);
}

static int add(hid_t file, const manner *m, const sup_array_def *array, uint64_t *offset) {
  hsize_t size[2] = {array->num_rows, (hsize_t)array->num_columns};
  hid_t   space = H5Screate_simple(array->num_columns > 1 ? 2 : 1, size, NULL), set = -1;
  if (space >= 0)
    set = H5Dcreate2(file, array->name, type_of(array->type), space, m->links, m->dataset,
                     H5P_DEFAULT);
  haddr_t place = set >= 0 ? H5Dget_offset(set) : HADDR_UNDEF;
  int     good = place != HADDR_UNDEF;
  *offset = place;
  if (set >= 0) good &= H5Dclose(set) >= 0;
  if (space >= 0) H5Sclose(space);
  return good;
}

static const char *lay_out(int count, const sup_array_def *array, uint64_t *offset,
                           sup_hdf5_layout *layout) {
  manner m = {-1, -1, -1, -1};
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* prints nothing */
  hid_t file = prepare(&m) ? H5Fcreate("headers", H5F_ACC_TRUNC, m.file, m.access) : -1;
  int   good = file >= 0;
  for (int k = 0; k < count && good; k++) good = add(file, &m, &array[k], &offset[k]);
  const char *why = good ? NULL : reason();
  if (file >= 0 && H5Fclose(file) < 0 && !why) why = reason();
  release(&m);
  *layout = (sup_hdf5_layout){kept.count, kept.piece, kept.size};
  return why;
}

extern const sup_hdf5_plugin                                 sup_hdf5_plugin_table;
__attribute__((visibility("default"))) const sup_hdf5_plugin sup_hdf5_plugin_table = {
    .size = sizeof(sup_hdf5_plugin), .version = H5_VERS_INFO, .lay_out = lay_out};
