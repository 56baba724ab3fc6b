/**
 * {@code java.nio.channels} on top of the switch: stream-socket channels that register with the
 * JDK's own selectors.
 *
 * <p>Nothing here may be loaded before {@link io.sdp4j.offload.jdk.ChannelBridge#selfTest} has
 * found no problem: the classes extend and implement what {@code sun.nio.ch} exports to this module
 * only when asked to.
 */
package io.sdp4j.offload.nio;
