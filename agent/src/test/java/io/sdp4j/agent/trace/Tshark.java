package io.sdp4j.agent.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Wireshark's dissectors on a pcapng file. Stateless. */
public final class Tshark {
    private static final int LIMIT_SECONDS = 60;

    /** Dissectors that claim SDP messages for themselves. */
    private static final List<String> RIVALS =
            List.of(
                    "rpcrdma_infiniband",
                    "smcr_infiniband",
                    "smb_direct_infiniband",
                    "lnet_ib",
                    "lnet_ib_cm_private",
                    "iser_infiniband",
                    "iser_ib_private",
                    "eth_over_ib",
                    "fc_infiniband");

    private Tshark() {}

    /** Aborts the test, aloud, where it is not installed; fails it where it has to be. */
    public static void need() {
        try {
            if (new ProcessBuilder("tshark", "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0) {
                return;
            }
        } catch (IOException absent) {
            // told below
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        String absent =
                "TSHARK IS NOT INSTALLED, SO NO FRAME IS CHECKED BY WIRESHARK:"
                        + " apt-get install tshark";
        System.err.println(absent);
        if (System.getenv("CI") != null) {
            throw new AssertionError(absent);
        }
        Assumptions.abort(absent);
    }

    /** The named fields of the frames that a filter takes; fields are separated by tabs. */
    static List<String> fields(Path file, String filter, String... fields) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("tshark", "-n", "-2", "-r", file.toString()));
        for (String rival : RIVALS) {
            command.addAll(List.of("--disable-heuristic", rival));
        }
        command.addAll(List.of("-Y", filter, "-T", "fields"));
        for (String field : fields) {
            command.addAll(List.of("-e", field));
        }
        return run(command);
    }

    private static List<String> run(List<String> command) throws Exception {
        Path out = Files.createTempFile("tshark", ".out");
        Path err = Files.createTempFile("tshark", ".err");
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile())
                            .start();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(command + " hangs");
            }
            if (process.exitValue() != 0) {
                throw new AssertionError(command + ": " + Files.readString(err, UTF_8));
            }
            return Files.readAllLines(out, UTF_8);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    /**
     * Its output for a file.
     *
     * @param messages SDP messages by MID
     * @param malformed frames that it cannot make sense of, but for Data without payload: its
     *     dissector reads a payload all the same, and then says of a plain credit update that it is
     *     malformed
     */
    public record Seen(Map<Integer, Integer> messages, List<String> malformed) {}

    /** Looks at every frame, and counts each that is taken for SDP, whatever it is. */
    public static Seen look(Path file) throws Exception {
        Map<Integer, Integer> messages = new TreeMap<>();
        List<String> malformed = new ArrayList<>();
        for (String line :
                fields(
                        file,
                        "frame",
                        "infiniband.bth.opcode",
                        "infiniband.mad.attributeid",
                        "infiniband_sdp.bsdh.mid",
                        "infiniband_sdp.bsdh.len",
                        "_ws.col.Info")) {
            String[] f = line.split("\t", -1);
            if (!f[2].isEmpty()) {
                messages.merge(Integer.decode(f[2]), 1, Integer::sum);
            }
            boolean emptyData = f[2].equals("0xff") && f[3].equals("16");
            if (f[4].contains("Malformed") && !emptyData) {
                malformed.add(line);
            }
        }
        return new Seen(messages, malformed);
    }
}
