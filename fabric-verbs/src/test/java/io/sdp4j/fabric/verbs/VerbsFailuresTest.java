package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.Linux;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a fault of this side is not taken for one of the peer, and its reason is told. */
class VerbsFailuresTest {
    /** An event as the library leaves it. */
    private static FabricException failure(int type, int status, int errno) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment e = arena.allocate(RdmaCmEvent.LAYOUT);
            e.set(JAVA_INT, CStruct.offset(RdmaCmEvent.LAYOUT, "event"), type);
            e.set(JAVA_INT, CStruct.offset(RdmaCmEvent.LAYOUT, "status"), status);
            return VerbsFailures.of(
                    RdmaCmEvent.copy(new RdmaCm.Fetched(e.address(), errno)), new byte[0]);
        }
    }

    @ParameterizedTest
    @CsvSource({
        RdmaCmEvent.CONNECT_ERROR + "," + Linux.EMFILE + ",RESOURCES",
        RdmaCmEvent.CONNECT_ERROR + "," + Linux.ETIMEDOUT + ",UNAVAILABLE",
        RdmaCmEvent.CONNECT_ERROR + "," + Linux.ECONNREFUSED + ",UNAVAILABLE",
        RdmaCmEvent.ADDR_ERROR + "," + Linux.EACCES + ",UNAVAILABLE",
        RdmaCmEvent.ROUTE_ERROR + "," + Linux.ENOMEM + ",RESOURCES",
    })
    void theLibrarysOwnFailureIsNotThePeers(int type, int errno, Cause cause) {
        FabricException e = failure(type, -1, errno);
        assertEquals(cause, e.why());
        assertTrue(e.getMessage().endsWith(Linux.text(-errno)), e.getMessage());
    }

    @Test
    void aDeviceThatCouldNotBeOpenedHasItsCure() {
        String why = failure(RdmaCmEvent.ADDR_ERROR, -1, Linux.ENODEV).getMessage();
        assertTrue(why.contains("ulimit -n"), why);
    }

    @Test
    void theLimitOfAControlGroupIsAShortage() {
        for (FabricException e :
                List.of(
                        VerbsFailures.of("no queue pair", -Linux.EAGAIN),
                        VerbsFailures.memory(4096, -Linux.EAGAIN),
                        failure(RdmaCmEvent.ADDR_ERROR, -1, Linux.EAGAIN))) {
            assertEquals(Cause.RESOURCES, e.why());
            assertTrue(e.getMessage().contains("rdma.max"), e.getMessage());
        }
    }

    /** The next try has another queue pair, and the peer ends the old connection meanwhile. */
    @Test
    void aStaleConnectionIsTriedAgain() {
        assertEquals(Cause.IN_USE, failure(RdmaCmEvent.REJECTED, 10, 0).why());
    }

    @ParameterizedTest
    @ValueSource(ints = {28, -Linux.ECONNRESET})
    void aShortageOfTheListenerIsTold(int status) {
        for (int errno : new int[] {Linux.EMFILE, Linux.ENOMEM, Linux.EAGAIN}) {
            byte[] told = VerbsFailures.refusal(VerbsFailures.of("no queue pair", -errno));
            assertEquals(Cause.RESOURCES, rejected(status, told).why());
            assertEquals(Cause.RESOURCES, rejected(status, Arrays.copyOf(told, 148)).why());
        }
        byte[] other = VerbsFailures.refusal(VerbsFailures.of("no queue pair", -Linux.EINVAL));
        assertEquals(Cause.REFUSED, rejected(status, other).why());
        assertEquals(Cause.REFUSED, rejected(status, new byte[] {5, 0, 0, 0}).why());
    }

    private static FabricException rejected(int status, byte[] data) {
        return VerbsFailures.of(
                new CmEvent(RdmaCmEvent.REJECTED, status, 0, 0, 0, data, 0, 0), data);
    }

    @Test
    void aChannelThatCannotBeOpenedForAShortageIsOne() {
        for (int errno : new int[] {Linux.EMFILE, Linux.ENFILE, Linux.ENOMEM}) {
            assertEquals(Cause.RESOURCES, VerbsFailures.noChannel(-errno).why());
        }
        assertEquals(Cause.UNAVAILABLE, VerbsFailures.noChannel(-Linux.ENODEV).why());
    }

    /** Adapters lock the memory of queues. */
    @Test
    void aQueueWithoutMemoryNamesTheLimit() {
        String why = VerbsFailures.of("no completion queue", -Linux.ENOMEM).getMessage();
        assertTrue(why.endsWith(VerbsFailures.lockedCure(VerbsFailures.lockedLimit())), why);
        String cure = VerbsFailures.lockedCure("65536");
        assertTrue(cure.contains("limited to 65536 bytes: raise it"), cure);
        assertEquals("", VerbsFailures.lockedCure("unlimited"));
    }

    /** A call that succeeded may leave any errno behind. */
    @Test
    void withAnyOtherStatusErrnoMeansNothing() {
        int stale = Linux.EMFILE;
        FabricException silent = failure(RdmaCmEvent.CONNECT_ERROR, -Linux.ETIMEDOUT, stale);
        assertEquals(Cause.TIMED_OUT, silent.why());
        assertEquals(Cause.NO_LISTENER, failure(RdmaCmEvent.REJECTED, 8, stale).why());
    }
}
