package io.sdp4j.bench.jmh;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.Main;

/** JMH with the gc profiler on and only this package's benchmarks, unless told otherwise. */
public final class JmhMain {
    private JmhMain() {}

    /** Runs the benchmarks; {@code args} are JMH's own. */
    public static void main(String[] args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        if (!all.contains("-prof")) {
            all.addAll(List.of("-prof", "gc"));
        }
        Main.main(all.toArray(String[]::new));
    }
}
