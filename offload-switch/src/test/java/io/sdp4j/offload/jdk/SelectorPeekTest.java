package io.sdp4j.offload.jdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sun.nio.ch.SelChImpl;

/** Goal: a look into a selector is right and changes nothing. Method: one with a pipe in it. */
@Timeout(60)
class SelectorPeekTest {
    @Test
    void seesWhatIsReadyAndTakesNothingAway() throws IOException {
        Pipe pipe = Pipe.open();
        try (Selector selector = Selector.open();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            int own = ((SelChImpl) source).getFDVal();
            SelectorPeek peek = SelectorPeek.of(selector);
            source.configureBlocking(false);
            SelectionKey key = source.register(selector, SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            assertFalse(peek.anythingBut(-1), "nothing is ready");
            sink.write(ByteBuffer.allocate(1));
            assertTrue(peek.anythingBut(-1), "the pipe is");
            assertFalse(peek.anythingBut(own), "but nothing else");
            selector.wakeup();
            assertTrue(peek.anythingBut(own), "the wake-up is");
            assertEquals(1, selector.selectNow());
            assertTrue(key.isReadable());
            assertFalse(peek.anythingBut(own), "the wake-up was taken by the selector");
        }
    }

    @Test
    void countsWhatIsReady() throws IOException {
        Pipe pipe = Pipe.open();
        try (Selector selector = Selector.open();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            SelectorPeek peek = SelectorPeek.of(selector);
            source.configureBlocking(false);
            assertEquals(0, SelectorPeek.keys(selector));
            source.register(selector, SelectionKey.OP_READ);
            assertEquals(1, SelectorPeek.keys(selector));
            assertEquals(0, selector.selectNow());
            assertFalse(peek.more(0));
            sink.write(ByteBuffer.allocate(1));
            assertTrue(peek.more(0));
            assertFalse(peek.more(1));
            assertFalse(SelectorPeek.woken(selector));
            selector.wakeup();
            assertTrue(SelectorPeek.woken(selector));
            assertTrue(peek.more(1), "the wake-up is one more");
            assertFalse(peek.more(100));
            assertEquals(1, selector.selectNow());
            assertFalse(SelectorPeek.woken(selector));
        }
    }

    @Test
    void mayBeClosedMeanwhile() throws IOException {
        Selector selector = Selector.open();
        selector.close();
        assertEquals(0, SelectorPeek.keys(selector), "no exception");
    }
}
