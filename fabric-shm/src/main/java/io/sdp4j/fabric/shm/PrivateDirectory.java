package io.sdp4j.fabric.shm;

import io.sdp4j.linux.DirectoryFd;
import io.sdp4j.linux.Linux;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A rendezvous directory that is held open, and was accessible to our user only when it was opened.
 * All operations on its entries use the descriptor, so a change of its path, or of a link on the
 * path, has no effect. Names are single components.
 */
final class PrivateDirectory implements AutoCloseable {
    /** Access for the owner only. */
    static final int PRIVATE = 0700;

    private static final int MOST_NAMES = 4096;

    private final Path path;
    private final DirectoryFd fd;
    private final long uid;

    PrivateDirectory(Path path, DirectoryFd fd, long uid) {
        this.path = path;
        this.fd = fd;
        this.uid = uid;
    }

    /**
     * The file that a name stands for. Symbolic links are not followed.
     *
     * @param own whether the file belongs to our user
     * @param identity equal for the same file only
     */
    record Entry(boolean socket, boolean own, Object identity, long modifiedMillis) {}

    private record Identity(long device, long inode) {}

    /** The path by which the directory was found, for messages and for keys. */
    Path path() {
        return path;
    }

    /**
     * Returns a path by which socket calls reach {@code name}; valid while this directory is open.
     */
    Path address(String name) {
        return Path.of(fd.path(name));
    }

    /** Returns the file that {@code name} stands for, or null. */
    Entry look(String name) {
        Linux.FileStatus s = fd.status(name);
        return s == null
                ? null
                : new Entry(
                        s.isSocket(),
                        Integer.toUnsignedLong(s.uid()) == uid,
                        new Identity(s.device(), s.inode()),
                        s.modifiedMillis());
    }

    /** Returns the names in the directory, at most 4,096. */
    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(fd.path("")))) {
            for (Path file : files) {
                names.add(file.getFileName().toString());
                if (names.size() == MOST_NAMES) {
                    break;
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    /**
     * Removes {@code name}.
     *
     * @throws IOException also if the file is not one that we make under such a name
     */
    void remove(String name) throws IOException {
        requireOurs(name, look(name));
        check(fd.remove(name), name);
    }

    /**
     * Renames, and replaces a file of ours that has the new name.
     *
     * @throws IOException also if the new name stands for anything else
     */
    void rename(String from, String to) throws IOException {
        Entry there = look(to);
        if (there != null) {
            requireOurs(to, there);
        }
        check(fd.rename(from, to), from);
    }

    private void requireOurs(String name, Entry entry) throws IOException {
        if (!Rendezvous.ours(name, entry)) {
            throw new IOException(path.resolve(name) + " is nothing that we have made");
        }
    }

    /** Renames unless the new name is taken. Returns whether it did. */
    boolean renameIfFree(String from, String to) {
        return fd.renameIfFree(from, to) == 0;
    }

    private void check(int result, String name) throws IOException {
        if (result < 0) {
            throw new IOException(path.resolve(name) + ": " + Linux.text(result));
        }
    }

    @Override
    public void close() {
        fd.close();
    }
}
