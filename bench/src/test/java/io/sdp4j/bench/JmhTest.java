package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collection;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Goal: no micro-benchmark is broken. Method: each runs for a moment, in this JVM. */
class JmhTest {
    @Test
    @Timeout(60)
    void everyBenchmarkRuns() throws RunnerException {
        Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .forks(0)
                                        .warmupIterations(0)
                                        .measurementIterations(1)
                                        .measurementTime(TimeValue.milliseconds(20))
                                        .shouldFailOnError(true)
                                        .verbosity(VerboseMode.SILENT)
                                        .build())
                        .run();
        TreeSet<String> names = new TreeSet<>();
        for (RunResult result : results) {
            String full = result.getParams().getBenchmark();
            names.add(full.substring(full.lastIndexOf('.', full.lastIndexOf('.') - 1) + 1));
            assertTrue(result.getPrimaryResult().getScore() > 0, full);
        }
        assertEquals("[WireMessage.message]", names.toString());
    }
}
