package io.sdp4j.linux;

import java.util.function.Consumer;

/** Makes event loops. */
public final class EventLoops {
    private EventLoops() {}

    /**
     * A loop whose one daemon thread starts at its first use: an {@link EpollLoop} if native access
     * is granted, otherwise one that knows tasks and timers only.
     *
     * @param name of the thread
     * @param sink told what tasks and handlers throw; must not throw
     */
    public static EventLoop start(String name, Consumer<Throwable> sink) {
        return NativeAccess.granted() ? new EpollLoop(name, sink) : new ParkingLoop(name, sink);
    }
}
