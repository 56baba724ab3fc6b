/**
 * The programs the two-JVM benchmark measures: plain java.net and java.nio, the same on both sides
 * of every comparison, started with or without the agent by {@link io.sdp4j.bench.BenchMain}.
 */
package io.sdp4j.bench.net;
