package io.sdp4j.offload.nio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.OffloadSwitch;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Why the kernel carries the connection of one channel, which is counted once it is up.
 *
 * <p>Guarded by the channel's state lock, which the methods take.
 */
final class KernelReason {
    private final SwitchedConnection connection;
    private final OffloadSwitch owner;
    private Attempt why; // null until it is known
    private ConnectionInfo info; // once the kernel has connected

    KernelReason(SwitchedConnection connection) {
        this.connection = connection;
        this.owner = connection.provider.owner();
    }

    void is(Attempt attempt) {
        synchronized (connection.stateLock) {
            why = attempt;
        }
    }

    /** The kernel has connected and the connection was counted, for that reason. */
    void was(Attempt attempt) {
        synchronized (connection.stateLock) {
            why = attempt;
            info = attempt.kernelInfo();
        }
    }

    /** A connection that is up stays with the kernel for another reason than it came there. */
    void becomes(Attempt attempt) {
        ReasonCode was;
        synchronized (connection.stateLock) {
            was = info.reason();
            why = attempt;
            info = attempt.kernelInfo();
        }
        owner.counters().stays(was, attempt.reason());
    }

    Optional<ConnectionInfo> info() {
        synchronized (connection.stateLock) {
            return Optional.ofNullable(info);
        }
    }

    /**
     * The kernel has connected; idempotent.
     *
     * @param remote where an attempt to offload went to, or null
     */
    void connected(InetSocketAddress remote) {
        ReasonCode reason;
        synchronized (connection.stateLock) {
            if (info != null || why == null) {
                return;
            }
            reason = why.reason();
            info = why.kernelInfo();
        }
        owner.kernelConnected(remote, reason);
    }
}
