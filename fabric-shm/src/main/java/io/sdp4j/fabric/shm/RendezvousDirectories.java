package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.DirectoryFd;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.UidMap;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The directories where processes of one user may meet, in the order in which every process tries
 * them. Also opens and checks them.
 *
 * <p>Shape: a configured place is the only one. Otherwise the order hardly depends on the
 * environment, so that processes with different environments meet: {@code /run/user/UID/sdp4j},
 * {@code /dev/shm/sdp4j-UID}, {@code /tmp/sdp4j-UID}, and only then {@code $XDG_RUNTIME_DIR/sdp4j}.
 * Each is a directory of our own, with nothing else in it. Other users cannot take the first name,
 * because only the owner of {@code /run/user/UID} can make anything there. If others have taken all
 * names that they can predict, processes meet in a directory with a random name, which they find by
 * its owner.
 *
 * <p>Nothing is cached between two openings. Thread-safe.
 */
final class RendezvousDirectories {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /**
     * Most files that a search for a name looks at, so that an attacker who fills the directory
     * cannot slow the search further.
     */
    private static final int MOST_LOOKED_AT = 5_000;

    private final List<Place> all = new ArrayList<>();

    /** The configured place, or null. */
    private final Path configured;

    /** Directories that all users can write to, where places with random names are. */
    private final List<Path> open;

    private final long uid;

    /** The kernel may show our uid for other users, too. */
    private final boolean ambiguous;

    /**
     * A place where processes may meet.
     *
     * @param parentIsOwn whether the parent directory must be ours and not a symbolic link
     */
    record Place(Path path, boolean parentIsOwn) {}

    /** Result of a look at a place. */
    enum Finding {
        GOOD,
        /** It can be made. */
        ABSENT,
        /** Its parent directory is missing or not suitable. */
        NOWHERE,
        /** It belongs to another user, is not a directory, or is open to others. */
        BAD
    }

    /**
     * Result of an opening.
     *
     * @param directory the open directory, if good; the caller closes it
     * @param fault the fault otherwise, one sentence
     */
    record Opened(Finding finding, PrivateDirectory directory, String fault) {}

    RendezvousDirectories(Path configured, long uid) {
        this(configured, uid, System.getenv("XDG_RUNTIME_DIR"));
    }

    /** As the other constructor, with a given environment; for tests. */
    RendezvousDirectories(Path configured, long uid, String runtime) {
        this.configured = configured;
        this.uid = uid;
        ambiguous = UidMap.own().ambiguous(uid);
        all.addAll(foreseen(uid));
        if (configured != null) {
            open = List.of();
            return;
        }
        open = List.of(Path.of("/dev/shm"), Path.of("/tmp"));
        Path usual = Path.of("/run/user/" + uid);
        try {
            if (runtime != null && runtime.startsWith("/") && !Path.of(runtime).equals(usual)) {
                all.add(new Place(Path.of(runtime, "sdp4j"), true));
            }
        } catch (InvalidPathException e) {
            // its name has a letter that this locale lacks, so there is no such place
        }
    }

    /** Returns the places of a user that do not depend on the environment. */
    private List<Place> foreseen(long user) {
        String name = "sdp4j-" + user;
        if (configured != null) {
            return List.of(new Place(configured.toAbsolutePath().resolve(name), false));
        }
        return List.of(
                new Place(Path.of("/run/user/" + user, "sdp4j"), true),
                new Place(Path.of("/dev/shm", name), false),
                new Place(Path.of("/tmp", name), false));
    }

    /**
     * Returns where processes of another user seem to meet, as far as this process can see; or
     * null.
     */
    Path ofOther(long user) {
        for (Place place : foreseen(user)) {
            if (Files.isDirectory(place.path, LinkOption.NOFOLLOW_LINKS)) {
                return place.path;
            }
        }
        return null;
    }

    /** Uses only the given places; for tests. */
    RendezvousDirectories(List<Place> all, List<Path> open, long uid) {
        configured = null;
        this.open = open;
        this.uid = uid;
        ambiguous = UidMap.own().ambiguous(uid);
        this.all.addAll(all);
    }

    List<Place> all() {
        return all;
    }

    /** Returns a place with a new random name in each directory that all users can write to. */
    List<Place> unforeseen() {
        String name = prefix() + Rendezvous.random();
        return open.stream().map(in -> new Place(in.resolve(name), false)).toList();
    }

    /** Returns the existing places with random names; other users may have made some of them. */
    List<Place> foundByOwner() {
        Pattern pattern = Pattern.compile(prefix() + "[0-9a-f]{16}");
        List<Place> found = new ArrayList<>();
        for (Path in : open) {
            int looked = 0;
            try (DirectoryStream<Path> files = Files.newDirectoryStream(in)) {
                for (Path file : files) {
                    if (pattern.matcher(file.getFileName().toString()).matches()) {
                        found.add(new Place(file, false));
                    }
                    if (++looked == MOST_LOOKED_AT) {
                        break;
                    }
                }
            } catch (IOException | DirectoryIteratorException e) {
                // no places can be found there
            }
        }
        found.sort(Comparator.comparing(Place::path));
        return found;
    }

    private String prefix() {
        return "sdp4j-" + uid + "-";
    }

    /** Returns the place at {@code path}, which was used before. */
    Place at(Path path) {
        for (Place place : all) {
            if (place.path.equals(path)) {
                return place;
            }
        }
        return new Place(path, false);
    }

    /**
     * Opens {@code place} if it is there and good.
     *
     * @throws FabricException if there is no descriptor or memory to open it with
     */
    Opened open(Place place) throws FabricException {
        return open(place, false);
    }

    /** As {@link #open}, but makes the directory if necessary. */
    Opened make(Place place) throws FabricException {
        return open(place, true);
    }

    private Opened open(Place place, boolean make) throws FabricException {
        if (!place.parentIsOwn) {
            if (make) {
                makeParent(place);
            }
            return open(place, null, place.path.toString(), make);
        }
        DirectoryFd.Opened parent = opened(null, place.path.getParent().toString());
        if (parent.directory() == null) {
            return absent(place, Finding.NOWHERE);
        }
        try (DirectoryFd in = parent.directory()) {
            Linux.FileStatus s = in.status();
            if (s == null || !ownedByUs(s) || (s.permissions() & 022) != 0) {
                return absent(place, Finding.NOWHERE);
            }
            return open(place, in, place.path.getFileName().toString(), make);
        }
    }

    private static DirectoryFd.Opened opened(DirectoryFd in, String name) throws FabricException {
        DirectoryFd.Opened opened = DirectoryFd.open(in, name);
        int r = opened.result();
        if (r == -Linux.EMFILE || r == -Linux.ENFILE || r == -Linux.ENOMEM) {
            throw new FabricException(
                    Cause.RESOURCES, "no rendezvous directory can be opened: " + Linux.text(r));
        }
        return opened;
    }

    private Opened open(Place place, DirectoryFd in, String name, boolean make)
            throws FabricException {
        if (make) {
            int made = DirectoryFd.make(in, name);
            if (made == -Linux.ENOENT) {
                return absent(place, Finding.NOWHERE);
            }
            if (made < 0 && made != -Linux.EEXIST && !Files.exists(place.path)) {
                return new Opened(
                        Finding.NOWHERE, null, place.path + " cannot be made: " + Linux.text(made));
            }
        }
        DirectoryFd.Opened opened = opened(in, name);
        DirectoryFd fd = opened.directory();
        if (fd == null) {
            return switch (-opened.result()) {
                case Linux.ENOENT -> absent(place, Finding.ABSENT);
                case Linux.ENOTDIR, Linux.ELOOP -> bad(place, "is not a directory");
                default -> bad(place, "cannot be opened: " + Linux.text(opened.result()));
            };
        }
        String fault = fault(fd);
        if (fault != null) {
            fd.close();
            return bad(place, fault);
        }
        return new Opened(Finding.GOOD, new PrivateDirectory(place.path, fd, uid), null);
    }

    private String fault(DirectoryFd fd) {
        Linux.FileStatus s = fd.status();
        if (s == null) {
            return "tells nothing of itself";
        }
        if (!ownedByUs(s)) {
            return foreign(String.valueOf(Integer.toUnsignedLong(s.uid())));
        }
        if ((s.permissions() & 0777) != PrivateDirectory.PRIVATE) {
            return "has mode " + Integer.toOctalString(s.permissions()) + ", must be 700";
        }
        return ambiguous && fd.claim() < 0 ? foreign("without a number here") : null;
    }

    private boolean ownedByUs(Linux.FileStatus s) {
        return Integer.toUnsignedLong(s.uid()) == uid;
    }

    /** Makes the parent directory if it does not exist, as a configured one may not. */
    private static void makeParent(Place place) {
        Path parent = place.path.getParent();
        if (!Files.exists(parent)) {
            try {
                Files.createDirectory(parent, PRIVATE);
            } catch (IOException e) {
                // opening the place itself will fail
            }
        }
    }

    private String foreign(String owner) {
        return "belongs to user " + owner + ", not to us, user " + uid;
    }

    /** Whether the directory could be made. */
    static boolean makeable(Place place) {
        return Files.isWritable(place.path.getParent());
    }

    private static Opened absent(Place place, Finding how) {
        return new Opened(how, null, place.path + " does not exist");
    }

    private static Opened bad(Place place, String fault) {
        return new Opened(Finding.BAD, null, place.path + " " + fault);
    }
}
