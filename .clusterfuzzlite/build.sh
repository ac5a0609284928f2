#!/bin/bash -eu
# ClusterFuzzLite wants a build.sh here; it is OSS-Fuzz's.
exec bash -eu "$SRC/wiretape/Fuzz/oss-fuzz/build.sh"
