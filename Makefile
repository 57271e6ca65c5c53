# Supple.  `make help` lists the targets and variables; config.mk (ignored by git) may preset any variable.
-include config.mk

MODE    ?= release
ifeq ($(origin CC),default)
CC := gcc
endif
PYTHON  ?= /usr/bin/python3
CHOLMOD ?= 1
UMFPACK ?= $(CHOLMOD)
WERROR  ?= 0
T       ?=
V       ?= 0
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc) --no-print-directory
endif
Q := $(if $(filter 0,$(V)),@,)

BUILD := build/$(MODE)
VERSION := 0.2.0
PREFIX  ?= /usr/local
DESTDIR ?=
COMMIT := $(shell git rev-parse --short=7 HEAD 2>/dev/null || echo unknown)

# ---- flags -----------------------------------------------------------------------------------------------------------
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wdouble-promotion -Wstrict-prototypes -Wmissing-prototypes \
  -Wno-missing-field-initializers
ifeq ($(WERROR),1)
WARN += -Werror
endif
# DWARF 4: valgrind 3.19 cannot read clang's DWARF 5.
# No -ffast-math and no contraction: the same bits on every run; kernels that want FMA ask for it file by file.
# The same objects are linked into the program and the shared library, where nothing replaces a function of ours.
CFLAGS_ALL := -std=c17 -gdwarf-4 -fPIC -fno-semantic-interposition -ffp-contract=off -fno-math-errno -fvisibility=hidden -fopenmp -D_POSIX_C_SOURCE=200809L \
  -ffile-prefix-map=$(CURDIR)=. -MMD -MP -Isrc -I/usr/include/suitesparse $(WARN)
LDLIBS := -lnlopt -lmetis -lcamd -lamd -lsuitesparseconfig -lyaml -lxml2 -lzip -lm -ldl
ifeq ($(CHOLMOD),1)
CFLAGS_ALL += -DSUP_WITH_CHOLMOD
LDLIBS := -lcholmod $(LDLIBS)
endif
ifeq ($(UMFPACK),1)
CFLAGS_ALL += -DSUP_WITH_UMFPACK
LDLIBS := -lumfpack $(LDLIBS)
endif
# The table of parsers is reached by a weak name, which takes nothing out of an archive.
LDFLAGS_ALL := -fopenmp -Wl,-u,sup_parsers_table
ifeq ($(MODE),release)
CFLAGS_ALL += -O2
else ifeq ($(MODE),debug)
CFLAGS_ALL += -O0
else ifeq ($(MODE),asan)
CFLAGS_ALL += -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DSUP_SANITIZED
LDFLAGS_ALL += -fsanitize=address,undefined
else ifeq ($(MODE),tsan)
CFLAGS_ALL += -O1 -fno-omit-frame-pointer -fsanitize=thread -DSUP_SANITIZED
LDFLAGS_ALL += -fsanitize=thread
else ifeq ($(MODE),coverage)
CFLAGS_ALL += -O1 --coverage -fprofile-update=atomic
LDFLAGS_ALL += --coverage
else ifeq ($(MODE),fuzz)
CFLAGS_ALL += -O1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -DSUP_SANITIZED
LDFLAGS_ALL += -fsanitize=address,undefined
else
$(error MODE=$(MODE) is unknown: release, debug, asan, tsan, coverage, fuzz)
endif
XML_CFLAGS := $(shell pkg-config --cflags libxml-2.0 2>/dev/null || echo -I/usr/include/libxml2)
NEEDS := CC='$(CC)' CFLAGS='$(CFLAGS)' PYTHON='$(PYTHON)' sh .ci/deps
CLANG_FORMAT ?= clang-format-14

# ---- files -----------------------------------------------------------------------------------------------------------
LAYERS   := $(shell cat src/LAYERS)
OTHER_PLUGIN_SRC := src/plugin/hdf5.c src/plugin/http.c
PLUGIN_SRC = $(filter-out $(OTHER_PLUGIN_SRC) $(if $(SLEPC_PC),,src/plugin/slepc.c),$(sort $(wildcard src/plugin/*.c)))
LIB_SRC  := $(sort $(foreach l,$(filter-out app plugin,$(LAYERS)),$(wildcard src/$(l)/*.c src/$(l)/*/*.c)))
APP_SRC  := $(sort $(wildcard src/app/*.c src/app/*/*.c))
SUITE_SRC := $(sort $(wildcard tests/*/test_*.c))
TEST_SRC := $(sort $(wildcard tests/*.c) $(wildcard tests/metamorphic/*.c) $(SUITE_SRC))
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
HEADERS  := $(sort $(wildcard src/*.h src/*/*.h src/*/*/*.h))
obj       = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIB      := $(BUILD)/libsupple.a
BIN      := $(BUILD)/supple
TESTS    := $(BUILD)/run_tests
# PETSc as a plug-in: built when it is there, PETSC=0 leaves it out.  Debian's petsc.pc does not name MPI.
PETSC_PC ?= $(firstword $(wildcard /usr/lib/petscdir/petsc-real/lib/pkgconfig/petsc.pc /usr/lib/petscdir/petsc3.*/*-real/lib/pkgconfig/petsc.pc))
PETSC   ?= $(if $(and $(PETSC_PC),$(shell pkg-config --exists ompi-c 2>/dev/null && echo 1)),1,0)
# With SLEPc in it, where that is there, for modes on ranks.
SLEPC_PC ?= $(firstword $(wildcard /usr/lib/slepcdir/slepc-real/lib/pkgconfig/slepc.pc))
# So is HDF5: the serial one, which nothing of MPI comes with.
HDF5    ?= $(shell pkg-config --exists hdf5-serial 2>/dev/null && echo 1 || echo 0)
# The server of live pages, too.
HTTP    ?= $(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo 1 || echo 0)
PLUGINS := $(foreach p,petsc:$(PETSC) hdf5:$(HDF5) http:$(HTTP),$(if $(filter %:1,$p),$(BUILD)/supple-$(p:%:1=%).so))
PETSC_INCLUDES := $(if $(filter 1,$(PETSC)),$(subst -I,-isystem ,$(shell pkg-config --cflags-only-I $(PETSC_PC) $(SLEPC_PC) ompi-c)))
SUITES   := $(BUILD)/tests/suites.inc
BENCH    := $(BUILD)/bench
FORMATTED := $(PLUGIN_SRC) $(OTHER_PLUGIN_SRC) $(LIB_SRC) $(APP_SRC) $(TEST_SRC) $(BENCH_SRC) $(HEADERS) \
  $(wildcard tests/bench/yardsticks/*.c tests/*.h tests/*/*.h src/*/*/*.inc src/*/*.inc)

.PHONY: all petsc hdf5 live demo test check check-fast coverage tidy bench fuzz outside papers movies calibration manual install uninstall dist deb share-bundle asan tsan layers headers format format-check lint deps info clean help FORCE
.DEFAULT_GOAL := all

all: deps  ## build the program build/release/supple, the library libsupple.a and that of the Python package
	@$(MAKE) built-program && echo "built $(BIN) and $(LIB)"

# What an object depends on besides files: rewritten only when it changes.  The folder of the checkout is in no object.
define remember
@mkdir -p $(@D); echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
endef
$(BUILD)/flags: FORCE
	$(call remember,$(CC) $(filter-out -ffile-prefix-map=%,$(CFLAGS_ALL)) $(CFLAGS) $(LDLIBS))
$(BUILD)/commit: FORCE
	$(call remember,$(VERSION) $(COMMIT))

$(patsubst %,$(BUILD)/src/scene/file/%.o,xml yaml parsers): EXTRA := $(XML_CFLAGS)
$(BUILD)/src/base/version.o: EXTRA := -DSUP_VERSION='"$(VERSION)"' -DSUP_COMPILER_FLAGS='"MODE=$(MODE) CHOLMOD=$(CHOLMOD) UMFPACK=$(UMFPACK)"'
$(BUILD)/src/base/version.o: EXTRA += -DSUP_COMMIT='"$(COMMIT)"'
$(BUILD)/src/base/version.o: $(BUILD)/commit
# The dense kernels are elementwise multiply-adds: contraction keeps one order of operations for every vector width.
# In clang `fast` leaves some products alone, `on` (within an expression) none; GCC knows only `fast`.
$(BUILD)/src/la/supernodal/kernel.o: EXTRA := $(if $(filter release,$(MODE)),-O3) -ffp-contract=$(if $(findstring clang,$(CC)),on,fast)
# Loops over elements, what an impulse moves, cells of fields and rows of contacts, elementwise: vectors have the bits of scalars.
$(patsubst %,$(BUILD)/src/fem/%.o,$(addprefix kernel/,batch point_batch rotation stress_kernel) step_gradient material element/element_h8 $(addprefix recovery/,stress stress_error recovery)) $(BUILD)/src/solve/dual/dual.o: EXTRA := $(if $(filter release,$(MODE)),-O3)
$(patsubst %,$(BUILD)/src/%.o,solve/newton/coupling solve/newton/visits solve/problem geom/polygon geom/bvh_pairs collide/field/field_field constraint/contact_rows measure/shadow): EXTRA := $(if $(filter release,$(MODE)),-O3)
# Clang's sanitizers take many minutes for loops that are unrolled in full; without optimisation there are none.
ifneq ($(and $(filter asan fuzz,$(MODE)),$(findstring clang,$(CC))),)
$(BUILD)/src/la/supernodal/kernel.o $(BUILD)/src/fem/kernel/batch.o $(BUILD)/src/fem/kernel/point_batch.o: EXTRA += -O0
endif
$(BUILD)/tests/%.o: EXTRA := -Itests -Itests/step -Itests/fem -Itests/la -Itests/law -Itests/solve -I$(BUILD)/tests

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(if $(Q),@echo 'CC   $<')
	$(Q)$(CC) $(CFLAGS_ALL) $(EXTRA) $(CFLAGS) -c $< -o $@

$(LIB): $(call obj,$(LIB_SRC))
	@rm -f $@; ar rcsD $@ $^
$(BIN): $(call obj,$(APP_SRC)) $(LIB)
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) $(call obj,$(APP_SRC)) $(LIB) $(LDLIBS) -o $@
# Shared objects of their own, with nothing of the program and no sanitizer in them; MPI is loaded with PETSc's.
PLUGIN_CFLAGS := $(filter-out -fsanitize=% -fno-sanitize% -DSUP_SANITIZED --coverage -fprofile-update=%,$(CFLAGS_ALL))
$(call obj,$(PLUGIN_SRC) $(OTHER_PLUGIN_SRC)): private CFLAGS_ALL := $(PLUGIN_CFLAGS)
$(call obj,$(PLUGIN_SRC)): EXTRA := $(if $(filter release,$(MODE)),-O3) $(PETSC_INCLUDES)
$(call obj,src/plugin/hdf5.c): EXTRA = $(subst -I,-isystem ,$(shell pkg-config --cflags hdf5-serial))
$(BUILD)/supple-petsc.so: $(call obj,$(PLUGIN_SRC))
$(BUILD)/supple-hdf5.so $(BUILD)/supple-http.so: $(BUILD)/supple-%.so: $(BUILD)/src/plugin/%.o
PC_petsc = $(SLEPC_PC) $(PETSC_PC) ompi-c
PC_hdf5  = hdf5-serial
PC_http  = libmicrohttpd
$(BUILD)/supple-%.so:
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(PLUGIN_CFLAGS) -shared $(CFLAGS) $^ -o $@ $(shell pkg-config --libs $(PC_$*))
# What is installed to link with: one object each, whose only global names are those of supple.h.  supple-core needs
# neither libyaml nor libxml2, which supple-parsers calls for it; supple is both.
SOVERSION := 0
WHOLE_SRC := $(filter-out src/study/%,$(LIB_SRC))
PARSER_SRC := src/scene/file/parsers.c
CORE_SRC  := $(filter-out $(PARSER_SRC),$(WHOLE_SRC))
PARSER_LIBS := -lyaml -lxml2
CORE_LIBS := $(filter-out $(PARSER_LIBS),$(LDLIBS))
# With a sanitizer there are none: they would serve only programs that have it, too.
LIBRARIES := $(if $(filter release debug,$(MODE)),$(foreach l,supple supple-core,\
  $(BUILD)/lib/lib$(l).a $(BUILD)/lib/lib$(l).so.$(VERSION)) $(BUILD)/lib/libsupple-parsers.a)
$(BUILD)/lib/libsupple.o: $(call obj,$(WHOLE_SRC))
$(BUILD)/lib/libsupple-core.o: $(call obj,$(CORE_SRC))
$(BUILD)/lib/libsupple-parsers.o: $(call obj,$(PARSER_SRC))
$(BUILD)/lib/%.o:
	@mkdir -p $(@D)
	@ld -r -d -o $@ $^ && objcopy --localize-hidden --strip-debug --wildcard --localize-symbol='.gomp*' $@
# What .ci/install says of them.
$(BUILD)/lib/facts: FORCE
	$(call remember,VERSION=$(VERSION) SOVERSION=$(SOVERSION) CHOLMOD=$(CHOLMOD) UMFPACK=$(UMFPACK) PLUGINS="$(PLUGINS)" LIBS="$(LDLIBS) -fopenmp" CORE_LIBS="$(CORE_LIBS) -fopenmp" PARSER_LIBS="$(PARSER_LIBS)")
$(BUILD)/lib/%.a: $(BUILD)/lib/%.o
	@rm -f $@; ar rcsD $@ $<
$(BUILD)/lib/libsupple.so.$(VERSION): $(call obj,$(WHOLE_SRC))
$(BUILD)/lib/libsupple-core.so.$(VERSION): $(call obj,$(CORE_SRC))
$(BUILD)/lib/%.so.$(VERSION):
	$(if $(Q),@echo 'LINK $@')
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$*.so.$(SOVERSION) -Wl,--version-script=.ci/supple.map -Wl,--no-undefined -Wl,--strip-debug -Wl,--as-needed \
	  $(if $(findstring core,$@),$(filter-out -Wl%,$(LDFLAGS_ALL)),$(LDFLAGS_ALL)) $(LDFLAGS) $^ \
	  $(if $(findstring core,$@),$(CORE_LIBS),$(LDLIBS)) -o $@
	@ln -sf $(@F) $(@D)/$*.so.$(SOVERSION)
# One suite a file: tests/<layer>/test_<name>.c defines sup_suite_<name>.
$(SUITES): $(SUITE_SRC) $(BUILD)/flags
	@mkdir -p $(@D); for f in $(filter %.c,$^); do n=$$(basename $$f .c); echo "SUITE($${n#test_})"; done > $@
$(BUILD)/tests/main.o $(BUILD)/tests/app/test_numerics.o: $(SUITES)
$(TESTS): $(call obj,$(TEST_SRC)) $(LIB)
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) -Wl,--wrap=sup_static_step $^ -lcunit $(LDLIBS) -o $@

-include $(patsubst %.o,%.d,$(call obj,$(PLUGIN_SRC) $(OTHER_PLUGIN_SRC) $(LIB_SRC) $(APP_SRC) $(TEST_SRC) $(BENCH_SRC)))

# What the targets below build once the packages are there.
.PHONY: built-program built-libraries built-tests built-bench
built-program: $(BIN) $(PLUGINS) $(filter %libsupple.so.$(VERSION),$(LIBRARIES)) ; @:
built-libraries: $(LIBRARIES) $(BUILD)/lib/facts ; @:
built-tests: $(BIN) $(PLUGINS) built-libraries $(TESTS) build/locale/de_DE.UTF-8/LC_NUMERIC ; @:
built-bench: $(BENCH) ; @:

# Tests of numbers under a locale with decimal commas need one; made here, installed nowhere.
build/locale/de_DE.UTF-8/LC_NUMERIC:
	@mkdir -p build/locale && localedef -i de_DE -f UTF-8 build/locale/de_DE.UTF-8 || echo "no German locale: tests that need it skip"
RUN_TESTS = LOCPATH=$(CURDIR)/build/locale SUPPLE=$(BIN) OPENBLAS_NUM_THREADS=1 $(TESTS) -j $(JOBS) $(T)
JOBS ?= $(shell nproc)

# Goals of one call that build the program do so one after another: each calls make, and two would link at once.
asked = $(filter $(1),$(MAKECMDGOALS))
hdf5: | $(call asked,petsc)
live: | $(call asked,petsc hdf5)
demo test: | $(call asked,petsc hdf5 live)
petsc:  ## install PETSc, SLEPc and MPI where they are missing, and build the plug-in for `solver.backend: petsc`
	@$(NEEDS) build petsc
	@$(MAKE) built-program PETSC=1 && echo "built $(BUILD)/supple-petsc.so"

hdf5:  ## install HDF5 where it is missing, and build the plug-in for `output.format: xdmf`
	@$(NEEDS) build hdf5
	@$(MAKE) built-program HDF5=1 && echo "built $(BUILD)/supple-hdf5.so"

live:  ## install libmicrohttpd where it is missing, and build the plug-in for `supple run --live`
	@$(NEEDS) build http
	@$(MAKE) built-program HTTP=1 && echo "built $(BUILD)/supple-http.so"

demo:  ## build, run and draw the FinRay grasp; says where the files for ParaView and the pictures are
	@$(NEEDS) build post
	@$(MAKE) all
	@sh .ci/demo $(BIN) $(PYTHON)

test:  ## build and run the tests, JOBS suites at a time; T=suite or T=suite.test runs a part
	@$(NEEDS) build test post
	@$(MAKE) built-tests
	@$(RUN_TESTS)

suites_of = $(patsubst test_%,%,$(notdir $(basename $(wildcard $(1:%=tests/%/test_*.c)))))
FAST := collide base law tree constraint model fem la geom profile mesh solve scene
check-fast:  ## the suites of single layers (no program, no run of a scene), under a minute on two cores
	@$(NEEDS) build test
	@$(MAKE) built-tests
	@$(RUN_TESTS) $(call suites_of,$(FAST)) >$(BUILD)/$@.log 2>&1 || { grep -B 9 FAILED $(BUILD)/$@.log; exit 1; }
	@tail -n 1 $(BUILD)/$@.log

coverage:  ## lines that tests reach, a table by file and build/coverage/index.html; T= as in test
	@$(NEEDS) build test post coverage
	@$(MAKE) MODE=coverage built-tests
	@find build/coverage -name '*.gcda' -delete
	@LOCPATH=$(CURDIR)/build/locale SUPPLE=build/coverage/supple OPENBLAS_NUM_THREADS=1 build/coverage/run_tests $(T) >build/coverage/tests.log 2>&1; tail -n 1 build/coverage/tests.log
	@gcovr --root . --filter src/ --gcov-ignore-parse-errors --html-details build/coverage/index.html --print-summary --txt build/coverage/lines.txt build/coverage
	@echo 'by file: build/coverage/lines.txt, line by line: build/coverage/index.html'

TIDIED = $(filter-out $(PLUGIN_SRC) $(OTHER_PLUGIN_SRC),$(or $(T),$(LIB_SRC) $(APP_SRC)))
tidy:  ## clang-tidy with the checks of .clang-tidy; T=FILES: these alone
	@$(NEEDS) build tidy
	@echo $(TIDIED) | xargs -P 2 -n 12 sh -c 'clang-tidy --quiet "$$@" -- $(filter-out -fno-semantic-interposition -MMD -MP,$(CFLAGS_ALL)) $(XML_CFLAGS) -DSUP_VERSION=\"0\" -DSUP_COMPILER_FLAGS=\"0\" -DSUP_COMMIT=\"0\" 2>/dev/null' tidy && echo 'tidy: ok'

check:  ## what a change must pass: format, layers, headers, lint, gcc and clang with -Werror, tests
	@$(NEEDS) build test check post bench
	@for target in format-check layers headers lint; do $(MAKE) $$target || exit 1; done
	@for cc in gcc clang; do $(MAKE) BUILD=build/check-$$cc CC=$$cc WERROR=1 built-tests built-bench && echo "$$cc -Werror: ok" || exit 1; done
	@$(MAKE) test

asan:  ## the tests under address and undefined-behaviour sanitizers; T= as in test
	@$(NEEDS) build test post
	@$(MAKE) MODE=asan test

# clang with LLVM's OpenMP, whose barriers and tasks the sanitizer knows by libarcher (libgomp's it takes for races);
# libraries that were built without the sanitizer are left alone.
TSAN := TSAN_OPTIONS='ignore_noninstrumented_modules=1 halt_on_error=1' OMP_NUM_THREADS=2
tsan:  ## what threads share under the thread sanitizer (clang): tests that change their number, a grasp on two threads; T= as in test
	@$(NEEDS) build check test
	@$(MAKE) MODE=tsan CC=clang built-tests
	@$(TSAN) build/tsan/run_tests $(or $(T),team threads block_matrix factor reduction step bdf2)
	@$(if $(T),,$(TSAN) build/tsan/supple run examples/finray_grasp.yaml --threads 2 --set time.end=1.3 --set output.every=1s -q -o build/tsan/grasp && echo 'thread sanitizer: ok')

# libFuzzer is clang's.
FUZZ_SECONDS := $(if $(filter command line environment,$(origin SECONDS)),$(SECONDS),60)
fuzz:  ## libFuzzer on readers of meshes, surfaces, robots, scenes, studies, states; SECONDS=60 for all, T=target for one
	@$(NEEDS) build check
	@$(MAKE) MODE=fuzz CC=clang built-fuzz
	@sh .ci/fuzz build/fuzz/fuzz $(FUZZ_SECONDS) $(T)
.PHONY: built-fuzz
built-fuzz: $(if $(filter fuzz,$(MODE)),$(BUILD)/fuzz) ; @:
$(BUILD)/fuzz: tests/fuzz/fuzz.c tests/fuzz/targets.h $(LIB)
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) -fsanitize=fuzzer $(CFLAGS) $(LDFLAGS) $< $(LIB) $(LDLIBS) -o $@

bench: all  ## ratios, limits and phase times of this machine, also build/bench.json, bench.png; T=factor|assembly|peers|library|growth|accuracy|rigid|trees|fields|compare|petsc|matrices: a part; history: instructions of runs against stored ones (RENEW=1 stores); ranks: runs on one and two, a quarter of an hour alone on the machine
	@$(NEEDS) bench post
	@$(MAKE) built-bench
ifeq ($(T),ranks)
	@$(NEEDS) petsc
	@$(PYTHON) tests/bench/ranks.py $(BUILD) $(if $(SUPPLE_BENCH_UNKNOWNS),--most $(SUPPLE_BENCH_UNKNOWNS))
else
	@mkdir -p build/scenes; for n in 40 80 160 320 640; do $(PYTHON) examples/clutter.py --objects $$n -o build/scenes/clutter$$n.yaml; done
	@$(PYTHON) examples/clutter.py --objects 160 --spacing 0.2 -o build/scenes/clutter160deep.yaml
	@$(PYTHON) tests/bench/scenes.py build/scenes
ifeq ($(T),history)
	@$(PYTHON) tests/bench/history.py $(BIN) $(if $(RENEW),--renew)
else
	@SUPPLE=$(BIN) SUPPLE_PLUGINS=$(BUILD) OPENBLAS_NUM_THREADS=1 $(BENCH) build/bench.json build/scenes $(T)
	@$(if $(filter petsc,$(T)),$(NEEDS) yardsticks && $(PYTHON) tests/bench/yardsticks.py)
	@$(PYTHON) postproc/plot_bench.py build/bench.json -o build/bench.png
endif
endif
# OpenBLAS comes first, so that it is what CHOLMOD's calls find.
$(BENCH): $(call obj,$(BENCH_SRC)) $(LIB)
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) $^ -l:libopenblas.so.0 -lcholmod $(LDLIBS) -ldl -o $@

outside: all  ## other programs beside Supple: bodies through CalculiX (ccx), contact problems through Siconos and CVXOPT; T= part of a case's name
	@$(NEEDS) outside
	@$(MAKE) built-siconos
	@bad=0; fits=0; export SUPPLE=$(BIN) OPENBLAS_NUM_THREADS=1; \
	  for script in calculix.py "siconos.py $(BUILD)/siconos" conic.py; do \
	    $(PYTHON) tests/outside/$$script $(T); \
	    case $$? in 0) fits=1;; 3) ;; *) bad=1;; esac; done; \
	  [ $$fits = 1 ] || [ $$bad = 1 ] || { echo "no case is called '$(T)'" >&2; bad=1; }; exit $$bad
# Its headers are not written for our warnings.
.PHONY: built-siconos
built-siconos: $(if $(wildcard /usr/include/siconos),$(BUILD)/siconos) ; @:
$(BUILD)/tests/outside/%.o: EXTRA := -isystem /usr/include/siconos -isystem /usr/include/siconos/numerics
$(BUILD)/siconos: $(BUILD)/tests/outside/siconos.o $(LIB)
	$(if $(Q),@echo 'LINK $@')
	$(Q)$(CC) $(LDFLAGS_ALL) $(LDFLAGS) $^ -lsiconos_numerics $(LDLIBS) -o $@

# From the tables that the program reads by: `supple help` and its options.
MANUAL := $(BUILD)/share
manual: all  ## man pages and shell completions into build/release/share, made from the program
	@command -v $(PYTHON) >/dev/null || { echo 'make manual needs $(PYTHON)' >&2; exit 1; }
	@$(PYTHON) .ci/manual $(BIN) $(MANUAL) && echo "made $(MANUAL): man/, bash-completion/, zsh/"

# All else needs no npm: the bundle is kept.
SHARE := main.js numbers.js bodies.js viewer.js chart.js words.js study.js live.js
share-bundle:  ## the program of the page of `supple share`, by npm: postproc/share/bundle.js
	@cd postproc/share && npm ci --no-audit --no-fund >/dev/null && \
	  npx prettier --log-level warn --write $(SHARE) page.css page.html && \
	  npx esbuild main.js --bundle --minify --format=esm --legal-comments=eof --log-level=warning \
	  --banner:js="// sources $$(cat $(SHARE) package-lock.json | sha256sum | cut -c1-16)" --outfile=bundle.js

PYTHON_SITE ?= $(PREFIX)/lib/python3/dist-packages
INSTALL = PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' PYTHON_SITE='$(PYTHON_SITE)' sh .ci/install $(BUILD)
install: manual built-libraries  ## program, libraries, headers, Python module, man pages, completions, examples into PREFIX (/usr/local), below DESTDIR
	@$(INSTALL)

uninstall:  ## remove from PREFIX, below DESTDIR, what `make install` put there
	@$(INSTALL) --remove

DIST ?= build/dist
dist:  ## build/dist/supple-VERSION.tar.gz: all that git keeps
	@sh .ci/dist $(VERSION) $(DIST)

MAINTAINER ?= maintainers@supple.invalid
deb: manual built-libraries  ## build/dist/*_VERSION-1_ARCH.deb: program, library, headers, Python, plug-ins; checked by lintian where that is installed
	@mkdir -p $(DIST)
	@MAINTAINER='$(MAINTAINER)' SOVERSION=$(SOVERSION) sh .ci/deb $(BUILD) $(VERSION) $(DIST)

papers: all  ## the experiments of the papers: tables and plots into out/papers (minutes)
	@$(NEEDS) post
	@for f in $(sort $(filter-out %/experiment.py,$(wildcard examples/papers/*.py))); do SUPPLE=$(BIN) $(PYTHON) $$f || exit 1; done

TASKS := peg_in_hole rod_shake barrett_finger pancake spatula_gripper spatula_bubbles shaken_mug hand_mug bottle_shake dual_arm solo12_stand solo12_trot franka_kitchen_gripper
movies: all  ## the tasks as out/movies/NAME.mp4 (minutes each; ffmpeg), one with T=NAME
	@$(NEEDS) post
	@for f in $(or $(T),$(TASKS)); do $(BIN) run examples/$$f.yaml -q -o out/movies/$$f && $(PYTHON) postproc/render.py out/movies/$$f --animation out/movies/$$f.mp4 || exit 1; done

calibration: all  ## numbers beside a measured finger: tables and a picture into out/calibration (20 s)
	@$(NEEDS) post
	@SUPPLE=$(BIN) $(PYTHON) examples/studies/finray_measured.py -o out/calibration

layers:  ## refuse an #include that climbs the layers of src/LAYERS
	@sh .ci/layers

headers: ## every header compiles alone
	@$(NEEDS) build
	@for h in $(patsubst src/%,%,$(filter-out $(if $(filter 1,$(PETSC)),,src/plugin/petsc_parts.h src/plugin/petsc_tiles.h src/plugin/petsc_lattice.h src/plugin/petsc_free.h),$(HEADERS))); do echo "#include \"$$h\"" | $(CC) -std=c17 -D_POSIX_C_SOURCE=200809L -Isrc -I/usr/include/suitesparse $(PETSC_INCLUDES) $(XML_CFLAGS) $(WARN) -Werror -fsyntax-only -x c - || exit 1; done; echo "headers: $(words $(HEADERS)) compile alone"
	@for h in supple.h $(patsubst src/%,%,$(wildcard src/supple/*.h)); do echo "#include \"$$h\"" | g++ -std=c++17 -Isrc -Wall -Wextra -Werror -fsyntax-only -x c++ - || exit 1; done; echo "headers: C++ reads those of supple.h"

format:  ## format all C with clang-format 14
	@$(NEEDS) check
	@$(CLANG_FORMAT) -i $(FORMATTED)
format-check:  ## fail when clang-format 14 would change a file
	@$(NEEDS) check
	@$(CLANG_FORMAT) --dry-run -Werror $(FORMATTED) && echo "format: ok"

lint:  ## no exit, abort or printf in the library; openings of comments; lines of scripts; cppcheck
	@$(NEEDS) check
	@sh .ci/lint

deps:  ## install the Debian packages for building that are missing (apt; sudo when not root)
	@$(NEEDS) build

info:  ## compiler, flags, libraries
	@echo "version  $(VERSION) ($(COMMIT))"; echo "compiler $$($(CC) --version | head -n 1)"; echo "flags    $(CFLAGS_ALL) $(CFLAGS)"; echo "link     $(LDLIBS)"

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@echo "make TARGET [VARIABLE=...]"; echo
	@sed -nE 's/^([a-z0-9-]+):[^#]*## */  \1\t/p' Makefile | expand -t 18
	@echo; echo "variables: CC=gcc|clang  MODE=release|debug|asan|tsan|fuzz  CHOLMOD=1|0  UMFPACK=1|0  WERROR=0|1  V=0|1 (show commands)  CFLAGS  LDFLAGS"
	@echo "           PYTHON=/usr/bin/python3  DEPS=1|0 (do not look for packages)"
