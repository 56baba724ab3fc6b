package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.HttpVisitor;
import io.sdp4j.e2e.programs.JdkHttp;
import io.sdp4j.e2e.programs.JettyHttp;
import io.sdp4j.e2e.programs.NettyEcho;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: servers and clients on channels and selectors do not notice the agent, and a plain TCP
 * client is served on the same port at the same time.
 */
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChannelApplicationsIT extends Comparison {
    private Child program(boolean agent, Class<?> main, String... args) throws Exception {
        return jvms.java(
                main.getSimpleName(),
                agent,
                List.of("-Dio.netty.transport.noNative=true"),
                programs(),
                main.getName(),
                args);
    }

    /** A server with {@code /bytes/N}, asked by HttpClient, and meanwhile by curl. */
    private final class Http implements Application {
        private final Class<?> main;
        private final String[] keys;

        Http(Class<?> main, String... keys) {
            this.main = main;
            this.keys = keys;
        }

        @Override
        public Child server(boolean agent) throws Exception {
            return program(agent, main, keys);
        }

        @Override
        public Child client(boolean agent, String port) throws Exception {
            List<String> args = new ArrayList<>(List.of(port));
            args.addAll(List.of(keys));
            return program(agent, HttpVisitor.class, args.toArray(String[]::new));
        }

        @Override
        public int meanwhile(String port) throws Exception {
            String scheme = keys.length > 0 ? "https" : "http";
            Child curl =
                    jvms.start(
                            "curl",
                            List.of(
                                    "curl",
                                    "-sSk",
                                    "--max-time",
                                    "30",
                                    "-w",
                                    "\nlength=%{size_download}\n",
                                    "-o",
                                    "/dev/null",
                                    scheme + "://127.0.0.1:" + port + "/bytes/123456"),
                            null);
            assertEquals("123456", curl.results().get("length"), curl::toString);
            return 1;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("76: the JDK's HttpServer and HttpClient")
    void jdkHttp(Ends ends) throws Exception {
        same("jdkHttp", new Http(JdkHttp.class), ends, false);
        assertEquals("true", EXPECTED.get("jdkHttp").get("right"));
    }

    @ParameterizedTest
    @EnumSource
    void jdkHttps(Ends ends) throws Exception {
        same("jdkHttps", new Http(JdkHttp.class, keys().toString()), ends, false);
        assertEquals("true", EXPECTED.get("jdkHttps").get("right"));
    }

    /** Jetty takes the upgrade that HttpClient offers. */
    @ParameterizedTest
    @EnumSource
    @DisplayName("76: Jetty")
    void jettyHttp2(Ends ends) throws Exception {
        same("jettyHttp2", new Http(JettyHttp.class), ends, false);
        assertEquals("true", EXPECTED.get("jettyHttp2").get("right"));
        assertTrue(EXPECTED.get("jettyHttp2").get("versions").contains("HTTP_2"));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("76: Netty with TLS")
    void nettyTls(Ends ends) throws Exception {
        String keys = keys().toString();
        Application application =
                new Application() {
                    @Override
                    public Child server(boolean agent) throws Exception {
                        return program(agent, NettyEcho.class, "server", keys);
                    }

                    @Override
                    public Child client(boolean agent, String port) throws Exception {
                        return program(agent, NettyEcho.class, "client", keys, port);
                    }
                };
        same("nettyTls", application, ends, false);
        assertEquals("true", EXPECTED.get("nettyTls").get("right"));
    }
}
