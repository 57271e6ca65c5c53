#include <string.h>

#include "scene/file/units.h"
#include "test.h"

static double read(const char *text, sup_dimension dimension) {
  double      value = (double)NAN;
  char        word[SUP_UNIT_WORD_SIZE];
  const char *found;
  return sup_quantity_read(text, dimension, &value, word, &found) == SUP_QUANTITY_OK ? value
                                                                                     : (double)NAN;
}

static void every_unit_is_worth_its_si_value(void) {
  const struct {
    const char   *text;
    sup_dimension dimension;
    double        value;
  } table[] = {{"5", SUP_DIM_LENGTH, 5},
               {"2 mm", SUP_DIM_LENGTH, 0.002},
               {"35mm", SUP_DIM_LENGTH, 0.035},
               {"3 cm", SUP_DIM_LENGTH, 0.03},
               {"7 um", SUP_DIM_LENGTH, 7e-6},
               {"1.5 km", SUP_DIM_LENGTH, 1500},
               {"10 ms", SUP_DIM_TIME, 0.01},
               {"3 us", SUP_DIM_TIME, 3e-6},
               {"2 min", SUP_DIM_TIME, 120},
               {"100 g", SUP_DIM_MASS, 0.1},
               {"2 t", SUP_DIM_MASS, 2000},
               {"5 mg", SUP_DIM_MASS, 5e-6},
               {"180 deg", SUP_DIM_ANGLE, 3.14159265358979323846},
               {"1.5 rad", SUP_DIM_ANGLE, 1.5},
               {"15 N", SUP_DIM_FORCE, 15},
               {"2 kN", SUP_DIM_FORCE, 2000},
               {"3 mN", SUP_DIM_FORCE, 0.003},
               {"2 N m", SUP_DIM_TORQUE, 2},
               {"2 N*m", SUP_DIM_TORQUE, 2},
               {"2 J", SUP_DIM_TORQUE, 2},
               {"12 MPa", SUP_DIM_PRESSURE, 12e6},
               {"1.0e+3 kPa", SUP_DIM_PRESSURE, 1e6},
               {"70 GPa", SUP_DIM_PRESSURE, 70e9},
               {"2 bar", SUP_DIM_PRESSURE, 2e5},
               {"150 psi", SUP_DIM_PRESSURE, 150 * 6894.757293168361},
               {"\u22125\u00a0mm", SUP_DIM_LENGTH, -0.005},
               {"\u20130.5\u202fmm", SUP_DIM_LENGTH, -0.0005},
               {"7 \u00b5m", SUP_DIM_LENGTH, 7e-6},
               {"7 \u03bcm", SUP_DIM_LENGTH, 7e-6},
               {"1200 kg/m\u00b3", SUP_DIM_DENSITY, 1200},
               {"2 N\u00b7m", SUP_DIM_TORQUE, 2},
               {"\u22129.81 m/s\u00b2", SUP_DIM_ACCELERATION, -9.81},
               {"1.2 g/cm^3", SUP_DIM_DENSITY, 1200},
               {"1200 kg/m^3", SUP_DIM_DENSITY, 1200},
               {"1200 kg m^-3", SUP_DIM_DENSITY, 1200},
               {"20 mm/s", SUP_DIM_VELOCITY, 0.02},
               {"360 deg/s", SUP_DIM_ANGULAR_VELOCITY, 2 * 3.14159265358979323846},
               {"-9.81 m/s^2", SUP_DIM_ACCELERATION, -9.81},
               {"0.1 1/s", SUP_DIM_RATE, 0.1},
               {"3 Hz", SUP_DIM_RATE, 3},
               {"10 s/m", SUP_DIM_DISSIPATION, 10},
               {"2 MPa/mm", SUP_DIM_CONTACT_STIFFNESS, 2e9},
               {"5 N/mm", SUP_DIM_STIFFNESS, 5000},
               {"50 N s/m", SUP_DIM_DAMPING, 50},
               {"1 N m/deg", SUP_DIM_ROTATION_STIFFNESS, 180 / 3.14159265358979323846},
               {"4 N m", SUP_DIM_ROTATION_STIFFNESS, 4},
               {"4 N m s/rad", SUP_DIM_ROTATION_DAMPING, 4},
               {"50 %", SUP_DIM_NUMBER, 0.5},
               {"1e6", SUP_DIM_NUMBER, 1e6},
               {"-.5", SUP_DIM_NUMBER, -0.5}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    NEAR(read(table[i].text, table[i].dimension), table[i].value, 1e-15, 0);
}

static void decimal_prefixes_give_the_bits_of_the_si_number(void) {
  char text[32];
  for (int i = 1; i < 2000; i++) {
    snprintf(text, sizeof text, "%d mm", i);
    CHECK(read(text, SUP_DIM_LENGTH) == i / 1000.0);
    snprintf(text, sizeof text, "%d g", i);
    CHECK(read(text, SUP_DIM_MASS) == i / 1000.0);
  }
}

static void examples_of_all_dimensions_read_as_themselves(void) {
  for (sup_dimension d = 0; d < SUP_NUM_DIMENSIONS; d++)
    CHECK(!isnan(read(sup_dimension_example(d), d)));
}

static sup_quantity_result result(const char *text, sup_dimension dimension,
                                  const char *expected_word, const char *expected_found) {
  double              value;
  char                word[SUP_UNIT_WORD_SIZE];
  const char         *found;
  sup_quantity_result outcome = sup_quantity_read(text, dimension, &value, word, &found);
  CHECK(strcmp(word, expected_word) == 0);
  CHECK(strcmp(found, expected_found) == 0);
  return outcome;
}

static void other_dimensions_and_unknown_units_are_told_apart(void) {
  CHECK(result("2 kg", SUP_DIM_LENGTH, "kg", "a mass") == SUP_QUANTITY_OTHER_DIMENSION);
  CHECK(result("2 m^2", SUP_DIM_LENGTH, "m^2", "") == SUP_QUANTITY_OTHER_DIMENSION);
  CHECK(result("2 Hz", SUP_DIM_ANGULAR_VELOCITY, "Hz", "a rate") == SUP_QUANTITY_OTHER_DIMENSION);
  CHECK(result("2 mm", SUP_DIM_NUMBER, "mm", "a length") == SUP_QUANTITY_OTHER_DIMENSION);
  CHECK(result("2 inch", SUP_DIM_LENGTH, "inch", "") == SUP_QUANTITY_UNKNOWN_UNIT);
  CHECK(result("0x10", SUP_DIM_LENGTH, "x10", "") == SUP_QUANTITY_UNKNOWN_UNIT);
  CHECK(result("2 m^0", SUP_DIM_LENGTH, "m", "") == SUP_QUANTITY_UNKNOWN_UNIT);
  CHECK(result("2 m/", SUP_DIM_LENGTH, "", "") == SUP_QUANTITY_UNKNOWN_UNIT);
  CHECK(result("2 m//s", SUP_DIM_VELOCITY, "/s", "") == SUP_QUANTITY_UNKNOWN_UNIT);
  CHECK(result("2 1", SUP_DIM_NUMBER, "1", "") == SUP_QUANTITY_UNKNOWN_UNIT);
}

static void what_is_no_number_is_refused(void) {
  const char *bad[] = {"",    "mm",    "nan", "inf",   ".inf",     "1_000",
                       "1,5", "1e999", "--1", "1.2.3", "2e308 km", "+"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK(result(bad[i], SUP_DIM_LENGTH, "", "") == SUP_QUANTITY_NO_NUMBER);
}

SUITE_TESTS(units, TEST(every_unit_is_worth_its_si_value),
            TEST(decimal_prefixes_give_the_bits_of_the_si_number),
            TEST(examples_of_all_dimensions_read_as_themselves),
            TEST(other_dimensions_and_unknown_units_are_told_apart),
            TEST(what_is_no_number_is_refused));
