package io.sdp4j.fabric.shm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;

/**
 * Held as the JDK's {@link SecureDirectoryStream}, where native calls are denied.
 *
 * <p>The JDK names sockets by paths only, so a socket is bound and reached by the directory's path.
 * A bound socket counts only if it then stands in the directory that is held, and a reached one
 * only if the kernel says that it is ours.
 */
final class StreamDirectory extends PrivateDirectory {
    private static final int TYPE = 0xF000;
    private static final int SOCKET = 0xC000;

    private final Path path;
    private final SecureDirectoryStream<Path> held;
    private final UserPrincipal user;

    StreamDirectory(Path path, SecureDirectoryStream<Path> held, UserPrincipal user) {
        this.path = path;
        this.held = held;
        this.user = user;
    }

    /** Opens {@code path}, whose last component may not be a link. */
    static SecureDirectoryStream<Path> open(Path path) throws IOException {
        try (DirectoryStream<Path> parent = Files.newDirectoryStream(path.getParent())) {
            if (parent instanceof SecureDirectoryStream<Path> secure) {
                return secure.newDirectoryStream(path.getFileName(), LinkOption.NOFOLLOW_LINKS);
            }
            throw new IOException("directories cannot be held open here");
        }
    }

    /** Of the directory itself. */
    static PosixFileAttributes status(SecureDirectoryStream<Path> held) throws IOException {
        return held.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
    }

    @Override
    Path path() {
        return path;
    }

    @Override
    Path address(String name) {
        return path.resolve(name);
    }

    @Override
    Entry look(String name) {
        try {
            PosixFileAttributes a =
                    held.getFileAttributeView(
                                    Path.of(name),
                                    PosixFileAttributeView.class,
                                    LinkOption.NOFOLLOW_LINKS)
                            .readAttributes();
            return new Entry(
                    a.isOther() && isSocket(name, a.fileKey()),
                    a.isRegularFile(),
                    a.owner().equals(user),
                    a.permissions().equals(OWNERS_ONLY.value()),
                    a.fileKey(),
                    a.lastModifiedTime().toMillis());
        } catch (IOException e) {
            return null;
        }
    }

    /** The view tells only that it is something special; its path tells what, if it leads there. */
    private boolean isSocket(String name, Object key) throws IOException {
        Path file = path.resolve(name);
        int mode = (Integer) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        Object there =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .fileKey();
        return (mode & TYPE) == SOCKET && key.equals(there);
    }

    @Override
    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files =
                held.newDirectoryStream(Path.of("."), LinkOption.NOFOLLOW_LINKS)) {
            for (Path file : files) {
                names.add(file.getFileName().toString());
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return names;
    }

    @Override
    FileChannel create(String name) throws IOException {
        return (FileChannel) held.newByteChannel(Path.of(name), NEW, OWNERS_ONLY);
    }

    @Override
    FileChannel open(String name) throws IOException {
        return (FileChannel) held.newByteChannel(Path.of(name), THERE);
    }

    @Override
    void unlink(String name) throws IOException {
        held.deleteFile(Path.of(name));
    }

    @Override
    void move(String from, String to) throws IOException {
        held.move(Path.of(from), held, Path.of(to));
    }

    @Override
    boolean renameIfFree(String from, String to) {
        if (look(to) != null) {
            return false;
        }
        try {
            rename(from, to);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            held.close();
        } catch (IOException e) {
            // nothing was written
        }
    }
}
