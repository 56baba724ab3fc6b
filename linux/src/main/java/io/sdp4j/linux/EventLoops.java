package io.sdp4j.linux;

import java.nio.channels.spi.SelectorProvider;
import java.util.function.Consumer;

/** Makes event loops. */
public final class EventLoops {
    private EventLoops() {}

    /**
     * A loop whose one daemon thread starts at its first use. Over epoll if native access is
     * granted and allowed, otherwise over a JDK selector.
     *
     * @param name of the thread
     * @param allowNative false keeps it from native calls even where they are granted
     * @param sink told what tasks and handlers throw; must not throw
     */
    public static EventLoop start(String name, boolean allowNative, Consumer<Throwable> sink) {
        return start(name, allowNative, sink, null);
    }

    /**
     * As {@link #start(String, boolean, Consumer)}.
     *
     * @param provider where selectors and channels of a loop without native calls come from; null =
     *     the system-wide one, which must not be an intercepting one
     */
    public static EventLoop start(
            String name, boolean allowNative, Consumer<Throwable> sink, SelectorProvider provider) {
        if (allowNative && NativeAccess.granted()) {
            return new EpollLoop(name, sink);
        }
        return new SelectorLoop(
                name, sink, provider == null ? SelectorProvider.provider() : provider);
    }
}
