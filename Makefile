# Supple.  `make help` lists the targets; config.mk (ignored by git) may preset any variable.
-include config.mk

MODE    ?= release
ifeq ($(origin CC),default)
CC := gcc
endif
PYTHON  ?= /usr/bin/python3
CHOLMOD ?= 1
WERROR  ?= 0
T       ?=
V       ?= 0
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc) --no-print-directory
endif
Q := $(if $(filter 0,$(V)),@,)

BUILD := build/$(MODE)
VERSION := 0.1.0
COMMIT := $(shell git rev-parse --short HEAD 2>/dev/null || echo unknown)

# ---- flags -----------------------------------------------------------------------------------------------------------
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wdouble-promotion -Wstrict-prototypes -Wmissing-prototypes \
  -Wno-missing-field-initializers
ifeq ($(WERROR),1)
WARN += -Werror
endif
# No -ffast-math and no contraction: the same bits on every run; kernels that want FMA ask for it file by file.
CFLAGS_ALL := -std=c17 -g -ffp-contract=off -fno-math-errno -fvisibility=hidden -fopenmp -D_POSIX_C_SOURCE=200809L \
  -ffile-prefix-map=$(CURDIR)=. -MMD -MP -Isrc -I/usr/include/suitesparse $(WARN)
LDLIBS := -lccd -lcamd -lamd -lsuitesparseconfig -lyaml -lxml2 -lm
ifeq ($(CHOLMOD),1)
CFLAGS_ALL += -DSUP_WITH_CHOLMOD
LDLIBS := -lcholmod $(LDLIBS)
endif
LDFLAGS_ALL := -fopenmp
ifeq ($(MODE),release)
CFLAGS_ALL += -O2
else ifeq ($(MODE),debug)
CFLAGS_ALL += -O0 -DSUP_VALIDATE
else ifeq ($(MODE),asan)
CFLAGS_ALL += -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DSUP_VALIDATE
LDFLAGS_ALL += -fsanitize=address,undefined
else
$(error MODE=$(MODE) is unknown: release, debug, asan)
endif
XML_CFLAGS := $(shell pkg-config --cflags libxml-2.0 2>/dev/null || echo -I/usr/include/libxml2)

# ---- files -----------------------------------------------------------------------------------------------------------
LAYERS   := $(shell cat src/LAYERS)
LIB_SRC  := $(sort $(wildcard $(foreach l,$(filter-out app,$(LAYERS)),src/$(l)/*.c)))
APP_SRC  := $(sort $(wildcard src/app/*.c))
SUITE_SRC := $(sort $(wildcard tests/*/test_*.c))
TEST_SRC := tests/main.c $(SUITE_SRC)
HEADERS  := $(sort $(wildcard src/*.h src/*/*.h))
obj       = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB      := $(BUILD)/libsupple.a
BIN      := $(BUILD)/supple
TESTS    := $(BUILD)/run_tests
SUITES   := $(BUILD)/tests/suites.inc
BENCH    := $(BUILD)/bench

.PHONY: all demo test check bench asan layers headers format format-check lint deps info clean help
.DEFAULT_GOAL := all

all: deps  ## build the program build/release/supple and the library libsupple.a
	@$(MAKE) $(BIN) $(LIB)

$(BUILD)/flags: FORCE
	@mkdir -p $(@D); echo '$(CC) $(CFLAGS_ALL) $(CFLAGS) $(LDLIBS)' | cmp -s - $@ || echo '$(CC) $(CFLAGS_ALL) $(CFLAGS) $(LDLIBS)' > $@
FORCE:

$(BUILD)/src/scene/xml.o: EXTRA := $(XML_CFLAGS)
$(BUILD)/src/app/%.o: EXTRA := -DSUP_VERSION='"$(VERSION)"' -DSUP_COMPILER_FLAGS='"MODE=$(MODE) CHOLMOD=$(CHOLMOD)"'
$(BUILD)/src/app/version.o: EXTRA += -DSUP_COMMIT='"$(COMMIT)"'
# The dense kernels are elementwise multiply-adds: contraction keeps one order of operations for every vector width.
$(BUILD)/src/la/kernel.o: EXTRA := -O3 -ffp-contract=fast
$(BUILD)/tests/%.o: EXTRA := -Itests -Itests/step -Itests/fem -Itests/law -I$(BUILD)/tests

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(if $(Q),@echo 'CC   $<')
	$(Q)$(CC) $(CFLAGS_ALL) $(EXTRA) $(CFLAGS) -c $< -o $@

$(LIB): $(call obj,$(LIB_SRC))
	@rm -f $@; ar rcsD $@ $^
$(BIN): $(call obj,$(APP_SRC)) $(LIB)
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) $(call obj,$(APP_SRC)) $(LIB) $(LDLIBS) -o $@
# One suite a file: tests/<layer>/test_<name>.c defines sup_suite_<name>.
$(SUITES): $(SUITE_SRC) $(BUILD)/flags
	@mkdir -p $(@D); for f in $(filter %.c,$^); do n=$$(basename $$f .c); echo "SUITE($${n#test_})"; done > $@
$(BUILD)/tests/main.o: $(SUITES)
$(TESTS): $(call obj,$(TEST_SRC)) $(LIB)
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) $^ -lcunit $(LDLIBS) -o $@

-include $(patsubst %.o,%.d,$(call obj,$(LIB_SRC) $(APP_SRC) $(TEST_SRC) tests/bench/bench.c))

demo: all  ## build, run the FinRay grasp, say where the ParaView files and the picture are
	@sh .ci/deps post
	@sh .ci/demo $(BIN) $(PYTHON)

test:  ## build and run the tests; T=suite or T=suite.test runs a part
	@sh .ci/deps build test
	@$(MAKE) $(BIN) $(TESTS)
	@SUPPLE=$(BIN) OPENBLAS_NUM_THREADS=1 $(TESTS) $(T)

check: format-check layers headers lint  ## what a change must pass: style, layers, gcc and clang with -Werror, tests
	@$(MAKE) BUILD=build/check-gcc CC=gcc WERROR=1 build/check-gcc/supple build/check-gcc/run_tests
	@$(MAKE) BUILD=build/check-clang CC=clang WERROR=1 build/check-clang/supple build/check-clang/run_tests
	@$(MAKE) test

asan:  ## the tests under address and undefined-behaviour sanitizers; T= as in test
	@sh .ci/deps build test
	@$(MAKE) MODE=asan build/asan/supple build/asan/run_tests
	@SUPPLE=build/asan/supple OPENBLAS_NUM_THREADS=1 build/asan/run_tests $(T)

bench: all  ## ratios and phase times of this machine into build/bench.json
	@$(MAKE) $(BENCH)
	@OPENBLAS_NUM_THREADS=1 $(BENCH) build/bench.json
$(BENCH): $(call obj,tests/bench/bench.c) $(LIB)
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) $^ $(LDLIBS) -o $@

layers:  ## refuse an #include that climbs the layers of src/LAYERS
	@sh .ci/layers

headers: ## every header compiles alone
	@sh .ci/deps build
	@for h in $(HEADERS:src/%=%); do echo "#include \"$$h\"" | $(CC) -std=c17 -D_POSIX_C_SOURCE=200809L -Isrc -I/usr/include/suitesparse $(WARN) -Werror -fsyntax-only -x c - || exit 1; done; echo "headers: $(words $(HEADERS)) compile alone"

format:  ## format with clang-format 14
	@clang-format -i $(LIB_SRC) $(APP_SRC) $(TEST_SRC) tests/bench/bench.c $(HEADERS) $(wildcard tests/*.h tests/*/*.h)
format-check:  ## fail when clang-format 14 would change a file
	@sh .ci/deps check
	@clang-format --dry-run -Werror $(LIB_SRC) $(APP_SRC) $(TEST_SRC) tests/bench/bench.c $(HEADERS) $(wildcard tests/*.h tests/*/*.h) && echo "format: ok"

lint:  ## no exit, abort or printf in the library; cppcheck
	@sh .ci/deps check
	@sh .ci/lint

deps:  ## install missing Debian packages for building (apt; sudo when not root)
	@sh .ci/deps build

info:  ## compiler, flags, libraries
	@echo "version  $(VERSION) ($(COMMIT))"; echo "compiler $$($(CC) --version | head -n 1)"; echo "flags    $(CFLAGS_ALL) $(CFLAGS)"; echo "link     $(LDLIBS)"

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 16
