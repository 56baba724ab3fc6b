package io.sdp4j.agent.programs;

import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/** Another vendor's provider, which cannot do anything. */
public final class OtherSelectorProvider extends SelectorProvider {
    /** Its answer to everything. */
    public static final String TEXT = "the other selector provider";

    public OtherSelectorProvider() {}

    @Override
    public DatagramChannel openDatagramChannel() {
        throw new UnsupportedOperationException(TEXT);
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) {
        throw new UnsupportedOperationException(TEXT);
    }

    @Override
    public Pipe openPipe() {
        throw new UnsupportedOperationException(TEXT);
    }

    @Override
    public AbstractSelector openSelector() {
        throw new UnsupportedOperationException(TEXT);
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() {
        throw new UnsupportedOperationException(TEXT);
    }

    @Override
    public SocketChannel openSocketChannel() {
        throw new UnsupportedOperationException(TEXT);
    }
}
