package io.sdp4j.linux;

/**
 * A directory that is held open. Operations on its entries use the descriptor alone, so a change of
 * a directory on the path to it has no effect. Names are single components. Results are 0 or {@code
 * -errno}.
 */
public final class DirectoryFd implements AutoCloseable {
    private static final int RENAME_NOREPLACE = 1;
    private static final int PRIVATE = 0700;

    private final int fd;

    private DirectoryFd(int fd) {
        this.fd = fd;
    }

    /** Result of {@link #open}: a directory, or {@code -errno}. */
    public record Opened(DirectoryFd directory, int result) {}

    /**
     * Opens a directory. A symbolic link as the last component is not followed.
     *
     * @param parent directory that {@code path} is relative to; null = the working directory
     */
    public static Opened open(DirectoryFd parent, String path) {
        int flags = Linux.O_PATH | Linux.O_DIRECTORY | Linux.CLOEXEC | Linux.O_NOFOLLOW;
        int fd = named(Linux.OPENAT, parent, path, flags);
        return fd < 0 ? new Opened(null, fd) : new Opened(new DirectoryFd(fd), 0);
    }

    /** Makes a directory with mode 0700. */
    public static int make(DirectoryFd parent, String path) {
        return named(Linux.MKDIRAT, parent, path, PRIVATE);
    }

    private static int named(int call, DirectoryFd parent, String name, long argument) {
        int at = parent == null ? Linux.AT_FDCWD : parent.fd;
        try (SyscallBuffer text = SyscallBuffer.text(name)) {
            return (int) Linux.call(call, at, text.address(), argument);
        }
    }

    /** Status of the directory itself. */
    public Linux.FileStatus status() {
        return Linux.status(fd);
    }

    /** Status of its entry {@code name}, or null. Symbolic links are not followed. */
    public Linux.FileStatus status(String name) {
        return Linux.statusIn(fd, name);
    }

    /** A path to {@code name} in this very directory, valid while it is open. */
    public String path(String name) {
        return "/proc/self/fd/" + fd + "/" + name;
    }

    public int remove(String name) {
        return named(Linux.UNLINKAT, this, name, 0);
    }

    /** Renames, and replaces an entry that has the new name already. */
    public int rename(String from, String to) {
        return rename(Linux.RENAMEAT, from, to, 0);
    }

    /** Renames unless an entry has the new name already. */
    public int renameIfFree(String from, String to) {
        return rename(Linux.RENAMEAT2, from, to, RENAME_NOREPLACE);
    }

    private int rename(int call, String from, String to, int flags) {
        try (SyscallBuffer old = SyscallBuffer.text(from);
                SyscallBuffer next = SyscallBuffer.text(to)) {
            return (int) Linux.call(call, fd, old.address(), fd, next.address(), flags, 0);
        }
    }

    /**
     * Sets the directory's mode to 0700 again. For this the kernel compares the real users, not the
     * numbers that a user namespace shows, so success proves that the directory is ours.
     */
    public int claim() {
        return named(Linux.FCHMODAT, null, "/proc/self/fd/" + fd, PRIVATE);
    }

    @Override
    public void close() {
        Linux.close(fd);
    }
}
