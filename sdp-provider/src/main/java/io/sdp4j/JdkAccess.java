package io.sdp4j;

import io.sdp4j.offload.OffloadSwitch;
import java.util.List;
import java.util.Optional;

/** Says how a program that uses the public API is to be started. Stateless. */
final class JdkAccess {
    private static final List<String> OPENED =
            List.of("java.net", "sun.nio.ch", "java.nio.channels.spi");

    private JdkAccess() {}

    /**
     * @param problem the answer of a self-test; empty if it has found nothing
     * @throws IllegalStateException with one sentence for people: the options that give the access
     *     which is missing; or, if Java has been given them, the problem
     */
    static void require(Optional<String> problem) {
        if (problem.isPresent()) {
            Module user = OffloadSwitch.class.getModule();
            throw new IllegalStateException(given(user) ? problem.get() : options(user));
        }
    }

    private static boolean given(Module user) {
        Module jdk = Object.class.getModule();
        for (String name : OPENED) {
            if (!jdk.isOpen(name, user)) {
                return false;
            }
        }
        return true;
    }

    private static String options(Module user) {
        boolean modules = user.isNamed();
        String to = "=" + (modules ? user.getName() : "ALL-UNNAMED");
        StringBuilder text =
                new StringBuilder(
                                "sdp4j's API needs access to packages of the JDK; start Java with")
                        .append(" --enable-native-access=")
                        .append(modules ? "io.sdp4j.linux,io.sdp4j.fabric.verbs" : "ALL-UNNAMED");
        for (String name : OPENED) {
            text.append(" --add-opens java.base/").append(name).append(to);
        }
        return text.append(" --add-exports java.base/sun.nio.ch").append(to).toString();
    }
}
