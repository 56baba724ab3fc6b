package io.sdp4j.offload.net;

import io.sdp4j.offload.Began;
import java.net.InetSocketAddress;
import java.net.SocketImpl;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A socket that was made, and perhaps connected or accepted, before the switch had started.
 *
 * @param platform the JDK's own implementation
 * @param listener the switch's, where it was accepted; null if it was not
 * @param created whether that has a descriptor
 * @param bound what the application asked to bind to, or null
 * @param options the options that were set, as {@link OptionLog} has them; null if none was
 * @param remote where it is connected to, or null
 * @param began if it is connected: how it has gone since
 */
public record EarlySocket(
        SocketImpl platform,
        SwitchSocketImpl listener,
        boolean created,
        InetSocketAddress bound,
        Map<?, ?> options,
        InetSocketAddress remote,
        Began began) {

    /** The socket that a map describes: names of the components to their values. */
    public static EarlySocket of(Map<String, Object> state) {
        return new EarlySocket(
                (SocketImpl) state.get("platform"),
                (SwitchSocketImpl) state.get("listener"),
                (boolean) state.get("created"),
                (InetSocketAddress) state.get("bound"),
                (Map<?, ?>) state.get("options"),
                (InetSocketAddress) state.get("remote"),
                new Began(
                        (ReentrantLock) state.get("readLock"),
                        (ReentrantLock) state.get("writeLock"),
                        (AtomicLong) state.get("sent"),
                        (AtomicLong) state.get("received"),
                        (long) state.get("turns"),
                        (long) state.get("bornNanos")));
    }
}
