package io.sdp4j.linux;

/**
 * A directory that is held open, and work on what is in it through the descriptor alone, so that no
 * name on the way to it matters any more. Names here are single components. Results are 0 or {@code
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
     * Opens a directory, no link in the last place of its name followed.
     *
     * @param parent where {@code path} starts; null = where every path does
     */
    public static Opened open(DirectoryFd parent, String path) {
        int flags = Linux.O_PATH | Linux.O_DIRECTORY | Linux.CLOEXEC | Linux.O_NOFOLLOW;
        int fd = named(Linux.OPENAT, parent, path, flags);
        return fd < 0 ? new Opened(null, fd) : new Opened(new DirectoryFd(fd), 0);
    }

    /** Makes a private directory. */
    public static int make(DirectoryFd parent, String path) {
        return named(Linux.MKDIRAT, parent, path, PRIVATE);
    }

    private static int named(int call, DirectoryFd parent, String name, long argument) {
        int at = parent == null ? Linux.AT_FDCWD : parent.fd;
        try (SyscallBuffer text = SyscallBuffer.text(name)) {
            return (int) Linux.call(call, at, text.address(), argument);
        }
    }

    /** Of the directory itself. */
    public Linux.FileStatus status() {
        return Linux.status(fd);
    }

    /** Of {@code name} in it, links not followed, or null. */
    public Linux.FileStatus status(String name) {
        return Linux.statusIn(fd, name);
    }

    /** A path that leads to {@code name} in this very directory, while it is open. */
    public String path(String name) {
        return "/proc/self/fd/" + fd + "/" + name;
    }

    public int remove(String name) {
        return named(Linux.UNLINKAT, this, name, 0);
    }

    /** Renames, over what has the new name already. */
    public int rename(String from, String to) {
        return rename(Linux.RENAMEAT, from, to, 0);
    }

    /** Renames unless something has the new name already. */
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
     * Makes the directory private again. The kernel compares real users for this, not the numbers
     * that a user namespace shows, so success proves that it is ours.
     */
    public int claim() {
        return named(Linux.FCHMODAT, null, "/proc/self/fd/" + fd, PRIVATE);
    }

    @Override
    public void close() {
        Linux.close(fd);
    }
}
