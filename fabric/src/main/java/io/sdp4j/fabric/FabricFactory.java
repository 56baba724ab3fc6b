package io.sdp4j.fabric;

import java.net.InetAddress;

/**
 * A fabric that is not part of sdp4j: the service that a plug-in provides. Made when the plug-in is
 * loaded, so its constructor does nothing. Thread-safe.
 */
public interface FabricFactory {
    /**
     * The name that rules and reports use, the same as {@link Fabric#name}: ASCII letters, digits,
     * {@code _} and {@code -}.
     */
    String name();

    /**
     * Whether the fabric may lead to an address. Asked before {@link #open} and for each
     * connection: must be quick, and sends nothing.
     */
    boolean reaches(InetAddress remote);

    /**
     * Opens the fabric, once in a process, when it is first needed.
     *
     * @throws FabricException if it cannot be used here
     */
    Fabric open() throws FabricException;
}
