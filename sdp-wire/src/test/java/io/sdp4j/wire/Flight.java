package io.sdp4j.wire;

/** A message on the wire or landed, or the end of the wire. */
final class Flight {
    final byte[] header = new byte[Bsdh.MAX_HEADER_BYTES];
    int byteLen;
    long streamAt; // position of its first payload byte in the stream
    int slot;
    int tag; // of a signalled control message, else 0
    boolean hangUp; // the connection below ends here
    boolean failed; // and is reported as a queue pair error
    Lender.Rdma rdma; // no message, but an RDMA operation
    SingleMachine.Rdma loneRdma; // the same, of a machine that has no peer machine

    boolean message() {
        return !hangUp && rdma == null && loneRdma == null;
    }
}
