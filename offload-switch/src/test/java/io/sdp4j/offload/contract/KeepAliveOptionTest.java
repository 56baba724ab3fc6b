package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.KernelSocketSource;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a stream is told of SO_KEEPALIVE, whichever way it is set. Method: a provider that notes
 * what its streams are told.
 */
@Timeout(60)
class KeepAliveOptionTest implements OffloadProvider {
    private final LoopbackProvider loopback = new LoopbackProvider();
    private final List<Boolean> told = new CopyOnWriteArrayList<>();

    private Object call(OffloadStream stream, Method method, Object[] args) throws Throwable {
        if (method.getName().equals("keepAlive")) {
            told.add((Boolean) args[0]);
        }
        try {
            return method.invoke(stream, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public String name() {
        return loopback.name();
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        OffloadStream stream = loopback.connect(spec);
        return (OffloadStream)
                Proxy.newProxyInstance(
                        OffloadStream.class.getClassLoader(),
                        new Class<?>[] {OffloadStream.class},
                        (self, method, args) -> call(stream, method, args));
    }

    @Override
    public OffloadListener listen(ListenSpec spec) {
        return loopback.listen(spec);
    }

    @Test
    void aStreamIsToldOfBothForms() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(this),
                        Patience.SETTINGS,
                        KernelSocketSource.JDK,
                        null);
        try (ServerSocket listener = SwitchedSockets.serverSocket(owner);
                Socket socket = SwitchedSockets.socket(owner)) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            socket.connect(listener.getLocalSocketAddress());
            socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            assertEquals(List.of(true), told);
            socket.setKeepAlive(false);
            assertEquals(List.of(true, false), told);
        }
    }
}
