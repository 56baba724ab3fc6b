package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.NetServer;

/**
 * The answering JVM: {@code AppsServer PROGRAM} prints {@code READY PORT,PID} and serves until its
 * standard input ends.
 */
public final class AppsServer {
    private AppsServer() {}

    /** Serves until standard input ends, and ends the JVM. */
    public static void main(String[] args) throws Exception {
        int port = App.named(args[0]).serve();
        System.out.println("READY " + port + "," + ProcessHandle.current().pid());
        NetServer.untilInputEnds();
    }
}
