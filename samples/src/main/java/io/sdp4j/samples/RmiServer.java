package io.sdp4j.samples;

import java.io.IOException;
import java.net.ServerSocket;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An RMI registry with a {@link Ledger} in it, until a client calls {@link Ledger#stop}.
 *
 * <p>Options: {@code --host} the name clients reach this host by (default 127.0.0.1), {@code
 * --port} of the registry (0 takes a free one).
 */
public final class RmiServer implements Ledger {
    private final CountDownLatch stopped = new CountDownLatch(1);

    private RmiServer() {}

    /** Exports the ledger, prints {@code READY port}, waits to be stopped. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Options options = Options.parse(args, "host", "port");
        // Stubs carry this name; the default would be whatever the host calls itself.
        System.setProperty("java.rmi.server.hostname", options.text("host", "127.0.0.1"));
        RmiServer ledger = new RmiServer();
        AtomicInteger port = new AtomicInteger();
        Registry registry =
                LocateRegistry.createRegistry(
                        options.number("port", 0),
                        null,
                        wanted -> {
                            ServerSocket listener = new ServerSocket(wanted);
                            port.set(listener.getLocalPort());
                            return listener;
                        });
        registry.rebind("ledger", UnicastRemoteObject.exportObject(ledger, 0));
        System.out.println("READY " + port);
        ledger.stopped.await();
        while (!UnicastRemoteObject.unexportObject(ledger, false)) {
            Thread.sleep(5); // the call of stop() is still being answered
        }
        UnicastRemoteObject.unexportObject(registry, true);
    }

    @Override
    public long sum(long[] amounts) {
        return Arrays.stream(amounts).sum();
    }

    @Override
    public void count(int count, Listener listener) throws RemoteException {
        for (int i = 0; i < count; i++) {
            listener.onCounted(i);
        }
    }

    @Override
    public void fail(String message) {
        throw new IllegalStateException(message);
    }

    @Override
    public void stop() {
        stopped.countDown();
    }
}
