# shellcheck shell=bash
# What the checks that run Java share, read after check.sh. All that they need is built and looked up before a host boots:
# there it has no network and writes nothing.

repository=$(cd "$LAB_DIR/.." && pwd -P)
# shellcheck source=../../build/find-jdk.sh
. "$repository/build/find-jdk.sh"

# On the one CPU of a host.
java=("$JAVA_HOME/bin/java" -ea -Xmx400m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED)

programs=()
agent_jar=$repository/agent/target/sdp4j-agent.jar

# The classes and tests of all modules, what each needs in target/lab.classpath, and the agent: once in a run of checks.
build_java() {
  [ ! -e "$LAB_SESSION/java" ] || return 0
  (cd "$repository" && ./mvnw -q -pl agent -am -DskipTests -Dspotless.check.skip=true package \
    dependency:build-classpath -Dmdep.outputFile=target/lab.classpath -Dmdep.includeScope=test </dev/null) ||
    wrong "the build failed"
  : >"$LAB_SESSION/java"
}

# Sets programs to the options for those that know nothing of this project: of the agent's tests, samples, other people's.
find_programs() {
  local jars
  build_java
  jars=$(tr ':' '\n' <"$repository/agent/target/lab.classpath" | grep -vF "$repository/" | tr '\n' ':')
  programs=(-cp "$repository/agent/target/test-classes:$repository/samples/target/classes:$jars"
    -Dio.netty.transport.noNative=true --sun-misc-unsafe-memory-access=allow -Dslf4j.internal.verbosity=ERROR)
}

# compile NAME: a program of lab/programs, into $work/classes.
compile() {
  "$JAVA_HOME/bin/javac" -Xlint:all -Werror -d "$work/classes" "$LAB_DIR/programs/$1.java"
}

# on_host NAME: a script of standard input for a host, $work/NAME, with `java`, `programs`, and the functions below.
on_host() {
  {
    echo 'set -euo pipefail'
    declare -p java agent_jar work programs
    declare -f with_agent offered
    cat
  } >"$work/$1"
}

# with_agent NAME [OPTIONS]: sets jvm to the command of a JVM with the agent, which reads the rules $work/NAME.rules, uses
# RDMA only, never gives up early, and leaves $LAB_OUT/NAME.json and NAME.log. OPTIONS are more of the agent's.
# shellcheck disable=SC2317,SC2034 # called on a host, where jvm is read
with_agent() {
  local options=policy=$work/$1.rules,report=$LAB_OUT/$1.json,log.level=info,log.file=$LAB_OUT/$1.log
  options+=,verbs.enabled=true,shm.enabled=false,verbs.connect.timeout.ms=30000,connect.timeout.ms=60000
  jvm=("${java[@]}" "-javaagent:$agent_jar=$options${2:+,$2}")
}

# offered: waits until this host listens on RDMA, too.
# shellcheck disable=SC2317 # called on a host
offered() {
  until rdma resource show cm_id | grep -q LISTEN; do read -rt 0.1 <>/run/never || true; done
}

# reported NAME SECTION: a number of the report of the JVM NAME, 0 if it is not there. SECTION is "connections",
# "accepted", "policy", "fallback", "kernel", "read" or "written".
reported() {
  local text pattern
  text=$(<"$work/out/$1.json")
  case $2 in
    connections | accepted) pattern='.*"'$2'":{"offloaded":{[^}]*"verbs":\([0-9]*\).*' ;;
    kernel) pattern='.*"accepted":{"offloaded":{[^}]*},"kernel":\([0-9]*\).*' ;;
    *) pattern='.*"'$2'":\([0-9]*\).*' ;;
  esac
  sed -n "s/$pattern/\1/p" <<<"$text" | grep . || echo 0
}
