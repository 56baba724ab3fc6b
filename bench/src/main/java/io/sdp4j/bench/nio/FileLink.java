package io.sdp4j.bench.nio;

import io.sdp4j.bench.net.Link;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Sends large writes as Kafka sends what its clients fetch: from a file, by {@code transferTo} of a
 * channel that does not block. The rest is a {@link SelectorLink}'s.
 */
final class FileLink extends Link {
    /** Below are requests, which are in the buffer and not in the file. */
    private static final int LEAST_BYTES = 4096;

    private final SelectorLink link;
    private final FileChannel file;

    FileLink(SocketChannel channel) throws IOException {
        link = new SelectorLink(channel, List.of());
        Path path = Files.createTempFile("sdp4j-bench", ".data");
        file =
                FileChannel.open(
                        path,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
        ByteBuffer content = ByteBuffer.allocate(MAX_BYTES);
        while (content.hasRemaining()) {
            file.write(content);
        }
    }

    @Override
    public ByteBuffer buffer() {
        return link.buffer();
    }

    @Override
    public void noDelay() throws IOException {
        link.noDelay();
    }

    @Override
    public void write(int lenBytes) throws IOException {
        if (lenBytes < LEAST_BYTES) {
            link.write(lenBytes);
        } else {
            link.transfer(file, lenBytes);
        }
    }

    @Override
    public int read(int offset, int maxBytes) throws IOException {
        return link.read(offset, maxBytes);
    }

    @Override
    public void close() throws IOException {
        try (file) {
            link.close();
        }
    }
}
