# llamp: how much network latency can an MPI application take?
#
# `make help` lists the targets.  Variables, on the command line or in a file config.mak:
#
#   PREFIX, DESTDIR   destination of `make install`         (/usr/local, empty)
#   BINDIR, LIBDIR    folders of commands and libraries     (PREFIX/bin, PREFIX/lib)
#   DATADIR, MANDIR, DOCDIR  of completion and module file, man pages, documents
#                     (PREFIX/share, DATADIR/man, DATADIR/doc/llamp)
#   CC, CFLAGS        C compiler and its flags              (cc, -O2 -g1);
#                     -g for variables in a debugger
#   MPICC             MPI compiler wrapper                  (MPICH's, then any);
#                     other MPIs that are found get a tracer too
#   MPIEXEC           starts MPI programs                   (the one next to MPICC)
#   BUILD             folder of the output                  (build)
#   DEVELOPER=1       strict warnings are errors; address and undefined-behaviour
#                     sanitizers; output in build/developer
#   THREADS=1         thread sanitizer; output in build/threads
#   V=1               show the commands

-include config.mak

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/llamp
# The sanitizers triple the time of compiling, and -O2 would add as much again.  -g1 has the lines of backtraces; what -g
# has more takes a quarter of the time.
CFLAGS ?= $(if $(DEVELOPER)$(THREADS),-O1,-O2) -g1
BUILD ?= build
# Use one spelling, since the dependency files name the targets.
# patsubst would take a path with a space for two, so use subst.
override BUILD := $(subst $(CURDIR)/,,$(abspath $(BUILD)))
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-8s %s\n')

WARNINGS = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
ifdef DEVELOPER
override BUILD := $(BUILD)/developer
WARNINGS += -Werror -Wwrite-strings -Wvla -Wformat=2 -Wundef
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
ifdef THREADS
override BUILD := $(BUILD)/threads
SANITIZE = -fsanitize=thread -fno-omit-frame-pointer
endif

## all: build the commands, the tracer, the injector and the programs of llamp-measure
# The tracer first, as its wrappers, one file, take longest to compile.
.PHONY: all
all: tracer profiler commands injector measure

# ------------------------------------------------------------------ libraries
# The probe runs once, and again for another CC, MPICC or MPIEXEC.

GIVEN := $(CC) $(MPICC) $(MPIEXEC)
GIVEN_MPICC := $(MPICC)
GIVEN_MPIEXEC := $(MPIEXEC)
PROBE_SETTINGS = CC='$(CC)' MPICC='$(or $(GIVEN_MPICC),$(KEPT_MPICC))' MPIEXEC='$(or $(GIVEN_MPIEXEC),$(KEPT_MPIEXEC))'
ifneq ($(filter-out help clean dist deps deps-test deps-apps deps-browser deps-long demo format test uninstall,$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/config.mk
ifneq ($(filter-out $(PROBED),$(GIVEN)),)
$(BUILD)/config.mk: FORCE
endif
endif

$(BUILD)/config.mk: build-aux/probe.sh launch/mpi_implementations.def
	@mkdir -p $(@D)
	@$(PROBE_SETTINGS) build-aux/probe.sh >$@.new && mv $@.new $@
.PHONY: FORCE

# ------------------------------------------------------------------ compiling
# A folder is a layer.  All of its sources but the commands (main*.c, cmd_*.c) and MPI programs
# (room mpi) make lib<folder>.a.  doc/architecture.md says which may use which.

ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -I. -fPIC -pthread $(WARNINGS) $(SANITIZE) $(CFLAGS)
ALL_LDFLAGS = -pthread $(SANITIZE) $(LDFLAGS)
# Of code that runs in each MPI call.  GCC would read two fields at once that have just been written one by one.  A
# processor cannot do that before these have left its store buffer, after what MPI has written to other ranks.
FIELD_BY_FIELD = -fno-tree-slp-vectorize

command_sources = $(wildcard $1/main*.c $1/cmd_*.c)
library_sources = $(filter-out $(command_sources) $1/mpi/%,$(wildcard $1/*.c $1/*/*.c $1/*/*/*.c))
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$1)
archives = $(patsubst %,$(BUILD)/lib%.a,$1)

$(BUILD)/obj/trace/%.o: LAYER_CFLAGS = $(OTF2_CFLAGS)
$(BUILD)/obj/schedgen/%.o: LAYER_CFLAGS = $(OTF2_CFLAGS)
$(BUILD)/obj/common/%.o: LAYER_CFLAGS = $(YAML_CFLAGS)
$(BUILD)/obj/measure/cells/%.o: LAYER_CFLAGS = $(JSON_C_CFLAGS)
$(BUILD)/obj/usage/%.o: LAYER_CFLAGS = $(ZSTD_CFLAGS) $(SQLITE_CFLAGS)
$(BUILD)/obj/trace/flow/%.o $(BUILD)/obj/critpath/groups/%.o: LAYER_CFLAGS = $(ZSTD_CFLAGS)
$(BUILD)/obj/trace/call/%.o $(BUILD)/obj/trace/journal/%.o: LAYER_CFLAGS = $(OTF2_CFLAGS) $(FIELD_BY_FIELD)
$(BUILD)/obj/trace/flow/builder/%.o: LAYER_CFLAGS = $(ZSTD_CFLAGS) $(FIELD_BY_FIELD)
$(BUILD)/obj/common/source/source_lines.o: LAYER_CFLAGS = $(DW_CFLAGS)
$(BUILD)/obj/tracer/main.o: LAYER_CFLAGS = $(UCX_CFLAGS)
$(BUILD)/obj/llamp/placement/placement_scotch.o: LAYER_CFLAGS = $(SCOTCH_CFLAGS)
# Installed commands find their libraries from where they are.
LIBRARY_FOLDER := $(shell realpath -m --relative-to='$(BINDIR)' '$(LIBDIR)')
$(BUILD)/obj/launch/launch_folder.o: LAYER_CFLAGS = -DLIBRARY_FOLDER='"$(LIBRARY_FOLDER)"'
$(BUILD)/obj/launch/launch_folder.o: $(BUILD)/library-folder
$(BUILD)/library-folder:
	@mkdir -p $(@D)
	@echo '$(LIBRARY_FOLDER)' >$@
ifneq ($(LIBRARY_FOLDER),$(shell cat $(BUILD)/library-folder 2>/dev/null))
$(BUILD)/library-folder: FORCE
endif
$(BUILD)/obj/test/%.o: LAYER_CFLAGS = $(OTF2_CFLAGS) $(CMOCKA_CFLAGS) $(DW_CFLAGS) $(ZSTD_CFLAGS)
# Tests themselves run for less time than their optimization takes.
$(BUILD)/obj/test/unit/%.o: LAYER_CFLAGS += $(if $(DEVELOPER)$(THREADS),,$(if $(findstring /lib/,$@),,-O0))
# The presets are compiled in.
$(BUILD)/obj/schedgen/collectives/presets.o: $(wildcard schedgen/collectives/presets/*.yaml)
# So are style and scripts of pages.
$(BUILD)/obj/common/draw/html_script.o: common/draw/html_script.js
$(BUILD)/obj/eventflow/loops/graph_page_embed.o: $(wildcard eventflow/loops/*.css eventflow/loops/*.js)
# So is what all proxy programs have.
$(BUILD)/obj/eventflow/generate/proxy_prelude.o: eventflow/generate/prelude.inc
$(BUILD)/obj/critpath/view/view_embed.o: $(wildcard critpath/view/*.css critpath/view/*.js)
# So are the tables of the index.
$(BUILD)/obj/usage/index/schema.o: usage/index/schema.sql

$(BUILD)/obj/%.o: %.c $(BUILD)/config.mk
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ALL_CFLAGS) $(LAYER_CFLAGS) -MMD -MP -c -o $@ $<

define archive_rule
$(BUILD)/lib$1.a: $(call objects,$(call library_sources,$1))
	$(say) AR $$@
	$(Q)rm -f $$@ && $(AR) rcs $$@ $$^
endef
LAYERS = common dist launch goal trace schedgen llamp measure critpath eventflow usage
$(foreach layer,$(LAYERS),$(eval $(call archive_rule,$(layer))))

# ------------------------------------------------------------------- commands

# Without UCX's headers there is no injector.
COMMANDS = goal schedgen llamp critpath critpath-mpi eventflow eventflow-mpi llamp-trace llamp-measure llamp-usage $(if $(UCX),llamp-inject)
profiler: $(MPIS:%=$(BUILD)/lib/libllampusage-%.so) $(BUILD)/lib/libllampusage.so
.PHONY: commands tracer profiler injector measure
commands: $(COMMANDS:%=$(BUILD)/bin/%)

$(BUILD)/bin/goal: $(call objects,$(call command_sources,goal)) $(call archives,goal common)
$(BUILD)/bin/schedgen: $(call objects,$(call command_sources,schedgen)) \
	$(call archives,schedgen usage measure trace goal common)
$(BUILD)/bin/llamp: $(call objects,$(call command_sources,llamp)) $(call archives,llamp goal common)
$(BUILD)/bin/critpath: $(call objects,$(filter-out %/main_mpi.c,$(call command_sources,critpath))) \
	$(call archives,critpath trace goal dist common)
$(BUILD)/bin/critpath-mpi: $(call objects,$(filter-out %/main.c,$(call command_sources,critpath))) \
	$(call archives,critpath trace goal dist launch common)
$(BUILD)/bin/eventflow: $(call objects,$(filter-out %/main_mpi.c,$(call command_sources,eventflow))) \
	$(call archives,eventflow trace dist common)
$(BUILD)/bin/eventflow-mpi: $(call objects,$(filter-out %/main.c,$(call command_sources,eventflow))) \
	$(call archives,eventflow trace dist launch common)
$(BUILD)/bin/llamp-trace: $(call objects,$(filter-out %/main_sites.c,$(call command_sources,tracer))) \
	$(call archives,trace launch common)
$(BUILD)/bin/llamp-measure: $(call objects,$(call command_sources,measure)) $(call archives,measure launch common)
$(BUILD)/bin/llamp-usage: $(call objects,$(call command_sources,usage)) $(call archives,usage measure schedgen trace launch common)
$(BUILD)/bin/llamp-usage: LIBS = $(OTF2_LIBS) $(ZSTD_LIBS) $(JSON_C_LIBS) $(SQLITE_LIBS)
$(BUILD)/bin/llamp-trace: LIBS = $(OTF2_LIBS) $(ZSTD_LIBS)
$(BUILD)/bin/llamp-inject: $(call objects,$(call command_sources,inject)) $(call archives,launch common)
$(BUILD)/bin/schedgen: LIBS = $(OTF2_LIBS) $(JSON_C_LIBS) $(ZSTD_LIBS) $(DW_LIBS)
$(BUILD)/bin/eventflow $(BUILD)/bin/eventflow-mpi: LIBS = $(OTF2_LIBS) $(ZSTD_LIBS) $(DW_LIBS)
$(BUILD)/bin/critpath $(BUILD)/bin/critpath-mpi: LIBS = $(OTF2_LIBS) $(ZSTD_LIBS) $(DW_LIBS)
$(BUILD)/bin/goal: LIBS = $(DW_LIBS)
$(BUILD)/bin/llamp-measure: LIBS = $(JSON_C_LIBS)
$(BUILD)/bin/llamp: LIBS = $(GLPK_LIBS) $(SCOTCH_LIBS) $(DW_LIBS)
$(BUILD)/bin/%:
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(YAML_LIBS) -lm

# One library for each MPI, with objects in a folder of its own.  The name without an MPI
# is for programs of plain mpicc, or of MPICC if it is given.

# Programs that are linked to the tracer need one of this interface.
INTERFACE = 0
tracer: $(MPIS:%=$(BUILD)/lib/libllamptrace-%.so) $(BUILD)/lib/libllamptrace.so $(BUILD)/lib/llamp/llamp-sites
# What it starts to name call sites.
$(BUILD)/lib/llamp/llamp-sites: $(call objects,tracer/main_sites.c) $(call archives,common)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(DW_LIBS) -lm
$(BUILD)/lib/libllamptrace.so: $(BUILD)/lib/libllamptrace-$(PLAIN_MPI).so
# MPI programs that commands start.
PROGRAMS = llamp-measure critpath-mpi eventflow-mpi
measure: $(foreach program,$(PROGRAMS),$(MPIS:%=$(BUILD)/lib/llamp/$(program)-%) $(BUILD)/lib/llamp/$(program))
$(PROGRAMS:%=$(BUILD)/lib/llamp/%): %: %-$(PLAIN_MPI)
$(BUILD)/lib/libllamptrace.so $(PROGRAMS:%=$(BUILD)/lib/llamp/%):
	$(Q)ln -sfn $(<F) $@
ifneq ($(PLAIN_MPI),$(shell readlink $(BUILD)/lib/libllamptrace.so | sed 's/.*-\(.*\)\.so/\1/'))
$(BUILD)/lib/libllamptrace.so $(PROGRAMS:%=$(BUILD)/lib/llamp/%): FORCE
endif

injector: $(if $(UCX),$(MPIS:%=$(BUILD)/lib/libllampinject-%.so))

mpi_objects = $(patsubst %.c,$(BUILD)/$1/obj/%.o,$(call library_sources,$2))

# The exported PMPI functions are aliases of the MPI functions.  Calls of the library itself
# go to the MPI library (pmpi/library.h).  Exceptions of C++ may pass through it.
define tracer_rules
$(BUILD)/$1/include/mpi_functions_of_library.h: build-aux/mpi-functions.sh $(BUILD)/config.mk
	@mkdir -p $$(@D)
	$$(say) GEN $$@
	$$(Q)MPICC='$$(MPICC_$1)' $$< >$$@
$(BUILD)/$1/obj/%.o: %.c $(BUILD)/config.mk $(BUILD)/$1/include/mpi_functions_of_library.h
	@mkdir -p $$(@D)
	$$(say) MPICC '$$< for $1'
	$$(Q)$$(MPICC_$1) $$(ALL_CFLAGS) $$(FIELD_BY_FIELD) -fexceptions -DLIBRARY_MPI='"$1"' $$(OTF2_CFLAGS) $$(LAYER_CFLAGS) -I$(BUILD)/$1/include -MMD -MP -c -o $$@ $$<
# MPI functions without a wrapper in pmpi/ get one that records their time.  They are many: -O2 takes half as long again to
# compile, and saves 1 to 4 % of the instructions of a call (MPI_Comm_rank, MPI_Get_count, MPI_Pack), as what they call
# reads the clock and records.
$(BUILD)/$1/obj/pmpi/wrappers.c: build-aux/wrappers.sh trace/call/mpi_functions.def $(call mpi_objects,$1,pmpi)
	$$(say) GEN $$@
	$$(Q)MPICC='$$(MPICC_$1)' build-aux/wrappers.sh trace/call/mpi_functions.def $(call mpi_objects,$1,pmpi) >$$@
$(BUILD)/$1/obj/pmpi/wrappers.o: $(BUILD)/$1/obj/pmpi/wrappers.c
	$$(say) MPICC '$$< for $1'
	$$(Q)$$(MPICC_$1) $$(ALL_CFLAGS) -O1 -fexceptions $$(OTF2_CFLAGS) -I$(BUILD)/$1/include -MMD -MP -c -o $$@ $$<
# A tool is all of pmpi/ and a sink (pmpi/sink.h).
$(BUILD)/lib/libllamptrace-$1.so.$(INTERFACE): $(call mpi_objects,$1,tracer)
$(BUILD)/lib/libllamptrace-$1.so.$(INTERFACE): TOOL_LIBS = $(OTF2_LIBS) $(ZSTD_LIBS) -ldl
$(BUILD)/$1/obj/tracer/below.o $(BUILD)/$1/obj/tracer/ucx.o: LAYER_CFLAGS = $(UCX_CFLAGS)
$(BUILD)/lib/libllampusage-$1.so.$(INTERFACE): $(call mpi_objects,$1,profiler)
$(BUILD)/lib/libllampusage-$1.so.$(INTERFACE): TOOL_LIBS = $(ZSTD_LIBS) $(JSON_C_LIBS) -ldl
$(BUILD)/lib/libllampusage-$1.so: $(BUILD)/lib/libllampusage-$1.so.$(INTERFACE)
	$$(Q)ln -sfn $$(<F) $$@
$(BUILD)/lib/libllamptrace-$1.so: $(BUILD)/lib/libllamptrace-$1.so.$(INTERFACE)
	$$(Q)ln -sfn $$(<F) $$@
$(BUILD)/test/mpi/count_calls-$1.so: $(BUILD)/$1/obj/test/mpi/count_calls/count_calls.o
TOOLS_$1 = $(BUILD)/lib/libllamptrace-$1.so.$(INTERFACE) $(BUILD)/lib/libllampusage-$1.so.$(INTERFACE) $(BUILD)/test/mpi/count_calls-$1.so
$$(TOOLS_$1): pmpi/exports.map $(call archives,usage critpath trace dist launch common) $(call mpi_objects,$1,pmpi) $(BUILD)/$1/obj/pmpi/wrappers.o
	@mkdir -p $$(@D)
	$$(say) LINK $$@
	$$(Q)$$(MPICC_$1) -shared $$(ALL_LDFLAGS) -Wl,--version-script=pmpi/exports.map \
		$$$$(nm -P $$(filter %.o,$$^) | sed -n 's/^\(MPI_[A-Za-z0-9_]*\) T .*/-Wl,--defsym=P\1=\1/p') \
		-Wl,-soname,$$(@F) -o $$@ $$(filter %.o,$$^) $(call archives,usage critpath trace dist launch common) $$(TOOL_LIBS) -lm
# The injector wraps functions of UCX, which it finds when it runs.
$(BUILD)/lib/libllampinject-$1.so: inject/exports.map $(call mpi_objects,$1,inject) $(call archives,launch common)
	@mkdir -p $$(@D)
	$$(say) LINK $$@
	$$(Q)$$(MPICC_$1) -shared $$(ALL_LDFLAGS) -Wl,--version-script=inject/exports.map -Wl,-soname,$$(@F) \
		-o $$@ $$(filter %.o %.a,$$^) -ldl -lm
# What critpath-mpi and eventflow-mpi start: the commands of critpath or eventflow, and the transport by MPI.
$(foreach tool,critpath eventflow,$(eval $(BUILD)/lib/llamp/$(tool)-mpi-$1: \
		$(patsubst %.c,$(BUILD)/$1/obj/%.o,$(wildcard $(tool)/mpi/*.c dist/mpi/*.c)) \
		$(call objects,$(filter-out %/main.c %/main_mpi.c,$(call command_sources,$(tool)))) \
		$(call archives,$(tool) trace goal dist common)))
$(BUILD)/lib/llamp/critpath-mpi-$1 $(BUILD)/lib/llamp/eventflow-mpi-$1:
	@mkdir -p $$(@D)
	$$(say) LINK $$@
	$$(Q)$$(MPICC_$1) $$(ALL_LDFLAGS) -o $$@ $$^ $$(OTF2_LIBS) $$(YAML_LIBS) $$(ZSTD_LIBS) $$(DW_LIBS) -lm
# What llamp-measure starts.
$(BUILD)/lib/llamp/llamp-measure-$1: $(patsubst %.c,$(BUILD)/$1/obj/%.o,$(wildcard measure/mpi/*.c)) \
		$(call archives,measure launch common)
	@mkdir -p $$(@D)
	$$(say) LINK $$@
	$$(Q)$$(MPICC_$1) $$(ALL_LDFLAGS) -o $$@ $$^ $$(JSON_C_LIBS) -lm
endef
$(foreach mpi,$(MPIS),$(eval $(call tracer_rules,$(mpi))))

# One library for programs of any MPI and of none: it loads NAME-MPI.so beside it (preload/preload.h).
define preload_rules
$1.jumps.S: build-aux/stubs.sh $(MPIS:%=$1-%.so)
	$$(say) GEN $$@
	$$(Q)build-aux/stubs.sh $$(filter %.so,$$^) >$$@
$1.so: $1.jumps.S preload/jumps.h $$(call objects,preload/preload.c)
	$$(say) LINK $$@
	$$(Q)$$(CC) -shared -I. $$(ALL_LDFLAGS) -Wl,-soname,$$(@F) -o $$@ $$(call objects,preload/preload.c) $$< -ldl
endef
$(eval $(call preload_rules,$(BUILD)/test/mpi/count_calls))
$(eval $(call preload_rules,$(BUILD)/lib/libllampusage))

# ------------------------------------------------- MPI programs: examples, tests
# One file each.  Those in Fortran are left out if MPI has no mpi_f08.  Names of call sites need inlined functions: -g.
# (GCC warns of MPI_STATUSES_IGNORE and MPI_UNWEIGHTED as too small arrays.)

# Programs of the default MPI are in BUILD, those of another one in a folder with its name.

mpi_programs = $(patsubst %.c,$2/%,$(wildcard $1/*.c)) \
	$(if $3,$(patsubst %.f90,$2/%,$(wildcard $1/*.f90)))
OTHER_MPIS = $(filter-out $(MPI),$(MPIS))

EXAMPLES = $(call mpi_programs,examples,$(BUILD),$(MPIFORT))
.PHONY: examples
## examples: build the example programs
examples: $(EXAMPLES)

define program_rules
$2/%: %.c $(BUILD)/config.mk
	@mkdir -p $$(@D)
	$$(say) MPICC $$@
	$$(Q)$$(MPICC_$1) -std=c11 -D_GNU_SOURCE $$(WARNINGS) -Wno-stringop-overflow -Wno-stringop-overread $$(CFLAGS) -g \
		-MMD -MP -o $$@ $$< -lm
$2/%: %.f90 $(wildcard test/mpi/*.inc) $(BUILD)/config.mk
	@mkdir -p $$(@D)
	$$(say) MPIFORT $$@
	$$(Q)$$(MPIFORT_$1) -O2 -J $$(@D) -o $$@ $$<
endef
$(eval $(call program_rules,$(MPI),$(BUILD)))
$(foreach mpi,$(OTHER_MPIS),$(eval $(call program_rules,$(mpi),$(BUILD)/$(mpi))))

# On all processors, unless -j says how many.
IN_PARALLEL = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: demo demo-run
## demo: install what the build lacks, build, trace an example, print its tolerance table
demo:
	@$(PROBE_SETTINGS) build-aux/deps.sh --needed
	+@$(IN_PARALLEL) demo-run
demo-run: tracer commands examples
	@PATH='$(abspath $(BUILD))/bin':"$$PATH" MPIEXEC='$(MPIEXEC)' BUILD='$(BUILD)' examples/demo.sh

.PHONY: picture
## picture: run the demo and copy a picture of its report to doc/, for README.md
picture: demo-run
	$(Q)cp $(BUILD)/demo/pictures/curve.svg doc/demo.svg

# ---------------------------------------------------------------------- tests
# test/unit/*/*.c   one cmocka program each
# test/cli/*.sh     commands, with golden files beside them
# test/mpi/*.c .f90 MPI programs; test/mpi/*.sh and *.py run and check them, some with
#                   every MPI that was found
# test/apps/*.sh    trace programs of Debian's packages; only `make test-apps` runs them
# test/browser/*.py open reports and views in a browser; only `make test-browser` runs them
# test/long/*       compare predictions with those of simulators, and test with large counts; only
#                   `make test-long` runs them
# Every test prints TAP, and test/run adds up the results.  `make check` runs the quick ones of libraries and
# commands, `make test` all of them and those with MPI, `make test-long` all with the sanitizers; trace_sanitizers.sh does so for the tracer.

UNIT_TESTS = $(patsubst %.c,$(BUILD)/%,$(wildcard test/unit/*/test_*.c))
UNIT_HELPERS = $(wildcard test/unit/lib/*.c test/unit/lib/*/*.c)
MPI_PROGRAMS = $(call mpi_programs,test/mpi,$(BUILD),$(MPIFORT)) $(foreach mpi,$(OTHER_MPIS),\
	$(foreach folder,test/mpi examples,$(call mpi_programs,$(folder),$(BUILD)/$(mpi),$(MPIFORT_$(mpi)))))

# What they test is one shared library: linking it into each of them would take a third of a second every time.
UNIT_LIBRARY = $(BUILD)/test/unit/libunit.so
$(UNIT_LIBRARY): $(call objects,$(UNIT_HELPERS) inject/delay.c $(wildcard measure/cells/*.c measure/statistics/*.c)) \
		$(call archives,critpath eventflow usage llamp schedgen trace goal dist launch common)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) -shared $(ALL_LDFLAGS) -Wl,-soname,$(@F) -o $@ -Wl,--whole-archive $^ -Wl,--no-whole-archive $(CMOCKA_LIBS) $(OTF2_LIBS) \
		$(GLPK_LIBS) $(SCOTCH_LIBS) $(ZSTD_LIBS) $(DW_LIBS) $(YAML_LIBS) $(JSON_C_LIBS) $(SQLITE_LIBS) -lm
# The library comes first: what it has of measure/ is not taken from the archive again.
$(UNIT_TESTS): $(BUILD)/test/unit/%: $(BUILD)/obj/test/unit/%.o $(call archives,measure) | $(UNIT_LIBRARY)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_LDFLAGS) -Wl,-rpath,'$$ORIGIN/..' -o $@ $< $(UNIT_LIBRARY) $(call archives,measure) $(UNIT_LIBRARY) \
		$(CMOCKA_LIBS) $(OTF2_LIBS) $(GLPK_LIBS) $(ZSTD_LIBS) $(JSON_C_LIBS) $(SQLITE_LIBS) -lm

# Writes logs of jobs for tests of the index and its figures.
USAGE_SYNTH = $(BUILD)/test/usage-synth
$(USAGE_SYNTH): $(call objects,$(wildcard test/usage-synth/*.c)) $(call archives,usage trace common)
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ZSTD_LIBS) $(JSON_C_LIBS) $(YAML_LIBS) -lm

# Benchmarks are built for test-long, so that they keep compiling.
BENCHMARKS = $(patsubst %.c,$(BUILD)/%,$(wildcard bench/*.c))
BENCHMARK_PARTS = $(call objects,test/unit/lib/check/dist_play.c) $(call archives,critpath llamp trace goal dist common)
$(BUILD)/bench/%: bench/%.c $(BENCHMARK_PARTS) $(BUILD)/config.mk
	@mkdir -p $(@D)
	$(say) MPICC $@
	$(Q)$(MPICC) -std=c11 -D_GNU_SOURCE -I. $(WARNINGS) -Wno-stringop-overflow $(CFLAGS) $(OTF2_CFLAGS) -MMD -MP -o $@ $< \
		$(BENCHMARK_PARTS) $(OTF2_LIBS) $(GLPK_LIBS) $(SCOTCH_LIBS) $(ZSTD_LIBS) $(DW_LIBS) $(YAML_LIBS) -lm

# Preloaded into the programs of MPICH (test/run).
$(BUILD)/test/mpi/yield.so: test/mpi/yield/yield.c $(BUILD)/config.mk
	@mkdir -p $(@D)
	$(say) LINK $@
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -shared -fPIC $(WARNINGS) $(CFLAGS) -o $@ $<

RUN_TESTS = BUILD='$(abspath $(BUILD))' MPI='$(MPI)' MPICC='$(MPICC)' MPIEXEC='$(MPIEXEC)' \
	OTHER_MPIS='$(foreach mpi,$(OTHER_MPIS),$(mpi)=$(MPICC_$(mpi))=$(MPIEXEC_$(mpi)))' test/run

.PHONY: test test-run test-programs
## test: install missing packages, build, run the tests (TESTS=pattern: only some)
test: deps-test
	+@$(IN_PARALLEL) DEVELOPER= test-run
test-programs: all examples $(MPI_PROGRAMS) $(BUILD)/test/mpi/yield.so \
	$(MPIS:%=$(BUILD)/test/mpi/count_calls-%.so) $(BUILD)/test/mpi/count_calls.so
test-run: test-programs unit-tests
	@$(RUN_TESTS) $(TESTS)
.PHONY: check
## check: run the quick tests of libraries and commands, in a minute
check: all unit-tests
	@BUILD='$(abspath $(BUILD))' test/run --quick $(TESTS)
.PHONY: unit-tests
unit-tests: $(UNIT_TESTS) $(USAGE_SYNTH)

.PHONY: test-apps
## test-apps: trace installed programs of Debian's packages (see deps-apps)
test-apps: all $(BUILD)/test/mpi/yield.so
	@mkdir -p $(BUILD)/test && rm -f $(BUILD)/test/apps.figures
	@BUILD='$(abspath $(BUILD))' test/run $(or $(TESTS:%=test/apps/%),test/apps/)
	@test/apps/figures $(BUILD)/test/apps.figures

.PHONY: test-browser
## test-browser: open reports in headless Chromium (see deps-browser)
test-browser: all $(BUILD)/examples/cg $(BUILD)/test/mpi/yield.so $(USAGE_SYNTH)
	@$(RUN_TESTS) $(or $(TESTS:%=test/browser/%),test/browser/)

# Tests whose number of programs comes from the environment.
LONG_UNIT_TESTS = $(addprefix $(BUILD)/test/unit/,llamp/test_advice_steps llamp/test_tradeoff llamp/test_tolerance_orders llamp/test_engines \
	llamp/test_resources_random llamp/test_slack \
	critpath/test_walk_random critpath/test_causes_random critpath/test_group_parts usage/test_job_log usage/test_node_file)
# Tests that only test-long runs.
ONLY_LONG_TESTS = $(patsubst %.c,$(BUILD)/%,$(shell grep -l '^/\* runs:.* only-long' $(wildcard test/unit/*/test_*.c)))
# Tests that start threads.
THREAD_TESTS = $(addprefix $(BUILD)/threads/test/unit/,common/test_parallel common/test_parallel_rounds critpath/test_study \
	goal/test_goal_match llamp/test_cost_writer llamp/test_curve llamp/test_lexicographic_keys llamp/test_traversal \
	trace/test_flow_merge trace/test_flow_rank)
.PHONY: thread-tests
## thread-tests: build tests that start threads with the thread sanitizer, in build/threads/test/unit, to run one by one
thread-tests:
	@$(MAKE) --no-print-directory DEVELOPER= THREADS=1 $(THREAD_TESTS)

.PHONY: test-long
## test-long: test with sanitizers, longer, with all MPIs, and against simulators, SMPI too (see deps-long)
test-long: test-programs $(LONG_UNIT_TESTS) $(ONLY_LONG_TESTS) $(BENCHMARKS) $(USAGE_SYNTH)
	@$(MAKE) --no-print-directory DEVELOPER=1 commands tracer injector unit-tests
	@$(RUN_TESTS) --long $(TESTS)

.PHONY: format
## format: format the C files that differ from the last commit (FILES=...: these files)
format:
	$(Q)files="$(or $(FILES),$(shell git diff --name-only --diff-filter=d HEAD -- '*.c' '*.h'))"; \
		[ -z "$$files" ] || clang-format -i $$files

.PHONY: bench
## bench: measure and print ratios within one run
bench: all examples $(BENCHMARKS) $(USAGE_SYNTH) $(BUILD)/test/mpi/yield.so $(BUILD)/test/mpi/count_calls-$(MPI).so
	@BUILD='$(abspath $(BUILD))' MPI='$(MPI)' MPIEXEC='$(MPIEXEC)' bench/run

.PHONY: changes
## changes: compare what advised changes gain with programs that are changed; UPDATE=1 writes doc/validation.md
changes: all examples $(BUILD)/test/mpi/yield.so $(foreach mpi,$(OTHER_MPIS),$(call mpi_programs,examples,$(BUILD)/$(mpi)))
	@PATH='$(abspath $(BUILD))/bin':"$$PATH" BUILD='$(abspath $(BUILD))' MPI='$(MPI)' MPIEXEC='$(MPIEXEC)' \
		OTHER_MPIS='$(foreach mpi,$(OTHER_MPIS),$(mpi)=$(MPICC_$(mpi))=$(MPIEXEC_$(mpi)))' \
		bench/changes $(CHANGES)

.PHONY: validation
## validation: compare predictions with runs under injected latencies; UPDATE=1 writes doc/validation.md
validation: all examples $(BUILD)/test/mpi/yield.so $(foreach mpi,$(OTHER_MPIS),\
		$(call mpi_programs,examples,$(BUILD)/$(mpi),$(MPIFORT_$(mpi))))
	@PATH='$(abspath $(BUILD))/bin':"$$PATH" BUILD='$(abspath $(BUILD))' MPI='$(MPI)' MPIEXEC='$(MPIEXEC)' \
		OTHER_MPIS='$(foreach mpi,$(OTHER_MPIS),$(mpi)=$(MPICC_$(mpi))=$(MPIEXEC_$(mpi)))' \
		bench/validation $(PROGRAMS)

# -------------------------------------------------------------- installation
# The commands, the tracer, man pages, documents and examples, completion.  The C libraries are not installed:
# their interfaces may change.

.PHONY: deps deps-test deps-apps deps-browser deps-long install uninstall help clean
## deps: install the libraries and the MPI that the build lacks (Debian, Ubuntu)
deps:
	@$(PROBE_SETTINGS) build-aux/deps.sh
## deps-test: install what the tests need, MPICH and Open MPI among it (Debian, Ubuntu)
deps-test:
	@build-aux/deps.sh build-aux/packages build-aux/packages-test
## deps-apps: install the programs that test-apps traces (Debian, Ubuntu)
deps-apps:
	@build-aux/deps.sh build-aux/packages-apps
## deps-browser: install the browser that test-browser opens reports in (Debian, Ubuntu)
deps-browser:
	@build-aux/deps.sh build-aux/packages-browser
## deps-long: install the simulator that test-long compares with (Debian, Ubuntu)
deps-long:
	@build-aux/deps.sh build-aux/packages-long

sub_commands = $(subst _,-,$(patsubst $1/cmd_%.c,$2-%,$(wildcard $1/cmd_*.c)))
MAN_PAGES = $(COMMANDS) $(call sub_commands,goal,goal) $(call sub_commands,llamp,llamp) \
	$(call sub_commands,measure,llamp-measure) $(call sub_commands,critpath,critpath) \
	$(call sub_commands,eventflow,eventflow) $(call sub_commands,usage,llamp-usage)
MAN_PAGES += $(addprefix critpath-mpi-,path waits causes imbalance efficiency profile) eventflow-mpi-build
TRACERS = llamptrace $(MPIS:%=llamptrace-%)
PROFILERS = llampusage $(MPIS:%=llampusage-%)
INJECTORS = $(if $(UCX),$(MPIS:%=llampinject-%))
DOCUMENTS = README.md NEWS.md $(filter-out %/params,$(wildcard doc/* examples/* examples/params/*))
# The part before the first / is the kind of a file, for which install.sh knows the folder.
INSTALLED = $(COMMANDS:%=bin/%) $(COMMANDS:%=bash/%) $(COMMANDS:%=zsh/%) $(MAN_PAGES:%=man/%.1) $(DOCUMENTS:%=doc/%) \
	$(TRACERS:%=lib/lib%.so) $(MPIS:%=lib/libllamptrace-%.so.$(INTERFACE)) $(TRACERS:%=lib/pkgconfig/%.pc) \
	module/llamp-usage $(PROFILERS:%=lib/lib%.so) $(MPIS:%=lib/libllampusage-%.so.$(INTERFACE)) $(PROFILERS:%=lib/pkgconfig/%.pc) \
	$(INJECTORS:%=lib/lib%.so) lib/llamp/llamp-sites $(foreach program,$(PROGRAMS),lib/llamp/$(program) $(MPIS:%=lib/llamp/$(program)-%))
INSTALL = BUILD='$(BUILD)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' MANDIR='$(MANDIR)' \
	DOCDIR='$(DOCDIR)' DATADIR='$(DATADIR)' build-aux/install.sh

## install: install below $(DESTDIR)$(PREFIX)
install: all
	$(Q)$(INSTALL) $(INSTALLED)

## uninstall: remove the files of install
uninstall:
	$(Q)$(INSTALL) --remove

VERSION = $(shell sed -n 's/.*PROJECT_VERSION "\(.*\)"/\1/p' common/version.h)
.PHONY: dist
## dist: write the last commit as llamp-VERSION.tar.gz, the same bytes each time
dist:
	@mkdir -p $(BUILD)
	$(Q)git archive --format=tar --prefix=llamp-$(VERSION)/ HEAD | gzip -9n >$(BUILD)/llamp-$(VERSION).tar.gz
	$(say) DIST $(BUILD)/llamp-$(VERSION).tar.gz

## help: list the targets
help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST) | sort

## clean: remove all output
clean:
	rm -rf $(BUILD)

.DELETE_ON_ERROR:
.SECONDARY:
-include $(shell find $(addprefix $(BUILD)/,obj examples test bench $(MPIS)) -name '*.d' 2>/dev/null)
