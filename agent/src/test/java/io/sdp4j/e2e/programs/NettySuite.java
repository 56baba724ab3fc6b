package io.sdp4j.e2e.programs;

import java.util.List;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs those of Netty's own tests that are named, and prints for each how it ended. */
public final class NettySuite {
    private NettySuite() {}

    /** {@code args} are names of classes in Netty's package of socket tests. */
    public static void main(String[] args) {
        TreeMap<String, String> results = new TreeMap<>();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(
                                        List.of(args).stream()
                                                .map("io.netty.testsuite.transport.socket."::concat)
                                                .map(DiscoverySelectors::selectClass)
                                                .toList())
                                .build(),
                        new TestExecutionListener() {
                            @Override
                            public void executionFinished(
                                    TestIdentifier test, TestExecutionResult result) {
                                if (test.isTest()) {
                                    results.put(name(test), result.getStatus().toString());
                                    result.getThrowable()
                                            .ifPresent(
                                                    t -> System.out.println(name(test) + ": " + t));
                                }
                            }
                        });
        results.forEach((test, result) -> System.out.println(test + "=" + result));
        System.exit(0); // whatever Netty leaves running
    }

    private static String name(TestIdentifier test) {
        return test.getUniqueId().replaceAll(".*\\.(\\w+)\\]", "$1").replaceAll("[^\\w/:]", "");
    }
}
