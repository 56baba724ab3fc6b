package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import java.util.Map;

/**
 * The counts of a switch so far; a snapshot. A connection counts once it is established, so the sum
 * of {@code reasons} is the number of all connections, made and accepted.
 *
 * @param offloaded connections made, by the fabric that carries them
 * @param kernelPolicy connections made on the kernel because a rule, a scope or a proxy wants it,
 *     or because they have not carried enough
 * @param kernelFallback connections made on the kernel because offload was not possible
 * @param acceptedOffloaded connections accepted, by fabric
 * @param acceptedKernel connections accepted from the kernel's TCP
 * @param bytesRead payload bytes read from offloaded connections, living ones included
 * @param bytesWritten payload bytes written to offloaded connections, living ones included
 * @param reasons connections by reason, only those that occurred
 * @param refused attempts to connect or listen that failed, and TCP connections that a listener
 *     refused, because a rule allows nothing but offload
 * @param moved offloaded connections, made and accepted, that began on kernel TCP
 */
public record SwitchReport(
        Map<String, Long> offloaded,
        long kernelPolicy,
        long kernelFallback,
        Map<String, Long> acceptedOffloaded,
        long acceptedKernel,
        long bytesRead,
        long bytesWritten,
        Map<ReasonCode, Long> reasons,
        long refused,
        Moved moved) {
    /**
     * Connections that left kernel TCP. The sums divided by {@code connections} tell when they left
     * on average.
     *
     * @param bytes payload of both directions that they had carried by TCP when their move became
     *     certain
     * @param millis their age when they found a stream
     */
    public record Moved(long connections, long bytes, long millis) {}
}
