/* libFuzzer's entry: FUZZ_TARGET names one of fuzz_targets.  `make fuzz`. */
#include <stdint.h>
#include <unistd.h>

#include "targets.h"

static int  target = -1;
static char path[512];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  const char *name = getenv("FUZZ_TARGET"), *folder = getenv("FUZZ_FOLDER");
  (void)argc, (void)argv;
  for (int i = 0; name && i < FUZZ_NUM_TARGETS; i++)
    if (strcmp(fuzz_targets[i].name, name) == 0) target = i;
  if (target < 0) {
    fprintf(stderr, "FUZZ_TARGET names none of the targets of tests/fuzz/targets.h\n");
    exit(2);
  }
  snprintf(path, sizeof path, "%s/input_%ld%s", folder ? folder : "/dev/shm", (long)getpid(),
           fuzz_targets[target].ending);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1); /* readers expect a zero behind, as sup_file_read gives it */
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  (void)!fuzz_run(target, path, text, size);
  free(text);
  return 0;
}
