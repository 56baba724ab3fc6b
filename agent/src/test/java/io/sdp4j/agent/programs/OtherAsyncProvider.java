package io.sdp4j.agent.programs;

import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;

/** Somebody else's provider, which cannot do anything. */
public final class OtherAsyncProvider extends AsynchronousChannelProvider {
    public OtherAsyncProvider() {}

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(
            int threads, ThreadFactory factory) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(
            ExecutorService executor, int initialSize) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(
            AsynchronousChannelGroup group) {
        throw new UnsupportedOperationException();
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(AsynchronousChannelGroup group) {
        throw new UnsupportedOperationException();
    }
}
