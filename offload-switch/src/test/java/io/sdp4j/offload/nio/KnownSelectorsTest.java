package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a selector that is just asking while a channel changes watches what it has become. */
@Timeout(60)
class KnownSelectorsTest {
    @Test
    void aQuestionUnderWayIsAskedAgain() throws Exception {
        try (Selector selector = Selector.open();
                ChangingChannel channel = new ChangingChannel()) {
            channel.register(selector, SelectionKey.OP_READ);
            Task<Integer> selecting = Task.start(selector::select);
            assertTrue(channel.asked.await(20, TimeUnit.SECONDS));
            Task<Void> change = Task.start(channel::change);
            await().until(() -> change.thread().getState() == Thread.State.BLOCKED);
            channel.goOn.countDown();
            change.get();
            assertTrue(channel.askedAgain, "what it has become was not asked");
            channel.pipe.sink().write(ByteBuffer.allocate(1));
            assertEquals(1, selecting.get());
        }
    }

    @Test
    void oneThatAsksMeanwhileIsNotWoken() throws Exception {
        try (Selector selector = Selector.open();
                ChangingChannel channel = new ChangingChannel()) {
            channel.register(selector, SelectionKey.OP_READ);
            channel.goOn.countDown();
            channel.takeOut();
            Task<Integer> selecting = Task.start(selector::select);
            selecting.awaitBlocked();
            channel.putBack();
            assertTrue(channel.askedAgain, "what it has become was not asked");
            channel.pipe.sink().write(ByteBuffer.allocate(1));
            assertEquals(1, selecting.get(), "it was woken for nothing");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClosedSelectorIsForgottenWhileTheChannelIsOpen(boolean asksMeanwhile) throws Exception {
        try (ChangingChannel channel = new ChangingChannel()) {
            channel.goOn.countDown();
            WeakReference<Selector> closed = channel.changeInOneThatIsClosed(asksMeanwhile);
            await().until(
                            () -> {
                                System.gc();
                                return closed.refersTo(null);
                            });
            assertTrue(channel.isOpen());
        }
    }

    /** Its selector may have asked before the channel has the key. */
    @Test
    void aRegistrationUnderWayIsWaitedFor() throws Exception {
        try (Selector selector = Selector.open();
                ChangingChannel other = new ChangingChannel()) {
            other.register(selector, SelectionKey.OP_READ);
            Task<Integer> selecting = Task.start(selector::select);
            assertTrue(other.asked.await(20, TimeUnit.SECONDS));
            changeWhileRegistering(selector, other.goOn);
            selecting.get();
        }
    }

    private static void changeWhileRegistering(Selector selector, CountDownLatch goOn)
            throws Exception {
        try (ChangingChannel channel = new ChangingChannel()) {
            channel.goOn.countDown();
            Task<SelectionKey> registering = Task.start(channel.registration(selector));
            await().until(() -> registering.thread().getState() == Thread.State.BLOCKED);
            Task<Void> change = Task.start(channel::change);
            try {
                await().until(() -> change.thread().getState() == Thread.State.BLOCKED);
            } finally {
                goOn.countDown();
            }
            registering.get();
            change.get();
            channel.pipe.sink().write(ByteBuffer.allocate(1));
            selector.wakeup();
        }
    }
}
