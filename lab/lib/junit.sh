# shellcheck shell=bash
# For checks that run JUnit classes on a host of the lab. Sourced first.

# shellcheck source=check.sh
. "$LAB_DIR/lib/check.sh"
# shellcheck source=java.sh
. "$LAB_DIR/lib/java.sh"

# Options of lab/run, and what on the host starts the JVM. Many tests take their time on a busy machine.
lab_options=(--quiet --timeout "$(slow 2200 560)")
in_lab=()

# junit MODULE CLASS...: runs test classes of a module there; ends with 1 when a test fails or is skipped, or none ran.
junit() {
  local own=$1 module open class_path=
  build_java
  # What the module's own build file opens to its tests.
  read -ra open < <(sed -n 's:.*<test.jvm.args>\(.*\)</test.jvm.args>.*:\1:p' "$repository/$own/pom.xml") || open=()
  for module in fabric "$own"; do
    class_path+=$repository/$module/target/classes:$repository/$module/target/test-classes:$(<"$repository/$module/target/lab.classpath"):
  done
  shift
  lab "${lab_options[@]}" -- "${in_lab[@]}" "${java[@]}" "${open[@]}" -cp "$class_path" io.sdp4j.fabric.contract.JUnitMain "$@"
}
