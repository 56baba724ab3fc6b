import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A program that knows nothing of sdp4j: {@code serve ADDRESS PORT} answers the first byte of each connection, and prints
 * its bytes and its end; {@code talk ADDRESS PORT COMMAND} talks over one connection, runs a shell command, talks over
 * another one, and then ends with a third one whose server has not said anything.
 */
final class Rtu {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final int BYTES = 10_000;

    public static void main(String[] args) throws Exception {
        InetAddress address = InetAddress.ofLiteral(args[1]);
        int port = Integer.parseInt(args[2]);
        if (args[0].equals("serve")) {
            try (ServerSocket listener = new ServerSocket(port, 50, address)) {
                System.out.println("READY");
                while (true) {
                    Socket socket = listener.accept();
                    Thread.ofPlatform().start(() -> serve(socket));
                }
            }
        }
        talk(address, port, 1);
        int code = new ProcessBuilder("sh", "-c", args[3]).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IOException(args[3] + " ended with " + code);
        }
        talk(address, port, 2);
        new Socket(address, port).getOutputStream().write(filled(3)); // open until this process has ended
    }

    private static byte[] filled(int with) {
        byte[] bytes = new byte[BYTES];
        bytes[0] = (byte) with;
        return bytes;
    }

    private static void talk(InetAddress address, int port, int number) throws IOException {
        try (Socket socket = new Socket(address, port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(filled(number));
            if (socket.getInputStream().read() != number) {
                throw new IOException("connection " + number + " has no answer");
            }
        }
        System.out.println("ANSWERED " + number);
    }

    private static void serve(Socket socket) {
        int number = 0;
        int bytes = 0;
        String end = "in order";
        try (socket) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            InputStream in = socket.getInputStream();
            number = in.read();
            bytes = 1;
            if (number < 3) {
                socket.getOutputStream().write(number);
            }
            bytes += in.readAllBytes().length;
        } catch (IOException e) {
            end = e.getMessage();
        }
        System.out.println("CAME " + number + " " + bytes + " " + end);
    }
}
