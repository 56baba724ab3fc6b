import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that ends over connections whose reader is behind: {@code reader ADDRESS PORT DIRECTORY}, or {@code writer ADDRESS
 * PORT return|exit|halt|wait NAME}.
 *
 * <p>The writer opens one connection for each of {@link #KINDS}, writes, prints {@code WRITTEN} when every write has returned,
 * and ends; {@code exit} has shutdown hooks write the last bytes, and one of them close. The reader takes what the writer needs
 * for that, waits for {@code DIRECTORY/NAME.dead}, reads on and prints {@code NAME BYTES CAME right|wrong END} of each.
 */
final class LastWords {
    /** Bytes left unread until the writer is dead. */
    private static final int LEFT_BYTES = 400_000;

    private static final int HOOK_BYTES = 1_000;

    /** Of a connection over which the writer has not read something. */
    private static final int UNREAD = 30_000;

    /** Of a connection that is closed in good order, just before the end. */
    private static final int CLOSED = 700_000;

    private static final int[][] KINDS = { // bytes, bytes of a write
        {2_000, 3}, {60_000, 20}, {CLOSED, 700_000}, {2_000_000, 1_152}, {5_000_000, 5_000_000}, {UNREAD, 10_000}
    };

    private static final int PATIENCE_MILLIS = 60_000;

    public static void main(String[] args) throws Exception {
        InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        if (args[0].equals("reader")) {
            try (ServerSocket listener = new ServerSocket()) {
                listener.bind(address);
                System.out.println("READY");
                while (true) {
                    Socket socket = listener.accept();
                    Thread.ofPlatform().start(() -> read(socket, Path.of(args[3])));
                }
            }
        }
        write(address, args[3], args[4]);
    }

    private static void write(InetSocketAddress address, String how, String name) throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Thread> hooks = new ArrayList<>();
        for (int[] kind : KINDS) {
            Socket socket = new Socket(address.getAddress(), address.getPort());
            DataOutputStream head = new DataOutputStream(socket.getOutputStream());
            head.writeUTF(name);
            head.writeInt(kind[0]);
            if (kind[0] == UNREAD) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                socket.getInputStream().read(); // one of two
            }
            int all = how.equals("exit") && kind[0] != UNREAD ? kind[0] - HOOK_BYTES : kind[0];
            threads.add(Thread.ofPlatform().start(() -> write(socket, 0, all, kind[1])));
            hooks.add(new Thread(() -> writeLast(socket, all, kind[0])));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("WRITTEN");
        switch (how) {
            case "exit" -> {
                hooks.forEach(Runtime.getRuntime()::addShutdownHook);
                System.exit(0);
            }
            case "halt" -> Runtime.getRuntime().halt(0);
            case "wait" -> Thread.sleep(10 * PATIENCE_MILLIS);
            default -> {} // returns
        }
    }

    private static byte byteAt(long position) {
        return (byte) (position * 31 + (position >>> 8));
    }

    private static void write(Socket socket, int from, int to, int pieceBytes) {
        try {
            OutputStream out = socket.getOutputStream();
            for (int at = from; at < to; ) {
                byte[] piece = new byte[Math.min(pieceBytes, to - at)];
                for (int i = 0; i < piece.length; i++) {
                    piece[i] = byteAt(at++);
                }
                out.write(piece);
            }
        } catch (IOException e) {
            System.out.println("writing: " + e);
        }
    }

    /** In a shutdown hook. */
    private static void writeLast(Socket socket, int from, int to) {
        write(socket, from, to, HOOK_BYTES);
        if (to == CLOSED) {
            try {
                socket.close();
            } catch (IOException e) {
                System.out.println("closing: " + e);
            }
        }
    }

    private static void read(Socket socket, Path directory) {
        try (socket) {
            InputStream in = socket.getInputStream();
            DataInputStream head = new DataInputStream(in);
            String name = head.readUTF();
            int total = head.readInt();
            if (total == UNREAD) {
                socket.getOutputStream().write(new byte[2]);
            }
            int bytes = 0;
            boolean right = true;
            boolean dead = false;
            String end = "in order";
            byte[] some = new byte[10_000];
            try {
                while (true) {
                    if (!dead && bytes >= total - LEFT_BYTES) {
                        while (Files.notExists(directory.resolve(name + ".dead"))) {
                            Thread.sleep(20);
                        }
                        dead = true;
                        socket.setSoTimeout(PATIENCE_MILLIS);
                    }
                    int n = in.read(some);
                    if (n < 0) {
                        break;
                    }
                    for (int i = 0; i < n; i++) {
                        right &= some[i] == byteAt(bytes++);
                    }
                }
            } catch (IOException e) {
                end = e.getMessage();
            }
            System.out.println(name + " " + total + " " + bytes + " " + (right ? "right " : "wrong ") + end);
        } catch (IOException | InterruptedException e) {
            System.out.println("reading: " + e);
        }
    }
}
