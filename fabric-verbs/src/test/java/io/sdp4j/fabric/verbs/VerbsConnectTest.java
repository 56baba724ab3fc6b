package io.sdp4j.fabric.verbs;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.contract.FabricEnds.QpPair;
import io.sdp4j.testing.RdmaResources;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Goal: connections that follow each other use the resources that earlier ones have left, find
 * nothing of theirs in them, and unused ones are given back.
 */
@EnabledIf(value = "io.sdp4j.fabric.verbs.Lab#present", disabledReason = Lab.ABSENT)
@Timeout(120)
class VerbsConnectTest {
    private static final int ROUNDS = 60;

    /** Of both ends of one connection, from its beginning to its end, on soft-iWARP a few more. */
    private static final long MOST_CALLS = 40;

    private LabPairs pairs;

    @BeforeEach
    void open() throws Exception {
        pairs = new LabPairs(new QpSpec(4, 1024, 4));
    }

    @AfterEach
    void close() throws Exception {
        pairs.close();
    }

    /**
     * Messages that were not polled, events that were asked for, in every other round a sleeper.
     */
    @Test
    void nothingOfAnEarlierConnectionIsSeen() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            QpPair pair = pairs.connectSoon();
            byte[] words = {(byte) round, (byte) (round + 1)};
            LabPairs.say(pair.a(), pair.b(), words);
            LabPairs.say(pair.b(), pair.a(), words);
            leave(pair.a());
            leave(pair.b());
            if (round % 2 == 0) {
                pair.b().completions().await(TimeUnit.MILLISECONDS.toNanos(1));
                pair.a().completions().await(TimeUnit.MILLISECONDS.toNanos(1));
            } else {
                pair.a().completions().arm();
                pair.b().completions().arm();
            }
            pair.close();
        }
    }

    private static void leave(QueuePair qp) {
        int slot = qp.takeSendSlot();
        qp.sendMemory().set(ValueLayout.JAVA_BYTE, qp.sendOffset(slot), (byte) -1);
        qp.postSend(slot, 1, QueuePair.SIGNALLED);
    }

    @Test
    void aConnectionAfterAnotherCostsFewCalls() throws Exception {
        for (int i = 0; i < 5; i++) {
            closed(pairs.connectSoon());
        }
        long before = pairs.fabric.setUpCalls();
        for (int i = 0; i < ROUNDS; i++) {
            closed(pairs.connectSoon());
        }
        double calls = (double) (pairs.fabric.setUpCalls() - before) / ROUNDS;
        System.out.println("calls of both ends of a connection: " + calls);
        assertTrue(calls <= MOST_CALLS, () -> calls + " calls");
    }

    /** Closes, and waits until the queue pairs are gone. */
    private static void closed(QpPair pair) {
        pair.close();
        await().atMost(Duration.ofSeconds(10))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> RdmaResources.now().get("qp") <= 1); // the connection manager's own
    }

    /**
     * A listener that answers no request stands for a process that hangs: the kernel has taken the
     * connection.
     */
    @Test
    void anAttemptWithoutAnswerLeavesTheEventThreadFree() throws Exception {
        try (ServerSocket port = new ServerSocket(0, 1, Lab.address())) {
            InetSocketAddress silent = (InetSocketAddress) port.getLocalSocketAddress();
            try (FabricListener _ =
                    pairs.fabric.listen(new ListenRequest(silent, false, _ -> {}))) {
                assertThrows(
                        FabricException.class,
                        () -> pairs.connect(silent, TimeUnit.MILLISECONDS.toNanos(200)));
                assertTrue(LabPairs.loopIsFree(5));
            }
        }
    }

    /**
     * After the failover of a bond requests come by another device, and the id of the listener gets
     * none of them.
     */
    @Test
    void aListenerWhoseAddressHasMovedListensAnew() throws Exception {
        try (ServerSocket port = new ServerSocket(0, 1, Lab.address())) {
            InetSocketAddress at = (InetSocketAddress) port.getLocalSocketAddress();
            ListenRequest refusing = new ListenRequest(at, false, r -> r.reject(new byte[0]));
            try (FabricListener listener = pairs.fabric.listen(refusing)) {
                long before = pairs.fabric.setUpCalls();
                CmEvent moved = new CmEvent(RdmaCmEvent.ADDR_CHANGE, 0, 0, 0, 0, new byte[0], 0, 0);
                LabPairs.LOOP.execute(() -> ((VerbsListener) listener).onCmEvent(moved));
                assertTrue(LabPairs.loopIsFree(20));
                assertTrue(pairs.fabric.setUpCalls() > before);
                FabricException e =
                        assertThrows(
                                FabricException.class,
                                () -> pairs.connect(at, TimeUnit.SECONDS.toNanos(20)));
                assertEquals(FabricException.Cause.REFUSED, e.why());
            }
        }
    }

    @Test
    void unusedQueuesAreGivenBack() throws Exception {
        // on soft-iWARP the open device has one; of the rehearsal there are two more for a while
        long before = pairs.before.get("cq") + (Lab.iwarp() ? 1 : 0);
        QpPair one = pairs.connectSoon();
        QpPair other = pairs.connectSoon();
        assertTrue(RdmaResources.now().get("cq") >= before + 8);
        one.close();
        other.close();
        await().atMost(Duration.ofSeconds(20)).until(() -> RdmaResources.now().get("cq") <= before);
    }
}
