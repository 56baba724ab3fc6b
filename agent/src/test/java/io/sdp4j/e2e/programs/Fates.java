package io.sdp4j.e2e.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections whose one end ends in some way: {@code survivor}, which takes one line for each
 * connection, {@code KIND PORT WRITES BEHIND MOVED}, with port 0 to listen; or {@code mortal KIND
 * PORT PIECE_BYTES PIECES READS FATE MOVED}. Where MOVED is true they begin with round trips, until
 * the connection is offloaded.
 *
 * <p>The survivor writes so many bytes, reads until the end, if it is behind after a line more, and
 * prints {@code OUTCOME BYTES right|wrong END}. The mortal reads so many bytes and not more,
 * writes, says {@code WRITTEN}, and meets its fate.
 */
public final class Fates {
    private static final int READ_BYTES = 1_000;
    private static final byte LAST_TRIP = 1;
    private static final long MOST_NANOS = 30_000_000_000L;

    /** Keeps what is not closed open until the end. */
    @SuppressWarnings("unused")
    private static Endpoint held;

    /** Stays open as servers' do, for a connection whose listener has gone does not move. */
    private static Endpoint.Listener listener;

    private Fates() {}

    private static void closeListener() throws IOException {
        if (listener != null) {
            listener.close();
        }
    }

    /** One side. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("survivor")) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                survive(in, line.split(" ", -1));
            }
        } else {
            meet(args);
        }
    }

    private static byte byteAt(long position) {
        return (byte) (position * 31 + (position >>> 8));
    }

    /** Connects to the port, or listens and says where. */
    private static Endpoint open(String kind, String port) throws IOException {
        Endpoint.Kind of = Endpoint.Kind.valueOf(kind);
        if (!port.equals("0")) {
            return Endpoint.connect(of, Integer.parseInt(port));
        }
        closeListener();
        listener = Endpoint.listen(of);
        System.out.println("READY " + listener.port());
        return listener.accept();
    }

    private static void survive(BufferedReader in, String[] words) throws IOException {
        long bytes = 0;
        boolean right = true;
        String how = "in order";
        try (Endpoint end = open(words[0], words[1])) {
            if (Boolean.parseBoolean(words[4])) {
                answerTrips(end);
            }
            end.write(new byte[Integer.parseInt(words[2])]);
            if (Boolean.parseBoolean(words[3])) {
                in.readLine();
            }
            byte[] some = new byte[READ_BYTES];
            for (int n = end.read(some); n >= 0; n = end.read(some)) {
                for (int i = 0; i < n; i++) {
                    right &= some[i] == byteAt(bytes++);
                }
            }
        } catch (IOException e) {
            how = e.toString();
        }
        System.out.println("OUTCOME " + bytes + " " + (right ? "right" : "wrong") + " " + how);
    }

    private static void answerTrips(Endpoint end) throws IOException {
        byte[] trip = new byte[1];
        do {
            end.readFully(trip);
            end.write(trip);
        } while (trip[0] != LAST_TRIP);
    }

    private static void move(Endpoint end) throws Exception {
        long start = System.nanoTime();
        byte[] trip = {0};
        while (trip[0] != LAST_TRIP) {
            if (System.nanoTime() - start > MOST_NANOS) {
                throw new IOException("not moved");
            }
            trip[0] = RoundTrips.offloaded() ? LAST_TRIP : 0;
            end.write(trip);
            end.readFully(trip);
        }
    }

    private static void meet(String[] args) throws Exception {
        Endpoint end = open(args[1], args[2]);
        held = end;
        if (Boolean.parseBoolean(args[7])) {
            move(end);
        }
        byte[] piece = new byte[Integer.parseInt(args[3])];
        int pieces = Integer.parseInt(args[4]);
        end.readFully(new byte[Integer.parseInt(args[5])]);
        long written = 0;
        for (int i = 0; i < pieces; i++) {
            for (int n = 0; n < piece.length; n++) {
                piece[n] = byteAt(written++);
            }
            end.write(piece);
        }
        System.out.println("WRITTEN");
        switch (args[6]) {
            case "EXIT" -> System.exit(0);
            case "HALT" -> Runtime.getRuntime().halt(0);
            case "THROW" -> throw new IllegalStateException("meant to end");
            case "OUT_OF_MEMORY" -> exhaust();
            case "KILL", "TERMINATE" -> System.in.read();
            case "CLOSE" -> end.close();
            case "SHUTDOWN" -> {
                end.shutdownOutput();
                end.close();
            }
            case "RESET" -> {
                end.resetAtClose();
                end.close();
            }
            default -> {} // returns
        }
    }

    private static void exhaust() {
        List<long[]> all = new ArrayList<>();
        while (!all.contains(null)) { // for ever
            all.add(new long[1 << 20]);
        }
    }
}
