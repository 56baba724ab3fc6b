/**
 * The code that touches the internals of the JDK's sockets and channels, with its neighbour {@code
 * offload.nio}: through classes that it defines in the JDK's packages ({@code src/jdk}), and
 * through handles where something is private there. A JDK that lacks something is told by a
 * self-test and not by a linkage error.
 *
 * <p>Access it needs, for the module {@code io.sdp4j.offload}: {@code java.net}, {@code sun.nio.ch}
 * and {@code java.nio.channels.spi} open, and {@code jdk.internal.access} exported.
 */
package io.sdp4j.offload.jdk;
