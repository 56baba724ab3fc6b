package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;

/**
 * Waits with the JDK's own means.
 *
 * <p>Waited for as the JDK waits for its own sockets, so that virtual threads park.
 */
final class EpollWaiter implements ListenWaiter {
    private final FileDescriptor listening;
    private final ReadinessEpoll epoll;

    /**
     * @param listening of the kernel's listener, which stays the caller's
     */
    EpollWaiter(FileDescriptor listening) throws IOException {
        this.listening = listening;
        epoll = new ReadinessEpoll(JdkBridge.value(listening));
    }

    @Override
    public void signal() {
        epoll.raise();
    }

    @Override
    public void consume() {
        epoll.lower();
    }

    @Override
    public boolean kernelReady() throws IOException {
        return JdkBridge.readable(listening);
    }

    @Override
    public void await(long nanos) throws IOException {
        JdkBridge.park(epoll.descriptor(), epoll.value(), nanos, () -> true);
    }

    @Override
    public void close() throws IOException {
        epoll.close();
    }
}
