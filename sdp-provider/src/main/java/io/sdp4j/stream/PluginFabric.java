package io.sdp4j.stream;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.fabric.Capabilities;
import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricFactory;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.FabricResolver;
import io.sdp4j.resolve.PathCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Wraps the fabric of a plug-in. Its exceptions while connections are set up become failures of
 * this fabric alone, so that other fabrics are tried; so do the linkage errors of a plug-in that
 * was built for another version. Closing it never fails, so that other fabrics are closed, too.
 *
 * <p>A plug-in is asked in a kernel scope: a socket that it opens to set a connection up would
 * otherwise lead to the plug-in again.
 */
public final class PluginFabric implements Fabric {
    private final Fabric fabric;
    private final String name;
    private final Capabilities capabilities;

    static PluginFabric open(FabricFactory plugin) throws FabricException {
        return KernelSockets.<PluginFabric, FabricException>call(
                () -> new PluginFabric(plugin.open()));
    }

    /**
     * Reads the name and the capabilities, which cannot fail later; if {@code fabric} throws,
     * closes it and throws the same.
     */
    PluginFabric(Fabric fabric) {
        this.fabric = fabric;
        try {
            name = fabric.name();
            capabilities = fabric.capabilities();
        } catch (RuntimeException | Error e) {
            close(fabric::close);
            throw e;
        }
    }

    /**
     * Returns a resolver that gives the paths of {@code first}, then those over fabrics of
     * plug-ins.
     */
    public static FabricResolver behind(FabricResolver first, List<FabricFactory> plugins) {
        if (plugins.isEmpty()) {
            return first;
        }
        return (local, remote) -> {
            List<FabricPath> all = new ArrayList<>(first.paths(local, remote));
            plugins.forEach(plugin -> all.add(path(plugin, remote)));
            return all;
        };
    }

    private static FabricPath path(FabricFactory plugin, InetAddress remote) {
        String why;
        try {
            if (KernelSockets.call(() -> plugin.reaches(remote))) {
                return FabricPath.usable(plugin.name(), "", 0, 0);
            }
            why = "it does not lead to " + remote.getHostAddress();
        } catch (RuntimeException | LinkageError e) {
            why = "its plug-in failed: " + e;
        }
        return FabricPath.unusable(plugin.name(), PathCode.NOT_LOCAL, why);
    }

    @FunctionalInterface
    private interface Call<T> {
        T run() throws FabricException;
    }

    private <T> T guarded(Call<T> call) throws FabricException {
        try {
            return KernelSockets.<T, FabricException>call(call::run);
        } catch (RuntimeException | LinkageError e) {
            throw new FabricException(
                    FabricException.Cause.UNAVAILABLE,
                    "the plug-in of fabric " + name() + " failed: " + e,
                    e);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public boolean awaitReady(long nanos) {
        try {
            return guarded(() -> fabric.awaitReady(nanos));
        } catch (FabricException e) {
            return true; // connect says why
        }
    }

    @Override
    public Connection connect(ConnectRequest request) throws FabricException {
        return guarded(() -> fabric.connect(request));
    }

    @Override
    public FabricListener listen(ListenRequest request) throws FabricException {
        FabricListener listener = guarded(() -> Objects.requireNonNull(fabric.listen(request)));
        return () -> close(listener::close);
    }

    @Override
    public int choosePort(Supplier<InetSocketAddress> free) {
        try {
            return guarded(() -> fabric.choosePort(free));
        } catch (FabricException e) {
            return 0; // listen says why
        }
    }

    @Override
    public boolean endsWithProcess() {
        try {
            return guarded(fabric::endsWithProcess);
        } catch (FabricException e) {
            return false;
        }
    }

    @Override
    public boolean arrived() {
        try {
            return guarded(fabric::arrived);
        } catch (FabricException e) {
            return true; // there is nothing to wait for
        }
    }

    @Override
    public void close() {
        close(fabric::close);
    }

    private static void close(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException | LinkageError e) {
            // nothing of it is used any more
        }
    }
}
