package io.sdp4j.rdma.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.attack.Attacker;
import io.sdp4j.rdma.ConnectionRequest;
import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.ListenRequest;
import io.sdp4j.rdma.QueuePair;
import io.sdp4j.rdma.RequestHandler;
import java.io.BufferedReader;
import java.io.File;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: what a hostile process of the same user says is not believed, and costs it more than us.
 * Method: an {@link Attacker}, which shares no class with the fabric, against a listener and
 * against a client that are configured as by default. The numbers are those of docs/security.md.
 */
@Timeout(60)
final class ShmAttackTest extends ShmDirectory {
    private static final String REJECTED = "status 1";

    private ServerSocket kernel;
    private ShmFabric fabric;
    private InetSocketAddress at;
    private final List<QueuePair> accepted =
            java.util.Collections.synchronizedList(new ArrayList<>());
    private final List<String> refused = java.util.Collections.synchronizedList(new ArrayList<>());
    private final List<Process> children = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        at = (InetSocketAddress) kernel.getLocalSocketAddress();
        fabric = ShmFabric.open(ShmConfig.defaults().withDirectory(dir), Ends.loop(true));
    }

    @AfterEach
    void shut() throws Exception {
        for (Process p : children) {
            p.destroyForcibly().waitFor();
        }
        accepted.forEach(QueuePair::close);
        fabric.close();
        kernel.close();
    }

    private void listen() throws IOException {
        fabric.listen(
                new ListenRequest(
                        at,
                        false,
                        new RequestHandler() {
                            @Override
                            public void onRequest(ConnectionRequest r) {
                                Taker taker = new Taker(accepted::add, failure -> {});
                                r.accept(SPEC, new byte[0], taker);
                            }

                            @Override
                            public void onRefused(InetSocketAddress peer, String why) {
                                refused.add(why);
                            }
                        }));
    }

    private BufferedReader attack(List<String> before, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-Xmx64m",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        attackerPath(),
                        Attacker.class.getName()));
        command.addAll(List.of(arguments));
        Process p =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        children.add(p);
        return p.inputReader();
    }

    /** The tests' classes alone. */
    private static String attackerPath() {
        String resource = "/" + Attacker.class.getName().replace('.', '/') + ".class";
        String url = String.valueOf(Attacker.class.getResource(resource));
        return new File(url.substring("file:".length(), url.length() - resource.length()))
                .toString();
    }

    private Path name() throws IOException {
        return Ends.meeting(dir).resolve(fabric.rendezvous().exactName(at));
    }

    private String attackListener(List<String> before, String what) throws IOException {
        listen();
        return attack(before, what, name().toString(), String.valueOf(at.getPort())).readLine();
    }

    @ParameterizedTest
    @CsvSource({
        "honest, status 0",
        "liar, status 1",
        "other-port, status 1",
        "nothing, status 1",
        "no-socket, status 1",
        "files, status 1",
        "mover, status 1",
        "glutton, status 3"
    })
    void aClientIsWhatItsSocketSays(String what, String answer) throws Exception {
        assertEquals(answer, attackListener(List.of(), what));
        assertTrue(what.equals("honest") || accepted.isEmpty());
        boolean lies = List.of("liar", "other-port", "nothing", "no-socket").contains(what);
        assertEquals(lies ? 1 : 0, refused.size(), refused::toString);
    }

    @Test
    void aClientOfAnotherNetworkIsNotLetIn() throws Exception {
        Process can = new ProcessBuilder("unshare", "-n", "true").start();
        assumeTrue(can.waitFor() == 0, "no network namespace can be made here");
        String said =
                attackListener(
                        List.of("unshare", "-n", "sh", "-c", "ip link set lo up; exec \"$@\"", "-"),
                        "honest");
        assertEquals(REJECTED, said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"huge", "files"})
    void aServerWithoutThePortIsNotAsked(String memory) throws Exception {
        Files.createDirectory(
                Ends.meeting(dir),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        BufferedReader out =
                attack(List.of(), "server", name().toString(), "" + at.getPort(), memory);
        assertEquals("listening " + at.getPort(), out.readLine());
        FabricException e =
                assertThrows(FabricException.class, () -> Ends.connect(fabric, at, SPEC));
        assertEquals(FabricException.Cause.UID, e.why(), e.toString());
        assertEquals("not asked", out.readLine());
    }

    @Test
    void manyWhoOnlyKnockLeaveTheDescriptorsToOthers() throws Exception {
        Process victim = new ProcessBuilder(limited(Peer.class)).start();
        children.add(victim);
        int port = Peer.port(victim);
        at = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        BufferedReader out = attack(List.of(), "flood", name().toString(), "" + port, "600");
        String said = out.readLine();
        assertTrue(said.startsWith("flooded "), said);
        Path descriptors = Path.of("/proc/" + victim.pid() + "/fd");
        assertTrue(count(descriptors) < 150, () -> "descriptors " + count(descriptors));
        children.getLast().destroyForcibly().waitFor();
        // once they are gone whoever means it is served
        QueuePair mine =
                await().atMost(30, TimeUnit.SECONDS)
                        .ignoreExceptions()
                        .until(() -> Ends.connect(fabric, at, SPEC), qp -> qp != null);
        mine.close();
    }

    @Test
    void withFewDescriptorsLeftClientsAreSentToTcp() throws Exception {
        Process victim = new ProcessBuilder(limited(Peer.class)).start();
        children.add(victim);
        at = new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(victim));
        List<QueuePair> all = new ArrayList<>();
        try {
            FabricException e =
                    assertThrows(
                            FabricException.class,
                            () -> {
                                while (all.size() < 300) {
                                    all.add(Ends.connect(fabric, at, SPEC));
                                }
                            });
            assertEquals(FabricException.Cause.RESOURCES, e.why(), e.toString());
            assertTrue(all.size() > 8, "connections " + all.size());
            assertTrue(count(Path.of("/proc/" + victim.pid() + "/fd")) < 180);
        } finally {
            all.forEach(QueuePair::close);
        }
    }

    /** A server that may have 300 descriptors. */
    private List<String> limited(Class<?> main) {
        return List.of(
                "sh",
                "-c",
                "ulimit -n 300; exec \"$@\"",
                "-",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                Peer.classPath(),
                main.getName(),
                dir.toString(),
                "true");
    }

    private static long count(Path directory) {
        try (var all = Files.list(directory)) {
            return all.count();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }
}
