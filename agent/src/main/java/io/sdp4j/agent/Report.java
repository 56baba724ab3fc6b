package io.sdp4j.agent;

import io.sdp4j.agent.log.LogSink;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.SwitchReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes the report. Its JSON form is an interface, which docs/report.md describes and which only
 * ever grows. Stateless.
 */
final class Report {
    private Report() {}

    /**
     * Returns the report as text.
     *
     * @param off why there is no switch, or null
     */
    static String json(SwitchReport report, String off) {
        Map<String, Object> kernel = new LinkedHashMap<>();
        kernel.put("policy", report.kernelPolicy());
        kernel.put("fallback", report.kernelFallback());

        Map<String, Object> connections = new LinkedHashMap<>();
        connections.put("offloaded", new TreeMap<>(report.offloaded()));
        connections.put("kernel", kernel);
        connections.put("refused", report.refused());

        Map<String, Object> accepted = new LinkedHashMap<>();
        accepted.put("offloaded", new TreeMap<>(report.acceptedOffloaded()));
        accepted.put("kernel", report.acceptedKernel());

        Map<String, Object> bytes = new LinkedHashMap<>();
        bytes.put("read", report.bytesRead());
        bytes.put("written", report.bytesWritten());

        Map<String, Object> reasons = new TreeMap<>();
        for (Map.Entry<ReasonCode, Long> reason : report.reasons().entrySet()) {
            reasons.put(reason.getKey().name(), reason.getValue());
        }

        Map<String, Object> moved = new LinkedHashMap<>();
        moved.put("connections", report.moved().connections());
        moved.put("bytes", report.moved().bytes());
        moved.put("millis", report.moved().millis());

        Map<String, Object> root = new LinkedHashMap<>();
        root.put("connections", connections);
        root.put("accepted", accepted);
        root.put("moved", moved);
        root.put("bytes", bytes);
        root.put("reasons", reasons);
        root.put("pid", ProcessHandle.current().pid());
        if (off != null) {
            root.put("off", off);
        }
        return Json.text(root);
    }

    /**
     * Writes {@code text} so that a reader of {@code file} finds either the old content or all of
     * the new. Files of other users in the same directory are not written to, and their links are
     * not followed: the draft is a new file, which replaces {@code file} even if that is a link. A
     * device, such as {@code /dev/stdout}, is written to directly.
     */
    static void write(Path file, String text) throws IOException {
        Path target = file.toAbsolutePath();
        if (isDevice(target)) {
            Files.writeString(target, text + "\n", StandardOpenOption.APPEND);
            return;
        }
        String random = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
        Path temporary = target.resolveSibling(target.getFileName() + "." + random + ".tmp");
        try {
            Files.writeString(
                    temporary,
                    text + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
            Files.move(
                    temporary,
                    target,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /**
     * Whether {@code path} is a device or the like to write to directly, in a directory where no
     * other user can have put it.
     */
    private static boolean isDevice(Path path) {
        Path directory = path.getParent();
        boolean fileOfDev = Files.isSymbolicLink(path) && directory.equals(Path.of("/dev"));
        return Files.exists(path)
                && !Files.isDirectory(path)
                && (!Files.isRegularFile(path) || fileOfDev)
                && LogSink.onlyOurs(directory);
    }
}
