package io.sdp4j.fabric;

import java.io.IOException;

/**
 * A fabric could not do what was asked. {@link #why()} is stable and meant for programs. The
 * message is meant for people: the fault, its cause, and the user's remedy.
 */
public final class FabricException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why, in one stable word. */
    public enum Cause {
        /**
         * Native access, a system call or a file needed by the fabric is not available in this JVM.
         */
        UNAVAILABLE,
        /** The listener has no room for another request at the moment. */
        BUSY,
        /** No listener serves this address on this fabric. */
        NO_LISTENER,
        /**
         * No listener serves this address on this fabric, but the kernel has a listener there, of a
         * process that may be about to offer it on this fabric.
         */
        NOT_OFFERED,
        /** The peer said no; its private data may say why. */
        REFUSED,
        /** The peer has not accepted the kernel's connection that is to move. */
        NOT_ACCEPTED,
        /** No answer in time. */
        TIMED_OUT,
        /**
         * The time was over, but this side used most of it, so the failure says nothing about the
         * peer.
         */
        NOT_READY,
        /** The peer speaks another version. */
        VERSION,
        /**
         * The process behind the rendezvous does not own the port, or is of a user we do not trust.
         */
        UID,
        /** A limit of memory or descriptors was reached. */
        RESOURCES,
        /** One end wants more buffers than the other allows. */
        BUFFERS,
        /** The peer broke the rules of the fabric's own hand-shake. */
        PROTOCOL,
        /** The address is taken on this fabric. */
        IN_USE,
        /** The fabric, listener or queue pair was closed during the attempt. */
        CLOSED,
        /** The connection is not wanted any more. */
        ABANDONED
    }

    private final Cause why;
    private final transient byte[] privateData;

    /**
     * @param privateData what the peer sent with its refusal; empty if nothing
     */
    public FabricException(Cause why, String message, byte[] privateData, Throwable cause) {
        super(message, cause);
        this.why = why;
        this.privateData = privateData.clone();
    }

    public FabricException(Cause why, String message) {
        this(why, message, new byte[0], null);
    }

    public FabricException(Cause why, String message, Throwable cause) {
        this(why, message, new byte[0], cause);
    }

    /**
     * Records no stack trace: most of these exceptions say "use the kernel" during an ordinary
     * connect, where a stack trace costs more than the attempt. {@link #getCause()} has one where
     * something broke.
     */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    public Cause why() {
        return why;
    }

    /** Private data of the peer's refusal; empty if none. */
    public byte[] privateData() {
        return privateData == null ? new byte[0] : privateData.clone();
    }
}
