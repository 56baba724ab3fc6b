package io.sdp4j.offload.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sun.nio.ch.SelChImpl;

class ChannelBridgeTest {
    /** Else the selector would find a descriptor for which it has no key, for ever. */
    @Test
    void aKeyThatIsCancelledMeanwhileLeavesNothingInTheSelector() throws IOException {
        Pipe pipe = Pipe.open();
        try (Selector selector = Selector.open();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            sink.write(ByteBuffer.allocate(1));
            source.configureBlocking(false);
            SelectionKey key = source.register(selector, 0);
            ChannelBridge.putIn(
                    key,
                    ((SelChImpl) source).getFDVal(),
                    () -> {
                        key.cancel();
                        try {
                            selector.selectNow(); // forgets the key
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        return JdkBridge.POLLIN;
                    });
            long start = System.nanoTime();
            assertEquals(0, selector.select(200));
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(190));
        }
    }
}
