package io.sdp4j.bench.jmh;

import io.sdp4j.policy.Decision;
import io.sdp4j.policy.HostLookup;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Role;
import io.sdp4j.policy.RuleFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One decision among the rules of an ordinary file, which name networks and port ranges. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class PolicyDecision {
    private static final int RULES = 50;
    private static final int ADDRESSES = 256;

    /** Which rule decides. */
    @Param({"first", "last", "none", "mixed"})
    public String hit = "mixed";

    private Policy policy = Policy.allowAll();
    private final InetSocketAddress[] addresses = new InetSocketAddress[ADDRESSES];
    private final InetSocketAddress[] ipv6 = new InetSocketAddress[16];
    private int next;

    /** Reads the rules and prepares the addresses to ask for. */
    @Setup
    public void read() throws UnknownHostException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < RULES; i++) {
            text.append(i % 3 == 0 ? "use tcp" : "use sdp")
                    .append(" client * 10.")
                    .append(i)
                    .append(".0.0/24:")
                    .append(1000 + i)
                    .append('-')
                    .append(3000 + i)
                    .append('\n');
        }
        RuleFile file = RuleFile.parse("bench.conf", text.toString(), HostLookup.SYSTEM);
        if (!file.ok()) {
            throw new IllegalStateException(file.errors().toString());
        }
        policy = file.policy("bench");
        for (int i = 0; i < ADDRESSES; i++) {
            int rule =
                    switch (hit) {
                        case "first" -> 0;
                        case "last" -> RULES - 1;
                        case "none" -> 5 * RULES;
                        default -> i * 7919 % (RULES + RULES / 5); // one in six hits none
                    };
            byte[] address = {10, (byte) rule, 0, (byte) i};
            addresses[i] = new InetSocketAddress(InetAddress.getByAddress(address), 1500 + rule);
        }
        for (int i = 0; i < ipv6.length; i++) {
            byte[] address = new byte[16];
            address[0] = (byte) 0xfd;
            address[15] = (byte) i;
            ipv6[i] = new InetSocketAddress(InetAddress.getByAddress(address), 1500 + i);
        }
    }

    /** A connect's decision. */
    @Benchmark
    public Decision decide() {
        return policy.decide(Role.CONNECT, addresses[next++ & (ADDRESSES - 1)]);
    }

    /** The same for IPv6 destinations, none of which a rule names. */
    @Benchmark
    public Decision decideIpv6() {
        return policy.decide(Role.CONNECT, ipv6[next++ & (ipv6.length - 1)]);
    }
}
