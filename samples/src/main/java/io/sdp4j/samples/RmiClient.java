package io.sdp4j.samples;

import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.UnicastRemoteObject;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * Calls the {@link Ledger} of an {@link RmiServer}, lets it call back, and stops it.
 *
 * <p>Options: {@code --host} (default 127.0.0.1), {@code --port} of the registry, {@code --calls}
 * to make (default 1000).
 */
public final class RmiClient {
    private RmiClient() {}

    /** Calls, prints what came back, stops the server. */
    public static void main(String[] args) throws RemoteException, NotBoundException {
        Options options = Options.parse(args, "host", "port", "calls");
        String host = options.text("host", "127.0.0.1");
        int calls = options.number("calls", 1000);
        System.setProperty("java.rmi.server.hostname", host);

        Ledger ledger =
                (Ledger)
                        LocateRegistry.getRegistry(host, options.number("port", 1099))
                                .lookup("ledger");
        long total = 0;
        for (int i = 0; i < calls; i++) {
            total += ledger.sum(new long[] {i, 1});
        }
        System.out.println("small_calls_total=" + total);
        System.out.println("large_call=" + ledger.sum(LongStream.range(0, 100_000).toArray()));

        AtomicLong counted = new AtomicLong();
        Ledger.Listener listener = counted::addAndGet;
        ledger.count(100, (Ledger.Listener) UnicastRemoteObject.exportObject(listener, 0));
        UnicastRemoteObject.unexportObject(listener, true);
        System.out.println("called_back=" + counted);

        try {
            ledger.fail("as asked");
            System.out.println("failure=none");
        } catch (IllegalStateException remote) {
            System.out.println("failure=" + remote.getMessage());
        }
        ledger.stop();
    }
}
