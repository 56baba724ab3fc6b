package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.os.Linux;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The private directories where listeners are found by name.
 *
 * <p>Shape: a listener's socket is called {@code NETNS-FAMILY-ADDRESS-PORT}: the inode of the
 * network namespace, 4 or 6, the address in hexadecimal or {@code any}, the port. Other files are
 * temporary: names being made, names being removed, and memory being handed over.
 *
 * <p>A directory is used only if it is a real one, ours, and closed to everybody else. A name whose
 * process is gone is removed by whoever meets it.
 */
final class Rendezvous {
    static final String SEGMENT_PREFIX = "seg-";
    static final String TEMPORARY_PREFIX = "new-";
    private static final long YOUNG_MILLIS = TimeUnit.SECONDS.toMillis(2);
    private static final String ASIDE = ".gone-";
    private static final int PRIVATE = 0700;
    private static final long ABANDONED_MILLIS = TimeUnit.SECONDS.toMillis(30);

    private final List<Path> candidates = new ArrayList<>();
    private final long uid;
    private final boolean nativeCalls;
    private final SocketKind sockets;
    private final String namespace = namespace();

    /** Directories found good once; only we and root can change them. */
    private final Set<Path> trusted = ConcurrentHashMap.newKeySet();

    Rendezvous(Path configured, long uid, boolean nativeCalls, SocketKind sockets) {
        this.uid = uid;
        this.nativeCalls = nativeCalls;
        this.sockets = sockets;
        if (configured != null) {
            candidates.add(configured.toAbsolutePath());
            return;
        }
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        if (runtime != null && runtime.startsWith("/")) {
            candidates.add(Path.of(runtime, "sdp4j"));
        }
        candidates.add(Path.of("/dev/shm/sdp4j-" + uid));
        candidates.add(Path.of("/tmp/sdp4j-" + uid));
    }

    List<Path> candidates() {
        return candidates;
    }

    private static String namespace() {
        try {
            String link = Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString();
            String digits = link.replaceAll("\\D", "");
            return digits.isEmpty() ? "0" : digits;
        } catch (IOException e) {
            return "0";
        }
    }

    /** The first directory that is good, made if need be. */
    Path forListening() throws FabricException {
        StringBuilder why = new StringBuilder();
        for (Path dir : candidates) {
            try {
                try {
                    Files.createDirectory(
                            dir,
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rwx------")));
                } catch (FileAlreadyExistsException e) {
                    // the check below says whether it is any good
                }
                String fault = fault(dir);
                if (fault == null) {
                    trusted.add(dir);
                    return dir;
                }
                why.append(why.isEmpty() ? "" : "; ").append(fault);
            } catch (IOException e) {
                why.append(why.isEmpty() ? "" : "; ").append(e);
            }
        }
        throw new FabricException(
                FabricException.Cause.UNAVAILABLE, "no rendezvous directory: " + why);
    }

    /** What is wrong with {@code dir}, or null. */
    String fault(Path dir) {
        long owner;
        boolean directory;
        int mode;
        if (nativeCalls) {
            Linux.FileStatus s = Linux.status(dir.toString());
            if (s == null) {
                return dir + " does not exist";
            }
            owner = Integer.toUnsignedLong(s.uid());
            directory = s.isDirectory();
            mode = s.permissions();
        } else {
            try {
                Map<String, Object> a =
                        Files.readAttributes(
                                dir, "unix:uid,mode,isDirectory", LinkOption.NOFOLLOW_LINKS);
                owner = Integer.toUnsignedLong((Integer) a.get("uid"));
                mode = (Integer) a.get("mode") & 0xFFF;
                directory = (Boolean) a.get("isDirectory");
            } catch (IOException e) {
                return dir + " does not exist";
            }
        }
        if (!directory) {
            return dir + " is not a directory";
        }
        if (owner != uid) {
            return dir + " belongs to user " + owner + ", not to us, user " + uid;
        }
        if ((mode & 0777) != PRIVATE) {
            return dir + " has mode " + Integer.toOctalString(mode) + ", must be 700";
        }
        return null;
    }

    boolean isTrusted(Path dir) {
        if (trusted.contains(dir)) {
            return true;
        }
        if (fault(dir) != null) {
            return false;
        }
        trusted.add(dir);
        return true;
    }

    /** The names that a listener on {@code address} takes. */
    List<String> listenerNames(InetSocketAddress address, boolean dualStack) {
        InetAddress ip = address.getAddress();
        boolean four = ip instanceof Inet4Address;
        String mid = ip.isAnyLocalAddress() ? "any" : hex(ip);
        List<String> names = new ArrayList<>();
        names.add(name(four, mid, address.getPort()));
        if (ip.isAnyLocalAddress() && !four && dualStack) {
            names.add(name(true, "any", address.getPort()));
        }
        return names;
    }

    /** The name under which a client looks first, then the one it looks under next. */
    String exactName(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        return name(ip instanceof Inet4Address, hex(ip), address.getPort());
    }

    String anyName(InetSocketAddress address) {
        return name(address.getAddress() instanceof Inet4Address, "any", address.getPort());
    }

    private String name(boolean four, String address, int port) {
        return namespace + (four ? "-4-" : "-6-") + address + "-" + port;
    }

    private static String hex(InetAddress ip) {
        return HexFormat.of().formatHex(ip.getAddress());
    }

    /** Removes names whose process is gone, and memory that nobody came for. */
    void sweep() {
        for (Path dir : candidates) {
            if (!isTrusted(dir)) {
                continue;
            }
            try (DirectoryStream<Path> files = Files.newDirectoryStream(dir)) {
                for (Path file : files) {
                    String name = file.getFileName().toString();
                    if (name.startsWith(SEGMENT_PREFIX)) {
                        removeAbandoned(file);
                    } else if (!name.startsWith(TEMPORARY_PREFIX) || age(file) > YOUNG_MILLIS) {
                        // a young temporary one may be bound and not yet listening
                        removeIfDead(file);
                    }
                }
            } catch (IOException | java.nio.file.DirectoryIteratorException e) {
                // somebody else tidies up, or the next sweep
            }
        }
    }

    private static void removeAbandoned(Path file) throws IOException {
        if (age(file) > ABANDONED_MILLIS) {
            Files.deleteIfExists(file);
        }
    }

    private static long age(Path file) throws IOException {
        return System.currentTimeMillis()
                - Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
    }

    /**
     * Removes a name without process. Takes it aside first and looks again, because a new listener
     * may have taken the name over meanwhile; then it gets it back.
     */
    void removeIfDead(Path file) {
        if (!sockets.isDead(file)) {
            return;
        }
        String asideName =
                file.getFileName() + ASIDE + Long.toHexString(System.nanoTime() & 0xFFFFFF);
        Path aside = file.resolveSibling(asideName);
        try {
            Files.move(file, aside, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            if (sockets.isDead(aside)) {
                Files.deleteIfExists(aside);
            } else if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(aside, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            // gone already
        }
    }

    /** Removes {@code file} if it is still the very one that was made. */
    static void removeOwn(Path file, Object inode) {
        try {
            if (inode != null && inode.equals(inode(file))) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // gone already
        }
    }

    static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }
}
