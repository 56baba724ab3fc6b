package io.sdp4j.bench;

import java.util.List;
import java.util.stream.Stream;

/** Applications of other vendors, from their first request on. */
final class AppsRows {
    private static final String BARS =
            """
              faster requests-first DEFAULTS TCP 0.8; faster requests-next DEFAULTS TCP 0.97
              faster requests-last DEFAULTS TCP 1; timesAsLong p50-first DEFAULTS TCP 1.25
              timesAsLong p50-last DEFAULTS TCP 1.03; timesAsLong p99-first DEFAULTS TCP 1.25
              timesAsLong p99-last DEFAULTS TCP 1.25; timesAsLong cpu-first DEFAULTS TCP 1.25
              timesAsLong cpu-next DEFAULTS TCP 1.03; timesAsLong cpu-last DEFAULTS TCP 1
              moreByAtMost start DEFAULTS TCP 100
            """;

    private static final List<Row> JETTY =
            List.of(
                    row("http1", "HttpClient to Jetty, HTTP/1.1, 100 B", "jetty 100 1"),
                    row("http1-16", "the same, 16 at a time", "jetty 100 16"),
                    row("http2-16", "the same, HTTP/2", "jetty-http2 100 16"),
                    row("get", "HttpClient to Jetty, GET of 4 MiB", "jetty 4194304 1"),
                    row("post", "HttpClient to Jetty, POST of 4 MiB", "jetty-post 4194304 1"));

    private static final List<Row> OTHERS =
            List.of(
                    row("grpc", "gRPC on Netty's NIO, 100 B there and back", "grpc 100 1"),
                    row("grpc-16", "gRPC, 16 calls of 100 B at a time", "grpc 100 16"),
                    row("grpc-bulk", "gRPC, 1 MiB there and back", "grpc 1048576 1"),
                    row("h2", "H2 in server mode, a row of 100 B by its key", "h2 100 1"),
                    row("h2-16", "H2, 16 connections", "h2 100 16"),
                    row("h2-bulk", "H2, a row of 1 MiB", "h2 1048576 1"),
                    row("rmi", "RMI, 100 B there and back", "rmi 100 1"),
                    row("rmi-16", "RMI, 16 connections", "rmi 100 16"),
                    row("rmi-bulk", "RMI, 1 MiB there and back", "rmi 1048576 1"),
                    row("activemq", "ActiveMQ, 100 B through a queue", "activemq 100 1"),
                    row("activemq-16", "ActiveMQ, 16 connections", "activemq 100 16"),
                    row("activemq-bulk", "ActiveMQ, 1 MiB through a queue", "activemq 1048576 1"),
                    row("zookeeper", "ZooKeeper, a node of 100 B", "zookeeper 100 1"),
                    row("zookeeper-16", "ZooKeeper, 16 sessions", "zookeeper 100 16"),
                    row("zookeeper-bulk", "ZooKeeper, a node of 512 KiB", "zookeeper 524288 1"),
                    row("kafka", "Kafka, records of 100 B, one by one", "kafka 100 1"),
                    row("kafka-16", "Kafka, 16 records at a time", "kafka 100 16"),
                    row("hazelcast", "Hazelcast, an entry of 100 B", "hazelcast 100 1"),
                    row("hazelcast-16", "Hazelcast, 16 clients", "hazelcast 100 16"),
                    row("hazelcast-bulk", "Hazelcast, an entry of 1 MiB", "hazelcast 1048576 1"),
                    row("jgroups", "JGroups on TCP, 100 B there and back", "jgroups 100 1"),
                    row("jgroups-16", "the same, 16 at a time", "jgroups 100 16"),
                    row("jgroups-bulk", "the same, 1 MiB", "jgroups 1048576 1"),
                    row("jgroups-nio", "JGroups on TCP_NIO2, 100 B", "jgroups-nio 100 1"),
                    row("jgroups-nio-16", "the same, 16 at a time", "jgroups-nio 100 16"),
                    row("jgroups-nio-bulk", "the same, 1 MiB", "jgroups-nio 1048576 1"),
                    row("ratis", "Ratis on gRPC, queries of 100 B", "ratis 100 1"),
                    row("ratis-16", "Ratis, 16 clients", "ratis 100 16"),
                    row("ratis-bulk", "Ratis, queries of 1 MiB", "ratis 1048576 1"),
                    row("hdfs", "HDFS, the length of a file", "hdfs 100 1"),
                    row("hdfs-16", "the same, 16 at a time", "hdfs 100 16"),
                    row("hdfs-read", "HDFS, reads of 4 MiB", "hdfs-read 4194304 1"),
                    row("hdfs-write", "HDFS, writes of 64 MiB", "hdfs-write 67108864 1"),
                    row("netty", "Netty, 64 B there and back", "netty 64 1"),
                    row("netty-16", "the same, 16 connections", "netty 64 16"),
                    row("netty-bulk", "Netty, 1 MiB there and back", "netty 1048576 1"));

    static final List<Row> ALL =
            Stream.of(
                            JETTY,
                            web("jdk", "HttpClient to the JDK's HttpServer"),
                            web("tomcat", "HttpClient to Tomcat"),
                            web("vertx", "HttpClient to Vert.x"),
                            web("helidon", "HttpClient to Helidon"),
                            web("spring", "WebClient to Spring Boot"),
                            OTHERS)
                    .flatMap(List::stream)
                    .toList();

    private AppsRows() {}

    /** A web server: small requests, one and 16 at a time, and bulk each way. */
    private static List<Row> web(String id, String between) {
        String to = between + ", ";
        return List.of(
                row(id, to + "100 B", id + " 100 1"),
                row(id + "-16", to + "16 at a time", id + " 100 16"),
                row(id + "-get", to + "GET of 4 MiB", id + " 4194304 1"),
                row(id + "-post", to + "POST of 4 MiB", id + "-post 4194304 1"));
    }

    private static Row row(String id, String title, String work) {
        String first = String.join(" | ", id, "TCP DEFAULTS", "1", work, "requests-last", title);
        return Row.table(first + "\n" + BARS).getFirst();
    }
}
