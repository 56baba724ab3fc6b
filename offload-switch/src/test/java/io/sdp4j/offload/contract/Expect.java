package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.function.Executable;

/** Exact outcomes: class and message of an exception are part of the contract. */
public final class Expect {
    private Expect() {}

    public static void thrown(Class<? extends Throwable> type, String message, Executable call) {
        is(type, message, assertThrows(Throwable.class, call));
    }

    public static void is(Class<? extends Throwable> type, String message, Throwable t) {
        if (t.getClass() != type) {
            throw new AssertionError("expected " + type.getName() + ": " + message, t);
        }
        assertSame(type, t.getClass());
        assertEquals(message, t.getMessage());
    }

    /**
     * Less than 10 ms of processor time, the kernel's least, in one of several seconds: others'
     * work in this JVM adds.
     */
    public static void noProcessorTime() throws InterruptedException {
        OperatingSystemMXBean system =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 15 && least > TimeUnit.MILLISECONDS.toNanos(10); i++) {
            long before = system.getProcessCpuTime();
            TimeUnit.SECONDS.sleep(1); // the time that is measured
            least = Math.min(least, system.getProcessCpuTime() - before);
        }
        assertTrue(least <= TimeUnit.MILLISECONDS.toNanos(10), least + " ns of CPU in a second");
    }

    /** Bytes that no shift or swap leaves alike. */
    public static byte[] bytes(int length, long seed) {
        byte[] b = new byte[length];
        new Random(seed).nextBytes(b);
        return b;
    }

    static void send(Socket s, String text) throws IOException {
        s.getOutputStream().write(text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
    }

    /** Exactly that many characters. */
    static String receive(Socket s, int length) throws IOException {
        return text(s.getInputStream().readNBytes(length));
    }

    public static String text(byte[] b) {
        return new String(b, java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    static int readOne(InputStream in) throws IOException {
        return in.read();
    }

    /** Writes until nothing more fits, from another thread that stays blocked. */
    static Task<Void> fill(Task.Kind kind, Socket s) throws InterruptedException {
        Task<Void> writer =
                Task.start(
                        kind,
                        () -> {
                            // taken once: of a closed socket it fails with another message
                            OutputStream out = s.getOutputStream();
                            byte[] chunk = new byte[64 * 1024];
                            while (true) {
                                out.write(chunk);
                            }
                        });
        writer.awaitBlocked();
        return writer;
    }
}
