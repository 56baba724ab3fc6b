package io.sdp4j.stream;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.FabricResolver;
import io.sdp4j.resolve.HostResolver;
import io.sdp4j.trace.TraceWriter;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Offers SDP streams to the switch: the resolver names the fabrics that may reach a destination,
 * the fabric gives a queue pair, the machine speaks SDP over it.
 *
 * <p>Thread-safe. Starts nothing before its first use.
 */
public final class SdpOffloadProvider implements OffloadProvider {
    private final FabricSet fabrics;
    private final FabricResolver resolver;
    private final DeviceResolver devices;
    private final StreamContext context;
    private final long verbsConnectNanos;
    private final Consumer<String> warnings;

    /** Fabrics whose missing listener was reported. */
    private final Set<String> lostTold = ConcurrentHashMap.newKeySet();

    /**
     * @param devices which {@code resolver} asks; ends with the provider; null = it asks none
     * @param traces where its streams are traced; null = nowhere
     * @param verbsConnectNanos longest time for a connection over an RDMA device where no rule
     *     names one: a peer that drops the connection manager's packets never answers
     * @param warnings takes lines for the operator
     */
    SdpOffloadProvider(
            FabricSet fabrics,
            FabricResolver resolver,
            DeviceResolver devices,
            StreamSettings settings,
            TraceWriter traces,
            EventLoop loop,
            long verbsConnectNanos,
            Consumer<String> warnings) {
        this.warnings = warnings;
        this.fabrics = fabrics;
        this.resolver = resolver;
        this.devices = devices;
        this.context =
                new StreamContext(
                        settings,
                        traces,
                        loop,
                        new SetupThreads(),
                        new IdleTrimmer(loop, settings.quietNanos()),
                        new ViolationLog(warnings, System::nanoTime),
                        new StreamsAtExit(fabrics));
        this.verbsConnectNanos = verbsConnectNanos;
    }

    /**
     * For each fabric, in order of preference, empty text if it can be used, else why not; opens
     * them.
     */
    public Map<String, String> fabricStatus() {
        Map<String, String> status = new LinkedHashMap<>();
        for (String name : fabrics.order(List.of())) {
            try {
                fabrics.get(name);
                status.put(name, "");
            } catch (FabricException e) {
                String why = e.getMessage(); // a plug-in may give none
                status.put(name, why != null && !why.isEmpty() ? why : e.toString());
            }
        }
        return status;
    }

    /** The operator knows already that a fabric cannot be used. */
    public void told(String fabric) {
        lostTold.add(fabric);
    }

    StreamsAtExit atExit() {
        return context.atExit();
    }

    /**
     * Ends connecting and listening. The caller has closed all listeners and streams; the streams
     * still deliver their bytes, and those left when their time is over are cut. Returns at once.
     * Idempotent.
     */
    public void close() {
        fabrics.end();
        context.loop()
                .schedule(
                        () -> {
                            try (devices) { // null is none
                                fabrics.close();
                            } finally {
                                context.atExit().unhook();
                            }
                        },
                        context.settings().closeTimeoutNanos());
    }

    @Override
    public String name() {
        return "sdp";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        OffloadUnavailable last = null;
        boolean first = true;
        List<FabricPath> paths =
                resolver.paths(
                        ActiveOpen.bound(spec.localAddress(), spec.remote()),
                        spec.remote().getAddress());
        for (String name : fabrics.order(spec.fabrics())) {
            if (spec.socket() >= 0 && !name.equals(HostResolver.SHM)) {
                continue; // only shared memory takes over a TCP connection
            }
            FabricPath path = find(paths, name);
            if (path == null || !path.usable()) {
                last = unreachable(path, spec, last);
                continue;
            }
            try {
                return attempt(name, spec, first);
            } catch (OffloadUnavailable e) {
                if (e.reason() == ReasonCode.ABANDONED) {
                    throw e;
                }
                last = e;
            }
            first = false;
        }
        throw last != null ? last : noFabric(spec.fabrics());
    }

    /**
     * The failure if none of the {@code listed} fabrics of a rule can be tried; empty = it lists
     * none.
     */
    private static OffloadUnavailable noFabric(List<String> listed) {
        return new OffloadUnavailable(
                ReasonCode.NO_PROVIDER,
                listed.isEmpty()
                        ? "no fabric is enabled in this JVM"
                        : "no fabric of the rule's list " + listed + " exists here");
    }

    /**
     * @param first whether this is the first fabric, so that the time of the connect began with it
     */
    private OffloadStream attempt(String name, ConnectSpec spec, boolean first)
            throws OffloadUnavailable {
        try {
            Fabric opened = fabrics.opened(name);
            boolean atOnce = first && opened != null && opened.awaitReady(0);
            long before = atOnce ? 0 : System.nanoTime();
            Fabric fabric = fabrics.get(name);
            ConnectSpec within = patient(name, atOnce ? spec : started(fabric, spec, before));
            // A fabric may block in native code, which would pin a virtual thread's carrier.
            return Thread.currentThread().isVirtual()
                    ? context.setup()
                            .call(
                                    within.abandoned(),
                                    givenUp ->
                                            connect(
                                                    fabric,
                                                    within.onBehalf(
                                                            within.localAddress(), givenUp)))
                    : connect(fabric, within);
        } catch (FabricException e) {
            throw Reasons.unavailable(e);
        }
    }

    private static FabricPath find(List<FabricPath> paths, String fabric) {
        for (FabricPath p : paths) {
            if (p.fabric().equals(fabric)) {
                return p;
            }
        }
        return null;
    }

    /**
     * Waits until the fabric is ready. Returns the attempt, moved by the time since {@code before}.
     */
    private static ConnectSpec started(Fabric fabric, ConnectSpec spec, long before)
            throws OffloadUnavailable {
        awaitReady(fabric, spec);
        long now = System.nanoTime();
        return spec.later(now - before, now);
    }

    /** Waits for the fabric's own start. */
    private static void awaitReady(Fabric fabric, ConnectSpec spec) throws OffloadUnavailable {
        if (fabric.awaitReady(0)) {
            return;
        }
        long left = spec.limitNanos() - System.nanoTime();
        while (!fabric.awaitReady(Math.min(left, ConnectRequest.ABANDON_CHECK_NANOS))) {
            if (spec.abandoned().getAsBoolean()) {
                throw new OffloadUnavailable(
                        ReasonCode.ABANDONED, "the caller gave the connection up");
            }
            left = spec.limitNanos() - System.nanoTime();
            if (left <= 0) {
                throw new OffloadUnavailable(
                        ReasonCode.TIMED_OUT,
                        "the fabric " + fabric.name() + " was not ready in time; try again");
            }
        }
    }

    /**
     * Limits the time over an RDMA device, unless a rule gives the time. It begins after the fabric
     * was opened, which is not the peer's fault.
     */
    private ConnectSpec patient(String fabric, ConnectSpec spec) {
        if (!fabric.equals(DeviceResolver.VERBS) || spec.deadlineByRule()) {
            return spec;
        }
        long left = Math.min(spec.deadlineNanos() - spec.askedNanos(), verbsConnectNanos);
        return spec.until(spec.askedNanos() + left);
    }

    /**
     * Returns the reason after a fabric without a path. No path is the weakest reason: an earlier
     * other reason stays, several of this kind are joined.
     */
    private static OffloadUnavailable unreachable(
            FabricPath path, ConnectSpec spec, OffloadUnavailable last) {
        if (last != null && last.reason() != ReasonCode.NOT_LOCAL) {
            return last;
        }
        String why =
                path == null
                        ? spec.remote().getAddress().getHostAddress() + " is not on this host"
                        : path.reason();
        return new OffloadUnavailable(
                ReasonCode.NOT_LOCAL, last == null ? why : last.getMessage() + "; " + why);
    }

    private OffloadStream connect(Fabric fabric, ConnectSpec spec) throws OffloadUnavailable {
        return SdpStream.begin(ActiveOpen.connect(fabric, context, spec), context, fabric);
    }

    @Override
    public int choosePort(List<String> allowed, Supplier<InetSocketAddress> free) {
        for (String name : fabrics.order(allowed)) {
            try {
                int port = fabrics.get(name).choosePort(free);
                if (port != 0) {
                    return port;
                }
            } catch (FabricException e) {
                // listen says why
            }
        }
        return 0;
    }

    @Override
    public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
        SdpListener listener = new SdpListener(spec, context);
        OffloadUnavailable last = null;
        Map<String, String> lost = new LinkedHashMap<>();
        boolean listening = false;
        for (String name : fabrics.order(spec.fabrics())) {
            try {
                listener.listenOn(fabrics.get(name));
                listening = true;
            } catch (FabricException e) {
                last = Reasons.unavailable(e);
                lost.put(name, e.getMessage());
            } catch (RuntimeException | Error e) {
                listener.close();
                throw e;
            }
        }
        if (!listening) {
            throw last != null ? last : noFabric(spec.fabrics());
        }
        if (spec.address().getAddress().isLoopbackAddress()) {
            // no device has that address, and no peer of another host
            lost.remove(DeviceResolver.VERBS);
        }
        lost.forEach((name, why) -> tellLost(spec.address(), name, why));
        return listener;
    }

    /** Warns that peers cannot use that fabric, which nothing else says. */
    private void tellLost(InetSocketAddress listener, String fabric, String why) {
        if (lostTold.add(fabric)) {
            warnings.accept(
                    listener
                            + " does not listen on the fabric "
                            + fabric
                            + ": "
                            + why
                            + " (told once for each fabric)");
        }
    }
}
