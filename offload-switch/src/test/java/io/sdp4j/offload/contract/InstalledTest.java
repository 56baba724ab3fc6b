package io.sdp4j.offload.contract;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
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
    void noAccess() throws Exception {
        ChildJvm.run(List.of(), "noAccess");
    }
}
