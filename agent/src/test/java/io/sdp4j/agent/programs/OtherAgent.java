package io.sdp4j.agent.programs;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.spi.SelectorProvider;

/**
 * Another vendor's agent: takes a socket factory, wakes the JDK's own SDP switch, or asks for a
 * selector provider.
 */
public final class OtherAgent {
    private OtherAgent() {}

    @SuppressWarnings("deprecation")
    public static void premain(String what, Instrumentation instrumentation)
            throws IOException, ClassNotFoundException {
        switch (what) {
            case "client" -> Socket.setSocketImplFactory(OtherAgent::none);
            case "server" -> ServerSocket.setSocketFactory(OtherAgent::none);
            case "nethooks" -> Class.forName("sun.net.NetHooks", true, null);
            case "selector" -> SelectorProvider.provider();
            default -> throw new IllegalArgumentException(what);
        }
    }

    private static java.net.SocketImpl none() {
        throw new UnsupportedOperationException("the other agent's factory");
    }
}
