package io.sdp4j.bench.nio;

import io.sdp4j.bench.net.Commands;
import io.sdp4j.bench.net.Link;
import io.sdp4j.bench.net.LinkWork;
import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.util.List;

/**
 * The measuring JVM of the benchmark of channels: {@code NioClient PORTS}, then {@link Commands}:
 *
 * <ul>
 *   <li>{@code channel-echo SIZE PAIRS WARM_MS MEASURE_MS}, {@code selector-echo} likewise: {@link
 *       LinkWork#echo} with channels that block, or that have a selector each;
 *   <li>{@code selector-sink SIZE WARM_MS MEASURE_MS}: {@link LinkWork#sink}, {@code file-sink}
 *       likewise from a {@link FileLink};
 *   <li>{@code crowd IDLE WARM_MS MEASURE_MS}: {@link Crowd};
 *   <li>{@code netty SIZE CONNECTIONS DEPTH WARM_MS MEASURE_MS}: {@link NettyLoad};
 *   <li>{@code http THREADS WARM_MS MEASURE_MS}: {@link HttpLoad}.
 * </ul>
 */
public final class NioClient implements Commands.Handler {
    private final LinkWork channels;
    private final LinkWork selectors;
    private final LinkWork files;
    private final Crowd crowd;
    private final NettyLoad netty;
    private final HttpLoad http;

    private NioClient(Ports ports) throws IOException {
        channels =
                new LinkWork(
                        () -> new Link.ChannelLink(Ports.connect(Place.here(), ports.channels())));
        selectors =
                new LinkWork(
                        () ->
                                new SelectorLink(
                                        Ports.connect(Place.here(), ports.selectors()), List.of()));
        files = new LinkWork(() -> new FileLink(Ports.connect(Place.here(), ports.selectors())));
        crowd = new Crowd(ports);
        netty = new NettyLoad(ports);
        http = new HttpLoad(ports);
    }

    public static void main(String[] args) throws IOException {
        Commands.obey(new NioClient(Ports.parse(args[0])));
    }

    @Override
    public String obey(String command, int[] n) throws Exception {
        return switch (command) {
            case "channel-echo" -> channels.echo(n[0], n[1], n[2], n[3]);
            case "selector-echo" -> selectors.echo(n[0], n[1], n[2], n[3]);
            case "selector-sink" -> selectors.sink(n[0], n[1], n[2]);
            case "file-sink" -> files.sink(n[0], n[1], n[2]);
            case "crowd" -> crowd.measure(n[0], n[1], n[2]);
            case "netty" -> netty.measure(n[0], n[1], n[2], n[3], n[4]);
            case "http" -> http.measure(n[0], n[1], n[2]);
            default -> throw new IOException("unknown command " + command);
        };
    }
}
