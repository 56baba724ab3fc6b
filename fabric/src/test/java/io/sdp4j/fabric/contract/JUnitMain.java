package io.sdp4j.fabric.contract;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs test classes, or single tests as {@code class#method}, where there is no Maven: on the hosts
 * of the lab. Ends with 1 if one failed, was skipped or if there was none.
 */
public final class JUnitMain {
    private JUnitMain() {}

    /** Says what it runs, so that a run that hangs shows where. */
    private static final class Progress implements TestExecutionListener {
        private long began;

        @Override
        public void executionStarted(TestIdentifier test) {
            began = System.nanoTime();
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
                System.out.printf(
                        "%-10s %6d ms  %s%n",
                        result.getStatus(),
                        (System.nanoTime() - began) / 1_000_000,
                        test.getDisplayName());
                // at once: what is ended from outside never comes to its summary
                result.getThrowable().ifPresent(System.out::println);
                System.out.flush();
            }
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            System.out.println("SKIPPED " + test.getDisplayName() + ": " + reason);
        }
    }

    public static void main(String[] args) throws ClassNotFoundException {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        request.selectors(
                Arrays.stream(args)
                        .map(
                                a ->
                                        a.contains("#")
                                                ? org.junit.platform.engine.discovery
                                                        .DiscoverySelectors.selectMethod(a)
                                                : selectClass(a))
                        .toList());
        LauncherDiscoveryRequest built = request.build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(built, summary, new Progress());
        TestExecutionSummary s = summary.getSummary();
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        s.printFailuresTo(out, 30);
        out.printf(
                "%d passed, %d failed, %d skipped%n",
                s.getTestsSucceededCount(),
                s.getTotalFailureCount(),
                s.getTestsSkippedCount() + s.getTestsAbortedCount());
        boolean good =
                s.getTestsSucceededCount() > 0
                        && s.getTotalFailureCount() == 0
                        && s.getTestsSkippedCount() + s.getTestsAbortedCount() == 0;
        System.exit(good ? 0 : 1);
    }
}
