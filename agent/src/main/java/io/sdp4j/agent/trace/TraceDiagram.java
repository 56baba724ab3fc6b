package io.sdp4j.agent.trace;

import io.sdp4j.trace.TraceConnection;
import io.sdp4j.trace.TraceEvent;
import io.sdp4j.trace.TraceReader;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/**
 * One connection as a Mermaid sequence diagram.
 *
 * <p>Left is the peer that connected, A. Solid arrows are SDP messages, dashed ones RDMA and the
 * end of the connection below. Numbers that are another in each run (times, keys, addresses) are
 * left out.
 */
public final class TraceDiagram {
    /** More arrows than that show nothing. */
    static final int MAX_ARROWS = 400;

    private static final Set<String> LEFT_OUT = Set.of("rkey", "va", "MajV", "MinV", "Port", "IPV");

    private final StringBuilder text = new StringBuilder("sequenceDiagram\n");
    private final int connection;
    private final boolean connecting;
    private int arrows;

    private TraceDiagram(int connection, boolean connecting) {
        this.connection = connection;
        this.connecting = connecting;
    }

    /**
     * Draws connection {@code number}.
     *
     * @param sequenceNumbers whether MSeq and MSeqAck are shown, too
     */
    public static String of(TraceReader trace, int number, boolean sequenceNumbers)
            throws IOException {
        TraceConnection known =
                trace.connections().stream()
                        .filter(c -> c.number() == number)
                        .findFirst()
                        .orElse(null); // it may be forgotten
        TraceDiagram diagram = new TraceDiagram(number, known == null || known.connecting());
        String here = known == null ? "traced" : TraceText.text(known.local());
        String there = known == null ? "peer" : TraceText.text(known.remote());
        diagram.participant("A", diagram.connecting ? here : there, "connected");
        diagram.participant("B", diagram.connecting ? there : here, "accepted");
        trace.forEach(e -> diagram.add(e, sequenceNumbers));
        if (diagram.arrows > MAX_ARROWS) {
            diagram.text
                    .append("    Note over A,B: and ")
                    .append(diagram.arrows - MAX_ARROWS)
                    .append(" more\n");
        }
        return diagram.text.toString();
    }

    private void participant(String letter, String address, String role) {
        text.append("    participant ").append(letter);
        text.append(" as ").append(role).append(' ').append(address).append('\n');
    }

    private void add(TraceEvent e, boolean sequenceNumbers) {
        if (e.connection() != connection || ++arrows > MAX_ARROWS) {
            return;
        }
        boolean fromA = e.received() != connecting;
        String arrow =
                switch (e.kind()) {
                    case MESSAGE -> "->>";
                    case RDMA_READ, RDMA_WRITE, DISCONNECT -> "-->>";
                    case ABORT -> "--x";
                };
        text.append("    ").append(fromA ? "A" : "B").append(arrow).append(fromA ? "B" : "A");
        text.append(": ").append(words(e, sequenceNumbers)).append('\n');
    }

    private static String words(TraceEvent e, boolean sequenceNumbers) {
        StringJoiner details = new StringJoiner(", ");
        for (Map.Entry<String, Object> field : EventWords.fields(e).entrySet()) {
            if (!LEFT_OUT.contains(field.getKey())) {
                details.add(field.getKey() + " " + field.getValue());
            }
        }
        int payload = EventWords.payloadBytes(e);
        if (payload > 0) {
            details.add(payload + " B");
        }
        for (Map.Entry<String, Object> field : EventWords.base(e).entrySet()) {
            boolean counted = field.getKey().startsWith("MSeq");
            boolean update = payload == 0 && EventWords.name(e).equals("Data");
            if (counted ? sequenceNumbers : update || field.getKey().equals("Flags")) {
                details.add(field.getKey() + " " + field.getValue());
            }
        }
        String name = EventWords.name(e);
        return details.length() == 0 ? name : name + " (" + details + ")";
    }
}
