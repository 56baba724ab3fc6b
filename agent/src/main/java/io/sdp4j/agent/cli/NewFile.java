package io.sdp4j.agent.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A file that a command makes: whole under its name, or not at all.
 *
 * <p>Shape: written under a name of its own beside the place where it belongs, and renamed at the
 * end. Whatever fails is {@link Unavailable}, in words for people. Only its owner may read it. For
 * one thread.
 */
final class NewFile extends OutputStream {
    private final Path named;
    private final Path target;
    private Path draft; // null once it has its name
    private OutputStream out;

    private NewFile(Path named) {
        this.named = named;
        target = target(named);
    }

    /**
     * Begins the file.
     *
     * @param named replaced at the end; where it is a link, what the link leads to
     */
    static NewFile create(Path named) {
        NewFile file = new NewFile(named);
        try {
            file.draft =
                    Files.createTempFile(
                            file.target.getParent(),
                            ".sdp4j-",
                            ".tmp",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------")));
            file.draft.toFile().deleteOnExit(); // Ctrl-C
            file.out =
                    Channels.newOutputStream(
                            Files.newByteChannel(file.draft, StandardOpenOption.WRITE));
            return file;
        } catch (IOException e) {
            file.discard();
            throw file.failed(e);
        }
    }

    /** The absolute path of what is replaced. */
    private static Path target(Path named) {
        Path target = named.toAbsolutePath();
        try {
            if (Files.exists(target)) {
                target = target.toRealPath();
                if (!Files.isRegularFile(target)) {
                    throw new Unavailable(
                            "cannot write "
                                    + named
                                    + ": it is "
                                    + (Files.isDirectory(target) ? "a directory" : "not a file")
                                    + "; name a file");
                }
            }
        } catch (IOException e) {
            throw new Unavailable("cannot write " + named + ": " + Failures.reason(e));
        }
        Path folder = target.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new Unavailable(
                    "cannot write %s: there is no directory %s; make it, or name another"
                            .formatted(named, folder));
        }
        return target;
    }

    private Unavailable failed(IOException e) {
        return new Unavailable(
                ("cannot write %s: %s; nothing was changed there, name a place that can be written"
                                + " to and has room")
                        .formatted(named, Failures.reason(e)));
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
        try {
            out.write(bytes, from, count);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** The file is whole: it gets its name. */
    void finish() {
        try {
            out.close();
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
            draft = null;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Leaves nothing behind that was not finished. */
    @Override
    public void close() {
        discard();
    }

    private void discard() {
        try {
            if (out != null) {
                out.close();
            }
            if (draft != null) {
                Files.deleteIfExists(draft);
            }
        } catch (IOException e) {
            // the failure before it is the one to tell
        }
    }
}
