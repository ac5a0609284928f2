#!/bin/bash -eu
# What OSS-Fuzz and ClusterFuzzLite run in their image: leaves each fuzz target in $OUT with its seed corpus, dictionary
# and options. The compiler flags are Fuzz/build's: those in $SWIFTFLAGS come to two -sanitize flags, of which one
# counts. The image's variables say where things go and what for; see docs "Build script environment" there.
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
for name in SRC OUT WORK SANITIZER FUZZING_ENGINE; do
  [ -n "${!name-}" ] || { echo "build.sh: $name is not set: run it in the image, or as .ci/oss-fuzz does" >&2; exit 2; }
done
[ "$FUZZING_ENGINE" = libfuzzer ] || { echo "build.sh: Swift has libFuzzer alone, not $FUZZING_ENGINE" >&2; exit 2; }
# The flags that the image has for C would instrument the step counter, which must not be.
unset CFLAGS CXXFLAGS
case $SANITIZER in
  address) ./build; programs=.build-fuzz/release ;;
  coverage) ./build --coverage; programs=.build-coverage/debug ;;
  *) echo "build.sh: Swift is built with address or coverage, not $SANITIZER" >&2; exit 2 ;;
esac

for folder in Sources/Fuzz*; do
  target=$(basename "$folder")
  case $target in *Canary) continue ;; esac  # they fail, or do nothing, by design
  cp "$programs/$target" "$OUT/"
  if [ -f "$target.dict" ]; then cp "$target.dict" "$OUT/$target.dict"; else cp sse.dict "$OUT/$target.dict"; fi
  cat > "$OUT/$target.options" <<OPTIONS
[libfuzzer]
max_len = 4096
[asan]
handle_sigill = 1
OPTIONS
  # Inputs of all kinds in one: each target makes of them what it can. A list, so that the archive is always the same.
  rm -f "$OUT/${target}_seed_corpus.zip"
  (cd ../Corpus && find seeds regressions -type f | LC_ALL=C sort | zip -q -X -j -@ "$OUT/${target}_seed_corpus.zip")
done
