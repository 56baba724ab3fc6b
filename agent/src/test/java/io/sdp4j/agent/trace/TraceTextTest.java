package io.sdp4j.agent.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.agent.Json;
import io.sdp4j.agent.JsonReader;
import io.sdp4j.trace.TraceReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: traces are told right, and odd ones do no harm. Method: played conversations, bent files.
 */
class TraceTextTest {
    @TempDir private Path folder;

    private static List<String> text(Path trace, int connection) throws IOException {
        StringWriter text = new StringWriter();
        try (TraceReader reader = TraceReader.open(trace)) {
            PrintWriter out = new PrintWriter(text);
            TraceText.print(reader, n -> connection == 0 || n == connection, out);
            out.flush();
        }
        return text.toString().lines().toList();
    }

    @Test
    void printsOneLineForEachEvent() throws IOException {
        Path trace = folder.resolve("t");
        Transfers.READ_ZCOPY.play(trace, 4);
        List<String> lines = text(trace, Conversation.ACCEPTING);
        assertTrue(lines.get(0).startsWith("Trace of process 1, begun 1970-01-01T00:00:00Z: "));
        assertEquals(
                List.of(
                        "#2  192.0.2.2:8080 accepted from 192.0.2.1:50001, fabric simulated",
                        "    0.000001000  #2  <-  Hello           MajV 1, MinV 1, MaxAdverts 16,"
                                + " DesRemRcvSz 16400, LocalRcvSz 16400, LocORD 4, LocIRD 4"
                                + "  Bufs 8, MSeq 0, MSeqAck 0",
                        "    0.000002000  #2  ->  HelloAck        MajV 1, MinV 1, MaxAdverts 16,"
                                + " ActRcvSz 16400, LocORD 4, LocIRD 4  Bufs 8, MSeq 0, MSeqAck 0"),
                lines.subList(1, 4));
        assertTrue(
                lines.contains(
                        "    0.000004000  #2  <-  SrcAvail        1 B  Len 131072, rkey 0x11,"
                                + " va 0x1000  Bufs 8, MSeq 1, MSeqAck 0"),
                lines::toString);
        assertEquals("                    00", lines.get(5), "the payload byte that was kept");
    }

    @ParameterizedTest
    @EnumSource
    void jsonSaysTheSame(Transfers transfer) throws IOException {
        Path trace = folder.resolve("t");
        transfer.play(trace, 0);
        List<String> lines = text(trace, 0);
        List<String> names = new ArrayList<>();
        try (TraceReader reader = TraceReader.open(trace)) {
            Map<?, ?> summary =
                    (Map<?, ?>) JsonReader.parse(Json.text(TraceText.summary(reader, n -> true)));
            assertEquals(2, ((List<?>) summary.get("connections")).size());
            reader.forEach(
                    e -> {
                        String json = Json.text(TraceText.event(e));
                        Map<?, ?> event = (Map<?, ?>) JsonReader.parse(json);
                        names.add((String) event.get("name"));
                        assertEquals(e.nanos(), event.get("nanos"));
                        assertEquals((long) e.byteLen(), event.get("bytes"));
                    });
        }
        assertEquals(
                names,
                lines.stream()
                        .filter(l -> l.startsWith("    0."))
                        .map(l -> l.substring(25, Math.min(41, l.length())).strip())
                        .toList());
    }

    /** Whatever passes the reader's checks is printed, drawn and exported. */
    @Test
    void takesAnyBytes() throws IOException {
        Path trace = folder.resolve("t");
        Transfers.WRITE_ZCOPY.play(trace, 16);
        byte[] good = Files.readAllBytes(trace);
        Random random = new Random(11);
        int told = 0;
        for (int round = 0; round < 500; round++) {
            byte[] bent = good.clone();
            int cells = 4096 + 256 * 256;
            for (int n = random.nextInt(30); n >= 0; n--) {
                // inside the first cells, where the checks are then made right again
                bent[cells + random.nextInt(30 * 88)] = (byte) random.nextInt();
            }
            Resigned.cells(bent, cells, 88, 30);
            Files.write(trace, bent);
            told += text(trace, 0).size();
            try (TraceReader reader = TraceReader.open(trace)) {
                assertFalse(TraceDiagram.of(reader, 1, true).contains(";"));
                PcapngExport.write(reader, n -> true, OutputStream.nullOutputStream());
                reader.forEach(e -> JsonReader.parse(Json.text(TraceText.event(e))));
            }
        }
        assertTrue(told > 5000, "the checks kept nearly everything out: " + told);
    }
}
