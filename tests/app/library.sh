#!/bin/sh
# tests/app/library.sh BUILD FOLDER: what is installed can be used by others, from another folder, in C,
# C++ and Python, and leaves nothing behind.  Says what is wrong; the last line is "library: ok".
set -eu
build=$1 folder=$(realpath "$2")/installed
prefix=/opt/supple stage=$folder/stage
fail() { echo "library: $*"; exit 1; }
rm -rf "$folder"; mkdir -p "$folder"
PREFIX=$prefix DESTDIR=$stage sh .ci/install "$build" >"$folder/log" || fail "$(cat "$folder/log")"
at=$stage$prefix

# Only the names of supple.h are global; nothing is missing in the headers.
for lib in supple supple-core; do
  for names in "nm -g --defined-only $at/lib/lib$lib.a" "nm -D --defined-only $at/lib/lib$lib.so"; do
    $names | awk 'NF == 3 { print $3 }' | sort -u >"$folder/names"
    [ "$(wc -l <"$folder/names")" -gt 60 ] || fail "$lib has few names"
    while read -r name; do
      grep -qrw "$name" "$at/include" || fail "$names: '$name' is in no header"
    done <"$folder/names"
  done
done
nm -g --defined-only "$at/lib/libsupple-parsers.a" | awk 'NF == 3 { print $3 }' | while read -r name; do
  grep -qrw "$name" "$at/include" || fail "supple-parsers: '$name' is in no header"
done
! nm -u "$at/lib/libsupple-core.a" | grep -E ' (yaml_|xml[A-Z])' || fail "supple-core calls a parser"
readelf -d "$at/lib/libsupple.so" | grep -q 'soname: \[libsupple.so.0\]' || fail "no soname"
! ldd "$at/lib/libsupple-core.so" | grep -E 'libyaml|libxml2' || fail "supple-core needs a parser"

# Both programs, shared and static, as the package files say; outside of the checkout.
export PKG_CONFIG_PATH="$at/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$stage" LD_LIBRARY_PATH="$at/lib"
examples=$at/share/supple/examples
# The man page has every function.
/usr/bin/python3 .ci/manual "$build/supple" "$folder/share"
nm -D --defined-only "$at/lib/libsupple.so" | awk '$2 == "T" { print $3 }' | grep -v sup_scene_read | while read -r name; do
  sed 's/\\//g' "$folder/share/man/man3/libsupple.3" | grep -qw "$name" || fail "libsupple.3 lacks $name"
done
cd "$folder"
build_one() { # NAME PACKAGE HOW
  # shellcheck disable=SC2046
  cc -Wall -Wextra -Werror "$examples/library/$1.c" $(pkg-config $3 --cflags --libs "$2") -lm -o "$1"
}
build_one cube supple-core ''
./cube >cube.out
grep -q '^the floor carries 0.0863 N of 0.0863 N' cube.out || fail "$(cat cube.out)"
mkdir -p static && ln -sf "$at/lib/libsupple-core.a" "$at/lib/libsupple-parsers.a" "$at/lib/libsupple.a" static/
# shellcheck disable=SC2046
cc "$examples/library/cube.c" $(pkg-config --cflags supple-core) -Lstatic \
  $(pkg-config --static --libs-only-l supple-core) -fopenmp -lm -o cube_static
! ldd cube_static | grep -q libsupple || fail "the static program is not"
./cube_static | cmp - cube.out || fail "another result with the static library"
build_one grasp supple ''
OMP_NUM_THREADS=1 ./grasp "$examples/finray_grasp.yaml" 150 >grasp.out
awk '{ exit !($7 > 1.5 && $7 < 2.5 && $10 > 1.5 && $10 < 2.5) }' grasp.out || fail "$(cat grasp.out)"
# Without the archive of parsers a scene is refused by name; with it the grasp has the same bits.
# shellcheck disable=SC2046
cc "$examples/library/grasp.c" $(pkg-config --cflags --libs supple-parsers) -lm -o split
OMP_NUM_THREADS=1 ./split "$examples/finray_grasp.yaml" 3 >split.out
OMP_NUM_THREADS=1 ./grasp "$examples/finray_grasp.yaml" 3 | cmp - split.out || fail "$(cat split.out)"
cat >bare.c <<'EOF'
#include <stdio.h>
#include <supple.h>
#include <supple/parsers.h>
int main(int argc, char **argv) {
  sup_scene *scene;
  if (argc < 2 || sup_scene_read(&scene, argv[1], NULL, 0) != SUP_E_EXTERNAL) return 1;
  puts(sup_error_message());
  return 0;
}
EOF
# shellcheck disable=SC2046
cc bare.c $(pkg-config --cflags supple-core) -Lstatic \
  $(pkg-config --static --libs-only-l supple-core) -fopenmp -lm -o bare
./bare "$examples/finray_grasp.yaml" | grep -q 'linked without libsupple-parsers' || fail "no parsers: $(./bare x)"
echo '#include <supple.h>
#include <supple/parsers.h>
int main() { return sup_default_options().dt > 0 ? 0 : 1; }' >plus.cpp
# shellcheck disable=SC2046
g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror plus.cpp $(pkg-config --cflags --libs supple) -o plus && ./plus

# The same grasp through Python, with the same bits.
unset LD_LIBRARY_PATH
PYTHONPATH=$at/lib/python3/dist-packages OMP_NUM_THREADS=1 \
  /usr/bin/python3 "$examples/library/grasp.py" "$examples/finray_grasp.yaml" 150 >python.out ||
  fail "python: $(cat python.out)"
[ "$(sed 's/.*hash//' grasp.out)" = "$(sed 's/.*hash//' python.out)" ] ||
  fail "C and Python differ: $(cat grasp.out python.out)"
PYTHONPATH=$at/lib/python3/dist-packages /usr/bin/python3 "$3" "$examples" || fail "see above"

# A wheel carries the library, whose names are those of the headers, and serves from its own folder.
cd - >/dev/null
if /usr/bin/python3 -c 'import setuptools, wheel, venv' 2>/dev/null; then
  mkdir "$folder/wheel" && cp -r postproc materials setup.py Makefile LICENSE "$folder/wheel"
  (cd "$folder/wheel" && SUPPLE_BUILD=$(realpath "$OLDPWD/$build") /usr/bin/python3 setup.py -q bdist_wheel) \
    >"$folder/wheel.log" 2>&1 || fail "$(cat "$folder/wheel.log")"
  name=$(ls "$folder/wheel/dist") && case $name in *-py3-none-linux_*.whl) ;; *) fail "wheel $name" ;; esac
  /usr/bin/python3 -m zipfile -e "$folder/wheel/dist/$name" "$folder/site"
  nm -D --defined-only "$folder/site/supple/libsupple.so.0" | awk '$2 ~ /[TDRB]/ && $3 !~ /^sup_/' | grep . &&
    fail "the library of the wheel has other names"
  (cd "$folder" && PYTHONPATH=$folder/site /usr/bin/python3 -c 'import supple
assert supple.library.lib._name.startswith(supple.__path__[0]), supple.library.lib._name
scene = supple.Scene(time={"step": "1 ms", "end": 1}, materials=["tpu.yaml"])
scene.soft("a", mesh={"box": {"size": 3 * ["1 cm"], "cells": [1, 1, 1]}}, material="tpu_85a")
scene.simulator().step()') || fail "the wheel does not serve"
fi

PREFIX=$prefix DESTDIR=$stage sh .ci/install "$build" --remove >/dev/null
left=$(find "$stage" -type f -o -type l | head -n 3)
[ -z "$left" ] || fail "uninstall leaves $left"
echo "library: ok"
