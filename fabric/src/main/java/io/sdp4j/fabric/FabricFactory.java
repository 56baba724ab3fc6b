package io.sdp4j.fabric;

import java.net.InetAddress;

/**
 * Opens a fabric that is not part of sdp4j: the service that a plug-in provides. The instance is
 * made when the plug-in is loaded, so its constructor does nothing. Thread-safe.
 */
public interface FabricFactory {
    /**
     * The name that rules and reports use, the same as {@link Fabric#name}: ASCII letters, digits,
     * {@code _} and {@code -}.
     */
    String name();

    /**
     * Whether the fabric may lead to an address. Called before {@link #open} and for each
     * connection, so it must be quick and sends nothing.
     */
    boolean reaches(InetAddress remote);

    /**
     * Opens the fabric. Called when the fabric is first needed; again, ten seconds later at the
     * earliest, only after it lacked resources. Called in a kernel scope, as are {@link
     * Fabric#connect} and {@link Fabric#listen}: sockets that are opened there are the kernel's.
     *
     * @throws FabricException if it cannot be used here
     */
    Fabric open() throws FabricException;
}
