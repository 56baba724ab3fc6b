package io.sdp4j.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
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
        Settings settings = Settings.defaults();
        assertAllocatesNothing(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        blackhole +=
                                policy.decide(Role.CONNECT, false, 0, (10 << 24) + i, 80)
                                        .hashCode();
                        blackhole += policy.decide(Role.LISTEN, true, i, i, 0).hashCode();
                        blackhole += settings.longValue(Setting.SPIN_MAX_US);
                        blackhole += settings.flag(Setting.JMX) ? 1 : 0;
                    }
                });
    }

    @Test
    void askingForTheCurrentPolicyAllocatesNothing() {
        Environment nothing =
                new Environment(
                        p -> null, v -> null, new FakeFiles(), System::nanoTime, h -> List.of());
        PolicySource source = PolicySource.open(null, null, "p", nothing, line -> {});
        assertAllocatesNothing(
                () -> {
                    for (int i = 0; i < 1000; i++) {
                        blackhole += source.current().hashCode();
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
