package io.sdp4j.wire;

/** An {@link ActionList} in words, for the traces of tests. */
final class ActionText {
    private ActionText() {}

    static String of(ActionList out) {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < out.size(); i++) {
            text.append(i == 0 ? "" : ", ").append(describe(out, i));
        }
        return text.append(']').toString();
    }

    private static String describe(ActionList out, int i) {
        return switch (out.kind(i)) {
            case ActionList.SEND ->
                    "SEND slot " + out.slot(i) + ", " + out.bytes(i) + " B" + header(out, i);
            case ActionList.CONTROL -> "CONTROL" + header(out, i);
            case ActionList.SEND_LENT -> "SEND_LENT" + range(out, i) + header(out, i);
            case ActionList.DELIVER -> "DELIVER slot " + out.slot(i) + ", " + out.bytes(i) + " B";
            case ActionList.PLACE -> "PLACE slot " + out.slot(i) + " into" + range(out, i);
            case ActionList.REPOST -> "REPOST slot " + out.slot(i);
            case ActionList.WAKE -> "WAKE " + out.flags(i);
            case ActionList.ARM_TIMER -> "ARM_TIMER " + out.timer(i) + ", " + out.nanos(i) + " ns";
            case ActionList.CANCEL_TIMER -> "CANCEL_TIMER " + out.timer(i);
            case ActionList.DISCONNECT -> "DISCONNECT";
            case ActionList.ABORT -> "ABORT";
            case ActionList.RDMA_READ -> "RDMA_READ into" + range(out, i) + remote(out, i);
            case ActionList.RDMA_WRITE -> "RDMA_WRITE from" + range(out, i) + remote(out, i);
            case ActionList.SOURCE_RETURNED ->
                    "SOURCE_RETURNED buffer "
                            + out.buffer(i)
                            + ", took "
                            + out.bytesDone(i)
                            + " B, "
                            + outcome(out.outcome(i));
            case ActionList.SINK_RETURNED ->
                    "SINK_RETURNED buffer " + out.buffer(i) + ", got " + out.bytesDone(i) + " B";
            case ActionList.KEEP_ALIVE -> "KEEP_ALIVE";
            case ActionList.SUSPENDED -> "SUSPENDED, port " + out.port(i);
            case ActionList.VIOLATION -> "VIOLATION";
            default -> "kind " + out.kind(i);
        };
    }

    private static String outcome(int outcome) {
        return switch (outcome) {
            case ActionList.DONE -> "done";
            case ActionList.COPY -> "copy the rest";
            case ActionList.RECALLED -> "recalled";
            default -> "cut";
        };
    }

    private static String range(ActionList out, int i) {
        return " buffer "
                + out.buffer(i)
                + " at "
                + out.bufferOffset(i)
                + ", "
                + out.bytes(i)
                + " B";
    }

    private static String remote(ActionList out, int i) {
        return ", peer's "
                + Long.toHexString(out.remoteAddress(i))
                + " key "
                + Integer.toHexString(out.rkey(i));
    }

    private static String header(ActionList out, int i) {
        return ": "
                + Mid.name(Bsdh.mid(out.first(i)))
                + " Bufs "
                + Bsdh.bufs(out.first(i))
                + " MSeq "
                + Integer.toUnsignedString(Bsdh.mseq(out.second(i)))
                + " MSeqAck "
                + Integer.toUnsignedString(Bsdh.mseqAck(out.second(i)));
    }
}
