package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.linux.Linux;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/** The user that this process runs as, also where native calls are denied. */
final class OwnUser {
    private static final String KEY = "Uid:";

    private OwnUser() {}

    /**
     * The effective user's number. Read from the status of the process: the owner of {@code
     * /proc/self} is root for every link, and for a process that may not be dumped.
     */
    static long id(boolean nativeCalls) throws FabricException {
        if (nativeCalls) {
            return Integer.toUnsignedLong(Linux.effectiveUid());
        }
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(KEY)) {
                    return Long.parseLong(line.substring(KEY.length()).strip().split("\\s+", 3)[1]);
                }
            }
            throw new IOException("/proc/self/status names no user");
        } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new FabricException(
                    FabricException.Cause.UNAVAILABLE,
                    "the shared-memory fabric needs Linux and /proc: " + e,
                    e);
        }
    }

    /** A user as the JDK shows owners and peers: equal to another one if the numbers are. */
    static UserPrincipal principal(long uid) throws IOException {
        return FileSystems.getDefault()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName(String.valueOf(uid));
    }
}
