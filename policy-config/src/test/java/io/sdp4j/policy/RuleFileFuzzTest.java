package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet4Address;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Goal: whatever a file holds, the parser gives rules or errors with a place, and throws nothing.
 */
class RuleFileFuzzTest {
    private static final String[] PIECES = {
        "use",
        "log",
        "bind",
        "connect",
        "both",
        "tcp",
        "sdp",
        "direct",
        "server",
        "listen",
        "client",
        "*",
        ":",
        "*:*",
        "-",
        "/",
        "#",
        "\n",
        " ",
        "\t",
        "\r\n",
        "[",
        "]",
        "[::1]:80",
        "[::ffff:1.2.3.4]/100",
        "1.2.3.4",
        "10.0.0.0/8:1-65535",
        "10.0.0.0/33",
        "::",
        "fe80::1%eth0",
        "80",
        "99999",
        "99999999999",
        "-1",
        "1-",
        "host",
        "host:80",
        "fabric=",
        "fabric=shm,verbs",
        "timeout=2s",
        "timeout=0ms",
        "min-level",
        "destination",
        "file",
        "\u0000",
        "\u001b[31m",
        "\ufeff",
        "\u2028",
        "\ud800",
        "٣",
        "use sdp connect * *:*\n",
        "connect * *\n"
    };

    @Property(tries = 3000)
    void anyText(@ForAll String text) {
        check(text);
    }

    @Property(tries = 6000)
    void piecesOfRules(@ForAll long seed) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(40); n > 0; n--) {
            text.append(PIECES[random.nextInt(PIECES.length)])
                    .append(random.nextInt(3) > 0 ? " " : "");
        }
        check(text.toString());
    }

    @Property(tries = 4000)
    void goodLinesWithOneCharacterChanged(@ForAll long seed) {
        Random random = new Random(seed);
        String good =
                random.nextBoolean()
                        ? "use both client db2* [fd00::/8]:1521-1530 fabric=shm,verbs timeout=250ms # x\n"
                        : "connect 192.168.1.0/24 1024-*\nbind ::0 5000-5999\n";
        StringBuilder text = new StringBuilder(good);
        int at = random.nextInt(text.length());
        String piece = PIECES[random.nextInt(PIECES.length)];
        switch (random.nextInt(3)) {
            case 0 -> text.deleteCharAt(at);
            case 1 -> text.setCharAt(at, piece.charAt(0));
            default -> text.insert(at, piece);
        }
        check(text.toString());
    }

    private static void check(String text) {
        RuleFile file =
                RuleFile.parse(
                        "f",
                        text,
                        host ->
                                host.equals("host")
                                        ? List.of(
                                                AddressRange.of(Inet4Address.ofLiteral("1.2.3.4")))
                                        : List.of());
        assertEquals(file.ok(), file.errors().isEmpty());
        int lines = (int) text.lines().count();
        for (RuleError error : file.errors()) {
            assertTrue(error.line() >= 1 && error.line() <= lines, error::message);
            int columns = text.lines().skip(error.line() - 1L).findFirst().orElseThrow().length();
            assertTrue(error.column() >= 1 && error.column() <= columns + 1, error::message);
            assertFalse(error.message().chars().anyMatch(Character::isISOControl), error::message);
            assertTrue(error.message().contains(", expected "), error::message);
        }
        if (file.ok()) {
            Linter.lint(file.rules()).forEach(lint -> assertFalse(lint.sentence().isEmpty()));
            Policy policy = file.policy("host");
            for (Role role : Role.values()) {
                for (int port : new int[] {0, 80, 65535}) {
                    policy.decide(role, false, 0, 0x01020304, port);
                    policy.decide(role, true, 0xfd00L << 48, 1, port);
                }
            }
        } else {
            assertTrue(file.rules().isEmpty());
        }
    }
}
