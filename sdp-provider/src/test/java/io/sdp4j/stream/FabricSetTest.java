package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Goal: a driver that is loaded after the first use of RDMA is found, and others cost nothing. */
class FabricSetTest {
    private int closed;
    private final Fabric fabric =
            Shims.proxy(
                    Fabric.class,
                    (_, method, _) -> {
                        assertEquals("close", method.getName());
                        closed++;
                        return null;
                    });
    private boolean there;
    private int opened;
    private Runnable onOpen = () -> {};
    private long nanos;

    private final FabricSet set =
            new FabricSet(Map.of("verbs", this::open, "shm", this::open), () -> nanos);

    private Fabric open() throws FabricException {
        opened++;
        onOpen.run();
        if (there) {
            return fabric;
        }
        throw new FabricException(Cause.UNAVAILABLE, "failure " + opened);
    }

    private void assertFails(String name, int failure) {
        FabricException e = assertThrows(FabricException.class, () -> set.get(name));
        assertEquals("failure " + failure, e.getMessage());
    }

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void aFailureOfRdmaIsKeptForAWhile() throws Exception {
        assertFails("verbs", 1);
        pass(9);
        assertFails("verbs", 1);
        pass(1);
        assertFails("verbs", 2);
        assertFails("verbs", 2);
        there = true;
        pass(9);
        assertFails("verbs", 2);
        pass(1);
        assertSame(fabric, set.get("verbs"));
        pass(100);
        assertSame(fabric, set.get("verbs"));
        assertEquals(3, opened);
    }

    @Test
    void anotherFabricIsOpenedOnce() {
        assertFails("shm", 1);
        there = true;
        pass(100);
        assertFails("shm", 1);
    }

    @Test
    void afterTheEndNoneIsOpenedAgain() {
        assertFails("verbs", 1);
        set.end();
        there = true;
        pass(100);
        assertFails("verbs", 1);
    }

    @Test
    void afterTheEndNoneIsOpenedForTheFirstTime() {
        set.end();
        there = true;
        FabricException e = assertThrows(FabricException.class, () -> set.get("shm"));
        assertEquals(Cause.CLOSED, e.why());
        assertEquals(0, opened);
    }

    @Test
    void oneThatIsBeingOpenedAtTheEndIsClosed() {
        there = true;
        onOpen =
                () -> {
                    set.end();
                    set.close();
                };
        FabricException e = assertThrows(FabricException.class, () -> set.get("shm"));
        assertEquals(Cause.CLOSED, e.why());
        assertEquals(1, closed);
    }

    @Test
    void aLackOfMemoryPasses() throws Exception {
        onOpen =
                () -> {
                    throw new OutOfMemoryError("of the test");
                };
        FabricException e = assertThrows(FabricException.class, () -> set.get("shm"));
        assertEquals(Cause.RESOURCES, e.why());
        onOpen = () -> {};
        there = true;
        pass(9);
        assertSame(e, assertThrows(FabricException.class, () -> set.get("shm")));
        pass(1);
        assertSame(fabric, set.get("shm"));
    }
}
