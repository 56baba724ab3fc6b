package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.OffloadStream;

/**
 * The outcome of an offload attempt: how a connection, or listener, is to go on.
 *
 * @param stream the offloaded stream; null = connect through the kernel, unless the reason is
 *     {@link ReasonCode#ABANDONED}
 * @param reason why
 * @param detail one sentence that explains the reason
 */
public record Attempt(OffloadStream stream, ReasonCode reason, String detail) {
    /** Connect, or listen, through the kernel only. */
    public static Attempt kernel(ReasonCode reason, String detail) {
        return new Attempt(null, reason, detail);
    }

    /** The description of a connection that the kernel carries for this reason. */
    public ConnectionInfo kernelInfo() {
        return new ConnectionInfo(reason, detail, "", -1, -1);
    }
}
