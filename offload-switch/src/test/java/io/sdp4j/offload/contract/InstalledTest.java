package io.sdp4j.offload.contract;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A switch behind the factories of a whole JVM. */
class InstalledTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "everyWayIn",
                "implAccept",
                "tls",
                "http",
                "kernelScope",
                "socks",
                "socksAndOnlyOffload",
                "selector",
                "garbage",
                "twoCopies"
            })
    @DisplayName(
            "1, 30, 31, 32, 33, 35: every way to a socket in a JVM with the factories installed")
    void scenario(String name) throws Exception {
        ChildJvm.run(ChildJvm.ACCESS, name);
    }

    @Test
    void proxyInDoubt(@TempDir Path folder) throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.9 unknown\n");
        List<String> args = new ArrayList<>(ChildJvm.ACCESS);
        args.add("-Djdk.net.hosts.file=" + hosts);
        ChildJvm.run(args, "proxyInDoubt");
    }

    @Test
    void commonPool() throws Exception {
        List<String> args = new ArrayList<>(ChildJvm.ACCESS);
        args.add("-Djava.util.concurrent.ForkJoinPool.common.parallelism=0");
        ChildJvm.run(args, "commonPool");
    }

    @Test
    void noAccess() throws Exception {
        ChildJvm.run(List.of(), "noAccess");
    }
}
