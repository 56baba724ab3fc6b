package io.sdp4j.offload.net;

import io.sdp4j.offload.jdk.KernelSocket;
import java.io.IOException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options an application has set on a socket, so that another kernel socket can take its place.
 *
 * <p>Shape: key (the number of a legacy option or a {@link SocketOption}) to the last value, in the
 * order of setting. Guarded by the socket's state lock.
 */
final class OptionLog {
    private final Map<Object, Object> values = new LinkedHashMap<>();

    void put(Object key, Object value) {
        values.remove(key);
        values.put(key, value);
    }

    /** The receive buffer size that was asked for, or null: accepted sockets inherit it. */
    Integer receiveBuffer() {
        Object value =
                values.getOrDefault(
                        StandardSocketOptions.SO_RCVBUF, values.get(SocketOptions.SO_RCVBUF));
        return value instanceof Integer size ? size : null;
    }

    void applyTo(KernelSocket target) throws IOException {
        for (Map.Entry<Object, Object> e : values.entrySet()) {
            if (e.getKey() instanceof Integer id) {
                target.setOption(id, e.getValue());
            } else {
                apply(target, (SocketOption<?>) e.getKey(), e.getValue());
            }
        }
    }

    private static <T> void apply(KernelSocket target, SocketOption<T> name, Object value)
            throws IOException {
        target.setOption(name, name.type().cast(value));
    }
}
