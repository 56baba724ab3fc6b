package io.sdp4j.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * Goal: whatever bytes come instead of the kernel's, a decoder ends, answers something well-formed
 * or a {@link NetlinkException}, and reads nothing beyond a record. Method: random bytes, and real
 * datagrams with bytes changed, cut off and repeated.
 */
class NetlinkPropertiesTest {
    private static final List<byte[]> REAL = real();

    private static List<byte[]> real() {
        try {
            Path directory = Files.createTempDirectory("hosts");
            List<byte[]> all = new ArrayList<>();
            try {
                for (String name : List.of("none", "infiniband")) { // no files, or few
                    RecordedHost host = new RecordedHost(name, directory);
                    all.addAll(host.links);
                    all.addAll(host.addresses);
                    all.addAll(host.routes.values());
                }
            } finally {
                RecordedHost.remove(directory);
            }
            return all;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Feeds everything to every decoder, whatever its type says. */
    private static int decodeAll(byte[] datagram) {
        int records = 0;
        try {
            NetlinkReader m = NetlinkReader.messages(datagram);
            while (m.next()) {
                records++;
                assertTrue(m.body().remaining() <= datagram.length);
                for (int decoder = 0; decoder < 4; decoder++) {
                    decode(decoder, m.body());
                }
            }
        } catch (NetlinkException e) {
            assertEquals(0, e.errno());
        }
        assertTrue(records <= datagram.length / NetlinkReader.MESSAGE_HEADER_BYTES);
        return records;
    }

    private static void decode(int decoder, ByteBuffer body) {
        try {
            switch (decoder) {
                case 0 -> check(RouteMessages.link(body));
                case 1 -> {
                    var a = RouteMessages.address(body);
                    assertTrue(a == null || (a.interfaceIndex() > 0 && a.address() != null));
                }
                case 2 -> assertTrue(RouteMessages.route(body).interfaceIndex() >= 0);
                default -> assertTrue(RouteMessages.errno(body) >= 0);
            }
        } catch (NetlinkException e) {
            assertEquals(0, e.errno());
        }
    }

    private static void check(InterfaceInfo link) {
        if (link != null) {
            assertTrue(link.index() > 0 && !link.name().isEmpty() && link.mtuBytes() >= 0);
            assertTrue(link.name().length() <= 128 && link.address().length <= 32);
            assertTrue(link.name().chars().noneMatch(c -> c < ' '), "stays on its line");
            if (link.isIpoib()) {
                assertEquals(Gid.BYTES, link.ipoibGid().length);
            }
        }
    }

    @Property(tries = 3000)
    void bytesOfAnybody(@ForAll @Size(max = 200) byte[] datagram) {
        decodeAll(datagram);
    }

    @Property(tries = 1000)
    void bytesOfAnybodyInAnEnvelope(@ForAll @Size(max = 200) byte[] body) {
        byte[] datagram =
                ByteBuffer.allocate(16 + body.length)
                        .order(ByteOrder.nativeOrder())
                        .putInt(16 + body.length)
                        .putLong(0)
                        .putInt(0)
                        .put(body)
                        .array();
        assertEquals(1, decodeAll(datagram));
    }

    @Provide
    Arbitrary<byte[]> recorded() {
        return Arbitraries.of(REAL);
    }

    @Property(tries = 3000)
    void realOnesWithBytesChanged(
            @ForAll("recorded") byte[] real,
            @ForAll @Size(max = 8) List<@IntRange(max = 4095) Integer> places,
            @ForAll byte value,
            @ForAll @IntRange(max = 4096) int cut) {
        byte[] hostile = java.util.Arrays.copyOf(real, Math.min(cut, real.length));
        for (int place : places) {
            if (hostile.length > 0) {
                hostile[place % hostile.length] = value;
            }
        }
        decodeAll(hostile);
    }

    /**
     * An attribute that holds itself as often as fits: depth is the decoder's, not the sender's.
     */
    @Property(tries = 200)
    void nested(@ForAll @IntRange(max = 60) int depth) {
        ByteBuffer b = ByteBuffer.allocate(16 + 16 + 4 * depth).order(ByteOrder.nativeOrder());
        b.putInt(b.capacity()).putInt(0).putLong(0).position(32);
        for (int i = 0; i < depth; i++) {
            b.putShort((short) (4 * (depth - i))).putShort((short) 18);
        }
        assertEquals(1, decodeAll(b.array()));
    }

    @Property(tries = 1000) // of which edge cases are 648
    void aRouteQuestionIsWellFormed(
            @ForAll @Size(4) byte[] four,
            @ForAll @Size(16) byte[] sixteen,
            @ForAll boolean sourced,
            @ForAll @IntRange(max = 9) int scope)
            throws IOException {
        for (byte[] raw : List.of(four, sixteen)) {
            InetAddress to = InetAddress.getByAddress(raw);
            byte[] q = RouteMessages.route(7, to, sourced ? to : null, scope);
            NetlinkReader m = NetlinkReader.messages(q);
            assertTrue(m.next());
            assertEquals(RouteMessages.GETROUTE, m.type());
            assertEquals(7, m.sequence());
            ByteBuffer body = m.body();
            NetlinkReader a = NetlinkReader.attributes(body.slice(12, body.limit() - 12));
            assertTrue(a.next());
            assertArrayEquals(to.getAddress(), a.bytes());
            for (int i = 0; i < (sourced ? 1 : 0) + (scope != 0 ? 1 : 0); i++) {
                assertTrue(a.next());
            }
            assertTrue(!a.next() && !m.next());
        }
    }

    @Property(tries = 1000)
    void aGidIsWhatItsTextSays(@ForAll @Size(16) byte[] bytes) {
        StringBuilder text = new StringBuilder();
        int any = 0;
        for (int i = 0; i < 16; i += 2) {
            text.append(i == 0 ? "" : ":").append("%02x%02x".formatted(bytes[i], bytes[i + 1]));
            any |= bytes[i] | bytes[i + 1];
        }
        byte[] parsed = Gid.parse(text.toString());
        if (any == 0) {
            assertEquals(null, parsed);
        } else {
            assertArrayEquals(bytes, parsed);
        }
    }

    @Property(tries = 1000)
    void noTextBreaksAGid(@ForAll String text) {
        byte[] parsed = Gid.parse(text);
        assertTrue(parsed == null || parsed.length == Gid.BYTES);
    }
}
