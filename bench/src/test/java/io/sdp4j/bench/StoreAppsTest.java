package io.sdp4j.bench;

import java.util.Set;

/** Databases, caches and file systems. */
class StoreAppsTest extends AppsContract {
    /** HDFS's reads and writes are the same program, and take some 20 s each. */
    static final Set<String> PROGRAMS = Set.of("h2", "zookeeper", "hazelcast", "ratis", "hdfs");

    @Override
    boolean has(Row row) {
        return PROGRAMS.contains(row.id());
    }
}
