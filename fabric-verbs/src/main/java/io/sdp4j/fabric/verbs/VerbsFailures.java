package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.Linux;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Turns errno values and events into exceptions that tell the fault, its cause, and the cure.
 *
 * <p>Source of the values: docs/verbs.md 4, measured on rxe and siw; {@code enum ib_cm_rej_reason}
 * of the kernel's ib_cm.h for the positive ones.
 */
final class VerbsFailures {
    private static final int REJ_INVALID_SERVICE_ID = 8;
    private static final int REJ_TIMEOUT = 4;
    private static final int REJ_STALE_CONN = 10;
    private static final int REJ_CONSUMER = 28;

    /** Private data of a refusal by the fabric itself, for a shortage; then zeros. */
    private static final byte[] SHORT = {0x5D, 'R', 0, 0};

    private VerbsFailures() {}

    /** Explains why there is no event channel. */
    static FabricException noChannel(int result) {
        if (cause(result) == Cause.RESOURCES) {
            return of("the RDMA connection manager cannot be used", result);
        }
        String why =
                switch (-result) {
                    case Linux.ENODEV, Linux.ENOSYS, Linux.ENOENT ->
                            "no RDMA device: the kernel shows none to this process; load the"
                                    + " driver of the adapter and rdma_ucm (modprobe rdma_ucm), or"
                                    + " give the container /dev/infiniband";
                    case Linux.EACCES, Linux.EPERM ->
                            "/dev/infiniband/rdma_cm may not be opened; give this user read and"
                                    + " write permission for it";
                    default -> "the RDMA connection manager cannot be used: " + Linux.text(result);
                };
        return new FabricException(Cause.UNAVAILABLE, why);
    }

    /** Explains a failed call. */
    static FabricException of(String what, int result) {
        // adapters lock the memory of queues, too
        String cure = result == -Linux.ENOMEM ? lockedCure(lockedLimit()) : "";
        return new FabricException(cause(result), what + ": " + text(result) + cure);
    }

    /** Returns {@code result}; if it is {@code -errno}, throws {@link #of}. */
    static long check(String what, long result) throws FabricException {
        if (result < 0) {
            throw of(what, (int) result);
        }
        return result;
    }

    private static String text(int result) {
        return Linux.text(result)
                + (result == -Linux.EAGAIN
                        ? "; the device or the control group allows no more RDMA objects (rdma.max)"
                        : "");
    }

    /**
     * Returns the cause for an errno. EAGAIN is a limit of the control group or of a device,
     * because none of these calls waits.
     */
    private static Cause cause(int result) {
        return switch (-result) {
            case Linux.ENOMEM, Linux.ENFILE, Linux.EMFILE, Linux.EAGAIN -> Cause.RESOURCES;
            case Linux.EADDRINUSE, Linux.EADDRNOTAVAIL -> Cause.IN_USE;
            case Linux.ECONNREFUSED -> Cause.NO_LISTENER;
            case Linux.ETIMEDOUT -> Cause.TIMED_OUT;
            case Linux.ECONNRESET -> Cause.REFUSED;
            default -> Cause.UNAVAILABLE;
        };
    }

    /**
     * Explains a step of the library that failed while it fetched an event, without the peer's
     * doing. The library reports ENODEV for anything that kept it from opening the device.
     */
    private static FabricException own(int errno) {
        String unopened =
                errno == Linux.ENODEV
                        ? ", or the device could not be opened: look at the limit of open files"
                                + " (ulimit -n), the permissions of /dev/infiniband and rdma.max of"
                                + " the control group"
                        : "";
        return new FabricException(
                cause(-errno) == Cause.RESOURCES ? Cause.RESOURCES : Cause.UNAVAILABLE,
                "the RDMA library cannot go on with the connection: " + text(-errno) + unopened);
    }

    /** Explains why memory could not be registered. */
    static FabricException memory(long bytes, int result) {
        if (result == -Linux.EAGAIN) {
            return of("cannot register " + bytes + " bytes", result);
        }
        return new FabricException(
                Cause.RESOURCES,
                "cannot register "
                        + bytes
                        + " bytes: "
                        + Linux.text(result)
                        + lockedCure(lockedLimit()));
    }

    /** Returns what to do about {@code limit}, one of locked memory, if it may be the reason. */
    static String lockedCure(String limit) {
        return limit.equals("unlimited")
                ? ""
                : "; locked memory is limited to "
                        + limit
                        + " bytes: raise it (ulimit -l, LimitMEMLOCK= of the service)";
    }

    /** Returns the limit of locked memory as the kernel prints it. */
    static String lockedLimit() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
                if (line.startsWith("Max locked memory")) {
                    return line.substring("Max locked memory".length()).strip().split(" ", 2)[0];
                }
            }
        } catch (IOException e) {
            // the caller's message does without
        }
        return "an unknown number of";
    }

    /** Explains an event that ends an attempt to connect. */
    static FabricException of(CmEvent e, byte[] privateData) {
        if (e.errno() != 0) {
            return own(e.errno());
        }
        int status = e.status();
        return switch (e.type()) {
            case RdmaCmEvent.ADDR_ERROR, RdmaCmEvent.ROUTE_ERROR ->
                    new FabricException(
                            status == -Linux.ETIMEDOUT ? Cause.TIMED_OUT : Cause.UNAVAILABLE,
                            "no RDMA path to the destination: " + Linux.text(status));
            case RdmaCmEvent.REJECTED -> rejected(status, privateData);
            case RdmaCmEvent.UNREACHABLE, RdmaCmEvent.CONNECT_ERROR ->
                    new FabricException(
                            status == -Linux.ECONNREFUSED ? Cause.NO_LISTENER : Cause.TIMED_OUT,
                            "the peer did not answer: " + Linux.text(status));
            case RdmaCmEvent.DEVICE_REMOVAL ->
                    new FabricException(Cause.CLOSED, "the RDMA device was removed");
            default ->
                    new FabricException(Cause.CLOSED, "the connection ended while it was set up");
        };
    }

    /** Private data that tells {@code why} to the client that is refused. */
    static byte[] refusal(FabricException why) {
        return why.why() == Cause.RESOURCES ? SHORT : new byte[0];
    }

    private static boolean isShort(byte[] refusal) {
        return Arrays.equals(Arrays.copyOf(refusal, SHORT.length), SHORT);
    }

    private static FabricException rejected(int status, byte[] privateData) {
        return switch (status) {
            case REJ_INVALID_SERVICE_ID, -Linux.ECONNREFUSED ->
                    new FabricException(Cause.NO_LISTENER, "no listener there on RDMA");
            case REJ_CONSUMER, -Linux.ECONNRESET ->
                    isShort(privateData)
                            ? new FabricException(
                                    Cause.RESOURCES,
                                    "the listener is short of memory, descriptors or RDMA objects")
                            : new FabricException(
                                    Cause.REFUSED, "the listener refused", privateData, null);
            case REJ_TIMEOUT, -Linux.ETIMEDOUT ->
                    new FabricException(Cause.TIMED_OUT, "the peer gave up");
            case REJ_STALE_CONN -> // the peer ends that one now, so the next try may succeed
                    new FabricException(
                            Cause.IN_USE,
                            "the peer's connection manager still knows an earlier connection of"
                                    + " this host");
            default ->
                    new FabricException(
                            Cause.REFUSED,
                            "the peer's connection manager refused, reason " + status,
                            privateData,
                            null);
        };
    }
}
