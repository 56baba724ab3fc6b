package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.verbs.VerbsConfig;
import io.sdp4j.fabric.verbs.VerbsFabric;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Goal: in steady streaming a message costs at most two native calls to send, and two to receive,
 * and the connection manager and the registration of memory are not called at all. Method: a stream
 * of 64 KiB writes over the lab's device, and one of 1 MiB buffers that are lent; the fabric counts
 * its own calls.
 */
@Timeout(120)
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
class SdpVerbsCostTest {
    private static final int WRITE_BYTES = 65_536;
    private static final int WARM_WRITES = 200;
    private static final int WRITES = 8_000;
    private static final double MESSAGES = WRITES;

    /** For each side and lent buffer of 1 MiB; as 64 messages that are copied it may cost 128. */
    private static final double LENT_CALLS = 64;

    private static final ByteBuffer FROM = ByteBuffer.allocateDirect(1 << 20);
    private static final ByteBuffer INTO = ByteBuffer.allocateDirect(1 << 20);

    private volatile QueuePair active;
    private volatile QueuePair passive;
    private volatile VerbsFabric verbs;

    /** Remembers the queue pairs that it makes. */
    private Fabric remembering(Fabric fabric) {
        verbs = (VerbsFabric) fabric;
        return Shims.around(
                Fabric.class,
                Shims.connecting(fabric, qp -> active = qp),
                (_, method, args) -> {
                    if (method.getName().equals("listen")) {
                        ListenRequest r = (ListenRequest) args[0];
                        args[0] =
                                new ListenRequest(
                                        r.address(),
                                        r.dualStack(),
                                        q -> r.handler().onRequest(remembering(q)));
                    }
                    return null;
                });
    }

    private ConnectionRequest remembering(ConnectionRequest request) {
        return Shims.around(
                ConnectionRequest.class,
                request,
                (_, method, args) -> {
                    if (method.getName().equals("accept")) {
                        ConnectionRequest.Outcome outcome = (ConnectionRequest.Outcome) args[2];
                        args[2] =
                                new ConnectionRequest.Outcome() {
                                    @Override
                                    public void onEstablished(QueuePair qp) {
                                        passive = qp;
                                        outcome.onEstablished(qp);
                                    }

                                    @Override
                                    public void onFailed(FabricException why) {
                                        outcome.onFailed(why);
                                    }
                                };
                    }
                    return null;
                });
    }

    /** Once what other connections have left behind is given up, which takes a second. */
    private long settledSetUpCalls() {
        AtomicLong seen = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(1200))
                .until(() -> seen.getAndSet(verbs.setUpCalls()) == verbs.setUpCalls());
        return seen.get();
    }

    @Test
    void aMessageCostsFewNativeCalls() throws Exception {
        try (TestFabric fabric = TestFabric.verbs().buffersAsShipped();
                StreamPair pair =
                        new StreamPair(
                                fabric.provider(this::remembering),
                                fabric.provider(this::remembering),
                                InetAddress.getByName(System.getenv("LAB_ADDR")))) {
            stream(pair, WARM_WRITES);
            long setUp = settledSetUpCalls();
            long sent = active.nativeCalls();
            long received = passive.nativeCalls();
            stream(pair, WRITES);
            double sending = (active.nativeCalls() - sent) / MESSAGES;
            double receiving = (passive.nativeCalls() - received) / MESSAGES;
            System.out.printf(
                    "native calls for each message of 64 KiB: %.2f sending, %.2f receiving%n",
                    sending, receiving);
            assertTrue(sending <= 2, () -> sending + " native calls to send a message");
            assertTrue(receiving <= 2, () -> receiving + " native calls to receive a message");
            assertEquals(setUp, verbs.setUpCalls(), "connection manager or registration called");
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /**
     * A lent buffer travels as SrcAvail, RDMA reads of 256 KiB and RdmaRdCompl. Its key is kept
     * long enough that no pause of a busy machine ends it.
     */
    @Test
    void aLentBufferCostsFewNativeCalls() throws Exception {
        StreamSettings.Zcopy zcopy = TestFabric.zcopy(true, false);
        VerbsConfig config = VerbsConfig.defaults().withKeys(TimeUnit.SECONDS.toNanos(20));
        try (TestFabric fabric = TestFabric.verbs(config);
                StreamPair pair =
                        new StreamPair(
                                fabric.provider(this::remembering, zcopy),
                                fabric.provider(this::remembering, zcopy),
                                InetAddress.getByName(System.getenv("LAB_ADDR")))) {
            lend(pair, 20);
            settledSetUpCalls();
            lend(pair, 3); // what was given up meanwhile is there again
            long setUp = verbs.setUpCalls();
            long sent = active.nativeCalls();
            long received = passive.nativeCalls();
            int buffers = 200;
            lend(pair, buffers);
            double sending = (active.nativeCalls() - sent) / (double) buffers;
            double receiving = (passive.nativeCalls() - received) / (double) buffers;
            System.out.printf(
                    "native calls for each lent buffer of 1 MiB: %.2f sending, %.2f receiving%n",
                    sending, receiving);
            assertTrue(sending <= LENT_CALLS, () -> sending + " native calls to send a buffer");
            assertTrue(receiving <= LENT_CALLS, () -> receiving + " to receive one");
            assertEquals(setUp, verbs.setUpCalls(), "connection manager or registration called");
            pair.client.close(false);
            // nothing but the key ends as long as the other side is open
            assertTrue(verbs.setUpCalls() > setUp, "the peer can still read the buffer");
            pair.server.close(false);
        }
    }

    private static void lend(StreamPair pair, int buffers) throws Exception {
        int len = 1 << 20;
        CompletableFuture<Void> reader =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                for (long left = (long) buffers * len; left > 0; ) {
                                    left -= Operation.read(pair.server, INTO.clear()).get();
                                }
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        },
                        task -> Thread.ofPlatform().daemon().start(task));
        for (int i = 0; i < buffers; i++) {
            ByteBuffer from = FROM.clear();
            while (from.hasRemaining()) {
                Operation.write(pair.client, from).get();
            }
        }
        reader.get(60, TimeUnit.SECONDS);
    }

    private static void stream(StreamPair pair, int writes) throws Exception {
        CompletableFuture<Void> reader =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                sink(pair.server, (long) writes * WRITE_BYTES);
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        },
                        task -> Thread.ofPlatform().daemon().start(task));
        byte[] b = new byte[WRITE_BYTES];
        for (long left = (long) writes * b.length; left > 0; ) {
            int off = (int) (-left & (WRITE_BYTES - 1));
            int n = pair.client.tryWrite(b, off, WRITE_BYTES - off);
            if (n == 0) {
                pair.client.await(OffloadStream.WRITE, Long.MAX_VALUE);
            }
            left -= n;
        }
        reader.get(60, TimeUnit.SECONDS);
    }

    private static void sink(OffloadStream s, long bytes) throws IOException {
        byte[] b = new byte[WRITE_BYTES];
        for (long left = bytes; left > 0; ) {
            int n = s.tryRead(b, 0, (int) Math.min(b.length, left));
            assertTrue(n >= 0, "end of stream");
            if (n == 0) {
                s.await(OffloadStream.READ, Long.MAX_VALUE);
            }
            left -= n;
        }
    }
}
