package io.sdp4j.agent.trace;

import io.sdp4j.trace.TraceConnection;
import io.sdp4j.trace.TraceEvent;
import io.sdp4j.trace.TraceReader;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Hello;
import io.sdp4j.wire.HelloAck;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.Mid;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * Writes a trace as the RoCEv2 frames that the same conversation would be between two InfiniBand
 * SDP peers, so that Wireshark's dissector takes it.
 *
 * <p>Invented are: hardware addresses, queue pairs, packet sequence numbers, the CM's own fields,
 * and Hello and HelloAck in the InfiniBand form instead of the short one. Frames lack what the
 * trace lacks: payload that was not kept, RDMA of the other end, answers to RDMA Reads.
 *
 * <p>Each message is one packet, because the dissector takes every packet of a connection for a
 * message. It holds what the trace has kept, so a file never grows beyond what was recorded; the
 * frame's length on the wire is the message's.
 *
 * <p>For one thread.
 */
public final class PcapngExport {
    /** Shown of a message that has them: the dissector calls shorter Data malformed. */
    private static final int LEAST_SHOWN_BYTES = Bsdh.BYTES + 4;

    private static final byte[] NOTHING = {};

    private final PcapngFile file;
    private final long startNanos;
    private final Map<Integer, TraceConnection> connections = new HashMap<>(); // not all
    private final Map<Integer, Flow> flows = new HashMap<>();
    private long frames;
    private long messages;
    private long leftOut;

    /** State of one connection for its frames. */
    private static final class Flow {
        final TraceConnection connection;
        final CmMessage cm;
        final InetSocketAddress connecting;
        final InetSocketAddress accepting;
        final int[] psn = new int[2];
        boolean greeted;
        boolean ending;

        Flow(TraceConnection c) {
            connection = c;
            connecting = c.connecting() ? c.local() : c.remote();
            accepting = c.connecting() ? c.remote() : c.local();
            cm = new CmMessage(c.number(), connecting, accepting);
        }
    }

    /**
     * Counts of the written file.
     *
     * @param frames all frames
     * @param messages SDP messages in them, Hello and HelloAck included
     * @param leftOut events of connections whose set-up is no longer in the trace, or makes no
     *     sense
     */
    public record Outcome(long frames, long messages, long leftOut) {}

    private PcapngExport(TraceReader trace, OutputStream out) throws IOException {
        file = new PcapngFile(out);
        startNanos = trace.startNanos();
        trace.connections().forEach(c -> connections.putIfAbsent(c.number(), c));
    }

    /**
     * Writes the frames of the wanted connections.
     *
     * @param out buffered; stays open
     */
    public static Outcome write(TraceReader trace, IntPredicate wanted, OutputStream out)
            throws IOException {
        PcapngExport export = new PcapngExport(trace, out);
        try {
            trace.forEach(
                    e -> {
                        if (wanted.test(e.connection())) {
                            export.add(e);
                        }
                    });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return new Outcome(export.frames, export.messages, export.leftOut);
    }

    private void add(TraceEvent e) {
        Flow flow = flows.get(e.connection());
        int mid = EventWords.mid(e);
        if (flow == null) {
            flow = mid == Mid.HELLO ? begin(e) : null;
            if (flow == null) {
                leftOut++;
            }
            return;
        }
        boolean fromConnecting = e.received() != flow.connection.connecting();
        switch (e.kind()) {
            case MESSAGE -> {
                if (mid == Mid.HELLO_ACK && !flow.greeted) {
                    finishSetUp(flow, e);
                } else {
                    send(flow, e, fromConnecting);
                }
            }
            case RDMA_READ -> rdma(flow, e, fromConnecting, RoceFrame.READ_REQUEST, 0);
            case RDMA_WRITE -> rdma(flow, e, fromConnecting, RoceFrame.WRITE_ONLY, e.byteLen());
            case DISCONNECT -> {
                byte[] content =
                        flow.ending ? flow.cm.drep(fromConnecting) : flow.cm.dreq(fromConnecting);
                flow.ending = true;
                datagram(flow, e, fromConnecting, content);
            }
            case ABORT -> {} // a queue pair in error says nothing
        }
    }

    /** Without the bytes that it moves: none were kept, and they would be taken for a message. */
    private void rdma(Flow flow, TraceEvent e, boolean fromConnecting, int opcode, int moved) {
        byte[] reth = RoceFrame.reth(EventWords.va(e), EventWords.rkey(e), e.byteLen());
        frame(flow, e, fromConnecting, opcode, reth, NOTHING, moved);
    }

    /** Hello and HelloAck make sense together, or there is no connection. */
    private Flow begin(TraceEvent e) {
        TraceConnection c = connections.get(e.connection());
        if (c == null
                || Hello.check(c.hello(), 0, (int) c.hello().byteSize()) != HelloFault.NONE
                || HelloAck.check(c.helloAck(), 0, (int) c.helloAck().byteSize())
                        != HelloFault.NONE) {
            return null;
        }
        Flow flow = new Flow(c);
        flows.put(c.number(), flow);
        datagram(flow, e, true, flow.cm.req(ibHello(flow, c.hello())));
        messages++;
        return flow;
    }

    private void finishSetUp(Flow flow, TraceEvent e) {
        MemorySegment ack = flow.connection.helloAck();
        byte[] ib = new byte[HelloAck.IB_BYTES];
        HelloAck.writeIb(
                MemorySegment.ofArray(ib),
                0,
                Bsdh.bufs(ack, 0),
                HelloAck.maxAdverts(ack, 0),
                HelloAck.receiveBytes(ack, 0));
        flow.greeted = true;
        datagram(flow, e, false, flow.cm.rep(ib));
        messages++;
        datagram(flow, e, true, flow.cm.rtu());
    }

    private static byte[] ibHello(Flow flow, MemorySegment hello) {
        byte[] ib = new byte[Hello.IB_BYTES];
        boolean ipv4 =
                flow.connecting.getAddress() instanceof Inet4Address
                        && flow.accepting.getAddress() instanceof Inet4Address;
        ByteBuffer from = address(flow.connecting, ipv4);
        ByteBuffer to = address(flow.accepting, ipv4);
        Hello.writeIb(
                MemorySegment.ofArray(ib),
                0,
                ipv4 ? 4 : 6,
                Bsdh.bufs(hello, 0),
                Hello.maxAdverts(hello, 0),
                Hello.desiredBytes(hello, 0),
                Hello.receiveBytes(hello, 0),
                flow.connecting.getPort(),
                from.getLong(0),
                from.getLong(8),
                to.getLong(0),
                to.getLong(8));
        return ib;
    }

    private static ByteBuffer address(InetSocketAddress address, boolean ipv4) {
        if (!ipv4) {
            return ByteBuffer.wrap(RoceFrame.gid(address));
        }
        return ByteBuffer.allocate(16).put(12, address.getAddress().getAddress());
    }

    private void send(Flow flow, TraceEvent e, boolean fromConnecting) {
        int shown = Math.min(e.byteLen(), Math.max(e.keptBytes(), LEAST_SHOWN_BYTES));
        byte[] bytes = new byte[shown];
        MemorySegment.copy(
                e.kept(), ValueLayout.JAVA_BYTE, 0, bytes, 0, Math.min(shown, e.keptBytes()));
        int hidden = e.byteLen() - shown;
        frame(flow, e, fromConnecting, RoceFrame.SEND_ONLY, NOTHING, bytes, hidden);
        messages++;
    }

    private void datagram(Flow flow, TraceEvent e, boolean fromConnecting, byte[] content) {
        frame(flow, e, fromConnecting, RoceFrame.UD_SEND_ONLY, content, NOTHING, 0);
    }

    private void frame(
            Flow flow,
            TraceEvent e,
            boolean fromConnecting,
            int opcode,
            byte[] extended,
            byte[] payload,
            int hiddenBytes) {
        boolean ud = opcode == RoceFrame.UD_SEND_ONLY;
        byte[] frame =
                RoceFrame.of(
                        fromConnecting ? flow.connecting : flow.accepting,
                        fromConnecting ? flow.accepting : flow.connecting,
                        fromConnecting,
                        opcode,
                        ud ? CmMessage.QUEUE_PAIR : flow.cm.queuePair(!fromConnecting),
                        ud ? 0 : flow.psn[fromConnecting ? 0 : 1]++,
                        extended,
                        payload);
        boolean inbound = fromConnecting != flow.connection.connecting();
        try {
            file.frame(startNanos + e.nanos(), inbound, frame, hiddenBytes);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        frames++;
    }
}
