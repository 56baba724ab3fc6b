package io.sdp4j.agent.trace;

import io.sdp4j.trace.TraceConnection;
import io.sdp4j.trace.TraceEvent;
import io.sdp4j.trace.TraceReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/** A trace for people, one line for each event; and the same facts for programs. Stateless. */
public final class TraceText {
    private static final long NANOS = 1_000_000_000L;
    private static final int DUMP_BYTES = 32; // in a line

    private TraceText() {}

    /**
     * Prints a trace.
     *
     * @param wanted which connections
     */
    public static void print(TraceReader trace, IntPredicate wanted, PrintWriter out)
            throws IOException {
        out.println(
                "Trace of process %s, begun %s: %s of %s events kept"
                        .formatted(trace.process(), start(trace), trace.kept(), trace.recorded()));
        for (String note : notes(trace)) {
            out.println("Note: " + note);
        }
        for (TraceConnection c : trace.connections()) {
            if (wanted.test(c.number())) {
                out.println("#" + c.number() + "  " + text(c));
            }
        }
        trace.forEach(
                e -> {
                    if (wanted.test(e.connection())) {
                        out.println(line(e));
                        dump(e, out);
                    }
                });
    }

    /** Faults of the trace, in sentences. */
    public static List<String> notes(TraceReader trace) {
        List<String> notes = new ArrayList<>();
        if (trace.missingBytes() > 0) {
            notes.add("the file was cut off, " + trace.missingBytes() + " bytes are missing");
        }
        if (trace.damaged() > 0) {
            notes.add(trace.damaged() + " records are half written or damaged, and left out");
        }
        return notes;
    }

    /** An address as one writes it. */
    static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /** A connection's description, in a few words. */
    private static String text(TraceConnection c) {
        return text(c.local())
                + (c.connecting() ? " connected to " : " accepted from ")
                + text(c.remote())
                + ", fabric "
                + c.fabric();
    }

    private static Instant start(TraceReader trace) {
        long nanos = trace.startNanos();
        return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
    }

    private static String line(TraceEvent e) {
        StringBuilder details = new StringBuilder();
        int payload = EventWords.payloadBytes(e);
        if (payload > 0) {
            details.append(payload).append(" B  ");
        }
        details.append(words(EventWords.fields(e)));
        String base = words(EventWords.base(e));
        if (!base.isEmpty()) {
            details.append(details.isEmpty() || details.toString().endsWith("  ") ? "" : "  ");
            details.append(base);
        }
        return String.format(
                        Locale.ROOT,
                        "%s  #%d  %s  %-15s %s",
                        seconds(e.nanos()),
                        e.connection(),
                        e.received() ? "<-" : "->",
                        EventWords.name(e),
                        details)
                .stripTrailing();
    }

    private static String seconds(long nanos) {
        return String.format(
                Locale.ROOT, "%5d.%09d", Math.floorDiv(nanos, NANOS), Math.floorMod(nanos, NANOS));
    }

    private static String words(Map<String, Object> fields) {
        return fields.entrySet().stream()
                .map(f -> f.getKey() + " " + f.getValue())
                .collect(Collectors.joining(", "));
    }

    private static void dump(TraceEvent e, PrintWriter out) {
        for (int at = EventWords.payloadAt(e); at < e.keptBytes(); at += DUMP_BYTES) {
            int end = Math.min(e.keptBytes(), at + DUMP_BYTES);
            out.println("                    " + hex(e, at, end));
        }
    }

    private static String hex(TraceEvent e, int from, int to) {
        byte[] bytes = e.kept().asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE);
        return HexFormat.of().formatHex(bytes);
    }

    /** Summary of a trace, without its events. */
    public static Map<String, Object> summary(TraceReader trace, IntPredicate wanted) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("process", trace.process());
        map.put("start", start(trace).toString());
        map.put("recorded", trace.recorded());
        map.put("kept", trace.kept());
        map.put("damaged", trace.damaged());
        map.put("missingBytes", trace.missingBytes());
        map.put("payloadBytes", trace.payloadBytes());
        map.put(
                "connections",
                trace.connections().stream()
                        .filter(c -> wanted.test(c.number()))
                        .map(TraceText::connection)
                        .toList());
        return map;
    }

    private static Map<String, Object> connection(TraceConnection c) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("connection", c.number());
        map.put("role", c.connecting() ? "connecting" : "accepting");
        map.put("local", text(c.local()));
        map.put("remote", text(c.remote()));
        map.put("fabric", c.fabric());
        return map;
    }

    /** One event. */
    public static Map<String, Object> event(TraceEvent e) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("nanos", e.nanos());
        map.put("connection", e.connection());
        map.put("direction", e.received() ? "received" : "sent");
        map.put("name", EventWords.name(e));
        map.put("bytes", e.byteLen());
        map.put("payloadBytes", EventWords.payloadBytes(e));
        map.putAll(EventWords.base(e));
        if (!EventWords.fields(e).isEmpty()) {
            map.put("header", EventWords.fields(e)); // its Len is another than the message's
        }
        int payloadAt = EventWords.payloadAt(e);
        if (payloadAt < e.keptBytes()) {
            map.put("payload", hex(e, payloadAt, e.keptBytes()));
        }
        return map;
    }
}
