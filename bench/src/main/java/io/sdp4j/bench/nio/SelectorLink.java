package io.sdp4j.bench.nio;

import io.sdp4j.bench.net.Link;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;

/**
 * A channel used as an event loop uses it, with a direct buffer: before every read its selector is
 * asked; a write is tried at once and goes on when the selector says so.
 */
final class SelectorLink extends Link {
    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_BYTES);
    private final List<SocketChannel> idlers;

    /**
     * Takes over the channel.
     *
     * @param idlers channels that are in the selector, too, and about which nothing ever happens;
     *     closed together with this
     */
    SelectorLink(SocketChannel channel, List<SocketChannel> idlers) throws IOException {
        this.channel = channel;
        this.idlers = idlers;
        selector = Selector.open();
        for (SocketChannel idle : idlers) {
            idle.configureBlocking(false);
            idle.register(selector, SelectionKey.OP_READ);
        }
        channel.configureBlocking(false);
        key = channel.register(selector, SelectionKey.OP_READ);
    }

    @Override
    public ByteBuffer buffer() {
        return buffer;
    }

    @Override
    public int callsPerTurn() {
        return 3;
    }

    @Override
    public void noDelay() throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    public void write(int lenBytes) throws IOException {
        buffer.limit(lenBytes).position(0);
        channel.write(buffer);
        if (buffer.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
            while (buffer.hasRemaining()) {
                select();
                channel.write(buffer);
            }
            key.interestOps(SelectionKey.OP_READ);
        }
        buffer.clear();
    }

    /** Sends the first {@code lenBytes} of a file. */
    void transfer(FileChannel file, int lenBytes) throws IOException {
        long at = file.transferTo(0, lenBytes, channel);
        if (at < lenBytes) {
            key.interestOps(SelectionKey.OP_WRITE);
            while (at < lenBytes) {
                select();
                at += file.transferTo(at, lenBytes - at, channel);
            }
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    @Override
    public int read(int offset, int maxBytes) throws IOException {
        buffer.limit(offset + maxBytes).position(offset);
        int n = 0;
        while (n == 0) {
            select();
            n = channel.read(buffer);
        }
        buffer.clear();
        return n;
    }

    /** Until the selector gives this channel. */
    private void select() throws IOException {
        boolean selected = false;
        while (!selected) {
            selector.select();
            Set<SelectionKey> keys = selector.selectedKeys();
            selected = keys.contains(key);
            keys.clear();
        }
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel idle : idlers) {
            idle.close();
        }
        channel.close();
        selector.close();
    }
}
