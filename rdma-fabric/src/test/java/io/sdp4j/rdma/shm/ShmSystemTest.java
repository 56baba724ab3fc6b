package io.sdp4j.rdma.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.rdma.Completion;
import io.sdp4j.rdma.CompletionQueue;
import io.sdp4j.rdma.ConnectRequest;
import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.FabricListener;
import io.sdp4j.rdma.ListenRequest;
import io.sdp4j.rdma.QpSpec;
import io.sdp4j.rdma.QueuePair;
import io.sdp4j.rdma.WcStatus;
import io.sdp4j.rdma.os.Linux;
import io.sdp4j.rdma.os.Mapping;
import io.sdp4j.rdma.os.PortOwner;
import io.sdp4j.rdma.os.UnixFd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What only the whole shows: other processes, what is left behind, who is let in. */
@Timeout(120)
@SuppressWarnings("try") // closing early is the point
final class ShmSystemTest {
    private static final QpSpec SPEC = new QpSpec(8, 1024, 8);
    private Path dir;

    @BeforeEach
    void makeDirectory() throws IOException {
        dir = Ends.directory();
    }

    @AfterEach
    void removeDirectory() throws IOException {
        Ends.remove(dir);
        assertEquals(List.of(), List.copyOf(Ends.THROWN));
    }

    private static ConnectRequest request(InetSocketAddress to) {
        return new ConnectRequest(
                to,
                () -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
                new byte[0],
                SPEC,
                System.nanoTime() + TimeUnit.SECONDS.toNanos(20));
    }

    private List<String> names() throws IOException {
        try (var files = Files.list(dir)) {
            return files.map(p -> p.getFileName().toString()).toList();
        }
    }

    private static Completion next(QueuePair qp) {
        Completion c = new Completion();
        while (!qp.completions().poll(c)) {
            qp.completions().await(TimeUnit.SECONDS.toNanos(20));
        }
        return c;
    }

    /** Goal: an end by our error is told apart from the end of our process, in every mode. */
    @ParameterizedTest
    @CsvSource({"true,true", "false,false", "true,false", "false,true"})
    void aFailedQueuePairIsNoDeadPeer(boolean mine, boolean its) throws Exception {
        try (ShmFabric active = Ends.fabric(dir, mine);
                ShmFabric passive = Ends.fabric(dir, its);
                ServerSocket kernel = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AtomicReference<QueuePair> accepted = new AtomicReference<>();
            var to = (InetSocketAddress) kernel.getLocalSocketAddress();
            try (FabricListener l =
                    passive.listen(
                            new ListenRequest(
                                    to,
                                    false,
                                    r ->
                                            r.accept(
                                                    SPEC,
                                                    new byte[0],
                                                    new Taker(accepted::set, Ends.THROWN::add))))) {
                QueuePair a = active.connect(request(to)).queuePair();
                await().until(() -> accepted.get() != null);
                QueuePair b = accepted.get();
                b.postSend(b.takeSendSlot(), 7, 0);
                b.postSend(b.takeSendSlot(), b.sendBytes() + 1, 0); // an error of b's user
                assertEquals(WcStatus.LOC_LEN_ERR, next(b).status);
                assertEquals(7, next(a).byteLen);
                Completion end = next(a);
                assertEquals(Completion.DISCONNECTED, end.opcode);
                assertEquals(WcStatus.REM_OP_ERR, end.status);
                a.close();
                b.close();
            }
        }
    }

    // ---- the other process

    @ParameterizedTest
    @CsvSource({
        "true,true,false",
        "true,true,true",
        "false,false,false",
        "true,false,false",
        "false,true,true"
    })
    void aKilledPeerIsSeenAndLeavesNothing(boolean mine, boolean its, boolean busy)
            throws Exception {
        Process peer = Peer.start(dir, its);
        try (ShmFabric fabric = Ends.fabric(dir, mine)) {
            InetSocketAddress to =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(peer));
            QueuePair qp = fabric.connect(request(to)).queuePair();
            AtomicLong seen = new AtomicLong();
            AtomicLong trips = new AtomicLong();
            Completion last = new Completion();
            Thread t =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        CompletionQueue cq = qp.completions();
                                        for (; ; ) {
                                            if (busy || trips.get() < 10) {
                                                int slot = qp.takeSendSlot();
                                                if (slot >= 0) {
                                                    qp.postSend(slot, 5, 0);
                                                }
                                            }
                                            while (!cq.poll(last)) {
                                                cq.await(Long.MAX_VALUE);
                                            }
                                            if (last.opcode != Completion.RECEIVE) {
                                                seen.set(System.nanoTime());
                                                return;
                                            }
                                            trips.incrementAndGet();
                                            qp.postReceive(last.slot);
                                        }
                                    });
            await().until(() -> trips.get() >= 10);
            long killed = System.nanoTime();
            peer.destroyForcibly();
            t.join(20_000);
            assertFalse(t.isAlive());
            assertTrue(
                    seen.get() - killed < TimeUnit.SECONDS.toNanos(1),
                    "seen after " + (seen.get() - killed) + " ns");
            assertEquals(Completion.DISCONNECTED, last.opcode);
            assertEquals(WcStatus.RETRY_EXC_ERR, last.status);
            // we are the one who looks: no name is left, and nobody is found there
            await().atMost(20, TimeUnit.SECONDS).until(() -> names().isEmpty());
            FabricException e =
                    assertThrows(FabricException.class, () -> fabric.connect(request(to)));
            assertEquals(FabricException.Cause.NO_LISTENER, e.why());
            qp.close();
        } finally {
            peer.destroyForcibly();
            peer.waitFor();
        }
    }

    @Test
    void aNameWithoutProcessIsRemovedByWhoeverConnects() throws Exception {
        Process peer = Peer.start(dir, true);
        InetSocketAddress to =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(peer));
        peer.destroyForcibly().waitFor();
        assertEquals(1, names().size());
        try (ShmFabric fabric = Ends.fabric(dir, true)) {
            FabricException e =
                    assertThrows(FabricException.class, () -> fabric.connect(request(to)));
            assertEquals(FabricException.Cause.NO_LISTENER, e.why());
            assertEquals(List.of(), names());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProcessThatEndsInOrderTakesItsNamesAlong(boolean nativeMode) throws Exception {
        Process peer = Peer.start(dir, nativeMode);
        Peer.port(peer);
        assertEquals(1, names().size());
        peer.destroy();
        peer.waitFor();
        assertEquals(List.of(), names());
    }

    // ---- what is left

    private record Holdings(int descriptors, long mappings, int threads) {
        static Holdings now() throws IOException {
            try (var fds = Files.list(Path.of("/proc/self/fd"));
                    var maps = Files.lines(Path.of("/proc/self/maps"))) {
                return new Holdings(
                        (int) fds.count(),
                        maps.filter(m -> m.contains("memfd:sdp4j") || m.contains("seg-")).count(),
                        (int)
                                Thread.getAllStackTraces().keySet().stream()
                                        .filter(t -> !t.getName().startsWith("awaitility"))
                                        .count());
            }
        }

        boolean noMoreThan(Holdings before) {
            return descriptors <= before.descriptors
                    && mappings <= before.mappings
                    && threads <= before.threads;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThousandConnectionsLeaveNothingHoweverTheyEnd(boolean nativeMode) throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ShmFabric a = Ends.fabric(dir, nativeMode);
                ShmFabric b = Ends.fabric(dir, nativeMode)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            List<QueuePair> accepted = java.util.Collections.synchronizedList(new ArrayList<>());
            int[] count = {0};
            FabricListener l =
                    b.listen(
                            new ListenRequest(
                                    at,
                                    false,
                                    r -> {
                                        if (count[0]++ % 8 == 7) {
                                            r.reject(new byte[0]);
                                        } else {
                                            r.accept(SPEC, new byte[0], Taker.into(accepted));
                                        }
                                    }));
            for (int i = 0; i < 20; i++) {
                endSomehow(a, at, accepted, i);
            }
            Holdings before = Holdings.now();
            for (int i = 0; i < 1000; i++) {
                endSomehow(a, at, accepted, i);
            }
            await().atMost(20, TimeUnit.SECONDS)
                    .untilAsserted(
                            () -> {
                                Holdings now = Holdings.now();
                                assertTrue(
                                        now.noMoreThan(before),
                                        () -> "before " + before + ", now " + now);
                            });
            l.close();
            assertEquals(List.of(), names());
            assertEquals(0, a.reservedBytes());
            assertEquals(0, b.reservedBytes());
        }
    }

    private void endSomehow(ShmFabric a, InetSocketAddress at, List<QueuePair> accepted, int how)
            throws Exception {
        if (how % 8 == 6) {
            // a client that says nothing, and one that says half of it
            Link link = a.sockets().connect(onlyName(), () -> {});
            if (how % 16 == 6) {
                link.send(new byte[100], 100, -1);
            }
            link.close();
            return;
        }
        QueuePair mine;
        try {
            mine = a.connect(request(at)).queuePair();
        } catch (FabricException e) {
            assertEquals(FabricException.Cause.REFUSED, e.why());
            return;
        }
        await().pollDelay(0, TimeUnit.MILLISECONDS)
                .pollInterval(1, TimeUnit.MILLISECONDS)
                .until(() -> !accepted.isEmpty());
        QueuePair its = accepted.removeFirst();
        int slot = mine.takeSendSlot();
        mine.postSend(slot, 10, 0);
        switch (how % 8) {
            case 0 -> mine.close();
            case 1 -> its.close();
            case 2 -> mine.abort();
            case 3 -> its.disconnect();
            case 4 -> {
                assertEquals(Completion.RECEIVE, next(its).opcode);
                its.abort();
                next(mine);
            }
            default -> its.completions().arm();
        }
        if (how % 8 != 0) {
            mine.close();
        }
        if (how % 8 != 1) {
            its.close();
        }
    }

    private Path onlyName() throws IOException {
        return dir.resolve(
                names().stream().filter(n -> !n.startsWith("seg-")).findFirst().orElseThrow());
    }

    @Test
    void anIdleConnectionCostsLittle() throws Exception {
        int n = 200;
        QpSpec big = new QpSpec(64, 16 << 10, 64);
        try (ServerSocket kernel = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir, true)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            List<QueuePair> all = java.util.Collections.synchronizedList(new ArrayList<>());
            FabricListener l =
                    fabric.listen(
                            new ListenRequest(
                                    at, false, r -> r.accept(big, new byte[0], Taker.into(all))));
            long heapBefore = usedHeap();
            List<QueuePair> mine = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                ConnectRequest r = request(at);
                QueuePair qp =
                        fabric.connect(
                                        new ConnectRequest(
                                                r.remote(),
                                                r.localAddress(),
                                                r.privateData(),
                                                big,
                                                r.deadlineNanos()))
                                .queuePair();
                mine.add(qp);
                int have = i + 1;
                await().until(() -> all.size() == have);
                QueuePair its = all.get(i);
                for (int trip = 0; trip < 20; trip++) {
                    pass(qp, its);
                    pass(its, qp);
                }
            }
            long shared = residentBytes();
            long heap = usedHeap() - heapBefore;
            long each = (shared + Math.max(heap, 0)) / n;
            System.out.println(
                    "idle connection, both ends: "
                            + shared / n
                            + " bytes shared, "
                            + heap / n
                            + " bytes heap");
            assertTrue(each < 56 << 10, "bytes for each connection: " + each);
            mine.forEach(QueuePair::close);
            all.forEach(QueuePair::close);
            l.close();
        }
    }

    private static void pass(QueuePair from, QueuePair to) {
        int slot = from.takeSendSlot();
        from.sendMemory().asSlice(from.sendOffset(slot), 64).fill((byte) 1);
        from.postSend(slot, 64, 0);
        Completion c = next(to);
        to.postReceive(c.slot);
    }

    private static long usedHeap() {
        System.gc();
        Runtime r = Runtime.getRuntime();
        return r.totalMemory() - r.freeMemory();
    }

    /** Pages of our segments, each counted once although both ends are mapped here. */
    private static long residentBytes() throws IOException {
        long kib = 0;
        boolean ours = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.contains("-") && line.contains(" rw-s ")) {
                ours = line.contains("memfd:sdp4j");
            } else if (ours && line.startsWith("Pss:")) {
                kib += Long.parseLong(line.replaceAll("\\D", ""));
            } else if (line.contains("-") && line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ours = false;
            }
        }
        return kib << 10;
    }

    // ---- who is let in, and what

    @Test
    void memoryThatCouldShrinkOrIsShortIsRefused() {
        assertRefused(Mapping.create("sdp4j-test", 4096), 8192, "size");
        assertRefused(-1, 4096, "no memory");
        int[] pair = {UnixFd.open()};
        assertRefused(pair[0], 4096, "sealed");
    }

    private static void assertRefused(int fd, long len, String reason) {
        FabricException e = assertThrows(FabricException.class, () -> Memory.mapReceived(fd, len));
        assertEquals(FabricException.Cause.PROTOCOL, e.why());
        assertTrue(e.getMessage().contains(reason), e.getMessage());
        if (fd >= 0) {
            Linux.close(fd);
        }
    }

    @Test
    void aServerThatDoesNotOwnThePortIsRefused() throws Exception {
        Trust ourselves = new Trust(1234, true);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        assertNotNull(ourselves.refuseServer(1234, any));
        assertNotNull(ourselves.refuseServer(77, any));
        assertNotNull(ourselves.refuseServer(65534, any));
        assertNotNull(ourselves.refuseClient(77));
        assertNotNull(ourselves.refuseClient(Trust.STRANGER));
        assertNotNull(new Trust(65534, true).refuseClient(65534));
        Trust owner =
                new Trust(1234, true) {
                    @Override
                    long portOwner(InetSocketAddress address) {
                        return 1234;
                    }
                };
        assertEquals(null, owner.refuseServer(1234, any));
        assertEquals(null, owner.refuseClient(1234));
        assertEquals(null, owner.refuseClient(0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionsOfTheWrongUserAreCut(boolean clientRefuses) throws Exception {
        long uid = Integer.toUnsignedLong(Linux.effectiveUid());
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric picky = picky(uid);
                ShmFabric other = Ends.fabric(dir, true)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            ShmFabric server = clientRefuses ? other : picky;
            ShmFabric client = clientRefuses ? picky : other;
            server.listen(
                    new ListenRequest(
                            at,
                            false,
                            r -> r.accept(SPEC, new byte[0], Taker.into(new ArrayList<>()))));
            FabricException e =
                    assertThrows(FabricException.class, () -> client.connect(request(at)));
            assertTrue(
                    clientRefuses
                            ? e.why() == FabricException.Cause.UID
                            : e.why() == FabricException.Cause.REFUSED
                                    || e.why() == FabricException.Cause.CLOSED,
                    e.toString());
        }
    }

    /** A fabric that takes everybody else for a stranger. */
    private ShmFabric picky(long uid) throws FabricException {
        Trust trust =
                new Trust(uid, true) {
                    @Override
                    String refuseServer(long server, InetSocketAddress wanted) {
                        return super.refuseServer(server == uid ? uid + 1 : server, wanted);
                    }

                    @Override
                    String refuseClient(long client) {
                        return super.refuseClient(client == uid ? uid + 1 : client);
                    }
                };
        return new ShmFabric(Ends.config(dir, true), Ends.loop(true), true, trust);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theOwnerOfAPortIsFound(boolean nativeCalls) throws Exception {
        long uid = Integer.toUnsignedLong(Linux.effectiveUid());
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket all = new ServerSocket(0)) {
            assertEquals(
                    uid,
                    PortOwner.uid((InetSocketAddress) one.getLocalSocketAddress(), nativeCalls));
            InetSocketAddress wild =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), all.getLocalPort());
            assertEquals(uid, PortOwner.uid(wild, nativeCalls));
            InetSocketAddress six =
                    new InetSocketAddress(
                            InetAddress.getByAddress(
                                    new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}),
                            all.getLocalPort());
            assertEquals(uid, PortOwner.uid(six, nativeCalls));
            InetSocketAddress nobody =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), one.getLocalPort());
            one.close();
            assertEquals(PortOwner.NOBODY, PortOwner.uid(nobody, nativeCalls));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDirectoryOpenToOthersOrNotRealIsRefused(boolean nativeMode) throws Exception {
        Path open = Files.createDirectory(dir.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-x---"));
        Path real = Files.createDirectory(dir.resolve("real"));
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwx------"));
        Path link = Files.createSymbolicLink(dir.resolve("link"), real);
        Path file = Files.createFile(dir.resolve("file"));
        for (Path bad : List.of(open, link, file)) {
            try (ServerSocket kernel = new ServerSocket(0);
                    ShmFabric fabric = Ends.fabric(bad, nativeMode)) {
                InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
                FabricException e =
                        assertThrows(
                                FabricException.class,
                                () ->
                                        fabric.listen(
                                                new ListenRequest(
                                                        at, true, r -> r.reject(new byte[0]))));
                assertEquals(FabricException.Cause.UNAVAILABLE, e.why());
                assertTrue(e.getMessage().contains(bad.toString()), e.getMessage());
            }
        }
        for (Path p : List.of(open, link, real, file)) {
            Files.delete(p);
        }
    }

    @Test
    void aWildcardListenerServesEveryAddressOfItsFamilies() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0);
                ShmFabric fabric = Ends.fabric(dir, true)) {
            List<QueuePair> all = java.util.Collections.synchronizedList(new ArrayList<>());
            InetSocketAddress six =
                    new InetSocketAddress(
                            InetAddress.getByAddress(new byte[16]), kernel.getLocalPort());
            FabricListener l =
                    fabric.listen(
                            new ListenRequest(
                                    six, true, r -> r.accept(SPEC, new byte[0], Taker.into(all))));
            assertEquals(2, names().size());
            for (byte[] ip :
                    List.of(
                            new byte[] {127, 0, 0, 1},
                            new byte[] {127, 0, 0, 9},
                            new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})) {
                InetSocketAddress to =
                        new InetSocketAddress(InetAddress.getByAddress(ip), kernel.getLocalPort());
                fabric.connect(request(to)).queuePair().close();
            }
            await().until(() -> all.size() == 3);
            all.forEach(QueuePair::close);
            l.close();
            assertEquals(List.of(), names());
        }
    }

    @Test
    void beyondTheMemoryLimitConnectionsAreRefused() throws Exception {
        ShmConfig small = Ends.config(dir, true).withMemory(300_000);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = ShmFabric.open(small, Ends.loop(true));
                ShmFabric client = Ends.fabric(dir, true)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            List<QueuePair> all = java.util.Collections.synchronizedList(new ArrayList<>());
            server.listen(
                    new ListenRequest(
                            at, false, r -> r.accept(SPEC, new byte[0], Taker.into(all))));
            QueuePair first = client.connect(request(at)).queuePair();
            FabricException e =
                    assertThrows(FabricException.class, () -> client.connect(request(at)));
            assertEquals(FabricException.Cause.RESOURCES, e.why());
            first.close();
            await().until(() -> all.size() == 1);
            all.removeFirst().close();
            client.connect(request(at)).queuePair().close();
            await().until(() -> all.size() == 1);
            all.removeFirst().close();
        }
    }

    @Test
    void diagnosisNamesWhatItFound() {
        List<ShmFabric.Fact> facts = ShmFabric.diagnose(Ends.config(dir, true));
        assertTrue(facts.stream().allMatch(ShmFabric.Fact::good), facts::toString);
        assertTrue(facts.stream().anyMatch(f -> f.text().contains(dir.toString())));
        assertTrue(
                ShmFabric.diagnose(Ends.config(dir, false)).stream()
                        .anyMatch(f -> f.name().equals("native access") && !f.good()));
    }
}
