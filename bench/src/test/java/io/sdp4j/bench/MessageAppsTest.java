package io.sdp4j.bench;

import java.util.Set;

/** Calls and messages. */
class MessageAppsTest extends AppsContract {
    static final Set<String> PROGRAMS =
            Set.of("grpc", "rmi", "activemq", "kafka", "jgroups", "jgroups-nio", "netty");

    @Override
    boolean has(Row row) {
        return PROGRAMS.contains(row.id());
    }
}
