package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.Mapping;
import io.sdp4j.linux.PortOwner;
import io.sdp4j.linux.UnixFd;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which peers are let in, to what, and up to which limit. */
@SuppressWarnings("try") // closing early is the point
final class ShmAdmissionTest extends ShmDirectory {
    @Test
    void memoryThatCouldShrinkOrIsShortIsRefused() {
        assertRefused(Mapping.create("sdp4j-test", 4096), 8192, "size");
        assertRefused(-1, 4096, "no descriptor");
        int[] pair = {UnixFd.open()};
        assertRefused(pair[0], 4096, "sealed");
    }

    private static void assertRefused(int fd, long len, String reason) {
        FabricException e = assertThrows(FabricException.class, () -> Segment.mapReceived(fd, len));
        assertEquals(FabricException.Cause.PROTOCOL, e.why());
        assertTrue(e.getMessage().contains(reason), e.getMessage());
        if (fd >= 0) {
            Linux.close(fd);
        }
    }

    @Test
    void aServerThatDoesNotOwnThePortIsRefused() throws Exception {
        PeerCredentials ourselves = new PeerCredentials(1234);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        long none = PortOwner.listener(any).uid();
        assertNotNull(ourselves.refuseServer(1234, none));
        assertNotNull(ourselves.refuseServer(1234, 77), "another user's port");
        assertNotNull(ourselves.refuseServer(77, 77), "another user");
        assertNotNull(ourselves.refuseServer(0, 0), "root is another user, too");
        assertEquals(null, ourselves.refuseServer(1234, 1234));
        assertNotNull(ourselves.refuseClient(77));
        assertNotNull(ourselves.refuseClient(0), "root is another user, too");
        assertEquals(null, ourselves.refuseClient(1234));
        assertNotNull(ourselves.refuseClient(PeerCredentials.STRANGER));
        assertEquals(null, new PeerCredentials(65534).refuseClient(65534));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionsOfTheWrongUserAreCut(boolean clientRefuses) throws Exception {
        long uid = Integer.toUnsignedLong(Linux.effectiveUid());
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric picky = picky(uid);
                ShmFabric other = Ends.fabric(dir)) {
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
                                    || e.why() == FabricException.Cause.NO_LISTENER,
                    e.toString());
        }
    }

    /** A fabric that takes everybody else for a stranger. */
    private ShmFabric picky(long uid) {
        PeerCredentials trust =
                new PeerCredentials(uid) {
                    @Override
                    String refuseServer(long server, long owner) {
                        return super.refuseServer(server == uid ? uid + 1 : server, owner);
                    }

                    @Override
                    String refuseClient(long client) {
                        return super.refuseClient(client == uid ? uid + 1 : client);
                    }
                };
        return new ShmFabric(Ends.config(dir), Ends.loop(), trust, warning -> {});
    }

    @Test
    void aDirectoryOpenToOthersOrNotRealIsRefused() throws Exception {
        Path open = Files.createDirectory(dir.resolve("open"));
        Path real = Files.createDirectory(dir.resolve("real"));
        Path link = Files.createDirectory(dir.resolve("link"));
        Path file = Files.createDirectory(dir.resolve("file"));
        Files.createDirectory(Ends.meeting(open));
        Files.setPosixFilePermissions(
                Ends.meeting(open), PosixFilePermissions.fromString("rwxr-x---"));
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwx------"));
        Files.createSymbolicLink(Ends.meeting(link), real);
        Files.createFile(Ends.meeting(file));
        for (Path bad : List.of(open, link, file)) {
            try (ServerSocket kernel = new ServerSocket(0);
                    ShmFabric fabric = Ends.fabric(bad)) {
                InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
                InetSocketAddress to =
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), at.getPort());
                for (Executable use :
                        List.<Executable>of(
                                () ->
                                        fabric.listen(
                                                new ListenRequest(
                                                        at, true, r -> r.reject(new byte[0]))),
                                () -> fabric.connect(request(to)))) {
                    FabricException e = assertThrows(FabricException.class, use);
                    assertEquals(FabricException.Cause.UNAVAILABLE, e.why());
                    String meeting = Ends.meeting(bad).toString();
                    assertTrue(e.getMessage().contains(meeting), e.getMessage());
                }
            }
        }
    }

    @Test
    void aWildcardListenerServesEveryAddressOfItsFamilies() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0);
                ShmFabric fabric = Ends.fabric(dir)) {
            List<QueuePair> all = Collections.synchronizedList(new ArrayList<>());
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

    /** A server that is just starting has its rendezvous before the TCP port. */
    @Test
    void aRendezvousWithoutATcpListenerIsNone() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = Ends.fabric(dir);
                ShmFabric client = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            server.listen(new ListenRequest(at, false, r -> {}));
            kernel.close();
            FabricException e =
                    assertThrows(FabricException.class, () -> client.connect(request(at)));
            assertEquals(FabricException.Cause.NO_LISTENER, e.why(), e.toString());
        }
    }

    /** Goal: a client is never left without an answer. */
    @Test
    void whereTheHandlerFailsTheClientIsRefused() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = Ends.fabric(dir);
                ShmFabric client = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            server.listen(
                    new ListenRequest(
                            at,
                            false,
                            r -> {
                                throw new OutOfMemoryError("of the test");
                            }));
            FabricException e =
                    assertThrows(FabricException.class, () -> client.connect(request(at)));
            assertEquals(FabricException.Cause.RESOURCES, e.why(), e.toString());
        }
    }

    @Test
    void beyondTheMemoryLimitConnectionsAreRefused() throws Exception {
        ShmConfig small = Ends.config(dir, 310_000);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = ShmFabric.open(small, Ends.loop());
                ShmFabric client = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            List<QueuePair> all = Collections.synchronizedList(new ArrayList<>());
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

    /** The usual buffers are allowed by everyone. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void moreBuffersThanTheOtherEndAllowsAreNoLackOfMemory(boolean clientWants) throws Exception {
        QpSpec many = new QpSpec(64, 1 << 20, 64);
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric server = Ends.fabric(dir);
                ShmFabric client = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            List<QueuePair> all = Collections.synchronizedList(new ArrayList<>());
            server.listen(
                    new ListenRequest(
                            at,
                            false,
                            r ->
                                    r.accept(
                                            clientWants ? SPEC : many,
                                            new byte[0],
                                            Taker.into(all))));
            FabricException e =
                    assertThrows(
                            FabricException.class,
                            () -> client.connect(Ends.request(at, clientWants ? many : SPEC)));
            assertEquals(FabricException.Cause.BUFFERS, e.why(), e.toString());
            assertTrue(e.getMessage().contains("64 buffers of 1048576 bytes"), e.getMessage());
        }
    }

    @Test
    void diagnosisNamesWhatItFound() {
        List<Diagnosis.Fact> facts = Diagnosis.of(Ends.config(dir));
        assertTrue(facts.stream().allMatch(Diagnosis.Fact::good), facts::toString);
        assertTrue(facts.stream().anyMatch(f -> f.text().contains(dir.toString())));
    }
}
