package io.sdp4j.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the resolver asks the kernel as seldom as it can, and never answers from what is gone. */
@Timeout(60)
class DeviceResolverTest {
    private static final InetAddress PEER = InetAddress.ofLiteral("10.10.0.2");
    private static final InetAddress BESIDE = InetAddress.ofLiteral("172.20.0.2");
    private static final byte[] ANY = {1};

    @TempDir Path directory;
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1); // wraps soon
    private RecordedHost host;
    private DeviceResolver resolver;

    @BeforeEach
    void start() throws IOException {
        host = new RecordedHost("roce-vlan", directory);
        resolver = new DeviceResolver((l, r) -> List.of(), host, host.devices, clock::get);
    }

    private FabricPath path(InetAddress remote) {
        return resolver.paths(null, remote).getFirst();
    }

    private void settle() {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(GidTables.SETTLE_SECONDS));
        path(PEER);
    }

    @Test
    void theOthersPathsComeFirst() {
        List<FabricPath> first =
                List.of(FabricPath.unusable("shm", PathCode.NOT_LOCAL, "elsewhere"));
        try (DeviceResolver behind = new DeviceResolver((l, r) -> first, host, host.devices)) {
            List<FabricPath> all = behind.paths(null, PEER);
            assertEquals(first.getFirst(), all.getFirst());
            assertEquals("rxe0", all.get(1).device());
        }
    }

    @Test
    void tablesAreReadOnceAndRoutesEachTime() {
        for (int i = 0; i < 10; i++) {
            assertTrue(path(PEER).usable());
            assertFalse(path(BESIDE).usable());
        }
        assertEquals(1, host.asked(RouteMessages.GETLINK));
        assertEquals(1, host.asked(RouteMessages.GETADDR));
        assertEquals(20, host.asked(RouteMessages.GETROUTE));
    }

    @Test
    void anAnnouncementMakesItReadAgain() throws IOException {
        path(PEER);
        settle();
        RecordedHost.remove(host.devices.resolve("rxe0/ports/1/gids"));
        assertTrue(path(PEER).usable(), "nothing was reported");
        host.announce(Netlink.ROUTE, ANY);
        assertFalse(path(PEER).usable());
        assertEquals(2, host.asked(RouteMessages.GETLINK));
    }

    @Test
    void lostAnnouncementsCountAsOne() {
        path(PEER);
        host.announce(Netlink.UEVENT, new byte[0]);
        path(PEER);
        assertEquals(2, host.asked(RouteMessages.GETLINK));
    }

    @Test
    void onlyRdmasUeventsCount() {
        path(PEER);
        announce("add@/devices/x\0ACTION=add\0SUBSYSTEM=usb\0");
        announce("SUBSYSTEM=infiniband"); // no zero byte before it: part of something else
        announce("add@/x\0SUBSYSTEM=infini");
        path(PEER);
        assertEquals(1, host.asked(RouteMessages.GETLINK));
        announce("add@/devices/x\0ACTION=add\0SUBSYSTEM=infiniband\0SEQNUM=1\0");
        path(PEER);
        assertEquals(2, host.asked(RouteMessages.GETLINK));
        announce("add@/devices/x\0SUBSYSTEM=infiniband_verbs\0");
        path(PEER);
        assertEquals(3, host.asked(RouteMessages.GETLINK));
    }

    private void announce(String uevent) {
        host.announce(Netlink.UEVENT, uevent.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aGidThatComesALittleAfterItsAddressIsFound() throws IOException {
        Path gid = host.devices.resolve("rxe0/ports/1/gids/1");
        String text = Files.readString(gid);
        Files.writeString(gid, "0000:0000:0000:0000:0000:0000:0000:0000\n");
        assertEquals(PathCode.NO_GID, path(PEER).code());
        Files.writeString(gid, text);
        assertTrue(path(PEER).usable(), "without any announcement");
    }

    @Test
    void tablesOfGidsAreNotReadForEver() throws IOException {
        path(PEER);
        settle();
        RecordedHost.remove(host.devices.resolve("rxe0/ports/1/gids"));
        assertTrue(path(PEER).usable());
    }

    @Test
    void aPortThatGoesDownIsSeenAtOnce() throws IOException {
        settle();
        Files.writeString(host.devices.resolve("rxe0/ports/1/state"), "1: DOWN\n");
        assertEquals(PathCode.PORT_DOWN, path(PEER).code());
        assertEquals("rxe0 port 1 is DOWN", path(PEER).reason());
        RecordedHost.remove(host.devices.resolve("rxe0/ports/1/state"));
        assertEquals(PathCode.PORT_DOWN, path(PEER).code());
    }

    @Test
    void devicesComeAndGoWithoutAWord() throws IOException {
        assertTrue(path(PEER).usable());
        RecordedHost.remove(host.devices.resolve("rxe0"));
        assertEquals(PathCode.NO_DEVICE, path(PEER).code());
        RecordedHost.remove(host.devices);
        assertEquals(PathCode.NO_DEVICE, path(PEER).code());
        new RecordedHost("roce-vlan", directory);
        assertTrue(path(PEER).usable());
    }

    @Test
    void aHostWithoutDevicesOpensNothing() throws IOException {
        RecordedHost.remove(host.devices);
        assertEquals(PathCode.NO_DEVICE, path(PEER).code());
        assertEquals(0, host.open.get());
        assertEquals(0, host.asked(RouteMessages.GETROUTE));
    }

    /** The best of many: other programs on the machine lengthen the rest. */
    @Test
    void aHostWithoutDevicesDecidesInMicroseconds() throws IOException {
        RecordedHost.remove(host.devices);
        long bestNanos = Long.MAX_VALUE;
        for (int i = 0; i < 2000; i++) {
            long start = System.nanoTime();
            PathCode code = path(PEER).code();
            bestNanos = Math.min(bestNanos, System.nanoTime() - start);
            assertEquals(PathCode.NO_DEVICE, code);
        }
        assertTrue(bestNanos < TimeUnit.MICROSECONDS.toNanos(100), bestNanos + " ns");
    }

    @Test
    void aKernelThatIsSilentLeavesItToTheConnectionManager() {
        host.dumb = true;
        FabricPath path = path(PEER);
        assertTrue(path.usable());
        assertEquals("", path.device());
        host.dumb = false;
        assertEquals("rxe0", path(PEER).device(), "asked again");
    }

    @Test
    void withoutAnnouncementsEveryQuestionReads() throws IOException {
        host.deaf = true;
        path(PEER);
        path(PEER);
        assertEquals(2, host.asked(RouteMessages.GETLINK));
        resolver.close();
        assertEquals(0, host.open.get());
    }

    @Test
    void announcementsThatWereRefusedAreAskedForAgain() {
        host.deaf = true;
        path(PEER);
        host.deaf = false;
        clock.addAndGet(NetworkWatch.AGAIN_NANOS - 1);
        path(PEER);
        assertEquals(2, host.asked(RouteMessages.GETLINK));
        assertEquals(0, host.subscriptions.size());
        clock.addAndGet(1);
        path(PEER);
        path(PEER);
        assertEquals(3, host.asked(RouteMessages.GETLINK));
        clock.addAndGet(NetworkWatch.AGAIN_NANOS);
        host.announce(Netlink.ROUTE, ANY);
        path(PEER);
        assertEquals(4, host.asked(RouteMessages.GETLINK));
        assertEquals(2, host.subscriptions.size());
    }

    @Test
    void tooLittleMemoryForAnnouncementsLeavesNothing() {
        Netlink scarce =
                new Netlink() {
                    @Override
                    public Netlink.Socket open(int protocol) throws IOException {
                        return host.open(protocol);
                    }

                    @Override
                    public Closeable subscribe(
                            int protocol, int groups, Consumer<byte[]> onDatagram)
                            throws IOException {
                        if (protocol == UEVENT) {
                            throw new OutOfMemoryError("of a test");
                        }
                        return host.subscribe(protocol, groups, onDatagram);
                    }
                };
        try (DeviceResolver r = new DeviceResolver((_, _) -> List.of(), scarce, host.devices)) {
            assertTrue(r.paths(null, PEER).getFirst().usable());
        } catch (OutOfMemoryError e) { // it would end all tests
            throw new AssertionError(e);
        }
        assertEquals(0, host.open.get());
    }

    @Test
    void closingEndsAnnouncementsAndSockets() {
        path(PEER);
        assertEquals(3, host.open.get());
        assertEquals(
                List.of(RouteMessages.GROUPS, 1),
                host.subscriptions.stream().map(RecordedHost.Subscription::groups).toList());
        resolver.close();
        resolver.close();
        assertEquals(0, host.open.get());
        assertTrue(path(PEER).usable(), "the connection manager's business from now on");
        assertEquals(0, host.open.get());
    }

    @Test
    void answersThatMakeNoSenseEndWithTheConnectionManager() {
        for (int cut = 0; cut < 48; cut++) {
            byte[] whole = host.routes.get(PEER);
            byte[] part = Arrays.copyOf(whole, cut);
            host.routes.put(PEER, part);
            assertEquals("", path(PEER).device(), "cut at " + cut);
            host.routes.put(PEER, whole);
            assertEquals("rxe0", path(PEER).device());
        }
    }
}
