/* Arrays of numpy in and out of .npz files; files that are damaged are refused, with the place. */
#include "base/file/npz.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "test.h"

static void in_folder(char path[512], const char *name) {
  snprintf(path, 512, "%s/%s", test_folder(), name);
}

static int has_numpy(void) {
  return system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") == 0;
}

/** A line of Python with numpy as n and the folder as f. */
static int python(const char *text) {
  char command[2048];
  snprintf(command, sizeof command, "/usr/bin/python3 -c \"import numpy as n; f='%s'; %s\"",
           test_folder(), text);
  return system(command);
}

static void write_some(const char *path, double first) {
  static const char *const words[] = {"left - ball", "", "r"};
  sup_npz_writer           w;
  double                   value[6] = {first, -0.0, 1e-310, DBL_MAX, HUGE_VAL, -5};
  int                      integer[3] = {0, -7, 2147483647};
  OK(sup_npz_create(&w, path));
  sup_npz_add_numbers(&w, "a", 2, (size_t[]){2, 3}, value);
  sup_npz_add_numbers(&w, "scalar", 0, NULL, value);
  sup_npz_add_numbers(&w, "none", 1, (size_t[]){0}, NULL);
  sup_npz_add_integers(&w, "i", 3, integer);
  sup_npz_add_texts(&w, "t", 3, words);
  OK(sup_npz_commit(&w));
}

static void check_some(const char *path, double first) {
  const double value[6] = {first, -0.0, 1e-310, DBL_MAX, HUGE_VAL, -5};
  sup_npz     *npz = NULL;
  OK(sup_npz_read(&npz, path));
  const sup_npy *a = sup_npz_find(npz, "a"), *i = sup_npz_find(npz, "i"),
                *t = sup_npz_find(npz, "t");
  CU_ASSERT_FATAL(a && i && t && a->number && i->number && t->text);
  CHECK(a->num_dimensions == 2 && a->shape[0] == 2 && a->shape[1] == 3 && a->count == 6);
  CHECK(memcmp(a->number, value, sizeof value) == 0);
  CHECK(sup_npz_find(npz, "scalar")->count == 1 && sup_npz_find(npz, "none")->count == 0);
  CHECK(i->number[1] == -7 && i->number[2] == 2147483647);
  CHECK(strcmp(sup_npy_text(t, 0), "left - ball") == 0 && sup_npy_text(t, 1)[0] == '\0');
  CHECK(sup_npz_find(npz, "b") == NULL);
  sup_npz_destroy(&npz);
}

static void arrays_read_back_to_the_same_bits(void) {
  char path[512];
  in_folder(path, "some.npz");
  write_some(path, .1);
  check_some(path, .1);
}

static void equal_arrays_give_equal_files(void) {
  char   path[2][512], *data[2];
  size_t size[2];
  for (int k = 0; k < 2; k++) {
    in_folder(path[k], k ? "second.npz" : "first.npz");
    write_some(path[k], .1);
    OK(sup_file_read(path[k], &data[k], &size[k]));
  }
  CHECK(size[0] == size[1] && memcmp(data[0], data[1], size[0]) == 0);
  SUP_FREE(data[0]);
  SUP_FREE(data[1]);
}

static void numpy_reads_what_was_written(void) {
  char path[512];
  if (!has_numpy()) SKIP("python3-numpy is not installed; ");
  in_folder(path, "ours.npz");
  write_some(path, .1);
  CHECK(
      python("z=n.load(f+'/ours.npz'); assert (z['a']==[[.1,-0.,1e-310],[n.finfo(float).max,n.inf,"
             "-5]]).all(); assert list(z['i'])==[0,-7,2**31-1] and z['scalar']==.1; "
             "assert list(z['t'])==[b'left - ball',b'',b'r'] and z['none'].shape==(0,)") == 0);
}

static void what_numpy_writes_is_read(void) {
  static const char *const names[] = {"stored.npz", "deflated.npz"};
  if (!has_numpy()) SKIP("python3-numpy is not installed; ");
  CHECK(
      python("a=n.arange(6.).reshape(2,3)/7; s=dict(c=a, fortran=n.asfortranarray(a), "
             "big=a.astype('>f8'), small=a.astype('<f4'), i=n.arange(6,dtype='>i2').reshape(2,3), "
             "u=n.arange(6,dtype='u1'), b=n.array([True,False]), t=n.array([b'ab',b'c'])); "
             "n.savez(f+'/stored.npz',**s); n.savez_compressed(f+'/deflated.npz',**s)") == 0);
  for (int k = 0; k < 2; k++) {
    char     path[512];
    sup_npz *npz;
    in_folder(path, names[k]);
    OK(sup_npz_read(&npz, path));
    for (int j = 0; j < 6; j++) {
      CHECK(sup_npz_find(npz, "c")->number[j] == j / 7.);
      CHECK(sup_npz_find(npz, "fortran")->number[j] == j / 7.);
      CHECK(sup_npz_find(npz, "big")->number[j] == j / 7.);
      CHECK(sup_npz_find(npz, "small")->number[j] == (double)(float)(j / 7.));
      CHECK(sup_npz_find(npz, "i")->number[j] == j && sup_npz_find(npz, "u")->number[j] == j);
    }
    CHECK(sup_npz_find(npz, "b")->number[0] == 1 && sup_npz_find(npz, "b")->number[1] == 0);
    CHECK(strcmp(sup_npy_text(sup_npz_find(npz, "t"), 1), "c") == 0);
    sup_npz_destroy(&npz);
  }
}

/** A .npy with this dictionary and `bytes` zero bytes of values. */
static sup_status parse(const char *dictionary, size_t bytes) {
  static char data[4096];
  sup_npy     array;
  size_t      length = strlen(dictionary);
  memcpy(data, "\x93NUMPY\1\0", 8);
  data[8] = (char)(length & 255), data[9] = (char)(length >> 8);
  memcpy(data + 10, dictionary, length);
  memset(data + 10 + length, 0, bytes);
  sup_status status = sup_npy_parse(&array, "x.npy", data, 10 + length + bytes);
  sup_npy_free(&array);
  return status;
}

static void headers_are_read_strictly(void) {
  OK(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }  \n", 16));
  OK(parse("{\"shape\":(),'fortran_order':True,'descr':'|u1'}", 1));
  FAILS(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", 15), SUP_E_PARSE,
        "x.npy:67: found 15 bytes of values, expected 2 elements of 8 bytes each");
  FAILS(parse("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 16), SUP_E_PARSE,
        "x.npy:20: found elements of the type '|O', expected f4, f8");
  FAILS(parse("{'descr': '<f8', 'fortran_order': 0, 'shape': (2,), }", 16), SUP_E_PARSE,
        "x.npy:44: found '0', expected True or False");
  FAILS(parse("{'descr': '<f8', 'fortran_order': False}", 16), SUP_E_PARSE,
        "expected descr, fortran");
  FAILS(parse("{'descr': '<f8', 'descr': '<f8'}", 16), SUP_E_PARSE, "found the key 'descr'");
  FAILS(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2), }", 16), SUP_E_PARSE,
        "expected ',' behind the only dimension");
  FAILS(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", 16),
        SUP_E_PARSE, "expected a size that memory can hold");
  FAILS(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 16),
        SUP_E_PARSE, "found 16 bytes of values");
  FAILS(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x", 16), SUP_E_PARSE,
        "found 'x', expected nothing but blanks");
  sup_npy array;
  FAILS(sup_npy_parse(&array, "x.npy", "\x93NUMPX", 6), SUP_E_PARSE, "x.npy:5: found 'X'");
  FAILS(sup_npy_parse(&array, "x.npy", "\x93NUMPY\1\0\xff\xff", 10), SUP_E_PARSE,
        "x.npy:8: found a header of 65535 bytes, expected at most 0");
}

static void files_that_are_none_are_told(void) {
  sup_npz        *npz;
  char            path[512];
  sup_file_writer w;
  in_folder(path, "text.npz");
  OK(sup_file_open(&w, path));
  fputs("no archive", w.file);
  OK(sup_file_commit(&w));
  FAILS(sup_npz_read(&npz, path), SUP_E_PARSE, "text.npz:10: found no zip archive");
  in_folder(path, "absent.npz");
  FAILS(sup_npz_read(&npz, path), SUP_E_IO, "cannot read");
  FAILS(sup_npz_read(&npz, test_folder()), SUP_E_IO, "it is a folder");
  sup_npz_writer writer;
  FAILS(sup_npz_create(&writer, "/nowhere/x.npz"), SUP_E_IO, "cannot write /nowhere/x.npz");
}

/* Each write, the flush and the renaming fail in turn: what was there before stays. */
static void what_cannot_be_written_leaves_what_was_there(void) {
  enum { NUM = 3000 };
  static double  value[NUM];
  char           path[512], part[520], *before = NULL, *after = NULL;
  size_t         size, now;
  sup_npz_writer w;
  in_folder(path, "kept.npz");
  snprintf(part, sizeof part, "%s.part", path);
  OK(sup_npz_create(&w, path));
  sup_npz_add_numbers(&w, "a", 1, (size_t[]){NUM}, value);
  OK(sup_npz_commit(&w));
  OK(sup_file_read(path, &before, &size));
  long       k = 0;
  sup_status status = SUP_E_IO;
  for (k = 1; status != SUP_OK && k < 1000; k++) {
    value[7] = (double)k;
    sup_file_fail((sup_file_fault){.at = k, .error = ENOSPC});
    status = sup_npz_create(&w, path);
    if (status == SUP_OK) {
      sup_npz_add_numbers(&w, "a", 1, (size_t[]){NUM}, value);
      status = sup_npz_commit(&w);
    }
    sup_file_fail((sup_file_fault){.at = 0});
    if (status == SUP_OK) break;
    CHECK(status == SUP_E_IO && strstr(sup_error_message(), "No space left on device") != NULL);
    CHECK(access(part, F_OK) != 0);
    OK(sup_file_read(path, &after, &now));
    CHECK(now == size && memcmp(before, after, size) == 0);
    SUP_FREE(after);
  }
  CHECK(status == SUP_OK && k > 5);
  SUP_FREE(before);
}

/** Files cut anywhere and files with bytes changed are read or refused, and nothing is lost. */
static void damaged_files_are_read_or_refused(void) {
  const char  *asked = getenv("SUPPLE_FUZZ");
  int          trials = asked ? atoi(asked) : 1000, refused = 0;
  const double good[6] = {.1, -0.0, 1e-310, DBL_MAX, HUGE_VAL, -5};
  char         path[512], damaged[512], *data;
  size_t       size;
  test_random  random = {18};
  in_folder(path, "seed.npz");
  in_folder(damaged, "damaged.npz");
  write_some(path, .1);
  OK(sup_file_read(path, &data, &size));
  for (int k = 0; k < trials; k++) {
    sup_npz *npz;
    char    *copy = malloc(size);
    size_t   kept = k % 2 ? size : (size_t)test_one_of(&random, (int)size);
    FILE    *file = fopen(damaged, "wb");
    CU_ASSERT_FATAL(copy && file);
    memcpy(copy, data, size);
    for (int flips = k % 2 ? 1 + test_one_of(&random, 4) : 0; flips > 0; flips--)
      copy[test_one_of(&random, (int)size)] = (char)test_one_of(&random, 256);
    fwrite(copy, 1, kept, file);
    fclose(file);
    sup_status status = sup_npz_read(&npz, damaged);
    CHECK(status == SUP_OK || status == SUP_E_PARSE || status == SUP_E_MEMORY);
    CHECK((npz != NULL) == (status == SUP_OK));
    if (status != SUP_OK) refused++;
    const sup_npy *a = npz ? sup_npz_find(npz, "a") : NULL;
    if (a) CHECK(a->count == 6 && memcmp(a->number, good, sizeof good) == 0);
    if (kept < size) CHECK(status == SUP_E_PARSE);
    sup_npz_destroy(&npz);
    free(copy);
  }
  CHECK(refused > trials / 2);
  SUP_FREE(data);
}

SUITE_TESTS(npz, TEST(arrays_read_back_to_the_same_bits), TEST(equal_arrays_give_equal_files),
            TEST(numpy_reads_what_was_written), TEST(what_numpy_writes_is_read),
            TEST(headers_are_read_strictly), TEST(files_that_are_none_are_told),
            TEST(what_cannot_be_written_leaves_what_was_there),
            TEST(damaged_files_are_read_or_refused));
