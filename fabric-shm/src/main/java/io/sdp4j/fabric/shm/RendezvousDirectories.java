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
 * them, and how one is opened.
 *
 * <p>Shape: a configured place is the only one. Otherwise the order does not depend on the
 * environment, so that processes with different ones meet: {@code /run/user/UID/sdp4j}, {@code
 * /dev/shm/sdp4j-UID}, {@code /tmp/sdp4j-UID}, and only then {@code $XDG_RUNTIME_DIR/sdp4j}. Each
 * is a directory of our own: nothing else is ever in it. The first cannot be taken by others, as
 * only its owner can make anything there. Where others have taken all names that they can foresee,
 * processes meet in a directory with a random name, which is found by its owner.
 *
 * <p>Nothing is remembered between two openings. Thread-safe.
 */
final class RendezvousDirectories {
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /**
     * Most files that are looked at for a name: filling the directory gains an attacker nothing
     * more.
     */
    private static final int MOST_LOOKED_AT = 5_000;

    private final List<Place> all = new ArrayList<>();

    /** The only one, or null. */
    private final Path configured;

    /** Where places with random names are. */
    private final List<Path> open;

    private final long uid;

    /** Our number may be shown for others. */
    private final boolean ambiguous;

    /**
     * One of them.
     *
     * @param parentIsOwn whether the directory that it is in must be ours, and no link
     */
    record Place(Path path, boolean parentIsOwn) {}

    /** How looking at a place ended. */
    enum Finding {
        GOOD,
        /** It can be made. */
        ABSENT,
        /** There is no place for it. */
        NOWHERE,
        /** It is another user's, no directory, or open to others. */
        BAD
    }

    /**
     * Result of an opening.
     *
     * @param directory the caller's to close, if good
     * @param fault what is wrong otherwise, one sentence
     */
    record Opened(Finding finding, PrivateDirectory directory, String fault) {}

    RendezvousDirectories(Path configured, long uid) {
        this(configured, uid, System.getenv("XDG_RUNTIME_DIR"));
    }

    /** With another environment, for tests. */
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
        if (runtime != null && runtime.startsWith("/") && !Path.of(runtime).equals(usual)) {
            all.add(new Place(Path.of(runtime, "sdp4j"), true));
        }
    }

    /** Those of any user that do not depend on the environment. */
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

    /** Where processes of another user seem to meet, as far as this one can see; or null. */
    Path ofOther(long user) {
        for (Place place : foreseen(user)) {
            if (Files.isDirectory(place.path, LinkOption.NOFOLLOW_LINKS)) {
                return place.path;
            }
        }
        return null;
    }

    /** These places and no others, for tests. */
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

    /** A place that cannot have been taken yet, in each directory that everybody can write to. */
    List<Place> unforeseen() {
        String name = prefix() + Rendezvous.random();
        return open.stream().map(in -> new Place(in.resolve(name), false)).toList();
    }

    /** Places of that kind that are there; others may have made some, too. */
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
                // there are none, then
            }
        }
        found.sort(Comparator.comparing(Place::path));
        return found;
    }

    private String prefix() {
        return "sdp4j-" + uid + "-";
    }

    /** The place at {@code path}, which was one before. */
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
     * @throws FabricException if there is no descriptor, or no memory, to look at it with
     */
    Opened open(Place place) throws FabricException {
        return open(place, false);
    }

    /** The same, made if need be. */
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

    /** A configured directory may be new. */
    private static void makeParent(Place place) {
        Path parent = place.path.getParent();
        if (!Files.exists(parent)) {
            try {
                Files.createDirectory(parent, PRIVATE);
            } catch (IOException e) {
                // the place itself will say so
            }
        }
    }

    private String foreign(String owner) {
        return "belongs to user " + owner + ", not to us, user " + uid;
    }

    /** Whether it could be made. */
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
