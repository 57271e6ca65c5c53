#include "app/version.h"

#include <amd.h>
#ifdef SUP_WITH_CHOLMOD
#include <cholmod.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SUP_WITH_UMFPACK
#include <umfpack.h>
#endif
#include <yaml.h>
#include <zip.h>

#include "app/app.h"
#include "app/options.h"
#include "base/version.h"

/* XML's headers live with their one user; its version comes from the linker: "20914", perhaps with
 * more behind it. */
extern const char *xmlParserVersion;

const char *const *sup_app_libraries(void) {
  static char        amd[32], cholmod[32] = "not built in", umfpack[32] = "not built in", xml[32];
  static const char *list[2 * SUP_NUM_LIBRARIES];
  int                number = atoi(xmlParserVersion);
  snprintf(amd, sizeof amd, "%d.%d.%d", AMD_MAIN_VERSION, AMD_SUB_VERSION, AMD_SUBSUB_VERSION);
#ifdef SUP_WITH_CHOLMOD
  snprintf(cholmod, sizeof cholmod, "%d.%d.%d", CHOLMOD_MAIN_VERSION, CHOLMOD_SUB_VERSION,
           CHOLMOD_SUBSUB_VERSION);
#endif
#ifdef SUP_WITH_UMFPACK
  snprintf(umfpack, sizeof umfpack, "%d.%d.%d", UMFPACK_MAIN_VERSION, UMFPACK_SUB_VERSION,
           UMFPACK_SUBSUB_VERSION);
#endif
  snprintf(xml, sizeof xml, "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
  list[0] = "AMD", list[1] = amd;
  list[2] = "CHOLMOD", list[3] = cholmod;
  list[4] = "UMFPACK", list[5] = umfpack;
  list[6] = "libyaml", list[7] = yaml_get_version_string();
  list[8] = "libxml2", list[9] = xml;
  list[10] = "libzip", list[11] = zip_libzip_version();
  return list;
}

int sup_app_version(int argc, char **argv) {
  static const app_help help = {
      "usage: supple version\n\nPrint the version of the program, its compiler and its "
      "libraries.\n",
      "", "version"};
  int code = app_parse_command(argc, argv, &help, NULL, 0, NULL);
  if (code != SUP_NONE) return code;
  printf("supple   %s\ncompiler %s\n", sup_version(), sup_compiler_text());
  const char *const *list = sup_app_libraries();
  for (int i = 0; i < SUP_NUM_LIBRARIES; i++) printf("%-8s %s\n", list[2 * i], list[2 * i + 1]);
  return SUP_EXIT_OK;
}
