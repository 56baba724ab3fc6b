package io.sdp4j.stream;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.trace.TraceWriter;
import java.net.InetSocketAddress;

/**
 * State that all streams of a provider share.
 *
 * @param settings what each is made with
 * @param traces where each is traced; null = nowhere
 * @param loop the event thread, which looks after them
 * @param setup threads that may block while they connect
 * @param trimmer looks at them from time to time
 * @param complaints told what their peers have done wrong
 * @param atExit knows those that end with the process
 */
record StreamContext(
        StreamSettings settings,
        TraceWriter traces,
        EventLoop loop,
        SetupThreads setup,
        IdleTrimmer trimmer,
        ViolationLog complaints,
        StreamsAtExit atExit) {
    /**
     * The trace of a connection that is up now; null where none is written.
     *
     * @param helloNanos when Hello was sent, or came
     */
    ConnectionTrace trace(
            boolean connecting,
            InetSocketAddress local,
            InetSocketAddress remote,
            Fabric fabric,
            byte[] hello,
            long helloNanos,
            byte[] answer) {
        return traces == null
                ? null
                : traces.connection(
                        connecting,
                        local,
                        remote,
                        fabric.name(),
                        hello,
                        helloNanos,
                        answer,
                        System.nanoTime());
    }
}
