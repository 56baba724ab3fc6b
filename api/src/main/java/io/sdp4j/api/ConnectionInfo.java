package io.sdp4j.api;

/**
 * Why a connection is where it is, and what it has carried so far. A snapshot; immutable. Where a
 * direction has moved from TCP, its count includes the 8 bytes that begin the offloaded part.
 *
 * @param reason the stable code
 * @param detail one sentence: which rule, which fabric, what failed
 * @param fabric the fabric that carries it; empty on the kernel's TCP
 * @param bytesRead payload bytes handed to the application; -1 where the kernel alone knows
 * @param bytesWritten payload bytes taken from the application; -1 where the kernel alone knows
 * @since 0.1
 */
public record ConnectionInfo(
        ReasonCode reason, String detail, String fabric, long bytesRead, long bytesWritten) {}
