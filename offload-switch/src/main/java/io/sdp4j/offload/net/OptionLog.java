package io.sdp4j.offload.net;

import io.sdp4j.offload.jdk.KernelSocket;
import java.io.IOException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options that an application has set on a socket; applied to a kernel socket that takes its
 * place.
 *
 * <p>Shape: key (the number of a legacy option or a {@link SocketOption}) to the last value, in the
 * order of setting. Guarded by the socket's state lock.
 */
public final class OptionLog {
    private final Map<Object, Object> values = new LinkedHashMap<>();

    /** No option is set yet. */
    public OptionLog() {}

    /** The options that were set before. */
    OptionLog(Map<?, ?> set) {
        values.putAll(set);
    }

    OptionLog copy() {
        return new OptionLog(values);
    }

    public void put(Object key, Object value) {
        values.remove(key);
        values.put(key, value);
    }

    /** Whether {@code name} was set, and last to true. */
    public boolean isOn(SocketOption<Boolean> name) {
        return Boolean.TRUE.equals(values.get(name));
    }

    void applyTo(KernelSocket target) throws IOException {
        for (Map.Entry<Object, Object> e : values.entrySet()) {
            if (e.getKey() instanceof Integer id) {
                target.setOption(id, e.getValue());
            } else {
                apply(target::setOption, (SocketOption<?>) e.getKey(), e.getValue());
            }
        }
    }

    /** Sets the options on a channel; none of them was set by number. */
    public void applyTo(NetworkChannel target) throws IOException {
        for (Map.Entry<Object, Object> e : values.entrySet()) {
            apply(target::setOption, (SocketOption<?>) e.getKey(), e.getValue());
        }
    }

    private interface Target {
        <T> void set(SocketOption<T> name, T value) throws IOException;
    }

    private static <T> void apply(Target target, SocketOption<T> name, Object value)
            throws IOException {
        target.set(name, name.type().cast(value));
    }
}
