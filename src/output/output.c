#include "output/output.h"

sup_output_def sup_default_output_def(void) { return (sup_output_def){.every = 0, .binary = 1}; }
