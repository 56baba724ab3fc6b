package io.sdp4j.agent.cli;

import io.sdp4j.agent.Json;
import io.sdp4j.agent.trace.PcapngExport;
import io.sdp4j.agent.trace.TraceDiagram;
import io.sdp4j.agent.trace.TraceText;
import io.sdp4j.trace.TraceReader;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what the agent option {@code trace} has written. */
@Command(
        name = "trace",
        description = "Print the SDP messages that the agent option trace=FILE has recorded.",
        footer = {
            "",
            "The file may still be written to. -> sent by the traced process, <- received.",
            "Payload is kept if the agent option trace.payload.bytes says so. More, and how",
            "to open the pcapng in Wireshark: docs/trace.md.",
            "Exit code 0; 1 when FILE is not a trace; 69 when a file cannot be read or written."
        })
final class TraceCommand extends Subcommand {
    @Parameters(paramLabel = "FILE", description = "The file that trace=FILE has named.")
    private Path file;

    @Option(
            names = "--connection",
            paramLabel = "N",
            description = "Only this one; without it, all (--diagram: the first).")
    private int connection;

    @ArgGroup private Form form = new Form();

    /** Output format: one of them, or text. */
    private static final class Form {
        @Option(names = "--json", description = "Print the trace as JSON.")
        private boolean json;

        @Option(names = "--diagram", description = "Draw a Mermaid sequence diagram.")
        private boolean diagram;

        @Option(
                names = "--pcapng",
                paramLabel = "OUT",
                description = "Write RoCEv2 frames for Wireshark, replacing OUT.")
        private Path pcapng;
    }

    @Override
    public Integer call() {
        if (!Files.isRegularFile(file)) { // opening a FIFO would wait for its writer
            throw new Unavailable(
                    "cannot read "
                            + file
                            + (Files.exists(file)
                                    ? ": it is "
                                            + (Files.isDirectory(file)
                                                    ? "a directory"
                                                    : "not a regular file")
                                    : ": no such file")
                            + "; name what the agent option trace=FILE has written; a JVM makes it"
                            + " when it begins to offload");
        }
        if (form.pcapng != null && same(file, form.pcapng)) {
            err().println(
                            "sdp4j: "
                                    + form.pcapng
                                    + " is the trace itself, and would be replaced; name another"
                                    + " file for --pcapng");
            return Exit.USAGE;
        }
        try (TraceReader trace = TraceReader.open(file)) {
            write(trace, n -> connection == 0 || n == connection, out());
        } catch (TraceReader.NotATrace e) {
            err().println("sdp4j: " + file + " is not a trace: " + e.getMessage());
            return Exit.FAILED;
        } catch (IOException e) {
            throw new Unavailable("cannot read " + file + ": " + Failures.reason(e));
        }
        return Exit.OK;
    }

    /** One file, whatever its names are. */
    private static boolean same(Path trace, Path out) {
        try {
            return Files.exists(out) && Files.isSameFile(trace, out);
        } catch (IOException e) {
            throw new Unavailable("cannot write " + out + ": " + Failures.reason(e));
        }
    }

    private void write(TraceReader trace, IntPredicate wanted, PrintWriter out) throws IOException {
        if (form.json) {
            json(trace, wanted, out);
        } else if (form.diagram) {
            out.print(TraceDiagram.of(trace, connection == 0 ? first(trace) : connection, true));
            out.flush();
        } else if (form.pcapng != null) {
            pcapng(trace, wanted, out);
        } else {
            TraceText.print(trace, wanted, out);
        }
    }

    private static int first(TraceReader trace) {
        return trace.connections().isEmpty() ? 1 : trace.connections().getFirst().number();
    }

    /** One value, written as it is read: a trace may be larger than the heap. */
    private static void json(TraceReader trace, IntPredicate wanted, PrintWriter out)
            throws IOException {
        String summary = Json.text(TraceText.summary(trace, wanted));
        out.print(summary.substring(0, summary.length() - 1) + ",\"events\":[");
        String[] before = {""};
        trace.forEach(
                e -> {
                    if (wanted.test(e.connection())) {
                        out.print(before[0] + Json.text(TraceText.event(e)));
                        before[0] = ",";
                    }
                });
        out.println("]}");
    }

    private void pcapng(TraceReader trace, IntPredicate wanted, PrintWriter out)
            throws IOException {
        PcapngExport.Outcome outcome;
        try (NewFile file = NewFile.create(form.pcapng)) {
            OutputStream to = new BufferedOutputStream(file);
            outcome = PcapngExport.write(trace, wanted, to);
            to.flush();
            file.finish();
        }
        out.println(
                "%s: %s frames, %s SDP messages"
                        .formatted(form.pcapng, outcome.frames(), outcome.messages()));
        if (outcome.leftOut() > 0) {
            out.println(
                    "Left out: "
                            + outcome.leftOut()
                            + " events of connections whose set-up is not in the trace any more");
        }
        TraceText.notes(trace).forEach(note -> out.println("Note: " + note));
    }
}
