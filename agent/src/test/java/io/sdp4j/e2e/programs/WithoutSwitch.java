package io.sdp4j.e2e.programs;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;

/**
 * {@code JAR PORT OTHER}: deletes the agent's jar before the first socket; whether the ports can be
 * reached then, with the switch or without.
 */
public final class WithoutSwitch {
    private WithoutSwitch() {}

    /** Does all of it. */
    public static void main(String[] args) throws Exception {
        Files.delete(Path.of(args[0]));
        InetSocketAddress only = to(args[1]);
        InetSocketAddress other = to(args[2]);
        say("socket", () -> socket(only));
        say("channel", () -> SocketChannel.open(only).close());
        say("adaptor", () -> SocketChannel.open().socket().connect(only, 5_000));
        say("asynchronous", () -> asynchronous(only));
        say("other-socket", () -> socket(other));
        say("other-channel", () -> SocketChannel.open(other).close());
        say("unix", () -> SocketChannel.open(StandardProtocolFamily.UNIX).close());
    }

    private static InetSocketAddress to(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    private static void socket(InetSocketAddress to) throws Exception {
        try (Socket socket = new Socket()) {
            socket.connect(to);
        }
    }

    private static void asynchronous(InetSocketAddress to) throws Exception {
        try (AsynchronousSocketChannel channel = AsynchronousSocketChannel.open()) {
            channel.connect(to).get();
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        }
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static void say(String what, Attempt attempt) {
        String result = "yes";
        try {
            attempt.run();
        } catch (ConnectException e) {
            result = "refused";
        } catch (Exception e) {
            result = e.toString();
        }
        System.out.println(what + "=" + result);
    }
}
