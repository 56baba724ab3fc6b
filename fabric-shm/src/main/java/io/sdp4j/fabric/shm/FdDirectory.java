package io.sdp4j.fabric.shm;

import io.sdp4j.linux.DirectoryFd;
import io.sdp4j.linux.Linux;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Held as a descriptor, used by {@code openat} and its like. */
final class FdDirectory extends PrivateDirectory {
    private final Path path;
    private final DirectoryFd fd;
    private final long uid;

    FdDirectory(Path path, DirectoryFd fd, long uid) {
        this.path = path;
        this.fd = fd;
        this.uid = uid;
    }

    private record Identity(long device, long inode) {}

    @Override
    Path path() {
        return path;
    }

    @Override
    Path address(String name) {
        return Path.of(fd.path(name));
    }

    @Override
    Entry look(String name) {
        Linux.FileStatus s = fd.status(name);
        return s == null
                ? null
                : new Entry(
                        s.isSocket(),
                        s.isRegularFile(),
                        Integer.toUnsignedLong(s.uid()) == uid,
                        (s.permissions() & 0777) == 0600,
                        new Identity(s.device(), s.inode()),
                        s.modifiedMillis());
    }

    @Override
    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(fd.path("")))) {
            for (Path file : files) {
                names.add(file.getFileName().toString());
            }
        }
        return names;
    }

    @Override
    FileChannel create(String name) throws IOException {
        return FileChannel.open(address(name), NEW, OWNERS_ONLY);
    }

    @Override
    FileChannel open(String name) throws IOException {
        return FileChannel.open(address(name), THERE);
    }

    @Override
    void unlink(String name) throws IOException {
        check(fd.remove(name), name);
    }

    @Override
    void move(String from, String to) throws IOException {
        check(fd.rename(from, to), from);
    }

    @Override
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
