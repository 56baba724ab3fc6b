import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;

/**
 * A program that knows nothing of sdp4j: {@code serve PORT...} gives everybody who connects one byte; otherwise each
 * argument {@code NAME=HOST:PORT} is one connection, for which it prints {@code NAME MICROSECONDS} until connected, and
 * {@code !COMMAND} is a shell command in between.
 */
final class Connects {
    private static final int PATIENCE_MILLIS = 120_000;

    public static void main(String[] args) throws Exception {
        if (args[0].equals("serve")) {
            for (String port : Arrays.asList(args).subList(1, args.length)) {
                ServerSocket listener = new ServerSocket(Integer.parseInt(port));
                Thread.ofPlatform().start(() -> serve(listener));
            }
            return;
        }
        for (String word : args) {
            if (word.startsWith("!")) {
                run(word.substring(1));
            } else {
                String[] nameAndAddress = word.split("=", 2);
                System.out.println(nameAndAddress[0] + " " + connectMicros(nameAndAddress[1]));
            }
        }
    }

    private static void serve(ServerSocket listener) {
        while (true) {
            try (Socket socket = listener.accept()) {
                socket.getOutputStream().write(42);
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    private static long connectMicros(String address) throws IOException {
        int colon = address.lastIndexOf(':');
        InetSocketAddress to = new InetSocketAddress(
                InetAddress.ofLiteral(address.substring(0, colon)), Integer.parseInt(address.substring(colon + 1)));
        try (Socket socket = new Socket()) {
            long start = System.nanoTime();
            socket.connect(to, PATIENCE_MILLIS);
            long micros = (System.nanoTime() - start) / 1000;
            socket.setSoTimeout(PATIENCE_MILLIS);
            if (socket.getInputStream().read() != 42) {
                throw new IOException("no peer spoke at " + address);
            }
            return micros;
        }
    }

    private static void run(String command) throws Exception {
        int code = new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IOException(command + " ended with " + code);
        }
    }
}
