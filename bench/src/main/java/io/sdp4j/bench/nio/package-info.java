/**
 * The programs that the benchmark of channels measures: selector loops on plain java.nio, Netty,
 * and the JDK's HTTP server and client, the same on both sides of every comparison.
 */
package io.sdp4j.bench.nio;
