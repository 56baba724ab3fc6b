package io.sdp4j.agent.plugin;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/**
 * A protocol of a plug-in. It is asked only where the rule means it, and its faults while
 * connections are set up are failures of this protocol alone; also those of one that was built for
 * another version. It is asked in a kernel scope: a socket that it opens to set a connection up
 * would otherwise lead to it again.
 */
record PluginProtocol(String name, OffloadProvider plugin) implements OffloadProvider {
    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        if (spec.socket() >= 0 && !moves(spec.remote().getAddress(), spec.fabrics())) {
            throw new OffloadUnavailable(ReasonCode.NO_PROVIDER, name + " moves no connection");
        }
        checkMeant(spec.fabrics());
        try {
            return KernelSockets.<OffloadStream, OffloadUnavailable>call(
                    () -> plugin.connect(spec));
        } catch (RuntimeException | LinkageError e) {
            throw failed(e);
        }
    }

    @Override
    public boolean moves(InetAddress remote, List<String> fabrics) {
        return asked(() -> isMeant(fabrics) && plugin.moves(remote, fabrics), false);
    }

    @Override
    public boolean listensLater(List<String> fabrics) {
        return asked(() -> !isMeant(fabrics) || plugin.listensLater(fabrics), false);
    }

    @Override
    public boolean rehearses(List<String> fabrics) {
        return asked(() -> isMeant(fabrics) && plugin.rehearses(fabrics), false);
    }

    @Override
    public int choosePort(List<String> fabrics, Supplier<InetSocketAddress> free) {
        return asked(() -> isMeant(fabrics) ? plugin.choosePort(fabrics, free) : 0, 0);
    }

    private static <T> T asked(Supplier<T> question, T otherwise) {
        try {
            return KernelSockets.call(question::get);
        } catch (RuntimeException | LinkageError e) {
            return otherwise; // connect or listen says why
        }
    }

    @Override
    public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
        checkMeant(spec.fabrics());
        try {
            return KernelSockets.<OffloadListener, OffloadUnavailable>call(
                    () -> plugin.listen(spec));
        } catch (RuntimeException | LinkageError e) {
            throw failed(e);
        }
    }

    private boolean isMeant(List<String> fabrics) {
        return fabrics.isEmpty() || fabrics.contains(name);
    }

    private void checkMeant(List<String> fabrics) throws OffloadUnavailable {
        if (!isMeant(fabrics)) {
            throw new OffloadUnavailable(
                    ReasonCode.NO_PROVIDER, "the rule names " + fabrics + ", not " + name);
        }
    }

    private OffloadUnavailable failed(Throwable e) {
        return new OffloadUnavailable(
                ReasonCode.INTERNAL, "the plug-in of " + name + " failed: " + e, false, e);
    }
}
