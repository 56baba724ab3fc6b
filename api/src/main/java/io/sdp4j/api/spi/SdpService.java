package io.sdp4j.api.spi;

import io.sdp4j.api.SdpConfig;
import io.sdp4j.api.SdpProvider;

/**
 * How the API finds its implementation, through {@link java.util.ServiceLoader}. Thread-safe.
 *
 * @since 0.1
 */
public interface SdpService {
    /**
     * A new handle. Opens no descriptor and starts no thread.
     *
     * @param config what differs from the defaults
     * @param closeable false for one that refuses to be closed
     * @return the handle
     * @throws IllegalArgumentException if the configuration has rules that are no good
     * @throws IllegalStateException if the JVM does not give access to the JDK
     */
    SdpProvider open(SdpConfig config, boolean closeable);
}
