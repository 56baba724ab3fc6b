package io.sdp4j.samples;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** Interface of {@link RmiServer} for remote callers. */
public interface Ledger extends Remote {
    /** Adds {@code amounts} up, at the server. */
    long sum(long[] amounts) throws RemoteException;

    /** Calls {@code listener} back once for each number below {@code count}, then returns. */
    void count(int count, Listener listener) throws RemoteException;

    /** Always throws {@link IllegalStateException} with {@code message}. */
    void fail(String message) throws RemoteException;

    /** Ends the server. */
    void stop() throws RemoteException;

    /** Interface that a client exports to be called back. */
    interface Listener extends Remote {
        /** One number has been counted. */
        void onCounted(int number) throws RemoteException;
    }
}
