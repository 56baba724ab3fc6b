package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the library gets the channel of a fabric only while it is there. Method: functions of this
 * test in place of the library's.
 */
@Timeout(60)
class CmChannelTest {
    private final EpollLoop loop = (EpollLoop) EventLoop.start("test-loop", t -> {});
    private final Arena arena = Arena.ofAuto(); // the loop may still be in a function of it
    private final int fd = Descriptors.eventFd();
    private final MemorySegment channelMemory = arena.allocate(RdmaCm.EVENT_CHANNEL);

    /** Of an id that is not known. */
    private final MemorySegment event = arena.allocate(RdmaCmEvent.LAYOUT);

    private final Map<String, MemorySegment> functions = new HashMap<>();
    private boolean channelsLeft = true;
    private int ids;
    private boolean endedMeanwhile;
    private volatile boolean flood;
    private CmChannel channel;

    @BeforeEach
    void open() throws ReflectiveOperationException, FabricException {
        channelMemory.set(JAVA_INT, 0, fd);
        stand("rdma_create_event_channel", "createEventChannel", 0);
        stand("rdma_create_id", "createId", 4);
        stand("rdma_destroy_id", "destroyId", 1);
        stand("rdma_get_cm_event", "getEvent", 2);
        stand("other", "other", 0);
        MemorySegment other = functions.get("other");
        RdmaCm cm =
                new RdmaCm(new Bindings(name -> Optional.of(functions.getOrDefault(name, other))));
        channel = new CmChannel(cm, loop);
    }

    @SuppressWarnings("restricted")
    private void stand(String name, String method, int words) throws ReflectiveOperationException {
        Class<?>[] arguments = new Class<?>[words];
        Arrays.fill(arguments, long.class);
        MemoryLayout[] layouts = new MemoryLayout[words];
        Arrays.fill(layouts, JAVA_LONG);
        MethodHandle here =
                MethodHandles.lookup()
                        .bind(this, method, MethodType.methodType(long.class, arguments));
        FunctionDescriptor kind = FunctionDescriptor.of(JAVA_LONG, layouts);
        functions.put(name, Linker.nativeLinker().upcallStub(here, kind, arena));
    }

    @AfterEach
    void close() {
        loop.end();
        Linux.close(fd);
    }

    long createEventChannel() {
        return channelsLeft ? channelMemory.address() : 0;
    }

    long createId(long of, long into, long context, long space) {
        ids++;
        Bindings.at(into, JAVA_LONG).set(JAVA_LONG, 0, ids);
        return 0;
    }

    long destroyId(long id) {
        endedMeanwhile |= channel.endIfUnused();
        return 0;
    }

    long getEvent(long of, long into) {
        if (flood) {
            Bindings.at(into, JAVA_LONG).set(JAVA_LONG, 0, event.address());
        }
        return 0;
    }

    long other() {
        return 0;
    }

    @Test
    void anAttemptNeedsItThoughItHasNoId() throws FabricException {
        long own = channel.own();
        assertFalse(channel.endIfUnused());
        long id = channel.createId(own, e -> {});
        channel.destroyId(id);
        assertFalse(channel.endIfUnused(), "another id may follow");
        channel.giveBack(own);
        assertTrue(channel.endIfUnused());
        assertFalse(channel.endIfUnused(), "it ends once");
    }

    @Test
    void anIdNeedsItUntilItIsGone() throws FabricException {
        long id = channel.createId(e -> {});
        assertFalse(channel.endIfUnused());
        channel.destroyId(id);
        assertFalse(endedMeanwhile);
        assertTrue(channel.endIfUnused());
    }

    @Test
    void nothingBeginsOnceItHasEnded() {
        assertTrue(channel.endIfUnused());
        FabricException e = assertThrows(FabricException.class, channel::own);
        assertEquals(FabricException.Cause.CLOSED, e.why());
        e = assertThrows(FabricException.class, () -> channel.createId(event -> {}));
        assertEquals(FabricException.Cause.CLOSED, e.why());
        assertEquals(0, ids);
    }

    @Test
    void anAttemptThatGotNoChannelNeedsNothing() {
        channelsLeft = false;
        assertThrows(FabricException.class, channel::own);
        assertTrue(channel.endIfUnused());
    }

    /** The events of peers that connect and leave, one after the other. */
    @Test
    void aFloodOfEventsDoesNotHoldUpTimers() throws FabricException {
        AtomicBoolean timer = new AtomicBoolean();
        flood = true;
        Descriptors.signal(fd);
        try {
            channel.adopt(channel.createId(e -> {}), e -> {});
            loop.schedule(() -> timer.set(true), 1);
            await().untilTrue(timer);
        } finally {
            flood = false;
            Descriptors.drain(fd);
        }
    }
}
