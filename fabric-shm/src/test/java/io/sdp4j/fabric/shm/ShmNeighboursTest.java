package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.fabric.AcceptedSockets;
import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.shm.attack.Attacker;
import io.sdp4j.linux.TcpSocketFd;
import io.sdp4j.testing.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a process that holds something of another one's, or only looks like it, gets no more than
 * by TCP. Method: an {@link Attacker} beside processes that mean it. The numbers are those of
 * docs/security.md.
 */
@Timeout(60)
final class ShmNeighboursTest extends AttackedFabric {
    private Process peer(List<String> before) throws Exception {
        return peer(before, Peer.class);
    }

    private Process peer(List<String> before, Class<?> main) throws Exception {
        Process peer =
                JvmCommand.of(main, dir.toString())
                        .under(before)
                        .options("--enable-native-access=ALL-UNNAMED")
                        .small()
                        .builder()
                        .start();
        children.add(peer);
        at = new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(peer));
        return peer;
    }

    /** Whether something comes back. */
    private static boolean echoes(QueuePair qp) {
        int slot = qp.takeSendSlot();
        if (slot < 0) {
            return false;
        }
        qp.postSend(slot, 100, 0);
        Completion c = new Completion();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (!qp.completions().poll(c)) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            qp.completions().await(left);
        }
        boolean back = c.opcode == Completion.RECEIVE && c.byteLen == 100;
        if (back) {
            qp.postReceive(c.slot);
        }
        return back;
    }

    @Test
    void aHolderOfTheMemoryOfAConnectionSpoilsThatOneOnly() throws Exception {
        Process peer = peer(List.of());
        List<QueuePair> both = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                both.add(Ends.connect(fabric, at, SPEC));
                assertTrue(echoes(both.getLast()));
            }
            String said = attack(List.of(), "insider", "/proc/" + peer.pid(), "0").readLine();
            assumeTrue(said.startsWith("scribbled"), said);
            List<Boolean> well = both.stream().map(ShmNeighboursTest::echoes).toList();
            assertTrue(well.contains(true), "the other one goes on");
            assertTrue(peer.isAlive());
            QueuePair another = Ends.connect(fabric, at, SPEC);
            both.add(another);
            assertTrue(echoes(another));
        } finally {
            both.forEach(QueuePair::close);
        }
    }

    /** An address of this host that is none of loopback, or null. */
    private static InetAddress outer() throws IOException {
        return NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(a -> a instanceof Inet4Address && !a.isLoopbackAddress())
                .findFirst()
                .orElse(null);
    }

    @Test
    void anAddressThatIsBoundWithoutBeingOursIsNotBelieved() throws Exception {
        InetAddress own = outer();
        assumeTrue(own != null, "this host has loopback addresses only");
        kernel.close();
        kernel = new ServerSocket(0, 5, own);
        at = (InetSocketAddress) kernel.getLocalSocketAddress();
        listen(AcceptedSockets.NONE);
        String port = String.valueOf(at.getPort());
        String ip = own.getHostAddress();
        assertEquals(
                "status 1", attack(List.of(), "freebind", name().toString(), port, ip).readLine());
        assertTrue(
                refused.getFirst().contains("is not an address of this host"), refused::toString);
    }

    /** A listener on all addresses serves those that this host has. */
    @Test
    void anAddressOfAnotherHostIsNotServed() throws Exception {
        InetAddress own = outer();
        assumeTrue(own != null, "this host has loopback addresses only");
        at = new InetSocketAddress(InetAddress.getByAddress(new byte[4]), at.getPort());
        listen(AcceptedSockets.NONE);
        assertEquals("status 1", attackAny("elsewhere", own.getHostAddress()));
        assertTrue(
                refused.getFirst().contains("203.0.113.77:" + at.getPort() + " is not an address"),
                refused::toString);
    }

    /** The answer to the attacker that goes by the name of the listener on all addresses. */
    private String attackAny(String what, String more) throws IOException {
        String path = Ends.meeting(dir).resolve(fabric.rendezvous.anyName(at)).toString();
        return attack(List.of(), what, path, String.valueOf(at.getPort()), more).readLine();
    }

    /** The listener on :: does not take IPv4. */
    @ParameterizedTest
    @CsvSource({"4, other-family, status 1", "16, honest, status 1", "4, honest, status 0"})
    void aListenerOnAllAddressesServesItsFamily(int length, String what, String answer)
            throws Exception {
        at = new InetSocketAddress(InetAddress.getByAddress(new byte[length]), at.getPort());
        listen(AcceptedSockets.NONE);
        assertEquals(answer, attackAny(what, ""));
        assertEquals(answer.equals("status 0"), refused.isEmpty(), refused::toString);
    }

    @Test
    void theConnectionOfAnotherClientIsNotMoved() throws Exception {
        try (Socket client = new Socket(at.getAddress(), at.getPort());
                Socket server = kernel.accept()) {
            InetSocketAddress remote = (InetSocketAddress) server.getRemoteSocketAddress();
            listen(
                    (local, from, use) -> {
                        for (int fd = 0; from.equals(remote) && fd < 65_536; fd++) {
                            if (TcpSocketFd.connectionFault(fd, local, from) == null) {
                                use.accept(fd);
                                return;
                            }
                        }
                    });
            String port = String.valueOf(at.getPort());
            String of = String.valueOf(client.getLocalPort());
            assertEquals(
                    "status 1",
                    attack(List.of(), "stolen", name().toString(), port, of).readLine());
            assertEquals(1, refused.size(), refused::toString);
            assertTrue(accepted.isEmpty());
            client.getOutputStream().write(7);
            assertEquals(7, server.getInputStream().read());
        }
    }

    /** The duplicate that was made to be shown is the last descriptor of a socket that lingers. */
    @Test
    void aConnectionThatIsClosedWhileItIsLookedAtHoldsUpNoOther() throws Exception {
        kernel.close();
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        kernel = listener.socket();
        at = (InetSocketAddress) listener.getLocalAddress();
        try (Socket client = new Socket(at.getAddress(), at.getPort());
                SocketChannel server = listener.accept()) {
            server.setOption(StandardSocketOptions.SO_LINGER, 3600);
            server.configureBlocking(false);
            while (server.write(ByteBuffer.allocate(1 << 20)) > 0) {
                // until nothing more fits
            }
            listen(
                    (local, from, use) -> {
                        int fd = 0;
                        while (TcpSocketFd.connectionFault(fd, local, from) != null) {
                            fd++;
                        }
                        use.accept(fd);
                        close(server);
                    });
            String port = String.valueOf(at.getPort());
            String of = String.valueOf(client.getLocalPort());
            assertEquals(
                    "status 1",
                    attack(List.of(), "stolen", name().toString(), port, of).readLine());
            CountDownLatch goesOn = new CountDownLatch(1);
            Ends.loop().execute(goesOn::countDown);
            assertTrue(goesOn.await(20, TimeUnit.SECONDS));
        }
    }

    private static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A process that is shown a connected socket can read it, and could show it to the process that
     * holds the other end.
     */
    @ParameterizedTest
    @ValueSource(strings = {"", "-n", "-n -p -f --kill-child"})
    void aConnectionIsNotShownToAProcessThatTookTheName(String namespaces) throws Exception {
        assumeTrue(namespaces.isEmpty() || ownNetwork(), "no network namespace can be made here");
        Files.createDirectory(
                Ends.meeting(dir),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        List<String> before = new ArrayList<>();
        if (!namespaces.isEmpty()) {
            before.add("unshare");
            before.addAll(List.of(namespaces.split(" ")));
            before.addAll(OTHER_NETWORK.subList(2, OTHER_NETWORK.size()));
        }
        String port = String.valueOf(at.getPort());
        try (Socket client = new Socket(at.getAddress(), at.getPort());
                Socket server = kernel.accept()) {
            BufferedReader out = attack(before, "server", name().toString(), port, "huge");
            assertEquals("listening " + port, out.readLine());
            FabricException e =
                    assertThrows(FabricException.class, () -> fabric.connect(moving(client)));
            assertEquals(FabricException.Cause.UID, e.why(), e.toString());
            assertEquals("not asked", out.readLine());
            client.getOutputStream().write(7);
            assertEquals(7, server.getInputStream().read());
        }
    }

    private static ConnectRequest moving(Socket client) {
        InetSocketAddress local = (InetSocketAddress) client.getLocalSocketAddress();
        InetSocketAddress remote = (InetSocketAddress) client.getRemoteSocketAddress();
        int number =
                IntStream.range(0, 65_536)
                        .filter(fd -> TcpSocketFd.connectionFault(fd, local, remote) == null)
                        .findFirst()
                        .orElseThrow();
        long now = System.nanoTime();
        long end = now + TimeUnit.SECONDS.toNanos(20);
        return new ConnectRequest(
                remote, _ -> local, new byte[0], SPEC, now, end, end, () -> false, _ -> {}, number);
    }

    @Test
    void aProcessThatTakesTheNameOfAnEndedPeerIsNotTakenForIt() throws Exception {
        Process peer = peer(List.of());
        Ends.connect(fabric, at, SPEC).close();
        peer.destroyForcibly().waitFor();
        try (ServerSocket restarted = new ServerSocket(at.getPort(), 5, at.getAddress())) {
            assertTrue(Files.exists(name()), "the name that it left");
            String port = String.valueOf(restarted.getLocalPort());
            BufferedReader out = attack(List.of(), "server", name().toString(), port, "huge");
            assertEquals("listening " + port, out.readLine());
            FabricException e =
                    assertThrows(FabricException.class, () -> Ends.connect(fabric, at, SPEC));
            assertEquals(FabricException.Cause.UID, e.why(), e.toString());
            assertEquals("not asked", out.readLine());
        }
    }

    /** It hears whom it could accept by TCP, and is no end of what it has not accepted. */
    @Test
    void aProcessThatTakesAListenerGetsWhatTcpWouldGiveIt() throws Exception {
        Files.createDirectory(
                Ends.meeting(dir),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        String port = String.valueOf(at.getPort());
        String own = String.valueOf(ProcessHandle.current().pid());
        BufferedReader out = attack(List.of(), "thief", name().toString(), port, own);
        String said = out.readLine();
        assumeTrue(said.startsWith("listening"), said);
        assertThrows(FabricException.class, () -> Ends.connect(fabric, at, SPEC));
        assertEquals("asked", out.readLine());
        try (Socket another = new Socket(at.getAddress(), at.getPort())) {
            assertTrue(another.isConnected());
            assertEquals("accepted", out.readLine());
            whatWasAcceptedStays();
        }
        assertEquals("refused", out.readLine());
    }

    private void whatWasAcceptedStays() throws IOException {
        try (SocketChannel client = SocketChannel.open(at);
                Socket server = kernel.accept()) {
            ConnectRequest moving = moving(client);
            FabricException e = assertThrows(FabricException.class, () -> fabric.connect(moving));
            assertEquals(FabricException.Cause.UID, e.why(), e.toString());
            server.getOutputStream().write(7);
            ByteBuffer got = ByteBuffer.allocate(1);
            assertEquals(1, client.read(got));
            assertEquals(7, got.get(0));
        }
    }

    /** Wants to move a connection. */
    private ConnectRequest moving(SocketChannel client) throws IOException {
        InetSocketAddress local = (InetSocketAddress) client.getLocalAddress();
        for (int fd = 0; fd < 65_536; fd++) {
            if (TcpSocketFd.connectionFault(fd, local, at) == null) {
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                return new ConnectRequest(
                        at,
                        _ -> local,
                        new byte[0],
                        SPEC,
                        System.nanoTime(),
                        end,
                        end,
                        () -> false,
                        _ -> {},
                        fd);
            }
        }
        throw new AssertionError("no descriptor of " + client);
    }

    /** Both sides are told why. */
    @Test
    void aPeerThatMayMakeNoMemorySaysSo() throws Exception {
        Process peer = peer(List.of(), WithoutMemfd.class);
        FabricException e =
                assertThrows(FabricException.class, () -> Ends.connect(fabric, at, SPEC));
        assertEquals(FabricException.Cause.RESOURCES, e.why(), e.toString());
        String said = peer.errorReader().readLine();
        assertTrue(said.contains("memfd_create"), said);
        assertTrue(said.contains("EPERM") || said.contains("permitted"), said);
    }

    /**
     * In a user namespace whose process is shown as the number that stands for all strangers, too:
     * one who is let through the directory by a capability is told apart by the kernel.
     */
    @ParameterizedTest
    @ValueSource(strings = {"54321", "65534"})
    void aStrangerOfAUserNamespaceIsNotTakenForUs(String stranger) throws Exception {
        List<String> namespace =
                List.of("unshare", "-U", "--map-user=65534", "--map-group=65534", "--");
        List<String> other =
                List.of(
                        "setpriv",
                        "--reuid=" + stranger,
                        "--regid=" + stranger,
                        "--clear-groups",
                        "--inh-caps=+dac_override",
                        "--ambient-caps=+dac_override",
                        "--");
        assumeTrue(works(namespace) && works(other), "must be root to be another user");
        Process peer = peer(namespace);
        Path meeting = dir.resolve("sdp4j-65534");
        String path = meeting.resolve(fabric.rendezvous.exactName(at)).toString();
        String port = String.valueOf(at.getPort());
        List<String> inside =
                List.of("nsenter", "-U", "--preserve-credentials", "-t", "" + peer.pid(), "--");
        assertEquals("status 0", attack(inside, "honest", path, port).readLine());
        String said = attack(other, "honest", path, port).readLine();
        assertTrue(List.of("cut", "not sent").contains(said), said);
        for (Process p : children) {
            p.destroyForcibly().waitFor();
        }
        try (var left = Files.list(meeting)) {
            for (Path f : left.toList()) {
                Files.delete(f);
            }
        }
        Files.delete(meeting);
    }

    private static boolean works(List<String> command) throws Exception {
        List<String> all = new ArrayList<>(command);
        all.add("true");
        try {
            return new ProcessBuilder(all)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
