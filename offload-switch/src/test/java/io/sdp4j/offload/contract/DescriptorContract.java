package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import sun.nio.ch.IOUtil;

/**
 * Results of libraries that look for the descriptor of a socket by reflection, as there is no other
 * way: {@code Socket.impl}, then {@code SocketImpl.getFileDescriptor()} or {@code SocketImpl.fd}.
 */
interface DescriptorContract extends Sockets {
    private static SocketImpl impl(Class<?> type, Object socket)
            throws ReflectiveOperationException {
        Field impl = type.getDeclaredField("impl");
        impl.setAccessible(true);
        return (SocketImpl) impl.get(socket);
    }

    private static FileDescriptor asked(SocketImpl impl) throws ReflectiveOperationException {
        Method method = SocketImpl.class.getDeclaredMethod("getFileDescriptor");
        method.setAccessible(true);
        return (FileDescriptor) method.invoke(impl);
    }

    private static FileDescriptor read(SocketImpl impl) throws ReflectiveOperationException {
        Field fd = SocketImpl.class.getDeclaredField("fd");
        fd.setAccessible(true);
        return (FileDescriptor) fd.get(impl);
    }

    /** Goal: it is the socket of the kernel's with that port, as the kernel's tables have it. */
    private static void assertIsSocket(FileDescriptor fd, int port) throws IOException {
        assertNotNull(fd);
        String link =
                Files.readSymbolicLink(Path.of("/proc/self/fd/" + IOUtil.fdVal(fd))).toString();
        assertTrue(link.startsWith("socket:["), link);
        String inode = link.substring(8, link.length() - 1);
        String local = String.format(":%04X", port);
        boolean found = false;
        for (String table : new String[] {"tcp", "tcp6"}) {
            for (String row : Files.readAllLines(Path.of("/proc/self/net/" + table))) {
                String[] f = row.trim().split("\\s+", -1);
                found |= f[1].endsWith(local) && f[9].equals(inode);
            }
        }
        assertTrue(found, () -> "no TCP socket " + inode + " at port " + port);
    }

    @Test
    @DisplayName("87: the descriptor of a listener is the kernel's listener")
    default void descriptorOfAListener() throws Exception {
        try (ServerSocket listener = listen(1)) {
            SocketImpl impl = impl(ServerSocket.class, listener);
            assertIsSocket(asked(impl), listener.getLocalPort());
            assertIsSocket(read(impl), listener.getLocalPort());
        }
    }

    @Test
    @DisplayName(
            "87: the descriptor of a connection is the kernel's socket, or there is a clear word")
    default void descriptorOfAConnection() throws Exception {
        try (var p = pair()) {
            for (Socket s : new Socket[] {p.client(), p.server()}) {
                SocketImpl impl = impl(Socket.class, s);
                if (offloads()) {
                    Throwable e =
                            assertThrows(
                                            InvocationTargetException.class,
                                            () -> asked(impl),
                                            () -> SwitchedSockets.explain(s).toString())
                                    .getCause();
                    assertInstanceOf(UnsupportedOperationException.class, e);
                    assertTrue(e.getMessage().contains("is offloaded"), e::getMessage);
                    assertTrue(e.getMessage().contains("use tcp"), e::getMessage);
                } else {
                    assertIsSocket(asked(impl), s.getLocalPort());
                }
            }
            FileDescriptor field = read(impl(Socket.class, p.server()));
            if (offloads()) {
                assertEquals(false, field != null && field.valid());
            } else {
                assertIsSocket(field, p.server().getLocalPort());
            }
        }
    }
}
