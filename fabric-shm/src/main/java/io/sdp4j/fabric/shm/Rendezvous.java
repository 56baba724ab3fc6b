package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.UnixFd;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Finds listeners by the names of their sockets in rendezvous directories.
 *
 * <p>Shape: a listener's socket is called {@code NETNS-FAMILY-ADDRESS-PORT}: the inode of the
 * network namespace, 4 or 6, the address in hexadecimal or {@code any}, the port. Other names are
 * temporary and end with random digits: those of sockets that are being made ({@code new-}) or
 * removed ({@code gone-}).
 *
 * <p>A directory is checked each time it is used, and held open during the use. The first process
 * that finds a name without a process removes it; nothing else is removed. Thread-safe.
 */
final class Rendezvous {
    private static final String TEMPORARY_PREFIX = "new-";
    private static final String ASIDE_PREFIX = "gone-";
    private static final int RANDOM_BYTES = 8;
    private static final Pattern TEMPORARY_NAME = Pattern.compile("new-[0-9a-f]{16}");
    private static final Pattern SOCKET_NAME =
            Pattern.compile(
                    "[0-9]{1,20}-(4-([0-9a-f]{8}|any)|6-([0-9a-f]{32}|any))-[0-9]{1,5}"
                            + "|(new|gone)-[0-9a-f]{16}");
    private static final long YOUNG_MILLIS = TimeUnit.SECONDS.toMillis(2);

    private final RendezvousDirectories places;
    private final Consumer<String> warnings;
    private final String namespace = namespace();

    /** Places that were named in a warning. */
    private final Set<Path> warned = ConcurrentHashMap.newKeySet();

    /**
     * @param warnings told once of each existing place that is not used
     */
    Rendezvous(RendezvousDirectories places, Consumer<String> warnings) {
        this.places = places;
        this.warnings = warnings;
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

    /** Returns the first good directory, which is made if necessary; the caller closes it. */
    PrivateDirectory forListening() throws FabricException {
        List<String> faults = new ArrayList<>();
        for (RendezvousDirectories.Place place : places.all()) {
            RendezvousDirectories.Opened opened = places.make(place);
            if (opened.directory() != null) {
                return opened.directory();
            }
            faults.add(opened.fault());
            warn(place, opened);
        }
        for (RendezvousDirectories.Place place : places.foundByOwner()) {
            PrivateDirectory directory = places.open(place).directory();
            if (directory != null) {
                return directory;
            }
        }
        for (RendezvousDirectories.Place place : places.unforeseen()) {
            PrivateDirectory directory = places.make(place).directory();
            if (directory != null) {
                return directory;
            }
        }
        throw unusable(faults);
    }

    /** A step of a search, in one directory. */
    interface Visit {
        /** Looks into a directory. Returns whether the search is over. */
        boolean visit(PrivateDirectory directory) throws FabricException;
    }

    /**
     * Visits all good directories until {@code visit} returns true. Returns whether it did.
     *
     * @throws FabricException if there is no good directory, and none could be made where one is
     *     expected
     */
    boolean search(Visit visit) throws FabricException {
        boolean good = false;
        boolean taken = false;
        List<RendezvousDirectories.Place> absent = new ArrayList<>();
        List<String> faults = new ArrayList<>();
        for (RendezvousDirectories.Place place : places.all()) {
            RendezvousDirectories.Opened opened = places.open(place);
            try (PrivateDirectory directory = opened.directory()) {
                if (directory != null) {
                    good = true;
                    if (visit.visit(directory)) {
                        return true;
                    }
                    continue;
                }
            }
            faults.add(opened.fault());
            warn(place, opened);
            taken |= opened.finding() == RendezvousDirectories.Finding.BAD;
            if (opened.finding() == RendezvousDirectories.Finding.ABSENT) {
                absent.add(place);
            }
        }
        return !good
                && (taken || absent.isEmpty())
                && absent.stream().noneMatch(RendezvousDirectories::makeable)
                && searchFoundByOwner(visit, faults);
    }

    /** Returns where processes of another user seem to meet, or null. */
    Path ofOther(long user) {
        return places.ofOther(user);
    }

    private boolean searchFoundByOwner(Visit visit, List<String> faults) throws FabricException {
        boolean good = false;
        for (RendezvousDirectories.Place place : places.foundByOwner()) {
            try (PrivateDirectory directory = places.open(place).directory()) {
                good |= directory != null;
                if (directory != null && visit.visit(directory)) {
                    return true;
                }
            }
        }
        if (!good) {
            throw unusable(faults);
        }
        return false;
    }

    private static FabricException unusable(List<String> faults) {
        return new FabricException(
                Cause.UNAVAILABLE, "no rendezvous directory: " + String.join("; ", faults));
    }

    private void warn(RendezvousDirectories.Place place, RendezvousDirectories.Opened opened) {
        if (opened.finding() == RendezvousDirectories.Finding.BAD && warned.add(place.path())) {
            warnings.accept(
                    "a rendezvous directory is passed over: "
                            + opened.fault()
                            + "; have it removed, or set sdp4j.shm.dir to a directory that only"
                            + " this user can write to");
        }
    }

    /** Returns the names of a listener on {@code address}. */
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

    /** The name that a client looks for first; {@link #anyName} is the second. */
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

    /** Returns sixteen hexadecimal digits that no other process can predict. */
    static String random() {
        byte[] b = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(b);
        return HexFormat.of().formatHex(b);
    }

    /** Returns a name for a socket that is not listening yet. */
    static String temporaryName() {
        return TEMPORARY_PREFIX + random();
    }

    /** Removes names whose process is gone. */
    void sweep() {
        try {
            search(this::sweep);
        } catch (FabricException e) {
            // without a directory there is nothing to tidy up
        }
    }

    private boolean sweep(PrivateDirectory directory) {
        try {
            for (String name : directory.names()) {
                // the socket of a new temporary name may be bound and not yet listening
                if (!TEMPORARY_NAME.matcher(name).matches()
                        || age(directory, name) > YOUNG_MILLIS) {
                    removeIfDead(directory, name);
                }
            }
        } catch (IOException e) {
            // another process or the next sweep tidies up
        }
        return false;
    }

    /**
     * Whether {@code entry} is a file that we make under such a name. Nothing else is ever removed.
     */
    static boolean ours(String name, PrivateDirectory.Entry entry) {
        return entry != null
                && entry.own()
                && entry.socket()
                && SOCKET_NAME.matcher(name).matches();
    }

    private static long age(PrivateDirectory directory, String name) {
        PrivateDirectory.Entry entry = directory.look(name);
        return entry == null ? 0 : System.currentTimeMillis() - entry.modifiedMillis();
    }

    /** Removes {@code name} if it is a socket of ours whose process is gone. */
    static void removeIfDead(PrivateDirectory directory, String name) {
        if (SOCKET_NAME.matcher(name).matches()) {
            remove(directory, name, null);
        }
    }

    /** Removes {@code name} if it is still the file with this identity. */
    void removeOwn(Path path, String name, Object identity) {
        try (PrivateDirectory directory = places.open(places.at(path)).directory()) {
            if (directory != null) {
                remove(directory, name, identity);
            }
        } catch (FabricException e) {
            // the next process that looks removes it
        }
    }

    /**
     * Renames the file first and checks it again, because a new listener may have taken the name in
     * the meantime; the name is then given back.
     */
    private static void remove(PrivateDirectory directory, String name, Object identity) {
        if (!goes(directory, name, identity)) {
            return;
        }
        String asideName = ASIDE_PREFIX + random();
        try {
            directory.rename(name, asideName);
            if (goes(directory, asideName, identity)) {
                directory.remove(asideName);
            } else {
                directory.renameIfFree(asideName, name);
            }
        } catch (IOException e) {
            // gone already
        }
    }

    /**
     * Whether {@code name} is the file with this identity; with null, whether it is a socket of
     * ours whose process is gone. Checks first that it is a socket, because connecting to any other
     * file is refused, too.
     */
    private static boolean goes(PrivateDirectory directory, String name, Object identity) {
        PrivateDirectory.Entry entry = directory.look(name);
        return identity == null
                ? ours(name, entry) && UnixFd.isDead(directory.address(name).toString())
                : entry != null && identity.equals(entry.identity());
    }
}
