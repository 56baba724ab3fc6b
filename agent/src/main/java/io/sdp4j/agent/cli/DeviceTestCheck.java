package io.sdp4j.agent.cli;

import io.sdp4j.agent.cli.DeviceTest.Step;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.resolve.PortStatus;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The doctor's self-test of an RDMA port: {@link DeviceTestCommand} in a JVM of its own, which is
 * ended when it does not end by itself.
 *
 * @param port as tools write it, such as {@code mlx5_0/1}
 * @param transport InfiniBand, RoCE v2 and so on
 * @param address of this host, on the port
 * @param others ports that the connection manager may take as well, for the same address
 */
record DeviceTestCheck(String port, String transport, InetAddress address, List<String> others) {
    /** For a JVM to start and to open the fabric: that much is not the device's fault. */
    private static final long START_MILLIS = 60_000;

    private static final long GRACE_MILLIS = 500;
    private static final String STEP = "step";

    /**
     * How the test ended.
     *
     * @param exit code; -1 = it did not end, and was killed
     * @param values what it printed
     * @param errors the end of its standard error
     */
    record Outcome(int exit, Map<String, String> values, String errors) {}

    /** The finding about a port that cannot be tested. */
    static Check withoutAddress(PortStatus port) {
        String on =
                port.gids().stream()
                        .map(PortStatus.GidEntry::interfaceName)
                        .filter(name -> !name.isEmpty())
                        .findFirst()
                        .orElse(
                                port.linkLayer().equals("InfiniBand")
                                        ? "its IPoIB interface"
                                        : "its interface");
        return Check.warn(
                "self-test " + port.name(),
                "not run: no address of this host leads over the port",
                "give " + on + " an IP address: ip address add ADDRESS/PREFIX dev INTERFACE");
    }

    /** Runs the test. */
    Check run(long millis) throws InterruptedException {
        try (Child child =
                Child.java(
                        List.of(
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-jar",
                                Place.agentJar().toString(),
                                DeviceTestCommand.NAME,
                                DeviceTestCommand.MILLIS,
                                Long.toString(millis),
                                address.getHostAddress()))) {
            child.await((STEP + "=" + Step.LISTEN.word())::equals, START_MILLIS);
            int exit = child.exitCode(millis + GRACE_MILLIS);
            List<String> errors = child.errors();
            return verdict(
                    millis,
                    new Outcome(exit, child.values(), errors.isEmpty() ? "" : errors.getLast()));
        }
    }

    /** The finding about an outcome. */
    Check verdict(long millis, Outcome outcome) {
        String name = "self-test " + port;
        Map<String, String> values = outcome.values;
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("port", port);
        details.put("address", address.getHostAddress());
        Step step = step(values.get(STEP));
        if (outcome.exit == Exit.OK) {
            details.put("bytes", number(values, "bytes"));
            details.put("connectMicros", number(values, "connect_us"));
            details.put("transferMicros", number(values, "transfer_us"));
            details.put("roundTripMicros", number(values, "round_trip_us"));
            details.put("roundTrips", number(values, "round_trips"));
            return Check.ok(name, intact(values)).with(details);
        }
        details.put(STEP, step == null ? "start" : step.word());
        String during = step == null ? "starting" : step.words();
        String failed = values.get("failed");
        if (outcome.exit == -1) {
            long start = step == null || step == Step.OPEN ? START_MILLIS : 0;
            String waited = seconds(start + millis + GRACE_MILLIS);
            String found = during + ": no end within " + waited + ", killed";
            return Check.fail(name, found, "the driver does not answer: look at dmesg")
                    .with(details);
        }
        if (failed == null) {
            return Check.fail(
                            name,
                            during
                                    + ": the JVM ended with "
                                    + outcome.exit
                                    + (outcome.errors.isEmpty() ? "" : " " + outcome.errors),
                            "a driver's library crashed, if it is not sdp4j itself: see dmesg and"
                                    + " the versions of rdma-core and the kernel")
                    .with(details);
        }
        String found = during + " failed: " + failed;
        return step == Step.OPEN
                ? Check.warn(name, found, "").with(details) // it says itself what to do
                : Check.fail(name, found, cure(step, values.get("reason"))).with(details);
    }

    private String intact(Map<String, String> values) {
        return ("%s KiB there and back through %s, every byte intact, in %s; connected in %s, %s"
                                + " round trips of 64 bytes in %s us each")
                        .formatted(
                                number(values, "bytes") / 1024,
                                address.getHostAddress(),
                                millis(number(values, "transfer_us")),
                                millis(number(values, "connect_us")),
                                number(values, "round_trips"),
                                number(values, "round_trip_us"))
                + (others.isEmpty()
                        ? ""
                        : "; it may have been " + String.join(" or ", others) + " as well");
    }

    private String cure(Step step, String reason) {
        if (ReasonCode.MEMORY.name().equals(reason)) {
            return "raise the limit of locked memory: LimitMEMLOCK=infinity in the unit, or memlock"
                    + " in /etc/security/limits.conf";
        }
        String by = address.getHostAddress();
        return switch (step) {
            case LISTEN -> "another program may have the port: rdma resource show cm_id";
            case CONNECT ->
                    switch (transport) {
                        case "iWARP" -> "a firewall must let TCP to " + by + " pass";
                        case "InfiniBand" -> "is there a subnet manager (sminfo), is IPoIB up?";
                        default -> "a firewall must let UDP port 4791 to " + by + " pass";
                    };
            default ->
                    "look at dmesg, and whether \"rping -s\" and \"rping -c -a "
                            + by
                            + "\" can do it";
        };
    }

    private static Step step(String word) {
        for (Step step : Step.values()) {
            if (step.word().equals(word)) {
                return step;
            }
        }
        return null;
    }

    private static long number(Map<String, String> values, String key) {
        return Long.parseLong(values.getOrDefault(key, "0"));
    }

    private static String millis(long micros) {
        return micros < 10_000 ? micros + " us" : TimeUnit.MICROSECONDS.toMillis(micros) + " ms";
    }

    private static String seconds(long millis) {
        return millis / 1000.0 + " s";
    }
}
