package io.sdp4j.bench.jmh;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.Main;

/**
 * JMH with the gc profiler on, for the benchmarks of this package. Arguments are JMH's own, and
 * {@code --agent JAR}: run with this agent.
 */
public final class JmhMain {
    private JmhMain() {}

    public static void main(String[] args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        int agent = all.indexOf("--agent");
        if (agent >= 0) {
            all.remove(agent);
            Path jar = Path.of(all.remove(agent)).toAbsolutePath();
            all.addAll(List.of("-jvmArgsAppend", "-javaagent:" + jar));
        }
        if (!all.contains("-prof")) {
            all.addAll(List.of("-prof", "gc"));
        }
        Main.main(all.toArray(String[]::new));
    }
}
