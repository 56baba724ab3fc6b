package io.sdp4j.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QueuePair;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: whatever somebody else puts, or has, where processes meet, only our own dead sockets are
 * ever removed, and processes that can meet do. Method: plants what attacks planted, and looks at
 * all files afterwards.
 */
final class ShmRendezvousTest extends ShmDirectory {
    private static final String DEAD = "4026531840-4-7f000001-12345";
    private static final String ASIDE = "gone-0123456789abcdef";
    private static final String RANDOM = "0123456789abcdef0123456789abcdef";

    /** A socket that was left by a process: bound, and closed without removing the name. */
    private static Path deadSocket(Path at) throws IOException {
        try (ServerSocketChannel c = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            c.bind(UnixDomainSocketAddress.of(at));
        }
        assertTrue(Files.exists(at), "a name without a process");
        return at;
    }

    private static Path privateDirectory(Path at) throws IOException {
        return Files.createDirectory(
                at,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    private static void age(Path file) throws IOException {
        Files.setLastModifiedTime(
                file, FileTime.fromMillis(System.currentTimeMillis() - 3_600_000));
    }

    /** Everything below, with what is in it. */
    private static Map<String, String> everything(Path dir) throws IOException {
        Map<String, String> all = new TreeMap<>();
        try (var files = Files.walk(dir)) {
            for (Path f : files.toList()) {
                String name = dir.relativize(f).toString();
                if (Files.isRegularFile(f, LinkOption.NOFOLLOW_LINKS)) {
                    all.put(name, Files.readString(f));
                } else if (Files.isSymbolicLink(f)) {
                    all.put(name, "-> " + Files.readSymbolicLink(f));
                } else {
                    all.put(name, "");
                }
            }
        }
        return all;
    }

    private void listenOnce(boolean nativeMode) throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir, nativeMode)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            FabricListener l =
                    fabric.listen(new ListenRequest(at, false, r -> r.reject(new byte[0])));
            fabric.rendezvous().sweep();
            l.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPrivateDirectoryFullOfDocumentsKeepsThem(boolean nativeMode) throws Exception {
        Path meeting = privateDirectory(Ends.meeting(dir));
        for (Path in : List.of(dir, meeting)) {
            privateDirectory(in.resolve(".ssh"));
            Files.writeString(in.resolve(".ssh/id"), "key");
            Files.writeString(in.resolve("letter"), "words");
            Files.writeString(in.resolve("new-letter"), "words");
            Files.writeString(in.resolve("seg-ment"), "words");
            Files.writeString(in.resolve(DEAD), "a file of this name");
            Files.createDirectory(in.resolve("4026531840-4-any-1"));
            Files.createSymbolicLink(in.resolve("4026531840-4-any-2"), in.resolve("letter"));
            Files.createSymbolicLink(in.resolve("seg-" + RANDOM), in.resolve("letter"));
            Files.createDirectory(in.resolve("new-0123456789abcdef"));
            deadSocket(in.resolve("s"));
            deadSocket(in.resolve("1-4-7f00001-1"));
            try (var files = Files.list(in)) {
                for (Path f : files.filter(Files::isRegularFile).toList()) {
                    age(f);
                }
            }
        }
        deadSocket(dir.resolve("4026531840-4-any-3"));
        Map<String, String> before = everything(dir);
        listenOnce(nativeMode);
        assertEquals(before, everything(dir));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatDeadProcessesLeftIsRemoved(boolean nativeMode) throws Exception {
        Path meeting = privateDirectory(Ends.meeting(dir));
        deadSocket(meeting.resolve(DEAD));
        deadSocket(meeting.resolve("4026531840-6-any-99"));
        deadSocket(meeting.resolve("gone-0123456789abcdef"));
        age(deadSocket(meeting.resolve("new-0123456789abcdef")));
        age(Files.writeString(meeting.resolve("seg-" + RANDOM), "memory"));
        listenOnce(nativeMode);
        assertEquals(List.of(), names());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHeldDirectoryIsUsedWhateverItsNameLeadsTo(boolean nativeMode) throws Exception {
        RendezvousDirectories places =
                new RendezvousDirectories(dir, OwnUser.id(nativeMode), nativeMode);
        Path meeting = places.all().getFirst().path();
        try (PrivateDirectory held = places.make(places.all().getFirst()).directory()) {
            deadSocket(meeting.resolve(DEAD));
            Path victim = privateDirectory(dir.resolve("victim"));
            deadSocket(victim.resolve(DEAD));
            Files.writeString(victim.resolve("letter"), "words");
            Path moved = Files.move(meeting, dir.resolve("moved"));
            Files.createSymbolicLink(meeting, victim);
            Map<String, String> before = everything(victim);

            assertEquals(List.of(DEAD), held.names());
            assertNull(held.look("letter"));
            held.rename(DEAD, ASIDE);
            assertFalse(held.renameIfFree("y", "z"));
            held.create("seg-" + RANDOM).close();
            held.open("seg-" + RANDOM).close();
            held.remove("seg-" + RANDOM);
            if (nativeMode) {
                held.remove(ASIDE);
            } else { // where a name leads is all that tells sockets from pipes there
                assertThrows(IOException.class, () -> held.remove(ASIDE));
            }

            assertEquals(before, everything(victim));
            assertEquals(
                    nativeMode ? List.of("") : List.of("", ASIDE),
                    List.copyOf(everything(moved).keySet()));
            assertEquals(
                    RendezvousDirectories.Finding.BAD,
                    places.open(places.all().getFirst()).finding(),
                    "a link");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyWhatWeMakeUnderItsNameIsRemovedOrReplaced(boolean nativeMode) throws Exception {
        RendezvousDirectories places =
                new RendezvousDirectories(dir, OwnUser.id(nativeMode), nativeMode);
        Path meeting = places.all().getFirst().path();
        try (PrivateDirectory held = places.make(places.all().getFirst()).directory()) {
            deadSocket(meeting.resolve(ASIDE));
            Files.writeString(meeting.resolve(DEAD), "a file of this name");
            Files.writeString(meeting.resolve("letter"), "words");
            deadSocket(meeting.resolve("seg-" + RANDOM));
            deadSocket(meeting.resolve("socket"));
            Files.createSymbolicLink(meeting.resolve("1-4-any-1"), meeting.resolve("letter"));
            Map<String, String> before = everything(dir);
            for (String name : List.of(DEAD, "letter", "seg-" + RANDOM, "socket", "1-4-any-1")) {
                assertThrows(IOException.class, () -> held.remove(name), name);
                assertThrows(IOException.class, () -> held.rename(ASIDE, name), name);
                assertThrows(IOException.class, () -> held.create(name), name);
            }
            assertThrows(IOException.class, () -> held.open("1-4-any-1"), "a link");
            assertEquals(before, everything(dir));
        }
    }

    /** A listener does not take a name that stands for anything but a socket. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDocumentWithTheNameOfAListenerStays(boolean nativeMode) throws Exception {
        privateDirectory(Ends.meeting(dir));
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir, nativeMode)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            String name = fabric.rendezvous().exactName(at);
            Files.writeString(Ends.meeting(dir).resolve(name), "words");
            Map<String, String> before = everything(dir);
            ListenRequest request = new ListenRequest(at, false, r -> r.reject(new byte[0]));
            FabricException e = assertThrows(FabricException.class, () -> fabric.listen(request));
            assertEquals(FabricException.Cause.UNAVAILABLE, e.why());
            assertTrue(e.getMessage().contains(name), e.getMessage());
            assertEquals(before, everything(dir));
        }
    }

    @Test
    void aDirectoryThatWasGoodIsNotTrustedForThat() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir, true)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            FabricListener l =
                    fabric.listen(new ListenRequest(at, false, r -> r.reject(new byte[0])));
            Path meeting = Ends.meeting(dir);
            String name = names().getFirst();
            Files.move(meeting, dir.resolve("moved"));
            Path victim = privateDirectory(dir.resolve("victim"));
            Files.createSymbolicLink(meeting, victim);
            deadSocket(victim.resolve(DEAD));
            Files.writeString(victim.resolve(name), "a file of this name");
            Map<String, String> before = everything(victim);
            fabric.rendezvous().sweep();
            l.close();
            assertEquals(before, everything(victim));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSquattedPlaceIsPassedOverWithOneWarning(boolean nativeMode) throws Exception {
        long uid = OwnUser.id(nativeMode);
        Path open = Files.createDirectory(dir.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path link = Files.createSymbolicLink(dir.resolve("link"), dir);
        Path writable = Files.createDirectory(dir.resolve("writable"));
        Files.setPosixFilePermissions(writable, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path linked =
                Files.createSymbolicLink(
                        dir.resolve("linked"), privateDirectory(dir.resolve("own")));
        RendezvousDirectories places =
                new RendezvousDirectories(
                        List.of(
                                new RendezvousDirectories.Place(
                                        dir.resolve("no/run/user/sdp4j"), true),
                                new RendezvousDirectories.Place(writable.resolve("sdp4j"), true),
                                new RendezvousDirectories.Place(linked.resolve("sdp4j"), true),
                                new RendezvousDirectories.Place(open, false),
                                new RendezvousDirectories.Place(link, false),
                                new RendezvousDirectories.Place(dir.resolve("good"), false)),
                        List.of(),
                        uid,
                        nativeMode);
        List<String> said = new ArrayList<>();
        Rendezvous rendezvous = new Rendezvous(places, null, said::add);
        for (int i = 0; i < 3; i++) {
            try (PrivateDirectory d = rendezvous.forListening()) {
                assertEquals(dir.resolve("good"), d.path());
            }
            assertFalse(rendezvous.search(d -> false));
        }
        assertEquals(2, said.size(), said::toString);
        assertTrue(said.getFirst().contains(open + " has mode"), said::toString);
        assertTrue(said.getLast().contains(link + " is not a directory"), said::toString);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereEveryNameIsTakenProcessesMeetUnderAnUnforeseeableOne(boolean nativeMode)
            throws Exception {
        long uid = OwnUser.id(nativeMode);
        Path taken = Files.createFile(dir.resolve("taken"));
        // an attacker cannot foresee the name, but can make others that look like it
        Path looksAlike = dir.resolve("sdp4j-" + uid + "-0000000000000000");
        Files.createDirectory(looksAlike);
        Files.setPosixFilePermissions(looksAlike, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.createFile(dir.resolve("sdp4j-" + uid + "-ffffffffffffffff"));
        Path readOnly = Path.of("/proc/sys/sdp4j");
        RendezvousDirectories places =
                new RendezvousDirectories(
                        List.of(
                                new RendezvousDirectories.Place(readOnly, false),
                                new RendezvousDirectories.Place(taken, false)),
                        List.of(dir.resolve("missing"), dir),
                        uid,
                        nativeMode);
        List<String> said = new ArrayList<>();
        Rendezvous server = new Rendezvous(places, null, said::add);
        Rendezvous client = new Rendezvous(places, null, said::add);
        assertEquals(
                FabricException.Cause.UNAVAILABLE,
                assertThrows(FabricException.class, () -> client.search(d -> true)).why());
        try (PrivateDirectory made = server.forListening();
                PrivateDirectory again = server.forListening()) {
            assertEquals(made.path(), again.path());
            List<Path> found = new ArrayList<>();
            assertTrue(client.search(d -> found.add(d.path())));
            assertEquals(List.of(made.path()), found);
            assertFalse(List.of(taken, looksAlike).contains(made.path()));
        }
        assertEquals(2, said.size(), said::toString);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDirectoryOfAnotherUserIsNotOurs(boolean nativeMode) throws Exception {
        long other = OwnUser.id(nativeMode) + 1;
        privateDirectory(dir.resolve("sdp4j-" + other));
        RendezvousDirectories theirs = new RendezvousDirectories(dir, other, nativeMode);
        RendezvousDirectories.Opened opened = theirs.make(theirs.all().getFirst());
        assertEquals(RendezvousDirectories.Finding.BAD, opened.finding());
        assertTrue(opened.fault().contains("not to us, user " + other), opened.fault());
    }

    /** After {@code su} the environment names what another user has, who could plant anything. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRuntimeDirectoryOfAnotherUserIsNotUsed(boolean nativeMode) throws Exception {
        Path runtime = privateDirectory(dir.resolve("run"));
        RendezvousDirectories.Place place =
                new RendezvousDirectories.Place(runtime.resolve("sdp4j"), true);
        long uid = OwnUser.id(nativeMode);
        RendezvousDirectories su =
                new RendezvousDirectories(List.of(place), List.of(), uid + 1, nativeMode);
        for (RendezvousDirectories.Opened opened : List.of(su.make(place), su.open(place))) {
            assertEquals(RendezvousDirectories.Finding.NOWHERE, opened.finding(), opened.fault());
        }
        assertEquals(Map.of("", ""), everything(runtime), "nothing was made there");
        RendezvousDirectories own =
                new RendezvousDirectories(List.of(place), List.of(), uid, nativeMode);
        own.make(place).directory().close();
    }

    @Test
    void theOrderIsTheSameForEveryEnvironment() {
        List<Path> without = paths(new RendezvousDirectories(null, 1000, true, null));
        List<Path> with = paths(new RendezvousDirectories(null, 1000, true, "/home/me/run"));
        assertEquals(
                List.of("/run/user/1000/sdp4j", "/dev/shm/sdp4j-1000", "/tmp/sdp4j-1000"),
                without.stream().map(Path::toString).toList());
        assertEquals(without, with.subList(0, 3));
        assertEquals(List.of(Path.of("/home/me/run/sdp4j")), with.subList(3, 4));
        assertEquals(without, paths(new RendezvousDirectories(null, 1000, true, "/run/user/1000")));
        assertEquals(without, paths(new RendezvousDirectories(null, 1000, true, "relative")));
    }

    private static List<Path> paths(RendezvousDirectories places) {
        return places.all().stream().map(RendezvousDirectories.Place::path).toList();
    }

    /** For each side that has a run-time directory in its environment while the other has none. */
    @ParameterizedTest
    @CsvSource({"true,true,false", "true,false,true", "false,true,false", "false,false,true"})
    void serverAndClientLookInTheSamePlaces(boolean nativeMode, boolean server, boolean client)
            throws Exception {
        String runtime = privateDirectory(dir.resolve("run")).toString();
        long uid = OwnUser.id(nativeMode);
        List<String> said = new ArrayList<>();
        RendezvousDirectories of =
                new RendezvousDirectories(null, uid, nativeMode, server ? runtime : null);
        RendezvousDirectories other =
                new RendezvousDirectories(null, uid, nativeMode, client ? runtime : null);
        try (PrivateDirectory listens = new Rendezvous(of, null, said::add).forListening()) {
            List<Path> looked = new ArrayList<>();
            new Rendezvous(other, null, said::add).search(d -> !looked.add(d.path()));
            assertTrue(looked.contains(listens.path()), looked::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void processesWithDifferentEnvironmentsMeet(boolean nativeMode, boolean hasRuntimeDirectory)
            throws Exception {
        Path runtime = privateDirectory(dir.resolve("run"));
        Process peer = Peer.startUsual(nativeMode, hasRuntimeDirectory ? runtime : null);
        try (ShmFabric fabric =
                ShmFabric.open(
                        ShmConfig.defaults().withNative(nativeMode).withPortable(true),
                        Ends.loop(nativeMode))) {
            InetSocketAddress to =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Peer.port(peer));
            QueuePair qp = fabric.connect(request(to)).queuePair();
            assertNotNull(qp);
            qp.close();
        } finally {
            peer.destroy();
            peer.waitFor();
        }
    }
}
