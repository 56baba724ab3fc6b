package io.sdp4j.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class LocalAddressesTest {
    private static final InetAddress TEN = InetAddress.ofLiteral("10.1.2.3");
    private static final InetAddress ELEVEN = InetAddress.ofLiteral("11.1.2.3");

    private final Set<InetAddress> host = new CopyOnWriteArraySet<>(Set.of(TEN));
    private final AtomicInteger lists = new AtomicInteger();
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1); // wraps at once
    private volatile LocalAddresses.Lister lister = () -> host;
    private final LocalAddresses addresses =
            new LocalAddresses(
                    () -> {
                        lists.incrementAndGet();
                        return lister.list();
                    },
                    clock::get);

    private void passMillis(long millis) {
        clock.addAndGet(millis * 1_000_000L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"127.0.0.1", "127.255.255.254", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"})
    void loopbackAndWildcardNeedNoList(String address) {
        assertTrue(addresses.contains(InetAddress.ofLiteral(address)));
        assertEquals(0, lists.get());
    }

    @Test
    void multicastIsNotLocal() {
        assertFalse(addresses.contains(InetAddress.ofLiteral("224.0.0.1")));
        assertFalse(addresses.contains(InetAddress.ofLiteral("ff02::1")));
        assertEquals(0, lists.get());
    }

    @Test
    void oneListServesForItsLifetime() {
        for (int i = 0; i < 1000; i++) {
            assertTrue(addresses.contains(TEN));
            assertFalse(addresses.contains(ELEVEN));
        }
        assertEquals(1, lists.get());
        passMillis(LocalAddresses.LIFETIME_MILLIS - 1);
        assertTrue(addresses.contains(TEN));
        assertEquals(1, lists.get());
        passMillis(1);
        assertTrue(addresses.contains(TEN));
        assertEquals(2, lists.get());
    }

    @Test
    void aNewAddressIsFoundSoonAndAnOldOneForgotten() {
        assertFalse(addresses.contains(ELEVEN));
        host.add(ELEVEN);
        host.remove(TEN);
        assertFalse(addresses.contains(ELEVEN));
        passMillis(LocalAddresses.RECHECK_MILLIS);
        assertTrue(addresses.contains(ELEVEN));
        assertFalse(addresses.contains(TEN));
    }

    @Test
    void foreignAddressesNeedNoNewList() {
        assertTrue(addresses.listed(TEN));
        passMillis(LocalAddresses.LIFETIME_MILLIS - 1);
        assertFalse(addresses.listed(ELEVEN));
        assertEquals(1, lists.get());
        host.add(ELEVEN);
        passMillis(1);
        assertTrue(addresses.listed(ELEVEN));
    }

    @Test
    void aSystemThatDoesNotAnswerHasNoAddresses() {
        lister =
                () -> {
                    throw new SocketException("no");
                };
        assertFalse(addresses.contains(TEN));
        lister = () -> host;
        passMillis(LocalAddresses.RECHECK_MILLIS);
        assertTrue(addresses.contains(TEN));
    }

    /**
     * Goal: a slow list holds up only the thread that makes it. Method: hold it, and ask from
     * outside.
     */
    @Test
    void othersAnswerFromTheOldListMeanwhile() throws Exception {
        assertTrue(addresses.contains(TEN));
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        lister =
                () -> {
                    inside.countDown();
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new SocketException(e);
                    }
                    return Set.of(ELEVEN);
                };
        passMillis(LocalAddresses.LIFETIME_MILLIS);
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<Boolean> slow = executor.submit(() -> addresses.contains(ELEVEN));
            try {
                assertTrue(inside.await(30, TimeUnit.SECONDS));
                assertTrue(addresses.contains(TEN));
            } finally {
                goOn.countDown();
            }
            assertTrue(slow.get(30, TimeUnit.SECONDS));
        }
        assertFalse(addresses.contains(TEN));
    }

    @Test
    void knowsThisHost() throws SocketException {
        LocalAddresses system = LocalAddresses.system();
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .forEach(a -> assertTrue(system.contains(a), a.toString()));
        assertFalse(system.contains(InetAddress.ofLiteral("192.0.2.1"))); // reserved for documents
        assertFalse(system.contains(InetAddress.ofLiteral("2001:db8::1")));
    }
}
