package io.sdp4j.wire;

/** An action of an {@link Outbox} in words, for traces. */
final class OutboxText {
    private OutboxText() {}

    static String describe(Outbox out, int i) {
        return switch (out.kind(i)) {
            case Outbox.SEND ->
                    "SEND slot " + out.slot(i) + ", " + out.bytes(i) + " B" + header(out, i);
            case Outbox.CONTROL -> "CONTROL" + header(out, i);
            case Outbox.SEND_LENT -> "SEND_LENT" + range(out, i) + header(out, i);
            case Outbox.DELIVER -> "DELIVER slot " + out.slot(i) + ", " + out.bytes(i) + " B";
            case Outbox.PLACE -> "PLACE slot " + out.slot(i) + " into" + range(out, i);
            case Outbox.REPOST -> "REPOST slot " + out.slot(i);
            case Outbox.WAKE -> "WAKE " + out.flags(i);
            case Outbox.ARM_TIMER -> "ARM_TIMER " + out.timer(i) + ", " + out.nanos(i) + " ns";
            case Outbox.CANCEL_TIMER -> "CANCEL_TIMER " + out.timer(i);
            case Outbox.DISCONNECT -> "DISCONNECT";
            case Outbox.ABORT -> "ABORT " + out.reason(i);
            case Outbox.RDMA_READ -> "RDMA_READ into" + range(out, i) + remote(out, i);
            case Outbox.RDMA_WRITE -> "RDMA_WRITE from" + range(out, i) + remote(out, i);
            case Outbox.SOURCE_RETURNED ->
                    "SOURCE_RETURNED buffer "
                            + out.buffer(i)
                            + ", took "
                            + out.bytesDone(i)
                            + " B, "
                            + outcome(out.outcome(i));
            case Outbox.SINK_RETURNED ->
                    "SINK_RETURNED buffer " + out.buffer(i) + ", got " + out.bytesDone(i) + " B";
            case Outbox.RESIZE -> "RESIZE " + out.bytes(i) + " B";
            case Outbox.KEEP_ALIVE -> "KEEP_ALIVE";
            case Outbox.SUSPENDED -> "SUSPENDED, port " + out.port(i);
            case Outbox.VIOLATION -> "VIOLATION " + out.reason(i);
            default -> "kind " + out.kind(i);
        };
    }

    private static String outcome(int outcome) {
        return switch (outcome) {
            case Outbox.DONE -> "done";
            case Outbox.COPY -> "copy the rest";
            case Outbox.RECALLED -> "recalled";
            default -> "cut";
        };
    }

    private static String range(Outbox out, int i) {
        return " buffer "
                + out.buffer(i)
                + " at "
                + out.bufferOffset(i)
                + ", "
                + out.bytes(i)
                + " B";
    }

    private static String remote(Outbox out, int i) {
        return ", peer's "
                + Long.toHexString(out.remoteAddress(i))
                + " key "
                + Integer.toHexString(out.rkey(i));
    }

    private static String header(Outbox out, int i) {
        return ": "
                + Mid.name(out.mid(i))
                + " Bufs "
                + out.bufs(i)
                + " MSeq "
                + Integer.toUnsignedString(out.mseq(i))
                + " MSeqAck "
                + Integer.toUnsignedString(out.mseqAck(i));
    }
}
