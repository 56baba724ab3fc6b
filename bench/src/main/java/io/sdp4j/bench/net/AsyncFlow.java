package io.sdp4j.bench.net;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * So many bytes one way through an asynchronous channel, each operation started by the handler of
 * the one before, all of them with the same few direct buffers. For one use.
 */
final class AsyncFlow implements CompletionHandler<Long, Void> {
    private static final long HANGS_SECONDS = 60;

    private final AsynchronousSocketChannel channel;
    private final ByteBuffer[] buffers;
    private final boolean reading;
    private final CountDownLatch over = new CountDownLatch(1);
    private long leftBytes;
    private volatile Throwable failure;

    /**
     * @param reading whether the bytes are read, else written
     */
    AsyncFlow(
            AsynchronousSocketChannel channel,
            ByteBuffer[] buffers,
            boolean reading,
            long totalBytes) {
        this.channel = channel;
        this.buffers = buffers;
        this.reading = reading;
        leftBytes = totalBytes;
    }

    /** Moves all of it and waits for the end. */
    void run() throws IOException, InterruptedException {
        for (ByteBuffer b : buffers) {
            b.position(b.limit());
        }
        next();
        if (!over.await(HANGS_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("hangs with " + leftBytes + " bytes to go");
        }
        if (failure != null) {
            throw new IOException(failure);
        }
    }

    private void next() {
        if (!buffers[buffers.length - 1].hasRemaining()) {
            long left = leftBytes;
            for (ByteBuffer b : buffers) {
                int n = (int) Math.min(left, b.capacity());
                b.clear().limit(n);
                left -= n;
            }
        }
        if (reading) {
            channel.read(buffers, 0, buffers.length, 0, TimeUnit.SECONDS, null, this);
        } else {
            channel.write(buffers, 0, buffers.length, 0, TimeUnit.SECONDS, null, this);
        }
    }

    @Override
    public void completed(Long n, Void attachment) {
        if (n < 0) {
            failed(new EOFException(leftBytes + " bytes are missing"), null);
            return;
        }
        leftBytes -= n;
        if (leftBytes == 0) {
            over.countDown();
        } else {
            next();
        }
    }

    @Override
    public void failed(Throwable why, Void attachment) {
        failure = why;
        over.countDown();
    }
}
