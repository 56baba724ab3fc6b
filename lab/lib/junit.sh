# shellcheck shell=bash
# For checks that run JUnit classes on a host of the lab. Sourced first.
set -euo pipefail

# shellcheck source=../../build/find-jdk.sh
. build/find-jdk.sh

# Options of lab/run, and what on the host starts the JVM.
lab_options=(--quiet)
in_lab=()

# junit MODULE CLASS...: runs test classes of a module there; ends with 1 when a test fails or is skipped, or none ran.
junit() {
  local module=$1 classpath open
  shift
  # Built and resolved here, because the host of the lab has no network and writes nothing.
  classpath=$(mktemp)
  trap 'rm -f "$classpath"' EXIT
  ./mvnw -q -pl "$module" -am -DskipTests test-compile dependency:build-classpath -Dmdep.outputFile="$classpath" \
    -Dmdep.includeScope=test
  # What the module's own build file opens to its tests.
  read -ra open < <(sed -n 's:.*<test.jvm.args>\(.*\)</test.jvm.args>.*:\1:p' "$module/pom.xml")
  "$LAB_DIR/run" "${lab_options[@]}" -- "${in_lab[@]}" "$JAVA_HOME/bin/java" -ea -Xmx512m -XX:+UseSerialGC \
    -XX:TieredStopAtLevel=1 "${open[@]}" \
    -cp "rdma-fabric/target/test-classes:$module/target/classes:$module/target/test-classes:$(<"$classpath")" \
    io.sdp4j.rdma.JUnitMain "$@"
}
