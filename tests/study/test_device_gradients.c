/* Joints, constraints, controllers and devices of soft bodies one by one: the gradient of a run by
 * the adjoint is that by differences, or the adjoint refuses them by name. */
#include "study/gradient_test.h"

#define INERTIA \
  "<inertia ixx='.01' iyy='.012' izz='.011' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define LINK(name) \
  "<link name='" name "'><inertial><origin xyz='.1 0 .02'/><mass value='1'/>" INERTIA
#define JOINT(name, type, parent, child, more)                                            \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child \
  "'/>"                                                                                   \
  "<origin xyz='.2 0 0'/><axis xyz='0 1 0'/>" more "</joint>"
#define LIMIT "<limit lower='-3' upper='3' effort='100' velocity='.2'/>"
#define URDF(type, more) \
  "<robot name='r'><link name='base'/>" LINK("a") JOINT("j", type, "base", "a", more)
#define TWO(more) URDF("revolute", LIMIT) LINK("b") JOINT("k", "revolute", "a", "b", LIMIT more)
#define SDF(type, more)                                                                        \
  "<sdf version='1.9'><model name='m'><link name='a'><inertial><pose>.1 0 .02 0 0 0</pose>"    \
  "<mass>1</mass><inertia><ixx>.01</ixx><iyy>.012</iyy><izz>.011</izz></inertia></inertial></" \
  "link><joint name='j' type='" type                                                           \
  "'><parent>world</parent>"                                                                   \
  "<child>a</child>" more "</joint></model></sdf>"
#define AXIS "<axis><xyz>0 1 0</xyz></axis>"
#define DRIVE(more) \
  "actuators: {d: {joint: r/j, kp: 20, kd: 1, targets: [[0 s, .1 rad]]" more "}}\n"
#define BALL(friction)                                                                \
  "rigid:\n  a: {shape: {sphere: {radius: 2 cm}}, mass: 1 kg, velocity: [.2, 0, 0], " \
  "angular_velocity: [0, 0, 3], pose: {position: [0, 0, 19 mm]}}\n  floor: {shape: "  \
  "{half_space: {}}, fixed: true}\ncontact: {defaults: {friction: .5, " friction      \
  ", point: {stiffness: 10 kN/m}}}\n"
#define FIXED(type, more)                                                                     \
  "rigid:\n  a: {shape: {sphere: {radius: 2 cm}}, mass: 1 kg}\nconstraints: {c: {type: " type \
  ", bodies: [world, a], " more "}}\n"

static const struct {
  const char *what, *file, *robot, *rest;
  const char *refused; /* NULL: it has its adjoint */
} devices[] = {
    {"revolute", URDF("revolute", LIMIT) "</robot>", "", "", NULL},
    {"continuous", URDF("continuous", "") "</robot>", "", "", NULL},
    {"prismatic", URDF("prismatic", LIMIT) "</robot>", ", pose: {rpy: [90 deg, 0, 0]}", "", NULL},
    {"floating", URDF("floating", "") "</robot>", "", "", NULL},
    {"planar", URDF("planar", "") "</robot>", "", "", NULL},
    {"ball", SDF("ball", ""), "", "", NULL},
    {"universal", SDF("universal", AXIS "<axis2><xyz>1 0 0</xyz></axis2>"), "", "", NULL},
    {"screw", SDF("screw", AXIS "<screw_thread_pitch>.05</screw_thread_pitch>"), "", "", NULL},
    {"mimic", TWO("<mimic joint='j' multiplier='2'/>") "</robot>", "", "", NULL},
    {"drive", TWO("") "</robot>", "", DRIVE(""), NULL},
    {"gravity compensation", TWO("") "</robot>", "", DRIVE(", feedforward: gravity"), NULL},
    {"computed torque", TWO("") "</robot>", "", DRIVE(", feedforward: inverse_dynamics"), NULL},
    {"effort limit", TWO("") "</robot>", "", DRIVE(", effort: 0.3 N m"), NULL},
    {"dry friction", TWO("") "</robot>", ", dynamics: {j: {friction: 0.05 N m}}", "", NULL},
    {"velocity limit", TWO("") "</robot>", ", velocity_limits: enforced", "", NULL},
    {"spring", TWO("") "</robot>", "",
     "springs: {s: {bodies: [world, r/b], points: [[0, 0, .5], [.1, 0, 0]], stiffness: [100, 100, "
     "100]}}\n",
     NULL},
    {"motion of the base", TWO("") "</robot>",
     ", motion: {sine: {amplitude: [0, 30 mm, 0], period: 0.1 s}}", "", NULL},
    {"rolling friction", NULL, "", BALL("rolling_friction: 1 mm"),
     "rolling and torsional friction of 'a'"},
    {"torsional friction", NULL, "", BALL("torsional_friction: 1 mm"),
     "rolling and torsional friction of 'a'"},
    {"task", TWO("") "</robot>", "",
     DRIVE("") "tasks: {t: {phases: {p: {joints: {r/j: .2 rad}, duration: 20 ms}}}}\n", "task 't'"},
    {"coupler", TWO("") "</robot>", "",
     "constraints: {c: {type: coupler, joints: [r/j, r/k], ratio: 2}}\n", "constraint 'c'"},
    {"weld", NULL, "", FIXED("weld", "point: [0, 0, 1 cm]"), "constraint 'c'"},
    {"ball", NULL, "", FIXED("ball", "point: [-.1, 0, 0]"), "constraint 'c'"},
    {"hinge", NULL, "", FIXED("hinge", "point: [-.1, 0, 0], axis: [0, 1, 0]"), "constraint 'c'"},
    {"rod", NULL, "", FIXED("rod", "points: [[-.2, 0, 0], [0, 0, 0]]"), "constraint 'c'"},
    {"rope", NULL, "", FIXED("rope", "points: [[-.2, 0, 0], [0, 0, 0]]"), "constraint 'c'"},
};
enum { NUM = sizeof devices / sizeof *devices };

/** Run a study that ends with this code; its derivative of q by p, where that is 0. */
static double entry_of(const char *study, const char *method, const char *q, const char *p,
                       int code, const char *said) {
  char command[128];
  app_write_file("device_study.yaml", study);
  snprintf(command, sizeof command, "gradient FOLDER/device_study.yaml -o FOLDER/%s -q --no-plot",
           method);
  check_run(command, code, said);
  return code == 0 ? gradient_entry(method, q, p) : 0;
}

/** Derivative of the kinetic energy after 50 ms by a mass. */
static double slope(int i, const char *method, int code, const char *said) {
  char        text[2048];
  const char *file = devices[i].file;
  bool        is_sdf = file && file[1] == 's';
  if (file) app_write_file("device.xml", file);
  snprintf(text, sizeof text,
           "supple: 1\ntime: {step: 1 ms, end: 50 ms}\nsolver: {tolerance: 1.0e-12}\n%s%s%s%s%s"
           "output: {format: none}\n",
           file ? "robots: {r: {" : "", file ? (is_sdf ? "sdf" : "urdf") : "",
           file ? ": device.xml" : "", file ? devices[i].robot : "", file ? "}}\n" : "");
  snprintf(text + strlen(text), sizeof text - strlen(text), "%s", devices[i].rest);
  app_write_file("device.yaml", text);
  snprintf(text, sizeof text,
           "supple: 1\nscene: device.yaml\ngradient: {method: %s}\n%sparameters: {m: {key: "
           "%s.a.mass}}\nquantities: {e: energy.kinetic}\n",
           method, file ? "set: {robots.r.inertials: {a: {mass: 0.7 kg}}}\n" : "",
           file ? "robots.r.inertials" : "rigid");
  return entry_of(text, method, "e", "m", code, said);
}

static void devices_have_their_adjoint_or_are_refused_by_name(void) {
  double worst = 0;
  for (int i = 0; i < NUM; i++) {
    double wanted = slope(i, "differences", 0, "");
    CHECK(isfinite(wanted));
    if (devices[i].refused) slope(i, "adjoint", 2, devices[i].refused);
    if (devices[i].refused) slope(i, "adjoint", 2, "differences takes it");
    if (devices[i].refused) continue;
    double error = fabs(slope(i, "adjoint", 0, "") / wanted - 1);
    if (!(error < 1e-7)) printf("\n    %s: off by %g", devices[i].what, error);
    CHECK(error < 1e-7);
    worst = fmax(worst, error);
  }
  printf("adjoint off differences by %.1g ", worst);
}

#define CLAMP "    clamp: [{named: z_min}]\n"
#define WORLD "{world: [9 mm, 5 mm, 0]}"
#define RIDE \
  "    attach: {link: l, region: {named: z_min}}\n    pose: {position: [-5 mm, -5 mm, 5 mm]}\n"
#define LINK_BELOW(more)                                                                   \
  "rigid: {l: {shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, mass: 20 g, pose: {position: [5 " \
  "mm, 5 mm, -5 mm]}, " more "}}\n"
#define PAD(z)                                                                            \
  "  p: {mesh: {box: {size: [6 mm, 6 mm, 6 mm], cells: [2, 2, 2]}}, material: m, pose: {" \
  "position: [2 mm, 2 mm, " z "]}}\n"

static const struct {
  const char *what, *rest; /* keys of the bar, then of the scene */
  const char *refused;     /* NULL: it has its adjoint */
} soft_devices[] = {
    {"clamp", CLAMP, NULL},
    {"load", CLAMP "loads: {f: {body: b, point: [5 mm, 5 mm, 29 mm], force: [20 mN, 0, 0]}}\n",
     NULL},
    {"hold", CLAMP "    hold: [{region: {named: z_max}, axes: [x]}]\n", NULL},
    {"hold that turns",
     "    hold: [{region: {named: z_min}, axes: [x, y, z], motion: {rotation: [[0 s, 0, 0, 0], [20 "
     "ms, 0, 10 deg, 0]]}}]\n",
     NULL},
    {"hinge", "    hold: [{region: {named: z_min}, axes: [z]}]\n", "'b', which turns in its holds"},
    {"release",
     "    hold: [{region: {named: z_min}, name: h, axes: [x, y, z], until: {at: 10 ms}}]\n",
     "hold 'h' of 'b' ends by an event"},
    {"suction",
     CLAMP "    hold: [{region: {named: z_max}, name: cup, axes: [x, y, z], until: {when: {column: "
           "reaction.b.cup.fz, above: 1 mN}}}]\n",
     "hold 'cup' of 'b' ends by an event"},
    {"pressure", CLAMP "    tractions: [{region: {named: x_max}, pressure: 100 Pa}]\n",
     "pressures that follow 'b'"},
    {"growth", CLAMP "    growth: [{strain: 0.02}]\n", "relaxation or growth of 'b'"},
    {"translation", RIDE LINK_BELOW("joint: translation"), "'b', which rides on a link"},
    {"spring",
     CLAMP "springs: {s: {bodies: [world, b], points: [[2 cm, 5 mm, 3 cm], [5 mm, 5 mm, 29 mm]], "
           "stiffness: [10, 10, 10]}}\n",
     "springs beside soft bodies"},
    {"tension",
     CLAMP "cables: {c: {path: [" WORLD ", {b: [9 mm, 5 mm, 29 mm]}], tension: 20 mN}}\n",
     "cable 'c'"},
    {"length",
     CLAMP "cables: {c: {path: [" WORLD ", {b: [9 mm, 5 mm, 29 mm]}], added_length: -1 mm}}\n",
     "cable 'c'"},
    {"glue",
     CLAMP PAD("3 cm") "ties: {t: {slave: {body: p, region: {named: z_min}}, master: {body: "
                       "b}}}\n",
     "tie 't'"},
    {"insert", CLAMP PAD("1 cm") "ties: {t: {inside: {body: p, in: b}}}\n", "tie 't'"},
    {"soft weld",
     CLAMP "constraints: {k: {type: weld, bodies: [world, b], region: {named: z_max}}}\n",
     "constraint 'k'"},
    {"ball that slides",
     CLAMP "rigid: {l: {shape: {sphere: {radius: 5 mm}}, mass: 5 g, joint: translation, pose: "
           "{position: [6 mm, 5 mm, 35 mm]}}}\n",
     "of a round body that moves past the other"},
};

/** Derivative of the place of a bar's tip after 20 ms by its modulus. */
static double soft_slope(int i, const char *method, int code, const char *said) {
  char text[1024];
  snprintf(text, sizeof text,
           "supple: 1\ntime: {step: 1 ms, end: 20 ms}\nsolver: {tolerance: 1.0e-12}\nmaterials: "
           "{m: {youngs_modulus: 200 kPa, poissons_ratio: 0.3, density: 1000}}\noutput: {format: "
           "none, probes: {tip: {body: b, point: [5 mm, 5 mm, 30 mm]}}}\nsoft:\n  b:\n    mesh: "
           "{box: {size: [1 cm, 1 cm, 3 cm], cells: [2, 2, 4]}}\n    material: m\n%s",
           soft_devices[i].rest);
  app_write_file("device.yaml", text);
  snprintf(text, sizeof text,
           "supple: 1\nscene: device.yaml\ngradient: {method: %s}\nparameters: {E: {key: "
           "materials.m.youngs_modulus}}\nquantities: {z: probe.tip.z}\n",
           method);
  return entry_of(text, method, "z", "E", code, said);
}

static void devices_of_soft_bodies_have_theirs_or_are_refused_by_name(void) {
  for (int i = 0; i < (int)(sizeof soft_devices / sizeof *soft_devices); i++) {
    double wanted = soft_slope(i, "differences", 0, "");
    CHECK(isfinite(wanted));
    if (soft_devices[i].refused) {
      soft_slope(i, "adjoint", 2, soft_devices[i].refused);
      continue;
    }
    double error = fabs(soft_slope(i, "adjoint", 0, "") / wanted - 1);
    if (!(error < 1e-6)) printf("\n    %s: off by %g", soft_devices[i].what, error);
    CHECK(error < 1e-6);
  }
}

SUITE_TESTS(device_gradients, TEST(devices_have_their_adjoint_or_are_refused_by_name),
            TEST(devices_of_soft_bodies_have_theirs_or_are_refused_by_name));
