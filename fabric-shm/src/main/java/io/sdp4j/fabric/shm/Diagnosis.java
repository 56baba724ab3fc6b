package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.Futex;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.Mapping;
import io.sdp4j.linux.NativeAccess;
import io.sdp4j.linux.PortOwner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Looks at what the fabric needs, without leaving anything. */
public final class Diagnosis {
    private static final int BYTES = 4096;

    private Diagnosis() {}

    /**
     * A directory where processes meet.
     *
     * @param directory null if there is none
     * @param text what was found
     * @param passedOver what is wrong with places that come before it, one sentence each
     */
    public record MeetingPlace(Path directory, String text, List<String> passedOver) {}

    /**
     * One finding.
     *
     * @param name what was looked at
     * @param good whether it is as the fabric wants it
     * @param text what was found, and what to do if it is not good
     */
    public record Fact(String name, boolean good, String text) {}

    /** Facts about this machine for the fabric; makes no file. */
    public static List<Fact> of(ShmConfig config) {
        List<Fact> facts = new ArrayList<>();
        boolean granted = NativeAccess.granted();
        facts.add(new Fact("native access", granted, NativeAccess.explanation()));
        if (!granted) {
            return facts;
        }
        memoryAndFutex(facts);
        boolean quick = PortOwner.quick();
        facts.add(
                new Fact(
                        "port owner",
                        quick,
                        quick
                                ? "asked from the kernel by NETLINK_SOCK_DIAG"
                                : "NETLINK_SOCK_DIAG is denied; /proc/self/net/tcp is read instead,"
                                        + " slower with many sockets"));
        directory(config, facts);
        return facts;
    }

    private static void memoryAndFutex(List<Fact> facts) {
        int fd = Mapping.create("sdp4j-doctor", BYTES);
        if (fd < 0) {
            facts.add(new Fact("memfd", false, "memfd_create: " + Linux.text(fd)));
            return;
        }
        try {
            String fault = Mapping.fault(fd, BYTES);
            var memory = Mapping.map(fd, BYTES);
            boolean good = fault == null && memory != null;
            String flaw = fault == null ? "it cannot be mapped" : fault;
            facts.add(
                    new Fact(
                            "memfd",
                            good,
                            good ? "made, sealed and mapped" : "not usable: " + flaw));
            if (memory != null) {
                memory.set(JAVA_INT, 0, 1);
                long start = System.nanoTime();
                Futex.await(memory.address(), 1, TimeUnit.MILLISECONDS.toNanos(2));
                boolean slept = System.nanoTime() - start > TimeUnit.MICROSECONDS.toNanos(500);
                facts.add(
                        new Fact(
                                "futex",
                                slept,
                                slept
                                        ? "sleeps and wakes on shared memory"
                                        : "does not sleep; waits would be busy"));
                Mapping.unmap(memory);
            }
        } finally {
            Linux.close(fd);
        }
    }

    private static void directory(ShmConfig config, List<Fact> facts) {
        MeetingPlace place = meetingPlace(config);
        facts.add(
                new Fact(
                        "rendezvous directory",
                        place.directory() != null,
                        place.text()
                                + (place.passedOver().isEmpty()
                                        ? ""
                                        : "; not used: " + String.join("; ", place.passedOver()))));
    }

    /** Where this user's processes would meet; makes no file, but native calls. */
    public static MeetingPlace meetingPlace(ShmConfig config) {
        try {
            return meetingPlace(
                    new RendezvousDirectories(config.directory(), PeerCredentials.own().ownUid()));
        } catch (FabricException e) {
            return new MeetingPlace(null, e.getMessage(), List.of());
        }
    }

    private static MeetingPlace meetingPlace(RendezvousDirectories places) throws FabricException {
        List<String> passed = new ArrayList<>();
        for (RendezvousDirectories.Place place : places.all()) {
            RendezvousDirectories.Opened opened = places.open(place);
            if (opened.directory() != null) {
                opened.directory().close();
                return new MeetingPlace(place.path(), place.path() + " is private", passed);
            }
            if (opened.finding() == RendezvousDirectories.Finding.ABSENT
                    && RendezvousDirectories.makeable(place)) {
                return new MeetingPlace(
                        place.path(), place.path() + " will be made when it is needed", passed);
            }
            if (opened.finding() == RendezvousDirectories.Finding.BAD) {
                passed.add(opened.fault());
            }
        }
        for (RendezvousDirectories.Place place : places.unforeseen()) {
            if (RendezvousDirectories.makeable(place)) {
                Path in = place.path().getParent();
                return new MeetingPlace(
                        in, "a directory with a random name in " + in + " will be made", passed);
            }
        }
        return new MeetingPlace(null, "no directory can be had", passed);
    }
}
