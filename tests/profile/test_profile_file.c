#include "scene/profile_file.h"

#include <string.h>

#include "base/file/file.h"
#include "test.h"

static const char *write_file(const char *name, const char *text) {
  static char     path[1024];
  sup_file_writer out;
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  OK(sup_file_open(&out, path));
  fputs(text, out.file);
  OK(sup_file_commit(&out));
  return path;
}

/** A plate of 40 x 20 mm with a round hole of 4 mm radius and a square one of 6 mm. */
static void is_plate(const char *path, double unit) {
  sup_profile *p;
  double       lower[2], upper[2], disc = acos(-1) * 16;
  OK(sup_profile_read(&p, path, unit));
  CHECK(p->num_loops == 3);
  sup_profile_bounds(p, lower, upper);
  NEAR(upper[0] - lower[0], 40e-3, 1e-9, 0);
  NEAR(upper[1] - lower[1], 20e-3, 1e-9, 0);
  NEAR(1e6 * sup_profile_area(p), 800 - 36 - disc, 3e-4, 0); /* a circle is 72 chords */
  sup_profile_destroy(&p);
}

static void drawings_of_all_formats_are_the_same_plate(void) {
  is_plate(write_file("plate.svg",
                      "<svg xmlns='http://www.w3.org/2000/svg' width='60mm' height='30mm' "
                      "viewBox='0 0 120 60'>\n"
                      "<title>a plate</title><g transform='translate(10,10)'>\n"
                      "<rect width='80' height='40'/><circle cx='20' cy='20' r='8'/>\n"
                      "<path d='m50 14h12v12h-12z'/></g></svg>\n"),
           0);
  is_plate(
      write_file("plate.dxf",
                 "0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n4\n0\nENDSEC\n"
                 "0\nSECTION\n2\nENTITIES\n"
                 "0\nLINE\n10\n0\n20\n0\n11\n40\n21\n0\n0\nLINE\n10\n40\n20\n20\n11\n40\n21\n0\n"
                 "0\nPOLYLINE\n66\n1\n10\n0\n20\n0\n0\nVERTEX\n10\n40\n20\n20\n"
                 "0\nVERTEX\n10\n0\n20\n20\n0\nVERTEX\n10\n0\n20\n0\n0\nSEQEND\n"
                 "0\nCIRCLE\n10\n10\n20\n10\n40\n4\n"
                 "0\nTEXT\n1\nplate\n"
                 "0\nLWPOLYLINE\n90\n4\n70\n1\n10\n25\n20\n7\n10\n31\n20\n7\n10\n31\n20\n13\n"
                 "10\n25\n20\n13\n0\nENDSEC\n0\nEOF\n"),
      0);
  is_plate(
      write_file("plate.dxf",
                 "0\nSECTION\n2\nENTITIES\n"
                 "0\nLWPOLYLINE\n70\n1\n10\n0\n20\n0\n10\n4\n20\n0\n10\n4\n20\n2\n10\n0\n20\n2\n"
                 "0\nARC\n10\n1\n20\n1\n40\n.4\n50\n90\n51\n270\n"
                 "0\nELLIPSE\n10\n1\n20\n1\n11\n.4\n21\n0\n40\n1\n41\n-1.5707963267948966\n"
                 "42\n1.5707963267948966\n"
                 "0\nLWPOLYLINE\n70\n1\n10\n2.5\n20\n.7\n10\n3.1\n20\n.7\n10\n3.1\n20\n1.3\n"
                 "10\n2.5\n20\n1.3\n0\nENDSEC\n0\nEOF\n"),
      1e-2);
}

static void tables_of_points_are_loops(void) {
  sup_profile *p;
  OK(sup_profile_read(&p,
                      write_file("box.csv",
                                 "# by hand\nx [mm]; y [mm]\n0;0\n10;0\n10;10\n0;10\n\n"
                                 "2;2\n4;2\n4;4\n2;4\n"),
                      0));
  NEAR(1e6 * sup_profile_area(p), 96, 1e-12, 0);
  sup_profile_destroy(&p);
  OK(sup_profile_read(
      &p, write_file("box.csv", "0 0 a\n1 0 a\n1 1 a\n0 1 a\n.2 .2 b\n.4 .2 b\n.4 .4 b\n"), 1e-2));
  NEAR(1e6 * sup_profile_area(p), 98, 1e-12, 0);
  sup_profile_destroy(&p);
}

/** Bulges of 1 are half circles: a slot. */
static void bulges_and_splines_are_curves(void) {
  sup_profile *p;
  OK(sup_profile_read(&p,
                      write_file("slot.dxf",
                                 "0\nSECTION\n2\nENTITIES\n0\nLWPOLYLINE\n70\n1\n10\n0\n20"
                                 "\n0\n10\n20\n20\n0\n42\n1\n10\n20\n20\n10\n10\n0\n20\n"
                                 "10\n42\n1\n0\nENDSEC\n0\nEOF\n"),
                      1e-3));
  NEAR(1e6 * sup_profile_area(p), 200 + acos(-1) * 25, 1e-3, 0);
  sup_profile_destroy(&p);
  /* a quadratic spline of one piece, a parabola y = x (2 - x) over [0, 2], and a line */
  OK(sup_profile_read(&p,
                      write_file("arch.dxf",
                                 "0\nSECTION\n2\nENTITIES\n0\nSPLINE\n70\n8\n71\n2\n40\n0\n"
                                 "40\n0\n40\n0\n40\n1\n40\n1\n40\n1\n10\n0\n20\n0\n10\n1\n20"
                                 "\n2\n10\n2\n20\n0\n0\nLINE\n10\n2\n20\n0\n11\n0\n21\n0\n0\n"
                                 "ENDSEC\n0\nEOF\n"),
                      1e-3));
  NEAR(1e6 * sup_profile_area(p), 4. / 3, 5e-3, 0);
  sup_profile_destroy(&p);
}

/** Every command of a path, absolute and relative, around a box of 20 x 10 whose sides bulge by
 * arcs and curves of known area. */
static void paths_know_all_commands(void) {
  sup_profile *p;
  OK(sup_profile_read(&p,
                      write_file("path.svg",
                                 "<svg width='100mm' viewBox='0 0 100 100'>"
                                 "<path d='M10,10H20 h10 V20 l-20 0 z'/></svg>"),
                      0));
  NEAR(1e6 * sup_profile_area(p), 200, 1e-12, 0);
  NEAR(p->loop[0].x[1], 80e-3, 1e-12, 0); /* y points up: below 100 there is nothing drawn */
  sup_profile_destroy(&p);
  OK(sup_profile_read(&p,
                      write_file("path.svg",
                                 "<svg width='100mm' viewBox='0 0 100 100'>"
                                 "<path d='M10 10 a5 5 0 0110 0 L20 30 A5 5 0 0 1 10 30Z'"
                                 "/></svg>"),
                      0));
  NEAR(1e6 * sup_profile_area(p), 200 + acos(-1) * 25, 1e-3, 0);
  sup_profile_destroy(&p);
  /* parabolas: a quadratic curve takes 2/3 of its triangle of 10 x 5 */
  OK(sup_profile_read(&p,
                      write_file("path.svg",
                                 "<svg width='100mm' viewBox='0 0 100 100'><path d='M0 50 "
                                 "Q5 45 10 50 t10 0 L20 60 0 60Z'/></svg>"),
                      0));
  NEAR(1e6 * sup_profile_area(p), 200, 1e-3, 0); /* one bulges out, one in */
  sup_profile_destroy(&p);
  OK(sup_profile_read(&p,
                      write_file("path.svg",
                                 "<svg width='100mm' viewBox='0 0 100 100'><path d='M0 50 "
                                 "C3.3333333 46.6666667 6.6666667 46.6666667 10 50 "
                                 "s 6.6666667 3.3333333 10 0 V60H0Z'/></svg>"),
                      0));
  NEAR(1e6 * sup_profile_area(p), 200, 1e-3, 0);
  sup_profile_destroy(&p);
}

/** A plate of 40 x 20 mm from which nothing but `area` mm^2 is taken. */
static void is_cut(const char *path, double area, double limit) {
  sup_profile *p;
  OK(sup_profile_read(&p, path, 0));
  NEAR(1e6 * sup_profile_area(p), 800 - area, limit, 0);
  sup_profile_destroy(&p);
}

static void what_a_drawing_hides_is_left_out(void) {
  static const char *const hiding[] = {
      "<g style='fill:red; display : none'><g><rect x='2' y='2' width='4' height='4'/></g></g>",
      "<rect x='2' y='2' width='4' height='4' display='none'/>",
      "<rect x='2' y='2' width='4' height='4' visibility='hidden' display='inline'/>",
      "<rect x='2' y='2' width='4' height='4' style='opacity:0'/>",
      "<defs><rect x='2' y='2' width='4' height='4'/></defs>"};
  char text[2000];
  for (size_t k = 0; k < sizeof hiding / sizeof *hiding; k++) {
    snprintf(text, sizeof text,
             "<svg xmlns='http://www.w3.org/2000/svg' width='40mm' height='20mm' viewBox='0 0 40 "
             "20'><rect width='40' height='20'/>%s<g visibility='hidden'><rect x='9' y='9' "
             "width='3' height='3' visibility='visible' opacity='0.5'/></g></svg>",
             hiding[k]);
    is_cut(write_file("hidden.svg", text), 9, 1e-9);
  }
  static const char *const layers[][2] = {{"0", "-7"}, {"1", "7"}, {"4", "7"}};
  for (int k = 0; k < 3; k++) { /* off, frozen, locked: the last one is shown */
    snprintf(text, sizeof text,
             "0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n4\n0\nENDSEC\n0\nSECTION\n2\nTABLES\n"
             "0\nTABLE\n2\nLAYER\n70\n2\n0\nLAYER\n2\nnotes\n70\n%s\n62\n%s\n0\nENDTAB\n0\nENDSEC\n"
             "0\nSECTION\n2\nENTITIES\n0\nLWPOLYLINE\n8\n0\n70\n1\n10\n0\n20\n0\n10\n40\n20\n0\n"
             "10\n40\n20\n20\n10\n0\n20\n20\n0\nLWPOLYLINE\n8\nnotes\n70\n1\n10\n2\n20\n2\n10\n6\n"
             "20\n2\n10\n6\n20\n6\n10\n2\n20\n6\n0\nCIRCLE\n8\n0\n60\n1\n10\n20\n20\n10\n40\n5\n"
             "0\nENDSEC\n0\nEOF\n",
             layers[k][0], layers[k][1]);
    is_cut(write_file("hidden.dxf", text), k == 2 ? 16 : 0, 1e-9);
  }
}

static void clones_and_blocks_are_drawn(void) {
  is_cut(write_file("clone.svg",
                    "<svg xmlns='http://www.w3.org/2000/svg' "
                    "xmlns:xlink='http://www.w3.org/1999/xlink' width='40mm' height='20mm' "
                    "viewBox='0 0 40 20'><defs><symbol id='s'><rect width='2' height='3'/></symbol>"
                    "<g id='two'><rect x='1' y='1' width='2' height='2'/><use href='#s' x='4' "
                    "y='1'/></g></defs><rect width='40' height='20'/><use xlink:href='#two'/>"
                    "<use xlink:href='#two' x='20' y='2' transform='translate(1,1) scale(2)' "
                    "style='display:none'/><use href='#two' x='5' transform='translate(10,5) "
                    "scale(2)'/></svg>"),
         5 * (4 + 6), 1e-9);
  /* a block of a 2 x 1 rectangle from its corner (1, 1), in another block that turns and doubles
   * it, in two columns */
  is_cut(write_file(
             "block.dxf",
             "0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n4\n0\nENDSEC\n0\nSECTION\n2\nBLOCKS\n"
             "0\nBLOCK\n8\n0\n2\nslot\n10\n1\n20\n1\n0\nLWPOLYLINE\n70\n1\n10\n1\n20\n1\n10\n3\n"
             "20\n1\n10\n3\n20\n2\n10\n1\n20\n2\n0\nENDBLK\n"
             "0\nBLOCK\n2\nouter\n10\n0\n20\n0\n0\nINSERT\n2\nslot\n10\n0\n20\n0\n41\n2\n42\n2\n"
             "50\n90\n0\nENDBLK\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n0\nLWPOLYLINE\n70\n1\n"
             "10\n0\n20\n0\n10\n40\n20\n0\n10\n40\n20\n20\n10\n0\n20\n20\n0\nINSERT\n2\nouter\n"
             "10\n10\n20\n5\n70\n2\n44\n20\n0\nENDSEC\n0\nEOF\n"),
         2 * 8, 1e-9);
}

/** A clone, also of a clone, is moved by its own id; without one it has that of its original. */
static void clones_have_their_own_ids(void) {
  static const char *const ids[] = {"first", "second", "hole"};
  sup_profile             *p;
  OK(sup_profile_read(
      &p,
      write_file("ids.svg",
                 "<svg width='40mm' height='20mm' viewBox='0 0 40 20'><defs><rect id='hole' "
                 "width='2' height='3'/><g id='g'><rect id='in' style='display:none' width='1' "
                 "height='1'/></g></defs><rect id='out' width='40' height='20'/><use id='first' "
                 "href='#hole' x='4' y='4'/><use id='second' href='#first' x='10'/><use id='off' "
                 "href='#g'/><use href='#hole' x='30' y='5'/></svg>"),
      0));
  CU_ASSERT_FATAL(p->num_loops == 4);
  for (int k = 0; k < 3; k++) {
    int l = 1;
    while (l < 4 && strcmp(p->loop[l].id, ids[k]) != 0) l++;
    CHECK(l < 4);
    OK(sup_profile_offset(p, ids[k], 1e-4, "ids.svg"));
    NEAR(sup_profile_area(p), 1e-6 * (800 - 18 - (k + 1) * (2.2 * 3.2 - 6)), 1e-9, 0);
  }
  sup_profile_destroy(&p);
}

/** A half circle of 13 points; of its chords alone the area is 1.1 % too small. */
static void splines_lead_through_their_points(void) {
  char text[4000] =
      "0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n4\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n"
      "0\nLINE\n10\n-10\n20\n0\n11\n10\n21\n0\n0\nSPLINE\n70\n0\n71\n3\n74\n13\n";
  size_t used = strlen(text);
  for (int i = 0; i <= 12; i++)
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "11\n%.15g\n21\n%.15g\n",
                         10 * cos(acos(-1) * i / 12), i == 12 ? 0 : 10 * sin(acos(-1) * i / 12));
  snprintf(text + used, sizeof text - used, "0\nENDSEC\n0\nEOF\n");
  sup_profile *p;
  OK(sup_profile_read(&p, write_file("fit.dxf", text), 0));
  NEAR(1e6 * sup_profile_area(p), 50 * acos(-1), .2, 0);
  sup_profile_destroy(&p);
}

static void refused(const char *name, const char *text, sup_status status, const char *message) {
  sup_profile *p;
  FAILS(sup_profile_read(&p, write_file(name, text), 0), status, message);
  CHECK(p == NULL);
}

static void wrong_drawings_are_refused_with_place_and_remedy(void) {
  refused("a.csv", "0,0\n1,0\n1,1\n", SUP_E_PARSE,
          "a.csv:1: the unit of these numbers is not known");
  refused("a.csv", "x [mm],y [mm]\n0,0\n1,zero\n", SUP_E_PARSE, "a.csv:3: found 'zero'");
  refused("a.csv", "x [mm],y [mm]\n0,0\n1,1\n", SUP_E_GEOMETRY, "has no area");
  refused("a.svg", "<svg width='10mm' viewBox='0 0 10 10'><path d='L1 1'/></svg>", SUP_E_PARSE,
          "a.svg:1: found a path that begins with 'L'");
  refused("a.svg", "<svg width='10mm' viewBox='0 0 10 10'><path d='M1 1 L2'/></svg>", SUP_E_PARSE,
          "a path ends behind 1 of the 2 numbers that 'L' takes");
  refused("a.svg", "<svg><path d='M0,0 L1,0 1,1Z 5'/></svg>", SUP_E_PARSE,
          "found '5' in a path, expected a command");
  refused("a.svg", "<svg width='10mm' viewBox='0 0 10 10'><path d='M1 1 L2 2 3 1'/></svg>",
          SUP_E_GEOMETRY, "an open end at");
  refused("a.svg", "<html/>", SUP_E_PARSE, "found <html>, expected <svg>");
  refused("a.svg", "<svg><g transform='turn(3)'/></svg>", SUP_E_PARSE,
          "expected matrix, translate");
  refused("a.dxf", "0\nSECTION\n2\nENTITIES\n0\nINSERT\n2\nblock\n0\nENDSEC\n", SUP_E_PARSE,
          "a.dxf:10: found an INSERT of the block 'block', which there is not");
  refused("a.dxf",
          "0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n2\nb\n0\nINSERT\n2\nb\n0\nENDBLK\n0\nENDSEC\n0\n"
          "SECTION\n2\nENTITIES\n0\nINSERT\n2\nb\n0\nENDSEC\n",
          SUP_E_PARSE, "blocks more than 16 deep in each other");
  refused("a.svg",
          "<svg width='80mm' height='120mm' viewBox='0 0 40 60'><rect id='body' x='5' y='5' "
          "width='30' height='50'/><rect id='pin' x='10' y='10' width='5' height='5'/><rect "
          "id='slot' x='13' y='12' width='5' height='5'/></svg>",
          SUP_E_GEOMETRY, "two loops 'slot' and 'pin' cross or touch near (13, 17) of the drawing");
  refused("a.svg",
          "<svg width='80mm' height='120mm' viewBox='0 0 40 60'><rect x='5' y='5' width='30' "
          "height='50'/><circle id='far' cx='70' cy='8' r='2'/></svg>",
          SUP_E_GEOMETRY, "the loop 'far' near (70, 10) of the drawing lies outside");
  refused(
      "a.dxf",
      "0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n1\n0\nENDSEC\n0\nSECTION\n2\nENTITIES\n0\nLINE\n"
      "5\n8A\n10\n1\n20\n2\n11\n3\n21\n4\n0\nENDSEC\n0\nEOF\n",
      SUP_E_GEOMETRY, "an open end of '8A' at (3, 4) of the drawing");
  refused("a.svg", "<svg><use href='#none'/></svg>", SUP_E_PARSE,
          "'#none', an id that there is not");
  refused("a.svg", "<svg><g id='a'><use href='#a'/></g></svg>", SUP_E_PARSE, "more than 64 deep");
  refused("a.svg", "<svg><use href='b.svg#a'/></svg>", SUP_E_PARSE, "expected #ID of this file");
  refused("a.dxf", "0\nSECTION\n2\nENTITIES\n0\nLINE\n10\nx\n", SUP_E_PARSE, "a.dxf:8: found 'x'");
  refused("a.dxf", "0\nSECTION\n2\nENTITIES\n0\nCIRCLE\n10\n0\n20\n0\n40\n1\n0\nENDSEC\n",
          SUP_E_PARSE, "$INSUNITS of the drawing names no known unit");
  refused("a.dxf", "hello\n", SUP_E_PARSE, "expected a group code of DXF");
  refused("a.png", "", SUP_E_ARG, "this is not the name of a drawing");
}

SUITE_TESTS(profile_file, TEST(drawings_of_all_formats_are_the_same_plate),
            TEST(tables_of_points_are_loops), TEST(bulges_and_splines_are_curves),
            TEST(paths_know_all_commands), TEST(what_a_drawing_hides_is_left_out),
            TEST(clones_and_blocks_are_drawn), TEST(clones_have_their_own_ids),
            TEST(splines_lead_through_their_points),
            TEST(wrong_drawings_are_refused_with_place_and_remedy));
