package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.trace.TraceWriter;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Hello;
import io.sdp4j.wire.HelloAck;
import io.sdp4j.wire.Mid;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: {@code sdp4j trace} harms no file, and says in one line what it could not read or write.
 * Method: the jar's command line, with files that it must not touch or cannot use.
 */
class TraceCommandIT {
    private static final int MESSAGES = 2000;

    @TempDir private Path folder;
    private Path trace;

    @BeforeEach
    void record() throws IOException {
        trace = folder.resolve("trace");
        byte[] hello = new byte[32];
        Hello.writeShort(MemorySegment.ofArray(hello), 0, 1, 16, 16_400, 16_400, 4, 4);
        byte[] ack = new byte[28];
        HelloAck.writeShort(MemorySegment.ofArray(ack), 0, 24, 16, 16_400, 4, 4);
        InetAddress address = InetAddress.ofLiteral("192.0.2.1");
        ConnectionTrace connection =
                TraceWriter.create(trace, 1 << 20, 0, 0, 0, 1)
                        .connection(
                                true,
                                new InetSocketAddress(address, 50_001),
                                new InetSocketAddress(address, 8080),
                                "x",
                                hello,
                                1,
                                ack,
                                2);
        MemorySegment data = MemorySegment.ofArray(new byte[64]);
        for (int i = 0; i < MESSAGES; i++) {
            Bsdh.write(data, 0, Mid.DATA, 0, 8, 64, 1 + i, 0);
            connection.message(10 + i, false, data, 0, 64);
        }
    }

    private static void oneLine(int code, String words, Jvm.Outcome outcome) {
        assertEquals(code, outcome.exitCode(), outcome::err);
        assertEquals(1, outcome.errLines().size(), outcome::err);
        assertTrue(outcome.err().startsWith("sdp4j: "), outcome::err);
        assertTrue(outcome.err().contains(words), outcome::err);
    }

    /** Files in the folder, hidden ones too. */
    private List<String> files() throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    private static Jvm.Outcome sh(String script, Path... words) {
        List<String> java = List.of(Jvm.java().toString(), "-XX:-UsePerfData", "-jar");
        String cli = String.join(" ", java) + " " + Jvm.JAR.toAbsolutePath() + " trace ";
        String[] command = new String[4 + words.length];
        command[0] = "sh";
        command[1] = "-c";
        command[2] = script.replace("TRACE", cli);
        command[3] = "sh";
        for (int i = 0; i < words.length; i++) {
            command[4 + i] = words[i].toString();
        }
        return Jvm.process(List.of(command), Map.of());
    }

    @Test
    void neverReplacesTheTrace() throws IOException {
        byte[] before = Files.readAllBytes(trace);
        Path symbolic = Files.createSymbolicLink(folder.resolve("symbolic"), trace);
        Path hard = Files.createLink(folder.resolve("hard"), trace);
        Path around = folder.resolve("..").resolve(folder.getFileName()).resolve("trace");
        List<String> files = files();
        for (Path out : List.of(trace, symbolic, hard, around)) {
            Jvm.Outcome outcome = Jvm.cli("trace", "--pcapng", out.toString(), trace.toString());
            oneLine(2, "is the trace itself", outcome);
        }
        oneLine(
                2,
                "is the trace itself",
                Jvm.cli("trace", "--pcapng", trace.toString(), symbolic.toString()));
        assertArrayEquals(before, Files.readAllBytes(trace));
        assertEquals(files, files());
    }

    @Test
    void replacesWhatALinkLeadsTo() throws IOException {
        Path target = Files.writeString(folder.resolve("target"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);
        Jvm.Outcome outcome = Jvm.cli("trace", "--pcapng", link.toString(), trace.toString());
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertTrue(Files.isSymbolicLink(link));
        assertTrue(Files.size(target) > MESSAGES);
        assertEquals(List.of("link", "target", "trace"), files());
    }

    @Test
    void saysWhereItCannotWrite() throws IOException {
        String in = trace.toString();
        Path none = folder.resolve("none").resolve("out");
        oneLine(69, "there is no directory", Jvm.cli("trace", "--pcapng", none.toString(), in));
        oneLine(69, "it is a directory", Jvm.cli("trace", "--pcapng", folder.toString(), in));
        oneLine(69, "it is not a file", Jvm.cli("trace", "--pcapng", "/dev/full", in));
        Path fifo = folder.resolve("fifo");
        oneLine(
                69,
                "it is not a file",
                sh("mkfifo \"$1\"; TRACE --pcapng \"$1\" \"$2\"", fifo, trace));
        Files.delete(fifo);
        oneLine(69, "cannot write /proc/out", Jvm.cli("trace", "--pcapng", "/proc/out", in));
        assertEquals(List.of("trace"), files());
    }

    /** No room in the middle of it: the old file stays, nothing new does. */
    @Test
    void leavesNothingHalf() throws IOException {
        Path out = Files.writeString(folder.resolve("out"), "old");
        oneLine(
                69,
                "cannot write " + out + ": File too large",
                sh("ulimit -f 16; TRACE --pcapng \"$1\" \"$2\"", out, trace));
        assertEquals("old", Files.readString(out));
        assertEquals(List.of("out", "trace"), files());
    }

    @Test
    void readsFilesOnly() {
        oneLine(69, "not a regular file", sh("cat \"$1\" | TRACE /dev/stdin", trace));
        oneLine(69, "not a regular file", sh("mkfifo \"$1\"; TRACE \"$1\"", folder.resolve("p")));
        oneLine(69, "it is a directory", Jvm.cli("trace", folder.toString()));
        oneLine(
                69,
                "makes it when it begins to offload",
                Jvm.cli("trace", folder.resolve("none").toString()));
    }

    @Test
    void failsWhereItsOutputIsLost() {
        for (String form : List.of("", "--json", "--diagram")) {
            Jvm.Outcome outcome = sh("TRACE " + form + " \"$1\" >/dev/full", trace);
            oneLine(69, "standard output was not written in full", outcome);
        }
    }

    /** As {@code head} does: no failure, and nothing to say. */
    @Test
    void endsQuietlyWhenItsReaderHasGone() {
        for (String form : List.of("", "--json")) {
            Jvm.Outcome outcome =
                    sh("{ TRACE " + form + " \"$1\"; echo $? >&2; } | head -c 100", trace);
            assertEquals("0\n", outcome.err());
            assertEquals(100, outcome.out().length(), outcome::out);
        }
    }
}
