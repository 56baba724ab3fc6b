/**
 * The code that touches the internals of the JDK's sockets and channels; its neighbour {@code
 * offload.nio} does so, too. It uses classes that it defines in the JDK's packages ({@code
 * src/jdk}), and handles for members that are private there. If a JDK lacks something, a self-test
 * says so, and no linkage error occurs.
 *
 * <p>Access it needs, for the module {@code io.sdp4j.offload}: {@code java.net}, {@code sun.nio.ch}
 * and {@code java.nio.channels.spi} open, and {@code jdk.internal.access} exported.
 */
package io.sdp4j.offload.jdk;
