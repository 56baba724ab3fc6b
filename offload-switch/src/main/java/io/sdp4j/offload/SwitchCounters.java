package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.OffloadStream;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Counts connections when they are established and bytes when they are over. Thread-safe.
 *
 * <p>Shape: {@code live} holds the offloaded streams that are open, so that a report can include
 * what they have carried; every call of {@link #took} is followed by one of {@link #closing}.
 */
public final class SwitchCounters {
    private static final Set<ReasonCode> POLICY =
            EnumSet.of(
                    ReasonCode.YOUNG,
                    ReasonCode.NOT_WORTH,
                    ReasonCode.RULE_DIRECT,
                    ReasonCode.RULE_TCP,
                    ReasonCode.SWITCH_OFF,
                    ReasonCode.KERNEL_SCOPE,
                    ReasonCode.PROXY);

    private final Map<String, LongAdder> offloaded = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> acceptedOffloaded = new ConcurrentHashMap<>();
    private final LongAdder kernelPolicy = new LongAdder();
    private final LongAdder kernelFallback = new LongAdder();
    private final LongAdder acceptedKernel = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder moved = new LongAdder();
    private final LongAdder movedBytes = new LongAdder();
    private final LongAdder movedMillis = new LongAdder();
    private final Map<ReasonCode, LongAdder> reasons = new EnumMap<>(ReasonCode.class);

    private volatile Supplier<Map<ReasonCode, long[]>> before; // null = there were none

    private final Object bytesLock = new Object();
    private final Set<OffloadStream> live = ConcurrentHashMap.newKeySet();
    private long closedRead; // bytesLock
    private long closedWritten; // bytesLock

    public SwitchCounters() {
        for (ReasonCode code : ReasonCode.values()) {
            reasons.put(code, new LongAdder());
        }
    }

    /**
     * Sets the source of the counts of those kernel connections that are not reported to this
     * object.
     *
     * @param counts by reason the number of connections made, and of those accepted
     */
    public void countedBefore(Supplier<Map<ReasonCode, long[]>> counts) {
        before = counts;
    }

    /** Counts a connection that was made on the kernel. */
    public void kernelConnected(ReasonCode reason) {
        kernel(reason).increment();
        reasons.get(reason).increment();
    }

    /** Counts a connection that was accepted from the kernel. */
    public void kernelAccepted(ReasonCode reason) {
        acceptedKernel.increment();
        reasons.get(reason).increment();
    }

    /**
     * Counts an attempt or a connection that was refused because the rule allows nothing but
     * offload.
     */
    public void refused() {
        refused.increment();
    }

    /** Counts an offloaded connection that was made or accepted. */
    public void opened(ConnectionInfo info, boolean accepted) {
        (accepted ? acceptedOffloaded : offloaded)
                .computeIfAbsent(info.fabric(), f -> new LongAdder())
                .increment();
        reasons.get(ReasonCode.OFFLOADED).increment();
    }

    /**
     * Counts what this stream carries from now on, even before it is certain that a connection
     * moves onto it.
     */
    public void took(OffloadStream stream) {
        live.add(stream);
    }

    /**
     * Counts a connection as offloaded that was counted as one on the kernel.
     *
     * @param info describes its stream
     * @param reason why it was on the kernel
     * @param bytes payload that it has carried on the kernel
     * @param millis its age
     */
    void moved(ConnectionInfo info, ReasonCode reason, boolean accepted, long bytes, long millis) {
        opened(info, accepted);
        moved.increment();
        movedBytes.add(bytes);
        movedMillis.add(millis);
        (accepted ? acceptedKernel : kernel(reason)).decrement();
        reasons.get(reason).decrement();
    }

    /** Changes the reason for which a connection made on the kernel is there. */
    public void stays(ReasonCode was, ReasonCode now) {
        kernel(was).decrement();
        reasons.get(was).decrement();
        kernelConnected(now);
    }

    private LongAdder kernel(ReasonCode reason) {
        return POLICY.contains(reason) ? kernelPolicy : kernelFallback;
    }

    /** Takes the final counts of a stream. Called once, before the stream is closed. */
    public void closing(OffloadStream stream) {
        synchronized (bytesLock) {
            ConnectionInfo info = stream.info();
            closedRead += Math.max(info.bytesRead(), 0);
            closedWritten += Math.max(info.bytesWritten(), 0);
            live.remove(stream);
        }
    }

    /** Returns the counts so far, those of open streams included. */
    public SwitchReport report() {
        long read;
        long written;
        synchronized (bytesLock) { // keeps the streams in live open: see closing()
            read = closedRead;
            written = closedWritten;
            for (OffloadStream stream : live) {
                ConnectionInfo info = stream.info();
                read += Math.max(info.bytesRead(), 0);
                written += Math.max(info.bytesWritten(), 0);
            }
        }
        Map<ReasonCode, Long> counted = new EnumMap<>(ReasonCode.class);
        reasons.forEach((code, adder) -> counted.put(code, adder.sum()));
        long policy = kernelPolicy.sum();
        long fallback = kernelFallback.sum();
        long accepted = acceptedKernel.sum();
        Map<ReasonCode, long[]> uncounted = before == null ? Map.of() : before.get();
        for (Map.Entry<ReasonCode, long[]> early : uncounted.entrySet()) {
            long connected = early.getValue()[0];
            long acceptedBefore = early.getValue()[1];
            counted.merge(early.getKey(), connected + acceptedBefore, Long::sum);
            accepted += acceptedBefore;
            if (POLICY.contains(early.getKey())) {
                policy += connected;
            } else {
                fallback += connected;
            }
        }
        counted.values().removeIf(count -> count == 0);
        return new SwitchReport(
                sums(offloaded),
                policy,
                fallback,
                sums(acceptedOffloaded),
                accepted,
                read,
                written,
                counted,
                refused.sum(),
                new SwitchReport.Moved(moved.sum(), movedBytes.sum(), movedMillis.sum()));
    }

    private static Map<String, Long> sums(Map<String, LongAdder> adders) {
        Map<String, Long> sums = new TreeMap<>();
        adders.forEach((name, adder) -> sums.put(name, adder.sum()));
        return sums;
    }
}
