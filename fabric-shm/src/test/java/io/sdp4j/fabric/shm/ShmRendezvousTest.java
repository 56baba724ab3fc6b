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
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
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

    private void listenOnce() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            FabricListener l =
                    fabric.listen(new ListenRequest(at, false, r -> r.reject(new byte[0])));
            fabric.rendezvous.sweep();
            l.close();
        }
    }

    @Test
    void aPrivateDirectoryFullOfDocumentsKeepsThem() throws Exception {
        Path meeting = privateDirectory(Ends.meeting(dir));
        for (Path in : List.of(dir, meeting)) {
            privateDirectory(in.resolve(".ssh"));
            Files.writeString(in.resolve(".ssh/id"), "key");
            Files.writeString(in.resolve("letter"), "words");
            Files.writeString(in.resolve("new-letter"), "words");
            Files.writeString(in.resolve(DEAD), "a file of this name");
            Files.createDirectory(in.resolve("4026531840-4-any-1"));
            Files.createSymbolicLink(in.resolve("4026531840-4-any-2"), in.resolve("letter"));
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
        listenOnce();
        assertEquals(before, everything(dir));
    }

    @Test
    void whatDeadProcessesLeftIsRemoved() throws Exception {
        Path meeting = privateDirectory(Ends.meeting(dir));
        deadSocket(meeting.resolve(DEAD));
        deadSocket(meeting.resolve("4026531840-6-any-99"));
        deadSocket(meeting.resolve("gone-0123456789abcdef"));
        age(deadSocket(meeting.resolve("new-0123456789abcdef")));
        listenOnce();
        assertEquals(List.of(), names());
    }

    @Test
    void aHeldDirectoryIsUsedWhateverItsNameLeadsTo() throws Exception {
        RendezvousDirectories places = new RendezvousDirectories(dir, Ends.UID);
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
            held.remove(ASIDE);

            assertEquals(before, everything(victim));
            assertEquals(Map.of("", ""), everything(moved));
            assertEquals(
                    RendezvousDirectories.Finding.BAD,
                    places.open(places.all().getFirst()).finding(),
                    "a link");
        }
    }

    @Test
    void onlyWhatWeMakeUnderItsNameIsRemovedOrReplaced() throws Exception {
        RendezvousDirectories places = new RendezvousDirectories(dir, Ends.UID);
        Path meeting = places.all().getFirst().path();
        try (PrivateDirectory held = places.make(places.all().getFirst()).directory()) {
            deadSocket(meeting.resolve(ASIDE));
            Files.writeString(meeting.resolve(DEAD), "a file of this name");
            Files.writeString(meeting.resolve("letter"), "words");
            deadSocket(meeting.resolve("socket"));
            Files.createSymbolicLink(meeting.resolve("1-4-any-1"), meeting.resolve("letter"));
            Map<String, String> before = everything(dir);
            for (String name : List.of(DEAD, "letter", "socket", "1-4-any-1")) {
                assertThrows(IOException.class, () -> held.remove(name), name);
                assertThrows(IOException.class, () -> held.rename(ASIDE, name), name);
            }
            assertEquals(before, everything(dir));
        }
    }

    /**
     * With {@code SO_REUSEPORT}, say: it is there in the moment between a look and what follows.
     */
    @Test
    void aListenerThatTakesTheNameOverMeanwhileKeepsIt() throws Exception {
        RendezvousDirectories places = new RendezvousDirectories(dir, Ends.UID);
        Path meeting = places.all().getFirst().path();
        try (PrivateDirectory held = places.make(places.all().getFirst()).directory()) {
            deadSocket(meeting.resolve(DEAD));
            deadSocket(meeting.resolve(ASIDE));
            Object successor = held.look(ASIDE).identity();
            Rendezvous rendezvous = new Rendezvous(places, _ -> {});
            rendezvous.removeOwn(
                    meeting,
                    DEAD,
                    new Looked(
                            held.look(DEAD).identity(),
                            () -> {
                                Files.move(
                                        meeting.resolve(ASIDE),
                                        meeting.resolve(DEAD),
                                        StandardCopyOption.ATOMIC_MOVE);
                                return null;
                            }));
            assertEquals(List.of(DEAD), held.names());
            assertEquals(successor, held.look(DEAD).identity());
            rendezvous.removeOwn(meeting, DEAD, successor);
            assertEquals(List.of(), held.names());
        }
    }

    /** The identity of a file, of which something is done right after it was first recognised. */
    private static final class Looked {
        private final Object identity;
        private final Callable<Void> then;
        private boolean done;

        Looked(Object identity, Callable<Void> then) {
            this.identity = identity;
            this.then = then;
        }

        @Override
        public boolean equals(Object other) {
            boolean same = identity.equals(other);
            if (same && !done) {
                done = true;
                try {
                    then.call();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
            return same;
        }

        @Override
        public int hashCode() {
            return identity.hashCode();
        }
    }

    /** A listener does not take a name that stands for anything but a socket. */
    @Test
    void aDocumentWithTheNameOfAListenerStays() throws Exception {
        privateDirectory(Ends.meeting(dir));
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            String name = fabric.rendezvous.exactName(at);
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
    void ofAFullDirectoryAPartIsRead() throws Exception {
        RendezvousDirectories places = new RendezvousDirectories(dir, Ends.UID);
        try (PrivateDirectory held = places.make(places.all().getFirst()).directory()) {
            int all = 5000;
            for (int i = 0; i < all; i++) {
                Files.createFile(Ends.meeting(dir).resolve("f" + i));
            }
            assertTrue(held.names().size() < all);
        }
    }

    /** Seen by the thread that finds the directory bad. */
    @Test
    void theEventThreadDoesNotTidyUpAfterAPeerThatLeft() throws Exception {
        CompletableFuture<String> told = new CompletableFuture<>();
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric =
                        ShmFabric.open(
                                Ends.config(dir),
                                Ends.loop(),
                                _ -> told.complete(Thread.currentThread().getName()))) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            CompletableFuture<QueuePair> accepted = new CompletableFuture<>();
            fabric.listen(
                    new ListenRequest(
                            at,
                            false,
                            r ->
                                    r.accept(
                                            SPEC,
                                            new byte[0],
                                            new Taker(accepted::complete, f -> {}))));
            QueuePair client = Ends.connect(fabric, at, SPEC);
            Files.setPosixFilePermissions(
                    Ends.meeting(dir), PosixFilePermissions.fromString("rwxr-xr-x"));
            client.close();
            assertEquals("sdp4j-sweep", told.get());
            Files.setPosixFilePermissions(
                    Ends.meeting(dir), PosixFilePermissions.fromString("rwx------"));
            accepted.get().close();
        }
    }

    /** As a user's runtime directory does at logout. */
    @Test
    void aNameThatGoesWithItsDirectoryIsTakenAnew() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            FabricListener l =
                    fabric.listen(new ListenRequest(at, false, r -> r.reject(new byte[0])));
            List<String> before = names();
            Files.delete(Ends.meeting(dir).resolve(before.getFirst()));
            Files.delete(Ends.meeting(dir));
            fabric.renewNames();
            assertEquals(before, names());
            FabricException e =
                    assertThrows(FabricException.class, () -> Ends.connect(fabric, at, SPEC));
            assertEquals(FabricException.Cause.REFUSED, e.why(), e.toString());
            l.close();
            assertEquals(List.of(), names());
        }
    }

    @Test
    void aDirectoryThatWasGoodIsNotTrustedForThat() throws Exception {
        try (ServerSocket kernel = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ShmFabric fabric = Ends.fabric(dir)) {
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
            fabric.rendezvous.sweep();
            l.close();
            assertEquals(before, everything(victim));
        }
    }

    @Test
    void aSquattedPlaceIsPassedOverWithOneWarning() throws Exception {
        long uid = Ends.UID;
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
                        uid);
        List<String> said = new ArrayList<>();
        Rendezvous rendezvous = new Rendezvous(places, said::add);
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

    /** A directory whose name has a letter that the locale lacks gives such a text. */
    @Test
    void aRuntimeDirectoryThatIsNoPathIsNoPlace() {
        List<RendezvousDirectories.Place> without =
                new RendezvousDirectories(null, Ends.UID, null).all();
        assertEquals(without, new RendezvousDirectories(null, Ends.UID, "/run/a\0b").all());
    }

    @Test
    void whereEveryNameIsTakenProcessesMeetUnderAnUnforeseeableOne() throws Exception {
        long uid = Ends.UID;
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
                        uid);
        List<String> said = new ArrayList<>();
        Rendezvous server = new Rendezvous(places, said::add);
        Rendezvous client = new Rendezvous(places, said::add);
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

    /** Those of each directory are looked at in every search. */
    @Test
    void namesWithoutEndThatLookAlikeCostABoundedAmount() throws Exception {
        for (int n = 0; n < 6000; n++) {
            Files.createFile(dir.resolve("sdp4j-" + Ends.UID + "-%016x".formatted(n)));
        }
        RendezvousDirectories places =
                new RendezvousDirectories(List.of(), List.of(dir, dir), Ends.UID);
        assertEquals(10_000, places.foundByOwner().size());
    }

    @Test
    void aDirectoryOfAnotherUserIsNotOurs() throws Exception {
        long other = Ends.UID + 1;
        privateDirectory(dir.resolve("sdp4j-" + other));
        RendezvousDirectories theirs = new RendezvousDirectories(dir, other);
        RendezvousDirectories.Opened opened = theirs.make(theirs.all().getFirst());
        assertEquals(RendezvousDirectories.Finding.BAD, opened.finding());
        assertTrue(opened.fault().contains("not to us, user " + other), opened.fault());
    }

    /** After {@code su} the environment names what another user has, who could plant anything. */
    @Test
    void aRuntimeDirectoryOfAnotherUserIsNotUsed() throws Exception {
        Path runtime = privateDirectory(dir.resolve("run"));
        RendezvousDirectories.Place place =
                new RendezvousDirectories.Place(runtime.resolve("sdp4j"), true);
        long uid = Ends.UID;
        RendezvousDirectories su = new RendezvousDirectories(List.of(place), List.of(), uid + 1);
        for (RendezvousDirectories.Opened opened : List.of(su.make(place), su.open(place))) {
            assertEquals(RendezvousDirectories.Finding.NOWHERE, opened.finding(), opened.fault());
        }
        assertEquals(Map.of("", ""), everything(runtime), "nothing was made there");
        RendezvousDirectories own = new RendezvousDirectories(List.of(place), List.of(), uid);
        own.make(place).directory().close();
    }

    @Test
    void theOrderIsTheSameForEveryEnvironment() {
        List<Path> without = paths(new RendezvousDirectories(null, 1000, null));
        List<Path> with = paths(new RendezvousDirectories(null, 1000, "/home/me/run"));
        assertEquals(
                List.of("/run/user/1000/sdp4j", "/dev/shm/sdp4j-1000", "/tmp/sdp4j-1000"),
                without.stream().map(Path::toString).toList());
        assertEquals(without, with.subList(0, 3));
        assertEquals(List.of(Path.of("/home/me/run/sdp4j")), with.subList(3, 4));
        assertEquals(without, paths(new RendezvousDirectories(null, 1000, "/run/user/1000")));
        assertEquals(without, paths(new RendezvousDirectories(null, 1000, "relative")));
    }

    private static List<Path> paths(RendezvousDirectories places) {
        return places.all().stream().map(RendezvousDirectories.Place::path).toList();
    }

    /** For each side that has a run-time directory in its environment while the other has none. */
    @ParameterizedTest
    @CsvSource({"true,false", "false,true"})
    void serverAndClientLookInTheSamePlaces(boolean server, boolean client) throws Exception {
        String runtime = privateDirectory(dir.resolve("run")).toString();
        long uid = Ends.UID;
        List<String> said = new ArrayList<>();
        RendezvousDirectories of = new RendezvousDirectories(null, uid, server ? runtime : null);
        RendezvousDirectories other = new RendezvousDirectories(null, uid, client ? runtime : null);
        try (PrivateDirectory listens = new Rendezvous(of, said::add).forListening()) {
            List<Path> looked = new ArrayList<>();
            new Rendezvous(other, said::add).search(d -> !looked.add(d.path()));
            assertTrue(looked.contains(listens.path()), looked::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void processesWithDifferentEnvironmentsMeet(boolean hasRuntimeDirectory) throws Exception {
        Path runtime = privateDirectory(dir.resolve("run"));
        Process peer = Peer.startUsual(hasRuntimeDirectory ? runtime : null);
        try (ShmFabric fabric = ShmFabric.open(ShmConfig.defaults(), Ends.loop())) {
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
