package io.sdp4j.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Key stores that the JDK's own tool makes. */
public final class KeyStores {
    public static final String PASSWORD = "changeit";

    private KeyStores() {}

    /** Makes one with a self-signed certificate for the loopback address; PKCS #12. */
    public static void generate(Path file) throws IOException, InterruptedException {
        String options =
                "-genkeypair -alias server -keyalg EC -dname CN=localhost"
                        + " -ext SAN=DNS:localhost,IP:127.0.0.1 -storetype PKCS12 -storepass "
                        + PASSWORD;
        List<String> command = new ArrayList<>(List.of(options.split(" ", -1)));
        command.addFirst(JvmCommand.java().resolveSibling("keytool").toString());
        command.addAll(List.of("-keystore", file.toString()));
        Process keytool =
                JvmCommand.clean(new ProcessBuilder(command))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try {
            if (!keytool.waitFor(60, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IllegalStateException("keytool failed");
            }
        } finally {
            keytool.destroyForcibly();
        }
    }
}
