package io.sdp4j.agent.programs;

import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;

/** Another vendor's provider, which cannot do anything. */
public final class OtherAsyncProvider extends AsynchronousChannelProvider {
    /** Its answer to everything. */
    public static final String TEXT = "the other provider";

    public OtherAsyncProvider() {}

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(
            int threads, ThreadFactory factory) {
        throw new UnsupportedOperationException(TEXT);
    }

    @Override
    public AsynchronousChannelGroup openAsynchronousChannelGroup(
            ExecutorService executor, int initialSize) {
        throw new UnsupportedOperationException(TEXT);
    }

    @Override
    public AsynchronousServerSocketChannel openAsynchronousServerSocketChannel(
            AsynchronousChannelGroup group) {
        throw new UnsupportedOperationException(TEXT);
    }

    @Override
    public AsynchronousSocketChannel openAsynchronousSocketChannel(AsynchronousChannelGroup group) {
        throw new UnsupportedOperationException(TEXT);
    }
}
