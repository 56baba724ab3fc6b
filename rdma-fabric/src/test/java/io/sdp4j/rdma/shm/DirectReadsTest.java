package io.sdp4j.rdma.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.rdma.Completion;
import io.sdp4j.rdma.ListenRequest;
import io.sdp4j.rdma.MemoryLife;
import io.sdp4j.rdma.MemoryRegion;
import io.sdp4j.rdma.QpSpec;
import io.sdp4j.rdma.QueuePair;
import io.sdp4j.rdma.WcStatus;
import io.sdp4j.rdma.os.ProcessMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a reader copies straight from the peer's process, as long as the peer lets it and no
 * longer, and whatever the peer's words say. Method: the peer is never polled, so what completes
 * was done by the reader alone; the process reads itself, which every kernel allows.
 */
@Timeout(60)
@SuppressWarnings("try") // the listener is closed with its fabric
final class DirectReadsTest {
    private static final int LEN = 300_000;

    private Path dir;
    private ServerSocket kernel;
    private ShmFabric fabric;
    private QueuePair reader;
    private QueuePair peer;

    @BeforeEach
    void connect() throws Exception {
        dir = Ends.directory();
        kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        open(Ends.config(dir, true));
    }

    private void open(ShmConfig config) throws Exception {
        fabric = ShmFabric.open(config, Ends.loop(true));
        BlockingQueue<QueuePair> accepted = new ArrayBlockingQueue<>(1);
        InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
        QpSpec spec = new QpSpec(8, 1024, 8);
        fabric.listen(
                new ListenRequest(
                        at,
                        false,
                        r ->
                                r.accept(
                                        spec,
                                        new byte[0],
                                        new Taker(accepted::add, Ends.THROWN::add))));
        reader = Ends.connect(fabric, at, spec);
        peer = accepted.poll(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws Exception {
        reader.close();
        peer.close();
        fabric.close();
        kernel.close();
        assertEquals(List.of(), List.copyOf(Ends.THROWN));
        Ends.remove(dir);
    }

    private static MemorySegment filled(long seed) {
        byte[] b = new byte[LEN];
        new Random(seed).nextBytes(b);
        return MemorySegment.ofBuffer(ByteBuffer.allocateDirect(LEN).put(b).flip());
    }

    private static MemorySegment empty() {
        return MemorySegment.ofBuffer(ByteBuffer.allocateDirect(LEN));
    }

    /** Posts a read of all of it; whether it completes although the peer does nothing. */
    private boolean readsAlone(MemorySegment into, MemoryRegion remote) throws Exception {
        return readsAlone(into, remote.address(), remote.rkey());
    }

    private boolean readsAlone(MemorySegment into, long address, int rkey) throws Exception {
        MemoryRegion local = reader.register(into, false, false);
        assertTrue(reader.postRead(1, local, 0, LEN, address, rkey));
        Completion c = new Completion();
        if (!reader.completions().poll(c) || c.opcode == Completion.DISCONNECTED) {
            return false;
        }
        assertEquals(Completion.READ, c.opcode);
        assertEquals(WcStatus.SUCCESS, c.status);
        return true;
    }

    /** Lets the peer answer; the next completion of the reader. */
    private Completion served() {
        Completion c = new Completion();
        Completion its = new Completion();
        long start = System.nanoTime();
        while (!reader.completions().poll(c)) {
            peer.completions().poll(its);
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(20), "no completion");
        }
        return c;
    }

    @Test
    void theReaderNeedsNobody() throws Exception {
        MemorySegment yours = filled(1);
        MemorySegment mine = empty();
        assertTrue(readsAlone(mine, peer.register(yours, true, false)));
        assertEquals(-1, mine.mismatch(yours));
    }

    @Test
    void aClosedRegionIsNotReadAnyMore() throws Exception {
        MemorySegment yours = filled(2);
        MemoryRegion region = peer.register(yours, true, false);
        long address = region.address();
        int rkey = region.rkey();
        region.close();
        MemorySegment mine = empty();
        assertFalse(readsAlone(mine, address, rkey));
        assertEquals(WcStatus.REM_ACCESS_ERR, served().status);
        assertEquals(-1, mine.mismatch(empty()));
    }

    /** The same place, even the same memory, but another key: the old one leads nowhere. */
    @Test
    void anOldKeyDoesNotOpenWhatTookItsPlace() throws Exception {
        MemorySegment yours = filled(3);
        MemoryRegion old = peer.register(yours, true, false);
        int rkey = old.rkey();
        old.close();
        MemoryRegion next = peer.register(yours, true, false);
        assertEquals(rkey & OpenKeys.PLACE_MASK, next.rkey() & OpenKeys.PLACE_MASK);
        assertNotEquals(rkey, next.rkey());
        assertFalse(readsAlone(empty(), next.address(), rkey));
    }

    @Test
    void anOldKeyDoesNotOpenWhatWasOpenedAgain() throws Exception {
        MemorySegment yours = filled(3);
        MemoryRegion region = peer.register(yours, true, false);
        int rkey = region.rkey();
        region.close();
        assertTrue(region.reopen());
        assertNotEquals(rkey, region.rkey());
        assertTrue(readsAlone(empty(), region));
        assertFalse(readsAlone(empty(), region.address(), rkey));
        assertEquals(WcStatus.REM_ACCESS_ERR, served().status);
    }

    @Test
    void aClosedRegionKeepsNoMemory() throws Exception {
        MemoryRegion region = peer.register(filled(3), true, false);
        region.close();
        await().until(
                        () -> {
                            System.gc();
                            boolean open = region.reopen();
                            region.close();
                            return !open;
                        });
        for (int i = 0; i < OpenKeys.PLACES; i++) {
            assertNotEquals(0, peer.register(filled(1), true, false).rkey() & OpenKeys.PLACE_MASK);
        }
    }

    @Test
    void abortAndCloseEndTheAccess() throws Exception {
        MemoryRegion region = peer.register(filled(4), true, false);
        peer.abort();
        assertFalse(readsAlone(empty(), region));
    }

    @Test
    void memoryThatMayEndGoesThroughThePeer() throws Exception {
        MemorySegment mine = empty();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment yours = arena.allocate(LEN).copyFrom(filled(5));
            assertFalse(MemoryLife.lasting(yours));
            assertFalse(readsAlone(mine, peer.register(yours, true, false)));
            assertEquals(WcStatus.SUCCESS, served().status);
            assertEquals(-1, mine.mismatch(yours));
        }
        try (Arena arena = Arena.ofShared()) {
            MemorySegment into = arena.allocate(LEN);
            assertFalse(readsAlone(into, peer.register(filled(6), true, false)));
            assertEquals(WcStatus.SUCCESS, served().status);
            assertEquals(-1, into.mismatch(filled(6)));
        }
        assertTrue(MemoryLife.lasting(mine));
        assertTrue(MemoryLife.lasting(Arena.ofAuto().allocate(8)));
        assertTrue(MemoryLife.lasting(Arena.global().allocate(8)));
        assertFalse(MemoryLife.lasting(MemorySegment.ofArray(new byte[8])));
    }

    @Test
    void aProcessWithAnotherBadgeIsNotBelieved() throws Exception {
        MemoryRegion region = peer.register(filled(7), true, false);
        long badge = ShmLayout.control(1) + ShmLayout.BADGE;
        MemorySegment shared = reader.sendMemory();
        shared.set(JAVA_LONG, badge, ProcessMemory.ownBadge() + 2);
        MemorySegment mine = empty();
        assertFalse(readsAlone(mine, region));
        assertEquals(WcStatus.SUCCESS, served().status);
        assertEquals(-1, mine.mismatch(filled(7)));
        shared.set(JAVA_LONG, badge, ProcessMemory.ownBadge());
        assertFalse(readsAlone(empty(), region), "what failed once is not tried again");
    }

    @Test
    void anAddressThatIsNotThereIsLeftToThePeer() throws Exception {
        MemoryRegion region = peer.register(filled(8), true, false);
        assertFalse(readsAlone(empty(), 4096, region.rkey()));
        assertEquals(WcStatus.REM_ACCESS_ERR, served().status);
    }

    @Test
    void aKeyIsShownAsLongAsItsRegionIsOpen() throws Exception {
        MemorySegment yours = filled(9);
        MemoryRegion region = peer.register(yours, true, false);
        int place = region.rkey() & OpenKeys.PLACE_MASK;
        long word = ShmLayout.control(1) + ShmLayout.KEY_WORDS + 4L * (place - 1);
        assertEquals(region.rkey(), reader.sendMemory().get(JAVA_INT, word));
        region.close();
        assertEquals(0, reader.sendMemory().get(JAVA_INT, word));
    }

    @Test
    void moreRegionsThanPlacesGoThroughThePeer() throws Exception {
        for (int i = 0; i < OpenKeys.PLACES; i++) {
            assertNotEquals(0, peer.register(filled(1), true, false).rkey() & OpenKeys.PLACE_MASK);
        }
        MemoryRegion one = peer.register(filled(10), true, false);
        assertEquals(0, one.rkey() & OpenKeys.PLACE_MASK);
        MemorySegment mine = empty();
        assertFalse(readsAlone(mine, one));
        assertEquals(WcStatus.SUCCESS, served().status);
        assertEquals(-1, mine.mismatch(filled(10)));
    }

    @Test
    void switchedOffItGoesThroughThePeer() throws Exception {
        reader.close();
        peer.close();
        fabric.close();
        open(Ends.config(dir, true).withDirectReads(false));
        MemorySegment mine = empty();
        assertFalse(readsAlone(mine, peer.register(filled(11), true, false)));
        assertEquals(WcStatus.SUCCESS, served().status);
        assertEquals(-1, mine.mismatch(filled(11)));
    }
}
