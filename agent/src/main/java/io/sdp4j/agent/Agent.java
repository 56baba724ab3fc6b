package io.sdp4j.agent;

import java.net.SocketImplFactory;
import java.util.Map;

/** The wiring. */
public final class Agent {
    private Agent() {}

    public static SocketImplFactory[] start(Map<String, String> options) {
        io.sdp4j.agent.log.LogSink.configure("info", "");
        if (options.containsKey("hello")) {
            org.slf4j.LoggerFactory.getLogger(Agent.class).info("hello {}", options);
        }
        throw new IllegalStateException("not wired");
    }

    public static void report(String file) {}
}
