/* PLY: the same surface in text and in both orders of bytes; what is refused; no crash. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/format/surface_file.h"
#include "test.h"

static const double same[3] = {1, 1, 1};

static sup_status parse(const char *data, size_t size, sup_surface **surface, double **points) {
  return sup_surface_parse(surface, points, "part.ply", data, size, same, NULL);
}

static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0},
                                    {0, 0, 3}, {1, 0, 3}, {1, 2, 3}, {0, 2, 3}};
static const int    quad[6][4] = {{3, 2, 1, 0}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                  {1, 2, 6, 5}, {2, 3, 7, 6}, {0, 4, 7, 3}};

/** Things that nobody reads stand between those that are read. */
#define HEADER(format)                                                                             \
  "ply\nformat " format                                                                            \
  " 1.0\ncomment made by hand # twice\nobj_info none\nelement camera 1\nproperty double f\n"       \
  "element vertex 8\nproperty float x\nproperty uchar red\nproperty double y\nproperty float32 "   \
  "z\nelement face 6\nproperty list uchar short extra\nproperty list uint8 int32 vertex_indices\n" \
  "property ushort flags\nelement edge 0\nproperty int vertex1\nend_header\n"

static size_t put(char *to, const void *value, size_t size, int is_big) {
  for (size_t k = 0; k < size; k++) to[k] = ((const char *)value)[is_big ? size - 1 - k : k];
  return size;
}

static size_t write_binary(char *to, int is_big) {
  const char    *header = is_big ? HEADER("binary_big_endian") : HEADER("binary_little_endian");
  size_t         n = strlen(header);
  double         f = 35;
  unsigned char  red = 255, two = 2, four = 4;
  unsigned short flags = 7;
  short          extra = -3;
  memcpy(to, header, n);
  n += put(to + n, &f, sizeof f, is_big);
  for (int i = 0; i < 8; i++) {
    float x = (float)corner[i][0], z = (float)corner[i][2];
    n += put(to + n, &x, sizeof x, is_big);
    n += put(to + n, &red, 1, is_big);
    n += put(to + n, &corner[i][1], sizeof(double), is_big);
    n += put(to + n, &z, sizeof z, is_big);
  }
  for (int t = 0; t < 6; t++) {
    n += put(to + n, &two, 1, is_big);
    for (int k = 0; k < 2; k++) n += put(to + n, &extra, sizeof extra, is_big);
    n += put(to + n, &four, 1, is_big);
    for (int k = 0; k < 4; k++) n += put(to + n, &quad[t][k], sizeof(int), is_big);
    n += put(to + n, &flags, sizeof flags, is_big);
  }
  return n;
}

static size_t write_text(char *to, size_t size) {
  size_t n = (size_t)snprintf(to, size, "%s35\n", HEADER("ascii"));
  for (int i = 0; i < 8; i++)
    n += (size_t)snprintf(to + n, size - n, "%g 255 %g %g\n", corner[i][0], corner[i][1],
                          corner[i][2]);
  for (int t = 0; t < 6; t++)
    n += (size_t)snprintf(to + n, size - n, "2 -3 -3 4 %d %d %d %d 7\n", quad[t][0], quad[t][1],
                          quad[t][2], quad[t][3]);
  return n;
}

static void a_box_is_the_same_in_text_and_binary(void) {
  for (int kind = 0; kind < 3; kind++) {
    char         data[4096];
    sup_surface *surface;
    double      *points;
    size_t       size = kind == 2 ? write_text(data, sizeof data) : write_binary(data, kind);
    OK(parse(data, size, &surface, &points));
    CHECK(surface->num_points == 8 && surface->num_faces == 12);
    CHECK(memcmp(points, corner, sizeof corner) == 0);
    NEAR(sup_surface_volume(surface, points), 6, 1e-14, 0);
    NEAR(sup_surface_area(surface, points, NULL), 22, 1e-14, 0);
    sup_surface_destroy(&surface);
    SUP_FREE(points);
  }
}

#define VERTICES "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACES "element face 1\nproperty list uchar int vertex_index\n"
#define ASCII "ply\nformat ascii 1.0\n"

static void what_is_wrong_is_named(void) {
  static const struct {
    const char *text, *message;
  } table[] = {
      {"", "part.ply:1: found the end of the file, expected 'ply'"},
      {"ply\nformat text 1.0\n", "part.ply:2: found 'text', expected ascii, binary_little_endian"},
      {ASCII "element vertex x\n", "part.ply:3: found 'x', expected how many"},
      {ASCII "property float x\n", "part.ply:3: found 'property', expected 'element vertex N'"},
      {ASCII "element vertex 3\nproperty half x\n", "part.ply:4: found 'half', expected char, "},
      {ASCII "element vertex 3\nproperty list float int x\n", "part.ply:4: found 'float'"},
      {ASCII VERTICES, "expected 'end_header'; the file is cut off"},
      {"ply\nelement vertex 3\nend_header\n", "part.ply:3: found 'end_header', expected 'format"},
      {ASCII VERTICES "end_header\n",
       "part.ply: expected the element vertex with x, y and z, then the element face with the list "
       "vertex_indices; found no such faces behind them; convert a cloud of points"},
      {ASCII FACES VERTICES "end_header\n", "found no such faces behind them"},
      {ASCII "element vertex 3\nproperty float x\n" FACES "end_header\n", "found no such points"},
      {ASCII VERTICES FACES "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
       "part.ply:13: found 3 for a corner, expected the number of a point, counted from 0"},
      {ASCII VERTICES FACES "end_header\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n",
       "part.ply:13: found 2 for the corners of a polygon, expected 3 or more"},
      {ASCII VERTICES FACES "end_header\n0 0 0\n1 0 oh\n0 1 0\n3 0 1 2\n",
       "part.ply:11: found 'oh', expected a number"},
      {"ply\nformat binary_little_endian 1.0\n" VERTICES FACES "end_header\nabcdefgh",
       "part.ply: the file ends in vertex 1 of 3, which its header counts"}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    sup_surface *surface;
    double      *points;
    FAILS(parse(table[k].text, strlen(table[k].text), &surface, &points), SUP_E_PARSE,
          table[k].message);
    CHECK(surface == NULL && points == NULL);
  }
}

static void damaged_files_are_read_or_refused(void) {
  test_random random = {17};
  int         refused = 0;
  for (int round = 0; round < 3000; round++) {
    char   data[4096];
    int    kind = round % 3;
    size_t size = kind == 2 ? write_text(data, sizeof data) : write_binary(data, kind);
    for (int k = 0; k < 1 + round % 3; k++) {
      size_t at = (size_t)(0.5 * (test_uniform(&random) + 1) * (double)(size - 1));
      if (test_uniform(&random) < -0.8)
        size = at + 1;
      else
        data[at] = (char)(unsigned char)(127.5 * (test_uniform(&random) + 1));
    }
    char *copy = malloc(size); /* of its own size, so that sanitizers see a step over the end */
    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    memcpy(copy, data, size);
    sup_surface *surface;
    double      *points;
    sup_status   status = parse(copy, size, &surface, &points);
    CHECK(status == SUP_OK || status == SUP_E_PARSE || status == SUP_E_GEOMETRY);
    refused += status != SUP_OK;
    sup_surface_destroy(&surface);
    SUP_FREE(points);
    free(copy);
  }
  CHECK(refused > 300 && refused < 2900);
}

SUITE_TESTS(surface_ply, TEST(a_box_is_the_same_in_text_and_binary), TEST(what_is_wrong_is_named),
            TEST(damaged_files_are_read_or_refused));
