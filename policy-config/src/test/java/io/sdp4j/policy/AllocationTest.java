package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: asking for the policy in force, a setting, or a decision about the bits of an address
 * allocates nothing. Method: the JVM's own count for this thread.
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
        Setting number = Setting.number("sdp4j.number", 20, 0, 1_000, "us").help("A number.");
        Setting flag = Setting.flag("sdp4j.flag", true).help("A flag.");
        Settings settings = Settings.defaults(List.of(number, flag));
        assertAllocatesNothing(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        blackhole +=
                                policy.decide(Role.CONNECT, false, 0, (10 << 24) + i, 80)
                                        .rule()
                                        .length();
                        blackhole += policy.decide(Role.LISTEN, true, i, i, 0).rule().length();
                        blackhole += settings.longValue(number);
                        blackhole += settings.flag(flag) ? 1 : 0;
                    }
                });
    }

    /**
     * Goal: less than 2 µs among the 50 rules of an ordinary file. Method: the best of many short
     * rounds in processor time of this thread, which other load disturbs least; the benchmark has
     * the averages.
     */
    @Test
    void decidingIsQuick() throws UnknownHostException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            text.append("use tcp connect * 10.")
                    .append(i)
                    .append(".0.0/24:")
                    .append(1000 + i)
                    .append('-')
                    .append(3000 + i)
                    .append('\n');
        }
        Policy policy = RuleFile.parse("f", text.toString(), h -> List.of()).policy("p");
        InetSocketAddress[] addresses = new InetSocketAddress[1024];
        for (int i = 0; i < addresses.length; i++) {
            byte[] a = {10, (byte) (i % 60), 0, (byte) i};
            addresses[i] = new InetSocketAddress(InetAddress.getByAddress(a), 1500 + i % 60);
        }
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 3000; round++) {
            long before = THREADS.getCurrentThreadCpuTime();
            for (InetSocketAddress address : addresses) {
                blackhole += policy.decide(Role.CONNECT, address).rule().length();
            }
            best = Math.min(best, THREADS.getCurrentThreadCpuTime() - before);
        }
        long nanos = best / addresses.length;
        assertTrue(nanos < 2_000, nanos + " ns");
    }

    @Test
    void askingForTheCurrentPolicyAllocatesNothing() {
        Environment nothing =
                new Environment(
                        p -> null, v -> null, new FakeFiles(), System::nanoTime, h -> List.of());
        PolicySource source =
                PolicySource.open(
                        null,
                        null,
                        false,
                        "p",
                        nothing,
                        PolicySource.ANSWER_NANOS,
                        line -> {},
                        null);
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
