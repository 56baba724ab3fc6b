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
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: servers and clients on channels and selectors do not notice the agent, wherever it is and
 * whatever its rules say, and plain TCP clients are served on the same ports at the same time.
 *
 * <p>Method: what clients print is compared with kernel TCP, what the agents report with where they
 * were. Every client visits two ports of its server.
 *
 * <p>The property {@value #ONLY} names the applications that are looked at, separated by commas.
 */
@Timeout(value = 500, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChannelApplicationsIT extends Comparison {
    private static final String ONLY = "sdp4j.test.applications";
    private static final long LIMIT_SECONDS = 200;

    /** Connections from outside: one to each port. */
    private static final int OUTSIDERS = 2;

    /** By application, what its client prints on kernel TCP. */
    private static final Map<ChannelApplication, Map<String, String>> KERNEL =
            new ConcurrentHashMap<>();

    private Place place;

    private static List<ChannelApplication> applications() {
        String only = System.getProperty(ONLY, "");
        return only.isEmpty()
                ? List.of(ChannelApplication.values())
                : Stream.of(only.split(",", -1)).map(ChannelApplication::valueOf).toList();
    }

    private Place place() throws Exception {
        if (place == null) {
            place = new Place(jvms, directory, keys());
        }
        return place;
    }

    /** A server, and all who visit it at the same time. */
    private final class Run {
        private final ChannelApplication application;
        private final Ports ports;
        private final Child server;

        Run(ChannelApplication application, Ports ports, Path rules) throws Exception {
            this.application = application;
            this.ports = ports;
            server = application.server(place(), rules, ports);
            server.awaitWithin("READY", LIMIT_SECONDS);
        }

        Child client(Path rules) throws Exception {
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

    private static void tell(Object application, String what, AgentReport report) {
        System.out.printf(
                "%s, %s: as on kernel TCP; made %d offloaded, %d kernel; accepted %d offloaded,"
                        + " %d kernel%n",
                application,
                what,
                report.offloaded(),
                report.policy() + report.fallback(),
                report.acceptedOffloaded(),
                report.acceptedKernel());
    }

    /** Every place of the agent, with two servers only: clients of all kinds at once. */
    @ParameterizedTest
    @MethodSource("applications")
    @DisplayName("76: servers and clients of every kind")
    void allAtOnce(ChannelApplication application) throws Exception {
        Run plain = new Run(application, Ports.free(), null);
        Child neither = plain.client(null);
        Child clientOnly = plain.client(jvms.rules());
        Map<String, String> expected = results(neither);
        KERNEL.put(application, expected);
        assertEquals(expected, results(clientOnly));
        plain.end();
        checkClientOnly(clientOnly.report());
        tell(application, "agent at the client", clientOnly.report());

        Ports ports = Ports.free();
        Run switched = new Run(application, ports, jvms.rules());
        Child serverOnly = switched.client(null);
        Child both = switched.client(jvms.rules());
        Child mixed = switched.client(jvms.rules("mixed.conf", ports.rules(true)));
        switched.outsiders();
        assertEquals(expected, results(serverOnly));
        assertEquals(expected, results(both));
        assertEquals(expected, results(mixed));
        switched.end();
        AgentReport there = switched.report();
        tell(application, "server of all", there);
        tell(application, "agent at both ends", both.report());
        tell(application, "rules that mix", mixed.report());
        checkAllOffloaded(both.report());
        checkMixed(mixed.report());
        assertEquals(0, there.policy() + there.fallback(), there::text);
        assertEquals(
                there.offloaded() + both.report().offloaded() + mixed.report().offloaded(),
                there.acceptedOffloaded(),
                there::text);
        assertTrue(there.acceptedKernel() > mixed.report().policy() + OUTSIDERS, there::text);
    }

    /** Goal: a broker talks to its controller on one stack and to its clients on both. */
    @Test
    void kafkaWithRulesThatMix() throws Exception {
        if (applications().contains(ChannelApplication.KAFKA)) {
            mixed(ChannelApplication.KAFKA, true);
        }
    }

    @ParameterizedTest
    @MethodSource("applications")
    @EnabledIfSystemProperty(named = "sdp4j.test.profile", matches = "deep")
    void rulesThatMix(ChannelApplication application) throws Exception {
        mixed(application, true);
        mixed(application, false);
    }

    /** One of the two ports by TCP, by rules at both ends. */
    private void mixed(ChannelApplication application, boolean firstByTcp) throws Exception {
        Map<String, String> expected = kernel(application);
        Ports ports = Ports.free();
        Path rules = jvms.rules("mixed-" + firstByTcp + ".conf", ports.rules(firstByTcp));
        Run run = new Run(application, ports, rules);
        Child client = run.client(rules);
        run.outsiders();
        assertEquals(expected, results(client));
        run.end();
        AgentReport here = client.report();
        AgentReport there = run.report();
        String which = firstByTcp ? "first port by TCP, " : "second port by TCP, ";
        tell(application, which + "server", there);
        tell(application, which + "client", here);
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

    /** Each connection begins on TCP, and leaves it once it has carried a byte. */
    @ParameterizedTest
    @MethodSource("applications")
    void moving(ChannelApplication application) throws Exception {
        Map<String, String> expected = kernel(application);
        jvms.upgrade(Ends.MOVING.upgrade());
        Run run = new Run(application, Ports.free(), jvms.rules());
        Child client = run.client(jvms.rules());
        run.outsiders();
        assertEquals(expected, results(client));
        run.end();
        Ends.MOVING.check(run.server, client, false, OUTSIDERS);
        tell(application, "moving, server", run.report());
        tell(application, "moving, client", client.report());
    }

    static Stream<Arguments> everyEnds() {
        return applications().stream()
                .flatMap(
                        application ->
                                Stream.of(Ends.BOTH, Ends.SERVER, Ends.CLIENT)
                                        .map(ends -> Arguments.of(application, ends)));
    }

    /** Each place of the agent for itself. */
    @ParameterizedTest
    @MethodSource("everyEnds")
    @EnabledIfSystemProperty(named = "sdp4j.test.profile", matches = "deep")
    void alone(ChannelApplication application, Ends ends) throws Exception {
        Map<String, String> expected = kernel(application);
        Run run = new Run(application, Ports.free(), ends.atServer ? jvms.rules() : null);
        Child client = run.client(ends.atClient ? jvms.rules() : null);
        run.outsiders();
        assertEquals(expected, results(client));
        run.end();
        ends.check(run.server, client, false, OUTSIDERS);
        if (ends.atServer) {
            tell(application, "agent at " + ends + ", server", run.report());
        }
        if (ends.atClient) {
            tell(application, "agent at " + ends + ", client", client.report());
        }
    }

    /** The client's output on kernel TCP, which is run first if it has not been. */
    private Map<String, String> kernel(ChannelApplication application) throws Exception {
        Map<String, String> known = KERNEL.get(application);
        if (known != null) {
            return known;
        }
        Run run = new Run(application, Ports.free(), null);
        Map<String, String> expected = results(run.client(null));
        run.end();
        KERNEL.put(application, expected);
        return expected;
    }

    private static void checkClientOnly(AgentReport report) {
        assertEquals(report.offloaded(), report.acceptedOffloaded(), report::text); // to itself
        assertEquals(0, report.policy(), report::text);
        assertTrue(report.fallback() > 0, report::text);
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
