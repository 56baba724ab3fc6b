package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.FabricException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** How Unix-domain sockets are made here: as raw descriptors, or as JDK channels. */
interface SocketKind {
    /**
     * Connects to the listener behind {@code path} without waiting.
     *
     * @param ifDead run if there is a name, but no process behind it
     * @return null if nobody is there
     * @throws FabricException if somebody is, but cannot be reached now
     */
    Link connect(Path path, Runnable ifDead) throws FabricException;

    /** Whether {@code path} is a socket without a process. */
    boolean isDead(Path path);

    /** Listens at {@code path}; {@code taker} gets every connection, on the event thread. */
    Runnable listen(Path path, Consumer<Link> taker) throws IOException;
}
