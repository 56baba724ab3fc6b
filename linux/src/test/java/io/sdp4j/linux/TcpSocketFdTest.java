package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TcpSocketFdTest {
    private static final InetSocketAddress SOME =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    /** The holder of a copy of any other can accept, or speak, in the place of its owner. */
    @Test
    void onlyASocketThatIsMerelyBoundIsDuplicated() throws IOException {
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(free);
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel _ = listener.accept()) {
            assertEquals(-1, duplicate(listener), "the listener, and what it has accepted");
            assertEquals(-1, duplicate(client), "connected");
        }
        try (SocketChannel bound = SocketChannel.open().bind(free)) {
            int copy = duplicate(bound);
            assertTrue(copy >= 0);
            Linux.close(copy);
        }
    }

    private static int duplicate(NetworkChannel of) throws IOException {
        return TcpSocketFd.duplicate((InetSocketAddress) of.getLocalAddress());
    }

    @Test
    void socketsAreOnOneDeviceIfTheyAreBoundToItOrToNone() throws IOException {
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (SocketChannel first = SocketChannel.open().bind(free);
                SocketChannel second = SocketChannel.open().bind(free)) {
            int one = duplicate(first);
            int two = duplicate(second);
            assertTrue(TcpSocketFd.sameDevice(one, two));
            bindToLoopback(one);
            assertFalse(TcpSocketFd.sameDevice(one, two));
            assertFalse(TcpSocketFd.sameDevice(two, one));
            bindToLoopback(two);
            assertTrue(TcpSocketFd.sameDevice(one, two));
            Linux.close(one);
            Linux.close(two);
        }
        assertFalse(TcpSocketFd.sameDevice(-1, -1));
    }

    private static void bindToLoopback(int fd) {
        int device = 25; // SO_BINDTODEVICE
        try (SyscallBuffer name = SyscallBuffer.text("lo")) {
            assertEquals(0, Linux.call(Linux.SETSOCKOPT, fd, 1, device, name.address(), 2, 0));
        }
    }

    /** The number of a socket that was closed may be a file's by now. */
    @Test
    void aFileThatIsNoSocketKeepsItsLocks(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("locked");
        try (FileChannel channel =
                        FileChannel.open(
                                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assertTrue(lock.isValid());
            assertTrue(locked(file), "/proc/locks does not show it");
            assertEquals(-1, TcpSocketFd.duplicate(number(file), SOME, SOME));
            assertTrue(locked(file), "the lock is gone");
        }
    }

    /** Of this process. */
    private static int number(Path file) throws IOException {
        try (var all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path fd : all) {
                if (Files.isSymbolicLink(fd) && Files.readSymbolicLink(fd).equals(file)) {
                    return Integer.parseInt(fd.getFileName().toString());
                }
            }
        }
        throw new AssertionError("not open: " + file);
    }

    /** Whether the kernel knows a lock on it. */
    private static boolean locked(Path file) throws IOException {
        String inode = ":" + Files.getAttribute(file, "unix:ino") + " ";
        try (var locks = Files.lines(Path.of("/proc/locks"))) {
            return locks.anyMatch(line -> line.contains("POSIX") && line.contains(inode));
        }
    }
}
