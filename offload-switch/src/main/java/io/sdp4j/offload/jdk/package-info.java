/**
 * The only code that touches the JDK's internals, all of it through method handles, so that a JDK
 * that lacks something is told by a self-test and not by a linkage error.
 *
 * <p>Access it needs, for the module {@code io.sdp4j.offload}: {@code java.net} and {@code
 * sun.nio.ch} open, {@code jdk.internal.access} exported.
 */
package io.sdp4j.offload.jdk;
