package io.sdp4j;

import java.nio.channels.spi.SelectorProvider;

/**
 * Channels that are SDP or fail, for a component that can be given a provider: no rule is asked,
 * nothing falls back to the kernel's TCP.
 *
 * <p>Selectors, datagram channels, pipes and UNIX-domain channels are the JDK's own; a selector of
 * this provider takes every channel of the JDK's, and the JDK's take channels of this one.
 *
 * <p>Needs access to the JDK's channels, which the agent gives to its own copy of this library
 * only: start Java with {@code --add-opens java.base/java.net=io.sdp4j.offload --add-opens
 * java.base/sun.nio.ch=io.sdp4j.offload --add-exports java.base/sun.nio.ch=io.sdp4j.offload
 * --add-opens java.base/java.nio.channels.spi=io.sdp4j.offload}, or with {@code ALL-UNNAMED} in
 * place of the module if this library is on the class path.
 */
public final class SdpSelectorProvider {
    private SdpSelectorProvider() {}

    /**
     * The one provider of this JVM. Thread-safe.
     *
     * @throws IllegalStateException with one sentence for people if that access is missing
     */
    public static SelectorProvider provider() {
        return Sdp.channels();
    }
}
