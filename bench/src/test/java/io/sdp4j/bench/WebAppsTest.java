package io.sdp4j.bench;

/** All other programs: web servers. */
class WebAppsTest extends AppsContract {
    @Override
    boolean has(Row row) {
        return !StoreAppsTest.PROGRAMS.contains(row.id())
                && !MessageAppsTest.PROGRAMS.contains(row.id())
                && !row.id().startsWith("hdfs-");
    }
}
