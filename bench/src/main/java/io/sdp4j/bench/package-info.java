/**
 * Benchmarks beside kernel TCP and UNIX-domain sockets; start at {@link io.sdp4j.bench.BenchMain}.
 */
package io.sdp4j.bench;
