package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.sdp4j.fabric.MemoryRegion;
import io.sdp4j.fabric.QueuePair;
import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Goal: the same bytes of the same buffer are found again, and no others. */
class FamiliarBuffersTest {
    private static final class Region implements MemoryRegion {
        private boolean kept = true;
        private int opened;

        @Override
        public long address() {
            return 0;
        }

        @Override
        public int rkey() {
            return 0;
        }

        @Override
        public MemorySegment memory() {
            return MemorySegment.NULL;
        }

        @Override
        public boolean reopen() {
            opened++;
            return kept;
        }

        @Override
        public void close() {}
    }

    private final FamiliarBuffers familiar = new FamiliarBuffers();
    private final QueuePair qp = queuePair();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(100);
    private final Region region = new Region();

    private static QueuePair queuePair() {
        return Shims.proxy(QueuePair.class, (p, method, args) -> null);
    }

    @Test
    void theSameRangeOfTheSameObject() {
        assertNull(familiar.reopen(qp, buffer));
        familiar.add(buffer, region);
        assertSame(region, familiar.reopen(qp, buffer));
        buffer.position(1);
        assertNull(familiar.reopen(qp, buffer));
        buffer.clear().limit(99);
        assertNull(familiar.reopen(qp, buffer));
        assertSame(region, familiar.reopen(qp, buffer.clear()));
        assertNull(familiar.reopen(qp, buffer.duplicate()));
        assertNull(familiar.reopen(qp, ByteBuffer.allocateDirect(100)));
        assertEquals(2, region.opened);
    }

    @Test
    void aBufferThatPointsToOtherMemoryIsAnother() throws Exception {
        long address = MemorySegment.ofBuffer(buffer).address();
        assertNull(familiar.reopen(qp, buffer));
        familiar.add(buffer, region);
        pointTo(address + 8);
        assertNull(familiar.reopen(qp, buffer));
        pointTo(address);
        assertSame(region, familiar.reopen(qp, buffer));
    }

    /** As lmdbjava does with the buffers that it hands out. */
    private void pointTo(long address) throws ReflectiveOperationException {
        Class<?> type = Class.forName("jdk.internal.misc.Unsafe");
        Object unsafe = type.getMethod("getUnsafe").invoke(null);
        Object field =
                type.getMethod("objectFieldOffset", Class.class, String.class)
                        .invoke(unsafe, Buffer.class, "address");
        type.getMethod("putLong", Object.class, long.class, long.class)
                .invoke(unsafe, buffer, field, address);
    }

    @Test
    void whatHasEndedIsForgotten() {
        assertNull(familiar.reopen(qp, buffer));
        familiar.add(buffer, region);
        region.kept = false;
        assertNull(familiar.reopen(qp, buffer));
        region.kept = true;
        assertNull(familiar.reopen(qp, buffer));
        assertEquals(1, region.opened);
    }

    @Test
    void whatTakesThePlaceOfWhatHasEndedDrivesNothingOut() {
        ByteBuffer[] all = new ByteBuffer[4];
        Region[] regions = new Region[all.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = ByteBuffer.allocateDirect(10);
            regions[i] = new Region();
            assertNull(familiar.reopen(qp, all[i]));
            familiar.add(all[i], regions[i]);
        }
        regions[2].kept = false;
        assertNull(familiar.reopen(qp, all[2]));
        regions[2] = new Region();
        familiar.add(all[2], regions[2]);
        for (int i = 0; i < all.length; i++) {
            assertSame(regions[i], familiar.reopen(qp, all[i]));
        }
    }

    @Test
    void severalAndTheOldestGoes() {
        ByteBuffer[] all = new ByteBuffer[5];
        for (int i = 0; i < all.length; i++) {
            all[i] = ByteBuffer.allocateDirect(10);
            assertNull(familiar.reopen(qp, all[i]));
            familiar.add(all[i], new Region());
        }
        assertNull(familiar.reopen(qp, all[0]));
        for (int i = 1; i < all.length; i++) {
            assertSame(familiar.reopen(qp, all[i]), familiar.reopen(qp, all[i]));
        }
    }

    @Test
    void whatAnotherQueuePairRegisteredIsForgotten() {
        assertNull(familiar.reopen(qp, buffer));
        familiar.add(buffer, region);
        QueuePair next = queuePair();
        assertNull(familiar.reopen(next, buffer));
        assertNull(familiar.reopen(qp, buffer), "for good");
        assertEquals(0, region.opened);
    }
}
