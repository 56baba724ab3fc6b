package io.sdp4j.policy;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NamedHostsTest {
    private static final List<AddressRange> SOME =
            List.of(AddressRange.of(InetAddress.ofLiteral("10.0.0.2")));

    /** Goal: the file is not parsed again for a host that is still unknown. */
    @Test
    void tellsOnlyOfHostsThatBecomeKnown() {
        Map<String, List<AddressRange>> answers = new ConcurrentHashMap<>();
        AtomicInteger told = new AtomicInteger();
        NamedHosts hosts =
                new NamedHosts(
                        host -> answers.getOrDefault(host, List.of()), told::incrementAndGet);
        for (String name : List.of("a.example", "b.example", "c.example")) {
            List<AddressRange> _ = hosts.ranges(name);
        }
        hosts.ask();
        hosts.awaitAnswers(Long.MAX_VALUE);
        await().until(() -> !hosts.asking());
        answers.put("b.example", SOME);
        hosts.ask();
        await().until(() -> !hosts.asking());
        assertEquals(1, told.get());
        assertEquals(SOME, hosts.ranges("b.example"));
    }
}
