/* STL and OBJ: what is read, what is refused, and that nothing crashes. */
#include "mesh/format/surface_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "test.h"

static const double same[3] = {1, 1, 1};

typedef struct part {
  sup_surface       *surface;
  double            *points;
  sup_surface_repair repair;
} part;

static sup_status parse(part *p, const char *name, const char *text, size_t size,
                        const double *scale) {
  memset(p, 0, sizeof *p);
  return sup_surface_parse(&p->surface, &p->points, name, text, size, scale, &p->repair);
}

static sup_status parse_text(part *p, const char *name, const char *text) {
  sup_status status = parse(p, name, text, strlen(text), same);
  return status;
}

static void drop(part *p) {
  SUP_FREE(p->points);
  sup_surface_destroy(&p->surface);
}

/** A box from 0 to 1, 2, 3 as quads. */
static const char box_obj[] =
    "# a box\r\nmtllib a.mtl\r\no box\r\nv 0 0 0\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1 2 0\r\nv 0 2.0 0\r\n"
    "v 0 0 3\r\nv 1 0 3e0\r\nv 1 2 3\r\nv 0 2 3 1.0\r\nvt 0 0\r\nvn 0 0 -1\r\ng all\r\nusemtl "
    "m\r\ns off\r\n"
    "f 4 3 2 1\r\nf 5/1 6/1 7/1 8/1\r\nf 1//1 2//1 6//1 5//1\r\nf 2/1/1 3/1/1 7/1/1 6/1/1\r\n"
    "f -6 -5 \\\r\n -1 -2 # joined\r\nf 1 5 8 4";

static void a_box_of_quads_is_read_whatever_its_faces_look_like(void) {
  part p;
  int  open;
  OK(parse_text(&p, "box.obj", box_obj));
  CHECK(p.surface->num_points == 8 && p.surface->num_faces == 12 &&
        p.surface->vertices_per_face == 3);
  OK(sup_surface_open_edges(p.surface, &open));
  CHECK(open == 0);
  NEAR(sup_surface_volume(p.surface, p.points), 6, 1e-15, 0);
  NEAR(sup_surface_area(p.surface, p.points, NULL), 22, 1e-15, 0);
  CHECK(p.repair.points_welded == 0 && p.repair.triangles_dropped == 0);
  drop(&p);
}

/* A mirrored part keeps its outward side. */
static void scale_is_applied_and_a_mirror_turns_the_faces(void) {
  const double scale[3] = {-.001, .001, .002};
  part         p;
  OK(parse(&p, "box.OBJ", box_obj, strlen(box_obj), scale));
  NEAR(sup_surface_volume(p.surface, p.points), 12e-9, 1e-14, 0);
  NEAR(p.points[3], -.001, 1e-15, 0);
  drop(&p);
}

static void polygons_are_fans(void) {
  part p;
  OK(parse_text(&p, "a.obj",
                "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 2 2 0\nv 0 2 0\nv 9 9 9\nf 1 2 3 4 5\n"));
  CHECK(p.surface->num_faces == 3 &&
        p.surface->num_points == 5); /* a vertex without a face is no part of it */
  NEAR(sup_surface_area(p.surface, p.points, NULL), 5, 1e-15, 0);
  drop(&p);
}

static const char tetrahedron_stl[] =
    "solid part of somebody\nfacet normal nan nan nan\n outer loop\n  vertex 0 0 0\n  vertex 0 1 "
    "0\n  vertex 1 0 0\n"
    " endloop\nendfacet\nFACET NORMAL 0 -1 0\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX 0 0 "
    "1\nENDLOOP\nENDFACET\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
    "facet\nouter loop\nvertex 1.0 0 -0\nvertex 0 1.0e+00 0\nvertex 0 0 "
    "1.00000001\nendloop\nendfacet\n"
    "facet\nouter loop\nvertex 1 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
    "endsolid part of somebody";

static void ascii_stl_is_welded_and_loses_facets_without_area(void) {
  part p;
  int  open;
  OK(parse_text(&p, "t.stl", tetrahedron_stl));
  CHECK(p.surface->num_points == 4 && p.surface->num_faces == 4);
  CHECK(p.repair.points_welded == 11 && p.repair.triangles_dropped == 1);
  OK(sup_surface_open_edges(p.surface, &open));
  CHECK(open == 0);
  NEAR(sup_surface_volume(p.surface, p.points), 1. / 6, 1e-7, 0);
  drop(&p);
}

/** Six digits of 20 end at 0.0001: that far off a corner of a box is its neighbours', and ten times
 * as far it is another. */
static void corners_off_in_the_last_digit_close_a_surface(void) {
  static const char *const found[] = {"0.0001", "0.001"};
  for (int k = 0; k < 2; k++) {
    char text[400], say[256];
    part p;
    int  open;
    snprintf(text, sizeof text,
             "v 0 0 0\nv 20 0 0\nv 20 20 0\nv 0 20 0\nv 0 0 20\nv 20 0 20\nv 20 20 20\nv 0 20 20\n"
             "v %s 0 0\nf 4 3 2 9\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 1 5 8 4\n",
             found[k]);
    OK(parse_text(&p, "t.obj", text));
    OK(sup_surface_open_edges(p.surface, &open));
    CHECK(k == 0 ? open == 0 : open > 0);
    CHECK(p.surface->num_points == 8 + k && p.repair.gaps_closed == !k);
    sup_surface_repair_text(&p.repair, p.surface->num_faces, say, sizeof say);
    CU_ASSERT_STRING_EQUAL(say,
                           k ? ""
                             : "1 corners at open edges were welded to others, up to 0.0001 away "
                               "in the file's coordinates");
    if (k == 0) NEAR(sup_surface_volume(p.surface, p.points), 8000, 1e-5, 0);
    drop(&p);
  }
}

/** The box of 12 triangles as a binary STL whose header is `header`. */
static size_t binary_box(char *out, const char *header) {
  part     p;
  uint32_t count = 12;
  OK(parse_text(&p, "box.obj", box_obj));
  memset(out, 0, 84 + 50 * count);
  memcpy(out, header, strlen(header));
  memcpy(out + 80, &count, 4);
  for (size_t t = 0; t < count; t++)
    for (size_t c = 0; c < 3; c++)
      for (size_t i = 0; i < 3; i++) {
        float x = (float)p.points[3 * (size_t)p.surface->face[3 * t + c] + i];
        memcpy(out + 84 + 50 * t + 12 + 12 * c + 4 * i, &x, 4);
      }
  drop(&p);
  return 84 + 50 * count;
}

static void binary_stl_is_known_by_its_size(void) {
  static const char *const headers[] = {"exported", "solid exported"};
  char                     data[1024];
  part                     p;
  float                    not_a_number = (float)NAN;
  for (int k = 0; k < 2; k++) {
    size_t size = binary_box(data, headers[k]);
    OK(parse(&p, "box.stl", data, size, same));
    CHECK(p.surface->num_points == 8 && p.surface->num_faces == 12 && p.repair.points_welded == 28);
    NEAR(sup_surface_volume(p.surface, p.points), 6, 1e-15, 0);
    drop(&p);
    for (size_t n = 85; n < size; n += 37)
      FAILS(parse(&p, "box.stl", data, n, same), SUP_E_PARSE,
            "expected 684: a binary STL of 12 triangles");
    FAILS(parse(&p, "box.stl", data, size + 1, same), SUP_E_PARSE,
          "box.stl: found 685 bytes, expected 684");
    memset(data + 80, 255, 4);
    FAILS(parse(&p, "box.stl", data, size, same), SUP_E_PARSE,
          "expected 214748364834: a binary STL of 4294967295");
    size = binary_box(data, headers[k]);
    memcpy(data + 84 + 50 * 4 + 12 + 16, &not_a_number, 4);
    FAILS(parse(&p, "box.stl", data, size, same), SUP_E_PARSE,
          "box.stl: triangle 5 of 12: y of corner 2 is nan");
  }
}

#define FACET(x) "solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n" x

static void bad_files_say_where_and_what_would_be_right(void) {
  static const struct {
    const char *name, *text;
    sup_status  status;
    const char *message;
  } table[] = {
      {"a.obj", "", SUP_E_GEOMETRY, "a.obj: found 0 triangles; expected a surface"},
      {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", SUP_E_GEOMETRY, "a.obj: found 0 triangles"},
      {"a.obj", "v 0 0 0\nf 1 1 1\n", SUP_E_GEOMETRY,
       "a.obj: found 1 triangles, all of them without area"},
      {"a.obj", "v 0 0\n", SUP_E_PARSE,
       "a.obj:1: found the end of the line, expected 'v x y z' with finite numbers"},
      {"a.obj", "\n\nv 0 nan 0\n", SUP_E_PARSE, "a.obj:3: found 'nan', expected 'v x y z'"},
      {"a.obj", "v 0 1e999 0", SUP_E_PARSE, "a.obj:1: found '1e999', expected"},
      {"a.obj", "v 0,5 0 0", SUP_E_PARSE, "a.obj:1: found '0,5', expected"},
      {"a.obj", "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 4", SUP_E_PARSE,
       "a.obj:4: the face has the vertex 4; above it stand 3: expected 1 to 3, or -1 for the last "
       "one"},
      {"a.obj", "v 0 0 0\nf 0 1 1\n", SUP_E_PARSE,
       "a.obj:2: the face has the vertex 0; above it stand 1"},
      {"a.obj", "v 0 0 0\nf -2 1 1\n", SUP_E_PARSE, "a.obj:2: the face has the vertex -2"},
      {"a.obj", "v 0 0 0\nf 1 99999999999999999999 1\n", SUP_E_PARSE,
       "a.obj:2: found '99999999999999999999'"},
      {"a.obj", "v 0 0 0\nf 1 1\n", SUP_E_PARSE,
       "a.obj:2: a face of 2 corners; expected at least 3"},
      {"a.obj", "v 0 0 0\nf 1 1x 1\n", SUP_E_PARSE,
       "a.obj:2: found '1x', expected a corner of a face: v, v/vt, v//vn"},
      {"a.obj", "v 0 0 0\nf a/b/c\n", SUP_E_PARSE, "a.obj:2: found 'a/b/c', expected a corner"},
      {"a.obj", "vertex 0 0 0\n", SUP_E_PARSE,
       "a.obj:1: found 'vertex', expected 'v', 'f' or another statement of OBJ"},
      {"a.obj", "cstype bezier\n", SUP_E_PARSE,
       "a.obj:1: found 'cstype': free-form curves and surfaces are not read"},
      {"a.stl", "", SUP_E_PARSE, "a.stl:1: found the end of the file, expected 'solid'"},
      {"a.stl", "v 0 0 0", SUP_E_PARSE,
       "a.stl:1: found 'v', expected 'solid': an ASCII STL begins with it"},
      {"a.stl", "solid empty\nendsolid empty\n", SUP_E_GEOMETRY, "a.stl: found 0 triangles"},
      {"a.stl", FACET(""), SUP_E_PARSE,
       "a.stl:6: found the end of the file, expected 'vertex x y z', three of them"},
      {"a.stl", FACET("vertex 0 1\n0\n"), SUP_E_PARSE,
       "a.stl:6: found the end of the line, expected 'vertex x y z'"},
      {"a.stl", FACET("vertex 0 1 inf\n"), SUP_E_PARSE, "a.stl:6: found 'inf', expected"},
      {"a.stl", FACET("vertex 0 1 0\nvertex 1 1 0\n"), SUP_E_PARSE,
       "a.stl:7: found 'vertex', expected 'endloop'"},
      {"a.stl", FACET("endloop\n"), SUP_E_PARSE,
       "a.stl:6: found 'endloop', expected 'vertex x y z', three of them"},
      {"a.stl", FACET("vertex 0 1 0\nendloop\nendfacet\n"), SUP_E_PARSE,
       "a.stl:9: found the end of the file, expected 'facet' or 'endsolid'; the file is cut off"},
      {"a.stl", FACET("vertex 0 1 0\nendloop\nendfacet\nendsolid\nfacet\n"), SUP_E_PARSE,
       "a.stl:10: found 'facet', expected 'solid' or the end of the file"},
      {"a.dae", "<xml>", SUP_E_PARSE,
       "a.dae: surfaces are read from .obj, .stl, .ply, .msh and .mesh files; convert this one"},
      {"a", "v 0 0 0", SUP_E_PARSE,
       "a: surfaces are read from .obj, .stl, .ply, .msh and .mesh files"},
  };
  part p;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    FAILS(parse_text(&p, table[k].name, table[k].text), table[k].status, table[k].message);
    CHECK(p.surface == NULL && p.points == NULL);
  }
  const double far[3] = {1e308, 1e308, 1e308};
  FAILS(parse(&p, "box.obj", box_obj, strlen(box_obj), far), SUP_E_GEOMETRY,
        "infinitely large after scaling by 1e+308");
  FAILS(sup_surface_read(&p.surface, &p.points, "no such.stl", same, NULL), SUP_E_IO,
        "no such.stl");
}

/** A surface that is whole, or a message that begins with the file's name. */
static int is_whole(part *p, const char *name, const char *data, size_t size, int *accepted) {
  sup_status status = parse(p, name, data, size, same);
  int        good = 1;
  if (status != SUP_OK)
    return (status == SUP_E_PARSE || status == SUP_E_GEOMETRY) &&
           strncmp(sup_error_message(), name, strlen(name)) == 0;
  ++*accepted;
  for (int i = 0; i < 3 * p->surface->num_points; i++) good = good && isfinite(p->points[i]);
  for (int i = 0; i < 3 * p->surface->num_faces; i++)
    good = good && p->surface->face[i] >= 0 && p->surface->face[i] < p->surface->num_points;
  drop(p);
  return good;
}

/* Every beginning of a file, and thousands of files with bytes changed, put in and left out; each
 * copy ends at the end of its memory, so that sanitizers and valgrind see a step beyond it. */
static void mutated_files_are_read_or_refused(void) {
  static const char *const words[] = {"/",       "-",         "1e308", "nan",  "f ",     "v ",
                                      "\\\n",    "\n",        "\r",    "#",    "vertex", "solid",
                                      "endloop", "999999999", "0",     "\xff", " "};
  char                     stl[1024];
  test_random              random = {12};
  const struct {
    const char *name, *data;
    size_t      size;
  } files[] = {{"box.obj", box_obj, strlen(box_obj)},
               {"t.stl", tetrahedron_stl, strlen(tetrahedron_stl)},
               {"b.stl", stl, binary_box(stl, "solid box")}};
  for (size_t f = 0; f < 3; f++) {
    part p;
    int  accepted = 0, good = 0, rounds = 3000;
    for (size_t n = 0; n < files[f].size; n++) {
      char *part_of = malloc(n + 1);
      memcpy(part_of, files[f].data, n);
      char *exact = realloc(part_of, n > 0 ? n : 1);
      good += is_whole(&p, files[f].name, exact, n, &accepted);
      free(exact);
    }
    CHECK(good == (int)files[f].size);
    good = accepted = 0;
    for (int round = 0; round < rounds; round++) {
      size_t n = files[f].size;
      char  *text = malloc(n + 200);
      memcpy(text, files[f].data, n);
      for (int c = 0; c < 1 + round % 3; c++) {
        size_t at = (size_t)(.5 * (test_uniform(&random) + 1) * (double)(n - 1));
        double choice = test_uniform(&random);
        if (choice < 0) {
          text[at] = (char)(unsigned char)(128 + 127 * test_uniform(&random));
        } else if (choice < .4) {
          size_t cut = (size_t)(1 + 20 * fabs(test_uniform(&random)));
          if (cut > n - at) cut = n - at;
          memmove(text + at, text + at + cut, n - at - cut);
          n -= cut;
          if (n < 2) n = 2;
        } else {
          const char *word =
              words[(size_t)(fabs(test_uniform(&random)) * (double)(sizeof words / sizeof *words))];
          memmove(text + at + strlen(word), text + at, n - at);
          memcpy(text + at, word, strlen(word));
          n += strlen(word);
        }
      }
      text = realloc(text, n);
      good += is_whole(&p, files[f].name, text, n, &accepted);
      free(text);
    }
    if (good != rounds)
      printf("\n    %s: %d of %d, last message %s", files[f].name, good, rounds,
             sup_error_message());
    CHECK(good == rounds);
    CHECK(accepted > 30 && accepted < rounds - 30);
  }
}

static void memory_failures_are_reported(void) {
  sup_status status = SUP_E_MEMORY;
  part       p;
  for (long k = 1; k < 60 && status != SUP_OK; k++) {
    sup_memory_fail_at(k);
    status = parse_text(&p, "box.obj", box_obj);
    sup_memory_fail_at(0);
    CHECK(status == SUP_OK || (status == SUP_E_MEMORY && p.surface == NULL && p.points == NULL));
  }
  CHECK(status == SUP_OK);
  drop(&p);
}

/* The shell of somebody's FinRay finger: a binary STL in millimetres. */
static void a_finger_from_the_wild_is_closed(void) {
  const char  *path = "../shared/data/meshes/finray_9_notch_10deg.stl";
  const double scale[3] = {.001, .001, .001};
  struct stat  info;
  part         p = {0};
  int          open;
  if (stat(path, &info) != 0) SKIP("%s is absent ", path);
  OK(sup_surface_read(&p.surface, &p.points, path, scale, &p.repair));
  OK(sup_surface_open_edges(p.surface, &open));
  printf("%d points, %d faces, %d welded, %d dropped, %d open, %.4g cm^3 ", p.surface->num_points,
         p.surface->num_faces, p.repair.points_welded, p.repair.triangles_dropped, open,
         1e6 * sup_surface_volume(p.surface, p.points));
  CHECK(open == 0 && sup_surface_volume(p.surface, p.points) > 1e-6);
  CHECK(p.surface->num_faces + p.repair.triangles_dropped == (int)((info.st_size - 84) / 50));
  drop(&p);
}

SUITE_TESTS(surface_file, TEST(a_box_of_quads_is_read_whatever_its_faces_look_like),
            TEST(scale_is_applied_and_a_mirror_turns_the_faces), TEST(polygons_are_fans),
            TEST(ascii_stl_is_welded_and_loses_facets_without_area),
            TEST(corners_off_in_the_last_digit_close_a_surface),
            TEST(binary_stl_is_known_by_its_size),
            TEST(bad_files_say_where_and_what_would_be_right),
            TEST(mutated_files_are_read_or_refused), TEST(memory_failures_are_reported),
            TEST(a_finger_from_the_wild_is_closed));
