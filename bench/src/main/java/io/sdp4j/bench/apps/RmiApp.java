package io.sdp4j.bench.apps;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.net.ServerSocket;
import java.rmi.NotBoundException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.concurrent.atomic.AtomicInteger;

/** RMI: calls whose bytes come back, which have a connection each while they are under way. */
final class RmiApp implements App {
    private static final String NAME = "echo";

    /** Objects that nothing else refers to could be collected. */
    private static Registry registry;

    private static Echo exported;

    /** The remote object. */
    interface Echo extends Remote {
        byte[] echo(byte[] bytes) throws RemoteException;
    }

    @Override
    public int serve() throws IOException {
        System.setProperty("java.rmi.server.hostname", Place.here().getHostAddress());
        AtomicInteger port = new AtomicInteger();
        registry =
                LocateRegistry.createRegistry(
                        0,
                        null,
                        wanted -> {
                            ServerSocket listener = new ServerSocket(wanted);
                            port.set(listener.getLocalPort());
                            return listener;
                        });
        exported = bytes -> bytes;
        registry.rebind(NAME, UnicastRemoteObject.exportObject(exported, 0));
        return port.get();
    }

    @Override
    public void load(int port, int bytes, int atOnce, Tally tally)
            throws IOException, NotBoundException {
        Echo echo =
                (Echo) LocateRegistry.getRegistry(Place.here().getHostAddress(), port).lookup(NAME);
        byte[] request = new byte[bytes];
        for (int i = 0; i < atOnce; i++) {
            tally.repeat(() -> call(echo, request));
        }
    }

    private static void call(Echo echo, byte[] request) throws RemoteException {
        byte[] answer = echo.echo(request);
        if (answer.length != request.length) {
            throw new RemoteException(answer.length + " bytes came back");
        }
    }
}
