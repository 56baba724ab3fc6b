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
        return switch (out.row(i).kind) {
            case ActionList.SEND ->
                    "SEND slot "
                            + out.row(i).slot
                            + ", "
                            + out.row(i).bytes
                            + " B"
                            + header(out, i);
            case ActionList.CONTROL -> "CONTROL" + header(out, i);
            case ActionList.SEND_LENT -> "SEND_LENT" + range(out, i) + header(out, i);
            case ActionList.DELIVER ->
                    "DELIVER slot " + out.row(i).slot + ", " + out.row(i).bytes + " B";
            case ActionList.PLACE -> "PLACE slot " + out.row(i).slot + " into" + range(out, i);
            case ActionList.REPOST -> "REPOST slot " + out.row(i).slot;
            case ActionList.WAKE -> "WAKE " + out.row(i).flags;
            case ActionList.ARM_TIMER ->
                    "ARM_TIMER " + out.row(i).timer + ", " + out.row(i).nanos + " ns";
            case ActionList.CANCEL_TIMER -> "CANCEL_TIMER " + out.row(i).timer;
            case ActionList.DISCONNECT -> "DISCONNECT";
            case ActionList.ABORT -> "ABORT";
            case ActionList.RDMA_READ -> "RDMA_READ into" + range(out, i) + remote(out, i);
            case ActionList.RDMA_WRITE -> "RDMA_WRITE from" + range(out, i) + remote(out, i);
            case ActionList.SOURCE_RETURNED ->
                    "SOURCE_RETURNED buffer "
                            + out.row(i).buffer
                            + ", took "
                            + out.row(i).bufferOffset
                            + " B, "
                            + outcome(out.row(i).outcome);
            case ActionList.SINK_RETURNED ->
                    "SINK_RETURNED buffer "
                            + out.row(i).buffer
                            + ", got "
                            + out.row(i).bufferOffset
                            + " B";
            case ActionList.KEEP_ALIVE -> "KEEP_ALIVE";
            case ActionList.SUSPENDED -> "SUSPENDED, port " + out.row(i).port;
            case ActionList.VIOLATION -> "VIOLATION";
            default -> "kind " + out.row(i).kind;
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
                + out.row(i).buffer
                + " at "
                + out.row(i).bufferOffset
                + ", "
                + out.row(i).bytes
                + " B";
    }

    private static String remote(ActionList out, int i) {
        return ", peer's "
                + Long.toHexString(out.row(i).remoteAddress)
                + " key "
                + Integer.toHexString(out.row(i).rkey);
    }

    private static String header(ActionList out, int i) {
        return ": "
                + Mid.name(Bsdh.mid(out.row(i).first))
                + " Bufs "
                + Bsdh.bufs(out.row(i).first)
                + " MSeq "
                + Integer.toUnsignedString(Bsdh.mseq(out.row(i).second))
                + " MSeqAck "
                + Integer.toUnsignedString(Bsdh.mseqAck(out.row(i).second));
    }
}
