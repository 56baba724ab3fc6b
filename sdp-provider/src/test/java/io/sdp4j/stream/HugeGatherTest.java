package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a gathering write of more bytes than an {@code int} counts tells of what it has moved.
 * Method: one buffer several times over, lent as an asynchronous channel does.
 */
@Timeout(120)
final class HugeGatherTest {
    private static final int SIZE = 600 << 20;

    @Test
    void whatCannotBeCountedIsLeft() throws Exception {
        try (TestFabric fabric = new TestFabric()) {
            OffloadProvider provider = fabric.provider(TestFabric.zcopy(true, false));
            try (StreamPair pair = new StreamPair(provider)) {
                Task<Long> reader = Task.start(() -> readAll(pair.server));
                ByteBuffer untouched = ByteBuffer.allocateDirect(SIZE);
                ByteBuffer[] all = new ByteBuffer[4];
                for (int i = 0; i < all.length; i++) {
                    all[i] = untouched.duplicate();
                }
                assertEquals(3L * SIZE, Operation.write(pair.client, all).get());
                assertEquals(SIZE, all[3].remaining());
                pair.client.close(false);
                assertEquals(3L * SIZE, reader.get());
                pair.server.close(false);
            }
        }
    }

    private static long readAll(OffloadStream s) throws IOException {
        byte[] some = new byte[1 << 20];
        long all = 0;
        while (true) {
            int n = s.tryRead(some, 0, some.length);
            if (n < 0) {
                return all;
            }
            if (n == 0) {
                s.await(OffloadStream.READ, Long.MAX_VALUE);
            }
            all += n;
        }
    }
}
