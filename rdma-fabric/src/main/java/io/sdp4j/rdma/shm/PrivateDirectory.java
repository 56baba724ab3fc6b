package io.sdp4j.rdma.shm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A rendezvous directory that is held open, and was ours alone when it was opened. All work on what
 * is in it goes through what is held, so whatever happens to its name, or to a link on the way,
 * leads nowhere else. Names are single components.
 */
abstract class PrivateDirectory implements AutoCloseable {
    /** Nobody but the owner may do anything. */
    static final int PRIVATE = 0700;

    /**
     * What a name stands for, links not followed.
     *
     * @param own whether it belongs to our user
     * @param identity equal for the same file only
     */
    record Entry(
            boolean socket,
            boolean regularFile,
            boolean own,
            Object identity,
            long modifiedMillis) {}

    /** How the directory was found, for messages and for keys. */
    abstract Path path();

    /** What socket calls need to reach {@code name}; good while this is open. */
    abstract Path address(String name);

    /** What {@code name} stands for, or null. */
    abstract Entry look(String name);

    abstract List<String> names() throws IOException;

    abstract void remove(String name) throws IOException;

    /** Renames, over what has the new name already. */
    abstract void rename(String from, String to) throws IOException;

    /** Renames unless the new name is taken; whether it did. */
    abstract boolean renameIfFree(String from, String to);

    @Override
    public abstract void close();
}
