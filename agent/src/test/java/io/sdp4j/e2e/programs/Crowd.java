package io.sdp4j.e2e.programs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds many connections of which none has anything to say: {@code server}, or {@code client PORT}.
 *
 * <p>Obeys one-line commands and answers each with one line. {@code open N}: N connections more,
 * each with a byte to and fro; {@code accept N} is the server's part of it. {@code heap}: bytes in
 * use after collecting garbage. {@code talk}: a byte to and fro on each. {@code close}: all.
 */
public final class Crowd {
    private static final int COLLECTIONS = 3;

    private final ServerSocket listener;
    private final int port;
    private final List<Socket> held = new ArrayList<>();

    private Crowd(ServerSocket listener, int port) {
        this.listener = listener;
        this.port = port;
    }

    /** Listens or not, and obeys until its input ends. */
    public static void main(String[] args) throws IOException {
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(0, 50, InetAddress.ofLiteral("::1"))) {
                System.out.println("READY " + listener.getLocalPort());
                new Crowd(listener, 0).obey();
            }
        } else {
            System.out.println("READY");
            new Crowd(null, Integer.parseInt(args[1])).obey();
        }
    }

    private void obey() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            long answer =
                    switch (words[0]) {
                        case "accept", "open" -> add(Integer.parseInt(words[1]));
                        case "heap" -> heap();
                        case "talk" -> talk();
                        case "close" -> close();
                        default -> throw new IOException("what is " + line + "?");
                    };
            System.out.println(answer);
        }
    }

    private long add(int count) throws IOException {
        for (int n = 0; n < count; n++) {
            Socket s =
                    listener != null
                            ? listener.accept()
                            : new Socket(InetAddress.ofLiteral("::1"), port);
            held.add(s);
            exchange(s);
        }
        return held.size();
    }

    private long talk() throws IOException {
        for (Socket s : held) {
            exchange(s);
        }
        return held.size();
    }

    private void exchange(Socket s) throws IOException {
        if (listener == null) {
            s.getOutputStream().write(1);
        }
        if (s.getInputStream().read() != 1) {
            throw new IOException("no answer on " + s);
        }
        if (listener != null) {
            s.getOutputStream().write(1);
        }
    }

    private long close() throws IOException {
        for (Socket s : held) {
            s.close();
        }
        int count = held.size();
        held.clear();
        return count;
    }

    private static long heap() {
        var memory = ManagementFactory.getMemoryMXBean();
        for (int n = 0; n < COLLECTIONS; n++) {
            memory.gc();
        }
        return memory.getHeapMemoryUsage().getUsed();
    }
}
