package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.OffloadStream;

/**
 * How a connection is to go on.
 *
 * @param stream the offloaded stream, or null: connect through the kernel
 * @param reason why
 * @param detail one sentence
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
