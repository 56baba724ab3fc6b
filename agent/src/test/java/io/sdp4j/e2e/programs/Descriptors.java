package io.sdp4j.e2e.programs;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/** Looks for descriptors in the ways of docs/descriptors.md, and prints what each of them gives. */
public final class Descriptors {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private Descriptors() {}

    /** One line for each way. */
    public static void main(String[] args) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 5, ANY.getAddress());
                Socket client = new Socket(ANY.getAddress(), listener.getLocalPort());
                Socket accepted = listener.accept()) {
            SocketImpl impl = impl(Socket.class, client);
            SocketImpl acceptedImpl = impl(Socket.class, accepted);
            SocketImpl listenerImpl = impl(ServerSocket.class, listener);
            say("socket.getFileDescriptor", () -> asked(impl));
            say("accepted.getFileDescriptor", () -> asked(acceptedImpl));
            say("listener.getFileDescriptor", () -> asked(listenerImpl));
            say("socket.impl.fd", () -> field(SocketImpl.class, impl));
            say("accepted.impl.fd", () -> field(SocketImpl.class, acceptedImpl));
            say("listener.impl.fd", () -> field(SocketImpl.class, listenerImpl));
            say("stream.getFD", () -> ((FileInputStream) client.getInputStream()).getFD());
        }
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(ANY);
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept()) {
            say("channel.fd", () -> field(client.getClass(), client));
            say("acceptedChannel.fd", () -> field(accepted.getClass(), accepted));
            say("listenerChannel.fd", () -> field(listener.getClass(), listener));
            say("channel.getFDVal", () -> number(client));
            say("acceptedChannel.getFDVal", () -> number(accepted));
            say("listenerChannel.getFDVal", () -> number(listener));
        }
        try (AsynchronousServerSocketChannel listener =
                        AsynchronousServerSocketChannel.open().bind(ANY);
                AsynchronousSocketChannel client = AsynchronousSocketChannel.open()) {
            Future<AsynchronousSocketChannel> waiting = listener.accept();
            client.connect(listener.getLocalAddress()).get();
            try (AsynchronousSocketChannel accepted = waiting.get()) {
                say("async.fd", () -> field(client.getClass().getSuperclass(), client));
                say("acceptedAsync.fd", () -> field(accepted.getClass().getSuperclass(), accepted));
            }
        }
    }

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

    private static FileDescriptor field(Class<?> type, Object of)
            throws ReflectiveOperationException {
        Field field = type.getDeclaredField("fd");
        field.setAccessible(true);
        return (FileDescriptor) field.get(of);
    }

    private static Integer number(Object channel) throws ReflectiveOperationException {
        Method method = Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal");
        return (Integer) method.invoke(channel);
    }

    private static void say(String way, Callable<?> look) {
        System.out.println(way + "=" + what(look));
    }

    private static String what(Callable<?> look) {
        try {
            Object found = look.call();
            if (found == null) {
                return "null";
            }
            int number = found instanceof Integer n ? n : number((FileDescriptor) found);
            if (number < 0) {
                return "invalid";
            }
            String link = Files.readSymbolicLink(Path.of("/proc/self/fd/" + number)).toString();
            return link.startsWith("socket:") ? tcp(link) : link;
        } catch (InvocationTargetException e) {
            return e.getCause().getClass().getSimpleName() + ": " + e.getCause().getMessage();
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    private static int number(FileDescriptor fd) throws ReflectiveOperationException {
        Field number = FileDescriptor.class.getDeclaredField("fd");
        number.setAccessible(true);
        return number.getInt(fd);
    }

    private static String tcp(String link) throws IOException {
        String inode = " " + link.substring("socket:[".length(), link.length() - 1) + " ";
        boolean known =
                Files.readString(Path.of("/proc/self/net/tcp")).contains(inode)
                        || Files.readString(Path.of("/proc/self/net/tcp6")).contains(inode);
        return known ? "TCP" : "another socket";
    }
}
