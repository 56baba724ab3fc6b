package io.sdp4j.agent.log;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.event.Level;

/** A log goes where the operator wants it, and nowhere else. */
@Timeout(120)
final class LogSinkTest {
    private static final long LONG_NANOS = 60_000_000_000L;

    @TempDir Path dir;

    private Path linkIn(String permissions) throws IOException {
        Path victim = Files.writeString(dir.resolve("victim"), "mine");
        return Files.createSymbolicLink(directory(permissions).resolve("log"), victim);
    }

    private Path directory(String permissions) throws IOException {
        Path shared = Files.createDirectory(dir.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString(permissions));
        return shared;
    }

    private static void append(Path file) throws IOException {
        try (OutputStream out = LogSink.open(file)) {
            out.write("+".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void aLinkWhereOthersCanPlantOneIsNotFollowed() throws Exception {
        Path link = linkIn("rwxrwxrwx");
        assertThrows(IOException.class, () -> append(link));
        assertEquals("mine", Files.readString(dir.resolve("victim")));
        Path plain = link.resolveSibling("plain");
        append(plain);
        append(plain);
        assertEquals("++", Files.readString(plain));
    }

    /** Its reader is there, so that a thread which opens it does not wait for one for good. */
    @ParameterizedTest
    @CsvSource({"rwxrwxrwx, false", "rwxr-xr-x, true"})
    void onlyTheOperatorsOwnFifoIsWrittenTo(String permissions, boolean written) throws Exception {
        Path fifo = directory(permissions).resolve("log");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        try (FileChannel reader =
                FileChannel.open(fifo, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (written) {
                append(fifo);
                assertEquals(1, reader.read(ByteBuffer.allocate(8)));
            } else {
                assertThrows(IOException.class, () -> append(fifo));
            }
        }
    }

    @Test
    void aFileOfAnotherUserWhereOthersCanPlantOneIsNotWrittenTo() throws Exception {
        Path file = Files.createFile(directory("rwxrwxrwx").resolve("log"));
        try {
            Files.setAttribute(file, "unix:uid", 1234);
        } catch (IOException e) {
            assumeTrue(false, "only root can give a file away");
        }
        assertThrows(IOException.class, () -> append(file));
        assertEquals(0, Files.size(file));
    }

    /** Of a name that is none, as a file system may say in the locale C. */
    @Test
    void aFileThatCannotBeOpenedIsToldUnlessQuiet() {
        PrintStream usual = System.err;
        try {
            for (String name : List.of("a\u0000b", dir.toString())) {
                for (boolean quiet : new boolean[] {false, true}) {
                    ByteArrayOutputStream told = new ByteArrayOutputStream();
                    System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
                    LogSink.configure("warn", name, quiet);
                    LogSink.write(Level.WARN, "test", "lost", null);
                    assertTrue(LogSink.await(LONG_NANOS));
                    String says = told.toString(StandardCharsets.UTF_8);
                    assertEquals(!quiet, says.contains("log file cannot be opened"), says);
                }
            }
        } finally {
            System.setErr(usual);
            LogSink.configure("warn", "", false);
        }
    }

    /**
     * Goal: a thread that logs never waits for what writes the lines, which keep their order; no
     * thread stays. Method: standard error is stuck, and gets more lines than may wait.
     */
    @Test
    void whatIsSlowToWriteHoldsUpNoThreadThatLogs() {
        CountDownLatch goOn = new CountDownLatch(1);
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        OutputStream stuck =
                new FilterOutputStream(told) {
                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        told.write(bytes, offset, length);
                    }
                };
        PrintStream usual = System.err;
        System.setErr(new PrintStream(stuck, true, StandardCharsets.UTF_8));
        try {
            LogSink.configure("trace", "", false);
            for (int i = 0; i < 2 * LogThread.MOST; i++) {
                LogSink.write(Level.TRACE, "test", "line " + (10_000 + i), null);
            }
            assertFalse(LogSink.await(1));
            goOn.countDown();
            assertTrue(LogSink.await(LONG_NANOS));
        } finally {
            goOn.countDown();
            System.setErr(usual);
            LogSink.configure("warn", "", false);
        }
        List<String> lines =
                told.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(l -> l.contains("line"))
                        .toList();
        List<String> texts = lines.stream().map(l -> l.substring(l.indexOf("line "))).toList();
        assertEquals(texts.stream().sorted().toList(), texts);
        assertEquals("line 10000", texts.getFirst());
        assertTrue(texts.size() == LogThread.MOST || texts.size() == LogThread.MOST + 1);
        awaitEndOfThread();
    }

    /** Goal: logging that is incomplete does not reach the handler, which may end the JVM. */
    @Test
    void anErrorOfTheApplicationsLoggingStaysHere() {
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        OutputStream incomplete =
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        throw new NoClassDefFoundError("of the test");
                    }
                };
        PrintStream usual = System.err;
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        System.setErr(new PrintStream(incomplete, true, StandardCharsets.UTF_8));
        Thread.setDefaultUncaughtExceptionHandler((_, e) -> uncaught.add(e));
        try {
            LogSink.configure("trace", "", false);
            LogSink.print("a line");
            LogSink.write(Level.TRACE, "test", "a record", null);
            awaitEndOfThread();
        } finally {
            System.setErr(usual);
            Thread.setDefaultUncaughtExceptionHandler(handler);
            LogSink.configure("warn", "", false);
        }
        assertEquals(List.of(), uncaught);
    }

    private static void awaitEndOfThread() {
        await().until(
                        () ->
                                Thread.getAllStackTraces().keySet().stream()
                                        .noneMatch(t -> t.getName().equals("sdp4j-log")));
    }

    @Test
    void theOperatorsOwnLinkIsFollowed() throws Exception {
        append(linkIn("rwxr-xr-x"));
        assertEquals("mine+", Files.readString(dir.resolve("victim")));
    }
}
