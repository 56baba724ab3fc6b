package io.sdp4j.bench.jmh;

import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.Main;

/** JMH with the gc profiler on, for the benchmarks of this package. Arguments are JMH's own. */
public final class JmhMain {
    private JmhMain() {}

    public static void main(String[] args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        if (!all.contains("-prof")) {
            all.addAll(List.of("-prof", "gc"));
        }
        Main.main(all.toArray(String[]::new));
    }
}
