package io.sdp4j.agent.trace;

import io.sdp4j.trace.TraceReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The transfer mechanisms, each as a short conversation.
 *
 * <p>In all of them the connecting peer, A, is the Source of what is shown.
 */
enum Transfers {
    /** Buffered copy. */
    BCOPY(
            Conversation.CONNECTING,
            c -> {
                c.a.write(1000);
                c.settle();
                c.b.read();
                c.b.write(200);
                c.settle();
                c.a.read();
                c.a.write(40_000);
                c.settle();
                c.b.read();
                c.settle();
            }),
    /** The Sink reads what the Source has advertised. */
    READ_ZCOPY(
            Conversation.ACCEPTING,
            c -> {
                c.a.lend(131_072);
                c.settle();
                c.b.read();
                lendSink(c, 131_072);
                c.settle();
            }),
    /** The Source writes into what the Sink has advertised. */
    WRITE_ZCOPY(
            Conversation.CONNECTING,
            c -> {
                pipeline(c);
                lendSink(c, 131_072);
                c.settle();
                c.a.lend(100_000);
                c.settle();
            }),
    /** The Sink wants it as Data after all. */
    SEND_SM(
            Conversation.ACCEPTING,
            c -> {
                c.a.lend(40_000);
                c.settle();
                c.b.read();
                c.b.event(o -> c.b.machine.sink().refuse(o));
                c.settle();
                c.b.read();
                c.settle();
            }),
    /** The Source wants it back. */
    CANCEL(
            Conversation.CONNECTING,
            c -> {
                c.a.lend(40_000);
                c.settle();
                c.b.read();
                c.a.event(o -> c.a.machine.source().recall(o));
                c.settle();
            }),
    /** Modes. */
    MODE_CHANGE(Conversation.ACCEPTING, Transfers::pipeline),
    /** The orderly end. */
    CLOSE(
            Conversation.CONNECTING,
            c -> {
                c.a.write(100);
                c.a.event(o -> c.a.machine.shutdownOutput(o));
                c.settle();
                c.b.read();
                c.b.write(50);
                c.b.event(o -> c.b.machine.close(false, false, o));
                c.settle();
                c.a.read();
                c.a.event(o -> c.a.machine.close(false, false, o));
                c.settle();
            }),
    /** The other end. */
    CUT(
            Conversation.CONNECTING,
            c -> {
                c.b.write(100);
                c.settle();
                c.a.event(o -> c.a.machine.close(c.a.hasUnread(), false, o));
                c.settle();
            });

    private final int end;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final Consumer<Conversation> script;

    Transfers(int end, Consumer<Conversation> script) {
        this.end = end;
        this.script = script;
    }

    /** The end that sees most of it: only who posts RDMA has it in its trace. */
    int end() {
        return end;
    }

    /** Plays it, traced into {@code file}. */
    void play(Path file, int payloadBytes) throws IOException {
        script.accept(new Conversation(file, payloadBytes));
    }

    /** Its diagram. */
    String diagram(Path file) throws IOException {
        play(file, 0);
        try (TraceReader trace = TraceReader.open(file)) {
            return TraceDiagram.of(trace, end, false);
        }
    }

    private static void lendSink(Conversation c, long bytes) {
        c.b.event(
                o -> {
                    if (!c.b.machine.sink().lend(1, bytes, 0x22, 0x2000, true, o)) {
                        throw new AssertionError("not taken: " + c.b.machine.state());
                    }
                });
    }

    /** Two buffers side by side, which the Sink reads into one. */
    private static void pipeline(Conversation c) {
        c.a.lend(40_000);
        c.a.lend(40_000);
        c.settle();
        c.b.read();
        lendSink(c, 80_000);
        c.settle();
    }
}
