package io.sdp4j.bench;

import static io.sdp4j.bench.Config.AT_CONNECT;
import static io.sdp4j.bench.Config.DEFAULTS;
import static io.sdp4j.bench.Config.TCP;

import java.util.List;

/** Applications of other vendors, from their first request on. */
final class AppsRows {
    private static final String LATER = "requests-later";

    static final List<Row> ALL =
            List.of(
                    row("http1", "HttpClient to Jetty, HTTP/1.1, 100 B", "http1 100 1"),
                    row("http1-16", "the same, 16 at a time", "http1 100 16"),
                    row("http2-16", "the same, HTTP/2", "http2 100 16"),
                    row("get", "HttpClient to Jetty, GET of 4 MiB", "http1 4194304 1"),
                    row("post", "HttpClient to Jetty, POST of 4 MiB", "post 4194304 1"),
                    row("netty", "Netty, 64 B there and back", "netty 64 1"),
                    row("netty-16", "the same, 16 connections", "netty 64 16"),
                    row("netty-bulk", "Netty, 1 MiB there and back", "netty 1048576 1"));

    private AppsRows() {}

    private static Row row(String id, String title, String work) {
        return new Row(
                id,
                title,
                work,
                LATER,
                List.of(TCP, DEFAULTS, AT_CONNECT),
                1,
                List.of(
                        Bar.faster("requests-first", DEFAULTS, TCP, 0.8),
                        Bar.faster(LATER, DEFAULTS, TCP, 0.97),
                        Bar.timesAsLong("cpu-first", DEFAULTS, TCP, 1.25),
                        Bar.timesAsLong("cpu-later", DEFAULTS, TCP, 1.03),
                        Bar.faster("requests-first", AT_CONNECT, TCP, 0.8),
                        Bar.faster(LATER, AT_CONNECT, TCP, 1)));
    }
}
