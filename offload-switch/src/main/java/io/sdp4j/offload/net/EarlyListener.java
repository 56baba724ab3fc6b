package io.sdp4j.offload.net;

import java.net.InetSocketAddress;
import java.net.SocketImpl;
import java.util.Map;

/**
 * A listener that listened before the switch had started.
 *
 * @param platform the JDK's own implementation
 * @param backlog at least 1
 * @param bound what the application asked to bind to
 * @param options the options that were set, as {@link OptionLog} has them; null if none was
 * @param timeoutMillis SO_TIMEOUT; the platform's may be shorter for a thread that accepts
 */
public record EarlyListener(
        SocketImpl platform,
        int backlog,
        InetSocketAddress bound,
        Map<?, ?> options,
        int timeoutMillis) {

    /** The listener that a map describes: names of the components to their values. */
    public static EarlyListener of(Map<String, Object> state) {
        return new EarlyListener(
                (SocketImpl) state.get("platform"),
                (int) state.get("backlog"),
                (InetSocketAddress) state.get("bound"),
                (Map<?, ?>) state.get("options"),
                (int) state.get("timeout"));
    }
}
