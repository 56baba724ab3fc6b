package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.wire.SdpMachine;
import java.net.InetSocketAddress;

/**
 * A connection whose Hello and HelloAck were exchanged.
 *
 * @param machine has seen both
 * @param qp belongs to the owner of this record
 * @param trace told of all that goes over the queue pair from here on; null = nothing is recorded
 */
record Established(
        SdpMachine machine,
        QueuePair qp,
        InetSocketAddress local,
        InetSocketAddress remote,
        ConnectionTrace trace) {
    /** Cuts the connection and closes its queue pair; no stream has it yet. */
    void abort() {
        if (trace != null) {
            trace.abort(System.nanoTime(), false, "");
        }
        qp.abort();
        qp.close();
    }
}
