package io.sdp4j.fabric.shm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/**
 * A rendezvous directory that is held open, and was ours alone when it was opened. All work on what
 * is in it goes through what is held, so whatever happens to its name, or to a link on the way,
 * leads nowhere else. Names are single components.
 */
abstract class PrivateDirectory implements AutoCloseable {
    /** Access for the owner only. */
    static final int PRIVATE = 0700;

    static final Set<OpenOption> NEW =
            Set.of(
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE_NEW,
                    LinkOption.NOFOLLOW_LINKS);
    static final Set<OpenOption> THERE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    static final FileAttribute<Set<PosixFilePermission>> OWNERS_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /**
     * The object that a name stands for, links not followed.
     *
     * @param own whether it belongs to our user
     * @param ownersOnly whether its owner alone may read and write it
     * @param identity equal for the same file only
     */
    record Entry(
            boolean socket,
            boolean regularFile,
            boolean own,
            boolean ownersOnly,
            Object identity,
            long modifiedMillis) {}

    /** How the directory was found, for messages and for keys. */
    abstract Path path();

    /** Path by which socket calls reach {@code name}; valid while this is open. */
    abstract Path address(String name);

    /** The object that {@code name} stands for, or null. */
    abstract Entry look(String name);

    abstract List<String> names() throws IOException;

    /** A new file, its owner's alone, to read and write. */
    abstract FileChannel create(String name) throws IOException;

    /** Opens the file {@code name} to read and write; no link is followed. */
    abstract FileChannel open(String name) throws IOException;

    /**
     * Removes {@code name}.
     *
     * @throws IOException also if that is nothing that we make under such a name
     */
    final void remove(String name) throws IOException {
        requireOurs(name, look(name));
        unlink(name);
    }

    /**
     * Renames, over what we have made under the new name.
     *
     * @throws IOException also if the new name stands for anything else
     */
    final void rename(String from, String to) throws IOException {
        Entry there = look(to);
        if (there != null) {
            requireOurs(to, there);
        }
        move(from, to);
    }

    private void requireOurs(String name, Entry entry) throws IOException {
        if (!Rendezvous.ours(name, entry)) {
            throw new IOException(path().resolve(name) + " is nothing that we have made");
        }
    }

    abstract void unlink(String name) throws IOException;

    abstract void move(String from, String to) throws IOException;

    /** Renames unless the new name is taken; whether it did. */
    abstract boolean renameIfFree(String from, String to);

    @Override
    public abstract void close();
}
