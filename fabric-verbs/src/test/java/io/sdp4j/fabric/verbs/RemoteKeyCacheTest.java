package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.verbs.RemoteKeyCache.Lender;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a key is kept only for a buffer that one connection lends again and again, and each of the
 * things that end it does so at once, or at the second sweep.
 */
class RemoteKeyCacheTest {
    private static final int MIB = 1 << 20;

    private final FakeRegistrar registrar = new FakeRegistrar(Long.MAX_VALUE);
    private final RemoteKeyCache keys = new RemoteKeyCache(registrar, 4 * MIB, this::onAsked);
    private final Lender lender = new Lender();
    private final Lender other = new Lender();
    private final int[] failure = new int[1];
    private final MemorySegment memory = buffer(1000);

    private int asked;

    /** There is no memory for a timer. */
    private boolean scarce;

    private static MemorySegment buffer(int len) {
        return MemorySegment.ofBuffer(ByteBuffer.allocateDirect(len));
    }

    private long lend(Lender by, MemorySegment m) {
        RegistrationHandle e = keys.lend(by, m, failure);
        long registration = e.registration();
        e.end();
        return registration;
    }

    /** Whether the end of the loan asks for sweeps. */
    private boolean asks(RegistrationHandle loan) {
        int before = asked;
        loan.end();
        return asked > before;
    }

    private void onAsked() {
        asked++;
        if (scarce) {
            throw new OutOfMemoryError("of the test");
        }
    }

    private void keep(Lender by, MemorySegment m) {
        lend(by, m);
        lend(by, m);
    }

    @Test
    void isKeptFromTheSecondTimeOn() {
        long first = lend(lender, memory);
        assertEquals(0, registrar.live(), "dies with its advertisement");
        long second = lend(lender, memory);
        assertNotEquals(first, second);
        assertEquals(1, registrar.live());
        for (int i = 0; i < 5; i++) {
            assertEquals(second, lend(lender, memory));
        }
        assertEquals(2, registrar.calls());
        keys.close();
        assertEquals(0, registrar.live());
    }

    @Test
    void isNotKeptForAMappedFile(@TempDir Path directory) throws IOException {
        keep(lender, FakeRegistrar.mappedFile(directory));
        assertEquals(0, keys.size());
        assertEquals(0, registrar.live());
    }

    @Test
    void isFoundByAnotherViewOfTheBuffer() {
        ByteBuffer b = ByteBuffer.allocateDirect(1000);
        keep(lender, MemorySegment.ofBuffer(b));
        lend(lender, MemorySegment.ofBuffer(b.duplicate()));
        assertEquals(2, registrar.calls());
        assertEquals(1, registrar.live());
    }

    /** The rest of a buffer of which a part has been sent already. */
    @Test
    void servesForAPartOfTheBuffer() {
        long first = lend(lender, memory);
        assertNotEquals(first, lend(lender, memory.asSlice(100)), "the whole is not kept yet");
        long whole = lend(lender, memory);
        assertEquals(whole, lend(lender, memory.asSlice(100)));
        assertEquals(whole, lend(lender, memory.asSlice(0, 1)));
        assertEquals(3, registrar.calls());
        assertEquals(1, registrar.live());
        keep(other, buffer(1000));
        assertNotEquals(whole, lend(other, memory.asSlice(100)), "not for another connection");
        assertEquals(1, registrar.live());
    }

    @Test
    void servesForAPartHoweverOftenTheWholeWasLent() {
        keep(lender, memory);
        RegistrationHandle loan = keys.lend(lender, memory, failure);
        loan.entry.times = Integer.MAX_VALUE;
        loan.end();
        long whole = lend(lender, memory);
        assertEquals(whole, lend(lender, memory.asSlice(100)));
    }

    @Test
    void doesNotServeForAPartWhileItIsAwayForTheFirstTime() {
        RegistrationHandle whole = keys.lend(lender, memory, failure);
        RegistrationHandle part = keys.lend(lender, memory.asSlice(1), failure);
        assertEquals(2, registrar.live());
        whole.end();
        assertEquals(1, registrar.live());
        part.end();
        assertEquals(0, registrar.live());
    }

    @Test
    void isNotEnoughForMoreThanItsBytes() {
        MemorySegment middle = memory.asSlice(100, 100);
        keep(lender, middle);
        for (MemorySegment m :
                new MemorySegment[] {
                    memory,
                    memory.asSlice(99, 101),
                    memory.asSlice(100, 101),
                    memory.asSlice(199, 2)
                }) {
            int calls = registrar.calls();
            lend(lender, m);
            assertEquals(calls + 1, registrar.calls());
        }
        assertEquals(1, registrar.live(), "the same peer knows these bytes");
    }

    /** A loan of a part shows the peer the rest of it, too. */
    @Test
    void livesNoLongerForAPart() {
        MemorySegment part = memory.asSlice(500);
        keep(lender, memory);
        assertTrue(keys.sweep());
        lend(lender, part);
        RegistrationHandle e = keys.lend(lender, part, failure);
        assertFalse(keys.sweep());
        assertEquals(1, registrar.live(), "the part is away");
        assertNotEquals(e.registration(), lend(lender, memory));
        e.end();
        assertEquals(0, registrar.live());
    }

    @Test
    void staysWhileThePartAndTheWholeAreAway() {
        keep(lender, memory);
        RegistrationHandle whole = keys.lend(lender, memory, failure);
        RegistrationHandle part = keys.lend(lender, memory.asSlice(1), failure);
        assertTrue(keys.sweep());
        assertFalse(keys.sweep());
        part.end();
        assertEquals(1, registrar.live());
        whole.end();
        assertEquals(1, registrar.live(), "its time begins now");
        assertTrue(keys.sweep());
        assertFalse(keys.sweep());
        assertEquals(0, registrar.live());
    }

    @Test
    void endsBetweenTheFirstAndTheSecondTickWithoutUse() {
        keep(lender, memory);
        assertTrue(keys.sweep());
        assertEquals(1, registrar.live());
        lend(lender, memory);
        assertTrue(keys.sweep(), "it was used since");
        assertEquals(1, registrar.live());
        assertFalse(keys.sweep(), "nothing is left to sweep for");
        assertEquals(0, registrar.live());
        assertEquals(0, keys.size());
    }

    @Test
    void whatWasLentOnceIsForgottenInTheSameTime() {
        lend(lender, memory);
        assertTrue(keys.sweep());
        assertFalse(keys.sweep());
        lend(lender, memory);
        assertEquals(0, registrar.live(), "the first time again");
    }

    /** One timer while something is kept, none otherwise. */
    @Test
    void asksForTicksOnlyWhenNoneIsScheduled() {
        RegistrationHandle e = keys.lend(lender, memory, failure);
        assertTrue(asks(e));
        assertFalse(asks(keys.lend(lender, memory, failure)), "there is one already");
        assertTrue(keys.sweep());
        assertFalse(keys.sweep());
        assertTrue(asks(keys.lend(lender, memory, failure)));
        try (Arena arena = Arena.ofShared()) {
            RemoteKeyCache none = new RemoteKeyCache(registrar, MIB, this::onAsked);
            assertFalse(asks(none.lend(lender, arena.allocate(100), failure)));
        }
    }

    /** A peer that does not read causes no work. */
    @Test
    void aLongLoanNeitherEndsNorTicks() {
        keep(lender, memory);
        assertTrue(keys.sweep());
        RegistrationHandle e = keys.lend(lender, memory, failure);
        assertTrue(keys.sweep(), "it was lent since");
        assertFalse(keys.sweep());
        assertEquals(1, registrar.live());
        assertTrue(asks(e), "sweeps from its return on");
        assertTrue(keys.sweep(), "its time begins with its return");
        assertFalse(keys.sweep());
        assertEquals(0, registrar.live());
    }

    @Test
    void endsWhenAnotherConnectionLendsAnyOfItsBytes() {
        keep(lender, memory);
        RegistrationHandle e = keys.lend(other, memory.asSlice(999), failure);
        assertEquals(1, registrar.live(), "only the other's");
        e.end();
        lend(lender, memory);
        assertEquals(0, registrar.live(), "the first time again");
        keep(lender, memory.asSlice(0, 500));
        keep(other, memory.asSlice(500));
        assertEquals(2, registrar.live(), "neighbours, who share no byte");
    }

    @Test
    void endsWhenItsBytesAreRegisteredForAnythingElse() {
        keep(lender, memory.asSlice(0, 500));
        keep(lender, memory.asSlice(500));
        keys.conceal(memory.asSlice(499, 1));
        assertEquals(1, registrar.live());
        keys.conceal(memory);
        assertEquals(0, registrar.live());
        assertEquals(0, keys.size());
    }

    @Test
    void whatIsLentWhileItsBytesAreUsedElsewhereEndsWithItsReturn() {
        lend(lender, memory);
        RegistrationHandle e = keys.lend(lender, memory, failure);
        keys.conceal(memory);
        assertEquals(1, registrar.live(), "the peer is still to read it");
        assertFalse(asks(e));
        assertEquals(0, registrar.live());
    }

    @Test
    void endsWithItsConnectionAndThenNothingIsKept() {
        MemorySegment lent = buffer(10);
        MemorySegment others = buffer(10);
        keep(lender, memory);
        lend(lender, lent);
        RegistrationHandle e = keys.lend(lender, lent, failure);
        keep(other, others);
        assertEquals(3, registrar.live());
        keys.forget(lender);
        assertEquals(2, registrar.live(), "the other's, and what is away");
        e.end();
        assertEquals(1, registrar.live());
        keep(lender, memory);
        assertEquals(1, registrar.live());
        assertEquals(1, keys.size());
    }

    /** The bytes at the address have another owner from then on. */
    @Test
    void memoryThatSomebodyMayFreeIsNotKept() {
        try (Arena arena = Arena.ofShared()) {
            keep(lender, arena.allocate(100));
        }
        keep(lender, Arena.global().allocate(100));
        assertEquals(0, registrar.live());
        assertEquals(0, keys.size());
        keep(lender, Arena.ofAuto().allocate(100));
        assertEquals(1, registrar.live());
    }

    /** An address in use again is another memory, to the same connection too. */
    @Test
    @SuppressWarnings("restricted")
    void anotherLifetimeIsAnotherMemory() {
        keep(lender, memory);
        MemorySegment again =
                MemorySegment.ofAddress(memory.address())
                        .reinterpret(memory.byteSize(), Arena.ofAuto(), null);
        lend(lender, again);
        assertEquals(3, registrar.calls());
        assertEquals(0, registrar.live(), "the old one has ended");
    }

    @Test
    void theOldestLeaveWhenThereAreTooMany() {
        MemorySegment a = buffer(2 * MIB);
        MemorySegment b = buffer(2 * MIB);
        MemorySegment c = buffer(2 * MIB);
        keep(lender, a);
        keep(other, b);
        lend(lender, a);
        int before = registrar.calls();
        lend(lender, c);
        assertEquals(1, registrar.live(), "b was the oldest");
        lend(lender, a);
        assertEquals(before + 1, registrar.calls());
        lend(lender, buffer(4 * MIB + 1));
        assertEquals(1, registrar.live(), "what is too large drives nothing out");
        for (int i = 0; i < 2 * RemoteKeyCache.MAX_ENTRIES; i++) {
            keep(lender, buffer(16));
        }
        assertEquals(RemoteKeyCache.MAX_ENTRIES, keys.size());
        assertEquals(RemoteKeyCache.MAX_ENTRIES, registrar.live());
    }

    @Test
    void whatIsAwayDoesNotLeave() {
        RegistrationHandle a = keys.lend(lender, buffer(3 * MIB), failure);
        RegistrationHandle b = keys.lend(lender, buffer(3 * MIB), failure);
        assertEquals(2, registrar.live());
        a.end();
        b.end();
        assertTrue(keys.size() <= 1);
    }

    @Test
    void nothingIsKeptWhereThatIsSwitchedOff() {
        RemoteKeyCache off = new RemoteKeyCache(registrar, 0, this::onAsked);
        for (int i = 0; i < 3; i++) {
            assertFalse(asks(off.lend(lender, memory, failure)));
        }
        off.lend(lender, buffer(0), failure).end();
        assertEquals(0, registrar.live());
        assertEquals(0, off.size());
    }

    @Test
    void givesUpWhatIsIdleWhereALimitIsMet() {
        keep(lender, memory);
        MemorySegment away = buffer(10);
        lend(lender, away);
        RegistrationHandle e = keys.lend(lender, away, failure);
        assertTrue(keys.giveUpIdle());
        assertEquals(1, registrar.live());
        lend(lender, buffer(10));
        assertFalse(keys.giveUpIdle(), "nothing was gained");
        assertEquals(e.registration(), lend(lender, away));
    }

    @Test
    void aFailureLeavesNothing() {
        RemoteKeyCache small = new RemoteKeyCache(new FakeRegistrar(10), MIB, this::onAsked);
        assertNull(small.lend(lender, memory, failure));
        assertEquals(-12, failure[0]);
        assertEquals(0, small.size());
        assertNull(small.lend(lender, memory, failure));
    }

    /** The same buffer twice in one gathering write. */
    @Test
    void isSharedByLoansAtTheSameTime() {
        RegistrationHandle a = keys.lend(lender, memory, failure);
        RegistrationHandle b = keys.lend(lender, memory, failure);
        assertEquals(1, registrar.calls());
        a.end();
        assertEquals(1, registrar.live());
        b.end();
        keys.forget(lender);
        assertEquals(0, registrar.live());
    }

    /** Without a search, and without the lock of others. */
    @Test
    void whatWasLeftIsThereAgainAsLongAsItIsKept() {
        RegistrationHandle first = keys.lend(lender, memory, failure);
        assertFalse(first.leave(), "the first time");
        first.end();
        RegistrationHandle use = keys.lend(lender, memory, failure);
        long registration = use.registration();
        for (int i = 0; i < 5; i++) {
            assertTrue(use.leave());
            assertTrue(keys.sweep(), "it was lent since");
            assertTrue(use.comeBack());
        }
        assertFalse(keys.sweep(), "a long loan");
        assertFalse(use.leave(), "no sweep is scheduled");
        assertTrue(asks(use));
        use = keys.lend(lender, memory, failure);
        assertEquals(registration, use.registration());
        assertTrue(use.leave());
        assertTrue(keys.sweep());
        assertFalse(keys.sweep());
        assertFalse(use.comeBack());
        assertEquals(0, registrar.live());
    }

    @Test
    void whatWasLeftEndsWithEverythingThatEndsAKey() {
        RegistrationHandle[] use = new RegistrationHandle[1];
        Runnable leave =
                () -> {
                    keep(lender, memory);
                    use[0] = keys.lend(lender, memory, failure);
                    assertTrue(use[0].leave());
                    assertEquals(1, registrar.live());
                };
        Runnable gone =
                () -> {
                    assertFalse(use[0].comeBack());
                    assertEquals(0, registrar.live());
                };
        leave.run();
        keys.conceal(memory.asSlice(999));
        gone.run();
        leave.run();
        lend(other, memory.asSlice(0, 1));
        gone.run();
        leave.run();
        assertTrue(keys.giveUpIdle());
        gone.run();
        leave.run();
        use[0].end();
        assertEquals(1, registrar.live(), "a use ends, and what is kept does not");
        leave.run();
        keys.forget(lender);
        gone.run();
    }

    /** It ends when it returns. */
    @Test
    void whatCameBackInTimeStaysUntilItIsLeft() {
        keep(lender, memory);
        RegistrationHandle use = keys.lend(lender, memory, failure);
        assertTrue(use.leave());
        assertTrue(use.comeBack());
        keys.conceal(memory);
        assertEquals(1, registrar.live());
        assertFalse(use.leave());
        use.end();
        assertEquals(0, registrar.live());
    }

    @Test
    void oneOfThoseThatShareItMayBeLeft() {
        keep(lender, memory);
        RegistrationHandle first = keys.lend(lender, memory, failure);
        RegistrationHandle second = keys.lend(lender, memory, failure);
        RegistrationHandle part = keys.lend(lender, memory.asSlice(1), failure);
        assertFalse(second.leave());
        assertFalse(part.leave());
        second.end();
        assertTrue(first.leave());
        assertTrue(keys.sweep());
        assertFalse(keys.sweep(), "the part is away, and does not keep it");
        assertFalse(first.comeBack());
        assertEquals(1, registrar.live());
        part.end();
        assertEquals(0, registrar.live());
    }

    /** After one look none is needed before there is another key. */
    @Test
    void isConcealedAgainOnlyAfterANewKey() {
        int since = keys.conceal(memory);
        assertEquals(since, keys.conceal(memory, since));
        keep(lender, memory);
        assertEquals(1, registrar.live());
        int then = keys.conceal(memory, since);
        assertNotEquals(since, then);
        assertEquals(0, registrar.live());
        assertEquals(then, keys.conceal(memory, then));
    }

    @Test
    void whatIsDiscardedIsNotKept() {
        keep(lender, memory);
        RegistrationHandle use = keys.lend(lender, memory, failure);
        RegistrationHandle part = keys.lend(lender, memory.asSlice(0, 1), failure);
        use.discard();
        assertEquals(1, registrar.live(), "a part is lent");
        part.end();
        assertEquals(0, registrar.live());
        assertEquals(0, keys.size());
        use.discard();
    }

    /** Without a timer nothing would end the key in time. */
    @Test
    void isNotKeptIfNoSweepCanFollow() {
        lend(lender, memory);
        RegistrationHandle loan = keys.lend(lender, memory, failure);
        assertTrue(keys.sweep());
        assertFalse(keys.sweep(), "it is in use");
        scarce = true;
        assertTrue(asks(loan));
        assertEquals(0, registrar.live());
        scarce = false;
        assertTrue(asks(keys.lend(lender, memory, failure)), "another sweep may follow");
    }
}
