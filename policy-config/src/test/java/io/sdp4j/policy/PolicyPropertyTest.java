package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class PolicyPropertyTest {
    private static final String PROGRAM = "server";
    private static final List<Verdict> VERDICTS = List.of(Verdict.values());
    private static final String[] PROGRAMS = {
        "*", "*", "*", "server", "serv*", "s?rver", "client", "c*"
    };
    private static final int[] PORTS = {
        0, 1, 79, 80, 81, 1023, 1024, 5000, 32767, 32768, 65534, 65535
    };

    /**
     * Goal: the first match wins, and is the one that {@code explain} tells. Method: random rules
     * through text, against the naive reading.
     */
    @Property(tries = 400)
    void agreesWithTheNaiveInterpreter(
            @ForAll long seed, @ForAll @IntRange(min = 0, max = 200) int size) {
        Random random = new Random(seed);
        List<Naive.Line> lines = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < size; i++) {
            Naive.Line line = line(random);
            lines.add(line);
            text.append(line.text()).append('\n');
        }
        RuleFile file = RuleFile.parse("f", text.toString(), host -> List.of());
        assertTrue(file.ok(), () -> file.errors() + "");
        Policy policy = file.policy(PROGRAM);
        for (int i = 0; i < 300; i++) {
            Role role = role(random);
            byte[] asked = question(random, lines);
            int port = port(random);
            assertEquals(
                    Naive.firstMatch(lines, role, PROGRAM, asked, port),
                    Naive.firstMatch(policy, role, asked, port),
                    () -> role + " " + Naive.address(asked) + " " + port + "\n" + text);
            InetSocketAddress address = new InetSocketAddress(Naive.address(asked), port);
            assertSame(
                    policy.explain(role, PROGRAM, address).decision(),
                    policy.decide(role, address));
        }
    }

    private static Naive.Line line(Random random) {
        byte[] address = random.nextInt(8) == 0 ? null : address(random);
        int width = address == null ? 0 : address.length * 8;
        int prefix = random.nextInt(width + 1);
        if (width != 0 && random.nextInt(4) == 0) {
            prefix = width;
        }
        int a = random.nextInt(3) == 0 ? 0 : port(random);
        int b = a == 0 && random.nextBoolean() ? 65535 : random.nextInt(3) == 0 ? port(random) : a;
        Verdict verdict = VERDICTS.get(random.nextInt(4));
        String program = PROGRAMS[random.nextInt(PROGRAMS.length)];
        InetAddress where = address == null ? null : Naive.address(address);
        return new Naive.Line(
                verdict, role(random), program, where, prefix, Math.min(a, b), Math.max(a, b));
    }

    private static Role role(Random random) {
        return random.nextBoolean() ? Role.CONNECT : Role.LISTEN;
    }

    private static int port(Random random) {
        return random.nextInt(4) == 0 ? random.nextInt(65536) : PORTS[random.nextInt(PORTS.length)];
    }

    /** Few different bytes, so that rules meet each other; all zeros and all ones among them. */
    private static byte[] address(Random random) {
        byte[] a = new byte[random.nextBoolean() ? 4 : 16];
        if (random.nextInt(10) > 0) {
            for (int i = 0; i < a.length; i++) {
                a[i] = (byte) new int[] {0, 1, 127, 128, 255}[random.nextInt(5)];
            }
        }
        return Naive.canonical(a);
    }

    /**
     * Often an address of a rule, the one before it, or the one behind; sometimes IPv4 dressed as
     * IPv6.
     */
    private static byte[] question(Random random, List<Naive.Line> lines) {
        byte[] a = address(random);
        if (!lines.isEmpty() && random.nextInt(4) > 0) {
            InetAddress of = lines.get(random.nextInt(lines.size())).address();
            if (of != null) {
                a = of.getAddress();
                int i = a.length - 1 - random.nextInt(Math.min(a.length, 3));
                a[i] += (byte) (random.nextInt(3) - 1);
            }
        }
        if (a.length == 4 && random.nextInt(3) == 0) {
            byte[] mapped = new byte[16];
            mapped[10] = -1;
            mapped[11] = -1;
            System.arraycopy(a, 0, mapped, 12, 4);
            return mapped;
        }
        return a;
    }
}
