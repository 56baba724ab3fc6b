package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.ChannelApplication.Place;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: servers and clients on channels and selectors do not notice the agent, wherever it is and
 * whatever its rules say, and plain TCP clients are served on the same ports at the same time.
 *
 * <p>Method: what clients print is compared with kernel TCP, what the agents report with where they
 * were. Every client visits two ports of its server. A class for each application; where one test
 * has seen kernel TCP, the others need not.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 500, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ChannelApplicationContract extends Comparison {
    private static final long LIMIT_SECONDS = 200;

    /** Connections from outside: one to each port. */
    private static final int OUTSIDERS = 2;

    /** By application, what its client prints on kernel TCP. */
    private static final Map<ChannelApplication, Map<String, String>> KERNEL =
            new ConcurrentHashMap<>();

    private final ChannelApplication application;
    private Place place;

    ChannelApplicationContract(ChannelApplication application) {
        this.application = application;
    }

    private Place place() throws Exception {
        if (place == null) {
            place = new Place(jvms, directory, keys());
        }
        return place;
    }

    /** A server, and all who visit it at the same time. */
    private final class Run {
        private final Ports ports;
        private final Child server;

        Run(Ports ports, Path rules) throws Exception {
            this.ports = ports;
            server = application.server(place(), rules, ports);
        }

        Child client(Path rules) throws Exception {
            server.awaitWithin("READY", LIMIT_SECONDS);
            return application.client(place(), rules, ports);
        }

        void outsiders() throws Exception {
            application.outsider(place(), ports.first());
            application.outsider(place(), ports.second());
        }

        void end() throws Exception {
            server.terminate();
            assertFalse(server.err().stream().anyMatch(l -> l.contains("sdp4j")), server::toString);
        }

        AgentReport report() throws Exception {
            return server.report();
        }
    }

    private static Map<String, String> results(Child client) throws Exception {
        Map<String, String> results = new TreeMap<>(client.resultsWithin(LIMIT_SECONDS));
        assertEquals(List.of(), client.err(), client::toString);
        List<String> rights = results.keySet().stream().filter(k -> k.contains("right")).toList();
        assertFalse(rights.isEmpty(), client::toString);
        rights.forEach(right -> assertEquals("true", results.get(right), client::toString));
        return results;
    }

    /** Every place of the agent, with two servers only: clients of all kinds at once. */
    @Test
    @Order(1)
    @DisplayName("76: servers and clients of every kind")
    void allAtOnce() throws Exception {
        Path both = jvms.rules();
        jvms.direct();
        Run plain = new Run(Ports.free(), null);
        Ports ports = Ports.free();
        Run switched = new Run(ports, jvms.rules()); // starts meanwhile
        Child neither = plain.client(null);
        Child clientOnly = plain.client(both);
        Map<String, String> expected = results(neither);
        KERNEL.put(application, expected);
        assertEquals(expected, results(clientOnly));
        plain.end();
        checkClientOnly(clientOnly.report());

        Child serverOnly = switched.client(null);
        Child offloaded = switched.client(jvms.rules());
        Child mixed = switched.client(jvms.rules("mixed.conf", ports.rules(true)));
        switched.outsiders();
        assertEquals(expected, results(serverOnly));
        assertEquals(expected, results(offloaded));
        assertEquals(expected, results(mixed));
        switched.end();
        AgentReport there = switched.report();
        checkAllOffloaded(offloaded.report());
        checkMixed(mixed.report());
        assertEquals(0, there.policy() + there.fallback(), there::text);
        assertEquals(
                there.offloaded() + offloaded.report().offloaded() + mixed.report().offloaded(),
                there.acceptedOffloaded(),
                there::text);
        assertTrue(there.acceptedKernel() > mixed.report().policy() + OUTSIDERS, there::text);
    }

    @Test
    @EnabledIfSystemProperty(named = "sdp4j.test.profile", matches = "deep")
    void rulesThatMix() throws Exception {
        mixed(true);
        mixed(false);
    }

    /** One of the two ports by TCP, by rules at both ends. */
    void mixed(boolean firstByTcp) throws Exception {
        Map<String, String> expected = kernel();
        Ports ports = Ports.free();
        Path rules = jvms.rules("mixed-" + firstByTcp + ".conf", ports.rules(firstByTcp));
        Run run = new Run(ports, rules);
        Child client = run.client(rules);
        run.outsiders();
        assertEquals(expected, results(client));
        run.end();
        AgentReport here = client.report();
        AgentReport there = run.report();
        checkMixed(here);
        assertEquals(0, there.fallback(), there::text);
        assertEquals(there.offloaded() + here.offloaded(), there.acceptedOffloaded(), there::text);
        assertEquals(
                there.policy() + here.policy() + OUTSIDERS, there.acceptedKernel(), there::text);
        if (application == ChannelApplication.KAFKA) { // which has connections to itself
            assertEquals(firstByTcp, there.policy() > 0, there::text);
            assertEquals(firstByTcp, there.offloaded() == 0, there::text);
        }
    }

    /** Each connection begins on TCP, and leaves it as soon as it is made. */
    @Test
    void moving() throws Exception {
        Map<String, String> expected = kernel();
        Ends.MOVING.use(jvms);
        Run run = new Run(Ports.free(), jvms.rules());
        Child client = run.client(jvms.rules());
        run.outsiders();
        assertEquals(expected, results(client));
        run.end();
        Ends.MOVING.check(run.server, client, false, OUTSIDERS);
    }

    /** Each place of the agent for itself. */
    @ParameterizedTest
    @EnumSource(names = {"BOTH", "SERVER", "CLIENT"})
    @EnabledIfSystemProperty(named = "sdp4j.test.profile", matches = "deep")
    void alone(Ends ends) throws Exception {
        Map<String, String> expected = kernel();
        ends.use(jvms);
        Run run = new Run(Ports.free(), ends.atServer ? jvms.rules() : null);
        Child client = run.client(ends.atClient ? jvms.rules() : null);
        run.outsiders();
        assertEquals(expected, results(client));
        run.end();
        ends.check(run.server, client, false, OUTSIDERS);
    }

    /** The client's output on kernel TCP, which is run first if it has not been. */
    private Map<String, String> kernel() throws Exception {
        Map<String, String> known = KERNEL.get(application);
        if (known != null) {
            return known;
        }
        Run run = new Run(Ports.free(), null);
        Map<String, String> expected = results(run.client(null));
        run.end();
        KERNEL.put(application, expected);
        return expected;
    }

    private static void checkClientOnly(AgentReport report) {
        assertEquals(report.offloaded(), report.acceptedOffloaded(), report::text); // to itself
        assertTrue(report.policy() + report.fallback() > 0, report::text);
    }

    private static void checkAllOffloaded(AgentReport report) {
        assertTrue(report.offloaded() > 0, report::text);
        assertEquals(0, report.policy() + report.fallback(), report::text);
    }

    private static void checkMixed(AgentReport report) {
        assertTrue(report.offloaded() > 0, report::text);
        assertTrue(report.policy() > 0, report::text);
        assertEquals(0, report.fallback(), report::text);
    }
}
