package io.sdp4j.fabric.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.fabric.AcceptedSockets;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.shm.attack.Attacker;
import io.sdp4j.linux.StrangeFd;
import io.sdp4j.testing.JvmCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: claims of a hostile process of the same user are not believed, and cost it more than us.
 * Method: an {@link Attacker}, which shares no class with the fabric, against a listener and
 * against a client that are configured as by default. The numbers are those of docs/security.md.
 */
@Timeout(60)
final class ShmAttackTest extends AttackedFabric {
    private static final String REJECTED = "status 1";

    @ParameterizedTest
    @CsvSource({
        "honest, status 0",
        "liar, status 1",
        "other-port, status 1",
        "nothing, status 1",
        "no-socket, status 1",
        "garbage, cut",
        "silent, cut",
        "mover, status 5",
        "usual, status 0",
        "greedy, status 6",
        "glutton, status 6"
    })
    void aClientIsWhatItsSocketSays(String what, String answer) throws Exception {
        assertEquals(answer, attackListener(List.of(), what));
        assertTrue(List.of("honest", "usual").contains(what) || accepted.isEmpty());
        if (List.of("honest", "mover", "usual", "greedy", "glutton").contains(what)) {
            assertEquals(List.of(), refused);
        } else {
            assertEquals(1, refused.size(), refused::toString);
            // the kernel's word, whatever it says of itself
            String named = "process " + children.getFirst().pid() + " of user " + Ends.UID;
            assertTrue(refused.getFirst().startsWith(named + ": "), refused.getFirst());
        }
    }

    @Test
    void aClientOfAnotherNetworkIsNotLetIn() throws Exception {
        assumeTrue(ownNetwork(), "no network namespace can be made here");
        assertEquals(REJECTED, attackListener(OTHER_NETWORK, "honest"));
    }

    /** With {@code network}, one that has the port in another network namespace. */
    @ParameterizedTest
    @CsvSource({"huge, false", "none, false", "huge, true"})
    void aServerWithoutThePortIsNotAsked(String memory, boolean network) throws Exception {
        assumeTrue(!network || ownNetwork(), "no network namespace can be made here");
        Files.createDirectory(
                Ends.meeting(dir),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        BufferedReader out =
                attack(
                        network ? OTHER_NETWORK : List.of(),
                        "server",
                        name().toString(),
                        "" + at.getPort(),
                        memory);
        assertEquals("listening " + at.getPort(), out.readLine());
        FabricException e =
                assertThrows(FabricException.class, () -> Ends.connect(fabric, at, SPEC));
        assertEquals(FabricException.Cause.UID, e.why(), e.toString());
        assertEquals("not asked", out.readLine());
    }

    /** It has the port, so it is asked; then it gives memory that it could take away. */
    @ParameterizedTest
    @CsvSource({"none, no descriptor", "unsealed, seals are 0", "growing, seals are 3"})
    void memoryThatAServerCouldTakeAwayIsRefused(String memory, String why) throws Exception {
        kernel.close();
        Files.createDirectory(
                Ends.meeting(dir),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        BufferedReader out =
                attack(
                        List.of(),
                        "server",
                        name().toString(),
                        "" + at.getPort(),
                        memory,
                        "" + ShmFabric.layout(SPEC, SPEC).totalBytes);
        assertEquals("listening " + at.getPort(), out.readLine());
        FabricException e =
                assertThrows(FabricException.class, () -> Ends.connect(fabric, at, SPEC));
        assertEquals(FabricException.Cause.PROTOCOL, e.why(), e.toString());
        assertTrue(e.getMessage().contains(why), e.getMessage());
        assertEquals("refused", out.readLine());
    }

    /**
     * Each time it is the last descriptor of a socket that is closed here: one that came without a
     * Hello, one too many, one that was not received, within another socket, with a wake-up byte,
     * with an urgent byte.
     */
    @ParameterizedTest
    @ValueSource(strings = {"byte", "third", "unread", "nested", "wake", "urgent"})
    void aSocketThatLingersHoldsUpNoOtherClient(String how) throws Exception {
        assertEquals("status 0", linger(how, () -> {}).readLine());
    }

    /**
     * Goal: descriptors without end do not fill the table of this process while the close of one
     * waits. They come on a link that has said nothing, on connections, or on links that wait when
     * the listener is closed.
     */
    @ParameterizedTest
    @CsvSource({"full, 50", "connected, 500", "backlog, 150"})
    void descriptorsWithoutEndAreNotReceived(String how, int most) throws Exception {
        Path own = Path.of("/proc/self/fd");
        long before = count(own);
        boolean ends = how.equals("backlog");
        String said = linger(how, () -> closeIf(ends)).readLine();
        assertEquals(how.equals("full"), said.equals("status 0"), said);
        long more = count(own) - before;
        assertTrue(more < most, () -> "descriptors " + more);
        children.getLast().destroyForcibly().waitFor();
        await().until(() -> !StrangeFd.behind());
    }

    private void closeIf(boolean ends) {
        if (ends) {
            fabric.close();
        }
    }

    @Test
    void socketsThatLingerHoldUpOneThreadUntilNoClientIsLetIn() throws Exception {
        linger("many", () -> {});
        await().until(StrangeFd::behind);
        assertEquals(1, closing());
        assertThrows(FabricException.class, () -> Ends.connect(fabric, at, SPEC));
        children.getLast().destroyForcibly().waitFor();
        await().until(() -> !StrangeFd.behind());
        Ends.connect(fabric, at, SPEC).close();
    }

    /** An attacker that has closed all that it passes before any of it is received. */
    private BufferedReader linger(String how, Runnable whileHeld) throws Exception {
        listen(AcceptedSockets.NONE);
        String port = String.valueOf(at.getPort());
        BufferedReader out = attack(List.of(), "lingering", name().toString(), port, how);
        assertEquals("ready", out.readLine());
        CyclicBarrier held = new CyclicBarrier(2);
        Ends.loop()
                .execute(
                        () -> {
                            meet(held);
                            meet(held);
                        });
        meet(held);
        children.getLast().getOutputStream().write('\n');
        children.getLast().getOutputStream().flush();
        assertEquals("sent", out.readLine());
        whileHeld.run();
        meet(held);
        return out;
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static long closing() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().equals("sdp4j-close"))
                .count();
    }

    @Test
    void manyWhoOnlyKnockLeaveTheDescriptorsToOthers() throws Exception {
        Process victim = limited(300, Peer.class);
        children.add(victim);
        int port = Peer.port(victim);
        at = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        BufferedReader out = attack(List.of(), "flood", name().toString(), "" + port, "600");
        String said = out.readLine();
        assertTrue(said.startsWith("flooded "), said);
        Path descriptors = Path.of("/proc/" + victim.pid() + "/fd");
        assertTrue(count(descriptors) < 150, () -> "descriptors " + count(descriptors));
        children.getLast().destroyForcibly().waitFor();
        // once they are gone an honest client is served
        QueuePair mine =
                await().atMost(30, TimeUnit.SECONDS)
                        .ignoreExceptions()
                        .until(() -> Ends.connect(fabric, at, SPEC), qp -> qp != null);
        mine.close();
    }

    @Test
    void withFewDescriptorsLeftClientsAreSentToTcp() throws Exception {
        Process victim = limited(600, Peer.class);
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

    /** It tries again for all who wait, not for each. */
    @Test
    void aListenerWithoutDescriptorsTriesNoOftenerForManyClients() throws Exception {
        Process victim = limited(300, OutOfDescriptors.class, "listen");
        children.add(victim);
        int millis = Integer.parseInt(victim.inputReader().readLine());
        assertTrue(millis >= 29 * 20, "30 attempts took milliseconds: " + millis);
    }

    @Test
    void aProcessThatHadNoDescriptorToAskForItsNetworkAsksAgain() throws Exception {
        Process victim = limited(300, OutOfDescriptors.class, "look");
        children.add(victim);
        assertEquals(
                "no descriptor is left to look at this network namespace with, null",
                victim.inputReader().readLine());
    }

    @Test
    void anEventLoopThatFoundNoDescriptorsLooksForThemAgain() throws Exception {
        Process victim = limited(300, OutOfDescriptors.class, "loop");
        children.add(victim);
        assertEquals("too many open files, true", victim.inputReader().readLine());
    }

    @Test
    void aDirectoryThatCannotBeOpenedForWantOfDescriptorsIsNotBlamed() throws Exception {
        Process victim = limited(300, OutOfDescriptors.class, "meet");
        children.add(victim);
        assertEquals("RESOURCES, []", victim.inputReader().readLine());
    }

    /** A process that may have so many descriptors. */
    private Process limited(int descriptors, Class<?> main, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(dir.toString()));
        arguments.addAll(List.of(more));
        return JvmCommand.of(main, arguments.toArray(String[]::new))
                .under(List.of("sh", "-c", "ulimit -n " + descriptors + "; exec \"$@\"", "-"))
                .options("--enable-native-access=ALL-UNNAMED")
                .small()
                .builder()
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static long count(Path directory) {
        try (var all = Files.list(directory)) {
            return all.count();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }
}
