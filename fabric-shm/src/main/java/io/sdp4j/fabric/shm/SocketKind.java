package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import java.io.IOException;
import java.nio.file.Path;

/** How Unix-domain sockets are made here: as raw descriptors, or as JDK channels. */
interface SocketKind {
    /**
     * Connects to the listener behind {@code path} without waiting.
     *
     * @param ifDead run if there is a name, but no process behind it
     * @return null if there is no listener
     * @throws FabricException if there is one, but it cannot be reached now
     */
    PeerSocket connect(Path path, Runnable ifDead) throws FabricException;

    /** Whether {@code path} is a socket without a process. */
    boolean isDead(Path path);

    /** Listens at {@code path}. */
    Listening listen(Path path, Taker taker) throws IOException;

    /** Told on the event thread. */
    interface Taker {
        /** Whether to take the next connection; if not, all wait until {@link Listening#resume}. */
        boolean mayCome();

        /** After {@link #mayCome}. */
        void take(PeerSocket link);

        /** After {@link #mayCome}, when no connection had come. */
        void noneCame();
    }

    /** A socket that listens; result of {@link #listen}. */
    interface Listening {
        /** On the event thread: asks again whether connections may come. */
        void resume();

        /** Any thread. */
        void close();
    }
}
