package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.ConnectionRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricListener;
import io.sdp4j.fabric.ListenRequest;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.Features;
import io.sdp4j.wire.HelloFault;
import io.sdp4j.wire.SdpMachine;
import io.sdp4j.wire.WireConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A peer on one thread, the test's, which can do what a stream of ours never does by itself:
 * suspend a session and take it up elsewhere. Copies everything, never lends.
 */
final class HandMadePeer implements AutoCloseable {
    private static final int BUFFERS = 8;
    private static final int BYTES = 16_400;

    private final Fabric fabric;
    private final int credits;
    private final AtomicReference<QueuePair> established = new AtomicReference<>();
    private final AtomicReference<SdpMachine> asked = new AtomicReference<>();
    private final List<QueuePair> all = new ArrayList<>();
    private final List<FabricListener> listeners = new ArrayList<>();
    private final List<ServerSocket> ports = new ArrayList<>();
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final ActionList out = new ActionList();
    private final Completion completion = new Completion();
    private final byte[] header = new byte[36];

    /** Of the connection in use; null before the first. */
    SdpMachine machine;

    private QueuePair qp;
    private boolean suspended;

    HandMadePeer(Fabric fabric) {
        this(fabric, BUFFERS);
    }

    /**
     * @param credits how many buffers it says that it has
     */
    HandMadePeer(Fabric fabric, int credits) {
        this.fabric = fabric;
        this.credits = credits;
    }

    /** A port of its own. */
    InetSocketAddress port() throws IOException {
        ServerSocket port = new ProvedListener(InetAddress.getLoopbackAddress());
        ports.add(port);
        return (InetSocketAddress) port.getLocalSocketAddress();
    }

    /** The next connection is expected there. */
    InetSocketAddress listen(InetSocketAddress port) throws IOException {
        listeners.add(fabric.listen(new ListenRequest(port, false, this::onRequest)));
        return port;
    }

    private void onRequest(ConnectionRequest request) {
        Features features = Features.NONE.withSuspending();
        SdpMachine fresh =
                SdpMachine.accepting(
                        new WireConfig(credits, BYTES, Integer.MAX_VALUE, 16, 4, 4, features));
        MemorySegment hello = MemorySegment.ofArray(request.privateData());
        if (fresh.onHello(hello, 0, (int) hello.byteSize()) != HelloFault.NONE) {
            request.reject(new byte[4]);
            return;
        }
        byte[] ack = new byte[196];
        int bytes = fresh.writeHelloAck(MemorySegment.ofArray(ack), 0);
        asked.set(fresh);
        request.accept(
                new QpSpec(BUFFERS, BYTES, BUFFERS),
                Arrays.copyOf(ack, bytes),
                new ConnectionRequest.Outcome() {
                    @Override
                    public void onEstablished(QueuePair fresh) {
                        fresh.completions().onNotify(() -> {});
                        established.set(fresh);
                    }

                    @Override
                    public void onFailed(FabricException failure) {
                        asked.set(null);
                    }
                });
    }

    /** Takes the connection that has come, or comes. */
    void accept() {
        await().atMost(Duration.ofSeconds(10)).until(() -> established.get() != null);
        qp = established.getAndSet(null);
        machine = asked.getAndSet(null);
        all.add(qp);
        suspended = false;
        machine.onEstablished(out);
        carryOut();
    }

    /** Goes on over a connection that it has opened itself. */
    void take(Established open) {
        qp = open.qp();
        qp.completions().onNotify(() -> {});
        machine = open.machine();
        all.add(qp);
        suspended = false;
        machine.onEstablished(out);
        carryOut();
    }

    /** Whether a connection has come that was not taken. */
    boolean knocked() {
        return established.get() != null;
    }

    /** Makes progress. */
    void pump() {
        while (qp.completions().poll(completion)) {
            switch (completion.opcode) {
                case Completion.RECEIVE -> {
                    int n = Math.min(completion.byteLen, header.length);
                    MemorySegment h = MemorySegment.ofArray(header);
                    MemorySegment.copy(
                            qp.receiveMemory(), qp.receiveOffset(completion.slot), h, 0, n);
                    machine.onReceived(
                            completion.slot,
                            Bsdh.first(h, 0),
                            Bsdh.second(h, 0),
                            h.asSlice(Bsdh.BYTES),
                            completion.byteLen,
                            out);
                }
                case Completion.SEND -> machine.onSendsCompleted(completion.count, out);
                case Completion.DISCONNECTED -> machine.onDisconnected(out);
                case Completion.ERROR -> machine.onQpError(out);
                default -> throw new AssertionError("opcode " + completion.opcode);
            }
            carryOut();
        }
    }

    private void carryOut() {
        for (int i = 0; i < out.size(); i++) {
            switch (out.row(i).kind) {
                case ActionList.CONTROL -> post(qp.takeSendSlot(), i);
                case ActionList.SEND -> post(out.row(i).slot, i);
                case ActionList.DELIVER -> {
                    byte[] b = new byte[out.row(i).bytes];
                    long at = qp.receiveOffset(out.row(i).slot) + out.row(i).offset;
                    MemorySegment.copy(
                            qp.receiveMemory(), ValueLayout.JAVA_BYTE, at, b, 0, b.length);
                    received.writeBytes(b);
                    machine.consumed(out.row(i).slot, out);
                }
                case ActionList.REPOST -> qp.postReceive(out.row(i).slot);
                case ActionList.SUSPENDED -> suspended = true;
                case ActionList.DISCONNECT -> qp.disconnect();
                case ActionList.ABORT -> qp.abort();
                default -> {
                    // timers and wakes: the test is the clock
                }
            }
        }
        out.clear();
    }

    private void post(int slot, int i) {
        out.row(i).writeHeader(qp.sendMemory(), qp.sendOffset(slot));
        qp.postSend(slot, out.row(i).messageBytes(), 0);
        if (out.row(i).kind == ActionList.CONTROL
                && (out.row(i).flags & ActionList.SIGNALLED) != 0) {
            machine.onControlSent(Bsdh.mid(out.row(i).first), out);
        }
    }

    /** Sends one message, for which there is room. */
    void send(byte[] payload, boolean urgent) {
        pump();
        if (!machine.reserve()) {
            throw new AssertionError("no credit");
        }
        int slot = qp.takeSendSlot();
        MemorySegment.copy(
                payload,
                0,
                qp.sendMemory(),
                ValueLayout.JAVA_BYTE,
                qp.sendOffset(slot) + 16,
                payload.length);
        machine.send(slot, payload.length, urgent, out);
        carryOut();
    }

    /** Says SuspComm, and waits for the answer. */
    void suspend(int port) {
        if (!machine.suspend(port, out)) {
            throw new AssertionError("cannot suspend");
        }
        carryOut();
        await().atMost(Duration.ofSeconds(10)).until(this::suspended);
    }

    /** Says SuspComm, and does not wait. */
    void askToSuspend(int port) {
        if (!machine.suspend(port, out)) {
            throw new AssertionError("cannot suspend");
        }
        carryOut();
    }

    boolean suspended() {
        pump();
        return suspended;
    }

    /** All bytes received. */
    byte[] received() {
        if (!suspended) {
            pump();
        }
        return received.toByteArray();
    }

    void shutdownOutput() {
        machine.shutdownOutput(out);
        carryOut();
    }

    void closeMachine(boolean abortive) {
        machine.close(false, abortive, out);
        carryOut();
    }

    @Override
    public void close() throws IOException {
        for (FabricListener l : listeners) {
            l.close();
        }
        for (ServerSocket s : ports) {
            s.close();
        }
        if (established.get() != null) {
            all.add(established.get());
        }
        for (QueuePair q : all) {
            q.abort();
            q.close();
        }
    }
}
