package io.sdp4j.e2e;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.h2.tools.Server;

/** H2's own TCP server on a free port, which it says as the tests want it said. */
public final class H2Server {
    private H2Server() {}

    /** Starts the server; {@code args} are H2's. */
    public static void main(String[] args) throws SQLException {
        String[] all =
                Stream.concat(Stream.of("-tcpPort", "0"), Arrays.stream(args))
                        .toArray(String[]::new);
        System.out.println("READY " + Server.createTcpServer(all).start().getPort());
    }
}
