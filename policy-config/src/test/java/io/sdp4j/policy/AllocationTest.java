package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: nothing on the path of a connect allocates. Method: the JVM's own count for this thread.
 */
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long blackhole;

    @Test
    void decidingAllocatesNothing() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            text.append("use tcp connect * 10.")
                    .append(i >> 8)
                    .append('.')
                    .append(i & 255)
                    .append(".0/24:80\n");
        }
        Policy policy = RuleFile.parse("f", text.toString(), h -> List.of()).policy("p");
        Setting number = Setting.number("sdp4j.number", 20, 0, 1_000, "us", "A number.");
        Setting flag = Setting.flag("sdp4j.flag", true, "A flag.");
        Settings settings = Settings.defaults(List.of(number, flag));
        assertAllocatesNothing(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        blackhole +=
                                policy.decide(Role.CONNECT, false, 0, (10 << 24) + i, 80)
                                        .hashCode();
                        blackhole += policy.decide(Role.LISTEN, true, i, i, 0).hashCode();
                        blackhole += settings.longValue(number);
                        blackhole += settings.flag(flag) ? 1 : 0;
                    }
                });
    }

    /** The form that sockets use: many IPv4 addresses, and IPv6 addresses that come again. */
    @Test
    void decidingForSocketAddressesAllocatesNothing() throws UnknownHostException {
        Policy policy =
                RuleFile.parse("f", "use tcp connect * 10.1.0.0/16:80\n", h -> List.of())
                        .policy("p");
        InetSocketAddress[] addresses = new InetSocketAddress[1010];
        for (int i = 0; i < addresses.length; i++) {
            byte[] a = i < 1000 ? new byte[] {10, 1, 2, 3} : new byte[16];
            a[0] = (byte) (i >> 8);
            a[a.length - 1] = (byte) i;
            addresses[i] = new InetSocketAddress(InetAddress.getByAddress(a), i);
        }
        assertAllocatesNothing(
                () -> {
                    for (InetSocketAddress address : addresses) {
                        blackhole += policy.decide(Role.CONNECT, address).hashCode();
                    }
                });
    }

    /**
     * Goal: less than 100 ns among 1,000 rules. Method: the best of many short rounds in processor
     * time of this thread, which other load disturbs least; the benchmark has the averages.
     */
    @Test
    void decidingIsQuick() throws UnknownHostException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            text.append("use tcp connect * 10.")
                    .append(i / 250)
                    .append('.')
                    .append(i % 250)
                    .append(".0/24:")
                    .append(1000 + i)
                    .append('-')
                    .append(3000 + i)
                    .append('\n');
        }
        Policy policy = RuleFile.parse("f", text.toString(), h -> List.of()).policy("p");
        InetSocketAddress[] addresses = new InetSocketAddress[1024];
        for (int i = 0; i < addresses.length; i++) {
            byte[] a = {10, (byte) (i / 250), (byte) (i % 250), (byte) i};
            addresses[i] = new InetSocketAddress(InetAddress.getByAddress(a), 1500 + i);
        }
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 3000; round++) {
            long before = THREADS.getCurrentThreadCpuTime();
            for (InetSocketAddress address : addresses) {
                blackhole += policy.decide(Role.CONNECT, address).hashCode();
            }
            best = Math.min(best, THREADS.getCurrentThreadCpuTime() - before);
        }
        long nanos = best / addresses.length;
        assertTrue(nanos < 100, nanos + " ns");
    }

    /** Goal: both ways to the bits of an address give the same, whatever was asked before. */
    @Test
    void bitsAreThoseOfTheBytes() throws UnknownHostException {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            byte[] a = new byte[i % 2 == 0 ? 4 : 16];
            random.nextBytes(a);
            if (i % 3 == 0) {
                java.util.Arrays.fill(a, 0, a.length - 1, (byte) (i % 7 - 3));
            }
            InetAddress ip = InetAddress.getByAddress(a);
            AddressRange range = AddressRange.of(ip);
            if (ip instanceof Inet6Address six) {
                AddressBits bits = AddressBits.of(six);
                assertEquals(range.high(), bits.high());
                assertEquals(range.low(), bits.low());
            } else {
                assertEquals((int) range.low(), AddressBits.of((Inet4Address) ip));
            }
        }
    }

    @Test
    void askingForTheCurrentPolicyAllocatesNothing() {
        Environment nothing =
                new Environment(
                        p -> null, v -> null, new FakeFiles(), System::nanoTime, h -> List.of());
        PolicySource source = PolicySource.open(null, null, false, "p", nothing, line -> {});
        assertAllocatesNothing(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        blackhole += source.get().hashCode();
                    }
                });
    }

    private static void assertAllocatesNothing(Runnable task) {
        for (int i = 0; i < 300; i++) {
            task.run();
        }
        long least = Long.MAX_VALUE; // the compiler may still finish its work in an early round
        for (int round = 0; round < 20 && least > 0; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            task.run();
            task.run();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }
}
