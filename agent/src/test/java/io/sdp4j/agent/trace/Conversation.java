package io.sdp4j.agent.trace;

import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.trace.TraceWriter;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Features;
import io.sdp4j.wire.HelloAck;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.SdpMachine;
import io.sdp4j.wire.WireConfig;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Two real machines that talk to each other over a wire without delay, step by step; both ends are
 * traced, in one file, with a clock that ticks once for each event.
 *
 * <p>Shape: connection 1 is the connecting end's, 2 the accepting end's. Payload is zeros. For one
 * thread.
 */
final class Conversation {
    static final int CONNECTING = 1;
    static final int ACCEPTING = 2;

    private static final WireConfig CONFIG =
            new WireConfig(8, 16_400, Integer.MAX_VALUE, 16, 4, 4)
                    .with(Features.NONE.withZcopy(8, 65_536));
    private static final InetSocketAddress CLIENT = address("192.0.2.1", 50_001);
    private static final InetSocketAddress SERVER = address("192.0.2.2", 8080);
    private static final int TICK_NANOS = 1000;

    final End a = new End(SdpMachine.connecting(CONFIG));
    final End b = new End(SdpMachine.accepting(CONFIG));
    private long now;

    Conversation(Path file) throws IOException {
        this(file, 0);
    }

    Conversation(Path file, int payloadBytes) throws IOException {
        TraceWriter trace = TraceWriter.create(file, 1 << 20, payloadBytes, 0, 0, 1);
        MemorySegment wire = MemorySegment.ofArray(new byte[HelloAck.IB_BYTES]);
        int helloBytes = a.machine.writeHello(wire, 0);
        byte[] hello = bytes(wire, helloBytes);
        require(b.machine.onHello(wire, 0, helloBytes) == HelloFault.NONE);
        int ackBytes = b.machine.writeHelloAck(wire, 0);
        byte[] ack = bytes(wire, ackBytes);
        require(a.machine.onHelloAck(wire, 0, ackBytes) == HelloFault.NONE);
        long start = tick();
        long end = tick();
        a.trace = trace.connection(true, CLIENT, SERVER, "simulated", hello, start, ack, end);
        b.trace = trace.connection(false, SERVER, CLIENT, "simulated", hello, start, ack, end);
        a.peer = b;
        b.peer = a;
        a.event(out -> a.machine.onEstablished(out));
        b.event(out -> b.machine.onEstablished(out));
        settle();
    }

    private static InetSocketAddress address(String host, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(host), port);
    }

    private static byte[] bytes(MemorySegment m, int count) {
        byte[] bytes = new byte[count];
        MemorySegment.copy(m, 0, MemorySegment.ofArray(bytes), 0, count);
        return bytes;
    }

    private static void require(boolean condition) {
        if (!condition) {
            throw new AssertionError("the machines do not understand each other");
        }
    }

    private long tick() {
        now += TICK_NANOS;
        return now;
    }

    /** Lets everything happen that needs no program; by turns, so that nothing is overtaken. */
    void settle() {
        boolean moved = true;
        while (moved) {
            moved = a.step();
            moved |= b.step();
        }
    }

    /** One end: machine, and the least of a shell. */
    final class End {
        final SdpMachine machine;
        private final ActionList out = new ActionList();
        private final Deque<Runnable> arriving = new ArrayDeque<>();
        private final Deque<Integer> posted = new ArrayDeque<>();
        private final Deque<Integer> unread = new ArrayDeque<>();
        private ConnectionTrace trace;
        private End peer;
        private long lent; // bytes of the last buffer, the only one that is refused
        private long owed;
        private boolean up = true;

        End(SdpMachine machine) {
            this.machine = machine;
            for (int slot = 0; slot < CONFIG.receiveSlots(); slot++) {
                posted.add(slot);
            }
        }

        /** Tells the machine something and carries out what it wants. */
        void event(Consumer<ActionList> event) {
            event.accept(out);
            for (int i = 0; i < out.size(); i++) {
                act(i);
            }
            out.clear();
        }

        /** The program writes, as far as credits allow; the wire stands still. */
        void write(int bytes) {
            for (int left = bytes; left > 0; ) {
                int n = Math.min(left, machine.source().payloadLimit());
                if (!machine.reserve()) {
                    settle();
                    require(machine.reserve());
                }
                event(o -> machine.send(0, n, false, o));
                left -= n;
            }
        }

        /** The program reads everything that has been delivered. */
        void read() {
            while (!unread.isEmpty()) {
                int slot = unread.remove();
                event(o -> machine.consumed(slot, o));
            }
        }

        /** The program writes a buffer of so many bytes, which is lent. */
        void lend(long bytes) {
            lent = bytes;
            event(o -> require(machine.source().lend(1, bytes, 0x11, 0x1000, o)));
        }

        boolean hasUnread() {
            return !unread.isEmpty();
        }

        private boolean step() {
            if (owed > 0 && machine.writable()) {
                int n = (int) Math.min(owed, machine.source().payloadLimit());
                owed -= n;
                write(n);
                return true;
            }
            Runnable next = arriving.poll();
            if (next != null) {
                next.run();
            }
            return next != null;
        }

        private void act(int i) {
            switch (out.row(i).kind) {
                case ActionList.SEND, ActionList.CONTROL, ActionList.SEND_LENT -> send(i);
                case ActionList.DELIVER -> unread.add(out.row(i).slot);
                case ActionList.REPOST -> posted.add(out.row(i).slot);
                case ActionList.RDMA_READ -> {
                    trace.rdmaRead(
                            tick(), out.row(i).bytes, out.row(i).rkey, out.row(i).remoteAddress);
                    arriving.add(() -> event(o -> machine.sink().onReadsCompleted(1, o)));
                }
                case ActionList.RDMA_WRITE -> {
                    trace.rdmaWrite(
                            tick(), out.row(i).bytes, out.row(i).rkey, out.row(i).remoteAddress);
                    arriving.add(() -> event(o -> machine.source().onWritesCompleted(1, o)));
                }
                case ActionList.SOURCE_RETURNED -> {
                    if (out.row(i).outcome == ActionList.COPY) {
                        owed = lent - out.row(i).bufferOffset;
                    }
                }
                case ActionList.DISCONNECT -> {
                    trace.disconnect(tick(), false);
                    peer.arriving.add(peer::disconnected);
                    arriving.add(this::disconnected);
                }
                case ActionList.ABORT -> {
                    trace.abort(tick(), false, "");
                    up = false;
                    peer.arriving.add(peer::disconnected);
                }
                default -> {} // wakes, timers, placing
            }
        }

        private void disconnected() {
            if (up) {
                up = false;
                trace.disconnect(tick(), true);
                event(machine::onDisconnected);
            }
        }

        private void send(int i) {
            int byteLen = out.row(i).messageBytes();
            byte[] message = new byte[Math.max(byteLen, Bsdh.MAX_HEADER_BYTES)];
            MemorySegment m = MemorySegment.ofArray(message);
            out.row(i).writeHeader(m, 0);
            trace.message(tick(), false, m, 0, byteLen);
            peer.arriving.add(() -> peer.receive(message, byteLen));
            if ((out.row(i).flags & ActionList.SIGNALLED) != 0) {
                int mid = Bsdh.mid(out.row(i).first);
                arriving.add(() -> event(o -> machine.onControlSent(mid, o)));
            }
        }

        private void receive(byte[] message, int byteLen) {
            if (!up) {
                return;
            }
            MemorySegment m = MemorySegment.ofArray(message);
            MemorySegment header =
                    MemorySegment.ofArray(Arrays.copyOf(message, Bsdh.MAX_HEADER_BYTES));
            trace.message(tick(), true, m, 0, byteLen);
            int slot = posted.remove();
            event(
                    o ->
                            machine.onReceived(
                                    slot,
                                    Bsdh.first(header, 0),
                                    Bsdh.second(header, 0),
                                    header.asSlice(Bsdh.BYTES),
                                    byteLen,
                                    o));
        }
    }
}
