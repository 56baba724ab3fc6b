package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: literals mean what they mean to the JDK, which is asked here and not when a JVM starts. */
class LiteralsTest {
    private static AddressRange jdk(String text) {
        if (text.indexOf(':') < 0) {
            return null;
        }
        try {
            return AddressRange.of(Inet6Address.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "::",
                "::1",
                "1::",
                "fe80::21b:24ff:fe3d:7896",
                "1:2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7::",
                "::2:3:4:5:6:7:8",
                "1::3:4:5:6:7:8",
                "::ffff:10.1.2.3",
                "::10.1.2.3",
                "64:ff9b::192.0.2.33",
                "1:2:3:4:5:6:1.2.3.4",
                "FFFF::ABCD"
            })
    void areRead(String text) {
        assertEquals(jdk(text), Literals.ipv6(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":::",
                "1",
                "1:2",
                "1::2::3",
                "1:2:3:4:5:6:7:8:9",
                "::1:",
                ":1::",
                "12345::",
                "g::",
                "1.2.3.4::",
                "::1.2.3",
                "::1.2.3.256",
                "::1.2.3.4:5",
                "[::1]",
                "1:2:3:4:5:6:7:1.2.3.4"
            })
    void areRefused(String text) {
        assertNull(Literals.ipv6(text));
    }

    @Test
    void aZoneIsDropped() {
        assertEquals(Literals.ipv6("fe80::1"), Literals.ipv6("fe80::1%eth0"));
    }

    /** Method: addresses as the JDK prints them, and literals with a letter changed or left out. */
    @Test
    void agreesWithTheJdk() throws Exception {
        long seed = Long.getLong("sdp4j.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 50_000; i++) {
            byte[] a = new byte[16];
            for (int b = 0; b < 16; b++) {
                a[b] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : 0);
            }
            StringBuilder text = new StringBuilder(InetAddress.getByAddress(a).getHostAddress());
            if (random.nextBoolean()) {
                int at = text.indexOf(":0:");
                if (at >= 0) {
                    text.replace(at, at + 3, "::");
                }
            }
            for (int n = random.nextInt(3); n > 0 && text.length() > 2; n--) {
                int at = random.nextInt(text.length());
                text.replace(at, at + 1, "::0f1.".substring(random.nextInt(6)).substring(0, 1));
            }
            String literal = text.toString();
            if (literal.indexOf('.') < 0) { // quads with odd parts are read more strictly here
                assertEquals(jdk(literal), Literals.ipv6(literal), literal + ", seed " + seed);
            }
        }
    }
}
