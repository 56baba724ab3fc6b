package io.sdp4j.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.resolver.NameResolver;
import io.netty.util.concurrent.EventExecutor;
import io.sdp4j.bench.apps.AppsClient;
import io.sdp4j.bench.apps.AppsServer;
import io.sdp4j.bench.cold.ColdClient;
import io.sdp4j.bench.cold.ColdServer;
import io.sdp4j.bench.net.AsyncPeers;
import io.sdp4j.bench.net.NetClient;
import io.sdp4j.bench.net.NetServer;
import io.sdp4j.bench.nio.NioClient;
import io.sdp4j.bench.nio.NioServer;
import java.util.List;

/**
 * Rows that are measured together, and the two programs that do it.
 *
 * @param id the word on the command line
 * @param listens what the answering program is told to listen with
 * @param libraries one class of each that the programs need
 * @param server the answering program
 * @param client the measuring program
 */
record Suite(
        String id,
        String listens,
        List<Row> rows,
        List<Class<?>> libraries,
        Class<?> server,
        Class<?> client) {
    /** Blocking sockets. */
    static final Suite NET =
            new Suite("net", "both", Row.ALL, List.of(), NetServer.class, NetClient.class);

    /** Channels, selectors, Netty and HTTP. */
    static final Suite NIO =
            new Suite(
                    "nio",
                    "tcp",
                    NioRows.ALL,
                    List.of(Channel.class, ByteBuf.class, EventExecutor.class, NameResolver.class),
                    NioServer.class,
                    NioClient.class);

    /** Over an RDMA device. */
    static final Suite VERBS =
            new Suite("verbs", "both", VerbsRows.ALL, List.of(), NetServer.class, NetClient.class);

    /** The first seconds of fresh JVMs. */
    static final Suite COLD =
            new Suite("cold", "tcp", ColdRows.ALL, List.of(), ColdServer.class, ColdClient.class);

    /** Applications in fresh JVMs; they need more libraries than can be listed. */
    static final Suite APPS =
            new Suite("apps", "", AppsRows.ALL, List.of(), AppsServer.class, AppsClient.class);

    /** Asynchronous channels with large direct buffers. */
    static final Suite ZCOPY =
            new Suite(
                    "zcopy", "serve", ZcopyRows.ALL, List.of(), AsyncPeers.class, AsyncPeers.class);

    static final List<Suite> ALL = List.of(NET, NIO, VERBS, COLD, APPS, ZCOPY);

    /** The same for one row: which program, or which of its kinds, if there are more. */
    String listens(Row row) {
        if (equals(APPS)) {
            return row.work().split(" ", 2)[0];
        }
        return row.work().equals(ColdRows.CONNECTS) ? "selector" : listens;
    }

    /** Whether each slice has JVMs of its own, started as a user starts them. */
    boolean isCold() {
        return equals(COLD) || equals(APPS);
    }

    /** Default time for which its rows are measured. */
    Times usualTimes() {
        return equals(APPS) ? Times.APPS : isCold() ? Times.COLD : Times.FULL;
    }

    /** The answering program, for {@link Launch}. */
    Launch.Program serverProgram() {
        return program(server);
    }

    /** The measuring program, likewise. */
    Launch.Program clientProgram() {
        return program(client);
    }

    private Launch.Program program(Class<?> main) {
        return equals(APPS)
                ? Launch.Program.withEverything(main)
                : Launch.Program.of(main, libraries);
    }

    /** The row of that name. */
    Row row(String wanted) {
        return rows.stream()
                .filter(row -> row.id().equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row " + wanted));
    }
}
