package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Tells the operator when a rule wants offload and something prevents it that the operator can
 * repair or report. Each reason, and each kind of fault, is logged once in this process.
 * Thread-safe.
 */
final class Losses {
    private static final Map<ReasonCode, String> ADVICE =
            new EnumMap<>(
                    Map.of(
                            ReasonCode.UNAVAILABLE,
                            "'java -jar sdp4j-agent.jar doctor' looks for what is missing",
                            ReasonCode.UID,
                            "run both processes as the same user, in the same namespaces",
                            ReasonCode.MEMORY,
                            "raise that limit here or at the peer: ulimit -n, ulimit -f,"
                                    + " ulimit -u, sdp4j.memory.max.mb, the memory of a container",
                            ReasonCode.BUFFERS,
                            "give both ends the same sdp4j.buffers.count and"
                                    + " sdp4j.buffers.bytes",
                            ReasonCode.INTERNAL,
                            "report this to the maker of that provider"));

    private final Consumer<String> log;
    private final Set<Object> told = ConcurrentHashMap.newKeySet(); // reasons, details, faults

    Losses(Consumer<String> log) {
        this.log = log;
    }

    /** Whether a fault of this kind has not been reported yet; true once. */
    boolean first(Object kind) {
        return told.add(kind);
    }

    /** Marks a reason, or the detail of some failures, as reported already. */
    void known(Object what) {
        told.add(what);
    }

    /**
     * Reports that a destination or listener is not offloaded though its rule wants it. Logs only
     * reasons for which there is advice.
     *
     * @param what the destination or the listener
     */
    void add(Object what, ReasonCode reason, String detail) {
        String advice = ADVICE.get(reason);
        if (advice != null && !told.contains(detail) && told.add(reason)) {
            log.accept(
                    what
                            + " is not offloaded: "
                            + detail
                            + "; "
                            + advice
                            + " (reason "
                            + reason
                            + ", told once)");
        }
    }
}
