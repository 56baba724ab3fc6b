# shellcheck shell=bash
# What the checks of speed share: rows of `bench verbs`, beside each other in one boot.
set -euo pipefail

# shellcheck source=../../build/find-jdk.sh
. build/find-jdk.sh

# speed ROW,... [OPTION...]: fails where a bar is missed.
speed() {
  local rows=$1
  shift
  # Built here, because the host of the lab has no network and writes nothing; once in a run of checks.
  if [ ! -e "$LAB_SESSION/bench" ]; then
    ./mvnw -q -pl agent,bench -am -DskipTests package
    : >"$LAB_SESSION/bench"
  fi
  # User-mode Linux hands the host's one processor over between processes of this machine: where that wakes another
  # processor each time, it costs more than most of what is measured, and differently from minute to minute.
  local processor module bare=
  for module in linux fabric fabric-verbs; do bare+=$PWD/$module/target/classes:; done
  processor=$(taskset -cp $$ | sed 's/.*[^0-9]//')
  taskset -c "$processor" "$LAB_DIR/run" --quiet --memory 4096 --timeout 1080 -- \
    "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
    -cp "bench/target/sdp4j-bench.jar:bench/target/lib/*" io.sdp4j.bench.BenchMain verbs --rows "$rows" --agent agent/target/sdp4j-agent.jar \
    --bare "$bare$PWD/fabric-verbs/target/test-classes" "$@"
}
