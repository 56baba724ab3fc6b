/**
 * {@code java.nio.channels} on top of the switch: stream-socket channels that register with the
 * JDK's own selectors.
 *
 * <p>No class here may be loaded before {@link io.sdp4j.offload.jdk.ChannelBridge#selfTest} has
 * found no problem: the classes extend and implement types that {@code sun.nio.ch} exports to this
 * module only if the module was given that access.
 */
package io.sdp4j.offload.nio;
