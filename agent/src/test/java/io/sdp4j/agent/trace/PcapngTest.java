package io.sdp4j.agent.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.trace.TraceReader;
import io.sdp4j.trace.TraceWriter;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Hello;
import io.sdp4j.wire.HelloAck;
import io.sdp4j.wire.Mid;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: Wireshark sees in an export what the trace says. Method: every mechanism, headers only and
 * with payload, given to Debian's tshark; and the frames taken apart here.
 */
class PcapngTest {
    @TempDir private Path folder;

    private static PcapngExport.Outcome export(Path trace, Path to) throws IOException {
        try (TraceReader reader = TraceReader.open(trace);
                OutputStream out = new BufferedOutputStream(Files.newOutputStream(to))) {
            return PcapngExport.write(reader, n -> true, out);
        }
    }

    private static Map<Integer, Integer> messages(Path trace) throws IOException {
        Map<Integer, Integer> counts = new TreeMap<>();
        try (TraceReader reader = TraceReader.open(trace)) {
            reader.forEach(
                    e -> {
                        if (EventWords.mid(e) >= 0) {
                            counts.merge(EventWords.mid(e), 1, Integer::sum);
                        }
                    });
        }
        return counts;
    }

    private static int sum(Map<Integer, Integer> counts) {
        return counts.values().stream().mapToInt(n -> n).sum();
    }

    @ParameterizedTest
    @EnumSource
    void tsharkSeesTheSameMessages(Transfers transfer) throws Exception {
        Tshark.need();
        Path trace = folder.resolve("t");
        Path frames = folder.resolve("t.pcapng");
        for (int payloadBytes : new int[] {0, 4096}) {
            transfer.play(trace, payloadBytes);
            PcapngExport.Outcome outcome = export(trace, frames);
            Map<Integer, Integer> expected = messages(trace);
            assertEquals(sum(expected), outcome.messages());
            assertEquals(0, outcome.leftOut());
            assertEquals(new Tshark.Seen(expected, List.of()), Tshark.look(frames));
        }
    }

    /** The fields of Hello and BSDH that tshark knows by name. */
    @Test
    void tsharkReadsTheFields() throws Exception {
        Tshark.need();
        Path trace = folder.resolve("t");
        Path frames = folder.resolve("t.pcapng");
        Transfers.BCOPY.play(trace, 0);
        export(trace, frames);
        assertEquals(
                List.of(
                        "0x00\t8\t92\t0x00000000\t0x00000000\t0x02\t0x02\t0x04\t0x10\t16400\t16400\t50001"),
                Tshark.fields(
                                frames,
                                "infiniband.mad.attributeid == 0x0010",
                                "infiniband_sdp.bsdh.mid",
                                "infiniband_sdp.bsdh.bufs",
                                "infiniband_sdp.bsdh.len",
                                "infiniband_sdp.bsdh.mseq",
                                "infiniband_sdp.bsdh.mseqack",
                                "infiniband_sdp.hh.majv",
                                "infiniband_sdp.hh.minv",
                                "infiniband_sdp.hh.ipv",
                                "infiniband_sdp.hh.maxadverts",
                                "infiniband_sdp.hh.desremrcvsz",
                                "infiniband_sdp.hh.localrcvsz",
                                "infiniband_sdp.hh.localport")
                        .stream()
                        .distinct()
                        .toList());
        assertTrue(
                Tshark.fields(
                                frames,
                                "infiniband.bth.opcode == 4",
                                "infiniband_sdp.bsdh.mid",
                                "infiniband_sdp.bsdh.len",
                                "infiniband_sdp.bsdh.mseq",
                                "frame.len")
                        .contains("0xff\t1016\t0x00000001\t1074"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2001:db8::1", "192.0.2.1"})
    void tsharkTakesBothKindsOfAddressesAndLongMessages(String host) throws Exception {
        Tshark.need();
        Path trace = folder.resolve("t");
        Path frames = folder.resolve("t.pcapng");
        ConnectionTrace connection = connection(trace, host, 1);
        MemorySegment data = MemorySegment.ofArray(new byte[64]);
        int[] lengths = {17, 32_768, 32_769, 32_784, 65_495, 65_537, 100_001, (1 << 20) + 5};
        List<String> expectedLengths = new ArrayList<>();
        int mseq = 1;
        for (int length : lengths) {
            Bsdh.write(data, 0, Mid.DATA, 0, 8, length, mseq++, 0);
            connection.message(10, false, data, 0, length);
            expectedLengths.add(Integer.toString(length));
        }
        Bsdh.write(data, 0, Mid.DISCONN, 0, 8, 16, mseq, 0);
        connection.message(20, false, data, 0, 16);
        PcapngExport.Outcome outcome = export(trace, frames);
        assertEquals(2 + lengths.length + 1, outcome.messages());
        assertEquals(3 + lengths.length + 1, outcome.frames());
        Map<Integer, Integer> expected =
                Map.of(Mid.HELLO, 1, Mid.HELLO_ACK, 1, Mid.DATA, lengths.length, Mid.DISCONN, 1);
        assertEquals(new Tshark.Seen(expected, List.of()), Tshark.look(frames));
        assertEquals(
                expectedLengths,
                Tshark.fields(
                        frames, "infiniband_sdp.bsdh.mid == 0xff", "infiniband_sdp.bsdh.len"));
        int headers = 14 + (host.indexOf(':') >= 0 ? 40 : 20) + 8 + 12 + 4;
        List<String> onTheWire =
                Tshark.fields(frames, "infiniband_sdp.bsdh.mid == 0xff", "frame.len");
        for (int i = 0; i < lengths.length; i++) {
            int bytes = Integer.parseInt(onTheWire.get(i)) - headers - lengths[i];
            assertTrue(bytes >= 0 && bytes < 4, onTheWire::toString);
        }
    }

    /** Lengths are the peer's, or made up; what is made of them is not. */
    @Test
    void isNoLongerThanWhatWasRecorded() throws Exception {
        Tshark.need();
        Path trace = folder.resolve("t");
        Path frames = folder.resolve("t.pcapng");
        ConnectionTrace connection = connection(trace, "192.0.2.1", 1);
        MemorySegment data = MemorySegment.ofArray(new byte[64]);
        int messages = 100;
        for (int i = 0; i < messages; i++) {
            Bsdh.write(data, 0, Mid.DATA, 0, 8, Integer.MAX_VALUE, 1 + i, 0);
            connection.message(10 + i, false, data, 0, Integer.MAX_VALUE);
            connection.rdmaWrite(10 + i, Integer.MAX_VALUE, 7, 4096);
        }
        PcapngExport.Outcome outcome = export(trace, frames);
        assertEquals(3 + 2 * messages, outcome.frames());
        assertTrue(
                Files.size(frames) < 256L * (8 + 2 * messages),
                () -> "bytes: " + frames.toFile().length());
        Map<Integer, Integer> expected = Map.of(Mid.HELLO, 1, Mid.HELLO_ACK, 1, Mid.DATA, messages);
        assertEquals(new Tshark.Seen(expected, List.of()), Tshark.look(frames));
    }

    private ConnectionTrace connection(Path trace, String host, int bufs) throws IOException {
        byte[] hello = new byte[32];
        Hello.writeShort(MemorySegment.ofArray(hello), 0, bufs, 16, 16_400, 16_400, 4, 4);
        byte[] ack = new byte[28];
        HelloAck.writeShort(MemorySegment.ofArray(ack), 0, 24, 16, 16_400, 4, 4);
        InetAddress address = InetAddress.ofLiteral(host);
        return TraceWriter.create(trace, 1 << 16, 0, 0, 0, 1)
                .connection(
                        true,
                        new InetSocketAddress(address, 50_001),
                        new InetSocketAddress(address, 8080),
                        "x",
                        hello,
                        1,
                        ack,
                        2);
    }

    /** The chain of blocks is whole, and lengths inside agree with each other. */
    @ParameterizedTest
    @EnumSource
    void blocksAndHeadersAgree(Transfers transfer) throws IOException {
        Path trace = folder.resolve("t");
        Path frames = folder.resolve("t.pcapng");
        transfer.play(trace, 0);
        long written = export(trace, frames).frames();
        ByteBuffer b = ByteBuffer.wrap(Files.readAllBytes(frames)).order(ByteOrder.LITTLE_ENDIAN);
        List<Integer> types = new ArrayList<>();
        long last = 0;
        while (b.hasRemaining()) {
            int start = b.position();
            types.add(b.getInt());
            int length = b.getInt();
            assertEquals(length, b.getInt(start + length - 4));
            if (types.getLast() == 6) {
                long nanos = (b.getInt(start + 12) & 0xFFFF_FFFFL) << 32;
                nanos |= b.getInt(start + 16) & 0xFFFF_FFFFL;
                assertTrue(nanos >= last);
                last = nanos;
                int captured = b.getInt(start + 20);
                assertTrue(b.getInt(start + 24) >= captured);
                ByteBuffer f = b.slice(start + 28, captured).order(ByteOrder.BIG_ENDIAN);
                assertEquals(0x0800, f.getShort(12));
                assertEquals(captured - 14, f.getShort(16) & 0xFFFF, "IP");
                assertEquals(4791, f.getShort(36));
                assertEquals(captured - 34, f.getShort(38) & 0xFFFF, "UDP");
                int sum = 0;
                for (int i = 14; i < 34; i += 2) {
                    sum += f.getShort(i) & 0xFFFF;
                }
                assertEquals(0xFFFF, (sum & 0xFFFF) + (sum >>> 16), "checksum");
            }
            b.position(start + length);
        }
        assertEquals(List.of(0x0A0D0D0A, 1), types.subList(0, 2));
        assertEquals(written, types.size() - 2);
    }

    /** A set-up that makes no sense is left out, not made up. */
    @Test
    void leavesOutWhatItCannotShow() throws IOException {
        Path trace = folder.resolve("t");
        Path frames = folder.resolve("t.pcapng");
        ConnectionTrace connection = connection(trace, "192.0.2.1", 1);
        connection.disconnect(20, false);
        byte[] bytes = Files.readAllBytes(trace);
        bytes[4096] = 2; // the entry's number, so that its check is wrong
        Files.write(trace, bytes);
        PcapngExport.Outcome outcome = export(trace, frames);
        assertEquals(new PcapngExport.Outcome(0, 0, 1), outcome);
    }
}
