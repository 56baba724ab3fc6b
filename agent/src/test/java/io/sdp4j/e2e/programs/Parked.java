package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Blocks as many virtual threads as asked for in channels, has others talk meanwhile, lets all go,
 * and prints what the flight recorder has seen: {@code CONNECTIONS LISTENERS}.
 *
 * <p>At each end of each connection two threads read: one waits for data, the other for the first.
 */
public final class Parked {
    private static final int ROUNDS = 2_000;
    private static final int SIZE = 100;

    private Parked() {}

    public static void main(String[] args) throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            for (String event : List.of("jdk.SocketRead", "jdk.SocketWrite")) {
                recording.enable(event).withoutThreshold().with("throttle", "off");
            }
            recording.start();
            int port = park(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
            recording.stop();
            tell(recording, port);
        }
    }

    private static <T> FutureTask<T> start(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofVirtual().start(task);
        return task;
    }

    /** A listener, and the two ends of one connection to it. */
    private record Talk(ServerSocketChannel listener, SocketChannel a, SocketChannel b) {
        static Talk open() throws IOException {
            ServerSocketChannel listener = listen();
            SocketChannel a = SocketChannel.open(listener.getLocalAddress());
            return new Talk(listener, a, listener.accept());
        }

        int port() throws IOException {
            return ((InetSocketAddress) listener.getLocalAddress()).getPort();
        }
    }

    private static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    }

    private static int park(int connections, int listeners) throws Exception {
        Talk talk = Talk.open();
        List<SocketChannel> ends = new ArrayList<>();
        List<ServerSocketChannel> accepting = new ArrayList<>();
        List<FutureTask<Integer>> waiting = new ArrayList<>();
        try (ServerSocketChannel listener = listen()) {
            for (int i = 0; i < connections; i++) {
                ends.add(SocketChannel.open(listener.getLocalAddress()));
                ends.add(listener.accept());
            }
        }
        for (SocketChannel end : ends) {
            waiting.add(start(() -> end.read(ByteBuffer.allocate(1))));
            waiting.add(start(() -> end.read(ByteBuffer.allocate(1))));
        }
        for (int i = 0; i < listeners; i++) {
            ServerSocketChannel listener = listen();
            accepting.add(listener);
            waiting.add(start(() -> accept(listener)));
        }
        System.out.println("waiting=" + waiting.size());
        FutureTask<Integer> echo = start(() -> bounce(talk.b()));
        FutureTask<Integer> ping =
                start(
                        () -> {
                            talk.a().write(ByteBuffer.allocate(SIZE));
                            return bounce(talk.a());
                        });
        System.out.println("talked=" + (get(ping) + get(echo)));
        for (SocketChannel end : ends) {
            end.write(ByteBuffer.allocate(2));
        }
        for (ServerSocketChannel listener : accepting) {
            SocketChannel.open(listener.getLocalAddress()).close();
        }
        int released = 0;
        for (FutureTask<Integer> task : waiting) {
            released += get(task);
        }
        System.out.println("released=" + released);
        for (SocketChannel end : ends) {
            end.close();
        }
        for (ServerSocketChannel listener : accepting) {
            listener.close();
        }
        int port = talk.port();
        talk.a().close();
        talk.b().close();
        talk.listener().close();
        return port;
    }

    private static int accept(ServerSocketChannel listener) throws IOException {
        listener.accept().close();
        return 1;
    }

    private static int get(FutureTask<Integer> task)
            throws InterruptedException, ExecutionException, java.util.concurrent.TimeoutException {
        return task.get(50, TimeUnit.SECONDS);
    }

    private static int bounce(SocketChannel c) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(SIZE);
        int done = 0;
        for (; done < ROUNDS; done++) {
            b.clear();
            while (b.hasRemaining() && c.read(b) >= 0) {
                Thread.onSpinWait();
            }
            c.write(b.flip());
        }
        return done;
    }

    private static void tell(Recording recording, int port) throws IOException {
        Path file = Files.createTempFile("parked", ".jfr");
        try {
            recording.dump(file);
            long pinned = 0;
            long reads = 0;
            long read = 0;
            long writes = 0;
            long written = 0;
            for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
                switch (event.getEventType().getName()) {
                    case "jdk.VirtualThreadPinned" -> pinned += inChannels(event) ? 1 : 0;
                    case "jdk.SocketRead" -> {
                        if (event.getInt("port") == port) {
                            reads++;
                            read += event.getLong("bytesRead");
                        }
                    }
                    case "jdk.SocketWrite" -> {
                        if (event.getInt("port") == port) {
                            writes++;
                            written += event.getLong("bytesWritten");
                        }
                    }
                    default -> {}
                }
            }
            System.out.println("pinned=" + pinned);
            System.out.println("read=" + reads + " times " + read);
            System.out.println("written=" + writes + " times " + written);
        } finally {
            Files.delete(file);
        }
    }

    /**
     * Not while a class is loaded, linked or initialized, as in a JVM that has just started. Of the
     * reasons that HotSpot numbers, 2 is a critical section of its own, 3 a native frame, 4 a
     * monitor: 2 at a line of ours is no wait of ours, for which a method of the JDK's is called,
     * nor is it where the JDK records an event.
     */
    private static boolean inChannels(RecordedEvent event) {
        String reason = String.valueOf(event.getString("pinnedReason"));
        if (reason.contains("initialization of")) {
            return false; // by another thread
        }
        if (event.getStackTrace() == null) {
            return true;
        }
        List<String> methods = new ArrayList<>();
        for (RecordedFrame frame : event.getStackTrace().getFrames()) {
            methods.add(frame.getMethod().getType().getName() + "." + frame.getMethod().getName());
        }
        String top = methods.getFirst();
        if (reason.endsWith("(2)")
                && (top.startsWith("io.sdp4j.") || top.startsWith("jdk.internal.event."))) {
            return false;
        }
        boolean loading =
                methods.stream()
                        .anyMatch(
                                m ->
                                        m.endsWith(".<clinit>")
                                                || m.contains("ClassLoader")
                                                || m.contains("ensureClassInitialized"));
        if (!loading) {
            System.out.println(reason + " at " + methods);
        }
        return !loading;
    }
}
