# Sourced by mvnw and sdp4j: sets and exports JAVA_HOME to a JDK 25 or newer, or says how to give one and exits with 69.
# Looks at SDP4J_JAVA_HOME, JAVA_HOME, the java on PATH, then the usual installation folders; the first that fits wins.

sdp4j_wanted=25

# Prints the feature version of the JDK in folder $1, from its release file; nothing if it is no JDK.
sdp4j_jdk_feature() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

sdp4j_fits() {
  sdp4j_feature=$(sdp4j_jdk_feature "$1")
  [ -n "$sdp4j_feature" ] && [ "$sdp4j_feature" -ge "$sdp4j_wanted" ]
}

sdp4j_find_jdk() {
  for sdp4j_home in "${SDP4J_JAVA_HOME-}" "${JAVA_HOME-}"; do
    if [ -n "$sdp4j_home" ] && sdp4j_fits "$sdp4j_home"; then
      JAVA_HOME=$sdp4j_home
      return 0
    fi
  done
  sdp4j_java=$(command -v java 2>/dev/null) || sdp4j_java=
  if [ -n "$sdp4j_java" ]; then
    sdp4j_java=$(readlink -f "$sdp4j_java" 2>/dev/null || echo "$sdp4j_java")
    sdp4j_home=${sdp4j_java%/bin/java}
    if sdp4j_fits "$sdp4j_home"; then
      JAVA_HOME=$sdp4j_home
      return 0
    fi
  fi
  set +f # the callers switch globbing off; here it is wanted
  for sdp4j_home in /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/*jdk* \
    "${HOME-}"/.sdkman/candidates/java/* "${HOME-}"/.jdks/* "${HOME-}"/.local/share/mise/installs/java/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if sdp4j_fits "$sdp4j_home"; then
      JAVA_HOME=$sdp4j_home
      return 0
    fi
  done
  return 1
}

if sdp4j_find_jdk; then
  export JAVA_HOME
else
  echo "sdp4j needs a JDK $sdp4j_wanted or newer and found none: install one, or set JAVA_HOME (or SDP4J_JAVA_HOME) to its folder." >&2
  exit 69
fi
