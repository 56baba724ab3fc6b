package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.samples.HttpsClient;
import io.sdp4j.samples.HttpsServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Goal and method: those of {@link ApplicationsIT}, with HTTP over TLS. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpsIT extends Comparison {
    /** Also 100 MB of TLS in each direction. */
    @ParameterizedTest
    @EnumSource
    @DisplayName("33: TLS, 100 MB each way")
    void https(Ends ends) throws Exception {
        Path keys = keys();
        Application application =
                new Application() {
                    @Override
                    public Child server(boolean agent) throws Exception {
                        return sample(
                                agent,
                                HttpsServer.class,
                                List.of(),
                                "--keystore",
                                keys.toString(),
                                "--password",
                                "changeit");
                    }

                    @Override
                    public Child client(boolean agent, String port) throws Exception {
                        return sample(
                                agent,
                                HttpsClient.class,
                                List.of(
                                        "-Djavax.net.ssl.trustStore=" + keys,
                                        "-Djavax.net.ssl.trustStorePassword=changeit"),
                                "--port",
                                port,
                                "--large",
                                "100000000");
                    }
                };
        same("https", application, ends, false);
        assertEquals("true", EXPECTED.get("https").get("post_correct"));
    }
}
