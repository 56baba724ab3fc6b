/** Micro-benchmarks of single parts; {@link io.sdp4j.bench.jmh.JmhMain} runs them. */
package io.sdp4j.bench.jmh;
